/* SPDX-License-Identifier: Apache-2.0 */
// Doubling and addition of XYZZ points as a loop over their products, for fields whose product is
// large: a kernel then holds it once. Straight through, a kernel for the second group of BLS12-381
// has some 20000 multiplications of limbs, which take minutes to compile and do not fit instruction
// caches.
//
// The steps are the lines of ec_double_or_add in xyzz.glsl and give the same coordinates.
#ifndef EC_XYZZ_STEPS_GLSL
#define EC_XYZZ_STEPS_GLSL

#define EC_STEP_P      0u // P = X2 ZZ1 - X1
#define EC_STEP_R      1u // R = Y2 ZZZ1 - Y1
#define EC_STEP_DOUBLE 2u // R = 3 X1^2, where both points are the same
#define EC_STEP_PP     3u
#define EC_STEP_ZZ_PP  4u
#define EC_STEP_PPP    5u // into P
#define EC_STEP_Q      6u
#define EC_STEP_ZZZ_P  7u
#define EC_STEP_X      8u  // R^2 - PPP - 2Q
#define EC_STEP_Y      9u  // R (Q - X3)
#define EC_STEP_Y_LESS 10u // - Y1 PPP
#define EC_STEPS       11u

// 2 a, or a + b where `adding`; b is finite.
xyzz ec_double_or_add(xyzz a, affine b, bool adding)
{
    const FE one = fe_one();
    const bool start = adding && ec_is_infinity(a);
    FE q = a.x, p = a.x, r = a.y, pp = a.x;
    xyzz sum = a; // until the last steps: zz and zzz of the sum in the making
    bool same = !adding;
    if (same)
        p = fe_add(a.y, a.y);
    for (uint step = adding ? EC_STEP_P : EC_STEP_DOUBLE; step < EC_STEPS; step++) {
        if (step == EC_STEP_DOUBLE && !same)
            continue;
        FE left = p, right = pp;
        switch (step) {
        case EC_STEP_P:
            left = b.x;
            right = a.zz;
            break;
        case EC_STEP_R:
            left = b.y;
            right = a.zzz;
            break;
        case EC_STEP_DOUBLE:
            left = a.x;
            right = a.x;
            break;
        case EC_STEP_PP:
            right = p;
            break;
        case EC_STEP_ZZ_PP:
            left = a.zz;
            break;
        case EC_STEP_Q:
            left = a.x;
            break;
        case EC_STEP_ZZZ_P:
            left = a.zzz;
            right = p;
            break;
        case EC_STEP_X:
            left = r;
            right = r;
            break;
        case EC_STEP_Y:
            left = r;
            right = fe_sub_wide(q, sum.x);
            break;
        case EC_STEP_Y_LESS:
            left = a.y;
            right = p;
            break;
        default: // EC_STEP_PPP
            break;
        }
        const FE product = fe_mul(left, right);
        switch (step) {
        case EC_STEP_P:
            p = fe_sub_wide(product, a.x);
            break;
        case EC_STEP_R:
            r = fe_sub_wide(product, a.y);
            same = fe_is_zero(p) && fe_is_zero(r);
            if (same)
                p = fe_add(a.y, a.y);
            break;
        case EC_STEP_DOUBLE:
            r = fe_add(fe_add(product, product), product);
            break;
        case EC_STEP_PP:
            pp = product;
            break;
        case EC_STEP_ZZ_PP:
            sum.zz = product;
            break;
        case EC_STEP_PPP:
            p = product;
            break;
        case EC_STEP_Q:
            q = product;
            break;
        case EC_STEP_ZZZ_P:
            sum.zzz = product;
            break;
        case EC_STEP_X: {
            const FE drop = fe_select(same, p, fe_zero());
            sum.x = fe_sub(product, fe_add(drop, fe_add(q, q)));
            break;
        }
        case EC_STEP_Y:
            sum.y = product;
            break;
        default: // EC_STEP_Y_LESS
            sum.y = fe_sub(sum.y, product);
            break;
        }
    }
    return ec_select(start, sum, xyzz(b.x, b.y, one, one));
}

#endif
