/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field of host/base/curves in C: what adx_field.h has by BMI2 and ADX, with the same
 * names, bounds and parameters. No include guard: each inclusion is another field.
 */
#include <stdint.h>

#include "loose_field.h"
#include "paste.h"
#include "words.h"

#define AF_(name)   PAIL_PASTE(AF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define WIDE        AF_(wide)

/* r = a b / R. Both are below 2 p, or a is reduced and b below R. */
static inline void AF_(mul)(BASE *r, const BASE *a, const BASE *b)
{
    BASE_(mul)(r, a, b);
}

/* The same, below 2 p. */
static __attribute__((noinline)) void AF_(mul_loose)(BASE *r, const BASE *a, const BASE *b)
{
    BASE_(mul_loose)(r, a, b);
}

/* r = a b, for any words. */
static inline void AF_(mul_wide)(WIDE *r, const BASE *a, const BASE *b)
{
    uint64_t t[2 * AF_WORDS] = {0};
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++) {
        uint64_t carry = 0;
        PAIL_UNROLL
        for (size_t j = 0; j < AF_WORDS; j++) {
            const pail_uint128 sum = (pail_uint128)a->l[j] * b->l[i] + t[i + j] + carry;
            t[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        t[i + AF_WORDS] = carry;
    }
    for (size_t i = 0; i < 2 * AF_WORDS; i++)
        r->l[i] = t[i];
}

/* r = a / R, a below R p: what the lower half is a multiple of R with stays below R p in all, so
 * that no carry leaves a row but into the word above it. */
static inline void AF_(divide)(BASE *r, const WIDE *a)
{
    BASE t;
    uint64_t above = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        t.l[i] = a->l[i];
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++) {
        const uint64_t m = t.l[0] * PAIL_PASTE(BASE_PARAMS, N0);
        pail_uint128 sum = (pail_uint128)m * AF_(p)[0] + t.l[0];
        PAIL_UNROLL
        for (size_t j = 1; j < AF_WORDS; j++) {
            sum = (pail_uint128)m * AF_(p)[j] + t.l[j] + (uint64_t)(sum >> 64);
            t.l[j - 1] = (uint64_t)sum;
        }
        t.l[AF_WORDS - 1] = (uint64_t)(sum >> 64);
    }
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        t.l[i] = pail_add_carry(t.l[i], a->l[AF_WORDS + i], &above);
    BASE_(reduce_once)(r, &t);
}

/* r = a + b, less p if it is not below p: reduced if both are, below 2 p if one is below 2 p. */
static inline void AF_(add)(BASE *r, const BASE *a, const BASE *b)
{
    BASE_(add)(r, a, b);
}

/* r = a - b, reduced if both are; a if b is p. */
static inline void AF_(sub)(BASE *r, const BASE *a, const BASE *b)
{
    BASE_(sub)(r, a, b);
}

#undef AF_
#undef BASE_
#undef WIDE
