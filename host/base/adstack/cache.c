/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <inttypes.h>
#include <string.h>

#include "record.h"

/* References that are given back once the lock is. */
enum { GARBAGE = PAIL_AD_TASK_WAYS };
struct garbage {
    struct pail_ad_laid *laid[GARBAGE];
    uint32_t n_laid;
};

static void throw_out(struct garbage *garbage, const struct pail_alloc *alloc)
{
    while (garbage->n_laid > 0)
        pail_ad_laid_release(garbage->laid[--garbage->n_laid], alloc);
}

static struct pail_ad_laid *laid_of(uint64_t word)
{
    return (struct pail_ad_laid *)(uintptr_t)word;
}

/* ---- Launches -------------------------------------------------------------------------------- */
/* Called with the lock held. Returns the entry's former result. */
static struct pail_adstack_result *push_recent(struct pail_ad_kernel *kernel, uint64_t serial,
                                               struct pail_adstack_result *result)
{
    struct pail_ad_recent *recent = &kernel->recent[kernel->next_recent++ % PAIL_AD_RECENT];
    struct pail_adstack_result *old = recent->result;
    pail_ad_result_retain(result);
    *recent = (struct pail_ad_recent){serial, ++kernel->order, result};
    return old;
}

struct pail_adstack_result *pail_ad_cache_launch(struct pail_ad_evaluation *e, uint64_t serial,
                                                 bool *exact)
{
    struct pail_ad_kernel *kernel = e->kernel;
    struct pail_adstack_result *old = NULL;
    pthread_mutex_lock(&kernel->lock);
    e->drops = kernel->drops;
    e->forgets = pail_ad_launches_forget(&kernel->launches);
    struct pail_adstack_result *found =
        pail_ad_launches_find(&kernel->launches, e->frame->key, e->frame->hash, exact);
    if (found)
        pail_ad_result_retain(found);
    if (*exact)
        old = push_recent(kernel, serial, found);
    pthread_mutex_unlock(&kernel->lock);
    pail_ad_result_release(old);
    return found;
}

void pail_ad_cache_beside(struct pail_ad_evaluation *e, uint64_t serial,
                          struct pail_adstack_result *result)
{
    struct pail_ad_kernel *kernel = e->kernel;
    struct pail_adstack_result *old = NULL;
    struct pail_ad_kept *gone = NULL;
    pthread_mutex_lock(&kernel->lock);
    if (kernel->drops == e->drops)
        gone = pail_ad_launches_keep(&kernel->launches, e->frame->hash, result, NULL, &old);
    struct pail_adstack_result *older = push_recent(kernel, serial, result);
    pthread_mutex_unlock(&kernel->lock);
    pail_ad_result_release(old);
    pail_ad_result_release(older);
    (void)pail_ad_launches_free(gone, &kernel->alloc);
}

void pail_ad_cache_recent(struct pail_ad_kernel *kernel, uint64_t serial,
                          struct pail_adstack_result *result)
{
    pthread_mutex_lock(&kernel->lock);
    struct pail_adstack_result *old = push_recent(kernel, serial, result);
    pthread_mutex_unlock(&kernel->lock);
    pail_ad_result_release(old);
}

bool pail_ad_cache_again(struct pail_ad_kernel *kernel, uint64_t serial, uint64_t drops,
                         struct pail_adstack_result *result)
{
    struct pail_adstack_result *old = NULL;
    pthread_mutex_lock(&kernel->lock);
    const bool good = kernel->drops == drops;
    if (good)
        old = push_recent(kernel, serial, result);
    pthread_mutex_unlock(&kernel->lock);
    pail_ad_result_release(old);
    return good;
}

/* True if a launch of this number is asked for. */
static bool is_asked(uint64_t asked, uint64_t serial)
{
    return asked == UINT64_MAX || (uint32_t)serial == (uint32_t)asked;
}

/* Called with the lock held. */
static void recall_recording(struct pail_ad_kernel *kernel, uint64_t serial, uint64_t order,
                             struct pail_ad_recalled *recalled)
{
    for (const struct pail_ad_recording *r = kernel->recordings; r; r = r->next) {
        if (!is_asked(serial, r->serial) || r->order <= order ||
            !pail_ad_result_try_retain(r->result))
            continue; /* the last one to have it may be about to take it out of the list */
        recalled->result = r->result;
        recalled->recording = r;
        recalled->serial = r->serial;
        return; /* the list begins with the last */
    }
}

