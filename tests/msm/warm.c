/* SPDX-License-Identifier: Apache-2.0 */
/* Warming at the boundary: afterwards neither this context nor a later one compiles anything, and
 * measured choices are kept the same way. A host's own store stands in for the files. */

#include "support/test.h"

#include <curves/inputs.h>

#include "support/host_store.h"
#include "support/long.h"
#include "support/plugin.h"

enum { N = 100 };

static struct host_store store;
static struct test_plugin plugin;

static void open_context(void)
{
    const pail_cache_callbacks cache =
        SIZED(pail_cache_callbacks, .user = &store, .get = host_store_get, .put = host_store_put);
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .threads = 2, .cache = &cache);
    if (plugin.api->context_create(&plugin.host, &plugin.context, &params) != PAIL_OK)
        fail_msg("%s", plugin.api->error(NULL));
    plugin.device.struct_size = sizeof(plugin.device);
    assert_int_equal(plugin.api->context_device(plugin.context, &plugin.device), PAIL_OK);
}

static void close_context(void)
{
    plugin.api->context_destroy(&plugin.context);
}

PAIL_FIXTURE(group_setup)
{
    return test_plugin_load(&plugin);
}

PAIL_FIXTURE(group_teardown)
{
    return test_plugin_close(&plugin);
}

PAIL_FIXTURE(setup)
{
    open_context();
    return 0;
}

PAIL_FIXTURE(teardown)
{
    close_context();
    host_store_free(&store);
    return 0;
}

struct seen {
    uint32_t n, total;
    uint32_t by_origin[3], failed, without_id;
    char names[64][64];
};

static void on_done(void *user, const pail_pipeline_info *info)
{
    struct seen *seen = user;
    assert_int_equal(info->struct_size, sizeof(*info));
    assert_int_equal(info->done, ++seen->n);
    assert_true(seen->total == 0 || seen->total == info->total);
    seen->total = info->total;
    seen->failed += info->status != PAIL_OK;
    if (info->status != PAIL_OK)
        return;
    assert_true(info->origin < 3);
    seen->by_origin[info->origin]++;
    seen->without_id += info->id == 0;
    assert_true(info->code_hash != 0);
    assert_true(info->n_specs <= 8);
    assert_true(info->bytes > 0);
    assert_int_equal(info->name[sizeof(info->name) - 1], 0);
    if (seen->n <= 64)
        memcpy(seen->names[seen->n - 1], info->name, sizeof(info->name));
}

/* Each makes all pipelines anew. With sanitizers without_warming_it_is_compiled is as much code of
 * the host. */
static void skip_if_counted_elsewhere(void)
{
    if (test_sanitized() && !test_long())
        SKIP_BECAUSE("the optimised build counts what is compiled");
}

static const pail_warm_item bn254_g1 =
    SIZED(pail_warm_item, .curve = PAIL_CURVE_BN254, .group = PAIL_G1, .n = N);

static struct seen warm(const pail_warm_item *items, size_t n)
{
    struct seen seen = {0};
    if (plugin.api->warm(plugin.context, items, n, on_done, &seen) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    assert_int_equal(seen.n, seen.total);
    assert_int_equal(seen.failed, 0);
    assert_int_equal(seen.without_id, 0);
    return seen;
}

/* One multiplication, its bases registered for it and checked; its result is checked too. */
static pail_stats multiply(const pail_msm_config *config)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    uint8_t points[64 * N], scalars[32 * N], expected[64];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_PAIRS, 7);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_EDGE, 7);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_SUBGROUP,
              .points = points, .n_points = N);
    pail_bases *bases = NULL;
    size_t bad;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)};
    pail_status status = plugin.api->bases_create(plugin.context, &bases, &bad, &desc);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    if (status == PAIL_OK)
        status = plugin.api->msm_start(plugin.context, &pending, &job, 1, config);
    if (status == PAIL_OK)
        status = plugin.api->msm_finish(&pending, &result, 1, &stats);
    if (status != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    plugin.api->bases_destroy(plugin.context, &bases);

    pail_point sum;
    pail_affine affine;
    pail_expected_msm(ops, &sum, scalars, 0, N, PAIL_BASES_PAIRS, 7);
    ops->to_affine(&affine, &sum);
    ops->encode(expected, &affine, false);
    assert_memory_equal(result.x, expected, 32);
    assert_memory_equal(result.y, expected + 32, 32);
    return stats;
}

