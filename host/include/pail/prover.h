/* SPDX-License-Identifier: Apache-2.0 */
/* A scheduler for many proofs on one or more devices, with limits of memory and threads.
 *
 * A job is a witness, or an assignment, and a key; or a request of <pail/kzg.h> and a setup. Jobs
 * run in the order of priority, then of age. A job reserves its memory before it begins, and waits
 * until that is free; the queue is bounded. Keys are loaded on the devices that need them. When
 * memory is needed, idle keys are unloaded, least recently used first.
 *
 * Functions report failures like those of <pail/pail.h>. Thread-safety: safe, unless stated
 * otherwise. */
#ifndef PAIL_PROVER_H
#define PAIL_PROVER_H

#include <pail/groth16.h>
#include <pail/kzg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pail_prover pail_prover;
typedef struct pail_prover_job pail_prover_job;

typedef enum pail_prover_device_flag {
    /* Used only after all devices without this flag are lost. */
    PAIL_PROVER_DEVICE_SPARE = 1 << 0,
    PAIL_PROVER_DEVICE_FLAG_FORCE_32 = 0x7fffffff
} pail_prover_device_flag;

/* A device: a context of a backend with PAIL_ABILITY_VECTORS. Both must outlive the prover. */
typedef struct pail_prover_device {
    uint32_t struct_size;
    uint32_t flags; /* pail_prover_device_flag, or-ed */
    const pail_backend *backend;
    pail_context *context;
} pail_prover_device;

typedef enum pail_prover_flag {
    /* The first four disable a mechanism, to measure its benefit. */
    PAIL_PROVER_NO_LEDGER = 1 << 0,    /* grant reservations of memory without limit */
    PAIL_PROVER_NO_RECLAIMER = 1 << 1, /* free memory without the reclaimer thread */
    PAIL_PROVER_WHOLE_SLOTS = 1 << 2,  /* hold a slot until the proof is finished */
    PAIL_PROVER_ALL_THREADS = 1 << 3,  /* ignore host_bucket_mb */
    /* While witnesses are read and keys loaded, slow down sparse products and transforms of
     * contexts that compute on the host (throttle_begin). */
    PAIL_PROVER_THROTTLE = 1 << 4,
    /* Load a key on a device that has fewer jobs than those with the key, for keys that stay: the
     * jobs of a key use all devices from the first one on. Without it, more jobs than a device has
     * slots must wait for the key before a second device loads it. Since version 1.1. */
    PAIL_PROVER_KEYS_EVERYWHERE = 1 << 5,
    PAIL_PROVER_FLAG_FORCE_32 = 0x7fffffff
} pail_prover_flag;

/* The kind of a time span of a job: what it did, or what it waited for. */
typedef enum pail_prover_span_kind {
    PAIL_PROVER_WAIT_PRODUCER = 0,
    PAIL_PROVER_WAIT_HOST_MEMORY,
    PAIL_PROVER_PRODUCE,
    PAIL_PROVER_WAIT_SLOT,
    PAIL_PROVER_WAIT_DEVICE_MEMORY,
    PAIL_PROVER_LOAD,   /* its key */
    PAIL_PROVER_UPLOAD, /* sends the witness */
    PAIL_PROVER_DEVICE, /* from then on, until the device is done */
    PAIL_PROVER_WAIT_FINISHER,
    PAIL_PROVER_FINISH,
    PAIL_PROVER_RELEASE,
    PAIL_PROVER_SPAN_KINDS,
    PAIL_PROVER_SPAN_KIND_FORCE_32 = 0x7fffffff
} pail_prover_span_kind;

typedef struct pail_prover_span {
    uint32_t struct_size;
    uint32_t kind;             /* pail_prover_span_kind */
    uint64_t job;              /* its number: jobs and keys are numbered together from 0 */
    uint64_t begin_ns, end_ns; /* monotonic clock (CLOCK_MONOTONIC) */
    uint64_t device_ns;        /* of FINISH: device time of the job; 0 without device timestamps */
} pail_prover_span;

