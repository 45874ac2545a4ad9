#include "twins.h"

void pail_twin_rows(const struct msm_rows_push *push, uint32_t *index)
{
    const size_t pitch = (size_t)push->stride + 1;
    uint32_t first = 0;
    for (uint32_t row = 0; row <= push->rows; row++) {
        index[push->row_first + row] = first;
        if (row < push->rows)
            first += index[push->starts + row * pitch + push->stride];
    }
}
