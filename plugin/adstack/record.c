/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_priv.h"

struct pail_ad_recorded {
    struct pail_ad_space *space;
};

/* All trees of a kernel, each slot once or more. */
static pail_status roots_of(const struct pail_ad_program *program, uint32_t **roots, uint32_t *n,
                            const struct pail_alloc *alloc, struct pail_error *err)
{
    const uint32_t n_stacks = program->task_first[program->n_tasks];
    *n = 0;
    *roots = pail_calloc(alloc, n_stacks + 1, sizeof(**roots));
    if (!*roots)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u trees", n_stacks);
    for (uint32_t i = 0; i < n_stacks; i++)
        if (program->roots[i].slot != PAIL_AD_NONE)
            (*roots)[(*n)++] = program->roots[i].slot;
    return PAIL_OK;
}

static pail_status check_launches(const struct pail_ad_record *record, struct pail_error *err)
{
    for (uint32_t task = 0; task < record->program->n_tasks; task++) {
        const uint64_t threads = record->launches[task].threads;
        if (threads / record->workgroup_threads >= UINT32_MAX)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "task %u: %llu threads are too many workgroups of %u", task,
                             (unsigned long long)threads, record->workgroup_threads);
    }
    return PAIL_OK;
}

/* Refuses recordings whose every run could only answer with an error. */
static pail_status check_encoded(const struct pail_ad_encoded *e,
                                 const struct pail_ad_program *program, struct pail_error *err)
{
    if (e->n_copied)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "source %u: its contents are in host memory alone, and a command buffer "
                         "reads them at a device address",
                         e->copied[0].source);
    for (uint32_t i = 0; i < program->n_specs && e->n_given_back; i++) {
        const struct pail_ad_site *site = &program->sites[program->specs[i].site];
        if (e->stage[program->specs[i].slot] == PAIL_AD_NONE)
            return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                             "task %u, stack %u, node %u: what the range computes is too much for "
                             "a device without a kernel for it",
                             site->task, site->stack, site->node);
    }
    return PAIL_OK;
}

static pail_status record_commands(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                                   const struct pail_ad_pipelines *p, void *command_buffer,
                                   struct pail_error *err)
{
    struct pail_vk_cmd *cmd;
    const pail_status status = pail_vk_cmd_enter(gpu->dev, command_buffer, "adstack", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_ANYTHING);
    pail_ad_record_copies(cmd, gpu, space, true);
    pail_ad_record_stages(cmd, gpu, space, p, 0, true);
    pail_ad_record_tasks(cmd, gpu, space, p);
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_ANYTHING | PAIL_VK_HOST);
    return pail_vk_cmd_leave(&cmd, err);
}

static pail_status record_in(struct pail_ad_gpu *gpu, struct pail_ad_space *space,
                             struct pail_ad_record *record, struct pail_error *err)
{
    const struct pail_alloc *alloc = pail_vk_device_alloc(gpu->dev);
    struct pail_ad_work work = {.program = record->program,
                                .arrays = record->arrays,
                                .values = record->values,
                                .flags = record->flags,
                                .serial = record->serial};
    const struct pail_ad_encoded *e = &space->encoded;
    struct pail_ad_pipelines pipelines;
    uint32_t *roots;
    pail_status status = roots_of(record->program, &roots, &work.n_slots, alloc, err);
    if (status != PAIL_OK)
        return status;
    work.slots = roots;
    status = pail_ad_space_encode(gpu, space, &work, record, err);
    if (status == PAIL_OK)
        status = check_encoded(e, record->program, err);
    if (status == PAIL_OK)
        status = pail_ad_pipelines_find(gpu, &pipelines, true, err);
    if (status == PAIL_OK)
        status = pail_ad_certain_put(gpu, &space->encoded, &work, err);
    if (status == PAIL_OK) {
        pail_ad_pace_put(gpu, space, &pipelines, &work, NULL);
        for (uint32_t s = 0; s < e->n_stages; s++)
            e->stages[s].portions = s < e->n_ready ? 1 : pail_ad_pace_portions(space, record, s);
        status = pail_ad_space_fill(gpu, space, &work, err);
    }
    if (status == PAIL_OK)
        status = record_commands(gpu, space, &pipelines, record->command_buffer, err);
    pail_free(alloc, roots);
    record->dispatches = e->n_specs;
    for (uint32_t i = 0; i < e->n_specs; i++)
        record->specialised += e->specs[i].kernel != NULL;
    return status;
}

pail_status pail_ad_gpu_record(void *user, struct pail_ad_recorded **out,
                               struct pail_ad_record *record, struct pail_error *err)
{
    struct pail_ad_gpu *gpu = user;
    const struct pail_alloc *alloc = pail_vk_device_alloc(gpu->dev);
    *out = NULL;
    record->dispatches = record->specialised = 0;
    pail_status status = check_launches(record, err);
    if (status != PAIL_OK)
        return status;
    struct pail_ad_recorded *recorded = pail_calloc(alloc, 1, sizeof(*recorded));
    if (!recorded)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a recording");
    status = pail_ad_space_take(gpu, &recorded->space, err);
    if (status == PAIL_OK)
        status = record_in(gpu, recorded->space, record, err);
    if (status == PAIL_OK)
        *out = recorded;
    else
        pail_ad_gpu_unrecord(gpu, recorded);
    return status;
}

void pail_ad_gpu_unrecord(void *user, struct pail_ad_recorded *recorded)
{
    struct pail_ad_gpu *gpu = user;
    if (!recorded)
        return;
    if (recorded->space)
        pail_ad_space_give(gpu, recorded->space);
    pail_free(pail_vk_device_alloc(gpu->dev), recorded);
}
