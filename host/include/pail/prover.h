/* A prover under load: many jobs over one or more devices, within bounds of memory and threads.
 *
 * A job is a witness and a key. Jobs are done in order: by priority, then by age. Each takes what
 * it needs of memory before it begins, and waits for it otherwise; the queue is bounded. Keys are
 * loaded where they are used and give way, those used longest ago first, when their memory is
 * needed.
 *
 * Functions report failures as those of <pail/pail.h>. Thread-safety: safe, unless said otherwise.
 */
#ifndef PAIL_PROVER_H
#define PAIL_PROVER_H

#include <pail/groth16.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pail_prover pail_prover;
typedef struct pail_prover_job pail_prover_job;

typedef enum pail_prover_device_flag {
    /* Gets jobs only once all devices without this flag are lost. */
    PAIL_PROVER_DEVICE_SPARE = 1 << 0,
    PAIL_PROVER_DEVICE_FLAG_FORCE_32 = 0x7fffffff
} pail_prover_device_flag;

/* Where proofs are computed: a context of a backend that has vectors. Both outlive the prover. */
typedef struct pail_prover_device {
    uint32_t struct_size;
    uint32_t flags; /* pail_prover_device_flag, or-ed */
    const pail_backend *backend;
    pail_context *context;
} pail_prover_device;

typedef enum pail_prover_flag {
    /* Switches, to measure what each part is good for. */
    PAIL_PROVER_NO_LEDGER = 1 << 0,    /* memory is granted whether it is there or not */
    PAIL_PROVER_NO_RECLAIMER = 1 << 1, /* each thread frees by itself */
    PAIL_PROVER_WHOLE_SLOTS = 1 << 2,  /* a slot is taken until the proof is finished */
    PAIL_PROVER_ALL_THREADS = 1 << 3,  /* host_bucket_mb bounds nothing */
    /* While witnesses are read and keys loaded, sparse products and transforms of contexts that
     * compute on the host give way (throttle_begin of the boundary). */
    PAIL_PROVER_THROTTLE = 1 << 4,
    PAIL_PROVER_FLAG_FORCE_32 = 0x7fffffff
} pail_prover_flag;

/* What a job did from when to when, or what it waited for. */
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
    uint64_t job;              /* its number: keys and jobs from 0, in the order they came */
    uint64_t begin_ns, end_ns; /* of a clock that never jumps (CLOCK_MONOTONIC) */
    uint64_t device_ns;        /* FINISH: that the device worked for it, by its timestamps; 0: it
                                  has none */
} pail_prover_span;

/* 0 everywhere but in devices is the default. */
typedef struct pail_prover_params {
    uint32_t struct_size;
    uint32_t flags;                    /* pail_prover_flag, or-ed */
    const pail_prover_device *devices; /* [n_devices] */
    uint32_t n_devices;                /* 1 to 16 */
    uint32_t inflight;                 /* jobs on a device at a time; 2 */
    uint32_t producers;                /* threads that read and check witnesses; 2 */
    uint32_t host_threads;             /* threads that finish proofs; 2 */
    uint32_t queue_depth;              /* jobs that were submitted and have not ended; 64 */
    uint32_t host_bucket_mb;           /* MiB for the scratch of a multiplication's threads, where a
                                          context computes on the host; half of the L3 caches */
    /* Bytes of the host's memory; what there is, less 256 MiB. Buffers of witnesses that are kept
     * for the next ones are a part of it, and are given back when somebody waits for memory. */
    uint64_t mem_budget;
    uint64_t vram_budget; /* bytes of each device's memory; what there is, less 256 MiB. Of a
                             context that computes on the host: a part of that memory */
    /* optional: called when a span has ended that took any time; in threads of the prover, one at a
     * time. It must be quick and not call the prover. Of a key only LOAD is told. */
    void (*span)(void *user, const pail_prover_span *span);
    void *user;
    /* optional: called when a job has ended, with its number, as span is; those of keys as well.
     * pail_prover_wait does not block from then on. */
    void (*ended)(void *user, uint64_t job);
    uint32_t share;    /* jobs with one key that may be started together on a device, at most 16;
                          0: 1. They follow one another in order, have one priority and fail each by
                          itself */
    uint32_t reserved; /* 0 */
} pail_prover_params;

/* Out: *prover: to be given to pail_prover_destroy.
 * Returns PAIL_OK, PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED for a backend without vectors, or
 * PAIL_ERR_HOST_MEMORY, also where a thread cannot be started. */
PAIL_API pail_status pail_prover_create(pail_prover **prover, const pail_prover_params *params,
                                        char *error, size_t capacity);

/* Cancels what has not ended, waits for it and frees everything, jobs included. No other call may
 * be under way. Legal on a handle that is NULL. */
PAIL_API void pail_prover_destroy(pail_prover **prover);

