/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of one field. Include with FE and FE_PARAMS as in host/base/curves/field_template.h and
 * with FE_ROWS, the field's table in tests/vectors/field_<curve>.h. No include guard. */
#include <curves/paste.h>

#define FE_(name) PAIL_PASTE(FE, name)
#define N_ROWS    (sizeof FE_ROWS / sizeof FE_ROWS[0])
#define N_LIMBS   (sizeof(FE) / sizeof(uint64_t))

#define FIELD_TESTS(prefix)                                                                        \
    cmocka_unit_test(prefix##_test_vectors), cmocka_unit_test(prefix##_test_bytes),                \
        cmocka_unit_test(prefix##_test_wide_integers), cmocka_unit_test(prefix##_test_inverses),   \
        cmocka_unit_test(prefix##_test_batch_inverse)

static void FE_(assert_is)(const FE *element, const uint64_t integer[N_LIMBS])
{
    uint64_t plain[N_LIMBS];
    FE_(to_integer)(plain, element);
    assert_memory_equal(plain, integer, sizeof plain);
}

static void FE_(test_vectors)(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        FE a, b, c;
        FE_(from_integer)(&a, FE_ROWS[i][0]);
        FE_(from_integer)(&b, FE_ROWS[i][1]);
        FE_(assert_is)(&a, FE_ROWS[i][0]);
        FE_(add)(&c, &a, &b);
        FE_(assert_is)(&c, FE_ROWS[i][2]);
        FE_(sub)(&c, &a, &b);
        FE_(assert_is)(&c, FE_ROWS[i][3]);
        FE_(mul)(&c, &a, &b);
        FE_(assert_is)(&c, FE_ROWS[i][4]);
        FE_(mul)(&c, &b, &a);
        FE_(assert_is)(&c, FE_ROWS[i][4]);
        FE_(inv)(&c, &a);
        FE_(assert_is)(&c, FE_ROWS[i][5]);
        FE_(neg)(&c, &a);
        FE_(add)(&c, &c, &a);
        assert_true(FE_(is_zero)(&c));
        if (memcmp(FE_ROWS[i][0], FE_ROWS[i][1], sizeof FE_ROWS[i][0]) == 0) {
            FE_(sqr)(&c, &a);
            FE_(assert_is)(&c, FE_ROWS[i][4]);
            assert_true(FE_(equal)(&a, &b));
        } else {
            assert_false(FE_(equal)(&a, &b));
        }
        /* In place. */
        c = a;
        FE_(mul)(&c, &c, &b);
        FE_(assert_is)(&c, FE_ROWS[i][4]);
        c = a;
        FE_(sub)(&c, &c, &b);
        FE_(assert_is)(&c, FE_ROWS[i][3]);
        c = b;
        FE_(add)(&c, &a, &c);
        FE_(assert_is)(&c, FE_ROWS[i][2]);
    }
}

static void FE_(test_bytes)(void **state)
{
    (void)state;
    uint8_t bytes[sizeof(FE)], back[sizeof(FE)];
    FE element, same;
    for (size_t i = 0; i < N_ROWS; i++) {
        FE_(from_integer)(&element, FE_ROWS[i][0]);
        for (int montgomery = 0; montgomery < 2; montgomery++) {
            FE_(to_bytes)(bytes, &element, montgomery);
            assert_true(FE_(from_bytes)(&same, bytes, montgomery));
            assert_true(FE_(equal)(&same, &element));
            /* Montgomery bytes are the plain bytes of the element times R. */
            assert_int_equal(bytes[0], (uint8_t)(montgomery ? element.l[0] : FE_ROWS[i][0][0]));
        }
    }
    /* The first integers that are out of range, and the last. */
    for (int plus = 0; plus < 3; plus++) {
        FE limit = FE_(modulus);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(plus == 2 ? 0xff : limit.l[i / 8] >> (8 * (i % 8)));
        bytes[0] = (uint8_t)(bytes[0] + (plus == 1 ? 1 : 0));
        for (int montgomery = 0; montgomery < 2; montgomery++) {
            element = FE_(one);
            assert_false(FE_(from_bytes)(&element, bytes, montgomery));
            assert_true(FE_(is_zero)(&element));
        }
    }
    /* The last integer in range. */
    FE limit = FE_(modulus);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(limit.l[i / 8] >> (8 * (i % 8)));
    bytes[0]--;
    assert_true(FE_(from_bytes)(&element, bytes, false));
    FE_(to_bytes)(back, &element, false);
    assert_memory_equal(back, bytes, sizeof bytes);
}

/* An integer that is not reduced stands for its residue: x + k modulus gives what x gives. */
static void FE_(test_wide_integers)(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ROWS; i++) {
        uint64_t wide[N_LIMBS];
        memcpy(wide, FE_ROWS[i][0], sizeof wide);
        for (;;) {
            uint64_t carry = 0;
            for (size_t k = 0; k < N_LIMBS; k++)
                wide[k] = pail_add_carry(wide[k], FE_(modulus).l[k], &carry);
            if (carry != 0)
                break;
            FE element;
            FE_(from_integer)(&element, wide);
            FE_(assert_is)(&element, FE_ROWS[i][0]);
        }
    }
}

static void FE_(test_inverses)(void **state)
{
    (void)state;
    struct pail_rng rng;
    pail_rng_init(&rng, 1);
    for (size_t i = 0; i < 20000; i++) {
        uint64_t integer[N_LIMBS] = {0};
        /* Numbers of every length, down to 1. */
        for (size_t k = 0; k < N_LIMBS - i % N_LIMBS; k++)
            integer[k] = pail_rng_next(&rng) >> i % 61;
        integer[0] |= 1;
        FE element, inverse;
        FE_(from_integer)(&element, integer);
        FE_(inv)(&inverse, &element);
        FE_(mul)(&element, &element, &inverse);
        assert_true(FE_(equal)(&element, &FE_(one)));
    }
}

static void FE_(test_batch_inverse)(void **state)
{
    (void)state;
    FE elements[N_ROWS], inverses[N_ROWS], scratch[N_ROWS];
    for (size_t n = 0; n <= N_ROWS; n++) { /* with zeros among them */
        for (size_t i = 0; i < n; i++)
            FE_(from_integer)(&elements[i], FE_ROWS[i][0]);
        memcpy(inverses, elements, n * sizeof inverses[0]);
        FE_(batch_inv)(inverses, scratch, n);
        for (size_t i = 0; i < n; i++)
            FE_(assert_is)(&inverses[i], FE_ROWS[i][5]);
    }
}

#undef FE_
#undef N_ROWS
#undef N_LIMBS
