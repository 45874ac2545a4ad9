/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that sort on a device, and their specialisation. A pure function: the pipelines and
 * the plan take their numbers from here. */
#ifndef PAIL_MSM_SORT_PLAN_H
#define PAIL_MSM_SORT_PLAN_H

#include "vk/caps.h"

#include <kernels.h>
#include <shared/msm_layout.h>
#include <stdbool.h>
#include <stdint.h>

struct pail_msm_sort_kernels {
    enum pail_kernel_id count, scan, scatter, finish;
    uint32_t workgroup; /* size of all kernels but serial ones */
    uint32_t items;     /* entries of a thread that go through workgroup memory at a time */
    uint32_t top_bits;  /* of a bin, which entries leave out in workgroup memory */
    bool serial;        /* a tile is a thread's, not a workgroup's */
    uint32_t bits_max;  /* limit of a pass */
    uint32_t subtile; /* a tile is whole subtiles: as few as give no more than `tiles` in a window,
                         but no more than `subtiles` */
    uint32_t tiles, subtiles;
    uint32_t memory; /* bytes of workgroup memory that the device has */
};

/* Kernels for keys of as many bits as two passes sort, which is most. */
struct pail_msm_sort_kernels pail_msm_sort_kernels_of(const struct pail_vk_caps *caps);

/* Kernels for keys of so many bits: with more bits in a pass where *sort_kernels takes three passes
 * for them, and the device has the workgroup memory for two; and with bits left out where a digit
 * has no room for its place beside its key. Otherwise *sort_kernels. */
struct pail_msm_sort_kernels
pail_msm_sort_kernels_for(const struct pail_msm_sort_kernels *sort_kernels, uint32_t key_bits);

/* True if keys of so many bits take more than two passes. Each pass cuts a window into at least a
 * tile for every combination of the bits before it and every epoch, so that a third pass has mostly
 * tiles of few entries, and more of them than a dispatch has workgroups. */
bool pail_msm_sort_kernels_strained(const struct pail_msm_sort_kernels *sort_kernels,
                                    uint32_t key_bits);

/* The kernel's specialisation constants, in the order of its row; returns how many. */
uint32_t pail_msm_sort_kernels_specs(const struct pail_msm_sort_kernels *sort_kernels,
                                     enum pail_kernel_id kernel, uint32_t specs[PAIL_MAX_SPECS]);

/* The sort of a block's entries: passes, tiles, and the places of the numbers that one pass leaves
 * for the next (glsl/msm/sort/sort.glsl says what they are). A pure function of its inputs. */

#define PAIL_MSM_PASSES_MAX 4u

struct pail_msm_sort_plan {
    uint32_t key_bits;
    uint32_t passes;
    uint32_t tile;        /* entries, of a block with all entries and of a shorter one */
    uint32_t top_bits;    /* not 0: the last pass cuts groups into tiles, not epochs of groups */
    uint32_t workgroup;   /* of the scan */
    uint32_t epoch_tiles; /* tiles of an epoch in the first pass */
    /* Words of the counts region, which begins with the counts of tiles. */
    uint32_t totals, first_tiles, list, starts[PAIL_MSM_PASSES_MAX];
    uint64_t words;     /* size of the region */
    uint32_t tiles_max; /* bound of a window, in any pass */
};

/* Windows of n entries each, n > 0, with keys of so many bits, 1 to 21, besides the digit zero's.
 */
void pail_msm_plan_sort(struct pail_msm_sort_plan *sort_plan,
                        const struct pail_msm_sort_kernels *sort_kernels, uint32_t key_bits,
                        uint64_t n, uint32_t windows);

/* Bits of keys that a pass orders by, as equal as can be; earlier passes have more. */
uint32_t pail_msm_sort_plan_bits(const struct pail_msm_sort_plan *sort_plan, uint32_t pass);

/* Sets all members but those of handles. n: entries of a window in this block; starts: word of the
 * buffer `starts` of the last pass. */
void pail_msm_sort_plan_push(const struct pail_msm_sort_plan *sort_plan, uint32_t pass, uint64_t n,
                             uint32_t starts, struct msm_sort_push *push);

#endif /* PAIL_MSM_SORT_PLAN_H */