struct pail_ad_recalled pail_ad_cache_recall(struct pail_ad_kernel *kernel, uint64_t serial)
{
    struct pail_ad_recalled recalled = {.serial = serial};
    const struct pail_ad_recent *found = NULL;
    pthread_mutex_lock(&kernel->lock);
    for (uint32_t i = 1; i <= PAIL_AD_RECENT && !found; i++) {
        const struct pail_ad_recent *recent =
            &kernel->recent[(kernel->next_recent - i) % PAIL_AD_RECENT];
        if (recent->result && is_asked(serial, recent->serial))
            found = recent;
    }
    recall_recording(kernel, serial, found ? found->order : 0, &recalled);
    if (found && !recalled.result) {
        recalled.result = found->result;
        recalled.serial = found->serial;
        pail_ad_result_retain(recalled.result);
    }
    for (uint32_t i = 0; i < kernel->n_released && i < PAIL_AD_RECENT && !recalled.result; i++)
        recalled.released = recalled.released || is_asked(serial, kernel->released[i]);
    pthread_mutex_unlock(&kernel->lock);
    return recalled;
}

/* ---- Versions -------------------------------------------------------------------------------- */
/* Says what is new about an array. */
static void tell_change(struct pail_ad_explanation *explanation, uint32_t source,
                        const uint64_t *old, const uint64_t *new, uint32_t rank)
{
    static const char *const names[] = {"identity", "generation", "epoch"};
    if (!explanation->text)
        return;
    for (uint32_t i = 0; old && i < 3 + 2 * rank; i++)
        if (old[i] != new[i]) {
            const char *name = i < 3 ? names[i] : i < 3 + rank ? "extent" : "stride";
            pail_ad_explain(explanation,
                            "source %u is new here: its %s is %" PRId64 ", and was %" PRId64,
                            source, name, (int64_t) new[i], (int64_t)old[i]);
            return;
        }
    pail_ad_explain(explanation, "source %u is new here: identity %" PRIu64, source, new[0]);
}

/* Finds the words that values are kept by. Called with the lock held. */
static void find_versions(struct pail_ad_evaluation *e)
{
    struct pail_ad_kernel *kernel = e->kernel;
    const struct pail_ad_program *p = kernel->program;
    uint64_t words[3 + 2 * PAIL_AD_MAX_RANK];
    for (uint32_t i = 0; i < p->n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[i];
        const struct pail_ad_array *array = &e->frame->arrays[dep->source];
        uint64_t *version = &e->frame->versions[i];
        *version = 0;
        if (!kernel->needed[i])
            continue;
        if (dep->kind == PAIL_AD_DEP_SHAPE) {
            *version = (uint64_t)array->shape[dep->axis];
            continue;
        }
        if (e->frame->untracked[dep->source]) {
            pail_ad_explain(&e->explanation,
                            "source %u is not tracked: nothing that reads it is kept", dep->source);
            continue;
        }
        const struct pail_ad_seen *seen = &e->frame->seen[kernel->sources[dep->source].seen];
        words[0] = seen->identity;
        words[1] = seen->generation;
        words[2] = seen->epoch;
        memcpy(words + 3, array->shape, array->rank * sizeof(uint64_t));
        memcpy(words + 3 + array->rank, array->stride, array->rank * sizeof(uint64_t));
        struct pail_ad_memo *memo = &kernel->dep_memos[i];
        const uint64_t *known = pail_ad_memo_find(memo, words);
        if (!known) {
            tell_change(&e->explanation, dep->source, pail_ad_memo_latest(memo), words,
                        array->rank);
            uint64_t *value = pail_ad_memo_store(memo, words);
            *value = ++kernel->versions;
            known = value;
        }
        *version = *known;
    }
}

/* The key of a list of deps; false where one of them has none. */
static bool key_of(const struct pail_ad_evaluation *e, const uint32_t deps[], uint32_t n,
                   uint64_t key[])
{
    const struct pail_ad_program *p = e->kernel->program;
    for (uint32_t i = 0; i < n; i++) {
        key[i] = e->frame->versions[deps[i]];
        if (p->deps[deps[i]].kind == PAIL_AD_DEP_CONTENTS && key[i] == 0)
            return false;
    }
    return true;
}

/* ---- Looking up ------------------------------------------------------------------------------ */
static const uint32_t *deps_of(const struct pail_ad_program *p, uint32_t slot)
{
    const struct pail_ad_slot *s = &p->slots[slot];
    return s->n_deps > 0 ? p->dep_lists + s->deps_first : NULL; /* no dependencies, no list */
}

