/* SPDX-License-Identifier: Apache-2.0 */
/* A curve so small that everything can be tried, through the same shaders as any other: toy1 has 31
 * points. Every point with every scalar, every pair of points with every pair of scalars, and every
 * choice of three and of four points with some (of the pairs and choices a part, see step_of); the
 * expected sums are looked up, since the points are the multiples of one. On toy2, whose field has
 * two limbs, random multiplications. */

#include "support/test.h"

#include <curves/inputs.h>
#include <curves/rng.h>
#include <kernels.h>

#include "support/plugin.h"

enum { ORDER = 31, JOBS = 1024, POINT = 32 };

static struct test_plugin plugin;
static uint8_t multiples[ORDER][POINT]; /* [k]: k G; infinity first */

PAIL_FIXTURE(setup)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_KC_TOY1, PAIL_G1);
    pail_affine g, affine;
    pail_point sum = {{0}};
    ops->generator(&g);
    for (uint32_t k = 0; k < ORDER; k++) {
        ops->to_affine(&affine, &sum);
        ops->encode(multiples[k], &affine, false);
        ops->add_affine(&sum, &sum, &g);
    }
    return !ops->is_infinity(&sum) || test_plugin_open(&plugin);
}

PAIL_FIXTURE(teardown)
{
    return test_plugin_close(&plugin);
}

/* How many cases are passed over for each that is tried: none with PAIL_TEST_EXHAUSTIVE set, which
 * takes a software driver a quarter of an hour. */
static uint32_t step_of(uint32_t with_int64, uint32_t without)
{
    if (getenv("PAIL_TEST_EXHAUSTIVE"))
        return 1;
    return plugin.device.features & PAIL_FEATURE_INT64 ? with_int64 : without;
}

/* Multiplications of n points each, collected until there are enough for one start. */
struct batch {
    uint32_t n, n_jobs, config_number;
    uint8_t points[JOBS * 4][POINT];
    uint8_t scalars[JOBS * 4][32];
    uint32_t expected[JOBS];
    uint64_t done;
};

static void flush(struct batch *b)
{
    static const uint32_t accumulators[] = {PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_WALKER,
                                            PAIL_ACCUMULATOR_COOP, PAIL_ACCUMULATOR_DEBUG};
    static pail_msm_job jobs[JOBS];
    static pail_msm_result results[JOBS];
    if (b->n_jobs == 0)
        return;
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_KC_TOY1, .group = PAIL_G1,
              .validation = PAIL_VALIDATE_SUBGROUP, .flags = PAIL_BASES_KEEP_INFINITIES,
              .points = b->points, .n_points = (size_t)b->n * b->n_jobs);
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    for (uint32_t i = 0; i < b->n_jobs; i++) {
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof(jobs[i]),
            .scalar_bits = 8,
            .bases = bases,
            .base_offset = (size_t)b->n * i,
            .scalars = b->scalars[b->n * i],
            .n = b->n,
        };
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    }
    const pail_msm_config config =
        SIZED(pail_msm_config, .accumulator = accumulators[b->config_number % 4],
              .window_bits = 2 + b->config_number / 4 % 3);
    b->config_number++;
    pail_pending *pending = NULL;
    if (plugin.api->msm_start(plugin.context, &pending, jobs, b->n_jobs, &config) != PAIL_OK ||
        plugin.api->msm_finish(&pending, results, b->n_jobs, NULL) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    for (uint32_t i = 0; i < b->n_jobs; i++) {
        const uint8_t *expected = multiples[b->expected[i]];
        assert_int_equal(results[i].coordinate_bytes, POINT / 2);
        assert_int_equal(results[i].infinity, b->expected[i] == 0);
        assert_memory_equal(results[i].x, expected, POINT / 2);
        assert_memory_equal(results[i].y, expected + POINT / 2, POINT / 2);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    b->done += b->n_jobs;
    b->n_jobs = 0;
}

static void add(struct batch *b, const uint32_t logs[], const uint32_t scalars[])
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const uint32_t at = b->n * b->n_jobs + i;
        memcpy(b->points[at], multiples[logs[i]], POINT);
        memset(b->scalars[at], 0, 32);
        b->scalars[at][0] = (uint8_t)scalars[i];
        sum += logs[i] * scalars[i];
    }
    b->expected[b->n_jobs++] = sum % ORDER;
    if (b->n_jobs == JOBS)
        flush(b);
}

