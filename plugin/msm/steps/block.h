/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the files that make steps: one block, and its regions. */
#ifndef PAIL_MSM_STEPS_BLOCK_H
#define PAIL_MSM_STEPS_BLOCK_H

#include <shared/msm_layout.h>

#include "msm/plan/work.h"
#include "steps.h"

/* One batch of windows of one chunk. */
struct block {
    struct pail_vk_steps *list;
    const struct pail_msm_recording *r;
    const struct pail_msm_bundle *bundle;
    const struct pail_msm_plan *plan;
    struct pail_msm_chunk chunk;
    uint32_t first_window, windows;
};

/* A region of the plan; a part of one. */
struct pail_vk_range pail_msm_region_range(const struct pail_msm_plan *plan,
                                           enum pail_msm_region region);
struct pail_vk_range pail_msm_range(uint32_t region, uint64_t offset, uint64_t bytes);

/* Words first to first + n of the region of indices, four bytes each. */
struct pail_vk_range pail_msm_index_words(uint64_t first, uint64_t n);

/* The request for a kernel of set `s`, without specialisation. Where the accumulator has a thread's
 * work in two invocations, so has every kernel that can. */
struct pail_vk_pipeline_request pail_msm_request(const struct pail_msm_bundle *bundle, uint32_t s,
                                                 enum pail_kernel_id kernel);

/* Workgroups for so many threads, in one dimension. Where there may be more than 65535 of them
 * pail_vk_grid has two. A dispatch in portions is cut between windows, so there are many. */
uint32_t pail_msm_groups(uint64_t threads, uint32_t workgroup);

/* Estimates: words read and written, and additions of a set's points. */
struct pail_vk_work pail_msm_words(double words, bool apart);
struct pail_vk_work pail_msm_additions(const struct block *block, uint32_t s, double additions);

/* Layout of a chunk's scalars: a vector's first, and the distance from one vector to the next. */
void pail_msm_scalar_layout(const struct pail_msm_bundle *b, const struct pail_msm_chunk *chunk,
                            uint64_t *first, uint64_t *stride);

/* Entries of a window. */
uint32_t pail_msm_block_entries(const struct block *block);

/* Bases of a set from a copy to the next, where there are several. */
uint32_t pail_msm_block_pitch(const struct block *block, const struct pail_msm_set *set);

/* Invocations of a thread of a set's kernels that add up points. */
uint32_t pail_msm_block_lanes(const struct block *block, uint32_t s);

/* Number of a set's first point in a region of which each set has an equal part. Sets may be of
 * groups whose points differ in size; those of one curve are multiples of each other. */
uint32_t pail_msm_part_of_set(const struct pail_msm_bundle *b, uint32_t s, uint64_t part_bytes);

/* Bytes of a set's part of the window sums. */
uint64_t pail_msm_window_part(const struct pail_msm_bundle *b);

/* Places of bucket pieces among all pieces: the first, and their number. */
uint32_t pail_msm_places_first(const struct pail_msm_plan *plan);
uint32_t pail_msm_places(const struct pail_msm_plan *plan);

/* Region for the data of the sort that does not outlive it. */
struct pail_vk_range pail_msm_sort_temp(const struct pail_msm_plan *plan);

/* Scalars of the chunk at device addresses to where digits are taken from. */
void pail_msm_steps_fetch(const struct block *block);

/* Compact bases of the chunk to points. */
void pail_msm_steps_expand(const struct block *block);

/* Steps from scalars to digits, from digits to sorted entries, and to the order in which the
 * accumulation takes them. */
void pail_msm_steps_decompose(const struct block *block);
void pail_msm_steps_sort(const struct block *block);
void pail_msm_steps_share(const struct block *block);

/* Bucket accumulation of a set: buckets cleared, and the sums of entries in them or in pieces;
 * then pieces to buckets. */
void pail_msm_steps_accumulate(const struct block *block, uint32_t s);
void pail_msm_steps_combine(const struct block *block, uint32_t s);

/* Bucket reduction of a set: window sums. */
void pail_msm_steps_reduce(const struct block *block, uint32_t s);

/* The combination of windows of a set, and its results to device addresses. */
void pail_msm_steps_fold(struct pail_vk_steps *list, const struct pail_msm_recording *r,
                         uint32_t s);

#endif /* PAIL_MSM_STEPS_BLOCK_H */
