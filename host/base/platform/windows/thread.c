/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/thread.h"

#include <windows.h>

#include <errno.h>
#include <pthread.h>
#include <stdint.h>

/* There are no signals that could arrive in a thread. Nothing but the stack itself is taken out of
 * it. */
int pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                      void *(*main)(void *), void *argument)
{
    static const size_t bytes[] = {
        [PAIL_STACK_OWN] = (size_t)128 << 10, /* includes the stack of calls into the C library */
        [PAIL_STACK_FOREIGN] = (size_t)8 << 20,
    };
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    error = pthread_attr_setstacksize(&attributes, bytes[stack]);
    pthread_t started;
    if (error == 0)
        error = pthread_create(&started, &attributes, main, argument);
    (void)pthread_attr_destroy(&attributes);
    if (error != 0)
        return error;
    (void)pthread_setname_np(started, name); /* a name is a help, no more */
    *thread = started;
    return 0;
}

void pail_thread_lower(void)
{
    (void)SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST);
}

void pail_thread_yield(void)
{
    (void)SwitchToThread();
}

#undef pthread_cond_timedwait

enum { NS_PER_S = 1000000000 };

int pail_posix_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
    (void)attributes;
    return clock == CLOCK_MONOTONIC ? 0 : EINVAL;
}

/* The time that is left, from the time of day on. Should that be set meanwhile, the wait is too
 * long or too short once: callers look at their own clock again. */
int pail_posix_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                              const struct timespec *until)
{
    struct timespec now, day;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)clock_gettime(CLOCK_REALTIME, &day);
    const int64_t left_s = (int64_t)until->tv_sec - now.tv_sec;
    const int64_t left_ns = (int64_t)until->tv_nsec - now.tv_nsec;
    if (left_s < 0 || (left_s == 0 && left_ns <= 0))
        return ETIMEDOUT;
    const int64_t ns = day.tv_nsec + left_ns + NS_PER_S;
    const struct timespec then = {
        .tv_sec = (time_t)(day.tv_sec + left_s - 1 + ns / NS_PER_S),
        .tv_nsec = (long)(ns % NS_PER_S),
    };
    return pthread_cond_timedwait(cond, mutex, &then);
}
