/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a spec's code, as the host runs them. */
#include "eval_run.h"

/* Bounds of code whose comparisons are joined: it takes time by the square of the steps, and places
 * for results that are in the way. */
enum { MOST_STEPS = 128, MOST_MOVED = 64 };

/* ---- Decoding -------------------------------------------------------------------------------- */
static uint32_t place(struct pail_ad_run *run, uint32_t operand)
{
    if (!(operand & PAIL_AD_SLOT))
        return operand;
    run->values[run->n_values] = run->slots[operand & ~PAIL_AD_SLOT];
    return run->n_values++;
}

size_t pail_ad_count_places(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                            size_t *n_args)
{
    size_t moved = 0;
    *n_args = 0;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &program->code[spec->code_first + i];
        *n_args += instr->n_args;
        moved = instr->op == PAIL_AD_SELECT ? MOST_MOVED : moved; /* others have no comparison */
    }
    return spec->n_registers + (size_t)3 * spec->n_code + *n_args + 1 + moved;
}

static void decode_operands(struct pail_ad_run *run, const struct pail_ad_instr *instr,
                            struct pail_ad_step *step)
{
    if (instr->op == PAIL_AD_READ) {
        step->array = &run->arrays[instr->source];
        step->args_first = run->n_args;
        step->n_args = instr->n_args;
        for (uint32_t k = 0; k < instr->n_args; k++)
            run->args[run->n_args++] = place(run, run->program->args[instr->args_first + k]);
        return;
    }
    step->a = place(run, instr->a);
    step->b = place(run, instr->b);
    if (instr->op == PAIL_AD_SELECT || instr->op == PAIL_AD_LOOP)
        step->c = place(run, instr->c);
}

void pail_ad_decode(struct pail_ad_run *run)
{
    uint32_t loops[PAIL_AD_MAX_DEPTH], n_loops = 0;
    for (uint32_t i = 0; i < run->spec->n_code; i++) {
        const struct pail_ad_instr *instr = &run->program->code[run->spec->code_first + i];
        struct pail_ad_step *step = &run->steps[i];
        *step = (struct pail_ad_step){
            .op = instr->op,
            .dtype = instr->dtype,
            .dst = instr->dst,
            .site = instr->site,
            .var = instr->var,
            .end = instr->end,
            .reduction = instr->reduction,
            .joined = instr->joined,
        };
        decode_operands(run, instr, step);
        while (n_loops && run->steps[loops[n_loops - 1]].end <= i)
            n_loops--;
        if (instr->op != PAIL_AD_LOOP)
            continue;
        if (instr->joined && n_loops)
            run->steps[loops[n_loops - 1]].over_joined = true;
        else if (instr->joined)
            run->over_joined = true;
        loops[n_loops++] = i;
    }
    run->value = place(run, run->spec->value);
}

/* ---- Joining --------------------------------------------------------------------------------- */
/* Lists the places that a step reads: [*n], which the caller may change. */
static void list_operands(struct pail_ad_run *run, struct pail_ad_step *step, uint32_t *places[],
                          uint32_t *n)
{
    *n = 0;
    for (uint32_t k = 0; step->op == PAIL_AD_READ && k < step->n_args; k++)
        places[(*n)++] = &run->args[step->args_first + k];
    if (step->op == PAIL_AD_READ)
        return;
    places[(*n)++] = &step->a;
    places[(*n)++] = &step->b;
    if (pail_ad_has_third(step->op))
        places[(*n)++] = &step->c;
    if (step->op == PAIL_AD_GREATER)
        places[(*n)++] = &step->d;
}

/* Counts a step's uses of a place, and makes them uses of another one. */
static uint32_t replace(struct pail_ad_run *run, struct pail_ad_step *step, uint32_t place,
                        uint32_t by)
{
    uint32_t *places[PAIL_AD_MAX_RANK], n, count = 0;
    list_operands(run, step, places, &n);
    for (uint32_t k = 0; k < n; k++)
        if (*places[k] == place) {
            *places[k] = by;
            count++;
        }
    return count;
}

/* Gives the result of a step a place of its own. */
static void move_result(struct pail_ad_run *run, uint32_t at)
{
    const uint32_t old = run->steps[at].dst, fresh = run->n_values++;
    run->steps[at].dst = fresh;
    for (at++; at < run->n_steps; at++) {
        (void)replace(run, &run->steps[at], old, fresh);
        if (run->steps[at].dst == old)
            return;
    }
    if (run->value == old)
        run->value = fresh;
}

/* Number of the SUB that gives the condition of a SELECT, and that nothing else needs;
 * PAIL_AD_NONE: there is none. */
static uint32_t find_difference(struct pail_ad_run *run, uint32_t select)
{
    const uint32_t place = run->steps[select].a;
    uint32_t at = select, count = 0;
    while (at > 0 && run->steps[at - 1].dst != place)
        at--;
    const uint32_t sub = at - 1;
    if (at == 0 || run->steps[sub].op != PAIL_AD_SUB)
        return PAIL_AD_NONE;
    for (; at < run->n_steps; at++) {
        count += replace(run, &run->steps[at], place, place);
        if (run->steps[at].dst == place)
            return count == 1 ? sub : PAIL_AD_NONE;
    }
    return count == 1 && run->value != place ? sub : PAIL_AD_NONE;
}

/* Results between the two that are written over an operand of the difference. */
static bool is_in_the_way(const struct pail_ad_run *run, uint32_t at, uint32_t sub)
{
    return run->steps[at].dst == run->steps[sub].a || run->steps[at].dst == run->steps[sub].b;
}

static void join(struct pail_ad_run *run, uint32_t sub, uint32_t at)
{
    struct pail_ad_step *const difference = &run->steps[sub], *const select = &run->steps[at];
    for (uint32_t i = sub + 1; i < at; i++)
        if (is_in_the_way(run, i, sub))
            move_result(run, i);
    select->op = PAIL_AD_GREATER;
    select->d = select->c;
    select->c = select->b;
    select->a = difference->a;
    select->b = difference->b;
    select->difference_site = difference->site;
    for (uint32_t i = sub; i + 1 < run->n_steps; i++)
        run->steps[i] = run->steps[i + 1];
    run->n_steps--;
}

/* Columns of comparisons would be written and read for nothing but the next SELECT. In code with
 * loops, a step may be reached by another way than from the one before it. */
void pail_ad_join_comparisons(struct pail_ad_run *run)
{
    uint32_t moved = 0;
    if (run->n_steps > MOST_STEPS)
        return;
    for (uint32_t i = 0; i < run->n_steps; i++)
        if (run->steps[i].op == PAIL_AD_LOOP)
            return;
    for (uint32_t i = 0; i < run->n_steps; i++) {
        const uint32_t sub =
            run->steps[i].op == PAIL_AD_SELECT ? find_difference(run, i) : PAIL_AD_NONE;
        if (sub == PAIL_AD_NONE)
            continue;
        for (uint32_t k = sub + 1; k < i; k++)
            moved += is_in_the_way(run, k, sub);
        if (moved > MOST_MOVED)
            return;
        join(run, sub, i--);
    }
}
