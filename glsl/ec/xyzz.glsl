/* SPDX-License-Identifier: Apache-2.0 */
// Short Weierstrass points with a = 0 in XYZZ coordinates: x = X/ZZ, y = Y/ZZZ, ZZ^3 = ZZZ^2.
// Infinity is ZZ = 0. Every function is complete: equal points, opposite points and infinity on
// either side are right, because real inputs have them all (duplicates, +-P, unused wires).
//
// Formulas: Explicit-Formulas Database, g1p/auto-shortw-xyzz: madd-2008-s (8M + 2S), dbl-2008-s-1;
// sums of two XYZZ points are in quad.glsl. Doubling runs through the same lines: with U = 2Y,
// M = 3X^2 in place of P, R it differs in one term only, so that a kernel holds each product once.
#ifndef EC_XYZZ_GLSL
#define EC_XYZZ_GLSL

#include "affine.glsl"

// Magnitudes are below 7 for x and y, and 4 for zz and zzz, in form x29; below 8 and 2 in form d51.
// check_magnitudes of tools/magnitudes.py derives these bounds: it follows the formulas of this
// folder until magnitudes grow no more, for each curve, whenever the constants are generated.
struct xyzz {
    FE x, y, zz, zzz;
};

bool ec_is_infinity(xyzz a)
{
    return fe_is_zero(a.zz);
}

xyzz ec_infinity()
{
    const FE zero = fe_zero();
    return xyzz(zero, zero, zero, zero);
}

xyzz ec_select(bool take_b, xyzz a, xyzz b)
{
    return xyzz(fe_select(take_b, a.x, b.x), fe_select(take_b, a.y, b.y),
                fe_select(take_b, a.zz, b.zz), fe_select(take_b, a.zzz, b.zzz));
}

#if FE_DEGREE == 2
#include "xyzz_steps.glsl"
#else
// 2 a, or a + b where `adding`; b is finite. One text for both, so that a kernel holds each product
// once: P = U2 - X1 and R = S2 - Y1, both zero for points that are the same, ask for the double.
xyzz ec_double_or_add(xyzz a, affine b, bool adding)
{
    const FE one = fe_one();
    const bool start = adding && ec_is_infinity(a);
    FE p = fe_zero(), r = fe_zero();
    if (adding) {
        p = fe_sub_wide(fe_mul(b.x, a.zz), a.x);
        r = fe_sub_wide(fe_mul(b.y, a.zzz), a.y);
    }
    const bool same = fe_is_zero(p) && fe_is_zero(r);
    if (same) {
        const FE x_squared = fe_sqr(a.x);
        p = fe_add(a.y, a.y);                                // U = 2 Y
        r = fe_add(fe_add(x_squared, x_squared), x_squared); // M = 3 X^2
    }
    const FE pp = fe_sqr(p);
    const FE ppp = fe_mul(p, pp);
    const FE q = fe_mul(a.x, pp);
    const FE drop = fe_select(same, ppp, fe_zero());
    xyzz sum;
    sum.x = fe_less(fe_sqr(r), drop, q);                     // R^2 - PPP - 2Q
    sum.y = fe_dot_less(fe_sub_lazy(q, sum.x), r, a.y, ppp); // R (Q - X3) - Y1 PPP
    sum.zz = fe_mul(a.zz, pp);                               // 0 for opposite points
    sum.zzz = fe_mul(a.zzz, ppp);
    return ec_select(start, sum, xyzz(b.x, b.y, one, one));
}
#endif

// Straight code pays in some places where elements and products are small, by measurement; where
// they are large it costs more than it saves.
#if defined(PAIL_FORM_D51) && FE_DEGREE == 1 && FP_WORDS <= 8
#define EC_SMALL 1
#else
#define EC_SMALL 0
#endif

// ZZ and ZZZ of an accumulator's sum are operands of two products each. A kernel that defines
// EC_SUM_SHARED has them wait for those in workgroup memory where that constant is true: their
// registers are room for more threads. Include this after the workgroup's size then.
#ifdef EC_SUM_SHARED
shared fe_waiting ec_waiting[EC_SUM_SHARED ? 2 * gl_WorkGroupSize.x : 1];

FE ec_sum_zz(xyzz sum)
{
    if (EC_SUM_SHARED)
        return ec_waiting[gl_LocalInvocationIndex].value;
    return sum.zz;
}

FE ec_sum_zzz(xyzz sum)
{
    if (EC_SUM_SHARED)
        return ec_waiting[gl_WorkGroupSize.x + gl_LocalInvocationIndex].value;
    return sum.zzz;
}

