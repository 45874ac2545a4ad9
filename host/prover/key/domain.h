/* The domain of a Groth16 proof: the powers of a root of unity, and the shift to its coset. */
#ifndef PAIL_PROVER_DOMAIN_H
#define PAIL_PROVER_DOMAIN_H

#include <curves/curve_ops.h>

struct pail_domain {
    uint32_t log2_n;
    uint8_t root[32];  /* order 2^log2_n; canonical, little-endian, as is `shift` */
    uint8_t shift[32]; /* order 2^(log2_n + 1), or 25 where r - 1 has no such factor */
};

/* Returns n with 2^n = size, a power of two. */
uint32_t pail_domain_log2(uint32_t size);

/* The roots are those of snarkjs: powers of 5, the smallest non-residue on both curves. Returns
 * false, and zeroes, if r - 1 is no multiple of 2^log2_n. */
bool pail_domain_init(struct pail_domain *domain, const struct pail_curve_ops *ops,
                      uint32_t log2_n);

#endif /* PAIL_PROVER_DOMAIN_H */
