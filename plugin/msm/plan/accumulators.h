/* The four accumulators as descriptors: what is particular to each. The meaning of a configuration
 * for one of them is put together in accumulator.c, and which one is taken where the configuration
 * leaves that open is in policy.c. */
#ifndef PAIL_MSM_ACCUMULATORS_H
#define PAIL_MSM_ACCUMULATORS_H

#include "accumulator.h"

/* Entries of a share at most: a thread that runs long is near the end of a driver's patience. */
#define PAIL_MSM_SHARE_MAX 8192u

/* Inputs of the choice of an accumulator. */
struct pail_msm_wish {
    const pail_msm_config *config;
    const struct pail_vk_caps *caps;
    enum pail_field_form form;
    uint32_t coordinate_bytes, group;
    uint64_t points;
};

struct pail_msm_descriptor {
    const char *name;
    bool inverts;       /* additions share inversions: it has slots, groups and a placement */
    bool places;        /* it has a placement without that */
    bool buckets;       /* a thread has a bucket, and leaves it whole: there are no shares */
    uint32_t share_max; /* entries of a share, if the device's loops allow it */

    /* Knobs of its own. NULL: there is nothing to check. Errors: PAIL_ERR_ARGUMENT */
    pail_status (*check)(const pail_msm_config *config, struct pail_error *err);
    /* Chooses everything but what follows from the workgroup. In: *a: what all have in common. Out:
     * the kernel and its knobs; workgroup: threads where the configuration leaves them open;
     * threads_max 0: as many as the policy has for the device. */
    void (*choose)(struct pail_msm_accumulator *a, const struct pail_msm_wish *wish);
    /* Bytes of workgroup memory that its kernel declares with so many threads: every array has at
     * least one element. NULL: none. */
    uint64_t (*workgroup_bytes)(const struct pail_msm_accumulator *a, uint32_t threads,
                                uint32_t coordinate_bytes);
    /* Makes the workgroup of the `wanted` threads as the device allows it.
     * NULL: any number of threads will do. */
    pail_status (*fit)(struct pail_msm_accumulator *a, const struct pail_msm_wish *wish,
                       uint32_t wanted, struct pail_error *err);
    /* Iterations of all loops for each entry of a share, generously. */
    uint32_t (*iterations)(const struct pail_msm_accumulator *a, const struct pail_msm_wish *wish);
};

extern const struct pail_msm_descriptor pail_msm_xyzz, pail_msm_walker, pail_msm_coop,
    pail_msm_debug;

/* accumulator: never PAIL_ACCUMULATOR_AUTO. NULL: there is no such one. */
const struct pail_msm_descriptor *pail_msm_descriptor(uint32_t accumulator);

/* The largest number of threads up to `wanted` that the device runs, in whole `unit`s; 0: not one
 * unit. */
uint32_t pail_msm_fit_threads(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w,
                              uint32_t wanted, uint32_t unit);

/* unit threads do not fit. */
pail_status pail_msm_unfit(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w,
                           uint32_t unit, struct pail_error *err);

/* Iterations where a thread adds entry after entry to one sum. */
uint32_t pail_msm_sum_iterations(const struct pail_msm_wish *wish);

/* Iterations of a round, for accumulators whose additions share inversions; sets their knobs, with
 * so many slots where the configuration leaves them open; and bytes of prefix products in workgroup
 * memory. */
uint32_t pail_msm_round_iterations(const struct pail_msm_accumulator *a,
                                   const struct pail_msm_wish *wish);
void pail_msm_share_inversions(struct pail_msm_accumulator *a, const struct pail_msm_wish *wish,
                               uint32_t slots);
uint64_t pail_msm_prefix_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                               uint32_t coordinate_bytes);

#endif /* PAIL_MSM_ACCUMULATORS_H */
