/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), for the challenges of EIP-4844 and EIP-7594. */
#ifndef PAIL_KZG_SHA256_H
#define PAIL_KZG_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pail_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
};

void pail_sha256_begin(struct pail_sha256 *sha);
void pail_sha256_add(struct pail_sha256 *sha, const void *bytes, size_t n);
void pail_sha256_end(struct pail_sha256 *sha, uint8_t digest[32]);

/* Number as 8 bytes, big-endian. */
void pail_sha256_add_number(struct pail_sha256 *sha, uint64_t number);

extern const uint32_t pail_sha256_constants[64];

/* Adds blocks of 64 bytes to a state. */
void pail_sha256_blocks_portable(uint32_t state[8], const uint8_t *bytes, size_t n_blocks);

/* The same by the processor's instructions for it; built where the compiler has them. False: the
 * processor has none. */
bool pail_sha256_has_ni(void);
void pail_sha256_blocks_ni(uint32_t state[8], const uint8_t *bytes, size_t n_blocks);

#endif /* PAIL_KZG_SHA256_H */
