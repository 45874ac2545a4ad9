/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc.h"

#include <stdlib.h>
#include <string.h>

void *pail_calloc(const struct pail_alloc *alloc, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    if (!alloc->alloc)
        return calloc(n, size);
    void *ptr = alloc->alloc(alloc->user, n * size);
    if (ptr)
        memset(ptr, 0, n * size);
    return ptr;
}

void pail_free(const struct pail_alloc *alloc, void *ptr)
{
    if (!ptr)
        return;
    if (alloc->alloc)
        alloc->free(alloc->user, ptr);
    else
        free(ptr);
}

pail_status pail_grow(const struct pail_alloc *alloc, void *array, uint32_t *capacity,
                      uint32_t need, size_t size, struct pail_error *err)
{
    if (need <= *capacity)
        return PAIL_OK;
    uint32_t grown = *capacity < 8 ? 8 : *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    if (grown < need)
        grown = need;
    void *bytes = pail_calloc(alloc, grown, size);
    if (!bytes)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u elements of %zu bytes",
                         grown, size);
    void *old;
    memcpy(&old, array, sizeof(old)); /* array is the address of a pointer of any type */
    if (old)
        memcpy(bytes, old, *capacity * size);
    pail_free(alloc, old);
    memcpy(array, &bytes, sizeof(bytes));
    *capacity = grown;
    return PAIL_OK;
}
