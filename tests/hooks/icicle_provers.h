/* SPDX-License-Identifier: Apache-2.0 */
/* Two provers of Groth16 over ICICLE's functions, with the calls of icicle-snark and of gnark. */
#ifndef PAIL_TESTS_ICICLE_PROVERS_H
#define PAIL_TESTS_ICICLE_PROVERS_H

#include "icicle.h"

#include <formats/params.h>

#include "prover/assigned.h"

enum { ELEMENT = 32, POINT_MAX = 3 * 96 /* bytes */ };

/* A key on the device. */
struct prover {
    const struct curve_api *api;
    struct pail_zkey key;
    size_t n; /* elements of the domain */
    void *points[PAIL_ZKEY_MSMS];
    uint8_t header[PAIL_ZKEY_HEADER_POINTS][POINT_MAX]; /* projective */
    uint8_t shift[ELEMENT];                             /* of order 2 n */
    void *values;                                       /* icicle-snark: coefficients * R */
    void *powers;                                       /* icicle-snark: of the shift */
    void *inverse;                                      /* gnark: 1 / (shift^n - 1), n times */
    const struct assigned *assigned;
    const uint8_t *witness;
    pail_groth16_verifying_key verifying;
};

/* Sums of the five multiplications. */
struct sums {
    uint8_t of[PAIL_ZKEY_MSMS][POINT_MAX]; /* projective */
};

const struct group_api *prover_group(const struct prover *prover, uint32_t group);
size_t prover_coordinate(const struct prover *prover, uint32_t group); /* bytes */

/* Puts the key on the device. Its bytes, and prover->assigned, which is NULL for icicle-snark's
 * prover, must stay valid. Closed by prover_close. */
void prover_open(struct prover *prover, const struct curve_api *api,
                 const struct support_bytes *key);
void prover_close(struct prover *prover);

/* Computes the sums of a proof. False: a call failed, and said so. Any thread, several at a time.
 * number: of the proof; icicle-snark's two builds take turns. */
bool prover_as_icicle_snark(struct sums *sums, const struct prover *prover, size_t number);
bool prover_as_gnark(struct sums *sums, const struct prover *prover, size_t number);

#endif /* PAIL_TESTS_ICICLE_PROVERS_H */
