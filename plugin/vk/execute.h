/* Steps into a command buffer. */
#ifndef PAIL_VK_EXECUTE_H
#define PAIL_VK_EXECUTE_H

#include "cmd.h"
#include "hazards.h"

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
