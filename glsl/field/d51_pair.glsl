// Products of integers in doubles, cut into a high and a low part that are exact.
//
// A product of two integers, |a b| <= 2^103, is cut into a multiple of 2^52 and a rest without
// looking at it: with C = 1.5 2^104, fma(a, b, C) rounds to a multiple of 2^52 because that is what
// the last place of a double between 2^104 and 2^105 is worth; and fma(a, b, C + 1.5 2^52 - that)
// is the rest, exactly, above 1.5 2^52, where the last place is worth one. Both are counted in last
// places, so that their bit patterns add up as 64-bit integers in the columns of the product, whose
// first values take off what the patterns have too much. C + 1.5 2^52 is no double: it is made as a
// product inside a fused multiply-add. The idea of adding patterns: Niall Emmart, "Faster modular
// exponentiation using double precision floating point arithmetic on the GPU", ARITH 2018.
//
// Where the driver does not fuse (the host finds out), EMULATE_FMA takes the same two parts from
// integer arithmetic.
#ifndef FIELD_D51_PAIR_GLSL
#define FIELD_D51_PAIR_GLSL

layout(constant_id = PAIL_SPEC_EMULATE_FMA) const bool EMULATE_FMA = false;

#define D51_MASK    0xffffffffffffful
#define D51_HALF    0x8000000000000ul    // 2^51
#define D51_HIGH    0x4678000000000000ul // the pattern of 1.5 2^104
#define D51_LOW     0x4338000000000000ul // the pattern of 1.5 2^52
#define D51_INTEGER 0x4330000000000000ul // the pattern of 2^52, whose last 52 bits are free
#define D51_C       30423614405477505635920876929024.0lf // 1.5 2^104
#define D51_C_LEFT  6755399441055744.0lf                 // 1.5 2^52

// 2^52 + 1; times D51_C_LEFT it is C + 1.5 2^52. No constant: a compiler that multiplies constants
// (NVIDIA's does, inside a fused multiply-add too) rounds that product.
double d51_right = uint64BitsToDouble(0x4330000000000001ul | uint64_t(gl_NumWorkGroups.z >> 24));

// Everything that computes with doubles is `precise`: a driver that adds constants together first
// rounds what must not be rounded.

// Adds the pattern of the low part to `low`, that of the high part to `high`.
void d51_pair(inout uint64_t low, inout uint64_t high, double a, double b)
{
    if (EMULATE_FMA) {
        const int64_t half_mask = 0x3ffffffl;
        const int64_t x = int64_t(a), y = int64_t(b);
        const int64_t x_high = x >> 26, x_low = x & half_mask;
        const int64_t y_high = y >> 26, y_low = y & half_mask;
        const int64_t middle = x_high * y_low + x_low * y_high;
        const int64_t rest = ((middle & half_mask) << 26) + x_low * y_low;
        const int64_t up = (rest + int64_t(D51_HALF)) >> 52;
        low += uint64_t(rest - (up << 52)) + D51_LOW;
        high += uint64_t(x_high * y_high + (middle >> 26) + up) + D51_HIGH;
    } else {
        precise const double rounded = fma(a, b, D51_C);
        precise const double less = fma(D51_C_LEFT, d51_right, -rounded);
        precise const double rest = fma(a, b, less);
        low += doubleBitsToUint64(rest);
        high += doubleBitsToUint64(rounded);
    }
}

// A digit from the low 52 bits of u, which count 2^51 too much.
double d51_digit(uint64_t u)
{
    precise const double digit = uint64BitsToDouble((u & D51_MASK) | D51_INTEGER) - D51_C_LEFT;
    return digit;
}

#endif
