#include "platform/clock.h"

#include <errno.h>
#include <time.h>

enum { NS_PER_S = 1000000000 };

/* Condition variables know the time of day alone, and spans, which are measured by a clock that
 * does not jump. */
int pail_clock_cond_init(pthread_cond_t *cond)
{
    return pthread_cond_init(cond, NULL);
}

int pail_clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns)
{
    if (until_ns == UINT64_MAX)
        return pthread_cond_wait(cond, mutex);
    const uint64_t now = pail_clock_ns();
    if (now >= until_ns)
        return ETIMEDOUT;
    const uint64_t span = until_ns - now;
    const struct timespec t = {.tv_sec = (time_t)(span / NS_PER_S),
                               .tv_nsec = (long)(span % NS_PER_S)};
    return pthread_cond_timedwait_relative_np(cond, mutex, &t);
}
