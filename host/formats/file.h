/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are read. Nothing is mapped: a file may shrink, or its disk fail, while it is read,
 * and access to a mapping would then raise a signal, not return a status. Bytes that were read stay
 * as they are. */
#ifndef PAIL_FORMATS_FILE_H
#define PAIL_FORMATS_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <pail/backend.h>

struct pail_file {
    const char *path; /* the caller's: path, or name, in errors */
    size_t size;      /* size when it was opened */
    int fd;
    bool open;
};

/* Opens a regular file. path must stay valid until it is closed.
 *
 * Returns PAIL_OK, or PAIL_ERR_IO when it cannot be opened or is no regular file (a named pipe is
 * refused, not waited for). error: optional; holds error_cap bytes, as for all of these. */
pail_status pail_file_open(struct pail_file *file, const char *path, char *error, size_t error_cap);

/* The same for a path that users do not know: errors have `name` instead, which must stay valid
 * until the file is closed. */
pail_status pail_file_open_as(struct pail_file *file, const char *path, const char *name,
                              char *error, size_t error_cap);

/* Reads size bytes from `offset` on, large amounts by several threads. PAIL_ERR_IO when they are
 * not all there any more. */
pail_status pail_file_read(const struct pail_file *file, void *to, size_t size, size_t offset,
                           char *error, size_t error_cap);

/* Legal on a file that is zeroed or failed to open. */
void pail_file_close(struct pail_file *file);

/* A part of an open file that another module reads, piece by piece, in any order, in several
 * threads at a time: the `user` of pail_file_part_read. */
struct pail_file_part {
    const struct pail_file *file;
    size_t offset, size;
    atomic_flag told;
    char error[512]; /* sentence of the first failure; valid once reading has ended */
};

/* file: stays open as long as the part is used. The part lies inside of it. */
void pail_file_part_init(struct pail_file_part *part, const struct pail_file *file, size_t offset,
                         size_t size);

/* A pail_read_points. PAIL_ERR_IO, with a sentence in part->error, when bytes are missing;
 * PAIL_ERR_ARGUMENT for bytes outside the part. */
pail_status pail_file_part_read(void *part, void *to, uint64_t offset, size_t bytes);

/* A part of a file in memory of its own. */
struct pail_bytes {
    const uint8_t *data; /* [size]; NULL when there are none */
    size_t size;
};

/* Reads a part into memory that is made for it: in huge pages where they pay.
 *
 * Returns PAIL_OK, or PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY with the bytes zeroed. */
pail_status pail_file_load(struct pail_bytes *bytes, const struct pail_file *file, size_t size,
                           size_t offset, char *error, size_t error_cap);

/* Reads a whole file, which is closed again. */
pail_status pail_file_load_whole(struct pail_bytes *bytes, const char *path, char *error,
                                 size_t error_cap);

/* secret: the bytes are wiped first. Legal on bytes that are zeroed or failed to load. */
void pail_bytes_free(struct pail_bytes *bytes, bool secret);

/* ---- Files that hold an array of elements of one size: affine points or scalars -------------- */

struct pail_raw {
    struct pail_file file;   /* open, if it is read piece by piece */
    struct pail_bytes bytes; /* contents, if the file was loaded */
    size_t element_bytes;
    size_t count; /* 0 for an empty file */
};

/* Opens a file that is read by pail_file_part_read: as below, but without memory. path must stay
 * valid until it is closed. */
pail_status pail_raw_open(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap);

/* Reads a file whose size must be a multiple of element_bytes; `what` names one element in errors.
 *
 * Returns PAIL_OK, PAIL_ERR_IO, PAIL_ERR_HOST_MEMORY, or PAIL_ERR_DATA for a size that does not
 * divide. error: optional; holds error_cap bytes. */
pail_status pail_raw_load(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap);

/* Wipes the contents. Legal on one that is zeroed or failed to open. */
void pail_raw_close(struct pail_raw *raw);

#endif /* PAIL_FORMATS_FILE_H */
