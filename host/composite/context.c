/* SPDX-License-Identifier: Apache-2.0 */
#include <platform/text.h>
#include <platform/thread.h>
#include <stdio.h>
#include <string.h>

#include "pending.h"
#include "stacks.h"

/* The choice behind a host; *out is NULL, with a sentence, where it is another host. */
static pail_status choice_of(const struct pail_devices **out, const pail_host *host,
                             struct pail_error *err)
{
    const struct pail_devices *const devices = (const struct pail_devices *)host;
    const bool ours = host->struct_size == sizeof *devices && devices->mark == pail_composite_mark;
    *out = ours ? devices : NULL;
    return ours ? PAIL_OK
                : pail_fail(err, PAIL_ERR_ARGUMENT,
                            "host is not one of pail_devices_host, which has the choice of "
                            "devices");
}

pail_status pail_composite_said(struct pail_error *err, const struct pail_composite_member *member,
                                pail_status status, const char *sentence)
{
    return pail_fail(err, status, "device %u of %s (%s): %s", member->choice->device,
                     member->backend->name, member->choice->name, sentence);
}

unsigned pail_composite_group(const struct pail_curve_ops *ops)
{
    return (ops->curve - 1) * 2 + (ops->group - 1);
}

bool pail_composite_state(struct pail_policy_member *members, pail_context *context,
                          const struct pail_curve_ops *ops)
{
    const unsigned group = pail_composite_group(ops);
    bool live = false;
    pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < context->n; i++) {
        struct pail_composite_member *const m = &context->members[i];
        m->last_group = group;
        members[i] = (struct pail_policy_member){
            .rate = m->rates[group],
            .load = (double)m->points_under_way / m->rates[group],
            .live = !m->lost,
        };
        live |= !m->lost;
    }
    pthread_mutex_unlock(&context->lock);
    return live;
}

bool pail_composite_measured(pail_context *context, const struct pail_curve_ops *ops)
{
    const unsigned group = pail_composite_group(ops);
    bool all = true;
    pthread_mutex_lock(&context->lock);
    for (size_t i = 0; i < context->n; i++)
        all &= context->members[i].lost || context->members[i].measured[group].n != 0;
    pthread_mutex_unlock(&context->lock);
    return all;
}

void pail_composite_lose(pail_context *context, size_t member)
{
    struct pail_composite_member *const m = &context->members[member];
    pthread_mutex_lock(&context->lock);
    const bool news = !m->lost;
    m->lost = true;
    pthread_mutex_unlock(&context->lock);
    const pail_host *const host = context->devices->base;
    if (news && host->log) {
        char line[512];
        (void)pail_line(line, sizeof line,
                        "device %u of %s (%s) is lost; the others do its work from here on",
                        m->choice->device, m->backend->name, m->choice->name);
        host->log(host->user, PAIL_LOG_WARNING, line);
    }
}

pail_status pail_composite_none_left(pail_context *context, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_DEVICE_LOST, "all %zu devices of the context are lost",
                     context->n);
}

pail_status pail_composite_score(const pail_host *host, uint32_t *score, struct pail_error *err)
{
    const struct pail_devices *devices;
    const pail_status status = choice_of(&devices, host, err);
    for (size_t i = 0; devices && i < devices->n; i++)
        *score = devices->choices[i].score > *score ? devices->choices[i].score : *score;
    return status;
}

pail_status pail_composite_device_count(const pail_host *host, uint32_t *count,
                                        struct pail_error *err)
{
    const struct pail_devices *devices;
    const pail_status status = choice_of(&devices, host, err);
    *count = devices ? 1 : 0;
    return status;
}

/* Joins one more device into the description of all: least of limits, sum of memory and units. */
static void join(pail_device_info *all, const pail_device_info *one)
{
    if (all->name[0] == '\0') {
        *all = *one;
        all->index = 0;
        return;
    }
    const size_t used = strnlen(all->name, sizeof all->name);
    (void)snprintf(all->name + used, sizeof all->name - used, ", %s", one->name);
    if (strcmp(all->driver, one->driver) != 0) {
        const size_t at = strnlen(all->driver, sizeof all->driver);
        (void)snprintf(all->driver + at, sizeof all->driver - at, ", %s", one->driver);
    }
    all->type = all->type == one->type ? all->type : (uint32_t)PAIL_DEVICE_OTHER;
    /* Unified as soon as one is: who counts bytes must not count the host's memory twice. */
    const uint32_t unified = (all->features | one->features) & PAIL_FEATURE_UNIFIED_MEMORY;
    all->features = (all->features & one->features) | unified;
    all->score = one->score > all->score ? one->score : all->score;
    all->heap_bytes += one->heap_bytes;
    all->budget_bytes =
        all->budget_bytes && one->budget_bytes ? all->budget_bytes + one->budget_bytes : 0;
    if (one->max_binding_bytes < all->max_binding_bytes)
        all->max_binding_bytes = one->max_binding_bytes;
    if (one->max_allocation_bytes < all->max_allocation_bytes)
        all->max_allocation_bytes = one->max_allocation_bytes;
    all->compute_units += one->compute_units;
}

