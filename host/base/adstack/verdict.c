/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <platform/text.h>

#include "arrays.h"
#include "solve.h"

void pail_ad_say(struct pail_ad_finding *f, const char *fmt, ...)
{
    const size_t room = sizeof(f->diagnosis->text) - f->used;
    va_list args;
    va_start(args, fmt);
    f->used += pail_line_list(f->diagnosis->text + f->used, room, fmt, args);
    va_end(args);
}

static const struct pail_ad_program *program_of(const struct pail_ad_finding *f)
{
    return f->kernel->program;
}

static uint32_t root_of(const struct pail_ad_finding *f, uint32_t stack)
{
    return program_of(f)->roots[program_of(f)->task_first[f->task] + stack].slot;
}

/* ---- What the arrays say now ----------------------------------------------------------------- */
/* Notes if the arrays of that launch can be read, and which writes to them are known since. */
static void look_at_arrays(struct pail_ad_finding *f, uint32_t slot)
{
    const struct pail_ad_program *p = program_of(f);
    const struct pail_ad_slot *s = &p->slots[slot];
    for (uint32_t i = 0; i < s->n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[p->dep_lists[s->deps_first + i]];
        if (dep->kind != PAIL_AD_DEP_CONTENTS)
            continue;
        const struct pail_ad_seen *seen = &f->now.frame->seen[f->kernel->sources[dep->source].seen];
        f->untracked = f->untracked || f->now.frame->untracked[dep->source];
        switch (pail_ad_identities_since(&f->service->identities, seen)) {
        case PAIL_AD_SAME:
            break;
        case PAIL_AD_WRITTEN:
            f->changed = true;
            break;
        case PAIL_AD_FORGOTTEN:
            f->gone = seen->identity;
            break;
        }
    }
}

static void need_operand(void *user, uint32_t operand)
{
    uint8_t *need = user;
    need[operand] = 1;
}

/* Computes the trees of the stacks it may be about, without caches. */
static pail_status compute(struct pail_ad_finding *f, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &f->now;
    const struct pail_ad_program *p = program_of(f);
    const struct pail_ad_how how = {.fresh = true};
    const uint32_t n_stacks = pail_ad_finding_stacks(f) + pail_ad_is_of_rows(f);
    uint32_t *slots = pail_calloc(&f->kernel->alloc, n_stacks + 1, sizeof(*slots)), n = 0;
    if (!slots)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a diagnosis");
    for (uint32_t i = 0; i < n_stacks; i++)
        if (root_of(f, i) != PAIL_AD_NONE && (f->stack == UINT32_MAX || f->stack == i)) {
            look_at_arrays(f, root_of(f, i));
            slots[n++] = root_of(f, i);
            e->need[root_of(f, i)] = 1;
        }
    for (uint32_t i = p->n_slots; i-- > 0;)
        if (e->need[i])
            pail_ad_each_operand(p, i, need_operand, e->need);
    const pail_status status =
        f->gone ? PAIL_OK : pail_ad_solve(f->service, e, &how, slots, n, err);
    pail_free(&f->kernel->alloc, slots);
    return status;
}

/* ---- The suspect ----------------------------------------------------------------------------- */
/* The only source whose contents a slot depends on; PAIL_AD_NONE where there are several. */
static uint32_t only_source(const struct pail_ad_program *p, uint32_t slot)
{
    uint32_t only = PAIL_AD_NONE;
    for (uint32_t i = 0; i < p->slots[slot].n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[p->dep_lists[p->slots[slot].deps_first + i]];
        if (dep->kind != PAIL_AD_DEP_CONTENTS || dep->source == only)
            continue;
        if (only != PAIL_AD_NONE)
            return PAIL_AD_NONE;
        only = dep->source;
    }
    return only;
}

/* The array that was written: read by the first reduction or read below the stack whose value is
 * not what it was. PAIL_AD_NONE: it cannot be told apart from others. */
static uint32_t find_suspect(const struct pail_ad_finding *f)
{
    const struct pail_ad_program *p = program_of(f);
    const struct pail_ad_task *task = &f->kernel->tasks[f->task];
    const struct pail_ad_laid *laid = f->laid;
    const uint32_t root = root_of(f, f->stack);
    if (only_source(p, root) != PAIL_AD_NONE)
        return only_source(p, root);
    for (uint32_t i = 0; i < task->n_leaves; i++) {
        const uint32_t slot = f->kernel->task_leaves[task->leaves_first + i];
        const struct pail_ad_value *then = &laid->leaves[i], *now = &f->now.values.value[slot];
        if (f->now.need[slot] && f->now.values.known[slot] && laid->leaf_known[i] &&
            (then->v != now->v || then->error != now->error))
            return only_source(p, slot);
    }
    return PAIL_AD_NONE;
}

