/* SPDX-License-Identifier: Apache-2.0 */
// The base field in doubles: balanced digits of radix 2^51, integers of at most 50 bits and a sign,
// multiplied by fused multiply-adds. Montgomery form, R = 2^(51 FP51_LIMBS).
//
// Products of digits (d51_pair.glsl) ask for |a b| <= 2^102: digits of both operands up to 2^51, or
// those of one up to twice that. Every function but fe_sub_lazy returns digits of at most 2^50 but
// for the top one, which takes the rest of the value; a magnitude m means |value| <= m p. A product
// of magnitudes x and y has xy/K + 0.51 with K = R/p, 2^27 for BLS12-381, and 2.6 for BN254. So
// BN254 has no room for values that grow: there FP51_FITS is 1, and sums and differences come back
// to half of p at once (fp_fit). tools/magnitudes.py follows the magnitudes.
#ifndef FIELD_FP_D51_GLSL
#define FIELD_FP_D51_GLSL

#include "params.glsl"

#define FP_ONE             FP51_ONE
#define FP_G1_B            FP51_G1_B
#define FP_G2_B            FP51_G2_B
#define FP_G1_IMAGE        FP51_G1_IMAGE
#define FP_G2_IMAGE        FP51_G2_IMAGE
#define FP_G1_CHECK_X      FP51_G1_CHECK_X
#define FP_G1_CHECK_Y      FP51_G1_CHECK_Y
#define FP_G2_CHECK_X      FP51_G2_CHECK_X
#define FP_G2_CHECK_Y      FP51_G2_CHECK_Y
#define FP_FROM_CANONICAL  FP51_FROM_CANONICAL
#define FP_FROM_MONTGOMERY FP51_FROM_MONTGOMERY
#define FP_FROM_FORM_1     FP51_FROM_FORM_1
#define FP_FROM_FORM_2     FP51_FROM_FORM_2
#define FP_FROM_FORM_3     FP51_FROM_FORM_3

#include "d51_pair.glsl"

#define D51_PER_RADIX  4.440892098500626e-16lf // 2^-51
#define D51_VALUE_MOST 32                      // magnitudes up to here can be compared

const double fp_modulus[FP51_LIMBS] = FP51_P;
const int64_t fp_modulus_integer[FP51_LIMBS] = FP51_P_INTEGER;

// The multiple that reduces products: the one of p and -p that is 3 modulo 4.
#ifdef FP51_REDUCER
const double fp_reducer[FP51_LIMBS] = FP51_REDUCER;
#else
#define fp_reducer fp_modulus
#endif

#define FP_DIGITS FP51_LIMBS
#define FP_DIGIT  double

struct fp {
    double v[FP51_LIMBS];
};

// A digit as an integer.
uint64_t fp_pattern(double a)
{
    precise const double shifted = a + D51_C_LEFT;
    return doubleBitsToUint64(shifted) - D51_LOW;
}

// The number of pairs of digits in column k of a product.
uint fp_pairs(uint k)
{
    return k < FP51_LIMBS ? k + 1 : 2 * FP51_LIMBS - 1 - k;
}

// Column k before anything is added: minus the patterns' excess, and half a digit for what rounds
// it.
uint64_t fp_column_begin(uint k, uint products)
{
    uint lows = 0, highs = 0;
    if (k + 1 < 2 * FP51_LIMBS) {
        lows = products * fp_pairs(k);
        lows += k < FP51_LIMBS ? k : fp_pairs(k); // m p, less the pair that ends a low column
    }
    if (k != 0)
        highs = (products + 1) * fp_pairs(k - 1);
    const uint64_t more = k + 1 == 2 * FP51_LIMBS ? D51_LOW : D51_HALF;
    return more - uint64_t(lows) * D51_LOW - uint64_t(highs) * D51_HIGH;
}

// (a b + c d) / R, with c d only where there are two products. Montgomery reduction takes a digit m
// of each low column so that adding m p makes it 0 modulo 2^51. The low part of m p[0] is then
// known without being formed: it is what rounds the column to the nearest multiple. Where there are
// two, it is the greater, because p is 3 modulo 4: then the high part's rounding to even leaves
// 2^50. Where p is not, -p is, and is what is added.
//
// By rows or by columns, by measurement on an H200 (docs/performance.md): with rows accumulations
// take 7 to 9 % less time, but 8 % more where a kernel has no registers left.
#if FP51_LIMBS > 5 && PAIL_GROUP == 2 && !defined(PAIL_PAIRS)
#include "d51_columns.glsl"
#else
#include "d51_rows.glsl"
#endif

// Montgomery product.
fp fe_mul(fp a, fp b)
{
    return fp_product(1, a, b, a, b);
}

