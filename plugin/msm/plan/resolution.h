/* SPDX-License-Identifier: Apache-2.0 */
/* The resolution: everything that is chosen for a multiplication, in one place. Registering bases,
 * starting, estimates, the memory table, warming and measured choices ask here, each as far as it
 * needs to know, so that all of them have the same answer. A pure function but for the pace of the
 * device, where a question has one. */
#ifndef PAIL_MSM_RESOLUTION_H
#define PAIL_MSM_RESOLUTION_H

#include "comparison.h"
#include "copies.h"
#include "curve.h"
#include "plan.h"
#include "residency.h"

struct pail_vk_device;

/* Extent of an answer; each includes those before it. */
enum pail_msm_extent {
    PAIL_MSM_RESOLVE_FORM,
    PAIL_MSM_RESOLVE_ACCUMULATOR, /* accumulator and limits */
    PAIL_MSM_RESOLVE_BASES,       /* keeping of bases, where that is still to be chosen */
    PAIL_MSM_RESOLVE_PLAN,
};

/* Keeping of a set of bases. */
struct pail_msm_keeping {
    struct pail_msm_table table;
    uint32_t residency; /* PAIL_RESIDENCY_DEVICE or PAIL_RESIDENCY_HOST */
    bool compact;       /* points are x and a sign, expanded chunk by chunk */
    uint64_t segment;   /* points of a segment: as many as one binding and one buffer reach */
    bool pinned;        /* host memory that a queue for copies reads while other work goes on */
};

/* A set that is not kept yet. */
struct pail_msm_set_wish {
    uint64_t n;            /* points that are held: without infinities that are left out */
    uint64_t n_registered; /* points, including these */
    uint32_t map_bytes;    /* beside each point on the device */
    uint32_t residency, table_factor; /* same as in pail_bases_desc */
    bool no_glv;
    bool compact; /* PAIL_BASES_COMPACT */
};

struct pail_msm_question {
    enum pail_msm_extent extent;

    /* The device, with what was found on it (fast_doubles, fused_doubles). */
    const struct pail_vk_caps *caps;
    struct pail_vk_device *paced; /* its pace bounds a dispatch; NULL: no pace is known */
    uint32_t debug;               /* enum pail_debug, or-ed */

    /* The caller's wishes, and the measured choice where a wish leaves one open. */
    const pail_msm_config *config;
    pail_tuning tuning; /* tuning of the group; struct_size 0: none */
    uint32_t found; /* pail_accumulator by the first uses of the device; 0: none. Without tuning */

    /* The points: the widest group of all sets, and the narrowest; and the form that they are in, 0
     * where that is to be chosen. */
    struct pail_msm_group group;
    uint32_t narrowest; /* pail_group */
    uint32_t form;      /* enum pail_field_form */
    bool order_known;

    /* A set that is to be kept, and the device memory that there is for it and for the work.
     * NULL: it is kept, as `kept` says. */
    const struct pail_msm_set_wish *set;
    struct pail_device_room room;
    struct pail_msm_keeping kept;
    uint64_t scratch; /* bytes that the work may take beside what is kept; 0: no limit */

    /* The work, for a plan. With `set`, what depends on how it is kept is filled in here. */
    struct pail_msm_shape shape;
    uint64_t points; /* points of all vectors together, for the accumulator */
};

struct pail_msm_resolution {
    enum pail_field_form form;
    uint64_t runs_from, glv_from; /* points from which on: policy.h */

    struct pail_msm_accumulator accumulator;
    struct pail_msm_limits limits;

    struct pail_msm_keeping kept;
    struct pail_msm_shape shape;
    struct pail_msm_knobs knobs;
    struct pail_msm_plan plan;
};

/* Resolves a question. Out: as much as the question wants; the plan is zero after a failure.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED  a choice that cannot be had; the sentence names
 *         it */
pail_status pail_msm_resolve(struct pail_msm_resolution *out, const struct pail_msm_question *q,
                             struct pail_error *err);

/* True if a configuration leaves accumulator and field form open, with all their knobs, so that
 * measured choices are taken. */
bool pail_msm_config_is_open(const pail_msm_config *config);

/* Times as long as the default that each candidate of a comparison takes at most, before it was
 * measured: [accumulator - 1]. */
void pail_msm_candidate_times(uint32_t most[PAIL_COMPARISON_CANDIDATES],
                              const struct pail_vk_caps *caps);

/* Bytes that a point of a set takes where it is kept, with all copies. */
uint32_t pail_msm_kept_bytes(const struct pail_msm_group *group,
                             const struct pail_msm_keeping *kept);

/* Fills in what the shape of work over a set depends on: bits of scalars below 2^promised_bits,
 * bytes of points, segments, copies. `vectors` is there. */
void pail_msm_shape_over(struct pail_msm_shape *shape, const struct pail_msm_group *group,
                         const struct pail_msm_keeping *kept, bool order_known,
                         uint32_t promised_bits);

/* Bytes that one storage binding of one buffer can have. */
uint64_t pail_msm_binding_limit(const struct pail_vk_caps *caps);

/* Points of a segment: as many as one binding and one buffer reach, with all copies, in whole
 * pieces. point_bytes: of all copies of a point. */
uint64_t pail_msm_segment(const struct pail_vk_caps *caps, uint32_t point_bytes);

#endif /* PAIL_MSM_RESOLUTION_H */
