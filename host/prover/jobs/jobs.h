/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler over threads: the functions of <pail/prover.h>, for arguments that are known to be
 * good. */
#ifndef PAIL_JOBS_JOBS_H
#define PAIL_JOBS_JOBS_H

#include <pthread.h>
#include <stdatomic.h>

#include <pail/prover.h>

#include <platform/machine.h>
#include <prover/key/key.h>
#include <prover/ledger/buffers.h>
#include <prover/ledger/heaps.h>
#include <prover/ledger/ledger.h>
#include <prover/ledger/reclaim.h>
#include <prover/prove.h>
#include <prover/schedule/schedule.h>

/* Work that threads do one after the other. */
struct pail_task {
    void (*run)(struct pail_task *task); /* no lock is held */
    struct pail_task *next;
};

/* Threads of a kind, and their waiting tasks. */
struct pail_crew {
    pail_prover *prover;
    pthread_cond_t arrived;
    struct pail_task *first;
    pthread_t *threads; /* [n_threads] that were started */
    uint32_t n_threads;
};

/* Work of a job that is no proof: a device does it in one go. Embedded in its owner's, in one block
 * of malloc, which goes with the job. */
struct pail_job_work {
    pail_context *context;             /* that computes it */
    uint64_t host_bytes, device_bytes; /* the most that it takes */
    /* No lock is held. stop: may be set meanwhile: the rest is not wanted. */
    pail_status (*run)(struct pail_job_work *work, const atomic_bool *stop, char *error,
                       size_t capacity);
    /* The job is over, with this status: nothing but outputs is to be written. Called once, also if
     * it never ran; then with the prover's lock. */
    void (*end)(struct pail_job_work *work, pail_status status);
    uint64_t device_ns; /* out, of run */

    /* The prover's, for run: called when it does not use the device any more, and when it uses it
     * again. */
    void (*claim)(void *user, bool claims);
    void *user;
};

enum { PAIL_JOB_SENTENCE_BYTES = 512 };

struct pail_prover_job {
    struct pail_unit unit; /* first, so that executors find the rest */
    pail_prover *prover;
    struct pail_task task;
    enum pail_unit_stage stage;
    bool loads_only;            /* a job of pail_prover_add_key */
    struct pail_job_work *work; /* instead of a proof; owned */
    atomic_bool stop;           /* the work is cancelled */
    pail_groth16_witness witness;
    pail_groth16_assignment assignment; /* instead of the witness, if it is_assigned */
    bool is_assigned;
    bool copies;       /* the arrays of the assignment */
    bool copied;       /* its arrays are, and checked */
    char *path, *name; /* copies */
    pail_groth16_options options;
    void *buffer; /* contents of path, or the copied arrays */
    uint64_t buffer_bytes, buffer_capacity;
    uint64_t witness_bytes;  /* most bytes of either */
    uint64_t promised_bytes; /* granted for a buffer that is not taken yet */
    struct pail_proving *proving;
    pail_groth16_proof proof;
    uint8_t *publics; /* [n_public * 32] */
    pail_groth16_timings timings;
    uint64_t sent_ns; /* when the device had the witness; 0: not yet */
    char error[PAIL_JOB_SENTENCE_BYTES];
    bool ended;
    struct pail_prover_job *next; /* the next of all jobs */
};

struct pail_eviction {
    struct pail_task task; /* first, so that run finds the rest */
    pail_prover *prover;
    uint32_t key, device;
};

/* A key, and the members that every load of it shares. */
struct pail_prover_key {
    pail_groth16_key_params params;
    char *path, *name; /* copies */
    pail_groth16_key *open[PAIL_SCHEDULE_DEVICES_MAX];
    struct pail_eviction evictions[PAIL_SCHEDULE_DEVICES_MAX];
    bool known;             /* the rest is set */
    pail_groth16_key facts; /* without points and matrices: what producing needs */
    uint64_t device_bytes;  /* most bytes for a proof */
    uint64_t b2_bytes;      /* most bytes of host memory for B2 of a proof */
    uint64_t taken_bytes;   /* the most that a finished proof took; 0: none has finished */
    uint32_t threads[PAIL_SCHEDULE_DEVICES_MAX]; /* threads of a multiplication on the host; 0: the
                                                    backend's choice */
    uint64_t largest_bytes;                      /* scratch bytes of the largest multiplication */
};

struct pail_prover {
    pthread_mutex_t mutex; /* guards all members that change */
    pthread_cond_t ended, tick;
    pail_prover_params params;
    pail_prover_device devices[PAIL_SCHEDULE_DEVICES_MAX];
    struct pail_device_heap device_heaps[PAIL_SCHEDULE_DEVICES_MAX];
    struct pail_ledger *ledger;
    struct pail_reclaimer *reclaimer;
    struct pail_buffers *buffers;
    struct pail_schedule *schedule;
    struct pail_crew producers, drivers, finishers;
    pthread_t ticker;
    bool ticks, stopping, draining;
    struct pail_prover_key keys[PAIL_KEYS_MAX];
    struct pail_prover_job *jobs;
    uint64_t sequence, begun_ns;
    uint32_t visitors[PAIL_SCHEDULE_DEVICES_MAX]; /* users of the context without a job there */
    bool shares[PAIL_SCHEDULE_DEVICES_MAX];       /* there was work for it that is no proof */
    struct pail_reservation idle;                 /* bytes of idle buffers */
    uint64_t promised_bytes;                      /* sum over all jobs */
    bool idle_is_in_the_way;
    struct pail_caches caches;
    uint32_t pool_threads;
    uint64_t pool_worker_bytes;
};