static struct batch *batch_of(uint32_t n)
{
    struct batch *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    b->n = n;
    return b;
}

static void batch_end(struct batch *b, uint64_t expected)
{
    flush(b);
    assert_int_equal(b->done, expected);
    free(b);
}

/* Every point with every scalar that has 8 bits. */
PAIL_TEST(test_one)
{
    struct batch *b = batch_of(1);
    for (uint32_t p = 0; p < ORDER; p++)
        for (uint32_t s = 0; s < 256; s++)
            add(b, &p, &s);
    batch_end(b, ORDER * 256);
}

/* Every pair of points, in order, with every pair of scalars up to the order. The step is prime to
 * the numbers of both, so that what is passed over has no pattern. */
PAIL_TEST(test_two)
{
    const uint32_t step = step_of(11, 211);
    struct batch *b = batch_of(2);
    uint64_t n = 0;
    for (uint32_t number = 0; number < ORDER * ORDER * (ORDER + 1) * (ORDER + 1); number += step) {
        const uint32_t logs[2] = {number % ORDER, number / ORDER % ORDER};
        const uint32_t scalars[2] = {number / (ORDER * ORDER) % (ORDER + 1),
                                     number / (ORDER * ORDER) / (ORDER + 1)};
        add(b, logs, scalars);
        n++;
    }
    batch_end(b, n);
}

/* Every choice of n points, order aside, with scalars at random. */
static void choices(struct batch *b, struct pail_rng *rng, uint32_t logs[4], uint32_t at,
                    uint64_t *n)
{
    if (at == b->n || at == 4) {
        uint32_t scalars[4];
        for (uint32_t i = 0; i < b->n; i++)
            scalars[i] = (uint32_t)pail_rng_below(rng, ORDER + 2);
        if ((*n)++ % step_of(5, 29) == 0)
            add(b, logs, scalars);
        return;
    }
    for (logs[at] = at ? logs[at - 1] : 0; logs[at] < ORDER; logs[at]++)
        choices(b, rng, logs, at + 1, n);
}

PAIL_TEST(test_three_and_four)
{
    struct pail_rng rng;
    pail_rng_init(&rng, 34);
    for (uint32_t n = 3; n <= 4; n++) {
        struct batch *b = batch_of(n);
        uint32_t logs[4];
        uint64_t count = 0;
        choices(b, &rng, logs, 0, &count);
        assert_int_equal(count, n == 3 ? 5456 : 46376); /* C(31 + n - 1, n) */
        flush(b);
        free(b);
    }
}

/* Carries between limbs: the curve with two of them. */
PAIL_TEST(test_two_limbs)
{
    enum { N = 200 };
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_KC_TOY2, PAIL_G1);
    for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++) {
        static uint8_t points[N * POINT], scalars[N * 32];
        if (!pail_base_kind_in_group(ops, (enum pail_base_kind)kind))
            continue;
        pail_make_bases(ops, points, true, 0, N, (enum pail_base_kind)kind, kind);
        pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, kind);
        const pail_bases_desc desc =
            SIZED(pail_bases_desc, .curve = PAIL_KC_TOY2, .group = PAIL_G1,
                  .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_SUBGROUP,
                  .points = points, .n_points = N);
        pail_bases *bases = NULL;
        if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
            fail_msg("%s", plugin.api->error(plugin.context));
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
        for (uint32_t accumulator = PAIL_ACCUMULATOR_XYZZ; accumulator <= PAIL_ACCUMULATOR_COOP;
             accumulator++) {
            const pail_msm_config config =
                SIZED(pail_msm_config, .accumulator = accumulator, .window_bits = 4 + accumulator);
            pail_pending *pending = NULL;
            pail_msm_result result = {.struct_size = sizeof(result)};
            if (plugin.api->msm_start(plugin.context, &pending, &job, 1, &config) != PAIL_OK ||
                plugin.api->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
                fail_msg("%s", plugin.api->error(plugin.context));
            pail_point expected;
            pail_expected_msm(ops, &expected, scalars, 0, N, (enum pail_base_kind)kind, kind);
            test_expect_result(ops, &result, &expected);
        }
        plugin.api->bases_destroy(plugin.context, &bases);
    }
}

