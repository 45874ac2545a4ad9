/* SPDX-License-Identifier: Apache-2.0 */
#include "first_uses.h"

#include <stdlib.h>
#include <string.h>

#include <core/debug.h>
#include <curves/fnv.h>
#include <curves/little_endian.h>
#include <platform/clock.h>
#include <platform/process.h>

#include "tuning.h"
#include "vk/device_cache.h"

/* Words that change what a multiplication does or how long it takes. */
#define DEBUG_OTHER_TIMES                                                                          \
    (PAIL_DEBUG_TIME | PAIL_DEBUG_POISON | PAIL_DEBUG_RECOMPILE | PAIL_DEBUG_REGISTERS |           \
     PAIL_DEBUG_OVERLAP | PAIL_DEBUG_GLV | PAIL_DEBUG_RUNS | PAIL_DEBUG_WHOLE)
/* The longest that PAIL_TUNE may say: an hour. */
#define BUDGET_MAX 3600000u
/* Age of a context with uses from which on pipelines of candidates are made. */
#define MAKE_FROM_NS UINT64_C(1000000000)

/* ---- The record in the cache ----------------------------------------------------------------- */
/* Little-endian words; docs/cache-format.md has the table. */
#define NAME            "tuning/first-uses"
#define CANDIDATE_WORDS 2u
#define CLASS_WORDS     (3u + CANDIDATE_WORDS * PAIL_COMPARISON_CANDIDATES)
#define RECORD_WORDS    (1u + CLASS_WORDS * PAIL_COMPARISON_CLASSES)
#define OUT             (1u << 16)
#define CLOSED          (1u << 17)
#define MS_PER_STEP     1e-4 /* of times: 100 ns */
#define STEPS_PER_US    10u

static uint32_t steps_of(double ms)
{
    return ms < UINT32_MAX * MS_PER_STEP ? (uint32_t)(ms / MS_PER_STEP + 0.5) : UINT32_MAX;
}

static void encode(uint8_t *out, const struct pail_first_uses_group *group)
{
    pail_store_u32(out, steps_of(group->spent_ms));
    out += 4;
    for (uint32_t i = 0; i < PAIL_COMPARISON_CLASSES; i++) {
        const struct pail_comparison *c = &group->classes[i].comparison;
        pail_store_u32(out, c->chosen);
        pail_store_u32(out + 4, c->shape);
        pail_store_u32(out + 8, c->adds < UINT32_MAX ? (uint32_t)c->adds : UINT32_MAX);
        out += 12;
        for (uint32_t k = 0; k < PAIL_COMPARISON_CANDIDATES; k++, out += 4 * CANDIDATE_WORDS) {
            const struct pail_candidate *one = &c->candidates[k];
            pail_store_u32(out, one->uses | (one->out ? OUT : 0) | (one->closed ? CLOSED : 0));
            pail_store_u32(out + 4, steps_of(one->ms));
        }
    }
}

/* Returns false for what encode cannot have written. */
static bool decode(struct pail_first_uses_group *group, const uint8_t *in)
{
    group->spent_ms = pail_read_u32(in) * MS_PER_STEP;
    in += 4;
    for (uint32_t i = 0; i < PAIL_COMPARISON_CLASSES; i++) {
        struct pail_comparison *c = &group->classes[i].comparison;
        c->chosen = pail_read_u32(in);
        c->shape = pail_read_u32(in + 4);
        c->adds = pail_read_u32(in + 8);
        if (c->chosen > PAIL_COMPARISON_CANDIDATES)
            return false;
        in += 12;
        for (uint32_t k = 0; k < PAIL_COMPARISON_CANDIDATES; k++, in += 4 * CANDIDATE_WORDS) {
            struct pail_candidate *one = &c->candidates[k];
            const uint32_t word = pail_read_u32(in);
            one->uses = word & (OUT - 1);
            one->out = word & OUT;
            one->closed = word & CLOSED;
            one->ms = pail_read_u32(in + 4) * MS_PER_STEP;
            if (word >= 2 * CLOSED || (one->uses && one->ms == 0))
                return false;
        }
    }
    return true;
}

