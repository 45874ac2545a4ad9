/* SPDX-License-Identifier: Apache-2.0 */
/* The fast tables against the plain ones: every function that it replaces, in every group, and its
 * self-test.
 */
#include <curves/fast.h>

#include "support/test.h"
#include <curves/fold.h>
#include <curves/rng.h>

enum { GROUPS = 4, POINTS = 60, SHIFTS = 20, POINT_WORDS = sizeof(pail_point) / sizeof(uint32_t) };

static const struct pail_curve_ops *table(size_t i)
{
    return pail_curve_ops(1 + (uint32_t)i / 2, 1 + i % 2);
}

/* Words of ones, of zeros, and any. */
static void draw(struct pail_rng *rng, uint8_t *bytes, size_t n)
{
    const uint64_t pattern = pail_rng_next(rng);
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t kind = pattern >> (i / 8 * 2 % 64) & 3, any = pail_rng_next(rng);
        const uint64_t word = kind == 0 ? UINT64_MAX : kind == 1 ? any >> 63 : any;
        memcpy(bytes + i, &word, sizeof word);
    }
}

/* Coordinates of all kinds, with ZZ = 1 or any. No formula asks for b, so each point is on a curve
 * of its own; the first ones are infinity, once with other coordinates left over, and one point of
 * the group with its double, its triple, and their opposites. */
static void make_points(const struct pail_curve_ops *ops, pail_point points[POINTS])
{
    struct pail_rng rng;
    pail_affine affine;
    pail_rng_init(&rng, 31);
    ops->generator(&affine);
    points[0] = points[1] = (pail_point){{0}};
    memcpy(points[1].limbs, &affine, ops->affine_bytes);
    ops->from_affine(&points[2], &affine);
    ops->dbl(&points[3], &points[2]);
    ops->add(&points[4], &points[3], &points[2]);
    ops->add(&points[5], &points[4], &points[3]);
    ops->neg(&points[6], &points[4]);
    ops->add(&points[6], &points[6], &points[5]); /* the double once more, with another ZZ */
    assert_true(ops->equal(&points[3], &points[6]));
    for (size_t i = 7; i < 12; i++)
        ops->neg(&points[i], &points[i - 5]);
    for (size_t i = 12; i < POINTS; i++) {
        uint8_t bytes[sizeof affine];
        do {
            draw(&rng, bytes, 2 * ops->coordinate_bytes);
            for (size_t end = ops->coordinate_bytes / ops->group; end <= 2 * ops->coordinate_bytes;
                 end += ops->coordinate_bytes / ops->group)
                bytes[end - 1] &= i % 3 == 0 ? 0x0f : 0x3f;
        } while (!ops->decode(&affine, bytes, true));
        ops->from_affine(&points[i], &affine);
        for (size_t k = 0; k < i % 4; k++)
            ops->dbl(&points[i], &points[i]);
    }
}

/* The same point, and as good for what comes next: ZZ^3 = ZZZ^2 shows in sums. */
static void assert_same(const struct pail_curve_ops *ops, const pail_point *got,
                        const pail_point *want)
{
    pail_affine generator;
    pail_point after_got, after_want;
    assert_int_equal(ops->is_infinity(got), ops->is_infinity(want));
    assert_true(ops->equal(got, want));
    ops->generator(&generator);
    ops->add_affine(&after_got, got, &generator);
    ops->add_affine(&after_want, want, &generator);
    assert_true(ops->equal(&after_got, &after_want));
}

/* The first test of this program: nobody has asked for a table yet. */
PAIL_TEST(nothing_is_known_before_a_test)
{
    for (size_t i = 0; i < GROUPS; i++)
        assert_ptr_equal(pail_fast_known_ops(table(i)), table(i));
}

PAIL_TEST(sums)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i), *fast = pail_fast_ops(ops, NULL);
        static pail_point points[POINTS];
        make_points(ops, points);
        for (size_t a = 0; a < POINTS; a++) {
            for (size_t b = 0; b < POINTS; b++) {
                pail_point want, got;
                ops->add(&want, &points[a], &points[b]);
                fast->add(&got, &points[a], &points[b]);
                assert_same(ops, &got, &want);
                got = points[a];
                fast->add(&got, &got, &points[b]);
                assert_true(ops->equal(&got, &want));
                got = points[b];
                fast->add(&got, &points[a], &got);
                assert_true(ops->equal(&got, &want));
            }
            pail_point twice = points[a], want;
            ops->dbl(&want, &points[a]);
            fast->add(&twice, &twice, &twice);
            assert_same(ops, &twice, &want);
        }
    }
}

