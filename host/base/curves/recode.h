/* SPDX-License-Identifier: Apache-2.0 */
/* Signed-digit (Booth) recoding of scalars into windows, as the multiplications' kernels do it; by
 * plain loops, to be compared with. */
#ifndef PAIL_CURVES_RECODE_H
#define PAIL_CURVES_RECODE_H

#include <shared/msm_layout.h>

#include "curve_ops.h"

/* Digits of the windows push->first_window ... of each vector and point, laid out as the push block
 * says; an entry is the number of its bucket, with MSM_HANDLE_SIGN where the digit is negative, or
 * 2^(window_bits - 1) where it is zero. scalars: 8 little-endian words each. split: of both halves
 * of a scalar, by the GLV endomorphism; otherwise of the scalar as it is. Where push->reduce says
 * so, scalars are taken modulo the order of ops' group first. */
void pail_recode(const struct msm_decompose_push *push, const struct pail_curve_ops *ops,
                 bool split, const uint32_t *scalars, uint32_t *digits);

#endif /* PAIL_CURVES_RECODE_H */