/* Members that are 0 have the default given below; `devices` is required. */
typedef struct pail_prover_params {
    uint32_t struct_size;
    uint32_t flags;                    /* pail_prover_flag, or-ed */
    const pail_prover_device *devices; /* [n_devices] */
    uint32_t n_devices;                /* 1 to 16 */
    uint32_t inflight;                 /* most jobs on a device at a time; 2 */
    uint32_t producers;                /* threads that read and check witnesses; 2 */
    uint32_t host_threads;             /* threads that finish proofs; 2 */
    uint32_t queue_depth;              /* most unfinished jobs; 64 */
    uint32_t host_bucket_mb; /* MiB of scratch memory for the threads of a multiplication on the
                                host; half of the L3 caches */
    /* Bytes of host memory; available memory less 256 MiB. It includes idle witness buffers, which
     * are freed when a job waits for memory. */
    uint64_t mem_budget;
    uint64_t vram_budget; /* bytes of memory of each device; available memory less 256 MiB. For
                             contexts that compute on the host, a part of mem_budget */
    /* optional: called at the end of each span that took any time, in threads of the prover, one at
     * a time. It must be fast and not call the prover. Keys have only LOAD spans. */
    void (*span)(void *user, const pail_prover_span *span);
    void *user;
    /* optional: called like `span` when a job or a key load has ended, with its number. From then
     * on pail_prover_wait does not block for it. */
    void (*ended)(void *user, uint64_t job);
    uint32_t share;    /* deprecated: 0 to 16 are accepted, and have no effect */
    uint32_t reserved; /* 0 */
} pail_prover_params;

/* Creates a prover and starts its threads.
 *
 * Out: *prover: owned by the caller; freed by pail_prover_destroy.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED for a backend without vectors, or
 * PAIL_ERR_HOST_MEMORY, also if a thread cannot be started. */
PAIL_API pail_status pail_prover_create(pail_prover **prover, const pail_prover_params *params,
                                        char *error, size_t capacity);

/* Cancels unfinished jobs, waits for them, and frees everything, including jobs. No other call may
 * be running. *prover may be NULL. */
PAIL_API void pail_prover_destroy(pail_prover **prover);

/* Loads a key on one of the devices. It is loaded on other devices when jobs need it there.
 *
 * Out: *key: its number.
 * In:  params: `bytes`, if used, must not change before the prover is destroyed; strings are
 *      copied.
 * Returns PAIL_OK, what pail_groth16_key_open returns, PAIL_NOT_READY: the queue is full, in which
 * a key counts as a job; PAIL_ERR_STOPPED after pail_prover_drain; or PAIL_ERR_DEVICE_MEMORY or
 * PAIL_ERR_HOST_MEMORY if it can never fit. With PAIL_RESIDENCY_AUTO, points that do not fit device
 * memory are kept in host memory. */
PAIL_API pail_status pail_prover_add_key(pail_prover *prover, uint32_t *key,
                                         const pail_groth16_key_params *params, char *error,
                                         size_t capacity);

/* Unloads a key from all devices, waits for that, and forgets it: its number may go to a later key.
 * Since version 1.1 of the library.
 *
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT: there is no such key; or PAIL_NOT_READY: it has jobs for
 * which pail_prover_wait is still to be called. */
PAIL_API pail_status pail_prover_remove_key(pail_prover *prover, uint32_t key, char *error,
                                            size_t capacity);

typedef enum pail_prover_request_flag {
    /* Copy the arrays of the assignment as soon as the prover has the host memory for that, which
     * the job reserves with the rest: pail_prover_wait_copied. The copy is wiped when the job
     * ends, before pail_prover_poll says so. */
    PAIL_PROVER_REQUEST_COPY = 1 << 0,
    PAIL_PROVER_REQUEST_FLAG_FORCE_32 = 0x7fffffff
} pail_prover_request_flag;

typedef struct pail_prover_request {
    uint32_t struct_size;
    uint32_t key;     /* of pail_prover_add_key */
    int32_t priority; /* higher comes first */
    uint32_t reserved;
    uint64_t deadline_ms; /* time in which it must start on a device; 0: no limit */
    /* values and wtns must not change until the job has ended; strings are copied. */
    const pail_groth16_witness *witness;
    /* optional; PAIL_GROTH16_STAGES, callbacks and `cancel` are not allowed. */
    const pail_groth16_options *options;
    /* Instead of witness, with a key of bellman, since version 1.1. Its arrays must not change
     * until the job has ended, or as the flags say; the string is copied. */
    const pail_groth16_assignment *assignment;
    uint32_t flags;          /* pail_prover_request_flag, or-ed; since version 1.1 */
    uint32_t reserved_flags; /* 0 */
    /* Instead of witness and assignment, a job that is no proof, since version 1.1: a request to a
     * setup that was opened on the context of a device of the prover, and is done there. key,
     * options and flags are 0 or NULL.
     *
     * kzg must stay open until the job has ended. *kzg_request is copied; its arrays must not
     * change, and *kzg_result and its arrays must stay, until then: they are written to at any time
     * before, by the rules of pail_kzg_finish. Where the priority is higher than that of a proof on
     * the device, the job waits neither for a slot nor for the proof, which begins no further step
     * there while the job computes. */
    pail_kzg *kzg;
    const pail_kzg_request *kzg_request;
    pail_kzg_result *kzg_result;
} pail_prover_request;

