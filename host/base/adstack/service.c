/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <inttypes.h>
#include <string.h>

#include <core/debug.h>

#include "cache.h"
#include "prepared.h"

pail_status pail_adstack_create(struct pail_adstack **out, const struct pail_ad_env *env,
                                struct pail_error *err)
{
    *out = NULL;
    struct pail_adstack *service = pail_calloc(&env->alloc, 1, sizeof(*service));
    if (!service)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for sizing stacks");
    service->env = *env;
    pthread_mutex_t *const locks[] = {&service->registry.lock, &service->identities.lock,
                                      &service->overflows.lock, &service->prepared.lock};
    for (size_t i = 0; i < 4; i++)
        if (pthread_mutex_init(locks[i], NULL) != 0) {
            while (i-- > 0)
                pthread_mutex_destroy(locks[i]);
            pail_free(&env->alloc, service);
            return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
        }
    const pail_status status = pail_ad_copies_init(
        &service->copies, env->cache_bytes ? env->cache_bytes : PAIL_AD_CACHE_BYTES, err);
    if (status != PAIL_OK) {
        for (size_t i = 0; i < 4; i++)
            pthread_mutex_destroy(locks[i]);
        pail_free(&env->alloc, service);
        return status;
    }
    for (int i = 0; i < PAIL_AD_N_STATS; i++)
        atomic_init(&service->stats[i], 0);
    if (!env->overflow_memory.open)
        pail_ad_overflow_lend(&service->overflows, service->overflow_words,
                              PAIL_AD_OVERFLOW_RECORDS);
    *out = service;
    return PAIL_OK;
}

void pail_adstack_destroy(struct pail_adstack **service)
{
    struct pail_adstack *s = *service;
    *service = NULL;
    if (!s)
        return;
    const struct pail_alloc alloc = s->env.alloc;
    pail_ad_registry_close(&s->registry, &alloc);
    pail_ad_map_free(&s->identities.map, &alloc);
    pail_ad_copies_fini(&s->copies, &alloc);
    pthread_mutex_destroy(&s->registry.lock);
    pthread_mutex_destroy(&s->identities.lock);
    pthread_mutex_destroy(&s->overflows.lock);
    pthread_mutex_destroy(&s->prepared.lock);
    pail_free(&alloc, s);
}

void pail_ad_count(struct pail_adstack *service, enum pail_ad_stat stat, uint64_t n)
{
    if (n > 0)
        atomic_fetch_add_explicit(&service->stats[stat], n, memory_order_relaxed);
}

void pail_ad_count_most(struct pail_adstack *service, enum pail_ad_stat stat, uint64_t n)
{
    uint_fast64_t seen = atomic_load_explicit(&service->stats[stat], memory_order_relaxed);
    while (seen < n && !atomic_compare_exchange_weak(&service->stats[stat], &seen, n))
        ;
}

/* A line for whoever traces. */
static void trace(struct pail_adstack *service, const struct pail_ad_kernel *kernel,
                  const char *what)
{
    char name[96];
    if (service->env.debug & PAIL_DEBUG_TRACE)
        pail_log(
            &service->env.log, PAIL_LOG_DEBUG, "adstack: kernel %" PRIu64 " \"%s\": %s",
            kernel->handle,
            pail_ad_printable(name, sizeof(name), kernel->desc->name, kernel->desc->name_bytes),
            what);
}

pail_status pail_ad_adopt(struct pail_adstack *service, uint64_t *handle, uint32_t *task_ids,
                          struct pail_ad_kernel *kernel, struct pail_error *err)
{
    if (service->env.cache_bytes)
        kernel->launches.max_bytes = service->env.cache_bytes;
    pail_ad_kernel_retain(kernel); /* another one may unregister it at once */
    const pail_status status = pail_ad_registry_add(&service->registry, kernel, err);
    if (status == PAIL_OK) {
        *handle = kernel->handle;
        for (size_t t = 0; task_ids && t < kernel->desc->n_tasks; t++)
            task_ids[t] = kernel->tasks[t].id;
        trace(service, kernel, "registered");
    } else {
        pail_ad_kernel_release(kernel);
    }
    pail_ad_kernel_release(kernel);
    return status;
}

