/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

/* Costs in additions of a batch, as measured: an entry is added and sorted; a bucket is added
 * twice when the buckets are summed up. A flush that does not fill its batch costs as much as its
 * inversion, and every round of a task ends with one: ROUNDS for a block, c for the buckets. */
#define COST_ENTRY  1.25
#define COST_BUCKET 1.8
#define COST_FLUSH  80.0
#define ROUNDS      6.0
#define COST_WINDOW 120.0 /* the last c points of a window, one after the other */
#define COST_CHUNK  30.0  /* a window's share of the fold, in each chunk */

/* Caches hold what a task works on: its buckets if it has several windows, and a block's entries,
 * unless the buckets are many: BLOCK_FILL for each make passing over them cheap. */
#define TASK_BUCKETS  6144
#define BLOCK_ENTRIES 16384
#define BLOCK_FILL    4

#define CHUNK_MIN 256 /* points; fewer are not worth buckets of their own */

static size_t quotient_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

uint32_t pail_cpu_windows(uint32_t bits, uint32_t c)
{
    return bits == 0 ? 0 : (bits + c) / c;
}

static size_t block(size_t points, uint32_t c, uint32_t windows)
{
    const size_t by_buckets = (size_t)BLOCK_FILL << (c - 1), by_entries = BLOCK_ENTRIES / windows;
    const size_t about = by_buckets > by_entries ? by_buckets : by_entries;
    const size_t blocks = (points + about / 2) / about; /* of equal size, so that none is small */
    return blocks > 1 ? quotient_up(points, blocks) : points;
}

/* Time until the last thread is done. */
static double cost(const struct pail_cpu_plan *plan, uint32_t bits, size_t threads)
{
    const uint32_t windows = pail_cpu_windows(bits, plan->c);
    const size_t tasks = plan->chunks * quotient_up(windows, plan->task_windows);
    const double buckets = (double)(UINT32_C(1) << (plan->c - 1));
    const double blocks = (double)quotient_up(plan->chunk_points, plan->block_points);
    const double window =
        COST_ENTRY * (double)plan->chunk_points + COST_BUCKET * buckets + COST_WINDOW;
    const double task =
        plan->task_windows * window + COST_FLUSH * (ROUNDS * blocks + (double)plan->c);
    return (double)quotient_up(tasks, threads) * task +
           COST_CHUNK * (double)plan->chunks * (double)windows;
}

/* The best of the plans with windows of c bits and so many chunks, if it is better than *best. */
static void try_parts(struct pail_cpu_plan *best, double *best_cost, size_t n, uint32_t bits,
                      uint32_t c, size_t chunks, size_t threads)
{
    const uint32_t windows = bits == 0 ? 1 : pail_cpu_windows(bits, c);
    const size_t points = quotient_up(n, chunks);
    for (uint32_t parts = 1; parts <= windows; parts++) {
        struct pail_cpu_plan plan = {
            .c = c,
            .task_windows = (windows + parts - 1) / parts,
            /* Rounding up may leave nothing for the last chunks. */
            .chunks = points == 0 ? 1 : quotient_up(n, points),
            .chunk_points = points,
        };
        if (plan.task_windows > 1 && (size_t)plan.task_windows << (c - 1) > TASK_BUCKETS)
            continue;
        plan.block_points = block(points, c, plan.task_windows);
        const double this_cost = n == 0 ? 0 : cost(&plan, bits, threads);
        if (best->chunks == 0 || this_cost < *best_cost) {
            *best = plan;
            *best_cost = this_cost;
        }
    }
}

struct pail_cpu_plan pail_cpu_plan_make(size_t n, uint32_t bits, uint32_t window_bits,
                                        size_t threads)
{
    struct pail_cpu_plan best = {0};
    double best_cost = 0;
    const uint32_t first = window_bits != 0 ? window_bits : 1;
    const uint32_t last = window_bits != 0 ? window_bits : PAIL_CPU_WINDOW_MAX;
    for (uint32_t c = first; c <= last; c++) {
        for (size_t chunks = 1; chunks == 1 || n / chunks >= CHUNK_MIN; chunks *= 2) {
            try_parts(&best, &best_cost, n, bits, c, chunks, threads);
            if (chunks >= 2 * threads)
                break; /* more chunks would only mean more buckets */
        }
    }
    return best;
}
