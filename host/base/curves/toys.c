/* SPDX-License-Identifier: Apache-2.0 */
#include "toys.h"

#define CURVE_HAS_G2 0
#define CURVE        pail_toy1
#define CURVE_PARAMS PAIL_TOY1
#include "curve_template_impl.h"
#undef CURVE
#undef CURVE_PARAMS
#define CURVE        pail_toy2
#define CURVE_PARAMS PAIL_TOY2
#include "curve_template_impl.h"
