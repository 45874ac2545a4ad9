/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack service of one context. Everything here may be called from any thread and from
 * callbacks of the host: no lock is held while one of those, or the device, is called. */
#ifndef PAIL_ADSTACK_SERVICE_H
#define PAIL_ADSTACK_SERVICE_H

#include <core/log.h>
#include <core/ranges.h>
#include <pail/context.h>

#include "copies.h"
#include "device.h"
#include "overflow.h"
#include "registry.h"

struct pail_ad_env {
    struct pail_alloc alloc;
    struct pail_log log;
    uint32_t debug; /* pail_debug, or-ed: TRACE tells of every evaluation */
    /* NULL: there is none, and everything is done on the host. Outlives the service. */
    const struct pail_ad_device *device;
    /* Limit of a kernel's launches, and of copies of all kernels; 0: PAIL_AD_CACHE_BYTES. */
    uint64_t cache_bytes;
    /* No `open`: kernels run on the host, and report to memory of the service. */
    struct pail_ad_overflow_memory overflow_memory;
    const char *no_addresses;     /* why bindings may have no device_address; NULL: they may */
    struct pail_ranges *memories; /* the addresses that they may have; NULL: any */
    bool pointers;                /* addresses are the host's own, which reads there */
    const char *no_semaphores;    /* why launches may have no wait_semaphore; NULL: they may */
    pail_status semaphores;       /* status of one that has; PAIL_OK: PAIL_ERR_ARGUMENT */
    pail_fetch_callbacks fetch;   /* start: NULL: bindings may not be PAIL_BINDING_FOREIGN */
};

/* pail_adstack_stats, without a lock. */
enum pail_ad_stat {
    PAIL_AD_STAT_EVALUATIONS,
    PAIL_AD_STAT_LAUNCH_HITS,
    PAIL_AD_STAT_TASK_HITS,
    PAIL_AD_STAT_TREE_HITS,
    PAIL_AD_STAT_SPEC_HITS,
    PAIL_AD_STAT_DISPATCHES,
    PAIL_AD_STAT_CELLS,
    PAIL_AD_STAT_HOST_CELLS,
    PAIL_AD_STAT_FALLBACKS,
    PAIL_AD_STAT_INVALIDATIONS,
    PAIL_AD_STAT_SUBMISSIONS,
    PAIL_AD_STAT_WAITS,
    PAIL_AD_STAT_SPECIALISED,
    PAIL_AD_STAT_OVERFLOWS,
    PAIL_AD_STAT_OVERFLOWS_LOST,
    PAIL_AD_STAT_DEVICE_NS,
    PAIL_AD_STAT_LAYOUTS,
    PAIL_AD_STAT_TREES,
    PAIL_AD_STAT_REDUCTIONS,
    PAIL_AD_STAT_HOST_REDUCTIONS,
    PAIL_AD_STAT_LONGEST_SUBMISSION_NS,
    PAIL_AD_STAT_FETCHES,
    PAIL_AD_STAT_FETCHED_BYTES,
    PAIL_AD_STAT_REDUCED,
    PAIL_AD_N_STATS
};

struct pail_adstack {
    struct pail_ad_env env;
    atomic_uint_fast64_t stats[PAIL_AD_N_STATS];
    struct pail_ad_registry registry;
    struct pail_ad_identities identities;
    struct pail_ad_overflows overflows;
    struct pail_ad_copies copies;
    struct {
        pthread_mutex_t lock;
        struct pail_adstack_prepared *first;
    } prepared; /* all launches that are prepared, for their counters */
    uint32_t overflow_words[PAIL_AD_OVERFLOW_WORDS(PAIL_AD_OVERFLOW_RECORDS)]; /* the host's */
};

/* Errors: PAIL_ERR_HOST_MEMORY */
pail_status pail_adstack_create(struct pail_adstack **out, const struct pail_ad_env *env,
                                struct pail_error *err);
void pail_adstack_destroy(struct pail_adstack **service);

void pail_ad_count(struct pail_adstack *service, enum pail_ad_stat stat, uint64_t n);

/* Same, for a statistic that is a maximum. */
void pail_ad_count_most(struct pail_adstack *service, enum pail_ad_stat stat, uint64_t n);

/* Registers a kernel that was made, and takes over its reference, also when it fails. */
pail_status pail_ad_adopt(struct pail_adstack *service, uint64_t *handle, uint32_t *task_ids,
                          struct pail_ad_kernel *kernel, struct pail_error *err);

/* adstack_register and its kin of the boundary; structs that come in are the caller's own.
 * task_ids: [n_tasks], optional. */
pail_status pail_adstack_register(struct pail_adstack *service, uint64_t *handle,
                                  uint32_t *task_ids, const pail_kernel_desc *desc,
                                  struct pail_error *err);
pail_status pail_adstack_unregister(struct pail_adstack *service, uint64_t handle,
                                    struct pail_error *err);
pail_status pail_adstack_lookup(struct pail_adstack *service, char *name, size_t capacity,
                                int32_t *task_index, uint32_t id, struct pail_error *err);
void pail_adstack_bump(struct pail_adstack *service, uint64_t identity);
void pail_adstack_forget(struct pail_adstack *service, uint64_t identity);
void pail_adstack_invalidate(struct pail_adstack *service, uint64_t handle /* 0: all */);
void pail_adstack_read_stats(struct pail_adstack *service, pail_adstack_stats *stats);
void pail_adstack_reset_stats(struct pail_adstack *service);

#endif /* PAIL_ADSTACK_SERVICE_H */
