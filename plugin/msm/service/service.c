#include "service.h"

#include "tuning.h"
#include "workspace.h"

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
        .tuning = pail_tuning_of(msm, group),
        .group = *group,
        .narrowest = group->group,
    };
}

void pail_msm_destroy(struct pail_msm **msm)
{
    if (!*msm)
        return;
    pail_workspace_trim(*msm);
    pthread_mutex_destroy(&(*msm)->lock);
    const struct pail_alloc alloc = (*msm)->alloc;
    pail_free(&alloc, *msm);
    *msm = NULL;
}
