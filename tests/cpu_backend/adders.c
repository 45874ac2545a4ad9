/* SPDX-License-Identifier: Apache-2.0 */
/* The adders of the CPU backend against host/base/curves, pair by pair; the self-test, and the
 * choice.
 */
#include <cpu/adders.h>

#include "support/test.h"
#include <curves/inputs.h>
#include <curves/rng.h>

enum { POINTS = 96, AFFINE_MAX = sizeof(pail_affine) };

static const struct pail_cpu_adder *chosen;
static enum pail_cpu_arithmetic chosen_arithmetic;

static const struct pail_curve_ops *ops(void)
{
    return pail_curve_ops(chosen->curve, chosen->group);
}

struct field {
    unsigned char *block, *inputs, *sums, *scratch;
    struct pail_cpu_pair *pairs;
    pail_affine points[POINTS];
};

static size_t rounded_up(size_t bytes)
{
    return (bytes + PAIL_CPU_ALIGNMENT - 1) / PAIL_CPU_ALIGNMENT * PAIL_CPU_ALIGNMENT;
}

/* The inputs in the adder's form; nothing of the rest is zero. */
static void begin(struct field *f, enum pail_base_kind kind, uint64_t seed)
{
    const size_t inputs = rounded_up(POINTS * chosen->point_bytes);
    const size_t sums = rounded_up((chosen->batch + 1) * chosen->point_bytes);
    const size_t bytes = inputs + sums + chosen->scratch_bytes;
    uint8_t *encoded = malloc(2 * ops()->coordinate_bytes * POINTS);
    f->block = aligned_alloc(PAIL_CPU_ALIGNMENT, rounded_up(bytes));
    f->pairs = malloc(chosen->batch * sizeof *f->pairs);
    assert_non_null(encoded);
    assert_non_null(f->block);
    assert_non_null(f->pairs);
    memset(f->block, 0xaa, rounded_up(bytes));
    f->inputs = f->block;
    f->sums = f->block + inputs;
    f->scratch = f->sums + sums;
    pail_make_bases(ops(), encoded, false, 0, POINTS, kind, seed);
    for (size_t i = 0; i < POINTS; i++) {
        assert_true(ops()->decode(&f->points[i], encoded + 2 * ops()->coordinate_bytes * i, false));
        chosen->import(f->inputs + i * chosen->point_bytes, f->points[i].limbs, 1);
    }
    free(encoded);
}

static void end(struct field *f)
{
    free(f->block);
    free(f->pairs);
}

static void operand(const struct field *f, pail_point *r, uint32_t which)
{
    ops()->from_affine(r, &f->points[which / 2]);
    if (which % 2 == 1)
        ops()->neg(r, r);
}

static void assert_point(const unsigned char *stored, const pail_point *want)
{
    pail_affine got, affine;
    uint8_t got_bytes[AFFINE_MAX] = {0}, want_bytes[AFFINE_MAX] = {0};
    chosen->export(&got, stored);
    ops()->to_affine(&affine, want);
    ops()->encode(got_bytes, &got, false);
    ops()->encode(want_bytes, &affine, false);
    assert_memory_equal(got_bytes, want_bytes, sizeof got_bytes);
    assert_int_equal(pail_cpu_is_infinity(stored, chosen->point_bytes), ops()->is_infinity(want));
}

/* Adds n pairs and compares all sums. */
static void add_and_compare(struct field *f, size_t n)
{
    unsigned char untouched[AFFINE_MAX * 2];
    memset(untouched, 0xaa, sizeof untouched);
    memset(f->sums, 0xaa, (chosen->batch + 1) * chosen->point_bytes);
    chosen->add(f->sums, f->inputs, f->inputs, f->pairs, n, f->scratch);
    for (size_t i = 0; i < n; i++) {
        pail_point want, q;
        operand(f, &want, f->pairs[i].p);
        operand(f, &q, f->pairs[i].q);
        ops()->add(&want, &want, &q);
        assert_point(f->sums + f->pairs[i].to * chosen->point_bytes, &want);
    }
    /* Lanes beyond the last pair write nothing. */
    assert_memory_equal(f->sums + n * chosen->point_bytes, untouched, chosen->point_bytes);
}

/* Imported one by one or together, points are the same; and one that is not on the curve is found,
 * whatever its lane. */
