/* SPDX-License-Identifier: Apache-2.0 */
/* Whole multi-scalar multiplications through the plugin, against the closed form: base i is d_i G
 * with a known d_i. */
#include "checked.h"
#include "support/long.h"
#include "support/test.h"

static const size_t sizes[] = {0, 1, 2, 3, 31, 100, 255, 257, 1023, 1025, 4095, 4097, 16383, 16385};

PAIL_TEST(test_sizes)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (is_fast() || sizes[i] < 300)
            check(&(struct input){sizes[i], PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, i}, NULL);
}

/* Every kind of base with every distribution of scalars: duplicates, opposite points, infinities,
 * i * G, arithmetic progressions; all equal, all zero, 0/1, one hot bucket, r - 1, r, r + 1,
 * 2^256 - 1. Without 64-bit integers every fifth pair of them, and at the largest size every third:
 * which points meet in a bucket is the same on every device. */
PAIL_TEST(test_structured)
{
    static const size_t structured[] = {2, 3, 257, 4097};
    for (size_t i = 0; i < sizeof(structured) / sizeof(structured[0]); i++) {
        const size_t n = largest(structured[i]);
        if (n != structured[i])
            continue;
        const int step = !is_fast() ? 5 : n <= 257 ? 1 : 3;
        for (int kind = 0; kind < PAIL_BASES_COUNT; kind++)
            for (int dist = kind % step; dist < PAIL_SCALARS_COUNT; dist += step)
                check(&(struct input){n, (enum pail_base_kind)kind, (enum pail_scalar_dist)dist, i},
                      NULL);
    }
}

/* Every window: wide ones leave most buckets empty, narrow ones make all buckets large, and each
 * has its own number of sorting passes and reduction levels. The widest have so many buckets that
 * each is tried with one distribution. */
PAIL_TEST(test_windows)
{
    const size_t n = is_fast() ? 2000 : 200;
    static const enum pail_scalar_dist dists[] = {PAIL_SCALARS_UNIFORM, PAIL_SCALARS_EDGE,
                                                  PAIL_SCALARS_ONE};
    for (uint32_t c = 2; c <= (has_int64() ? 17u : 13u); c += has_int64() ? 1 : 3)
        for (size_t d = 0; d < sizeof(dists) / sizeof(dists[0]); d++)
            if (c < 12 || c % 3 == d)
                check(&(struct input){n, PAIL_BASES_PAIRS, dists[d], c},
                      &(pail_msm_config)SIZED(pail_msm_config, .window_bits = c));
}

/* Every number of window batches gives the same bytes. */
PAIL_TEST(test_batches)
{
    const struct input in = {largest(3000), PAIL_BASES_DISTINCT, PAIL_SCALARS_BITS256, 5};
    for (uint32_t batches = 1; batches <= 32; batches += !is_fast() ? 15 : batches < 8 ? 1 : 5)
        check(&in,
              &(pail_msm_config)SIZED(pail_msm_config, .window_bits = 8, .force_batches = batches));
}

/* From one thread, which makes no pieces, to many more threads than entries, which cuts every
 * bucket. */
PAIL_TEST(test_threads)
{
    if (!is_fast() && !test_long())
        SKIP_BECAUSE("what it is about does not depend on the driver: lavapipe, or PAIL_TEST_LONG");
    static const uint32_t threads[] = {1, 2, 63, 64, 65, 1000, 20000};
    const size_t n = largest(600);
    for (size_t i = is_fast() ? 0 : 2; i < sizeof(threads) / sizeof(threads[0]); i++) {
        const pail_msm_config config = SIZED(pail_msm_config, .window_bits = 6,
                                             .threads = threads[i], .workgroup = i % 2 ? 32 : 128);
        check(&(struct input){n, PAIL_BASES_MULTIPLES, PAIL_SCALARS_UNIFORM, i}, &config);
        check(&(struct input){n, PAIL_BASES_EQUAL, PAIL_SCALARS_EQUAL, i}, &config);
    }
}

/* Every accumulator does all of the work, says how, and its result is right: with sums that double,
 * cancel and vanish, with one hot bucket, in batches, and where there is nothing to do. */
