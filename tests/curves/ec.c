/* SPDX-License-Identifier: Apache-2.0 */
/* The group of host/base/curves: vectors, and every kind of pair that an addition can meet. */

#include "support/test.h"
#include "vectors/field_bn254.h"
#include <curves/bn254.h>
#include <curves/curve_ops.h>

typedef pail_bn254_g1_affine affine;
typedef pail_bn254_g1_xyzz xyzz;

#define N_ROWS (sizeof bn254_g1 / sizeof bn254_g1[0])

static xyzz times_generator(const uint64_t k[4])
{
    xyzz p;
    pail_bn254_g1_from_affine(&p, &pail_bn254_g1_generator);
    pail_bn254_g1_mul(&p, &p, k);
    return p;
}

static xyzz small(uint64_t k)
{
    const uint64_t wide[4] = {k};
    return times_generator(wide);
}

static affine to_affine(xyzz p)
{
    affine r;
    pail_bn254_g1_to_affine(&r, &p);
    return r;
}

static xyzz negative(xyzz p)
{
    pail_bn254_g1_neg(&p, &p);
    return p;
}

/* The same point with ZZ not 1. */
static xyzz rescaled(xyzz p, uint64_t factor)
{
    const uint64_t wide[4] = {factor};
    pail_bn254_fp z, zz, zzz;
    pail_bn254_fp_from_integer(&z, wide);
    pail_bn254_fp_sqr(&zz, &z);
    pail_bn254_fp_mul(&zzz, &zz, &z);
    pail_bn254_fp_mul(&p.x, &p.x, &zz);
    pail_bn254_fp_mul(&p.y, &p.y, &zzz);
    pail_bn254_fp_mul(&p.zz, &p.zz, &zz);
    pail_bn254_fp_mul(&p.zzz, &p.zzz, &zzz);
    return p;
}

PAIL_TEST(multiples)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        const affine p = to_affine(times_generator(bn254_g1[i][0]));
        uint64_t x[4], y[4];
        pail_bn254_fp_to_integer(x, &p.x);
        pail_bn254_fp_to_integer(y, &p.y);
        assert_memory_equal(x, bn254_g1[i][1], sizeof x);
        assert_memory_equal(y, bn254_g1[i][2], sizeof y);
        assert_true(pail_bn254_g1_on_curve(&p));
    }
}

/* Points -3 G, ..., 3 G, infinity in the middle, with ZZ 1 and not: every sum by every function. */
PAIL_TEST(sums)
{
    enum { LAST = 3 };
    for (int i = -LAST; i <= LAST; i++) {
        for (int j = -LAST; j <= LAST; j++) {
            const xyzz p = i < 0 ? negative(small((uint64_t)-i)) : small((uint64_t)i);
            const xyzz q = j < 0 ? negative(small((uint64_t)-j)) : small((uint64_t)j);
            const int k = i + j;
            const xyzz want = k < 0 ? negative(small((uint64_t)-k)) : small((uint64_t)k);
            const affine q_affine = to_affine(q), want_affine = to_affine(want);
            xyzz got;
            for (uint64_t scale = 1; scale < 4; scale++) {
                const xyzz left = rescaled(p, scale), right = rescaled(q, 2 * scale - 1);
                pail_bn254_g1_add(&got, &left, &right);
                assert_true(pail_bn254_g1_equal(&got, &want));
                pail_bn254_g1_add_affine(&got, &left, &q_affine);
                assert_true(pail_bn254_g1_equal(&got, &want));
                got = left; /* in place, on either side */
                pail_bn254_g1_add(&got, &got, &right);
                assert_true(pail_bn254_g1_equal(&got, &want));
                got = right;
                pail_bn254_g1_add(&got, &left, &got);
                assert_true(pail_bn254_g1_equal(&got, &want));
                got = left;
                pail_bn254_g1_add_affine(&got, &got, &q_affine);
                assert_true(pail_bn254_g1_equal(&got, &want));
                assert_int_equal(pail_bn254_g1_equal(&left, &right), i == j);
            }
            const affine back = to_affine(got);
            assert_memory_equal(&back, &want_affine, sizeof back);
            assert_int_equal(pail_bn254_g1_is_infinity(&got), k == 0);
        }
    }
}

PAIL_TEST(doublings)
{
    for (uint64_t k = 0; k < 6; k++) {
        const xyzz p = rescaled(small(k), 5), want = small(2 * k);
        const affine p_affine = to_affine(p);
        xyzz got;
        pail_bn254_g1_dbl(&got, &p);
        assert_true(pail_bn254_g1_equal(&got, &want));
        pail_bn254_g1_dbl_affine(&got, &p_affine);
        assert_true(pail_bn254_g1_equal(&got, &want));
        got = p;
        pail_bn254_g1_add(&got, &got, &got);
        assert_true(pail_bn254_g1_equal(&got, &want));
    }
}

