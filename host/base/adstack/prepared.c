/* SPDX-License-Identifier: Apache-2.0 */
#include "prepared.h"

#include "arrays.h"
#include "cache.h"
#include "launch.h"
#include "tasks.h"

#include <inttypes.h>
#include <string.h>

#include <core/debug.h>
#include <core/structs.h>

/* A result stays known while it and the launch as it is now differ in few words. */
enum { KNOWN = 4, LOG = 64 };

enum { STALE = 1, BOUND = 2 }; /* its epoch is to be looked up; its binding is a new one */

struct pail_adstack_prepared {
    struct pail_adstack *service;
    struct pail_ad_kernel *kernel;               /* with a reference */
    struct pail_ad_frame *frame;                 /* of the kernel */
    pail_launch launch;                          /* without bindings */
    pail_task_launch *tasks;                     /* [n_tasks] of the launch, at full size */
    struct pail_adstack_prepared *next, *before; /* of the service; guarded by its lock */
    uint64_t changes;                            /* of identities that were looked at */
    uint32_t n_untracked;                        /* sources whose contents are read, untracked */
    /* the words of each source in the key */
    uint32_t *first;  /* [n_sources + 1] in deps */
    uint32_t *deps;   /* needed ones */
    uint32_t *key_at; /* [n_deps] */
    /* from identities to sources: lists that begin in heads[hash] */
    uint32_t *heads, *next_of; /* [mask + 1], [n_sources]; PAIL_AD_NONE: no more */
    uint32_t mask;
    /* sources whose words are not known to be right */
    uint32_t *todo, n_todo;
    uint8_t *state; /* [n_sources] */
    /* Results that hold for earlier words; n_log when they did. Words that changed since are in
     * the log, which has the last LOG. */
    struct known {
        struct pail_adstack_result *result; /* with a reference; NULL: none */
        uint64_t at;
    } known[KNOWN];
    uint32_t last; /* the known one that was used last */
    uint64_t drops;
    struct {
        uint32_t first, n;
    } log[LOG];
    uint64_t n_log;
    /* Lines of the cache of their own: other threads' launches write none of these. */
    char apart[64];
    atomic_uint busy;
    atomic_uint_fast64_t evaluations, hits;
    char apart_too[64];
};

/* ---- Sources of an array --------------------------------------------------------------------- */
static uint32_t *head_of(struct pail_adstack_prepared *p, uint64_t identity)
{
    return &p->heads[(uint32_t)(identity * UINT64_C(0x9e3779b97f4a7c15) >> 32) & p->mask];
}

static uint64_t identity_of(const struct pail_adstack_prepared *p, uint32_t source)
{
    return p->frame->seen[p->kernel->sources[source].seen].identity;
}

static void link_source(struct pail_adstack_prepared *p, uint32_t source)
{
    uint32_t *head = head_of(p, identity_of(p, source));
    p->next_of[source] = *head;
    *head = source;
}

static void unlink_source(struct pail_adstack_prepared *p, uint32_t source)
{
    uint32_t *at = head_of(p, identity_of(p, source));
    while (*at != source)
        at = &p->next_of[*at];
    *at = p->next_of[source];
}

/* ---- What is to be looked at ----------------------------------------------------------------- */
static void mark(struct pail_adstack_prepared *p, uint32_t source, uint8_t state)
{
    if (!p->state[source])
        p->todo[p->n_todo++] = source;
    p->state[source] |= state;
}

/* Finds the sources whose arrays others told of. */
static void catch_up(struct pail_adstack_prepared *p)
{
    const struct pail_ad_identities *ids = &p->service->identities;
    uint64_t list[PAIL_AD_CHANGES];
    if (atomic_load_explicit(&ids->n_changes, memory_order_acquire) == p->changes)
        return;
    const uint32_t n = pail_ad_identities_changed(ids, &p->changes, list);
    for (uint32_t i = 0; n != UINT32_MAX && i < n; i++)
        for (uint32_t s = *head_of(p, list[i]); s != PAIL_AD_NONE; s = p->next_of[s])
            if (identity_of(p, s) == list[i])
                mark(p, s, STALE);
    for (uint32_t s = 0; n == UINT32_MAX && s < p->kernel->desc->n_sources; s++)
        if (p->kernel->sources[s].contents)
            mark(p, s, STALE);
}

