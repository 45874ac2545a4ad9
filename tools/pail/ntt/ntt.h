/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of `pail ntt` and their checks. */
#ifndef PAIL_TOOL_NTT_NTT_H
#define PAIL_TOOL_NTT_NTT_H

#include <curves/curve_ops.h>

#include "error/error.h"

/* values[k] = the sum over j of coefficients[j] (shift root^k)^j, for all k < n = 2^log_n. */
struct pail_ntt_claim {
    const struct pail_curve_ops *ops; /* of a group of the field's order */
    uint32_t log_n;
    bool reversed;                        /* values[k] is at place bit_reverse(k, log_n) */
    pail_u256 root, shift;                /* shift is not 0 */
    const uint8_t *coefficients, *values; /* [n * 32], canonical */
};

/* Evaluates both sides at z, which the maker of the values did not know: the coefficients by
 * Horner's scheme, the values by the barycentric formula (Berrut and Trefethen, SIAM Review 46,
 * 2004)
 *     (z^n - shift^n) / (n shift^n) times the sum over k of values[k] x_k / (z - x_k),
 * x_k = shift root^k. Two polynomials of degree below n agree at no more than n - 1 places, so a
 * wrong value passes with a probability below n / r. An element that is not below r is wrong, too.
 *
 * In: threads: of the CPU; 0: as many as there are processors.
 * Returns PAIL_OK, whether it holds or not, or PAIL_ERR_HOST_MEMORY with a sentence. */
pail_status pail_ntt_check(bool *holds, const struct pail_ntt_claim *claim, const pail_u256 *z,
                           uint32_t threads, struct pail_error *error);

#endif /* PAIL_TOOL_NTT_NTT_H */
