#include "platform/thread.h"

#include <windows.h>

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

void pail_thread_yield(void)
{
    (void)SwitchToThread();
}