PAIL_TEST(test_accumulators)
{
    pail_device_info info = {.struct_size = sizeof(info)};
    assert_int_equal(plugin.api->context_device(plugin.context, &info), PAIL_OK);
    const pail_msm_config configs[] = {
        {.accumulator = PAIL_ACCUMULATOR_XYZZ, .prefix_placement = PAIL_PLACEMENT_PRIVATE},
        {.accumulator = PAIL_ACCUMULATOR_XYZZ,
         .workgroup = 32,
         .prefix_placement = PAIL_PLACEMENT_WORKGROUP},
        {.accumulator = PAIL_ACCUMULATOR_DEBUG},
        {.accumulator = PAIL_ACCUMULATOR_WALKER,
         .slots = 4,
         .prefix_placement = PAIL_PLACEMENT_DEVICE},
        {.accumulator = PAIL_ACCUMULATOR_WALKER,
         .slots = 3,
         .workgroup = 16,
         .prefix_placement = PAIL_PLACEMENT_WORKGROUP},
        {.accumulator = PAIL_ACCUMULATOR_COOP, .workgroup = 8},
        {.accumulator = PAIL_ACCUMULATOR_COOP, .inversion_group = info.subgroup_size, .slots = 2},
    };
    const size_t n = is_fast() ? 700 : 60;
    const struct input inputs[] = {
        {n, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 1},
        {n, PAIL_BASES_PAIRS, PAIL_SCALARS_HOT, 2},
        {n, PAIL_BASES_EQUAL, PAIL_SCALARS_EDGE, 3},
        {n, PAIL_BASES_INFINITY, PAIL_SCALARS_ONE, 4},
        {n, PAIL_BASES_MULTIPLES, PAIL_SCALARS_ZERO, 5},
        {1, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 6},
        {0, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 7},
    };
    /* A slow driver makes one pipeline for each accumulator, that of test_accumulators_agree.
     * gpu_kernels has two more specialisations there, and all of them on lavapipe. */
    const bool all = is_fast() || test_long();
    const size_t n_configs = all ? sizeof(configs) / sizeof(configs[0]) : PAIL_ACCUMULATOR_DEBUG;
    for (size_t k = 0; k < n_configs; k++)
        for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
            pail_msm_config config =
                all ? configs[k]
                    : (pail_msm_config){.accumulator = PAIL_ACCUMULATOR_XYZZ + (uint32_t)k};
            config.struct_size = sizeof(config);
            config.window_bits = 5;
            config.force_batches = 1 + (uint32_t)i % 3;
            const pail_stats stats = check(&inputs[i], &config);
            assert_int_equal(stats.accumulator, config.accumulator);
            assert_true(config.slots == 0 || stats.slots == config.slots);
            assert_true(config.prefix_placement == 0 ||
                        stats.prefix_placement == config.prefix_placement);
            assert_true(config.workgroup == 0 || stats.workgroup == config.workgroup);
            /* Distinct points never cancel: an addition for each entry but a bucket's first one. */
            if (i == 0)
                assert_true(stats.adds > (uint64_t)stats.windows * n / 2);
        }
}

/* The reference adds every entry of a bucket but the first; the others do no more, and less only
 * where a piece happens to be infinity. */
PAIL_TEST(test_accumulators_agree)
{
    const struct input in = {is_fast() ? 900 : 90, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 9};
    uint64_t all = 0;
    for (uint32_t accumulator = PAIL_ACCUMULATOR_DEBUG; accumulator >= PAIL_ACCUMULATOR_XYZZ;
         accumulator--) {
        const pail_msm_config config =
            SIZED(pail_msm_config, .window_bits = 6, .accumulator = accumulator);
        const pail_stats stats = check(&in, &config);
        if (accumulator == PAIL_ACCUMULATOR_DEBUG)
            all = stats.adds;
        assert_true(all > 0 && stats.adds <= all && stats.adds >= all - all / 20);
    }
}

/* The form for devices without 64-bit integers, on a device that has them. */
PAIL_TEST(test_field_forms)
{
    if (!has_int64())
        SKIP_BECAUSE("the device has no 64-bit integers in shaders");
    for (uint32_t field = PAIL_FIELD_LIMB32; field <= PAIL_FIELD_LIMB29; field++) {
        const pail_msm_config config = SIZED(pail_msm_config, .field = field);
        check(&(struct input){1000, PAIL_BASES_INFINITY, PAIL_SCALARS_EDGE, field}, &config);
        check(&(struct input){1000, PAIL_BASES_PAIRS, PAIL_SCALARS_SMALL, field}, &config);
    }
}

/* Many runs on one context and one base set: the same bytes and the same work each time. */
/* Entries of a bucket come in any order. Where sums of some of them cancel, as those of pairs do,
 * there may be more or fewer additions; the result is the same. */
