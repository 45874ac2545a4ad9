#include "platform/process.h"

#include <stdatomic.h>
#include <unistd.h>

/* No page can be had that is zero in a child, so the kernel is asked each time. */
uint64_t pail_process(void)
{
    return (uint64_t)getpid();
}

bool pail_process_is_first(void)
{
    static _Atomic uint64_t first;
    const uint64_t here = pail_process();
    uint64_t asked = atomic_load_explicit(&first, memory_order_relaxed);
    if (asked == 0)
        return atomic_compare_exchange_strong(&first, &asked, here) || asked == here;
    return asked == here;
}
