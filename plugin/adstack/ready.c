/* SPDX-License-Identifier: Apache-2.0 */
/* Levels that the host prepares: adstack/prepare has nothing to find out of a level whose ranges
 * are known, whose cells have no loops of their own, and which is short. Then all is done in one
 * portion, by a dispatch of as many workgroups as the host says. Of such levels the first ones are
 * taken: what comes behind a level that may not be complete has to wait for it. */
#include <string.h>

#include <shared/adstack_layout.h>

#include "gpu_priv.h"
#include "record_words.h"
#include "vk/pace_kept.h"

/* A part of the time that a dispatch may take: estimates are off by some tens of percent. */
#define SHORT_NS (0.5e6 * PAIL_VK_DISPATCH_AIM_MS)

/* The kernels reckon with rounds as floats, too. */
#define ROUNDS_MAX (UINT64_C(1) << 24)

struct preparing {
    struct pail_ad_encoded *e;
    const struct pail_ad_program *program;
    const struct pail_ad_values *values;
    double fill; /* workgroups that fill the device */
    double most; /* nanoseconds of all levels */
    double ns;   /* time of all levels so far */
};

/* false: one of the bounds is not known, or wrong, or there is nothing between them. */
static bool range_of(const struct preparing *p, const struct pail_ad_axis *axis, int64_t *begin,
                     uint64_t *size)
{
    const struct pail_ad_value *from = &p->values->value[axis->begin];
    const struct pail_ad_value *to = &p->values->value[axis->end];
    if (!p->values->known[axis->begin] || !p->values->known[axis->end] || from->error ||
        to->error || from->v >= to->v)
        return false;
    *begin = from->v;
    *size = (uint64_t)to->v - (uint64_t)from->v;
    return *size <= PAIL_AD_MAX_CELLS;
}

/* Cells, and what threads take of them, which is one or several. */
struct counted {
    uint64_t cells, items;
};

/* false: there are none, or they are not known, or too many. */
static bool put_ranges(const struct preparing *p, const struct pail_ad_spec *spec, uint32_t *words,
                       struct counted *n)
{
    const uint32_t together = words[AD_SPEC_TOGETHER];
    *n = (struct counted){1, 1};
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        uint32_t *axis = &words[AD_SPEC_AXES + AD_AXIS_WORDS * k];
        int64_t begin;
        uint64_t size;
        if (!range_of(p, &p->program->axes[spec->axes_first + k], &begin, &size) ||
            size > PAIL_AD_MAX_CELLS / n->cells)
            return false;
        uint64_t length = size;
        if (k + 1 == spec->n_axes && together > 1) { /* same as in adstack/prepare */
            pail_ad_put64(&words[AD_SPEC_LAST], size);
            length = (size + 2 * (together - 1)) / together;
        }
        pail_ad_put64(&axis[AD_AXIS_BEGIN], (uint64_t)begin);
        pail_ad_put64(&axis[AD_AXIS_LENGTH], length);
        n->cells *= size;
        n->items *= length;
    }
    return true;
}

/* Puts the distance from a thread's item to its next, by axis. */
static void put_steps(const struct pail_ad_spec *spec, uint32_t *words, uint32_t threads)
{
    for (uint32_t k = spec->n_axes; k-- > 0;) {
        uint32_t *axis = &words[AD_SPEC_AXES + AD_AXIS_WORDS * k];
        const uint64_t length = axis[AD_AXIS_LENGTH] | (uint64_t)axis[AD_AXIS_LENGTH + 1] << 32;
        axis[AD_AXIS_STEP] = (uint32_t)(threads % length);
        threads = (uint32_t)(threads / length);
    }
}

static float units_of(const uint32_t *words)
{
    return (float)words[AD_SPEC_UNITS] * AD_WORKGROUP * (float)words[AD_SPEC_GROUPS] *
           (float)words[AD_SPEC_ROUNDS];
}

/* Writes the words that adstack/prepare would write, if all is one portion. Nothing of it counts
 * before the state says so. */
