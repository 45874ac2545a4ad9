/* Multiplications under way, as the files of this folder see them. */
#ifndef PAIL_MSM_PENDING_H
#define PAIL_MSM_PENDING_H

#include <pthread.h>
#include <stdatomic.h>

#include "msm/service/service.h"
#include "msm/steps/steps.h"
#include "multiplications.h"
#include "vk/execute.h"
#include "vk/send.h"

/* Bundles with up to so many blocks keep their steps. */
#define PAIL_MSM_KEPT_BLOCKS   4u
#define PAIL_MSM_KEPT_SECTIONS (3 * PAIL_MSM_KEPT_BLOCKS + 3)

/* State of one bundle. */
struct pail_msm_part {
    /* Steps of the bundle, and the pipelines of their requests. Where there are few blocks, the
     * steps of all sections are kept from when the requests were made. Otherwise n_sections is 0,
     * and there is a section at a time. */
    struct pail_vk_steps steps;
    uint32_t sections[PAIL_MSM_KEPT_SECTIONS]; /* [n_sections] where each ends */
    uint32_t n_sections, section;              /* the next one to be recorded */
    uint32_t n_pipelines;
    const struct pail_vk_pipeline **pipelines; /* [n_pipelines] */
    struct pail_vk_hazards hazards;
    /* Regions of its data: enum pail_msm_region and pail_msm_slice. Slices of bases and maps are
     * set for each chunk; buckets have no buffer where they are not wanted. */
    struct pail_vk_slice slices[PAIL_MSM_SLICES];
    uint64_t *addresses; /* [set][vector] of results wanted on the device; NULL if none is */
    bool counted;        /* pail_msm_count_sums has set what follows */
    double done;         /* sums by entries */
};

/* A submitted recorder whose timestamps are still to be read. */
struct pail_msm_submission {
    struct pail_msm_submission *next;
    struct pail_vk_cmd *cmd;
    size_t bundle; /* bundle that it works for */
};

struct pail_pending {
    const struct pail_pending_kind *kind; /* first: pending_kind.h */
    struct pail_msm *msm;
    struct pail_workspace *ws;
    uint64_t ws_bytes;      /* device memory that it had when it was taken */
    uint64_t memory_budget; /* the caller's budget for the workspace's device memory; 0: none */
    size_t n_jobs, n_bundles;
    struct pail_msm_bundle *bundles;
    struct pail_msm_part *parts; /* [n_bundles] */

    /* Semaphores of the host that the first submission waits for. */
    uint64_t *wait_semaphores, *wait_values; /* [n_waits] */
    size_t n_waits;

    struct pail_msm_submission *oldest, *newest;
    bool concurrent;                 /* bundles go side by side (concurrent.h) */
    size_t bundle;                   /* bundle that is being driven; 0 where all of them are */
    pail_vk_ticket ticket;           /* ticket of the last submission */
    struct pail_vk_sending *sending; /* copies under way during a recording; else NULL */
    uint64_t sending_needed, sending_bytes; /* bytes needed by the next submission; all bytes */
    /* Scalars are secrets: what is made of them is wiped before the end (wipe.h). */
    bool secret;
    bool stable;  /* scalars stay where they are until the end */
    bool borrows; /* reads vectors of the caller: all is submitted before the start returns */
    pail_vk_ticket sent;      /* ticket of the last copy out of the staging ring; 0: none */
    struct pail_vk_cmd *wipe; /* wiping of the workspace, once it is submitted */
    pail_vk_ticket wiped;
    uint64_t bytes_wiped;
    uint32_t blocks, sorts, submissions;
    double longest_submission_ms;
    uint64_t bytes_streamed, bytes_requested;
    struct pail_vk_phase phases[PAIL_PHASES_MAX];
    uint32_t n_phases;
    struct pail_vk_pipeline_stats pipelines; /* of the work, and of registering bases */
    uint64_t kernel_hash;
    double start_ms;
    bool is_self_test;  /* teaches no pace, and its workspace goes if it has grown */
    bool keeps_buckets; /* copies them before they are reduced; of one job */

    /* Sends points or scalars that go to the device piece by piece from a thread of its own, from
     * copies of the scalars, so that starting does not wait for the device. */
    bool has_driver;
    uint8_t *scalars_copy; /* copy_bytes bytes; gone once everything is submitted */
    size_t copy_bytes;
    pthread_t driver;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool submitted; /* everything, or nothing more will be */
    pail_status status;
    struct pail_error err;
    atomic_bool cancel;
};

/* Prepares jobs up to the plans; nothing is allocated on the device. */
pail_status pail_msm_prepare_jobs(struct pail_msm *msm, struct pail_pending **out,
                                  const pail_msm_job jobs[], size_t n_jobs,
                                  const pail_msm_config *config, struct pail_error *err);

/* Takes buffers and pipelines for all bundles, and sends and submits all work, in this thread or,
 * where the work is stepped, in one of its own. On failure nothing is left running. */
pail_status pail_msm_drive(struct pail_pending *p, struct pail_error *err);

/* Waits until everything is submitted. timeout_ns: in: as pail_vk_wait; out: what is left of it.
 * Returns PAIL_NOT_READY when the time is over, or why submitting failed. */
pail_status pail_msm_drive_wait(struct pail_pending *p, uint64_t *timeout_ns,
                                struct pail_error *err);

/* Makes a driver stop after the chunk in hand, if it is not through, and waits for it. */
void pail_msm_drive_join(struct pail_pending *p);

/* Same, and waits for all submitted work of the device, whoever's: after a failure. */
void pail_msm_drive_stop(struct pail_pending *p);

/* Adds the device time of finished submissions to p->phases; all of them have to be finished. */
pail_status pail_msm_collect(struct pail_pending *p, struct pail_error *err);

void pail_msm_add_phases(struct pail_pending *p, const struct pail_vk_phase phases[], uint32_t n);

/* Notes what part of the entries there were sums of: those of zero digits are none. The work must
 * be complete. */
pail_status pail_msm_count_sums(struct pail_pending *p, struct pail_error *err);

/* Results of all jobs. The work must be complete. */
pail_status pail_msm_read_results(struct pail_pending *p, pail_msm_result results[],
                                  struct pail_error *err);
pail_status pail_msm_read_stats(struct pail_pending *p, pail_stats *stats, struct pail_error *err);

/* Checks that scalars that were read on the device kept their promise; PAIL_ERR_DATA: they did not.
 * The bundle's work must be complete. */
pail_status pail_msm_check_report(struct pail_pending *p, size_t bundle, struct pail_error *err);

/* Puts a plan's values into the stats. */
void pail_msm_plan_stats(pail_stats *stats, const struct pail_msm_plan *plan,
                         enum pail_field_form form);

#endif /* PAIL_MSM_PENDING_H */