/* ---- crew.c --------------------------------------------------------------------------------- */
/* Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with fewer threads than were asked for. */
pail_status pail_crew_start(struct pail_crew *crew, pail_prover *prover, uint32_t n_threads);
/* Hands a task over. Under the mutex. */
void pail_crew_add(struct pail_crew *crew, struct pail_task *task);
/* Ends the threads. No task may wait; prover->stopping is set. */
void pail_crew_end(struct pail_crew *crew);
pail_status pail_ticker_start(pail_prover *prover);
void pail_ticker_end(pail_prover *prover);

/* ---- spans.c -------------------------------------------------------------------------------- */
/* Tells the span of the state that a unit has left. Called by the schedule. */
void pail_prover_moved(void *user, const struct pail_unit *unit, enum pail_unit_state from);

/* ---- stages.c ------------------------------------------------------------------------------- */
/* Functions that the schedule calls. */
struct pail_executor pail_prover_executor(pail_prover *prover);

/* ---- devices.c ------------------------------------------------------------------------------ */
/* Uses the context of a device without a job there: the device stays until it is left. Returns
 * false if it is lost; it is to be left in any case. */
bool pail_jobs_visit(pail_prover *prover, uint32_t device, pail_prover_device *visited);
void pail_jobs_leave(pail_prover *prover, uint32_t device);
/* Visits a device that is not lost, if there is one. Returns its number. */
uint32_t pail_jobs_visit_any(pail_prover *prover, pail_prover_device *visited);
pail_status pail_jobs_restore(pail_prover *prover, uint32_t device, pail_context *context,
                              char *error, size_t error_cap);

/* ---- idle.c --------------------------------------------------------------------------------- */
/* Under the mutex, but for the last three. */
/* Takes idle buffers into account, whenever there may be more or fewer. */
void pail_jobs_note_idle(pail_prover *prover);
/* Promises the job the memory of a buffer; ends the promise, once it has one or will have none. */
void pail_jobs_promise(pail_prover *prover, struct pail_prover_job *job);
void pail_jobs_keep_promise(pail_prover *prover, struct pail_prover_job *job);
/* A callback of the buffers. */
void pail_jobs_buffer_unmapped(void *user);
pail_status pail_jobs_begin_idle(pail_prover *prover);
void pail_jobs_end_idle(pail_prover *prover);

/* ---- jobs.c --------------------------------------------------------------------------------- */
pail_status pail_jobs_create(pail_prover **prover, const pail_prover_params *params, char *error,
                             size_t error_cap);
void pail_jobs_destroy(pail_prover **prover);
pail_status pail_jobs_add_key(pail_prover *prover, uint32_t *key,
                              const pail_groth16_key_params *params, char *error, size_t error_cap);
pail_status pail_jobs_remove_key(pail_prover *prover, uint32_t key, char *error, size_t error_cap);
pail_status pail_jobs_submit(pail_prover *prover, pail_prover_job **job,
                             const pail_prover_request *request, char *error, size_t error_cap);
/* Takes the work over, also on failure, and ends it then. Of the request it takes the priority and
 * the deadline. */
pail_status pail_jobs_submit_work(pail_prover *prover, pail_prover_job **job,
                                  const pail_prover_request *request, struct pail_job_work *work,
                                  char *error, size_t error_cap);
bool pail_jobs_ended(pail_prover *prover, const pail_prover_job *job, uint64_t timeout_ns);
/* The same until the job has copied what it is to copy, or has ended. */
bool pail_jobs_copied(pail_prover *prover, const pail_prover_job *job, uint64_t timeout_ns);
/* Number of public values of the key; 0 for work that is no proof. */
uint64_t pail_jobs_publics(pail_prover *prover, const pail_prover_job *job);
pail_status pail_jobs_take(pail_prover *prover, pail_prover_job *job, pail_groth16_proof *proof,
                           void *publics, pail_groth16_timings *timings, char *error,
                           size_t error_cap);
void pail_jobs_cancel(pail_prover *prover, pail_prover_job *job);
bool pail_jobs_drain(pail_prover *prover, uint64_t timeout_ns);

/* ---- account.c ------------------------------------------------------------------------------ */
void pail_jobs_stats(pail_prover *prover, pail_prover_stats *stats);
/* In: device: below n_devices. */
void pail_jobs_device_stats(pail_prover *prover, uint32_t device, pail_prover_device_stats *stats);
void pail_jobs_info(pail_prover *prover, const pail_prover_job *job, pail_prover_job_info *info);

#endif /* PAIL_JOBS_JOBS_H */
