/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs, public values and verifying keys out of JSON, as snarkjs and rapidsnark write them. In a
 * library of its own, for it needs jansson.
 *
 * Numbers are strings of decimal digits, or plain integers. Points are arrays of x, y and 1, or of
 * 0, 1 and 0 for infinity; in G2 each is an array of two. Coordinates are checked to be below p;
 * verification checks that points are on the curve.
 *
 * Each returns PAIL_OK; PAIL_ERR_DATA with a sentence that begins with `name`, the file's, and the
 * place in it; or PAIL_ERR_HOST_MEMORY. Outputs are zeroed on failure. error: optional; holds
 * error_cap bytes. */
#ifndef PAIL_FORMATS_GROTH16_JSON_H
#define PAIL_FORMATS_GROTH16_JSON_H

#include <jansson.h>

#include <pail/groth16.h>

#include "verifying_key.h"

/* Objects with protocol, curve, nPublic, vk_alpha_1, vk_beta_2, vk_gamma_2, vk_delta_2 and IC.
 * nPublic may be left out; other members are ignored. */
pail_status pail_verifying_key_of_json(struct pail_verifying_key *key, const json_t *root,
                                       const char *name, char *error, size_t error_cap);

/* Objects with pi_a, pi_b, pi_c, protocol and, or not, curve; other members are ignored.
 *
 * In: curve: the key's (pail_curve). A proof that names another is PAIL_ERR_DATA. */
pail_status pail_proof_of_json(pail_groth16_proof *proof, uint32_t curve, const json_t *root,
                               const char *name, char *error, size_t error_cap);

/* An array of numbers below 2^256.
 *
 * Out: *publics: [*n_public * 32], canonical little-endian, to be freed; not NULL on success. */
pail_status pail_publics_of_json(uint8_t **publics, uint64_t *n_public, const json_t *root,
                                 const char *name, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_GROTH16_JSON_H */