static struct pail_first_uses_group *group_of(struct pail_msm *msm, uint32_t curve, uint32_t group)
{
    if (curve - 1 >= PAIL_TUNED_CURVES || group - 1 >= PAIL_TUNED_GROUPS)
        return NULL;
    return &msm->first.groups[curve - 1][group - 1];
}

static void load_group(struct pail_msm *msm, struct pail_cache *cache, uint32_t curve,
                       uint32_t group)
{
    struct pail_first_uses_group *out = group_of(msm, curve, group);
    const struct pail_cache_key key = pail_tuning_key(msm, NAME, curve, group);
    size_t bytes = 0;
    uint8_t *record = pail_cache_get(cache, &key, &bytes);
    if (!record)
        return;
    if (bytes != 4 * RECORD_WORDS || !decode(out, record)) {
        memset(out, 0, sizeof(*out));
        pail_log(&msm->log, PAIL_LOG_WARNING,
                 "pipeline cache: what first uses of curve %u, group %u measured makes no sense; "
                 "it is left out",
                 curve, group);
    }
    pail_cache_release(cache, record);
}

/* The lock is held. */
static void keep(struct pail_msm *msm, uint32_t curve, uint32_t group)
{
    struct pail_cache *cache = pail_vk_device_cache(msm->dev);
    uint8_t record[4 * RECORD_WORDS];
    if (!cache)
        return;
    const struct pail_cache_key key = pail_tuning_key(msm, NAME, curve, group);
    encode(record, group_of(msm, curve, group));
    pail_cache_put(cache, &key, record, sizeof(record));
}

/* ---- From the beginning to the end of a context ---------------------------------------------- */
static pail_status budget_of(uint32_t *budget_ms, const char *words, struct pail_error *err)
{
    *budget_ms = PAIL_COMPARISON_MS;
    if (!words || !*words)
        return PAIL_OK;
    uint32_t value = 0;
    for (const char *at = words; *at; at++) {
        if (*at < '0' || *at > '9' || value > BUDGET_MAX)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "PAIL_TUNE is \"%.20s\"; it has to be a number of milliseconds up to "
                             "%u, or 0",
                             words, BUDGET_MAX);
        value = 10 * value + (uint32_t)(*at - '0');
    }
    if (value > BUDGET_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "PAIL_TUNE is %u; at most %u milliseconds", value,
                         BUDGET_MAX);
    *budget_ms = value;
    return PAIL_OK;
}

pail_status pail_first_uses_init(struct pail_msm *msm, struct pail_error *err)
{
    struct pail_first_uses *first = &msm->first;
    const char *const words = pail_env("PAIL_TUNE");
    const pail_status status = budget_of(&first->budget_ms, words, err);
    if (status != PAIL_OK)
        return status;
    if (pthread_mutex_init(&first->lock, NULL) != 0)
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    if (pail_clock_cond_init(&first->changed) != 0) {
        pthread_mutex_destroy(&first->lock);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a condition cannot be made");
    }
    atomic_init(&first->stop, false);
    /* A software driver takes a minute of the processors for a pipeline, and none of its candidates
     * fits the time: there it is for who asks. */
    const bool asked = words && *words;
    const bool hardware = pail_vk_device_caps(msm->dev)->type != VK_PHYSICAL_DEVICE_TYPE_CPU;
    first->on = first->budget_ms && (hardware || asked) &&
                !(pail_vk_device_debug(msm->dev) & DEBUG_OTHER_TIMES);
    struct pail_cache *cache = pail_vk_device_cache(msm->dev);
    for (uint32_t curve = 1; first->on && cache && curve <= PAIL_TUNED_CURVES; curve++)
        for (uint32_t group = 1; group <= PAIL_TUNED_GROUPS; group++)
            load_group(msm, cache, curve, group);
    return PAIL_OK;
}

