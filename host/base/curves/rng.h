/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for tests and benchmarks: the same seed gives the same numbers everywhere. Not for
 * secrets. xoshiro256** 1.0 by David Blackman and Sebastiano Vigna, seeded by splitmix64. */
#ifndef PAIL_CURVES_RNG_H
#define PAIL_CURVES_RNG_H

#include <stddef.h>
#include <stdint.h>

struct pail_rng {
    uint64_t state[4];
};

void pail_rng_init(struct pail_rng *rng, uint64_t seed);
uint64_t pail_rng_next(struct pail_rng *rng);

/* Uniform in [0, bound), bound > 0, by rejection. */
uint64_t pail_rng_below(struct pail_rng *rng, uint64_t bound);

#endif /* PAIL_CURVES_RNG_H */