/* Finds a slot's value, if it is kept. Called with the lock held. */
static bool find_slot(struct pail_ad_evaluation *e, uint32_t slot)
{
    struct pail_ad_kernel *kernel = e->kernel;
    const struct pail_ad_slot *s = &kernel->program->slots[slot];
    uint64_t *key = e->frame->scratch;
    if (kernel->memo_of[slot] == PAIL_AD_NONE ||
        !key_of(e, deps_of(kernel->program, slot), s->n_deps, key))
        return false;
    const uint64_t *value = pail_ad_memo_find(&kernel->slot_memos[kernel->memo_of[slot]], key);
    if (!value)
        return false;
    e->values.value[slot] =
        (struct pail_ad_value){.v = (int64_t)value[0], .error = (uint32_t)value[1]};
    e->values.known[slot] = 1;
    e->by[slot] = s->n_deps ? PAIL_SIZE_CACHED : PAIL_SIZE_CONSTANT;
    return true;
}

static void find_task(struct pail_ad_evaluation *e, uint32_t t)
{
    struct pail_ad_kernel *kernel = e->kernel;
    struct pail_ad_task *task = &kernel->tasks[t];
    if (!key_of(e, kernel->task_deps + task->deps_first, task->n_deps, e->frame->scratch))
        return;
    const uint64_t *value = pail_ad_memo_find(&task->memo, e->frame->scratch);
    if (!value)
        return;
    e->laid[t] = laid_of(*value);
    pail_ad_laid_retain(e->laid[t]);
    e->cached[t] = 1;
    e->task_hits++;
}

static void need_operand(void *user, uint32_t operand)
{
    struct pail_ad_evaluation *e = user;
    e->need[operand] = !e->values.known[operand];
}

void pail_ad_cache_look(struct pail_ad_evaluation *e, bool fresh)
{
    const struct pail_ad_program *p = e->kernel->program;
    pthread_mutex_lock(&e->kernel->lock);
    e->drops = e->kernel->drops;
    if (!fresh)
        find_versions(e);
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        if (!fresh)
            find_task(e, t);
        for (uint32_t r = p->task_first[t]; !e->laid[t] && r < p->task_first[t + 1]; r++) {
            const uint32_t slot = p->roots[r].slot;
            if (slot == PAIL_AD_NONE || e->values.known[slot])
                continue;
            const bool found = !fresh && find_slot(e, slot);
            e->tree_hits += found && p->slots[slot].n_deps > 0;
            e->need[slot] = !found;
        }
    }
    for (uint32_t i = p->n_slots; i-- > 0;) {
        if (!e->need[i])
            continue;
        if (!fresh && p->slots[i].op == PAIL_AD_SPEC && find_slot(e, i)) {
            e->spec_hits++;
            e->need[i] = 0;
        } else {
            pail_ad_each_operand(p, i, need_operand, e);
        }
    }
    pthread_mutex_unlock(&e->kernel->lock);
}

/* ---- Keeping --------------------------------------------------------------------------------- */
static void keep_slot(struct pail_ad_evaluation *e, uint32_t slot)
{
    struct pail_ad_kernel *kernel = e->kernel;
    const struct pail_ad_slot *s = &kernel->program->slots[slot];
    uint64_t *key = e->frame->scratch;
    if (kernel->memo_of[slot] == PAIL_AD_NONE || !e->need[slot] || !e->values.known[slot] ||
        !key_of(e, deps_of(kernel->program, slot), s->n_deps, key))
        return;
    uint64_t *value = pail_ad_memo_store(&kernel->slot_memos[kernel->memo_of[slot]], key);
    value[0] = (uint64_t)e->values.value[slot].v;
    value[1] = e->values.value[slot].error;
}

static struct pail_ad_laid *keep_task(struct pail_ad_evaluation *e, uint32_t t)
{
    struct pail_ad_kernel *kernel = e->kernel;
    struct pail_ad_task *task = &kernel->tasks[t];
    if (!e->laid[t] || e->cached[t] ||
        !key_of(e, kernel->task_deps + task->deps_first, task->n_deps, e->frame->scratch))
        return NULL;
    uint64_t *value = pail_ad_memo_store(&task->memo, e->frame->scratch);
    struct pail_ad_laid *old = laid_of(*value);
    pail_ad_laid_retain(e->laid[t]);
    *value = (uint64_t)(uintptr_t)e->laid[t];
    return old;
}

