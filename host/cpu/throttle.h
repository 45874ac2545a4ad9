/* SPDX-License-Identifier: Apache-2.0 */
/* Phases that load the memory bus: those of a context, which its host may hold back its own for,
 * and those of the host, for which the context's give way. */
#ifndef PAIL_CPU_THROTTLE_H
#define PAIL_CPU_THROTTLE_H

#include <stdatomic.h>
#include <stdint.h>

#include <core/error.h>
#include <pail/backend.h>

struct pail_cpu_throttle {
    atomic_int ours;  /* sparse products and transforms that run: tasks of them */
    atomic_int hosts; /* phases that the host has begun and not ended */
    /* Called at least once a millisecond by whoever counts in `ours`, while the host has a phase.
     */
    void (*give_way)(struct pail_cpu_throttle *throttle);
};

void pail_cpu_throttle_init(struct pail_cpu_throttle *throttle);

/* Waits while a host is in a heavy phase. Loops call it so often that less than a millisecond is in
 * between. */
static inline void pail_cpu_pause(struct pail_cpu_throttle *throttle)
{
    if (atomic_load_explicit(&throttle->hosts, memory_order_relaxed) > 0)
        throttle->give_way(throttle);
}

/* Behind the front. */
const volatile int32_t *pail_cpu_throttle(pail_context *context);
pail_status pail_cpu_throttle_begin(pail_context *context, struct pail_error *err);
pail_status pail_cpu_throttle_end(pail_context *context, struct pail_error *err);

#endif /* PAIL_CPU_THROTTLE_H */
