#include "platform/growth.h"

#include <errno.h>
#include <time.h>

void pail_growth_begin(struct pail_growth *growth)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    growth->held = pthread_sigmask(SIG_BLOCK, &signals, &growth->before) == 0;
    growth->pending = sigpending(&signals) == 0 && sigismember(&signals, SIGXFSZ) == 1;
}

void pail_growth_end(const struct pail_growth *growth)
{
    static const struct timespec at_once;
    sigset_t signals;
    if (!growth->held)
        return;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    if (!growth->pending) /* a signal that is pending now came from this thread's writes */
        while (sigtimedwait(&signals, NULL, &at_once) < 0 && errno == EINTR) {
        }
    (void)pthread_sigmask(SIG_SETMASK, &growth->before, NULL);
}
