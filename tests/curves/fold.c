/* SPDX-License-Identifier: Apache-2.0 */
/* The window fold: words as a device writes them, in both radices, against one scalar multiple. */
#include <curves/fold.h>

#include "support/test.h"
#include <curves/bn254.h>
#include <curves/fast.h>

enum { WINDOWS = 6, LISTS = 3, WORDS = 32 };

static bool fast; /* by pail_fast_ops */

static const struct pail_curve_ops *ops(void)
{
    const struct pail_curve_ops *table = pail_curve_ops(1, 1);
    return fast ? pail_fast_ops(table, NULL) : table;
}

static pail_point multiple(uint64_t k)
{
    pail_affine g;
    pail_point p;
    const pail_u256 wide = {{k}};
    ops()->generator(&g);
    ops()->from_affine(&p, &g);
    ops()->mul(&p, &p, &wide);
    return p;
}

/* A point as words, Montgomery in the given radix: each coordinate times radix, by way of the
 * factor radix R / 2^256 (R = 2^256 is the CPU's own). */
static void write_words(uint32_t words[WORDS], const pail_point *p, enum pail_field_form form)
{
    const uint64_t shift[4] = {form == PAIL_FORM_X29 ? 32 : 1}; /* 2^261 = 32 * 2^256 */
    pail_bn254_fp factor;
    pail_bn254_fp_from_integer(&factor, shift);
    for (size_t c = 0; c < 4; c++) {
        pail_bn254_fp coordinate;
        memcpy(coordinate.l, p->limbs + 4 * c, sizeof coordinate.l);
        pail_bn254_fp_mul(&coordinate, &coordinate, &factor);
        for (size_t i = 0; i < 8; i++)
            words[8 * c + i] = (uint32_t)(coordinate.l[i / 2] >> (32 * (i % 2)));
    }
}

/* multiples[list][w parts + k] G as parts of window sums; the fold has to give the sum of multiples
 * 2^(c w + 3 k) G. */
static void check_parts(const int64_t multiples[LISTS][WINDOWS], size_t lists, size_t windows,
                        uint32_t c, uint32_t parts)
{
    uint32_t words[LISTS * WINDOWS * WORDS];
    pail_point points[LISTS * WINDOWS], got;
    pail_u256 want = {{0}};
    for (size_t list = 0; list < lists; list++) {
        for (size_t i = 0; i < windows * parts; i++) {
            const size_t bits = c * (i / parts) + PAIL_FOLD_PART_BITS * (i % parts);
            const int64_t k = multiples[list][i];
            pail_point p = multiple(k < 0 ? (uint64_t)-k : (uint64_t)k);
            pail_u256 term = {{k < 0 ? (uint64_t)-k : (uint64_t)k}}, two = {{2}};
            if (k < 0) {
                ops()->neg(&p, &p);
                ops()->scalar_neg(&term, &term);
            }
            for (size_t bit = 0; bit < bits; bit++)
                ops()->scalar_mul(&term, &term, &two);
            ops()->scalar_add(&want, &want, &term);
            points[list * windows * parts + i] = p;
        }
    }
    pail_point expected = multiple(1);
    ops()->mul(&expected, &expected, &want);
    size_t bad = 77;
    for (int form = PAIL_FORM_X32; form <= PAIL_FORM_X29; form++) {
        for (size_t i = 0; i < lists * windows * parts; i++)
            write_words(words + i * WORDS, &points[i], (enum pail_field_form)form);
        assert_true(pail_fold(ops(), &got, &bad, words, lists, windows, c, parts,
                              (enum pail_field_form)form));
        assert_true(ops()->equal(&got, &expected));
    }
    if (parts == 1) {
        pail_fold_points(ops(), &got, points, lists, windows, c);
        assert_true(ops()->equal(&got, &expected));
    }
    assert_int_equal(bad, 77);
}

static void check(const int64_t multiples[LISTS][WINDOWS], size_t lists, size_t windows, uint32_t c)
{
    for (uint32_t parts = 1; parts <= WINDOWS && 3 * (parts - 1) <= c; parts++)
        check_parts(multiples, lists, windows / parts, c, parts);
}

