/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <core/debug.h>

#include "sweep.h"
#include "tasks.h"
#include "verdict.h"

size_t pail_adstack_poll_overflow(struct pail_adstack *service, pail_overflow records[],
                                  size_t room)
{
    uint64_t lost;
    const size_t n = pail_ad_overflow_poll(&service->overflows, records, room, &lost);
    pail_ad_count(service, PAIL_AD_STAT_OVERFLOWS, n);
    pail_ad_count(service, PAIL_AD_STAT_OVERFLOWS_LOST, lost);
    return n;
}

/* ---- Whose it is ----------------------------------------------------------------------------- */
/* True if the record's stack has no memory, by the newest kernel that has the id: threads claim of
 * a heap what it sums up. */
static bool is_of_claims(const struct pail_ad_finding *f)
{
    uint32_t task;
    struct pail_ad_kernel *const kernel =
        pail_ad_registry_holder(&f->service->registry, &task, f->record->id, UINT64_MAX);
    if (!kernel)
        return false;
    const pail_task_desc *const desc = &kernel->desc->tasks[task];
    const bool claims =
        f->record->stack < desc->n_stacks && f->record->stack >= pail_ad_n_placed(desc);
    pail_ad_kernel_release(kernel);
    return claims;
}

static void say_whose(struct pail_ad_finding *f, const struct pail_ad_owner *owner)
{
    char name[200];
    if (owner)
        pail_ad_say(f, "Adstack overflow in kernel \"%s\", task %d (id 0x%08x)",
                    pail_ad_printable(name, sizeof(name), owner->name, owner->name_bytes),
                    owner->task_index, f->record->id);
    else
        pail_ad_say(f, "Adstack overflow in a task that is not registered (id 0x%08x)",
                    f->record->id);
    if (f->record->stack != UINT32_MAX)
        pail_ad_say(f, ", stack %u", f->record->stack);
    if (f->record->count > 0)
        pail_ad_say(f, ", with %" PRIu64 " %s", f->record->count,
                    f->claims ? "units of its heap claimed" : "entries pushed");
    pail_ad_say(f, ". ");
}

static const char advice[] =
    "Gradients of that launch are wrong: start again from a state before it.";

/* ---- Runs of what was recorded --------------------------------------------------------------- */
static void judge_heaps(struct pail_ad_finding *f)
{
    static const char *const names[] = {"float", "int"};
    const uint64_t *have = f->then.recording->heap;
    f->diagnosis->cause = PAIL_CAUSE_HEAP_TOO_SMALL;
    if (f->stack < pail_ad_finding_stacks(f))
        f->diagnosis->allocated = f->laid->places[f->stack].capacity;
    pail_ad_say(f, "%s was stopped, because ", f->whose);
    int n = 0;
    for (int heap = 0; heap < 2; heap++)
        if (f->ran.needed[heap] > have[heap])
            pail_ad_say(f, "%sits %s heap takes %" PRIu64 " bytes and was recorded with %" PRIu64,
                        n++ ? ", and " : "", names[heap], f->ran.needed[heap], have[heap]);
    pail_ad_say(
        f,
        "%s: make the heaps as large as that and record anew. A kernel that runs without its "
        "dispatch words writes beyond its heap; with them, the record is about a run before. ",
        n ? "" : "a heap of another task was too small");
}

static void say_stopped(struct pail_ad_finding *f)
{
    char stack[32] = "a size";
    if (f->ran.place > 0)
        (void)snprintf(stack, sizeof(stack), "stack %u", f->ran.place - 1);
    pail_ad_say(
        f,
        "%s was stopped, because %s %s, so the record is about a run before, whose sizes are "
        "written over. ",
        f->whose, stack,
        f->ran.status == PAIL_RECORD_ERROR ? "cannot be computed" : "does not fit its metadata");
}

