/* SPDX-License-Identifier: Apache-2.0 */
/* The domain of a Groth16 proof: the powers of a root of unity, and the shift to its coset. */
#ifndef PAIL_PROVER_DOMAIN_H
#define PAIL_PROVER_DOMAIN_H

#include <curves/curve_ops.h>

struct pail_domain {
    uint32_t log2_n;
    uint8_t root[32];  /* order 2^log2_n; canonical, little-endian, as is `shift` */
    uint8_t shift[32]; /* order 2^(log2_n + 1), or base^2 where r - 1 has no such factor */
};

/* Returns n with 2^n = size, a power of two. */
uint32_t pail_domain_log2(uint32_t size);

/* Non-residues whose powers are the roots of a prover, which decide in which order the rows of a
 * circuit go with the points of the domain. */
enum {
    PAIL_DOMAIN_SNARKJS = 5, /* the smallest non-residue on both curves */
    PAIL_DOMAIN_BELLMAN = 7  /* on BLS12-381: the generator of its scalar field there */
};

/* base: one of these. Returns false, and zeroes, if r - 1 is no multiple of 2^log2_n. */
bool pail_domain_init_by(struct pail_domain *domain, const struct pail_curve_ops *ops,
                         uint32_t log2_n, uint64_t base);
/* The same with the roots of snarkjs. */
bool pail_domain_init(struct pail_domain *domain, const struct pail_curve_ops *ops,
                      uint32_t log2_n);

#endif /* PAIL_PROVER_DOMAIN_H */
