/* SPDX-License-Identifier: Apache-2.0 */
/* BLS12-381 on the CPU: fields pail_bls12_381_fp, pail_bls12_381_fp2, pail_bls12_381_fr; groups
 * pail_bls12_381_g1, pail_bls12_381_g2. */
#ifndef PAIL_CURVES_BLS12_381_H
#define PAIL_CURVES_BLS12_381_H

#include "params_bls12_381.h"

#define CURVE        pail_bls12_381
#define CURVE_PARAMS PAIL_BLS12_381
#define CURVE_HAS_G2 1
#include "curve_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_HAS_G2

#endif /* PAIL_CURVES_BLS12_381_H */
