/* SPDX-License-Identifier: Apache-2.0 */
#include "pairing.h"

#include "bls12_381.h"
#include "bn254.h"

#define CURVE        pail_bn254
#define CURVE_PARAMS PAIL_BN254
#define CURVE_NUMBER PAIL_BN254_CURVE
#include "pairing_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER

#define CURVE        pail_bls12_381
#define CURVE_PARAMS PAIL_BLS12_381
#define CURVE_NUMBER PAIL_BLS12_381_CURVE
#include "pairing_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER

const struct pail_pairing_ops *pail_pairing_ops(uint32_t curve)
{
    switch (curve) {
    case PAIL_BN254_CURVE:
        return &pail_bn254_pairing_ops;
    case PAIL_BLS12_381_CURVE:
        return &pail_bls12_381_pairing_ops;
    default:
        return NULL;
    }
}

bool pail_pairing_point_is_valid(const struct pail_curve_ops *group, const void *affine)
{
    return group->on_curve(affine) && group->in_subgroup(affine);
}
