/* SPDX-License-Identifier: Apache-2.0 */
#include "ntt.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "measure/runner.h"

enum { BYTES = 32, BLOCK = 128 /* elements of a piece, whose scratch is on a small stack */ };

/* Both sums, in parts. */
struct sums {
    const struct pail_ntt_claim *claim;
    pail_u256 z, minus_two; /* r - 2 */
    size_t n;
    pail_u256 *coefficients, *values; /* [blocks of n] */
    atomic_bool out_of_range;
};

static void power(pail_u256 *r, const struct pail_curve_ops *ops, const pail_u256 *a,
                  const pail_u256 *exponent)
{
    const pail_u256 base = *a;
    *r = (pail_u256){{1}};
    for (uint32_t bit = 256; bit-- > 0;) {
        ops->scalar_mul(r, r, r);
        if ((exponent->l[bit / 64] >> bit % 64 & 1) != 0)
            ops->scalar_mul(r, r, &base);
    }
}

static void small_power(pail_u256 *r, const struct pail_curve_ops *ops, const pail_u256 *a,
                        uint64_t exponent)
{
    pail_u256 square = *a;
    *r = (pail_u256){{1}};
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0)
            ops->scalar_mul(r, r, &square);
        ops->scalar_mul(&square, &square, &square);
    }
}

static void subtract(pail_u256 *r, const struct pail_curve_ops *ops, const pail_u256 *a,
                     const pail_u256 *b)
{
    pail_u256 minus;
    ops->scalar_neg(&minus, b);
    ops->scalar_add(r, a, &minus);
}

static bool below(const pail_u256 *a, const pail_u256 *bound)
{
    for (int i = 4; i-- > 0;)
        if (a->l[i] != bound->l[i])
            return a->l[i] < bound->l[i];
    return false;
}

static void load(pail_u256 *r, struct sums *sums, const uint8_t *elements, size_t i)
{
    pail_u256_from_bytes(r, elements + BYTES * i);
    if (!below(r, &sums->claim->ops->order))
        atomic_store(&sums->out_of_range, true);
}

static size_t place_of(const struct pail_ntt_claim *claim, size_t k)
{
    size_t place = 0;
    if (!claim->reversed)
        return k;
    for (uint32_t bit = 0; bit < claim->log_n; bit++)
        place |= (k >> bit & 1) << (claim->log_n - 1 - bit);
    return place;
}

/* z^first times the polynomial of the block's coefficients. */
static void add_coefficients(pail_u256 *sum, struct sums *sums, size_t first, size_t n)
{
    const struct pail_curve_ops *const ops = sums->claim->ops;
    pail_u256 element;
    *sum = (pail_u256){{0}};
    for (size_t j = n; j-- > 0;) {
        load(&element, sums, sums->claim->coefficients, first + j);
        ops->scalar_mul(sum, sum, &sums->z);
        ops->scalar_add(sum, sum, &element);
    }
    small_power(&element, ops, &sums->z, first);
    ops->scalar_mul(sum, sum, &element);
}

/* The block's part of the sum over k, with one inversion. */
static void add_values(pail_u256 *sum, struct sums *sums, size_t first, size_t n)
{
    const struct pail_ntt_claim *const claim = sums->claim;
    const struct pail_curve_ops *const ops = claim->ops;
    pail_u256 terms[BLOCK], differences[BLOCK], products[BLOCK]; /* products: of those before */
    pail_u256 x, product = {{1}}, inverse;
    small_power(&x, ops, &claim->root, first);
    ops->scalar_mul(&x, &x, &claim->shift);
    for (size_t k = 0; k < n; k++) {
        load(&terms[k], sums, claim->values, place_of(claim, first + k));
        ops->scalar_mul(&terms[k], &terms[k], &x);
        subtract(&differences[k], ops, &sums->z, &x);
        products[k] = product;
        ops->scalar_mul(&product, &product, &differences[k]);
        ops->scalar_mul(&x, &x, &claim->root);
    }
    power(&inverse, ops, &product, &sums->minus_two);
    *sum = (pail_u256){{0}};
    for (size_t k = n; k-- > 0;) {
        ops->scalar_mul(&products[k], &products[k], &inverse);
        ops->scalar_mul(&terms[k], &terms[k], &products[k]);
        ops->scalar_add(sum, sum, &terms[k]);
        ops->scalar_mul(&inverse, &inverse, &differences[k]);
    }
}

static void add_block(void *user, size_t block)
{
    struct sums *const sums = user;
    const size_t first = block * BLOCK, left = sums->n - first, n = left < BLOCK ? left : BLOCK;
    add_coefficients(&sums->coefficients[block], sums, first, n);
    add_values(&sums->values[block], sums, first, n);
}

static pail_u256 total(const struct pail_curve_ops *ops, const pail_u256 *parts, size_t n)
{
    pail_u256 sum = {{0}};
    for (size_t i = 0; i < n; i++)
        ops->scalar_add(&sum, &sum, &parts[i]);
    return sum;
}

/* sum (z^n - shift^n) = value n shift^n: without the division. */
static bool agree(const struct sums *sums, size_t blocks)
{
    const struct pail_ntt_claim *const claim = sums->claim;
    const struct pail_curve_ops *const ops = claim->ops;
    pail_u256 left = total(ops, sums->values, blocks);
    pail_u256 right = total(ops, sums->coefficients, blocks), shift_n, z_n;
    small_power(&shift_n, ops, &claim->shift, sums->n);
    small_power(&z_n, ops, &sums->z, sums->n);
    subtract(&z_n, ops, &z_n, &shift_n);
    ops->scalar_mul(&left, &left, &z_n);
    ops->scalar_mul(&right, &right, &shift_n);
    ops->scalar_mul(&right, &right, &(pail_u256){{sums->n}});
    return memcmp(&left, &right, sizeof(left)) == 0;
}

pail_status pail_ntt_check(bool *holds, const struct pail_ntt_claim *claim, const pail_u256 *z,
                           uint32_t threads, struct pail_error *error)
{
    const size_t n = (size_t)1 << claim->log_n, blocks = (n + BLOCK - 1) / BLOCK;
    struct sums sums = {.claim = claim, .z = *z, .minus_two = claim->ops->order, .n = n};
    sums.minus_two.l[0] -= 2; /* its lowest limb is above 2 on both curves */
    atomic_init(&sums.out_of_range, false);
    sums.coefficients = calloc(2 * blocks, sizeof(*sums.coefficients));
    *holds = false;
    if (!sums.coefficients)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory to check 2^%u elements",
                         claim->log_n);
    sums.values = sums.coefficients + blocks;
    pail_parallel(blocks, add_block, &sums, threads, "checking");
    *holds = !atomic_load(&sums.out_of_range) && agree(&sums, blocks);
    free(sums.coefficients);
    return PAIL_OK;
}
