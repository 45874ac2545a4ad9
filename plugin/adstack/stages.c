/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <shared/adstack_layout.h>

#include <core/debug.h>

#include "gpu_priv.h"
#include "vk/pace_kept.h"

/* Batches of one dispatch of adstack/prepare, where loops are counted: 16384 specs each. */
#define PREPARED_TOGETHER 4u

static const char *const phases[PAIL_AD_PHASES] = {
    "reduce 0",  "reduce 1",  "reduce 2",  "reduce 3",     "reduce 4",  "reduce 5",
    "reduce 6",  "reduce 7",  "reduce 8",  "reduce 9",     "reduce 10", "reduce 11",
    "reduce 12", "reduce 13", "reduce 14", "reduce others"};

const char *pail_ad_batch_phase(uint32_t batch)
{
    return phases[batch < PAIL_AD_PHASES ? batch : PAIL_AD_PHASES - 1];
}

struct recording {
    struct pail_vk_cmd *cmd;
    const struct pail_ad_gpu *gpu;
    const struct pail_ad_encoded *e;
    const struct pail_ad_pipelines *p;
    const struct pail_vk_slice *arena;
    uint32_t low, high; /* address of the arena */
    uint32_t number;    /* number of the stage */
    bool stamps;
};

static void between_kernels(const struct recording *r)
{
    pail_vk_cmd_barrier(r->cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
}

static void operate(const struct recording *r, const struct pail_ad_stage *stage)
{
    for (uint32_t i = 0; i < stage->n_passes; i++) {
        const struct pail_ad_slots_pass *pass = &r->e->passes[stage->pass_first + i];
        const struct ad_slots_push push = {
            .arena_low = r->low,
            .arena_high = r->high,
            .slots = r->e->slots,
            .depths = pass->depths,
            .n_depths = pass->n_depths,
            .state = r->e->state,
            .stage = r->number,
        };
        pail_vk_cmd_dispatch(r->cmd, r->p->slots, NULL, 0, &push, sizeof(push), 1, 1, 1);
        between_kernels(r);
    }
}

/* portions: as in the push block. */
static void prepare(const struct recording *r, const struct pail_ad_stage *stage, uint32_t portions)
{
    const float dispatch_ns = 1e6F * (float)PAIL_VK_DISPATCH_AIM_MS;
    const uint32_t together = r->gpu->shape.max_steps ? PREPARED_TOGETHER : stage->n_batches;
    for (uint32_t b = 0; b < stage->n_batches; b += together) {
        const uint32_t left = stage->n_batches - b;
        struct ad_prepare_push push = {
            .arena_low = r->low,
            .arena_high = r->high,
            .slots = r->e->slots,
            .batches = stage->batches + AD_BATCH_WORDS * b,
            .n_batches = left < together ? left : together,
            .state = r->e->state,
            .stage = r->number,
            .portions = portions,
            .fill = pail_ad_fill(r->gpu),
        };
        memcpy(&push.dispatch_ns, &dispatch_ns, sizeof(push.dispatch_ns));
        if (b) /* both count what the submission may take */
            between_kernels(r);
        pail_vk_cmd_dispatch(r->cmd, r->p->prepare, NULL, 0, &push, sizeof(push), 1, 1, 1);
    }
    pail_vk_cmd_barrier(r->cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_INDIRECT);
}

static void reduce(const struct recording *r, const struct pail_ad_stage *stage)
{
    for (uint32_t b = 0; b < stage->n_batches; b++) {
        const struct pail_ad_batch *batch = &r->e->batches[stage->batch_first + b];
        const struct ad_reduce_push push = {
            .arena_low = r->low,
            .arena_high = r->high,
            .slots = r->e->slots,
            .list = batch->list,
            .n = batch->n,
        };
        if (r->stamps)
            pail_vk_cmd_stamp(r->cmd, pail_ad_batch_phase(stage->batch_first + b));
        const struct pail_vk_pipeline *kernel = batch->kernel ? batch->kernel : r->p->reduce;
        if (r->number < r->e->n_ready)
            pail_vk_cmd_dispatch(r->cmd, kernel, NULL, 0, &push, sizeof(push), batch->groups, 1, 1);
        else
            pail_vk_cmd_dispatch_indirect(r->cmd, kernel, NULL, 0, &push, sizeof(push), r->arena,
                                          4 * (uint64_t)batch->indirect);
    }
    if (r->stamps)
        pail_vk_cmd_stamp(r->cmd, PAIL_AD_PHASE_REST);
    between_kernels(r);
}

static void collect(const struct recording *r, const struct pail_ad_stage *stage)
{
    const uint32_t most = r->gpu->shape.max_groups;
    for (uint32_t first = 0; first < stage->n_specs; first += most) {
        const uint32_t left = stage->n_specs - first;
        const struct ad_collect_push push = {
            .arena_low = r->low,
            .arena_high = r->high,
            .slots = r->e->slots,
            .list = stage->list + AD_LIST_WORDS * first,
            .state = r->e->state,
            .stage = r->number,
        };
        pail_vk_cmd_dispatch(r->cmd, r->p->collect, NULL, 0, &push, sizeof(push),
                             left < most ? left : most, 1, 1);
    }
    between_kernels(r);
}

/* Bytes that are copied in one submission, where submissions are limited: 100 ms of a slow bus. */
#define COPIED_TOGETHER (UINT64_C(256) << 20)

static void copy_sources(struct pail_vk_cmd *cmd, const struct pail_ad_space *space, bool cut)
{
    const struct pail_ad_encoded *e = &space->encoded;
    uint64_t together = 0;
    for (uint32_t i = 0; i < e->n_copied; i++)
        for (uint64_t at = 0, n; at < e->copied[i].bytes; at += n) {
            n = e->copied[i].bytes - at;
            if (cut && together == COPIED_TOGETHER) {
                together = 0;
                if (!pail_vk_cmd_cut(cmd))
                    return;
            }
            if (cut && n > COPIED_TOGETHER - together)
                n = COPIED_TOGETHER - together;
            together += n;
            pail_vk_cmd_copy(cmd, &space->mapped[1 + i], at, &space->on_device[1 + i], at, n);
        }
}

void pail_ad_record_sources(struct pail_vk_cmd *cmd, const struct pail_ad_space *space,
                            uint64_t from, uint64_t to)
{
    const struct pail_ad_encoded *e = &space->encoded;
    uint64_t before = 0;
    for (uint32_t i = 0; i < e->n_copied; before += e->copied[i++].bytes) {
        const uint64_t end = before + e->copied[i].bytes;
        const uint64_t first = from > before ? from : before, last = to < end ? to : end;
        if (first < last)
            pail_vk_cmd_copy(cmd, &space->mapped[1 + i], first - before, &space->on_device[1 + i],
                             first - before, last - first);
    }
}

void pail_ad_record_words(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                          const struct pail_ad_space *space)
{
    const struct pail_ad_encoded *e = &space->encoded;
    const struct pail_vk_slice *arena = &space->on_device[0];
    /* A kernel that reads what none of this launch wrote then goes wrong every time. */
    if (pail_vk_device_debug(gpu->dev) & PAIL_DEBUG_POISON)
        pail_vk_cmd_fill(cmd, arena, 4 * (uint64_t)e->n_words,
                         4 * (uint64_t)(e->n_total - e->n_words), 0xAAAAAAAAu);
    pail_vk_cmd_copy(cmd, &space->mapped[0], 0, arena, 0, 4 * (uint64_t)e->n_words);
}

void pail_ad_record_copies(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                           const struct pail_ad_space *space, bool recorded)
{
    pail_ad_record_words(cmd, gpu, space);
    copy_sources(cmd, space, !recorded && pail_vk_pace_limits(gpu->dev));
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE | PAIL_VK_INDIRECT);
}

