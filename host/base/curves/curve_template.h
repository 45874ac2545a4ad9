/* SPDX-License-Identifier: Apache-2.0 */
/* The fields and groups of one curve. Include it, after params_<curve>.h, with
 *
 *   CURVE         prefix of the types and functions, for example pail_bn254
 *   CURVE_PARAMS  prefix of the constants, for example PAIL_BN254
 *   CURVE_HAS_G2  1 if there is a second group, over the quadratic extension
 *
 * and curve_template_impl.h in one source file with the same three. Gives the base field CURVE_fp,
 * the scalar field CURVE_fr and the group CURVE_g1; CURVE_fp2 and CURVE_g2 if there are.
 */
#include "paste.h"

#define FE        PAIL_PASTE(CURVE, fr)
#define FE_PARAMS PAIL_PASTE(CURVE_PARAMS, FR)
#include "field_template.h"
#undef FE
#undef FE_PARAMS

#define FE        PAIL_PASTE(CURVE, fp)
#define FE_PARAMS PAIL_PASTE(CURVE_PARAMS, FP)
#include "field_template.h"
#include "root_template.h"
#undef FE_PARAMS

#define EC PAIL_PASTE(CURVE, g1)
#include "ec_template.h"
#undef EC
#undef FE

#if CURVE_HAS_G2
#define BASE PAIL_PASTE(CURVE, fp)
#define FE   PAIL_PASTE(CURVE, fp2)
#include "field2_template.h"

#define EC PAIL_PASTE(CURVE, g2)
#include "ec_template.h"
#undef EC
#undef FE
#undef BASE
#endif