pail_status pail_composite_device_info(const pail_host *host, uint32_t index,
                                       pail_device_info *info, struct pail_error *err)
{
    const struct pail_devices *devices;
    const pail_status status = choice_of(&devices, host, err);
    if (status != PAIL_OK)
        return status;
    if (index != 0)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "device %u: several devices together are device 0, and no other", index);
    for (size_t i = 0; i < devices->n; i++) {
        const struct pail_composite_choice *const c = &devices->choices[i];
        pail_device_info one = {.struct_size = sizeof one};
        const pail_status said = c->backend->device_info(devices->base, c->device, &one);
        if (said != PAIL_OK)
            return pail_fail(err, said, "%s: %s", c->backend->name, c->backend->error(NULL));
        join(info, &one);
    }
    return PAIL_OK;
}

pail_status pail_composite_context_device(pail_context *context, pail_device_info *info,
                                          struct pail_error *err)
{
    for (size_t i = 0; i < context->n; i++) {
        const struct pail_composite_member *const m = &context->members[i];
        pail_device_info one = {.struct_size = sizeof one};
        const pail_status said = m->backend->context_device(m->context, &one);
        if (said != PAIL_OK)
            return pail_composite_said(err, m, said, m->backend->error(m->context));
        join(info, &one);
    }
    return PAIL_OK;
}

static bool has_vectors(const pail_backend *backend)
{
    return PAIL_HAS(backend, vector_fill);
}

/* The member with the best score of those that can; n: none. */
static size_t best_that(const pail_context *context, bool (*can)(const pail_backend *backend))
{
    size_t best = context->n;
    for (size_t i = 0; i < context->n; i++)
        if (can(context->members[i].backend) &&
            (best == context->n ||
             context->members[i].choice->score > context->members[best].choice->score))
            best = i;
    return best;
}

static void destroy(pail_context *context, size_t n_members)
{
    const struct pail_alloc memory = context->memory;
    pail_composite_stacks_close(context);
    for (size_t i = n_members; i-- > 0;)
        context->members[i].backend->context_destroy(&context->members[i].context);
    pail_helpers_destroy(&context->helpers);
    if (n_members == context->n) /* after the members, whose caches are the same files */
        pail_composite_rates_close(context);
    pthread_mutex_destroy(&context->lock);
    pail_cpu_free(&memory, context);
}

/* Processors that a member on the CPU gets: they share what there is. */
static uint32_t threads_of(const struct pail_devices *devices, uint32_t wanted)
{
    uint32_t n = 0;
    for (size_t i = 0; i < devices->n; i++)
        n += devices->choices[i].built_in;
    const uint32_t all = wanted != 0 ? wanted : pail_team_processors();
    return n > 1 ? (all + n - 1) / n : wanted;
}

pail_status pail_composite_context_create(const pail_host *host, pail_context **out,
                                          const pail_context_params *theirs, struct pail_error *err)
{
    pail_context_params params = *theirs;
    const struct pail_devices *devices;
    const pail_status found = choice_of(&devices, host, err);
    if (found != PAIL_OK)
        return found;
    if (params.import)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "params->import: several devices are none of the host's");
    if (params.device != 0 && params.device != PAIL_DEVICE_BEST)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "params->device is %u: several devices together are device 0",
                         params.device);
    const struct pail_alloc memory = {devices->base->user, devices->base->alloc,
                                      devices->base->free};
    pail_context *const context =
        pail_cpu_alloc(&memory, 1, sizeof *context + devices->n * sizeof context->members[0]);
    if (!context)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for a context");
    *context = (pail_context){.devices = devices, .memory = memory, .n = devices->n};
    (void)memset(context->members, 0, devices->n * sizeof context->members[0]);
    (void)pthread_mutex_init(&context->lock, NULL);
    pail_helpers_init(&context->helpers, (uint32_t)devices->n - 1, "pail-devices");
    const uint32_t all_threads = params.threads != 0 ? params.threads : pail_team_processors();
    context->threads = (all_threads + (uint32_t)devices->n - 1) / (uint32_t)devices->n;
    const uint32_t threads = threads_of(devices, params.threads);
    for (size_t i = 0; i < devices->n; i++) {
        struct pail_composite_member *const m = &context->members[i];
        *m = (struct pail_composite_member){.choice = &devices->choices[i],
                                            .backend = devices->choices[i].backend};
        for (size_t k = 0; k < PAIL_COMPOSITE_GROUPS; k++) /* until measured */
            m->rates[k] = m->measured[k].value =
                m->choice->score > 0 ? (double)m->choice->score : 1.0;
        params.device = m->choice->device;
        params.threads = m->choice->built_in ? threads : theirs->threads;
        m->threads = params.threads;
        const pail_status status = m->backend->context_create(devices->base, &m->context, &params);
        if (status != PAIL_OK) {
            (void)pail_composite_said(err, m, status, m->backend->error(NULL));
            destroy(context, i);
            return status;
        }
    }
    context->vectors = best_that(context, has_vectors);
    context->stacks = best_that(context, pail_composite_sizes_stacks);
    if (!pail_composite_rates_open(context, &params)) {
        destroy(context, context->n);
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for the name of a folder");
    }
    *out = context;
    return PAIL_OK;
}

void pail_composite_context_destroy(pail_context *context)
{
    destroy(context, context->n);
}