static void portion(const struct recording *r, const struct pail_ad_stage *stage, uint32_t left)
{
    if (r->number >= r->e->n_ready)
        prepare(r, stage, left);
    reduce(r, stage);
    collect(r, stage);
}

void pail_ad_record_stages(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                           const struct pail_ad_space *space, const struct pail_ad_pipelines *p,
                           uint32_t first, bool recorded)
{
    const struct pail_ad_encoded *e = &space->encoded;
    const uint64_t address = space->on_device[0].buffer->address + space->on_device[0].offset;
    struct recording r = {
        .cmd = cmd,
        .gpu = gpu,
        .e = e,
        .p = p,
        .arena = &space->on_device[0],
        .low = (uint32_t)(address & UINT32_MAX),
        .high = (uint32_t)(address >> 32),
        .stamps = !recorded,
    };
    for (r.number = first; r.number < e->n_stages; r.number++) {
        const struct pail_ad_stage *stage = &e->stages[r.number];
        if (r.stamps)
            pail_vk_cmd_stamp(cmd, PAIL_AD_PHASE_REST);
        if (stage->n_batches && !recorded)
            portion(&r, stage, 0);
        for (uint32_t left = stage->portions; recorded && stage->n_batches && left > 0; left--)
            portion(&r, stage, left);
        operate(&r, stage);
    }
    if (r.stamps)
        pail_vk_cmd_stamp(cmd, NULL);
}

void pail_ad_record_tasks(struct pail_vk_cmd *cmd, const struct pail_ad_gpu *gpu,
                          const struct pail_ad_space *space, const struct pail_ad_pipelines *p)
{
    const uint32_t max_groups = gpu->shape.max_groups;
    const struct pail_ad_encoded *e = &space->encoded;
    const uint64_t address = space->on_device[0].buffer->address + space->on_device[0].offset;
    struct ad_layout_push push = {
        .arena_low = (uint32_t)(address & UINT32_MAX),
        .arena_high = (uint32_t)(address >> 32),
        .slots = e->slots,
        .tasks = e->tasks,
        .n = e->n_tasks,
        .short_of = e->short_of,
    };
    for (uint32_t first = 0; first < e->n_tasks; first += max_groups) {
        const uint32_t left = e->n_tasks - first;
        push.tasks = e->tasks + AD_TASK_WORDS * first;
        pail_vk_cmd_dispatch(cmd, p->layout, NULL, 0, &push, sizeof(push),
                             left < max_groups ? left : max_groups, 1, 1);
    }
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
    push.tasks = e->tasks;
    push.last = 1;
    pail_vk_cmd_dispatch(cmd, p->layout, NULL, 0, &push, sizeof(push),
                         (e->n_tasks + AD_WORKGROUP - 1) / AD_WORKGROUP, 1, 1);
}
