#include "diagnose.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <core/debug.h>
#include <platform/text.h>

#include "arrays.h"
#include "record.h"
#include "solve.h"
#include "sweep.h"

size_t pail_adstack_poll_overflow(struct pail_adstack *service, pail_overflow records[],
                                  size_t room)
{
    uint64_t lost;
    const size_t n = pail_ad_overflow_poll(&service->overflows, records, room, &lost);
    pail_ad_count(service, PAIL_AD_STAT_OVERFLOWS, n);
    pail_ad_count(service, PAIL_AD_STAT_OVERFLOWS_LOST, lost);
    return n;
}

/* State of one diagnosis. */
struct finding {
    struct pail_adstack *service;
    const pail_overflow *record;
    pail_diagnosis *diagnosis;
    struct pail_ad_kernel *kernel;
    uint32_t task;
    struct pail_ad_recalled then; /* the launch */
    struct pail_ad_laid *laid;    /* the task's stacks at that launch */
    struct pail_ad_ran ran;       /* the last run, where it was recorded */
    char whose[64];               /* "Launch 7" */
    struct pail_ad_evaluation now;
    uint32_t stack; /* stack of the record; UINT32_MAX: unknown */
    bool changed;   /* an array was written since, and somebody told of it */
    bool untracked; /* an array may be written without a word */
    bool known;     /* the launch was found */
    uint64_t gone;  /* identity of an array that is forgotten; 0: none */
    size_t used;    /* bytes of the text */
};

static void say(struct finding *f, const char *fmt, ...) PAIL_PRINTF(2, 3);

static void say(struct finding *f, const char *fmt, ...)
{
    const size_t room = sizeof(f->diagnosis->text) - f->used;
    va_list args;
    va_start(args, fmt);
    f->used += pail_line_list(f->diagnosis->text + f->used, room, fmt, args);
    va_end(args);
}

static const struct pail_ad_program *program_of(const struct finding *f)
{
    return f->kernel->program;
}

/* Stacks of the task that lie in a heap. */
static uint32_t n_stacks_of(const struct finding *f)
{
    return (uint32_t)pail_ad_n_placed(&f->kernel->desc->tasks[f->task]);
}

/* True if the finding is about the number of rows, which the last stack of the task counts. */
static bool is_of_rows(const struct finding *f)
{
    return f->record->kind == PAIL_OVERFLOW_GATE;
}

static const char *unit_of(const struct finding *f)
{
    return is_of_rows(f) ? "rows by" : "entries for";
}

static uint32_t root_of(const struct finding *f, uint32_t stack)
{
    return program_of(f)->roots[program_of(f)->task_first[f->task] + stack].slot;
}

/* ---- Whose it is ----------------------------------------------------------------------------- */
static void say_whose(struct finding *f, const struct pail_ad_owner *owner)
{
    char name[200];
    if (owner)
        say(f, "Adstack overflow in kernel \"%s\", task %d (id 0x%08x)",
            pail_ad_printable(name, sizeof(name), owner->name, owner->name_bytes),
            owner->task_index, f->record->id);
    else
        say(f, "Adstack overflow in a task that is not registered (id 0x%08x)", f->record->id);
    if (f->record->stack != UINT32_MAX)
        say(f, ", stack %u", f->record->stack);
    if (f->record->count > 0)
        say(f, ", with %" PRIu64 " entries pushed", f->record->count);
    say(f, ". ");
}

static const char advice[] =
    "Gradients of that launch are wrong: start again from a state before it.";