static void log_words(struct pail_adstack_prepared *p, uint32_t first, uint32_t n)
{
    p->log[p->n_log % LOG].first = first;
    p->log[p->n_log++ % LOG].n = n;
}

/* Puts words into the key, where they differ. */
static void put_words(struct pail_adstack_prepared *p, uint32_t first, const uint64_t words[],
                      uint32_t n)
{
    uint64_t *at = p->frame->key + first;
    if (memcmp(at, words, n * sizeof(*words)) == 0)
        return;
    memcpy(at, words, n * sizeof(*words));
    log_words(p, first, n);
}

static void put_source(struct pail_adstack_prepared *p, uint32_t source)
{
    uint64_t words[PAIL_AD_DEP_WORDS];
    for (uint32_t i = p->first[source]; i < p->first[source + 1]; i++) {
        const uint32_t n = pail_ad_arrays_words(words, p->frame, p->kernel, p->deps[i]);
        put_words(p, p->key_at[p->deps[i]], words, n);
    }
}

static pail_status see(struct pail_adstack_prepared *p, uint32_t source, struct pail_error *err)
{
    const struct pail_ad_source *s = &p->kernel->sources[source];
    if (!s->contents)
        return PAIL_OK;
    struct pail_ad_seen *seen = &p->frame->seen[s->seen];
    if (p->state[source] & BOUND)
        return pail_ad_identities_see(&p->service->identities, seen, 1, &p->service->env.alloc,
                                      err);
    return pail_ad_identities_again(&p->service->identities, seen)
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_ARGUMENT,
                           "source %u: its array %" PRIu64 " was forgotten; bind another one",
                           source, seen->identity);
}

/* Brings the key up to date. Sources of a failure stay to be looked at. */
static pail_status settle(struct pail_adstack_prepared *p, struct pail_error *err)
{
    while (p->n_todo > 0) {
        const uint32_t source = p->todo[p->n_todo - 1];
        const pail_status status = see(p, source, err);
        if (status != PAIL_OK)
            return status;
        put_source(p, source);
        p->state[source] = 0;
        p->n_todo--;
    }
    return PAIL_OK;
}

/* ---- Changes --------------------------------------------------------------------------------- */
#define GENERATION_SIZE PAIL_GENERATION_SIZE_1_1

/* One of an array, of which the first says how far apart they are. */
static pail_status read_generation(pail_generation *generation,
                                   const struct pail_adstack_prepared *p,
                                   const pail_launch_change *change, size_t number,
                                   struct pail_error *err)
{
    uint32_t stride;
    struct pail_error inner;
    memcpy(&stride, change->generations, sizeof(stride));
    const pail_status status = pail_struct_in(generation, sizeof(*generation),
                                              (const char *)change->generations + number * stride,
                                              GENERATION_SIZE, "pail_generation", &inner);
    if (status != PAIL_OK)
        return pail_fail(err, status, "generation %zu: %s", number, inner.text);
    if (generation->struct_size != stride)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "generation %zu: struct_size is %u, of generation 0 %u", number,
                         generation->struct_size, stride);
    if (generation->source >= p->kernel->desc->n_sources)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "generation %zu: source is %u, but the kernel has %zu", number,
                         generation->source, p->kernel->desc->n_sources);
    return PAIL_OK;
}

static pail_status check_arrays(const struct pail_adstack_prepared *p,
                                const pail_launch_change *change, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    if (change->n_bindings > 0 && !change->bindings)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "bindings: NULL");
    if (change->n_generations > 0 && !change->generations)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "generations: NULL");
    if (change->n_bindings > 0)
        status = pail_ad_arrays_check(p->kernel, change->bindings, change->n_bindings,
                                      &p->service->env, err);
    for (size_t i = 0; i < change->n_generations && status == PAIL_OK; i++) {
        pail_generation generation;
        status = read_generation(&generation, p, change, i, err);
    }
    return status;
}