pail_status pail_adstack_register(struct pail_adstack *service, uint64_t *handle,
                                  uint32_t *task_ids, const pail_kernel_desc *desc,
                                  struct pail_error *err)
{
    struct pail_ad_kernel *kernel;
    *handle = 0;
    const pail_status status = pail_ad_kernel_make(&kernel, desc, &service->env.alloc, err);
    return status == PAIL_OK ? pail_ad_adopt(service, handle, task_ids, kernel, err) : status;
}

pail_status pail_adstack_unregister(struct pail_adstack *service, uint64_t handle,
                                    struct pail_error *err)
{
    struct pail_ad_kernel *kernel;
    const pail_status status = pail_ad_registry_remove(&service->registry, &kernel, handle, err);
    if (status != PAIL_OK)
        return status;
    trace(service, kernel, "unregistered");
    pail_ad_kernel_release(kernel);
    return PAIL_OK;
}

pail_status pail_adstack_lookup(struct pail_adstack *service, char *name, size_t capacity,
                                int32_t *task_index, uint32_t id, struct pail_error *err)
{
    const struct pail_ad_owner *owner = pail_ad_registry_owner(&service->registry, id);
    if (!owner)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "id: nothing has the id 0x%08x", id);
    *task_index = owner->task_index;
    if (capacity > 0) {
        const size_t n = owner->name_bytes < capacity ? owner->name_bytes : capacity - 1;
        memcpy(name, owner->name, n);
        name[n] = '\0';
    }
    return PAIL_OK;
}

void pail_adstack_bump(struct pail_adstack *service, uint64_t identity)
{
    pail_ad_identities_bump(&service->identities, identity);
    if (identity)
        pail_ad_copies_drop(&service->copies, identity, &service->env.alloc);
}

void pail_adstack_forget(struct pail_adstack *service, uint64_t identity)
{
    pail_ad_identities_forget(&service->identities, identity);
    if (identity)
        pail_ad_copies_drop(&service->copies, identity, &service->env.alloc);
}

void pail_adstack_invalidate(struct pail_adstack *service, uint64_t handle)
{
    struct pail_ad_kernel *kernel;
    struct pail_error ignored;
    pail_ad_copies_drop(&service->copies, 0,
                        &service->env.alloc); /* other kernels have them, too */
    if (handle) {
        if (pail_ad_registry_find(&service->registry, &kernel, handle, &ignored) != PAIL_OK)
            return;
        pail_ad_count(service, PAIL_AD_STAT_INVALIDATIONS,
                      pail_ad_cache_drop(kernel, PAIL_AD_NONE));
        pail_ad_kernel_release(kernel);
        return;
    }
    while ((kernel = pail_ad_registry_next(&service->registry, handle)) != NULL) {
        handle = kernel->handle;
        pail_ad_count(service, PAIL_AD_STAT_INVALIDATIONS,
                      pail_ad_cache_drop(kernel, PAIL_AD_NONE));
        pail_ad_kernel_release(kernel);
    }
}

void pail_adstack_read_stats(struct pail_adstack *service, pail_adstack_stats *stats)
{
    uint64_t *const fields[PAIL_AD_N_STATS] = {
        &stats->evaluations,   &stats->launch_hits,     &stats->task_hits,
        &stats->tree_hits,     &stats->spec_hits,       &stats->dispatches,
        &stats->cells,         &stats->host_cells,      &stats->fallbacks,
        &stats->invalidations, &stats->submissions,     &stats->waits,
        &stats->specialised,   &stats->overflows,       &stats->overflows_lost,
        &stats->device_ns,     &stats->layouts,         &stats->trees,
        &stats->reductions,    &stats->host_reductions, &stats->longest_submission_ns,
        &stats->fetches,       &stats->fetched_bytes,   &stats->reduced,
    };
    /* A prepared launch that ends adds its counts to the service's under this lock. */
    pthread_mutex_lock(&service->prepared.lock);
    for (int i = 0; i < PAIL_AD_N_STATS; i++)
        *fields[i] = atomic_load_explicit(&service->stats[i], memory_order_relaxed);
    pail_ad_prepared_stats(service, stats);
    pthread_mutex_unlock(&service->prepared.lock);
}

void pail_adstack_reset_stats(struct pail_adstack *service)
{
    pthread_mutex_lock(&service->prepared.lock);
    for (int i = 0; i < PAIL_AD_N_STATS; i++)
        atomic_store_explicit(&service->stats[i], 0, memory_order_relaxed);
    pail_ad_prepared_reset(service);
    pthread_mutex_unlock(&service->prepared.lock);
}
