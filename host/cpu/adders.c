/* SPDX-License-Identifier: Apache-2.0 */
#include "adders.h"

#include <stdatomic.h>
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
enum {
    POINTS = 40,
    PAIRS = 203,
    FEW = 5, /* no multiples of a vector's 8 */
    MULTIPLES = 2 * POINTS - 1,
};

struct trial {
    const struct pail_cpu_adder *adder;
    const struct pail_curve_ops *ops;
    unsigned char *inputs, *sums, *scratch; /* in the adder's form */
    struct pail_cpu_pair pairs[PAIRS];
    pail_affine multiples[MULTIPLES]; /* packed: 0, 1, 2, ... generators */
};

static const unsigned char *multiple(const struct trial *t, uint32_t k)
{
    return (const unsigned char *)t->multiples + k * t->ops->affine_bytes;
}

/* The multiples are all that sums are compared with: made once, by host/base/curves, the next ones
 * from all that there are. The first of them are the inputs. */
static void make_inputs(struct trial *t)
{
    const size_t bytes = t->ops->affine_bytes;
    unsigned char *const all = (unsigned char *)t->multiples;
    size_t n = 2;
    memset(all, 0, bytes);
    t->ops->generator(all + bytes);
    while (n < MULTIPLES) {
        const size_t more = MULTIPLES - n < n ? MULTIPLES - n : n;
        unsigned char *const next = all + n * bytes;
        pail_affine step;
        memcpy(step.limbs, next - bytes, bytes);
        t->ops->batch_add_one(step.limbs, multiple(t, 1), 1);
        memcpy(next, all, more * bytes);
        t->ops->batch_add_one(next, step.limbs, more);
        n += more;
    }
    t->adder->import(t->inputs, t->multiples, POINTS);
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

/* The multiple that an operand of a pair is. */
static int operand(uint32_t which)
{
    return which % 2 == 1 ? -(int)(which / 2) : (int)(which / 2);
}

/* True if a point in the adder's form is a multiple of the generator. */
static bool is_multiple(const struct trial *t, const unsigned char *point, int want)
{
    pail_affine got, affine;
    memcpy(affine.limbs, multiple(t, (uint32_t)abs(want)), t->ops->affine_bytes);
    if (want < 0)
        t->ops->affine_neg(affine.limbs, affine.limbs);
    t->adder->export(&got, point);
    return memcmp(got.limbs, affine.limbs, t->ops->affine_bytes) == 0 &&
           pail_cpu_is_infinity(point, t->adder->point_bytes) == (want == 0);
}

/* Adds the first n pairs and looks at the sums. */
static bool agrees(const struct trial *t, size_t n)
{
    t->adder->add(t->sums, t->inputs, t->inputs, t->pairs, n, t->scratch);
    for (size_t i = 0; i < n; i++) {
        const struct pail_cpu_pair *const pair = &t->pairs[i];
        if (!is_multiple(t, t->sums + pair->to * t->adder->point_bytes,
                         operand(pair->p) + operand(pair->q)))
            return false;
    }
    return true;
}

/* True if doubles, with infinity and without, are right. */
static bool doubles(const struct trial *t, uint32_t from)
{
    const struct pail_cpu_adder *const adder = t->adder;
    struct pail_cpu_pair pairs[POINTS] = {0};
    bool right = true;
    if (!adder->twice)
        return true;
    for (uint32_t i = from; i < POINTS; i++)
        pairs[i] = (struct pail_cpu_pair){.p = 2 * i, .q = 2 * i, .to = POINTS - 1 - i};
    adder->twice(t->sums, t->inputs, pairs + from, POINTS - from, t->scratch);
    for (uint32_t i = from; i < POINTS; i++)
        right &= is_multiple(t, t->sums + (POINTS - 1 - i) * adder->point_bytes, (int)(2 * i));
    return right;
}

/* True if images are right: those of multiples are multiples of the generator's. */
static bool images(const struct trial *t)
{
    const struct pail_cpu_adder *const adder = t->adder;
    pail_point want = {{0}}, image, got;
    pail_affine step, affine;
    bool right = true;
    if (!adder->image)
        return true;
    t->ops->from_affine(&image, multiple(t, 1));
    t->ops->mul(&image, &image, &t->ops->lambda);
    t->ops->to_affine(&step, &image);
    memcpy(t->sums, t->inputs, POINTS * adder->point_bytes);
    adder->image(t->sums, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        adder->export(&affine, t->sums + i * adder->point_bytes);
        t->ops->from_affine(&got, &affine);
        right &= t->ops->equal(&want, &got);
        t->ops->add_affine(&want, &want, &step);
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
    pail_affine stray;
    bool right = true;
    if (!t->adder->lift)
        return true;
    t->ops->small_order_point(&stray);
    for (size_t i = 0; i < GROUP; i++) {
        memcpy(points + i * bytes, multiple(t, (uint32_t)(1 + 3 * i)), bytes);
        memcpy(points + (GROUP + i) * bytes, multiple(t, (uint32_t)i), bytes);
    }
    t->ops->batch_add_one(points + GROUP * bytes,
                          t->ops->cofactor_one ? multiple(t, 1) : (const void *)&stray, GROUP);
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

static bool sums_are_right(struct trial *t)
{
    make_pairs(t, true);
    if (!finds_strays(t) || !agrees(t, PAIRS) || !agrees(t, FEW))
        return false;
    make_pairs(t, false);
    return agrees(t, PAIRS) && agrees(t, FEW);
}

pail_status pail_cpu_adder_test(const struct pail_cpu_adder *adder, enum pail_cpu_tests tests)
{
    const size_t inputs = POINTS * adder->point_bytes, sums = PAIRS * adder->point_bytes;
    /* Sizes of scratch are multiples of the alignment, and so are those of forms that need it. */
    unsigned char *block = malloc(adder->scratch_bytes + inputs + sums + PAIL_CPU_ALIGNMENT);
    struct trial *t = calloc(1, sizeof *t);
    pail_status status = PAIL_ERR_HOST_MEMORY;
    if (block && t) {
        t->adder = adder;
        t->ops = pail_curve_ops(adder->curve, adder->group);
        t->scratch = pail_cpu_aligned(block);
        t->inputs = t->scratch + adder->scratch_bytes;
        t->sums = t->inputs + inputs;
        make_inputs(t);
        const bool right = tests == PAIL_CPU_TEST_SUMS
                               ? sums_are_right(t)
                               : lifts(t) && doubles(t, 0) && doubles(t, 1) && images(t);
        status = right ? PAIL_OK : PAIL_ERR_INTERNAL;
    }
    free(t);
    free(block);
    return status;
}

/* ---- The choice -------------------------------------------------------------------------------
 */

enum { CURVES = PAIL_CURVE_BLS12_381 }; /* numbered from 1 on */

/* 0: not yet asked; 1 plus the status. Threads that ask at the same time find the same. */
static atomic_int tested[PAIL_CPU_TESTS][PAIL_CPU_ARITHMETIC_COUNT][CURVES];

bool pail_cpu_arithmetic_tested(enum pail_cpu_arithmetic arithmetic, uint32_t curve,
                                enum pail_cpu_tests tests)
{
    return atomic_load(&tested[tests][arithmetic][curve - 1]) != 0;
}

/* A test of a curve's groups and of its scalars, once for the process; *first is set if it is this
 * call's. */
static pail_status test_once(enum pail_cpu_arithmetic arithmetic, uint32_t curve,
                             enum pail_cpu_tests tests, bool *first)
{
    atomic_int *const result = &tested[tests][arithmetic][curve - 1];
    const int known = atomic_load(result);
    if (known != 0)
        return (pail_status)(known - 1);
    *first = true;
    pail_status status = tests == PAIL_CPU_TEST_SUMS
                             ? pail_cpu_scalars_test(pail_cpu_scalars_find(arithmetic, curve))
                             : PAIL_OK;
    for (uint32_t group = PAIL_G1; group <= PAIL_G2 && status == PAIL_OK; group++)
        status = pail_cpu_adder_test(pail_cpu_adder_find(arithmetic, curve, group), tests);
    if (status != PAIL_ERR_HOST_MEMORY)
        atomic_store(result, 1 + (int)status);
    return status;
}

static pail_status choose_by_name(struct pail_cpu_choice *choice, const char *word,
                                  struct pail_error *err)
{
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        if (strcmp(word, names[i]) != 0)
            continue;
        *choice =
            (struct pail_cpu_choice){.arithmetic = (enum pail_cpu_arithmetic)i, .named = true};
        if (pail_cpu_arithmetic_runs(choice->arithmetic))
            return PAIL_OK;
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "PAIL_CPU is \"%s\", which this processor or this build does not have",
                         word);
    }
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "PAIL_CPU is \"%.64s\"; it may be portable, adx, avx2 or ifma", word);
}

