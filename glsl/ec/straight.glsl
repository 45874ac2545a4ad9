/* SPDX-License-Identifier: Apache-2.0 */
// Additions of XYZZ points straight through their products, with no loop and nothing that only some
// invocations do: for software drivers, which run the invocations of a subgroup as the lanes of a
// vector, both sides of every branch and all cases of a switch, and skip no more than a loop that
// no lane is in. Where instruction caches are small the loops of xyzz.glsl are ahead.
//
// Formulas as in xyzz.glsl; add-2008-s (12M + 2S) for two XYZZ points.
#ifndef EC_STRAIGHT_GLSL
#define EC_STRAIGHT_GLSL

#define FP_COLUMNS
#include "xyzz.glsl"

// The rest of an addition from P = X2 - X1 and R = Y2 - Y1 over common denominators, or, with
// `doubling`, from 2 Y1 and 3 X1^2. x, y and zz, zzz: the first point's over these denominators.
xyzz ec_add_rest(FE p, FE r, FE x, FE y, FE zz, FE zzz, bool doubling)
{
    const FE pp = fe_sqr(p);
    const FE ppp = fe_mul(p, pp);
    const FE q = fe_mul(x, pp);
    xyzz sum;
    sum.x = fe_less(fe_sqr(r), fe_select(doubling, ppp, fe_zero()), q); // R^2 - PPP - 2Q
    sum.y = fe_dot_less(fe_sub_lazy(q, sum.x), r, y, ppp);              // R (Q - X3) - Y1 PPP
    sum.zz = fe_mul(zz, pp);
    sum.zzz = fe_mul(zzz, ppp);
    return sum;
}

xyzz ec_from_affine(affine a)
{
    return xyzz(a.x, a.y, fe_one(), fe_one());
}

// sum += b for finite points. False, and nothing done, where they may be equal or opposite: one in
// 2^24 of others is taken for that.
bool ec_add_distinct(inout xyzz sum, affine b)
{
    const FE p = fe_sub_wide(fe_mul(b.x, sum.zz), sum.x);
    const FE r = fe_sub_wide(fe_mul(b.y, sum.zzz), sum.y);
    const bool distinct = !fe_may_be_zero(p);
    const xyzz added = ec_add_rest(p, r, sum.x, sum.y, sum.zz, sum.zzz, false);
    sum = ec_select(distinct, sum, added);
    return distinct;
}

// a + b, complete.
xyzz ec_add(xyzz a, xyzz b)
{
    const FE one = fe_one();
    const FE u = fe_mul(a.x, b.zz), s = fe_mul(a.y, b.zzz);
    FE p = fe_sub_wide(fe_mul(b.x, a.zz), u), r = fe_sub_wide(fe_mul(b.y, a.zzz), s);
    const bool same = fe_is_zero(p) && fe_is_zero(r);
    const FE x_squared = fe_sqr(a.x);
    p = fe_select(same, p, fe_add(a.y, a.y));
    r = fe_select(same, r, fe_add(fe_add(x_squared, x_squared), x_squared));
    const xyzz sum = ec_add_rest(p, r, fe_select(same, u, a.x), fe_select(same, s, a.y),
                                 fe_mul(a.zz, fe_select(same, b.zz, one)),
                                 fe_mul(a.zzz, fe_select(same, b.zzz, one)), same);
    return ec_select(ec_is_infinity(a), ec_select(ec_is_infinity(b), sum, a), b);
}

#endif
