/* Files that hold an array of elements of one size: affine points or scalars. */
#ifndef PAIL_FORMATS_RAW_H
#define PAIL_FORMATS_RAW_H

#include <pail/backend.h>

#include "file.h"

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

#endif /* PAIL_FORMATS_RAW_H */