PAIL_TEST(batch_sums)
{
    enum { SIDE = 7, N = SIDE * SIDE };
    affine left[N], right[N], want[N], copy[N];
    pail_bn254_fp scratch[2 * N];
    for (int i = 0; i < N; i++) {
        const int a = i / SIDE - 3, b = i % SIDE - 3, c = a + b;
        left[i] = to_affine(a < 0 ? negative(small((uint64_t)-a)) : small((uint64_t)a));
        right[i] = to_affine(b < 0 ? negative(small((uint64_t)-b)) : small((uint64_t)b));
        want[i] = to_affine(c < 0 ? negative(small((uint64_t)-c)) : small((uint64_t)c));
    }
    for (size_t n = 0; n <= N; n++) {
        memcpy(copy, left, sizeof copy);
        pail_bn254_g1_batch_add(copy, right, false, scratch, n);
        assert_memory_equal(copy, want, n * sizeof copy[0]);
        assert_memory_equal(copy + n, left + n, (N - n) * sizeof copy[0]);
    }
    memcpy(copy, left, sizeof copy);
    pail_bn254_g1_batch_add(copy, &right[4], true, scratch, N); /* + G */
    for (int i = 0; i < N; i++)
        assert_memory_equal(&copy[i], &want[i / SIDE * SIDE + 4], sizeof copy[i]);
}

PAIL_TEST(encodings)
{
    const struct pail_curve_ops *ops = pail_curve_ops(1, 1);
    assert_non_null(ops);
    assert_null(pail_curve_ops(0, 1));
    assert_null(pail_curve_ops(1, 0));
    assert_null(pail_curve_ops(99, 1));
    assert_int_equal(ops->coordinate_bytes, 32);
    uint8_t bytes[64], back[64];
    pail_affine p;
    for (int montgomery = 0; montgomery < 2; montgomery++) {
        for (size_t i = 0; i < N_ROWS; i++) {
            const affine want = to_affine(times_generator(bn254_g1[i][0]));
            memcpy(&p, &want, sizeof want);
            ops->encode(bytes, &p, montgomery);
            memset(&p, 0xaa, sizeof p);
            assert_true(ops->decode(&p, bytes, montgomery));
            assert_memory_equal(&p, &want, sizeof want);
            assert_true(ops->on_curve(&p));
            ops->encode(back, &p, montgomery);
            assert_memory_equal(back, bytes, sizeof bytes);
        }
        memset(bytes, 0, sizeof bytes);
        assert_true(ops->decode(&p, bytes, montgomery));
        assert_true(ops->affine_is_infinity(&p));
        assert_true(ops->on_curve(&p));
        for (size_t coordinate = 0; coordinate < 2; coordinate++) {
            memset(bytes, 0, sizeof bytes);
            memset(bytes + 32 * coordinate, 0xff, 32);
            assert_false(ops->decode(&p, bytes, montgomery));
            assert_true(ops->affine_is_infinity(&p));
        }
    }
    /* (1, 3), (0, 1) and (1, 0) are not on the curve. */
    const uint8_t off[3][2] = {{1, 3}, {0, 1}, {1, 0}};
    for (size_t i = 0; i < 3; i++) {
        memset(bytes, 0, sizeof bytes);
        bytes[0] = off[i][0];
        bytes[32] = off[i][1];
        assert_true(ops->decode(&p, bytes, false));
        assert_false(ops->on_curve(&p));
        assert_false(ops->affine_is_infinity(&p));
    }
}

PAIL_TEST(table_functions)
{
    const struct pail_curve_ops *ops = pail_curve_ops(1, 1);
    pail_affine g, r;
    pail_point p, q;
    ops->generator(&g);
    ops->from_affine(&p, &g);
    ops->dbl(&q, &p);
    ops->add(&q, &q, &p);
    ops->add_affine(&q, &q, &g); /* 4 G */
    ops->neg(&q, &q);
    pail_u256 k = ops->order;
    k.l[0] -= 4;
    ops->mul(&p, &p, &k);
    assert_true(ops->equal(&p, &q));
    ops->to_affine(&r, &q);
    ops->affine_neg(&r, &r);
    ops->batch_add_one(&r, &g, 1); /* 5 G */
    ops->add_affine(&q, &q, &r);
    ops->neg(&q, &q);
    ops->add_affine(&q, &q, &g);
    assert_true(ops->is_infinity(&q));
}

PAIL_TEST(scalars)
{
    const struct pail_curve_ops *ops = pail_curve_ops(1, 1);
    for (size_t i = 0; i < sizeof bn254_fr / sizeof bn254_fr[0]; i++) {
        pail_u256 a, b, c, want;
        memcpy(a.l, bn254_fr[i][0], sizeof a.l);
        memcpy(b.l, bn254_fr[i][1], sizeof b.l);
        ops->scalar_add(&c, &a, &b);
        assert_memory_equal(c.l, bn254_fr[i][2], sizeof c.l);
        ops->scalar_mul(&c, &a, &b);
        assert_memory_equal(c.l, bn254_fr[i][4], sizeof c.l);
        ops->scalar_neg(&c, &b);
        ops->scalar_add(&c, &c, &a);
        assert_memory_equal(c.l, bn254_fr[i][3], sizeof c.l);
        /* From Montgomery form: c R^-1, so times R it is c again. */
        ops->scalar_from_montgomery(&c, &a);
        const pail_u256 radix = {PAIL_BN254_FR_ONE};
        ops->scalar_mul(&c, &c, &radix);
        assert_memory_equal(c.l, a.l, sizeof c.l);
        uint8_t bytes[32];
        pail_u256_to_bytes(bytes, &a);
        pail_u256_from_bytes(&want, bytes);
        assert_memory_equal(want.l, a.l, sizeof a.l);
    }
    pail_u256 all = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}}, one = {{1}};
    ops->scalar_reduce(&all, &all);
    ops->scalar_add(&all, &all, &one);
    const pail_u256 radix = {PAIL_BN254_FR_ONE}; /* 2^256 mod r */
    assert_memory_equal(all.l, radix.l, sizeof all.l);
}