PAIL_TEST_WITH(after_warming_nothing_is_compiled, setup, teardown)
{
    skip_if_counted_elsewhere();
    const struct seen cold = warm(&bn254_g1, 1);
    assert_int_equal(cold.by_origin[PAIL_PIPELINE_COMPILED], cold.n);
    assert_true(cold.n >= 12);
    const struct seen again = warm(&bn254_g1, 1);
    assert_int_equal(again.by_origin[PAIL_PIPELINE_MEMORY], cold.n);

    /* Registering, checking, multiplying and the self-test: all counted, all there. */
    const pail_stats here = multiply(NULL);
    assert_int_equal(here.pipelines_compiled, 0);
    assert_int_equal(here.pipelines_disk, 0);
    assert_true(here.pipelines_memory >= 12);

    close_context();
    open_context();
    const pail_stats later = multiply(NULL);
    assert_int_equal(later.pipelines_compiled, 0);
    assert_true(later.pipelines_disk >= 9);
    assert_true(later.pipelines_ms > 0);
    const pail_stats second = multiply(NULL);
    assert_int_equal(second.pipelines_compiled + second.pipelines_disk, 0);
}

/* With a configuration: its pipelines, and no other than the multiplication asks for. */
PAIL_TEST_WITH(one_configuration, setup, teardown)
{
    const pail_msm_config configs[] = {
        {.struct_size = sizeof(configs[0])},
        SIZED(pail_msm_config, .accumulator = PAIL_ACCUMULATOR_WALKER,
              .prefix_placement = PAIL_PLACEMENT_DEVICE, .slots = 2),
        SIZED(pail_msm_config, .accumulator = PAIL_ACCUMULATOR_COOP, .inversion_group = 1,
              .window_bits = 4),
    };
    (void)multiply(NULL); /* pipelines that each process takes, self-tests included */
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
        pail_warm_item item = bn254_g1;
        item.config = &configs[i];
        item.validation = PAIL_VALIDATE_SUBGROUP;
        const struct seen one = warm(&item, 1);
        assert_int_equal(one.by_origin[PAIL_PIPELINE_COMPILED] > 0, i > 0);
        const pail_stats stats = multiply(&configs[i]);
        assert_int_equal(stats.pipelines_compiled, 0);
        assert_in_range(one.n, 1, stats.pipelines_memory + 1); /* and that of its bases */
    }
}

static uint32_t count(const struct seen *seen, const char *begin)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < seen->n && i < 64; i++)
        n += strncmp(seen->names[i], begin, strlen(begin)) == 0;
    return n;
}

/* With a quotient: what its domain takes, and nothing of other sizes. */
PAIL_TEST_WITH(quotient_of_a_proof, setup, teardown)
{
    const pail_msm_config usual = {.struct_size = sizeof(usual)};
    pail_warm_item item = bn254_g1;
    item.config = &usual;
    const struct seen without = warm(&item, 1);
    assert_int_equal(count(&without, "ntt/") + count(&without, "vector/"), 0);
    item.quotient = 1;
    const struct seen with = warm(&item, 1);
    assert_int_equal(with.n, without.n + 7);
    assert_int_equal(count(&with, "ntt/table.bn254"), 1);
    assert_int_equal(count(&with, "ntt/pass.bn254"), 1); /* N elements are one pass */
    assert_int_equal(count(&with, "vector/spmv.bn254"), 1);
    assert_int_equal(count(&with, "vector/powers.bn254"), 0);
}

/* A configuration that the device refuses takes none, and hides nothing of the others. */
PAIL_TEST_WITH(a_configuration_that_is_refused, setup, teardown)
{
    const pail_msm_config refused =
        SIZED(pail_msm_config, .accumulator = PAIL_ACCUMULATOR_XYZZ, .slots = 3);
    pail_warm_item items[] = {bn254_g1, bn254_g1};
    const pail_msm_config usual = {.struct_size = sizeof(usual)};
    items[0].config = &refused;
    items[1].config = &usual;
    assert_int_equal(warm(items, 1).n, 0);
    assert_true(warm(items, 2).n > 0);
}

PAIL_TEST_WITH(without_warming_it_is_compiled, setup, teardown)
{
    const pail_stats cold = multiply(NULL);
    assert_true(cold.pipelines_compiled >= 9);
    assert_int_equal(cold.pipelines_disk, 0);
    assert_true(store.puts >= 9);
    close_context();
    open_context();
    const struct seen seen = warm(&bn254_g1, 1);
    assert_true(seen.by_origin[PAIL_PIPELINE_DISK] >= 9);
}