PAIL_TEST(test_repeatable)
{
    if (!is_fast() && !test_long())
        SKIP_BECAUSE("what it is about does not depend on the driver: lavapipe, or PAIL_TEST_LONG");
    const struct input in = {largest(1500), PAIL_BASES_PAIRS, PAIL_SCALARS_HOT, 3};
    uint8_t *scalars = malloc(32 * in.n);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, in.n, in.dist, in.seed);
    pail_bases *bases = make_bases(&in);
    pail_msm_result first, again;
    (void)run(bases, scalars, in.n, NULL, &first);
    for (int i = 0; i < (is_fast() ? 20 : 5); i++) {
        const pail_stats s = run(bases, scalars, in.n, NULL, &again);
        assert_memory_equal(&again, &first, sizeof(first));
        assert_int_equal(s.pipelines_compiled, 0);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
}

/* Part of a base set, from any offset on, with scratch that larger and smaller MSMs used before. */
PAIL_TEST(test_offsets)
{
    if (!is_fast() && !test_long())
        SKIP_BECAUSE("what it is about does not depend on the driver: lavapipe, or PAIL_TEST_LONG");
    const struct input in = {1000, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 11};
    uint8_t *scalars = malloc(32 * in.n);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, in.n, in.dist, in.seed);
    pail_bases *bases = make_bases(&in);
    static const size_t parts[][2] = {{0, 1000}, {1, 999},   {7, 1},   {999, 1},
                                      {500, 0},  {333, 333}, {1000, 0}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .base_offset = parts[i][0],
                                       .scalars = scalars, .n = parts[i][1]);
        pail_pending *pending = NULL;
        pail_msm_result result = {.struct_size = sizeof(result)};
        pail_point expected;
        assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
        assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, NULL), PAIL_OK);
        pail_expected_msm(ops, &expected, scalars, parts[i][0], parts[i][1], in.kind, in.seed);
        test_expect_result(ops, &result, &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
}

/* Several jobs of one start, in their order, over two base sets; the bases are destroyed while the
 * work is under way. */
PAIL_TEST(test_jobs)
{
    enum { JOBS = 4 };
    static const size_t n[JOBS] = {300, 0, 17, 256};
    const struct input in[2] = {{300, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 1},
                                {256, PAIL_BASES_EQUAL, PAIL_SCALARS_UNIFORM, 2}};
    pail_bases *bases[2] = {make_bases(&in[0]), make_bases(&in[1])};
    uint8_t scalars[JOBS][300 * 32];
    pail_msm_job jobs[JOBS];
    pail_msm_result results[JOBS];
    for (size_t i = 0; i < JOBS; i++) {
        pail_make_scalars(ops, scalars[i], n[i], PAIL_SCALARS_UNIFORM, 50 + i);
        jobs[i] = (pail_msm_job){.struct_size = sizeof(jobs[i]),
                                 .bases = bases[i & 1],
                                 .scalars = scalars[i],
                                 .n = n[i]};
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    }
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (plugin.api->msm_start(plugin.context, &pending, jobs, JOBS, NULL) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    uint8_t kept[JOBS][300 * 32];
    memcpy(kept, scalars, sizeof(kept));
    memset(scalars, 0xAA, sizeof(scalars)); /* start has copied them */
    plugin.api->bases_destroy(plugin.context, &bases[0]);
    plugin.api->bases_destroy(plugin.context, &bases[1]);
    assert_int_equal(plugin.api->msm_finish(&pending, results, JOBS, &stats), PAIL_OK);
    assert_null(pending);
    assert_int_equal(stats.n_jobs, JOBS);
    for (size_t i = 0; i < JOBS; i++) {
        pail_point expected;
        pail_expected_msm(ops, &expected, kept[i], 0, n[i], in[i & 1].kind, in[i & 1].seed);
        test_expect_result(ops, &results[i], &expected);
    }
}

static pail_status try_bases(const uint8_t *points, size_t n, uint32_t encoding,
                             uint32_t validation, size_t *bad)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1, .encoding = encoding,
              .validation = validation, .points = points, .n_points = n);
    pail_bases *bases = NULL;
    const pail_status status = plugin.api->bases_create(plugin.context, &bases, bad, &desc);
    assert_true((status == PAIL_OK) == (bases != NULL));
    plugin.api->bases_destroy(plugin.context, &bases);
    return status;
}

