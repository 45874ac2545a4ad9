#include "platform/clock.h"

#include <time.h>

enum { NS_PER_S = 1000000000 };

uint64_t pail_clock_ns(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

double pail_now_ms(void)
{
    return 1e-6 * (double)pail_clock_ns();
}

double pail_now_s(void)
{
    return 1e-9 * (double)pail_clock_ns();
}

uint64_t pail_clock_until(uint64_t timeout_ns)
{
    const uint64_t now = pail_clock_ns();
    return timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
}