PAIL_TEST(imports)
{
    struct field f;
    begin(&f, PAIL_BASES_DISTINCT, 23);
    unsigned char *const packed = malloc(POINTS * AFFINE_MAX);
    unsigned char *const points = malloc(POINTS * chosen->point_bytes);
    assert_non_null(packed);
    assert_non_null(points);
    memset(&f.points[7], 0, sizeof f.points[7]); /* infinity is on the curve */
    for (size_t i = 0; i < POINTS; i++)
        memcpy(packed + i * ops()->affine_bytes, f.points[i].limbs, ops()->affine_bytes);
    for (size_t n = 1; n <= POINTS; n += 5) {
        memset(points, 0xaa, POINTS * chosen->point_bytes);
        chosen->import(points, packed, n);
        for (size_t i = 0; i < n; i++) {
            pail_point want;
            ops()->from_affine(&want, &f.points[i]);
            assert_point(points + i * chosen->point_bytes, &want);
        }
        for (size_t i = n * chosen->point_bytes; i < POINTS * chosen->point_bytes; i++)
            assert_int_equal(points[i], 0xaa);
        if (!chosen->off_curve)
            continue;
        assert_int_equal(chosen->off_curve(points, n), n);
        const size_t half = chosen->point_bytes / 2;
        for (size_t bad = 0; bad < n; bad += 3) {
            unsigned char *const y = points + bad * chosen->point_bytes + half, kept = y[3];
            y[3] ^= 1;
            assert_int_equal(chosen->off_curve(points, n), bad);
            assert_int_equal(chosen->off_curve(points, bad), bad);
            y[3] = kept;
        }
    }
    free(packed);
    free(points);
    end(&f);
}

PAIL_TEST(any_pairs)
{
    const size_t sizes[] = {1, 2, 7, 8, 9, 16, 61, chosen->batch - 1, chosen->batch};
    struct pail_rng rng;
    pail_rng_init(&rng, 5);
    for (int kind = 0; kind < PAIL_BASES_COUNT; kind++) {
        struct field f;
        begin(&f, (enum pail_base_kind)kind, 17);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (uint32_t i = 0; i < sizes[s]; i++) {
                f.pairs[i] = (struct pail_cpu_pair){
                    .p = (uint32_t)pail_rng_next(&rng) % (2 * POINTS),
                    .q = (uint32_t)pail_rng_next(&rng) % (2 * POINTS),
                    .to = (uint32_t)sizes[s] - 1 - i,
                };
                if (s % 2 == 0) /* nothing special, if the points are different */
                    f.pairs[i].q = (f.pairs[i].p + 2 * (1 + i % (POINTS - 1))) % (2 * POINTS);
                else if (i % 4 == 0) /* P + P or P - P */
                    f.pairs[i].q = f.pairs[i].p ^ (pail_rng_next(&rng) % 2 == 0);
            }
            add_and_compare(&f, sizes[s]);
        }
        end(&f);
    }
}

/* Only one pair of a batch is special, in each lane of a vector and of each kind. */
PAIL_TEST(one_special)
{
    enum { N = 24, KINDS = 5 };
    struct field f;
    begin(&f, PAIL_BASES_DISTINCT, 3);
    memset(f.inputs, 0, chosen->point_bytes); /* point 0 is infinity now */
    memset(&f.points[0], 0, sizeof f.points[0]);
    for (uint32_t at = 0; at < N; at++) {
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            for (uint32_t i = 0; i < N; i++) {
                f.pairs[i] = (struct pail_cpu_pair){
                    .p = 2 * (1 + i) + at % 2, .q = 2 * (40 + i) + kind % 2, .to = i};
            }
            const uint32_t p = f.pairs[at].p, special[KINDS][2] = {
                                                  {p, p},      /* twice */
                                                  {p, p ^ 1u}, /* opposite */
                                                  {0, p},      /* infinity, negated or not */
                                                  {p, 1},      {0, 1},
                                              };
            f.pairs[at].p = special[kind][0];
            f.pairs[at].q = special[kind][1];
            add_and_compare(&f, N);
        }
    }
    end(&f);
}

