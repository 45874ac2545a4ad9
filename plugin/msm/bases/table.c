/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "msm/plan/integers.h"
#include "msm/plan/work.h"
#include "points.h"
#include "vk/cmd.h"

#include <platform/clock.h>
#include <shared/msm_layout.h>

/* Points of a dispatch: enough to fill a device, few enough for a driver that gives up on work that
 * takes seconds. */
#define TABLE_POINTS ((uint64_t)1 << 18)

/* One copy of the points of one segment. */
struct step {
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_slice segment, sums;
    uint32_t n, from, to, bits, steps;
    const struct pail_msm_group *group;
};

static pail_status do_step(struct pail_vk_device *dev, const struct step *s, struct pail_error *err)
{
    const struct pail_vk_slice bindings[] = {s->segment, s->sums};
    struct msm_table_push push = {.n = s->n, .from = s->from, .to = s->to, .bits = s->bits};
    struct pail_vk_cmd *cmd;
    pail_status status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "table", &cmd, err);
    if (status != PAIL_OK)
        return status;
    const bool at_once = s->steps >= s->bits;
    push.steps = s->steps;
    do {
        push.last = at_once || push.step >= s->bits;
        const double steps = push.last && !at_once ? 0 : s->steps;
        pail_msm_expect_additions(cmd, s->group,
                                  (double)s->n * (steps * PAIL_MSM_STEP_ADDITIONS +
                                                  push.last * PAIL_MSM_INVERSION_ADDITIONS));
        pail_vk_cmd_dispatch(cmd, s->pipeline, bindings, 2, &push, sizeof(push),
                             (s->n + MSM_TABLE_WORKGROUP - 1) / MSM_TABLE_WORKGROUP, 1, 1);
        pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
        push.step += s->steps;
    } while (!push.last);
    pail_vk_ticket ticket;
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

/* All copies of `n` points of a segment. */
static pail_status do_points(struct pail_vk_device *dev, struct step *s, uint32_t first, uint32_t n,
                             uint32_t pitch, uint32_t factor, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    s->n = n;
    for (uint32_t j = 1; j < factor && status == PAIL_OK; j++) {
        s->from = (j - 1) * pitch + first;
        s->to = j * pitch + first;
        status = do_step(dev, s, err);
    }
    return status;
}

pail_status pail_table_fill(struct pail_bases *bases, struct pail_bases_copy *copy,
                            enum pail_field_form form, uint64_t room, double *ms,
                            struct pail_error *err)
{
    struct pail_vk_device *dev = bases->msm->dev;
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    const uint32_t factor = bases->table.factor;
    const uint64_t point_bytes = bases->group.point_bytes, sum_bytes = bases->group.xyzz_bytes;
    struct pail_vk_buffer sums = {0};
    struct step s = {.group = &bases->group,
                     .bits = bases->table.bits,
                     .steps = form == PAIL_FORM_X32 ? MSM_TABLE_STEPS_X32 : bases->table.bits};
    *ms = 0;
    if (factor <= 1 || bases->kept == 0)
        return PAIL_OK;
    uint64_t most = min_u64(TABLE_POINTS, bases->kept);
    most = min_u64(most, min_u64(caps->max_storage_range, caps->max_buffer_bytes) / sum_bytes);
    most = min_u64(most, (uint64_t)caps->max_workgroup_count[0] * MSM_TABLE_WORKGROUP);
    most = min_u64(most, room / sum_bytes);
    if (most == 0)
        most = 1; /* the caller knows that there is room for more */
    pail_status status = pail_points_pipeline(bases, PAIL_KERNEL_MSM_TABLE, form, &s.pipeline, err);
    const double start = pail_now_ms();
    if (status == PAIL_OK)
        status = pail_vk_buffer_create(dev, &sums, PAIL_VK_MEMORY_DEVICE, most * sum_bytes,
                                       "points of a table", err);
    if (status != PAIL_OK)
        return status;
    s.sums = pail_vk_buffer_slice(&sums, 0, most * sum_bytes);
    s.steps = pail_msm_steps_at_once(dev, PAIL_KERNEL_MSM_TABLE, s.group, form, most,
                                     PAIL_MSM_STEP_ADDITIONS, s.steps);
    for (uint32_t i = 0; i < copy->n_segments && status == PAIL_OK; i++) {
        const uint64_t pitch = pail_bases_pitch(bases, i * bases->segment);
        s.segment = pail_vk_buffer_slice(&copy->segments[i], 0, pitch * factor * point_bytes);
        for (uint64_t first = 0; first < pitch && status == PAIL_OK; first += most)
            status = do_points(dev, &s, (uint32_t)first, (uint32_t)min_u64(most, pitch - first),
                               (uint32_t)pitch, factor, err);
    }
    /* Work that was submitted, before a failure too, still uses the buffers. */
    const pail_status ended = pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN),
                                           PAIL_VK_FOREVER, status == PAIL_OK ? err : NULL);
    pail_vk_buffer_destroy(dev, &sums);
    *ms = pail_now_ms() - start;
    return status == PAIL_OK ? ended : status;
}

