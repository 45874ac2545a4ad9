/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: one job over several processes, on one machine or many. Each process is a rank and has its
 * own backend; rank 0 receives the result.
 *
 * Functions are collective unless stated otherwise: all ranks call them in the same order. A
 * function fails on all ranks or on none, with the message of the first rank that failed, "rank 2
 * of 4: ...". So no rank waits for one that has given up. Between collective calls,
 * pail_cluster_agree shares the outcome of local work. If the transport fails, the info says
 * `broken`, and only pail_cluster_abort is of use.
 *
 * Failures are reported as in <pail/pail.h>. Thread-safety: one thread at a time. */
#ifndef PAIL_CLUSTER_H
#define PAIL_CLUSTER_H

#include <pail/pail.h>
#include <pail/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pail_cluster pail_cluster;

typedef struct pail_cluster_params {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    /* "mpi": libpail-mpi.so, searched like plugins and by the same rules (<pail/pail.h>). NULL:
     * `table`; if that is NULL too, the cluster has only this process. */
    const char *transport;
    const pail_transport *table; /* optional: the caller's transport; must outlive the cluster */
    const char *path;            /* optional: replaces PAIL_BACKEND_PATH */
} pail_cluster_params;

/* Joins a cluster. A process can join by MPI only once, unless it has initialised MPI itself, with
 * at least MPI_THREAD_SERIALIZED.
 *
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT, also for an unknown transport; PAIL_ERR_UNSUPPORTED: the
 * transport is not installed or cannot be opened; PAIL_ERR_ABI: `table` has another version;
 * PAIL_ERR_HOST_MEMORY; PAIL_ERR_IO. Unlike all others, this function may fail on some ranks only;
 * the launcher ends the others when such a process exits. */
PAIL_API pail_status pail_cluster_open(pail_cluster **cluster, const pail_cluster_params *params,
                                       char *error, size_t capacity);

/* Leaves the cluster. Waits for the other ranks. *cluster may be NULL. */
PAIL_API void pail_cluster_close(pail_cluster **cluster);

typedef struct pail_cluster_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t rank, size;
    uint32_t broken;       /* 1: the transport has failed */
    const char *transport; /* name; "alone" without a transport. Lives as long as the cluster */
    const char *version;
} pail_cluster_info;

/* Not collective. */
PAIL_API pail_status pail_cluster_get_info(const pail_cluster *cluster, pail_cluster_info *info);

/* Terminates all ranks with this exit status. Not collective. Returns only if the transport cannot
 * do it. */
PAIL_API void pail_cluster_abort(pail_cluster *cluster, int exit_status);

/* The part of n elements of this rank: first ... first + count - 1. Parts are in the order of
 * ranks, differ by at most one element, and may be empty. Not collective. */
PAIL_API void pail_cluster_share(const pail_cluster *cluster, uint64_t n, uint64_t *first,
                                 uint64_t *count);

/* Shares the outcome of local work: returns, on all ranks, the status of the first rank whose
 * status is not PAIL_OK, or PAIL_OK.
 *
 * In and out: sentence: [capacity]: in: the local message; out: the message of that rank, with its
 *      number, or empty. */
PAIL_API pail_status pail_cluster_agree(pail_cluster *cluster, pail_status status, char *sentence,
                                        size_t capacity);

/* As pail_cluster_agree; also returns PAIL_ERR_DATA if a rank has other values than rank 0.
 *
 * In:  status, error: as in pail_cluster_agree. names, values: [n], n <= 16; names are for the
 *      message. */
PAIL_API pail_status pail_cluster_compare(pail_cluster *cluster, pail_status status,
                                          const char *const *names, const uint64_t *values,
                                          uint32_t n, char *error, size_t capacity);

/* Sends each rank its part of n elements (pail_cluster_share).
 *
 * Out: own: [count * element_bytes]; may be NULL or `all` at rank 0, whose part comes first and is
 *      not copied then.
 * In:  all: [n * element_bytes], read only at rank 0. n, element_bytes: equal on all ranks. Data is
 *      not encrypted. Wrong arguments of one rank fail on all ranks before anything is sent. */
PAIL_API pail_status pail_cluster_scatter(pail_cluster *cluster, void *own, const void *all,
                                          uint64_t n, uint64_t element_bytes, char *error,
                                          size_t capacity);

typedef struct pail_cluster_part {
    uint64_t n;     /* points */
    double wall_ms; /* time of its multiplication, without the sum */
} pail_cluster_part;

typedef struct pail_cluster_sum {
    uint32_t struct_size;
    uint32_t curve, group; /* pail_curve, pail_group */
    uint32_t reserved;
    pail_cluster_part *parts; /* optional: [size], written only at rank 0 */
} pail_cluster_sum;

/* Computes a multi-scalar multiplication on each rank, and adds the results.
 *
 * Out: result: at rank 0; zeroed on other ranks. stats: optional: of this rank's part.
 * In:  backend, context, job, config: of this rank, as for pail_msm. how: curve and group of the
 *      bases, equal on all ranks.
 * Returns what pail_msm returns on any rank, or PAIL_ERR_INTERNAL if a rank sends an invalid point.
 * Wrong arguments of one rank fail on all ranks, unless its cluster is NULL. */
PAIL_API pail_status pail_cluster_msm(pail_cluster *cluster, const pail_backend *backend,
                                      pail_context *context, pail_msm_result *result,
                                      pail_stats *stats, const pail_cluster_sum *how,
                                      const pail_msm_job *job, const pail_msm_config *config,
                                      char *error, size_t capacity);

/* Independent tasks, distributed to all ranks from a queue at rank 0. A failed task does not stop
 * the others. A rank that lost its device (PAIL_ERR_DEVICE_LOST) gets no more tasks, and its task
 * is given to another rank; the last rank continues. */
typedef struct pail_cluster_batch {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t n;                        /* number of tasks; read at rank 0 */
    uint64_t task_bytes, result_bytes; /* equal on all ranks; below 2^30 */
    /* At rank 0: writes task `index`: [task_bytes]. Cannot fail. */
    void (*task)(void *user, uint64_t index, void *task);
    /* On any rank, one at a time: performs a task. result: [result_bytes], zeroed before. */
    pail_status (*work)(void *user, uint64_t index, const void *task, void *result, char *error,
                        size_t capacity);
    /* At rank 0, one at a time, in any thread and any order: receives the outcome of a task. */
    void (*done)(void *user, uint64_t index, uint32_t rank, pail_status status, const void *result,
                 const char *error);
    void *user;
} pail_cluster_batch;

/* Performs all tasks. Returns PAIL_OK if `done` was called for each of them, also for failed ones;
 * PAIL_ERR_ARGUMENT, PAIL_ERR_HOST_MEMORY, or what the transport returns. */
PAIL_API pail_status pail_cluster_run(pail_cluster *cluster, const pail_cluster_batch *batch,
                                      char *error, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_CLUSTER_H */
