/* SPDX-License-Identifier: Apache-2.0 */
/* Columns for every processor, and the choice among what there is. */
#define COLUMNS(name) name##_portable
#include "columns_template.h"

#ifndef PAIL_AD_HAS_AVX2
#define PAIL_AD_HAS_AVX2 0
#endif

const struct pail_ad_columns *pail_ad_columns(void)
{
#if PAIL_AD_HAS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return &pail_ad_columns_avx2;
#endif
    return &pail_ad_columns_portable;
}
