/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of arrays on other devices that slots read, by what is known before contents are. */
#include "foreign_priv.h"

struct search {
    const uint8_t *dear;
    bool found;
};

static void note_dear(void *user, uint32_t operand)
{
    struct search *search = user;
    search->found = search->found || search->dear[operand];
}

static bool has_dear_operand(const struct pail_ad_foreign *f, uint32_t slot)
{
    struct search search = {f->dear, false};
    pail_ad_each_operand(f->program, slot, note_dear, &search);
    return search.found;
}

static void find_dear(struct pail_ad_foreign *f)
{
    const struct pail_ad_values *values = &f->e->values;
    for (uint32_t i = 0; i < f->program->n_slots; i++) {
        const struct pail_ad_slot *slot = &f->program->slots[i];
        f->dear[i] = !values->known[i] &&
                     (slot->op == PAIL_AD_SPEC ||
                      (slot->op == PAIL_AD_READ && !pail_ad_foreign_array(f, slot->source)->host) ||
                      has_dear_operand(f, i));
    }
}

struct operands {
    struct pail_ad_foreign *f;
    struct pail_error *err;
    pail_status status;
};

static void evaluate_operand(void *user, uint32_t operand)
{
    struct operands *o = user;
    if (o->status == PAIL_OK)
        o->status = pail_ad_eval(o->f->program, o->f->e->frame->arrays, &o->f->e->values, &operand,
                                 1, pail_ad_foreign_alloc(o->f), o->err);
}

/* Evaluates what a slot depends on, none of which is dear. */
static pail_status evaluate_operands(struct pail_ad_foreign *f, uint32_t slot,
                                     struct pail_error *err)
{
    struct operands operands = {f, err, PAIL_OK};
    pail_ad_each_operand(f->program, slot, evaluate_operand, &operands);
    return operands.status;
}

static void need(struct pail_ad_foreign *f, uint32_t source, uint32_t slot)
{
    struct pail_ad_fetch *fetch = &f->fetches[source];
    fetch->slot = fetch->needed ? fetch->slot : slot;
    fetch->needed = true;
}

static pail_status look_at_read(struct pail_ad_foreign *f, uint32_t slot, struct pail_error *err)
{
    const struct pail_ad_slot *s = &f->program->slots[slot];
    const bool known = !f->whole && !has_dear_operand(f, slot);
    int64_t index[PAIL_AD_MAX_RANK];
    if (!f->fetches[s->source].missing)
        return PAIL_OK;
    need(f, s->source, slot);
    const pail_status status = known ? evaluate_operands(f, slot, err) : PAIL_OK;
    for (uint32_t k = 0; known && k < s->n_args; k++)
        index[k] = f->e->values.value[f->program->args[s->args_first + k]].v;
    if (status == PAIL_OK)
        pail_ad_reach_elements(&f->reach[s->source], pail_ad_foreign_array(f, s->source),
                               known ? index : NULL, known ? index : NULL);
    return status;
}

/* The maximum of elements that follow one another, each taken once. begin, end: of the axes. */
static bool is_maximum(const struct pail_ad_foreign *f, const struct pail_ad_spec *spec,
                       struct pail_ad_maximum *maximum)
{
    const struct pail_ad_program *p = f->program;
    const struct pail_ad_instr *read = pail_ad_code_of(p, spec);
    const struct pail_ad_value *values = f->e->values.value;
    if (spec->reduction != PAIL_AD_REDUCE_MAX || spec->n_code != 1 || read->op != PAIL_AD_READ ||
        spec->value != read->dst || !f->fetches[read->source].missing)
        return false;
    const struct pail_ad_array *array = pail_ad_foreign_array(f, read->source);
    uint64_t step = pail_ad_dtype_bytes(array->dtype), first = 0;
    uint32_t axes = 0; /* a bit for each that is an index */
    maximum->cells = 1;
    for (uint32_t k = read->n_args; k-- > 0;) {
        const uint32_t arg = p->args[read->args_first + k];
        struct pail_ad_value from, to;
        if (arg & PAIL_AD_SLOT) {
            from = to = values[arg & ~PAIL_AD_SLOT];
            to.v += to.v < INT64_MAX;
        } else {
            const struct pail_ad_axis *axis = &p->axes[spec->axes_first + arg];
            if (arg >= spec->n_axes || axes >> arg & 1)
                return false;
            axes |= UINT32_C(1) << arg;
            from = values[axis->begin];
            to = values[axis->end];
        }
        if (from.error || to.error || from.v < 0 || from.v >= to.v || to.v > array->shape[k])
            return false;
        const uint64_t n = (uint64_t)(to.v - from.v);
        if (n > 1 && (uint64_t)array->stride[k] != step)
            return false;
        first += (uint64_t)from.v * (uint64_t)array->stride[k];
        step *= n;
        maximum->cells *= n;
    }
    maximum->of = (struct pail_ad_reach){first, first + step};
    maximum->source = read->source;
    return axes == (UINT32_C(1) << spec->n_axes) - 1;
}

