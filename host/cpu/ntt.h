/* SPDX-License-Identifier: Apache-2.0 */
/* Number-theoretic transforms: how one is cut into passes, and the tasks of a pass.
 *
 * Forward, the coefficients' polynomial modulo x^n - s^n is split level by level until there are n
 * polynomials of one term, the values, in bit-reversed order; backward the same in reverse. A pass
 * does several levels on tiles that fit the processor's cache, all in place. Values in natural
 * order take one more pass. docs/decisions/0049. */
#ifndef PAIL_CPU_NTT_H
#define PAIL_CPU_NTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "scalars.h"

enum { PAIL_CPU_NTT_PASSES = 3 };

struct pail_cpu_ntt_pass {
    uint32_t levels;
    uint32_t log_blocks, log_t; /* 2^log_blocks blocks of 2^levels rows of 2^log_t */
    const void *table;
    bool by_level;
    const pail_u256 *shifts; /* [2^log_blocks], or NULL */
};

struct pail_cpu_ntt {
    const struct pail_cpu_scalars *scalars;
    uint32_t log_n;
    bool backward, natural;
    bool any; /* elements may be any integers of 256 bits; after _make */
    uint64_t n_polynomials;
    uint32_t n_passes;
    struct pail_cpu_ntt_pass passes[PAIL_CPU_NTT_PASSES]; /* in the order of levels */
    uint64_t last[PAIL_CPU_FACTOR_WORDS]; /* backward: 1 / n, in the kernels' form */
    void *block;                          /* memory of all tables */
};

/* root and shift: integers modulo the order, not 0; root has order 2^log_n. Returns false when
 * there is no memory. */
bool pail_cpu_ntt_make(struct pail_cpu_ntt *ntt, const struct pail_alloc *memory,
                       const struct pail_cpu_scalars *scalars, const struct pail_curve_ops *ops,
                       uint32_t log_n, uint64_t n_polynomials, bool backward, bool natural,
                       const pail_u256 *root, const pail_u256 *shift);
void pail_cpu_ntt_free(struct pail_cpu_ntt *ntt, const struct pail_alloc *memory);

/* Bytes of a running task's scratch memory, which is aligned. */
size_t pail_cpu_ntt_scratch(const struct pail_cpu_ntt *ntt);

/* Stages follow one another; the tasks of one are independent. */
uint32_t pail_cpu_ntt_stages(const struct pail_cpu_ntt *ntt);
size_t pail_cpu_ntt_tasks(const struct pail_cpu_ntt *ntt, uint32_t stage);

/* a: what is transformed, or r itself. */
void pail_cpu_ntt_run(const struct pail_cpu_ntt *ntt, uint32_t stage, size_t task, uint64_t *r,
                      const uint64_t *a, void *scratch, struct pail_cpu_throttle *throttle);

#endif /* PAIL_CPU_NTT_H */
