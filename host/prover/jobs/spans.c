/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of jobs, for the caller's span function. */
#include "jobs.h"

static void tell_host(const pail_prover *prover, const struct pail_prover_job *job,
                      pail_prover_span_kind kind, uint64_t begin_ns, uint64_t end_ns)
{
    if (begin_ns >= end_ns || (job->loads_only && kind != PAIL_PROVER_LOAD))
        return;
    const pail_prover_span span = {.struct_size = sizeof(span),
                                   .kind = kind,
                                   .job = job->unit.sequence,
                                   .begin_ns = begin_ns,
                                   .end_ns = end_ns,
                                   .device_ns =
                                       kind == PAIL_PROVER_FINISH ? job->unit.device_ns : 0};
    prover->params.span(prover->params.user, &span);
}

void pail_prover_moved(void *user, const struct pail_unit *unit, enum pail_unit_state from)
{
    static const pail_prover_span_kind kinds[PAIL_UNIT_STATES] = {
        [PAIL_UNIT_QUEUED] = PAIL_PROVER_WAIT_PRODUCER,
        [PAIL_UNIT_ADMITTED] = PAIL_PROVER_WAIT_HOST_MEMORY,
        [PAIL_UNIT_PRODUCING] = PAIL_PROVER_PRODUCE,
        [PAIL_UNIT_READY] = PAIL_PROVER_WAIT_SLOT,
        [PAIL_UNIT_PLACED] = PAIL_PROVER_WAIT_DEVICE_MEMORY,
        [PAIL_UNIT_LOADING] = PAIL_PROVER_LOAD,
        [PAIL_UNIT_COMPUTED] = PAIL_PROVER_WAIT_FINISHER,
        [PAIL_UNIT_FINISHING] = PAIL_PROVER_FINISH,
        [PAIL_UNIT_RELEASING] = PAIL_PROVER_RELEASE,
    };
    const pail_prover *const prover = user;
    const struct pail_prover_job *const job = (const struct pail_prover_job *)unit;
    const uint64_t begin_ns = unit->entered_ns[from], end_ns = unit->entered_ns[unit->state];
    if (from == PAIL_UNIT_ON_DEVICE) {
        const bool sent = job->sent_ns > begin_ns && job->sent_ns < end_ns;
        const uint64_t sent_ns = sent        ? job->sent_ns
                                 : job->work ? begin_ns /* it has no witness */
                                             : end_ns;  /* otherwise it failed before */
        tell_host(prover, job, PAIL_PROVER_UPLOAD, begin_ns, sent_ns);
        tell_host(prover, job, PAIL_PROVER_DEVICE, sent_ns, end_ns);
    } else if (from != PAIL_UNIT_NEW) {
        tell_host(prover, job, kinds[from], begin_ns, end_ns);
    }
}