/* Queues a job.
 *
 * Out: *job: freed by pail_prover_wait. kzg_result: on failure zeroed as pail_kzg_run does.
 * Returns PAIL_OK; PAIL_NOT_READY if the queue is full; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA if the
 * numbers of an assignment that is to be copied are not those of the key; PAIL_ERR_UNSUPPORTED as
 * pail_kzg_start; PAIL_ERR_STOPPED after pail_prover_drain; or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_prover_submit(pail_prover *prover, pail_prover_job **job,
                                        const pail_prover_request *request, char *error,
                                        size_t capacity);

typedef enum pail_prover_state {
    PAIL_PROVER_QUEUED = 0, /* waits for a thread and for host memory */
    PAIL_PROVER_READING,    /* the witness */
    PAIL_PROVER_READY,      /* waits for a slot and for device memory */
    PAIL_PROVER_LOADING,    /* the key */
    PAIL_PROVER_COMPUTING,
    PAIL_PROVER_FINISHING, /* waits for a thread, finishes, releases memory */
    PAIL_PROVER_ENDED,
    PAIL_PROVER_STATE_FORCE_32 = 0x7fffffff
} pail_prover_state;

typedef struct pail_prover_job_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t state;       /* pail_prover_state */
    uint64_t job;         /* number, as in spans */
    uint32_t device;      /* index of its current or last device; UINT32_MAX: none */
    uint32_t retries;     /* number of restarts */
    uint32_t lost_device; /* index of the lost device that caused a restart; UINT32_MAX: none */
    uint32_t reserved;
} pail_prover_job_info;

/* Gets the state of a job. Returns PAIL_OK or PAIL_ERR_ARGUMENT. */
PAIL_API pail_status pail_prover_get_job(pail_prover *prover, const pail_prover_job *job,
                                         pail_prover_job_info *info);

/* Returns PAIL_OK if pail_prover_wait will not block, otherwise PAIL_NOT_READY. */
PAIL_API pail_status pail_prover_poll(pail_prover *prover, const pail_prover_job *job);

/* Waits for a job, returns its result and frees it. After timeout_ns it returns PAIL_NOT_READY, and
 * the job stays. Thread-safety: one thread at a time for a job.
 *
 * Out: proof, publics, timings: as pail_groth16_prove; zeroed without a proof. publics may be NULL
 * for a job from an assignment. A job of a KZG request has neither: proof and publics may be NULL,
 * publics is not written to, and kzg_result has the results. Returns what pail_groth16_prove or
 * pail_kzg_finish returns, or PAIL_ERR_STOPPED for a job that was cancelled or missed its deadline.
 */
PAIL_API pail_status pail_prover_wait(pail_prover *prover, pail_prover_job **job,
                                      uint64_t timeout_ns, pail_groth16_proof *proof, void *publics,
                                      pail_groth16_timings *timings, char *error, size_t capacity);

/* Waits until a job does not read the arrays of its request any more, so that they may be changed
 * or freed: with PAIL_PROVER_REQUEST_COPY they are copied and checked by then, but for the size of
 * single scalars. Without it, and where that fails, the job has ended, as pail_prover_poll tells.
 * Since version 1.1 of the library.
 *
 * Returns PAIL_OK; PAIL_NOT_READY after timeout_ns; or PAIL_ERR_ARGUMENT. */
PAIL_API pail_status pail_prover_wait_copied(pail_prover *prover, const pail_prover_job *job,
                                             uint64_t timeout_ns);

/* Cancels a job at the end of its current stage, a KZG request as pail_kzg_abandon does;
 * pail_prover_wait is still needed to free it. */
PAIL_API void pail_prover_cancel(pail_prover *prover, pail_prover_job *job);

/* Accepts no more jobs, and waits until all have ended. Returns PAIL_OK, or PAIL_NOT_READY after
 * timeout_ns. */
PAIL_API pail_status pail_prover_drain(pail_prover *prover, uint64_t timeout_ns);

typedef struct pail_prover_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t n_devices;
    uint64_t submitted, refused, ended, failed, cancelled, late, retried;
    uint64_t keys_loaded, keys_evicted;
    double wall_ms;   /* since the prover was created */
    double slot_ms;   /* sum over all devices of the time that slots were in use */
    double busy_ms;   /* sum over all devices of the time that at least one slot was in use */
    double device_ms; /* sum of device times, by timestamps */
    double idle_no_work_ms, idle_producing_ms, idle_memory_ms, idle_pending_ms;
    /* Reserved host memory, without that of contexts that compute on the host; and sums over
     * devices. */
    uint64_t host_bytes, host_peak_bytes, host_capacity;
    uint64_t device_bytes, device_peak_bytes, device_capacity;
    uint64_t buffers_mapped, buffers_reused;
    uint64_t reclaimed, reclaimed_inline, reclaim_peak_bytes;
    /* For multiplications on the host with the key loaded last: most threads, and scratch bytes of
     * each. 0: none. */
    uint32_t pool_threads, processors;
    uint64_t pool_worker_bytes, l3_bytes;
    uint64_t starts;             /* starts on devices: one for each job */
    uint64_t buffers_idle_bytes; /* part of host_bytes: idle witness buffers */
} pail_prover_stats;

