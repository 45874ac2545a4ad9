/* SPDX-License-Identifier: Apache-2.0 */
/* Self-test: a device must compute what the CPU does. Drivers have miscompiled shifts, lost writes
 * and contracted arithmetic, on some devices only; a wrong point is worse than none. */
#include "pending.h"

#include <string.h>

#include <curves/inputs.h>

#include "faults.h"

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

static pail_status run(struct pail_msm *msm, struct pail_vk_pipeline_stats *pipelines,
                       const struct pail_curve_ops *ops, bool compact,
                       const pail_msm_config *config, struct pail_error *err)
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
                                  .n_points = N,
                                  .flags = compact ? PAIL_BASES_COMPACT : 0};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_stats stats = {.struct_size = sizeof(stats)};
    size_t bad;
    pail_status status = pail_bases_register(msm, &bases, &bad, &desc, err);
    if (status == PAIL_OK) {
        const pail_msm_job job = {
            .struct_size = sizeof(job), .bases = bases, .scalars = scalars, .n = N};
        status = pail_msm_prepare_jobs(msm, &pending, &job, 1, config, PAIL_PLAN_KNOWN, err);
    }
    if (status == PAIL_OK) {
        pending->is_self_test = true;
        status = pail_msm_drive(pending, err);
        pail_vk_pipeline_stats_add(pipelines, &pending->pipelines);
        if (status == PAIL_OK)
            status = pail_msm_deliver(pending, &result, &stats, err);
        else
            pail_msm_drop(pending);
    }
    pail_bases_release(bases);
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

/* Tests the kernels that an accumulator has for a group, unless they were tested. */
static pail_status test_group(struct pail_msm *msm, struct pail_vk_pipeline_stats *pipelines,
                              const struct pail_curve_ops *ops,
                              const struct pail_msm_accumulator *a, enum pail_field_form form,
                              bool compact, struct pail_error *err)
{
    const uint32_t kernels =
        (a->accumulator * PAIL_FORM_COUNT + form) * (PAIL_PLACEMENT_DEVICE + 1) +
        a->prefix_placement;
    const uint8_t bit = (uint8_t)(1u << (4 * compact + 2 * (ops->curve - 1) + ops->group - 1));
    if (kernels >= sizeof(msm->self_tested) / sizeof(msm->self_tested[0]))
        return pail_fail(err, PAIL_ERR_INTERNAL, "kernels number %u have no self-test", kernels);
    pthread_mutex_lock(&msm->lock);
    const bool known = msm->self_tested[kernels] & bit;
    pthread_mutex_unlock(&msm->lock);
    if (known)
        return PAIL_OK;
    const pail_msm_config config = {
        .struct_size = sizeof(config),
        .accumulator = a->accumulator,
        .field = form,
        .workgroup = a->workgroup,
        .prefix_placement = a->prefix_placement,
        .slots = a->slots,
        .inversion_group = a->inversion_group,
    };
    const pail_status status = run(msm, pipelines, ops, compact, &config, err);
    if (status == PAIL_OK) {
        pthread_mutex_lock(&msm->lock);
        msm->self_tested[kernels] |= bit;
        pthread_mutex_unlock(&msm->lock);
    }
    return status == PAIL_NOT_READY ? PAIL_OK : status;
}

pail_status pail_msm_self_test(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    if (pail_fault_other("broken_device"))
        return PAIL_OK;
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        /* Kernels of the test curves are not tested. */
        for (uint32_t s = 0; b->shape.n && b->curve <= PAIL_CURVE_BLS12_381 && s < b->n_sets; s++)
            if (status == PAIL_OK)
                status = test_group(p->msm, &p->pipelines, b->sets[s].bases->group.ops,
                                    &b->plan.accumulator, b->form, b->shape.expanded, err);
    }
    return status;
}

pail_status pail_msm_self_test_of(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                                  const struct pail_msm_accumulator *accumulator,
                                  struct pail_error *err)
{
    struct pail_vk_pipeline_stats pipelines = {0};
    if (pail_fault_other("broken_device"))
        return PAIL_OK;
    return test_group(msm, &pipelines, wish->group.ops, accumulator, wish->form, wish->kept.compact,
                      err);
}
