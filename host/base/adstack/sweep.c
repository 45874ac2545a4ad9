/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include <string.h>

#include "arrays.h"
#include "solve.h"

/* The place of an array at the last launch that had it. */
struct place {
    uint64_t identity, address; /* address: the host's own, of a foreign array */
    const uint8_t *host;
};

struct sweep {
    struct pail_adstack *service;
    struct pail_ad_kernel *kernel;
    uint32_t task, stack;
    struct pail_ad_swept *swept;
    struct pail_adstack_result *results[PAIL_AD_RECENT]; /* the last first, with references */
    uint32_t n_results;
    struct pail_ad_evaluation now;
    unsigned char *memory;
    struct place *places; /* [PAIL_AD_RECENT * n_seen] */
    uint32_t n_places;
    struct pail_ad_seen *kept; /* [n_kept] arrays that the caches have values of */
    uint32_t *kept_source;     /* [n_kept] */
    uint32_t *slots;           /* [n_slots] */
    uint8_t *readable;         /* [n_sources] of the result that is looked at */
    uint8_t *blamed, *covered; /* [n_sources] the same: is not what it was; was compared */
    uint8_t *right;            /* [PAIL_AD_RECENT][n_sources] was compared and is what it was */
    uint8_t *drop;             /* [n_sources] */
};

static const struct pail_ad_seen *seen_of(const struct sweep *s, uint32_t source)
{
    return &s->now.frame->seen[s->kernel->sources[source].seen];
}

/* Calls `each` for the sources whose contents a slot depends on, until one says no. */
static bool each_source(struct sweep *s, uint32_t slot, bool (*each)(struct sweep *, uint32_t))
{
    const struct pail_ad_program *p = s->kernel->program;
    const struct pail_ad_slot *sl = &p->slots[slot];
    for (uint32_t i = 0; i < sl->n_deps; i++) {
        const struct pail_ad_dep *dep = &p->deps[p->dep_lists[sl->deps_first + i]];
        if (dep->kind == PAIL_AD_DEP_CONTENTS && !each(s, dep->source))
            return false;
    }
    return true;
}

/* ---- What there is --------------------------------------------------------------------------- */
static bool same_layouts(const struct pail_adstack_result *a, const struct pail_adstack_result *b)
{
    for (uint32_t t = 0; t < a->n_tasks; t++)
        if (a->tasks[t].laid != b->tasks[t].laid)
            return false;
    return true;
}

/* The results of the last launches, each of several that share their layouts once. */
static void take_results(struct sweep *s)
{
    struct pail_ad_kernel *kernel = s->kernel;
    pthread_mutex_lock(&kernel->lock);
    for (uint32_t i = 1; i <= PAIL_AD_RECENT; i++) {
        struct pail_adstack_result *result =
            kernel->recent[(kernel->next_recent - i) % PAIL_AD_RECENT].result;
        bool known = !result;
        for (uint32_t k = 0; k < s->n_results && !known; k++)
            known = same_layouts(result, s->results[k]);
        if (known)
            continue;
        pail_ad_result_retain(result);
        s->results[s->n_results++] = result;
    }
    pthread_mutex_unlock(&kernel->lock);
}

/* ---- One launch ------------------------------------------------------------------------------ */
/* True if an array of an earlier launch is where the last launch that had it saw it: otherwise its
 * memory may be gone. */
static bool is_there(struct sweep *s, uint64_t identity, const struct pail_ad_array *array)
{
    const uint64_t address = array->foreign ? array->foreign_address : array->address;
    for (uint32_t i = 0; i < s->n_places; i++)
        if (s->places[i].identity == identity)
            return s->places[i].host == array->host && s->places[i].address == address;
    s->places[s->n_places++] = (struct place){identity, address, array->host};
    return true;
}

static void find_readable(struct sweep *s)
{
    const struct pail_ad_frame *frame = s->now.frame;
    memset(s->readable, 0, s->kernel->program->n_sources);
    memset(s->blamed, 0, s->kernel->program->n_sources);
    memset(s->covered, 0, s->kernel->program->n_sources);
    for (uint32_t i = 0; i < s->kernel->program->n_sources; i++)
        s->readable[i] =
            s->kernel->sources[i].contents && !frame->untracked[i] &&
            pail_ad_identities_since(&s->service->identities, seen_of(s, i)) == PAIL_AD_SAME &&
            is_there(s, seen_of(s, i)->identity, &frame->arrays[i]);
}

