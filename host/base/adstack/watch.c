/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include <inttypes.h>

#include <platform/clock.h>

#include "program.h"

void pail_ad_watch_begin(struct pail_ad_watch *watch, uint64_t max_cells, uint32_t max_ms,
                         const uint32_t *cancel)
{
    *watch = (struct pail_ad_watch){
        .max_cells = max_cells,
        .max_ms = max_ms,
        .cancel = cancel,
        .began = max_ms ? pail_now_ms() : 0,
    };
}

bool pail_ad_watch_look(struct pail_ad_watch *watch)
{
    if (!watch || watch->stop)
        return !watch;
    if (watch->cancel && __atomic_load_n(watch->cancel, __ATOMIC_RELAXED))
        watch->stop = PAIL_AD_STOP_CANCEL;
    else if (watch->max_ms && pail_now_ms() - watch->began > watch->max_ms)
        watch->stop = PAIL_AD_STOP_TIME;
    return !watch->stop;
}

uint64_t pail_ad_watch_patience(const struct pail_ad_watch *watch)
{
    enum { MS = 1000000, LEAST = MS / 10 };
    if (!watch || (!watch->cancel && !watch->max_ms))
        return UINT64_MAX;
    const double left = watch->began + watch->max_ms - pail_now_ms();
    if (watch->cancel && (!watch->max_ms || left > 1))
        return MS;
    return left * MS > LEAST ? (uint64_t)(left * MS) : LEAST;
}

pail_status pail_ad_watch_fail(const struct pail_ad_watch *watch,
                               const struct pail_ad_program *program, uint32_t site, uint64_t cells,
                               struct pail_error *err)
{
    const struct pail_ad_site *at = &program->sites[site];
    const uint64_t seen = watch->cells;
    if (watch->stop == PAIL_AD_STOP_CANCEL)
        return pail_fail(err, PAIL_ERR_STOPPED,
                         "task %u, stack %u, node %u: cancelled after %" PRIu64 " cells", at->task,
                         at->stack, at->node, seen);
    if (watch->stop == PAIL_AD_STOP_TIME)
        return pail_fail(err, PAIL_ERR_STOPPED,
                         "task %u, stack %u, node %u: not computed after %" PRIu64
                         " cells in the %u ms of max_ms",
                         at->task, at->stack, at->node, seen, watch->max_ms);
    if (watch->stop == PAIL_AD_STOP_CELLS)
        return pail_fail(err, PAIL_ERR_STOPPED,
                         "task %u, stack %u, node %u: not computed after the %" PRIu64
                         " cells of max_cells",
                         at->task, at->stack, at->node, watch->max_cells);
    return pail_fail(err, PAIL_ERR_STOPPED,
                     "task %u, stack %u, node %u: %" PRIu64 " cells, after %" PRIu64
                     " of others, are more than the %" PRIu64 " of max_cells",
                     at->task, at->stack, at->node, cells, seen, watch->max_cells);
}
