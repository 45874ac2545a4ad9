/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are computed together: several scalar vectors over one set of bases share every
 * dispatch; several sets under one scalar vector share its decomposition and sort. */
#ifndef PAIL_MSM_BUNDLE_H
#define PAIL_MSM_BUNDLE_H

#include "msm/bases/bases.h"
#include "msm/plan/plan.h"
#include "msm/service/first_uses.h"

struct pail_vector;

#define PAIL_MSM_SETS_MAX 8u

/* Points of all bundles that may go side by side (run/concurrent.c): where there are more, one of
 * them keeps a device busy. */
#define PAIL_MSM_CONCURRENT_POINTS ((uint64_t)1 << 21)

/* Same, where each has a queue. With 2^24 there is no gain, and much memory is taken. */
#define PAIL_MSM_LANES_POINTS ((uint64_t)1 << 23)

/* One vector of scalars. */
struct pail_msm_vector {
    const uint8_t *scalars;       /* pointer to host memory; NULL elsewhere */
    uint64_t address;             /* address on the device; 0: they are in neither */
    struct pail_vector *elements; /* a retained vector: the bundle has one then. Else NULL */
    uint64_t first;               /* element that is scalar 0 */
    /* Slice of pinned host memory behind a device address, where scalars are as they are wanted:
     * they can be copied. Its buffer is NULL where that is not so. */
    struct pail_vk_slice pinned;
    uint64_t offset; /* original number of the base that scalar 0 goes with */
};

struct pail_msm_set {
    struct pail_bases *bases; /* retained */
    uint64_t first;           /* kept base that entry 0 of vector 0 goes with */
};

struct pail_msm_bundle {
    struct pail_msm_shape shape;
    enum pail_field_form form; /* form of all its sets */
    struct pail_msm_plan plan;
    struct pail_first_use use;
    const struct pail_curve_ops *scalar_ops; /* the scalar field is that of every set */
    uint32_t curve, scalar_encoding;
    uint32_t promised_bits; /* scalars are below 2^this; 256: nothing is promised */
    bool reduce;            /* scalars count modulo the group order */
    uint64_t n_original;    /* scalars of a vector, those of left out points included */
    uint64_t handle_stride; /* kept bases from a vector's first to the next one's */
    uint32_t n_vectors, n_sets, capacity; /* room of `vectors`; `jobs` has a few more */
    struct pail_msm_vector *vectors;
    struct pail_msm_set *sets;
    size_t *jobs; /* [set * n_vectors + vector]: whose result it is; one of the counts is 1 */
};

/* True if the device has anything to do: an empty sum is known, but may be wanted at an address. */
bool pail_msm_bundle_works(const struct pail_msm_bundle *bundle);

/* True if scalars in pinned memory are copied with each chunk, by the queue for copies. */
bool pail_msm_bundle_copies_chunks(const struct pail_msm_bundle *bundle);

/* True if digits are taken from scalars at a device address, which are wanted as they are: whole,
 * one for each point, and not over a bus time and again. Only once there is a plan. */
bool pail_msm_bundle_direct(const struct pail_msm_bundle *bundle);

/* True if a kernel has to fetch scalars from device addresses first. Only once there is a plan. */
bool pail_msm_bundle_fetches(const struct pail_msm_bundle *bundle);

/* Vectors of n points each that one bundle takes at most. */
uint32_t pail_msm_vectors_most(uint64_t n);

/* Puts the jobs into bundles, in order; each job is in one.
 * Out: *bundles [*n], to be freed by pail_msm_bundles_free; NULL on failure. Shapes are filled,
 *      plans are not.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED (jobs that break a rule of backend.h),
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_msm_bundles_make(struct pail_msm *msm, struct pail_msm_bundle **bundles, size_t *n,
                                  const pail_msm_job jobs[], size_t n_jobs,
                                  const pail_msm_config *config, struct pail_error *err);
void pail_msm_bundles_free(struct pail_msm *msm, struct pail_msm_bundle *bundles, size_t n);

/* Plans the bundles of one start on the context's device, within what the context may still hold:
 * for the start and for its estimate. At most one of them is a use of a candidate. */
pail_status pail_msm_bundles_plan(struct pail_msm *msm, struct pail_msm_bundle *bundles, size_t n,
                                  const pail_msm_config *config, enum pail_plan_purpose purpose,
                                  struct pail_error *err);

#endif /* PAIL_MSM_BUNDLE_H */