/* ---- What the arrays say now ----------------------------------------------------------------- */
/* Notes if the arrays of that launch can be read, and which writes to them are known since. */
static void look_at_arrays(struct finding *f, uint32_t slot)
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
static pail_status compute(struct finding *f, struct pail_error *err)
{
    struct pail_ad_evaluation *e = &f->now;
    const struct pail_ad_program *p = program_of(f);
    const struct pail_ad_how how = {0};
    const uint32_t n_stacks = n_stacks_of(f) + is_of_rows(f);
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
static uint32_t find_suspect(const struct finding *f)
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

static void doubt(struct finding *f, uint32_t source)
{
    const struct pail_ad_seen *seen = &f->now.frame->seen[f->kernel->sources[source].seen];
    pail_ad_identities_doubt(&f->service->identities, seen->identity);
}

/* Forgets all values that were computed from the array: other stacks of that launch, and other
 * kernels, may be too small for the same reason. Where the array cannot be told, that goes for all
 * arrays that the stack depends on. */
static void heal(struct finding *f)
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
/* The stack that needs more than it has, where the record does not say which it is. */
static void find_stack(struct finding *f)
{
    const struct pail_ad_laid *laid = f->laid;
    for (uint32_t i = 0; i < n_stacks_of(f) && f->stack == UINT32_MAX; i++) {
        const uint32_t slot = root_of(f, i);
        const struct pail_ad_value *value = &f->now.values.value[slot == PAIL_AD_NONE ? 0 : slot];
        if (slot != PAIL_AD_NONE && f->now.values.known[slot] && !value->error && value->v > 0 &&
            (uint64_t)value->v > laid->places[i].capacity)
            f->stack = i;
    }
    if (n_stacks_of(f) == 1 && f->stack == UINT32_MAX)
        f->stack = 0;
}

static void say_written(struct finding *f, const char *when)
{
    say(f, "An array was written %swithout a word", when);
    if (f->diagnosis->suspect_identity)
        say(f, " (identity %" PRIu64 ")", f->diagnosis->suspect_identity);
}

static void say_healed(struct finding *f)
{
    say_written(f, "");
    say(f, ": tell of writes with adstack_bump or a new generation, or bind it with "
           "PAIL_BINDING_UNTRACKED. What was computed from it is forgotten, so the next launch "
           "is sized anew. ");
}

static void say_unclear(struct finding *f)
{
    say(f, "%s since, so that nobody can say what they held at that launch. ",
        f->changed ? "They were written" : "They may have been written without a word");
}

/* A run reads the arrays as they are, and nobody has to tell it of writes: it is the tree that says
 * too little, or a write came between the sizes and the kernel. Only of the last run is it known
 * what it gave. */
static void judge_run(struct finding *f, uint64_t required)
{
    const pail_diagnosis *d = f->diagnosis;
    if (f->record->count > 0 && f->record->count <= d->allocated) {
        say(f, "That is enough for the record, which is about a run before, whose sizes are "
               "written over: look for overflows after each run. ");
    } else if (required == d->allocated) {
        f->diagnosis->cause = PAIL_CAUSE_BOUND_TOO_SMALL;
        say(f, "The arrays are as that run read them: the tree that the compiler gave says less "
               "than the kernel needs, which is the compiler's to mend. ");
    } else if (f->changed || f->untracked) {
        say_unclear(f);
    } else if (required > d->allocated) {
        heal(f);
        say_written(f, "after that run had sized its stacks, ");
        say(f, ": a command buffer sizes them where adstack_record stands in it, so what writes "
               "the array belongs before that, or tells of it with adstack_bump or a new "
               "generation. ");
    } else {
        say(f, "They were written without a word after that run had sized its stacks, and nobody "
               "can say what they held meanwhile. ");
    }
}

static void judge_known(struct finding *f)
{
    pail_diagnosis *d = f->diagnosis;
    const uint64_t required = d->required > 1 ? (uint64_t)d->required : 1;
    say(f,
        "%s had %" PRIu64 " %s stack %u, and by the arrays as they are now it takes "
        "%" PRId64 ". ",
        f->whose, d->allocated, unit_of(f), f->stack, d->required);
    if (f->then.recording) {
        judge_run(f, required);
    } else if (f->changed || f->untracked) {
        say_unclear(f);
    } else if (required > d->allocated) {
        heal(f);
        say_healed(f);
    } else {
        d->cause = PAIL_CAUSE_BOUND_TOO_SMALL;
        say(f, "Nothing was written since: the tree that the compiler gave says less than the "
               "kernel needs, which is the compiler's to mend. ");
    }
}

static void judge(struct finding *f)
{
    pail_diagnosis *d = f->diagnosis;
    if (f->gone) {
        say(f, "The array of identity %" PRIu64 " is forgotten, so it cannot be looked at. ",
            f->gone);
        return;
    }
    find_stack(f);
    if (f->stack == UINT32_MAX) {
        say(f,
            "%s had as many entries for each stack as it takes by the arrays as they are now, or "
            "more. Either a tree that the compiler gave says less than the kernel needs, or an "
            "array was written meanwhile. ",
            f->whose);
        return;
    }
    const uint32_t slot = root_of(f, f->stack);
    d->allocated = f->laid->places[f->stack].capacity;
    if (slot == PAIL_AD_NONE) {
        d->cause = PAIL_CAUSE_BOUND_TOO_SMALL;
        say(f,
            "%s had the %" PRIu64 " %s stack %u that it is registered with, whatever the "
            "arrays hold: register more, or a tree. ",
            f->whose, d->allocated, unit_of(f), f->stack);
    } else if (f->now.values.value[slot].error) {
        char text[384];
        pail_ad_describe_tree(program_of(f), f->now.frame->arrays, &f->now.values, f->task,
                              f->stack, f->now.values.value[slot].error, &f->kernel->alloc, text,
                              sizeof(text));
        say(f,
            "%s had %" PRIu64 " %s stack %u, and by the arrays as they are now it cannot "
            "be computed: %s ",
            f->whose, d->allocated, unit_of(f), f->stack, text);
    } else {
        d->required = f->now.values.value[slot].v;
        judge_known(f);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */
static pail_status with_launch(struct finding *f, struct pail_error *err)
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
            say(f, "%s cannot be looked at: %s. ", f->whose, err->text);
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

/* ---- Runs of what was recorded --------------------------------------------------------------- */
static void judge_heaps(struct finding *f)
{
    static const char *const names[] = {"float", "int"};
    const uint64_t *have = f->then.recording->heap;
    f->diagnosis->cause = PAIL_CAUSE_HEAP_TOO_SMALL;
    if (f->stack < n_stacks_of(f))
        f->diagnosis->allocated = f->laid->places[f->stack].capacity;
    say(f, "%s was stopped, because ", f->whose);
    int n = 0;
    for (int heap = 0; heap < 2; heap++)
        if (f->ran.needed[heap] > have[heap])
            say(f, "%sits %s heap takes %" PRIu64 " bytes and was recorded with %" PRIu64,
                n++ ? ", and " : "", names[heap], f->ran.needed[heap], have[heap]);
    say(f,
        "%s: make the heaps as large as that and record anew. A kernel that runs without its "
        "dispatch words writes beyond its heap; with them, the record is about a run before. ",
        n ? "" : "a heap of another task was too small");
}

static void say_stopped(struct finding *f)
{
    char stack[32] = "a size";
    if (f->ran.place > 0)
        (void)snprintf(stack, sizeof(stack), "stack %u", f->ran.place - 1);
    say(f,
        "%s was stopped, because %s %s, so the record is about a run before, whose sizes are "
        "written over. ",
        f->whose, stack,
        f->ran.status == PAIL_RECORD_ERROR ? "cannot be computed" : "does not fit its metadata");
}

static pail_status with_recording(struct finding *f, struct pail_error *err)
{
    pail_status status =
        pail_ad_recording_look(f->service, f->kernel, f->then.recording, f->task, &f->ran, err);
    f->laid = f->ran.laid;
    if (status == PAIL_ERR_UNSUPPORTED) {
        say(f, "%s cannot be looked at: %s. ", f->whose, err->text);
        return PAIL_OK;
    }
    if (status != PAIL_OK)
        return status;
    if (!f->ran.sensible)
        say(f, "What is at its metadata_address is nothing that a run writes: it has not run, or "
               "the memory is used for something else. ");
    else if (f->ran.status == PAIL_RECORD_HEAP)
        judge_heaps(f);
    else if (f->ran.status == PAIL_RECORD_OK)
        status = with_launch(f, err);
    else
        say_stopped(f);
    pail_ad_laid_release(f->laid, &f->kernel->alloc);
    return status;
}

static pail_status with_result(struct finding *f, struct pail_error *err)
{
    (void)snprintf(f->whose, sizeof(f->whose), "%s %" PRIu64,
                   f->then.recording ? "The last run of recorded launch" : "Launch",
                   f->then.serial);
    if (f->then.recording)
        return with_recording(f, err);
    f->laid = f->then.result->tasks[f->task].laid;
    return with_launch(f, err);
}

/* Diagnoses the launch by one kernel's knowledge of it. */
static pail_status find_out(struct finding *f, struct pail_error *err)
{
    if (is_of_rows(f)) {
        f->stack = n_stacks_of(f);
        if (f->stack == f->kernel->desc->tasks[f->task].n_stacks)
            return PAIL_OK; /* the caller counted */
    }
    if (f->record->stack != UINT32_MAX && f->record->stack >= n_stacks_of(f)) {
        say(f, "The task has %u stacks, so that the record cannot be about it. ", n_stacks_of(f));
        return PAIL_OK;
    }
    f->then = pail_ad_cache_recall(f->kernel, f->record->serial);
    f->known = f->then.result != NULL;
    if (f->then.released) {
        say(f, "Its launch was recorded, and the recording is released, so that nobody can say "
               "what its runs gave. ");
        return PAIL_OK;
    }
    if (!f->known) {
        say(f,
            "Its launch is none of the last %u that were sized here, and none that was "
            "recorded. ",
            PAIL_AD_RECENT);
        return PAIL_OK;
    }
    const pail_status status = with_result(f, err);
    pail_ad_result_release(f->then.result);
    return status;
}

/* ---- Kernels of one name --------------------------------------------------------------------- */
/* The weight of a finding: of several about one record, the best known counts. */
static int weight(const struct finding *f)
{
    const uint32_t cause = f->diagnosis->cause;
    if (cause == PAIL_CAUSE_UNKNOWN)
        return f->known ? 1 : 0;
    return cause == PAIL_CAUSE_UNTRACKED_WRITE ? 3 : 2;
}

/* Asks all kernels that have the id. best: with the text so far; its kernel is NULL afterwards
 * where there is none, and is a name only otherwise. */
static pail_status ask_all(struct finding *best, struct pail_error *err)
{
    const struct finding begin = *best;
    const pail_diagnosis empty = *best->diagnosis;
    pail_status status = PAIL_OK;
    uint32_t task;
    uint64_t before = UINT64_MAX;
    for (struct pail_ad_kernel *kernel;
         status == PAIL_OK && (kernel = pail_ad_registry_holder(&begin.service->registry, &task,
                                                                begin.record->id, before));) {
        pail_diagnosis diagnosis = empty;
        struct finding f = begin;
        f.diagnosis = &diagnosis;
        f.kernel = kernel;
        f.task = task;
        before = kernel->handle;
        status = find_out(&f, err);
        if (!best->kernel || weight(&f) > weight(best)) {
            pail_diagnosis *const out = best->diagnosis;
            *out = diagnosis;
            *best = f;
            best->diagnosis = out;
        }
        pail_ad_kernel_release(kernel);
    }
    return status;
}

/* ---- Nobody knows what that launch was given ------------------------------------------------- */
static void say_swept(struct finding *f, const struct pail_ad_swept *swept)
{
    pail_diagnosis *d = f->diagnosis;
    if (swept->stale) {
        if (!f->known)
            d->required = swept->required;
        if (!f->known && swept->required > 0 && (uint64_t)swept->required > swept->allocated)
            say(f,
                "The last launch had %" PRIu64 " entries for stack %u, and by the arrays as they "
                "are now it takes %" PRId64 ". ",
                swept->allocated, f->record->stack, swept->required);
        if (!f->untracked)
            d->cause = PAIL_CAUSE_UNTRACKED_WRITE;
        d->suspect_identity = swept->suspect;
        say_healed(f);
    } else if (swept->forgot) {
        say(f,
            "The array of identity %" PRIu64 " cannot be compared with what it held before, so "
            "what was computed from it is forgotten, and the next launch is sized anew. ",
            swept->unseen);
    } else if (swept->compared) {
        say(f, "The last launches of the kernel had what they take by the arrays as they are "
               "now. ");
    }
    d->invalidated = swept->forgot;
}

/* Looks for what is wrong among all that is kept for kernels of this id, and forgets it. */
static pail_status sweep_all(struct finding *f, struct pail_error *err)
{
    struct pail_ad_swept worst = {.required = -1};
    pail_status status = PAIL_OK;
    uint32_t task;
    uint64_t before = UINT64_MAX;
    bool first = true;
    for (struct pail_ad_kernel *kernel;
         status == PAIL_OK &&
         (kernel = pail_ad_registry_holder(&f->service->registry, &task, f->record->id, before));
         first = false) {
        struct pail_ad_swept swept;
        before = kernel->handle;
        status = pail_ad_sweep(f->service, kernel, task, f->record->stack, &swept, err);
        if (first || (swept.stale && !worst.stale) ||
            (swept.forgot && !worst.forgot && !worst.stale))
            worst = swept;
        pail_ad_kernel_release(kernel);
    }
    if (status == PAIL_OK)
        say_swept(f, &worst);
    return status;
}

static pail_status search(struct finding *f, struct pail_error *err)
{
    pail_status status = ask_all(f, err);
    if (!f->kernel)
        say(f, "Its kernel is not registered any more, so there is nothing to compare with. ");
    else if (status == PAIL_OK && f->diagnosis->cause == PAIL_CAUSE_UNKNOWN && !f->then.recording &&
             (!is_of_rows(f) || f->known))
        status = sweep_all(f, err);
    return status;
}

pail_status pail_adstack_diagnose(struct pail_adstack *service, pail_diagnosis *diagnosis,
                                  const pail_overflow *record, struct pail_error *err)
{
    struct finding f = {
        .service = service, .record = record, .diagnosis = diagnosis, .stack = record->stack};
    pail_status status = PAIL_OK;
    diagnosis->required = -1;
    const struct pail_ad_owner *owner = pail_ad_registry_owner(&service->registry, record->id);
    say_whose(&f, owner);
    if (record->kind == PAIL_OVERFLOW_GATE)
        say(&f, "More threads passed the gate than rows were counted, by gated_rows of the launch "
                "or by a stack of PAIL_HEAP_ROWS: count with the same condition, on the same "
                "arrays, that the kernel branches on. ");
    else if (!owner)
        say(&f, "No task was ever registered with this id, so there is nothing to compare with. ");
    if (owner)
        status = search(&f, err);
    if (record->kind == PAIL_OVERFLOW_GATE && diagnosis->cause != PAIL_CAUSE_UNTRACKED_WRITE)
        diagnosis->cause = PAIL_CAUSE_GATE_DIVERGED;
    say(&f, "%s", advice);
    if (status == PAIL_OK && (service->env.debug & PAIL_DEBUG_TRACE))
        pail_log(&service->env.log, PAIL_LOG_DEBUG, "adstack: %.900s", diagnosis->text);
    return status;
}
