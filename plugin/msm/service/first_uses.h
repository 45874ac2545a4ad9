/* SPDX-License-Identifier: Apache-2.0 */
/* The first uses of a device: multiplications of callers, of which some take another accumulator
 * than the policy's, once its pipelines are there (run/candidates.c), until it is known which one
 * is the fastest (plan/comparison.h). Choices and times are kept in the device's cache. PAIL_TUNE
 * is the time that this may take. Thread-safe. */
#ifndef PAIL_MSM_FIRST_USES_H
#define PAIL_MSM_FIRST_USES_H

#include "msm/plan/comparison.h"
#include "msm/plan/resolution.h"

#include <pthread.h>
#include <stdatomic.h>

struct pail_msm;

/* Numbers of curves and groups that have measured choices. */
#define PAIL_TUNED_CURVES 2u
#define PAIL_TUNED_GROUPS 2u

enum pail_candidates_state {
    PAIL_CANDIDATES_UNKNOWN,
    PAIL_CANDIDATES_WANTED, /* their pipelines are to be made */
    PAIL_CANDIDATES_READY,
};

/* A multiplication whose candidates' pipelines are to be made. */
struct pail_candidates_wish {
    struct pail_msm_group group;
    struct pail_msm_keeping kept;
    bool order_known;
    enum pail_field_form form;
    uint64_t n;
    uint32_t usual;
};

struct pail_first_uses {
    bool on;
    uint32_t budget_ms;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    uint32_t running;      /* multiplications that are under way */
    uint32_t started;      /* multiplications so far */
    uint64_t make_from_ns; /* pipelines are made from then on; 0: none is wanted yet */
    bool has_thread;
    pthread_t thread;
    atomic_bool stop;
    struct pail_first_uses_group {
        double spent_ms; /* by candidates */
        uint32_t broken; /* candidates that failed in this context */
        struct pail_first_uses_class {
            struct pail_comparison comparison;
            enum pail_candidates_state state;
            struct pail_candidates_wish wish;
            uint32_t fits; /* candidates that have pipelines */
        } classes[PAIL_COMPARISON_CLASSES];
    } groups[PAIL_TUNED_CURVES][PAIL_TUNED_GROUPS];
};

/* Purpose of a plan. */
enum pail_plan_purpose {
    PAIL_PLAN_KNOWN,    /* takes what is settled */
    PAIL_PLAN_ESTIMATE, /* the same; room for each candidate */
    PAIL_PLAN_USE,      /* a use, which may be of a candidate */
};

/* A bundle's part in it. */
struct pail_first_use {
    uint32_t usual;       /* accumulator of the policy */
    uint32_t accumulator; /* accumulator that it takes; 0: there is nothing to note */
};

/* Reads PAIL_TUNE and what the cache has.
 * Errors: PAIL_ERR_ARGUMENT  PAIL_TUNE is no number of milliseconds
 *         PAIL_ERR_INTERNAL */
pail_status pail_first_uses_init(struct pail_msm *msm, struct pail_error *err);

/* Ends the making of pipelines, after the one in hand. */
void pail_first_uses_end(struct pail_msm *msm);

/* Counts a multiplication as under way. Returns its number, or 0 where another one is: then times
 * say nothing. */
uint32_t pail_first_uses_begin(struct pail_msm *msm);

/* number: as returned; in: out: 0 if another one was begun meanwhile. */
void pail_first_uses_leave(struct pail_msm *msm, uint32_t *number);

/* The accumulator of a use of n points, where a question leaves it open and has no tuning; 0: the
 * usual one. Out: use. */
uint32_t pail_first_uses_take(struct pail_msm *msm, const struct pail_msm_question *q,
                              const struct pail_msm_plan *plan, enum pail_plan_purpose purpose,
                              struct pail_first_use *use);

/* Set of candidates that a use of n points may take, for an estimate. */
uint32_t pail_first_uses_candidates(struct pail_msm *msm, const struct pail_msm_group *group,
                                    uint64_t n, uint32_t usual);

/* Notes a finished use. lost_ms: time beside its own, for pipelines. wish: what to make pipelines
 * for. Returns true if they are wanted now. */
bool pail_first_uses_note(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                          const struct pail_first_use *use, double ms, double lost_ms, double adds);

/* Leaves out a candidate that failed, for the rest of the context, and says so. */
void pail_first_uses_drop(struct pail_msm *msm, const struct pail_msm_group *group,
                          uint32_t accumulator, const char *why);

/* Waits for a wish whose pipelines are to be made, to be answered by pail_first_uses_ready. There
 * is none in the first second after the first use: a process that ends by then would have to wait
 * for the pipeline in hand. Returns false when the context ends. */
bool pail_first_uses_wanted(struct pail_msm *msm, struct pail_candidates_wish *wish);
void pail_first_uses_ready(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                           uint32_t fits);

/* Writes the accumulators that were chosen, and the time that it took. Returns false if none is. */
bool pail_first_uses_read(struct pail_msm *msm, pail_tuning *tuning);

/* Forgets the choices of a group. */
void pail_first_uses_forget(struct pail_msm *msm, uint32_t curve, uint32_t group);

#endif /* PAIL_MSM_FIRST_USES_H */
