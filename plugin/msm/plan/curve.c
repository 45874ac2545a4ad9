/* SPDX-License-Identifier: Apache-2.0 */
#include "curve.h"

#include <string.h>

pail_status pail_msm_group(struct pail_msm_group *out, uint32_t curve, uint32_t group,
                           struct pail_error *err)
{
    memset(out, 0, sizeof(*out));
    if (!pail_kernel_curve_name(curve))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "curve: %u is not a pail_curve", curve);
    if (group != PAIL_G1 && group != PAIL_G2)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "group: %u is not a pail_group", group);
    const struct pail_curve_ops *ops = pail_curve_ops(curve, group);
    if (!ops || !pail_kernel_group_name(group))
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "curve %u, group %u: this build has no kernels for them", curve, group);
    const uint32_t point_bytes = (uint32_t)(2 * ops->coordinate_bytes);
    *out = (struct pail_msm_group){
        .curve = curve,
        .group = group,
        .point_bytes = point_bytes,
        .xyzz_bytes = 2 * point_bytes,
        .ops = ops,
    };
    return PAIL_OK;
}