static pail_status with_recording(struct pail_ad_finding *f, struct pail_error *err)
{
    pail_status status =
        pail_ad_recording_look(f->service, f->kernel, f->then.recording, f->task, &f->ran, err);
    f->laid = f->ran.laid;
    if (status == PAIL_ERR_UNSUPPORTED) {
        pail_ad_say(f, "%s cannot be looked at: %s. ", f->whose, err->text);
        return PAIL_OK;
    }
    if (status != PAIL_OK)
        return status;
    if (!f->ran.sensible)
        pail_ad_say(
            f, "What is at its metadata_address is nothing that a run writes: it has not run, or "
               "the memory is used for something else. ");
    else if (f->ran.status == PAIL_RECORD_HEAP)
        judge_heaps(f);
    else if (f->ran.status == PAIL_RECORD_OK)
        status = pail_ad_judge(f, err);
    else
        say_stopped(f);
    pail_ad_laid_release(f->laid, &f->kernel->alloc);
    return status;
}

static pail_status with_result(struct pail_ad_finding *f, struct pail_error *err)
{
    (void)snprintf(f->whose, sizeof(f->whose), "%s %" PRIu64,
                   f->then.recording ? "The last run of recorded launch" : "Launch",
                   f->then.serial);
    if (f->then.recording)
        return with_recording(f, err);
    f->laid = f->then.result->tasks[f->task].laid;
    return pail_ad_judge(f, err);
}

/* Diagnoses the launch by one kernel's knowledge of it. */
static pail_status find_out(struct pail_ad_finding *f, struct pail_error *err)
{
    if (pail_ad_is_of_rows(f)) {
        f->stack = pail_ad_finding_stacks(f);
        if (f->stack == f->kernel->desc->tasks[f->task].n_stacks)
            return PAIL_OK; /* the caller counted */
    }
    if (f->record->stack != UINT32_MAX && f->record->stack >= pail_ad_finding_stacks(f)) {
        pail_ad_say(f, "The task has %u stacks, so that the record cannot be about it. ",
                    pail_ad_finding_stacks(f));
        return PAIL_OK;
    }
    f->then = pail_ad_cache_recall(f->kernel, f->record->serial);
    f->known = f->then.result != NULL;
    if (f->then.released) {
        pail_ad_say(
            f, "Its launch was recorded, and the recording is released, so that nobody can say "
               "what its runs gave. ");
        return PAIL_OK;
    }
    if (!f->known) {
        pail_ad_say(f,
                    "Its launch is none of the last %u that were sized here, and none that was "
                    "recorded. ",
                    PAIL_AD_RECENT);
        return PAIL_OK;
    }
    const uint64_t *const task =
        &f->then.result->key[f->kernel->first_task + PAIL_AD_TASK_WORDS * f->task];
    pail_status status = PAIL_OK;
    if (pail_ad_is_of_rows(f) && task[2] & PAIL_TASK_LAUNCH_GATED) {
        f->diagnosis->cause = PAIL_CAUSE_GATE_DIVERGED;
        f->diagnosis->allocated = task[1];
        pail_ad_say(f, "gated_rows of launch %" PRIu64 " was %" PRIu64 ". ", f->then.serial,
                    task[1]);
    } else {
        status = with_result(f, err);
    }
    pail_ad_result_release(f->then.result);
    return status;
}

/* ---- Kernels of one name --------------------------------------------------------------------- */
/* The weight of a finding: of several about one record, the best known counts. */
static int weight(const struct pail_ad_finding *f)
{
    const uint32_t cause = f->diagnosis->cause;
    if (cause == PAIL_CAUSE_UNKNOWN)
        return f->bound ? 2 : f->known ? 1 : 0;
    return cause == PAIL_CAUSE_UNTRACKED_WRITE ? 3 : 2;
}

/* Asks all kernels that have the id. best: with the text so far; its kernel is NULL afterwards
 * where there is none, and is a name only otherwise. */
