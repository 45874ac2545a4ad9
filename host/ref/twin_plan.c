#include "twin.h"

void pail_twin_bounds(const struct msm_bounds_push *push, uint32_t windows, const uint32_t *entries,
                      uint32_t *index)
{
    for (uint32_t w = 0; w < windows; w++) {
        uint32_t *starts = index + push->starts + (size_t)w * (push->stride + 1);
        uint32_t i = 0;
        for (uint32_t key = 0; key <= push->stride; key++) {
            while (i < push->n && entries[2 * ((size_t)w * push->n + i)] < key) {
                i++;
            }
            starts[key] = i;
        }
    }
}

/* Moves a cut inside a bucket to the bucket's end or, failing that, to its start, if that is near.
 */
static uint32_t snap(const struct msm_cuts_push *push, const uint32_t *starts, uint32_t position)
{
    uint32_t key = 0;
    while (starts[key + 1] <= position) {
        key++;
    }
    const uint32_t before = position - starts[key], after = starts[key + 1] - position;
    if (before && after <= push->snap) {
        return starts[key + 1];
    }
    return before <= push->snap ? starts[key] : position;
}

void pail_twin_cuts(const struct msm_cuts_push *push, uint32_t *index)
{
    const size_t pitch = (size_t)push->stride + 1;
    const uint32_t *starts = index + push->starts;
    uint32_t total = 0;
    for (uint32_t w = 0; w < push->windows; w++) {
        total += starts[w * pitch + push->stride];
    }
    uint32_t sharers = total / push->share;
    if (sharers > push->threads) {
        sharers = push->threads;
    }
    if (sharers == 0) {
        sharers = 1;
    }
    uint32_t position = 0;
    for (uint32_t cut = 0; cut <= push->threads; cut++) {
        uint32_t window = 0, local = position;
        while (window < push->windows && local >= starts[window * pitch + push->stride]) {
            local -= starts[window * pitch + push->stride];
            window++;
        }
        if (window < push->windows) {
            local = snap(push, starts + window * pitch, local);
        }
        index[push->cuts + 2 * (size_t)cut] = window;
        index[push->cuts + 2 * (size_t)cut + 1] = local;
        if (cut < sharers) {
            position += total / sharers + (cut < total % sharers);
        }
    }
}
