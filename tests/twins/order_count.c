#include "order_shared.h"

void pail_twin_order_count(const struct msm_order_push *push, uint32_t *index)
{
    for (uint32_t row = 0; row < push->rows; row++) {
        for (uint32_t key = 0; key < push->stride; key++) {
            const struct pail_twin_cut_bucket b = pail_twin_cut(push, index, row, key);
            for (uint32_t i = 0; i < b.pieces; i++)
                index[push->counts + pail_twin_order_bin(b.each + (i < b.rest))]++;
        }
    }
}
