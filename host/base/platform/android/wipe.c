#include "platform/wipe.h"

#include <string.h>

/* Same as explicit_bzero, which Android's C library lacks: the statement reads the memory, so that
 * the writes stay. */
static void clear(void *memory, size_t bytes)
{
    memset(memory, 0, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        clear(memory, bytes);
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    clear(frame, sizeof(frame));
}
