/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A thread can name itself alone. */
struct beginning {
    void *(*main)(void *);
    void *argument;
    char name[16];
};

static void *begin(void *argument)
{
    const struct beginning own = *(const struct beginning *)argument;
    free(argument);
    (void)pthread_setname_np(own.name);
    return own.main(own.argument);
}

static int start(pthread_t *thread, enum pail_thread_stack stack, struct beginning *beginning)
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
    if (error == 0)
        error = pthread_create(thread, &attributes, begin, beginning);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

int pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                      void *(*main)(void *), void *argument)
{
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    struct beginning *const beginning = malloc(sizeof(*beginning));
    if (!beginning)
        return ENOMEM;
    *beginning = (struct beginning){.main = main, .argument = argument};
    (void)strncpy(beginning->name, name, sizeof(beginning->name) - 1);
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(of_the_thread) / sizeof(of_the_thread[0]); i++)
        sigdelset(&blocked, of_the_thread[i]);
    pthread_t started;
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int error = start(&started, stack, beginning);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        free(beginning);
    else
        *thread = started;
    return error;
}

/* Classes of threads are not in the functions that every version of the system has. */
void pail_thread_lower(void)
{
}

void pail_thread_yield(void)
{
    (void)sched_yield();
}