/* Sets with a table: all points in an order by multiples of a step, every point with every scalar,
 * and neighbours with every pair of scalars. Steps of 0 make equal points, of ORDER - 1 ones that
 * are negatives. */
static void run_jobs(const pail_msm_job jobs[], const uint32_t expected[], uint32_t n)
{
    static pail_msm_result results[JOBS];
    pail_pending *pending = NULL;
    for (uint32_t i = 0; i < n; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    if (plugin.api->msm_start(plugin.context, &pending, jobs, n, NULL) != PAIL_OK ||
        plugin.api->msm_finish(&pending, results, n, NULL) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(results[i].infinity, expected[i] == 0);
        assert_memory_equal(results[i].x, multiples[expected[i]], POINT / 2);
        assert_memory_equal(results[i].y, multiples[expected[i]] + POINT / 2, POINT / 2);
    }
}

static void check_table(uint32_t first, uint32_t step, uint32_t factor, uint32_t pass_over)
{
    static pail_msm_job jobs[JOBS];
    static uint8_t scalars[JOBS][2][32];
    static uint32_t expected[JOBS];
    uint32_t logs[ORDER], n_jobs = 0, number = 0;
    uint8_t points[ORDER][POINT];
    for (uint32_t i = 0; i < ORDER; i++) {
        logs[i] = (first + i * step) % ORDER;
        memcpy(points[i], multiples[logs[i]], POINT);
    }
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_KC_TOY1, .group = PAIL_G1,
              .validation = PAIL_VALIDATE_SUBGROUP, .flags = PAIL_BASES_KEEP_INFINITIES,
              .points = points, .n_points = ORDER, .table_factor = factor);
    pail_bases *bases = NULL;
    pail_bases_info info = {.struct_size = sizeof(info)};
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    assert_int_equal(plugin.api->bases_info(bases, &info), PAIL_OK);
    assert_in_range(info.table_factor, 2, factor);
    memset(scalars, 0, sizeof(scalars));
    /* One point with 256 scalars, two with every pair up to the order. */
    for (uint32_t n = 1; n <= 2; n++) {
        const uint32_t pairs = n == 1 ? 256 : (ORDER + 1) * (ORDER + 1);
        for (uint32_t k = 0; k < pairs; k++)
            for (uint32_t at = 0; at + n <= ORDER; at++) {
                if (number++ % pass_over)
                    continue;
                const uint32_t a = n == 1 ? k : k % (ORDER + 1), b = n == 1 ? 0 : k / (ORDER + 1);
                scalars[n_jobs][0][0] = (uint8_t)a;
                scalars[n_jobs][1][0] = (uint8_t)b;
                expected[n_jobs] = (a * logs[at] + b * logs[at + n - 1]) % ORDER;
                jobs[n_jobs] = (pail_msm_job){.struct_size = sizeof(jobs[0]),
                                              .scalar_bits = 8,
                                              .bases = bases,
                                              .base_offset = at,
                                              .scalars = scalars[n_jobs],
                                              .n = n};
                if (++n_jobs == JOBS) {
                    run_jobs(jobs, expected, n_jobs);
                    n_jobs = 0;
                }
            }
    }
    if (n_jobs)
        run_jobs(jobs, expected, n_jobs);
    plugin.api->bases_destroy(plugin.context, &bases);
}

PAIL_TEST(test_tables)
{
    const uint32_t pass_over = step_of(13, 331);
    check_table(0, 1, 2, pass_over);
    check_table(0, ORDER - 1, 3, pass_over);
    check_table(7, 0, 2, pass_over);
    check_table(1, 12, 100, pass_over);
}

PAIL_TEST_GROUP(setup, teardown)