/* Out: next: scalars of the launch after the change. */
static pail_status check_change(const struct pail_adstack_prepared *p, pail_launch *next,
                                const pail_launch_change *change, struct pail_error *err)
{
    const uint32_t known =
        PAIL_CHANGE_HEAPS | PAIL_CHANGE_WAIT | PAIL_CHANGE_LIMITS | PAIL_CHANGE_FLAGS;
    const size_t n_tasks = p->kernel->desc->n_tasks;
    const pail_launch part = {.tasks = change->tasks, .n_tasks = change->n_tasks};
    struct pail_error inner;
    if (change->set & ~known)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "pail_launch_change: set is 0x%x", change->set);
    if (change->first_task > n_tasks || change->n_tasks > n_tasks - change->first_task)
        return pail_fail(
            err, PAIL_ERR_ARGUMENT,
            "pail_launch_change: first_task is %zu and n_tasks %zu, the kernel has %zu",
            change->first_task, change->n_tasks, n_tasks);
    pail_status status = PAIL_OK;
    if (change->n_tasks > 0)
        status = pail_ad_tasks_check(&part, p->kernel->desc->tasks + change->first_task,
                                     change->n_tasks, &inner);
    if (status != PAIL_OK)
        return pail_fail(err, status, "pail_launch_change, tasks from %zu on: %s",
                         change->first_task, inner.text);
    next->serial = change->serial;
    if (change->set & PAIL_CHANGE_HEAPS) {
        next->heap_float = change->heap_float;
        next->heap_int = change->heap_int;
    }
    if (change->set & PAIL_CHANGE_WAIT) {
        next->wait_semaphore = change->wait_semaphore;
        next->wait_value = change->wait_value;
    }
    if (change->set & PAIL_CHANGE_LIMITS) {
        next->max_ms = change->max_ms;
        next->max_cells = change->max_cells;
        next->cancel = change->cancel;
    }
    if (change->set & PAIL_CHANGE_FLAGS)
        next->flags = change->flags;
    status = pail_ad_launch_check(p->service, next, err);
    return status == PAIL_OK ? check_arrays(p, change, err) : status;
}

static void rebind(struct pail_adstack_prepared *p, const pail_binding *bindings, size_t number)
{
    const uint32_t source = pail_ad_arrays_source(bindings, number);
    const bool contents = p->kernel->sources[source].contents;
    if (contents) {
        unlink_source(p, source);
        p->n_untracked -= p->frame->untracked[source];
    }
    pail_ad_arrays_bind(p->frame, p->kernel, bindings, number, &p->service->env);
    if (contents) {
        link_source(p, source);
        p->n_untracked += p->frame->untracked[source];
    }
    mark(p, source, BOUND);
}

static void put_tasks(struct pail_adstack_prepared *p, const pail_launch_change *change)
{
    const pail_launch part = {.tasks = change->tasks, .n_tasks = change->n_tasks};
    for (size_t i = 0; i < change->n_tasks; i++) {
        const uint32_t t = (uint32_t)(change->first_task + i);
        p->tasks[t] = pail_ad_task_launch(&part, i);
        p->tasks[t].struct_size = sizeof(p->tasks[t]);
        uint64_t words[PAIL_AD_TASK_WORDS];
        pail_ad_task_words(words, &p->tasks[t]);
        put_words(p, p->kernel->first_task + PAIL_AD_TASK_WORDS * t, words, PAIL_AD_TASK_WORDS);
    }
}

