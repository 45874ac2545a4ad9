/* SPDX-License-Identifier: Apache-2.0 */
/* Pairings by BMI2 and ADX: the text of pairing.c over products of adx_field.h. Those of the
 * quadratic extension are reduced once for each coordinate (loose_coordinate.h). pairing.c asks the
 * processor before it calls anything here. */
#include "adx.h"

#include "bls12_381.h"
#include "bn254.h"

#define EC_DEGREE 2

#define AF          pail_bn254_words
#define AF_WORDS    4
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#define EC          pail_bn254_g2
#define FE          pail_bn254_fp2
#include "adx_field.h"
#include "loose_coordinate.h"
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS
#undef EC
#undef FE

#define CURVE         pail_bn254
#define CURVE_PARAMS  PAIL_BN254
#define CURVE_NUMBER  PAIL_BN254_CURVE
#define PRIME_WORDS   pail_bn254_words
#define BASE_PRODUCTS pail_bn254_g2_loose
#define PAIRING_TABLE const struct pail_pairing_ops pail_bn254_pairing_adx
#include "pairing_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef PRIME_WORDS
#undef BASE_PRODUCTS
#undef PAIRING_TABLE

#define AF          pail_bls12_381_words
#define AF_WORDS    6
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#define EC          pail_bls12_381_g2
#define FE          pail_bls12_381_fp2
#include "adx_field.h"
#include "loose_coordinate.h"
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS
#undef EC
#undef FE

#define CURVE         pail_bls12_381
#define CURVE_PARAMS  PAIL_BLS12_381
#define CURVE_NUMBER  PAIL_BLS12_381_CURVE
#define PRIME_WORDS   pail_bls12_381_words
#define BASE_PRODUCTS pail_bls12_381_g2_loose
#define PAIRING_TABLE const struct pail_pairing_ops pail_bls12_381_pairing_adx
#include "pairing_template.h"
