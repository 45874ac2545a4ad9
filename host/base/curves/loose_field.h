/* SPDX-License-Identifier: Apache-2.0 */
/* Common part of the fields of adx_field.h and plain_field.h: numbers that are not reduced, and
 * products before their reduction. They include it, with AF, AF_WORDS, BASE and BASE_PARAMS as
 * there. No include guard: each inclusion is another field. Outputs may be the same object as
 * inputs.
 */
#include <stdint.h>

#include "paste.h"
#include "words.h"

#define AF_(name) PAIL_PASTE(AF, name)
#define WIDE      AF_(wide)

/* A product before its reduction. */
typedef struct WIDE {
    uint64_t l[2 * AF_WORDS];
} WIDE;

static const uint64_t AF_(p)[AF_WORDS] = PAIL_PASTE(BASE_PARAMS, MODULUS);

/* r = a + b, a - b + p: below 2 p if both are reduced. */
static inline void AF_(add_loose)(BASE *r, const BASE *a, const BASE *b)
{
    uint64_t carry = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        r->l[i] = pail_add_carry(a->l[i], b->l[i], &carry);
}

static inline void AF_(sub_loose)(BASE *r, const BASE *a, const BASE *b)
{
    BASE difference;
    uint64_t carry = 0, borrow = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        difference.l[i] = pail_sub_borrow(a->l[i], b->l[i], &borrow);
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        r->l[i] = pail_add_carry(difference.l[i], AF_(p)[i], &carry);
}

/* r = a - b, reduced, of a below 2 p and b up to 2 p. */
static inline void AF_(sub_settled)(BASE *r, const BASE *a, const BASE *b)
{
    BASE difference;
    uint64_t carry = 0, borrow = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        difference.l[i] = pail_sub_borrow(a->l[i], b->l[i], &borrow);
    const uint64_t mask = (uint64_t)0 - borrow;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++) {
        const uint64_t twice = AF_(p)[i] << 1 | (i > 0 ? AF_(p)[i - 1] >> 63 : 0);
        difference.l[i] = pail_add_carry(difference.l[i], twice & mask, &carry);
    }
    PAIL_PASTE(BASE, reduce_once)(r, &difference);
}

/* r = a, or p - a if the mask is all ones and not 0: up to p. */
static inline void AF_(negate_if)(BASE *r, const BASE *a, uint64_t mask)
{
    uint64_t carry = mask & 1;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        r->l[i] = pail_add_carry(a->l[i] ^ mask, AF_(p)[i] & mask, &carry);
}

/* r = a - b; returns the borrow. Compilers unroll no more than 8 steps, hence the halves. */
static inline uint64_t AF_(sub_words)(WIDE *r, const WIDE *a, const WIDE *b)
{
    uint64_t borrow = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        r->l[i] = pail_sub_borrow(a->l[i], b->l[i], &borrow);
    PAIL_UNROLL
    for (size_t i = AF_WORDS; i < 2 * AF_WORDS; i++)
        r->l[i] = pail_sub_borrow(a->l[i], b->l[i], &borrow);
    return borrow;
}

/* r = a - b, or that + R p if it is negative: below R p if a and b are. */
static inline void AF_(sub_wide)(WIDE *r, const WIDE *a, const WIDE *b)
{
    const uint64_t mask = (uint64_t)0 - AF_(sub_words)(r, a, b);
    uint64_t carry = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < AF_WORDS; i++)
        r->l[AF_WORDS + i] = pail_add_carry(r->l[AF_WORDS + i], AF_(p)[i] & mask, &carry);
}

#undef AF_
#undef WIDE
