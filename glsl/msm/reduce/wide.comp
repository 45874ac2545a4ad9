/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// A pass of the bucket reduction, one of those that make a level (reduce.comp says what they do),
// with one addition for each thread: for passes with so many additions that they fill a device.
//
// In pairs a thread is two neighbouring invocations, one for each coefficient of the coordinates
// (field/fp2_pair.glsl): what an addition goes on with then has room in workgroup memory.
//
// The additions of a job are the steps of steps.glsl, each step a dispatch.
//
// An addition is a loop over its products, which keeps what it goes on with in workgroup memory: a
// product with its operands is all that is in registers, so that a processor has room for many.
// Formulas, and what is special about equal points and infinity, are those of ec/quad.glsl.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_REDUCE_WIDE_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_reduce_push push; };
layout(binding = 0, std430) buffer Points { uvec4 points[]; };

#include "../points_rw.glsl"
#include "steps.glsl"

#define SLOT_S1  0u // then S1 PPP
#define SLOT_R   1u
#define SLOT_SUM 2u // S1 + S2, which is -R'
#define SLOT_U1  3u // then Q
#define SLOT_P   4u // then PPP
#define SLOT_PP  5u // ZZ1 ZZ2 before
#define SLOTS    6

#if defined(PAIL_FORM_D51)
#define FP_BYTES (8 * FP51_LIMBS)
#elif defined(PAIL_FORM_X29)
#define FP_BYTES (4 * FP29_LIMBS)
#else
#define FP_BYTES (4 * FP_WORDS)
#endif

// Neighbours' slots of a multiple of 32 bytes would be in the same banks of workgroup memory.
struct slot {
    FE value;
#if FP_BYTES % 32 == 0 && FE_DEGREE == FE_LANES
    uint apart;
#endif
};

// Every device has 16 KiB of workgroup memory; what does not fit is each invocation's own.
#if SLOTS * MSM_REDUCE_WIDE_WORKGROUP * FE_DEGREE * FP_BYTES <= 15 * 1024 * FE_LANES
shared slot slots[SLOTS * gl_WorkGroupSize.x];

uint slot_at(uint which)
{
    return which * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
}
#else
slot slots[SLOTS];

uint slot_at(uint which)
{
    return which;
}
#endif

FE get(uint which)
{
    return slots[slot_at(which)].value;
}

void put(uint which, FE value)
{
    slots[slot_at(which)].value = value;
}

#define X   0u
#define Y   1u
#define ZZ  2u
#define ZZZ 3u

// The points of an addition, by their places; MSM_KEY_NONE where none is wanted.
uint left_point, right_point, sum_point, difference_point;

FE load(uint point, uint coordinate)
{
    return load_coordinate(point * XYZZ_VECTORS + FE_PLACE(coordinate));
}

void store(uint point, uint coordinate, FE a)
{
    store_coordinate(point * XYZZ_VECTORS + FE_PLACE(coordinate), a);
}

void negate(uint point)
{
    store(point, Y, fe_neg(load(point, Y)));
}

// Adds where one of both is infinite, or both are: what is left of these is in place of one of
// them.
void add_infinity()
{
    const bool left_infinite = fe_is_zero(load(left_point, ZZ));
    if (left_infinite && fe_is_zero(load(right_point, ZZ)))
        return;
    const uint from = left_infinite ? right_point : left_point;
    for (uint i = 0; i < XYZZ_OWN; i++) {
        const uint place = XYZZ_PLACE(i);
        const uvec4 v = points[from * XYZZ_VECTORS + place];
        points[sum_point * XYZZ_VECTORS + place] = v;
        if (difference_point != MSM_KEY_NONE)
            points[difference_point * XYZZ_VECTORS + place] = v;
    }
    if (left_infinite && difference_point != MSM_KEY_NONE)
        negate(difference_point);
}

// The steps, one product each. Of equal and of opposite points one is doubled: then all begins anew
// with P = 2 Y, R = 3 X^2 and the other point's scales 1.
#define STEP_ZZ    0u // ZZ1 ZZ2
#define STEP_S1    1u
#define STEP_S2    2u // 3 X^2
#define STEP_U1    3u
#define STEP_U2    4u
#define STEP_PP    5u
#define STEP_ZZ_PP 6u // value in hand times PP
#define STEP_PPP   7u
#define STEP_Q     8u
#define STEP_ZZZ   9u  // ZZZ1 ZZZ2
#define STEP_ZZZ_P 10u // value in hand times PPP
#define STEP_T     11u // S1 PPP
#define STEP_X     12u // R^2; of the difference two later
#define STEP_Y     13u // R (Q - X3)

