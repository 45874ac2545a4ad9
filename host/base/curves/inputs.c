/* SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <string.h>

#include "rng.h"
#include "words.h"

static const char *const scalar_dists[PAIL_SCALARS_COUNT] = {
    [PAIL_SCALARS_UNIFORM] = "uniform", [PAIL_SCALARS_ZERO] = "zero",
    [PAIL_SCALARS_ONE] = "one",         [PAIL_SCALARS_EQUAL] = "equal",
    [PAIL_SCALARS_BITS01] = "01",       [PAIL_SCALARS_SMALL] = "small",
    [PAIL_SCALARS_BITS256] = "bits256", [PAIL_SCALARS_EDGE] = "edge",
    [PAIL_SCALARS_HOT] = "hot",         [PAIL_SCALARS_SHA] = "sha",
};

static const char *const base_kinds[PAIL_BASES_COUNT] = {
    [PAIL_BASES_DISTINCT] = "distinct",   [PAIL_BASES_EQUAL] = "equal",
    [PAIL_BASES_PAIRS] = "pairs",         [PAIL_BASES_INFINITY] = "infinity",
    [PAIL_BASES_MULTIPLES] = "multiples", [PAIL_BASES_DUPLICATES] = "duplicates",
    [PAIL_BASES_OUTSIDE] = "outside",     [PAIL_BASES_SMALL_ORDER] = "small-order",
};

const char *pail_scalar_dist_name(enum pail_scalar_dist dist)
{
    return (size_t)dist < PAIL_SCALARS_COUNT ? scalar_dists[dist] : NULL;
}

const char *pail_base_kind_name(enum pail_base_kind kind)
{
    return (size_t)kind < PAIL_BASES_COUNT ? base_kinds[kind] : NULL;
}

/* ---- Scalars -------------------------------------------------------------------------------- */
static bool below(const pail_u256 *a, const pail_u256 *b)
{
    for (size_t i = 4; i-- > 0;)
        if (a->l[i] != b->l[i])
            return a->l[i] < b->l[i];
    return false;
}

static pail_u256 any_256_bits(struct pail_rng *rng)
{
    pail_u256 k;
    for (size_t i = 0; i < 4; i++)
        k.l[i] = pail_rng_next(rng);
    return k;
}

static pail_u256 uniform(const struct pail_curve_ops *ops, struct pail_rng *rng)
{
    pail_u256 k;
    do {
        k = any_256_bits(rng);
        for (size_t i = 0; i < 4; i++) {
            const size_t bits = ops->order_bits > 64 * i ? ops->order_bits - 64 * i : 0;
            k.l[i] &= bits == 0 ? 0 : bits < 64 ? UINT64_MAX >> (64 - bits) : UINT64_MAX;
        }
    } while (!below(&k, &ops->order));
    return k;
}