static void doubt(struct pail_ad_finding *f, uint32_t source)
{
    const struct pail_ad_seen *seen = &f->now.frame->seen[f->kernel->sources[source].seen];
    pail_ad_identities_doubt(&f->service->identities, seen->identity);
}

/* Forgets all values that were computed from the array: other stacks of that launch, and other
 * kernels, may be too small for the same reason. Where the array cannot be told, that goes for all
 * arrays that the stack depends on. */
static void heal(struct pail_ad_finding *f)
{
    const struct pail_ad_program *p = program_of(f);
    const uint32_t source = find_suspect(f), root = root_of(f, f->stack);
    f->diagnosis->cause = PAIL_CAUSE_UNTRACKED_WRITE;
    for (uint32_t i = 0; source == PAIL_AD_NONE && i < p->slots[root].n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[p->dep_lists[p->slots[root].deps_first + i]];
        if (dep->kind == PAIL_AD_DEP_CONTENTS)
            doubt(f, dep->source);
    }
    if (source != PAIL_AD_NONE) {
        doubt(f, source);
        f->diagnosis->suspect_identity =
            f->now.frame->seen[f->kernel->sources[source].seen].identity;
    }
    pail_ad_count(f->service, PAIL_AD_STAT_INVALIDATIONS, pail_ad_cache_drop(f->kernel, source));
    f->diagnosis->invalidated = 1;
}

/* ---- The verdict ----------------------------------------------------------------------------- */
/* The size that a value gives a stack: at least an entry, where it has memory. */
static uint64_t size_of(const struct pail_ad_finding *f, uint32_t stack, int64_t v)
{
    const int64_t least = stack < pail_ad_n_placed(&f->kernel->desc->tasks[f->task]);
    return (uint64_t)(v > least ? v : least);
}

/* The stack that needs more than it has, where the record does not say which it is. */
static void find_stack(struct pail_ad_finding *f)
{
    const struct pail_ad_laid *laid = f->laid;
    for (uint32_t i = 0; i < pail_ad_finding_stacks(f) && f->stack == UINT32_MAX; i++) {
        const uint32_t slot = root_of(f, i);
        const struct pail_ad_value *value = &f->now.values.value[slot == PAIL_AD_NONE ? 0 : slot];
        if (slot != PAIL_AD_NONE && f->now.values.known[slot] && !value->error &&
            size_of(f, i, value->v) > laid->places[i].capacity)
            f->stack = i;
    }
    if (pail_ad_finding_stacks(f) == 1 && f->stack == UINT32_MAX)
        f->stack = 0;
}

static void say_written(struct pail_ad_finding *f, const char *when)
{
    pail_ad_say(f, "An array was written %swithout a word", when);
    if (f->diagnosis->suspect_identity)
        pail_ad_say(f, " (identity %" PRIu64 ")", f->diagnosis->suspect_identity);
}

void pail_ad_say_healed(struct pail_ad_finding *f)
{
    say_written(f, "");
    pail_ad_say(
        f, ": tell of writes with adstack_bump or a new generation, or bind it with "
           "PAIL_BINDING_UNTRACKED. What was computed from it is forgotten, so the next launch "
           "is sized anew. ");
}

static void say_unclear(struct pail_ad_finding *f)
{
    pail_ad_say(f, "%s since, so that nobody can say what they held at that launch. ",
                f->changed ? "They were written" : "They may have been written without a word");
}

static void say_shrunk(struct pail_ad_finding *f)
{
    pail_ad_say(
        f, "They were written without a word since, so that nobody can say what they held at that "
           "launch. ");
}

/* A run reads the arrays as they are, and nobody has to tell it of writes: it is the tree that says
 * too little, or a write came between the sizes and the kernel. Only of the last run is it known
 * what it gave. */
static void judge_run(struct pail_ad_finding *f, uint64_t required)
{
    const pail_diagnosis *d = f->diagnosis;
    if (f->record->count > 0 && f->record->count <= d->allocated) {
        pail_ad_say(f,
                    "That is enough for the record, which is about a run before, whose sizes are "
                    "written over: look for overflows after each run. ");
    } else if (required == d->allocated) {
        f->bound = true; /* writes that were told of came before it */
    } else if (f->changed || f->untracked) {
        say_unclear(f);
    } else if (required > d->allocated) {
        heal(f);
        say_written(f, "after that run had sized its stacks, ");
        pail_ad_say(
            f, ": a command buffer sizes them where adstack_record stands in it, so what writes "
               "the array belongs before that, or tells of it with adstack_bump or a new "
               "generation. ");
    } else {
        pail_ad_say(
            f, "They were written without a word after that run had sized its stacks, and nobody "
               "can say what they held meanwhile. ");
    }
}

