/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include <string.h>

#include <shared/adstack_layout.h>

#include "encode_priv.h"

/* Specs of one batch, and operations of one depth's record: a driver that counts turns has enough
 * for them. */
#define BATCH_MAX 16384u
#define DEPTH_MAX (256u * AD_WORKGROUP)

#define OFFSET_OF_NOTHING 1u /* offset 0 means "not made yet" */

bool pail_ad_room(struct pail_ad_encoder *c, void *array, uint32_t *capacity, uint32_t need,
                  size_t size)
{
    if (c->status == PAIL_OK)
        c->status = pail_grow(c->alloc, array, capacity, need, size, c->err);
    return c->status == PAIL_OK;
}

uint32_t pail_ad_put(struct pail_ad_encoder *c, uint32_t n)
{
    struct pail_ad_encoded *e = c->e;
    const uint32_t at = e->n_words;
    if (!PAIL_AD_ROOM(c, e->words, e->cap_words, at + n))
        return 0;
    if (n)
        memset(&e->words[at], 0, n * sizeof(*e->words));
    e->n_words += n;
    return at;
}

static void put_values(struct pail_ad_encoder *c, uint32_t n)
{
    struct pail_ad_encoded *e = c->e;
    e->state = pail_ad_put(c, AD_STATE_WORDS);
    if (c->status == PAIL_OK)
        e->words[e->state + AD_STATE_PENDING] = AD_NONE;
    e->report = pail_ad_put(c, AD_REPORT_WORDS * e->n_specs);
    e->slots = pail_ad_put(c, AD_VALUE_WORDS * n);
    for (uint32_t slot = 0; slot < c->program->n_slots && c->status == PAIL_OK; slot++) {
        if (e->number[slot] == PAIL_AD_UNSEEN)
            continue;
        uint32_t *words = &e->words[e->slots + AD_VALUE_WORDS * e->number[slot]];
        if (pail_ad_is_known(c, slot)) {
            const struct pail_ad_value *value = &c->work->values->value[slot];
            words[0] = (uint32_t)((uint64_t)value->v & UINT32_MAX);
            words[1] = (uint32_t)((uint64_t)value->v >> 32);
            words[2] = pail_ad_device_error(value->error);
        } else {
            words[2] = AD_GIVEN_BACK; /* the state stays so where nothing computes it */
        }
    }
}

/* Puts one depth's operations, or as many of them as one record has. Returns how many turns they
 * take. */
static uint32_t put_depth(struct pail_ad_encoder *c, uint32_t record, uint32_t first, uint32_t n)
{
    struct pail_ad_encoded *e = c->e;
    const uint32_t list = pail_ad_put(c, AD_OP_WORDS * n);
    uint32_t most = 0;
    for (uint32_t i = 0; i < n && c->status == PAIL_OK; i++) {
        const uint32_t number = (uint32_t)(e->order[first + i] & ((1u << 21) - 1));
        const struct pail_ad_slot *slot = &c->program->slots[number];
        const uint32_t cost = pail_ad_operation_cost(c->shape, slot->op, slot->n_args);
        most = cost > most ? cost : most;
        pail_ad_put_operation(c, list + AD_OP_WORDS * i, number);
    }
    if (c->status != PAIL_OK)
        return 0;
    e->words[record] = list;
    e->words[record + 1] = n;
    return 1 + (n + AD_WORKGROUP - 1) / AD_WORKGROUP * (1 + most);
}

static uint32_t same_depth(const struct pail_ad_encoded *e, uint32_t first)
{
    uint32_t n = 1;
    while (n < DEPTH_MAX && first + n < e->n_order &&
           e->order[first + n] >> 21 == e->order[first] >> 21)
        n++;
    return n;
}

