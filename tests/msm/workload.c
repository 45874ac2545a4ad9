/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"
#include "support/test.h"

#include <curves/inputs.h>

struct work {
    size_t n;
    enum pail_base_kind kind;
    enum pail_scalar_dist dist;
    uint32_t window_bits, batches, threads;
};

static const struct work works[] = {
    {1025, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 0, 0, 0},
    {600, PAIL_BASES_EQUAL, PAIL_SCALARS_EQUAL, 6, 0, 65},
    {3, PAIL_BASES_MULTIPLES, PAIL_SCALARS_UNIFORM, 0, 0, 0},
    {700, PAIL_BASES_PAIRS, PAIL_SCALARS_HOT, 6, 0, 500},
    {600, PAIL_BASES_DISTINCT, PAIL_SCALARS_BITS256, 8, 3, 64},
    {513, PAIL_BASES_MULTIPLES, PAIL_SCALARS_SMALL, 4, 7, 0},
    {600, PAIL_BASES_INFINITY, PAIL_SCALARS_EDGE, 10, 5, 63},
    {257, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 5, 0, 2},
    {600, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 7, 5, 200},
    {511, PAIL_BASES_PAIRS, PAIL_SCALARS_BITS01, 0, 4, 0},
    {400, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 5, 10, 0},
    {1, PAIL_BASES_DISTINCT, PAIL_SCALARS_UNIFORM, 0, 0, 0},
};

static void do_work(struct test_plugin *plugin, const struct pail_curve_ops *ops,
                    const struct work *w, const pail_msm_config *base, struct test_workload *out)
{
    const uint64_t seed = 1000 + out->runs;
    uint8_t *points = malloc(w->n * 2 * ops->coordinate_bytes), *scalars = malloc(32 * w->n);
    assert_non_null(points);
    assert_non_null(scalars);
    pail_make_bases(ops, points, true, 0, w->n, w->kind, seed);
    pail_make_scalars(ops, scalars, w->n, w->dist, seed);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = ops->curve, .group = ops->group,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_CURVE,
              .points = points, .n_points = w->n);
    pail_msm_config config = {.struct_size = sizeof(config)};
    if (base)
        config = *base;
    config.window_bits = w->window_bits;
    config.force_batches = w->batches;
    config.threads = w->threads;
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_status status = plugin->api->bases_create(plugin->context, &bases, NULL, &desc);
    if (status == PAIL_OK) {
        const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = w->n);
        status = plugin->api->msm_start(plugin->context, &pending, &job, 1, &config);
    }
    out->refused += status != PAIL_OK;
    if (status == PAIL_OK)
        status = plugin->api->msm_finish(&pending, &result, 1, NULL);
    char why[256];
    bool wrong = status != PAIL_OK;
    if (wrong) {
        snprintf(why, sizeof(why), "status %d: %.200s", (int)status,
                 plugin->api->error(plugin->context));
    } else {
        pail_point expected;
        pail_expected_msm(ops, &expected, scalars, 0, w->n, w->kind, seed);
        wrong = !test_result_is(ops, &result, &expected);
        snprintf(why, sizeof(why), "another point%s",
                 ops->is_infinity(&expected) ? " than infinity" : "");
    }
    if (wrong && out->wrong++ == 0)
        snprintf(out->first, sizeof(out->first),
                 "%s %s n %zu bases %s scalars %s window %u batches %u threads %u: %.160s",
                 ops->curve_name, ops->group_name, w->n, pail_base_kind_name(w->kind),
                 pail_scalar_dist_name(w->dist), w->window_bits, w->batches, w->threads, why);
    out->runs++;
    plugin->api->bases_destroy(plugin->context, &bases);
    free(points);
    free(scalars);
}

struct test_workload test_workload_run(struct test_plugin *plugin, uint32_t curve, uint32_t group,
                                       const pail_msm_config *config)
{
    const struct pail_curve_ops *ops = pail_curve_ops(curve, group);
    struct test_workload out = {0};
    assert_non_null(ops);
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
        do_work(plugin, ops, &works[i], config, &out);
    return out;
}
