/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field, written once for all of them. Include it with
 *
 *   FE         prefix of the type and of its functions, for example pail_bn254_fp
 *   FE_PARAMS  prefix of its constants in params_<curve>.h, for example PAIL_BN254_FP
 *
 * and field_template_impl.h in one source file with the same two. No include guard: each inclusion
 * is another field.
 *
 * An element is FE_LIMBS 64-bit limbs, least significant first, always fully reduced, and holds x R
 * mod p for the value x (Montgomery form, R = 2^(64 FE_LIMBS)). Since it is reduced, equal values
 * have equal limbs. Outputs may be the same object as inputs. Time depends on the data.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paste.h"
#include "words.h"

#define FE_(name) PAIL_PASTE(FE, name)
#define FE_LIMBS  PAIL_PASTE(FE_PARAMS, LIMBS)

typedef struct FE {
    uint64_t l[FE_LIMBS];
} FE;

static const FE FE_(modulus) = {PAIL_PASTE(FE_PARAMS, MODULUS)};
static const FE FE_(one) = {PAIL_PASTE(FE_PARAMS, ONE)};

/* r = a b / R. a must be reduced; b may be any integer below R. */
void FE_(mul)(FE *r, const FE *a, const FE *b);
void FE_(sqr)(FE *r, const FE *a);

/* r = 1 / a; 0 for 0. */
void FE_(inv)(FE *r, const FE *a);

/* Replaces every element by its inverse, zeros by zero, with one inversion and three
 * multiplications for each element. scratch: [n]. */
void FE_(batch_inv)(FE *elements, FE *scratch, size_t n);

/* Between Montgomery form and the integer itself. from_integer takes any integer below R. */
void FE_(from_integer)(FE *r, const uint64_t integer[FE_LIMBS]);
void FE_(to_integer)(uint64_t integer[FE_LIMBS], const FE *a);

/* 8 FE_LIMBS bytes, little-endian, of x or (montgomery) of x R. Returns false, and stores zero, if
 * the bytes are not below the modulus. */
bool FE_(from_bytes)(FE *r, const uint8_t *bytes, bool montgomery);
void FE_(to_bytes)(uint8_t *bytes, const FE *a, bool montgomery);

static inline bool FE_(is_zero)(const FE *a)
{
    uint64_t any = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        any |= a->l[i];
    return any == 0;
}

static inline bool FE_(equal)(const FE *a, const FE *b)
{
    uint64_t differ = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        differ |= a->l[i] ^ b->l[i];
    return differ == 0;
}

/* r = a - modulus if that is not negative, else a. */
static inline void FE_(reduce_once)(FE *r, const FE *a)
{
    FE less;
    uint64_t borrow = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        less.l[i] = pail_sub_borrow(a->l[i], FE_(modulus).l[i], &borrow);
    const uint64_t keep = (uint64_t)0 - borrow;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        r->l[i] = (a->l[i] & keep) | (less.l[i] & ~keep);
}

/* r = a b / R, limb by limb of b, with the reduction interleaved (Montgomery); less than 2 modulus,
 * but not reduced, for a reduced and b below R. The same for a and b below 2 modulus, where 4
 * modulus is below R: in the base fields, as loose_coordinate.h asserts. The accumulated value is
 * below a + modulus between two limbs, which needs no limb of its own for the carry then, and a b
 * is no more than R modulus. */
static inline void FE_(mul_loose)(FE *r, const FE *a, const FE *b)
{
    FE t = {{0}};
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++) {
        pail_uint128 product = (pail_uint128)a->l[0] * b->l[i] + t.l[0];
        const uint64_t m = (uint64_t)product * PAIL_PASTE(FE_PARAMS, N0);
        /* low limb becomes 0 */
        pail_uint128 reduced = (pail_uint128)m * FE_(modulus).l[0] + (uint64_t)product;
        PAIL_UNROLL
        for (size_t j = 1; j < FE_LIMBS; j++) {
            product = (pail_uint128)a->l[j] * b->l[i] + t.l[j] + (uint64_t)(product >> 64);
            reduced =
                (pail_uint128)m * FE_(modulus).l[j] + (uint64_t)product + (uint64_t)(reduced >> 64);
            t.l[j - 1] = (uint64_t)reduced;
        }
        t.l[FE_LIMBS - 1] = (uint64_t)(reduced >> 64) + (uint64_t)(product >> 64);
    }
    *r = t;
}

static inline void FE_(add)(FE *r, const FE *a, const FE *b)
{
    FE sum; /* below 2 modulus, which leaves the top bit of the top limb free: no carry out */
    uint64_t carry = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        sum.l[i] = pail_add_carry(a->l[i], b->l[i], &carry);
    FE_(reduce_once)(r, &sum);
}

static inline void FE_(sub)(FE *r, const FE *a, const FE *b)
{
    FE difference;
    uint64_t borrow = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        difference.l[i] = pail_sub_borrow(a->l[i], b->l[i], &borrow);
    const uint64_t below_zero = (uint64_t)0 - borrow;
    uint64_t carry = 0;
    PAIL_UNROLL
    for (size_t i = 0; i < FE_LIMBS; i++)
        r->l[i] = pail_add_carry(difference.l[i], FE_(modulus).l[i] & below_zero, &carry);
}

static inline void FE_(neg)(FE *r, const FE *a)
{
    const FE zero = {{0}};
    FE_(sub)(r, &zero, a);
}

#undef FE_
#undef FE_LIMBS
