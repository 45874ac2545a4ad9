/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of reductions by the device's pace, and the updates of the pace from their times. */
#include <platform/clock.h>
#include <shared/adstack_layout.h>

#include <adstack/watch.h>
#include <core/debug.h>

#include "gpu_priv.h"
#include "record_words.h"
#include "vk/pace_kept.h"

/* Limit of a recorded stage: each portion is three dispatches, which may have nothing to do. */
#define PORTIONS_MAX 32u

static const struct pail_vk_pipeline *pipeline_of(const struct pail_ad_batch *batch,
                                                  const struct pail_ad_pipelines *p)
{
    return batch->kernel ? batch->kernel : p->reduce;
}

/* ---- Devices that nothing watches over ------------------------------------------------------- */
/* Assumed time of a unit: two cores that interpret take about so long. A portion says better. */
#define UNWATCHED_NS 40.0

/* A processor has a few cores, and is as fast with few workgroups. */
#define UNWATCHED_FILL 2u

/* Submissions for a caller who may want an end: so much later it has it. The first one is short,
 * for nobody knows how fast the processor is and who else is there; and so is a portion that only
 * has to tell which errors decide. */
#define LIMITED_AIM_MS   40.0
#define FIRST_AIM_MS     10.0
#define LAST_AIM_MS      10.0
#define UNKNOWN_AIM_MS   35.0
#define FASTER_AT_A_TIME 4.0

void pail_ad_pace_begin(struct pail_ad_pace *pace, const struct pail_ad_gpu *gpu,
                        const struct pail_ad_work *work)
{
    const struct pail_ad_watch *watch = work->values->watch;
    *pace = (struct pail_ad_pace){
        .unwatched = !pail_vk_pace_limits(gpu->dev),
        .limited = watch && (watch->max_ms || watch->cancel),
    };
}

void pail_ad_pace_aim(struct pail_ad_pace *pace, const struct pail_ad_work *work, bool first)
{
    const struct pail_ad_watch *watch = work->values->watch;
    double ms = PAIL_VK_SUBMISSION_AIM_MS;
    if (pace->unwatched && pace->limited)
        ms = first ? FIRST_AIM_MS : LIMITED_AIM_MS;
    else if (pace->unwatched)
        ms = UNKNOWN_AIM_MS;
    if (watch && watch->max_ms) {
        const double left = watch->max_ms - (pail_now_ms() - watch->began);
        ms = left > ms ? ms : left > LAST_AIM_MS ? left : LAST_AIM_MS;
    }
    pace->aim_ns = 1e6 * ms;
}

uint32_t pail_ad_fill(const struct pail_ad_gpu *gpu)
{
    return pail_vk_pace_limits(gpu->dev) ? pail_vk_pace_fill(gpu->dev) : UNWATCHED_FILL;
}

static bool is_examined(const struct pail_ad_encoded *e, const struct pail_ad_batch *batch)
{
    for (uint32_t i = batch->first_spec; i < batch->first_spec + batch->n; i++)
        if (!e->specs[i].examined)
            return false;
    return true;
}

/* Nanoseconds of a unit of a batch; 0: it is done in one portion. */
static double unwatched_ns(const struct pail_ad_gpu *gpu, const struct pail_ad_encoded *e,
                           uint32_t number, const struct pail_ad_pace *pace)
{
    if (pail_vk_device_debug(gpu->dev) & PAIL_DEBUG_WHOLE ||
        !(pace->limited || !is_examined(e, &e->batches[number])))
        return 0;
    const double seen = pace->seen_ns[number < PAIL_AD_PHASES ? number : PAIL_AD_PHASES - 1];
    return seen > 0 ? seen : UNWATCHED_NS;
}

