/* What a multiplication would take, without doing it: the estimate on a context's device, and the
 * table of buffers without any device. */
#include <stdio.h>
#include <string.h>

#include <shared/msm_layout.h>

#include "images.h"
#include "limits.h"
#include "pending.h"
#include "policy.h"
#include "residency.h"
#include "table.h"

pail_status pail_msm_estimate_job(struct pail_msm *msm, pail_stats *stats, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err)
{
    struct pail_msm_bundle *bundle = NULL;
    size_t n = 0;
    pail_status status = pail_msm_bundles_make(msm, &bundle, &n, job, 1, config, err);
    if (status == PAIL_OK)
        bundle->shape.sent = job->scalar_location == PAIL_LOCATION_HOST;
    if (status == PAIL_OK)
        status = pail_msm_bundle_plan(msm, bundle, config, err);
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
        .fused_doubles = true, /* nobody can know without running something */
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
        return pail_fail(err, PAIL_ERR_ARGUMENT, "residency: %u is not a pail_residency",
                         q->residency);
    if (q->scalar_bits > 256)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "scalar_bits: %u is more than 256",
                         q->scalar_bits);
    if (q->table_factor > 1 && q->residency == PAIL_RESIDENCY_HOST)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "table_factor: %u with residency PAIL_RESIDENCY_HOST", q->table_factor);
    if (q->n_bases && q->n_bases < q->n)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n_bases: %llu are fewer than n, %llu",
                         (unsigned long long)q->n_bases, (unsigned long long)q->n);
    if (q->n > SIZE_MAX / 1024 || q->n_bases > SIZE_MAX / 1024)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "n: %llu of %llu bases are too many",
                         (unsigned long long)q->n, (unsigned long long)q->n_bases);
    if (q->device && (q->device->max_binding_bytes == 0 || q->device->max_allocation_bytes == 0))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "device: \"%.100s\" has no limits",
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
    const pail_msm_config *config = q->config ? q->config : &defaults;
    const struct pail_vk_caps caps = caps_of(q->device);
    struct pail_msm_group group;
    memset(out, 0, sizeof(*out));
    pail_status status = check_query(q, err);
    if (status == PAIL_OK)
        status = pail_msm_group(&group, q->curve, q->group, err);
    enum pail_field_form form;
    if (status == PAIL_OK)
        status = pail_msm_choose_form(&form, &caps, group.point_bytes / 2, config->field, err);
    const uint32_t most = pail_msm_vectors_most(q->n);
    const uint32_t vectors = q->n_jobs == 0 ? 1 : q->n_jobs < most ? q->n_jobs : most;
    struct pail_msm_accumulator accumulator;
    if (status == PAIL_OK)
        status = pail_msm_accumulator_choose(&accumulator, config, &caps, group.point_bytes / 2,
                                             group.group, q->n * vectors, err);
    if (status != PAIL_OK)
        return status;

    const uint64_t n_bases = q->n_bases ? q->n_bases : q->n;
    const bool order_known = q->order_known || group.ops->cofactor_one;
    struct pail_device_room room = {.limit = q->memory_budget ? q->memory_budget : UINT64_MAX};
    struct pail_msm_table table =
        pail_msm_table_choose(n_bases, order_known ? group.ops->order_bits : 256, q->table_factor,
                              group.point_bytes, pail_msm_binding_limit(&caps));
    if (table.factor == 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "table_factor: %u, but the device binds %llu bytes at a time, too few for "
                         "all copies of a few points",
                         q->table_factor, (unsigned long long)pail_msm_binding_limit(&caps));
    uint32_t residency = q->residency;
    if (q->table_factor == 0 && order_known && residency != PAIL_RESIDENCY_HOST &&
        pail_images_pay(n_bases, pail_images_least(&caps, 0), group.point_bytes,
                        pail_msm_binding_limit(&caps), &room))
        table = (struct pail_msm_table){.factor = 2, .images = true};
    if (residency == PAIL_RESIDENCY_AUTO)
        residency =
            table.bits
                ? PAIL_RESIDENCY_DEVICE
                : pail_residency_auto(&room, n_bases * group.point_bytes * table.factor, n_bases);
    if (residency == PAIL_RESIDENCY_HOST && table.images)
        table = (struct pail_msm_table){.factor = 1};
    const uint32_t stored_bytes = group.point_bytes * table.factor;
    const uint64_t all = n_bases * stored_bytes;
    const bool streamed = residency == PAIL_RESIDENCY_HOST;
    room.held = streamed ? 0 : all;
    const uint64_t left = pail_device_room_left(&room);
    uint32_t bits = q->scalar_bits ? q->scalar_bits : 256;
    const uint32_t likely = group.ops->order_bits < bits ? group.ops->order_bits : bits;
    if (order_known)
        bits = likely;
    const struct pail_msm_shape shape = {
        .n = q->n,
        .vectors = vectors,
        .sets = 1,
        .scalar_bits = bits,
        .likely_bits = likely,
        .point_bytes = group.point_bytes,
        .xyzz_bytes = group.xyzz_bytes,
        .segment = streamed || vectors > 1 ? 0 : pail_bases_segment(&caps, stored_bytes),
        .streamed = streamed,
        .sent = q->n_jobs <= 1,
        .table = table.images ? 1 : table.factor,
        .half_bits = table.images ? group.ops->half_bits : 0,
    };
    struct pail_msm_knobs knobs = pail_msm_knobs_of(config);
    if (status == PAIL_OK)
        status = pail_msm_table_window(&knobs.window_bits, &table, config, err);
    if (status != PAIL_OK)
        return status;
    const struct pail_msm_limits limits =
        pail_msm_limits_of(&caps, &accumulator, q->memory_budget ? (left ? left : 1) : 0);
    struct pail_msm_plan plan;
    status = pail_msm_plan(&plan, &shape, &limits, &knobs, err);
    if (status != PAIL_OK)
        return status;

    out->stats.n_jobs = q->n_jobs ? q->n_jobs : 1;
    pail_msm_plan_stats(&out->stats, &plan, form);
    out->stats.bytes_bases = streamed ? 0 : all;
    add_row(out, "bases", out->stats.bytes_bases, false);
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++)
        add_row(out, pail_msm_region_name(r),
                pail_msm_slice_bytes(plan.region_bytes[r], limits.align),
                pail_msm_region_batched(r));
    return PAIL_OK;
}
