/* Device memory that multiplications work in. */
#ifndef PAIL_MSM_WORKSPACE_H
#define PAIL_MSM_WORKSPACE_H

#include "msm/plan/residency.h"
#include "service.h"

/* Memory of one started MSM; reused, so that steady state allocates nothing. */
struct pail_workspace {
    struct pail_workspace *next;
    struct pail_vk_arena device, readback;
};

/* Takes an idle workspace or makes one. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_workspace_take(struct pail_msm *msm, struct pail_workspace **out,
                                struct pail_error *err);

/* Gives it back; no submitted work may still use it. */
void pail_workspace_give(struct pail_msm *msm, struct pail_workspace *ws);

/* Frees it instead; no submitted work may still use it. ws may be NULL. */
void pail_workspace_drop(struct pail_msm *msm, struct pail_workspace *ws);

/* Frees the idle workspaces, and what vectors keep: their memory is wanted for something else. */
void pail_workspace_trim(struct pail_msm *msm);

/* Memory that the context may hold, and holds, idle workspaces included. */
struct pail_device_room pail_device_room(struct pail_msm *msm);

/* Device memory that a multiplication may take now: what the context may hold and does not, and
 * what idle workspaces hold. At least 1. */
uint64_t pail_msm_room(struct pail_msm *msm);

#endif /* PAIL_MSM_WORKSPACE_H */