/* The index of the first bad point, and what is wrong with it. */
PAIL_TEST(test_bad_points)
{
    enum { N = 200 };
    uint8_t points[N * 64], broken[N * 64];
    size_t bad;
    for (int montgomery = 0; montgomery < 2; montgomery++) {
        const uint32_t encoding = montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL;
        pail_make_bases(ops, points, montgomery, 0, N, PAIL_BASES_INFINITY, 9);
        assert_int_equal(try_bases(points, N, encoding, PAIL_VALIDATE_SUBGROUP, &bad), PAIL_OK);
        assert_int_equal(bad, SIZE_MAX);

        memcpy(broken, points, sizeof(points));
        broken[150 * 64] ^= 1;
        broken[180 * 64 + 33] ^= 1;
        assert_int_equal(try_bases(broken, N, encoding, PAIL_VALIDATE_CURVE, &bad), PAIL_ERR_DATA);
        assert_int_equal(bad, 150);
        assert_non_null(strstr(plugin.api->error(plugin.context), "point 150"));
        assert_non_null(strstr(plugin.api->error(plugin.context), "is not on"));
        assert_int_equal(try_bases(broken, N, encoding, PAIL_VALIDATE_NONE, &bad), PAIL_OK);

        memset(broken + 77 * 64 + 32, 0xff, 32); /* y above p: refused whatever the validation */
        assert_int_equal(try_bases(broken, N, encoding, PAIL_VALIDATE_NONE, &bad), PAIL_ERR_DATA);
        assert_int_equal(bad, 77);
        assert_non_null(strstr(plugin.api->error(plugin.context), "not below p"));
    }
}

/* A stride and an infinity byte, as Rust structs have them. */
PAIL_TEST(test_layouts)
{
    enum { N = 100, STRIDE = 72 };
    uint8_t points[N * 64], scalars[N * 32], spread[N * STRIDE];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_DISTINCT, 4);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 4);
    memset(spread, 0xAA, sizeof(spread));
    for (size_t i = 0; i < N; i++) {
        memcpy(spread + i * STRIDE, points + i * 64, 64);
        spread[i * STRIDE + 64] = i % 5 == 0;
        if (i % 5 == 0) /* bytes besides the flag must not matter */
            memset(scalars + 32 * i, 0xff, 32);
    }
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_CURVE,
              .stride = STRIDE, .infinity_byte = 65, .points = spread, .n_points = N);
    pail_bases *bases = NULL;
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, NULL, &desc), PAIL_OK);
    pail_msm_result result;
    pail_point expected;
    run(bases, scalars, N, NULL, &result);
    for (size_t i = 0; i < N; i += 5)
        memset(scalars + 32 * i, 0, 32);
    pail_expected_msm(ops, &expected, scalars, 0, N, PAIL_BASES_DISTINCT, 4);
    test_expect_result(ops, &result, &expected);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Montgomery scalars, short scalars, and a promise of short scalars that does not hold. */