/* An entry that is damaged in the host's store is compiled anew, and replaced. */
PAIL_TEST_WITH(damage_in_the_store_is_a_miss, setup, teardown)
{
    skip_if_counted_elsewhere();
    const pail_stats cold = multiply(NULL);
    assert_true(cold.pipelines_compiled >= 9);
    for (int i = 0; i < store.n; i++)
        store.entries[i].value[(size_t)i * 7 % store.entries[i].size] ^= 1;
    close_context();
    open_context();
    const pail_stats damaged = multiply(NULL);
    assert_int_equal(damaged.pipelines_compiled, cold.pipelines_compiled);
    assert_int_equal(damaged.pipelines_disk, 0);
    close_context();
    open_context();
    const pail_stats again = multiply(NULL);
    assert_int_equal(again.pipelines_compiled, 0);
    assert_true(again.pipelines_disk >= 9);
}

static void expect_refused(const pail_warm_item *items, size_t n, pail_status wanted,
                           const char *words)
{
    const pail_status status = plugin.api->warm(plugin.context, items, n, NULL, NULL);
    if (status != wanted || !strstr(plugin.api->error(plugin.context), words))
        fail_msg("status %d: %s", (int)status, plugin.api->error(plugin.context));
}

PAIL_TEST_WITH(items_are_checked, setup, teardown)
{
    pail_warm_item items[2] = {bn254_g1, bn254_g1};
    expect_refused(NULL, 1, PAIL_ERR_ARGUMENT, "items: NULL with n_items = 1");
    items[1].curve = 77;
    expect_refused(items, 2, PAIL_ERR_ARGUMENT, "77");
    items[1].curve = PAIL_CURVE_BN254;
    items[1].accumulator = 99;
    expect_refused(items, 2, PAIL_ERR_UNSUPPORTED, "99");
    items[1].accumulator = 0;
    items[1].field = PAIL_FIELD_HOST;
    expect_refused(items, 2, PAIL_ERR_UNSUPPORTED, "4");
    items[1].field = 0;
    items[1].struct_size = sizeof(items[1]) + 8;
    expect_refused(items, 2, PAIL_ERR_ARGUMENT, "item 1 has struct_size 72, the first one 64");
    const pail_msm_config config = {.struct_size = 4};
    items[0].config = &config;
    expect_refused(items, 1, PAIL_ERR_ARGUMENT, "pail_msm_config");
    items[0].struct_size = 4;
    expect_refused(items, 1, PAIL_ERR_ARGUMENT, "pail_warm_item");
    assert_int_equal(plugin.api->warm(plugin.context, items, 0, NULL, NULL), PAIL_OK);
}

PAIL_TEST_WITH(stores_are_checked, setup, teardown)
{
    pail_context *context;
    const pail_cache_callbacks half = {.struct_size = sizeof(half), .get = host_store_get};
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .cache = &half);
    assert_int_equal(plugin.api->context_create(&plugin.host, &context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(plugin.api->error(NULL), "put is NULL"));
    assert_null(context);
}

static pail_tuning read_tuning(uint32_t group, pail_status wanted)
{
    pail_tuning tuning = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = group, .slots = 77);
    assert_int_equal(plugin.api->tuning_get(plugin.context, &tuning), wanted);
    assert_true(wanted == PAIL_OK || tuning.slots == 0);
    return tuning;
}

PAIL_TEST_WITH(measured_choices_are_kept, setup, teardown)
{
    skip_if_counted_elsewhere();
    pail_tuning wanted = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                               .accumulator = PAIL_ACCUMULATOR_DEBUG, .field = PAIL_FIELD_LIMB32);
    wanted.window_bits[6] = 9; /* for 64 to 127 points */
    (void)read_tuning(PAIL_G1, PAIL_NOT_READY);
    assert_int_equal(plugin.api->tuning_set(plugin.context, &wanted), PAIL_OK);
    for (int round = 0; round < 2; round++) {
        const pail_tuning read = read_tuning(PAIL_G1, PAIL_OK);
        assert_memory_equal(&read, &wanted, sizeof(read));
        (void)read_tuning(PAIL_G2, PAIL_NOT_READY);
        const pail_stats open = multiply(NULL);
        assert_int_equal(open.accumulator, PAIL_ACCUMULATOR_DEBUG);
        assert_int_equal(open.field, PAIL_FIELD_LIMB32);
        assert_int_equal(open.window_bits, 9);
        const pail_msm_config config = SIZED(pail_msm_config, .accumulator = PAIL_ACCUMULATOR_XYZZ);
        const pail_stats chosen = multiply(&config);
        assert_int_equal(chosen.accumulator, PAIL_ACCUMULATOR_XYZZ);
        assert_int_not_equal(chosen.window_bits, 9);
        close_context();
        open_context();
    }
    const pail_tuning nothing = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    assert_int_equal(plugin.api->tuning_set(plugin.context, &nothing), PAIL_OK);
    (void)read_tuning(PAIL_G1, PAIL_NOT_READY);
    close_context();
    open_context();
    (void)read_tuning(PAIL_G1, PAIL_NOT_READY);
}

