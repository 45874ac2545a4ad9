/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up inputs: the generator's known numbers, what each distribution promises, and that bases
 * and their logarithms agree. */
#include <curves/inputs.h>

#include "support/test.h"
#include <curves/rng.h>

static const uint32_t groups[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
enum { N_GROUPS = sizeof groups / sizeof groups[0] };
static size_t chosen; /* the group that is tested */

static const struct pail_curve_ops *ops(void)
{
    return pail_curve_ops(groups[chosen][0], groups[chosen][1]);
}

/* First numbers of xoshiro256** from the state {1, 2, 3, 4}, and of splitmix64 from 1234567, as
 * their authors' programs print them. */
PAIL_TEST(generator)
{
    struct pail_rng rng = {{1, 2, 3, 4}};
    const uint64_t want[] = {11520, 0, 1509978240, 1215971899390074240};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        assert_int_equal(pail_rng_next(&rng), want[i]);
    pail_rng_init(&rng, 1234567);
    const uint64_t seeds[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                              UINT64_C(9817491932198370423), UINT64_C(4593380528125082431)};
    assert_memory_equal(rng.state, seeds, sizeof seeds);
}

/* Chi-square of 4-bit digits at both ends of the numbers: 15 degrees of freedom, 99.99 % below 44.
 */
PAIL_TEST(no_bias)
{
    enum { N = 20000, BOUND = 16 };
    struct pail_rng rng;
    pail_rng_init(&rng, 5);
    size_t low[BOUND] = {0}, high[BOUND] = {0}, below[BOUND] = {0};
    for (size_t i = 0; i < N; i++) {
        const uint64_t x = pail_rng_next(&rng);
        low[x % BOUND]++;
        high[x >> 60]++;
        below[pail_rng_below(&rng, BOUND)]++;
    }
    double squares[3] = {0};
    const double mean = (double)N / BOUND;
    for (size_t i = 0; i < BOUND; i++) {
        const size_t counts[3] = {low[i], high[i], below[i]};
        for (size_t k = 0; k < 3; k++) {
            const double off = (double)counts[k] - mean;
            squares[k] += off * off / mean;
        }
    }
    for (size_t k = 0; k < 3; k++)
        assert_true(squares[k] < 44);
}

PAIL_TEST(names)
{
    for (int i = 0; i < PAIL_SCALARS_COUNT; i++)
        assert_non_null(pail_scalar_dist_name((enum pail_scalar_dist)i));
    for (int i = 0; i < PAIL_BASES_COUNT; i++)
        assert_non_null(pail_base_kind_name((enum pail_base_kind)i));
    assert_null(pail_scalar_dist_name(PAIL_SCALARS_COUNT));
    assert_null(pail_base_kind_name(PAIL_BASES_COUNT));
}

static int compare(const pail_u256 *a, const pail_u256 *b)
{
    for (size_t i = 4; i-- > 0;)
        if (a->l[i] != b->l[i])
            return a->l[i] < b->l[i] ? -1 : 1;
    return 0;
}

PAIL_TEST(distributions)
{
    enum { N = 4000 };
    static uint8_t scalars[32 * N], again[32 * N];
    for (int dist = 0; dist < PAIL_SCALARS_COUNT; dist++) {
        pail_make_scalars(ops(), scalars, N, (enum pail_scalar_dist)dist, 3);
        pail_make_scalars(ops(), again, N / 2, (enum pail_scalar_dist)dist, 3);
        assert_memory_equal(scalars, again, sizeof again / 2); /* a prefix of the same sequence */
        size_t zeros = 0, ones = 0, below_16 = 0, below_r = 0, as_first = 0, r_or_more = 0;
        size_t as_hottest = 0;
        pail_u256 first = {{0}}, hottest = {{0}};
        for (size_t i = 0; i < N; i++) {
            pail_u256 k, limit = {{16}}, one = {{1}}, zero = {{0}};
            pail_u256_from_bytes(&k, scalars + 32 * i);
            if (i == 0)
                first = k;
            for (size_t back = 1; back < 8 && back <= i; back++)
                if (memcmp(scalars + 32 * i, scalars + 32 * (i - back), 32) == 0)
                    hottest = k;
            zeros += compare(&k, &zero) == 0;
            ones += compare(&k, &one) == 0;
            below_16 += compare(&k, &limit) < 0;
            below_r += compare(&k, &ops()->order) < 0;
            r_or_more += compare(&k, &ops()->order) >= 0;
            as_first += compare(&k, &first) == 0;
            as_hottest += compare(&k, &hottest) == 0;
        }
        switch ((enum pail_scalar_dist)dist) {
        case PAIL_SCALARS_UNIFORM:
            assert_int_equal(below_r, N);
            assert_int_equal(below_16, 0);
            assert_int_equal(as_first, 1);
            break;
        case PAIL_SCALARS_ZERO:
            assert_int_equal(zeros, N);
            break;
        case PAIL_SCALARS_ONE:
            assert_int_equal(ones, N);
            break;
        case PAIL_SCALARS_EQUAL:
            assert_int_equal(as_first, N);
            assert_int_equal(below_16, 0);
            break;
        case PAIL_SCALARS_BITS01:
            assert_int_equal(zeros + ones, N);
            assert_in_range(zeros, N / 2 - 200, N / 2 + 200);
            break;
        case PAIL_SCALARS_SMALL:
            assert_int_equal(below_16, N);
            assert_in_range(zeros, N / 16 - 75, N / 16 + 75);
            break;
        case PAIL_SCALARS_BITS256:
            assert_in_range(r_or_more, N * 3 / 4, N * 7 / 8); /* 1 - r / 2^256 is 0.81 */
            break;
        case PAIL_SCALARS_EDGE:
            assert_in_range(zeros, N / 8 - 120, N / 8 + 120);
            assert_in_range(ones, N / 8 - 120, N / 8 + 120);
            assert_in_range(r_or_more, N * 5 / 8 - 200, N * 5 / 8 + 200);
            break;
        case PAIL_SCALARS_HOT:
            assert_in_range(as_hottest, N / 2 - 200, N / 2 + 200);
            assert_int_equal(below_r, N);
            break;
        case PAIL_SCALARS_SHA:
            assert_int_equal(zeros + ones, N);
            assert_in_range(ones, N * 43 / 100 - 150, N * 43 / 100 + 150);
            break;
        case PAIL_SCALARS_COUNT:
            break;
        }
    }
}

/* Every base is its logarithm times G, also in the second and third block of 256, from any start.
 */
static void bases_from(enum pail_base_kind kind, uint64_t first, bool montgomery)
{
    enum { N = 700 };
    static uint8_t points[sizeof(pail_affine) * N];
    const size_t some[] = {0, 1, 2, 3, 4, 254, 255, 256, 257, 511, 512, 513, 699};
    const size_t size = 2 * ops()->coordinate_bytes;
    pail_affine g;
    pail_point generator_point;
    ops()->generator(&g);
    ops()->from_affine(&generator_point, &g);
    pail_make_bases(ops(), points, montgomery, first, N, kind, 8);
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        const uint8_t *base = points + size * some[i];
        pail_u256 log;
        pail_point want;
        uint8_t bytes[sizeof g];
        assert_true(ops()->decode(&g, base, montgomery));
        assert_true(ops()->on_curve(&g));
        if (!ops()->affine_is_infinity(&g))
            assert_int_equal(ops()->in_subgroup(&g), pail_base_kind_in_group(ops(), kind));
        if (pail_base_kind_in_group(ops(), kind)) {
            pail_base_log(ops(), &log, first + some[i], kind, 8);
            ops()->mul(&want, &generator_point, &log);
            ops()->to_affine(&g, &want);
            ops()->encode(bytes, &g, montgomery);
            assert_memory_equal(base, bytes, size);
        }
    }
}

