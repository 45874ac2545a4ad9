/* SPDX-License-Identifier: Apache-2.0 */
/* Points and pairings by BMI2 and ADX. Of fast.c and pairing.c alone, which ask the processor
 * first. */
#ifndef PAIL_CURVES_ADX_H
#define PAIL_CURVES_ADX_H

#include "curve_ops.h"
#include "pairing.h"

/* Each replaces dbl, dbl_times, add and from_words in a copy of its group's table. */
void pail_bn254_g1_adx_use(struct pail_curve_ops *ops);
void pail_bn254_g2_adx_use(struct pail_curve_ops *ops);
void pail_bls12_381_g1_adx_use(struct pail_curve_ops *ops);
void pail_bls12_381_g2_adx_use(struct pail_curve_ops *ops);

extern const struct pail_pairing_ops pail_bn254_pairing_adx;
extern const struct pail_pairing_ops pail_bls12_381_pairing_adx;

#endif /* PAIL_CURVES_ADX_H */
