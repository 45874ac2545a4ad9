#include "glv.h"

#include <shared/msm_layout.h>

#include "msm/plan/work.h"
#include "points.h"
#include "vk/cmd.h"

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
