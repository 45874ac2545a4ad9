#include "curve_ops.h"

#include "bn254.h"

#define EC            pail_bn254_g1
#define FE            pail_bn254_fp
#define FE_PARAMS     PAIL_BN254_FP
#define FR            pail_bn254_fr
#define FR_PARAMS     PAIL_BN254_FR
#define EC_TABLE      bn254_g1
#define EC_CURVE      PAIL_BN254_CURVE
#define EC_GROUP      1
#define EC_CURVE_NAME "bn254"
#define EC_GROUP_NAME "g1"
#include "curve_ops_template.h"
#undef EC
#undef FE
#undef FE_PARAMS
#undef FR
#undef FR_PARAMS
#undef EC_TABLE
#undef EC_CURVE
#undef EC_GROUP
#undef EC_CURVE_NAME
#undef EC_GROUP_NAME

static const struct pail_curve_ops *const tables[] = {&bn254_g1};

const struct pail_curve_ops *pail_curve_ops(uint32_t curve, uint32_t group)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i]->curve == curve && tables[i]->group == group) {
            return tables[i];
        }
    }
    return NULL;
}

void pail_u256_from_bytes(pail_u256 *r, const uint8_t bytes[32])
{
    for (size_t i = 0; i < 4; i++) {
        uint64_t limb = 0;
        for (size_t k = 0; k < 8; k++) {
            limb |= (uint64_t)bytes[8 * i + k] << (8 * k);
        }
        r->l[i] = limb;
    }
}

void pail_u256_to_bytes(uint8_t bytes[32], const pail_u256 *a)
{
    for (size_t i = 0; i < 32; i++) {
        bytes[i] = (uint8_t)(a->l[i / 8] >> (8 * (i % 8)));
    }
}