static pail_u256 edge(const struct pail_curve_ops *ops, struct pail_rng *rng)
{
    /* r is odd, so r - 1 and r + 1 differ from it in the lowest limb only, unless that is all ones;
     * it is not for any curve there is. */
    pail_u256 k = {{0}};
    switch (pail_rng_below(rng, 8)) {
    case 0:
        break;
    case 1:
        k.l[0] = 1;
        break;
    case 2:
        k = ops->order;
        k.l[0] -= 1;
        break;
    case 3:
        k = ops->order;
        break;
    case 4:
        k = ops->order;
        k.l[0] += 1;
        break;
    case 5:
        k.l[3] = UINT64_C(1) << 62;
        break;
    case 6:
        k.l[3] = UINT64_C(1) << 63;
        break;
    default:
        k = (pail_u256){{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
        break;
    }
    return k;
}

void pail_make_scalar_block(const struct pail_curve_ops *ops, uint8_t *scalars, size_t block,
                            size_t n, enum pail_scalar_dist dist, uint64_t seed)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    const pail_u256 same = uniform(ops, &rng); /* in all blocks */
    if (block > 0)
        pail_rng_init(&rng, pail_rng_next(&rng) + block);
    for (size_t i = 0; i < n; i++) {
        pail_u256 k = {{0}};
        switch (dist) {
        case PAIL_SCALARS_UNIFORM:
            k = uniform(ops, &rng);
            break;
        case PAIL_SCALARS_ONE:
            k.l[0] = 1;
            break;
        case PAIL_SCALARS_EQUAL:
            k = same;
            break;
        case PAIL_SCALARS_BITS01:
            k.l[0] = pail_rng_below(&rng, 2);
            break;
        case PAIL_SCALARS_SMALL:
            k.l[0] = pail_rng_below(&rng, 16);
            break;
        case PAIL_SCALARS_BITS256:
            k = any_256_bits(&rng);
            break;
        case PAIL_SCALARS_EDGE:
            k = edge(ops, &rng);
            break;
        case PAIL_SCALARS_HOT:
            k = pail_rng_below(&rng, 2) == 0 ? same : uniform(ops, &rng);
            break;
        case PAIL_SCALARS_SHA:
            k.l[0] = pail_rng_below(&rng, 100) < 43;
            break;
        case PAIL_SCALARS_ZERO:
        case PAIL_SCALARS_COUNT:
            break;
        }
        pail_u256_to_bytes(scalars + 32 * i, &k);
    }
}

void pail_make_scalars(const struct pail_curve_ops *ops, uint8_t *scalars, size_t n,
                       enum pail_scalar_dist dist, uint64_t seed)
{
    for (size_t first = 0; first < n; first += PAIL_SCALARS_BLOCK) {
        const size_t left = n - first;
        pail_make_scalar_block(ops, scalars + 32 * first, first / PAIL_SCALARS_BLOCK,
                               left < PAIL_SCALARS_BLOCK ? left : PAIL_SCALARS_BLOCK, dist, seed);
    }
}

/* ---- Bases ---------------------------------------------------------------------------------- */

enum { DUPLICATES = 7 };

/* The start and the step of a progression: terms (s + j t) G + (e + j f) T. */
struct progression {
    pail_u256 s, t;
    uint64_t e, f;
    pail_affine outside; /* T */
};

bool pail_base_kind_in_group(const struct pail_curve_ops *ops, enum pail_base_kind kind)
{
    return ops->cofactor_one || (kind != PAIL_BASES_OUTSIDE && kind != PAIL_BASES_SMALL_ORDER);
}

/* The lift of the least x = 1, 2, ... that is outside the group. */
static void outside_point(const struct pail_curve_ops *ops, void *affine)
{
    uint8_t x[sizeof(pail_affine)] = {0};
    do {
        x[0]++;
    } while (!ops->lift_x(affine, x, false) || ops->in_subgroup(affine));
}

static void progression(const struct pail_curve_ops *ops, struct progression *terms,
                        enum pail_base_kind kind, uint64_t seed)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed ^ UINT64_C(0x6261736573)); /* not the scalars' numbers */
    *terms = (struct progression){.s = uniform(ops, &rng), .t = {{0}}};
    if (kind != PAIL_BASES_EQUAL)
        terms->t = uniform(ops, &rng);
    if (kind == PAIL_BASES_MULTIPLES) {
        terms->s = terms->t = (pail_u256){{1}};
    } else if (kind == PAIL_BASES_OUTSIDE && !ops->cofactor_one) {
        terms->e = 1;
        outside_point(ops, &terms->outside);
    } else if (kind == PAIL_BASES_SMALL_ORDER) {
        terms->s = terms->t = (pail_u256){{0}};
        terms->e = terms->f = 1;
        ops->small_order_point(&terms->outside);
    }
}