/* Registers points of a group as of prime order, without which groups never share a sort. */
static pail_bases *register_group(const struct pail_curve_ops *ops)
{
    uint8_t points[N * 2 * PAIL_COORDINATE_MAX];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_PAIRS, 7);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = ops->curve, .group = ops->group,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_SUBGROUP,
              .points = points, .n_points = N);
    pail_bases *bases = NULL;
    if (plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    return bases;
}

static uint64_t bytes_of(const pail_bases *bases)
{
    pail_bases_info info = {.struct_size = sizeof(info)};
    assert_int_equal(plugin.api->bases_info(bases, &info), PAIL_OK);
    return info.device_bytes + info.host_bytes;
}

/* Groups under one scalar vector in two forms: right, one sort for each, and no second copy of the
 * points, which are registered in the form that was chosen for their group. */
PAIL_TEST_WITH(groups_may_differ_in_form, setup, teardown)
{
    skip_if_counted_elsewhere();
    if (!(plugin.device.features & PAIL_FEATURE_INT64))
        SKIP_BECAUSE("the device has one form only");
    pail_bases *bases[2];
    pail_msm_job jobs[2];
    pail_msm_result results[2];
    uint64_t bytes[2];
    uint8_t scalars[32 * N];
    pail_make_scalars(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), scalars, N, PAIL_SCALARS_EDGE, 7);
    for (uint32_t g = 0; g < 2; g++) {
        const pail_tuning tuning = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254,
                                         .group = PAIL_G1 + g, .accumulator = PAIL_ACCUMULATOR_XYZZ,
                                         .field = g ? PAIL_FIELD_LIMB32 : PAIL_FIELD_LIMB29);
        assert_int_equal(plugin.api->tuning_set(plugin.context, &tuning), PAIL_OK);
        bases[g] = register_group(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1 + g));
        bytes[g] = bytes_of(bases[g]);
        jobs[g] = (pail_msm_job){
            .struct_size = sizeof(jobs[g]), .bases = bases[g], .scalars = scalars, .n = N};
        results[g].struct_size = sizeof(results[g]);
    }
    pail_pending *pending;
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (plugin.api->msm_start(plugin.context, &pending, jobs, 2, NULL) != PAIL_OK ||
        plugin.api->msm_finish(&pending, results, 2, &stats) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    assert_int_equal(stats.sorts, 2);
    for (uint32_t g = 0; g < 2; g++) {
        const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1 + g);
        pail_point sum;
        pail_affine affine;
        uint8_t expected[2 * PAIL_COORDINATE_MAX];
        pail_expected_msm(ops, &sum, scalars, 0, N, PAIL_BASES_PAIRS, 7);
        ops->to_affine(&affine, &sum);
        ops->encode(expected, &affine, false);
        assert_memory_equal(results[g].x, expected, ops->coordinate_bytes);
        assert_memory_equal(results[g].y, expected + ops->coordinate_bytes, ops->coordinate_bytes);
        assert_int_equal(bytes_of(bases[g]), bytes[g]);
        plugin.api->bases_destroy(plugin.context, &bases[g]);
    }
}

PAIL_TEST_WITH(choices_are_checked, setup, teardown)
{
    pail_tuning tuning = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    const int puts = store.puts; /* the finding about a device's doubles is kept */
    tuning.window_bits[20] = 40;
    assert_int_equal(plugin.api->tuning_set(plugin.context, &tuning), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(plugin.api->error(plugin.context), "window_bits[20]: 40"));
    tuning.window_bits[20] = 0;
    tuning.accumulator = PAIL_ACCUMULATOR_XYZZ;
    tuning.slots = 4;
    assert_int_equal(plugin.api->tuning_set(plugin.context, &tuning), PAIL_ERR_ARGUMENT);
    tuning.curve = 9;
    assert_int_equal(plugin.api->tuning_set(plugin.context, &tuning), PAIL_ERR_ARGUMENT);
    assert_int_equal(plugin.api->tuning_get(plugin.context, &tuning), PAIL_ERR_ARGUMENT);
    tuning.struct_size = 8;
    assert_int_equal(plugin.api->tuning_get(plugin.context, &tuning), PAIL_ERR_ARGUMENT);
    assert_int_equal(store.puts, puts);
}

PAIL_TEST_GROUP(group_setup, group_teardown)
