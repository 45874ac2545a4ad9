/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points with GLV images, however few they are (PAIL_DEBUG=glv): the same results as
 * without, and what the boundary says of them. */

#include "support/test.h"

#include <kernels.h>

#include "point_set.h"
#include "support/long.h"
#include "support/plugin_group.h"

static int setup(void **state)
{
    return test_plugin_debug("glv") == 0 ? plugin_setup(state) : -1;
}

/* True if the set has GLV images: by its bytes, since they are no table. */
static bool has_glv(const struct point_set *s, const pail_bases *bases)
{
    const pail_bases_info info = point_set_info(&plugin, bases);
    const uint64_t points = info.n_kept * 2 * s->ops->coordinate_bytes;
    const uint64_t map = info.n_kept < info.n_points ? 4 * info.n_kept : 0;
    assert_int_equal(info.table_factor, 1);
    assert_int_equal(info.table_bits, 0);
    assert_int_equal(info.table_bytes, 0);
    if (info.residency == PAIL_RESIDENCY_HOST) {
        assert_int_equal(info.host_bytes, points + map);
        return false;
    }
    assert_true(info.device_bytes == points + map || info.device_bytes == 2 * points + map);
    return info.device_bytes == 2 * points + map;
}

static bool few(void)
{
    return plugin_is_slow() || test_sanitized();
}

static void check_set(const struct point_set *s)
{
    static const enum pail_scalar_dist dists[] = {PAIL_SCALARS_EDGE,    PAIL_SCALARS_BITS256,
                                                  PAIL_SCALARS_UNIFORM, PAIL_SCALARS_HOT,
                                                  PAIL_SCALARS_SMALL,   PAIL_SCALARS_EQUAL};
    pail_bases *bases = point_set_make(&plugin, s);
    assert_int_equal(has_glv(s, bases), s->in_group || s->ops->cofactor_one);
    for (size_t i = 0; i < (few() ? 2 : sizeof(dists) / sizeof(dists[0])); i++)
        (void)point_set_multiply(&plugin, s, bases, 0, s->n, dists[i], 0, NULL);
    /* Parts, in batches, with a window of which two halves take an even number. */
    const pail_msm_config config = SIZED(pail_msm_config, .window_bits = 8, .force_batches = 3);
    const pail_stats stats = point_set_multiply(&plugin, s, bases, s->n / 3, s->n - s->n / 3 - 1,
                                                PAIL_SCALARS_EDGE, 0, &config);
    const bool halves = s->in_group || s->ops->cofactor_one;
    if (halves)
        assert_int_equal(stats.windows, 2 * (s->ops->half_bits / 8 + 1));
    /* With windows that divide the halves' bits, or all but one, the top one is wider: one fewer,
     * where windows are of two batches at most. */
    const bool divides = halves && s->ops->half_bits % 9 < 2;
    for (uint32_t batches = 1; batches <= 3 && divides; batches++) {
        const pail_msm_config nine =
            SIZED(pail_msm_config, .window_bits = 9, .force_batches = batches);
        const enum pail_scalar_dist dist = few() ? PAIL_SCALARS_EDGE : dists[1 + batches];
        const pail_stats of_nine = point_set_multiply(&plugin, s, bases, 0, s->n, dist, 0, &nine);
        assert_int_equal(of_nine.windows, 2 * (s->ops->half_bits / 9 + (batches > 2)));
    }
    plugin.api->bases_destroy(plugin.context, &bases);
}

