/* SPDX-License-Identifier: Apache-2.0 */
/* The unknown and needed part of a program: stages in which its slots can be computed, and their
 * numbers. */
#include <stdlib.h>

#include "encode_priv.h"

/* Settles a value that the host knows without looking at contents. */
static void settle(const struct pail_ad_encoder *c, uint32_t number)
{
    const struct pail_ad_slot *slot = &c->program->slots[number];
    struct pail_ad_values *values = c->work->values;
    if (slot->op != PAIL_AD_CONST && slot->op != PAIL_AD_SHAPE)
        return;
    values->value[number] = (struct pail_ad_value){
        .v = slot->op == PAIL_AD_CONST ? slot->imm
                                       : c->work->arrays[slot->source].shape[slot->axis]};
    values->known[number] = 1;
}

/* Calls `each` with every slot that a slot needs. A spec's hint is not one of them. */
struct visit {
    struct pail_ad_encoder *c;
    void (*each)(struct visit *visit, uint32_t slot);
    uint32_t stage, depth; /* result of `latest` */
};

static void visit_name(void *user, uint32_t number, uint32_t slot)
{
    struct visit *visit = user;
    (void)number;
    visit->each(visit, slot);
}

static void visit_needs(struct visit *visit, uint32_t number)
{
    const struct pail_ad_program *program = visit->c->program;
    const struct pail_ad_slot *slot = &program->slots[number];
    if (slot->op == PAIL_AD_SPEC) {
        const struct pail_ad_spec *spec = &program->specs[slot->spec];
        const struct pail_ad_names names = {.user = visit, .slot = visit_name};
        for (uint32_t k = 0; k < spec->n_axes; k++) {
            visit->each(visit, program->axes[spec->axes_first + k].begin);
            visit->each(visit, program->axes[spec->axes_first + k].end);
        }
        pail_ad_names_of(program, spec, &names);
    } else if (slot->op == PAIL_AD_READ) {
        for (uint32_t i = 0; i < slot->n_args; i++)
            visit->each(visit, program->args[slot->args_first + i]);
    } else {
        visit->each(visit, slot->a);
        visit->each(visit, slot->b);
        if (slot->op == PAIL_AD_SELECT)
            visit->each(visit, slot->c);
    }
}

static void mark(struct visit *visit, uint32_t slot)
{
    struct pail_ad_encoder *c = visit->c;
    struct pail_ad_encoded *e = c->e;
    if (e->number[slot] != PAIL_AD_UNSEEN)
        return;
    e->number[slot] = PAIL_AD_NEEDED;
    e->todo[e->n_order++] = slot; /* each at most once, so it has room */
}

/* Adds a spec, or gives it back when nothing on the device can compute it. */
static bool accept(struct pail_ad_encoder *c, uint32_t number,
                   const struct pail_ad_special *special)
{
    struct pail_ad_encoded *e = c->e;
    const struct pail_ad_spec *spec = &c->program->specs[number];
    struct pail_ad_kernel_for answer = {.kernel = NULL, .together = 1};
    if (special->find)
        answer = special->find(special->user, number);
    if (!answer.kernel && !pail_ad_interpretable(c->program, spec))
        return false;
    if (PAIL_AD_ROOM(c, e->specs, e->cap_specs, e->n_specs + 1))
        e->specs[e->n_specs++] = (struct pail_ad_encoded_spec){
            .spec = number, .kernel = answer.kernel, .together = answer.together};
    return true;
}

/* Marks everything unknown that is needed; e->order counts the slots left to look at meanwhile. */
static void mark_needed(struct pail_ad_encoder *c, const struct pail_ad_special *special)
{
    struct pail_ad_encoded *e = c->e;
    struct visit visit = {.c = c, .each = mark};
    for (uint32_t i = 0; i < c->work->n_slots; i++)
        mark(&visit, c->work->slots[i]);
    while (e->n_order && c->status == PAIL_OK) {
        const uint32_t number = e->todo[--e->n_order];
        const struct pail_ad_slot *slot = &c->program->slots[number];
        if (!pail_ad_is_known(c, number))
            settle(c, number);
        if (pail_ad_is_known(c, number))
            continue;
        if (slot->op == PAIL_AD_SPEC) {
            const struct pail_ad_spec *spec = &c->program->specs[slot->spec];
            if (!accept(c, slot->spec, special)) {
                e->stage[number] = PAIL_AD_NONE;
                e->n_given_back++;
                continue;
            }
            if (spec->turns != PAIL_AD_NONE && spec->turns < number)
                mark(&visit, spec->turns);
        }
        visit_needs(&visit, number);
    }
}

static void latest(struct visit *visit, uint32_t slot)
{
    const struct pail_ad_encoder *c = visit->c;
    const uint32_t stage = pail_ad_is_given_back(c, slot) ? 0 : c->e->stage[slot];
    if (stage > visit->stage) {
        visit->stage = stage;
        visit->depth = 0;
    }
    if (stage == visit->stage && c->e->depth[slot] > visit->depth)
        visit->depth = c->e->depth[slot];
}

