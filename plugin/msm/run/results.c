/* SPDX-License-Identifier: Apache-2.0 */
/* Output of the device: results and stats. */
#include <stdio.h>
#include <string.h>

#include <curves/fold.h>
#include <platform/memory.h>

#include "pending.h"

static pail_status bad_coordinate(size_t index, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_INTERNAL,
                     "point %zu of a result has a coordinate that is not below the field modulus",
                     index);
}

/* The point of (set, vector): folded on the device, or here from the window sums. */
static pail_status point_of(const struct pail_pending *p, size_t bundle, uint32_t s, uint32_t v,
                            pail_point *sum, struct pail_error *err)
{
    const struct pail_msm_bundle *b = &p->bundles[bundle];
    const struct pail_curve_ops *ops = b->sets[s].bases->fold_ops;
    const uint8_t *results = p->parts[bundle].slices[PAIL_MSM_RESULTS_OUT].mapped;
    const uint64_t part = pail_msm_results_bytes(b) / b->n_sets; /* bytes of one set */
    size_t bad;
    if (b->plan.fold_on_device) {
        const uint64_t at = s * part + (uint64_t)v * b->sets[s].bases->group.xyzz_bytes;
        if (!ops->from_words(sum, (const uint32_t *)(const void *)(results + at), b->form))
            return bad_coordinate(v, err);
        return PAIL_OK;
    }
    /* Sums are [chunk][vector][window][part]; with several vectors, the chunks' lists are apart. */
    const uint64_t window = (uint64_t)b->plan.window_parts * b->sets[s].bases->group.xyzz_bytes;
    pail_point total = {{0}};
    for (uint32_t chunk = 0; chunk < b->plan.parts; chunk++) {
        const uint64_t at =
            s * part + ((uint64_t)chunk * b->n_vectors + v) * b->plan.windows * window;
        pail_point one;
        const bool alone = b->n_vectors == 1;
        if (!pail_fold(ops, &one, &bad, (const uint32_t *)(const void *)(results + at),
                       alone ? b->plan.parts : 1, b->plan.windows, b->plan.window_step,
                       b->plan.window_parts, b->form))
            return bad_coordinate(bad, err);
        ops->add(&total, &total, &one);
        pail_wipe(&one, sizeof(one));
        if (alone)
            break;
    }
    *sum = total;
    pail_wipe(&total, sizeof(total));
    return PAIL_OK;
}

static void encode(const struct pail_curve_ops *ops, pail_msm_result *result, const pail_point *sum)
{
    pail_affine point;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->to_affine(&point, sum);
    ops->encode(bytes, &point, false);
    result->infinity = ops->affine_is_infinity(&point);
    result->coordinate_bytes = (uint32_t)ops->coordinate_bytes;
    memcpy(result->x, bytes, ops->coordinate_bytes);
    memcpy(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
    pail_wipe(&point, sizeof(point));
    pail_wipe(bytes, sizeof(bytes));
}

pail_status pail_msm_check_report(struct pail_pending *p, size_t bundle, struct pail_error *err)
{
    const struct pail_vk_slice *slices = p->parts[bundle].slices;
    const pail_status status = pail_vk_invalidate(p->msm->dev, &slices[PAIL_MSM_REPORT_OUT], err);
    const uint32_t *report = slices[PAIL_MSM_REPORT_OUT].mapped;
    if (status == PAIL_OK && report[PAIL_MSM_REPORT_BROKEN] != UINT32_MAX)
        return pail_fail(err, PAIL_ERR_DATA,
                         "scalars: scalar %u is not below 2^%u, as scalar_bits says",
                         report[PAIL_MSM_REPORT_BROKEN], p->bundles[bundle].promised_bits);
    return status;
}

static pail_status read_bundle(struct pail_pending *p, size_t bundle, pail_msm_result results[],
                               struct pail_error *err)
{
    const struct pail_msm_bundle *b = &p->bundles[bundle];
    const struct pail_vk_slice *slices = p->parts[bundle].slices;
    pail_status status = PAIL_OK;
    if (b->shape.n) {
        status = pail_vk_invalidate(p->msm->dev, &slices[PAIL_MSM_RESULTS_OUT], err);
        if (status == PAIL_OK)
            status = pail_msm_check_report(p, bundle, err);
    }
    for (uint32_t s = 0; s < b->n_sets && status == PAIL_OK; s++)
        for (uint32_t v = 0; v < b->n_vectors && status == PAIL_OK; v++) {
            pail_point sum = {{0}}; /* infinity */
            if (b->shape.n)
                status = point_of(p, bundle, s, v, &sum, err);
            if (status == PAIL_OK)
                encode(b->sets[s].bases->fold_ops, &results[b->jobs[s * b->n_vectors + v]], &sum);
            pail_wipe(&sum, sizeof(sum));
        }
    return status;
}

pail_status pail_msm_read_results(struct pail_pending *p, pail_msm_result results[],
                                  struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++)
        status = read_bundle(p, i, results, err);
    if (p->secret)
        pail_wipe_stack(); /* of folding */
    return status;
}

