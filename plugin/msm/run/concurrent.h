/* Bundles side by side: the device works on the steps of all of them at a time, each in memory of
 * its own. Where there are few points, a multiplication is a chain of short steps that does not
 * fill a device, and several of them take hardly longer than one. */
#ifndef PAIL_MSM_CONCURRENT_H
#define PAIL_MSM_CONCURRENT_H

#include "pending.h"

/* True if the bundles of `p`, which have plans, go side by side. */
bool pail_msm_is_concurrent(const struct pail_pending *p);

/* Records the steps of all bundles, which are kept and have their regions, pipelines and bases: in
 * turn, with one barrier for all where one of them needs it. */
void pail_msm_record_concurrent(struct pail_pending *p, struct pail_vk_cmd *cmd);

#endif /* PAIL_MSM_CONCURRENT_H */
