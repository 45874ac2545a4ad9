/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over scalar fields by AVX-512 IFMA. This file is built for those instructions, and
 * scalars.c does not choose it before the processor was asked. */
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#define LV_LIMB uint64_t

#define LV          pail_cpu_bn254_ifma_lanes
#define LV_TABLE    pail_cpu_ifma_bn254_fr
#define LV_CURVE    PAIL_CURVE_BN254
#define VF          bn254_fr_vector
#define BASE        pail_bn254_fr
#define BASE_PARAMS PAIL_BN254_FR
#define VF_LIMBS    5
#define VF_BITS     52
#include "ifma_field.h"
#include "vector_lanes.h"

#include "scalars_template.h"

#define LV          pail_cpu_bls12_381_ifma_lanes
#define LV_TABLE    pail_cpu_ifma_bls12_381_fr
#define LV_CURVE    PAIL_CURVE_BLS12_381
#define VF          bls12_381_fr_vector
#define BASE        pail_bls12_381_fr
#define BASE_PARAMS PAIL_BLS12_381_FR
#define VF_LIMBS    5
#define VF_BITS     52
#include "ifma_field.h"
#include "vector_lanes.h"

#include "scalars_template.h"
