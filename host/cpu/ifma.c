/* The adders of AVX-512 IFMA. This file alone is built for those instructions; adders.c asks the
 * processor before it calls anything here. */
#include "adders.h"
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#define VF_MASK __mmask8

#define VF          bn254_vector
#define VF_LIMBS    5
#define VF_BITS     52
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#include "ifma_field.h"

#define EC         pail_bn254_g1
#define FE         pail_bn254_fp
#define EC_ADDER   pail_cpu_ifma_bn254_g1
#define EC_CURVE   PAIL_BN254_CURVE
#define EC_GROUP   1
#define EC_DEGREE  1
#define EC_VECTORS 128
#include "vector_template.h"

#define EC         pail_bn254_g2
#define FE         pail_bn254_fp2
#define EC_ADDER   pail_cpu_ifma_bn254_g2
#define EC_CURVE   PAIL_BN254_CURVE
#define EC_GROUP   2
#define EC_DEGREE  2
#define EC_VECTORS 64
#include "vector_template.h"
#undef VF
#undef VF_LIMBS
#undef VF_BITS
#undef VF_STORED
#undef BASE
#undef BASE_PARAMS

#define VF          bls12_381_vector
#define VF_LIMBS    8
#define VF_BITS     52
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#include "ifma_field.h"

#define EC         pail_bls12_381_g1
#define FE         pail_bls12_381_fp
#define EC_ADDER   pail_cpu_ifma_bls12_381_g1
#define EC_CURVE   PAIL_BLS12_381_CURVE
#define EC_GROUP   1
#define EC_DEGREE  1
#define EC_VECTORS 128
#include "vector_template.h"

#define EC         pail_bls12_381_g2
#define FE         pail_bls12_381_fp2
#define EC_ADDER   pail_cpu_ifma_bls12_381_g2
#define EC_CURVE   PAIL_BLS12_381_CURVE
#define EC_GROUP   2
#define EC_DEGREE  2
#define EC_VECTORS 64
#include "vector_template.h"