void pail_ad_cache_keep(struct pail_ad_evaluation *e, struct pail_adstack_result *whole)
{
    struct pail_ad_kernel *kernel = e->kernel;
    const struct pail_ad_program *p = kernel->program;
    struct garbage garbage = {.n_laid = 0};
    struct pail_adstack_result *old = NULL;
    /* Without memory for the entry the launch is not found again, no more; without ghosts the
     * least recently used launch goes. */
    struct pail_ad_kept *entry = whole ? pail_calloc(&kernel->alloc, 1, sizeof(*entry)) : NULL;
    uint64_t *ghosts =
        whole && e->forgets ? pail_calloc(&kernel->alloc, PAIL_AD_GHOSTS, sizeof(*ghosts)) : NULL;
    uint32_t t = 0;
    bool first = true;
    while (first || t < p->n_tasks) {
        pthread_mutex_lock(&kernel->lock);
        /* Values that were forgotten meanwhile may be the reason for the ones known here. */
        const bool good = kernel->drops == e->drops;
        ghosts = pail_ad_launches_remember(&kernel->launches, ghosts);
        for (uint32_t i = 0; good && first && i < p->n_slots; i++)
            keep_slot(e, i);
        if (good && first && whole)
            entry = pail_ad_launches_keep(&kernel->launches, e->frame->hash, whole, entry, &old);
        for (; t < p->n_tasks && garbage.n_laid < GARBAGE; t++)
            if (good)
                garbage.laid[garbage.n_laid++] = keep_task(e, t);
        pthread_mutex_unlock(&kernel->lock);
        throw_out(&garbage, &kernel->alloc);
        first = false;
    }
    pail_ad_result_release(old);
    (void)pail_ad_launches_free(entry, &kernel->alloc);
    pail_free(&kernel->alloc, ghosts);
}

/* ---- Forgetting ------------------------------------------------------------------------------ */
static bool depends(const struct pail_ad_kernel *kernel, const uint32_t deps[], uint32_t n,
                    uint32_t source)
{
    for (uint32_t i = 0; i < n && source != PAIL_AD_NONE; i++) {
        const struct pail_ad_dep *dep = &kernel->program->deps[deps[i]];
        if (dep->source == source && dep->kind == PAIL_AD_DEP_CONTENTS)
            return true;
    }
    return source == PAIL_AD_NONE;
}

static uint64_t drop_slots(struct pail_ad_kernel *kernel, uint32_t source)
{
    const struct pail_ad_program *p = kernel->program;
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->n_slots; i++) {
        if (kernel->memo_of[i] == PAIL_AD_NONE ||
            !depends(kernel, deps_of(p, i), p->slots[i].n_deps, source))
            continue;
        struct pail_ad_memo *memo = &kernel->slot_memos[kernel->memo_of[i]];
        for (uint32_t way = 0; way < memo->ways; way++) {
            n += pail_ad_memo_value(memo, way) != NULL;
            pail_ad_memo_drop(memo, way);
        }
    }
    return n;
}

/* Drops one task's layouts. */
static void drop_task(struct pail_ad_kernel *kernel, uint32_t t, uint32_t source,
                      struct garbage *garbage)
{
    struct pail_ad_task *task = &kernel->tasks[t];
    if (!depends(kernel, kernel->task_deps + task->deps_first, task->n_deps, source))
        return;
    for (uint32_t way = 0; way < PAIL_AD_TASK_WAYS; way++) {
        const uint64_t *value = pail_ad_memo_value(&task->memo, way);
        if (value)
            garbage->laid[garbage->n_laid++] = laid_of(*value);
        pail_ad_memo_drop(&task->memo, way);
    }
}

uint64_t pail_ad_cache_drop(struct pail_ad_kernel *kernel, uint32_t source)
{
    struct garbage garbage = {.n_laid = 0};
    struct pail_ad_kept *gone = NULL;
    uint64_t n;
    pthread_mutex_lock(&kernel->lock);
    kernel->drops++;
    n = drop_slots(kernel, source);
    pthread_mutex_unlock(&kernel->lock);
    for (uint32_t t = 0; t < kernel->program->n_tasks; t++) {
        pthread_mutex_lock(&kernel->lock);
        drop_task(kernel, t, source, &garbage);
        pthread_mutex_unlock(&kernel->lock);
        n += garbage.n_laid;
        throw_out(&garbage, &kernel->alloc);
    }
    /* Launches go last: others may have made some meanwhile from layouts that were still there, or
     * be about to keep one, which the second count forbids. */
    pthread_mutex_lock(&kernel->lock);
    kernel->drops++;
    const bool launches = source == PAIL_AD_NONE || kernel->sources[source].contents;
    if (launches)
        gone = pail_ad_launches_take(&kernel->launches, NULL, NULL);
    pthread_mutex_unlock(&kernel->lock);
    n += pail_ad_launches_free(gone, &kernel->alloc);
    return n;
}
