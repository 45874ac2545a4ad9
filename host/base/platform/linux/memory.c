/* SPDX-License-Identifier: Apache-2.0 */
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

/* Copies leave bytes in vector registers, which the dynamic loader may save on the stack much
 * later. */
static void clear_registers(void)
{
#ifdef __x86_64__
#define CLEAR(n) "vpxord %%zmm" #n ",%%zmm" #n ",%%zmm" #n "\n"
    if (__builtin_cpu_supports("avx512f"))
        __asm__ volatile(CLEAR(16) CLEAR(17) CLEAR(18) CLEAR(19) CLEAR(20) CLEAR(21) CLEAR(22)
                             CLEAR(23) CLEAR(24) CLEAR(25) CLEAR(26) CLEAR(27) CLEAR(28) CLEAR(29)
                                 CLEAR(30) CLEAR(31)::);
#undef CLEAR
#define CLEAR(n) "pxor %%xmm" #n ",%%xmm" #n "\n"
#define REGISTERS                                                                                  \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",       \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroall" ::: REGISTERS);
    else
        __asm__ volatile(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6) CLEAR(7)
                             CLEAR(8) CLEAR(9) CLEAR(10) CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14)
                                 CLEAR(15)::
                                     : REGISTERS);
#endif
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    clear(frame, sizeof(frame));
    clear_registers();
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
    /* A heap grows and shrinks by 128 KiB otherwise, and each of its pages is had and cleared anew
     * for every stage of a proof. */
    enum { PAD = 2, TRIM = 4 };
    const int bytes = from_bytes < INT_MAX / TRIM ? (int)from_bytes : INT_MAX / TRIM;
    (void)mallopt(M_MMAP_THRESHOLD, bytes);
    (void)mallopt(M_TOP_PAD, PAD * bytes);
    (void)mallopt(M_TRIM_THRESHOLD, TRIM * bytes);
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
