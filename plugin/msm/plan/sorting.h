/* How the entries of a run are sorted: passes, tiles, and where each number is that one pass leaves
 * for the next (glsl/msm/sort/sort.glsl says what they are). A pure function of its inputs. */
#ifndef PAIL_MSM_SORTING_H
#define PAIL_MSM_SORTING_H

#include <stdint.h>

#include <shared/msm_layout.h>

#include "sorter.h"

#define PAIL_MSM_PASSES_MAX 4u

struct pail_msm_sorting {
    uint32_t key_bits;
    uint32_t passes;
    uint32_t tile;        /* entries, of a run with all entries and of a shorter one */
    uint32_t epoch_tiles; /* of the first pass; one epoch has no more */
    /* Words of the counts region, which begins with the counts of tiles. */
    uint32_t totals, first_tiles, list, starts[PAIL_MSM_PASSES_MAX];
    uint64_t words;     /* of the region */
    uint32_t tiles_max; /* of a row, in any pass */
};

/* Rows of n entries each, n > 0, with keys of so many bits, 1 to 21, besides the digit zero's. */
void pail_msm_sorting_plan(struct pail_msm_sorting *sorting, const struct pail_msm_sorter *sorter,
                           uint32_t key_bits, uint64_t n, uint32_t rows);

/* Bits of keys that a pass orders by, as equal as can be; earlier passes have more. */
uint32_t pail_msm_sorting_bits(const struct pail_msm_sorting *sorting, uint32_t pass);

/* Sets all members but those of handles. n: entries of a row in this run; starts: word of the
 * buffer `starts` of the last pass. */
void pail_msm_sorting_push(const struct pail_msm_sorting *sorting, uint32_t pass, uint64_t n,
                           uint32_t starts, struct msm_sort_push *push);

#endif /* PAIL_MSM_SORTING_H */