PAIL_TEST(doublings)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i), *fast = pail_fast_ops(ops, NULL);
        static pail_point points[POINTS];
        make_points(ops, points);
        for (size_t a = 0; a < POINTS; a++) {
            pail_point want = points[a], got;
            for (uint32_t n = 0; n < SHIFTS; n++) {
                fast->dbl_times(&got, &points[a], n);
                assert_same(ops, &got, &want);
                got = points[a];
                fast->dbl_times(&got, &got, n);
                assert_true(ops->equal(&got, &want));
                ops->dbl_times(&got, &points[a], n);
                assert_memory_equal(&got, &want, 2 * ops->affine_bytes);
                fast->dbl(&got, &want);
                ops->dbl(&want, &want);
                assert_same(ops, &got, &want);
            }
        }
    }
}

/* Words of points in every radix; and each part of each coordinate at p - 1, p and beyond. */
PAIL_TEST(words)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i), *fast = pail_fast_ops(ops, NULL);
        const size_t element = ops->coordinate_bytes / ops->group / sizeof(uint32_t);
        static pail_point points[POINTS];
        make_points(ops, points);
        for (int r = PAIL_FORM_X32; r < PAIL_FORM_COUNT; r++) {
            const enum pail_field_form form = (enum pail_field_form)r;
            uint32_t one[POINT_WORDS], edge[POINT_WORDS];
            pail_point want, got;
            for (size_t a = 0; a < POINTS; a++) {
                ops->to_words(one, &points[a], form);
                assert_true(fast->from_words(&got, one, form));
                assert_same(ops, &got, &points[a]);
            }
            /* p, as bytes of -1 and one more: y = -1 of an encoding that is not Montgomery's. */
            uint8_t bytes[sizeof(pail_affine)] = {1};
            pail_affine affine;
            memset(&affine, 0, sizeof affine);
            bytes[ops->coordinate_bytes] = 1;
            assert_true(ops->decode(&affine, bytes, true));
            ops->affine_neg(&affine, &affine);
            ops->encode(bytes, &affine, true); /* y = p - 1 */
            for (size_t at = 0; at < 4 * ops->group; at++) {
                for (uint32_t beyond = 0; beyond < 3; beyond++) {
                    memcpy(edge, one, sizeof edge);
                    memcpy(edge + at * element, bytes + ops->coordinate_bytes,
                           element * sizeof(uint32_t));
                    edge[at * element] += beyond; /* p ends in no word of ones */
                    memset(&got, 0xaa, sizeof got);
                    const bool below = ops->from_words(&want, edge, form);
                    assert_int_equal(below, beyond == 0);
                    assert_int_equal(fast->from_words(&got, edge, form), below);
                    assert_true(below || ops->is_infinity(&got));
                }
                memset(edge + at * element, 0xff, element * sizeof(uint32_t));
                assert_false(fast->from_words(&got, edge, form));
                assert_true(ops->is_infinity(&got));
            }
        }
    }
}

/* Whole folds, of points of the group and of infinity, and the bad one that both find first. */
PAIL_TEST(folds)
{
    enum { LISTS = 2, ROWS = 6 };
    static const uint32_t shapes[][3] = {{1, 16, 6}, {2, 7, 3}, {3, 5, 1}, {6, 1, 1}};
    struct pail_rng rng;
    pail_rng_init(&rng, 77);
    for (size_t i = 0; i < GROUPS; i++) {
        const struct pail_curve_ops *ops = table(i), *fast = pail_fast_ops(ops, NULL);
        const size_t point_words = ops->coordinate_bytes;
        static uint32_t all[LISTS * ROWS * POINT_WORDS];
        pail_point points[LISTS * ROWS], want, got;
        for (size_t round = 0; round < 12; round++) {
            const uint32_t *shape = shapes[round % 4];
            const enum pail_field_form form = (enum pail_field_form)(PAIL_FORM_X32 + round % 3);
            const size_t n = LISTS * shape[0] * shape[2];
            for (size_t k = 0; k < n; k++) {
                const pail_u256 multiple = {{pail_rng_next(&rng) % 4}};
                pail_affine generator;
                ops->generator(&generator);
                ops->from_affine(&points[k], &generator);
                ops->mul(&points[k], &points[k], &multiple);
                if (pail_rng_next(&rng) % 2 == 0)
                    ops->neg(&points[k], &points[k]);
                ops->to_words(all + k * point_words, &points[k], form);
            }
            size_t bad = 99, bad_want = 99;
            assert_true(
                pail_fold(ops, &want, &bad, all, LISTS, shape[0], shape[1], shape[2], form));
            assert_true(
                pail_fold(fast, &got, &bad, all, LISTS, shape[0], shape[1], shape[2], form));
            assert_same(ops, &got, &want);
            if (shape[2] == 1) {
                pail_fold_points(fast, &got, points, LISTS, shape[0], shape[1]);
                assert_same(ops, &got, &want);
            }
            for (size_t k = 0; k < 2; k++) {
                const size_t at = pail_rng_next(&rng) % n;
                memset(all + at * point_words, 0xff, 4 * point_words);
            }
            assert_false(
                pail_fold(ops, &want, &bad_want, all, LISTS, shape[0], shape[1], shape[2], form));
            assert_false(
                pail_fold(fast, &got, &bad, all, LISTS, shape[0], shape[1], shape[2], form));
            assert_int_equal(bad, bad_want);
            assert_true(ops->is_infinity(&got));
        }
    }
}