static bool is_readable(struct sweep *s, uint32_t source)
{
    return s->readable[source];
}

static bool is_blameless(struct sweep *s, uint32_t source)
{
    return !s->blamed[source];
}

static bool cover(struct sweep *s, uint32_t source)
{
    s->covered[source] = 1;
    return true;
}

/* The arrays that a slot reads are not what they were. */
static bool blame_source(struct sweep *s, uint32_t source)
{
    const struct pail_ad_seen *seen = seen_of(s, source);
    struct pail_ad_swept *swept = s->swept;
    s->blamed[source] = 1;
    swept->stale = swept->forgot = true;
    swept->several = swept->several || (swept->suspect != 0 && swept->suspect != seen->identity);
    swept->suspect = seen->identity;
    if (pail_ad_identities_current(&s->service->identities, seen)) {
        pail_ad_identities_doubt(&s->service->identities, seen->identity);
        s->drop[source] = 1;
    }
    return true;
}

static void need_operand(void *user, uint32_t operand)
{
    uint8_t *need = user;
    need[operand] = 1;
}

static void want(struct sweep *s, uint32_t slot, uint32_t *n)
{
    if (s->now.need[slot] || !each_source(s, slot, is_readable))
        return;
    s->now.need[slot] = 1;
    s->slots[(*n)++] = slot;
}

/* Computes trees, reductions and reads of all tasks whose arrays can be read. */
static pail_status compute(struct sweep *s, const struct pail_adstack_result *result,
                           struct pail_error *err)
{
    const struct pail_ad_program *p = s->kernel->program;
    const struct pail_ad_how how = {.fresh = true};
    struct pail_ad_evaluation *e = &s->now;
    uint32_t n = 0;
    memset(e->values.known, 0, p->n_slots);
    memset(e->need, 0, p->n_slots);
    memset(e->by, 0, p->n_slots);
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        const struct pail_ad_task *task = &s->kernel->tasks[t];
        const struct pail_ad_laid *laid = result->tasks[t].laid;
        for (uint32_t i = 0; i < task->n_leaves; i++)
            if (laid->leaf_known[i])
                want(s, s->kernel->task_leaves[task->leaves_first + i], &n);
        for (uint32_t r = p->task_first[t]; r < p->task_first[t + 1]; r++)
            if (p->roots[r].slot != PAIL_AD_NONE)
                want(s, p->roots[r].slot, &n);
    }
    for (uint32_t i = p->n_slots; i-- > 0;)
        if (e->need[i])
            pail_ad_each_operand(p, i, need_operand, e->need);
    return pail_ad_solve(s->service, e, &how, s->slots, n, err);
}

/* Compares a slot with what it was. */
static void compare(struct sweep *s, uint32_t slot, int64_t v, uint32_t error)
{
    const struct pail_ad_value *now = &s->now.values.value[slot];
    if (!s->now.values.known[slot] || !each_source(s, slot, is_readable))
        return;
    s->swept->compared = true;
    (void)each_source(s, slot, cover);
    /* Values below it were compared before, and say better which array it is. */
    if ((now->v != v || now->error != error) && each_source(s, slot, is_blameless))
        (void)each_source(s, slot, blame_source);
}

static void compare_task(struct sweep *s, const struct pail_ad_laid *laid, uint32_t t)
{
    const struct pail_ad_program *p = s->kernel->program;
    const struct pail_ad_task *task = &s->kernel->tasks[t];
    for (uint32_t i = 0; i < task->n_leaves; i++)
        if (laid->leaf_known[i])
            compare(s, s->kernel->task_leaves[task->leaves_first + i], laid->leaves[i].v,
                    laid->leaves[i].error);
    for (uint32_t i = 0; i < laid->n_stacks; i++)
        if (p->roots[p->task_first[t] + i].slot != PAIL_AD_NONE)
            compare(s, p->roots[p->task_first[t] + i].slot, laid->places[i].raw, 0);
}

