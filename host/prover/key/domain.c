/* SPDX-License-Identifier: Apache-2.0 */
#include "domain.h"

static void square_times(pail_u256 *x, const struct pail_curve_ops *ops, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ops->scalar_mul(x, x, x);
}

/* Computes a root of order 2^two_adicity: base^((r - 1) / 2^two_adicity). */
static void largest_root(pail_u256 *root, uint32_t *two_adicity, const struct pail_curve_ops *ops,
                         const pail_u256 *base)
{
    pail_u256 exponent = ops->order;
    exponent.l[0] -= 1; /* the order is odd */
    uint32_t shift = 0;
    while ((exponent.l[shift / 64] >> (shift % 64) & 1) == 0)
        shift++;
    *root = (pail_u256){{1}};
    for (uint32_t bit = 256; bit-- > shift;) {
        ops->scalar_mul(root, root, root);
        if ((exponent.l[bit / 64] >> (bit % 64) & 1) != 0)
            ops->scalar_mul(root, root, base);
    }
    *two_adicity = shift;
}

uint32_t pail_domain_log2(uint32_t size)
{
    uint32_t log2_n = 0;
    while (UINT32_C(1) << log2_n < size)
        log2_n++;
    return log2_n;
}

bool pail_domain_init(struct pail_domain *domain, const struct pail_curve_ops *ops, uint32_t log2_n)
{
    return pail_domain_init_by(domain, ops, log2_n, PAIL_DOMAIN_SNARKJS);
}

bool pail_domain_init_by(struct pail_domain *domain, const struct pail_curve_ops *ops,
                         uint32_t log2_n, uint64_t base)
{
    *domain = (struct pail_domain){0};
    uint32_t two_adicity;
    pail_u256 x;
    largest_root(&x, &two_adicity, ops, &(pail_u256){{base}});
    if (log2_n > two_adicity)
        return false;
    domain->log2_n = log2_n;
    if (log2_n < two_adicity) {
        square_times(&x, ops, two_adicity - log2_n - 1);
        pail_u256_to_bytes(domain->shift, &x);
        square_times(&x, ops, 1);
    } else {
        pail_u256_to_bytes(domain->shift, &(pail_u256){{base * base}});
    }
    pail_u256_to_bytes(domain->root, &x);
    return true;
}
