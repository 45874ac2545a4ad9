/* SPDX-License-Identifier: Apache-2.0 */
#include "scalars.h"

#include <stdlib.h>
#include <string.h>

#include "modular.h"
#include <curves/rng.h>

static const struct pail_cpu_scalars *const tables[PAIL_CPU_ARITHMETIC_COUNT][2] = {
    [PAIL_CPU_PORTABLE] = {&pail_cpu_portable_bn254_fr, &pail_cpu_portable_bls12_381_fr},
#if PAIL_CPU_HAS_ADX
    [PAIL_CPU_ADX] = {&pail_cpu_adx_bn254_fr, &pail_cpu_adx_bls12_381_fr},
#endif
#if PAIL_CPU_HAS_AVX2
    [PAIL_CPU_AVX2] = {&pail_cpu_avx2_bn254_fr, &pail_cpu_avx2_bls12_381_fr},
#endif
#if PAIL_CPU_HAS_IFMA
    [PAIL_CPU_IFMA] = {&pail_cpu_ifma_bn254_fr, &pail_cpu_ifma_bls12_381_fr},
#endif
};

const struct pail_cpu_scalars *pail_cpu_scalars_find(enum pail_cpu_arithmetic arithmetic,
                                                     uint32_t curve)
{
    for (size_t i = 0; i < sizeof tables[0] / sizeof tables[0][0]; i++) {
        const struct pail_cpu_scalars *const table = tables[arithmetic][i];
        if (table && table->curve == curve)
            return table;
    }
    return NULL;
}

pail_status pail_cpu_scalars_for(const struct pail_cpu_scalars **scalars,
                                 const struct pail_cpu_choice *choice, uint32_t curve,
                                 struct pail_error *err)
{
    enum pail_cpu_arithmetic arithmetic;
    const pail_status status =
        pail_cpu_arithmetic_of(&arithmetic, choice, curve, PAIL_CPU_TEST_SUMS, err);
    *scalars = pail_cpu_scalars_find(arithmetic, curve);
    return status;
}

/* ---- The self-test ----------------------------------------------------------------------------
 */
enum { WORDS = PAIL_CPU_SCALAR_WORDS, LEVELS = 5, N = PAIL_CPU_LANES << LEVELS, LESS = N - 3 };

/* Inputs and outputs of the self-test of a table. */
struct trial {
    struct pail_cpu_throttle throttle; /* a throttle that nobody uses */
    const struct pail_curve_ops *ops;
    pail_u256 a[N], b[N], c[N]; /* elements */
    pail_u256 any[N];           /* integers of 256 bits */
    uint64_t starts[LESS + 1];
    uint32_t columns[2 * LESS];
    uint64_t values[2 * LESS * WORDS];
    uint64_t got[N * WORDS];
    unsigned char scratch[(PAIL_CPU_LANES * 72) * ((1 << LEVELS) + LEVELS) + PAIL_CPU_ALIGNMENT];
};

/* Numbers of all kinds: any, 0, 1, and the order less 1. */
static void make_inputs(struct trial *t)
{
    struct pail_rng rng;
    pail_rng_init(&rng, 1);
    for (size_t i = 0; i < N; i++) {
        pail_u256 *const numbers[] = {&t->a[i], &t->b[i], &t->c[i]};
        for (size_t k = 0; k < 3; k++) {
            for (size_t j = 0; j < WORDS; j++)
                numbers[k]->l[j] = pail_rng_next(&rng);
            t->any[i] = *numbers[k];
            t->ops->scalar_reduce(numbers[k], numbers[k]);
        }
        if (i % 3 == 0)
            memset(&t->any[i], 0xff, sizeof t->any[i]);
        if (i % 7 == 1)
            t->a[i] = (pail_u256){{i / 7 % 2}};
        if (i % 5 < 2) {
            const pail_u256 one = {{1}};
            t->ops->scalar_neg(i % 5 == 0 ? &t->a[i] : &t->b[i], &one);
        }
    }
    for (size_t i = 0; i < LESS; i++)
        t->starts[i + 1] = t->starts[i] + i % 3;
    for (size_t i = 0; i < 2 * LESS; i++)
        t->columns[i] = (uint32_t)(i * 37 % N);
}

