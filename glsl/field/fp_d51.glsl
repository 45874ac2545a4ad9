// The base field in doubles: balanced digits of radix 2^52, integers of at most 51 bits and a sign,
// multiplied by fused multiply-adds. Montgomery form, R = 2^(52 FP52_LIMBS).
//
// Products of digits (d51_pair.glsl) ask for |a b| <= 2^103: digits of both operands up to 2^51, or
// those of one up to twice that. Every function but fe_sub_lazy returns digits of at most 2^51; the
// value, of either sign, is what grows: a magnitude m means |value| <= m p. A product of magnitudes
// x and y has xy/K + 0.51 with K = R/p, 84 for BN254, 2^35 for BLS12-381. Values stay below 32 p,
// which tools/gen_curves.py checks.
#ifndef FIELD_FP_D51_GLSL
#define FIELD_FP_D51_GLSL

#include "params.glsl"

#define FP_ONE             FP52_ONE
#define FP_G1_B            FP52_G1_B
#define FP_G2_B            FP52_G2_B
#define FP_G1_CHECK_X      FP52_G1_CHECK_X
#define FP_G1_CHECK_Y      FP52_G1_CHECK_Y
#define FP_G2_CHECK_X      FP52_G2_CHECK_X
#define FP_G2_CHECK_Y      FP52_G2_CHECK_Y
#define FP_FROM_CANONICAL  FP52_FROM_CANONICAL
#define FP_FROM_MONTGOMERY FP52_FROM_MONTGOMERY
#define FP_FROM_FORM_1     FP52_FROM_FORM_1
#define FP_FROM_FORM_2     FP52_FROM_FORM_2
#define FP_FROM_FORM_3     FP52_FROM_FORM_3

#include "d51_pair.glsl"

#define D51_COLUMNS    (2 * FP52_LIMBS)
#define D51_PER_RADIX  2.220446049250313e-16lf // 2^-52
#define D51_VALUE_MOST 32                      // magnitudes up to here can be packed and compared

const double fp_modulus[FP52_LIMBS] = FP52_P;
const int64_t fp_modulus_integer[FP52_LIMBS] = FP52_P_INTEGER;

struct fp {
    double v[FP52_LIMBS];
};

// Columns of a product, and how often each got a low and a high part: known when unrolled.
struct fp_columns {
    uint64_t t[D51_COLUMNS];
};

// Adds a b to columns k and k + 1.
void fp_pair(inout fp_columns c, uint k, double a, double b)
{
    d51_pair(c.t[k], c.t[k + 1], a, b);
}

// The columns before anything is added: minus the patterns' excess, for `rows` products of all
// digits (a row for each product that is summed, one more for the reduction; in a square only the
// pairs on and above the diagonal). Columns from FP52_LIMBS on begin with what fp_digits adds.
fp_columns fp_columns_begin(uint rows, bool square)
{
    fp_columns c;
    [[unroll]] for (uint k = 0; k < D51_COLUMNS; k++) {
        const uint low = k < FP52_LIMBS ? k + 1 : D51_COLUMNS - 1 - k;
        const uint high = k == 0 ? 0 : k <= FP52_LIMBS ? k : D51_COLUMNS - k;
        // Of the k + 1 (or so) pairs i + j = k of a square, those with i <= j.
        const uint low_square = (low + (k + 1) % 2) / 2, high_square = (high + k % 2) / 2;
        const uint n_low = (square ? low_square : low) + (rows - 1) * low;
        const uint n_high = (square ? high_square : high) + (rows - 1) * high;
        uint64_t begin = 0ul - uint64_t(n_low) * D51_LOW - uint64_t(n_high) * D51_HIGH;
        if (k + 1 == D51_COLUMNS)
            begin += D51_LOW;
        else if (k >= FP52_LIMBS)
            begin += D51_HALF;
        c.t[k] = begin;
    }
    return c;
}

// One digit of Montgomery reduction: adds m p so that column i becomes 0 modulo 2^52, and carries.
// Column i still lacks the pattern of its last low part, which modulo 2^52 is 2^51; because
// FP52_N0 is odd that is just what makes the product the digit plus 2^51.
void fp_reduce_column(inout fp_columns c, uint i)
{
    const double m = d51_digit(c.t[i] * FP52_N0);
    [[unroll]] for (uint j = 0; j < FP52_LIMBS; j++)
        fp_pair(c, i + j, m, fp_modulus[j]);
    c.t[i + 1] += uint64_t(int64_t(c.t[i]) >> 52);
}