/* Operations of a stage from order[*at] on. */
static void put_operations(struct pail_ad_encoder *c, struct pail_ad_stage *stage, uint32_t number,
                           uint32_t *at)
{
    struct pail_ad_encoded *e = c->e;
    uint32_t n_depths = 0;
    stage->pass_first = e->n_passes;
    for (uint32_t i = *at; i < e->n_order && e->order[i] >> 42 == number; i += same_depth(e, i))
        n_depths++;
    const uint32_t depths = pail_ad_put(c, AD_DEPTH_WORDS * n_depths);
    uint32_t turns = 0;
    for (uint32_t d = 0; d < n_depths && c->status == PAIL_OK; d++) {
        const uint32_t n = same_depth(e, *at);
        const uint32_t more = put_depth(c, depths + AD_DEPTH_WORDS * d, *at, n);
        *at += n;
        turns += more;
        if (stage->n_passes == 0 || (c->shape->max_steps && turns > c->shape->max_steps / 2)) {
            if (!PAIL_AD_ROOM(c, e->passes, e->cap_passes, e->n_passes + 1))
                return;
            e->passes[e->n_passes++] =
                (struct pail_ad_slots_pass){.depths = depths + AD_DEPTH_WORDS * d};
            stage->n_passes++;
            turns = more;
        }
        e->passes[e->n_passes - 1].n_depths++;
    }
}

/* Gives a spec its workgroups: as many as are good for the device, shared among the batch, and more
 * only where threads are limited in their turns. */
static void put_batch(struct pail_ad_encoder *c, uint32_t record, const struct pail_ad_batch *batch,
                      uint32_t *partials)
{
    const struct pail_ad_shape *shape = c->shape;
    const uint32_t share = shape->max_groups / batch->n;
    uint32_t wanted = shape->good_groups / batch->n;
    if (wanted < 8)
        wanted = 8;
    if (wanted > share)
        wanted = share;
    uint32_t most = shape->max_steps ? 16384u / batch->n : wanted;
    if (most > share)
        most = share;
    if (most < wanted)
        most = wanted;
    uint32_t *words = &c->e->words[record];
    words[AD_BATCH_LIST] = batch->list;
    words[AD_BATCH_N] = batch->n;
    words[AD_BATCH_INDIRECT] = batch->indirect; /* counted from the device's own words */
    words[AD_BATCH_PARTIALS] = *partials;
    words[AD_BATCH_WANTED] = wanted;
    words[AD_BATCH_MOST] = most;
    *partials += AD_PARTIAL_WORDS * batch->n * most;
}

/* Specs of a stage from specs[*at] on. partials: of the stage. */
static void put_specs(struct pail_ad_encoder *c, struct pail_ad_stage *stage, uint32_t number,
                      uint32_t *at, uint32_t *partials)
{
    struct pail_ad_encoded *e = c->e;
    const uint32_t first = *at;
    const uint32_t most = c->shape->max_groups < BATCH_MAX ? c->shape->max_groups : BATCH_MAX;
    stage->batch_first = e->n_batches;
    while (*at < e->n_specs && e->specs[*at].stage == number) {
        const void *kernel = e->specs[*at].kernel;
        uint32_t n = 1;
        while (n < most && *at + n < e->n_specs && e->specs[*at + n].stage == number &&
               e->specs[*at + n].kernel == kernel)
            n++;
        if (!PAIL_AD_ROOM(c, e->batches, e->cap_batches, e->n_batches + 1))
            return;
        e->batches[e->n_batches] = (struct pail_ad_batch){
            .kernel = kernel, .n = n, .indirect = 4 * e->n_batches, .first_spec = *at};
        e->n_batches++;
        stage->n_batches++;
        *at += n;
    }
    stage->n_specs = *at - first;
    stage->list = pail_ad_put(c, AD_LIST_WORDS * stage->n_specs);
    for (uint32_t i = 0; i < stage->n_specs && c->status == PAIL_OK; i++) {
        const uint32_t spec =
            pail_ad_put_spec(c, &e->specs[first + i], e->report + AD_REPORT_WORDS * (first + i));
        e->specs[first + i].record = spec;
        if (c->status == PAIL_OK)
            e->words[stage->list + AD_LIST_WORDS * i] = spec;
    }
    stage->batches = pail_ad_put(c, AD_BATCH_WORDS * stage->n_batches);
    *partials = 0;
    for (uint32_t b = 0; b < stage->n_batches && c->status == PAIL_OK; b++) {
        struct pail_ad_batch *batch = &e->batches[stage->batch_first + b];
        batch->record = stage->batches + AD_BATCH_WORDS * b;
        batch->list = stage->list + AD_LIST_WORDS * (batch->first_spec - first);
        put_batch(c, batch->record, batch, partials);
    }
}

/* Places the words that the device writes first and the host does not: arguments of dispatches,
 * then partials. */