PAIL_TEST(test_scalar_forms)
{
    enum { N = 120 };
    uint8_t scalars[N * 32], montgomery[N * 32];
    const struct input in = {N, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 6};
    pail_bases *bases = make_bases(&in);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_UNIFORM, 6);
    for (size_t i = 0; i < N; i++) {
        pail_u256 s;
        pail_u256_from_bytes(&s, scalars + 32 * i);
        for (int doubling = 0; doubling < 256; doubling++)
            ops->scalar_add(&s, &s, &s);
        pail_u256_to_bytes(montgomery + 32 * i, &s);
    }
    pail_msm_job job = SIZED(pail_msm_job, .scalar_encoding = PAIL_ENCODING_MONTGOMERY,
                             .bases = bases, .scalars = montgomery, .n = N);
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_pending *pending = NULL;
    pail_point expected;
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, NULL), PAIL_OK);
    pail_expected_msm(ops, &expected, scalars, 0, N, in.kind, in.seed);
    test_expect_result(ops, &result, &expected);

    for (size_t i = 0; i < N; i++)
        memset(scalars + 32 * i + 4, 0, 28);
    job.scalar_encoding = PAIL_ENCODING_CANONICAL;
    job.scalar_bits = 32;
    job.scalars = scalars;
    result = (pail_msm_result){.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)};
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, &stats), PAIL_OK);
    assert_in_range(stats.windows * stats.window_bits, 33, 64);
    pail_expected_msm(ops, &expected, scalars, 0, N, in.kind, in.seed);
    test_expect_result(ops, &result, &expected);

    scalars[77 * 32 + 4] = 1;
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_ERR_DATA);
    assert_null(pending);
    assert_non_null(strstr(plugin.api->error(plugin.context), "jobs[0].scalars[77] is not below"));
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Started, polled, waited for with a time limit, and abandoned. */
PAIL_TEST(test_asynchronous)
{
    const struct input in = {largest(20000), PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 8};
    uint8_t *scalars = malloc(32 * in.n);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, in.n, in.dist, in.seed);
    pail_bases *bases = make_bases(&in);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = in.n);
    enum { IN_FLIGHT = 3 };
    pail_pending *pending[IN_FLIGHT];
    for (int i = 0; i < IN_FLIGHT; i++)
        assert_int_equal(plugin.api->msm_start(plugin.context, &pending[i], &job, 1, NULL),
                         PAIL_OK);
    plugin.api->pending_abandon(&pending[0]);
    assert_null(pending[0]);
    pail_status status;
    do {
        status = plugin.api->pending_wait(pending[2], 1000000);
        assert_true(status == PAIL_OK || status == PAIL_NOT_READY);
    } while (status != PAIL_OK);
    assert_int_equal(plugin.api->pending_poll(pending[1]), PAIL_OK); /* it was started before */
    pail_point expected;
    pail_expected_msm(ops, &expected, scalars, 0, in.n, in.kind, in.seed);
    for (int i = 1; i < IN_FLIGHT; i++) {
        pail_msm_result result = {.struct_size = sizeof(result)};
        assert_int_equal(plugin.api->msm_finish(&pending[i], &result, 1, NULL), PAIL_OK);
        test_expect_result(ops, &result, &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
}

/* A memory budget is kept by cutting windows and points, and one below the floor names the floor.
 */
PAIL_TEST(test_budget)
{
    if (!is_fast() && !test_long())
        SKIP_BECAUSE("what it is about does not depend on the driver: lavapipe, or PAIL_TEST_LONG");
    const struct input in = {is_fast() ? 8000 : 1025, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM,
                             12};
    uint8_t *scalars = malloc(32 * in.n);
    assert_non_null(scalars);
    pail_make_scalars(ops, scalars, in.n, in.dist, in.seed);
    pail_bases *bases = make_bases(&in);
    pail_point expected;
    pail_msm_result result;
    pail_expected_msm(ops, &expected, scalars, 0, in.n, in.kind, in.seed);
    const uint64_t all = run(bases, scalars, in.n, NULL, &result).bytes_requested;
    for (uint64_t budget = all; budget > 32 * in.n + 300000; budget /= 2) {
        const pail_msm_config config = SIZED(pail_msm_config, .memory_budget = budget);
        const pail_stats stats = run(bases, scalars, in.n, &config, &result);
        assert_in_range(stats.bytes_requested, 1, budget);
        assert_in_range(stats.bytes_allocated, stats.bytes_requested, budget);
        assert_int_equal(stats.bytes_requested, stats.bytes_estimate);
        test_expect_result(ops, &result, &expected);
    }
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = in.n);
    pail_msm_config config = {.struct_size = sizeof(config), .memory_budget = 1000};
    pail_pending *pending;
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, &config),
                     PAIL_ERR_ARGUMENT);
    unsigned long long floor = 0;
    const char *named = strstr(plugin.api->error(plugin.context), "at least ");
    assert_non_null(named);
    assert_int_equal(sscanf(named, "at least %llu", &floor), 1);
    /* A budget bounds what is allocated: also of a context's later multiplications, whose memory
     * its self-test and earlier ones have left. */
    config.memory_budget = floor;
    for (uint32_t i = 0; i < 3; i++) {
        const pail_stats stats = run(bases, scalars, in.n, &config, &result);
        assert_in_range(stats.bytes_allocated, stats.bytes_requested, floor);
        test_expect_result(ops, &result, &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
    free(scalars);
}

/* Sizes that take a driver without 64-bit integers minutes. PAIL_TEST_LOG2_N asks for more. */
PAIL_TEST(test_large)
{
    if (!has_int64())
        SKIP_BECAUSE("the device has no 64-bit integers in shaders");
    const char *log2_n = getenv("PAIL_TEST_LOG2_N");
    const size_t most = log2_n ? strtoul(log2_n, NULL, 10) : test_sanitized() ? 16 : 18;
    for (size_t n = 16; n <= most; n += 2)
        check(&(struct input){(size_t)1 << n, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, n}, NULL);
}

/* The workload of the tests with limits and with faults, as it is. */
PAIL_TEST(test_workload)
{
    const struct test_workload w = test_workload_run(&plugin, PAIL_CURVE_BN254, PAIL_G1, NULL);
    if (w.wrong)
        fail_msg("%u of %u wrong, the first: %s", w.wrong, w.runs, w.first);
}

PAIL_TEST_GROUP(setup, teardown)
