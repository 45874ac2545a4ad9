/* SPDX-License-Identifier: Apache-2.0 */
#include "scalar.h"

#include <string.h>

pail_u256 pail_scalar_radix(const struct pail_curve_ops *ops, enum pail_field_form form)
{
    static const uint32_t bits[PAIL_FORM_COUNT] = {
        [PAIL_FORM_X32] = 256, [PAIL_FORM_X29] = 261, [PAIL_FORM_D51] = 255};
    pail_u256 r = pail_scalar_of(1);
    for (uint32_t i = 0; i < bits[form]; i++)
        ops->scalar_add(&r, &r, &r);
    return r;
}

/* a - r, as two's complement, where that is nearer to 0. */
static pail_u256 nearest(const struct pail_curve_ops *ops, const pail_u256 *a)
{
    pail_u256 negated;
    ops->scalar_neg(&negated, a);
    if (!pail_scalar_less(&negated, a))
        return *a;
    pail_u256 r;
    uint64_t carry = 1;
    for (uint32_t i = 0; i < 4; i++) {
        r.l[i] = ~negated.l[i] + carry;
        carry = carry && r.l[i] == 0;
    }
    return r;
}

uint64_t pail_scalar_table_bytes(enum pail_field_form form)
{
    return form == PAIL_FORM_X32 ? 32 : 48;
}

void pail_scalar_limbs(uint32_t limbs[12], const pail_u256 *x)
{
    enum { BITS = 29, LIMBS = 9 };
    for (uint32_t i = 0; i < LIMBS; i++) {
        const uint32_t word = BITS * i / 64, shift = BITS * i % 64;
        uint64_t bits = x->l[word] >> shift;
        if (shift > 64 - BITS && word + 1 < 4)
            bits |= x->l[word + 1] << (64 - shift);
        limbs[i] = (uint32_t)bits & ((UINT32_C(1) << BITS) - 1);
    }
    memset(limbs + LIMBS, 0, (12 - LIMBS) * sizeof(*limbs));
}

void pail_scalar_digits(const struct pail_curve_ops *ops, double digits[6], const pail_u256 *x)
{
    enum { BITS = 51, DIGITS = 5 };
    const int64_t half = INT64_C(1) << (BITS - 1);
    const pail_u256 value = nearest(ops, x);
    int64_t carry = 0;
    for (uint32_t i = 0; i < DIGITS; i++) {
        const uint32_t limb = BITS * i / 64, shift = BITS * i % 64;
        uint64_t bits = value.l[limb] >> shift;
        if (shift > 64 - BITS && limb + 1 < 4)
            bits |= value.l[limb + 1] << (64 - shift);
        if (i + 1 == DIGITS) { /* the rest, with its sign */
            digits[i] = (double)((int64_t)value.l[3] >> (BITS * i - 192)) + (double)carry;
            break;
        }
        int64_t digit = (int64_t)(bits & ((UINT64_C(1) << BITS) - 1)) + carry;
        carry = digit >= half;
        digit -= carry << BITS;
        digits[i] = (double)digit;
    }
    digits[DIGITS] = 0;
}

void pail_scalar_powers(const struct pail_curve_ops *ops, enum pail_field_form form, uint8_t *out,
                        uint64_t n, const pail_u256 *first, const pail_u256 *base)
{
    pail_u256 power = pail_scalar_radix(ops, form);
    ops->scalar_mul(&power, &power, first);
    for (uint64_t i = 0; i < n; i++) {
        if (form == PAIL_FORM_D51) {
            double digits[6];
            pail_scalar_digits(ops, digits, &power);
            memcpy(out + sizeof(digits) * i, digits, sizeof(digits));
        } else if (form == PAIL_FORM_X29) {
            uint32_t limbs[12];
            pail_scalar_limbs(limbs, &power);
            memcpy(out + sizeof(limbs) * i, limbs, sizeof(limbs));
        } else {
            pail_u256_to_bytes(out + 32 * i, &power);
        }
        ops->scalar_mul(&power, &power, base);
    }
}
