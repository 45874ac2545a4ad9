/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that root_template.h declares; include it there first, then here with the same FE
 * and FE_PARAMS. */
#include <assert.h>

#include "paste.h"
#include "words.h"

#define FE_(name) PAIL_PASTE(FE, name)
#define FE_LIMBS  PAIL_PASTE(FE_PARAMS, LIMBS)

void FE_(halve)(FE *r, const FE *a)
{
    /* An odd a gets the modulus, which is odd too and leaves the top bit free. x R halves to x/2 R.
     */
    const uint64_t odd = (uint64_t)0 - (a->l[0] & 1);
    FE even;
    uint64_t carry = 0;
    for (size_t i = 0; i < FE_LIMBS; i++)
        even.l[i] = pail_add_carry(a->l[i], FE_(modulus).l[i] & odd, &carry);
    for (size_t i = 0; i < FE_LIMBS; i++)
        r->l[i] = even.l[i] >> 1 | (i + 1 < FE_LIMBS ? even.l[i + 1] << 63 : 0);
}

bool FE_(is_largest)(const FE *a)
{
    uint64_t plain[FE_LIMBS], opposite[FE_LIMBS];
    FE negative;
    FE_(neg)(&negative, a);
    FE_(to_integer)(plain, a);
    FE_(to_integer)(opposite, &negative);
    for (size_t i = FE_LIMBS; i-- > 0;)
        if (plain[i] != opposite[i])
            return plain[i] > opposite[i];
    return false;
}

/* a^((p + 1) / 4): its square is a^((p + 1) / 2), which is a times 1 or, if a is no square, -1. */
bool FE_(sqrt)(FE *r, const FE *a)
{
    /* -1/p mod 2^64 is 1 mod 4 where p is 3 mod 4. */
    static_assert((PAIL_PASTE(FE_PARAMS, N0) & 3) == 1, "the modulus is not 3 mod 4");
    uint64_t exponent[FE_LIMBS], carry = 1; /* (p + 1) / 4 is p / 4, rounded down, plus 1 */
    for (size_t i = 0; i < FE_LIMBS; i++) {
        const uint64_t above = i + 1 < FE_LIMBS ? FE_(modulus).l[i + 1] << 62 : 0;
        exponent[i] = pail_add_carry(FE_(modulus).l[i] >> 2 | above, 0, &carry);
    }
    FE power = FE_(one), square;
    for (size_t bit = 64 * FE_LIMBS; bit-- > 0;) {
        FE_(sqr)(&power, &power);
        if (exponent[bit / 64] >> (bit % 64) & 1)
            FE_(mul)(&power, &power, a);
    }
    FE_(sqr)(&square, &power);
    const bool is_root = FE_(equal)(&square, a);
    *r = is_root ? power : (FE){{0}};
    return is_root;
}

#undef FE_
#undef FE_LIMBS