PAIL_TEST(bases)
{
    const uint64_t firsts[] = {0, 1, 2, 999, UINT64_C(1) << 40};
    for (chosen = 0; chosen < N_GROUPS; chosen++) {
        for (int kind = 0; kind < PAIL_BASES_COUNT; kind++) {
            const size_t step = chosen == 0 ? 1 : 3;
            for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f += step)
                bases_from((enum pail_base_kind)kind, firsts[f], f % 2 == 1);
        }
    }
    chosen = 0;
}

static void closed_form_of(enum pail_base_kind kind, uint64_t first)
{
    enum { N = 40 };
    uint8_t points[sizeof(pail_affine) * N], scalars[32 * N];
    pail_make_bases(ops(), points, false, first, N, kind, 1);
    pail_make_scalars(ops(), scalars, N, PAIL_SCALARS_BITS256, 2);
    pail_point sum = {{0}}, want;
    for (size_t i = 0; i < N; i++) {
        pail_affine base;
        pail_point term;
        pail_u256 k;
        assert_true(ops()->decode(&base, points + 2 * ops()->coordinate_bytes * i, false));
        pail_u256_from_bytes(&k, scalars + 32 * i);
        ops()->from_affine(&term, &base);
        ops()->mul(&term, &term, &k);
        ops()->add(&sum, &sum, &term);
    }
    pail_expected_msm(ops(), &want, scalars, first, N, kind, 1);
    assert_true(ops()->equal(&sum, &want));
}

PAIL_TEST(closed_form)
{
    for (chosen = 0; chosen < N_GROUPS; chosen++) {
        for (int kind = 0; kind < PAIL_BASES_COUNT; kind++) {
            closed_form_of((enum pail_base_kind)kind, 5);
            closed_form_of((enum pail_base_kind)kind, UINT64_C(1) << 63);
        }
    }
    chosen = 0;
}

/* Blocks follow one another, and differ. */
PAIL_TEST(blocks)
{
    enum { N = 2 * PAIL_SCALARS_BLOCK + 3 };
    static uint8_t all[32 * N], block[32 * PAIL_SCALARS_BLOCK];
    const size_t bytes = sizeof(block);
    for (int dist = PAIL_SCALARS_UNIFORM; dist < PAIL_SCALARS_COUNT; dist++) {
        pail_make_scalars(ops(), all, N, (enum pail_scalar_dist)dist, 7);
        for (size_t b = 0; b < 2; b++) {
            pail_make_scalar_block(ops(), block, b, PAIL_SCALARS_BLOCK, (enum pail_scalar_dist)dist,
                                   7);
            assert_memory_equal(block, all + b * bytes, bytes);
        }
        pail_make_scalar_block(ops(), block, 2, 3, (enum pail_scalar_dist)dist, 7);
        assert_memory_equal(block, all + 2 * bytes, 96);
        const bool constant =
            dist == PAIL_SCALARS_ZERO || dist == PAIL_SCALARS_ONE || dist == PAIL_SCALARS_EQUAL;
        assert_true((memcmp(all, all + bytes, bytes) == 0) == constant);
    }
}