static void place_scratch(struct pail_ad_encoder *c, uint32_t partials)
{
    struct pail_ad_encoded *e = c->e;
    const uint32_t indirect = (e->n_words + 3) / 4 * 4;
    const uint32_t first_partial = indirect + 4 * e->n_batches;
    for (uint32_t s = 0; s < e->n_stages; s++)
        for (uint32_t b = 0; b < e->stages[s].n_batches; b++) {
            uint32_t *words = &e->words[e->stages[s].batches + AD_BATCH_WORDS * b];
            words[AD_BATCH_INDIRECT] += indirect;
            words[AD_BATCH_PARTIALS] += first_partial;
            e->batches[e->stages[s].batch_first + b].indirect += indirect;
        }
    e->n_total = first_partial + partials;
}

static void put_all(struct pail_ad_encoder *c)
{
    struct pail_ad_encoded *e = c->e;
    uint32_t operation = 0, spec = 0, partials = 0;
    pail_ad_put(c, OFFSET_OF_NOTHING);
    put_values(c, pail_ad_number_slots(c));
    for (uint32_t s = 0; c->status == PAIL_OK && (operation < e->n_order || spec < e->n_specs);
         s++) {
        uint32_t of_stage = 0;
        if (!PAIL_AD_ROOM(c, e->stages, e->cap_stages, s + 1))
            return;
        e->stages[s] = (struct pail_ad_stage){0};
        e->n_stages = s + 1;
        put_specs(c, &e->stages[s], s, &spec, &of_stage);
        put_operations(c, &e->stages[s], s, &operation);
        partials = of_stage > partials ? of_stage : partials;
    }
    if (c->record)
        pail_ad_put_tasks(c);
    if (c->status == PAIL_OK)
        place_scratch(c, partials);
}

/* Forgets the last launch and makes room for what is known by the program's size. */
static bool begin(struct pail_ad_encoder *c)
{
    struct pail_ad_encoded *e = c->e;
    const struct pail_ad_program *p = c->program;
    e->n_words = e->n_total = e->n_back = e->n_wanted = e->n_specs = e->n_stages = e->n_passes = 0;
    e->n_batches = e->n_copied = e->n_order = e->n_given_back = e->n_tasks = e->n_ready = 0;
    e->n_seen = 0;
    if (!PAIL_AD_ROOM(c, e->number, e->cap_number, p->n_slots) ||
        !PAIL_AD_ROOM(c, e->stage, e->cap_stage, p->n_slots) ||
        !PAIL_AD_ROOM(c, e->depth, e->cap_depth, p->n_slots) ||
        !PAIL_AD_ROOM(c, e->todo, e->cap_todo, p->n_slots) ||
        !PAIL_AD_ROOM(c, e->order, e->cap_order, p->n_slots) ||
        !PAIL_AD_ROOM(c, e->source_at, e->cap_source_at, p->n_sources + 1) ||
        !PAIL_AD_ROOM(c, e->code_at, e->cap_code_at, p->n_bodies + 1))
        return false;
    if (p->n_slots) {
        memset(e->number, 0xff, p->n_slots * sizeof(*e->number));
        memset(e->stage, 0, p->n_slots * sizeof(*e->stage));
        memset(e->depth, 0, p->n_slots * sizeof(*e->depth));
    }
    memset(e->source_at, 0, p->n_sources * sizeof(*e->source_at));
    memset(e->code_at, 0, p->n_bodies * sizeof(*e->code_at));
    return true;
}

pail_status pail_ad_encode(struct pail_ad_encoded *e, const struct pail_ad_work *work,
                           const struct pail_ad_record *record, const struct pail_ad_shape *shape,
                           const struct pail_ad_special *special, const struct pail_alloc *alloc,
                           struct pail_error *err)
{
    struct pail_ad_encoder c = {.e = e,
                                .work = work,
                                .record = record,
                                .program = work->program,
                                .shape = shape,
                                .alloc = alloc,
                                .err = err};
    if (!begin(&c))
        return c.status;
    pail_ad_find_needed(&c, special);
    if (c.status == PAIL_OK)
        put_all(&c);
    return c.status;
}

void pail_ad_encoded_free(struct pail_ad_encoded *e, const struct pail_alloc *alloc)
{
    void *const arrays[] = {e->words,   e->back,   e->specs,     e->stages, e->passes,
                            e->batches, e->copied, e->number,    e->stage,  e->depth,
                            e->todo,    e->order,  e->source_at, e->code_at};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        pail_free(alloc, arrays[i]);
    *e = (struct pail_ad_encoded){0};
}
