/* BN254 on the CPU: base field pail_bn254_fp, scalar field pail_bn254_fr, group pail_bn254_g1. */
#ifndef PAIL_REF_BN254_H
#define PAIL_REF_BN254_H

#include "params_bn254.h"

#define FE        pail_bn254_fp
#define FE_PARAMS PAIL_BN254_FP
#include "field_template.h"
#undef FE
#undef FE_PARAMS

#define FE        pail_bn254_fr
#define FE_PARAMS PAIL_BN254_FR
#include "field_template.h"
#undef FE
#undef FE_PARAMS

#define EC        pail_bn254_g1
#define EC_PARAMS PAIL_BN254_G1
#define FE        pail_bn254_fp
#include "ec_template.h"
#undef EC
#undef EC_PARAMS
#undef FE

#endif /* PAIL_REF_BN254_H */
