/* Limits and knobs of a plan, by the device and the caller's configuration. Pure. */
#ifndef PAIL_MSM_LIMITS_H
#define PAIL_MSM_LIMITS_H

#include "plan.h"

/* Bytes that one storage binding of one buffer can have. */
uint64_t pail_msm_binding_limit(const struct pail_vk_caps *caps);

/* Points of a segment: as many as one binding and one buffer reach, with all copies, in whole
 * pieces. point_bytes: of all copies of a point. */
uint64_t pail_msm_segment(const struct pail_vk_caps *caps, uint32_t point_bytes);

/* Limits without a budget. */
struct pail_msm_limits pail_msm_limits_of(const struct pail_vk_caps *caps,
                                          const struct pail_msm_accumulator *accumulator);

struct pail_msm_knobs pail_msm_knobs_of(const pail_msm_config *config);

#endif /* PAIL_MSM_LIMITS_H */
