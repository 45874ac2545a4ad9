/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/process.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static uint32_t came; /* read by atomic operations */

static void take(int number)
{
    __atomic_store_n(&came, (uint32_t)number, __ATOMIC_RELAXED);
    (void)alarm(1); /* a wait for a device does not poll */
}

static void give_up(int number)
{
    (void)number;
    (void)raise((int)__atomic_load_n(&came, __ATOMIC_RELAXED)); /* reset when it came */
}

const uint32_t *pail_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = give_up;
    (void)sigaction(SIGALRM, &action, NULL);
    return &came;
}

void pail_interrupt_hold(void)
{
    (void)alarm(0);
}

void pail_interrupt_leave(void)
{
    const uint32_t number = __atomic_load_n(&came, __ATOMIC_RELAXED);
    if (number)
        (void)raise((int)number);
}

void pail_program_begin(int *argc, char ***argv)
{
    (void)argc;
    (void)argv; /* bytes, here */
    (void)signal(SIGXFSZ, SIG_IGN);
}

void pail_program_thread_stack(unsigned long long bytes)
{
#if defined(__linux__) && !defined(__ANDROID__) /* others go by no limit of the process */
    pthread_attr_t attributes;
    size_t now;
    if (pthread_getattr_default_np(&attributes) != 0)
        return;
    if (pthread_attr_getstacksize(&attributes, &now) == 0 && now < bytes &&
        pthread_attr_setstacksize(&attributes, (size_t)bytes) == 0)
        (void)pthread_setattr_default_np(&attributes);
    (void)pthread_attr_destroy(&attributes);
#else
    (void)bytes;
#endif
}

unsigned long long pail_program_stack(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
               ? 0
               : (unsigned long long)limit.rlim_cur;
}
