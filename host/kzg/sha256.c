/* SPDX-License-Identifier: Apache-2.0 */
#include "sha256.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 64 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const uint32_t pail_sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

void pail_sha256_blocks_portable(uint32_t state[8], const uint8_t *bytes, size_t n_blocks)
{
    for (; n_blocks > 0; n_blocks--, bytes += BLOCK) {
        uint32_t w[64], s[8];
        memcpy(s, state, sizeof(s));
        for (size_t t = 0; t < 16; t++)
            w[t] = (uint32_t)bytes[4 * t] << 24 | (uint32_t)bytes[4 * t + 1] << 16 |
                   (uint32_t)bytes[4 * t + 2] << 8 | bytes[4 * t + 3];
        for (size_t t = 16; t < 64; t++) {
            const uint32_t a = w[t - 15], b = w[t - 2];
            w[t] = w[t - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[t - 7] +
                   (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
        }
        for (size_t t = 0; t < 64; t++) {
            const uint32_t e = s[4], a = s[0];
            const uint32_t one = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                                 ((e & s[5]) ^ (~e & s[6])) + pail_sha256_constants[t] + w[t];
            const uint32_t two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                                 ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            memmove(s + 1, s, 7 * sizeof(*s));
            s[4] += one;
            s[0] = one + two;
        }
        for (size_t i = 0; i < 8; i++)
            state[i] += s[i];
    }
}

static void blocks(uint32_t state[8], const uint8_t *bytes, size_t n_blocks)
{
#if PAIL_KZG_HAS_SHA_NI
    static atomic_int
        kept; /* 0: not yet asked; 1: no; 2: yes. Virtual machines take long to tell */
    int known = atomic_load(&kept);
    if (known == 0) {
        known = pail_sha256_has_ni() ? 2 : 1;
        atomic_store(&kept, known);
    }
    if (known == 2) {
        pail_sha256_blocks_ni(state, bytes, n_blocks);
        return;
    }
#endif
    pail_sha256_blocks_portable(state, bytes, n_blocks);
}

void pail_sha256_begin(struct pail_sha256 *sha)
{
    *sha = (struct pail_sha256){{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
                                0,
                                {0}};
}

void pail_sha256_add(struct pail_sha256 *sha, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    const size_t held = sha->bytes % BLOCK;
    sha->bytes += n;
    if (held > 0 && n >= BLOCK - held) {
        memcpy(sha->block + held, at, BLOCK - held);
        blocks(sha->state, sha->block, 1);
        at += BLOCK - held;
        n -= BLOCK - held;
    } else if (held > 0) {
        memcpy(sha->block + held, at, n);
        return;
    }
    blocks(sha->state, at, n / BLOCK);
    if (n % BLOCK > 0)
        memcpy(sha->block, at + n / BLOCK * BLOCK, n % BLOCK);
}

void pail_sha256_add_number(struct pail_sha256 *sha, uint64_t number)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (56 - 8 * i));
    pail_sha256_add(sha, bytes, sizeof(bytes));
}

void pail_sha256_end(struct pail_sha256 *sha, uint8_t digest[32])
{
    static const uint8_t padding[BLOCK] = {0x80};
    const uint64_t bits = 8 * sha->bytes;
    pail_sha256_add(sha, padding, 1 + (2 * BLOCK - 9 - sha->bytes % BLOCK) % BLOCK);
    pail_sha256_add_number(sha, bits);
    for (size_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
