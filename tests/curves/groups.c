/* SPDX-License-Identifier: Apache-2.0 */
/* Every group through its table of curve_ops.h: what must hold whatever the curve is. */

#include "support/test.h"
#include "vectors/field_bls12_381.h"
#include <curves/curve_ops.h>
#include <curves/fast.h>
#include <curves/rng.h>

static const uint32_t groups[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
enum { N_GROUPS = sizeof groups / sizeof groups[0] };

static bool fast; /* by pail_fast_ops */

static const struct pail_curve_ops *table(size_t i)
{
    const struct pail_curve_ops *ops = pail_curve_ops(groups[i][0], groups[i][1]);
    assert_non_null(ops);
    return fast ? pail_fast_ops(ops, NULL) : ops;
}

static pail_point times_generator(const struct pail_curve_ops *ops, const pail_u256 *k)
{
    pail_affine affine;
    pail_point p;
    ops->generator(&affine);
    ops->from_affine(&p, &affine);
    ops->mul(&p, &p, k);
    return p;
}

/* The i-th point that comes of lifting 1, 2, ... plus i in all other bytes but the top ones: with
 * overwhelming probability none is in a subgroup that is not the whole curve. */
static pail_affine some_point(const struct pail_curve_ops *ops, unsigned i, bool largest)
{
    uint8_t x[PAIL_AFFINE_LIMBS_MAX * 4] = {0};
    pail_affine p;
    for (size_t k = 0; k < ops->coordinate_bytes; k++)
        x[k] = (uint8_t)(k % (ops->coordinate_bytes / ops->group) < 31 ? i : 0);
    do {
        x[0]++;
    } while (!ops->lift_x(&p, x, largest));
    return p;
}

/* By the definition: r P = 0. */
static bool in_subgroup_slowly(const struct pail_curve_ops *ops, const pail_affine *p)
{
    pail_point multiple;
    ops->from_affine(&multiple, p);
    ops->mul(&multiple, &multiple, &ops->order);
    return ops->is_infinity(&multiple);
}

PAIL_TEST(rows)
{
    static const struct {
        const char *curve_name, *group_name;
        size_t coordinate_bytes;
        uint32_t order_bits;
        bool cofactor_one;
    } want[N_GROUPS] = {
        {"bn254", "g1", 32, 254, true},
        {"bn254", "g2", 64, 254, false},
        {"bls12_381", "g1", 48, 255, false},
        {"bls12_381", "g2", 96, 255, false},
    };
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        assert_int_equal(ops->curve, groups[i][0]);
        assert_int_equal(ops->group, groups[i][1]);
        assert_string_equal(ops->curve_name, want[i].curve_name);
        assert_string_equal(ops->group_name, want[i].group_name);
        assert_int_equal(ops->coordinate_bytes, want[i].coordinate_bytes);
        assert_int_equal(ops->affine_bytes, 2 * want[i].coordinate_bytes);
        assert_int_equal(ops->order_bits, want[i].order_bits);
        assert_int_equal(ops->cofactor_one, want[i].cofactor_one);
        assert_int_equal(ops->order.l[3] >> (ops->order_bits - 193), 1);
    }
    assert_null(pail_curve_ops(0, 1));
    assert_null(pail_curve_ops(1, 0));
    assert_null(pail_curve_ops(2, 3));
    assert_null(pail_curve_ops(3, 1));
}

/* The generator is on the curve and has order r; multiplication is a homomorphism. */
PAIL_TEST(generators)
{
    struct pail_rng rng;
    pail_rng_init(&rng, 1);
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        pail_affine g;
        ops->generator(&g);
        assert_true(ops->on_curve(&g));
        assert_true(ops->in_subgroup(&g));
        assert_false(ops->affine_is_infinity(&g));
        assert_true(in_subgroup_slowly(ops, &g));
        for (int round = 0; round < 10; round++) {
            pail_u256 a, b, c;
            for (size_t k = 0; k < 4; k++) {
                a.l[k] = pail_rng_next(&rng);
                b.l[k] = pail_rng_next(&rng);
            }
            pail_point sum = times_generator(ops, &a), other = times_generator(ops, &b);
            ops->add(&sum, &sum, &other);
            ops->scalar_add(&c, &a, &b);
            other = times_generator(ops, &c);
            assert_true(ops->equal(&sum, &other));
            sum = times_generator(ops, &a);
            ops->mul(&sum, &sum, &b);
            ops->scalar_mul(&c, &a, &b);
            other = times_generator(ops, &c);
            assert_true(ops->equal(&sum, &other));
        }
    }
}

/* Multiples of the generator of BLS12-381 G1 that Python computed. (The other groups have such rows
 * in the tests of their fields and formulas.) */
