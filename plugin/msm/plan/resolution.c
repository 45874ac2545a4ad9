/* SPDX-License-Identifier: Apache-2.0 */
#include "resolution.h"

#include <assert.h>
#include <string.h>

#include <core/debug.h>

#include "policy.h"
#include "vk/memory.h"
#include "work.h"

static_assert((int)PAIL_FORM_X32 == (int)PAIL_FIELD_LIMB32 &&
                  (int)PAIL_FORM_X29 == (int)PAIL_FIELD_LIMB29 &&
                  (int)PAIL_FORM_D51 == (int)PAIL_FIELD_LIMB51,
              "a form is a choice of the boundary");

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

/* Points of a segment of a set of n: as few segments as there may be, of one length, for each is
 * a chunk, and a short one costs as many additions of buckets as a long one. */
static uint64_t segment_of(const struct pail_vk_caps *caps, uint64_t n, uint32_t point_bytes)
{
    const uint64_t most = pail_msm_segment(caps, point_bytes);
    if (most == 0 || n <= most)
        return most;
    const uint64_t segments = (n + most - 1) / most, points = (n + segments - 1) / segments;
    return (points + PAIL_PIECE_POINTS - 1) / PAIL_PIECE_POINTS * PAIL_PIECE_POINTS;
}

/* Limits without a budget. */
static struct pail_msm_limits limits_of(const struct pail_vk_caps *caps,
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

static struct pail_msm_knobs knobs_of(const pail_msm_config *config)
{
    return (struct pail_msm_knobs){
        .window_bits = config->window_bits,
        .batches = config->force_batches,
        .threads = config->threads,
        .memory_budget = config->memory_budget,
    };
}

static uint32_t log2_of(uint64_t n)
{
    uint32_t bits = 0;
    while (n >>= 1)
        bits++;
    return bits;
}

bool pail_msm_config_is_open(const pail_msm_config *config)
{
    return config->accumulator == PAIL_ACCUMULATOR_AUTO && config->field == PAIL_FIELD_AUTO &&
           !config->workgroup && !config->slots && !config->inversion_group &&
           !config->prefix_placement;
}

void pail_msm_candidate_times(uint32_t most[PAIL_COMPARISON_CANDIDATES],
                              const struct pail_vk_caps *caps)
{
    for (uint32_t a = 1; a <= PAIL_COMPARISON_CANDIDATES; a++)
        most[a - 1] = pail_msm_most_times(caps, a);
}

/* Measured choices, where the configuration leaves them open: accumulator and field form with their
 * knobs if neither is chosen, and the window for n points if no memory has to be saved. Without a
 * tuning, the accumulator of the first uses. */
static pail_msm_config tuned(const struct pail_msm_question *q, uint64_t n)
{
    const pail_msm_config *config = q->config;
    const pail_tuning *tuning = &q->tuning;
    pail_msm_config out = *config;
    if (!pail_msm_config_is_open(config))
        return out;
    if (!tuning->struct_size) {
        out.accumulator = q->found;
        return out;
    }
    out.accumulator = tuning->accumulator;
    out.field = tuning->field;
    out.workgroup = tuning->workgroup;
    out.slots = tuning->slots;
    out.inversion_group = tuning->inversion_group;
    out.prefix_placement = tuning->prefix_placement;
    const uint32_t size = log2_of(n);
    if (!config->window_bits && !config->memory_budget && !config->force_batches &&
        size < sizeof(tuning->window_bits))
        out.window_bits = tuning->window_bits[size];
    return out;
}

static uint32_t coordinate_bytes(const struct pail_msm_question *q)
{
    return q->group.point_bytes / 2;
}

static pail_status resolve_form(struct pail_msm_resolution *out, const struct pail_msm_question *q,
                                uint32_t wanted, struct pail_error *err)
{
    const struct pail_vk_caps *caps = q->caps;
    out->form = wanted == PAIL_FIELD_AUTO ? pail_msm_form_auto(caps, coordinate_bytes(q))
                                          : (enum pail_field_form)wanted;
    if (wanted == PAIL_FIELD_AUTO)
        return PAIL_OK;
    if (wanted == PAIL_FIELD_LIMB29 && !caps->int64)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "config->field is %u; it needs 64-bit integers, which %s lacks", wanted,
                         caps->name);
    if (wanted == PAIL_FIELD_LIMB51 && (!caps->int64 || !caps->float64))
        return pail_fail(
            err, PAIL_ERR_UNSUPPORTED,
            "config->field is %u; it needs 64-bit integers and doubles, and %s lacks %s", wanted,
            caps->name, caps->int64 ? "doubles" : "64-bit integers");
    if (wanted == PAIL_FIELD_LIMB51 && !caps->fused_doubles)
        return pail_fail(
            err, PAIL_ERR_UNSUPPORTED,
            "config->field is %u; it needs fused multiply-adds of doubles, which %s has "
            "not been found to have",
            wanted, caps->name);
    if (wanted != PAIL_FIELD_LIMB32 && wanted != PAIL_FIELD_LIMB29 && wanted != PAIL_FIELD_LIMB51)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "config->field is %u; the Vulkan backend has 8x32, 9x29 and 5x51 (1 to 3)",
                         wanted);
    return PAIL_OK;
}

