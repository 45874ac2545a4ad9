/* SPDX-License-Identifier: Apache-2.0 */
/* The adders of both curves in vectors of eight lanes. Include it in one source file, with
 *
 *   VECTOR_FIELD         what makes a field from VF, VF_LIMBS, VF_BITS, BASE and BASE_PARAMS, in
 *                        brackets
 *   VECTOR_ADDER(group)  the name of the struct pail_cpu_adder of bn254_g1 and so on
 *   BN254_LIMBS, BN254_BITS, BLS12_381_LIMBS, BLS12_381_BITS
 *                        of elements of the base fields
 *   BN254_G1_VECTORS, BN254_G2_VECTORS, BLS12_381_G1_VECTORS, BLS12_381_G2_VECTORS
 *                        of a batch
 *   VF_MASK              as in vector_template.h
 */
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#define VF          bn254_vector
#define VF_LIMBS    BN254_LIMBS
#define VF_BITS     BN254_BITS
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#include VECTOR_FIELD

#define EC         pail_bn254_g1
#define FE         pail_bn254_fp
#define EC_ADDER   VECTOR_ADDER(bn254_g1)
#define EC_CURVE   PAIL_BN254_CURVE
#define EC_GROUP   1
#define EC_DEGREE  1
#define EC_VECTORS BN254_G1_VECTORS
#define EC_BETA    PAIL_BN254_G1_BETA
#define EC_B       PAIL_BN254_G1_B
#include "vector_template.h"
#undef EC_BETA
#undef EC_B

#define EC         pail_bn254_g2
#define FE         pail_bn254_fp2
#define EC_ADDER   VECTOR_ADDER(bn254_g2)
#define EC_CURVE   PAIL_BN254_CURVE
#define EC_GROUP   2
#define EC_DEGREE  2
#define EC_VECTORS BN254_G2_VECTORS
#include "vector_template.h"
#undef VF
#undef VF_LIMBS
#undef VF_BITS
#undef VF_STORED
#undef BASE
#undef BASE_PARAMS

#define VF          bls12_381_vector
#define VF_LIMBS    BLS12_381_LIMBS
#define VF_BITS     BLS12_381_BITS
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#include VECTOR_FIELD

#define EC         pail_bls12_381_g1
#define FE         pail_bls12_381_fp
#define EC_ADDER   VECTOR_ADDER(bls12_381_g1)
#define EC_CURVE   PAIL_BLS12_381_CURVE
#define EC_GROUP   1
#define EC_DEGREE  1
#define EC_VECTORS BLS12_381_G1_VECTORS
#define EC_BETA    PAIL_BLS12_381_G1_BETA
#define EC_B       PAIL_BLS12_381_G1_B
#define EC_SEED    PAIL_BLS12_381_SEED
#include "vector_template.h"
#undef EC_BETA
#undef EC_B
#undef EC_SEED

#define EC         pail_bls12_381_g2
#define FE         pail_bls12_381_fp2
#define EC_ADDER   VECTOR_ADDER(bls12_381_g2)
#define EC_CURVE   PAIL_BLS12_381_CURVE
#define EC_GROUP   2
#define EC_DEGREE  2
#define EC_VECTORS BLS12_381_G2_VECTORS
#include "vector_template.h"