/* True if there are cells by bounds that are known. */
static bool has_cells(const struct pail_ad_foreign *f, const struct pail_ad_spec *spec)
{
    bool cells = true;
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &f->program->axes[spec->axes_first + k];
        const struct pail_ad_value from = f->e->values.value[axis->begin];
        const struct pail_ad_value to = f->e->values.value[axis->end];
        cells = cells && !from.error && !to.error && from.v < to.v;
    }
    return cells;
}

static pail_status evaluate_bounds(struct pail_ad_foreign *f, const struct pail_ad_spec *spec,
                                   struct pail_error *err)
{
    struct operands operands = {f, err, PAIL_OK};
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &f->program->axes[spec->axes_first + k];
        evaluate_operand(&operands, axis->begin);
        evaluate_operand(&operands, axis->end);
    }
    return operands.status;
}

/* Joins all elements of the missing arrays that a spec reads; all: or only makes them needed. */
static bool note_reads(struct pail_ad_foreign *f, uint32_t slot, bool all)
{
    const struct pail_ad_program *p = f->program;
    const struct pail_ad_spec *spec = &p->specs[p->slots[slot].spec];
    bool reads = false;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &p->code[spec->code_first + i];
        if (instr->op != PAIL_AD_READ || !f->fetches[instr->source].missing)
            continue;
        need(f, instr->source, slot);
        reads = true;
        if (all)
            pail_ad_reach_elements(&f->reach[instr->source],
                                   pail_ad_foreign_array(f, instr->source), NULL, NULL);
    }
    return reads;
}

static pail_status look_at_spec(struct pail_ad_foreign *f, uint32_t slot, struct pail_error *err)
{
    const struct pail_ad_program *p = f->program;
    const struct pail_ad_spec *spec = &p->specs[p->slots[slot].spec];
    const bool reducible = f->service->env.fetch.reduce && !(f->how->flags & PAIL_LAUNCH_DEVICE);
    const bool all = has_dear_operand(f, slot) || (f->whole && !reducible);
    if (!note_reads(f, slot, all) || all)
        return PAIL_OK;
    pail_status status = evaluate_bounds(f, spec, err);
    const bool cells = status == PAIL_OK && has_cells(f, spec);
    if (cells)
        status = evaluate_operands(f, slot, err);
    if (status != PAIL_OK)
        return status;
    struct pail_ad_maximum *maximum = &f->maxima[f->n_maxima];
    if (cells && reducible && is_maximum(f, spec, maximum)) {
        maximum->slot = slot;
        f->n_maxima++;
    } else if (f->whole) {
        (void)note_reads(f, slot, true);
    } else if (cells) {
        status = pail_ad_spec_reach(p, f->e->frame->arrays, f->e->values.value, spec, f->reach,
                                    pail_ad_foreign_alloc(f), err);
    }
    return status;
}

pail_status pail_ad_foreign_look(struct pail_ad_foreign *f, struct pail_error *err)
{
    const struct pail_ad_program *p = f->program;
    pail_status status = PAIL_OK;
    find_dear(f);
    for (uint32_t i = 0; i < p->n_slots && status == PAIL_OK; i++) {
        if (!f->e->need[i] || f->e->values.known[i])
            continue;
        if (p->slots[i].op == PAIL_AD_READ)
            status = look_at_read(f, i, err);
        else if (p->slots[i].op == PAIL_AD_SPEC)
            status = look_at_spec(f, i, err);
    }
    return status;
}
