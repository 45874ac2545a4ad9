/* A context: threads, and where memory comes from. */
#ifndef PAIL_CPU_CONTEXT_H
#define PAIL_CPU_CONTEXT_H

#include <pail/backend.h>

#include "adders.h"
#include "memory.h"
#include "pool.h"
#include "throttle.h"

struct pail_context {
    struct pail_cpu_memory memory;
    struct pail_cpu_pool *pool;
    enum pail_cpu_arithmetic arithmetic;
    uint64_t memory_budget; /* bytes of scratch for a call to start; 0: no limit */
    struct pail_cpu_throttle throttle;
};

/* Checks that a host's struct can be used; if not, the sentence is kept for calls without a
 * context. */
pail_status pail_cpu_check_host(const pail_host *host);

/* Entries of the table. */
pail_status pail_cpu_device_count(const pail_host *host, uint32_t *count);
pail_status pail_cpu_device_info(const pail_host *host, uint32_t index, pail_device_info *info);
pail_status pail_cpu_context_create(const pail_host *host, pail_context **context,
                                    const pail_context_params *params);
void pail_cpu_context_destroy(pail_context **context);
pail_status pail_cpu_context_device(pail_context *context, pail_device_info *info);

#endif /* PAIL_CPU_CONTEXT_H */
