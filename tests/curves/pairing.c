/* SPDX-License-Identifier: Apache-2.0 */
/* Pairings: values of another implementation (tests/oracle/pairings.mjs), and the rules that make
 * them pairings. */

#include "support/test.h"
#include <jansson.h>

#include <curves/pairing.h>
#include <curves/rng.h>
#include <formats/bytes.h>

enum { PAIRS_MAX = 20, BN254 = 1, BLS12_381 = 2 };

/* Points of both groups, one after the other as the tables take them. */
struct pairs {
    const struct pail_curve_ops *g1, *g2;
    const struct pail_pairing_ops *pairing;
    uint64_t p[PAIRS_MAX * PAIL_AFFINE_LIMBS_MAX], q[PAIRS_MAX * PAIL_AFFINE_LIMBS_MAX];
};

static struct pairs of_curve(uint32_t curve)
{
    const struct pairs pairs = {.g1 = pail_curve_ops(curve, 1),
                                .g2 = pail_curve_ops(curve, 2),
                                .pairing = pail_pairing_ops(curve)};
    assert_true(pairs.g1 != NULL && pairs.g2 != NULL && pairs.pairing != NULL);
    assert_int_equal(pairs.pairing->curve, curve);
    return pairs;
}

static void *p_of(struct pairs *pairs, size_t i)
{
    return pairs->p + i * pairs->g1->affine_bytes / 8;
}

static void *q_of(struct pairs *pairs, size_t i)
{
    return pairs->q + i * pairs->g2->affine_bytes / 8;
}

static void multiple(const struct pail_curve_ops *ops, void *affine, const pail_u256 *k)
{
    pail_affine generator;
    pail_point point;
    ops->generator(&generator);
    ops->from_affine(&point, &generator);
    ops->mul(&point, &point, k);
    ops->to_affine(affine, &point);
}

static pail_u256 random_scalar(struct pail_rng *rng, const struct pail_curve_ops *ops)
{
    pail_u256 k;
    for (size_t i = 0; i < 4; i++)
        k.l[i] = pail_rng_next(rng);
    ops->scalar_reduce(&k, &k);
    return k;
}

static bool are_one(struct pairs *pairs, size_t n)
{
    return pairs->pairing->are_one(pairs->p, pairs->q, n);
}

/* ---- Another implementation's values ---- */

static size_t from_hex(uint8_t *bytes, size_t cap, const json_t *row, const char *key)
{
    const char *const digits = json_string_value(json_object_get(row, key));
    assert_non_null(digits);
    const size_t n = strlen(digits) / 2;
    assert_true(n <= cap);
    assert_int_equal(pail_hex_read(bytes, digits, n), n);
    return n;
}

PAIL_TEST(values)
{
    json_error_t reason;
    json_t *const root = json_load_file(PAIL_TEST_PAIRINGS, 0, &reason);
    if (root == NULL)
        fail_msg("%s: %s", PAIL_TEST_PAIRINGS, reason.text);
    const json_t *const cases = json_object_get(root, "cases");
    assert_int_equal(json_array_size(cases), 14);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *const row = json_array_get(cases, i);
        const char *const curve = json_string_value(json_object_get(row, "curve"));
        const size_t n = (size_t)json_integer_value(json_object_get(row, "n"));
        struct pairs pairs = of_curve(strcmp(curve, "bn254") == 0 ? BN254 : BLS12_381);
        const size_t p_bytes = 2 * pairs.g1->coordinate_bytes;
        const size_t q_bytes = 2 * pairs.g2->coordinate_bytes;
        uint8_t p[PAIRS_MAX * 96], q[PAIRS_MAX * 192];
        uint8_t want[PAIL_PAIRING_BYTES_MAX], got[PAIL_PAIRING_BYTES_MAX];
        assert_int_equal(from_hex(p, sizeof p, row, "p"), n * p_bytes);
        assert_int_equal(from_hex(q, sizeof q, row, "q"), n * q_bytes);
        assert_int_equal(from_hex(want, sizeof want, row, "value"), pairs.pairing->value_bytes);
        for (size_t k = 0; k < n; k++) {
            assert_true(pairs.g1->decode(p_of(&pairs, k), p + k * p_bytes, false));
            assert_true(pairs.g2->decode(q_of(&pairs, k), q + k * q_bytes, false));
        }
        pairs.pairing->product(got, pairs.p, pairs.q, n);
        assert_memory_equal(got, want, pairs.pairing->value_bytes);
        pail_pairing_fast(pairs.pairing->curve)->product(got, pairs.p, pairs.q, n);
        assert_memory_equal(got, want, pairs.pairing->value_bytes);
        uint8_t one[PAIL_PAIRING_BYTES_MAX] = {1};
        assert_int_equal(are_one(&pairs, n), memcmp(want, one, pairs.pairing->value_bytes) == 0);
    }
    json_decref(root);
}

