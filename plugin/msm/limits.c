#include "limits.h"

#include "bases.h"
#include "policy.h"
#include "residency.h"
#include "workspace.h"

uint64_t pail_msm_binding_limit(const struct pail_vk_caps *caps)
{
    return caps->max_buffer_bytes < caps->max_storage_range ? caps->max_buffer_bytes
                                                            : caps->max_storage_range;
}

struct pail_msm_limits pail_msm_limits_of(const struct pail_vk_caps *caps,
                                          const struct pail_msm_accumulator *accumulator,
                                          uint64_t budget)
{
    const uint64_t least = 1; /* a slice of one byte takes one alignment */
    uint32_t groups = caps->max_workgroup_count[0];
    for (uint32_t i = 1; i < 3; i++)
        if (caps->max_workgroup_count[i] < groups)
            groups = caps->max_workgroup_count[i];
    return (struct pail_msm_limits){
        .max_binding_bytes = pail_msm_binding_limit(caps),
        .align = pail_vk_arena_bytes(caps, PAIL_VK_MEMORY_DEVICE, &least, 1),
        .memory_budget = budget,
        .max_entries = pail_msm_entries_of(caps),
        .max_workgroups = groups,
        .max_threads = accumulator->threads_max,
        .sorter = pail_msm_sorter_of(caps),
        .quads_at_once = pail_msm_quads_at_once(caps) / accumulator->lanes,
        .overlap_points = pail_msm_overlap_points(caps),
        .accumulator = *accumulator,
    };
}

struct pail_msm_knobs pail_msm_knobs_of(const pail_msm_config *config)
{
    return (struct pail_msm_knobs){
        .window_bits = config->window_bits,
        .batches = config->force_batches,
        .threads = config->threads,
        .memory_budget = config->memory_budget,
    };
}

uint64_t pail_msm_room(struct pail_msm *msm)
{
    const struct pail_device_room room = pail_device_room(msm);
    const uint64_t left = pail_device_room_left(&room) + pail_workspace_idle_bytes(msm);
    return left ? left : 1;
}

pail_status pail_msm_choose_form(enum pail_field_form *form, const struct pail_vk_caps *caps,
                                 uint32_t coordinate_bytes, uint32_t wanted, struct pail_error *err)
{
    *form = pail_msm_form_auto(caps, coordinate_bytes);
    if (wanted == PAIL_FIELD_AUTO)
        return PAIL_OK;
    if (wanted == PAIL_FIELD_U64X9 && !caps->int64)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "field: PAIL_FIELD_U64X9 needs 64-bit integers, which %s lacks",
                         caps->name);
    if (wanted == PAIL_FIELD_F64X5 && (!caps->int64 || !caps->float64))
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "field: PAIL_FIELD_F64X5 needs 64-bit integers and doubles, and %s lacks "
                         "%s",
                         caps->name, caps->int64 ? "doubles" : "64-bit integers");
    if (wanted == PAIL_FIELD_F64X5 && !caps->fused_doubles)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "field: PAIL_FIELD_F64X5 needs fused multiply-adds of doubles, which %s "
                         "has not been found to have",
                         caps->name);
    if (wanted != PAIL_FIELD_U32X8 && wanted != PAIL_FIELD_U64X9 && wanted != PAIL_FIELD_F64X5)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "field: %u is not a form of this backend",
                         wanted);
    *form = (enum pail_field_form)wanted;
    return PAIL_OK;
}