/* Sums as operands, doubled and added to others over and over, never leave the form. */
PAIL_TEST(sums_of_sums)
{
    enum { N = 32, ROUNDS = 60 };
    struct field f;
    pail_point want[N], next[N];
    struct pail_rng rng;
    pail_rng_init(&rng, 9);
    begin(&f, PAIL_BASES_DISTINCT, 8);
    for (size_t i = 0; i < N; i++)
        ops()->from_affine(&want[i], &f.points[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < N; i++) {
            const uint32_t q = (uint32_t)pail_rng_next(&rng) % (2 * N);
            const uint32_t p = 2 * i + pail_rng_next(&rng) % 2;
            f.pairs[i] = (struct pail_cpu_pair){.p = p, .q = q, .to = i};
            pail_point other = want[q / 2];
            next[i] = want[i];
            if (p % 2 == 1)
                ops()->neg(&next[i], &next[i]);
            if (q % 2 == 1)
                ops()->neg(&other, &other);
            ops()->add(&next[i], &next[i], &other);
        }
        chosen->add(f.inputs, f.inputs, f.inputs, f.pairs, N, f.scratch); /* in place */
        memcpy(want, next, sizeof want);
        const size_t turned = pail_rng_next(&rng) % N;
        chosen->negate(f.inputs + turned * chosen->point_bytes);
        ops()->neg(&want[turned], &want[turned]);
        for (size_t i = 0; i < N; i++)
            assert_point(f.inputs + i * chosen->point_bytes, &want[i]);
    }
    end(&f);
}

/* ---- Self-test and choice ---------------------------------------------------------------------
 */
static void wrong_lane(void *to, const void *p, const void *q, const struct pail_cpu_pair *pairs,
                       size_t n, void *scratch)
{
    chosen->add(to, p, q, pairs, n, scratch);
    unsigned char *sum = (unsigned char *)to + pairs[n - 1].to * chosen->point_bytes;
    sum[0] ^= 1;
}

static void forgets_doubling(void *to, const void *p, const void *q,
                             const struct pail_cpu_pair *pairs, size_t n, void *scratch)
{
    chosen->add(to, p, q, pairs, n, scratch);
    for (size_t i = 0; i < n; i++)
        if (pairs[i].p == pairs[i].q)
            memset((unsigned char *)to + pairs[i].to * chosen->point_bytes, 0, chosen->point_bytes);
}

static void trusts(void *affine, uint8_t *found, size_t n, bool order)
{
    chosen->lift(affine, found, n, order);
    for (size_t i = 0; i < n; i++)
        found[i] = found[i] != 0 ? 2 : 0;
}

static void finds_all(void *affine, uint8_t *found, size_t n, bool order)
{
    chosen->lift(affine, found, n, order);
    for (size_t i = 0; i < n; i++)
        found[i] = found[i] == 0 ? 1 : found[i];
}

static void wrong_image(void *points, size_t n)
{
    chosen->image(points, n);
    chosen->negate((unsigned char *)points + (n - 2) * chosen->point_bytes);
}

static void wrong_double(void *to, const void *p, const struct pail_cpu_pair *pairs, size_t n,
                         void *scratch)
{
    chosen->twice(to, p, pairs, n, scratch);
    chosen->negate((unsigned char *)to + pairs[n / 2].to * chosen->point_bytes);
}

PAIL_TEST(self_test)
{
    assert_int_equal(pail_cpu_adder_test(chosen, PAIL_CPU_TEST_SUMS), PAIL_OK);
    assert_int_equal(pail_cpu_adder_test(chosen, PAIL_CPU_TEST_MORE), PAIL_OK);
    struct pail_cpu_adder broken = *chosen;
    broken.add = wrong_lane;
    assert_int_equal(pail_cpu_adder_test(&broken, PAIL_CPU_TEST_SUMS), PAIL_ERR_INTERNAL);
    broken.add = forgets_doubling;
    assert_int_equal(pail_cpu_adder_test(&broken, PAIL_CPU_TEST_SUMS), PAIL_ERR_INTERNAL);
    broken = *chosen;
    broken.image = chosen->image ? wrong_image : NULL;
    assert_int_equal(pail_cpu_adder_test(&broken, PAIL_CPU_TEST_MORE),
                     chosen->image ? PAIL_ERR_INTERNAL : PAIL_OK);
    broken = *chosen;
    broken.twice = chosen->twice ? wrong_double : NULL;
    assert_int_equal(pail_cpu_adder_test(&broken, PAIL_CPU_TEST_MORE),
                     chosen->twice ? PAIL_ERR_INTERNAL : PAIL_OK);
    if (!chosen->lift)
        return;
    broken = *chosen;
    broken.lift = finds_all;
    assert_int_equal(pail_cpu_adder_test(&broken, PAIL_CPU_TEST_MORE), PAIL_ERR_INTERNAL);
    broken.lift = trusts;
    assert_int_equal(
        pail_cpu_adder_test(&broken, PAIL_CPU_TEST_MORE),
        pail_curve_ops(chosen->curve, chosen->group)->cofactor_one ? PAIL_OK : PAIL_ERR_INTERNAL);
}

