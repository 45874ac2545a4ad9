/* SPDX-License-Identifier: Apache-2.0 */
/* The test curves: every pair of points and every small scalar of toy1 against a table of the
 * multiples of its generator, and the laws on toy2. */

#include "support/test.h"
#include <curves/curve_ops.h>
#include <curves/toys.h>

enum { ORDER = 31 };

/* i G by repeated addition of G, in affine coordinates. */
static void fill(const struct pail_curve_ops *ops, pail_affine multiples[ORDER])
{
    pail_affine g;
    ops->generator(&g);
    memset(multiples, 0, ORDER * sizeof multiples[0]);
    for (size_t i = 1; i < ORDER; i++) {
        multiples[i] = multiples[i - 1];
        ops->batch_add_one(&multiples[i], &g, 1);
    }
}

PAIL_TEST(whole_curve)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_TOY1_CURVE, 1);
    assert_non_null(ops);
    assert_int_equal(ops->order.l[0], ORDER);
    assert_int_equal(ops->coordinate_bytes, 16);
    pail_affine multiples[ORDER];
    size_t points = 1; /* infinity */
    fill(ops, multiples);
    for (uint8_t x = 0; x < 43; x++) {
        for (uint8_t y = 0; y < 43; y++) {
            const uint8_t bytes[32] = {[0] = x, [16] = y};
            const bool on_curve = y * y % 43 == (x * x * x + 7) % 43;
            pail_affine p, back;
            assert_true(ops->decode(&p, bytes, false));
            if (ops->affine_is_infinity(&p))
                continue; /* (0, 0) */
            assert_int_equal(ops->on_curve(&p), on_curve);
            if (!on_curve)
                continue;
            points++;
            assert_int_equal(ops->y_is_largest(&p), y > 21);
            assert_true(ops->lift_x(&back, bytes, y > 21));
            assert_memory_equal(&back, &p, ops->affine_bytes);
            size_t i = 1;
            while (i < ORDER && memcmp(&multiples[i], &p, ops->affine_bytes) != 0)
                i++;
            assert_in_range(i, 1, ORDER - 1);
        }
    }
    assert_int_equal(points, ORDER);
    const uint8_t p_itself[32] = {43};
    pail_affine none;
    assert_false(ops->decode(&none, p_itself, false));
}

PAIL_TEST(all_pairs)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_TOY1_CURVE, 1);
    pail_affine multiples[ORDER], r;
    fill(ops, multiples);
    for (size_t i = 0; i < ORDER; i++) {
        pail_point p, q;
        ops->from_affine(&p, &multiples[i]);
        for (size_t j = 0; j < ORDER; j++) {
            const pail_affine *want = &multiples[(i + j) % ORDER];
            ops->add_affine(&q, &p, &multiples[j]);
            ops->to_affine(&r, &q);
            assert_memory_equal(&r, want, ops->affine_bytes);
            ops->from_affine(&q, &multiples[j]);
            ops->add(&q, &p, &q);
            ops->to_affine(&r, &q);
            assert_memory_equal(&r, want, ops->affine_bytes);
            r = multiples[i];
            ops->batch_add_one(&r, &multiples[j], 1);
            assert_memory_equal(&r, want, ops->affine_bytes);
        }
        for (uint64_t k = 0; k < 3 * ORDER; k++) {
            const pail_u256 scalar = {{k}};
            ops->mul(&q, &p, &scalar);
            ops->to_affine(&r, &q);
            assert_memory_equal(&r, &multiples[i * k % ORDER], ops->affine_bytes);
        }
        for (enum pail_field_form form = PAIL_FORM_X32; form <= PAIL_FORM_X29; form++) {
            uint32_t words[16];
            ops->to_words(words, &p, form);
            assert_true(ops->from_words(&q, words, form));
            assert_true(ops->equal(&q, &p));
        }
    }
}

PAIL_TEST(two_limbs)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_TOY2_CURVE, 1);
    assert_non_null(ops);
    pail_affine g;
    pail_point p, q, sum = {{0}};
    ops->generator(&g);
    assert_true(ops->on_curve(&g));
    ops->from_affine(&p, &g);
    ops->mul(&q, &p, &ops->order);
    assert_true(ops->is_infinity(&q));
    for (uint64_t k = 1; k < 1000; k++) {
        const pail_u256 scalar = {{k * 0x9e3779b97f4a7c15, k}};
        pail_u256 reduced;
        ops->scalar_reduce(&reduced, &scalar);
        assert_true(reduced.l[0] < ops->order.l[0]);
        ops->mul(&q, &p, &scalar);
        ops->mul(&sum, &p, &reduced);
        assert_true(ops->equal(&q, &sum));
        ops->to_affine(&g, &q);
        assert_true(ops->on_curve(&g));
    }
}
