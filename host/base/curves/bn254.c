/* SPDX-License-Identifier: Apache-2.0 */
#include "bn254.h"

#define CURVE        pail_bn254
#define CURVE_PARAMS PAIL_BN254
#define CURVE_HAS_G2 1
#include "curve_template_impl.h"