/* s + j t modulo r. */
static pail_u256 term(const struct pail_curve_ops *ops, const struct progression *terms, uint64_t j)
{
    pail_u256 k = {{j}};
    ops->scalar_mul(&k, &k, &terms->t);
    ops->scalar_add(&k, &k, &terms->s);
    return k;
}

static pail_u256 log_of(const struct pail_curve_ops *ops, const struct progression *terms,
                        enum pail_base_kind kind, uint64_t i)
{
    if (kind == PAIL_BASES_INFINITY && i % 3 == 1)
        return (pail_u256){{0}};
    if (kind == PAIL_BASES_DUPLICATES)
        return term(ops, terms, i % DUPLICATES);
    if (kind != PAIL_BASES_PAIRS)
        return term(ops, terms, i);
    pail_u256 log = term(ops, terms, i / 2);
    if (i % 2 == 1)
        ops->scalar_neg(&log, &log);
    return log;
}

void pail_base_log(const struct pail_curve_ops *ops, pail_u256 *log, uint64_t i,
                   enum pail_base_kind kind, uint64_t seed)
{
    struct progression terms;
    progression(ops, &terms, kind, seed);
    *log = log_of(ops, &terms, kind, i);
}

#define WALK_POINTS 64 /* a power of 2; all are on the stack */

/* Terms first, first + 1, ... of the progression as points, WALK_POINTS at a time: the first
 * block by point additions, each other block from the one before by adding WALK_POINTS steps to
 * all of its points with one inversion. */
struct walk {
    const struct pail_curve_ops *ops;
    pail_affine stride;
    uint64_t points[WALK_POINTS * PAIL_AFFINE_LIMBS_MAX];
    size_t used;
};

static uint8_t *walk_point(struct walk *walk, size_t i)
{
    return (uint8_t *)walk->points + i * walk->ops->affine_bytes;
}

/* k G + (the integer of n limbs) T */
static void combination(const struct pail_curve_ops *ops, pail_point *sum, const pail_u256 *k,
                        const void *outside, const uint64_t *multiple, size_t n)
{
    const pail_u256 two_to_64 = {{0, 1}};
    pail_affine generator;
    pail_point point, part = {{0}};
    ops->from_affine(&point, outside);
    for (size_t i = n; i-- > 0;) {
        pail_point digit;
        const pail_u256 limb = {{multiple[i]}};
        ops->mul(&part, &part, &two_to_64);
        ops->mul(&digit, &point, &limb);
        ops->add(&part, &part, &digit);
    }
    ops->generator(&generator);
    ops->from_affine(&point, &generator);
    ops->mul(sum, &point, k);
    ops->add(sum, sum, &part);
}

static void walk_begin(struct walk *walk, const struct pail_curve_ops *ops,
                       const struct progression *terms, uint64_t first)
{
    walk->ops = ops;
    walk->used = 0;
    const pail_u256 start = term(ops, terms, first);
    const uint64_t multiple = terms->e + first * terms->f;
    pail_affine *step = &walk->stride;
    pail_point point;
    combination(ops, &point, &start, &terms->outside, &multiple, 1);
    ops->to_affine(walk_point(walk, 0), &point);
    combination(ops, &point, &terms->t, &terms->outside, &terms->f, 1);
    ops->to_affine(step, &point);
    /* 1 point becomes 2, 2 become 4, ...: the points so far, copied, plus 1, 2, 4, ... steps. */
    for (size_t have = 1; have < WALK_POINTS; have *= 2) {
        memcpy(walk_point(walk, have), walk_point(walk, 0), have * ops->affine_bytes);
        ops->batch_add_one(walk_point(walk, have), step, have);
        ops->batch_add_one(step, step, 1);
    }
}

static const void *walk_next(struct walk *walk)
{
    if (walk->used == WALK_POINTS) {
        walk->ops->batch_add_one(walk->points, &walk->stride, WALK_POINTS);
        walk->used = 0;
    }
    return walk_point(walk, walk->used++);
}

