/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that field_template.h declares; include it there first, then here with the same FE
 * and FE_PARAMS. */
#include <string.h>

#include "divsteps.h"
#include "little_endian.h"
#include "paste.h"
#include "words.h"

#define FE_(name) PAIL_PASTE(FE, name)
#define FE_LIMBS  PAIL_PASTE(FE_PARAMS, LIMBS)
#define FE_N0     PAIL_PASTE(FE_PARAMS, N0)

void FE_(mul)(FE *r, const FE *a, const FE *b)
{
    FE loose;
    FE_(mul_loose)(&loose, a, b);
    FE_(reduce_once)(r, &loose);
}

void FE_(sqr)(FE *r, const FE *a)
{
    FE_(mul)(r, a, a);
}

void FE_(from_integer)(FE *r, const uint64_t integer[FE_LIMBS])
{
    static const FE radix_squared = {PAIL_PASTE(FE_PARAMS, R2)};
    FE any;
    memcpy(any.l, integer, sizeof any.l);
    FE_(mul)(r, &radix_squared, &any);
}

void FE_(to_integer)(uint64_t integer[FE_LIMBS], const FE *a)
{
    const FE one = {{1}};
    FE plain;
    FE_(mul)(&plain, &one, a);
    memcpy(integer, plain.l, sizeof plain.l);
}

bool FE_(from_bytes)(FE *r, const uint8_t *bytes, bool montgomery)
{
    FE value, reduced;
    for (size_t i = 0; i < FE_LIMBS; i++)
        value.l[i] = pail_read_u64(bytes + 8 * i);
    FE_(reduce_once)(&reduced, &value);
    if (!FE_(equal)(&reduced, &value)) {
        *r = (FE){{0}};
        return false;
    }
    if (montgomery)
        *r = value;
    else
        FE_(from_integer)(r, value.l);
    return true;
}

void FE_(to_bytes)(uint8_t *bytes, const FE *a, bool montgomery)
{
    FE value = *a;
    if (!montgomery)
        FE_(to_integer)(value.l, a);
    for (size_t i = 0; i < FE_LIMBS; i++)
        pail_store_u64(bytes + 8 * i, value.l[i]);
}

/* ---- Inversion, after divsteps.h: f and g start as modulus and a, and while the matrices drive
 * (f, g) to (+-1, 0) they also drive (d, e) from (0, 1) to (+-1/a, ...) modulo the modulus. The
 * numbers are signed: limbs of 62 bits, the top one with the sign. */
#define WIDE       FE_(wide)
#define WIDE_LIMBS ((64 * FE_LIMBS + 2 + 61) / 62)
#define LOW62      (UINT64_MAX >> 2)

typedef struct WIDE {
    int64_t l[WIDE_LIMBS];
} WIDE;

static void FE_(widen)(WIDE *r, const FE *a)
{
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        const size_t bit = 62 * i, limb = bit / 64, shift = bit % 64;
        uint64_t part = limb < FE_LIMBS ? a->l[limb] >> shift : 0;
        if (shift > 2 && limb + 1 < FE_LIMBS)
            part |= a->l[limb + 1] << (64 - shift);
        r->l[i] = (int64_t)(part & LOW62);
    }
}

static void FE_(narrow)(FE *r, const WIDE *a) /* a is in [0, modulus) */
{
    *r = (FE){{0}};
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        const size_t bit = 62 * i, limb = bit / 64, shift = bit % 64;
        if (limb < FE_LIMBS)
            r->l[limb] |= (uint64_t)a->l[i] << shift;
        if (shift > 2 && limb + 1 < FE_LIMBS)
            r->l[limb + 1] |= (uint64_t)a->l[i] >> (64 - shift);
    }
}

/* r = sign a + multiple modulus, carried so that all limbs but the top one are in [0, 2^62). */
static void FE_(wide_fix)(WIDE *r, int64_t sign, int64_t multiple, const WIDE *modulus)
{
    int64_t carry = 0;
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        carry += sign * r->l[i] + multiple * modulus->l[i];
        r->l[i] = i + 1 < WIDE_LIMBS ? (int64_t)((uint64_t)carry & LOW62) : carry;
        carry >>= 62;
    }
}

/* (f, g) = matrix (f, g) / 2^62, exact. */
static void FE_(update_fg)(WIDE *f, WIDE *g, const struct pail_divsteps_matrix *t)
{
    pail_int128 sum_f = 0, sum_g = 0;
    for (size_t i = 0; i < WIDE_LIMBS; i++) {
        sum_f += (pail_int128)t->u * f->l[i] + (pail_int128)t->v * g->l[i];
        sum_g += (pail_int128)t->q * f->l[i] + (pail_int128)t->r * g->l[i];
        if (i > 0) {
            f->l[i - 1] = (int64_t)((uint64_t)sum_f & LOW62);
            g->l[i - 1] = (int64_t)((uint64_t)sum_g & LOW62);
        }
        sum_f >>= 62;
        sum_g >>= 62;
    }
    f->l[WIDE_LIMBS - 1] = (int64_t)sum_f;
    g->l[WIDE_LIMBS - 1] = (int64_t)sum_g;
}