static pail_status apply(struct pail_adstack_prepared *p, const pail_launch_change *change,
                         struct pail_error *err)
{
    pail_launch next = p->launch;
    const pail_status status = check_change(p, &next, change, err);
    if (status != PAIL_OK)
        return status;
    p->launch = next;
    for (size_t i = 0; i < change->n_bindings; i++)
        rebind(p, change->bindings, i);
    for (size_t i = 0; i < change->n_generations; i++) {
        pail_generation generation;
        struct pail_error none;
        (void)read_generation(&generation, p, change, i, &none);
        if (!p->kernel->sources[generation.source].contents)
            continue;
        p->frame->seen[p->kernel->sources[generation.source].seen].generation =
            generation.generation;
        mark(p, generation.source, STALE);
    }
    const uint64_t heaps[] = {next.heap_float, next.heap_int};
    put_words(p, p->kernel->launches.n_sized, heaps, 2);
    put_tasks(p, change);
    return PAIL_OK;
}

/* ---- Results that are known ------------------------------------------------------------------ */
static void forget_known(struct pail_adstack_prepared *p)
{
    for (int i = 0; i < KNOWN; i++) {
        pail_ad_result_release(p->known[i].result);
        p->known[i].result = NULL;
    }
}

/* True if the result holds for the key: all words that changed since it did are what they were. */
static bool holds(const struct pail_adstack_prepared *p, const struct known *known)
{
    if (!known->result || p->n_log - known->at > LOG)
        return false;
    for (uint64_t i = known->at; i < p->n_log; i++) {
        const uint32_t first = p->log[i % LOG].first, n = p->log[i % LOG].n;
        if (memcmp(known->result->key + first, p->frame->key + first, n * sizeof(uint64_t)) != 0)
            return false;
    }
    return true;
}

/* The result, with a reference; NULL: it has to be looked up. */
static struct pail_adstack_result *recall(struct pail_adstack_prepared *p)
{
    for (uint32_t i = 0; i < KNOWN; i++) {
        const uint32_t at = (p->last + i) % KNOWN;
        struct known *known = &p->known[at];
        if (!holds(p, known))
            continue;
        if (!pail_ad_cache_again(p->kernel, p->launch.serial, p->drops, known->result)) {
            forget_known(p);
            return NULL;
        }
        known->at = p->n_log;
        p->last = at;
        pail_ad_result_retain(known->result);
        return known->result;
    }
    return NULL;
}

/* Knows a result that holds for the key, in the place before that of the last one that was used. */
static void know(struct pail_adstack_prepared *p, struct pail_adstack_result *result,
                 uint64_t drops)
{
    if (p->drops != drops)
        forget_known(p);
    p->drops = drops;
    p->last = (p->last + KNOWN - 1) % KNOWN;
    struct known *known = &p->known[p->last];
    pail_ad_result_release(known->result);
    pail_ad_result_retain(result);
    *known = (struct known){result, p->n_log};
}

static pail_status answer(struct pail_adstack_prepared *p, struct pail_adstack_result **result,
                          struct pail_error *err)
{
    const bool keep = p->n_untracked == 0 && !(p->launch.flags & PAIL_LAUNCH_NO_CACHE);
    const bool shared = keep && !(p->launch.flags & PAIL_LAUNCH_EXPLAIN) &&
                        !(p->service->env.debug & PAIL_DEBUG_TRACE);
    struct pail_ad_answer found;
    *result = shared ? recall(p) : NULL;
    if (*result) {
        atomic_fetch_add_explicit(&p->hits, 1, memory_order_relaxed);
        return PAIL_OK;
    }
    p->frame->hash = pail_ad_launches_hash(&p->kernel->launches, p->frame->key);
    const pail_status status =
        pail_ad_launch_answer(p->service, p->kernel, p->frame, &p->launch, keep, &found, err);
    if (status == PAIL_OK && shared && found.found)
        know(p, found.result, found.drops);
    *result = found.result;
    return status;
}

