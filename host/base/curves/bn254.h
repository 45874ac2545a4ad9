/* SPDX-License-Identifier: Apache-2.0 */
/* BN254 on the CPU: fields pail_bn254_fp, pail_bn254_fp2, pail_bn254_fr; groups pail_bn254_g1,
 * pail_bn254_g2. */
#ifndef PAIL_CURVES_BN254_H
#define PAIL_CURVES_BN254_H

#include "params_bn254.h"

#define CURVE        pail_bn254
#define CURVE_PARAMS PAIL_BN254
#define CURVE_HAS_G2 1
#include "curve_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_HAS_G2

#endif /* PAIL_CURVES_BN254_H */
