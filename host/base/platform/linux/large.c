#include "platform/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *pail_alloc_large(size_t bytes)
{
    void *block;
    if (bytes < PAIL_LARGE_BLOCK)
        return malloc(bytes);
    if (posix_memalign(&block, PAIL_LARGE_BLOCK, bytes) != 0)
        return NULL;
    /* The kernel may have none, or may not have been built for them: then pages are small. */
    (void)madvise(block, bytes / PAIL_LARGE_BLOCK * PAIL_LARGE_BLOCK, MADV_HUGEPAGE);
    return block;
}