// What is left above the reduced columns.
fp fp_digits(fp_columns c)
{
    fp r;
    [[unroll]] for (uint i = 0; i + 1 < FP52_LIMBS; i++) {
        const uint64_t u = c.t[FP52_LIMBS + i];
        r.v[i] = d51_digit(u);
        c.t[FP52_LIMBS + i + 1] += uint64_t(int64_t(u) >> 52);
    }
    precise const double top = uint64BitsToDouble(c.t[D51_COLUMNS - 1]) - D51_C_LEFT;
    r.v[FP52_LIMBS - 1] = top;
    return r;
}

// The digits of a as an integer pattern each, less its bias: for columns.
uint64_t fp_pattern(double a)
{
    precise const double shifted = a + D51_C_LEFT;
    return doubleBitsToUint64(shifted) - D51_LOW;
}

void fp_multiply_rows(inout fp_columns c, fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        [[unroll]] for (uint j = 0; j < FP52_LIMBS; j++)
            fp_pair(c, i + j, a.v[i], b.v[j]);
        fp_reduce_column(c, i);
    }
}

fp_columns fp_product(fp a, fp b)
{
    fp_columns c = fp_columns_begin(2, false);
    fp_multiply_rows(c, a, b);
    return c;
}

// Pairs off the diagonal are formed once, with one factor doubled.
fp_columns fp_square(fp a)
{
    fp_columns c = fp_columns_begin(2, true);
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        precise const double twice = a.v[i] + a.v[i];
        [[unroll]] for (uint j = 0; j < FP52_LIMBS; j++) {
            if (j >= i)
                fp_pair(c, i + j, j == i ? a.v[i] : twice, a.v[j]);
        }
        // Column i has all its pairs: those with two indices up to i.
        fp_reduce_column(c, i);
    }
    return c;
}

// Montgomery product.
fp fe_mul(fp a, fp b)
{
    return fp_digits(fp_product(a, b));
}

fp fe_sqr(fp a)
{
    return fp_digits(fp_square(a));
}

// a^2 - b - 2 c
fp fe_sqr_less(fp a, fp b, fp c)
{
    fp_columns t = fp_square(a);
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++)
        t.t[FP52_LIMBS + i] -= fp_pattern(b.v[i]) + (fp_pattern(c.v[i]) << 1);
    return fp_digits(t);
}

// a b + c d, reduced once. Digits of a may be up to 2^52.
fp fp_dot(fp a, fp b, fp c, fp d)
{
    fp_columns t = fp_columns_begin(3, false);
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        [[unroll]] for (uint j = 0; j < FP52_LIMBS; j++) {
            fp_pair(t, i + j, a.v[i], b.v[j]);
            fp_pair(t, i + j, c.v[i], d.v[j]);
        }
        fp_reduce_column(t, i);
    }
    return fp_digits(t);
}

// Brings digits of up to 2^53 back to 2^51.
fp fp_carry(fp a)
{
    [[unroll]] for (uint i = 0; i + 1 < FP52_LIMBS; i++) {
        precise const double shifted = a.v[i] + D51_C;
        precise const double carry = shifted - D51_C;
        precise const double rest = a.v[i] - carry;
        precise const double next = fma(carry, D51_PER_RADIX, a.v[i + 1]);
        a.v[i] = rest;
        a.v[i + 1] = next;
    }
    return a;
}

fp fe_add(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        precise const double sum = a.v[i] + b.v[i];
        a.v[i] = sum;
    }
    return fp_carry(a);
}

// A difference as one factor of a product: its digits are up to 2^52.
fp fe_sub_lazy(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        precise const double difference = a.v[i] - b.v[i];
        a.v[i] = difference;
    }
    return a;
}

fp fe_sub(fp a, fp b)
{
    return fp_carry(fe_sub_lazy(a, b));
}

fp fe_sub_wide(fp a, fp b)
{
    return fe_sub(a, b);
}

fp fp_neg_any(fp a)
{
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++)
        a.v[i] = -a.v[i];
    return a;
}