/* Loads a key on one of the devices. It is loaded on others, and again, when jobs need it there.
 *
 * Out: *key: its number.
 * In:  params: bytes, where they are given, stay as they are as long as the prover; strings are
 *      copied. b2: AUTO is KEPT here, for nothing is measured where proofs are seldom alone.
 * Returns PAIL_OK, what pail_groth16_key_open returns, or PAIL_ERR_DEVICE_MEMORY or
 * PAIL_ERR_HOST_MEMORY where it never fits what there is. With PAIL_RESIDENCY_AUTO, points that do
 * not fit the device's memory are kept in the host's. */
PAIL_API pail_status pail_prover_add_key(pail_prover *prover, uint32_t *key,
                                         const pail_groth16_key_params *params, char *error,
                                         size_t capacity);

typedef struct pail_prover_request {
    uint32_t struct_size;
    uint32_t key;     /* of pail_prover_add_key */
    int32_t priority; /* higher comes first */
    uint32_t reserved;
    uint64_t deadline_ms;                /* from now, to be on a device by; 0: none */
    const pail_groth16_witness *witness; /* values and wtns stay as they are until the job has
                                            ended; strings are copied */
    const pail_groth16_options *options; /* optional: without stages and callbacks */
} pail_prover_request;

/* Queues a job.
 *
 * Out: *job: to be given to pail_prover_wait.
 * Returns PAIL_OK; PAIL_NOT_READY: the queue is full; PAIL_ERR_ARGUMENT; PAIL_ERR_STOPPED after
 * pail_prover_drain; or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_prover_submit(pail_prover *prover, pail_prover_job **job,
                                        const pail_prover_request *request, char *error,
                                        size_t capacity);

typedef enum pail_prover_state {
    PAIL_PROVER_QUEUED = 0, /* for a thread, and for the host's memory */
    PAIL_PROVER_READING,    /* the witness */
    PAIL_PROVER_READY,      /* waits for a slot, and for the device's memory */
    PAIL_PROVER_LOADING,    /* the key */
    PAIL_PROVER_COMPUTING,
    PAIL_PROVER_FINISHING, /* waits for a thread, finishes, is freed */
    PAIL_PROVER_ENDED,
    PAIL_PROVER_STATE_FORCE_32 = 0x7fffffff
} pail_prover_state;

typedef struct pail_prover_job_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t state;       /* pail_prover_state */
    uint64_t job;         /* its number, as in spans */
    uint32_t device;      /* index of the device it is on or was on last; UINT32_MAX: none */
    uint32_t retries;     /* times that it began again */
    uint32_t lost_device; /* index of the device whose loss it began again for; UINT32_MAX: none */
    uint32_t reserved;
} pail_prover_job_info;

/* Of a job that was not delivered yet. Returns PAIL_OK or PAIL_ERR_ARGUMENT. */
PAIL_API pail_status pail_prover_get_job(pail_prover *prover, const pail_prover_job *job,
                                         pail_prover_job_info *info);

/* PAIL_OK once pail_prover_wait will not block, else PAIL_NOT_READY. */
PAIL_API pail_status pail_prover_poll(pail_prover *prover, const pail_prover_job *job);

/* Waits, delivers, and frees the job; PAIL_NOT_READY, and the job stays, when timeout_ns are over.
 * One thread at a time for a job.
 *
 * Out: proof, publics, timings: as of pail_groth16_prove; zeroed where there is no proof.
 * Returns what pail_groth16_prove returns, or PAIL_ERR_STOPPED for a job that was cancelled or came
 * too late. */
PAIL_API pail_status pail_prover_wait(pail_prover *prover, pail_prover_job **job,
                                      uint64_t timeout_ns, pail_groth16_proof *proof, void *publics,
                                      pail_groth16_timings *timings, char *error, size_t capacity);

/* Ends the job as soon as its present stage has; it still has to be waited for. */
PAIL_API void pail_prover_cancel(pail_prover *prover, pail_prover_job *job);

/* Takes no more jobs and waits until all have ended. PAIL_OK, or PAIL_NOT_READY when timeout_ns are
 * over. */
PAIL_API pail_status pail_prover_drain(pail_prover *prover, uint64_t timeout_ns);

typedef struct pail_prover_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t n_devices;
    uint64_t submitted, refused, ended, failed, cancelled, late, retried;
    uint64_t keys_loaded, keys_evicted;
    double wall_ms;   /* since the prover was made */
    double slot_ms;   /* sums over all devices: time that slots were taken, */
    double busy_ms;   /* that any of a device's was, */
    double device_ms; /* that devices worked, by timestamps */
    double idle_no_work_ms, idle_producing_ms, idle_memory_ms, idle_pending_ms;
    /* Reserved of the host's memory, but for what contexts take that compute there; and sums over
     * devices. */
    uint64_t host_bytes, host_peak_bytes, host_capacity;
    uint64_t device_bytes, device_peak_bytes, device_capacity;
    uint64_t buffers_mapped, buffers_reused;
    uint64_t reclaimed, reclaimed_inline, reclaim_peak_bytes;
    /* Of multiplications on the host, those of the key that was loaded last: threads at most, and
     * the scratch of each. 0: there were none. */
    uint32_t pool_threads, processors;
    uint64_t pool_worker_bytes, l3_bytes;
    uint64_t starts; /* of jobs on devices; those that were started together count once */
    uint64_t buffers_idle_bytes; /* of host_bytes: buffers of witnesses, for the next ones */
} pail_prover_stats;