/* Slots come after those that they need. Within a stage specs come first, then operations by depth.
 */
static void find_stages(struct pail_ad_encoder *c)
{
    struct pail_ad_encoded *e = c->e;
    for (uint32_t number = 0; number < c->program->n_slots; number++) {
        const struct pail_ad_slot *slot = &c->program->slots[number];
        if (e->number[number] != PAIL_AD_NEEDED || pail_ad_is_known(c, number) ||
            pail_ad_is_given_back(c, number))
            continue;
        struct visit visit = {.c = c, .each = latest};
        visit_needs(&visit, number);
        if (slot->op == PAIL_AD_SPEC) {
            const uint32_t turns = c->program->specs[slot->spec].turns;
            if (turns != PAIL_AD_NONE && turns < number)
                latest(&visit, turns);
            e->stage[number] = visit.stage + 1;
        } else {
            e->stage[number] = visit.stage;
            e->depth[number] = visit.depth + 1;
            e->order[e->n_order++] =
                (uint64_t)visit.stage << 42 | (uint64_t)e->depth[number] << 21 | number;
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int by_stage_and_kernel(const void *a, const void *b)
{
    const struct pail_ad_encoded_spec *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    const uintptr_t p = (uintptr_t)x->kernel, q = (uintptr_t)y->kernel;
    if (p != q)
        return p < q ? -1 : 1;
    return (x->spec > y->spec) - (x->spec < y->spec);
}

static void sort(struct pail_ad_encoder *c)
{
    struct pail_ad_encoded *e = c->e;
    for (uint32_t i = 0; i < e->n_specs; i++)
        e->specs[i].stage = e->stage[c->program->specs[e->specs[i].spec].slot];
    if (e->n_order)
        qsort(e->order, e->n_order, sizeof(*e->order), by_key);
    /* They were found from the last one on. */
    for (uint32_t i = 0; i < e->n_specs / 2; i++) {
        const struct pail_ad_encoded_spec spec = e->specs[i];
        e->specs[i] = e->specs[e->n_specs - 1 - i];
        e->specs[e->n_specs - 1 - i] = spec;
    }
    uint32_t n = 1;
    while (n < e->n_specs && by_stage_and_kernel(&e->specs[n - 1], &e->specs[n]) < 0)
        n++;
    if (n < e->n_specs)
        qsort(e->specs, e->n_specs, sizeof(*e->specs), by_stage_and_kernel);
}

static void number_back(struct pail_ad_encoder *c, uint32_t slot)
{
    struct pail_ad_encoded *e = c->e;
    if (e->number[slot] != PAIL_AD_NEEDED || pail_ad_is_known(c, slot) ||
        pail_ad_is_given_back(c, slot) || !PAIL_AD_ROOM(c, e->back, e->cap_back, e->n_back + 1))
        return;
    e->number[slot] = e->n_back;
    e->back[e->n_back++] = slot;
}

static void see(struct visit *visit, uint32_t slot)
{
    struct pail_ad_encoder *c = visit->c;
    struct pail_ad_encoded *e = c->e;
    const uint32_t n = e->n_back + e->n_seen;
    if (e->number[slot] != PAIL_AD_NEEDED || pail_ad_is_known(c, slot) ||
        pail_ad_is_given_back(c, slot) || !PAIL_AD_ROOM(c, e->back, e->cap_back, n + 1))
        return;
    e->number[slot] = n;
    e->back[n] = slot;
    e->n_seen++;
}

/* Values: first those that come back, then those that specs need, then the rest. Returns how many.
 */
uint32_t pail_ad_number_slots(struct pail_ad_encoder *c)
{
    struct pail_ad_encoded *e = c->e;
    for (uint32_t i = 0; i < c->work->n_slots; i++)
        number_back(c, c->work->slots[i]);
    e->n_wanted = e->n_back;
    for (uint32_t i = 0; i < e->n_specs; i++)
        number_back(c, c->program->specs[e->specs[i].spec].slot);
    struct visit visit = {.c = c, .each = see};
    for (uint32_t i = 0; i < e->n_specs; i++)
        visit_needs(&visit, c->program->specs[e->specs[i].spec].slot);
    uint32_t n = e->n_back + e->n_seen;
    for (uint32_t slot = 0; slot < c->program->n_slots; slot++)
        if (e->number[slot] == PAIL_AD_NEEDED)
            e->number[slot] = n++;
    return n;
}

void pail_ad_find_needed(struct pail_ad_encoder *c, const struct pail_ad_special *special)
{
    mark_needed(c, special);
    if (c->status != PAIL_OK)
        return;
    find_stages(c);
    sort(c);
}
