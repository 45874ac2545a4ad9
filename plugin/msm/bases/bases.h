/* SPDX-License-Identifier: Apache-2.0 */
/* Registered points, in a field form's own representation, on the device or in host memory.
 *
 * Points at infinity add nothing, so where they are many they are left out: the points that are
 * kept are numbered 0 .. kept - 1 in their order, and a map gives each one's number in the set as
 * it was registered. Everything below that is not said to be an original number counts kept points.
 */
#ifndef PAIL_MSM_BASES_H
#define PAIL_MSM_BASES_H

#include <stdatomic.h>

#include "msm/plan/copies.h"
#include "msm/plan/curve.h"
#include "msm/service/service.h"
#include "vk/pipeline.h"

/* An array with one element for each kept point. In what a driver allocates it is cut into
 * segments, because one binding and one allocation are limited. */
struct pail_bases_copy {
    /* PAIL_RESIDENCY_DEVICE: on the device. PAIL_RESIDENCY_HOST: pinned, where the device has a
     * queue for copies that fetches from there while other work goes on; else NULL. */
    struct pail_vk_buffer *segments;
    uint32_t n_segments;
    void *host; /* PAIL_RESIDENCY_HOST, not pinned: one piece */
};

struct pail_bases {
    struct pail_msm *msm;
    struct pail_msm_group group;
    const struct pail_curve_ops *fold_ops; /* group.ops, or the same by what the processor has */
    atomic_uint references;
    uint64_t n;            /* points as registered */
    uint64_t n_infinities; /* infinities among them */
    uint64_t kept;         /* points that are held; below n only where infinities were left out */
    bool order_known;      /* every point has order r, or is infinity */
    uint32_t residency;    /* PAIL_RESIDENCY_DEVICE or PAIL_RESIDENCY_HOST */
    uint64_t segment;      /* points of a segment; the last may have fewer */
    bool pinned;           /* host memory is the driver's, as far as it grants that */
    bool compact; /* the points are x and a sign, in the one copy of copies[form], for all forms */
    struct pail_msm_table table; /* a segment of points has copy after copy of all its points */
    double table_ms;             /* time that it took to fill the table */

    /* [kept] original numbers, ascending, always in host memory; NULL when all points are kept.
     * Two sets of equal n and map_hash (FNV-1a of the map; 0 without one) left out the same. */
    uint32_t *map;
    uint64_t map_hash;
    struct pail_bases_copy map_copy; /* on the device, if the points are there */

    enum pail_field_form form;               /* form of the copy made at registration */
    struct pail_vk_pipeline_stats pipelines; /* asked for so far; guarded by msm->lock */
    _Atomic pail_vk_ticket made;             /* last work on the main queue that made a copy */
    /* The points, in each form that was asked for; guarded by msm->lock once registered. */
    struct pail_bases_copy copies[PAIL_FORM_COUNT];
};

/* The keeping of a set, for a question. */
struct pail_msm_keeping pail_bases_keeping(const struct pail_bases *bases);

/* Bytes that a point takes where it is kept, with all copies. */
uint32_t pail_bases_stored_bytes(const struct pail_bases *bases);

/* Bytes of points in one form, with all copies. */
uint64_t pail_bases_points_bytes(const struct pail_bases *bases);

/* Points from a copy to the next in the segment that the point `first` is in. */
uint64_t pail_bases_pitch(const struct pail_bases *bases, uint64_t first);

/* Registers a set. Out: *bad_index: SIZE_MAX unless a point was refused. See backend.h,
 * bases_create. */
pail_status pail_bases_register(struct pail_msm *msm, struct pail_bases **out, size_t *bad_index,
                                const pail_bases_desc *desc, struct pail_error *err);

void pail_bases_retain(struct pail_bases *bases);
void pail_bases_release(struct pail_bases *bases);

/* Describes a set. Out: all but struct_size. */
void pail_bases_describe(struct pail_bases *bases, pail_bases_info *info);

/* Makes sure that there is a copy in the form. Waits for the device when it has to make one.
 * Errors: PAIL_ERR_DEVICE_MEMORY and PAIL_ERR_HOST_MEMORY, also when the budget has no room. */
pail_status pail_bases_in_form(struct pail_bases *bases, enum pail_field_form form,
                               struct pail_error *err);

/* Adds the pipelines that its copies took to *stats, once: they count with the first work. */
void pail_bases_take_pipelines(struct pail_bases *bases, struct pail_vk_pipeline_stats *stats);

/* True if points are left out: scalars then go by the map. */
bool pail_bases_mapped(const struct pail_bases *bases);

/* The kept points among the original numbers offset ... offset + n - 1. */
void pail_bases_range(const struct pail_bases *bases, uint64_t offset, uint64_t n, uint64_t *first,
                      uint64_t *count);

/* PAIL_RESIDENCY_DEVICE: the whole segment that has the point `first`, with all copies of its
 * points one after the other; or of compact points. */
struct pail_vk_slice pail_bases_slice(const struct pail_bases *bases, enum pail_field_form form,
                                      uint64_t first);

/* Same, for the map of a set that is mapped: 32-bit words. */
struct pail_vk_slice pail_bases_map_slice(const struct pail_bases *bases, uint64_t first);

/* PAIL_RESIDENCY_HOST: where the point `first` of a copy is; the rest of its segment follows, or
 * all others where the copy is not pinned. */
void *pail_bases_host_at(const struct pail_bases *bases, const struct pail_bases_copy *copy,
                         uint64_t first);

/* PAIL_RESIDENCY_HOST: points from `first` on, as the form has them in device memory; NULL where
 * pail_bases_in_form has not made that form. Valid as long as the set.
 * In:  count   > 0, that are wanted
 * Out: *n      of them that are there, one behind the other
 *      pinned  these, where a device copies from by itself; no buffer where it does not */
const void *pail_bases_host_points(const struct pail_bases *bases, enum pail_field_form form,
                                   uint64_t first, uint64_t count, uint64_t *n,
                                   struct pail_vk_slice *pinned);

#endif /* PAIL_MSM_BASES_H */
