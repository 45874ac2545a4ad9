/* SPDX-License-Identifier: Apache-2.0 */
/* The adders of AVX-512 IFMA. This file alone is built for those instructions; adders.c asks the
 * processor before it calls anything here. */
#include "adders.h"

#define VF_MASK             __mmask8
#define VECTOR_FIELD        <cpu/ifma_field.h>
#define VECTOR_ADDER(group) pail_cpu_ifma_##group

#define BN254_LIMBS          5
#define BN254_BITS           52
#define BN254_G1_VECTORS     128
#define BN254_G2_VECTORS     64
#define BLS12_381_LIMBS      8
#define BLS12_381_BITS       52
#define BLS12_381_G1_VECTORS 128
#define BLS12_381_G2_VECTORS 64
#include "vector_groups.h"
