/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory: every allocation of the plugin goes through the host's callbacks, so that a host can
 * account for it and a test can make each one fail. Thread-safe as far as the callbacks are. */
#ifndef PAIL_PLUGIN_ALLOC_H
#define PAIL_PLUGIN_ALLOC_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* Both callbacks or none: without them malloc and free are used. Memory is aligned as malloc's. */
struct pail_alloc {
    void *user;
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *ptr);
};

/* n * size bytes, all zero; NULL when there is no memory or the product overflows. */
void *pail_calloc(const struct pail_alloc *alloc, size_t n, size_t size);

/* ptr may be NULL. */
void pail_free(const struct pail_alloc *alloc, void *ptr);

/* Grows an array to hold at least `need` elements: *array and *capacity change together, the first
 * *capacity elements keep their bytes, the rest are zero. On failure nothing changes. */
pail_status pail_grow(const struct pail_alloc *alloc, void *array, uint32_t *capacity,
                      uint32_t need, size_t size, struct pail_error *err);

#endif /* PAIL_PLUGIN_ALLOC_H */
