/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_twins.h"

void pail_twin_vector_spmv(const struct vector_spmv_push *push, const struct pail_curve_ops *ops,
                           const uint32_t *structure, const uint32_t *values, const uint32_t *a,
                           uint32_t *r)
{
    for (uint32_t piece = 0; piece < push->n; piece++) {
        const uint32_t *starts = structure + push->starts + piece;
        pail_u256 sum = {{0, 0, 0, 0}};
        for (uint32_t k = starts[0]; k < starts[1]; k++) {
            const pail_u256 value =
                pail_twin_scalar(values, (uint64_t)push->first_values + k - push->before);
            const pail_u256 x =
                pail_twin_scalar(a, (uint64_t)push->first_a + structure[push->columns + k]);
            const pail_u256 product = pail_twin_scalar_product(ops, 256, &value, &x);
            ops->scalar_add(&sum, &sum, &product);
        }
        pail_twin_set_scalar(r, (uint64_t)push->first_r + piece, &sum);
    }
}

void pail_twin_vector_sum(const struct vector_sum_push *push, const struct pail_curve_ops *ops,
                          const uint32_t *structure, const uint32_t *parts, uint32_t *r)
{
    for (uint32_t row = 0; row < push->n; row++) {
        const uint32_t *starts = structure + push->starts + row;
        pail_u256 sum = {{0, 0, 0, 0}};
        for (uint32_t k = starts[0]; k < starts[1]; k++) {
            const pail_u256 part = pail_twin_scalar(parts, (uint64_t)push->first_parts + k);
            ops->scalar_add(&sum, &sum, &part);
        }
        pail_twin_set_scalar(r, (uint64_t)push->first_r + row, &sum);
    }
}
