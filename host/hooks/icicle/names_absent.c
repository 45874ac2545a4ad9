/* SPDX-License-Identifier: Apache-2.0 */
/* libicicle_field_CURVE and, with POINTS, libicicle_curve_CURVE, for curves that Pail does not
 * have: gnark imports the packages of four curves, so that a program for one is linked with all. */
#include "names.h"

#ifndef POINTS
CURVE_MISSING_4(add, sub, mul, inv)
CURVE_MISSING_4(ntt, ntt_init_domain, ntt_release_domain, generate_scalars)
CURVE_MISSING_4(vector_add, vector_sub, vector_mul, scalar_convert_montgomery)
CURVE_MISSING_HANDLE(get_root_of_unity)
#else
#define GROUP_MISSING(prefix)                                                                      \
    CURVE_MISSING_4(prefix##msm, prefix##msm_precompute_bases, prefix##affine_convert_montgomery,  \
                    prefix##projective_convert_montgomery)                                         \
    CURVE_MISSING_4(prefix##ecadd, prefix##ecsub, prefix##to_affine, prefix##from_affine)          \
    CURVE_MISSING(prefix##generate_affine_points)                                                  \
    CURVE_MISSING(prefix##generate_projective_points)                                              \
    CURVE_MISSING_HANDLE(prefix##eq) /* not equal */
GROUP_MISSING()
GROUP_MISSING(g2_)
#endif
