/* SPDX-License-Identifier: Apache-2.0 */
/* A context: threads, and where memory comes from. */
#ifndef PAIL_CPU_CONTEXT_H
#define PAIL_CPU_CONTEXT_H

#include <pail/backend.h>

#include <core/ranges.h>

#include "adders.h"
#include "memory.h"
#include "pool.h"
#include "throttle.h"

struct pail_context {
    struct pail_alloc memory;
    struct pail_cpu_pool *pool;
    struct pail_cpu_choice choice; /* of an arithmetic, before its tests */
    uint64_t memory_budget;        /* bytes of scratch for a call to start; 0: no limit */
    struct pail_cpu_throttle throttle;
    struct pail_adstack *adstack; /* over host memory, without a device */
    struct pail_ranges memories;  /* of pail_memory */
};

/* Behind the front. */
pail_status pail_cpu_score(const pail_host *host, uint32_t *score, struct pail_error *err);
pail_status pail_cpu_device_count(const pail_host *host, uint32_t *count, struct pail_error *err);
pail_status pail_cpu_device_info(const pail_host *host, uint32_t index, pail_device_info *info,
                                 struct pail_error *err);
pail_status pail_cpu_context_create(const pail_host *host, pail_context **context,
                                    const pail_context_params *params, struct pail_error *err);
void pail_cpu_context_destroy(pail_context *context);
pail_status pail_cpu_context_device(pail_context *context, pail_device_info *info,
                                    struct pail_error *err);

#endif /* PAIL_CPU_CONTEXT_H */
