/* SPDX-License-Identifier: Apache-2.0 */
#include "pending.h"

#include "context.h"

pail_status pail_cpu_pending_wait(pail_pending *pending, uint64_t timeout_ns,
                                  struct pail_error *err)
{
    (void)err;
    return pail_cpu_pool_wait(pending->context->pool, &pending->work, timeout_ns) ? PAIL_OK
                                                                                  : PAIL_NOT_READY;
}

size_t pail_cpu_pending_jobs(const pail_pending *pending)
{
    return pending->n_jobs;
}

void pail_cpu_pending_drop(pail_pending *pending)
{
    pail_cpu_pool_cancel(pending->context->pool, &pending->work);
    pending->destroy(pending);
}
