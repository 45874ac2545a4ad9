/* The adders of x86-64 with BMI2 and ADX. adders.c asks the processor before it calls anything
 * here. */
#include "adders.h"
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#define AF          pail_bn254_adx
#define AF_WORDS    4
#define BASE        pail_bn254_fp
#define BASE_PARAMS PAIL_BN254_FP
#include <curves/adx_field.h>

#define EC        pail_bn254_g1
#define FE        pail_bn254_fp
#define EC_ADDER  pail_cpu_adx_bn254_g1
#define EC_CURVE  PAIL_BN254_CURVE
#define EC_GROUP  1
#define EC_DEGREE 1
#include "adx_template.h"

#define EC        pail_bn254_g2
#define FE        pail_bn254_fp2
#define EC_ADDER  pail_cpu_adx_bn254_g2
#define EC_CURVE  PAIL_BN254_CURVE
#define EC_GROUP  2
#define EC_DEGREE 2
#include "adx_template.h"
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS

#define AF          pail_bls12_381_adx
#define AF_WORDS    6
#define BASE        pail_bls12_381_fp
#define BASE_PARAMS PAIL_BLS12_381_FP
#include <curves/adx_field.h>

#define EC        pail_bls12_381_g1
#define FE        pail_bls12_381_fp
#define EC_ADDER  pail_cpu_adx_bls12_381_g1
#define EC_CURVE  PAIL_BLS12_381_CURVE
#define EC_GROUP  1
#define EC_DEGREE 1
#include "adx_template.h"

#define EC        pail_bls12_381_g2
#define FE        pail_bls12_381_fp2
#define EC_ADDER  pail_cpu_adx_bls12_381_g2
#define EC_CURVE  PAIL_BLS12_381_CURVE
#define EC_GROUP  2
#define EC_DEGREE 2
#include "adx_template.h"
