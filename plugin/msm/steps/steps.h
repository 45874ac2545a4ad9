/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a bundle's multiplications by Pippenger's method, from signed digits to the
 * combination of windows: a pure function of its plan. Everything needed to run them follows from
 * them: the pipelines (their requests), the barriers, and what the CPU twins do.
 *
 * A bundle is begun; then comes every chunk of its points: scalars at device addresses are fetched,
 * compact bases expanded, and for each batch of windows there are entries made and sorted, and then
 * their sums; then it is ended. Each of these is a section, which adds its steps to a list. */
#ifndef PAIL_MSM_STEPS_H
#define PAIL_MSM_STEPS_H

#include "bundle.h"
#include "vk/steps.h"

/* Regions of steps, behind those of a plan (enum pail_msm_region). */
enum pail_msm_slice {
    PAIL_MSM_RESULTS_OUT = PAIL_MSM_REGIONS, /* readback: window sums, or folded points */
    PAIL_MSM_REPORT_OUT,  /* readback: PAIL_MSM_REPORT_WORDS, then one word for each block */
    PAIL_MSM_BUCKETS_OUT, /* readback: pail_msm_buckets_bytes */
    PAIL_MSM_ELEMENTS,    /* a vector that has the scalars; read only */
    PAIL_MSM_MAP,         /* segment of the set's map that has the chunk; read only */
    PAIL_MSM_BASES,       /* plus a set's number: the segment that has the chunk; read only */
    PAIL_MSM_SLICES = PAIL_MSM_BASES + PAIL_MSM_SETS_MAX
};

/* Words of the report: least number of a scalar that breaks its promise; additions follow. */
#define PAIL_MSM_REPORT_BROKEN 0
#define PAIL_MSM_REPORT_WORDS  1

/* Input of the steps. The bundle has a plan; only properties of its bases are read, no buffer. */
struct pail_msm_recording {
    const struct pail_msm_bundle *bundle;
    const uint64_t
        *addresses;     /* [set][vector]: where a result is wanted; 0: nowhere. May be NULL */
    bool poison;        /* all regions but the scalars are filled first */
    bool keeps_buckets; /* copied to PAIL_MSM_BUCKETS_OUT, before they are reduced */
};

/* One chunk of the points. */
struct pail_msm_chunk {
    uint64_t first; /* kept point, from the first one of the vector */
    uint32_t n;
    uint32_t number;
};

/* Runs of the whole bundle, and bytes of PAIL_MSM_RESULTS_OUT. */
uint32_t pail_msm_blocks(const struct pail_msm_plan *plan);
uint64_t pail_msm_results_bytes(const struct pail_msm_bundle *bundle);

/* Bytes of PAIL_MSM_BUCKETS_OUT: points [part][window][bucket] of a bundle with one set and one
 * vector. */
uint64_t pail_msm_buckets_bytes(const struct pail_msm_bundle *bundle);

/* The form in which msm/bases/expand computes the points that multiplications in a form read. */
enum pail_field_form pail_msm_expand_form(enum pail_field_form form);

enum pail_msm_section {
    PAIL_MSM_BEGIN,
    PAIL_MSM_FETCH,   /* for a chunk: scalars at device addresses to where digits are taken from,
                       * and compact bases to points */
    PAIL_MSM_ENTRIES, /* for a chunk and a batch: digits, sorted by bucket */
    PAIL_MSM_SUMS,    /* for the same: buckets, and window sums where the buckets are complete */
    PAIL_MSM_END
};

/* Adds a section. chunk: NULL where it is of none; first_window: of the batch. */
void pail_msm_steps_section(struct pail_vk_steps *list, const struct pail_msm_recording *r,
                            enum pail_msm_section section, const struct pail_msm_chunk *chunk,
                            uint32_t first_window);

/* Called for each section in turn; its steps are the last ones of the list. chunk: NULL where the
 * section is of none. Returns false to stop. */
typedef bool pail_msm_section_fn(void *user, struct pail_vk_steps *list,
                                 const struct pail_msm_chunk *chunk);

/* All sections, in order. each: NULL: only the requests of the list are wanted, and no steps are
 * left. */
void pail_msm_steps_all(struct pail_vk_steps *list, const struct pail_msm_recording *r,
                        pail_msm_section_fn *each, void *user);

#endif /* PAIL_MSM_STEPS_H */