void pail_ad_pace_see(struct pail_ad_pace *pace, const struct pail_ad_encoded *e, uint32_t number,
                      const uint32_t *reports, double ms)
{
    const struct pail_ad_batch *batch = &e->batches[number];
    const double ns = (double)pail_ad_float_of(e->words[batch->record + AD_BATCH_NS]);
    const double expected = pail_ad_pace_expected(e, number, reports);
    if (!(expected > 0) || !(ms > 0))
        return;
    for (uint32_t i = batch->first_spec; i < batch->first_spec + batch->n; i++)
        if (reports[AD_REPORT_WORDS * i + AD_REPORT_OVER])
            return; /* it was ended before its time, and the next portion is shorter */
    const double seen = ns * (1e6 * ms / expected), fastest = ns / FASTER_AT_A_TIME;
    pace->seen_ns[number < PAIL_AD_PHASES ? number : PAIL_AD_PHASES - 1] =
        seen > fastest ? seen : fastest;
}

/* ---- Portions -------------------------------------------------------------------------------- */
/* pace: NULL for a record. */
static uint32_t ns_bits(const struct pail_ad_gpu *gpu, const struct pail_ad_encoded *e,
                        uint32_t number, const struct pail_ad_pipelines *p,
                        const struct pail_ad_pace *pace)
{
    const struct pail_ad_batch *batch = &e->batches[number];
    const double ns = pace && pace->unwatched
                          ? unwatched_ns(gpu, e, number, pace)
                          : pail_vk_pace_of(gpu->dev, pipeline_of(batch, p), PAIL_VK_CELLS);
    return pail_ad_bits_of((float)ns);
}

void pail_ad_pace_put(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                      const struct pail_ad_pipelines *p, const struct pail_ad_work *work,
                      const struct pail_ad_pace *pace)
{
    struct pail_ad_encoded *e = &space->encoded;
    const double aim_ns = pace ? pace->aim_ns : 1e6 * PAIL_VK_SUBMISSION_AIM_MS;
    for (uint32_t b = 0; b < e->n_batches; b++)
        e->words[e->batches[b].record + AD_BATCH_NS] = ns_bits(gpu, e, b, p, pace);
    const double ready_ns = pail_ad_make_ready(gpu, space, work, 0.5 * aim_ns);
    e->words[e->state + AD_STATE_NS] = pail_ad_bits_of((float)(aim_ns - ready_ns));
}

void pail_ad_pace_update(struct pail_vk_cmd *cmd, struct pail_ad_gpu *gpu,
                         struct pail_ad_space *space, const struct pail_ad_pipelines *p,
                         uint32_t first, const struct pail_ad_pace *pace)
{
    struct pail_ad_encoded *e = &space->encoded;
    const struct pail_vk_slice *arena = &space->on_device[0];
    const float ns = (float)pace->aim_ns;
    pail_vk_cmd_fill(cmd, arena, 4 * ((uint64_t)e->state + AD_STATE_NS), 4, pail_ad_bits_of(ns));
    for (uint32_t b = e->stages[first].batch_first; b < e->n_batches; b++) {
        const uint32_t at = e->batches[b].record + AD_BATCH_NS;
        e->words[at] = ns_bits(gpu, e, b, p, pace);
        pail_vk_cmd_fill(cmd, arena, 4 * (uint64_t)at, 4, e->words[at]);
    }
}

double pail_ad_pace_expected(const struct pail_ad_encoded *e, uint32_t number,
                             const uint32_t *reports)
{
    const struct pail_ad_batch *batch = &e->batches[number];
    double units = 0;
    for (uint32_t i = batch->first_spec; i < batch->first_spec + batch->n; i++)
        units += (double)pail_ad_float_of(reports[AD_REPORT_WORDS * i + AD_REPORT_UNITS]);
    return units * (double)pail_ad_float_of(e->words[batch->record + AD_BATCH_NS]);
}

bool pail_ad_has_loops(const struct pail_ad_program *program, const struct pail_ad_spec *spec)
{
    for (uint32_t i = 0; i < spec->n_code; i++)
        if (program->code[spec->code_first + i].op == PAIL_AD_LOOP)
            return true;
    return false;
}

