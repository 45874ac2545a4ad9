/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Compact points of a first group to points: y is a square root of a = x^3 + b. p is 3 modulo 4, so
// that one is a^((p + 1) / 4) = a^((p - 3) / 4) a, and the exponent (p - 3) / 4 has the bits of p
// from bit 2 on. The power is taken by windows of the exponent. One thread for each point. There is
// none in form d51: an H200's driver (580.159.04) made one that got every point wrong.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_EXPAND_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_expand_push push; };
layout(binding = 0, std430) readonly buffer Compact { uvec4 compact[]; };
layout(binding = 1, std430) buffer Bases { uvec4 bases[]; };

#define BASES_ARE_WRITTEN
#include "coordinates.glsl"

#define STEPS  uint(MSM_EXPAND_STEPS(FP_BITS))
#define POWERS (1u << MSM_EXPAND_BITS)

// Bits 4 k ... 4 k + 3 of (p - 3) / 4.
uint window_of(uint k)
{
    const uint p[FP_WORDS] = FP_P;
    const uint bit = MSM_EXPAND_BITS * k + 2, word = bit >> 5, shift = bit & 31u;
    uint bits = p[word] >> shift;
    if (shift > 32 - MSM_EXPAND_BITS && word + 1 < FP_WORDS)
        bits |= p[word + 1] << (32 - shift);
    return bits & (POWERS - 1);
}

// `power` through steps first ... last - 1 of a^((p - 3) / 4).
fp raise(fp power, fp a, uint first, uint last)
{
    fp powers[POWERS];
    powers[0] = fp_one();
    for (uint i = 1; i < POWERS; i++)
        powers[i] = fe_mul(powers[i - 1], a);
    for (uint step = first; step < last; step++) {
        for (uint i = 0; i < MSM_EXPAND_BITS; i++)
            power = fe_sqr(power);
        power = fe_mul(power, powers[window_of(STEPS - 1 - step)]);
    }
    return power;
}

void main()
{
    const uint point = grid_index();
    if (point >= push.n || push.step >= STEPS)
        return;
    const uint from = (push.first + point) * FP_VECTORS, to = point * AFFINE_VECTORS;
    uvec4 v[FP_VECTORS];
    uint words[FP_WORDS];
    [[unroll]] for (uint i = 0; i < FP_VECTORS; i++)
        v[i] = compact[from + i];
    vectors_to_words(v, words);
    const uint flags = words[FP_WORDS - 1] & (MSM_COMPACT_ODD | MSM_COMPACT_INFINITY);
    words[FP_WORDS - 1] ^= flags;
    fp x = fe_mul(fe_unpack(words), fe_unpack(FP_FROM_CANONICAL));
    const fp one = fp_one();
    // In the form of a product, which the powers take.
    const fp a = fe_mul(fe_add(fe_mul(fe_sqr(x), x), fe_unpack(FE_B)), one);
    fp y = one;
    if (push.step != 0)
        y = load_base(to + FP_VECTORS);
    const uint last = min(push.step + push.steps, STEPS);
    y = raise(y, a, push.step, last);
    if (last == STEPS) {
        y = fe_mul(y, a);
        fe_pack(fe_mul(y, fp_raw_one()), words);
        if ((words[0] & 1u) != flags >> 31)
            y = fe_neg(y);
        // From this form's R to that of d51.
        const fp radix = fe_select(push.doubles != 0, one, fe_unpack(FP51_ONE));
        x = fe_mul(x, radix);
        y = fe_mul(y, radix);
    }
    const bool infinite = (flags & MSM_COMPACT_INFINITY) != 0;
    store_base(to, fe_select(infinite, x, fp_zero()));
    store_base(to + FP_VECTORS, fe_select(infinite, y, fp_zero()));
}
