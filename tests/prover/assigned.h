/* SPDX-License-Identifier: Apache-2.0 */
/* A circuit whose proofs come from a witness and a .zkey, or from an assignment and a .params. */
#ifndef PAIL_TESTS_PROVER_ASSIGNED_H
#define PAIL_TESTS_PROVER_ASSIGNED_H

#include "support.h"

struct assigned {
    struct support_case files; /* the .zkey has the rows of the .params, so proofs are the same */
    struct support_bytes params;
    pail_groth16_assignment assignment; /* of arrays that may be changed: */
    uint8_t *rows[3], *inputs, *aux;    /* a, b, c and so on */
    uint64_t *a_aux, *b_inputs, *b_aux;
};

/* Makes a circuit over BLS12-381 and all of these. encoding: pail_encoding of the assignment.
 * Freed by assigned_free. */
void assigned_make(struct assigned *made, uint32_t n_constraints, uint32_t n_public,
                   uint32_t encoding);
void assigned_free(struct assigned *made);

/* Proves from the assignment, which has to work, and verifies. options: optional. Freed by
 * support_proof_free. */
void assigned_prove(struct support_proof *made, const pail_groth16_key *key,
                    const struct assigned *from, const pail_groth16_options *options);

#endif /* PAIL_TESTS_PROVER_ASSIGNED_H */
