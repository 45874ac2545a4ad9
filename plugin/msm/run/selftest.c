#include "selftest.h"

#include <string.h>

#include <curves/inputs.h>

#include "faults.h"
#include "pending.h"

/* Points and their opposites; scalars at both ends of their range. Few, but with every kernel, sums
 * that cancel, doublings, empty buckets, and digits from every place of a word. */
#define N    33u
#define SEED 1u

static bool same(const struct pail_curve_ops *ops, const pail_msm_result *result,
                 const uint8_t scalars[32 * N])
{
    pail_point expected;
    pail_affine affine;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    pail_expected_msm(ops, &expected, scalars, 0, N, PAIL_BASES_PAIRS, SEED);
    ops->to_affine(&affine, &expected);
    ops->encode(bytes, &affine, false);
    return memcmp(result->x, bytes, ops->coordinate_bytes) == 0 &&
           memcmp(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes) == 0;
}

static pail_status run(struct pail_msm *msm, const struct pail_curve_ops *ops,
                       const pail_msm_config *config, struct pail_vk_pipeline_stats *pipelines,
                       struct pail_error *err)
{
    uint8_t points[N * 2 * PAIL_COORDINATE_MAX], scalars[32 * N];
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_PAIRS, SEED);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_EDGE, SEED);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = ops->curve,
                                  .group = ops->group,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .validation = PAIL_VALIDATE_NONE,
                                  .points = points,
                                  .n_points = N};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)};
    size_t bad;
    pail_status status = pail_bases_register(msm, &bases, &bad, &desc, err);
    if (status == PAIL_OK) {
        const pail_msm_job job = {
            .struct_size = sizeof(job), .bases = bases, .scalars = scalars, .n = N};
        status = pail_msm_start_jobs(msm, &pending, &job, 1, config, err);
    }
    if (status == PAIL_OK) {
        pending->is_self_test = true;
        status = pail_msm_deliver(pending, &result, &stats, err);
    }
    pail_bases_release(bases);
    const struct pail_vk_pipeline_stats mine = {stats.pipelines_memory, stats.pipelines_disk,
                                                stats.pipelines_compiled, stats.pipelines_ms};
    pail_vk_pipeline_stats_add(pipelines, &mine);
    if (status == PAIL_OK && !same(ops, &result, scalars))
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "device \"%s\" (%s) fails its self-test: of %u points of %s %s it "
                         "computes a wrong sum; its results cannot be trusted",
                         pail_vk_device_caps(msm->dev)->name,
                         pail_vk_device_caps(msm->dev)->driver_name, N, ops->curve_name,
                         ops->group_name);
    /* Budgets and knobs that these few points do not fit say nothing about the device. */
    return status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_UNSUPPORTED ? PAIL_NOT_READY : status;
}

/* Tests one group, unless it was tested with these kernels. */
static pail_status test_group(struct pail_msm *msm, const struct pail_curve_ops *ops,
                              const pail_stats *stats, struct pail_vk_pipeline_stats *pipelines,
                              struct pail_error *err)
{
    const uint32_t kernels =
        (stats->accumulator * PAIL_FORM_COUNT + stats->field) * (PAIL_PLACEMENT_DEVICE + 1) +
        stats->prefix_placement;
    const size_t n_tested = sizeof(msm->self_tested) / sizeof(msm->self_tested[0]);
    const uint8_t bit = (uint8_t)pail_msm_group_bit(ops->curve, ops->group);
    if (kernels >= n_tested)
        return pail_fail(err, PAIL_ERR_INTERNAL, "kernels number %u have no self-test", kernels);
    pthread_mutex_lock(&msm->lock);
    const bool tested = msm->self_tested[kernels] & bit;
    pthread_mutex_unlock(&msm->lock);
    if (tested)
        return PAIL_OK;
    const pail_msm_config config = {
        .struct_size = sizeof(config),
        .accumulator = stats->accumulator,
        .field = stats->field,
        .workgroup = stats->workgroup,
        .prefix_placement = stats->prefix_placement,
        .slots = stats->slots,
        .inversion_group = stats->inversion_group,
    };
    const pail_status status = run(msm, ops, &config, pipelines, err);
    if (status == PAIL_OK) {
        pthread_mutex_lock(&msm->lock);
        msm->self_tested[kernels] |= bit;
        pthread_mutex_unlock(&msm->lock);
    }
    return status == PAIL_NOT_READY ? PAIL_OK : status;
}

pail_status pail_msm_self_test(struct pail_msm *msm, uint32_t groups, const pail_stats *stats,
                               struct pail_vk_pipeline_stats *pipelines, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    if (pail_fault_other("broken_device"))
        return PAIL_OK;
    for (uint32_t i = 0; i < PAIL_MSM_SELF_TEST_GROUPS && status == PAIL_OK; i++) {
        const struct pail_curve_ops *ops = pail_curve_ops(1 + i / 2, 1 + i % 2);
        if (groups >> i & 1 && ops)
            status = test_group(msm, ops, stats, pipelines, err);
    }
    return status;
}