void pail_first_uses_end(struct pail_msm *msm)
{
    struct pail_first_uses *first = &msm->first;
    pthread_mutex_lock(&first->lock);
    atomic_store(&first->stop, true);
    pthread_cond_broadcast(&first->changed);
    pthread_mutex_unlock(&first->lock);
    if (first->has_thread)
        pthread_join(first->thread, NULL);
    pthread_cond_destroy(&first->changed);
    pthread_mutex_destroy(&first->lock);
}

/* ---- Uses ------------------------------------------------------------------------------------ */
uint32_t pail_first_uses_begin(struct pail_msm *msm)
{
    struct pail_first_uses *first = &msm->first;
    pthread_mutex_lock(&first->lock);
    first->started += first->started == UINT32_MAX ? 2 : 1; /* 0 is no number */
    const uint32_t number = first->running++ == 0 ? first->started : 0;
    pthread_mutex_unlock(&first->lock);
    return number;
}

void pail_first_uses_leave(struct pail_msm *msm, uint32_t *number)
{
    struct pail_first_uses *first = &msm->first;
    pthread_mutex_lock(&first->lock);
    first->running--;
    if (*number != first->started)
        *number = 0;
    pthread_mutex_unlock(&first->lock);
}

static struct pail_first_uses_class *class_of(struct pail_first_uses_group *group, uint64_t n)
{
    uint32_t log2 = 0;
    while (n >>= 1)
        log2++;
    return group && log2 >= PAIL_COMPARISON_LOG2_MIN && log2 < PAIL_COMPARISON_LOG2_END
               ? &group->classes[log2 - PAIL_COMPARISON_LOG2_MIN]
               : NULL;
}

/* Time that is left for candidates of all groups. The lock is held. */
static double left_of(const struct pail_first_uses *first)
{
    double left = first->budget_ms;
    for (uint32_t curve = 0; curve < PAIL_TUNED_CURVES; curve++)
        for (uint32_t group = 0; group < PAIL_TUNED_GROUPS; group++)
            left -= first->groups[curve][group].spent_ms;
    return left;
}

/* The lock is held. */
static struct pail_comparison_terms terms_of(struct pail_msm *msm,
                                             const struct pail_first_uses_group *group,
                                             const struct pail_first_uses_class *one,
                                             uint32_t usual)
{
    struct pail_comparison_terms terms = {
        .usual = usual,
        .candidates = one->fits & ~group->broken,
        .ready = one->state == PAIL_CANDIDATES_READY,
        .left_ms = left_of(&msm->first),
    };
    pail_msm_candidate_times(terms.most, pail_vk_device_caps(msm->dev));
    return terms;
}

/* Uses with the same number of points, in steps of an eighth, over points that are kept alike. */
static uint32_t shape_of(const struct pail_msm_question *q, const struct pail_msm_plan *plan)
{
    uint64_t n = q->shape.n;
    while (n >= 16)
        n >>= 1;
    const uint32_t words[] = {(uint32_t)n,          q->shape.half_bits, q->shape.table,
                              q->shape.likely_bits, q->shape.expanded,  plan->window_bits,
                              plan->batches};
    const uint64_t hash = pail_fnv1a64(words, sizeof(words));
    return (uint32_t)(hash ^ hash >> 32) | 1;
}

