/* The accumulator kernel that a configuration means on a device, and its specialisation. A pure
 * function: the pipelines, the plan and the stats all take their numbers from here. */
#ifndef PAIL_MSM_ACCUMULATOR_H
#define PAIL_MSM_ACCUMULATOR_H

#include "vk/caps.h"

#include <kernels.h>
#include <pail/backend.h>

#include <core/error.h>

/* Processors of the largest device that was measured, an H200: what fills it is so many times what
 * fills one. */
#define PAIL_MSM_PROCESSORS 132u

struct pail_msm_accumulator {
    uint32_t accumulator;       /* pail_accumulator; never PAIL_ACCUMULATOR_AUTO */
    enum pail_kernel_id kernel; /* kernel for the group that it was chosen for */
    uint32_t workgroup;
    uint32_t slots;            /* additions of a thread that share an inversion; 0: no inversions */
    uint32_t inversion_group;  /* threads that share an inversion; 0: no inversions */
    uint32_t prefix_placement; /* pail_placement; 0: nothing to place */
    uint32_t n_specs;
    uint32_t specs[PAIL_MAX_SPECS]; /* values in the order of the kernel's row */

    uint32_t threads_max;   /* most threads that pay on the largest device of this type */
    uint32_t shares;        /* shares of a thread; 0: a thread has a bucket, and nothing is cut */
    uint32_t share_max;     /* entries of a share at most; without shares, of a chunk of points */
    uint32_t scratch_bytes; /* size of the region of points, for each thread */
    bool resumes;           /* it can add to what is in the buckets */
    bool serial;            /* it, and the reduction, have the kernels for software drivers */
    bool runs;              /* it takes runs in order of their length, in place of shares */
    bool tasks;             /* and neighbouring threads those of one task, side by side */
    uint32_t lanes;         /* invocations of a thread, of the group that it was chosen for */
};

/* The effective choice. The workgroup is lowered to what the workgroup memory allows, and to whole
 * inversion groups; a combination that means nothing is an error.
 * In:  coordinate_bytes  of a coordinate in device memory, in the widest group
 *      group             of the MSM
 *      points            of all vectors together; 0: few
 * Errors: PAIL_ERR_ARGUMENT     a knob of another accumulator, or out of range
 *         PAIL_ERR_UNSUPPORTED  an accumulator that there is not, or more than the device has */
pail_status pail_msm_accumulator_choose(struct pail_msm_accumulator *out,
                                        const pail_msm_config *config,
                                        const struct pail_vk_caps *caps, uint32_t coordinate_bytes,
                                        uint32_t group, uint64_t points, struct pail_error *err);

/* Invocations of a thread for a set of bases of some group in a bundle, whose accumulator is chosen
 * for the widest one: 2 where each has half of a coordinate. */
uint32_t pail_msm_accumulator_lanes(const struct pail_msm_accumulator *a, uint32_t group);

/* The four accumulators as descriptors: what is particular to each. The meaning of a configuration
 * for one of them is put together in accumulator.c, and which one is taken where the configuration
 * leaves that open is in policy.c. */

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

#endif /* PAIL_MSM_ACCUMULATOR_H */
