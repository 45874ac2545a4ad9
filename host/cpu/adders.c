/* SPDX-License-Identifier: Apache-2.0 */
#include "adders.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalars.h"
#include <curves/fast.h>

static const struct pail_cpu_adder *const adders[PAIL_CPU_ARITHMETIC_COUNT][4] = {
    [PAIL_CPU_PORTABLE] = {&pail_cpu_portable_bn254_g1, &pail_cpu_portable_bn254_g2,
                           &pail_cpu_portable_bls12_381_g1, &pail_cpu_portable_bls12_381_g2},
#if PAIL_CPU_HAS_ADX
    [PAIL_CPU_ADX] = {&pail_cpu_adx_bn254_g1, &pail_cpu_adx_bn254_g2, &pail_cpu_adx_bls12_381_g1,
                      &pail_cpu_adx_bls12_381_g2},
#endif
#if PAIL_CPU_HAS_AVX2
    [PAIL_CPU_AVX2] = {&pail_cpu_avx2_bn254_g1, &pail_cpu_avx2_bn254_g2,
                       &pail_cpu_avx2_bls12_381_g1, &pail_cpu_avx2_bls12_381_g2},
#endif
#if PAIL_CPU_HAS_IFMA
    [PAIL_CPU_IFMA] = {&pail_cpu_ifma_bn254_g1, &pail_cpu_ifma_bn254_g2,
                       &pail_cpu_ifma_bls12_381_g1, &pail_cpu_ifma_bls12_381_g2},
#endif
};

static const char *const names[PAIL_CPU_ARITHMETIC_COUNT] = {
    [PAIL_CPU_PORTABLE] = "portable",
    [PAIL_CPU_ADX] = "adx",
    [PAIL_CPU_AVX2] = "avx2",
    [PAIL_CPU_IFMA] = "ifma",
};

const char *pail_cpu_arithmetic_name(enum pail_cpu_arithmetic arithmetic)
{
    return names[arithmetic];
}

const struct pail_cpu_adder *pail_cpu_adder_find(enum pail_cpu_arithmetic arithmetic,
                                                 uint32_t curve, uint32_t group)
{
    for (size_t i = 0; i < sizeof adders[0] / sizeof adders[0][0]; i++) {
        const struct pail_cpu_adder *adder = adders[arithmetic][i];
        if (adder && adder->curve == curve && adder->group == group)
            return adder;
    }
    return NULL;
}

bool pail_cpu_arithmetic_runs(enum pail_cpu_arithmetic arithmetic)
{
    if (arithmetic == PAIL_CPU_ADX)
        return adders[PAIL_CPU_ADX][0] && pail_fast_has_adx();
#if PAIL_CPU_HAS_AVX2
    if (arithmetic == PAIL_CPU_AVX2)
        return pail_cpu_arithmetic_runs(PAIL_CPU_ADX) && __builtin_cpu_supports("avx2");
#endif
#if PAIL_CPU_HAS_IFMA
    if (arithmetic == PAIL_CPU_IFMA) {
        /* The answer includes that the operating system saves the registers. */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512ifma");
    }
#endif
    return arithmetic == PAIL_CPU_PORTABLE;
}

/* ---- The self-test ----------------------------------------------------------------------------
 */
enum { POINTS = 40, PAIRS = 203, FEW = 5 }; /* no multiples of a vector's 8 */

struct trial {
    const struct pail_cpu_adder *adder;
    const struct pail_curve_ops *ops;
    unsigned char *inputs, *sums, *scratch; /* in the adder's form */
    struct pail_cpu_pair pairs[PAIRS];
    pail_affine points[POINTS];
};

/* Small multiples of the generator, infinity first. */
static void make_inputs(struct trial *t)
{
    pail_point sum = {{0}};
    pail_affine generator;
    t->ops->generator(&generator);
    for (size_t i = 0; i < POINTS; i++) {
        t->ops->to_affine(&t->points[i], &sum);
        t->ops->add_affine(&sum, &sum, &generator);
        memcpy(t->sums + i * t->ops->affine_bytes, t->points[i].limbs, t->ops->affine_bytes);
    }
    t->adder->import(t->inputs, t->sums, POINTS); /* sums are not there yet */
}

/* Pairs that are ordinary, or of all kinds. */
static void make_pairs(struct trial *t, bool ordinary)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        uint32_t p = 1 + i % 13, q = 14 + i % 23;
        if (!ordinary) {
            p = i * 7 % POINTS;
            q = i % 11 < 3 ? p : i % 11 == 3 ? 0 : i * i % POINTS;
        }
        t->pairs[i] = (struct pail_cpu_pair){
            .p = 2 * p + i / 3 % 2, .q = 2 * q + i / 5 % 2, .to = PAIRS - 1 - i};
    }
}

static void operand(const struct trial *t, pail_point *r, uint32_t which)
{
    t->ops->from_affine(r, &t->points[which / 2]);
    if (which % 2 == 1)
        t->ops->neg(r, r);
}

