/* SPDX-License-Identifier: Apache-2.0 */
#include "throttle.h"

#include <assert.h>
#include <limits.h>
#include <time.h>

#include <platform/clock.h>

#include "context.h"

/* A host that never ends its phase must not stop anybody: a fifth of the time stays ours. */
enum {
    WORK_NS = 200000,       /* between two waits, at least: waking takes a quarter of it */
    WORK_MOST_NS = 1000000, /* most work that a wait counts: earlier work is not known */
    WAITS = 4,              /* a wait lasts at most this many times the work */
    LOOK_NS = 100000
};

static_assert(sizeof(atomic_int) == sizeof(int32_t) && ATOMIC_INT_LOCK_FREE == 2,
              "a host reads the counter as an int32_t");

static void wait_a_little(struct pail_cpu_throttle *throttle)
{
    static _Thread_local uint64_t works_since_ns;
    const uint64_t begin = pail_clock_ns();
    uint64_t worked = begin - works_since_ns;
    if (worked < WORK_NS)
        return;
    worked = worked < WORK_MOST_NS ? worked : WORK_MOST_NS;
    const struct timespec look = {.tv_nsec = LOOK_NS};
    do
        (void)nanosleep(&look, NULL);
    while (atomic_load_explicit(&throttle->hosts, memory_order_relaxed) > 0 &&
           pail_clock_ns() - begin < WAITS * worked);
    works_since_ns = pail_clock_ns();
}

void pail_cpu_throttle_init(struct pail_cpu_throttle *throttle)
{
    atomic_init(&throttle->ours, 0);
    atomic_init(&throttle->hosts, 0);
    throttle->give_way = wait_a_little;
}

const volatile int32_t *pail_cpu_throttle(pail_context *context)
{
    const volatile void *const counter = &context->throttle.ours;
    return counter;
}

pail_status pail_cpu_throttle_begin(pail_context *context, struct pail_error *err)
{
    int n = atomic_load(&context->throttle.hosts);
    do
        if (n == INT_MAX)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "throttle_begin: %d phases have begun and not ended", n);
    while (!atomic_compare_exchange_weak(&context->throttle.hosts, &n, n + 1));
    return PAIL_OK;
}

pail_status pail_cpu_throttle_end(pail_context *context, struct pail_error *err)
{
    int n = atomic_load(&context->throttle.hosts);
    do
        if (n == 0)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "throttle_end: no phase has begun that has not ended");
    while (!atomic_compare_exchange_weak(&context->throttle.hosts, &n, n - 1));
    return PAIL_OK;
}
