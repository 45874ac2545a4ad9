#include <errno.h>
#include <pthread.h>
#include <stdint.h>

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