/* Adds the first n pairs and compares the sums with host/base/curves's. */
static bool agrees(const struct trial *t, size_t n)
{
    t->adder->add(t->sums, t->inputs, t->inputs, t->pairs, n, t->scratch);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *sum = t->sums + t->pairs[i].to * t->adder->point_bytes;
        pail_point want, q, got;
        pail_affine affine;
        operand(t, &want, t->pairs[i].p);
        operand(t, &q, t->pairs[i].q);
        t->ops->add(&want, &want, &q);
        t->adder->export(&affine, sum);
        t->ops->from_affine(&got, &affine);
        if (!t->ops->equal(&want, &got) ||
            t->ops->is_infinity(&want) != pail_cpu_is_infinity(sum, t->adder->point_bytes))
            return false;
    }
    return true;
}

static bool is_point(const struct trial *t, const void *got, const pail_point *want)
{
    pail_affine affine;
    pail_point point;
    t->adder->export(&affine, got);
    t->ops->from_affine(&point, &affine);
    return t->ops->equal(want, &point);
}

/* True if doubles, with infinity and without, and images are right. */
static bool doubles(const struct trial *t, uint32_t from)
{
    const struct pail_cpu_adder *const adder = t->adder;
    struct pail_cpu_pair pairs[POINTS];
    pail_point want;
    bool right = true;
    for (uint32_t i = from; i < POINTS && adder->twice; i++)
        pairs[i] = (struct pail_cpu_pair){.p = 2 * i, .q = 2 * i, .to = POINTS - 1 - i};
    if (adder->twice)
        adder->twice(t->sums, t->inputs, pairs + from, POINTS - from, t->scratch);
    for (uint32_t i = from; i < POINTS && adder->twice; i++) {
        operand(t, &want, 2 * i);
        t->ops->dbl(&want, &want);
        right &= is_point(t, t->sums + (POINTS - 1 - i) * adder->point_bytes, &want);
    }
    memcpy(t->sums, t->inputs, POINTS * adder->point_bytes);
    if (adder->image)
        adder->image(t->sums, POINTS);
    for (uint32_t i = 0; i < FEW && adder->image; i++) { /* and the last */
        const uint32_t which = i + 1 < FEW ? i : POINTS - 1;
        operand(t, &want, 2 * which);
        t->ops->mul(&want, &want, &t->ops->lambda);
        right &= is_point(t, t->sums + which * adder->point_bytes, &want);
    }
    return right;
}

/* True if all inputs are seen to be on the curve, and a point off the curve is found. */
static bool finds_strays(const struct trial *t)
{
    const struct pail_cpu_adder *const adder = t->adder;
    if (!adder->off_curve)
        return true;
    const size_t bytes = adder->point_bytes, stray = POINTS - 3;
    bool right = adder->off_curve(t->inputs, POINTS) == POINTS;
    memcpy(t->sums, t->inputs, POINTS * bytes);
    memcpy(t->sums + stray * bytes, t->inputs + 5 * bytes, bytes / 2); /* x of another point */
    right = right && adder->off_curve(t->sums, POINTS) == stray;
    return right && adder->off_curve(t->sums, stray) == stray;
}

/* The first small integer that is no x of a point of the curve, as a point. */
static void make_stray_x(const struct trial *t, pail_affine *stray)
{
    uint8_t bytes[2 * sizeof(pail_affine)] = {1};
    while (t->ops->lift_x(stray, bytes, false))
        bytes[0]++;
    (void)t->ops->decode(stray, bytes, false);
}

/* True if points are found by their x, with what is to be said of their order. */
static bool lifts(const struct trial *t)
{
    enum { GROUP = 5, ALL = 2 * GROUP + 1 }; /* of order r, of another, no point */
    const size_t bytes = t->ops->affine_bytes;
    unsigned char points[ALL * sizeof(pail_affine)], wanted[sizeof(points)];
    uint8_t found[ALL];
    pail_affine stray, sum;
    pail_point other;
    bool right = true;
    if (!t->adder->lift)
        return true;
    t->ops->small_order_point(&stray);
    for (size_t i = 0; i < GROUP; i++) {
        memcpy(points + i * bytes, t->points[1 + 3 * i].limbs, bytes);
        t->ops->from_affine(&other, &t->points[i]);
        t->ops->add_affine(&other, &other, t->ops->cofactor_one ? &t->points[1] : &stray);
        t->ops->to_affine(&sum, &other);
        memcpy(points + (GROUP + i) * bytes, sum.limbs, bytes);
    }
    make_stray_x(t, &stray);
    memcpy(points + (ALL - 1) * bytes, stray.limbs, bytes);
    memcpy(wanted, points, ALL * bytes);
    for (size_t i = 0; i < ALL; i++) /* y is not to be read back */
        memset(points + i * bytes + bytes / 2, 0, bytes / 2);
    t->adder->lift(points, found, ALL, true);
    for (size_t i = 0; i + 1 < ALL; i++) {
        pail_affine minus;
        t->ops->affine_neg(&minus, wanted + i * bytes);
        right &= found[i] == (i < GROUP || t->ops->cofactor_one ? 2 : 1);
        right &= memcmp(points + i * bytes, wanted + i * bytes, bytes) == 0 ||
                 memcmp(points + i * bytes, minus.limbs, bytes) == 0;
    }
    return right && found[ALL - 1] == 0;
}