PAIL_TEST(multiples)
{
    const struct pail_curve_ops *ops = pail_curve_ops(2, 1);
    for (size_t i = 0; i < sizeof bls12_381_g1 / sizeof bls12_381_g1[0]; i++) {
        pail_u256 k;
        uint8_t got[sizeof(pail_affine)];
        pail_affine affine;
        memcpy(k.l, bls12_381_g1[i][0], sizeof k.l);
        const pail_point p = times_generator(ops, &k);
        ops->to_affine(&affine, &p);
        ops->encode(got, &affine, false);
        for (size_t b = 0; b < 96; b++) {
            const uint64_t limb = bls12_381_g1[i][1 + b / 48][b % 48 / 8];
            assert_int_equal(got[b], (uint8_t)(limb >> (8 * (b % 8))));
        }
    }
}

/* The fast check says what r P says, about points of every kind: of the whole curve, of the
 * subgroup, and a sum of one and the other. */
PAIL_TEST(subgroups)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        size_t outside = 0;
        for (unsigned k = 0; k < 20; k++) {
            const pail_affine p = some_point(ops, k, k % 2);
            assert_true(ops->on_curve(&p));
            assert_int_equal(ops->in_subgroup(&p), in_subgroup_slowly(ops, &p));
            outside += !ops->in_subgroup(&p);

            const pail_u256 multiple = {{k + 1, k}};
            pail_point inside = times_generator(ops, &multiple);
            pail_affine q;
            ops->to_affine(&q, &inside);
            assert_true(ops->in_subgroup(&q));
            ops->add_affine(&inside, &inside, &p);
            ops->to_affine(&q, &inside);
            assert_int_equal(ops->in_subgroup(&q), ops->in_subgroup(&p));
        }
        assert_int_equal(outside, ops->cofactor_one ? 0 : 20);
        const pail_affine infinity = {{0}};
        assert_true(ops->on_curve(&infinity));
        assert_true(ops->in_subgroup(&infinity));
    }
}

/* The points that an attacker would choose, whose order is a small prime, and sums with them. */
PAIL_TEST(small_orders)
{
    static const uint32_t want[N_GROUPS] = {1, 10069, 3, 13};
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        const pail_u256 q = {{want[i]}}, k = {{7, 5}};
        pail_affine small;
        assert_int_equal(ops->small_order, want[i]);
        ops->small_order_point(&small);
        assert_true(ops->on_curve(&small));
        assert_int_equal(ops->affine_is_infinity(&small), ops->cofactor_one);
        assert_int_equal(ops->in_subgroup(&small), ops->cofactor_one);
        pail_point p, sum = times_generator(ops, &k);
        ops->from_affine(&p, &small);
        ops->mul(&p, &p, &q);
        assert_true(ops->is_infinity(&p));
        ops->add_affine(&sum, &sum, &small);
        ops->to_affine(&small, &sum);
        assert_int_equal(ops->in_subgroup(&small), ops->cofactor_one);
        ops->mul(&sum, &sum, &q);
        ops->to_affine(&small, &sum);
        assert_true(ops->in_subgroup(&small));
    }
}

/* x and the flag bring back the point they came from; what has no point is refused. */
PAIL_TEST(lifting)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        const size_t bytes = ops->coordinate_bytes;
        uint8_t encoded[2 * sizeof(pail_affine)];
        size_t refused = 0;
        for (unsigned k = 0; k < 40; k++) {
            const pail_affine p = some_point(ops, k, k % 2);
            pail_affine negative, back;
            assert_true(ops->on_curve(&p));
            assert_int_equal(ops->y_is_largest(&p), k % 2);
            ops->affine_neg(&negative, &p);
            assert_int_equal(ops->y_is_largest(&negative), 1 - k % 2);
            ops->encode(encoded, &p, false);
            assert_true(ops->lift_x(&back, encoded, k % 2));
            assert_memory_equal(&back, &p, ops->affine_bytes);
            assert_true(ops->lift_x(&back, encoded, k % 2 == 0));
            assert_memory_equal(&back, &negative, ops->affine_bytes);
            /* About every other x has no point. */
            encoded[0] ^= 0x55;
            const bool there = ops->lift_x(&back, encoded, true);
            assert_int_equal(ops->affine_is_infinity(&back), !there);
            refused += !there;
        }
        assert_in_range(refused, 8, 32);
        for (size_t half = 0; half < ops->group; half++) {
            pail_affine back;
            const size_t width = bytes / ops->group;
            memset(encoded, 0, bytes);
            memset(encoded + half * width, 0xff, width);
            memset(&back, 0xaa, sizeof back);
            assert_false(ops->lift_x(&back, encoded, false));
            assert_true(ops->affine_is_infinity(&back));
        }
    }
}