/* Images of the points of a segment, as many at a time as a dispatch of one dimension reaches. */
static void record_segment(const struct pail_bases *bases, struct pail_vk_cmd *cmd,
                           const struct pail_vk_pipeline *pipeline,
                           const struct pail_vk_slice *segment, uint32_t pitch)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(bases->msm->dev);
    const uint64_t most = (uint64_t)caps->max_workgroup_count[0] * MSM_ENDOMORPHISM_WORKGROUP;
    for (uint64_t first = 0; first < pitch; first += most) {
        const uint64_t left = pitch - first, n = left < most ? left : most;
        const struct msm_endomorphism_push push = {
            .n = (uint32_t)n, .from = (uint32_t)first, .to = pitch + (uint32_t)first};
        pail_msm_expect_additions(cmd, &bases->group, (double)n);
        pail_vk_cmd_dispatch(
            cmd, pipeline, segment, 1, &push, sizeof(push),
            (uint32_t)((n + MSM_ENDOMORPHISM_WORKGROUP - 1) / MSM_ENDOMORPHISM_WORKGROUP), 1, 1);
    }
}

static pail_status record(struct pail_bases *bases, struct pail_bases_copy *copy,
                          const struct pail_vk_pipeline *pipeline, struct pail_error *err)
{
    struct pail_vk_cmd *cmd;
    pail_status status = pail_vk_cmd_begin(bases->msm->dev, PAIL_VK_QUEUE_MAIN, "glv", &cmd, err);
    if (status != PAIL_OK)
        return status;
    for (uint32_t i = 0; i < copy->n_segments; i++) {
        const uint64_t pitch = pail_bases_pitch(bases, i * bases->segment);
        const struct pail_vk_slice segment =
            pail_vk_buffer_slice(&copy->segments[i], 0, 2 * pitch * bases->group.point_bytes);
        record_segment(bases, cmd, pipeline, &segment, (uint32_t)pitch);
    }
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    pail_vk_ticket ticket;
    status = pail_vk_cmd_submit(cmd, &ticket, err);
    pail_vk_cmd_release(&cmd);
    return status;
}

pail_status pail_glv_fill(struct pail_bases *bases, struct pail_bases_copy *copy,
                          enum pail_field_form form, struct pail_error *err)
{
    struct pail_vk_device *dev = bases->msm->dev;
    const struct pail_vk_pipeline *pipeline;
    pail_status status =
        pail_points_pipeline(bases, PAIL_KERNEL_MSM_ENDOMORPHISM, form, &pipeline, err);
    if (status == PAIL_OK)
        status = record(bases, copy, pipeline, err);
    const pail_status ended = pail_vk_wait(dev, pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN),
                                           PAIL_VK_FOREVER, status == PAIL_OK ? err : NULL);
    return status == PAIL_OK ? ended : status;
}
