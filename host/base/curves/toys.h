/* SPDX-License-Identifier: Apache-2.0 */
/* The test curves on the CPU: toy1 of 31 points, whose every pair and every scalar can be tried,
 * and toy2 with coordinates of two limbs. For builds with PAIL_TEST_CURVES. */
#ifndef PAIL_CURVES_TOYS_H
#define PAIL_CURVES_TOYS_H

#include "params_toy1.h"
#include "params_toy2.h"

#define CURVE_HAS_G2 0
#define CURVE        pail_toy1
#define CURVE_PARAMS PAIL_TOY1
#include "curve_template.h"
#undef CURVE
#undef CURVE_PARAMS
#define CURVE        pail_toy2
#define CURVE_PARAMS PAIL_TOY2
#include "curve_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_HAS_G2

#endif /* PAIL_CURVES_TOYS_H */
