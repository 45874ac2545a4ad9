/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Measures the step that products of a field form consist of, which decides on the form:
// PROBE_RATE_STEPS of them in each of `rounds` rounds, in chains that do not wait for each other.
// In form d51 a thread also says whether its products were exact, that is, whether multiply-adds of
// doubles are fused. Bit 0 of a result: exact; the others only keep the work.
#include "../lib/prelude.glsl"
#include "../shared/msm_layout.h"

layout(local_size_x = PROBE_WORKGROUP) in;

layout(push_constant) uniform Push { probe_rate_push push; };
layout(binding = 0, std430) writeonly buffer Results { uint results[]; };

#ifdef PAIL_FORM_D51
#include "../field/d51_pair.glsl"

// The parts of a product add up to it, modulo 2^64, and the low one is not too large.
bool is_exact(int64_t a, int64_t b)
{
    uint64_t low, high;
    d51_pair(low, high, double(a), double(b));
    const int64_t rest = int64_t(low - D51_LOW);
    return ((high - D51_HIGH) << D51_BITS) + uint64_t(rest) == uint64_t(a) * uint64_t(b) &&
           abs(rest) <= int64_t(D51_HALF);
}

uint work(uint seed)
{
    const int64_t a = int64_t(D51_HALF) - 3 * int64_t(seed) - 1;
    const int64_t b = int64_t(0x5a5a5a5a5a5a5l) + 0x1234567l * int64_t(seed);
    const bool exact = is_exact(a, b) && is_exact(-a, b) && is_exact(a, a);
    double factor[PROBE_RATE_STEPS];
    uint64_t low[PROBE_RATE_STEPS], high[PROBE_RATE_STEPS];
    [[unroll]] for (uint i = 0; i < PROBE_RATE_STEPS; i++) {
        factor[i] = double(seed + i);
        low[i] = high[i] = 0;
    }
    const double by = double(b);
    for (uint round = 0; round < push.rounds; round++) {
        [[unroll]] for (uint i = 0; i < PROBE_RATE_STEPS; i++) {
            uint64_t low_part, high_part;
            d51_pair(low_part, high_part, factor[i], by);
            low[i] += low_part;
            high[i] += high_part;
            factor[i] += 1.0lf;
        }
    }
    uint64_t sum = 0;
    [[unroll]] for (uint i = 0; i < PROBE_RATE_STEPS; i++)
        sum += low[i] ^ high[i];
    return uint(sum) << 1 | (exact ? 1 : 0);
}
#else
uint work(uint seed)
{
#ifdef PAIL_FORM_X29
    uint64_t sums[PROBE_RATE_STEPS];
#else
    uint sums[PROBE_RATE_STEPS];
#endif
    [[unroll]] for (uint i = 0; i < PROBE_RATE_STEPS; i++)
        sums[i] = seed + i;
    for (uint round = 0; round < push.rounds; round++) {
        [[unroll]] for (uint i = 0; i < PROBE_RATE_STEPS; i++) {
#ifdef PAIL_FORM_X29
            sums[i] += uint64_t(uint(sums[i])) * uint64_t(seed);
#else
            uint high, low;
            umulExtended(sums[i], seed, high, low);
            sums[i] += high ^ low;
#endif
        }
    }
    uint sum = 0;
    [[unroll]] for (uint i = 0; i < PROBE_RATE_STEPS; i++)
        sum += uint(sums[i]);
    return sum << 1 | 1;
}
#endif

void main()
{
    results[gl_GlobalInvocationID.x] = work(gl_GlobalInvocationID.x);
}