uint32_t pail_first_uses_take(struct pail_msm *msm, const struct pail_msm_question *q,
                              const struct pail_msm_plan *plan, enum pail_plan_purpose purpose,
                              struct pail_first_use *use)
{
    struct pail_first_uses *first = &msm->first;
    struct pail_first_uses_group *group = group_of(msm, q->group.curve, q->group.group);
    struct pail_first_uses_class *one = class_of(group, q->points);
    const uint32_t usual = plan->accumulator.accumulator;
    const pail_msm_config *config = q->config;
    *use = (struct pail_first_use){.usual = usual};
    if (!first->on || !one || q->tuning.struct_size || !pail_msm_config_is_open(config) ||
        usual == 0 || usual > PAIL_COMPARISON_CANDIDATES)
        return 0;
    const bool measures = purpose == PAIL_PLAN_USE && q->shape.vectors == 1 && q->shape.sets == 1 &&
                          !q->shape.streamed && !plan->stepped && !config->window_bits &&
                          !config->threads && !config->force_batches && !config->memory_budget;
    uint32_t accumulator;
    bool measured = false;
    pthread_mutex_lock(&first->lock);
    if (measures) {
        const struct pail_comparison_terms terms = terms_of(msm, group, one, usual);
        accumulator = pail_comparison_next(&one->comparison, &terms, shape_of(q, plan), &measured);
    } else {
        accumulator = one->comparison.chosen;
    }
    if (accumulator && group->broken & PAIL_COMPARISON_BIT(accumulator))
        accumulator = usual;
    pthread_mutex_unlock(&first->lock);
    if (measured)
        use->accumulator = accumulator;
    return accumulator == usual ? 0 : accumulator;
}

uint32_t pail_first_uses_candidates(struct pail_msm *msm, const struct pail_msm_group *group,
                                    uint64_t n, uint32_t usual)
{
    struct pail_first_uses *first = &msm->first;
    struct pail_first_uses_group *own = group_of(msm, group->curve, group->group);
    const struct pail_first_uses_class *one = class_of(own, n);
    if (!first->on || !one)
        return 0;
    pthread_mutex_lock(&first->lock);
    const uint32_t all = one->comparison.chosen ? 0 : (1u << PAIL_COMPARISON_CANDIDATES) - 1;
    const uint32_t set = all & ~own->broken & ~PAIL_COMPARISON_BIT(usual);
    pthread_mutex_unlock(&first->lock);
    return set;
}

static void tell(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                 const struct pail_comparison *c, double left_ms)
{
    static const char *const names[] = {"", "xyzz", "walker", "coop"};
    const struct pail_candidate *all = c->candidates;
    pail_log(&msm->log, PAIL_LOG_INFO,
             "first uses of %s %s, %llu points: accumulator %s; xyzz %.3f ms, walker %.3f ms, "
             "coop %.3f ms (0: not measured); %.1f ms are left for comparing",
             wish->group.ops->curve_name, wish->group.ops->group_name, (unsigned long long)wish->n,
             names[c->chosen], all[0].ms, all[1].ms, all[2].ms, left_ms);
}

bool pail_first_uses_note(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                          const struct pail_first_use *use, double ms, double lost_ms, double adds)
{
    struct pail_first_uses *first = &msm->first;
    struct pail_first_uses_group *group = group_of(msm, wish->group.curve, wish->group.group);
    struct pail_first_uses_class *one = class_of(group, wish->n);
    pthread_mutex_lock(&first->lock);
    if (use->accumulator != use->usual)
        group->spent_ms += ms + lost_ms;
    const struct pail_comparison_terms terms = terms_of(msm, group, one, use->usual);
    const bool was_open = one->comparison.chosen == 0;
    pail_comparison_note(&one->comparison, &terms, use->accumulator, ms, adds);
    const bool open = one->comparison.chosen == 0;
    if (was_open)
        keep(msm, wish->group.curve, wish->group.group);
    if (was_open && !open)
        tell(msm, wish, &one->comparison, terms.left_ms);
    const bool wanted = open && one->state == PAIL_CANDIDATES_UNKNOWN;
    if (wanted) {
        one->state = PAIL_CANDIDATES_WANTED;
        one->wish = *wish;
        if (first->make_from_ns == 0)
            first->make_from_ns = pail_clock_until(MAKE_FROM_NS);
        pthread_cond_broadcast(&first->changed);
    }
    pthread_mutex_unlock(&first->lock);
    return wanted;
}