pail_status pail_cpu_arithmetic_choose(struct pail_cpu_choice *choice, const char *word,
                                       struct pail_error *err)
{
    *choice = (struct pail_cpu_choice){.arithmetic = PAIL_CPU_PORTABLE};
    if (word[0] != '\0')
        return choose_by_name(choice, word, err);
    for (int i = PAIL_CPU_PORTABLE; i < PAIL_CPU_ARITHMETIC_COUNT; i++)
        if (pail_cpu_arithmetic_runs((enum pail_cpu_arithmetic)i))
            choice->arithmetic = (enum pail_cpu_arithmetic)i;
    return PAIL_OK;
}

pail_status pail_cpu_arithmetic_of(enum pail_cpu_arithmetic *arithmetic,
                                   const struct pail_cpu_choice *choice, uint32_t curve,
                                   enum pail_cpu_tests tests, struct pail_error *err)
{
    *arithmetic = choice->arithmetic;
    if (curve == 0 || curve > CURVES)
        return PAIL_OK;
    for (int i = (int)choice->arithmetic; i >= PAIL_CPU_PORTABLE; i--) {
        const enum pail_cpu_arithmetic candidate = (enum pail_cpu_arithmetic)i;
        bool first = false;
        if (!pail_cpu_arithmetic_runs(candidate))
            continue;
        pail_status status = PAIL_OK;
        for (int t = PAIL_CPU_TEST_SUMS; t <= (int)tests && status == PAIL_OK; t++)
            if (candidate != PAIL_CPU_PORTABLE || choice->named)
                status = test_once(candidate, curve, (enum pail_cpu_tests)t, &first);
        *arithmetic = candidate;
        if (status == PAIL_OK)
            return status;
        if (status == PAIL_ERR_HOST_MEMORY)
            return pail_fail(err, status, "no memory to test the processor's arithmetic");
        if (choice->named)
            return pail_fail(err, status, "PAIL_CPU is \"%s\", which fails its self-test here",
                             names[i]);
        if (first)
            pail_log(&choice->log, PAIL_LOG_WARNING,
                     "the self-test of the CPU backend's arithmetic \"%s\" failed; it computes "
                     "with another",
                     names[i]);
    }
    return PAIL_OK;
}