// Pairs off the diagonal formed once made code that drivers run more slowly (docs/performance.md).
fp fe_sqr(fp a)
{
    return fe_mul(a, a);
}

// a b + c d, reduced once. Digits of a and c may be up to 2^51.
fp fp_dot(fp a, fp b, fp c, fp d)
{
    return fp_product(2, a, b, c, d);
}

// Brings digits of up to 2^52 back to 2^50.
fp fp_carry(fp a)
{
    [[unroll]] for (uint i = 0; i + 1 < FP51_LIMBS; i++) {
        precise const double shifted = a.v[i] + D51_C;
        precise const double carry = shifted - D51_C;
        precise const double rest = a.v[i] - carry;
        precise const double next = fma(carry, D51_PER_RADIX, a.v[i + 1]);
        a.v[i] = rest;
        a.v[i + 1] = next;
    }
    return a;
}

// The quotient by p, to the nearest integer, from the top two digits.
double fp_quotient(fp a)
{
    double top = a.v[FP51_LIMBS - 1];
#if FP51_LIMBS > 1
    precise const double sum = fma(a.v[FP51_LIMBS - 2], D51_PER_RADIX, top);
    top = sum;
#endif
    precise const double shifted = fma(top, FP51_TOP_PER_P, D51_C_LEFT);
    precise const double quotient = shifted - D51_C_LEFT;
    return quotient;
}

// Digits of up to 2^52 brought back to 2^50, and where products ask for it the value to p / 2.
fp fp_fit(fp a)
{
#if FP51_FITS
    const double quotient = fp_quotient(a);
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double less = fma(-quotient, fp_modulus[i], a.v[i]);
        a.v[i] = less;
    }
#endif
    return fp_carry(a);
}

fp fe_add(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double sum = a.v[i] + b.v[i];
        a.v[i] = sum;
    }
    return fp_fit(a);
}

// A difference as one factor of a product: its digits are up to 2^51.
fp fe_sub_lazy(fp a, fp b)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double difference = a.v[i] - b.v[i];
        a.v[i] = difference;
    }
    return a;
}

fp fe_sub(fp a, fp b)
{
    return fp_fit(fe_sub_lazy(a, b));
}

// a - b - 2 c, whose digits are up to 2^52 before they are brought back.
fp fe_less(fp a, fp b, fp c)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        precise const double difference = a.v[i] - b.v[i];
        precise const double less = fma(-2.0lf, c.v[i], difference);
        a.v[i] = less;
    }
    return fp_fit(a);
}

fp fe_sub_wide(fp a, fp b)
{
    return fe_sub(a, b);
}

fp fe_neg(fp a)
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++)
        a.v[i] = -a.v[i];
    return a;
}

fp fp_neg_any(fp a)
{
    return fe_neg(a);
}

// a b - c d, reduced once. Digits of a may be up to 2^51.
fp fe_dot_less(fp a, fp b, fp c, fp d)
{
    return fp_dot(a, b, fp_neg_any(c), d);
}

// The digits of packed words, in the low 51 bits; of the top one, all there are up to 64. All at
// once: with a function for one digit an H200's driver (580.159.04) made a msm/bases/convert that
// found every point off its curve.
void fp_digits(uint words[FP_WORDS], out uint64_t digits[FP51_LIMBS])
{
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        const uint word = (D51_BITS * i) >> 5, shift = (D51_BITS * i) & 31;
        uint64_t digit = 0;
        if (word < FP_WORDS)
            digit = uint64_t(words[min(word, FP_WORDS - 1)]) >> shift;
        if (word + 1 < FP_WORDS)
            digit |= uint64_t(words[min(word + 1, FP_WORDS - 1)]) << (32 - shift);
        const bool third = shift > 64 - D51_BITS || i + 1 == FP51_LIMBS && shift != 0;
        if (word + 2 < FP_WORDS && third)
            digit |= uint64_t(words[min(word + 2, FP_WORDS - 1)]) << (64 - shift);
        digits[i] = digit;
    }
}

// Words below p. Other words give some element, but not theirs.
fp fe_unpack(uint words[FP_WORDS])
{
    fp r;
    uint64_t digits[FP51_LIMBS];
    fp_digits(words, digits);
    uint64_t carry = D51_HALF;
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        const uint64_t u = (digits[i] & D51_MASK) + carry;
        r.v[i] = d51_digit(u);
        carry = (u >> D51_BITS) + D51_HALF;
    }
    return r;
}