void pail_first_uses_drop(struct pail_msm *msm, const struct pail_msm_group *group,
                          uint32_t accumulator, const char *why)
{
    struct pail_first_uses_group *own = group_of(msm, group->curve, group->group);
    pthread_mutex_lock(&msm->first.lock);
    own->broken |= PAIL_COMPARISON_BIT(accumulator);
    pthread_mutex_unlock(&msm->first.lock);
    pail_log(&msm->log, PAIL_LOG_WARNING, "first uses of %s %s: the accumulator %u is left out: %s",
             group->ops->curve_name, group->ops->group_name, accumulator, why);
}

/* ---- Pipelines of candidates ----------------------------------------------------------------- */
bool pail_first_uses_wanted(struct pail_msm *msm, struct pail_candidates_wish *wish)
{
    struct pail_first_uses *first = &msm->first;
    bool found = false;
    pthread_mutex_lock(&first->lock);
    while (!found && !atomic_load(&first->stop)) {
        if (pail_clock_ns() < first->make_from_ns) {
            (void)pail_clock_cond_wait(&first->changed, &first->lock, first->make_from_ns);
            continue;
        }
        for (uint32_t i = 0; !found && i < PAIL_TUNED_CURVES * PAIL_TUNED_GROUPS; i++)
            for (uint32_t k = 0; !found && k < PAIL_COMPARISON_CLASSES; k++) {
                const struct pail_first_uses_class *one =
                    &first->groups[i / PAIL_TUNED_GROUPS][i % PAIL_TUNED_GROUPS].classes[k];
                found = one->state == PAIL_CANDIDATES_WANTED;
                if (found)
                    *wish = one->wish;
            }
        if (!found)
            (void)pthread_cond_wait(&first->changed, &first->lock);
    }
    pthread_mutex_unlock(&first->lock);
    return found;
}

void pail_first_uses_ready(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                           uint32_t fits)
{
    struct pail_first_uses_class *one =
        class_of(group_of(msm, wish->group.curve, wish->group.group), wish->n);
    pthread_mutex_lock(&msm->first.lock);
    one->fits = fits;
    one->state = PAIL_CANDIDATES_READY;
    pthread_mutex_unlock(&msm->first.lock);
}

/* ---- Choices at the boundary ----------------------------------------------------------------- */
bool pail_first_uses_read(struct pail_msm *msm, pail_tuning *tuning)
{
    const struct pail_first_uses_group *own = group_of(msm, tuning->curve, tuning->group);
    bool any = false;
    if (!own || !msm->first.on)
        return false;
    pthread_mutex_lock(&msm->first.lock);
    for (uint32_t i = 0; i < PAIL_COMPARISON_CLASSES; i++) {
        const uint32_t chosen = own->classes[i].comparison.chosen;
        tuning->accumulators[PAIL_COMPARISON_LOG2_MIN + i] = (uint8_t)chosen;
        any |= chosen != 0;
    }
    tuning->compared_us = steps_of(own->spent_ms) / STEPS_PER_US;
    pthread_mutex_unlock(&msm->first.lock);
    return any;
}

void pail_first_uses_forget(struct pail_msm *msm, uint32_t curve, uint32_t group)
{
    struct pail_first_uses_group *own = group_of(msm, curve, group);
    if (!own || !msm->first.on)
        return;
    pthread_mutex_lock(&msm->first.lock);
    bool any = own->spent_ms > 0;
    own->spent_ms = 0;
    for (uint32_t i = 0; i < PAIL_COMPARISON_CLASSES; i++) {
        any |= own->classes[i].comparison.shape != 0;
        own->classes[i].comparison = (struct pail_comparison){0};
    }
    if (any)
        keep(msm, curve, group);
    pthread_mutex_unlock(&msm->first.lock);
}
