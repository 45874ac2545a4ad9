/* SPDX-License-Identifier: Apache-2.0 */
/* A backend, a made setup that is opened with it, and what requests are made of. */
#ifndef PAIL_TESTS_KZG_BENCH_H
#define PAIL_TESTS_KZG_BENCH_H

#include "made.h"

enum { BLOBS = 5, CHARS = 512 };

struct bench {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
    struct made made;
    pail_kzg *kzg;
    struct pail_rng rng;
    pail_u256 coefficients[BLOBS][N_MOST];
    uint8_t blobs[BLOBS * N_MOST * SCALAR], commitments[BLOBS * POINT];
    uint8_t cells[BLOBS * CELLS_MOST * SCALAR], proofs[BLOBS * CELLS_MOST * POINT];
    char error[CHARS];
};

/* Polynomials: 0, a constant, x^(n - 1), and random ones; their blobs and commitments. The points
 * of `made` are shared by all benches of the size, until the program ends: who changes one puts it
 * back. */
struct bench *bench_open_of(uint32_t curve, size_t n, size_t length);
struct bench *bench_open(size_t n, size_t length); /* of BLS12-381 */
void bench_close(struct bench *bench);

/* The same, opened once for all cases that ask for the size, each with what was made: to open a
 * setup takes longer than most requests. bench_close_shared closes all of them. */
struct bench *bench_shared_of(uint32_t curve, size_t n, size_t length);
void bench_close_shared(void);

pail_kzg_request request_of(const struct bench *bench, uint32_t operation, uint64_t n);

/* A request that verifies all cells of all blobs. indices, commitments: room for as many. */
pail_kzg_request all_cells(const struct bench *bench, uint64_t *indices, uint8_t *commitments);

/* pail_kzg_open with the backend of the bench does so; the sentence has the words. */
void expect_setup(struct bench *bench, const pail_kzg_params *params, pail_status status,
                  const char *words);

#endif /* PAIL_TESTS_KZG_BENCH_H */
