/* SPDX-License-Identifier: Apache-2.0 */
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

/* Inputs of the choice of an accumulator. */
struct pail_msm_wish {
    const pail_msm_config *config;
    const struct pail_vk_caps *caps;
    enum pail_field_form form;
    uint32_t coordinate_bytes, group;
    uint64_t points;
};

#endif /* PAIL_MSM_ACCUMULATOR_H */
