/* SPDX-License-Identifier: Apache-2.0 */
// Products of integers in doubles, cut into a high and a low part that are exact.
//
// A product of two integers, |a b| <= 2^102, is cut into a multiple of 2^51 and a rest without
// looking at it: with C = 1.5 2^103, fma(a, b, C) rounds to a multiple of 2^51 because that is what
// the last place of a double between 2^103 and 2^104 is worth; and fma(a, b, C + 1.5 2^52 - that)
// is the rest, exactly, above 1.5 2^52, where the last place is worth one. Both are counted in last
// places, so that their bit patterns add up as 64-bit integers in the columns of the product, whose
// first values take off what the patterns have too much. C + 1.5 2^52 is a double because the rest
// has a bit to spare: with multiples of 2^52 it would take a product to make it, for a third of the
// time. The idea of adding patterns: Niall Emmart, "Faster modular exponentiation using double
// precision floating point arithmetic on the GPU", ARITH 2018.
//
// Where the driver does not fuse (the host finds out), EMULATE_FMA takes the same two parts from
// integer arithmetic.
#ifndef FIELD_D51_PAIR_GLSL
#define FIELD_D51_PAIR_GLSL

layout(constant_id = PAIL_SPEC_EMULATE_FMA) const bool EMULATE_FMA = false;

#define D51_BITS    51
#define D51_MASK    0x7fffffffffffful
#define D51_HALF    0x4000000000000ul    // 2^50
#define D51_HIGH    0x4668000000000000ul // the pattern of 1.5 2^103
#define D51_LOW     0x4338000000000000ul // the pattern of 1.5 2^52
#define D51_INTEGER 0x4330000000000000ul // the pattern of 2^52, whose last 52 bits are free
#define D51_C       15211807202738752817960438464512.0lf // 1.5 2^103
#define D51_C_LEFT  6755399441055744.0lf                 // 1.5 2^52
#define D51_C_BOTH  15211807202738759573359879520256.0lf // their sum
#define D51_C_DIGIT 5629499534213120.0lf                 // 2^52 + 2^50

// Everything here that computes with doubles is `precise`: a driver that adds constants together
// first rounds what must not be rounded.

// The patterns of the low and the high part.
void d51_pair(out uint64_t low, out uint64_t high, double a, double b)
{
    if (EMULATE_FMA) {
        const int64_t half_mask = 0x3ffffffl;
        const int64_t x = int64_t(a), y = int64_t(b);
        const int64_t x_high = x >> 26, x_low = x & half_mask;
        const int64_t y_high = y >> 26, y_low = y & half_mask;
        const int64_t middle = x_high * y_low + x_low * y_high;
        const int64_t rest = ((middle & half_mask >> 1) << 26) + x_low * y_low;
        const int64_t up = (rest + int64_t(D51_HALF) - 1) >> D51_BITS;
        low = uint64_t(rest - (up << D51_BITS)) + D51_LOW;
        high = uint64_t(2 * x_high * y_high + (middle >> 25) + up) + D51_HIGH;
    } else {
        precise const double rounded = fma(a, b, D51_C);
        precise const double less = D51_C_BOTH - rounded;
        precise const double rest = fma(a, b, less);
        low = doubleBitsToUint64(rest);
        high = doubleBitsToUint64(rounded);
    }
}

// The pattern of the high part alone.
uint64_t d51_high(double a, double b)
{
    uint64_t low, high;
    if (EMULATE_FMA) {
        d51_pair(low, high, a, b);
    } else {
        precise const double rounded = fma(a, b, D51_C);
        high = doubleBitsToUint64(rounded);
    }
    return high;
}

// A digit from the low bits of u, which count 2^50 too much.
double d51_digit(uint64_t u)
{
    precise const double digit = uint64BitsToDouble((u & D51_MASK) | D51_INTEGER) - D51_C_DIGIT;
    return digit;
}

#endif