// Unpacks a result of fe_pack_loose. The bits of the top digit, and of the sign above it, end where
// the words do.
fp fe_unpack_loose(uint words[FP_WORDS])
{
    const uint top = FP51_LIMBS - 1, bits = 32 * FP_WORDS - D51_BITS * top;
    fp r;
    uint64_t digits[FP51_LIMBS];
    fp_digits(words, digits);
    uint64_t carry = 0;
    [[unroll]] for (uint i = 0; i < top; i++) {
        const uint64_t u = (digits[i] & D51_MASK) + carry + D51_HALF;
        r.v[i] = d51_digit(u);
        carry = u >> D51_BITS;
    }
    const uint above = bits < 64 ? 64 - bits : 0;
    const uint64_t rest = uint64_t(int64_t(digits[top] << above) >> above);
    precise const double last = uint64BitsToDouble(rest + carry + D51_LOW) - D51_C_LEFT;
    r.v[top] = last;
    return r;
}

// The value modulo p, in digits from 0 to 2^51.
void fp_canonical(fp a, out int64_t digits[FP51_LIMBS])
{
    // The quotient by p from the top two digits: at most the true one, and less only where the
    // rest is within 2^-18 of it, so that it is below 2 p.
    double top = a.v[FP51_LIMBS - 1];
#if FP51_LIMBS > 1
    top += a.v[FP51_LIMBS - 2] * D51_PER_RADIX;
#endif
    precise const double estimate =
        fma(top, FP51_TOP_PER_P, -0.5lf - 3.814697265625e-06lf); // 2^-18
    const int64_t quotient = int64_t(fp_pattern(estimate));      // rounded down
    int64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        carry += int64_t(fp_pattern(a.v[i])) - quotient * fp_modulus_integer[i];
        digits[i] = i + 1 < FP51_LIMBS ? carry & int64_t(D51_MASK) : carry;
        carry >>= D51_BITS;
    }
    int64_t less[FP51_LIMBS];
    int64_t borrow = 0;
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        const int64_t d = digits[i] - fp_modulus_integer[i] + borrow;
        less[i] = d & int64_t(D51_MASK);
        borrow = d >> D51_BITS;
    }
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++)
        digits[i] = borrow < 0 ? digits[i] : less[i];
}

// Digits as packed words; the top one, of either sign, fills what is left.
void fp_words(int64_t digits[FP51_LIMBS], out uint words[FP_WORDS])
{
    [[unroll]] for (uint w = 0; w < FP_WORDS; w++) {
        const uint digit = (32 * w) / D51_BITS, shift = (32 * w) % D51_BITS;
        int64_t word = digits[min(digit, FP51_LIMBS - 1)] >> (digit < FP51_LIMBS ? shift : 63);
        if (digit + 1 < FP51_LIMBS && shift + 32 > D51_BITS)
            word |= digits[min(digit + 1, FP51_LIMBS - 1)] << (D51_BITS - shift);
        words[w] = uint(word);
    }
}

// Fully reduced, in packed words.
void fe_pack(fp a, out uint words[FP_WORDS])
{
    int64_t digits[FP51_LIMBS];
    fp_canonical(a, digits);
    fp_words(digits, words);
}

// The value as it is, as a two's complement: of magnitudes up to 2^(32 FP_WORDS - 1) / p, which is
// 2.6 for BN254 and 4.9 for BLS12-381.
void fe_pack_loose(fp a, out uint words[FP_WORDS])
{
    int64_t digits[FP51_LIMBS];
    int64_t carry = 0;
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++) {
        carry += int64_t(fp_pattern(a.v[i]));
        digits[i] = i + 1 < FP51_LIMBS ? carry & int64_t(D51_MASK) : carry;
        carry >>= D51_BITS;
    }
    fp_words(digits, words);
}

// False for nearly all values that are no multiple of p, from the lowest digit alone. A multiple k
// p has k as the product of its lowest digit with 1/p modulo 2^51, so all but one in 2^45 values
// are told apart by one product.
bool fe_may_be_zero(fp a)
{
    const uint64_t k = fp_pattern(a.v[0]) * FP51_N0 + D51_VALUE_MOST & D51_MASK;
    return k <= 2 * D51_VALUE_MOST;
}

// True if the value is a multiple of p.
bool fe_is_zero(fp a)
{
    if (!fe_may_be_zero(a))
        return false;
    int64_t digits[FP51_LIMBS];
    fp_canonical(a, digits);
    int64_t any = 0;
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++)
        any |= digits[i];
    return any == 0;
}

fp fe_select(bool take_b, fp a, fp b)
{
    fp r;
    [[unroll]] for (uint i = 0; i < FP51_LIMBS; i++)
        r.v[i] = take_b ? b.v[i] : a.v[i];
    return r;
}

#endif
