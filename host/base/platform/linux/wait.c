#include "platform/clock.h"

#include <time.h>

enum { NS_PER_S = 1000000000 };

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
