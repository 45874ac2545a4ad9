/* SPDX-License-Identifier: Apache-2.0 */
#include "bls12_381.h"

#define CURVE        pail_bls12_381
#define CURVE_PARAMS PAIL_BLS12_381
#define CURVE_HAS_G2 1
#include "curve_template_impl.h"
