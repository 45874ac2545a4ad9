/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a multiplication, without doing it: the estimate on a context's device, and the table
 * of buffers without any device. */
#include <stdio.h>
#include <string.h>

#include <front/front.h>
#include <shared/msm_layout.h>

#include "pending.h"

pail_status pail_msm_estimate_job(struct pail_msm *msm, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err)
{
    struct pail_msm_bundle *bundle = NULL;
    size_t n = 0;
    pail_status status = pail_msm_bundles_make(msm, &bundle, &n, job, 1, config, err);
    if (status == PAIL_OK)
        status = pail_msm_bundles_plan(msm, bundle, n, config, PAIL_PLAN_ESTIMATE, err);
    if (status == PAIL_OK) {
        const struct pail_bases *bases = job->bases;
        stats->n_jobs = 1;
        pail_msm_plan_stats(stats, &bundle->plan, bundle->form);
        if (bases->residency != PAIL_RESIDENCY_HOST)
            stats->bytes_bases = pail_bases_points_bytes(bases);
    }
    pail_msm_bundles_free(msm, bundle, n);
    return status;
}

/* A device of which only the boundary's description is there; without one, the limits that every
 * desktop GPU has. */
static struct pail_vk_caps caps_of(const pail_device_info *info)
{
    struct pail_vk_caps caps = {
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        .int64 = true,
        .float64 = true,
        .fused_doubles = true, /* assumed: only a run could tell */
        .max_storage_range = UINT32_MAX,
        .max_buffer_bytes = UINT32_MAX,
        .max_workgroup_invocations = 1024,
        .max_workgroup_size = {1024, 1024, 64},
        .max_workgroup_count = {65535, 65535, 65535},
        .storage_align = 256,
        .buffer_device_address = true,
        .max_workgroup_bytes = 32768,
    };
    if (!info)
        return caps;
    static const VkPhysicalDeviceType types[] = {
        [PAIL_DEVICE_OTHER] = VK_PHYSICAL_DEVICE_TYPE_OTHER,
        [PAIL_DEVICE_INTEGRATED] = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
        [PAIL_DEVICE_DISCRETE] = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        [PAIL_DEVICE_VIRTUAL] = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
        [PAIL_DEVICE_CPU] = VK_PHYSICAL_DEVICE_TYPE_CPU,
    };
    caps.type = info->type <= PAIL_DEVICE_CPU ? types[info->type] : types[0];
    caps.int64 = (info->features & PAIL_FEATURE_INT64) != 0;
    caps.float64 = (info->features & PAIL_FEATURE_FLOAT64) != 0;
    caps.transfer_queue = (info->features & PAIL_FEATURE_TRANSFER_QUEUE) != 0;
    caps.max_storage_range = info->max_binding_bytes;
    caps.max_buffer_bytes = info->max_allocation_bytes;
    caps.max_workgroup_invocations = info->max_workgroup_invocations;
    caps.max_workgroup_size[0] = info->max_workgroup_invocations;
    caps.max_workgroup_bytes = info->max_workgroup_bytes;
    memcpy(caps.max_workgroup_count, info->max_workgroups, sizeof(caps.max_workgroup_count));
    caps.subgroup_size = info->subgroup_size;
    if (info->features & PAIL_FEATURE_SUBGROUP_EXCHANGE)
        caps.subgroup_operations = PAIL_VK_SUBGROUP_EXCHANGE;
    if (info->storage_alignment)
        caps.storage_align = info->storage_alignment;
    snprintf(caps.name, sizeof(caps.name), "%s", info->name);
    return caps;
}

