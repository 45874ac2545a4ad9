/* Elements of arrays: one, and many in a row. Loops over what lies close together are written so
 * that compilers make vectors of them. */
#include <string.h>

#include "adstack/eval_spec.h"

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

/* Lanes whose maxima do not wait for one another; powers of two for every width of vectors. */
enum { LANES = 32 };

#define MAX_OF(type, name)                                                                         \
    static int64_t max_##name(const uint8_t *p, int64_t step, uint64_t n)                          \
    {                                                                                              \
        type best[LANES];                                                                          \
        uint64_t i = 0;                                                                            \
        for (uint32_t lane = 0; lane < LANES; lane++)                                              \
            memcpy(&best[lane], p, sizeof(type));                                                  \
        if (step == sizeof(type))                                                                  \
            for (; n - i >= LANES; i += LANES) {                                                   \
                type v[LANES];                                                                     \
                memcpy(v, p + i * sizeof(type), sizeof v);                                         \
                for (uint32_t lane = 0; lane < LANES; lane++)                                      \
                    best[lane] = v[lane] > best[lane] ? v[lane] : best[lane];                      \
            }                                                                                      \
        for (; i < n; i++) {                                                                       \
            type v;                                                                                \
            memcpy(&v, p + (int64_t)i * step, sizeof v);                                           \
            best[0] = v > best[0] ? v : best[0];                                                   \
        }                                                                                          \
        for (uint32_t lane = 1; lane < LANES; lane++)                                              \
            best[0] = best[lane] > best[0] ? best[lane] : best[0];                                 \
        return (int64_t)best[0];                                                                   \
    }

/* In pieces whose sums fit `wide`. */
#define SUM_OF(type, name, wide, piece)                                                            \
    static pail_ad_wide sum_##name(const uint8_t *p, int64_t step, uint64_t n)                     \
    {                                                                                              \
        pail_ad_wide total = 0;                                                                    \
        while (n) {                                                                                \
            const uint64_t part = n < (piece) ? n : (piece);                                       \
            wide sum = 0;                                                                          \
            if (step == sizeof(type))                                                              \
                for (uint64_t i = 0; i < part; i++) {                                              \
                    type v;                                                                        \
                    memcpy(&v, p + i * sizeof(type), sizeof v);                                    \
                    sum += v;                                                                      \
                }                                                                                  \
            else                                                                                   \
                for (uint64_t i = 0; i < part; i++) {                                              \
                    type v;                                                                        \
                    memcpy(&v, p + (int64_t)i * step, sizeof v);                                   \
                    sum += v;                                                                      \
                }                                                                                  \
            total += sum;                                                                          \
            n -= part;                                                                             \
            p += (int64_t)part * step;                                                             \
        }                                                                                          \
        return total;                                                                              \
    }

#define PIECE ((uint64_t)1 << 31)

MAX_OF(int8_t, i8)
MAX_OF(int16_t, i16)
MAX_OF(int32_t, i32)
MAX_OF(int64_t, i64)
MAX_OF(uint8_t, u8)
MAX_OF(uint16_t, u16)
MAX_OF(uint32_t, u32)
SUM_OF(int8_t, i8, int64_t, PIECE)
SUM_OF(int16_t, i16, int64_t, PIECE)
SUM_OF(int32_t, i32, int64_t, PIECE)
SUM_OF(int64_t, i64, pail_ad_wide, PIECE)
SUM_OF(uint8_t, u8, int64_t, PIECE)
SUM_OF(uint16_t, u16, int64_t, PIECE)
SUM_OF(uint32_t, u32, int64_t, PIECE)

static int64_t max_of(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
        return max_i8(p, step, n);
    case PAIL_DTYPE_I16:
        return max_i16(p, step, n);
    case PAIL_DTYPE_I32:
        return max_i32(p, step, n);
    case PAIL_DTYPE_U8:
        return max_u8(p, step, n);
    case PAIL_DTYPE_U16:
        return max_u16(p, step, n);
    case PAIL_DTYPE_U32:
        return max_u32(p, step, n);
    default:
        return max_i64(p, step, n);
    }
}

static pail_ad_wide sum_of(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
        return sum_i8(p, step, n);
    case PAIL_DTYPE_I16:
        return sum_i16(p, step, n);
    case PAIL_DTYPE_I32:
        return sum_i32(p, step, n);
    case PAIL_DTYPE_U8:
        return sum_u8(p, step, n);
    case PAIL_DTYPE_U16:
        return sum_u16(p, step, n);
    case PAIL_DTYPE_U32:
        return sum_u32(p, step, n);
    default:
        return sum_i64(p, step, n);
    }
}

void pail_ad_take_elements(struct pail_ad_total *total, uint32_t reduction, uint32_t dtype,
                           const uint8_t *first, int64_t step, uint64_t n)
{
    if (reduction == PAIL_AD_REDUCE_SUM) {
        pail_ad_add(total, sum_of(dtype, first, step, n));
        return;
    }
    const int64_t max = max_of(dtype, first, step, n);
    total->max = max > total->max ? max : total->max;
}
