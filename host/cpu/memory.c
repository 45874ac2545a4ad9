/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <platform/memory.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *pail_cpu_alloc(const struct pail_alloc *memory, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size)
        return NULL;
    const size_t bytes = n * size == 0 ? 1 : n * size;
    return memory->alloc ? memory->alloc(memory->user, bytes) : pail_alloc_huge_pages(bytes);
}

void pail_cpu_free(const struct pail_alloc *memory, void *block)
{
    if (block && memory->free)
        memory->free(memory->user, block);
    else
        free(block);
}

void *pail_cpu_shrink(const struct pail_alloc *memory, void *block, size_t bytes)
{
    if (!memory->alloc) {
        void *const smaller = realloc(block, bytes);
        return smaller ? smaller : block;
    }
    void *const smaller = pail_cpu_alloc(memory, 1, bytes);
    if (!smaller)
        return block;
    memcpy(smaller, block, bytes);
    pail_cpu_free(memory, block);
    return smaller;
}

void pail_cpu_free_wiped(const struct pail_alloc *memory, void *block, size_t n, size_t size)
{
    if (block)
        pail_wipe(block, n * size);
    pail_cpu_free(memory, block);
}
