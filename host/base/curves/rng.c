/* SPDX-License-Identifier: Apache-2.0 */
#include "rng.h"

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

void pail_rng_init(struct pail_rng *rng, uint64_t seed)
{
    for (size_t i = 0; i < 4; i++) {
        /* splitmix64 never gives four zeros in a row, the one state xoshiro cannot leave. */
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        rng->state[i] = z ^ z >> 31;
    }
}

uint64_t pail_rng_next(struct pail_rng *rng)
{
    uint64_t *s = rng->state;
    const uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t pail_rng_below(struct pail_rng *rng, uint64_t bound)
{
    /* The 2^64 mod bound smallest numbers would make the low remainders more likely. */
    const uint64_t skip = (0 - bound) % bound;
    uint64_t x;
    do {
        x = pail_rng_next(rng);
    } while (x < skip);
    return x % bound;
}
