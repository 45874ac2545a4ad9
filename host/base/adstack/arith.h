/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on values that are no errors: for constants and for the host's evaluator. */
#ifndef PAIL_ADSTACK_ARITH_H
#define PAIL_ADSTACK_ARITH_H

#include "program.h"

/* op: a binary one. Returns 0 and sets *out, or returns the kind of the error. */
static inline uint32_t pail_ad_arith(uint32_t op, int64_t a, int64_t b, int64_t *out)
{
    int64_t v = 0;
    bool beyond = false;
    switch (op) {
    case PAIL_AD_ADD:
        beyond = __builtin_add_overflow(a, b, &v);
        break;
    case PAIL_AD_SUB: /* a < b is 0 before anything can overflow */
        if (a > b)
            beyond = __builtin_sub_overflow(a, b, &v);
        break;
    case PAIL_AD_MUL:
        beyond = __builtin_mul_overflow(a, b, &v);
        break;
    case PAIL_AD_WRAP_ADD:
        (void)__builtin_add_overflow(a, b, &v);
        break;
    case PAIL_AD_WRAP_SUB:
        (void)__builtin_sub_overflow(a, b, &v);
        v = v > 0 ? v : 0;
        break;
    case PAIL_AD_WRAP_MUL:
        (void)__builtin_mul_overflow(a, b, &v);
        break;
    case PAIL_AD_MAX:
        v = a > b ? a : b;
        break;
    case PAIL_AD_MIN:
        v = a < b ? a : b;
        break;
    case PAIL_AD_FLOOR_DIV:
        if (b == 0)
            return PAIL_AD_DIVISION;
        beyond = a == INT64_MIN && b == -1;
        if (!beyond)
            v = a / b - (a % b != 0 && (a < 0) != (b < 0));
        break;
    default: /* MOD */
        if (b == 0)
            return PAIL_AD_DIVISION;
        if (b != -1) { /* INT64_MIN % -1 traps; it is 0 */
            v = a % b;
            if (v != 0 && (v < 0) != (b < 0))
                v += b;
        }
        break;
    }
    *out = v;
    return beyond ? PAIL_AD_OVERFLOW : 0;
}

/* The turns of a range with a < b. */
static inline uint64_t pail_ad_turns(int64_t a, int64_t b)
{
    return (uint64_t)b - (uint64_t)a;
}

#endif /* PAIL_ADSTACK_ARITH_H */