PAIL_API pail_status pail_prover_get_stats(pail_prover *prover, pail_prover_stats *stats);

typedef struct pail_prover_device_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t lost;        /* 1: not used until pail_prover_restore */
    uint64_t jobs, keys_loaded, keys_evicted;
    double slot_ms, busy_ms, device_ms;   /* as in pail_prover_stats */
    uint64_t bytes, peak_bytes, capacity; /* reserved */
    uint64_t restored;                    /* number of pail_prover_restore after a loss */
} pail_prover_device_stats;

/* Gets statistics of a device, by its index in the params. Returns PAIL_OK or PAIL_ERR_ARGUMENT. */
PAIL_API pail_status pail_prover_get_device(pail_prover *prover, uint32_t device,
                                            pail_prover_device_stats *stats);

/* ---- One proof over several devices ------------------------------------------------------------
 * Each device has the witness and a part of the key: ranges of points of the sections, and some of
 * the three transforms of the quotient. The parts are chosen by the known rates, so that all
 * devices end together. When a device is lost, the others register its parts from the key's file or
 * bytes, and the proof starts again. */

typedef enum pail_groth16_spread_flag {
    /* Give every device a part, even if that is slower: for tests. */
    PAIL_GROTH16_SPREAD_EVERYWHERE = 1 << 0,
    PAIL_GROTH16_SPREAD_FLAG_FORCE_32 = 0x7fffffff
} pail_groth16_spread_flag;

/* Opens a key like pail_groth16_key_open, on several devices with a context each. It uses those
 * devices with which a proof is expected to take the least time. pail_groth16_prove makes one proof
 * at a time with it; other threads wait. PAIL_GROTH16_STAGES does not measure its stages
 * separately.
 *
 * In:  devices: [n_devices], with flags 0. n_devices: 1 to 16. flags: pail_groth16_spread_flag.
 *      params: PAIL_GROTH16_KEY_ONCE is not allowed; `bytes`, if used, must not change, and a file
 *      must stay in place, until the key is closed.
 * Returns what pail_groth16_key_open returns, or PAIL_ERR_DEVICE_MEMORY if a part does not fit its
 * device. */
PAIL_API pail_status pail_groth16_key_open_on(pail_groth16_key **key,
                                              const pail_prover_device *devices, uint32_t n_devices,
                                              uint32_t flags, const pail_groth16_key_params *params,
                                              char *error, size_t capacity);

typedef struct pail_groth16_spread {
    uint32_t struct_size;       /* in. Everything below: out */
    uint32_t n_devices, n_used; /* devices given; devices with parts */
    uint32_t n_lost;
    /* Number of placements: 1, and one more for each lost device or change of rates. */
    uint64_t placements;
    uint64_t redone;    /* proofs restarted because a device was lost */
    double expected_ms; /* predicted time of a proof, without reading the witness */
    double whole_ms;    /* the same on the fastest device alone */
} pail_groth16_spread;

/* Gets the placement. Waits for a running proof. Returns PAIL_OK, or PAIL_ERR_ARGUMENT, also for a
 * key that was not opened by pail_groth16_key_open_on. */
PAIL_API pail_status pail_groth16_key_get_spread(const pail_groth16_key *key,
                                                 pail_groth16_spread *spread);

typedef struct pail_groth16_part {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t stage;       /* pail_groth16_stage: QUOTIENT, or a section */
    uint32_t step;     /* of QUOTIENT: 0 to 2: the transforms of A w, B w and their product; 3: the
                          scalars of H */
    uint32_t device;   /* index */
    uint64_t first, n; /* of a section: range of points; otherwise 0 and the domain size */
} pail_groth16_part;

/* Gets part i. Waits for a running proof. Returns PAIL_OK, or PAIL_ERR_ARGUMENT after the last
 * part. */
PAIL_API pail_status pail_groth16_key_get_part(const pail_groth16_key *key, pail_groth16_part *part,
                                               size_t i);

/* Replaces the context of a lost device by another one of the same backend. Jobs use the device
 * again, and keys are loaded again.
 *
 * In:  device: its index in the params.
 * Returns PAIL_OK: the old context is not used any more and may be destroyed; PAIL_NOT_READY:
 * objects of the old context are still being freed, call again; or PAIL_ERR_ARGUMENT, also for a
 * device that is not lost. */
PAIL_API pail_status pail_prover_restore(pail_prover *prover, uint32_t device,
                                         pail_context *context, char *error, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_PROVER_H */
