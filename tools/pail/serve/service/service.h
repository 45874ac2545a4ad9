/* SPDX-License-Identifier: Apache-2.0 */
/* The service of `pail serve`, without a word of HTTP: keys out of a folder, jobs with their
 * witnesses and results, and reports of them. One prover is below.
 *
 * Thread-safety: safe, but for making and ending. */
#ifndef PAIL_TOOL_SERVE_SERVICE_H
#define PAIL_TOOL_SERVE_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "process/session.h"
#include "witness/witness.h"

enum {
    PAIL_SERVE_NAME_CHARS = 64, /* of a key, at most */
    PAIL_SERVE_ID_CHARS = 32,   /* of a job: hexadecimal digits */
    PAIL_SERVE_WHY_BYTES = 640,
    PAIL_SERVICE_DEVICES_MAX = 16
};

struct pail_service;
struct pail_service_job;

struct pail_service_params {
    const char *keys;              /* folder */
    struct pail_session *sessions; /* their contexts are replaced when a device was lost */
    uint32_t n_sessions;           /* the prover's devices, in this order */
    bool spare;                    /* the last session is used once all others are lost */
    uint32_t residency, validation, table_factor, b2;
    uint32_t inflight, producers, host_threads, host_bucket_mb;
    uint64_t mem_budget, vram_budget;  /* bytes; 0: what there is */
    uint32_t threads;                  /* of the CPU, where a context is made anew; 0: all */
    uint32_t queue;                    /* jobs that have not ended, those being received included */
    uint64_t body_budget;              /* bytes of all witnesses that are in memory */
    uint32_t kept;                     /* results, at most */
    uint64_t keep_ns;                  /* a result, at most */
    bool no_check;                     /* proofs are delivered without verification */
    struct pail_witness_limits limits; /* of circuits */
    /* optional: called in a thread of the service when a job has ended */
    void (*ended)(void *user, const char *id);
    void *user;
};

/* Returns PAIL_OK or a status with a sentence. params->sessions outlive the service. Keys are
 * loaded in the background from here on. */
pail_status pail_service_create(struct pail_service **service,
                                const struct pail_service_params *params, struct pail_error *error);

/* Cancels and ends everything. No other call may be under way; all claims are submitted or
 * abandoned. */
void pail_service_destroy(struct pail_service **service);

/* True for a name that a key can have. */
bool pail_service_name_is_good(const char *name, size_t chars);

/* Looks at the folder of keys again, in the background. */
void pail_service_rescan(struct pail_service *service);
/* True once the folder was gone through; *ready: the number of keys that are ready. */
bool pail_service_has_keys(struct pail_service *service, size_t *ready);

/* Forgets results that are too old. */
void pail_service_tick(struct pail_service *service);

/* ---- Ending in order --------------------------------------------------------------------------
 */
/* Ends claims: none is granted from now on. */
void pail_service_drain(struct pail_service *service);
void pail_service_cancel_all(struct pail_service *service);
/* Jobs that have not ended, and those that have and whose results nobody has asked for. */
void pail_service_left(struct pail_service *service, size_t *active, size_t *unfetched);

/* ---- Jobs -------------------------------------------------------------------------------------
 */
enum pail_service_answer {
    PAIL_SERVICE_OK = 0,
    PAIL_SERVICE_NO_KEY,      /* there is no key of that name */
    PAIL_SERVICE_KEY_LOADING, /* not yet */
    PAIL_SERVICE_KEY_BAD,     /* its file cannot be used */
    PAIL_SERVICE_EMPTY,
    PAIL_SERVICE_TOO_LARGE,
    PAIL_SERVICE_FULL,     /* the queue, or the memory for witnesses */
    PAIL_SERVICE_DRAINING, /* takes no more jobs */
    PAIL_SERVICE_NO_MEMORY,
    PAIL_SERVICE_NO_JOB,
    PAIL_SERVICE_NO_CIRCUIT, /* beside the key */
};

/* Makes a job with memory for a witness, or for the inputs of a circuit, which is wiped whatever
 * becomes of it. It is the caller's
 * until it is submitted or abandoned.
 *
 * Out: why: a sentence, empty with PAIL_SERVICE_OK. *job: NULL with any other answer. */
enum pail_service_answer pail_service_make_job(struct pail_service_job **job,
                                               struct pail_service *service, const char *key,
                                               bool inputs, uint64_t bytes,
                                               char why[PAIL_SERVE_WHY_BYTES]);
/* Appends to the witness. False: that is more than was claimed. */
bool pail_service_receive(struct pail_service_job *job, const void *data, size_t bytes);
/* *job may be NULL. */
void pail_service_abandon(struct pail_service *service, struct pail_service_job **job);
/* Takes the job over, whatever comes of it. deadline_ms: 0: none. */
enum pail_service_answer pail_service_submit(struct pail_service_job **job,
                                             struct pail_service *service, int32_t priority,
                                             uint64_t deadline_ms, char id[PAIL_SERVE_ID_CHARS + 1],
                                             char why[PAIL_SERVE_WHY_BYTES]);

/* True if the job has ended, and where there is none. */
bool pail_service_job_ended(struct pail_service *service, const char *id);
/* Ends a job that has not ended, and forgets one that has. */
enum pail_service_answer pail_service_cancel(struct pail_service *service, const char *id);
/* Seconds after which a place may be free. */
unsigned pail_service_retry_after(struct pail_service *service);

/* ---- Texts: to be freed; NULL: no memory ------------------------------------------------------
 */
/* *ended: whether it has; its result counts as fetched then. PAIL_SERVICE_NO_JOB with NULL. */
enum pail_service_answer pail_service_job_text(char **text, bool *ended,
                                               struct pail_service *service, const char *id);
char *pail_service_status_text(struct pail_service *service);
char *pail_service_keys_text(struct pail_service *service);
/* Spans that ended after the one of that number, oldest first. */
char *pail_service_spans_text(struct pail_service *service, uint64_t after);
char *pail_service_metrics_text(struct pail_service *service);

#endif /* PAIL_TOOL_SERVE_SERVICE_H */
