/* SPDX-License-Identifier: Apache-2.0 */
// 1/a by division steps: Daniel J. Bernstein and Bo-Yin Yang, "Fast constant-time gcd computation
// and modular inversion", 2019, in the variant that starts with delta = 1/2. A step takes
// (delta, f, g), f odd, to
//     (1 - delta, g, (g - f) / 2)             if delta > 0 and g is odd,
//     (1 + delta, f, (g + (g mod 2) f) / 2)   otherwise,
// and g reaches 0, f the greatest common divisor or its negative, after at most 590 steps on 256
// bits and (45907 b + 30179) / 19929 on b (Pieter Wuille, "Bounds on divsteps iterations in
// safegcd"): 586 for BN254, 879 for BLS12-381. The mean is 2.02 b.
//
// Limbs of 29 bits, signed, the top one takes what is left. 29 steps depend on the lowest limbs
// alone and multiply (f, g) by a matrix / 2^29. In forms with 64-bit integers every loop inside a
// round is unrolled: drivers run loops over indexed registers badly. Form x32 leaves that to the
// driver, since SwiftShader takes many minutes to compile so much straight code.
#ifndef FIELD_FP_INV_GLSL
#define FIELD_FP_INV_GLSL

#define INV_STEPS  29
#define INV_MASK   0x1fffffff
#define INV_ROUNDS ((45907 * FP_BITS + 30179) / 19929 / INV_STEPS + 1)

const uint inv_modulus[FP29_LIMBS] = FP29_P;

// Sums of products of 32-bit integers: 64 bits, signed.
#ifndef PAIL_FORM_X32

#define INV_UNROLL [[unroll]]
#define wide       int64_t

wide wide_zero()
{
    return 0;
}

wide wide_add_product(wide s, int a, int b)
{
    return s + int64_t(a) * int64_t(b);
}

int wide_low(wide s)
{
    return int(s) & INV_MASK;
}

wide wide_shift(wide s)
{
    return s >> INV_STEPS;
}

int wide_int(wide s)
{
    return int(s);
}

#else

#define INV_UNROLL

struct wide {
    uint low;
    int high;
};

wide wide_zero()
{
    return wide(0, 0);
}

wide wide_add_product(wide s, int a, int b)
{
    int high, low;
    uint carry;
    imulExtended(a, b, high, low);
    const uint sum = uaddCarry(s.low, uint(low), carry);
    return wide(sum, s.high + high + int(carry));
}

int wide_low(wide s)
{
    return int(s.low & uint(INV_MASK));
}

wide wide_shift(wide s)
{
    return wide(s.low >> INV_STEPS | uint(s.high) << (32 - INV_STEPS), s.high >> INV_STEPS);
}

int wide_int(wide s)
{
    return int(s.low);
}

#endif

// 2^29 (f', g') = (u f + v g, q f + r g); |u| + |v| and |q| + |r| are at most 2^29.
struct inv_matrix {
    int u, v, q, r;
};

void inv_step(inout inv_matrix m, inout int delta, inout int f, inout int g)
{
    const bool odd = (g & 1) != 0, turn = odd && delta >= 0;
    const int negate = turn ? -1 : 0, add = odd ? -1 : 0;
    g += ((f ^ negate) - negate) & add;
    m.q += ((m.u ^ negate) - negate) & add;
    m.r += ((m.v ^ negate) - negate) & add;
    f += g & negate; // f + (g - f) = g
    m.u += m.q & negate;
    m.v += m.r & negate;
    delta = turn ? -delta : delta + 1;
    g >>= 1;
    m.u <<= 1;
    m.v <<= 1;
}

// Takes 29 steps from the lowest limbs of f and g. `delta` is less by one half than the delta
// above. Two loops, because Mesa does not unroll one of so many steps, and llvmpipe ends all loops
// of an invocation after 65535 iterations together.
inv_matrix inv_steps(inout int delta, int f, int g)
{
    inv_matrix m = inv_matrix(1, 0, 0, 1);
    INV_UNROLL for (uint i = 0; i < 5; i++)
    {
        INV_UNROLL for (uint k = 0; k < 6; k++)
        {
            if (6 * i + k < INV_STEPS)
                inv_step(m, delta, f, g);
        }
    }
    return m;
}

// (f, g) times the matrix, which makes both divisible by 2^29, over 2^29.
void inv_apply(inv_matrix m, inout int f[FP29_LIMBS], inout int g[FP29_LIMBS])
{
    wide a = wide_zero(), b = wide_zero();
    INV_UNROLL for (uint i = 0; i < FP29_LIMBS; i++)
    {
        a = wide_add_product(wide_add_product(a, m.u, f[i]), m.v, g[i]);
        b = wide_add_product(wide_add_product(b, m.q, f[i]), m.r, g[i]);
        if (i > 0) {
            f[i - 1] = wide_low(a);
            g[i - 1] = wide_low(b);
        }
        a = wide_shift(a);
        b = wide_shift(b);
    }
    f[FP29_LIMBS - 1] = wide_int(a);
    g[FP29_LIMBS - 1] = wide_int(b);
}