PAIL_TEST(ordinary)
{
    const int64_t multiples[LISTS][WINDOWS] = {
        {1, 2, 3, 4, 5, 6}, {7, -8, 9, 10, -11, 12}, {100, 200, 300, 400, 500, -600}};
    for (uint32_t c = 1; c < 17; c += 5) {
        for (size_t lists = 0; lists <= LISTS; lists++)
            for (size_t windows = 0; windows <= WINDOWS; windows++)
                check(multiples, lists, windows, c);
    }
}

PAIL_TEST(exceptional)
{
    const int64_t cases[][LISTS][WINDOWS] = {
        {{0}, {0}, {0}},                                     /* infinity throughout */
        {{1, 2, 3, 0, 0, 0}, {0}, {0}},                      /* empty top windows */
        {{0, 0, 0, 0, 0, 1}, {0}, {0}},                      /* the top one alone */
        {{5, 5, 5, 5, 5, 5}, {5, 5, 5, 5, 5, 5}, {5, 5}},    /* equal sums in several lists */
        {{1, -2, 3, 4, 5, 6}, {-1, 2, -3, -4, -5, -6}, {0}}, /* opposite ones */
        {{-8, 1}, {0}, {0}},                                 /* Horner meets P - P: c = 3 */
        {{8, 1}, {0}, {0}},                                  /* and P + P */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check(cases[i], LISTS, WINDOWS, 3);
        check(cases[i], LISTS, WINDOWS, 13);
    }
}

PAIL_TEST(bad_words)
{
    uint32_t words[2 * 3 * WORDS];
    pail_point p = multiple(3), got = p;
    for (size_t i = 0; i < 6; i++)
        write_words(words + i * WORDS, &p, PAIL_FORM_X32);
    for (size_t coordinate = 0; coordinate < 4; coordinate++) {
        uint32_t copy[2 * 3 * WORDS];
        memcpy(copy, words, sizeof copy);
        memset(copy + 4 * WORDS + 8 * coordinate, 0xff, 32);
        size_t bad = 0;
        assert_false(pail_fold(ops(), &got, &bad, copy, 2, 3, 5, 1, PAIL_FORM_X32));
        assert_int_equal(bad, 4);
        assert_true(ops()->is_infinity(&got));
    }
}

/* Sums of multiples by few points, of both groups: every digit, none, and 256 bits. */
PAIL_TEST(multiples)
{
    static const pail_u256 scalars[] = {
        {{0}},
        {{1}},
        {{7}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
        {{0xfac688fac688fac6, 0x8fac688fac688fac, 0x1234567890abcdef, 0xe000000000000000}},
        {{0, 0, 0, 0x2000000000000000}},
    };
    enum { N = sizeof scalars / sizeof scalars[0] };
    for (uint32_t curve = 1; curve <= 2; curve++) {
        for (uint32_t group = 1; group <= 2; group++) {
            const struct pail_curve_ops *const plain = pail_curve_ops(curve, group);
            const struct pail_curve_ops *const table = fast ? pail_fast_ops(plain, NULL) : plain;
            pail_affine g;
            pail_point points[3] = {{{0}}};
            plain->generator(&g);
            plain->from_affine(&points[1], &g);
            plain->dbl_times(&points[2], &points[1], 5);
            for (size_t i = 0; i < N * N; i++) {
                for (size_t k = 0; k < 2; k++) { /* infinity first, and both the same */
                    const pail_u256 by[] = {scalars[i / N], scalars[i % N]};
                    pail_point got, terms[2], want;
                    plain->mul(&terms[0], &points[k], &by[0]);
                    plain->mul(&terms[1], &points[k + 1], &by[1]);
                    plain->add(&want, &terms[0], &terms[1]);
                    pail_fold_multiples(table, &got, points + k, by, 2);
                    assert_true(plain->equal(&got, &want));
                    pail_fold_multiples(table, &got, points + k, by, 1);
                    assert_true(plain->equal(&got, &terms[0]));
                }
            }
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
