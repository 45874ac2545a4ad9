/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/clock.h"

#include <errno.h>
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

#ifdef __APPLE__

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

#else

int pail_clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error != 0)
        return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0)
        error = pthread_cond_init(cond, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return error;
}

int pail_clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns)
{
    if (until_ns == UINT64_MAX)
        return pthread_cond_wait(cond, mutex);
    const struct timespec t = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                               .tv_nsec = (long)(until_ns % NS_PER_S)};
    return pthread_cond_timedwait(cond, mutex, &t);
}

#endif
