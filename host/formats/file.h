/* A file mapped for reading. */
#ifndef PAIL_FORMATS_FILE_H
#define PAIL_FORMATS_FILE_H

#include <pail/backend.h>

struct pail_file {
    const uint8_t *data; /* [size]; NULL when the file is empty or not open */
    size_t size;
};

/* Maps a regular file. Its contents must not change and it must not shrink while it is mapped: a
 * read past a new end would be a SIGBUS.
 *
 * Returns PAIL_OK, or PAIL_ERR_IO when it cannot be opened or is no regular file (a named pipe is
 * refused, not waited for). error: optional; holds error_cap bytes. */
pail_status pail_file_open(struct pail_file *file, const char *path, char *error, size_t error_cap);

/* Legal on a file that is zeroed or failed to open. */
void pail_file_close(struct pail_file *file);

#endif /* PAIL_FORMATS_FILE_H */
