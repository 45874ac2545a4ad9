#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_DONTDUMP */

#include "body.h"

#include <sys/mman.h>

#include <platform/memory.h>

uint8_t *pail_body_make(size_t bytes)
{
    void *const memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, bytes, MADV_DONTDUMP);
    return memory;
}

void pail_body_free(uint8_t *body, size_t bytes)
{
    if (body == NULL)
        return;
    pail_wipe(body, bytes);
    (void)munmap(body, bytes);
}