void add_points()
{
    const bool with_difference = difference_point != MSM_KEY_NONE;
    const uint steps = with_difference ? STEP_Y + 3 : STEP_Y + 1;
    uint target = sum_point, other = difference_point; // points that X and Y go to
    bool same = false;
    FE hand;
    for (uint step = 0; step < steps; step++) {
        FE left, right;
        if (step <= STEP_U2 || step == STEP_ZZZ) {
            uint of_left = step == STEP_ZZZ ? ZZZ : (0x20312u >> 4 * step) & 3;
            uint of_right = step == STEP_ZZ || step == STEP_ZZZ ? of_left : of_left ^ 2;
            uint from = right_point;
            if (same && step == STEP_S2) {
                of_left = X;
                of_right = X;
                from = left_point;
            }
            left = load(left_point, of_left);
            right = load(from, of_right);
            if (same && step != STEP_S2)
                right = fe_one();
        } else {
            uint one = SLOT_P, two = SLOT_PP;
            switch (step) {
            case STEP_PP:
                two = SLOT_P;
                break;
            case STEP_Q:
                one = SLOT_U1;
                break;
            case STEP_ZZZ_P:
                two = SLOT_P;
                break;
            case STEP_T:
                one = SLOT_S1;
                two = SLOT_P;
                break;
            case STEP_X:
            case STEP_Y:
                one = SLOT_R;
                two = SLOT_R;
                break;
            case STEP_X + 2:
            case STEP_Y + 2:
                one = SLOT_SUM;
                two = SLOT_SUM;
                break;
            default: // STEP_ZZ_PP, STEP_PPP
                break;
            }
            right = get(two);
            left = get(one);
            if (step == STEP_ZZ_PP || step == STEP_ZZZ_P || step == STEP_Y || step == STEP_Y + 2)
                left = hand;
        }
        const FE d = fe_mul(left, right);
        switch (step) {
        case STEP_ZZ:
            if (fe_is_zero(d)) {
                add_infinity();
                return;
            }
            put(SLOT_PP, d);
            break;
        case STEP_S2: {
            FE r = d, sum = d;
            if (same) {
                r = fe_add(fe_add(d, d), d);
            } else {
                const FE s1 = get(SLOT_S1);
                r = fe_sub_wide(d, s1);
                sum = fe_add(d, s1);
            }
            put(SLOT_R, r);
            put(SLOT_SUM, sum);
            break;
        }
        case STEP_U2: {
            FE p;
            if (same) {
                const FE y = load(left_point, Y);
                p = fe_add(y, y);
            } else {
                p = fe_sub_wide(d, get(SLOT_U1));
                if (fe_is_zero(p)) {
                    same = true;
                    if (!fe_is_zero(get(SLOT_R))) { // opposite points: the difference is the double
                        target = difference_point;
                        other = sum_point;
                    }
                    if (target == MSM_KEY_NONE) {
                        store_infinity(sum_point);
                        return;
                    }
                    step = ~0u;
                    break;
                }
            }
            put(SLOT_P, p);
            break;
        }
        case STEP_PP:
            hand = get(SLOT_PP);
            put(SLOT_PP, d);
            break;
        case STEP_ZZ_PP:
        case STEP_ZZZ_P: {
            const uint coordinate = step == STEP_ZZ_PP ? ZZ : ZZZ;
            store(target, coordinate, d);
            if (with_difference && !same)
                store(other, coordinate, d);
            break;
        }
        case STEP_ZZZ:
            hand = d;
            break;
        case STEP_X:
        case STEP_X + 2: {
            const FE q = get(SLOT_U1);
            const FE x = fe_less(d, fe_select(same, get(SLOT_P), fe_zero()), q);
            store(target, X, x);
            hand = fe_sub_lazy(fe_select(step == STEP_X, x, q), fe_select(step == STEP_X, q, x));
            break;
        }
        case STEP_Y:
        case STEP_Y + 2:
            store(target, Y, fe_sub(d, get(SLOT_S1)));
            if (same) { // infinity in the place of the other
                if (other != MSM_KEY_NONE)
                    store_infinity(other);
                return;
            }
            target = other;
            break;
        default: // STEP_S1, STEP_U1, STEP_PPP, STEP_Q, STEP_T
            put(step == STEP_PPP                    ? SLOT_P
                : step == STEP_U1 || step == STEP_Q ? SLOT_U1
                                                    : SLOT_S1,
                d);
            break;
        }
    }
}

void main()
{
    const uint thread = grid_index() / FE_LANES, window_buckets = 1u << push.log2_buckets;
    const uint additions = MSM_REDUCE_STEP_ADDITIONS(push.step);
    const uint window = thread / (push.quads * additions), rest = thread % (push.quads * additions);
    if (window >= push.windows)
        return;
    const uint number = rest / push.quads, job = rest % push.quads; // the addition's, of the job
    const uint count = window_buckets >> (scale * push.pass + scale), index = job % count;
    addition a;
    if (!find_addition(job / count, index, index + 1 == count, number, push.step, a))
        return;
    const uint first =
        push.buckets + window * window_buckets - 1; // element k of level 0 is first + k
    left_point = first + a.left;
    right_point = first + a.right;
    sum_point = first + a.sum;
    difference_point = a.difference ? left_point : MSM_KEY_NONE;
    add_points();
    if (a.negative)
        negate(right_point);
}
