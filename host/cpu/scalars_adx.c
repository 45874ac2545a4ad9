/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over scalar fields by BMI2 and ADX. scalars.c does not choose them before the processor
 * was asked. */
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#include "scalars.h"

#define AF          pail_bn254_fr_adx
#define AF_WORDS    4
#define BASE        pail_bn254_fr
#define BASE_PARAMS PAIL_BN254_FR
#include <curves/adx_field.h>
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS

#define LV       pail_cpu_bn254_adx_lanes
#define LV_TABLE pail_cpu_adx_bn254_fr
#define LV_CURVE PAIL_CURVE_BN254
#define FE       pail_bn254_fr
#define LANE_MUL pail_bn254_fr_adx_mul
#define LANE_ADD pail_bn254_fr_adx_add
#define LANE_SUB pail_bn254_fr_adx_sub
#include "lanes_template.h"
#include "scalars_template.h"

#define AF          pail_bls12_381_fr_adx
#define AF_WORDS    4
#define BASE        pail_bls12_381_fr
#define BASE_PARAMS PAIL_BLS12_381_FR
#include <curves/adx_field.h>
#undef AF
#undef AF_WORDS
#undef BASE
#undef BASE_PARAMS

#define LV       pail_cpu_bls12_381_adx_lanes
#define LV_TABLE pail_cpu_adx_bls12_381_fr
#define LV_CURVE PAIL_CURVE_BLS12_381
#define FE       pail_bls12_381_fr
#define LANE_MUL pail_bls12_381_fr_adx_mul
#define LANE_ADD pail_bls12_381_fr_adx_add
#define LANE_SUB pail_bls12_381_fr_adx_sub
#include "lanes_template.h"
#include "scalars_template.h"