static void judge_known(struct pail_ad_finding *f)
{
    pail_diagnosis *d = f->diagnosis;
    const uint64_t required = size_of(f, f->stack, d->required);
    pail_ad_say(f,
                "%s had %" PRIu64 " %s stack %u, and by the arrays as they are now it takes "
                "%" PRId64 ". ",
                f->whose, d->allocated, pail_ad_finding_unit(f), f->stack, d->required);
    if (f->then.recording) {
        judge_run(f, required);
    } else if (f->changed || f->untracked) {
        say_unclear(f);
    } else if (required > d->allocated) {
        heal(f);
        pail_ad_say_healed(f);
    } else if (required < d->allocated) {
        say_shrunk(f);
    } else {
        f->bound = true;
    }
}

static void say_root(struct pail_ad_finding *f, uint32_t stack)
{
    const struct pail_ad_value *value = &f->now.values.value[root_of(f, stack)];
    char text[384];
    pail_ad_describe_tree(program_of(f), f->now.frame->arrays, &f->now.values, f->task, stack,
                          value->error, &f->kernel->alloc, text, sizeof(text));
    pail_ad_say(f,
                "%s had %" PRIu64 " %s stack %u, and by the arrays as they are now it cannot be "
                "computed: %s ",
                f->whose, f->laid->places[stack].capacity, pail_ad_finding_unit(f), stack, text);
}

/* The record does not say which stack it is about, and none of them needs more than it has: a bound
 * of the task is too small if that is so whichever of its stacks it was, one without a tree as
 * well. */
static void judge_all(struct pail_ad_finding *f)
{
    bool shrunk = false;
    for (uint32_t i = 0; i < pail_ad_finding_stacks(f); i++) {
        const uint32_t slot = root_of(f, i);
        if (slot == PAIL_AD_NONE)
            continue;
        if (f->now.values.value[slot].error) {
            say_root(f, i);
            return;
        }
        shrunk = shrunk || size_of(f, i, f->now.values.value[slot].v) < f->laid->places[i].capacity;
    }
    pail_ad_say(
        f, "%s had as many entries for each stack as it takes by the arrays as they are now%s. ",
        f->whose, shrunk ? ", and for one of them more" : "");
    if (f->changed || f->untracked)
        say_unclear(f);
    else if (shrunk)
        say_shrunk(f);
    else if (f->then.recording)
        pail_ad_say(f,
                    "The record may be about a run before, whose sizes are written over: look for "
                    "overflows after each run. ");
    else
        f->bound = true;
}

static void judge(struct pail_ad_finding *f)
{
    pail_diagnosis *d = f->diagnosis;
    if (f->gone) {
        pail_ad_say(f,
                    "The array of identity %" PRIu64 " is forgotten, so it cannot be looked at. ",
                    f->gone);
        return;
    }
    find_stack(f);
    if (f->stack == UINT32_MAX) {
        judge_all(f);
        return;
    }
    const uint32_t slot = root_of(f, f->stack);
    d->allocated = f->laid->places[f->stack].capacity;
    if (slot == PAIL_AD_NONE) {
        d->cause = PAIL_CAUSE_BOUND_TOO_SMALL;
        pail_ad_say(f,
                    "%s had the %" PRIu64 " %s stack %u that it is registered with, whatever the "
                    "arrays hold: register more, or a tree. ",
                    f->whose, d->allocated, pail_ad_finding_unit(f), f->stack);
    } else if (f->now.values.value[slot].error) {
        say_root(f, f->stack);
    } else {
        d->required = f->now.values.value[slot].v;
        judge_known(f);
    }
}

pail_status pail_ad_judge(struct pail_ad_finding *f, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &f->now;
    const struct pail_alloc *alloc = &f->kernel->alloc;
    const uint32_t n = program_of(f)->n_slots + 1;
    pail_status status = pail_ad_frame_take(&e->frame, f->kernel, err);
    if (status != PAIL_OK)
        return status;
    e->kernel = f->kernel;
    pail_ad_arrays_of_key(e->frame, f->kernel, f->then.result->key);
    e->values.value = pail_calloc(alloc, n, sizeof(*e->values.value));
    e->values.known = pail_calloc(alloc, n, 3);
    if (e->values.value && e->values.known) {
        e->by = e->values.known + n;
        e->need = e->by + n;
        status = compute(f, err);
        if (status == PAIL_ERR_UNSUPPORTED)
            pail_ad_say(f, "%s cannot be looked at: %s. ", f->whose, err->text);
        else if (status == PAIL_OK)
            judge(f);
    } else {
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a diagnosis");
    }
    pail_free(alloc, e->values.value);
    pail_free(alloc, e->values.known);
    pail_ad_frame_give(f->kernel, e->frame);
    return status == PAIL_ERR_UNSUPPORTED ? PAIL_OK : status;
}
