/* SPDX-License-Identifier: Apache-2.0 */
// Values with errors, what operations make of them, and what ranges make of many. The semantics are
// those of the host's evaluator, bit for bit (host/base/adstack/eval.c).
#include "i64.glsl"

struct ad_value {
    I64 v; // 0 where there is an error
    uint error;
};

// The less of two errors; 0 is none, and loses.
uint ad_least(uint a, uint b)
{
    return min(a - 1, b - 1) + 1;
}

// True if an error decides the result of a reduction: none is less than `least` (0: not known), and
// what the device does not compute need not be gone on with.
bool ad_decides(uint error, uint least)
{
    return error - 1 < max(least, AD_GIVEN_BACK);
}

ad_value ad_error(uint error)
{
    return ad_value(i64_zero(), error);
}

ad_value ad_operate(uint op, ad_value a, ad_value b, ad_value c, uint site)
{
    if (op == AD_SELECT) {
        const bool positive = i64_less(i64_zero(), a.v);
        if (a.error != 0)
            return ad_error(a.error);
        if (positive)
            return b;
        return c;
    }
    const uint error = ad_least(a.error, b.error);
    if (error != 0)
        return ad_error(error);
    ad_value r = ad_value(a.v, 0);
    bool overflow = false;
    switch (op) {
    case AD_ADD:
        r.v = i64_add_checked(a.v, b.v, overflow);
        break;
    case AD_SUB:
        if (i64_less(b.v, a.v))
            r.v = i64_sub_checked(a.v, b.v, overflow);
        else
            r.v = i64_zero();
        break;
    case AD_MUL:
        r.v = i64_mul_checked(a.v, b.v, overflow);
        break;
    case AD_WRAP_ADD:
        r.v = i64_add(a.v, b.v);
        break;
    case AD_WRAP_SUB:
        r.v = i64_max(i64_sub(a.v, b.v), i64_zero());
        break;
    case AD_WRAP_MUL:
        r.v = i64_mul(a.v, b.v);
        break;
    case AD_MAX:
        if (i64_less(a.v, b.v))
            r.v = b.v;
        break;
    case AD_MIN:
        if (i64_less(b.v, a.v))
            r.v = b.v;
        break;
    default:
        if (i64_equal(b.v, i64_zero()))
            return ad_error(site | AD_ERROR_DIVISION);
        I64 rest;
        r.v = i64_floor_divide(a.v, b.v, rest);
        overflow = op == AD_FLOOR_DIV && i64_is_lowest(a.v) &&
                   i64_equal(b.v, i64(0xffffffffu, 0xffffffffu));
        if (op == AD_MOD)
            r.v = rest;
    }
    if (overflow)
        return ad_error(site | AD_ERROR_OVERFLOW);
    return r;
}

// Running total of a range: the largest value and 0, or the exact sum in 128 bits, and the least
// error. 2^64 values of 2^63 fit, which nobody lives to see.
struct ad_sum {
    I64 low, high; // high is the sum's
    uint error;
};

ad_sum ad_nothing()
{
    return ad_sum(i64_zero(), i64_zero(), 0);
}

ad_sum ad_one(ad_value value)
{
    return ad_sum(value.v, i64_sign(value.v), value.error);
}

ad_sum ad_join(uint reduction, ad_sum a, ad_sum b)
{
    ad_sum r;
    r.error = ad_least(a.error, b.error);
    if (reduction == AD_REDUCE_SUM) {
        r.low = i64_add(a.low, b.low);
        const uint carry = i64_less_unsigned(r.low, a.low) ? 1 : 0;
        r.high = i64_add(i64_add(a.high, b.high), i64_from(carry));
    } else {
        r.low = i64_max(a.low, b.low);
        r.high = i64_zero();
    }
    return r;
}

ad_value ad_result(uint reduction, ad_sum sum, uint site)
{
    if (sum.error != 0)
        return ad_error(sum.error);
    if (reduction == AD_REDUCE_SUM && !i64_equal(sum.high, i64_sign(sum.low)))
        return ad_error(site | AD_ERROR_OVERFLOW);
    return ad_value(sum.low, 0);
}
