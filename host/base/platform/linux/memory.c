#include "platform/memory.h"

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/prctl.h>
#include <sys/resource.h>

void pail_return_blocks(size_t from_bytes)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, from_bytes < INT_MAX ? (int)from_bytes : INT_MAX);
#else
    (void)from_bytes; /* bionic's allocator does so by itself */
#endif
}

void pail_keep_memory_private(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
