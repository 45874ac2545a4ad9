#include <platform/thread.h>

#include <signal.h>

int pail_thread_start(pthread_t *thread, const char *name, void *(*main)(void *), void *argument)
{
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(of_the_thread) / sizeof(of_the_thread[0]); i++)
        sigdelset(&blocked, of_the_thread[i]);

    /* The new thread inherits the mask, so that no signal finds it open. */
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); /* fails for unknown operations alone */
    pthread_t started;
    const int error = pthread_create(&started, NULL, main, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        return error;
    (void)pthread_setname_np(started, name); /* a name is a help, no more */
    *thread = started;
    return 0;
}
