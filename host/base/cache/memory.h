/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory through the callbacks that a cache was opened with. */
#ifndef PAIL_CACHE_MEMORY_H
#define PAIL_CACHE_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "cache.h"

/* n * size bytes of which none is set; NULL when there is no memory or the product overflows. */
static inline void *pail_cache_take(const struct pail_cache_alloc *alloc, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size)
        return NULL;
    const size_t bytes = n * size > 0 ? n * size : 1;
    return alloc->alloc ? alloc->alloc(alloc->user, bytes) : malloc(bytes);
}

/* ptr may be NULL. */
static inline void pail_cache_give(const struct pail_cache_alloc *alloc, void *ptr)
{
    if (!ptr)
        return;
    if (alloc->free)
        alloc->free(alloc->user, ptr);
    else
        free(ptr);
}

/* Makes room for one more element in an array. On failure nothing changes. */
static inline bool pail_cache_grow(const struct pail_cache_alloc *alloc, void **array,
                                   size_t *capacity, size_t n, size_t size)
{
    if (n < *capacity)
        return true;
    const size_t more = *capacity < 16 ? 16 : 2 * *capacity;
    void *larger = more > *capacity ? pail_cache_take(alloc, more, size) : NULL;
    if (!larger)
        return false;
    if (n > 0)
        memcpy(larger, *array, n * size);
    pail_cache_give(alloc, *array);
    *array = larger;
    *capacity = more;
    return true;
}

#endif /* PAIL_CACHE_MEMORY_H */
