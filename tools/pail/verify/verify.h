/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a proof that others make: a verification key, public values, a proof. */
#ifndef PAIL_TOOL_VERIFY_VERIFY_H
#define PAIL_TOOL_VERIFY_VERIFY_H

#include <formats/groth16_json.h>

#include "error/error.h"

/* Each returns PAIL_OK, or a status with a sentence that begins with the path. */

/* Of a verification key or of a proving key; freed by pail_verifying_key_free. */
pail_status pail_verify_read_key(struct pail_verifying_key *key, const char *path,
                                 struct pail_error *error);

pail_status pail_verify_read_proof(pail_groth16_proof *proof, uint32_t curve, const char *path,
                                   struct pail_error *error);

/* *publics: [*n * 32], to be freed. */
pail_status pail_verify_read_publics(uint8_t **publics, uint64_t *n, const char *path,
                                     struct pail_error *error);

#endif /* PAIL_TOOL_VERIFY_VERIFY_H */