/* ---- Rules ---- */

static const uint32_t curves[] = {BN254, BLS12_381};

/* The sum of a_i b_i is 0 exactly if the product is 1: for numbers of pairs on both sides of what
 * one loop takes. */
PAIL_TEST(bilinear)
{
    static const size_t counts[] = {2, 3, PAIL_PAIRS_AT_ONCE, PAIL_PAIRS_AT_ONCE + 1, 17};
    struct pail_rng rng;
    pail_rng_init(&rng, 20);
    for (size_t c = 0; c < 2; c++) {
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            struct pairs pairs = of_curve(curves[c]);
            const size_t n = counts[k];
            const pail_u256 zero = {{0}}, one = {{1}};
            pail_u256 sum = zero, last;
            for (size_t i = 0; i + 1 < n; i++) {
                const pail_u256 a = random_scalar(&rng, pairs.g1);
                const pail_u256 b = random_scalar(&rng, pairs.g1);
                pail_u256 product;
                multiple(pairs.g1, p_of(&pairs, i), &a);
                multiple(pairs.g2, q_of(&pairs, i), &b);
                pairs.g1->scalar_mul(&product, &a, &b);
                pairs.g1->scalar_add(&sum, &sum, &product);
            }
            pairs.g1->scalar_neg(&last, &sum);
            multiple(pairs.g1, p_of(&pairs, n - 1), &last);
            multiple(pairs.g2, q_of(&pairs, n - 1), &one);
            assert_true(are_one(&pairs, n));
            assert_false(are_one(&pairs, n - 1));
            pairs.g1->scalar_add(&last, &last, &one);
            multiple(pairs.g1, p_of(&pairs, n - 1), &last);
            assert_false(are_one(&pairs, n));
        }
    }
}

/* Scalars at the ends: k and r - k, where what is added up is nearly the order. */
PAIL_TEST(opposites)
{
    for (size_t c = 0; c < 2; c++) {
        struct pairs pairs = of_curve(curves[c]);
        for (uint64_t k = 1; k < 4; k++) {
            const pail_u256 small = {{k}};
            pail_u256 large;
            pairs.g1->scalar_neg(&large, &small);
            multiple(pairs.g1, p_of(&pairs, 0), &small);
            multiple(pairs.g2, q_of(&pairs, 0), &large);
            multiple(pairs.g1, p_of(&pairs, 1), &small);
            multiple(pairs.g2, q_of(&pairs, 1), &small);
            assert_true(are_one(&pairs, 2));
            assert_false(are_one(&pairs, 1));
        }
    }
}

PAIL_TEST(infinities)
{
    const pail_u256 zero = {{0}}, one = {{1}};
    for (size_t c = 0; c < 2; c++) {
        struct pairs pairs = of_curve(curves[c]);
        assert_true(are_one(&pairs, 0));
        for (unsigned which = 0; which < 3; which++) {
            multiple(pairs.g1, p_of(&pairs, 0), which & 1 ? &one : &zero);
            multiple(pairs.g2, q_of(&pairs, 0), which & 2 ? &one : &zero);
            assert_true(are_one(&pairs, 1));
            multiple(pairs.g1, p_of(&pairs, 1), &one);
            multiple(pairs.g2, q_of(&pairs, 1), &one);
            assert_false(are_one(&pairs, 2));
        }
    }
}

/* ---- Twins: the plain table, what the processor has, and lines that are kept ---- */

/* All ways say the same of n pairs; it is returned. */
static bool all_are_one(struct pairs *pairs, size_t n)
{
    const struct pail_pairing_ops *const tables[] = {pairs->pairing,
                                                     pail_pairing_fast(pairs->pairing->curve)};
    const bool want = are_one(pairs, n);
    const size_t bytes = pairs->pairing->lines_bytes;
    unsigned char *const kept = malloc(2 * PAIRS_MAX * bytes);
    assert_non_null(kept);
    uint8_t values[2][PAIL_PAIRING_BYTES_MAX];
    for (size_t t = 0; t < 2; t++) {
        const void *lines[PAIRS_MAX];
        assert_int_equal(tables[t]->lines_bytes, bytes);
        for (size_t i = 0; i < n; i++) {
            unsigned char *const to = kept + (t * PAIRS_MAX + i) * bytes;
            memset(to, 0x5a, bytes);
            tables[t]->prepare(to, q_of(pairs, i));
            assert_memory_equal(to, kept + i * bytes, bytes);
            lines[i] = to;
        }
        tables[t]->product(values[t], pairs->p, pairs->q, n);
        assert_int_equal(tables[t]->are_one(pairs->p, pairs->q, n), want);
        assert_int_equal(tables[t]->prepared_are_one(pairs->p, lines, n), want);
    }
    assert_memory_equal(values[0], values[1], pairs->pairing->value_bytes);
    free(kept);
    return want;
}

