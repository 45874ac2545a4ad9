/* SPDX-License-Identifier: Apache-2.0 */
#define __STDC_WANT_LIB_EXT1__ 1 /* memset_s */

#include "platform/memory.h"

#include <malloc/malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        (void)memset_s(memory, bytes, 0, bytes);
}

void pail_wipe_and_free(void *memory)
{
    if (memory)
        pail_wipe(memory, malloc_size(memory));
    free(memory);
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    (void)memset_s(frame, sizeof(frame), 0, sizeof(frame));
}

enum { PORTION = 256 }; /* more, getentropy refuses */

bool pail_random(void *memory, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const size_t n = bytes - done < PORTION ? bytes - done : PORTION;
        if (getentropy((char *)memory + done, n) != 0) {
            pail_wipe(memory, bytes);
            return false;
        }
        done += n;
    }
    return true;
}

/* The system has no word for it that every user may say. */
void *pail_alloc_huge_pages(size_t bytes)
{
    return malloc(bytes);
}

/* The allocator gives large blocks back by itself. */
void pail_return_blocks(size_t from_bytes)
{
    (void)from_bytes;
}

/* Other processes of the user need a right of the system's to read this one. PT_DENY_ATTACH would
 * end a process that is being debugged. */
void pail_keep_memory_private(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
}