PAIL_TEST(test_groups)
{
    static const struct {
        size_t n;
        enum pail_base_kind kind;
        bool in_group;
    } sets[] = {
        {300, PAIL_BASES_DISTINCT, true},  {97, PAIL_BASES_INFINITY, true},
        {131, PAIL_BASES_PAIRS, true},     {64, PAIL_BASES_EQUAL, true},
        {77, PAIL_BASES_DUPLICATES, true}, {65, PAIL_BASES_OUTSIDE, false},
    };
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
                const struct point_set s = {.ops = pail_curve_ops(curve, group),
                                            .n = sets[i].n,
                                            .kind = sets[i].kind,
                                            .in_group = sets[i].in_group};
                if (few() && (group == PAIL_G2 ? i != 1 : i > 1))
                    continue;
                if (group == PAIL_G2 && i % 2 == 0 && !test_long())
                    continue; /* additions take three times as long, and know no images */
                if (s.in_group && !pail_base_kind_in_group(s.ops, s.kind))
                    continue;
                check_set(&s);
            }
}

/* A point with its image, its opposite, and what makes their sum vanish: additions that meet. */
PAIL_TEST(test_meeting)
{
    enum { N = 6 };
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    const size_t bytes = 2 * ops->coordinate_bytes;
    uint8_t points[N * 64];
    pail_affine affine;
    pail_point p, images[3];
    ops->generator(&affine);
    ops->from_affine(&images[0], &affine);
    ops->mul(&images[1], &images[0], &ops->lambda);
    ops->mul(&images[2], &images[1], &ops->lambda);
    for (size_t i = 0; i < N; i++) {
        p = images[i % 3];
        if (i >= 3)
            ops->neg(&p, &p);
        ops->to_affine(&affine, &p);
        ops->encode(points + bytes * i, &affine, true);
    }
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
    pail_bases *bases = NULL;
    assert_int_equal(plugin.api->bases_create(plugin.context, &bases, NULL, &desc), PAIL_OK);
    const pail_u256 one = {{1}};
    pail_u256 minus_one, lambda_more;
    ops->scalar_neg(&minus_one, &one);
    ops->scalar_add(&lambda_more, &ops->lambda, &one);
    const pail_u256 values[] = {{{0}}, one, minus_one, ops->lambda, lambda_more, ops->order};
    for (uint32_t k = 0; k < 216; k++) {
        uint8_t scalars[32 * N];
        pail_point expected = {{0}}, term;
        for (size_t i = 0; i < N; i++) {
            static const uint32_t powers[] = {1, 6, 36};
            const pail_u256 *value = &values[(k / powers[i % 3] + i) % 6];
            pail_u256_to_bytes(scalars + 32 * i, value);
            p = images[i % 3];
            if (i >= 3)
                ops->neg(&p, &p);
            ops->mul(&term, &p, value);
            ops->add(&expected, &expected, &term);
        }
        if (few() && k % 12)
            continue;
        const pail_msm_config config = {.struct_size = sizeof(config), .window_bits = 4 + k % 6};
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
        pail_msm_result result;
        (void)plugin_run(&job, 1, &config, &result);
        test_expect_result(ops, &result, &expected);
    }
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* The other form is made of points and GLV images; short scalars do without, and so do those who
 * say that they want points alone. */
PAIL_TEST(test_choices)
{
    struct point_set s = {.ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), .n = 200};
    pail_bases *bases = point_set_make(&plugin, &s);
    for (uint32_t field = PAIL_FIELD_LIMB32; field <= PAIL_FIELD_LIMB29; field++) {
        const pail_msm_config config = SIZED(pail_msm_config, .field = field, .window_bits = 8);
        if (field == PAIL_FIELD_LIMB29 && plugin_is_slow())
            continue;
        const pail_stats stats =
            point_set_multiply(&plugin, &s, bases, 3, 190, PAIL_SCALARS_UNIFORM, 0, &config);
        assert_int_equal(stats.windows, 32);
    }
    const pail_msm_config window = SIZED(pail_msm_config, .window_bits = 8);
    const pail_stats promised =
        point_set_multiply(&plugin, &s, bases, 0, 200, PAIL_SCALARS_SMALL, 4, &window);
    assert_int_equal(promised.windows, 1);
    plugin.api->bases_destroy(plugin.context, &bases);

    const struct {
        uint32_t factor, residency;
    } without[] = {{1, PAIL_RESIDENCY_AUTO}, {0, PAIL_RESIDENCY_HOST}};
    for (size_t i = 0; i < 2; i++) {
        s.factor = without[i].factor;
        s.residency = without[i].residency;
        bases = point_set_make(&plugin, &s);
        assert_false(has_glv(&s, bases));
        (void)point_set_multiply(&plugin, &s, bases, 0, 200, PAIL_SCALARS_EDGE, 0, NULL);
        plugin.api->bases_destroy(plugin.context, &bases);
    }
}