/* Reports the stack's size at the last launch, and its required size now. */
static void report(struct sweep *s, const struct pail_adstack_result *result)
{
    const struct pail_ad_program *p = s->kernel->program;
    const struct pail_ad_laid *laid = result->tasks[s->task].laid;
    if (s->stack >= laid->n_stacks)
        return;
    const uint32_t slot = p->roots[p->task_first[s->task] + s->stack].slot;
    s->swept->allocated = laid->places[s->stack].capacity;
    if (slot != PAIL_AD_NONE && s->now.values.known[slot] && !s->now.values.value[slot].error)
        s->swept->required = s->now.values.value[slot].v;
}

static pail_status examine(struct sweep *s, uint32_t number, struct pail_error *err)
{
    const struct pail_adstack_result *result = s->results[number];
    const uint32_t n_sources = s->kernel->program->n_sources;
    pail_ad_arrays_of_key(s->now.frame, s->kernel, result->key);
    find_readable(s);
    const pail_status status = compute(s, result, err);
    if (status != PAIL_OK)
        return status == PAIL_ERR_UNSUPPORTED ? PAIL_OK : status; /* none of them is right then */
    for (uint32_t t = 0; t < result->n_tasks; t++)
        compare_task(s, result->tasks[t].laid, t);
    for (uint32_t i = 0; i < n_sources; i++)
        s->right[number * n_sources + i] = s->covered[i] && !s->blamed[i];
    if (number == 0)
        report(s, result);
    return PAIL_OK;
}

/* ---- All that is kept ------------------------------------------------------------------------ */
/* True if one of the launches had these words of a dep's array, and all was right. words: identity,
 * generation, epoch, shape, strides, as a key has them too. */
static bool is_right(const struct sweep *s, uint32_t dep, const uint64_t words[])
{
    const struct pail_ad_program *p = s->kernel->program;
    const uint32_t source = p->deps[dep].source;
    size_t at = 0;
    for (uint32_t i = 0; i < dep; i++)
        if (s->kernel->needed[i])
            at += p->deps[i].kind == PAIL_AD_DEP_SHAPE
                      ? 1
                      : 7 + 2 * (size_t)p->ranks[p->deps[i].source];
    for (uint32_t i = 0; i < s->n_results; i++)
        if (s->right[i * p->n_sources + source] &&
            memcmp(s->results[i]->key + at, words, (3 + 2 * (size_t)p->ranks[source]) * 8) == 0)
            return true;
    return false;
}

/* Lists the arrays of values that may be wrong and that nothing was found out about. */
static uint32_t list_unsure(struct sweep *s)
{
    struct pail_ad_kernel *kernel = s->kernel;
    const struct pail_ad_program *p = kernel->program;
    uint32_t n = 0;
    pthread_mutex_lock(&kernel->lock);
    for (uint32_t i = 0; i < p->n_deps; i++)
        for (uint32_t way = 0; p->deps[i].kind == PAIL_AD_DEP_CONTENTS && kernel->needed[i] &&
                               way < kernel->dep_memos[i].ways;
             way++) {
            const uint64_t *words = pail_ad_memo_key(&kernel->dep_memos[i], way);
            if (!words || is_right(s, i, words))
                continue;
            s->kept[n] = (struct pail_ad_seen){words[0], words[1], words[2]};
            s->kept_source[n++] = p->deps[i].source;
        }
    pthread_mutex_unlock(&kernel->lock);
    return n;
}

/* True if a kept launch may come again and had an array that nothing was found out about. */
static bool is_unsure(void *user, const uint64_t key[])
{
    struct sweep *s = user;
    const struct pail_ad_program *p = s->kernel->program;
    for (uint32_t i = 0; i < p->n_deps; i++) {
        if (!s->kernel->needed[i])
            continue;
        if (p->deps[i].kind == PAIL_AD_DEP_SHAPE) {
            key++;
            continue;
        }
        const struct pail_ad_seen seen = {key[0], key[1], key[2]};
        if (!is_right(s, i, key) && pail_ad_identities_current(&s->service->identities, &seen)) {
            s->swept->unseen = seen.identity;
            return true;
        }
        key += 7 + 2 * (size_t)p->ranks[p->deps[i].source];
    }
    return false;
}

/* Launches are kept longer than what tells arrays apart, and by what was prepared longer than by
 * the cache: drops tells that to look again. */
