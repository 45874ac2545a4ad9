#define __STDC_WANT_LIB_EXT1__ 1
#include "platform/wipe.h"

#include <string.h>

void pail_wipe(void *memory, size_t bytes)
{
    if (bytes)
        (void)memset_s(memory, bytes, 0, bytes);
}

/* A frame of its own in every case: inlined, it would lie beside what is to be wiped. */
__attribute__((noinline)) void pail_wipe_stack(void)
{
    unsigned char frame[8192];
    (void)memset_s(frame, sizeof(frame), 0, sizeof(frame));
}
