#include "platform/process.h"
#include "platform/clock.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages have 4 KiB here, and elsewhere at most 64. */
#if defined(__x86_64__) || defined(__i386__)
enum { PAGE = 4096 };
#else
enum { PAGE = 65536 };
#endif

/* A page of its own, which the kernel clears in a child. It is a part of the object, not a mapping
 * that somebody would have to give back when the object is unloaded. */
static union {
    alignas(PAGE) atomic_uint_fast64_t number;
    unsigned char bytes[PAGE];
} page;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_wiped; /* in a child; otherwise the kernel is asked for each number */

static void ask_to_wipe(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    is_wiped = bytes > 0 && bytes <= PAGE && madvise(&page, sizeof(page), MADV_WIPEONFORK) == 0;
}

/* Process numbers are used again. */
static uint64_t new_number(void)
{
    return (pail_clock_ns() << 22 ^ (uint64_t)getpid()) | UINT64_C(1) << 63;
}

uint64_t pail_process(void)
{
    uint_fast64_t number = atomic_load_explicit(&page.number, memory_order_relaxed);
    if (number)
        return number;
    (void)pthread_once(&once, ask_to_wipe);
    if (!is_wiped)
        return (uint64_t)getpid();
    const uint64_t made = new_number();
    return atomic_compare_exchange_strong(&page.number, &number, made) ? made : number;
}

bool pail_process_is_first(void)
{
    static atomic_uint_fast64_t first;
    const uint64_t here = pail_process();
    uint_fast64_t asked = atomic_load_explicit(&first, memory_order_relaxed);
    if (asked == 0)
        return atomic_compare_exchange_strong(&first, &asked, here) || asked == here;
    return asked == here;
}
