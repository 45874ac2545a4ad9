/* SPDX-License-Identifier: Apache-2.0 */
#include <shared/msm_layout.h>

#include "vector_twins.h"

enum { RADIX_BITS = 256 }; /* for elements in memory */

pail_u256 pail_twin_scalar(const uint32_t *words, uint64_t i)
{
    pail_u256 r;
    for (uint32_t k = 0; k < 4; k++)
        r.l[k] = words[8 * i + 2 * k] | (uint64_t)words[8 * i + 2 * k + 1] << 32;
    return r;
}

void pail_twin_set_scalar(uint32_t *words, uint64_t i, const pail_u256 *value)
{
    for (uint32_t k = 0; k < 8; k++)
        words[8 * i + k] = (uint32_t)(value->l[k / 2] >> 32 * (k % 2));
}

/* 2^-bits, and for whom it was computed last. */
struct inverse {
    const struct pail_curve_ops *ops;
    uint32_t bits;
    pail_u256 value;
};

static const pail_u256 *inverse_of(const struct pail_curve_ops *ops, uint32_t bits)
{
    static struct inverse last;
    if (last.ops == ops && last.bits == bits)
        return &last.value;
    /* (r + 1) / 2 is 1/2; r is odd and below 2^255. */
    pail_u256 half = ops->order, value = {{1, 0, 0, 0}};
    half.l[0]++;
    for (uint32_t k = 0; k < 4; k++)
        half.l[k] = half.l[k] >> 1 | (k < 3 ? half.l[k + 1] << 63 : 0);
    for (uint32_t i = 0; i < bits; i++)
        ops->scalar_mul(&value, &value, &half);
    last = (struct inverse){ops, bits, value};
    return &last.value;
}

pail_u256 pail_twin_scalar_product(const struct pail_curve_ops *ops, uint32_t bits,
                                   const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 r;
    ops->scalar_mul(&r, a, b);
    ops->scalar_mul(&r, &r, inverse_of(ops, bits));
    return r;
}

static pail_u256 less(const struct pail_curve_ops *ops, const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 r;
    ops->scalar_neg(&r, b);
    ops->scalar_add(&r, a, &r);
    return r;
}

void pail_twin_vector_arith(const struct vector_arith_push *push, const struct pail_curve_ops *ops,
                            const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *r)
{
    for (uint32_t i = 0; i < push->n; i++) {
        const pail_u256 x = pail_twin_scalar(a, push->first_a + i);
        const pail_u256 y = pail_twin_scalar(b, push->first_b + i);
        pail_u256 result;
        if (push->operation == VECTOR_ADD)
            ops->scalar_add(&result, &x, &y);
        else if (push->operation == VECTOR_SUB)
            result = less(ops, &x, &y);
        else
            result = pail_twin_scalar_product(ops, RADIX_BITS, &x, &y);
        if (push->operation == VECTOR_MUL_SUB) {
            const pail_u256 z = pail_twin_scalar(c, push->first_c + i);
            result = less(ops, &result, &z);
        }
        pail_twin_set_scalar(r, push->first_r + i, &result);
    }
}

void pail_twin_vector_powers(const struct vector_powers_push *push,
                             const struct pail_curve_ops *ops, const uint32_t *a,
                             const uint32_t *table, uint32_t *r)
{
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t number = push->number + i, in_low = number & ((1u << push->low_bits) - 1);
        const pail_u256 low = pail_twin_scalar(table, push->low + in_low);
        const pail_u256 high = pail_twin_scalar(table, push->high + (number >> push->low_bits));
        const pail_u256 x = pail_twin_scalar(a, push->first_a + i);
        pail_u256 result = pail_twin_scalar_product(ops, RADIX_BITS, &low, &high);
        result = pail_twin_scalar_product(ops, RADIX_BITS, &x, &result);
        pail_twin_set_scalar(r, push->first_r + i, &result);
    }
}

void pail_twin_vector_reverse(const struct vector_reverse_push *push, const uint32_t *a,
                              uint32_t *r)
{
    const uint32_t *from = push->in_place ? r : a;
    const uint32_t first = push->in_place ? push->first_r : push->first_a;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t mask = (UINT32_C(1) << push->log_n) - 1;
        uint32_t to = i & ~mask;
        for (uint32_t bit = 0; bit < push->log_n; bit++)
            to |= (i >> bit & 1) << (push->log_n - 1 - bit);
        if (to < i)
            continue;
        const pail_u256 x = pail_twin_scalar(from, first + i);
        const pail_u256 y = pail_twin_scalar(from, first + to);
        pail_twin_set_scalar(r, push->first_r + to, &x);
        pail_twin_set_scalar(r, push->first_r + i, &y);
    }
}

void pail_twin_vector_encode(const struct vector_encode_push *push,
                             const struct pail_curve_ops *ops, const uint32_t *a, uint32_t *r)
{
    const pail_u256 one = {{1, 0, 0, 0}};
    for (uint32_t i = 0; i < push->n; i++) {
        pail_u256 x = pail_twin_scalar(a, push->first_a + i);
        if (push->operation != VECTOR_ENCODE)
            ops->scalar_reduce(&x, &x);
        if (push->operation == VECTOR_ENCODE)
            x = pail_twin_scalar_product(ops, RADIX_BITS, &x, &one);
        for (uint32_t k = 0; push->operation == VECTOR_DECODE && k < RADIX_BITS; k++)
            ops->scalar_add(&x, &x, &x);
        pail_twin_set_scalar(r, push->first_r + i, &x);
    }
}

void pail_twin_vector_scalars(const struct vector_scalars_push *push,
                              const struct pail_curve_ops *ops, const uint32_t *a,
                              uint32_t *scalars, const uint32_t *map, uint32_t *index)
{
    const pail_u256 one = {{1, 0, 0, 0}};
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t number = push->map_first == MSM_KEY_NONE
                                    ? push->number + i
                                    : map[push->map_first + i] - push->map_base;
        const pail_u256 x = pail_twin_scalar(a, push->first_a + number);
        const pail_u256 scalar = pail_twin_scalar_product(ops, RADIX_BITS, &x, &one);
        pail_twin_set_scalar(scalars, push->target + i, &scalar);
        bool kept = true;
        for (uint32_t bit = push->bits; bit < 256; bit++)
            kept = kept && (scalar.l[bit / 64] >> bit % 64 & 1) == 0;
        if (!kept && number < index[push->status])
            index[push->status] = number;
    }
}
