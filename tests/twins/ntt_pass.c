/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "vector_twins.h"

struct pass {
    const struct ntt_pass_push *push;
    const struct pail_curve_ops *ops;
    uint32_t radix_bits;
    const uint32_t *table;
};

static uint32_t reverse(uint32_t i, uint32_t bits)
{
    uint32_t r = 0;
    for (uint32_t b = 0; b < bits; b++)
        r |= (i >> b & 1) << (bits - 1 - b);
    return r;
}

/* The element modulo r of an integer, or of a two's complement. */
static pail_u256 settled(const struct pail_curve_ops *ops, const uint32_t *words, uint64_t i,
                         bool is_signed)
{
    pail_u256 value = pail_twin_scalar(words, i), r;
    const bool negative = is_signed && value.l[3] >> 63;
    if (negative) {
        uint64_t carry = 1;
        for (uint32_t k = 0; k < 4; k++) {
            value.l[k] = ~value.l[k] + carry;
            carry = carry && value.l[k] == 0;
        }
    }
    ops->scalar_reduce(&r, &value);
    if (negative)
        ops->scalar_neg(&r, &r);
    return r;
}

/* Digits of 51 bits, doubles of either sign, from the top. */
static pail_u256 of_digits(const struct pass *p, uint64_t entry)
{
    const pail_u256 step = {{UINT64_C(1) << 51, 0, 0, 0}};
    double digits[6];
    pail_u256 r = {{0, 0, 0, 0}};
    memcpy(digits, p->table + 12 * entry, sizeof(digits));
    for (uint32_t i = 5; i-- > 0;) {
        const int64_t digit = (int64_t)digits[i];
        pail_u256 one = {{(uint64_t)(digit < 0 ? -digit : digit), 0, 0, 0}};
        if (digit < 0)
            p->ops->scalar_neg(&one, &one);
        p->ops->scalar_mul(&r, &r, &step);
        p->ops->scalar_add(&r, &r, &one);
    }
    return r;
}

/* Limbs of 29 bits. */
static pail_u256 of_limbs(const struct pass *p, uint64_t entry)
{
    pail_u256 r = {{0, 0, 0, 0}};
    for (uint32_t i = 0; i < 9; i++) {
        const uint64_t limb = p->table[12 * entry + i];
        r.l[29 * i / 64] |= limb << (29 * i % 64);
        if (29 * i % 64 > 35 && 29 * i / 64 < 3)
            r.l[29 * i / 64 + 1] |= limb >> (64 - 29 * i % 64);
    }
    return r;
}

static pail_u256 entry_of(const struct pass *p, uint64_t entry)
{
    return p->radix_bits == 255   ? of_digits(p, entry)
           : p->radix_bits == 261 ? of_limbs(p, entry)
                                  : settled(p->ops, p->table, entry, true);
}

static pail_u256 times(const struct pass *p, const pail_u256 *a, uint64_t entry)
{
    const pail_u256 factor = entry_of(p, entry);
    return pail_twin_scalar_product(p->ops, p->radix_bits, a, &factor);
}

static pail_u256 times_power(const struct pass *p, const pail_u256 *a, uint32_t exponent,
                             uint32_t low, uint32_t high, uint32_t bits)
{
    pail_u256 r = times(p, a, low + (exponent & ((1u << bits) - 1)));
    if (high)
        r = times(p, &r, high + (exponent >> bits));
    return r;
}

static pail_u256 twiddled(const struct pass *p, const pail_u256 *a, uint32_t exponent)
{
    return times_power(p, a, exponent, p->push->twiddle_low, p->push->twiddle_high,
                       p->push->twiddle_bits);
}

static pail_u256 scaled(const struct pass *p, const pail_u256 *a, uint32_t place)
{
    if (p->push->flags & NTT_SCALE_ONE)
        return times_power(p, a, 0, p->push->scale_low, 0, p->push->scale_bits);
    return times_power(p, a, place, p->push->scale_low, p->push->scale_high, p->push->scale_bits);
}

/* One column, by the definition. */
static void column(const struct pass *p, uint32_t number, const uint32_t *in, uint32_t *out,
                   pail_u256 *x)
{
    const struct ntt_pass_push *push = p->push;
    const uint32_t n = 1u << push->log_k, spread = push->inner_bits - push->log_k;
    const uint32_t low = number & ((1u << push->low_bits) - 1);
    const uint32_t high = number >> push->low_bits & ((1u << push->high_bits) - 1);
    const uint32_t first = number >> (push->low_bits + push->high_bits) << push->log_n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t turned = push->flags & NTT_IN_REVERSED ? reverse(i, push->log_k) : i;
        const uint32_t place =
            (low << push->in_low) + (high << push->in_high) + (turned << push->in_element);
        x[i] = settled(p->ops, in, (uint64_t)push->first_in + first + place,
                       (push->flags & NTT_ANY) == 0);
        if (push->flags & NTT_SCALE_IN)
            x[i] = scaled(p, &x[i], place);
        if (push->flags & NTT_TWIDDLE_IN)
            x[i] = twiddled(p, &x[i], low * i);
    }
    for (uint32_t k = 0; k < n; k++) {
        pail_u256 sum = {{0, 0, 0, 0}};
        for (uint32_t i = 0; i < n; i++) {
            const pail_u256 term =
                times(p, &x[i], (uint64_t)push->inner + ((i * k & (n - 1)) << spread));
            p->ops->scalar_add(&sum, &sum, &term);
        }
        const uint32_t turned = push->flags & NTT_OUT_REVERSED ? reverse(k, push->log_k) : k;
        const uint32_t place =
            (low << push->out_low) + (high << push->out_high) + (turned << push->out_element);
        if (push->flags & NTT_TWIDDLE_OUT)
            sum = twiddled(p, &sum, low * k);
        if (push->flags & NTT_SCALE_OUT)
            sum = scaled(p, &sum, place);
        pail_twin_set_scalar(out, (uint64_t)push->first_out + first + place, &sum);
    }
}

void pail_twin_ntt_pass(const struct ntt_pass_push *push, const struct pail_curve_ops *ops,
                        uint32_t radix_bits, const uint32_t *in, const uint32_t *table,
                        uint32_t *out)
{
    const struct pass p = {push, ops, radix_bits, table};
    pail_u256 *x = malloc(sizeof(*x) << push->log_k);
    for (uint32_t i = 0; i < push->columns; i++)
        column(&p, i, in, out, x);
    free(x);
}

pail_u256 pail_twin_ntt_entry(const struct pail_curve_ops *ops, uint32_t radix_bits,
                              const uint32_t *table, uint64_t entry)
{
    const struct pass p = {.ops = ops, .radix_bits = radix_bits, .table = table};
    return entry_of(&p, entry);
}

void pail_twin_ntt_table(const struct ntt_table_push *push, const struct pail_curve_ops *ops,
                         uint32_t radix_bits, const uint32_t *table, pail_u256 *out)
{
    const struct pass p = {.ops = ops, .radix_bits = radix_bits, .table = table};
    for (uint32_t i = 0; i < push->n; i++) {
        const pail_u256 low = entry_of(&p, push->low + (i & ((1u << push->low_bits) - 1)));
        out[i] = times(&p, &low, push->high + (i >> push->low_bits));
    }
}
