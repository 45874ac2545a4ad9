#include "twins.h"

/* Runs of so many entries come after all longer ones. */
static uint32_t bin_of(uint32_t count)
{
    uint32_t place = count, above = 0;
    while (count >> (MSM_ORDER_EXACT + above) > 1) {
        above++;
    }
    if (count >> MSM_ORDER_EXACT) {
        const uint32_t bins = 1u << MSM_ORDER_TOP;
        place = (1u << MSM_ORDER_EXACT) + above * bins +
                (count >> (above + MSM_ORDER_EXACT - MSM_ORDER_TOP)) % bins;
    }
    return MSM_ORDER_BINS - 1 - place;
}

uint32_t pail_twin_order_steps(uint32_t count)
{
    uint32_t steps = count;
    while (bin_of(steps + 1) == bin_of(count)) {
        steps++;
    }
    return steps;
}

struct cut_bucket {
    uint32_t first, pieces, each, rest; /* the first `rest` pieces have one entry more */
};

static struct cut_bucket cut(const struct msm_order_push *push, const uint32_t *index, uint32_t row,
                             uint32_t key)
{
    const uint32_t *start = index + push->starts + (size_t)row * (push->stride + 1) + key;
    const uint32_t total = index[push->row_first + push->rows], count = start[1] - start[0];
    uint32_t most = (total + push->threads - 1) / push->threads;
    if (most < push->share) {
        most = push->share;
    }
    struct cut_bucket b = {.first = row * push->n + start[0], .pieces = (count + most - 1) / most};
    if (b.pieces) {
        b.each = count / b.pieces;
        b.rest = count % b.pieces;
    }
    return b;
}

void pail_twin_order_count(const struct msm_order_push *push, uint32_t *index)
{
    for (uint32_t row = 0; row < push->rows; row++) {
        for (uint32_t key = 0; key < push->stride; key++) {
            const struct cut_bucket b = cut(push, index, row, key);
            for (uint32_t i = 0; i < b.pieces; i++) {
                index[push->counts + bin_of(b.each + (i < b.rest))]++;
            }
        }
    }
}

void pail_twin_order_scan(const struct msm_order_push *push, uint32_t *index)
{
    uint32_t *const counts = index + push->counts, *const steps = counts + MSM_ORDER_STEPS;
    uint32_t before = 0;
    for (uint32_t i = 0; i < MSM_ORDER_BINS; i++) {
        const uint32_t count = counts[i];
        counts[i] = before;
        before += count;
    }
    counts[MSM_ORDER_RUNS] = before;
    uint32_t bin = 0, task = 0, sum = 0;
    for (; bin < MSM_ORDER_BINS; bin++) {
        const uint32_t end = bin + 1 < MSM_ORDER_BINS ? counts[bin + 1] : before;
        steps[bin] = sum;
        if (MSM_TASK * task >= end) { /* none begins there */
            continue;
        }
        uint32_t longest = 0;
        while (bin_of(longest) != bin) {
            longest++;
        }
        longest = pail_twin_order_steps(longest);
        for (; MSM_TASK * task < end; task++) {
            sum += longest;
        }
    }
    steps[MSM_ORDER_BINS] = sum;
}

void pail_twin_order_place(const struct msm_order_push *push, uint32_t *index)
{
    uint32_t *const pieces = index + push->counts + MSM_ORDER_PIECES;
    for (uint32_t row = 0; row < push->rows; row++) {
        for (uint32_t key = 0; key < push->stride; key++) {
            const struct cut_bucket b = cut(push, index, row, key);
            const uint32_t bucket = row * push->stride + key;
            uint32_t first = b.first;
            for (uint32_t i = 0; i < b.pieces; i++) {
                const uint32_t count = b.each + (i < b.rest);
                const uint32_t number = index[push->counts + bin_of(count)]++;
                uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)number;
                run[MSM_RUN_FIRST] = first;
                run[MSM_RUN_COUNT] = count;
                run[MSM_RUN_BUCKET] = bucket;
                run[MSM_RUN_PIECE] = b.pieces > 1 ? (*pieces)++ : MSM_KEY_NONE;
                for (uint32_t k = 0; k < push->places && b.pieces > 1; k++) {
                    index[push->keys + push->places_first + push->places * run[MSM_RUN_PIECE] + k] =
                        bucket;
                }
                first += count;
            }
        }
    }
}
