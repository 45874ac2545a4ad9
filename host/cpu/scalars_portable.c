/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over scalar fields for any processor. */
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#include "scalars.h"

#define LV       pail_cpu_bn254_lanes
#define LV_TABLE pail_cpu_portable_bn254_fr
#define LV_CURVE PAIL_CURVE_BN254
#define FE       pail_bn254_fr
#define LANE_MUL pail_bn254_fr_mul
#define LANE_ADD pail_bn254_fr_add
#define LANE_SUB pail_bn254_fr_sub
#include "lanes_template.h"
#include "scalars_template.h"

#define LV       pail_cpu_bls12_381_lanes
#define LV_TABLE pail_cpu_portable_bls12_381_fr
#define LV_CURVE PAIL_CURVE_BLS12_381
#define FE       pail_bls12_381_fr
#define LANE_MUL pail_bls12_381_fr_mul
#define LANE_ADD pail_bls12_381_fr_add
#define LANE_SUB pail_bls12_381_fr_sub
#include "lanes_template.h"
#include "scalars_template.h"
