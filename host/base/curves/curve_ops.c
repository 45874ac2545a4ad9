/* SPDX-License-Identifier: Apache-2.0 */
#include "curve_ops.h"
#include "little_endian.h"

#include "bls12_381.h"
#include "bn254.h"

#define CURVE           pail_bn254
#define CURVE_PARAMS    PAIL_BN254
#define CURVE_NUMBER    PAIL_BN254_CURVE
#define CURVE_NAME      "bn254"
#define EC_GROUP        1
#define EC_COFACTOR_ONE 1
#define EC_SMALL_ORDER  1
#include "curve_ops_template.h"
#define EC_GROUP        2
#define EC_COFACTOR_ONE 0
#define EC_SEED_SUM                                                                                \
    {                                                                                              \
        PAIL_BN254_SEED                                                                            \
    }
#define EC_SMALL_ORDER 10069
#include "curve_ops_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef CURVE_NAME

#define CURVE                  pail_bls12_381
#define CURVE_PARAMS           PAIL_BLS12_381
#define CURVE_NUMBER           PAIL_BLS12_381_CURVE
#define CURVE_NAME             "bls12_381"
#define EC_GROUP               1
#define EC_COFACTOR_ONE        0
#define EC_EIGENVALUE          PAIL_BLS12_381_G1_LAMBDA
#define EC_EIGENVALUE_NEGATIVE 0
#define EC_SMALL_ORDER         3
#include "curve_ops_template.h"
#define EC_GROUP        2
#define EC_COFACTOR_ONE 0
/* The parameter itself: PSI_SCALAR is it modulo r, and not small. */
#define EC_EIGENVALUE                                                                              \
    {                                                                                              \
        PAIL_BLS12_381_SEED                                                                        \
    }
#define EC_EIGENVALUE_NEGATIVE PAIL_BLS12_381_SEED_NEGATIVE
#define EC_SMALL_ORDER         13
#include "curve_ops_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef CURVE_NAME

#ifdef PAIL_TEST_CURVES
#include "toys.h"

#define CURVE           pail_toy1
#define CURVE_PARAMS    PAIL_TOY1
#define CURVE_NUMBER    PAIL_TOY1_CURVE
#define CURVE_NAME      "toy1"
#define EC_GROUP        1
#define EC_COFACTOR_ONE 1
#define EC_SMALL_ORDER  1
#include "curve_ops_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef CURVE_NAME

#define CURVE           pail_toy2
#define CURVE_PARAMS    PAIL_TOY2
#define CURVE_NUMBER    PAIL_TOY2_CURVE
#define CURVE_NAME      "toy2"
#define EC_GROUP        1
#define EC_COFACTOR_ONE 1
#define EC_SMALL_ORDER  1
#include "curve_ops_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef CURVE_NAME
#endif

static const struct pail_curve_ops *const tables[] = {
    &pail_bn254_g1_ops, &pail_bn254_g2_ops, &pail_bls12_381_g1_ops, &pail_bls12_381_g2_ops,
#ifdef PAIL_TEST_CURVES
    &pail_toy1_g1_ops,  &pail_toy2_g1_ops,
#endif
};

const struct pail_curve_ops *pail_curve_ops(uint32_t curve, uint32_t group)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (tables[i]->curve == curve && tables[i]->group == group)
            return tables[i];
    return NULL;
}

struct pail_point_encoding pail_point_encoding_of(uint32_t encoding)
{
    enum { MONTGOMERY = 1, JACOBIAN, PROJECTIVE, PROJECTIVE_MONTGOMERY };
    return (struct pail_point_encoding){
        .coordinates = encoding < JACOBIAN ? 2 : 3,
        .jacobian = encoding == JACOBIAN,
        .montgomery =
            encoding == MONTGOMERY || encoding == JACOBIAN || encoding == PROJECTIVE_MONTGOMERY,
    };
}

void pail_u256_from_bytes(pail_u256 *r, const uint8_t bytes[32])
{
    for (size_t i = 0; i < 4; i++)
        r->l[i] = pail_read_u64(bytes + 8 * i);
}

void pail_u256_to_bytes(uint8_t bytes[32], const pail_u256 *a)
{
    for (size_t i = 0; i < 4; i++)
        pail_store_u64(bytes + 8 * i, a->l[i]);
}