/* (d, e) = matrix (d, e) / 2^62 modulo the modulus. They stay in (-2 modulus, modulus): a negative
 * input is lifted by one modulus, a row of the matrix then gives less than 2^62 modulus in size,
 * and the multiple of the modulus that makes the division exact takes off less than that once more.
 */
static void FE_(update_de)(WIDE *d, WIDE *e, const struct pail_divsteps_matrix *t,
                           const WIDE *modulus)
{
    const uint64_t inverse = (uint64_t)0 - FE_N0; /* 1 / modulus mod 2^64 */
    const bool d_negative = d->l[WIDE_LIMBS - 1] < 0, e_negative = e->l[WIDE_LIMBS - 1] < 0;
    int64_t add_d = (d_negative ? t->u : 0) + (e_negative ? t->v : 0);
    int64_t add_e = (d_negative ? t->q : 0) + (e_negative ? t->r : 0);
    pail_int128 sum_d = (pail_int128)t->u * d->l[0] + (pail_int128)t->v * e->l[0];
    pail_int128 sum_e = (pail_int128)t->q * d->l[0] + (pail_int128)t->r * e->l[0];
    add_d -= (int64_t)((inverse * (uint64_t)sum_d + (uint64_t)add_d) & LOW62);
    add_e -= (int64_t)((inverse * (uint64_t)sum_e + (uint64_t)add_e) & LOW62);
    sum_d += (pail_int128)modulus->l[0] * add_d;
    sum_e += (pail_int128)modulus->l[0] * add_e;
    for (size_t i = 1; i < WIDE_LIMBS; i++) {
        sum_d = (sum_d >> 62) + (pail_int128)t->u * d->l[i] + (pail_int128)t->v * e->l[i] +
                (pail_int128)modulus->l[i] * add_d;
        sum_e = (sum_e >> 62) + (pail_int128)t->q * d->l[i] + (pail_int128)t->r * e->l[i] +
                (pail_int128)modulus->l[i] * add_e;
        d->l[i - 1] = (int64_t)((uint64_t)sum_d & LOW62);
        e->l[i - 1] = (int64_t)((uint64_t)sum_e & LOW62);
    }
    d->l[WIDE_LIMBS - 1] = (int64_t)(sum_d >> 62);
    e->l[WIDE_LIMBS - 1] = (int64_t)(sum_e >> 62);
}

void FE_(inv)(FE *r, const FE *a)
{
    static const FE radix_cubed = {PAIL_PASTE(FE_PARAMS, R3)};
    WIDE modulus, f, g, d = {{0}}, e = {{1}};
    FE_(widen)(&modulus, &FE_(modulus));
    FE_(widen)(&g, a);
    f = modulus;
    int64_t delta = 1;
    for (;;) {
        int64_t any = 0;
        for (size_t i = 0; i < WIDE_LIMBS; i++)
            any |= g.l[i];
        if (any == 0)
            break;
        struct pail_divsteps_matrix matrix;
        /* Two limbs make the 64 low bits; 62 would do. */
        delta = pail_divsteps(&matrix, delta, (uint64_t)f.l[0] | (uint64_t)f.l[1] << 62,
                              (uint64_t)g.l[0] | (uint64_t)g.l[1] << 62);
        FE_(update_de)(&d, &e, &matrix, &modulus);
        FE_(update_fg)(&f, &g, &matrix);
    }
    /* f is 1 or -1 (or the modulus, when a and so d is 0). */
    if (d.l[WIDE_LIMBS - 1] < 0)
        FE_(wide_fix)(&d, 1, 1, &modulus);
    if (f.l[WIDE_LIMBS - 1] < 0)
        FE_(wide_fix)(&d, -1, 0, &modulus);
    if (d.l[WIDE_LIMBS - 1] < 0)
        FE_(wide_fix)(&d, 1, 1, &modulus);
    FE inverse; /* of x R, that is 1/(x R) */
    FE_(narrow)(&inverse, &d);
    FE_(mul)(r, &inverse, &radix_cubed);
}

#undef WIDE
#undef WIDE_LIMBS
#undef LOW62
#undef FE_
#undef FE_LIMBS
#undef FE_N0

#include "batch_inverse.h"
