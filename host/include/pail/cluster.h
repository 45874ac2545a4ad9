/* Pail: one job over several processes, on one machine or many. Each process is a rank with a
 * backend of its own; rank 0 has the result.
 *
 * Unless they say otherwise, functions are collective: all ranks call them in the same order. A
 * function fails on all ranks or on none, with the sentence of the first rank that failed, "rank 2
 * of 4: ..."; so nobody waits for a rank that has given up. What a rank does by itself in between
 * is agreed on with pail_cluster_agree. Where the transport itself fails there is nothing to agree
 * with: the info says `broken`, and all that is left is pail_cluster_abort.
 *
 * Failures are reported as in <pail/pail.h>. One thread at a time. */
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
    /* "mpi": libpail-mpi.so, looked for where plugins are (<pail/pail.h>) and by the same rules.
     * NULL: `table`; where that is NULL too, a cluster of this process alone. */
    const char *transport;
    const pail_transport *table; /* optional: a transport of the caller's; outlives the cluster */
    const char *path;            /* optional: in place of the value of PAIL_BACKEND_PATH */
} pail_cluster_params;

/* Joins. A process joins by MPI once in its life, unless it has initialised MPI itself, with at
 * least MPI_THREAD_SERIALIZED.
 *
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_UNSUPPORTED: there is no such transport, or it is of
 * another version; PAIL_ERR_HOST_MEMORY; PAIL_ERR_IO. This function alone may fail on some ranks;
 * the launcher ends the others when such a process ends. */
PAIL_API pail_status pail_cluster_open(pail_cluster **cluster, const pail_cluster_params *params,
                                       char *error, size_t capacity);

/* Leaves. Waits for the others. Legal on a handle that is NULL. */
PAIL_API void pail_cluster_close(pail_cluster **cluster);

typedef struct pail_cluster_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t rank, size;
    uint32_t broken;       /* 1: the transport has failed */
    const char *transport; /* "alone" without one. Lives as long as the cluster */
    const char *version;
} pail_cluster_info;

/* Not collective. */
PAIL_API pail_status pail_cluster_get_info(const pail_cluster *cluster, pail_cluster_info *info);

/* Ends all ranks with this exit status, without their leave. Not collective. Returns only where the
 * transport cannot do it. */
PAIL_API void pail_cluster_abort(pail_cluster *cluster, int exit_status);

/* The part of n elements that is this rank's: first ... first + count - 1. Parts follow each other
 * by rank, differ by one element at most, and may be empty. Not collective. */
PAIL_API void pail_cluster_share(const pail_cluster *cluster, uint64_t n, uint64_t *first,
                                 uint64_t *count);

/* How it went, everywhere: the status of the first rank whose status is not PAIL_OK, on all ranks.
 *
 * In and out: sentence: [capacity]: why it failed here; that of the rank, with its number, or
 * empty. */
PAIL_API pail_status pail_cluster_agree(pail_cluster *cluster, pail_status status, char *sentence,
                                        size_t capacity);

/* The same, and whether all ranks see the same numbers as rank 0. PAIL_ERR_DATA where they do not.
 *
 * In: status, error: as in pail_cluster_agree. names, values: [n], n <= 16. */
PAIL_API pail_status pail_cluster_compare(pail_cluster *cluster, pail_status status,
                                          const char *const *names, const uint64_t *values,
                                          uint32_t n, char *error, size_t capacity);

/* Gives each rank its part of n elements, by pail_cluster_share.
 *
 * Out: own: [count * element_bytes]; may be NULL or `all` at rank 0, whose part comes first and
 *      stays where it is. In: all: [n * element_bytes], looked at by rank 0 alone. n,
 * element_bytes: the same everywhere. What is sent is not encrypted. What is wrong on one rank is
 * told to all before anything is sent. */
PAIL_API pail_status pail_cluster_scatter(pail_cluster *cluster, void *own, const void *all,
                                          uint64_t n, uint64_t element_bytes, char *error,
                                          size_t capacity);

typedef struct pail_cluster_part {
    uint64_t n;     /* points */
    double wall_ms; /* of its multiplication, without what follows */
} pail_cluster_part;

typedef struct pail_cluster_sum {
    uint32_t struct_size;
    uint32_t curve, group; /* pail_curve, pail_group */
    uint32_t reserved;
    pail_cluster_part *parts; /* optional: [size], written at rank 0 */
} pail_cluster_sum;

/* Multiplies each rank's part and adds the results up.
 *
 * Out: result: at rank 0; elsewhere zeroed. stats: optional: of this rank's own part.
 * In:  backend, context, job, config: of this rank, as for pail_msm. how: curve and group are the
 *      same everywhere, and those of the bases.
 * Returns what pail_msm does, on any rank; PAIL_ERR_INTERNAL where a rank sends what is no point.
 * Arguments that are wrong on one rank are told to all; a rank without a cluster cannot tell. */
PAIL_API pail_status pail_cluster_msm(pail_cluster *cluster, const pail_backend *backend,
                                      pail_context *context, pail_msm_result *result,
                                      pail_stats *stats, const pail_cluster_sum *how,
                                      const pail_msm_job *job, const pail_msm_config *config,
                                      char *error, size_t capacity);

/* Tasks that any rank may do, from one queue at rank 0. A task that fails does not stop the others.
 * A rank that lost its device (PAIL_ERR_DEVICE_LOST) takes no more tasks, and another rank does the
 * one that it had; the last rank goes on. */
typedef struct pail_cluster_batch {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t n;                        /* tasks; rank 0's counts */
    uint64_t task_bytes, result_bytes; /* the same everywhere; below 2^30 */
    /* At rank 0: fills in a task: [task_bytes]. Does not fail. */
    void (*task)(void *user, uint64_t index, void *task);
    /* At any rank, one at a time: does it. result: [result_bytes], zeroed. */
    pail_status (*work)(void *user, uint64_t index, const void *task, void *result, char *error,
                        size_t capacity);
    /* At rank 0, one at a time, in any thread and any order: what became of a task. */
    void (*done)(void *user, uint64_t index, uint32_t rank, pail_status status, const void *result,
                 const char *error);
    void *user;
} pail_cluster_batch;

/* Does all tasks. Returns PAIL_OK when `done` was called for each; tasks that failed included.
 * PAIL_ERR_ARGUMENT, PAIL_ERR_HOST_MEMORY, or what the transport returns. */
PAIL_API pail_status pail_cluster_run(pail_cluster *cluster, const pail_cluster_batch *batch,
                                      char *error, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_CLUSTER_H */