uint64_t pail_msm_sums(const struct pail_pending *p, size_t bundle)
{
    const struct pail_msm_bundle *b = &p->bundles[bundle];
    const uint32_t *report = p->parts[bundle].slices[PAIL_MSM_REPORT_OUT].mapped;
    uint64_t sums = 0;
    for (uint32_t run = 0; b->shape.n && run < pail_msm_blocks(&b->plan); run++)
        sums += report[PAIL_MSM_REPORT_WORDS + run];
    return sums;
}

pail_status pail_msm_count_sums(struct pail_pending *p, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    double all = 0, done = 0;
    for (size_t i = 0; i < p->n_bundles && status == PAIL_OK; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        const double entries = (double)pail_msm_window_entries(&b->plan, b->shape.n) *
                               b->plan.total_windows * b->n_sets;
        if (!b->shape.n)
            continue;
        status = pail_vk_invalidate(p->msm->dev, &p->parts[i].slices[PAIL_MSM_REPORT_OUT], err);
        p->parts[i].counted = status == PAIL_OK;
        p->parts[i].done = status == PAIL_OK ? (double)pail_msm_sums(p, i) / entries : 0;
        all += entries;
        done += p->parts[i].done * entries;
    }
    if (p->concurrent && !p->lanes && status == PAIL_OK) /* one submission has all of them */
        p->parts[0].done = done / all;
    return status;
}

void pail_msm_plan_stats(pail_stats *stats, const struct pail_msm_plan *plan,
                         enum pail_field_form form)
{
    stats->window_bits = plan->window_bits;
    stats->windows = plan->digits;
    stats->batches = plan->batches;
    stats->chunks = plan->chunks;
    stats->accumulator = plan->accumulator.accumulator;
    stats->field = form;
    stats->workgroup = plan->accumulator.workgroup;
    stats->slots = plan->accumulator.slots;
    stats->inversion_group = plan->accumulator.inversion_group;
    stats->prefix_placement = plan->accumulator.prefix_placement;
    stats->threads = plan->threads;
    stats->bytes_estimate = plan->scratch_bytes;
}

/* The sets of all jobs, each once. */
static uint64_t resident_bytes(const struct pail_pending *p)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->n_bundles; i++)
        for (uint32_t s = 0; s < p->bundles[i].n_sets; s++) {
            const struct pail_bases *bases = p->bundles[i].sets[s].bases;
            bool seen = bases->residency == PAIL_RESIDENCY_HOST;
            for (size_t k = 0; k <= i && !seen; k++)
                for (uint32_t t = 0; t < p->bundles[k].n_sets && (k < i || t < s); t++)
                    seen |= p->bundles[k].sets[t].bases == bases;
            if (!seen)
                bytes += pail_bases_points_bytes(bases);
        }
    return bytes;
}

pail_status pail_msm_read_stats(struct pail_pending *p, pail_stats *stats, struct pail_error *err)
{
    (void)err;
    const struct pail_msm_bundle *largest = &p->bundles[0];
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        stats->adds += pail_msm_sums(p, i);
        if (b->plan.scratch_bytes > largest->plan.scratch_bytes)
            largest = b;
    }
    pail_msm_plan_stats(stats, &largest->plan, largest->form);
    stats->n_jobs = (uint32_t)p->n_jobs;
    stats->n_phases = p->n_phases;
    for (uint32_t i = 0; i < p->n_phases; i++) {
        snprintf(stats->phases[i].name, sizeof(stats->phases[i].name), "%s", p->phases[i].name);
        stats->phases[i].ms = p->phases[i].ms;
        stats->device_ms += p->phases[i].ms;
    }
    stats->kernel_hash = p->kernel_hash;
    stats->bytes_requested = p->bytes_requested;
    stats->bytes_allocated = pail_vk_arena_allocated(&p->ws->device);
    stats->bytes_bases = resident_bytes(p);
    stats->bytes_streamed = p->bytes_streamed;
    stats->bytes_wiped = p->bytes_wiped;
    stats->blocks = p->blocks;
    stats->sorts = p->sorts;
    stats->submissions = p->submissions;
    stats->longest_submission_ms = p->longest_submission_ms;
    stats->pipelines_memory = (uint32_t)p->pipelines.memory;
    stats->pipelines_disk = (uint32_t)p->pipelines.disk;
    stats->pipelines_compiled = (uint32_t)p->pipelines.compiled;
    stats->pipelines_ms = p->pipelines.ms;
    return PAIL_OK;
}
