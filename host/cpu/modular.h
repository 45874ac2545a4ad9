/* SPDX-License-Identifier: Apache-2.0 */
/* Integers modulo a group's order, a few at a time, by the functions of struct pail_curve_ops. */
#ifndef PAIL_CPU_MODULAR_H
#define PAIL_CPU_MODULAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <curves/curve_ops.h>

static inline bool pail_cpu_equals(const pail_u256 *a, uint64_t small)
{
    return a->l[0] == small && (a->l[1] | a->l[2] | a->l[3]) == 0;
}

/* r = a^e */
static inline void pail_cpu_power(pail_u256 *r, const struct pail_curve_ops *ops,
                                  const pail_u256 *a, const pail_u256 *e)
{
    pail_u256 power = {{1}};
    const pail_u256 base = *a;
    bool begun = false;
    for (size_t bit = 256; bit-- > 0;) {
        if (begun)
            ops->scalar_mul(&power, &power, &power);
        if ((e->l[bit / 64] >> (bit % 64) & 1) != 0) {
            ops->scalar_mul(&power, &power, &base);
            begun = true;
        }
    }
    *r = power;
}

/* r = 1 / a, by Fermat; a is not 0. */
static inline void pail_cpu_inverse(pail_u256 *r, const struct pail_curve_ops *ops,
                                    const pail_u256 *a)
{
    pail_u256 e = ops->order; /* odd, and its lowest word is above 1 */
    e.l[0] -= 2;
    pail_cpu_power(r, ops, a, &e);
}

/* r = a 2^256: an element of a vector from the integer. */
static inline void pail_cpu_to_element(pail_u256 *r, const struct pail_curve_ops *ops,
                                       const pail_u256 *a)
{
    pail_u256 radix; /* 2^256 less the order, which is odd */
    for (size_t i = 0; i < 4; i++)
        radix.l[i] = ~ops->order.l[i] + (i == 0);
    ops->scalar_mul(r, a, &radix);
}

#endif /* PAIL_CPU_MODULAR_H */
