/* SPDX-License-Identifier: Apache-2.0 */
#include "point_set.h"
#include "support/test.h"

enum { BASES_SEED = 5 };

pail_status point_set_try(struct test_plugin *plugin, const struct point_set *s, pail_bases **bases)
{
    uint8_t *points = malloc(2 * s->ops->coordinate_bytes * (s->n + 1));
    assert_non_null(points);
    pail_make_bases(s->ops, points, true, 0, s->n, s->kind, BASES_SEED);
    const pail_bases_desc desc = SIZED(
        pail_bases_desc, .curve = s->ops->curve, .group = s->ops->group,
        .encoding = PAIL_ENCODING_MONTGOMERY,
        .validation = s->in_group ? PAIL_VALIDATE_SUBGROUP : PAIL_VALIDATE_CURVE, .points = points,
        .n_points = s->n, .table_factor = s->factor, .residency = s->residency, .flags = s->flags);
    const pail_status status = plugin->api->bases_create(plugin->context, bases, NULL, &desc);
    free(points);
    return status;
}

pail_bases *point_set_make(struct test_plugin *plugin, const struct point_set *s)
{
    pail_bases *bases = NULL;
    if (point_set_try(plugin, s, &bases) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    return bases;
}

pail_bases_info point_set_info(const struct test_plugin *plugin, const pail_bases *bases)
{
    pail_bases_info info = {.struct_size = sizeof(info)};
    assert_int_equal(plugin->api->bases_info(bases, &info), PAIL_OK);
    return info;
}

void point_set_expected(const struct point_set *s, pail_point *out, const uint8_t *scalars,
                        size_t offset, size_t n)
{
    pail_expected_msm(s->ops, out, scalars, offset, n, s->kind, BASES_SEED);
}

pail_stats point_set_multiply(struct test_plugin *plugin, const struct point_set *s,
                              const pail_bases *bases, size_t offset, size_t n,
                              enum pail_scalar_dist dist, uint32_t bits,
                              const pail_msm_config *config)
{
    return point_set_multiply_at(plugin, s, bases, offset, n, dist, bits, config, 0);
}

pail_stats point_set_multiply_at(struct test_plugin *plugin, const struct point_set *s,
                                 const pail_bases *bases, size_t offset, size_t n,
                                 enum pail_scalar_dist dist, uint32_t bits,
                                 const pail_msm_config *config, uint32_t memory)
{
    uint8_t *scalars = malloc(32 * (n + 1));
    assert_non_null(scalars);
    pail_make_scalars(s->ops, scalars, n, dist, 17 + n);
    pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .base_offset = offset,
                             .scalar_bits = bits, .scalars = scalars, .n = n);
    pail_memory *held = NULL;
    if (memory) {
        pail_memory_info info = {.struct_size = sizeof(info)};
        assert_int_equal(
            plugin->api->memory_create(plugin->context, &held, &info, memory, 32 * (n + 1)),
            PAIL_OK);
        assert_int_equal(plugin->api->memory_write(held, 0, scalars, 32 * n), PAIL_OK);
        job.scalars = (const void *)(uintptr_t)info.address;
        job.scalar_location = PAIL_LOCATION_DEVICE_ADDRESS;
    }
    pail_msm_result result;
    const pail_stats stats = test_plugin_run(plugin, &job, 1, config, &result);
    if (memory)
        plugin->api->memory_destroy(plugin->context, &held);
    pail_point expected;
    point_set_expected(s, &expected, scalars, offset, n);
    if (!test_result_is(s->ops, &result, &expected))
        fail_msg("%s %s, %zu bases %s, factor %u: wrong for %zu scalars %s from %zu on",
                 s->ops->curve_name, s->ops->group_name, s->n, pail_base_kind_name(s->kind),
                 s->factor, n, pail_scalar_dist_name(dist), offset);
    free(scalars);
    return stats;
}

static void expect_result(const struct point_set *s, const struct point_set_jobs *all, size_t i)
{
    pail_point expected;
    point_set_expected(s, &expected, all->jobs[i].scalars, all->jobs[i].base_offset,
                       POINT_SET_VECTOR);
    test_expect_result(s->ops, &all->results[i], &expected);
}

pail_stats point_set_bundle(struct test_plugin *plugin, const struct point_set *s,
                            const pail_bases *bases, const pail_msm_config *config,
                            struct point_set_jobs *all)
{
    for (size_t i = 0; i < POINT_SET_JOBS; i++) {
        pail_make_scalars(s->ops, all->scalars[i], POINT_SET_VECTOR,
                          (enum pail_scalar_dist)(i % PAIL_SCALARS_COUNT), i);
        all->jobs[i] = (pail_msm_job){.struct_size = sizeof(all->jobs[i]),
                                      .bases = bases,
                                      .base_offset = 3 * i,
                                      .scalars = all->scalars[i],
                                      .n = POINT_SET_VECTOR};
    }
    const pail_stats stats =
        test_plugin_run(plugin, all->jobs, POINT_SET_JOBS, config, all->results);
    for (size_t i = 0; i < POINT_SET_JOBS; i++)
        expect_result(s, all, i);
    return stats;
}

pail_stats point_set_one_vector(struct test_plugin *plugin, const struct point_set sets[], size_t n,
                                const pail_msm_config *config, struct point_set_jobs *all)
{
    pail_bases *bases[POINT_SET_JOBS];
    assert_in_range(n, 1, POINT_SET_JOBS);
    for (size_t i = 0; i < n; i++) {
        bases[i] = point_set_make(plugin, &sets[i]);
        all->jobs[i] = all->jobs[0];
        all->jobs[i].bases = bases[i];
    }
    const pail_stats stats = test_plugin_run(plugin, all->jobs, n, config, all->results);
    for (size_t i = 0; i < n; i++) {
        expect_result(&sets[i], all, i);
        plugin->api->bases_destroy(plugin->context, &bases[i]);
    }
    return stats;
}
