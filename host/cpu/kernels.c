#include "bls12_381.h"
#include "bn254.h"
#include "kernel.h"

#define EC        pail_bn254_g1
#define FE        pail_bn254_fp
#define EC_KERNEL bn254_g1
#define EC_CURVE  PAIL_BN254_CURVE
#define EC_GROUP  1
#include "kernel_template.h"
#undef EC
#undef FE
#undef EC_KERNEL
#undef EC_CURVE
#undef EC_GROUP

#define EC        pail_bn254_g2
#define FE        pail_bn254_fp2
#define EC_KERNEL bn254_g2
#define EC_CURVE  PAIL_BN254_CURVE
#define EC_GROUP  2
#include "kernel_template.h"
#undef EC
#undef FE
#undef EC_KERNEL
#undef EC_CURVE
#undef EC_GROUP

#define EC        pail_bls12_381_g1
#define FE        pail_bls12_381_fp
#define EC_KERNEL bls12_381_g1
#define EC_CURVE  PAIL_BLS12_381_CURVE
#define EC_GROUP  1
#include "kernel_template.h"
#undef EC
#undef FE
#undef EC_KERNEL
#undef EC_CURVE
#undef EC_GROUP

#define EC        pail_bls12_381_g2
#define FE        pail_bls12_381_fp2
#define EC_KERNEL bls12_381_g2
#define EC_CURVE  PAIL_BLS12_381_CURVE
#define EC_GROUP  2
#include "kernel_template.h"
#undef EC
#undef FE
#undef EC_KERNEL
#undef EC_CURVE
#undef EC_GROUP

static const struct pail_cpu_kernel *const kernels[] = {&bn254_g1, &bn254_g2, &bls12_381_g1,
                                                        &bls12_381_g2};

const struct pail_cpu_kernel *pail_cpu_kernel_find(uint32_t curve, uint32_t group)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernels[i]->curve == curve && kernels[i]->group == group) {
            return kernels[i];
        }
    }
    return NULL;
}
