/* What a device, a context and a caller's knobs mean for the plan. */
#ifndef PAIL_MSM_LIMITS_H
#define PAIL_MSM_LIMITS_H

#include <kernels.h>

#include "plan.h"
#include "service.h"

/* Bytes that one storage binding of one buffer can have. */
uint64_t pail_msm_binding_limit(const struct pail_vk_caps *caps);

/* budget: bytes of scratch, 0 for no limit. */
struct pail_msm_limits pail_msm_limits_of(const struct pail_vk_caps *caps,
                                          const struct pail_msm_accumulator *accumulator,
                                          uint64_t budget);

struct pail_msm_knobs pail_msm_knobs_of(const pail_msm_config *config);

/* Device memory that a multiplication may take now: what the context may hold and does not, and
 * what idle workspaces hold. At least 1. */
uint64_t pail_msm_room(struct pail_msm *msm);

/* wanted: PAIL_FIELD_, of a configuration. */
pail_status pail_msm_choose_form(enum pail_field_form *form, const struct pail_vk_caps *caps,
                                 uint32_t coordinate_bytes, uint32_t wanted,
                                 struct pail_error *err);

#endif /* PAIL_MSM_LIMITS_H */
