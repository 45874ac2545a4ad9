/* SPDX-License-Identifier: Apache-2.0 */
/* The adders that there are, and which of them a context takes. */
#ifndef PAIL_CPU_ADDERS_H
#define PAIL_CPU_ADDERS_H

#include <core/error.h>
#include <core/log.h>
#include <pail/backend.h>
#include <stdbool.h>
#include <stdint.h>

#include "adder.h"

/* Ways to compute, the best last. */
enum pail_cpu_arithmetic {
    PAIL_CPU_PORTABLE,
    PAIL_CPU_ADX,  /* x86-64 with BMI2 and ADX: mulx and two chains of carries */
    PAIL_CPU_AVX2, /* AVX2 with 32-bit products */
    PAIL_CPU_IFMA, /* AVX-512 with 52-bit multiply-add */
    PAIL_CPU_ARITHMETIC_COUNT
};

/* NULL if there is none: no such group, or not built for this kind of processor. The processor at
 * hand may be unable to run it. */
const struct pail_cpu_adder *pail_cpu_adder_find(enum pail_cpu_arithmetic arithmetic,
                                                 uint32_t curve, uint32_t group);

/* The word for it in PAIL_CPU. */
const char *pail_cpu_arithmetic_name(enum pail_cpu_arithmetic arithmetic);

/* True if the processor has the instructions that the arithmetic needs. */
bool pail_cpu_arithmetic_runs(enum pail_cpu_arithmetic arithmetic);

/* The functions of an arithmetic that a test is for. A proof needs the sums alone, and the others
 * take longer to test. */
enum pail_cpu_tests {
    PAIL_CPU_TEST_SUMS, /* of points, and the check that they are on the curve; scalars */
    PAIL_CPU_TEST_MORE, /* doubles, images, and points by their x */
    PAIL_CPU_TESTS
};

/* PAIL_OK if the adder's results are those of host/base/curves on fixed points: sums of ordinary,
 * equal, opposite and infinite ones, negated and not, with full vectors and without.
 * PAIL_ERR_INTERNAL if one is not; PAIL_ERR_HOST_MEMORY. A fraction of a millisecond. */
pail_status pail_cpu_adder_test(const struct pail_cpu_adder *adder, enum pail_cpu_tests tests);

/* The arithmetic for a context: the one that PAIL_CPU names, or the best of this processor. */
struct pail_cpu_choice {
    enum pail_cpu_arithmetic arithmetic;
    bool named;          /* no other one will do */
    struct pail_log log; /* hears of one that fails */
};

/* Chooses without a test, which waits for a curve. word: the environment's PAIL_CPU, "" for none:
 * "portable", "adx", "avx2" or "ifma"; PAIL_ERR_ARGUMENT if it is another, PAIL_ERR_UNSUPPORTED if
 * this processor cannot. */
pail_status pail_cpu_arithmetic_choose(struct pail_cpu_choice *choice, const char *word,
                                       struct pail_error *err);

/* The arithmetic for a curve: the choice, if it passes the tests of the curve's groups and scalars
 * here, each of which runs once for the process; PAIL_CPU_TEST_MORE includes the sums. If it
 * fails, one that was named is PAIL_ERR_INTERNAL; otherwise the next best is taken, and the log of
 * who was the first to ask hears of it. PAIL_ERR_HOST_MEMORY: there was none to test. A curve that
 * there is not has nothing to test. Any threads. */
pail_status pail_cpu_arithmetic_of(enum pail_cpu_arithmetic *arithmetic,
                                   const struct pail_cpu_choice *choice, uint32_t curve,
                                   enum pail_cpu_tests tests, struct pail_error *err);

/* True once the process has tested an arithmetic for a curve. */
bool pail_cpu_arithmetic_tested(enum pail_cpu_arithmetic arithmetic, uint32_t curve,
                                enum pail_cpu_tests tests);

/* The adders themselves. */
extern const struct pail_cpu_adder pail_cpu_portable_bn254_g1, pail_cpu_portable_bn254_g2,
    pail_cpu_portable_bls12_381_g1, pail_cpu_portable_bls12_381_g2;
extern const struct pail_cpu_adder pail_cpu_adx_bn254_g1, pail_cpu_adx_bn254_g2,
    pail_cpu_adx_bls12_381_g1, pail_cpu_adx_bls12_381_g2;
extern const struct pail_cpu_adder pail_cpu_avx2_bn254_g1, pail_cpu_avx2_bn254_g2,
    pail_cpu_avx2_bls12_381_g1, pail_cpu_avx2_bls12_381_g2;
extern const struct pail_cpu_adder pail_cpu_ifma_bn254_g1, pail_cpu_ifma_bn254_g2,
    pail_cpu_ifma_bls12_381_g1, pail_cpu_ifma_bls12_381_g2;

#endif /* PAIL_CPU_ADDERS_H */
