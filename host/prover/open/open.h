/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a key, wherever the points of its B2 go, and the memory that it will take. */
#ifndef PAIL_PROVER_OPEN_OPEN_H
#define PAIL_PROVER_OPEN_OPEN_H

#include <prover/key/key.h>

/* As pail_groth16_key_open, for arguments that are known to be good. */
pail_status pail_key_open(pail_groth16_key **key, const pail_backend *backend,
                          pail_context *context, const pail_groth16_key_params *params, char *error,
                          size_t error_cap);

/* The same for a context without other work meanwhile: points whose place is the backend's choice
 * leave room on the device for the vectors of a proof. */
pail_status pail_key_open_with_room(pail_groth16_key **key, const pail_backend *backend,
                                    pail_context *context, const pail_groth16_key_params *params,
                                    char *error, size_t error_cap);

/* Opens a part of a key. */
pail_status pail_key_open_part(pail_groth16_key **key, const pail_backend *backend,
                               pail_context *context, const pail_groth16_key_params *params,
                               const struct pail_key_part *part, char *error, size_t error_cap);

/* Closes a key. If several devices share its proofs, frees only the members here:
 * pail_spread_key_close closes any key. Legal on NULL. */
void pail_key_close(pail_groth16_key **key);

/* ---- Before it is opened ----------------------------------------------------------------------
 */
struct pail_key_size {
    uint64_t points_bytes;         /* device memory, if they are kept there */
    uint64_t points_on_host_bytes; /* host memory, if they are kept there */
    uint64_t matrices_bytes;       /* memory where the context computes */
    uint64_t loading_bytes;        /* host memory, only while it is opened */
    uint64_t b2_bytes;             /* host memory, for points of B2 on the processors */
};

/* Reads the header and the sizes of the sections. backend, context: a typical one. part: NULL: all
 * of it. Returns PAIL_OK or the status of opening it. */
pail_status pail_key_measure(struct pail_key_size *size, const pail_backend *backend,
                             pail_context *context, const pail_groth16_key_params *params,
                             const struct pail_key_part *part, char *error, size_t error_cap);

/* Bytes of the matrices where the context computes. */
uint64_t pail_key_matrices_bytes(uint64_t n_coefficients, uint64_t domain_size);

#endif /* PAIL_PROVER_OPEN_OPEN_H */
