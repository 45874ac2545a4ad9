/* Transforms of one size that are timed and checked. */
#ifndef PAIL_TOOL_NTT_NTT_RUN_H
#define PAIL_TOOL_NTT_NTT_RUN_H

#include "measure/statistics.h"
#include "process/session.h"
#include <curves/curve_ops.h>

/* The subject of transforms: random elements, made before the first transform begins. */
struct pail_ntt_subject {
    const struct pail_session *session;
    const struct pail_curve_ops *ops;
    uint32_t log_n, threads; /* of the check, as in pail_parallel */
    size_t n;                /* elements of all polynomials together */
    uint64_t seed;
    uint8_t root[32], shift[32]; /* of the coset */
    pail_vector *in, *out;
    uint8_t *given, *got; /* [n * 32] */
};

struct pail_ntt_case {
    uint32_t inverse, reversed, coset; /* 0 or 1 */
    bool falsify;                      /* one of the results, so that the check has to notice */
    bool right;                        /* the verdict on the last run */
    struct pail_summary wall_ms, device_ms; /* the latter 0 where there are no timestamps */
};

/* batch: polynomials of 2^log_n elements. Returns PAIL_OK or a status with a sentence; to be
 * destroyed in any case. session must stay valid. */
pail_status pail_ntt_subject_create(struct pail_ntt_subject *subject,
                                    const struct pail_session *session, uint32_t curve,
                                    uint32_t log_n, uint64_t batch, uint64_t seed,
                                    struct pail_error *error);
void pail_ntt_subject_destroy(struct pail_ntt_subject *subject);

/* Transforms all polynomials in one operation: once, then until warmup_ms are over, then `repeat`
 * times that are measured. The last time it writes over what was there before. Returns PAIL_OK,
 * whether the result is right or not, or a status with a sentence. */
pail_status pail_ntt_measure(struct pail_ntt_case *c, const struct pail_ntt_subject *subject,
                             uint64_t repeat, uint64_t warmup_ms, struct pail_error *error);

#endif /* PAIL_TOOL_NTT_NTT_RUN_H */