pail_status pail_adstack_evaluate_prepared(struct pail_adstack_prepared *prepared,
                                           struct pail_adstack_result **result,
                                           const pail_launch_change *change, struct pail_error *err)
{
    *result = NULL;
    if (atomic_exchange_explicit(&prepared->busy, 1, memory_order_acquire))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "prepared: another call uses it");
    atomic_fetch_add_explicit(&prepared->evaluations, 1, memory_order_relaxed);
    pail_status status = PAIL_OK;
    if (atomic_load_explicit(&prepared->kernel->gone, memory_order_acquire))
        status = pail_ad_registry_unknown(prepared->kernel->handle, err);
    if (status == PAIL_OK && change)
        status = apply(prepared, change, err);
    if (status == PAIL_OK) {
        catch_up(prepared);
        status = settle(prepared, err);
    }
    if (status == PAIL_OK)
        status = answer(prepared, result, err);
    atomic_store_explicit(&prepared->busy, 0, memory_order_release);
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------- */
#define ALIGN(bytes) (((bytes) + 15) & ~(size_t)15)

static pail_status make(struct pail_adstack_prepared **out, struct pail_adstack *service,
                        struct pail_ad_kernel *kernel, struct pail_error *err)
{
    const size_t n_sources = kernel->desc->n_sources, n_deps = kernel->program->n_deps;
    size_t n_heads = 1;
    while (n_heads < n_sources)
        n_heads *= 2;
    const size_t words = n_sources + 1 + 2 * n_deps + n_heads + 2 * n_sources;
    const size_t head = ALIGN(sizeof(**out));
    const size_t tasks = ALIGN(kernel->desc->n_tasks * sizeof(pail_task_launch));
    unsigned char *memory =
        pail_calloc(&service->env.alloc, 1, head + tasks + words * sizeof(uint32_t) + n_sources);
    *out = NULL;
    if (!memory)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a prepared launch");
    struct pail_adstack_prepared *p = (struct pail_adstack_prepared *)(void *)memory;
    p->service = service;
    p->kernel = kernel;
    p->tasks = (pail_task_launch *)(void *)(memory + head);
    p->first = (uint32_t *)(void *)(memory + head + tasks);
    p->deps = p->first + n_sources + 1;
    p->key_at = p->deps + n_deps;
    p->heads = p->key_at + n_deps;
    p->next_of = p->heads + n_heads;
    p->todo = p->next_of + n_sources;
    p->state = (uint8_t *)(p->todo + n_sources);
    p->mask = (uint32_t)n_heads - 1;
    memset(p->heads, 0xff, n_heads * sizeof(*p->heads));
    *out = p;
    return PAIL_OK;
}

/* Lists the needed dependencies of each source, and where their words are. */
static void list_deps(struct pail_adstack_prepared *p)
{
    const struct pail_ad_program *program = p->kernel->program;
    uint32_t at = 0, *n = p->todo; /* nothing is to be looked at yet */
    for (uint32_t i = 0; i < program->n_deps; i++) {
        const struct pail_ad_dep *dep = &program->deps[i];
        p->key_at[i] = at;
        if (!p->kernel->needed[i])
            continue;
        at += dep->kind == PAIL_AD_DEP_SHAPE ? 1 : 7 + 2 * (uint32_t)program->ranks[dep->source];
        p->first[dep->source + 1]++;
    }
    for (uint32_t s = 0; s < program->n_sources; s++)
        p->first[s + 1] += p->first[s];
    for (uint32_t i = 0; i < program->n_deps; i++) {
        const uint32_t source = program->deps[i].source;
        if (p->kernel->needed[i])
            p->deps[p->first[source] + n[source]++] = i;
    }
}

