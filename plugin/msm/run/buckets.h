/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets of a multiplication before they are reduced. */
#ifndef PAIL_MSM_BUCKETS_H
#define PAIL_MSM_BUCKETS_H

#include "multiplications.h"

struct pail_msm_buckets {
    pail_bucket_info info; /* struct_size is not filled */
    pail_stats stats;      /* stats of the plan, or of the work that ran */
    size_t bytes;          /* size of all points, encoded */
};

/* See backend.h, msm_buckets; arguments have been copied out of the caller's structs. points:
 * [bytes] if `room` is at least as much, else left alone; NULL: only what there would be. */
pail_status pail_msm_read_buckets(struct pail_msm *msm, struct pail_msm_buckets *out,
                                  uint8_t *points, size_t room, const pail_msm_job *job,
                                  const pail_msm_config *config, struct pail_error *err);

#endif /* PAIL_MSM_BUCKETS_H */
