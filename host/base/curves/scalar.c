/* SPDX-License-Identifier: Apache-2.0 */
#include "scalar.h"

#include <string.h>

bool pail_scalar_less(const pail_u256 *a, const pail_u256 *b)
{
    for (uint32_t i = 4; i-- > 0;)
        if (a->l[i] != b->l[i])
            return a->l[i] < b->l[i];
    return false;
}

bool pail_scalar_read(pail_u256 *r, const struct pail_curve_ops *ops, const uint8_t bytes[32])
{
    pail_u256_from_bytes(r, bytes);
    const bool right = pail_scalar_less(r, &ops->order);
    if (!right)
        *r = pail_scalar_of(0);
    return right;
}

bool pail_scalars_below(const struct pail_curve_ops *ops, const uint8_t *bytes, uint64_t n,
                        uint64_t *bad)
{
    const uint64_t top = ops->order.l[3];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t limb;
        memcpy(&limb, bytes + 32 * i + 24, sizeof(limb));
        if (limb < top) /* nearly all */
            continue;
        pail_u256 a;
        pail_u256_from_bytes(&a, bytes + 32 * i);
        if (!pail_scalar_less(&a, &ops->order)) {
            *bad = i;
            return false;
        }
    }
    return true;
}

pail_u256 pail_scalar_of(uint64_t integer)
{
    return (pail_u256){{integer, 0, 0, 0}};
}

bool pail_scalar_equal(const pail_u256 *a, const pail_u256 *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

pail_u256 pail_scalar_square_times(const struct pail_curve_ops *ops, const pail_u256 *a, uint32_t n)
{
    pail_u256 r = *a;
    for (uint32_t i = 0; i < n; i++)
        ops->scalar_mul(&r, &r, &r);
    return r;
}

pail_u256 pail_scalar_inverse(const struct pail_curve_ops *ops, const pail_u256 *a)
{
    /* a^(r - 2), from the top bit; r is odd and above 2. */
    pail_u256 exponent = ops->order, r = pail_scalar_of(1);
    exponent.l[0] -= 2;
    for (uint32_t bit = 256; bit-- > 0;) {
        ops->scalar_mul(&r, &r, &r);
        if (exponent.l[bit / 64] >> bit % 64 & 1)
            ops->scalar_mul(&r, &r, a);
    }
    return r;
}

pail_u256 pail_scalar_root(const struct pail_curve_ops *ops, uint32_t log_n)
{
    const pail_u256 five = pail_scalar_of(5);
    pail_u256 exponent = ops->order, r = pail_scalar_of(1);
    exponent.l[0] -= 1; /* the order is odd */
    for (uint32_t bit = 256; bit-- > log_n;) {
        ops->scalar_mul(&r, &r, &r);
        if (exponent.l[bit / 64] >> bit % 64 & 1)
            ops->scalar_mul(&r, &r, &five);
    }
    return r;
}

bool pail_scalar_has_order(const struct pail_curve_ops *ops, const pail_u256 *a, uint32_t log_n)
{
    const pail_u256 one = pail_scalar_of(1);
    if (log_n == 0)
        return pail_scalar_equal(a, &one);
    /* The power half way to 1 is the only other square root of 1. */
    pail_u256 minus_one;
    ops->scalar_neg(&minus_one, &one);
    const pail_u256 half = pail_scalar_square_times(ops, a, log_n - 1);
    return pail_scalar_equal(&half, &minus_one);
}
