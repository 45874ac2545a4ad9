/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that curve_template.h declares; include it there first, then here with the same
 * CURVE, CURVE_PARAMS and CURVE_HAS_G2. */
#include "paste.h"

#define FE        PAIL_PASTE(CURVE, fr)
#define FE_PARAMS PAIL_PASTE(CURVE_PARAMS, FR)
#include "field_template_impl.h"
#undef FE
#undef FE_PARAMS

#define FE        PAIL_PASTE(CURVE, fp)
#define FE_PARAMS PAIL_PASTE(CURVE_PARAMS, FP)
#include "field_template_impl.h"
#include "root_template_impl.h"
#undef FE_PARAMS

#define EC        PAIL_PASTE(CURVE, g1)
#define EC_PARAMS PAIL_PASTE(CURVE_PARAMS, G1)
#define EC_DEGREE 1
#include "ec_template_impl.h"
#undef EC
#undef EC_PARAMS
#undef EC_DEGREE
#undef FE

#if CURVE_HAS_G2
#define BASE        PAIL_PASTE(CURVE, fp)
#define BASE_PARAMS PAIL_PASTE(CURVE_PARAMS, FP)
#define FE          PAIL_PASTE(CURVE, fp2)
#include "field2_template_impl.h"

#define EC        PAIL_PASTE(CURVE, g2)
#define EC_PARAMS PAIL_PASTE(CURVE_PARAMS, G2)
#define EC_DEGREE 2
#include "ec_template_impl.h"
#undef EC
#undef EC_PARAMS
#undef EC_DEGREE
#undef FE
#undef BASE
#undef BASE_PARAMS
#endif
