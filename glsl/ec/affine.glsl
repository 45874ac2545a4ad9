/* SPDX-License-Identifier: Apache-2.0 */
// Affine points; (0, 0) is infinity, which is on no curve y^2 = x^3 + b with b != 0.
//
// Affine addition costs an inversion, which callers share over many additions (Montgomery's trick).
// It is therefore cut in two: the denominator to invert, and the rest. The denominator is never
// zero: where the sum needs none (infinity on either side, opposite points) it is one.
#ifndef EC_AFFINE_GLSL
#define EC_AFFINE_GLSL

#include "group.glsl"

struct affine {
    FE x, y;
};

bool ec_is_infinity(affine a)
{
    return fe_is_zero(a.x) && fe_is_zero(a.y);
}

affine ec_negate_if(bool negate, affine a)
{
    return affine(a.x, fe_select(negate, a.y, fe_neg(a.y)));
}

#ifdef FE_B
// y^2 = x^3 + b
bool ec_on_curve(affine a)
{
    const FE right = fe_add(fe_mul(fe_sqr(a.x), a.x), fe_unpack(FE_B));
    return fe_is_zero(fe_sub(fe_sqr(a.y), right));
}
#endif

#define EC_CASE_ADD    0u // x differs: lambda = (y2 - y1) / (x2 - x1)
#define EC_CASE_DOUBLE 1u // equal points: lambda = 3 x^2 / 2 y
#define EC_CASE_FIRST  2u // the sum is the first point
#define EC_CASE_SECOND 3u // the sum is the second point
#define EC_CASE_NONE   4u // opposite points: infinity

// The denominator of a + b, and which case the addition is. Coordinates of magnitude 1, b's y also
// as ec_negate_if leaves it.
FE ec_denominator(affine a, affine b, out uint which)
{
    const FE dx = fe_sub(b.x, a.x);
    FE d = dx;
    which = EC_CASE_ADD;
    if (ec_is_infinity(b)) {
        which = EC_CASE_FIRST;
    } else if (ec_is_infinity(a)) {
        which = EC_CASE_SECOND;
    } else if (fe_is_zero(dx)) {
        d = fe_add(a.y, b.y); // 2 y, or 0 for opposite points; no point of odd order has y = 0
        which = fe_is_zero(d) ? EC_CASE_NONE : EC_CASE_DOUBLE;
    }
    if (which >= EC_CASE_FIRST)
        d = fe_one();
    return d;
}

// a + b, given the inverse of its denominator.
affine ec_add_with_inverse(affine a, affine b, FE inverse, uint which)
{
    if (which == EC_CASE_FIRST)
        return a;
    if (which == EC_CASE_SECOND)
        return b;
    if (which == EC_CASE_NONE)
        return affine(fe_zero(), fe_zero());
    FE numerator = fe_sub(b.y, a.y);
    if (which == EC_CASE_DOUBLE) {
        const FE x_squared = fe_sqr(a.x);
        numerator = fe_add(fe_add(x_squared, x_squared), x_squared);
    }
    const FE lambda = fe_mul(numerator, inverse);
    affine sum;
    sum.x = fe_sub(fe_sqr(lambda), fe_add(a.x, b.x));
    sum.y = fe_sub(fe_mul(lambda, fe_sub_wide(a.x, sum.x)), a.y);
    return sum;
}

#endif
