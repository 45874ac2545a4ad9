/* SPDX-License-Identifier: Apache-2.0 */
/* One diagnosis, and its verdict about one launch. */
#ifndef PAIL_ADSTACK_VERDICT_H
#define PAIL_ADSTACK_VERDICT_H

#include "cache.h"
#include "record.h"

/* State of one diagnosis. */
struct pail_ad_finding {
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
    bool bound;     /* nothing else is wrong with that launch: its bounds are too small */
    bool claims;    /* the record is about what threads claim of a heap */
    uint64_t gone;  /* identity of an array that is forgotten; 0: none */
    size_t used;    /* bytes of the text */
};

/* Appends to the text. */
void pail_ad_say(struct pail_ad_finding *f, const char *fmt, ...) PAIL_PRINTF(2, 3);
/* Appends that an array was written, and how to prevent that. */
void pail_ad_say_healed(struct pail_ad_finding *f);

/* Judges the launch, whose stacks are in f->laid, by the arrays as they are now: what it says is
 * in the diagnosis and in f->bound. */
pail_status pail_ad_judge(struct pail_ad_finding *f, struct pail_error *err);

/* Stacks of the task that a record may name: without a last one that counts rows. */
static inline uint32_t pail_ad_finding_stacks(const struct pail_ad_finding *f)
{
    const pail_task_desc *const task = &f->kernel->desc->tasks[f->task];
    const uint32_t rows = pail_ad_stack_on(task, PAIL_HEAP_ROWS);
    return rows == PAIL_AD_NONE ? (uint32_t)task->n_stacks : rows;
}

/* Units of what the record is about, with a preposition. */
static inline const char *pail_ad_finding_unit(const struct pail_ad_finding *f)
{
    return f->record->kind == PAIL_OVERFLOW_GATE ? "rows by"
           : f->claims                           ? "units of its heap by"
                                                 : "entries for";
}

/* True if the record is about the number of rows, which the last stack of the task may count. */
static inline bool pail_ad_is_of_rows(const struct pail_ad_finding *f)
{
    return f->record->kind == PAIL_OVERFLOW_GATE;
}

#endif /* PAIL_ADSTACK_VERDICT_H */
