#include "scalars.h"

static const struct pail_cpu_scalars *const tables[PAIL_CPU_ARITHMETIC_COUNT][2] = {
    [PAIL_CPU_PORTABLE] = {&pail_cpu_portable_bn254_fr, &pail_cpu_portable_bls12_381_fr},
#if PAIL_CPU_HAS_ADX
    [PAIL_CPU_ADX] = {&pail_cpu_adx_bn254_fr, &pail_cpu_adx_bls12_381_fr},
#endif
#if PAIL_CPU_HAS_IFMA
    [PAIL_CPU_IFMA] = {&pail_cpu_ifma_bn254_fr, &pail_cpu_ifma_bls12_381_fr},
#endif
};

const struct pail_cpu_scalars *pail_cpu_scalars_find(enum pail_cpu_arithmetic arithmetic,
                                                     uint32_t curve)
{
    for (size_t i = 0; i < sizeof tables[0] / sizeof tables[0][0]; i++) {
        const struct pail_cpu_scalars *const table = tables[arithmetic][i];
        if (table && table->curve == curve)
            return table;
    }
    return NULL;
}
