/* A library that is held against its headers, on systems whose libraries are no ELF files. */
#ifndef PAIL_LOADER_IMAGE_FILE_H
#define PAIL_LOADER_IMAGE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* PAIL_LOADER_IMAGE_FILE_H */