static bool put_spec(struct preparing *p, const struct pail_ad_encoded_spec *which,
                     const uint32_t *batch)
{
    const struct pail_ad_spec *spec = &p->program->specs[which->spec];
    uint32_t *words = &p->e->words[which->record];
    struct counted n;
    if (pail_ad_has_loops(p->program, spec) || !put_ranges(p, spec, words, &n))
        return false;
    const uint64_t wanted = batch[AD_BATCH_WANTED];
    const uint64_t full = (n.items + AD_WORKGROUP - 1) / AD_WORKGROUP;
    const uint64_t groups = full < wanted ? full : wanted;
    const uint64_t rounds = (full + groups - 1) / groups;
    const uint64_t steps = words[AD_SPEC_STEPS];
    if (rounds >= ROUNDS_MAX || (steps && 2 * rounds * words[AD_SPEC_COST] > steps))
        return false;
    put_steps(spec, words, (uint32_t)groups * AD_WORKGROUP);
    pail_ad_put64(&words[AD_SPEC_CELLS], n.cells);
    pail_ad_put64(&words[AD_SPEC_ITEMS], n.items);
    pail_ad_put64(&words[AD_SPEC_LEFT], rounds);
    words[AD_SPEC_GROUPS] = (uint32_t)groups;
    words[AD_SPEC_ROUNDS] = (uint32_t)rounds;
    words[AD_SPEC_ALLOWED] = words[AD_SPEC_STEPS];
    words[AD_SPEC_OVER] = AD_GIVEN_BACK;
    const double ns = (double)pail_ad_float_of(batch[AD_BATCH_NS]) * (double)units_of(words);
    const double alone = (double)groups < p->fill ? p->fill / (double)groups : 1;
    p->ns += ns;
    return ns * alone <= p->most && p->ns <= p->most;
}

static bool put_stage(struct preparing *p, const struct pail_ad_stage *stage)
{
    for (uint32_t b = stage->batch_first; b < stage->batch_first + stage->n_batches; b++) {
        const struct pail_ad_batch *batch = &p->e->batches[b];
        for (uint32_t i = batch->first_spec; i < batch->first_spec + batch->n; i++)
            if (!put_spec(p, &p->e->specs[i], &p->e->words[batch->record]))
                return false;
    }
    return true;
}

/* Begins a batch: from now on its words count. */
static void begin_batch(struct pail_ad_encoded *e, struct pail_ad_batch *batch)
{
    batch->groups = 0;
    for (uint32_t i = 0; i < batch->n; i++) {
        const uint32_t record = e->specs[batch->first_spec + i].record;
        uint32_t *words = &e->words[record], *report = &e->words[words[AD_SPEC_REPORT]];
        const float units = units_of(words);
        words[AD_SPEC_STATE] = AD_BEGUN;
        words[AD_SPEC_PARTIALS] =
            e->words[batch->record + AD_BATCH_PARTIALS] + AD_PARTIAL_WORDS * batch->groups;
        e->words[batch->list + AD_LIST_WORDS * i + 1] = batch->groups;
        memcpy(&report[AD_REPORT_CELLS], &words[AD_SPEC_CELLS], 2 * sizeof(*words));
        report[AD_REPORT_GROUPS] = words[AD_SPEC_GROUPS];
        report[AD_REPORT_LANES] = 1;
        memcpy(&report[AD_REPORT_UNITS], &units, sizeof(units));
        batch->groups += words[AD_SPEC_GROUPS];
    }
}

double pail_ad_make_ready(const struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                          const struct pail_ad_work *work, double most)
{
    struct pail_ad_encoded *e = &space->encoded;
    struct preparing p = {.e = e,
                          .program = work->program,
                          .values = work->values,
                          .fill = pail_ad_fill(gpu),
                          .most = most < SHORT_NS ? most : SHORT_NS};
    double ns = 0;
    for (e->n_ready = 0; e->n_ready < e->n_stages; e->n_ready++) {
        const struct pail_ad_stage *stage = &e->stages[e->n_ready];
        if (!put_stage(&p, stage))
            break;
        for (uint32_t b = 0; b < stage->n_batches; b++)
            begin_batch(e, &e->batches[stage->batch_first + b]);
        ns = p.ns;
    }
    return ns;
}