static pail_status ask_all(struct pail_ad_finding *best, struct pail_error *err)
{
    const struct pail_ad_finding begin = *best;
    const pail_diagnosis empty = *best->diagnosis;
    pail_status status = PAIL_OK;
    uint32_t task;
    uint64_t before = UINT64_MAX;
    for (struct pail_ad_kernel *kernel;
         status == PAIL_OK && (kernel = pail_ad_registry_holder(&begin.service->registry, &task,
                                                                begin.record->id, before));) {
        pail_diagnosis diagnosis = empty;
        struct pail_ad_finding f = begin;
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
static void say_swept(struct pail_ad_finding *f, const struct pail_ad_swept *swept)
{
    pail_diagnosis *d = f->diagnosis;
    if (swept->stale) {
        if (!f->known)
            d->required = swept->required;
        if (!f->known && swept->required > 0 && (uint64_t)swept->required > swept->allocated)
            pail_ad_say(f,
                        "The last launch had %" PRIu64 " %s stack %u, and by the arrays as they "
                        "are now it takes %" PRId64 ". ",
                        swept->allocated, pail_ad_finding_unit(f), f->record->stack,
                        swept->required);
        if (!f->untracked)
            d->cause = PAIL_CAUSE_UNTRACKED_WRITE;
        d->suspect_identity = swept->suspect;
        pail_ad_say_healed(f);
    } else if (swept->forgot) {
        pail_ad_say(f,
                    "The array of identity %" PRIu64
                    " cannot be compared with what it held before, so "
                    "what was computed from it is forgotten, and the next launch is sized anew. ",
                    swept->unseen);
    } else if (swept->compared) {
        pail_ad_say(f,
                    "The last launches of the kernel had what they take by the arrays as they are "
                    "now. ");
    }
    d->invalidated = swept->forgot;
}

/* Looks for what is wrong among all that is kept for kernels of this id, and forgets it. */
static pail_status sweep_all(struct pail_ad_finding *f, struct pail_error *err)
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

static void say_bound(struct pail_ad_finding *f)
{
    f->diagnosis->cause = PAIL_CAUSE_BOUND_TOO_SMALL;
    pail_ad_say(
        f,
        "%s: %s that the compiler gave says less than the kernel needs, which is the compiler's to "
        "mend. ",
        f->then.recording ? "The arrays are as that run read them" : "Nothing was written since",
        f->stack == UINT32_MAX ? "the tree or the capacity of one of its stacks" : "the tree");
}

/* A record without a number may be about any of the last launches, so all of them must be right
 * before a bound is. */
static pail_status search(struct pail_ad_finding *f, struct pail_error *err)
{
    const pail_diagnosis *d = f->diagnosis;
    pail_status status = ask_all(f, err);
    if (!f->kernel)
        pail_ad_say(f,
                    "Its kernel is not registered any more, so there is nothing to compare with. ");
    else if (status == PAIL_OK && d->cause == PAIL_CAUSE_UNKNOWN && !f->then.recording &&
             (!f->bound || f->record->serial == UINT64_MAX) && (!pail_ad_is_of_rows(f) || f->known))
        status = sweep_all(f, err);
    if (status == PAIL_OK && f->bound && d->cause == PAIL_CAUSE_UNKNOWN && !d->invalidated)
        say_bound(f);
    return status;
}

pail_status pail_adstack_diagnose(struct pail_adstack *service, pail_diagnosis *diagnosis,
                                  const pail_overflow *record, struct pail_error *err)
{
    struct pail_ad_finding f = {
        .service = service, .record = record, .diagnosis = diagnosis, .stack = record->stack};
    pail_status status = PAIL_OK;
    diagnosis->required = -1;
    const struct pail_ad_owner *owner = pail_ad_registry_owner(&service->registry, record->id);
    f.claims = is_of_claims(&f);
    say_whose(&f, owner);
    if (record->kind == PAIL_OVERFLOW_GATE)
        pail_ad_say(
            &f, "More threads passed the gate than rows were counted, by gated_rows of the launch "
                "or by a stack of PAIL_HEAP_ROWS: count with the same condition, on the same "
                "arrays, that the kernel branches on. ");
    else if (!owner)
        pail_ad_say(
            &f, "No task was ever registered with this id, so there is nothing to compare with. ");
    if (owner)
        status = search(&f, err);
    if (record->kind == PAIL_OVERFLOW_GATE && diagnosis->cause != PAIL_CAUSE_UNTRACKED_WRITE)
        diagnosis->cause = PAIL_CAUSE_GATE_DIVERGED;
    pail_ad_say(&f, "%s", advice);
    if (status == PAIL_OK && (service->env.debug & PAIL_DEBUG_TRACE))
        pail_log(&service->env.log, PAIL_LOG_DEBUG, "adstack: %.900s", diagnosis->text);
    return status;
}
