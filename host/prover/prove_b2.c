/* B2 of a proof on the processors. */
#include "proving.h"

pail_status pail_proving_start_b2(struct pail_proving *proving)
{
    const struct pail_witness *const witness = &proving->source;
    pail_status status = pail_witness_keep(&proving->source, proving->error, proving->error_cap);
    if (status == PAIL_OK)
        status = pail_b2_start(proving->key, &proving->b2_pending, &witness, 1, proving->error,
                               proving->error_cap);
    return status;
}

pail_status pail_proving_finish_b2(struct pail_proving *proving)
{
    double ms = 0;
    const pail_status status =
        pail_b2_finish(proving->key, &proving->b2_pending, &proving->results[0][PAIL_ZKEY_B2], 1,
                       &ms, proving->error, proving->error_cap);
    if ((proving->options.flags & PAIL_GROTH16_STAGES) == 0)
        proving->timings.stage_ms[PAIL_GROTH16_STAGE_B2] = ms;
    return status;
}