void pail_ad_pace_learn(const struct pail_ad_gpu *gpu, const struct pail_ad_work *work,
                        const struct pail_ad_encoded *e, const struct pail_ad_pipelines *p,
                        uint32_t number, const uint32_t *reports, double ms)
{
    const struct pail_ad_batch *batch = &e->batches[number];
    const struct pail_ad_program *program = work->program;
    double units = 0;
    uint64_t groups = 0;
    for (uint32_t i = batch->first_spec; i < batch->first_spec + batch->n; i++) {
        const uint32_t *report = &reports[AD_REPORT_WORDS * i];
        const double of_it = (double)pail_ad_float_of(report[AD_REPORT_UNITS]);
        if (of_it > 0 && (report[AD_REPORT_OVER] ||
                          pail_ad_has_loops(program, &program->specs[e->specs[i].spec])))
            return;
        units += of_it;
        groups += of_it > 0 ? report[AD_REPORT_GROUPS] : 0;
    }
    if (units > 0 && groups >= pail_vk_pace_fill(gpu->dev))
        pail_vk_pace_saw(gpu->dev, pipeline_of(batch, p), PAIL_VK_CELLS, units, ms);
}

/* ---- Records --------------------------------------------------------------------------------- */
/* The longest axis of an array: what a range that is not known yet is taken for. */
static double longest_axis(const struct pail_ad_record *record)
{
    double most = 1;
    for (uint32_t i = 0; i < record->program->n_sources; i++)
        for (uint32_t k = 0; k < record->arrays[i].rank; k++)
            if ((double)record->arrays[i].shape[k] > most)
                most = (double)record->arrays[i].shape[k];
    return most;
}

static double length_of(const struct pail_ad_record *record, const struct pail_ad_axis *axis)
{
    const struct pail_ad_values *values = record->values;
    if (!values->known[axis->begin] || !values->known[axis->end])
        return longest_axis(record);
    const double length = (double)values->value[axis->end].v - (double)values->value[axis->begin].v;
    return length > 0 ? length : 0;
}

static double turns_of(const struct pail_ad_record *record, uint32_t slot)
{
    if (slot == PAIL_AD_NONE)
        return 1;
    if (!record->values->known[slot])
        return longest_axis(record);
    return (double)record->values->value[slot].v > 1 ? (double)record->values->value[slot].v : 1;
}

/* Nanoseconds that a spec may take. */
static double ns_of(const struct pail_ad_encoded *e, const struct pail_ad_record *record,
                    uint32_t number, float ns)
{
    const struct pail_ad_program *program = record->program;
    const struct pail_ad_spec *spec = &program->specs[e->specs[number].spec];
    const uint32_t *words = &e->words[e->specs[number].record];
    double cells = 1;
    for (uint32_t k = 0; k < spec->n_axes; k++)
        cells *= length_of(record, &program->axes[spec->axes_first + k]);
    return (double)ns * cells / e->specs[number].together *
           (words[AD_SPEC_UNITS] + turns_of(record, spec->turns) * words[AD_SPEC_TURN_UNITS]);
}

uint32_t pail_ad_pace_portions(const struct pail_ad_space *space,
                               const struct pail_ad_record *record, uint32_t number)
{
    const struct pail_ad_encoded *e = &space->encoded;
    const struct pail_ad_stage *stage = &e->stages[number];
    double most = 1;
    for (uint32_t b = stage->batch_first; b < stage->batch_first + stage->n_batches; b++) {
        const struct pail_ad_batch *batch = &e->batches[b];
        const float ns = pail_ad_float_of(e->words[batch->record + AD_BATCH_NS]);
        double of_it = 0;
        for (uint32_t i = batch->first_spec; i < batch->first_spec + batch->n && ns > 0; i++)
            of_it += ns_of(e, record, i, ns) / (1e6 * PAIL_VK_DISPATCH_AIM_MS);
        most = of_it > most ? of_it : most;
    }
    const double more = most < PORTIONS_MAX ? most : PORTIONS_MAX;
    return (uint32_t)more + (more > (uint32_t)more);
}
