/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a group that the MSM needs beyond its arithmetic: one row for each. */
#ifndef PAIL_MSM_CURVE_H
#define PAIL_MSM_CURVE_H

#include <curves/curve_ops.h>
#include <kernels.h>

#include <core/error.h>

struct pail_msm_group {
    uint32_t curve, group; /* pail_curve, pail_group: also the kernels' axes */
    uint32_t point_bytes;  /* affine, packed */
    uint32_t xyzz_bytes;
    const struct pail_curve_ops *ops;
};

/* Errors: PAIL_ERR_ARGUMENT for numbers outside the enums, PAIL_ERR_UNSUPPORTED for a group that
 * this build has no kernels for. */
pail_status pail_msm_group(struct pail_msm_group *out, uint32_t curve, uint32_t group,
                           struct pail_error *err);

#endif /* PAIL_MSM_CURVE_H */
