#include "limits.h"

#include "copies.h"
#include "policy.h"
#include "vk/memory.h"

uint64_t pail_msm_binding_limit(const struct pail_vk_caps *caps)
{
    return caps->max_buffer_bytes < caps->max_storage_range ? caps->max_buffer_bytes
                                                            : caps->max_storage_range;
}

uint64_t pail_msm_segment(const struct pail_vk_caps *caps, uint32_t point_bytes)
{
    const uint64_t points = pail_msm_binding_limit(caps) / point_bytes;
    return points - points % PAIL_PIECE_POINTS;
}

struct pail_msm_limits pail_msm_limits_of(const struct pail_vk_caps *caps,
                                          const struct pail_msm_accumulator *accumulator)
{
    const uint64_t least = 1; /* a slice of one byte takes one alignment */
    uint32_t groups = caps->max_workgroup_count[0];
    for (uint32_t i = 1; i < 3; i++)
        if (caps->max_workgroup_count[i] < groups)
            groups = caps->max_workgroup_count[i];
    return (struct pail_msm_limits){
        .max_binding_bytes = pail_msm_binding_limit(caps),
        .max_region_bytes = caps->max_buffer_bytes,
        .align = pail_vk_arena_bytes(caps, PAIL_VK_MEMORY_DEVICE, &least, 1),
        .max_entries = pail_msm_entries_of(caps),
        .max_workgroups = groups,
        .max_threads = accumulator->threads_max,
        .sort_kernels = pail_msm_sort_kernels_of(caps),
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