// a b - c d, reduced once. Digits of a may be up to 2^52.
fp fe_dot_less(fp a, fp b, fp c, fp d)
{
    return fp_dot(a, b, fp_neg_any(c), d);
}

// Words below p, or any 32 FP_WORDS bits.
fp fe_unpack(uint words[FP_WORDS])
{
    fp r;
    uint64_t carry = D51_HALF;
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        const uint word = (52 * i) >> 5, shift = (52 * i) & 31;
        uint64_t digit = 0;
        if (word < FP_WORDS)
            digit = uint64_t(words[min(word, FP_WORDS - 1)]) >> shift;
        if (word + 1 < FP_WORDS)
            digit |= uint64_t(words[min(word + 1, FP_WORDS - 1)]) << (32 - shift);
        if (word + 2 < FP_WORDS && shift > 12)
            digit |= uint64_t(words[min(word + 2, FP_WORDS - 1)]) << (64 - shift);
        const uint64_t u = (digit & D51_MASK) + carry;
        // The top digit takes what is left: less than 2^51 where p has room, which is always so.
        r.v[i] = d51_digit(u);
        carry = (u >> 52) + D51_HALF;
    }
    return r;
}

// The value modulo p, in digits from 0 to 2^52.
void fp_canonical(fp a, out int64_t digits[FP52_LIMBS])
{
    // The quotient by p from the top two digits: at most the true one, and less only where the
    // rest is within 2^-18 of it, so that it is below 2 p.
    double top = a.v[FP52_LIMBS - 1];
#if FP52_LIMBS > 1
    top += a.v[FP52_LIMBS - 2] * D51_PER_RADIX;
#endif
    precise const double estimate =
        fma(top, FP52_TOP_PER_P, -0.5lf - 3.814697265625e-06lf); // 2^-18
    const int64_t quotient = int64_t(fp_pattern(estimate));      // rounded down
    int64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        carry += int64_t(fp_pattern(a.v[i])) - quotient * fp_modulus_integer[i];
        digits[i] = i + 1 < FP52_LIMBS ? carry & int64_t(D51_MASK) : carry;
        carry >>= 52;
    }
    int64_t less[FP52_LIMBS];
    int64_t borrow = 0;
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++) {
        const int64_t d = digits[i] - fp_modulus_integer[i] + borrow;
        less[i] = d & int64_t(D51_MASK);
        borrow = d >> 52;
    }
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++)
        digits[i] = borrow < 0 ? digits[i] : less[i];
}

// Fully reduced, in packed words.
void fe_pack(fp a, out uint words[FP_WORDS])
{
    int64_t digits[FP52_LIMBS];
    fp_canonical(a, digits);
    [[unroll]] for (uint w = 0; w < FP_WORDS; w++) {
        const uint digit = (32 * w) / 52, shift = (32 * w) % 52;
        uint64_t word = 0;
        if (digit < FP52_LIMBS)
            word = uint64_t(digits[min(digit, FP52_LIMBS - 1)]) >> shift;
        if (digit + 1 < FP52_LIMBS && shift > 20)
            word |= uint64_t(digits[min(digit + 1, FP52_LIMBS - 1)]) << (52 - shift);
        words[w] = uint(word);
    }
}

// False for nearly all values that are no multiple of p, from the lowest digit alone. A multiple k
// p has k as the product of its lowest digit with 1/p modulo 2^52, so all but one in 2^46 values
// are told apart by one product.
bool fe_may_be_zero(fp a)
{
    const uint64_t k = fp_pattern(a.v[0]) * FP52_N0 + D51_VALUE_MOST & D51_MASK;
    return k <= 2 * D51_VALUE_MOST;
}

// Whether the value is a multiple of p.
bool fe_is_zero(fp a)
{
    if (!fe_may_be_zero(a))
        return false;
    int64_t digits[FP52_LIMBS];
    fp_canonical(a, digits);
    int64_t any = 0;
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++)
        any |= digits[i];
    return any == 0;
}

fp fe_select(bool take_b, fp a, fp b)
{
    fp r;
    [[unroll]] for (uint i = 0; i < FP52_LIMBS; i++)
        r.v[i] = take_b ? b.v[i] : a.v[i];
    return r;
}

#endif