/* ---- The self-test ----------------------------------------------------------------------------
 */
static const struct pail_curve_ops *right;

static void wrong_bit(pail_point *r, const pail_point *p)
{
    right->dbl(r, p);
    r->limbs[0] ^= 1;
}

static void one_too_many(pail_point *r, const pail_point *p, uint32_t n)
{
    right->dbl_times(r, p, n == 3 ? 4 : n);
}

static void forgets_doubling(pail_point *r, const pail_point *p, const pail_point *q)
{
    const bool equal = right->equal(p, q);
    right->add(r, p, q);
    if (equal)
        *r = (pail_point){{0}};
}

static void forgets_infinity(pail_point *r, const pail_point *p, const pail_point *q)
{
    const bool infinite = right->is_infinity(q);
    right->add(r, p, q);
    if (infinite)
        *r = (pail_point){{0}};
}

/* The same x and y, but no longer ZZ^3 = ZZZ^2: Y and ZZZ read with a radix that is not theirs. */
static void wrong_zzz(pail_point *r, const pail_point *p, const pail_point *q)
{
    const size_t limbs = right->coordinate_bytes / sizeof(uint64_t);
    uint32_t scaled_words[POINT_WORDS];
    pail_point scaled;
    right->add(r, p, q);
    right->to_words(scaled_words, r, PAIL_FORM_X32);
    (void)right->from_words(&scaled, scaled_words, PAIL_FORM_X29);
    memcpy(r->limbs + limbs, scaled.limbs + limbs, right->coordinate_bytes);
    memcpy(r->limbs + 3 * limbs, scaled.limbs + 3 * limbs, right->coordinate_bytes);
}

static bool takes_all(pail_point *r, const uint32_t *w, enum pail_field_form form)
{
    (void)right->from_words(r, w, form);
    return true;
}

static bool one_form(pail_point *r, const uint32_t *w, enum pail_field_form form)
{
    return right->from_words(r, w, form == PAIL_FORM_D51 ? PAIL_FORM_X29 : form);
}

PAIL_TEST(self_test)
{
    for (size_t i = 0; i < GROUPS; i++) {
        right = table(i);
        assert_true(pail_fast_test(right, right));
        assert_true(pail_fast_test(pail_fast_ops(right, NULL), right));
        struct pail_curve_ops broken[7];
        for (size_t k = 0; k < 7; k++)
            broken[k] = *right;
        broken[0].dbl = wrong_bit;
        broken[1].dbl_times = one_too_many;
        broken[2].add = forgets_doubling;
        broken[3].add = forgets_infinity;
        broken[4].add = wrong_zzz;
        broken[5].from_words = takes_all;
        broken[6].from_words = one_form;
        for (size_t k = 0; k < 7; k++)
            assert_false(pail_fast_test(&broken[k], right));
    }
}

PAIL_TEST(choice)
{
    for (size_t i = 0; i < GROUPS; i++) {
        bool failed = true;
        const struct pail_curve_ops *ops = table(i), *fast = pail_fast_ops(ops, &failed);
        assert_ptr_equal(pail_fast_known_ops(ops), fast);
        assert_false(failed);
        assert_int_equal(fast != ops, pail_fast_has_adx());
        assert_ptr_equal(pail_fast_ops(ops, NULL), fast);
        assert_int_equal(fast->curve, ops->curve);
        assert_int_equal(fast->group, ops->group);
        assert_ptr_equal(fast->to_affine, ops->to_affine);
        struct pail_curve_ops other = *ops; /* a curve of which nothing is known here */
        other.curve = 99;
        failed = true;
        assert_ptr_equal(pail_fast_ops(&other, &failed), &other);
        assert_ptr_equal(pail_fast_known_ops(&other), &other);
        assert_false(failed);
    }
}
