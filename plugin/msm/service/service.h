/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications as a service of one context: the device that they run on, and what they share
 * there: memory that lies idle, measured choices, verdicts of self-tests. Everything here may be
 * called from any thread. */
#ifndef PAIL_MSM_SERVICE_H
#define PAIL_MSM_SERVICE_H

#include "first_uses.h"
#include "memories.h"
#include "msm/plan/residency.h"
#include "msm/plan/resolution.h"
#include "vectors/field.h"
#include "vk/device.h"
#include "vk/memory.h"

#include <pail/backend.h>
#include <pthread.h>

#include <core/alloc.h>
#include <core/error.h>
#include <core/log.h>

struct pail_msm_env {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_device *dev;     /* outlives the service */
    struct pail_memories *memories; /* may hold scalars; outlives the service */
    struct pail_vectors *field;     /* may hold scalars; outlives the service */
    uint64_t memory_budget;         /* bytes of device memory; 0: what the driver grants */
    uint32_t threads;               /* threads for CPU work; at least 1 */
};

struct pail_msm {
    struct pail_alloc alloc;
    struct pail_log log;
    struct pail_vk_device *dev;
    struct pail_memories *memories;
    struct pail_vectors *field;
    uint64_t memory_budget;
    uint32_t threads;

    pthread_mutex_t lock; /* guards what follows, and the lazily made copies of bases */
    /* [accumulator, form, placement]: a bit for each group; selftest.c */
    uint8_t self_tested[96];
    struct pail_workspace *idle;                               /* workspaces that no work uses */
    pail_tuning tunings[PAIL_TUNED_CURVES][PAIL_TUNED_GROUPS]; /* struct_size 0: none; tuning.h */

    struct pail_first_uses first; /* has a lock of its own */
};

/* Takes the measured choices that the device's cache has.
 * Errors: PAIL_ERR_ARGUMENT (PAIL_TUNE), PAIL_ERR_HOST_MEMORY, PAIL_ERR_INTERNAL; *out is NULL
 * then */
pail_status pail_msm_create(struct pail_msm **out, const struct pail_msm_env *env,
                            struct pail_error *err);

/* A question (resolution.h) about work over sets of a group: the device, its pace, and what was
 * measured. */
struct pail_msm_question pail_msm_ask(struct pail_msm *msm, const struct pail_msm_group *group,
                                      const pail_msm_config *config);

/* Sets *msm to NULL. Nothing is under way, and no set of bases is left. */
void pail_msm_destroy(struct pail_msm **msm);

/* Device memory that multiplications work in. */

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

#endif /* PAIL_MSM_SERVICE_H */
