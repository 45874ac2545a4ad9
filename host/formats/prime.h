/* The length-prefixed primes in the headers of .zkey and .wtns files: u32 n8, prime[n8]. */
#ifndef PAIL_FORMATS_PRIME_H
#define PAIL_FORMATS_PRIME_H

#include <pail/backend.h>

#include "binfile.h"

enum pail_prime {
    PAIL_PRIME_BN254_BASE,  /* p, of the coordinates */
    PAIL_PRIME_BN254_SCALAR /* r, of the witness; the order of the groups */
};

/* The prime's limbs, the least significant first. */
const uint64_t *pail_prime_limbs(enum pail_prime prime);

/* Checks that `section`, whose beginning is `head`, has, at byte *at, the expected prime, and moves
 * *at past it. On another prime or a section that ends too early: PAIL_ERR_DATA. */
pail_status pail_prime_check(size_t *at, const struct pail_section *section,
                             const struct pail_section_head *head, enum pail_prime expected,
                             const char *file_name, char *error, size_t error_cap);

#endif /* PAIL_FORMATS_PRIME_H */
