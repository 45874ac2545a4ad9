/* Scalars on their way to the device, and bases that are sent with them. */
#ifndef PAIL_MSM_SCALARS_H
#define PAIL_MSM_SCALARS_H

#include "pending.h"

/* Scalars of vectors first ... first + n - 1 of a chunk, on their way to consecutive places. */
struct pail_msm_scalars {
    const struct pail_msm_bundle *bundle;
    const struct pail_msm_chunk *chunk;
    uint32_t first;
};

/* Copies those of all jobs in host memory: they are the caller's again when starting returns. */
pail_status pail_msm_scalars_copy(struct pail_pending *p, struct pail_error *err);

/* Copies scalars that are in vectors, where points from host memory are sent by a thread: later
 * work may change the vectors. Before the plans, which share out the memory that is left. Otherwise
 * notes that the vectors stay the caller's. Waits for work that was started before. */
pail_status pail_msm_elements_copy(struct pail_pending *p, struct pail_error *err);

/* Scalars that are all in host memory go to the device while the work is recorded, small vectors as
 * a part of it. Many in pinned memory are copied, chunk by chunk: the kernel that fetches others
 * would have all of them before work begins. */
pail_status pail_msm_scalars_begin(struct pail_pending *p, struct pail_msm_scalars *s,
                                   const struct pail_msm_part *part, struct pail_vk_cmd *cmd,
                                   struct pail_error *err);

/* Sends a chunk's data from the host: scalars of all vectors, and bases that are not resident.
 * Where the plan has several places for them, by the queue for copies: nothing that is not complete
 * uses the slices. Out: *sent: of the last copy, which the work on the chunk waits for; 0 where
 * there is none. */
pail_status pail_msm_send_chunk(struct pail_pending *p, const struct pail_msm_bundle *b,
                                const struct pail_msm_part *part,
                                const struct pail_msm_chunk *chunk, pail_vk_ticket *sent,
                                struct pail_error *err);

#endif /* PAIL_MSM_SCALARS_H */
