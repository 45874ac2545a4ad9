/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs and public values as text; the text of <pail/groth16.h>, for arguments that are known to
 * be good. jansson is not needed to write them. */
#ifndef PAIL_FORMATS_PROOF_JSON_H
#define PAIL_FORMATS_PROOF_JSON_H

#include <pail/groth16.h>

/* Names of curves in these files: "bn128" and "bls12381"; NULL for another curve. */
const char *pail_snarkjs_curve_name(uint32_t curve);

/* As pail_groth16_proof_text. PAIL_ERR_DATA for a coordinate not below p, PAIL_ERR_ARGUMENT for a
 * text that does not fit. */
pail_status pail_proof_json(char *text, size_t capacity, size_t *length,
                            const pail_groth16_proof *proof, enum pail_groth16_layout layout,
                            char *error, size_t error_cap);

/* As pail_groth16_public_text. */
pail_status pail_public_json(char *text, size_t capacity, size_t *length, const uint8_t *publics,
                             size_t n_public, enum pail_groth16_layout layout, char *error,
                             size_t error_cap);

/* A verification key as snarkjs exports it, with vk_alphabeta_12, the pairing of alpha and beta.
 * Also PAIL_ERR_DATA where one of these two is not of its group. */
pail_status pail_verifying_key_json(char *text, size_t capacity, size_t *length,
                                    const pail_groth16_verifying_key *key, char *error,
                                    size_t error_cap);

#endif /* PAIL_FORMATS_PROOF_JSON_H */
