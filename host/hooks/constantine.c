/* SPDX-License-Identifier: Apache-2.0 */
/* Names of constantine: multi-scalar multiplications of both groups of both curves. */
#include "device.h"
#include "hooks.h"

enum { CURVE_bn254_snarks = PAIL_CURVE_BN254, CURVE_bls12_381 = PAIL_CURVE_BLS12_381 };
enum { GROUP_g1 = PAIL_G1, GROUP_g2 = PAIL_G2 };
enum { FORM_jac = HOOK_CONSTANTINE_JACOBI, FORM_prj = HOOK_CONSTANTINE_PROJ };
enum { COEFS_big = PAIL_ENCODING_CANONICAL, COEFS_fr = PAIL_ENCODING_MONTGOMERY };

static void multiply(void *r, enum hook_form form, uint32_t curve, uint32_t group,
                     const void *coefs, uint32_t encoding, const void *points, size_t len)
{
    hook_begin();
    if (!r) {
        (void)hook_fail(PAIL_ERR_ARGUMENT, "r is NULL");
        return;
    }
    const struct hook_points given = {.curve = curve, .group = group, .points = points, .n = len};
    (void)hook_multiply_once(r, form, &given, coefs, encoding);
}

#define MSM(curve, group, form, coef)                                                              \
    void ctt_##curve##_##group##_##form##_multi_scalar_mul_##coef##_coefs_vartime(                 \
        void *r, const void *coefs, const void *points, size_t len)                                \
    {                                                                                              \
        multiply(r, (enum hook_form)FORM_##form, CURVE_##curve, GROUP_##group, coefs,              \
                 COEFS_##coef, points, len);                                                       \
    }

#define MSM_PARALLEL(curve, form, coef)                                                            \
    void ctt_##curve##_g1_##form##_multi_scalar_mul_##coef##_coefs_vartime_parallel(               \
        const void *tp, void *r, const void *coefs, const void *points, size_t len)                \
    {                                                                                              \
        (void)tp;                                                                                  \
        multiply(r, (enum hook_form)FORM_##form, CURVE_##curve, GROUP_g1, coefs, COEFS_##coef,     \
                 points, len);                                                                     \
    }

#define ALL_OF(curve, form)                                                                        \
    MSM(curve, g1, form, big)                                                                      \
    MSM(curve, g1, form, fr)                                                                       \
    MSM(curve, g2, form, big)                                                                      \
    MSM(curve, g2, form, fr)                                                                       \
    MSM_PARALLEL(curve, form, big)                                                                 \
    MSM_PARALLEL(curve, form, fr)

ALL_OF(bn254_snarks, jac)
ALL_OF(bn254_snarks, prj)
ALL_OF(bls12_381, jac)
ALL_OF(bls12_381, prj)
