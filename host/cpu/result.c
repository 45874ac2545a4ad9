/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include <assert.h>
#include <string.h>

#include <platform/memory.h>

void pail_cpu_result(pail_msm_result *result, const struct pail_curve_ops *ops,
                     const pail_point *point)
{
    uint8_t bytes[sizeof(pail_affine)];
    pail_affine affine;
    ops->to_affine(&affine, point);
    ops->encode(bytes, &affine, false);
    *result = (pail_msm_result){
        .struct_size = result->struct_size,
        .infinity = ops->is_infinity(point),
        .coordinate_bytes = (uint32_t)ops->coordinate_bytes,
    };
    static_assert(sizeof affine <= 2 * PAIL_COORDINATE_MAX, "coordinates do not fit the result");
    memcpy(result->x, bytes, ops->coordinate_bytes);
    memcpy(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
    pail_wipe(bytes, sizeof bytes);
    pail_wipe(&affine, sizeof affine);
}
