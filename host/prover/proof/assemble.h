/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a Groth16 proof: from the results of the multiplications to the three points. */
#ifndef PAIL_PROOF_ASSEMBLE_H
#define PAIL_PROOF_ASSEMBLE_H

#include "graph.h"
#include <prover/key/key.h>

/* Values that hide the witness: r and s, each uniform below the order, and the points that depend
 * on them alone. Secret. */
struct pail_blinding {
    pail_u256 r, s;
    pail_point r_delta1, s_delta2;
};

/* Draws r and s, or takes those of the options. PAIL_ERR_ARGUMENT for a value that is not below r,
 * and PAIL_ERR_INTERNAL where the system has no random numbers to give. */
pail_status pail_blinding_choose(struct pail_blinding *blinding, const pail_groth16_key *key,
                                 const pail_groth16_options *options, char *error,
                                 size_t error_cap);

/* Computes the points of r and s, which are set. Takes a millisecond. */
void pail_blinding_prepare(struct pail_blinding *blinding, const pail_groth16_key *key);

/* Adds a result to a sum. Returns false where one of them is no point. */
bool pail_result_add(pail_msm_result *sum, const pail_msm_result *part,
                     const struct pail_curve_ops *ops);

/* Computes the proof from alpha, beta, delta of the key and results A to H, [n_parts *
 * PAIL_PROOF_RESULTS]. B is over each group, and each result is the sum over n_parts devices (a
 * zeroed one is infinity): a = alpha + A + r delta,  b = beta + B + s delta,  c = C + H + s a + r
 * (beta + B), which is C + H + s a + r b - r s delta. With a key of bellman, H is divided by -2
 * first (quotient.h).
 *
 * Returns PAIL_OK, or PAIL_ERR_INTERNAL where a result is no point. */
pail_status pail_assemble(pail_groth16_proof *proof, const pail_groth16_key *key,
                          const struct pail_blinding *blinding, const pail_msm_result *results,
                          size_t n_parts, char *error, size_t error_cap);

#endif /* PAIL_PROOF_ASSEMBLE_H */
