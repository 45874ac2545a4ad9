#include "twins.h"

void pail_twin_cuts(const struct msm_cuts_push *push, uint32_t *index)
{
    const size_t pitch = (size_t)push->stride + 1;
    const uint32_t *starts = index + push->starts;
    uint32_t total = 0;
    for (uint32_t row = 0; row < push->rows; row++)
        total += starts[row * pitch + push->stride];
    uint32_t sharers = total / push->share;
    if (sharers > push->threads)
        sharers = push->threads;
    if (sharers == 0)
        sharers = 1;
    uint32_t position = 0;
    for (uint32_t cut = 0; cut <= push->threads; cut++) {
        uint32_t row = 0, local = position;
        while (row < push->rows && local >= starts[row * pitch + push->stride]) {
            local -= starts[row * pitch + push->stride];
            row++;
        }
        index[push->cuts + 2 * (size_t)cut] = row;
        index[push->cuts + 2 * (size_t)cut + 1] = local;
        if (cut < sharers)
            position += total / sharers + (cut < total % sharers);
    }
}
