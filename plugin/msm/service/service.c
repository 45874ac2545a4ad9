/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include "tuning.h"

pail_status pail_msm_create(struct pail_msm **out, const struct pail_msm_env *env,
                            struct pail_error *err)
{
    *out = NULL;
    struct pail_msm *msm = pail_calloc(&env->alloc, 1, sizeof(*msm));
    if (!msm)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for multiplications");
    *msm = (struct pail_msm){
        .alloc = env->alloc,
        .log = env->log,
        .dev = env->dev,
        .memories = env->memories,
        .field = env->field,
        .memory_budget = env->memory_budget,
        .threads = env->threads,
    };
    if (pthread_mutex_init(&msm->lock, NULL) != 0) {
        pail_free(&env->alloc, msm);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    const pail_status status = pail_first_uses_init(msm, err);
    if (status != PAIL_OK) {
        pthread_mutex_destroy(&msm->lock);
        pail_free(&env->alloc, msm);
        return status;
    }
    pail_tuning_load(msm);
    *out = msm;
    return PAIL_OK;
}

struct pail_msm_question pail_msm_ask(struct pail_msm *msm, const struct pail_msm_group *group,
                                      const pail_msm_config *config)
{
    return (struct pail_msm_question){
        .caps = pail_vk_device_caps(msm->dev),
        .paced = msm->dev,
        .debug = pail_vk_device_debug(msm->dev),
        .config = config,
        .tuning = pail_msm_tuning_of(msm, group),
        .group = *group,
        .narrowest = group->group,
    };
}

void pail_msm_destroy(struct pail_msm **msm)
{
    if (!*msm)
        return;
    pail_first_uses_end(*msm);
    pail_workspace_trim(*msm);
    pthread_mutex_destroy(&(*msm)->lock);
    const struct pail_alloc alloc = (*msm)->alloc;
    pail_free(&alloc, *msm);
    *msm = NULL;
}

pail_status pail_workspace_take(struct pail_msm *msm, struct pail_workspace **out,
                                struct pail_error *err)
{
    pthread_mutex_lock(&msm->lock);
    struct pail_workspace *ws = msm->idle;
    if (ws)
        msm->idle = ws->next;
    pthread_mutex_unlock(&msm->lock);
    if (!ws) {
        ws = pail_calloc(&msm->alloc, 1, sizeof(*ws));
        if (!ws)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a workspace");
        pail_vk_arena_init(&ws->device, msm->dev, PAIL_VK_MEMORY_DEVICE, "msm scratch");
        pail_vk_arena_init(&ws->readback, msm->dev, PAIL_VK_MEMORY_READBACK, "msm results");
    }
    ws->next = NULL;
    *out = ws;
    return PAIL_OK;
}

static void free_workspace(struct pail_msm *msm, struct pail_workspace *ws)
{
    pail_vk_arena_fini(&ws->device);
    pail_vk_arena_fini(&ws->readback);
    pail_free(&msm->alloc, ws);
}

void pail_workspace_drop(struct pail_msm *msm, struct pail_workspace *ws)
{
    if (ws)
        free_workspace(msm, ws);
}

void pail_workspace_give(struct pail_msm *msm, struct pail_workspace *ws)
{
    if (!ws)
        return;
    pail_vk_arena_reset(&ws->device);
    pail_vk_arena_reset(&ws->readback);
    pthread_mutex_lock(&msm->lock);
    ws->next = msm->idle;
    msm->idle = ws;
    pthread_mutex_unlock(&msm->lock);
}

static uint64_t idle_bytes(struct pail_msm *msm)
{
    uint64_t bytes = 0;
    pthread_mutex_lock(&msm->lock);
    for (const struct pail_workspace *ws = msm->idle; ws; ws = ws->next)
        bytes += pail_vk_arena_allocated(&ws->device);
    pthread_mutex_unlock(&msm->lock);
    return bytes;
}

void pail_workspace_trim(struct pail_msm *msm)
{
    pthread_mutex_lock(&msm->lock);
    struct pail_workspace *ws = msm->idle;
    msm->idle = NULL;
    pthread_mutex_unlock(&msm->lock);
    while (ws) {
        struct pail_workspace *next = ws->next;
        free_workspace(msm, ws);
        ws = next;
    }
    pail_field_trim(msm->field);
}

/* Memory that the driver grants in the largest device-local heap, less the use by others when the
 * device was made; this context's own use since then is in `held`. */
static uint64_t granted(const struct pail_vk_caps *caps)
{
    const struct pail_vk_heap *largest = NULL;
    for (uint32_t i = 0; i < caps->n_heaps; i++)
        if (caps->heaps[i].device_local && (!largest || caps->heaps[i].size > largest->size))
            largest = &caps->heaps[i];
    if (!largest) /* Vulkan has at least one; without it there is no number to keep to */
        return UINT64_MAX;
    return largest->budget > largest->usage ? largest->budget - largest->usage : 0;
}

struct pail_device_room pail_device_room(struct pail_msm *msm)
{
    struct pail_device_room room = {
        .limit = granted(pail_vk_device_caps(msm->dev)),
        .held = pail_vk_memory_stats(msm->dev).device,
    };
    if (msm->memory_budget && msm->memory_budget < room.limit)
        room.limit = msm->memory_budget;
    return room;
}

uint64_t pail_msm_room(struct pail_msm *msm)
{
    const struct pail_device_room room = pail_device_room(msm);
    const uint64_t left = pail_device_room_left(&room) + idle_bytes(msm);
    return left ? left : 1;
}
