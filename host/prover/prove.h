/* Groth16 proofs over the boundary's table. */
#ifndef PAIL_PROVER_PROVE_H
#define PAIL_PROVER_PROVE_H

#include "key.h"

/* As pail_groth16_prove, for arguments that are known to be good. Of proof and timings all is
 * written, struct_size included; publics: [n_public * 32]. On failure they are zeroed. */
pail_status pail_prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                       pail_groth16_timings *timings, const pail_groth16_witness *witness,
                       const pail_groth16_options *options, char *error, size_t error_cap);

#endif /* PAIL_PROVER_PROVE_H */
