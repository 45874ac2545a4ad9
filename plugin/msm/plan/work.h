/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of what kernels do, for the pace of the device (vk/pace.h). */
#ifndef PAIL_MSM_WORK_H
#define PAIL_MSM_WORK_H

#include "accumulator.h"
#include "curve.h"
#include "vk/cmd.h"

/* Work of a dispatch of so many additions; and the same for the next dispatch of a recorder. */
struct pail_vk_work pail_msm_work(const struct pail_msm_group *group, double additions);
void pail_msm_expect_additions(struct pail_vk_cmd *cmd, const struct pail_msm_group *group,
                               double additions);

/* Entries of a block whose sums, of the narrowest group of a curve up to the given one, take one
 * dispatch as long as it may take; 0: no limit. The accumulation has as many threads as the device
 * has room for, so portions would not be shorter. */
uint64_t pail_msm_entries_at_once(struct pail_vk_device *dev, const struct pail_msm_group *widest,
                                  uint32_t narrowest, enum pail_field_form form,
                                  const struct pail_msm_accumulator *accumulator);

/* Steps of a kernel that does `additions` of them for each of n points and can be resumed: as many
 * as one dispatch may take, from 1 to `most`. */
uint32_t pail_msm_steps_at_once(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                                const struct pail_msm_group *group, enum pail_field_form form,
                                uint64_t n, double additions, uint32_t most);

/* Bits of the number that msm/bases/check multiplies by: steps beyond them do nothing. */
uint32_t pail_msm_check_bits(const struct pail_msm_group *group);

/* Additions of a step of msm/bases/check and msm/bases/table, a doubling and at times an addition,
 * and of what the last step of a table has besides: an inversion. */
#define PAIL_MSM_STEP_ADDITIONS      1.5
#define PAIL_MSM_INVERSION_ADDITIONS 40.0

#endif /* PAIL_MSM_WORK_H */
