/* SPDX-License-Identifier: Apache-2.0 */
/* A point as the boundary gives results. */
#ifndef PAIL_CPU_RESULT_H
#define PAIL_CPU_RESULT_H

#include <pail/backend.h>

#include <curves/curve_ops.h>

/* All members but struct_size: affine coordinates, canonical, little-endian. */
void pail_cpu_result(pail_msm_result *result, const struct pail_curve_ops *ops,
                     const pail_point *point);

#endif /* PAIL_CPU_RESULT_H */
