#include "memory.h"

#include <platform/wipe.h>

#include <stdint.h>
#include <stdlib.h>

void *pail_cpu_alloc(const struct pail_cpu_memory *memory, size_t n, size_t size)
{
    if (size != 0 && n > SIZE_MAX / size)
        return NULL;
    const size_t bytes = n * size == 0 ? 1 : n * size;
    return memory->alloc ? memory->alloc(memory->user, bytes) : malloc(bytes);
}

void pail_cpu_free(const struct pail_cpu_memory *memory, void *block)
{
    if (block && memory->free)
        memory->free(memory->user, block);
    else
        free(block);
}

void pail_cpu_free_wiped(const struct pail_cpu_memory *memory, void *block, size_t n, size_t size)
{
    if (block)
        pail_wipe(block, n * size);
    pail_cpu_free(memory, block);
}