// Same, modulo p: a multiple of p makes both divisible. Both stay above -2p and below p: a negative
// one counts as itself plus p, and the multiple that is taken off is below 2^29 p.
void inv_apply_modulo(inv_matrix m, inout int d[FP29_LIMBS], inout int e[FP29_LIMBS])
{
    const int d_negative = d[FP29_LIMBS - 1] >> 31, e_negative = e[FP29_LIMBS - 1] >> 31;
    int p_d = (m.u & d_negative) + (m.v & e_negative);
    int p_e = (m.q & d_negative) + (m.r & e_negative);
    p_d -= (p_d - int(FP29_N0) * (m.u * d[0] + m.v * e[0])) & INV_MASK;
    p_e -= (p_e - int(FP29_N0) * (m.q * d[0] + m.r * e[0])) & INV_MASK;
    wide a = wide_zero(), b = wide_zero();
    INV_UNROLL for (uint i = 0; i < FP29_LIMBS; i++)
    {
        const int p = int(inv_modulus[i]);
        a = wide_add_product(wide_add_product(a, m.u, d[i]), m.v, e[i]);
        b = wide_add_product(wide_add_product(b, m.q, d[i]), m.r, e[i]);
        a = wide_add_product(a, p_d, p);
        b = wide_add_product(b, p_e, p);
        if (i > 0) {
            d[i - 1] = wide_low(a);
            e[i - 1] = wide_low(b);
        }
        a = wide_shift(a);
        b = wide_shift(b);
    }
    d[FP29_LIMBS - 1] = wide_int(a);
    e[FP29_LIMBS - 1] = wide_int(b);
}

// a, or -a; plus p if that is negative. From between -p and p to between 0 and p.
void inv_settle(bool negate, inout int a[FP29_LIMBS])
{
    INV_UNROLL for (uint pass = 0; pass < 2; pass++)
    {
        const int add_p = a[FP29_LIMBS - 1] >> 31, sign = negate && pass == 0 ? -1 : 0;
        int carry = 0;
        INV_UNROLL for (uint i = 0; i < FP29_LIMBS; i++)
        {
            const int p = int(inv_modulus[i]) & add_p;
            const int s = ((a[i] + p) ^ sign) - sign + carry;
            a[i] = i + 1 < FP29_LIMBS ? s & INV_MASK : s;
            carry = s >> INV_STEPS;
        }
    }
}

void inv_split(uint words[FP_WORDS], out int limbs[FP29_LIMBS])
{
    INV_UNROLL for (uint i = 0; i < FP29_LIMBS; i++)
    {
        const uint word = (29 * i) >> 5, shift = (29 * i) & 31;
        uint limb = word < FP_WORDS ? words[min(word, FP_WORDS - 1)] >> shift : 0;
        if (shift > 3 && word + 1 < FP_WORDS)
            limb |= words[min(word + 1, FP_WORDS - 1)] << (32 - shift);
        limbs[i] = int(limb & uint(INV_MASK));
    }
}

void inv_join(int limbs[FP29_LIMBS], out uint words[FP_WORDS])
{
    INV_UNROLL for (uint w = 0; w < FP_WORDS; w++)
    {
        const uint limb = (32 * w) / 29, shift = (32 * w) % 29;
        uint word = limb < FP29_LIMBS ? uint(limbs[min(limb, FP29_LIMBS - 1)]) >> shift : 0;
        if (limb + 1 < FP29_LIMBS)
            word |= uint(limbs[min(limb + 1, FP29_LIMBS - 1)]) << (29 - shift);
        if (limb + 2 < FP29_LIMBS && shift > 26)
            word |= uint(limbs[min(limb + 2, FP29_LIMBS - 1)]) << (58 - shift);
        words[w] = word;
    }
}

// 1/a in the form's Montgomery representation, and 0 for 0. Takes any magnitude that fe_pack
// takes; the result is fully reduced.
fp fe_inv(fp a)
{
    // With x = a R for g, and e beginning at R^2, d ends as R^2 / x = R / a, or its negative.
    int f[FP29_LIMBS], g[FP29_LIMBS], d[FP29_LIMBS], e[FP29_LIMBS];
    uint words[FP_WORDS];
    const uint r_squared[FP_WORDS] = FP_FROM_CANONICAL;
    fe_pack(a, words);
    inv_split(words, g);
    inv_split(r_squared, e);
    INV_UNROLL for (uint i = 0; i < FP29_LIMBS; i++)
    {
        f[i] = int(inv_modulus[i]);
        d[i] = 0;
    }
    int delta = 0;
    for (uint round = 0; round < INV_ROUNDS; round++) {
        const inv_matrix m = inv_steps(delta, f[0], g[0]);
        inv_apply_modulo(m, d, e);
        inv_apply(m, f, g);
        int any = 0;
        INV_UNROLL for (uint i = 0; i < FP29_LIMBS; i++) any |= g[i];
        if (any == 0)
            break;
    }
    inv_settle(f[FP29_LIMBS - 1] < 0, d);
    inv_join(d, words);
    return fe_unpack(words);
}

#endif