PAIL_TEST(choice)
{
    struct pail_cpu_choice choice;
    assert_int_equal(pail_cpu_arithmetic_choose(&choice, "portable", NULL), PAIL_OK);
    assert_int_equal(choice.arithmetic, PAIL_CPU_PORTABLE);
    assert_int_equal(pail_cpu_arithmetic_choose(&choice, "portabl", NULL), PAIL_ERR_ARGUMENT);
    assert_int_equal(pail_cpu_arithmetic_choose(&choice, "adx ", NULL), PAIL_ERR_ARGUMENT);
    enum pail_cpu_arithmetic best = PAIL_CPU_PORTABLE;
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        const enum pail_cpu_arithmetic one = (enum pail_cpu_arithmetic)i;
        const bool runs = pail_cpu_arithmetic_runs(one);
        assert_int_equal(pail_cpu_arithmetic_choose(&choice, pail_cpu_arithmetic_name(one), NULL),
                         runs ? PAIL_OK : PAIL_ERR_UNSUPPORTED);
        if (runs) {
            assert_int_equal(choice.arithmetic, one);
            assert_true(choice.named);
            best = one;
        }
    }
    assert_int_equal(pail_cpu_arithmetic_choose(&choice, "", NULL), PAIL_OK);
    assert_int_equal(choice.arithmetic, best);
    assert_false(choice.named);
}

static bool was_tested(uint32_t curve, enum pail_cpu_tests tests)
{
    return pail_cpu_arithmetic_tested(chosen_arithmetic, curve, tests);
}

/* A curve that nobody computes with is not tested, nor is what a proof does not take: these tests
 * are most of what a context would wait for. Groups of BN254 are the first that main chooses. */
PAIL_TEST(a_test_for_each_curve)
{
    const char *const name = pail_cpu_arithmetic_name(chosen_arithmetic);
    struct pail_cpu_choice choice;
    enum pail_cpu_arithmetic arithmetic;
    assert_int_equal(pail_cpu_arithmetic_choose(&choice, name, NULL), PAIL_OK);
    for (uint32_t none = 0; none <= PAIL_CURVE_BLS12_381 + 1; none += PAIL_CURVE_BLS12_381 + 1)
        assert_int_equal(
            pail_cpu_arithmetic_of(&arithmetic, &choice, none, PAIL_CPU_TEST_MORE, NULL), PAIL_OK);
    if (chosen->curve == PAIL_CURVE_BN254)
        assert_false(was_tested(PAIL_CURVE_BLS12_381, PAIL_CPU_TEST_SUMS));
    for (int i = PAIL_CPU_TEST_SUMS; i <= PAIL_CPU_TEST_MORE; i++) {
        const enum pail_cpu_tests tests = (enum pail_cpu_tests)i;
        assert_int_equal(pail_cpu_arithmetic_of(&arithmetic, &choice, chosen->curve, tests, NULL),
                         PAIL_OK);
        assert_int_equal(arithmetic, chosen_arithmetic);
        assert_true(was_tested(chosen->curve, tests));
        if (tests == PAIL_CPU_TEST_SUMS && chosen->group == PAIL_G1)
            assert_false(was_tested(chosen->curve, PAIL_CPU_TEST_MORE));
    }
    if (chosen->curve == PAIL_CURVE_BN254)
        assert_false(was_tested(PAIL_CURVE_BLS12_381, PAIL_CPU_TEST_SUMS));
}

PAIL_TEST_MAIN
{
    int failed = 0;
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        for (uint32_t group = 0; group < 4; group++) {
            char name[64];
            const enum pail_cpu_arithmetic arithmetic = (enum pail_cpu_arithmetic)i;
            chosen_arithmetic = arithmetic;
            if (!pail_cpu_arithmetic_runs(arithmetic)) {
                printf("this processor has no arithmetic %d\n", i);
                continue;
            }
            chosen = pail_cpu_adder_find(arithmetic, 1 + group / 2, 1 + group % 2);
            assert_non_null(chosen);
            snprintf(name, sizeof name, "%s %s, %s", ops()->curve_name, ops()->group_name,
                     pail_cpu_arithmetic_name(arithmetic));
            failed += test_run(name, NULL, NULL);
        }
    }
    return failed;
}