static pail_status check_query(const pail_memory_query *q, struct pail_error *err)
{
    if (q->residency > PAIL_RESIDENCY_HOST)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "query->residency is %u, which is none",
                         q->residency);
    if (q->scalar_bits > 256)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "query->scalar_bits is %u; at most 256",
                         q->scalar_bits);
    if (q->table_factor > 1 && q->residency == PAIL_RESIDENCY_HOST)
        return pail_fail(err, PAIL_ERR_ARGUMENT, PAIL_MSM_NO_TABLE, "query", q->table_factor);
    if (q->n_bases && q->n_bases < q->n)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "query->n_bases is %llu; there are as many as query->n, %llu, at least",
                         (unsigned long long)q->n_bases, (unsigned long long)q->n);
    if (q->n > SIZE_MAX / 1024 || q->n_bases > SIZE_MAX / 1024)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "query->n is %llu of %llu bases: more than an address space",
                         (unsigned long long)q->n, (unsigned long long)q->n_bases);
    if (q->device && (q->device->max_binding_bytes == 0 || q->device->max_allocation_bytes == 0))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "query->device \"%.100s\" has no limits",
                         q->device->name);
    return PAIL_OK;
}

static void add_row(struct pail_msm_memory *out, const char *name, uint64_t bytes, bool batched)
{
    pail_memory_row *row = &out->rows[out->n_rows++];
    row->batched = batched;
    row->bytes = bytes;
    snprintf(row->name, sizeof(row->name), "%s", name);
}

pail_status pail_msm_memory_table(struct pail_msm_memory *out, const pail_memory_query *q,
                                  struct pail_error *err)
{
    static const pail_msm_config defaults = {.struct_size = sizeof(defaults)};
    const struct pail_vk_caps caps = caps_of(q->device);
    const bool compact = (q->bases_flags & PAIL_BASES_COMPACT) != 0;
    const uint32_t most = compact ? 1 : pail_msm_vectors_most(q->n); /* expanded for each job */
    const struct pail_msm_set_wish set = {
        .n = q->n_bases ? q->n_bases : q->n,
        .n_registered = q->n_bases ? q->n_bases : q->n,
        .residency = q->residency,
        .table_factor = q->table_factor,
        .compact = compact,
    };
    struct pail_msm_question question = {
        .extent = PAIL_MSM_RESOLVE_PLAN,
        .caps = &caps,
        .config = q->config ? q->config : &defaults,
        .narrowest = q->group,
        .set = &set,
        .room = {.limit = q->memory_budget ? q->memory_budget : UINT64_MAX},
        .shape =
            {
                .n = q->n,
                .vectors = q->n_jobs == 0     ? 1
                           : q->n_jobs < most ? q->n_jobs
                                              : most,
                .sets = 1,
                .scalar_bits = q->scalar_bits ? q->scalar_bits : 256,
                .sent = q->n_jobs <= 1,
            },
    };
    question.points = q->n * question.shape.vectors;
    memset(out, 0, sizeof(*out));
    pail_status status = check_query(q, err);
    if (status == PAIL_OK)
        status = pail_msm_group(&question.group, q->curve, q->group, err);
    if (status == PAIL_OK)
        status = pail_front_bases_flags(q->bases_flags, q->residency, q->table_factor, q->group,
                                        "query->bases_flags", err);
    if (status != PAIL_OK)
        return status;
    question.order_known = q->order_known || question.group.ops->cofactor_one;
    struct pail_msm_resolution chosen;
    status = pail_msm_resolve(&chosen, &question, err);
    if (status != PAIL_OK)
        return status;

    const struct pail_msm_plan *plan = &chosen.plan;
    out->stats.n_jobs = q->n_jobs ? q->n_jobs : 1;
    pail_msm_plan_stats(&out->stats, plan, chosen.form);
    if (chosen.kept.residency != PAIL_RESIDENCY_HOST)
        out->stats.bytes_bases = set.n * pail_msm_kept_bytes(&question.group, &chosen.kept);
    add_row(out, "bases", out->stats.bytes_bases, false);
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++)
        add_row(out, pail_msm_region_name(r),
                pail_msm_slice_bytes(plan->region_bytes[r], chosen.limits.align),
                pail_msm_region_batched(r));
    return PAIL_OK;
}
