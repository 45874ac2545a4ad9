// Additions of XYZZ points as a loop over their products, for fields whose product is large: a
// kernel then holds it once. Straight through, a kernel for the second group of BLS12-381 has some
// 20000 multiplications of limbs, which take minutes to compile and do not fit instruction caches.
//
// The steps are the lines of ec_add_tail in xyzz.glsl and give the same coordinates.
#ifndef EC_XYZZ_STEPS_GLSL
#define EC_XYZZ_STEPS_GLSL

#define EC_STEP_U1     0u // X1 ZZ2, of full additions alone
#define EC_STEP_S1     1u // Y1 ZZZ2, likewise
#define EC_STEP_P      2u // P = X2 ZZ1 - U1
#define EC_STEP_R      3u // R = Y2 ZZZ1 - S1
#define EC_STEP_ZZ     4u // ZZ1 ZZ2, of full additions of points that differ
#define EC_STEP_ZZZ    5u // ZZZ1 ZZZ2, likewise
#define EC_STEP_DOUBLE 6u // R = 3 X1^2, where both points are the same
#define EC_STEP_PP     7u
#define EC_STEP_ZZ_PP  8u
#define EC_STEP_PPP    9u  // into P
#define EC_STEP_Q      10u // into U1
#define EC_STEP_ZZZ_P  11u
#define EC_STEP_X      12u // R^2 - PPP - 2Q
#define EC_STEP_Y      13u // R (Q - X3)
#define EC_STEP_Y_LESS 14u // - S1 PPP
#define EC_STEPS       15u

// The step to begin with says what is asked for:
//   EC_STEP_U1      a + b, neither infinite
//   EC_STEP_P       the same where b.zz and b.zzz are one; they are not looked at
//   EC_STEP_DOUBLE  2 a, any a; b is not looked at
xyzz ec_add_steps(xyzz a, xyzz b, uint first)
{
    FE u1 = a.x, s1 = a.y, p = a.x, r = a.y, pp = a.x;
    xyzz sum = a; // until the last steps: zz and zzz of the sum in the making
    bool same = first == EC_STEP_DOUBLE;
    if (same)
        p = fe_add(a.y, a.y);
    for (uint step = first; step < EC_STEPS; step++) {
        const bool has_zz = first == EC_STEP_U1 && !same;
        if (step == EC_STEP_DOUBLE ? !same : step >= EC_STEP_ZZ && step <= EC_STEP_ZZZ && !has_zz)
            continue;
        FE left = p, right = pp;
        switch (step) {
        case EC_STEP_U1:
            left = a.x;
            right = b.zz;
            break;
        case EC_STEP_S1:
            left = a.y;
            right = b.zzz;
            break;
        case EC_STEP_P:
            left = b.x;
            right = a.zz;
            break;
        case EC_STEP_R:
            left = b.y;
            right = a.zzz;
            break;
        case EC_STEP_ZZ:
            left = a.zz;
            right = b.zz;
            break;
        case EC_STEP_ZZZ:
            left = a.zzz;
            right = b.zzz;
            break;
        case EC_STEP_DOUBLE:
            left = a.x;
            right = a.x;
            break;
        case EC_STEP_PP:
            right = p;
            break;
        case EC_STEP_ZZ_PP:
            left = sum.zz;
            break;
        case EC_STEP_Q:
            left = u1;
            break;
        case EC_STEP_ZZZ_P:
            left = sum.zzz;
            right = p;
            break;
        case EC_STEP_X:
            left = r;
            right = r;
            break;
        case EC_STEP_Y:
            left = r;
            right = fe_sub_wide(u1, sum.x);
            break;
        case EC_STEP_Y_LESS:
            left = s1;
            right = p;
            break;
        default: // EC_STEP_PPP
            break;
        }
        const FE product = fe_mul(left, right);
        switch (step) {
        case EC_STEP_U1:
            u1 = product;
            break;
        case EC_STEP_S1:
            s1 = product;
            break;
        case EC_STEP_P:
            p = fe_sub_wide(product, u1);
            break;
        case EC_STEP_R:
            r = fe_sub_wide(product, s1);
            same = fe_is_zero(p) && fe_is_zero(r);
            if (same) {
                u1 = a.x;
                s1 = a.y;
                p = fe_add(a.y, a.y);
            }
            break;
        case EC_STEP_ZZ:
        case EC_STEP_ZZ_PP:
            sum.zz = product;
            break;
        case EC_STEP_ZZZ:
        case EC_STEP_ZZZ_P:
            sum.zzz = product;
            break;
        case EC_STEP_DOUBLE:
            r = fe_add(fe_add(product, product), product);
            break;
        case EC_STEP_PP:
            pp = product;
            break;
        case EC_STEP_PPP:
            p = product;
            break;
        case EC_STEP_Q:
            u1 = product;
            break;
        case EC_STEP_X: {
            const FE drop = fe_select(same, p, fe_zero());
            sum.x = fe_sub(product, fe_add(drop, fe_add(u1, u1)));
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
    return sum;
}

#endif
