/* SPDX-License-Identifier: Apache-2.0 */
/* `pail prove --batch LIST --joined FILE`: all proofs compressed, one after the other. */
#ifndef PAIL_TOOL_PROVE_JOINED_H
#define PAIL_TOOL_PROVE_JOINED_H

#include <pail/groth16.h>

#include "error/error.h"

struct pail_joined {
    const char *path; /* NULL: nobody wants the file */
    size_t n, proof_bytes;
    uint8_t *proofs; /* [n * proof_bytes] */
    uint32_t curve;
};

#define PAIL_JOINED_NONE ((struct pail_joined){.path = NULL})

/* Looks whether the place may be taken. path: optional. PAIL_OK, or PAIL_ERR_IO with a sentence. */
pail_status pail_joined_begin(struct pail_joined *joined, const char *path,
                              struct pail_error *error);

/* Makes room for n proofs over a curve. PAIL_OK, PAIL_ERR_HOST_MEMORY. */
pail_status pail_joined_room(struct pail_joined *joined, size_t n, uint32_t curve,
                             struct pail_error *error);

/* Puts a proof in its place: A, B and C, compressed, in PAIL_POINT_ZCASH or PAIL_POINT_GNARK.
 * PAIL_OK, or PAIL_ERR_DATA for points that are none. */
pail_status pail_joined_put(struct pail_joined *joined, size_t i, const pail_groth16_proof *proof,
                            struct pail_error *error);

/* Writes the file, once all proofs are in their places. PAIL_OK or PAIL_ERR_IO. */
pail_status pail_joined_write(struct pail_joined *joined, struct pail_error *error);

/* Legal on PAIL_JOINED_NONE and on one that failed to begin; nothing is left of a file that was not
 * written. */
void pail_joined_end(struct pail_joined *joined);

#endif /* PAIL_TOOL_PROVE_JOINED_H */
