/* SPDX-License-Identifier: Apache-2.0 */
/* The length-prefixed primes in the headers of .zkey, .wtns and .r1cs files: u32 n8, prime[n8].
 * They say which curve a file is for. */
#ifndef PAIL_FORMATS_PRIME_H
#define PAIL_FORMATS_PRIME_H

#include <pail/backend.h>

#include "binfile.h"

enum pail_prime {
    PAIL_PRIME_BASE,  /* p, of the coordinates: 32 bytes on BN254, 48 on BLS12-381 */
    PAIL_PRIME_SCALAR /* r, of the witness; the order of the groups: 32 bytes */
};

enum { PAIL_SCALAR_LIMBS = 4 };

/* The curve's name for people: "BN254" or "BLS12-381". curve: pail_curve, as for all of these. */
const char *pail_prime_curve_name(uint32_t curve);

/* The prime's limbs, the least significant first, and its bytes. */
const uint64_t *pail_prime_limbs(uint32_t curve, enum pail_prime prime);
size_t pail_prime_bytes(uint32_t curve, enum pail_prime prime);

/* Reads the prime that `section`, whose beginning is `head`, has at byte *at, and moves *at past
 * it.
 *
 * In and out: *curve: in: the curve whose prime is required, or 0: any; out: the curve. Another
 * prime, or a section that ends too early: PAIL_ERR_DATA. */
pail_status pail_prime_read(uint32_t *curve, size_t *at, const struct pail_section *section,
                            const struct pail_section_head *head, enum pail_prime prime,
                            const char *file_name, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_PRIME_H */