PAIL_API pail_status pail_prover_get_stats(pail_prover *prover, pail_prover_stats *stats);

typedef struct pail_prover_device_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t lost;        /* 1: it gets no jobs until pail_prover_restore */
    uint64_t jobs, keys_loaded, keys_evicted;
    double slot_ms, busy_ms, device_ms;   /* as in pail_prover_stats */
    uint64_t bytes, peak_bytes, capacity; /* reserved */
    uint64_t restored;                    /* times that it was lost and came back */
} pail_prover_device_stats;

/* Of one device, by its index in the params. Returns PAIL_OK or PAIL_ERR_ARGUMENT. */
PAIL_API pail_status pail_prover_get_device(pail_prover *prover, uint32_t device,
                                            pail_prover_device_stats *stats);

/* ---- One proof over several devices ------------------------------------------------------------
 * Each device has the witness and a part of the key: pieces of the sections' points, and some of
 * the three transforms of the quotient, so that all end together by the rates that are known of
 * them. A device that is lost leaves its part to the others, which register it from the key's file
 * or bytes; the proof begins again there. */

typedef enum pail_groth16_spread_flag {
    /* Every device gets a part, also where that takes longer: for tests. */
    PAIL_GROTH16_SPREAD_EVERYWHERE = 1 << 0,
    PAIL_GROTH16_SPREAD_FLAG_FORCE_32 = 0x7fffffff
} pail_groth16_spread_flag;

/* Opens a key, as pail_groth16_key_open, on several devices, each of its own context, or on those
 * of them with which a proof is expected to take the least time. Its proofs are made by
 * pail_groth16_prove, one at a time: other threads wait. Their stages have no times of their own
 * with PAIL_GROTH16_STAGES.
 *
 * In: devices: [n_devices]; without flags. n_devices: 1 to 16. flags: pail_groth16_spread_flag.
 *     params: without PAIL_GROTH16_KEY_ONCE; bytes, where they are given, stay as they are until
 * the key is closed, and a file stays where it is. Returns what pail_groth16_key_open returns, or
 * PAIL_ERR_DEVICE_MEMORY where the part of a device does not fit what it has. */
PAIL_API pail_status pail_groth16_key_open_on(pail_groth16_key **key,
                                              const pail_prover_device *devices, uint32_t n_devices,
                                              uint32_t flags, const pail_groth16_key_params *params,
                                              char *error, size_t capacity);

typedef struct pail_groth16_spread {
    uint32_t struct_size;       /* in. Everything below: out */
    uint32_t n_devices, n_used; /* those that have parts */
    uint32_t n_lost;
    uint64_t placements; /* times that parts were given out: 1, and once for each loss and for rates
                            that turned out to be others */
    uint64_t redone;     /* proofs that began again because a device was lost */
    double expected_ms;  /* of a proof on the devices, without reading the witness; */
    double whole_ms;     /* and on the fastest of them alone */
} pail_groth16_spread;

/* Returns PAIL_OK, or PAIL_ERR_ARGUMENT, also for a key that was not opened on several devices.
 * Waits for a proof that is under way. */
PAIL_API pail_status pail_groth16_key_get_spread(const pail_groth16_key *key,
                                                 pail_groth16_spread *spread);

typedef struct pail_groth16_part {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t stage;       /* pail_groth16_stage: QUOTIENT, or a section */
    uint32_t step;        /* QUOTIENT: 0 to 2: the transforms of A w, B w and their product; 3: the
                             scalars of H out of these */
    uint32_t device;      /* index */
    uint64_t first, n;    /* of a section: points; otherwise 0 and the domain's size */
} pail_groth16_part;

/* Part i of what there is: PAIL_OK, or PAIL_ERR_ARGUMENT behind the last one. As above. */
PAIL_API pail_status pail_groth16_key_get_part(const pail_groth16_key *key, pail_groth16_part *part,
                                               size_t i);

/* Gives a device that was lost another context of the same backend, to be used from now on. Jobs go
 * there again, and keys are loaded anew.
 *
 * In:  device: its index in the params.
 * Returns PAIL_OK: the old context is used no more, and is the caller's to destroy; PAIL_NOT_READY:
 * what was there is still being freed, and nothing has changed: call again; or PAIL_ERR_ARGUMENT,
 * also for a device that is not lost. */
PAIL_API pail_status pail_prover_restore(pail_prover *prover, uint32_t device,
                                         pail_context *context, char *error, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_PROVER_H */
