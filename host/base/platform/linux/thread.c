/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/thread.h"

#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/processors.h"

/* gcc says it by macros, clang by features. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
enum { SANITIZED = 8 }; /* red zones, and the sanitizer's own functions */
#else
enum { SANITIZED = 1 };
#endif

/* The C library takes the thread-local variables of all objects out of the stack. */
static int add_tls(struct dl_phdr_info *object, size_t size, void *bytes)
{
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)bytes += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

static size_t stack_bytes(enum pail_thread_stack stack)
{
    static const size_t wanted[] = {
        [PAIL_STACK_OWN] = (size_t)SANITIZED << 16,
        [PAIL_STACK_FOREIGN] = (size_t)8 << 20,
    };
    const long least = sysconf(_SC_THREAD_STACK_MIN), page = sysconf(_SC_PAGESIZE);
    size_t bytes = wanted[stack] + (least > 0 ? (size_t)least : 0);
    (void)dl_iterate_phdr(add_tls, &bytes);
    const size_t mask = page > 0 ? (size_t)page - 1 : 4095;
    return (bytes + mask) & ~mask;
}

static int start(pthread_t *thread, enum pail_thread_stack stack, void *(*main)(void *),
                 void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    error = pthread_attr_setstacksize(&attributes, stack_bytes(stack));
    /* The new thread inherits these as well. What the environment says wrongly, a registry
     * refuses. */
    struct pail_processors set, own;
    const bool elsewhere = pail_processors_of_environment(&set, NULL, 0) && set.count != 0;
    pail_processors_get(&own);
    if (elsewhere)
        (void)pail_processors_use(&set);
    if (error == 0)
        error = pthread_create(thread, &attributes, main, argument);
    if (elsewhere)
        (void)pail_processors_use(&own);
    (void)pthread_attr_destroy(&attributes);
    return error;
}

int pail_thread_start(pthread_t *thread, const char *name, enum pail_thread_stack stack,
                      void *(*main)(void *), void *argument)
{
    static const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof(of_the_thread) / sizeof(of_the_thread[0]); i++)
        sigdelset(&blocked, of_the_thread[i]);

    /* The new thread inherits the mask, so that no signal finds it open. */
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before); /* fails for unknown operations alone */
    pthread_t started;
    const int error = start(&started, stack, main, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        return error;
    (void)pthread_setname_np(started, name); /* a name is a help, no more */
    *thread = started;
    return 0;
}

/* On Linux a nice value is a thread's own. */
void pail_thread_lower(void)
{
    enum { NICE = 10 };
    (void)setpriority(PRIO_PROCESS, 0, NICE);
}

void pail_thread_yield(void)
{
    (void)sched_yield();
}
