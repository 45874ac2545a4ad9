/* The container that iden3's tools share (.zkey, .wtns, .r1cs, .ptau):
 *     magic[4] | u32 version | u32 n_sections | { u32 type, u64 size, payload[size] }*
 * little-endian, without padding, sections in any order. Payloads start at any multiple of 4 in
 * practice and of 1 by the format, so they are read byte by byte and never cast.
 * Source of the format: iden3/binfileutils. */
#ifndef PAIL_FORMATS_BINFILE_H
#define PAIL_FORMATS_BINFILE_H

#include <pail/backend.h>

struct pail_binfile {
    const char *name;    /* what errors call the file; the caller's, as `data` is */
    const uint8_t *data; /* [size] */
    size_t size;
    uint32_t version;
    uint32_t n_sections;
};

struct pail_section {
    const uint8_t *data; /* [size], inside the container's bytes */
    size_t size;
    size_t offset; /* of the payload in the file */
};

/* Checks the magic, that 1 <= version <= max_version, and that each section lies inside the bytes.
 * Bytes after the last section are ignored, as the format's own readers do.
 *
 * Returns PAIL_OK or PAIL_ERR_DATA. error: optional; holds error_cap bytes. */
pail_status pail_binfile_parse(struct pail_binfile *file, const char *name, const uint8_t *data,
                               size_t size, const char magic[4], uint32_t max_version, char *error,
                               size_t error_cap);

/* Finds the one section of a type; `label` is what errors call it. None, or more than one, is
 * PAIL_ERR_DATA. */
pail_status pail_binfile_find(struct pail_section *section, const struct pail_binfile *file,
                              uint32_t type, const char *label, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_BINFILE_H */
