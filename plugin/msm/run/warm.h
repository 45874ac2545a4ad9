/* SPDX-License-Identifier: Apache-2.0 */
/* The pipelines that multiplications need, before there are any. */
#ifndef PAIL_MSM_WARM_H
#define PAIL_MSM_WARM_H

#include "msm/service/service.h"
#include "warm_list.h"

/* Adds what multiplications of an item's group, accumulator and field form ask for, registering
 * their bases included. Their size makes no difference, unless the item has a configuration: then
 * it is what one multiplication takes. The configuration has all members.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED  the item names what there is not
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_msm_warm_add(struct pail_msm *msm, struct pail_warm_list *list,
                              const pail_warm_item *item, struct pail_error *err);

/* Adds what a multiplication over bases that are there asks for, if it takes another accumulator.
 * Out: *chosen: that. Errors: PAIL_NOT_READY, it does not fit the device; PAIL_ERR_HOST_MEMORY */
pail_status pail_msm_warm_candidate(struct pail_msm *msm, struct pail_warm_list *list,
                                    const struct pail_candidates_wish *wish, uint32_t accumulator,
                                    struct pail_msm_accumulator *chosen, struct pail_error *err);

/* Adds every group, accumulator and field form that the device can have. */
pail_status pail_msm_warm_add_all(struct pail_msm *msm, struct pail_warm_list *list,
                                  struct pail_error *err);

#endif /* PAIL_MSM_WARM_H */
