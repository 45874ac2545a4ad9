/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on 64-bit words: what C lacks of carries and double-width products. */
#ifndef PAIL_CURVES_WORDS_H
#define PAIL_CURVES_WORDS_H

#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

__extension__ typedef unsigned __int128 pail_uint128;
__extension__ typedef __int128 pail_int128;

/* Compilers leave short loops with carries rolled, or half unrolled, which doubles their time. */
#if defined(__clang__)
#define PAIL_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define PAIL_UNROLL _Pragma("GCC unroll 8")
#else
#define PAIL_UNROLL
#endif

/* a + b + *carry and a - b - *borrow; the carry, 0 or 1, goes in and out. On x86-64 by what the
 * processor has for it: gcc does not see that the portable form is the same. */
static inline uint64_t pail_add_carry(uint64_t a, uint64_t b, uint64_t *carry)
{
#if defined(__x86_64__)
    unsigned long long sum;
    *carry = _addcarry_u64((unsigned char)*carry, a, b, &sum);
    return sum;
#else
    const uint64_t part = a + b, sum = part + *carry;
    *carry = (uint64_t)(part < a) | (uint64_t)(sum < part);
    return sum;
#endif
}

static inline uint64_t pail_sub_borrow(uint64_t a, uint64_t b, uint64_t *borrow)
{
#if defined(__x86_64__)
    unsigned long long difference;
    *borrow = _subborrow_u64((unsigned char)*borrow, a, b, &difference);
    return difference;
#else
    const uint64_t part = a - b, difference = part - *borrow;
    *borrow = (uint64_t)(a < b) | (uint64_t)(part < *borrow);
    return difference;
#endif
}

/* Reverses the lowest `bits` bits of i; others are dropped. */
static inline size_t pail_reverse_bits(size_t i, uint32_t bits)
{
    size_t r = 0;
    for (uint32_t k = 0; k < bits; k++, i >>= 1)
        r = r << 1 | (i & 1);
    return r;
}

#endif /* PAIL_CURVES_WORDS_H */
