/* SPDX-License-Identifier: Apache-2.0 */
/* Groth16 over BN254 on the EVM: a contract that verifies, and the arguments of its function. The
 * contract's function has the name and the arguments of the one that snarkjs writes. */
#ifndef PAIL_FORMATS_SOLIDITY_H
#define PAIL_FORMATS_SOLIDITY_H

#include <stdio.h>

#include <pail/groth16.h>

/* The first line of a contract, without which no file is replaced. */
#define PAIL_SOLIDITY_HEAD "// Groth16 verifier over BN254, by pail key export\n"

/* Writes the contract Groth16Verifier, without its first line. key: over BN254. The caller looks at
 * ferror(out). */
void pail_solidity_verifier(FILE *out, const pail_groth16_verifying_key *key);

/* Writes the arguments of verifyProof, as snarkjs does. publics: [n_public * 32]. */
void pail_solidity_calldata(FILE *out, const pail_groth16_proof *proof, const uint8_t *publics,
                            uint64_t n_public);

#endif /* PAIL_FORMATS_SOLIDITY_H */
