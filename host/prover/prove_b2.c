/* B2 of a proof on the processors. */
#include "proving.h"

#include <platform/clock.h>

pail_status pail_proving_start_b2(struct pail_proving *proving)
{
    pail_status status = pail_witness_keep(&proving->source, proving->error, proving->error_cap);
    if (status == PAIL_OK)
        status = pail_b2_start(proving->key, &proving->b2_pending, &proving->source, proving->error,
                               proving->error_cap);
    return status;
}

pail_status pail_proving_wait_b2(struct pail_proving *proving, double until_ms)
{
    const double most_ns = proving->options.cancel != NULL ? PAIL_PROVING_LOOK_NS : 1e18;
    for (;;) {
        const pail_status status = pail_proving_look(proving);
        if (status != PAIL_OK)
            return status;
        const double left_ns = until_ms != 0 ? 1e6 * (until_ms - pail_now_ms()) : most_ns;
        const double ns = left_ns < 0 ? 0 : left_ns < most_ns ? left_ns : most_ns;
        if (pail_b2_wait(proving->key, proving->b2_pending, (uint64_t)ns) != PAIL_NOT_READY)
            return PAIL_OK;
        if (left_ns <= 0)
            return PAIL_NOT_READY;
    }
}

pail_status pail_proving_finish_b2(struct pail_proving *proving)
{
    double ms = 0;
    pail_status status = pail_proving_wait_b2(proving, 0);
    if (status != PAIL_OK)
        return status;
    status = pail_b2_finish(proving->key, &proving->b2_pending, &proving->results[0][PAIL_ZKEY_B2],
                            &ms, proving->error, proving->error_cap);
    if ((proving->options.flags & PAIL_GROTH16_STAGES) == 0)
        proving->timings.stage_ms[PAIL_GROTH16_STAGE_B2] = ms;
    return status;
}
