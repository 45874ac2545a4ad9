/* SPDX-License-Identifier: Apache-2.0 */
// Additions of XYZZ points by four invocations together, a quad: lane l of a quad holds coordinate
// l of each point (x, y, zz, zzz), and the fourteen products of a full addition are done in four
// rounds. A chain of additions so takes the time of four products for each, not of fourteen; a lane
// needs the registers of a coordinate, not of a point; a kernel holds the product once.
//
// Lanes exchange values through workgroup memory, so every invocation of the workgroup has to come
// to each call, quads without work with points at infinity. Include it after the layout that sets
// the workgroup's size, a multiple of 4; a workgroup that is one subgroup has cheap barriers.
//
// Where an element is in two neighbouring invocations (field/fp2_pair.glsl) a lane is both of them,
// and a quad eight invocations.
//
// Formulas: add-2008-s and dbl-2008-s-1 of the Explicit-Formulas Database, as in xyzz.glsl.
// Magnitudes are as there, but those of a difference, which is good for being packed.
//
// With QUAD_DIFFERENCE an addition of a and b gives a - b as well: P, PP, PPP, Q and the products
// of ZZ and ZZZ are the same, and the two more that R' = -S2 - S1 takes fill the rounds' idle
// lanes.
#ifndef EC_QUAD_GLSL
#define EC_QUAD_GLSL

#include "../lib/local.glsl"
#include "group.glsl"

// Differences and multiples that field/fp_at_once.glsl has in a shorter way, if it is included
// before.
#ifndef FE_AT_ONCE
#define fe_sub_near(a, b) fe_sub_wide(a, b)
#define fe_twice(a)       fe_add(a, a)
#define fe_thrice(a)      fe_add(fe_add(a, a), a)
#endif

#define QUAD_LANES       4u
#define QUAD_INVOCATIONS (QUAD_LANES * FE_LANES)
#define QUAD_X           0u
#define QUAD_Y           1u
#define QUAD_ZZ          2u
#define QUAD_ZZZ         3u
#define QUAD_ROUNDS      4u

// Two slots in turns need one barrier for each exchange.
shared fe_waiting quad_mail[2 * gl_WorkGroupSize.x];
shared uint quad_flags[2 * gl_WorkGroupSize.x];
uint quad_slot = 0;

uint quad_lane()
{
    return local_number() / FE_LANES % QUAD_LANES;
}

void quad_put_value(FE value)
{
    quad_slot = gl_WorkGroupSize.x - quad_slot;
    quad_mail[quad_slot + local_number()].value = value;
    barrier();
}

void quad_put(FE value, bool flag)
{
    quad_flags[gl_WorkGroupSize.x - quad_slot + local_number()] = flag ? 1 : 0;
    quad_put_value(value);
}

uint quad_at(uint lane)
{
    const uint own = local_number();
    return quad_slot + own - own % QUAD_INVOCATIONS + lane * FE_LANES + own % FE_LANES;
}

// The value that a lane of the same quad has put.
FE quad_get(uint lane)
{
    return quad_mail[quad_at(lane)].value;
}

bool quad_flag(uint lane)
{
    return quad_flags[quad_at(lane)] != 0;
}

