/* Wiping of all that a multiplication makes of scalars: its workspace, the staging ring, copies. */
#ifndef PAIL_MSM_WIPE_H
#define PAIL_MSM_WIPE_H

#include "pending.h"

/* Wipes the workspace, behind the work, in a submission of its own: the host reads and folds the
 * results meanwhile. */
pail_status pail_msm_wipe_begin(struct pail_pending *p, struct pail_error *err);

/* Wipes the staging ring, by the host while the device works on what was copied out of it. Waits
 * for the copies alone, at most that long. The rest is for pail_msm_wipe_end to wipe. */
void pail_msm_wipe_sent(struct pail_pending *p, uint64_t timeout_ns);

/* Waits until all of that is wiped, and sees to it where the work has failed before: nothing of it
 * may run any more but what pail_msm_wipe_begin submitted. A region that cannot be wiped, since
 * memory is short or the device lost, is logged, and wiped before it is freed if that can be done
 * then. */
void pail_msm_wipe_end(struct pail_pending *p);

/* Wipes and frees the copy of the scalars. */
void pail_msm_wipe_copy(struct pail_pending *p);

#endif /* PAIL_MSM_WIPE_H */
