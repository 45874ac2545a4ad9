/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a file before the dynamic linker gets it. The linker maps segments where the headers
 * say, without asking whether the file goes so far, and a process that touches a page beyond the
 * end of a file is killed. So each statement of the headers is compared with the file and with the
 * other headers before anything is mapped, by reads that end where the file does. */
#ifndef PAIL_LOADER_IMAGE_H
#define PAIL_LOADER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the file is a whole shared library for this machine, and looks for the libraries it needs
 * nowhere in the working directory. file: open for reading. When it is not so, `reason` gets a
 * clause ("it is cut off: ..."). */
bool pail_image_check(int file, char *reason, size_t capacity);

/* A library that is held against its headers, on systems whose libraries are no ELF files. */

struct pail_image {
    int file;
    uint64_t size;
    char *reason;
    size_t capacity;
};

/* These return false with the reason, but for is_cut, which returns true with it. */
bool pail_image_begin(struct pail_image *image, int file, char *reason, size_t capacity);
bool pail_image_refuse(const struct pail_image *image, const char *clause);
bool pail_image_read(const struct pail_image *image, void *bytes, size_t n, uint64_t offset);

/* True if the file ends before byte `wanted`. */
bool pail_image_is_cut(const struct pail_image *image, uint64_t wanted);

#endif /* PAIL_LOADER_IMAGE_H */
