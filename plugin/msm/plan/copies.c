/* SPDX-License-Identifier: Apache-2.0 */
#include "copies.h"

#include <shared/msm_layout.h>

#include "integers.h"
#include "window.h"

/* A bucket's part in the reduction against an addition in the accumulation, as the plan has it: two
 * additions of 14 multiplications against one of 10, in levels too narrow to fill a device. */
#define BUCKET_WEIGHT 4u
/* So few points leave a device idle, and their reduction is a chain: a step of it is so many
 * entries, by measurement of 2^12 points on an H200 (docs/lab/many-small.md). */
#define FEW_LEAST    ((uint64_t)1 << 10)
#define FEW_MOST     ((uint64_t)1 << 13)
#define STEP_ENTRIES 11000u

/* Steps of the bucket reduction of windows of c bits: three of each level, then those of what the
 * last one leaves: two, four or eight elements. */
static uint32_t steps_of(uint32_t c)
{
    static const uint32_t end[] = {6, 6, 7, 12};
    const uint32_t levels = MSM_REDUCE_LEVELS(c - 1);
    return MSM_REDUCE_STEPS * levels + end[c - 1 - 3 * levels];
}

struct pail_msm_table pail_msm_table_choose(uint64_t n, uint32_t scalar_bits, uint32_t most,
                                            uint32_t point_bytes, uint64_t binding_bytes)
{
    struct pail_msm_table best = {.factor = most <= 1 || n == 0};
    uint64_t best_cost = UINT64_MAX;
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= PAIL_MSM_WINDOW_MAX && most > 1 && n > 0; c++) {
        const uint64_t digits = pail_msm_windows(scalar_bits, c), windows = ceil_div(digits, most);
        const uint64_t factor = ceil_div(digits, windows);
        /* All copies of a point are in one segment, and each segment has buckets of its own. */
        uint64_t segment = binding_bytes / (factor * point_bytes);
        segment -= segment % PAIL_PIECE_POINTS;
        if (segment == 0)
            continue;
        const uint64_t buckets = ceil_div(n, segment) * windows << (c - 1);
        const bool few = n >= FEW_LEAST && n <= FEW_MOST;
        const uint64_t cost =
            digits * n + BUCKET_WEIGHT * buckets + (few ? STEP_ENTRIES * steps_of(c) : 0);
        if (cost < best_cost) {
            best = (struct pail_msm_table){.factor = (uint32_t)factor, .bits = c};
            best_cost = cost;
        }
    }
    if (best.factor == 1) /* one window has all bits, or no table is wanted */
        best.bits = 0;
    return best;
}

pail_status pail_msm_table_window(uint32_t *window_bits, const struct pail_msm_table *table,
                                  const pail_msm_config *config, struct pail_error *err)
{
    if (table->bits == 0)
        return PAIL_OK;
    if (config->window_bits && config->window_bits != table->bits)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->window_bits is %u; the bases have a table for windows of %u bits",
                         config->window_bits, table->bits);
    *window_bits = table->bits;
    return PAIL_OK;
}
