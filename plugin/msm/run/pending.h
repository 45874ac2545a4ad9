/* SPDX-License-Identifier: Apache-2.0 */
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
    double ms;           /* device time of the submissions that are retired */
    /* In a lane: */
    pail_vk_ticket ticket;    /* ticket of its work; 0: none was submitted */
    struct pail_vk_cmd *wipe; /* wiping of its regions, once it is submitted */
    pail_vk_ticket wiped;
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
    bool concurrent;                 /* bundles go side by side (concurrent.c) */
    bool lanes;                      /* and each has a queue: the numbers of parts, in turn */
    size_t bundle;                   /* bundle that is being driven; 0 where all of them are */
    enum pail_vk_queue_kind queue;   /* queue of submissions that begin */
    double lane_ms;                  /* largest device time of a lane */
    pail_vk_ticket ticket;           /* ticket of the last submission */
    struct pail_vk_sending *sending; /* copies under way during a recording; else NULL */
    uint64_t sending_needed, sending_bytes; /* bytes needed by the next submission; all bytes */
    /* Scalars are secrets: what is made of them is wiped before the end (wipe.c). */
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
    bool counted;       /* it is under way as a use (service/first_uses.h) */
    uint32_t number;    /* its number as a use; 0: another was under way */
    bool is_self_test;  /* its submissions teach no pace, and its workspace goes if it has grown */
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
                                  const pail_msm_config *config, enum pail_plan_purpose purpose,
                                  struct pail_error *err);

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

/* Sums of a bundle. The work must be complete, and the report read. */
uint64_t pail_msm_sums(const struct pail_pending *p, size_t bundle);

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

/* ---- Scalars on their way to the device, and bases that are sent with them (scalars.c) ------- */
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

/* ---- Recorders, from their beginning until their times are read (submissions.c) -------------- */
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

/* ---- Bundles side by side (concurrent.c) ----------------------------------------------------- */
/* True if the bundles of `p`, which have plans, go side by side. */
bool pail_msm_is_concurrent(const struct pail_pending *p);

/* True if they may have queues of their own. */
bool pail_msm_has_lanes(const struct pail_pending *p);

/* The queue of a lane. */
static inline enum pail_vk_queue_kind pail_msm_lane_queue(const struct pail_pending *p, size_t i)
{
    const uint32_t n = pail_vk_device_caps(p->msm->dev)->side_queues;
    return (enum pail_vk_queue_kind)(PAIL_VK_QUEUE_SIDE + i % n);
}

/* Records the steps of all bundles, which are kept and have their regions, pipelines and bases: in
 * turn, with one barrier for all where one of them needs it. */
void pail_msm_record_concurrent(struct pail_pending *p, struct pail_vk_cmd *cmd);

/* ---- Wiping of all that is made of scalars: workspace, staging ring, copies (wipe.c) --------- */
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

/* ---- The self-test (selftest.c) -------------------------------------------------------------- */
/* Multiplies a few points whose sum is known, with the kernels that the plans of `p` choose, unless
 * this context has done so before. Their first multiplication waits for it, before it takes
 * anything of the device. Pipelines of the test count as those of `p`.
 * Errors: PAIL_ERR_UNSUPPORTED  the device gives another sum
 *         PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST, PAIL_ERR_INTERNAL */
pail_status pail_msm_self_test(struct pail_pending *p, struct pail_error *err);

/* Same, of an accumulator over a group's points before any work takes it. */
pail_status pail_msm_self_test_of(struct pail_msm *msm, const struct pail_candidates_wish *wish,
                                  const struct pail_msm_accumulator *accumulator,
                                  struct pail_error *err);

/* ---- First uses (candidates.c) --------------------------------------------------------------- */
/* Notes the times of finished work, whose submissions are retired. Begins to make pipelines of
 * candidates where that is due. */
void pail_msm_note_use(struct pail_pending *p);

/* Leaves out the candidates of work that failed. Returns false if it has none. */
bool pail_msm_drop_candidates(struct pail_pending *p, const struct pail_error *err);

#endif /* PAIL_MSM_PENDING_H */