static pail_status resolve_accumulator(struct pail_msm_resolution *out,
                                       const struct pail_msm_question *q,
                                       const pail_msm_config *config, struct pail_error *err)
{
    pail_msm_config formed = *config;
    uint64_t points = q->points;
    if (q->debug & PAIL_DEBUG_RUNS && points < out->runs_from)
        points = out->runs_from;
    formed.field = out->form;
    const pail_status status = pail_msm_accumulator_choose(
        &out->accumulator, &formed, q->caps, coordinate_bytes(q), q->group.group, points, err);
    if (status != PAIL_OK)
        return status;
    /* A first group beside a second one fills the device with an invocation for each thread. */
    if (q->narrowest == PAIL_G1)
        out->accumulator.threads_max *= out->accumulator.lanes;
    out->limits = limits_of(q->caps, &out->accumulator);
    if (q->debug & PAIL_DEBUG_OVERLAP)
        out->limits.overlap_points = 16;
    return PAIL_OK;
}

uint32_t pail_msm_kept_bytes(const struct pail_msm_group *group,
                             const struct pail_msm_keeping *kept)
{
    return kept->compact ? group->point_bytes / 2 : group->point_bytes * kept->table.factor;
}

static const struct pail_msm_table points_alone = {.factor = 1};
static const struct pail_msm_table with_glv = {.factor = 2, .glv = true};

/* A table where one is wanted; else GLV images, where nothing was said of copies and they pay. */
static pail_status resolve_bases(struct pail_msm_resolution *out, const struct pail_msm_question *q,
                                 struct pail_error *err)
{
    const struct pail_msm_set_wish *set = q->set;
    struct pail_msm_keeping *kept = &out->kept;
    const uint32_t point_bytes = q->group.point_bytes;
    const uint64_t binding = pail_msm_binding_limit(q->caps);
    if (set->compact) { /* the caller chose less memory */
        kept->table = points_alone;
        kept->compact = true;
        kept->residency = PAIL_RESIDENCY_DEVICE;
        kept->segment = segment_of(q->caps, set->n, point_bytes / 2);
        return PAIL_OK;
    }
    kept->table = pail_msm_table_choose(set->n, q->order_known ? q->group.ops->order_bits : 256,
                                        set->table_factor, point_bytes, binding);
    if (kept->table.factor == 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "desc->table_factor is %u; %s binds %llu bytes at a time, too few for all "
                         "copies of %u points",
                         set->table_factor, q->caps->name[0] ? q->caps->name : "the device",
                         (unsigned long long)binding, PAIL_PIECE_POINTS);
    if (set->table_factor == 0 && !set->no_glv && set->residency != PAIL_RESIDENCY_HOST &&
        q->order_known && pail_glv_pays(set->n, out->glv_from, point_bytes, &q->room))
        kept->table = with_glv;
    const uint64_t bytes = (uint64_t)point_bytes * kept->table.factor + set->map_bytes;
    kept->residency = set->residency;
    if (kept->residency == PAIL_RESIDENCY_AUTO)
        kept->residency = kept->table.bits
                              ? PAIL_RESIDENCY_DEVICE
                              : pail_residency_auto(&q->room, set->n * bytes, set->n_registered);
    if (kept->residency == PAIL_RESIDENCY_HOST && kept->table.glv)
        kept->table = points_alone;
    kept->segment = segment_of(q->caps, set->n, point_bytes * kept->table.factor);
    kept->pinned = kept->residency == PAIL_RESIDENCY_HOST &&
                   (pail_msm_overlap_points(q->caps) != 0 || q->debug & PAIL_DEBUG_OVERLAP);
    return PAIL_OK;
}

