/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that decide a reduction: the least that one of its cells can have. Whoever meets it need
 * not look at the other cells (glsl/shared/adstack_layout.h). It follows from the bounds and what
 * else the body takes from slots; what the device computes of them is looked at between portions.
 */
#include <shared/adstack_layout.h>

#include "gpu_priv.h"

/* Fewer cells take no time. */
#define CELLS_MIN (UINT64_C(1) << 16)

struct inputs {
    const struct pail_ad_values *values;
    struct pail_ad_encoded *e;
    const uint32_t *words; /* values that came back; NULL: none have */
    struct pail_ad_value *to;
    bool known;
};

static void take_input(struct inputs *inputs, uint32_t slot)
{
    struct pail_ad_encoded *e = inputs->e;
    if (inputs->values->known[slot])
        return;
    const uint32_t number = e->number[slot];
    /* A value stays unknown to others: it may be one that nobody has asked for. */
    inputs->known = inputs->known && inputs->words && number < e->n_back + e->n_seen &&
                    pail_ad_value_from(&inputs->to[slot], &inputs->words[AD_VALUE_WORDS * number]);
}

static void take_name(void *user, uint32_t number, uint32_t slot)
{
    (void)number;
    take_input(user, slot);
}

/* False: a value of what the spec needs is not there. */
static bool take_inputs(struct inputs *inputs, const struct pail_ad_program *program,
                        const struct pail_ad_spec *spec)
{
    const struct pail_ad_names names = {.user = inputs, .slot = take_name};
    inputs->known = true;
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        take_input(inputs, program->axes[spec->axes_first + k].begin);
        take_input(inputs, program->axes[spec->axes_first + k].end);
    }
    pail_ad_names_of(program, spec, &names);
    return inputs->known;
}

static bool is_short(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                     const struct pail_ad_value slots[])
{
    uint64_t cells = 1;
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &program->axes[spec->axes_first + k];
        const int64_t begin = slots[axis->begin].v, end = slots[axis->end].v;
        const uint64_t size = begin < end ? (uint64_t)end - (uint64_t)begin : 0;
        if (size == 0 || slots[axis->begin].error || slots[axis->end].error)
            return true;
        cells = size < CELLS_MIN ? cells * size : CELLS_MIN;
        if (cells >= CELLS_MIN)
            return false;
    }
    return !pail_ad_has_loops(program, spec);
}

/* Before anything else is known of it: most are. */
static bool is_known_short(const struct pail_ad_work *work, const struct pail_ad_spec *spec)
{
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &work->program->axes[spec->axes_first + k];
        if (!work->values->known[axis->begin] || !work->values->known[axis->end])
            return false;
    }
    return is_short(work->program, spec, work->values->value);
}

static pail_status examine(const struct pail_ad_gpu *gpu, struct pail_ad_encoded *e,
                           struct pail_ad_encoded_spec *which, const struct pail_ad_work *work,
                           struct pail_error *err)
{
    const struct pail_ad_spec *spec = &work->program->specs[which->spec];
    uint32_t least = 0;
    which->examined = true;
    if (is_short(work->program, spec, work->values->value))
        return PAIL_OK;
    const pail_status status =
        pail_ad_least_error(work->program, work->arrays, work->values->value, spec, &least,
                            pail_vk_device_alloc(gpu->dev), err);
    e->words[which->record + AD_SPEC_LEAST] = pail_ad_device_error(least);
    which->changed = least != 0;
    return status;
}

pail_status pail_ad_certain_put(const struct pail_ad_gpu *gpu, struct pail_ad_encoded *e,
                                const struct pail_ad_work *work, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < e->n_specs && status == PAIL_OK; i++) {
        struct inputs inputs = {.values = work->values, .e = e, .to = work->values->value};
        e->specs[i].changed = false;
        e->specs[i].examined = is_known_short(work, &work->program->specs[e->specs[i].spec]);
        if (!e->specs[i].examined &&
            take_inputs(&inputs, work->program, &work->program->specs[e->specs[i].spec]))
            status = examine(gpu, e, &e->specs[i], work, err);
        e->specs[i].changed = false; /* it is copied with all words */
    }
    return status;
}

pail_status pail_ad_certain_look(const struct pail_ad_gpu *gpu, struct pail_ad_encoded *e,
                                 const struct pail_ad_work *work, uint32_t stage,
                                 const uint32_t *words, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < e->n_specs && status == PAIL_OK; i++) {
        struct pail_ad_encoded_spec *which = &e->specs[i];
        struct inputs inputs = {
            .values = work->values, .e = e, .words = words, .to = work->values->value};
        if (which->stage != stage || which->examined)
            continue;
        if (take_inputs(&inputs, work->program, &work->program->specs[which->spec]))
            status = examine(gpu, e, which, work, err);
        which->examined = true; /* else it is given back, with what it needs */
    }
    return status;
}

void pail_ad_certain_update(struct pail_vk_cmd *cmd, struct pail_ad_space *space)
{
    struct pail_ad_encoded *e = &space->encoded;
    for (uint32_t i = 0; i < e->n_specs; i++) {
        const uint32_t at = e->specs[i].record + AD_SPEC_LEAST;
        if (e->specs[i].changed)
            pail_vk_cmd_fill(cmd, &space->on_device[0], 4 * (uint64_t)at, 4, e->words[at]);
        e->specs[i].changed = false;
    }
}