PAIL_TEST(twins)
{
    static const size_t counts[] = {1, 2, 3, PAIL_PAIRS_AT_ONCE + 1};
    struct pail_rng rng;
    pail_rng_init(&rng, 345);
    for (size_t round = 0; round < 40; round++) {
        struct pairs pairs = of_curve(curves[round % 2]);
        const size_t n = counts[round / 2 % 4];
        pail_u256 sum = {{0}};
        for (size_t i = 0; i < n; i++) {
            pail_u256 a = random_scalar(&rng, pairs.g1), b = random_scalar(&rng, pairs.g1), product;
            if (i + 1 == n && round % 3 == 0) { /* the product is 1 */
                pairs.g1->scalar_neg(&a, &sum);
                b = (pail_u256){{1}};
            } else if (round % 5 == 4) { /* infinity, of the one or the other */
                *(i % 2 ? &a : &b) = (pail_u256){{0}};
            }
            multiple(pairs.g1, p_of(&pairs, i), &a);
            multiple(pairs.g2, q_of(&pairs, i), &b);
            pairs.g1->scalar_mul(&product, &a, &b);
            pairs.g1->scalar_add(&sum, &sum, &product);
        }
        const pail_u256 zero = {{0}};
        assert_int_equal(all_are_one(&pairs, n), memcmp(&sum, &zero, sizeof sum) == 0);
    }
}

static const struct pail_pairing_ops *one_off;

static void wrong_product(uint8_t *value, const void *p, const void *q, size_t n)
{
    one_off->product(value, p, q, n);
    value[one_off->value_bytes - 1] ^= 1;
}

/* A table that computes another value is not taken. */
PAIL_TEST(test_of_a_table)
{
    for (size_t c = 0; c < 2; c++) {
        one_off = pail_pairing_ops(curves[c]);
        struct pail_pairing_ops wrong = *one_off;
        assert_true(pail_pairing_test(&wrong, one_off));
        wrong.product = wrong_product;
        assert_false(pail_pairing_test(&wrong, one_off));
    }
    assert_null(pail_pairing_fast(0));
}

PAIL_TEST(validity)
{
    for (size_t c = 0; c < 2; c++) {
        for (uint32_t group = 1; group <= 2; group++) {
            const struct pail_curve_ops *const ops = pail_curve_ops(curves[c], group);
            const pail_affine infinity = {{0}};
            pail_affine point;
            assert_true(pail_pairing_point_is_valid(ops, &infinity));
            ops->generator(&point);
            assert_true(pail_pairing_point_is_valid(ops, &point));
            point.limbs[0] ^= 1;
            assert_false(pail_pairing_point_is_valid(ops, &point));
            if (ops->cofactor_one)
                continue;
            ops->small_order_point(&point);
            assert_true(ops->on_curve(&point));
            assert_false(pail_pairing_point_is_valid(ops, &point));
        }
    }
    assert_null(pail_pairing_ops(0));
    assert_null(pail_pairing_ops(3));
}

/* Points are remembered by their coordinates: more of them than are kept, each asked about twice,
 * and bad ones in between. */
PAIL_TEST(points_of_keys)
{
    for (size_t i = 0; i < 40; i++) {
        const struct pail_curve_ops *const ops = pail_curve_ops(curves[i % 2], 1 + i / 2 % 2);
        const pail_affine infinity = {{0}};
        pail_affine point, generator;
        pail_point sum;
        ops->generator(&generator);
        ops->from_affine(&sum, &generator);
        ops->dbl_times(&sum, &sum, (uint32_t)i);
        ops->to_affine(&point, &sum);
        assert_true(pail_pairing_key_point_is_valid(ops, &infinity));
        for (int again = 0; again < 2; again++) {
            assert_true(pail_pairing_key_point_is_valid(ops, &point));
            pail_affine bad = point;
            bad.limbs[ops->affine_bytes / 8 - 1] ^= 1;
            assert_false(pail_pairing_key_point_is_valid(ops, &bad));
            ops->small_order_point(&bad);
            assert_int_equal(pail_pairing_key_point_is_valid(ops, &bad), ops->cofactor_one);
        }
    }
}
