/* SPDX-License-Identifier: Apache-2.0 */
#include "eval.h"

#include "eval_run.h"

/* A slot that is needed, and how far it is. */
struct frame {
    uint32_t slot;
    uint32_t next; /* SPEC: of the bounds, then of the code */
};

struct eval {
    const struct pail_ad_program *program;
    const struct pail_ad_array *arrays;
    struct pail_ad_values *values;
    struct frame *frames;
    uint32_t n_frames, capacity;
    struct pail_ad_scratch *scratch;
    const struct pail_alloc *alloc;
    struct pail_error *err;
};

static struct pail_ad_value at(const struct eval *eval, uint32_t slot)
{
    return eval->values->value[slot];
}

static void finish(struct eval *eval, uint32_t slot, struct pail_ad_value value)
{
    eval->values->value[slot] = value;
    eval->values->known[slot] = 1;
    eval->n_frames--;
}

static pail_status push(struct eval *eval, uint32_t slot)
{
    const pail_status status = pail_grow(eval->alloc, &eval->frames, &eval->capacity,
                                         eval->n_frames + 1, sizeof(eval->frames[0]), eval->err);
    if (!status)
        eval->frames[eval->n_frames++] = (struct frame){.slot = slot};
    return status;
}

/* true: it is not known, and is asked for. */
static bool ask(struct eval *eval, uint32_t slot, pail_status *status)
{
    if (*status || eval->values->known[slot])
        return *status != PAIL_OK;
    *status = push(eval, slot);
    return true;
}

static bool ask_operand(struct eval *eval, uint32_t operand, pail_status *status)
{
    return operand & PAIL_AD_SLOT && ask(eval, operand & ~PAIL_AD_SLOT, status);
}

static struct pail_ad_value read_slot(const struct eval *eval, const struct pail_ad_slot *slot)
{
    struct pail_ad_value indices[PAIL_AD_MAX_RANK];
    for (uint32_t k = 0; k < slot->n_args; k++)
        indices[k] = at(eval, eval->program->args[slot->args_first + k]);
    return pail_ad_read(&eval->arrays[slot->source], slot->dtype, slot->site, indices,
                        slot->n_args);
}

static pail_status advance_plain(struct eval *eval, uint32_t number)
{
    const struct pail_ad_slot *slot = &eval->program->slots[number];
    pail_status status = PAIL_OK;
    switch (slot->op) {
    case PAIL_AD_CONST:
        finish(eval, number, (struct pail_ad_value){.v = slot->imm});
        return PAIL_OK;
    case PAIL_AD_SHAPE:
        finish(eval, number,
               (struct pail_ad_value){.v = eval->arrays[slot->source].shape[slot->axis]});
        return PAIL_OK;
    case PAIL_AD_READ:
        for (uint32_t k = 0; k < slot->n_args; k++)
            if (ask(eval, eval->program->args[slot->args_first + k], &status))
                return status;
        finish(eval, number, read_slot(eval, slot));
        return PAIL_OK;
    case PAIL_AD_SELECT: {
        if (ask(eval, slot->a, &status))
            return status;
        const struct pail_ad_value a = at(eval, slot->a);
        const uint32_t taken = a.v > 0 ? slot->b : slot->c;
        if (!a.error && ask(eval, taken, &status))
            return status;
        finish(eval, number, a.error ? a : at(eval, taken));
        return PAIL_OK;
    }
    default:
        if (ask(eval, slot->a, &status) || ask(eval, slot->b, &status))
            return status;
        finish(eval, number,
               pail_ad_operate(slot->op, slot->site, at(eval, slot->a), at(eval, slot->b),
                               (struct pail_ad_value){0}));
        return PAIL_OK;
    }
}

enum bounds { WAITING, SETTLED, CELLS };

/* Looks at the axes from the outermost on. SETTLED: *value is the spec's; CELLS: it has *cells. */
static enum bounds look_at_axes(struct eval *eval, const struct pail_ad_spec *spec,
                                struct pail_ad_value *value, uint64_t *cells, pail_status *status)
{
    const uint32_t too_many = PAIL_AD_ERROR(spec->site, PAIL_AD_CELLS);
    bool beyond = false;
    *cells = 1;
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &eval->program->axes[spec->axes_first + k];
        if (ask(eval, axis->begin, status) || ask(eval, axis->end, status))
            return WAITING;
        const struct pail_ad_value begin = at(eval, axis->begin), end = at(eval, axis->end);
        *value = pail_ad_failed(pail_ad_least(begin.error, end.error));
        if (value->error || begin.v >= end.v)
            return SETTLED;
        const uint64_t turns = pail_ad_turns(begin.v, end.v);
        *value = pail_ad_failed(too_many);
        if (turns > PAIL_AD_MAX_CELLS)
            return SETTLED;
        beyond = beyond || turns > PAIL_AD_MAX_CELLS / *cells;
        *cells = beyond ? 1 : *cells * turns;
    }
    return beyond ? SETTLED : CELLS;
}

/* Asks for a slot of the code that is not known; true: there is one. */
static bool ask_code(struct eval *eval, const struct pail_ad_spec *spec, pail_status *status)
{
    const uint32_t frame = eval->n_frames - 1;
    const struct pail_ad_program *program = eval->program;
    while (eval->frames[frame].next < spec->n_code) {
        const struct pail_ad_instr *instr =
            &program->code[spec->code_first + eval->frames[frame].next];
        if (instr->op == PAIL_AD_READ) {
            for (uint32_t k = 0; k < instr->n_args; k++)
                if (ask_operand(eval, program->args[instr->args_first + k], status))
                    return true;
        } else if (ask_operand(eval, instr->a, status) || ask_operand(eval, instr->b, status) ||
                   ask_operand(eval, instr->c, status)) {
            return true;
        }
        eval->frames[frame].next++;
    }
    return ask_operand(eval, spec->value, status);
}

static pail_status advance_spec(struct eval *eval, uint32_t number)
{
    const struct pail_ad_spec *spec = &eval->program->specs[eval->program->slots[number].spec];
    pail_status status = PAIL_OK;
    struct pail_ad_value value = {0};
    uint64_t cells;
    const enum bounds bounds = look_at_axes(eval, spec, &value, &cells, &status);
    if (bounds == WAITING || (bounds == CELLS && ask_code(eval, spec, &status)))
        return status;
    if (bounds == CELLS) {
        status =
            pail_ad_eval_cells(eval->program, eval->arrays, eval->values->value, spec, cells,
                               eval->values->watch, eval->scratch, &value, eval->alloc, eval->err);
        if (status)
            return status;
        eval->values->cells += cells;
    }
    finish(eval, number, value);
    return PAIL_OK;
}

pail_status pail_ad_eval(const struct pail_ad_program *program, const struct pail_ad_array arrays[],
                         struct pail_ad_values *values, const uint32_t slots[], uint32_t n_slots,
                         const struct pail_alloc *alloc, struct pail_error *err)
{
    struct pail_ad_scratch own = {0};
    struct eval eval = {
        .program = program,
        .arrays = arrays,
        .values = values,
        .scratch = values->scratch ? values->scratch : &own,
        .alloc = alloc,
        .err = err,
    };
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < n_slots && !status; i++) {
        (void)ask(&eval, slots[i], &status);
        while (eval.n_frames && !status) {
            const uint32_t slot = eval.frames[eval.n_frames - 1].slot;
            status = program->slots[slot].op == PAIL_AD_SPEC ? advance_spec(&eval, slot)
                                                             : advance_plain(&eval, slot);
        }
    }
    pail_free(alloc, eval.frames);
    pail_ad_scratch_free(&own, alloc);
    return status;
}
