/* SPDX-License-Identifier: Apache-2.0 */
/* First uses: what a finished multiplication tells of its accumulator, and the pipelines of the
 * others, which a thread makes meanwhile. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <platform/clock.h>
#include <platform/thread.h>

#include "pending.h"
#include "warm.h"

/* A process may end with a context that is not destroyed. Drivers are taken down then, while this
 * thread would still be in one: the end waits for the pipeline in hand, and no other begins. */
static struct {
    pthread_once_t once;
    pthread_mutex_t lock; /* held in a driver */
    pid_t process;        /* a child after a fork has not this thread, and may have the lock held */
    bool kept;            /* the end of the process will be told */
    bool exiting;
} exits = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void at_exit(void)
{
    if (getpid() != exits.process)
        return;
    pthread_mutex_lock(&exits.lock);
    exits.exiting = true;
    pthread_mutex_unlock(&exits.lock);
}

static void keep_exits(void)
{
    exits.process = getpid();
    exits.kept = atexit(at_exit) == 0;
}

/* Returns false, with nothing held, if the context or the process ends. */
static bool enter_driver(struct pail_msm *msm)
{
    pthread_mutex_lock(&exits.lock);
    const bool goes_on = !exits.exiting && !atomic_load(&msm->first.stop);
    if (!goes_on)
        pthread_mutex_unlock(&exits.lock);
    return goes_on;
}

/* Makes the pipelines of a list one by one. PAIL_NOT_READY: there is no time for all. */
static pail_status make(struct pail_msm *msm, const struct pail_warm_list *list,
                        struct pail_error *err)
{
    const struct pail_vk_pipeline *pipeline;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < list->n && status == PAIL_OK; i++) {
        if (!enter_driver(msm))
            return PAIL_NOT_READY;
        status = pail_vk_pipeline_find(msm->dev, &list->requests[i], &pipeline, NULL, err);
        pthread_mutex_unlock(&exits.lock);
    }
    return status;
}

/* Pipelines and self-test of a candidate. PAIL_NOT_READY: it does not fit the device, or there is
 * no time for it. */
static pail_status prepare(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                           uint32_t accumulator, struct pail_error *err)
{
    struct pail_warm_list list = {0};
    struct pail_msm_accumulator chosen;
    pail_status status = pail_msm_warm_candidate(msm, &list, wish, accumulator, &chosen, err);
    if (status == PAIL_OK)
        status = make(msm, &list, err);
    pail_free(&msm->alloc, list.requests);
    if (status == PAIL_OK && !enter_driver(msm))
        return PAIL_NOT_READY;
    if (status == PAIL_OK) {
        status = pail_msm_self_test_of(msm, wish, &chosen, err);
        pthread_mutex_unlock(&exits.lock);
    }
    return status;
}

static void *candidates_main(void *argument)
{
    struct pail_msm *msm = argument;
    struct pail_candidates_wish wish;
    pail_thread_lower();
    while (pail_first_uses_wanted(msm, &wish)) {
        uint32_t fits = 0;
        for (uint32_t a = 1; a <= PAIL_COMPARISON_CANDIDATES; a++) {
            struct pail_error err = {0};
            if (a == wish.usual || atomic_load(&msm->first.stop))
                continue;
            const pail_status status = prepare(msm, &wish, a, &err);
            if (status == PAIL_OK)
                fits |= PAIL_COMPARISON_BIT(a);
            else if (status != PAIL_NOT_READY)
                pail_first_uses_drop(msm, &wish.group, a, err.text);
        }
        /* Candidates that there was no time for have not lost. */
        if (!enter_driver(msm))
            break;
        pail_first_uses_ready(msm, &wish, fits);
        pthread_mutex_unlock(&exits.lock);
    }
    return NULL;
}

/* Without a thread there are no candidates: the usual accumulator stays. */
static void begin(struct pail_msm *msm, const struct pail_candidates_wish *wish)
{
    struct pail_first_uses *first = &msm->first;
    pthread_once(&exits.once, keep_exits);
    pthread_mutex_lock(&first->lock);
    if (!first->has_thread && exits.kept)
        first->has_thread = pail_thread_start(&first->thread, "pail-candidates", PAIL_STACK_FOREIGN,
                                              candidates_main, msm) == 0;
    const bool has_thread = first->has_thread;
    pthread_mutex_unlock(&first->lock);
    if (!has_thread)
        pail_first_uses_ready(msm, wish, 0);
}

static struct pail_candidates_wish wish_of(const struct pail_msm_bundle *b)
{
    const struct pail_bases *bases = b->sets[0].bases;
    return (struct pail_candidates_wish){
        .group = bases->group,
        .kept = pail_bases_keeping(bases),
        .order_known = bases->order_known,
        .form = b->form,
        .n = b->shape.n,
        .usual = b->use.usual,
    };
}

void pail_msm_note_use(struct pail_pending *p)
{
    pail_first_uses_leave(p->msm, &p->number);
    p->counted = false;
    const double wall_ms = pail_now_ms() - p->start_ms;
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        const struct pail_candidates_wish wish = wish_of(b);
        const bool stamped = pail_vk_device_caps(p->msm->dev)->timestamp_bits != 0;
        const bool told = p->number && !p->concurrent && (stamped || p->n_bundles == 1);
        const double ms = stamped ? p->parts[i].ms : wall_ms;
        /* The time of a candidate counts, whether it says something or not. */
        if (b->use.accumulator && (told || b->use.accumulator != b->use.usual) &&
            pail_first_uses_note(p->msm, &wish, &b->use, ms, p->pipelines.ms,
                                 told ? (double)pail_msm_sums(p, i) : 0))
            begin(p->msm, &wish);
    }
}

bool pail_msm_drop_candidates(struct pail_pending *p, const struct pail_error *err)
{
    bool any = false;
    for (size_t i = 0; i < p->n_bundles; i++) {
        const struct pail_msm_bundle *b = &p->bundles[i];
        if (!b->use.accumulator || b->use.accumulator == b->use.usual)
            continue;
        const struct pail_candidates_wish wish = wish_of(b);
        pail_first_uses_drop(p->msm, &wish.group, b->use.accumulator, err->text);
        (void)pail_first_uses_note(p->msm, &wish, &b->use, pail_now_ms() - p->start_ms, 0, 0);
        any = true;
    }
    return any;
}
