/* SPDX-License-Identifier: Apache-2.0 */
/* The container that iden3's tools share (.zkey, .wtns, .r1cs, .ptau):
 *     magic[4] | u32 version | u32 n_sections | { u32 type, u64 size, payload[size] }*
 * little-endian, without padding, sections in any order. Payloads start at any multiple of 4 in
 * practice and of 1 by the format, so they are read byte by byte and never cast.
 * Source of the format: iden3/binfileutils. */
#ifndef PAIL_FORMATS_BINFILE_H
#define PAIL_FORMATS_BINFILE_H

#include <pail/backend.h>

#include "file.h"

/* The bytes are in memory, or in an open file that is read piece by piece. */
struct pail_binfile {
    const char *name;             /* the caller's: name of the file in errors */
    const uint8_t *data;          /* [size], the caller's; NULL: they are in `file` */
    const struct pail_file *file; /* the caller's */
    size_t size;
    uint32_t version;
    uint32_t n_sections;
};

struct pail_section {
    uint32_t type; /* type of a section that was found */
    size_t size;
    size_t offset; /* place of the payload in the file */
};

/* The beginning of a section's payload: all of it for the small ones. */
struct pail_section_head {
    uint8_t data[1024];
    size_t size; /* bytes that are there */
};

/* A format that the container is used for. */
struct pail_binfile_kind {
    const char *magic; /* four characters */
    uint32_t max_version;
    /* Reads the container into *to. On failure *to holds nothing to free but what the caller frees
     * anyway. */
    pail_status (*read)(void *to, const struct pail_binfile *file, char *error, size_t error_cap);
};

struct pail_binfile_bytes {
    const uint8_t *data; /* [size], the caller's */
    size_t size;
};

/* Reads a file of a kind: checks the magic, that 1 <= version <= max_version, and that each section
 * lies inside the bytes, and gives it to kind->read. Bytes after the last section are ignored, as
 * the format's own readers do.
 *
 * In: bytes: the contents in memory, which errors call `name`; or NULL: `name` is a path.
 * Out: keep: the open file, which goes on being read from; closed where the call fails. NULL: it is
 *      closed in any case.
 * Returns PAIL_OK or PAIL_ERR_DATA, and PAIL_ERR_IO where a file is read, as all of these do.
 * error: optional; holds error_cap bytes. */
pail_status pail_binfile_read(void *to, const struct pail_binfile_kind *kind, const char *name,
                              const struct pail_binfile_bytes *bytes, struct pail_file *keep,
                              char *error, size_t error_cap);

/* The same for a file at a path, which errors call `name`. */
pail_status pail_binfile_read_as(void *to, const struct pail_binfile_kind *kind, const char *path,
                                 const char *name, struct pail_file *keep, char *error,
                                 size_t error_cap);

/* Finds the one section of a type; errors call it `label`. None, or more than one, is
 * PAIL_ERR_DATA. */
pail_status pail_binfile_find(struct pail_section *section, const struct pail_binfile *file,
                              uint32_t type, const char *label, char *error, size_t error_cap);

/* Reads the beginning of a section. */
pail_status pail_binfile_head(struct pail_section_head *head, const struct pail_binfile *file,
                              const struct pail_section *section, char *error, size_t error_cap);

/* Gets the part of a file from `offset` on, which lies inside a section, in *data. A part of a file
 * is read into *bytes, which the caller frees; one in memory stays where it is. */
pail_status pail_binfile_load(const uint8_t **data, struct pail_bytes *bytes,
                              const struct pail_binfile *file, size_t size, size_t offset,
                              char *error, size_t error_cap);

#endif /* PAIL_FORMATS_BINFILE_H */