/* Takes over what a launch says; its arrays are in the frame. */
static pail_status take(struct pail_adstack_prepared *p, const pail_launch *launch,
                        struct pail_error *err)
{
    struct pail_adstack *service = p->service;
    struct pail_ad_kernel *kernel = p->kernel;
    pail_status status = pail_ad_arrays_take(p->frame, kernel, launch, &service->env, err);
    p->changes = atomic_load_explicit(&service->identities.n_changes, memory_order_acquire);
    if (status == PAIL_OK)
        status = pail_ad_identities_see(&service->identities, p->frame->seen, kernel->n_seen,
                                        &service->env.alloc, err);
    if (status != PAIL_OK)
        return status;
    for (size_t t = 0; t < launch->n_tasks; t++) {
        p->tasks[t] = pail_ad_task_launch(launch, t);
        p->tasks[t].struct_size = sizeof(p->tasks[t]);
    }
    p->launch = *launch;
    p->launch.tasks = p->tasks;
    p->launch.bindings = NULL;
    p->launch.n_bindings = 0;
    (void)pail_ad_arrays_key(p->frame, kernel, &p->launch);
    for (uint32_t s = 0; s < kernel->desc->n_sources; s++)
        if (kernel->sources[s].contents) {
            p->n_untracked += p->frame->untracked[s];
            link_source(p, s);
        }
    list_deps(p);
    return PAIL_OK;
}

static void free_all(struct pail_adstack_prepared *p)
{
    const struct pail_alloc alloc = p->service->env.alloc;
    forget_known(p);
    pail_ad_frame_give(p->kernel, p->frame);
    pail_ad_kernel_release(p->kernel);
    pail_free(&alloc, p);
}

pail_status pail_adstack_prepare(struct pail_adstack *service,
                                 struct pail_adstack_prepared **prepared, const pail_launch *launch,
                                 struct pail_error *err)
{
    struct pail_adstack_prepared *p = NULL;
    struct pail_ad_kernel *kernel;
    *prepared = NULL;
    pail_status status = pail_ad_registry_find(&service->registry, &kernel, launch->kernel, err);
    if (status == PAIL_OK)
        status = pail_ad_launch_check(service, launch, err);
    if (status == PAIL_OK)
        status = pail_ad_tasks_check(launch, kernel->desc->tasks, kernel->desc->n_tasks, err);
    if (status == PAIL_OK)
        status = make(&p, service, kernel, err);
    if (!p) {
        pail_ad_kernel_release(kernel);
        return status;
    }
    status = pail_ad_frame_take(&p->frame, kernel, err);
    if (status == PAIL_OK)
        status = take(p, launch, err);
    if (status != PAIL_OK) {
        free_all(p);
        return status;
    }
    pthread_mutex_lock(&service->prepared.lock);
    p->next = service->prepared.first;
    if (p->next)
        p->next->before = p;
    service->prepared.first = p;
    pthread_mutex_unlock(&service->prepared.lock);
    *prepared = p;
    return PAIL_OK;
}

void pail_adstack_prepared_destroy(struct pail_adstack_prepared *p)
{
    struct pail_adstack *service = p->service;
    pthread_mutex_lock(&service->prepared.lock);
    if (p->next)
        p->next->before = p->before;
    if (p->before)
        p->before->next = p->next;
    else
        service->prepared.first = p->next;
    pail_ad_count(service, PAIL_AD_STAT_EVALUATIONS, atomic_load(&p->evaluations));
    pail_ad_count(service, PAIL_AD_STAT_LAUNCH_HITS, atomic_load(&p->hits));
    pthread_mutex_unlock(&service->prepared.lock);
    free_all(p);
}

/* ---- Facts ----------------------------------------------------------------------------------- */
const struct pail_log *pail_adstack_prepared_log(const struct pail_adstack_prepared *prepared)
{
    return &prepared->service->env.log;
}

void pail_ad_prepared_stats(struct pail_adstack *service, pail_adstack_stats *stats)
{
    for (struct pail_adstack_prepared *p = service->prepared.first; p; p = p->next) {
        stats->evaluations += atomic_load_explicit(&p->evaluations, memory_order_relaxed);
        stats->launch_hits += atomic_load_explicit(&p->hits, memory_order_relaxed);
    }
}

void pail_ad_prepared_reset(struct pail_adstack *service)
{
    for (struct pail_adstack_prepared *p = service->prepared.first; p; p = p->next) {
        atomic_store_explicit(&p->evaluations, 0, memory_order_relaxed);
        atomic_store_explicit(&p->hits, 0, memory_order_relaxed);
    }
}
