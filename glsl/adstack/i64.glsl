/* SPDX-License-Identifier: Apache-2.0 */
// Signed 64-bit integers: the device's own (PAIL_FORM_I64), or pairs of words, the low one first
// (PAIL_FORM_I32). Two's complement, and everything is a function: the operators mean something
// else for pairs.
#ifdef PAIL_FORM_I64
#define I64 int64_t

I64 i64(uint low, uint high)
{
    return int64_t(uint64_t(high) << 32 | uint64_t(low));
}

uvec2 i64_words(I64 a)
{
    return uvec2(uint(a), uint(uint64_t(a) >> 32));
}

I64 i64_add(I64 a, I64 b)
{
    return a + b;
}

I64 i64_sub(I64 a, I64 b)
{
    return a - b;
}

// The low 64 bits of the product.
I64 i64_mul(I64 a, I64 b)
{
    return a * b;
}

bool i64_less(I64 a, I64 b)
{
    return a < b;
}

bool i64_less_unsigned(I64 a, I64 b)
{
    return uint64_t(a) < uint64_t(b);
}

bool i64_equal(I64 a, I64 b)
{
    return a == b;
}

bool i64_negative(I64 a)
{
    return a < 0;
}

// Divides unsigned numbers; b is not 0.
I64 i64_divide_unsigned(I64 a, I64 b, out I64 rest)
{
    const uint64_t quotient = uint64_t(a) / uint64_t(b);
    rest = int64_t(uint64_t(a) - quotient * uint64_t(b));
    return int64_t(quotient);
}

#else
#define I64 uvec2

I64 i64(uint low, uint high)
{
    return uvec2(low, high);
}

uvec2 i64_words(I64 a)
{
    return a;
}

I64 i64_add(I64 a, I64 b)
{
    uint carry;
    const uint low = uaddCarry(a.x, b.x, carry);
    return uvec2(low, a.y + b.y + carry);
}

I64 i64_sub(I64 a, I64 b)
{
    uint borrow;
    const uint low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

I64 i64_mul(I64 a, I64 b)
{
    uint high, low;
    umulExtended(a.x, b.x, high, low);
    return uvec2(low, high + a.x * b.y + a.y * b.x);
}

bool i64_less_unsigned(I64 a, I64 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

bool i64_less(I64 a, I64 b)
{
    return int(a.y) < int(b.y) || (a.y == b.y && a.x < b.x);
}

bool i64_equal(I64 a, I64 b)
{
    return a.x == b.x && a.y == b.y;
}

bool i64_negative(I64 a)
{
    return int(a.y) < 0;
}

// Bit by bit. b is at most 2^63, so the rest never loses its top bit in the shift.
I64 i64_divide_unsigned(I64 a, I64 b, out I64 rest)
{
    uvec2 r = uvec2(0);
    for (uint i = 0; i < 64; i++) {
        r = uvec2(r.x << 1 | a.y >> 31, r.y << 1 | r.x >> 31);
        a = uvec2(a.x << 1, a.y << 1 | a.x >> 31);
        if (!i64_less_unsigned(r, b)) {
            r = i64_sub(r, b);
            a.x |= 1;
        }
    }
    rest = r;
    return a;
}
#endif

I64 i64_from(uint a)
{
    return i64(a, 0);
}

I64 i64_from_signed(int a)
{
    return i64(uint(a), a < 0 ? 0xffffffffu : 0);
}

I64 i64_zero()
{
    return i64(0, 0);
}

I64 i64_negate(I64 a)
{
    return i64_sub(i64_zero(), a);
}

// The absolute value, as an unsigned number: 2^63 for -2^63.
I64 i64_magnitude(I64 a)
{
    return i64_negative(a) ? i64_negate(a) : a;
}

I64 i64_max(I64 a, I64 b)
{
    return i64_less(a, b) ? b : a;
}

// 0 or -1: what stands above the number when it has more bits.
I64 i64_sign(I64 a)
{
    const uint sign = i64_negative(a) ? 0xffffffffu : 0;
    return i64(sign, sign);
}

bool i64_is_lowest(I64 a)
{
    return i64_equal(a, i64(0, 0x80000000u));
}

// The rough size of a, which is not negative.
float i64_float(I64 a)
{
    const uvec2 words = i64_words(a);
    return float(words.y) * 4294967296.0 + float(words.x);
}

I64 i64_add_checked(I64 a, I64 b, out bool overflow)
{
    const I64 sum = i64_add(a, b);
    overflow = i64_negative(a) == i64_negative(b) && i64_negative(sum) != i64_negative(a);
    return sum;
}

I64 i64_sub_checked(I64 a, I64 b, out bool overflow)
{
    const I64 difference = i64_sub(a, b);
    overflow = i64_negative(a) != i64_negative(b) && i64_negative(difference) != i64_negative(a);
    return difference;
}

I64 i64_mul_checked(I64 a, I64 b, out bool overflow)
{
    const uvec2 x = i64_words(i64_magnitude(a)), y = i64_words(i64_magnitude(b));
    const bool negative = i64_negative(a) != i64_negative(b);
    // The product of the high words has no place; so one of them is 0, and that number is `small`.
    const uint small = x.y == 0 ? x.x : y.x;
    const uvec2 large = x.y == 0 ? y : x;
    uint low, middle, high, above, carry;
    umulExtended(small, large.x, middle, low);
    umulExtended(small, large.y, above, high);
    high = uaddCarry(high, middle, carry);
    const bool fits = high < 0x80000000u || (negative && high == 0x80000000u && low == 0);
    overflow = (x.y != 0 && y.y != 0) || above != 0 || carry != 0 || !fits;
    const I64 product = i64(low, high);
    return negative ? i64_negate(product) : product;
}

// The quotient towards minus infinity; the rest has the sign of b, which is not 0. -2^63 / -1
// wraps.
I64 i64_floor_divide(I64 a, I64 b, out I64 rest)
{
    const bool differ = i64_negative(a) != i64_negative(b);
    const I64 size = i64_magnitude(b);
    I64 r;
    I64 quotient = i64_divide_unsigned(i64_magnitude(a), size, r);
    const bool exact = i64_equal(r, i64_zero());
    if (differ) {
        quotient = i64_negate(exact ? quotient : i64_add(quotient, i64_from(1)));
        r = exact ? r : i64_sub(size, r);
    }
    rest = i64_negative(b) ? i64_negate(r) : r;
    return quotient;
}
