/* SPDX-License-Identifier: Apache-2.0 */
/* Steps into a command buffer. */
#ifndef PAIL_VK_EXECUTE_H
#define PAIL_VK_EXECUTE_H

#include "cmd.h"
#include "steps.h"

/* Barriers that a recording needs: before a step that reads what an earlier one wrote, or writes
 * what an earlier one read or wrote. Pure functions. */

#define PAIL_VK_PENDING_MAX 48u

/* A use that later steps may have to wait for. */
struct pail_vk_pending_use {
    struct pail_vk_use use;
    uint32_t stage;  /* enum pail_vk_stage: where it was */
    uint32_t waited; /* stages for which a barrier has come after it; or-ed */
};

/* All uses so far in the order of a queue. All zero: none. */
struct pail_vk_hazards {
    bool unknown; /* something else has used any of the regions */
    uint32_t n;
    struct pail_vk_pending_use pending[PAIL_VK_PENDING_MAX];
};

/* A barrier; from = 0: none. Stages are or-ed. */
struct pail_vk_needed_barrier {
    uint32_t from, to;
};

/* The barrier that goes before the step, which is taken to be recorded, with its step, next. */
struct pail_vk_needed_barrier pail_vk_hazards_next(struct pail_vk_hazards *hazards,
                                                   const struct pail_vk_step *step);

/* Records steps first ... first + n of the list, with timestamps where a phase begins or ends, and
 * with barriers where they are needed.
 *
 * In:     pipelines  [list->n_requests]
 *         regions    [n_regions] slices; those that no step names may be all zero
 * In/out: hazards    what went before on the queue; updated
 *
 * Errors come out of pail_vk_cmd_submit: those of the list and of the recording functions, and
 * PAIL_ERR_INTERNAL for a region or pipeline that is not there. */
void pail_vk_cmd_steps(struct pail_vk_cmd *cmd, const struct pail_vk_steps *list, uint32_t first,
                       uint32_t n, const struct pail_vk_pipeline *const pipelines[],
                       uint32_t n_pipelines, const struct pail_vk_slice regions[],
                       uint32_t n_regions, struct pail_vk_hazards *hazards);

/* Records step i alone, without a timestamp or a barrier. Otherwise as above. */
void pail_vk_cmd_step(struct pail_vk_cmd *cmd, const struct pail_vk_steps *list, uint32_t i,
                      const struct pail_vk_pipeline *const pipelines[], uint32_t n_pipelines,
                      const struct pail_vk_slice regions[], uint32_t n_regions);

#endif /* PAIL_VK_EXECUTE_H */
