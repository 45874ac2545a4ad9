/* Threads that live inside somebody else's process. */
#ifndef PAIL_PLATFORM_THREAD_H
#define PAIL_PLATFORM_THREAD_H

#include <pthread.h>

/* Stack of a thread, by what runs on it. The limit of the process (`ulimit -s`) does not matter. */
enum pail_thread_stack {
    PAIL_STACK_OWN,     /* 64 KiB: nothing but code of Pail */
    PAIL_STACK_FOREIGN, /* 8 MiB: drivers, compilers, callbacks of the host */
};

/* Starts a joinable thread that runs main(argument). The signals of the host do not arrive in it:
 * all are blocked but those that the thread causes itself (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGTRAP, SIGSYS, SIGABRT). name: at most 15 bytes, for debuggers and `ps -L`; "pail-..." in all
 * of Pail, and another one for each kind. Returns 0, or an error number as pthread_create does;
 * *thread is set only on success. */
int pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                      void *(*main)(void *), void *argument);

/* Offers the processor to other threads. */
void pail_thread_yield(void);

#endif /* PAIL_PLATFORM_THREAD_H */
