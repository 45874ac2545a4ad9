#include "platform/memory.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>

static void clear(void *memory, size_t bytes)
{
#ifdef __ANDROID__
    /* Its C library lacks explicit_bzero. The statement reads the memory, so that the writes stay.
     */
    memset(memory, 0, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
#else
    explicit_bzero(memory, bytes);
#endif
}

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        clear(memory, bytes);
}

void pail_wipe_and_free(void *memory)
{
    if (memory)
        pail_wipe(memory, malloc_usable_size(memory));
    free(memory);
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    clear(frame, sizeof(frame));
}

bool pail_random(void *memory, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = getrandom((char *)memory + done, bytes - done, 0);
        if (got > 0) {
            done += (size_t)got;
        } else if (errno != EINTR) {
            pail_wipe(memory, bytes);
            return false;
        }
    }
    return true;
}

void *pail_alloc_huge_pages(size_t bytes)
{
    void *block;
    if (bytes < PAIL_HUGE_PAGE)
        return malloc(bytes);
    if (posix_memalign(&block, PAIL_HUGE_PAGE, bytes) != 0)
        return NULL;
    /* The kernel may have none, or may not have been built for them: then pages are small. */
    (void)madvise(block, bytes / PAIL_HUGE_PAGE * PAIL_HUGE_PAGE, MADV_HUGEPAGE);
    return block;
}

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
