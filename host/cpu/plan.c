#include "plan.h"

/* Below this a chunk's own bucket reduction costs more than another thread gains. */
#define CHUNK_MIN 4096

/* Costs in tenths of an affine batch addition, as measured: a bucket in the reduction is a mixed
 * and a full XYZZ addition; a window has fixed costs and its share of the fold. */
#define COST_ADD    10.0
#define COST_BUCKET 32.0
#define COST_WINDOW 200.0

uint32_t pail_cpu_windows(uint32_t bits, uint32_t c)
{
    return bits == 0 ? 0 : (bits + c) / c;
}

static uint32_t best_window(size_t n, uint32_t bits)
{
    uint32_t best = 1;
    double best_cost = 0;
    for (uint32_t c = 1; c <= PAIL_CPU_WINDOW_MAX; c++) {
        const double buckets = (double)(UINT32_C(1) << (c - 1));
        const double cost = pail_cpu_windows(bits, c) *
                            (COST_ADD * (double)n + COST_BUCKET * buckets + COST_WINDOW);
        if (c == 1 || cost < best_cost) {
            best = c;
            best_cost = cost;
        }
    }
    return best;
}

struct pail_cpu_plan pail_cpu_plan_make(size_t n, uint32_t bits, uint32_t window_bits,
                                        size_t threads)
{
    struct pail_cpu_plan plan = {.chunks = 1};
    for (;;) {
        plan.chunk_points = n / plan.chunks + (n % plan.chunks != 0);
        plan.c = window_bits != 0 ? window_bits : best_window(plan.chunk_points, bits);
        /* Three tasks for each thread even out their lengths. */
        const size_t tasks = plan.chunks * pail_cpu_windows(bits, plan.c);
        if (tasks >= 3 * threads || plan.chunk_points < 2 * CHUNK_MIN) {
            break;
        }
        plan.chunks *= 2;
    }
    /* Rounding up may leave nothing for the last chunks. */
    plan.chunks = plan.chunk_points == 0 ? 1 : (n - 1) / plan.chunk_points + 1;
    /* A few points for each bucket, so that passing over the buckets costs little. */
    const size_t block = (size_t)4 << (plan.c - 1), block_min = 4096;
    plan.block_points = block > block_min ? block : block_min;
    if (plan.block_points > plan.chunk_points) {
        plan.block_points = plan.chunk_points;
    }
    return plan;
}
