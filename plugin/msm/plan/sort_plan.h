/* The sort of a block's entries: passes, tiles, and the places of the numbers that one pass leaves
 * for the next (glsl/msm/sort/sort.glsl says what they are). A pure function of its inputs. */
#ifndef PAIL_MSM_SORT_PLAN_H
#define PAIL_MSM_SORT_PLAN_H

#include <stdint.h>

#include <shared/msm_layout.h>

#include "sort_kernels.h"

#define PAIL_MSM_PASSES_MAX 4u

struct pail_msm_sort_plan {
    uint32_t key_bits;
    uint32_t passes;
    uint32_t tile;        /* entries, of a block with all entries and of a shorter one */
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
