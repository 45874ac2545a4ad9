#include "result.h"

#include <string.h>

bool pail_result_equal(const pail_msm_result *a, const pail_msm_result *b)
{
    return a->infinity == b->infinity && a->coordinate_bytes == b->coordinate_bytes &&
           memcmp(a->x, b->x, sizeof(a->x)) == 0 && memcmp(a->y, b->y, sizeof(a->y)) == 0;
}

void pail_result_from(pail_msm_result *result, const struct pail_curve_ops *ops,
                      const pail_point *point)
{
    *result = (pail_msm_result){.struct_size = sizeof(*result),
                                .infinity = ops->is_infinity(point),
                                .coordinate_bytes = (uint32_t)ops->coordinate_bytes};
    pail_affine affine;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->to_affine(&affine, point);
    ops->encode(bytes, &affine, false);
    memcpy(result->x, bytes, ops->coordinate_bytes);
    memcpy(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
}