static void run_tile(uint64_t *r, const struct pail_cpu_scalars *scalars, struct trial *t,
                     unsigned way)
{
    unsigned char table[PAIL_CPU_FACTOR_WORDS * sizeof(uint64_t) << LEVELS];
    for (size_t i = 0; i < (size_t)1 << LEVELS; i++)
        scalars->factor(table + i * scalars->factor_bytes, &t->b[i]);
    const bool rows = way % 2 == 1, any = way >= 16;
    const struct pail_cpu_tile tile = {
        .from = any ? t->any[0].l : t->a[0].l,
        .to = r,
        .step = rows ? 1 : PAIL_CPU_LANES,
        .lane_step = rows ? (size_t)1 << LEVELS : 1,
        .lanes = PAIL_CPU_LANES,
        .levels = way < 8 ? LEVELS : LEVELS - 1,
        .backward = way / 2 % 2 == 1,
        .table = table,
        .by_level = !rows,
        .shifts = rows ? t->c : NULL,
        .shift_step = 1,
        .log_t = way % 3,
        .last = way / 4 % 2 == 1 ? table : NULL,
        .any = any,
        .settled = true,
        .scratch = pail_cpu_aligned(t->scratch),
        .throttle = &t->throttle,
    };
    memcpy(r, t->c, sizeof t->c); /* a tile of fewer levels leaves the rest of r as it is */
    scalars->tile(&tile);
}

/* Runs every function of a table in turn; false where there are no more. */
static bool run(uint64_t *r, const struct pail_cpu_scalars *scalars, struct trial *t, unsigned step)
{
    enum { TILES = 20 };
    memset(r, 0, sizeof t->got);
    if (step < TILES) {
        run_tile(r, scalars, t, step);
        return true;
    }
    uint64_t factor[PAIL_CPU_FACTOR_WORDS];
    const uint32_t kind = PAIL_VECTOR_OP_ADD + step - TILES;
    if (kind <= PAIL_VECTOR_OP_MUL_SUB) {
        scalars->each((enum pail_vector_op_kind)kind, r, t->a[0].l, t->b[0].l, t->c[0].l, LESS);
    } else if (kind == PAIL_VECTOR_OP_POWERS) {
        scalars->powers(r, t->a[0].l, &t->b[2], &t->c[2], LESS);
    } else if (kind == PAIL_VECTOR_OP_COPY) {
        scalars->factor(factor, &t->b[0]);
        scalars->scale(r, t->a[0].l, factor, LESS);
    } else if (kind == PAIL_VECTOR_OP_COPY + 1) {
        /* Values times 2^radix_bits, as a matrix keeps them. */
        const pail_u256 ratio = {{UINT64_C(1) << (scalars->radix_bits - 256)}};
        pail_u256 element;
        pail_cpu_to_element(&element, t->ops, &ratio);
        scalars->factor(factor, &element);
        scalars->scale(t->values, t->a[0].l, factor, N);
        scalars->scale(t->values + N * WORDS, t->c[0].l, factor, LESS - 3);
        scalars->rows(r, t->starts, t->columns, t->values, NULL, t->b[0].l, LESS, &t->throttle);
    } else {
        return false;
    }
    return true;
}

/* Continues a hash over words; no one chooses them. */
static uint64_t hash(uint64_t state, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        state = (state ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        state ^= state >> 29;
    }
    return state;
}

pail_status pail_cpu_scalars_test(const struct pail_cpu_scalars *scalars)
{
    /* Of all outputs of the portable table, which takes as long as all else here. */
    static const uint64_t want[] = {[PAIL_CURVE_BN254] = UINT64_C(0x40bfca0f38fde2d4),
                                    [PAIL_CURVE_BLS12_381] = UINT64_C(0xc99e8ac4ac116319)};
    struct trial *const t = calloc(1, sizeof *t);
    if (!t)
        return PAIL_ERR_HOST_MEMORY;
    t->ops = pail_curve_ops(scalars->curve, PAIL_G1);
    pail_cpu_throttle_init(&t->throttle);
    make_inputs(t);
    uint64_t got = 0;
    for (unsigned step = 0; run(t->got, scalars, t, step); step++)
        got = hash(got, t->got, N * WORDS);
    free(t);
    return got == want[scalars->curve] ? PAIL_OK : PAIL_ERR_INTERNAL;
}