void pail_make_bases(const struct pail_curve_ops *ops, uint8_t *points, bool montgomery,
                     uint64_t first, size_t n, enum pail_base_kind kind, uint64_t seed)
{
    const bool pairs = kind == PAIL_BASES_PAIRS, duplicates = kind == PAIL_BASES_DUPLICATES;
    const pail_affine infinity = {{0}};
    struct progression terms;
    struct walk walk;
    progression(ops, &terms, kind, seed);
    walk_begin(&walk, ops, &terms, pairs ? first / 2 : duplicates ? 0 : first);
    const void *point = NULL;
    for (size_t k = 0; k < n; k++) {
        const uint64_t i = first + k;
        pail_affine negative;
        if (duplicates)
            point = walk_point(&walk, i % DUPLICATES);
        else if (!pairs || k == 0 || i % 2 == 0)
            point = walk_next(&walk);
        const void *base = point;
        if (pairs && i % 2 == 1) {
            ops->affine_neg(&negative, point);
            base = &negative;
        } else if (kind == PAIL_BASES_INFINITY && i % 3 == 1) {
            base = &infinity;
        }
        ops->encode(points + k * 2 * ops->coordinate_bytes, base, montgomery);
    }
}

/* sum += k factor, of integers: six limbs hold 2^64 products of 256 bits and 64. */
static void add_product(uint64_t sum[6], const pail_u256 *k, uint64_t factor)
{
    pail_uint128 carry = 0;
    for (size_t i = 0; i < 6; i++) {
        carry += sum[i];
        if (i < 4)
            carry += (pail_uint128)k->l[i] * factor;
        sum[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* The integer of six limbs modulo r. */
static pail_u256 reduce(const struct pail_curve_ops *ops, const uint64_t sum[6])
{
    const pail_u256 two_to_64 = {{0, 1}};
    pail_u256 result = {{0}};
    for (size_t i = 6; i-- > 0;) {
        const pail_u256 limb = {{sum[i]}};
        ops->scalar_mul(&result, &result, &two_to_64);
        ops->scalar_add(&result, &result, &limb);
    }
    return result;
}

/* Sums over bases whose logarithms are s + i t: the sum of k_i (s + i t) is (the sum of the k_i) s
 * plus (the sum of the i k_i) t, and those sums are integers. Others' are computed one by one. */
void pail_expected_msm(const struct pail_curve_ops *ops, pail_point *result, const uint8_t *scalars,
                       uint64_t first, size_t n, enum pail_base_kind kind, uint64_t seed)
{
    const bool straight =
        kind != PAIL_BASES_INFINITY && kind != PAIL_BASES_PAIRS && kind != PAIL_BASES_DUPLICATES;
    pail_u256 sum = {{0}};
    uint64_t multiple[6] = {0}, ones[6] = {0}, numbers[6] = {0};
    struct progression terms;
    progression(ops, &terms, kind, seed);
    for (size_t k = 0; k < n; k++) {
        const uint64_t i = first + k;
        pail_u256 scalar;
        pail_u256_from_bytes(&scalar, scalars + 32 * k);
        if (terms.e | terms.f)
            add_product(multiple, &scalar, terms.e + i * terms.f);
        if (straight) {
            add_product(ones, &scalar, 1);
            add_product(numbers, &scalar, i);
            continue;
        }
        const pail_u256 log = log_of(ops, &terms, kind, i);
        ops->scalar_mul(&scalar, &scalar, &log);
        ops->scalar_add(&sum, &sum, &scalar);
    }
    if (straight) {
        pail_u256 part = reduce(ops, ones);
        ops->scalar_mul(&sum, &part, &terms.s);
        part = reduce(ops, numbers);
        ops->scalar_mul(&part, &part, &terms.t);
        ops->scalar_add(&sum, &sum, &part);
    }
    combination(ops, result, &sum, &terms.outside, multiple, 6);
}
