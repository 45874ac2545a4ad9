/* SPDX-License-Identifier: Apache-2.0 */
/* Points by BMI2 and ADX. Of fast.c alone, which asks the processor first. */
#ifndef PAIL_CURVES_ADX_H
#define PAIL_CURVES_ADX_H

#include "curve_ops.h"

/* Each replaces dbl, dbl_times, add and from_words in a copy of its group's table. */
void pail_bn254_g1_adx_use(struct pail_curve_ops *ops);
void pail_bn254_g2_adx_use(struct pail_curve_ops *ops);
void pail_bls12_381_g1_adx_use(struct pail_curve_ops *ops);
void pail_bls12_381_g2_adx_use(struct pail_curve_ops *ops);

#endif /* PAIL_CURVES_ADX_H */
