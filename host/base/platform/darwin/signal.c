#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "platform/clock.h"

enum { LOOK_EVERY_NS = 20000000, NS_PER_S = 1000000000, SIGNALS = 32 };

static bool is_there(const sigset_t *signals)
{
    sigset_t pending;
    if (sigpending(&pending) != 0)
        return false;
    for (int i = 1; i < SIGNALS; i++)
        if (sigismember(signals, i) == 1 && sigismember(&pending, i) == 1)
            return true;
    return false;
}

/* sigwait takes what is pending at once; where another thread was faster it waits for the next. */
int sigtimedwait(const sigset_t *signals, siginfo_t *info, const struct timespec *span)
{
    (void)info;
    const uint64_t until =
        pail_clock_until((uint64_t)span->tv_sec * NS_PER_S + (uint64_t)span->tv_nsec);
    while (!is_there(signals)) {
        const uint64_t now = pail_clock_ns();
        if (now >= until) {
            errno = EAGAIN;
            return -1;
        }
        const uint64_t left = until - now;
        const struct timespec pause = {.tv_nsec =
                                           left < LOOK_EVERY_NS ? (long)left : LOOK_EVERY_NS};
        (void)nanosleep(&pause, NULL);
    }
    int number;
    const int error = sigwait(signals, &number);
    if (error == 0)
        return number;
    errno = error;
    return -1;
}
