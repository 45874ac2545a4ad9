/* Recorders of the work of a multiplication, from their beginning until their times are read. */
#ifndef PAIL_MSM_SUBMISSIONS_H
#define PAIL_MSM_SUBMISSIONS_H

#include "pending.h"

/* Begins a recorder for p->bundle; the first one waits for the semaphores of the host.
 * Errors: PAIL_ERR_HOST_MEMORY, and those of pail_vk_cmd_begin. */
pail_status pail_msm_submission_begin(struct pail_pending *p, struct pail_vk_cmd **cmd,
                                      struct pail_error *err);

/* Submits it, after what it needs of what is being sent. NULL in *cmd is accepted and left behind.
 */
pail_status pail_msm_submission_end(struct pail_pending *p, struct pail_vk_cmd **cmd,
                                    struct pail_error *err);

/* Reads and releases those that are complete by now: a streamed multiplication has many. */
pail_status pail_msm_retire_complete(struct pail_pending *p, struct pail_error *err);

#endif /* PAIL_MSM_SUBMISSIONS_H */
