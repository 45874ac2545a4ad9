/* SPDX-License-Identifier: Apache-2.0 */
/* A backend at work: one context, one set of points, and multiplications whose sums are known. Has
 * no assertions of cmocka, so that it can be used in any thread and in a child of fork. */
#ifndef PAIL_TESTS_SUMS_H
#define PAIL_TESTS_SUMS_H

#include "backends.h"

#include <stddef.h>
#include <stdint.h>

enum { SUMS_N = 48 };

struct sums {
    pail_host host;
    const pail_backend *backend;
    pail_context *context;
    pail_bases *bases;
    uint32_t residency;
    uint8_t points[SUMS_N * 64], scalars[SUMS_N * 32], expected[64];
};

/* Negotiates and makes a context with so many threads, and bases of that pail_residency. False,
 * after saying why, when that fails. */
bool sums_open(struct sums *sums, pail_backend_open_fn open, uint32_t threads, uint32_t residency);
/* The same after negotiation. */
bool sums_fill(struct sums *sums, const pail_backend *backend, uint32_t threads,
               uint32_t residency);
void sums_close(struct sums *sums);

/* NULL, after saying why, when it fails. */
pail_bases *sums_bases(const struct sums *sums);
pail_pending *sums_start(const struct sums *sums, const pail_bases *bases);

/* True if the result is there and right. The work is over in any case. */
bool sums_finish(const struct sums *sums, pail_pending *pending);

/* All of it once. */
bool sums_multiply(const struct sums *sums);

#endif
