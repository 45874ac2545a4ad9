/* SPDX-License-Identifier: Apache-2.0 */
/* The adders of AVX2. This file alone is built for those instructions; adders.c asks the processor
 * before it calls anything here. */
#include "adders.h"

#define VF_MASK             uint8_t
#define VECTOR_FIELD        <cpu/avx2_field.h>
#define VECTOR_ADDER(group) pail_cpu_avx2_##group

#define BN254_LIMBS          9
#define BN254_BITS           29
#define BN254_G1_VECTORS     64
#define BN254_G2_VECTORS     32
#define BLS12_381_LIMBS      14
#define BLS12_381_BITS       28
#define BLS12_381_G1_VECTORS 64
#define BLS12_381_G2_VECTORS 64
#include "vector_groups.h"
