#include "platform/interrupt.h"

#include <signal.h>
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

void pail_interrupt_leave(void)
{
    const uint32_t number = __atomic_load_n(&came, __ATOMIC_RELAXED);
    if (number)
        (void)raise((int)number);
}
