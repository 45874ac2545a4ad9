#include "twin.h"

/* Runs of so many entries come after all longer ones. */
static uint32_t order_of(uint32_t count)
{
    uint32_t place = count, above = 0;
    while (count >> (MSM_ORDER_EXACT + above) > 1) {
        above++;
    }
    if (count >> MSM_ORDER_EXACT) {
        const uint32_t bits = 1u << MSM_ORDER_TOP;
        place = (1u << MSM_ORDER_EXACT) + above * bits +
                (count >> (above + MSM_ORDER_EXACT - MSM_ORDER_TOP)) % bits;
    }
    return MSM_ORDER_BINS - 1 - place;
}

struct cut_bucket {
    uint32_t first, count, pieces;
    uint32_t *counter;
};

static struct cut_bucket cut(const struct msm_order_push *push, uint32_t *index, uint32_t row,
                             uint32_t key)
{
    const uint32_t *start = index + push->starts + (size_t)row * (push->stride + 1) + key;
    const uint32_t total = index[push->row_first + push->rows];
    uint32_t most = (total + push->threads - 1) / push->threads;
    if (most < push->share) {
        most = push->share;
    }
    struct cut_bucket b = {.first = row * push->n + start[0], .count = start[1] - start[0]};
    b.pieces = (b.count + most - 1) / most;
    if (b.pieces) {
        b.counter = index + push->counts + order_of((b.count + b.pieces - 1) / b.pieces);
    }
    return b;
}

void pail_twin_order_count(const struct msm_order_push *push, uint32_t *index)
{
    for (uint32_t row = 0; row < push->rows; row++) {
        for (uint32_t key = 0; key < push->stride; key++) {
            const struct cut_bucket b = cut(push, index, row, key);
            if (b.pieces) {
                *b.counter += b.pieces;
            }
        }
    }
}

void pail_twin_order_scan(const struct msm_order_push *push, uint32_t *index)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < MSM_ORDER_BINS; i++) {
        const uint32_t count = index[push->counts + i];
        index[push->counts + i] = before;
        before += count;
    }
    index[push->counts + MSM_ORDER_RUNS] = before;
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
                uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)(*b.counter)++;
                run[MSM_RUN_FIRST] = first;
                run[MSM_RUN_COUNT] = b.count / b.pieces + (i < b.count % b.pieces);
                run[MSM_RUN_BUCKET] = bucket;
                run[MSM_RUN_PIECE] = MSM_KEY_NONE;
                if (b.pieces > 1) {
                    run[MSM_RUN_PIECE] = *pieces;
                    index[push->keys + (*pieces)++] = bucket;
                }
                first += run[MSM_RUN_COUNT];
            }
        }
    }
}