static void drop_unsure(struct sweep *s)
{
    pthread_mutex_lock(&s->kernel->lock);
    struct pail_ad_kept *gone = pail_ad_launches_take(&s->kernel->launches, is_unsure, s);
    s->kernel->drops++;
    pthread_mutex_unlock(&s->kernel->lock);
    s->swept->forgot = s->swept->forgot || gone;
    pail_ad_count(s->service, PAIL_AD_STAT_INVALIDATIONS,
                  pail_ad_launches_free(gone, &s->kernel->alloc));
}

static void settle(struct sweep *s)
{
    const uint32_t n = list_unsure(s);
    for (uint32_t i = 0; i < n; i++)
        if (pail_ad_identities_current(&s->service->identities, &s->kept[i])) {
            pail_ad_identities_doubt(&s->service->identities, s->kept[i].identity);
            s->swept->unseen = s->kept[i].identity;
            s->swept->forgot = true;
            s->drop[s->kept_source[i]] = 1;
        }
    drop_unsure(s);
    for (uint32_t i = 0; i < s->kernel->program->n_sources; i++)
        if (s->drop[i])
            pail_ad_count(s->service, PAIL_AD_STAT_INVALIDATIONS, pail_ad_cache_drop(s->kernel, i));
    if (s->swept->several)
        s->swept->suspect = 0;
}

/* ---- Memory ---------------------------------------------------------------------------------- */
#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

static pail_status make_memory(struct sweep *s, struct pail_error *err)
{
    const struct pail_ad_program *p = s->kernel->program;
    const size_t n_kept = (size_t)p->n_deps * PAIL_AD_ARRAY_WAYS, n_slots = p->n_slots;
    const size_t n_sources = p->n_sources;
    const size_t sizes[] = {ALIGN(n_slots * sizeof(*s->now.values.value)),
                            ALIGN(PAIL_AD_RECENT * n_sources * sizeof(*s->places)),
                            ALIGN(n_kept * sizeof(*s->kept)),
                            ALIGN(n_kept * sizeof(*s->kept_source)),
                            ALIGN(n_slots * sizeof(*s->slots)),
                            3 * n_slots,
                            (4 + PAIL_AD_RECENT) * n_sources};
    size_t at[8] = {0};
    for (int i = 0; i < 7; i++)
        at[i + 1] = at[i] + sizes[i];
    unsigned char *m = s->memory = pail_calloc(&s->kernel->alloc, 1, at[7] + 1);
    if (!m)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a diagnosis");
    s->now.values.value = (struct pail_ad_value *)(void *)m;
    s->places = (struct place *)(void *)(m + at[1]);
    s->kept = (struct pail_ad_seen *)(void *)(m + at[2]);
    s->kept_source = (uint32_t *)(void *)(m + at[3]);
    s->slots = (uint32_t *)(void *)(m + at[4]);
    s->now.values.known = m + at[5];
    s->now.by = s->now.values.known + n_slots;
    s->now.need = s->now.by + n_slots;
    s->readable = m + at[6];
    s->blamed = s->readable + n_sources;
    s->covered = s->blamed + n_sources;
    s->drop = s->covered + n_sources;
    s->right = s->drop + n_sources;
    return PAIL_OK;
}

pail_status pail_ad_sweep(struct pail_adstack *service, struct pail_ad_kernel *kernel,
                          uint32_t task, uint32_t stack, struct pail_ad_swept *swept,
                          struct pail_error *err)
{
    struct sweep s = {
        .service = service, .kernel = kernel, .task = task, .stack = stack, .swept = swept};
    *swept = (struct pail_ad_swept){.required = -1};
    s.now.kernel = kernel;
    pail_status status = make_memory(&s, err);
    if (status == PAIL_OK)
        status = pail_ad_frame_take(&s.now.frame, kernel, err);
    if (status == PAIL_OK) {
        take_results(&s);
        for (uint32_t i = 0; i < s.n_results && status == PAIL_OK; i++)
            status = examine(&s, i, err);
        settle(&s);
    }
    for (uint32_t i = 0; i < s.n_results; i++)
        pail_ad_result_release(s.results[i]);
    pail_ad_frame_give(kernel, s.now.frame);
    pail_free(&kernel->alloc, s.memory);
    return status;
}
