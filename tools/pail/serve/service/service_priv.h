/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the service share. */
#ifndef PAIL_TOOL_SERVE_SERVICE_PRIV_H
#define PAIL_TOOL_SERVE_SERVICE_PRIV_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include <pail/prover.h>

#include <formats/verifying_key.h>

#include "service.h"

enum pail_service_key_state {
    PAIL_SERVICE_LOADING = 0,
    PAIL_SERVICE_READY,
    PAIL_SERVICE_BAD,
    PAIL_SERVICE_GONE, /* its file is no more, or another one */
};

/* A file of the folder, as it was when it was opened. Stays as long as the service. */
struct pail_service_key {
    struct pail_service_key *next;
    char name[PAIL_SERVE_NAME_CHARS + 1];
    enum pail_service_key_state state;
    int fd;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    uint32_t number, curve; /* number: the prover's */
    uint64_t n_vars, n_public, domain_size, jobs;
    struct pail_verifying_key verifying;
    uint64_t most_bytes; /* of a witness */
    pail_circuit
        *circuit; /* NAME.wasm beside the key, as it was when that was loaded; NULL: none */
    char why[PAIL_SERVE_WHY_BYTES]; /* of a bad one */
};

enum pail_service_outcome {
    PAIL_SERVICE_UNDER_WAY = 0,
    PAIL_SERVICE_DONE,
    PAIL_SERVICE_FAILED,
    PAIL_SERVICE_CANCELLED,
};

/* A job as clients see it, from the claim until its result is forgotten. The prover's record of it
 * is `handle`. */
struct pail_service_job {
    struct pail_service_job *next; /* the next younger one in the list */
    char id[PAIL_SERVE_ID_CHARS + 1];
    struct pail_service_key *key;
    uint8_t *witness; /* [capacity], `received` of which are written; until it has ended */
    bool has_inputs;  /* in place of the witness, for "pail-circuits" */
    size_t capacity, received;
    uint64_t claimed;          /* bytes, of body_budget */
    pail_prover_job *handle;   /* NULL before the prover has the job, and once the collector has */
    pail_prover_job_info info; /* as of the last look at the prover */
    enum pail_service_outcome outcome;
    uint32_t cancelled; /* 1: it is; read without the mutex while the circuit runs */
    bool fetched;
    int32_t priority;
    uint64_t deadline_ms; /* from submitted_ns on */
    uint64_t submitted_ns, ended_ns;
    time_t submitted; /* of the calendar */
    pail_status status;
    char why[PAIL_SERVE_WHY_BYTES], note[PAIL_SERVE_WHY_BYTES];
    char *proof, *publics; /* as snarkjs writes them */
    pail_groth16_timings timings;
    double verify_ms;
};

enum { PAIL_SERVICE_TRIES_MAX = 12 };

/* A device that was lost, and what is done about it. */
struct pail_service_revival {
    bool lost;
    uint32_t tries;                /* to open it again, since it was last in use for long */
    uint64_t next_ns, restored_ns; /* next_ns: of the next try; UINT64_MAX: there is none */
};

enum { PAIL_SERVICE_BUCKETS = 12 };
extern const double pail_service_bounds[PAIL_SERVICE_BUCKETS]; /* seconds */

struct pail_service_counts {
    uint64_t done, failed, cancelled, refused, redone, witness_bytes;
    uint64_t within[PAIL_SERVICE_BUCKETS]; /* jobs that were done in so many seconds */
    double seconds;                        /* of all that were done */
};

enum { PAIL_SERVICE_SPANS = 2048 };

/* Locks are taken in this order: the server's mutex, `handles`, the prover's own, `mutex`. The
 * prover tells ends and spans with its lock held, so it is never called under `mutex`; neither is
 * anything written there whose reader may be slow. */
struct pail_service {
    struct pail_service_params params;
    pail_prover *prover;
    uint64_t begun_ns;

    /* Held where the prover is called with a handle that the collector may take away. */
    pthread_mutex_t handles;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t event;  /* for the collector */
    uint64_t events;
    uint64_t n_spans; /* told so far; number i, from 1 on, is at (i - 1) % PAIL_SERVICE_SPANS */
    pail_prover_span spans[PAIL_SERVICE_SPANS];
    pthread_cond_t work;   /* for the loader */
    pthread_cond_t inputs; /* for "pail-circuits" */
    int folder;
    struct pail_service_key *keys;
    struct pail_service_job *jobs; /* submitted ones, the oldest first */
    size_t open;                   /* claims and jobs that have not ended */
    size_t n_ended;
    uint64_t bodies_bytes, bodies_peak;
    struct pail_service_counts counts;
    double interval_s; /* between two ends, on the average */
    uint64_t last_end_ns;
    bool rescan, has_scanned, draining, stopping;
    bool ending; /* jobs were cancelled: claims count no more and are not taken */

    struct pail_service_revival revivals[PAIL_SERVICE_DEVICES_MAX]; /* written by "pail-reopen" */

    pthread_t loader, collector, reopener, calculator;
    bool loads, collects, reopens, calculates;
};

/* ---- keys.c: "pail-keys" ----------------------------------------------------------------------
 */
void *pail_service_load_keys(void *service);
/* The one that is served by that name; NULL: none. Under the mutex. */
struct pail_service_key *pail_service_find_key(struct pail_service *service, const char *name);
void pail_service_free_keys(struct pail_service *service);

/* ---- jobs.c -----------------------------------------------------------------------------------
 */
struct pail_service_job *pail_service_find_job(struct pail_service *service, const char *id);
/* The first job behind `after`, or of all (NULL), that the prover has. For the collector, and under
 * `handles`. */
struct pail_service_job *pail_service_next(struct pail_service *service,
                                           const struct pail_service_job *after);
/* Asks the prover for `info` of a job, or of all (NULL). */
void pail_service_look(struct pail_service *service, const char *id);
void pail_service_wipe_witness(struct pail_service_job *job);
/* Puts a copy of the bytes, which are claimed, in place of what the job has. False: there is no
 * memory. */
bool pail_service_replace_witness(struct pail_service_job *job, const void *bytes, size_t n);
/* Gives a job of the list with its witness to the prover. deadline_ms: from now on; 0: none. */
pail_status pail_service_hand_over(struct pail_service *service, struct pail_service_job *job,
                                   uint64_t deadline_ms, struct pail_error *error);
/* Takes it out of the list and frees it. Under the mutex. */
void pail_service_forget(struct pail_service *service, struct pail_service_job *job);

/* ---- collect.c: "pail-collect" ----------------------------------------------------------------
 */
void *pail_service_collect(void *service);
/* Notes the end of a job that the prover has not, or no more. Wipes the error. */
void pail_service_end_job(struct pail_service *service, struct pail_service_job *job,
                          pail_status status, struct pail_error *error);

/* ---- inputs.c: "pail-circuits" ----------------------------------------------------------------
 */
void *pail_service_run_circuits(void *service);

/* ---- reopen.c: "pail-reopen" ------------------------------------------------------------------
 */
void *pail_service_reopen(void *service);

/* ---- report.c ---------------------------------------------------------------------------------
 */
/* "cpu, AMD EPYC", of a device of the prover. */
void pail_service_device_name(char *name, size_t capacity, const struct pail_service *service,
                              uint32_t device);
const char *pail_service_curve_name(uint32_t curve);

#endif /* PAIL_TOOL_SERVE_SERVICE_PRIV_H */