/* Several vectors over one set, folded on the device; one vector under sets with and without. */
PAIL_TEST(test_bundles)
{
    static struct point_set_jobs all;
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    const struct point_set s = {.ops = ops, .n = POINT_SET_BUNDLE};
    const pail_msm_config config = {.struct_size = sizeof(config), .window_bits = 8};
    pail_bases *bases = point_set_make(&plugin, &s);
    const pail_stats stats = point_set_bundle(&plugin, &s, bases, &config, &all);
    assert_int_equal(stats.windows, 32);

    const struct point_set others[] = {
        s, s, {.ops = ops, .n = s.n, .factor = 1}, {.ops = ops, .n = s.n + 1}};
    /* All share the sort; only where all have GLV images, at the same distance, are they used. */
    for (size_t with = 2; with <= sizeof(others) / sizeof(others[0]); with++)
        assert_int_equal(point_set_one_vector(&plugin, others, with, &config, &all).sorts, 1);
    plugin.api->bases_destroy(plugin.context, &bases);
}

/* Sets with the same segments share the sort of each chunk, and the others nothing; returns the
 * number of sorts. */
static uint32_t sorts_of_two(const struct point_set *s, const struct point_set *t,
                             const pail_msm_config *config)
{
    const size_t n = s->n < t->n ? s->n : t->n;
    pail_bases *bases[2] = {point_set_make(&plugin, s), point_set_make(&plugin, t)};
    uint8_t *scalars = malloc(32 * n);
    assert_non_null(scalars);
    pail_make_scalars(s->ops, scalars, n, PAIL_SCALARS_UNIFORM, 3);
    pail_msm_job jobs[2];
    pail_msm_result results[2];
    for (size_t i = 0; i < 2; i++)
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof(jobs[i]), .bases = bases[i], .scalars = scalars, .n = n};
    const pail_stats stats = test_plugin_run(&plugin, jobs, 2, config, results);
    for (size_t i = 0; i < 2; i++) {
        pail_point expected;
        point_set_expected(i ? t : s, &expected, scalars, 0, n);
        test_expect_result(s->ops, &results[i], &expected);
        plugin.api->bases_destroy(plugin.context, &bases[i]);
    }
    free(scalars);
    return stats.sorts;
}

/* Points and GLV images in several buffers, each a binding: chunks of them add to the same buckets,
 * from the caller's scalars and from those at device addresses, that are taken there, fetched for a
 * promise or by a map, or copied. */
