// Short Weierstrass points with a = 0 in XYZZ coordinates: x = X/ZZ, y = Y/ZZZ, ZZ^3 = ZZZ^2.
// Infinity is ZZ = 0. Every function is complete: equal points, opposite points and infinity on
// either side are right, because real inputs have them all (duplicates, +-P, unused wires).
//
// Formulas: Explicit-Formulas Database, g1p/auto-shortw-xyzz: madd-2008-s (8M + 2S), add-2008-s
// (12M + 2S), dbl-2008-s-1. Doubling runs through the same lines: with U = 2Y, M = 3X^2 in place of
// P, R it differs in one term only, so that a kernel holds each product once.
#ifndef EC_XYZZ_GLSL
#define EC_XYZZ_GLSL

#include "affine.glsl"

struct xyzz {
    FE x, y, zz, zzz; // magnitudes: x, y below 7, zz, zzz below 4
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
#endif

// The lines that all additions share. U1 = X1 ZZ2, S1 = Y1 ZZZ2, P = U2 - U1, R = S2 - S1,
// zz = ZZ1 ZZ2, zzz = ZZZ1 ZZZ2. a is the point to double when both are the same.
xyzz ec_add_tail(xyzz a, FE u1, FE s1, FE p, FE r, FE zz, FE zzz)
{
    const bool same_x = fe_is_zero(p);
    const bool same = same_x && fe_is_zero(r);
    if (same) {
        const FE x_squared = fe_sqr(a.x);
        u1 = a.x;
        s1 = a.y;
        p = fe_add(a.y, a.y);                                // U = 2 Y
        r = fe_add(fe_add(x_squared, x_squared), x_squared); // M = 3 X^2
        zz = a.zz;
        zzz = a.zzz;
    }
    const FE pp = fe_sqr(p);
    const FE ppp = fe_mul(p, pp);
    const FE q = fe_mul(u1, pp);
    const FE drop = fe_select(same, ppp, fe_zero());
    xyzz sum;
    sum.x = fe_sub(fe_sqr(r), fe_add(drop, fe_add(q, q)));             // R^2 - PPP - 2Q
    sum.y = fe_sub(fe_mul(r, fe_sub_wide(q, sum.x)), fe_mul(s1, ppp)); // R (Q - X3) - S1 PPP
    sum.zz = fe_mul(zz, pp);                                           // 0 for opposite points
    sum.zzz = fe_mul(zzz, ppp);
    return sum;
}

// a + b, b affine.
xyzz ec_add_mixed(xyzz a, affine b)
{
    if (ec_is_infinity(b))
        return a;
    if (ec_is_infinity(a)) {
        const FE one = fe_one();
        return xyzz(b.x, b.y, one, one);
    }
#if FE_DEGREE == 2
    return ec_add_steps(a, xyzz(b.x, b.y, b.x, b.y), EC_STEP_P);
#else
    const FE p = fe_sub_wide(fe_mul(b.x, a.zz), a.x);  // U2 - X1
    const FE r = fe_sub_wide(fe_mul(b.y, a.zzz), a.y); // S2 - Y1
    return ec_add_tail(a, a.x, a.y, p, r, a.zz, a.zzz);
#endif
}

// a + b
xyzz ec_add(xyzz a, xyzz b)
{
    if (ec_is_infinity(b))
        return a;
    if (ec_is_infinity(a))
        return b;
#if FE_DEGREE == 2
    return ec_add_steps(a, b, EC_STEP_U1);
#else
    const FE u1 = fe_mul(a.x, b.zz);
    const FE s1 = fe_mul(a.y, b.zzz);
    const FE p = fe_sub_wide(fe_mul(b.x, a.zz), u1);
    const FE r = fe_sub_wide(fe_mul(b.y, a.zzz), s1);
    return ec_add_tail(a, u1, s1, p, r, fe_mul(a.zz, b.zz), fe_mul(a.zzz, b.zzz));
#endif
}

#endif