// This lane's coordinate of a + b. `both`: neither is infinite.
//
// Doublings take part in the same rounds with lanes 0 and 1 in each other's place, because 3 X^2,
// in place of R, has to be made from X: `slope` is the lane that holds R.
//
// `difference` is a coordinate of a - b, number `part`, which need not be the lane's.
#ifdef QUAD_DIFFERENCE
FE quad_add(FE a, FE b, out bool both, out FE difference, out uint part)
#else
FE quad_add(FE a, FE b, out bool both)
#endif
{
    const uint lane = quad_lane();
    const bool a_is_zero = fe_is_zero(a), b_is_zero = fe_is_zero(b);
    quad_put(b, b_is_zero);
    const bool b_infinite = quad_flag(QUAD_ZZ);
    bool same_x = false, opposite = false, a_infinite = false;
    bool flag = a_is_zero;
    FE left = a, right = quad_get(lane ^ 2); // U1, S1, U2, S2
    FE p = a, kept = a, held = a, x = a, result = a;
    for (uint round = 0; round < QUAD_ROUNDS; round++) {
        const FE product = fe_mul(left, right);
        FE mail = product;
        if (round == 1) {
            // PP, R^2, ZZ1 ZZ2, ZZZ1 ZZZ2; doubling: X^2, PP, -, -
            held = fe_select(same_x && lane != QUAD_Y, product, a);
            mail = held;
        } else if (round == 2) {
            // PPP, ZZ or -, R'^2 or ZZ, Q; doubling: R^2, PPP, ZZ, Q
            mail = fe_select(!same_x && lane == QUAD_Y, product, held);
        }
#ifdef QUAD_DIFFERENCE
        else if (round == 3) {
            // S1 PPP, R (Q - X3), R' (Q - X3'), ZZZ, the second and third of which stay
            mail = fe_select(lane == QUAD_Y, fe_select(lane == QUAD_ZZ, product, x), held);
            mail = fe_select(same_x, mail, product);
        }
#endif
        quad_put(mail, flag);
        const uint of_p = same_x ? 1 : 0; // the lane that holds P
        if (round == 0) {
            a_infinite = quad_flag(QUAD_ZZ);
            kept = quad_get(lane == QUAD_X ? 1 : 0); // lane 0: S1; lane 3: U1
            same_x = fe_is_zero(fe_sub_lazy(quad_get(2), quad_get(0)));
            p = fe_sub_near(quad_get(lane == QUAD_Y ? 3 : 2),
                            quad_get(lane == QUAD_Y ? 1 : 0)); // R; P
            flag = fe_is_zero(p);
#ifdef QUAD_DIFFERENCE
            if (lane == QUAD_ZZ)
                p = fe_add(quad_get(1), quad_get(3)); // -R'
#endif
            if (same_x)
                p = fe_select(lane == QUAD_Y, a, fe_twice(a));
            left = fe_select(lane < 2, a, p);
            right = fe_select(lane < 2, b, p);
        } else if (round == 1) {
            opposite = same_x && !quad_flag(QUAD_Y);
            left = fe_select(lane == QUAD_ZZ, fe_select(lane == QUAD_ZZZ, p, kept), held);
            right = quad_get(of_p); // PP
            if (same_x) {
                const FE a_x = quad_get(QUAD_X);
                if (lane == QUAD_X) {
                    left = fe_thrice(product); // 3 X^2
                    right = left;
                    p = left;
                } else if (lane == QUAD_ZZZ) {
                    left = a_x;
                }
            }
#ifdef QUAD_DIFFERENCE
            else if (lane == QUAD_Y) {
                left = quad_get(QUAD_ZZ);
            } else if (lane == QUAD_ZZ) {
                left = p;
                right = p;
            }
#endif
        } else if (round == 2) {
            const FE ppp = quad_get(of_p), q = quad_get(QUAD_ZZZ);
            const FE drop = fe_select(same_x, ppp, fe_zero());
            FE r_squared = quad_get(1 - of_p);
#ifdef QUAD_DIFFERENCE
            r_squared = fe_select(lane == QUAD_ZZ, r_squared, product);
#endif
            x = fe_less(r_squared, drop, q); // R^2 - PPP - 2Q
            result = fe_select(lane == QUAD_ZZ, x, product);
            const bool slope = lane == 1 - of_p;
            left = fe_select(lane == QUAD_X, fe_select(lane == QUAD_Y, held, a), kept);
            left = fe_select(slope, left, p);
            right = fe_select(slope, ppp, fe_sub_lazy(q, x)); // R (Q - X3), S1 PPP, -, ZZZ
#ifdef QUAD_DIFFERENCE
            if (!same_x && lane == QUAD_Y)
                held = product; // ZZ
            if (lane == QUAD_ZZ) {
                left = p;
                right = fe_sub_lazy(x, q);
            }
#endif
        } else {
            const FE other = quad_get(QUAD_X);
            const FE y =
                fe_sub(fe_select(same_x, product, other), fe_select(same_x, other, product));
            if (lane == QUAD_Y)
                result = y;
            else if (lane == QUAD_ZZZ)
                result = product;
#ifdef QUAD_DIFFERENCE
            // X3', ZZ, Y3', ZZZ
            difference = fe_select(lane == QUAD_Y, fe_select(lane == QUAD_ZZ, product, y), held);
            if (lane == QUAD_X)
                difference = quad_get(QUAD_ZZ);
            if (lane == QUAD_ZZ && !same_x)
                result = quad_get(QUAD_Y);
#endif
        }
    }
    both = !a_infinite && !b_infinite;
#ifdef QUAD_DIFFERENCE
    part = lane;
    if (both && !same_x)
        part = lane == QUAD_Y ? QUAD_ZZ : lane == QUAD_ZZ ? QUAD_Y : lane;
    if (same_x)
        difference = fe_select(opposite, fe_zero(), result);
    if (b_infinite)
        difference = a;
    if (a_infinite)
        difference = fe_select(lane == QUAD_Y, b, fe_sub_wide(fe_zero(), b));
#endif
    if (opposite)
        result = fe_zero();
    if (b_infinite)
        result = a;
    if (a_infinite)
        result = b;
    return result;
}

#endif