static void check_segments(const struct point_set *s, const pail_msm_config *config)
{
    static const struct {
        uint32_t memory, bits;
    } scalars[] = {{0, 0}, {PAIL_MEMORY_DEVICE, 0}, {PAIL_MEMORY_HOST, 0}, {PAIL_MEMORY_DEVICE, 4}};
    const bool addresses = (plugin.device.features & PAIL_FEATURE_DEVICE_ADDRESS) != 0;
    uint64_t scratch = 0;
    pail_bases *bases = point_set_make(&plugin, s);
    assert_true(has_glv(s, bases));
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        if ((scalars[i].memory && !addresses) || (i > 1 && few()))
            continue;
        const enum pail_scalar_dist dist = scalars[i].bits ? PAIL_SCALARS_SMALL
                                           : i % 2         ? PAIL_SCALARS_EDGE
                                                           : PAIL_SCALARS_UNIFORM;
        const pail_stats stats = point_set_multiply_at(&plugin, s, bases, 0, s->n, dist,
                                                       scalars[i].bits, config, scalars[i].memory);
        scratch = i ? scratch : stats.bytes_estimate;
        if (stats.batches != 1 || stats.chunks < 2)
            fail_msg("%s %s, %zu: %u batches, %u chunks", s->ops->curve_name, s->ops->group_name, i,
                     stats.batches, stats.chunks);
    }
    /* In less memory, where only the scalars of a chunk are on the device. */
    pail_msm_config tight = *config;
    tight.memory_budget = scratch - 16 * s->n;
    for (size_t i = 0; i < 2 && !few(); i++) {
        const pail_stats stats =
            point_set_multiply_at(&plugin, s, bases, 0, s->n, PAIL_SCALARS_BITS256, 0, &tight,
                                  addresses ? scalars[i].memory : 0);
        assert_int_equal(stats.batches, 1);
        assert_in_range(stats.bytes_estimate, 1, tight.memory_budget);
    }
    /* From the middle of a buffer to that of the next. */
    (void)point_set_multiply(&plugin, s, bases, s->n / 3, s->n / 3 + 7, PAIL_SCALARS_HOT, 0,
                             config);
    plugin.api->bases_destroy(plugin.context, &bases);
}

PAIL_TEST(test_segments)
{
    enum { BINDING = 1 << 17 };
    if (setenv("PAIL_LIMITS", "binding=131072", 1) != 0)
        fail_msg("no memory for the environment");
    plugin.api->context_destroy(&plugin.context);
    assert_int_equal(test_plugin_context(&plugin), 0);
    for (uint32_t i = 0; i < 4; i++) {
        const struct pail_curve_ops *ops = pail_curve_ops(1 + i / 2, 1 + i % 2);
        const size_t reach = BINDING / (4 * ops->coordinate_bytes);
        /* So few buckets and threads that these and entries are in one binding, too. */
        const pail_msm_config config =
            SIZED(pail_msm_config, .window_bits = i == 3 ? 3 : 4, .threads = 32);
        const struct point_set s = {.ops = ops,
                                    .n = 2 * reach + reach / 2, /* a third may be infinity */
                                    .kind = i ? PAIL_BASES_DISTINCT : PAIL_BASES_INFINITY,
                                    .in_group = true};
        if (i && few())
            continue;
        check_segments(&s, &config);
    }
    const pail_msm_config config = SIZED(pail_msm_config, .window_bits = 4, .threads = 32);
    const struct point_set s = {.ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), .n = 1500};
    struct point_set t = s;
    const uint32_t sorts = sorts_of_two(&s, &t, &config);
    t.n++;
    assert_true(sorts_of_two(&s, &t, &config) > sorts);
    plugin.api->context_destroy(&plugin.context);
    unsetenv("PAIL_LIMITS");
    assert_int_equal(test_plugin_context(&plugin), 0);
}

/* Little memory: points without GLV images rather than points on the host. */
PAIL_TEST(test_memory)
{
    const struct point_set s = {.ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), .n = 1500};
    plugin.api->context_destroy(&plugin.context);
    pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .memory_budget = 600000);
    for (uint32_t i = 0; i < 2; i++, params.memory_budget *= 4) {
        assert_int_equal(plugin.api->context_create(&plugin.host, &plugin.context, &params),
                         PAIL_OK);
        pail_bases *bases = point_set_make(&plugin, &s);
        assert_int_equal(point_set_info(&plugin, bases).residency, PAIL_RESIDENCY_DEVICE);
        assert_int_equal(has_glv(&s, bases), i == 1);
        (void)point_set_multiply(&plugin, &s, bases, 0, 300, PAIL_SCALARS_UNIFORM, 0, NULL);
        plugin.api->bases_destroy(plugin.context, &bases);
        plugin.api->context_destroy(&plugin.context);
    }
    assert_int_equal(test_plugin_context(&plugin), 0);
}

PAIL_TEST_GROUP(setup, plugin_teardown)