/* Bytes and device words, in both radixes, of points and of sums; and what is not below p. */
PAIL_TEST(encodings)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        const size_t bytes = ops->coordinate_bytes, width = bytes / ops->group;
        for (uint64_t k = 0; k < 4; k++) {
            const pail_u256 multiple = {{k}};
            const pail_point p = times_generator(ops, &multiple);
            uint8_t encoded[sizeof(pail_affine)];
            uint32_t words[sizeof(pail_point) / 4];
            pail_affine affine, back;
            pail_point point;
            ops->to_affine(&affine, &p);
            for (int montgomery = 0; montgomery < 2; montgomery++) {
                ops->encode(encoded, &affine, montgomery);
                memset(&back, 0xaa, sizeof back);
                assert_true(ops->decode(&back, encoded, montgomery));
                assert_memory_equal(&back, &affine, ops->affine_bytes);
                for (size_t element = 0; element < 2 * ops->group; element++) {
                    uint8_t bad[sizeof encoded];
                    memcpy(bad, encoded, sizeof bad);
                    memset(bad + element * width, 0xff, width);
                    assert_false(ops->decode(&back, bad, montgomery));
                    assert_true(ops->affine_is_infinity(&back));
                }
            }
            for (enum pail_field_form form = PAIL_FORM_X32; form <= PAIL_FORM_X29; form++) {
                ops->affine_to_words(words, &affine, form);
                assert_true(ops->affine_from_words(&back, words, form));
                assert_memory_equal(&back, &affine, ops->affine_bytes);
                if (form == PAIL_FORM_X32) { /* the boundary's Montgomery bytes */
                    assert_true(ops->decode(&back, encoded, true));
                    for (size_t b = 0; b < 2 * bytes; b++)
                        assert_int_equal((uint8_t)(words[b / 4] >> (8 * (b % 4))), encoded[b]);
                }
                ops->to_words(words, &p, form);
                assert_true(ops->from_words(&point, words, form));
                assert_true(ops->equal(&point, &p));
                if (!fast)
                    assert_memory_equal(&point, &p, 2 * ops->affine_bytes);
                for (size_t element = 0; element < 4 * ops->group; element++) {
                    uint32_t bad[sizeof words / 4];
                    memcpy(bad, words, sizeof bad);
                    memset((unsigned char *)bad + element * width, 0xff, width);
                    assert_false(ops->from_words(&point, bad, form));
                    assert_true(ops->is_infinity(&point));
                }
            }
        }
    }
}

/* Words += times p, in two's complement. */
static void move(uint32_t *words, const uint32_t *p, size_t n, int times)
{
    int64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        carry += (int64_t)words[i] + (int64_t)times * (int64_t)p[i];
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Coordinates that are some p away are brought back, each by itself. */
PAIL_TEST(settling)
{
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        const size_t n = ops->coordinate_bytes / ops->group / 4;
        const pail_u256 five = {{5}};
        pail_point point = times_generator(ops, &five), opposite;
        uint32_t words[96], other[96], p[12];
        ops->neg(&opposite, &point);
        ops->to_words(words, &point, PAIL_FORM_D51);
        ops->to_words(other, &opposite, PAIL_FORM_D51);
        memcpy(p, other + n * ops->group, 4 * n); /* y and p - y */
        move(p, words + n * ops->group, n, 1);
        for (int first = -2; first <= 1; first++) {
            for (size_t c = 0; c < 4 * ops->group; c++) {
                memcpy(other, words, sizeof other);
                move(other + c * n, p, n, first);
                ops->settle_words(other);
                assert_memory_equal(other, words, 16 * n * ops->group);
            }
        }
    }
}

/* Multiples -3, ..., 3 and a point outside the subgroup: every sum, by every function, in place. */
PAIL_TEST(sums)
{
    enum { LAST = 3, SIDE = 2 * LAST + 1 };
    for (size_t i = 0; i < N_GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i);
        const pail_affine base = some_point(ops, 3, true);
        pail_point multiples[4 * LAST + 1] = {{{0}}}, *zero = &multiples[2 * LAST];
        for (int k = 1; k <= 2 * LAST; k++) {
            ops->add_affine(&zero[k], &zero[k - 1], &base);
            ops->neg(&zero[-k], &zero[k]);
        }
        for (int a = -LAST; a <= LAST; a++) {
            for (int b = -LAST; b <= LAST; b++) {
                pail_affine left, right;
                pail_point sum = zero[a];
                ops->to_affine(&left, &zero[a]);
                ops->to_affine(&right, &zero[b]);
                ops->add(&sum, &sum, &zero[b]);
                assert_true(ops->equal(&sum, &zero[a + b]));
                sum = zero[a];
                ops->add_affine(&sum, &sum, &right);
                assert_true(ops->equal(&sum, &zero[a + b]));
                ops->batch_add_one(&left, &right, 1);
                ops->from_affine(&sum, &left);
                assert_true(ops->equal(&sum, &zero[a + b]));
                assert_true(ops->on_curve(&left));
                assert_int_equal(ops->equal(&zero[a], &zero[b]), a == b);
            }
            pail_point twice;
            ops->dbl(&twice, &zero[a]);
            assert_true(ops->equal(&twice, &zero[2 * a]));
            assert_int_equal(ops->is_infinity(&zero[a]), a == 0);
        }
    }
}

PAIL_TEST_MAIN
{
    int failed = test_run("plain", NULL, NULL);
    fast = true;
    failed += test_run("fast", NULL, NULL);
    return failed;
}
