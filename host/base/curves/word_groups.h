/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of both curves, for what computes in words of the processor. Include it in one source
 * file, with two names of files in brackets: WORD_FIELD makes a field, and WORD_GROUP, a template,
 * what there is to make of one group. For each group the template has
 *
 *   EC, FE              the group and the field of its coordinates in host/base/curves
 *   EC_NAME             the group's name without a prefix
 *   EC_CURVE, EC_GROUP  numbers at the boundary
 *   EC_DEGREE           1, or 2 if FE is the quadratic extension
 *   EC_BETA             of first groups: (EC_BETA x, y) is lambda times (x, y)
 *   EC_B, EC_SEED       of first groups: b of y^2 = x^3 + b; of BLS12-381 the size of its parameter
 *   BASE, BASE_PARAMS, AF, AF_WORDS  as in WORD_FIELD, which is included before
 */
#include "bls12_381.h"
#include "bn254.h"

#define AF          pail_bn254_words
#define AF_WORDS    4
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#include WORD_FIELD

#define EC_CURVE  PAIL_BN254_CURVE
#define EC        pail_bn254_g1
#define EC_NAME   bn254_g1
#define FE        pail_bn254_fp
#define EC_GROUP  1
#define EC_DEGREE 1
#define EC_BETA   PAIL_BN254_G1_BETA
#define EC_B      PAIL_BN254_G1_B
#include WORD_GROUP
#undef EC_BETA
#undef EC_B
#undef EC
#undef EC_NAME
#undef FE
#undef EC_GROUP
#undef EC_DEGREE

#define EC        pail_bn254_g2
#define EC_NAME   bn254_g2
#define FE        pail_bn254_fp2
#define EC_GROUP  2
#define EC_DEGREE 2
#include WORD_GROUP
#undef EC
#undef EC_NAME
#undef FE
#undef EC_GROUP
#undef EC_DEGREE
#undef EC_CURVE
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS

#define AF          pail_bls12_381_words
#define AF_WORDS    6
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#include WORD_FIELD

#define EC_CURVE  PAIL_BLS12_381_CURVE
#define EC        pail_bls12_381_g1
#define EC_NAME   bls12_381_g1
#define FE        pail_bls12_381_fp
#define EC_GROUP  1
#define EC_DEGREE 1
#define EC_BETA   PAIL_BLS12_381_G1_BETA
#define EC_B      PAIL_BLS12_381_G1_B
#define EC_SEED   PAIL_BLS12_381_SEED
#include WORD_GROUP
#undef EC_BETA
#undef EC_B
#undef EC_SEED
#undef EC
#undef EC_NAME
#undef FE
#undef EC_GROUP
#undef EC_DEGREE

#define EC        pail_bls12_381_g2
#define EC_NAME   bls12_381_g2
#define FE        pail_bls12_381_fp2
#define EC_GROUP  2
#define EC_DEGREE 2
#include WORD_GROUP