void ec_sum_set_zz(inout xyzz sum, FE zz)
{
    if (EC_SUM_SHARED)
        ec_waiting[gl_LocalInvocationIndex].value = zz;
    else
        sum.zz = zz;
}

void ec_sum_set_zzz(inout xyzz sum, FE zzz)
{
    if (EC_SUM_SHARED)
        ec_waiting[gl_WorkGroupSize.x + gl_LocalInvocationIndex].value = zzz;
    else
        sum.zzz = zzz;
}
#else
#define ec_sum_zz(sum)          (sum).zz
#define ec_sum_zzz(sum)         (sum).zzz
#define ec_sum_set_zz(sum, to)  (sum).zz = (to)
#define ec_sum_set_zzz(sum, to) (sum).zzz = (to)
#endif

// A sum of accumulators begins as a point, and is one when it is done.
void ec_sum_begin(inout xyzz sum, xyzz a)
{
    sum.x = a.x;
    sum.y = a.y;
    ec_sum_set_zz(sum, a.zz);
    ec_sum_set_zzz(sum, a.zzz);
}

xyzz ec_sum_end(xyzz sum)
{
    return xyzz(sum.x, sum.y, ec_sum_zz(sum), ec_sum_zzz(sum));
}

// sum += b, b finite, for accumulators; an empty sum is a flag, whatever its coordinates. A loop
// over the products, so that a kernel holds one (the last two are one with a single reduction where
// elements are small): ten of them straight through do not fit
// instruction caches, and an accumulation is a walk through its own code (docs/performance.md).
// Equal points take one step more, for the tangent, and opposite ones give ZZ = 0.
void ec_accumulate(inout xyzz sum, inout bool empty, affine b)
{
    if (empty) {
        const FE one = fe_one();
        ec_sum_begin(sum, xyzz(b.x, b.y, one, one));
        empty = false;
        return;
    }
    FE x = b.x;  // P = U2 - X1, then PPP
    FE y = b.y;  // R = S2 - Y1
    FE pp = b.x; // PP, then X3
    FE left = b.x, right = ec_sum_zz(sum);
    bool same = false;
    // The count is no constant to a compiler that would unroll the loop.
    const uint steps = (EC_SMALL == 1 ? 8 : 10) + (gl_NumWorkGroups.z >> 24);
    for (uint step = 0; step < steps; step++) {
        const FE d = fe_mul(left, right);
        switch (step) {
        case 0:
#if EC_SMALL
            x = fe_sub_lazy(d, sum.x); // PP, PPP are products with it
#else
            x = fe_sub_wide(d, sum.x);
#endif
            left = y;
            right = ec_sum_zzz(sum);
            break;
        case 1:
            if (same) {
                y = fe_add(fe_add(d, d), d); // 3 X1^2
            } else {
                y = fe_sub_wide(d, sum.y);
                if (fe_may_be_zero(x) && fe_is_zero(x) && fe_is_zero(y)) {
                    same = true;
                    x = fe_add(sum.y, sum.y);
                    left = sum.x;
                    right = sum.x;
                    step--;
                    break;
                }
            }
            left = x;
            right = x;
            break;
        case 2:
            pp = d;
            left = x;
            right = d;
            break;
        case 3:
            x = d;
            left = sum.x;
            right = pp;
            break;
        case 4: // Q = X1 PP
            sum.x = d;
            left = ec_sum_zz(sum);
            break;
        case 5:
            ec_sum_set_zz(sum, d);
            empty = fe_may_be_zero(d) && fe_is_zero(d);
            left = ec_sum_zzz(sum);
            right = x;
            break;
        case 6:
            ec_sum_set_zzz(sum, d);
            left = y;
            right = y;
            break;
        case 7: { // X3 = R^2 - PPP - 2 Q, without PPP where both points are the same
            pp = fe_less(d, fe_select(same, x, fe_zero()), sum.x);
            right = fe_sub_lazy(sum.x, pp);
#if EC_SMALL
            sum.y = fe_dot_less(right, y, sum.y, x); // R (Q - X3) - Y1 PPP
            sum.x = pp;
#endif
            break;
        }
#if !EC_SMALL
        case 8:
            y = d;
            left = sum.y;
            right = x;
            break;
        case 9:
            sum.y = fe_sub(y, d);
            sum.x = pp;
            break;
#endif
        default:
            break;
        }
    }
}

#endif