void pail_msm_shape_over(struct pail_msm_shape *shape, const struct pail_msm_group *group,
                         const struct pail_msm_keeping *kept, bool order_known,
                         uint32_t promised_bits)
{
    const uint32_t order_bits = group->ops->order_bits;
    shape->likely_bits = order_bits < promised_bits ? order_bits : promised_bits;
    shape->scalar_bits = order_known ? shape->likely_bits : promised_bits;
    shape->point_bytes = group->point_bytes;
    shape->xyzz_bytes = group->xyzz_bytes;
    shape->streamed = kept->residency == PAIL_RESIDENCY_HOST;
    shape->expanded = kept->compact;
    shape->segment = shape->streamed || shape->vectors > 1 ? 0 : kept->segment;
    shape->table = kept->table.glv ? 1 : kept->table.factor;
    shape->half_bits = kept->table.glv ? group->ops->half_bits : 0;
}

/* Memory left to the work beside a set that is still to be kept. At least 1. */
static uint64_t scratch_beside(const struct pail_msm_question *q,
                               const struct pail_msm_keeping *kept)
{
    struct pail_device_room room = q->room;
    if (kept->residency != PAIL_RESIDENCY_HOST)
        room.held += q->set->n * pail_msm_kept_bytes(&q->group, kept);
    const uint64_t left = pail_device_room_left(&room);
    return left ? left : 1;
}

static pail_status resolve_plan(struct pail_msm_resolution *out, const struct pail_msm_question *q,
                                const pail_msm_config *config, struct pail_error *err)
{
    const uint32_t asked = q->config->window_bits;
    out->shape = q->shape;
    if (q->set)
        pail_msm_shape_over(&out->shape, &q->group, &out->kept, q->order_known,
                            q->shape.scalar_bits);
    out->knobs = knobs_of(config);
    if (out->shape.vectors > 1) /* windows are measured for one */
        out->knobs.window_bits = asked;
    pail_status status =
        pail_msm_table_window(&out->knobs.window_bits, &out->kept.table, q->config, err);
    if (status != PAIL_OK)
        return status;
    out->limits.memory_budget = q->set ? scratch_beside(q, &out->kept) : q->scratch;
    const uint64_t entries = q->paced ? pail_msm_entries_at_once(q->paced, &q->group, q->narrowest,
                                                                 out->form, &out->accumulator)
                                      : 0;
    if (entries && (!out->limits.max_entries || entries < out->limits.max_entries))
        out->limits.max_entries = entries;
    status = pail_msm_plan(&out->plan, &out->shape, &out->limits, &out->knobs, err);
    if (status == PAIL_OK || out->knobs.window_bits == asked || out->kept.table.bits)
        return status;
    /* The measured window was measured with more room than there is now. */
    out->knobs.window_bits = asked;
    return pail_msm_plan(&out->plan, &out->shape, &out->limits, &out->knobs, err);
}

pail_status pail_msm_resolve(struct pail_msm_resolution *out, const struct pail_msm_question *q,
                             struct pail_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kept = q->kept;
    out->runs_from = pail_msm_runs_points(coordinate_bytes(q));
    out->glv_from = pail_glv_least(q->caps, q->debug);
    const pail_msm_config config = tuned(q, q->shape.n);
    pail_status status = resolve_form(out, q, q->form ? q->form : config.field, err);
    if (status == PAIL_OK && q->extent >= PAIL_MSM_RESOLVE_ACCUMULATOR)
        status = resolve_accumulator(out, q, &config, err);
    if (status == PAIL_OK && q->extent >= PAIL_MSM_RESOLVE_BASES && q->set)
        status = resolve_bases(out, q, err);
    if (status == PAIL_OK && q->extent >= PAIL_MSM_RESOLVE_PLAN)
        status = resolve_plan(out, q, &config, err);
    return status;
}