pail_status pail_cpu_adder_test(const struct pail_cpu_adder *adder)
{
    const size_t inputs = POINTS * adder->point_bytes, sums = PAIRS * adder->point_bytes;
    /* Sizes of scratch are multiples of the alignment, and so are those of forms that need it. */
    unsigned char *block = malloc(adder->scratch_bytes + inputs + sums + PAIL_CPU_ALIGNMENT);
    struct trial *t = malloc(sizeof *t);
    pail_status status = PAIL_ERR_HOST_MEMORY;
    if (block && t) {
        *t = (struct trial){
            .adder = adder,
            .ops = pail_curve_ops(adder->curve, adder->group),
            .scratch = pail_cpu_aligned(block),
        };
        t->inputs = t->scratch + adder->scratch_bytes;
        t->sums = t->inputs + inputs;
        make_inputs(t);
        make_pairs(t, true);
        bool right = finds_strays(t) && lifts(t) && doubles(t, 0) && doubles(t, 1) &&
                     agrees(t, PAIRS) && agrees(t, FEW);
        make_pairs(t, false);
        right = right && agrees(t, PAIRS) && agrees(t, FEW);
        status = right ? PAIL_OK : PAIL_ERR_INTERNAL;
    }
    free(t);
    free(block);
    return status;
}

/* ---- The choice -------------------------------------------------------------------------------
 */

/* The test of all groups and scalar fields, once for the process. Threads that ask at the same time
 * find the same. */
static pail_status test_once(enum pail_cpu_arithmetic arithmetic)
{
    static atomic_int kept[PAIL_CPU_ARITHMETIC_COUNT]; /* 0: not yet asked; 1 plus the status */
    const int known = atomic_load(&kept[arithmetic]);
    if (known != 0)
        return (pail_status)(known - 1);
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < sizeof adders[0] / sizeof adders[0][0] && status == PAIL_OK; i++)
        status = pail_cpu_adder_test(adders[arithmetic][i]);
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381 && status == PAIL_OK;
         curve++)
        status = pail_cpu_scalars_test(pail_cpu_scalars_find(arithmetic, curve));
    if (status != PAIL_ERR_HOST_MEMORY)
        atomic_store(&kept[arithmetic], 1 + (int)status);
    return status;
}

static pail_status choose_by_name(enum pail_cpu_arithmetic *arithmetic, const char *word,
                                  struct pail_error *err)
{
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        if (strcmp(word, names[i]) == 0) {
            *arithmetic = (enum pail_cpu_arithmetic)i;
            if (!pail_cpu_arithmetic_runs(*arithmetic)) {
                return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                                 "PAIL_CPU is \"%s\", which this processor or this build does "
                                 "not have",
                                 word);
            }
            return test_once(*arithmetic);
        }
    }
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "PAIL_CPU is \"%.64s\"; it may be portable, adx, avx2 or ifma", word);
}

static pail_status choose_best(enum pail_cpu_arithmetic *arithmetic, const pail_host *host)
{
    *arithmetic = PAIL_CPU_PORTABLE;
    for (int i = PAIL_CPU_ARITHMETIC_COUNT; --i > PAIL_CPU_PORTABLE;) {
        const enum pail_cpu_arithmetic candidate = (enum pail_cpu_arithmetic)i;
        if (!pail_cpu_arithmetic_runs(candidate))
            continue;
        const pail_status status = test_once(candidate);
        if (status != PAIL_ERR_INTERNAL) {
            *arithmetic = candidate;
            return status;
        }
        if (host->log) {
            char text[128];
            snprintf(
                text, sizeof text,
                "the self-test of the CPU backend's arithmetic \"%s\" failed; it computes with "
                "another",
                names[i]);
            host->log(host->user, PAIL_LOG_WARNING, text);
        }
    }
    return PAIL_OK;
}

pail_status pail_cpu_arithmetic_choose(enum pail_cpu_arithmetic *arithmetic, const char *word,
                                       const pail_host *host, struct pail_error *err)
{
    const pail_status status =
        word[0] == '\0' ? choose_best(arithmetic, host) : choose_by_name(arithmetic, word, err);
    if (status == PAIL_ERR_HOST_MEMORY)
        return pail_fail(err, status, "no memory to test the processor's arithmetic");
    if (status == PAIL_ERR_INTERNAL)
        return pail_fail(err, status, "PAIL_CPU is \"%s\", which fails its self-test here", word);
    return status;
}
