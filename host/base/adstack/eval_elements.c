/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of arrays: one, and many in a row. */
#include "columns.h"

#include "eval.h"

#include <string.h>

uint32_t pail_ad_dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
    case PAIL_DTYPE_U8:
        return 1;
    case PAIL_DTYPE_I16:
    case PAIL_DTYPE_U16:
        return 2;
    case PAIL_DTYPE_I32:
    case PAIL_DTYPE_U32:
        return 4;
    case PAIL_DTYPE_I64:
    case PAIL_DTYPE_U64:
        return 8;
    default:
        return 0;
    }
}

#define LOAD(type)                                                                                 \
    do {                                                                                           \
        type v;                                                                                    \
        memcpy(&v, p, sizeof v);                                                                   \
        return (int64_t)v;                                                                         \
    } while (0)

int64_t pail_ad_load(const uint8_t *p, uint32_t dtype)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
        LOAD(int8_t);
    case PAIL_DTYPE_I16:
        LOAD(int16_t);
    case PAIL_DTYPE_I32:
        LOAD(int32_t);
    case PAIL_DTYPE_U8:
        LOAD(uint8_t);
    case PAIL_DTYPE_U16:
        LOAD(uint16_t);
    case PAIL_DTYPE_U32:
        LOAD(uint32_t);
    default: /* 64 bits, whichever the sign */
        LOAD(int64_t);
    }
}

void pail_ad_take_elements(struct pail_ad_total *total, uint32_t reduction, uint32_t dtype,
                           const uint8_t *first, int64_t step, uint64_t n)
{
    const struct pail_ad_columns *columns = pail_ad_columns();
    if (reduction == PAIL_AD_REDUCE_SUM) {
        pail_ad_add(total, columns->sum_elements(dtype, first, step, n));
        return;
    }
    const int64_t max = columns->largest_element(dtype, first, step, n);
    total->max = max > total->max ? max : total->max;
}
