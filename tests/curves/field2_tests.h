/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of one quadratic extension and of the group over it. Include with FE and BASE as in
 * host/base/curves/field2_template.h, EC as in host/base/curves/ec_template.h, and with FE_ROWS and
 * EC_ROWS, their tables in tests/vectors/field_<curve>.h. No include guard. */
#include <curves/paste.h>

#define FE_(name)   PAIL_PASTE(FE, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define EC_(name)   PAIL_PASTE(EC, name)

#define FIELD2_TESTS(prefix)                                                                       \
    cmocka_unit_test(prefix##_fp2_test_vectors), cmocka_unit_test(prefix##_fp2_test_roots),        \
        cmocka_unit_test(prefix##_g2_test_multiples)

static void FE_(from_row)(FE *r, const uint64_t (*row)[sizeof(BASE) / 8])
{
    BASE_(from_integer)(&r->c0, row[0]);
    BASE_(from_integer)(&r->c1, row[1]);
}

static void FE_(test_vectors)(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof FE_ROWS / sizeof FE_ROWS[0]; i++) {
        FE v[6], c, scratch[2];
        for (size_t k = 0; k < 6; k++)
            FE_(from_row)(&v[k], &FE_ROWS[i][2 * k]);
        const FE a = v[0], b = v[1];
        FE_(add)(&c, &a, &b);
        assert_true(FE_(equal)(&c, &v[2]));
        FE_(sub)(&c, &a, &b);
        assert_true(FE_(equal)(&c, &v[3]));
        FE_(mul)(&c, &a, &b);
        assert_true(FE_(equal)(&c, &v[4]));
        c = a; /* in place, on either side */
        FE_(mul)(&c, &c, &b);
        assert_true(FE_(equal)(&c, &v[4]));
        c = b;
        FE_(mul)(&c, &a, &c);
        assert_true(FE_(equal)(&c, &v[4]));
        if (FE_(equal)(&a, &b)) {
            FE_(sqr)(&c, &a);
            assert_true(FE_(equal)(&c, &v[4]));
            c = a;
            FE_(sqr)(&c, &c);
            assert_true(FE_(equal)(&c, &v[4]));
        }
        FE_(inv)(&c, &a);
        assert_true(FE_(equal)(&c, &v[5]));
        FE both[2] = {a, b};
        FE_(batch_inv)(both, scratch, 2);
        assert_true(FE_(equal)(&both[0], &v[5]));
        FE_(neg)(&c, &a);
        FE_(add)(&c, &c, &a);
        assert_true(FE_(is_zero)(&c));
        uint8_t bytes[sizeof(FE)];
        for (int montgomery = 0; montgomery < 2; montgomery++) {
            FE_(to_bytes)(bytes, &a, montgomery);
            assert_true(FE_(from_bytes)(&c, bytes, montgomery));
            assert_true(FE_(equal)(&c, &a));
        }
    }
}

/* A square has a root, which is the number or its negative; times a non-square it has none. Exactly
 * one of a number and its negative is the largest. */
static void FE_(test_roots)(void **state)
{
    (void)state;
    FE other = {0}, root; /* some non-square: the first 1 + k u */
    do {
        BASE_(add)(&other.c1, &other.c1, &BASE_(one));
        other.c0 = BASE_(one);
    } while (FE_(sqrt)(&root, &other));
    assert_true(FE_(is_zero)(&root));
    for (size_t i = 0; i < sizeof FE_ROWS / sizeof FE_ROWS[0]; i++) {
        FE a, square, negative;
        FE_(from_row)(&a, &FE_ROWS[i][0]);
        FE_(neg)(&negative, &a);
        FE_(sqr)(&square, &a);
        assert_true(FE_(sqrt)(&root, &square));
        assert_true(FE_(equal)(&root, &a) || FE_(equal)(&root, &negative));
        FE_(mul)(&square, &square, &other);
        assert_int_equal(FE_(sqrt)(&square, &square), FE_(is_zero)(&a));
        assert_int_equal(FE_(is_largest)(&a) + FE_(is_largest)(&negative), !FE_(is_zero)(&a));
    }
}

static void EC_(test_multiples)(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof EC_ROWS / sizeof EC_ROWS[0]; i++) {
        EC_(xyzz) p;
        EC_(affine) affine;
        FE x, y;
        FE_(from_row)(&x, &EC_ROWS[i][1]);
        FE_(from_row)(&y, &EC_ROWS[i][3]);
        EC_(from_affine)(&p, &EC_(generator));
        EC_(mul)(&p, &p, EC_ROWS[i][0]);
        EC_(to_affine)(&affine, &p);
        assert_true(FE_(equal)(&affine.x, &x));
        assert_true(FE_(equal)(&affine.y, &y));
    }
}

#undef FE_
#undef BASE_
#undef EC_
