#include "pending.h"

#include "context.h"
#include "error.h"

pail_status pail_cpu_pending_take(pail_pending **out, pail_pending **handle, const char *started_by)
{
    pail_pending *const pending = handle ? *handle : NULL;
    *out = NULL;
    if (!pending)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "pending is NULL");
    *handle = NULL;
    pail_context *const context = pending->context;
    if (pail_cpu_check_process(context) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    pail_cpu_pool_wait(context->pool, &pending->work, UINT64_MAX);
    if (pending->started_by != started_by) {
        const char *const other = pending->started_by;
        pending->destroy(pending);
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "pending is what %s started; what %s started is needed", other,
                             started_by);
    }
    *out = pending;
    return PAIL_OK;
}

pail_status pail_cpu_pending_wait(pail_pending *pending, uint64_t timeout_ns)
{
    if (!pending)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "pending is NULL");
    if (pail_cpu_check_process(NULL) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    return pail_cpu_pool_wait(pending->context->pool, &pending->work, timeout_ns) ? PAIL_OK
                                                                                  : PAIL_NOT_READY;
}

pail_status pail_cpu_pending_poll(pail_pending *pending)
{
    return pail_cpu_pending_wait(pending, 0);
}

void pail_cpu_pending_abandon(pail_pending **pending)
{
    if (pending && *pending) {
        pail_pending *const p = *pending;
        *pending = NULL;
        if (pail_cpu_check_process(NULL) != PAIL_OK)
            return;
        pail_cpu_pool_cancel(p->context->pool, &p->work);
        p->destroy(p);
    }
}
