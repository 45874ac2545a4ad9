/* Columns: one value of a body in many cells side by side, and what is done with all of them. The
 * loops are compiled for what every processor has, and once more for AVX2 where that can be built
 * (columns_template.h); nothing else differs. */
#ifndef PAIL_ADSTACK_COLUMNS_H
#define PAIL_ADSTACK_COLUMNS_H

#include <stdbool.h>

#include "eval_spec.h"

/* Cells of a column: a body of ten values stays in the first level of a cache. */
enum { PAIL_AD_LANES = 256 };

struct pail_ad_columns {
    /* One operation, ADD to SELECT; `to` is no operand. checked: false where nothing can go wrong.
     * Returns whether nothing did; `to` has no meaning otherwise. n > 0. c: of SELECT alone. */
    bool (*operate)(uint32_t op, bool checked, int64_t *restrict to, const int64_t a[],
                    const int64_t b[], const int64_t c[], uint32_t n);
    /* Elements `step` bytes apart; p need not be aligned. */
    void (*load)(int64_t *restrict to, uint32_t dtype, const uint8_t *p, int64_t step, uint32_t n);
    /* Elements at offsets. */
    void (*gather)(int64_t *restrict to, uint32_t dtype, const uint8_t *p,
                   const int64_t *restrict offset, uint32_t n);
    /* Adds what an axis contributes, modulo 2^64; false: an index is outside of it. */
    bool (*add_axis)(int64_t *restrict offset, const int64_t *restrict index, int64_t length,
                     int64_t stride, uint32_t n);
    void (*count)(int64_t to[], int64_t begin, uint32_t n);
    int64_t (*largest)(int64_t max, const int64_t v[], uint32_t n);
    /* narrow: no value is beyond 2^54 either way. */
    pail_ad_wide (*sum)(bool narrow, const int64_t v[], uint32_t n);
    /* The same of elements in memory, any number of them above 0 and at most 2^48. */
    int64_t (*largest_element)(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n);
    pail_ad_wide (*sum_elements)(uint32_t dtype, const uint8_t *p, int64_t step, uint64_t n);
};

/* What this processor runs best. */
const struct pail_ad_columns *pail_ad_columns(void);

extern const struct pail_ad_columns pail_ad_columns_portable;
extern const struct pail_ad_columns pail_ad_columns_avx2; /* where PAIL_AD_HAS_AVX2 is 1 */

#endif /* PAIL_ADSTACK_COLUMNS_H */
