#include "platform/wipe.h"

#include <string.h>

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        explicit_bzero(memory, bytes);
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    explicit_bzero(frame, sizeof(frame));
}
