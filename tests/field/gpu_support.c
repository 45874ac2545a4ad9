/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_support.h"

#include <stdlib.h>
#include <string.h>

pail_u256 field_pow(const struct pail_curve_ops *ops, const pail_u256 *a, uint64_t exponent)
{
    pail_u256 r = {{1, 0, 0, 0}};
    for (uint32_t bit = 64; bit-- > 0;) {
        ops->scalar_mul(&r, &r, &r);
        if (exponent >> bit & 1)
            ops->scalar_mul(&r, &r, a);
    }
    return r;
}

pail_u256 field_root(const struct pail_curve_ops *ops, uint32_t log_n)
{
    /* g^((r - 1) / 2^s) with s bits of twos in r - 1, squared down; g is no square on either curve,
     * so that the order is 2^s. */
    const pail_u256 g = {{ops->curve == 1 ? 5 : 7, 0, 0, 0}};
    pail_u256 exponent = ops->order, r = {{1, 0, 0, 0}};
    uint32_t twos = 0;
    exponent.l[0]--;
    for (; (exponent.l[0] & 1) == 0; twos++)
        for (uint32_t i = 0; i < 4; i++)
            exponent.l[i] = exponent.l[i] >> 1 | (i < 3 ? exponent.l[i + 1] << 63 : 0);
    for (uint32_t bit = 256; bit-- > 0;) {
        ops->scalar_mul(&r, &r, &r);
        if (exponent.l[bit / 64] >> bit % 64 & 1)
            ops->scalar_mul(&r, &r, &g);
    }
    for (; twos > log_n; twos--)
        ops->scalar_mul(&r, &r, &r);
    return r;
}

uint32_t field_reverse(uint32_t i, uint32_t bits)
{
    uint32_t r = 0;
    for (uint32_t b = 0; b < bits; b++)
        r |= (i >> b & 1) << (bits - 1 - b);
    return r;
}

/* Cooley and Tukey's in place, values in reverse order first. */
void field_transform(const struct pail_curve_ops *ops, uint8_t *r, const uint8_t *a, uint32_t log_n,
                     const pail_u256 *root, const pail_u256 *shift)
{
    const size_t n = (size_t)1 << log_n;
    pail_u256 *v = malloc(n * sizeof(*v)), power = {{1, 0, 0, 0}};
    for (size_t j = 0; j < n; j++) {
        pail_u256 one;
        pail_u256_from_bytes(&one, a + 32 * j);
        ops->scalar_mul(&v[field_reverse((uint32_t)j, log_n)], &one, &power);
        ops->scalar_mul(&power, &power, shift);
    }
    for (uint32_t bits = 1; bits <= log_n; bits++) {
        const size_t half = (size_t)1 << (bits - 1);
        const pail_u256 step = field_pow(ops, root, (uint64_t)1 << (log_n - bits));
        pail_u256 w = {{1, 0, 0, 0}};
        for (size_t k = 0; k < half; k++) {
            for (size_t at = k; at < n; at += 2 * half) {
                pail_u256 odd, minus;
                ops->scalar_mul(&odd, &v[at + half], &w);
                ops->scalar_neg(&minus, &odd);
                ops->scalar_add(&v[at + half], &v[at], &minus);
                ops->scalar_add(&v[at], &v[at], &odd);
            }
            ops->scalar_mul(&w, &w, &step);
        }
    }
    for (size_t k = 0; k < n; k++)
        pail_u256_to_bytes(r + 32 * k, &v[k]);
    free(v);
}

pail_u256 field_value(const struct pail_curve_ops *ops, const uint8_t *coefficients, uint64_t n,
                      const pail_u256 *x)
{
    pail_u256 sum = {{0, 0, 0, 0}};
    for (uint64_t j = n; j-- > 0;) {
        pail_u256 one;
        pail_u256_from_bytes(&one, coefficients + 32 * j);
        ops->scalar_mul(&sum, &sum, x);
        ops->scalar_add(&sum, &sum, &one);
    }
    return sum;
}
