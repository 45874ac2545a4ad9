/* Records the runs of one MSM into a command recorder. */
#ifndef PAIL_MSM_RECORD_H
#define PAIL_MSM_RECORD_H

#include "../vk/cmd.h"
#include "bases.h"
#include "plan.h"

/* The pipelines of one (curve, group, field form), with the workgroups of a plan. */
struct pail_msm_pipelines {
    const struct pail_vk_pipeline *decompose, *sort_count, *sort_scan, *sort_totals, *sort_scatter,
        *bounds, *cuts, *accumulate, *combine, *reduce;
};

pail_status pail_msm_pipelines_get(struct pail_vk_device *dev, struct pail_msm_pipelines *out,
                                   const struct pail_msm_group *group, enum pail_field_form form,
                                   const struct pail_msm_plan *plan, struct pail_error *err);

/* FNV-1a-64 over the hashes of their SPIR-V. */
uint64_t pail_msm_pipelines_hash(const struct pail_msm_pipelines *pipelines);

/* Where a job's data is. Slices cover at least what the plan says. */
struct pail_msm_buffers {
    struct pail_vk_slice scalars, windows;         /* of this job */
    struct pail_vk_slice region[PAIL_MSM_REGIONS]; /* shared by jobs that follow one another */
    struct pail_vk_slice windows_out, adds_out;    /* readback, of this job */
};

/* Words of adds_out: one for each run. */
uint32_t pail_msm_runs(const struct pail_msm_plan *plan);

/* Window sums go to windows_out as [chunk][window] XYZZ points in the form's representation. */
void pail_msm_record(struct pail_vk_cmd *cmd, const struct pail_msm_plan *plan,
                     const struct pail_msm_shape *shape, const struct pail_bases *bases,
                     enum pail_field_form form, const struct pail_msm_pipelines *pipelines,
                     const struct pail_msm_buffers *buffers);

#endif /* PAIL_MSM_RECORD_H */
