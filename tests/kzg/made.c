/* SPDX-License-Identifier: Apache-2.0 */
#include "made.h"

#include <stdlib.h>

#include <curves/scalar.h>

pail_u256 made_add(const struct made *made, const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 r;
    made->g1->scalar_add(&r, a, b);
    return r;
}

pail_u256 made_sub(const struct made *made, const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 minus;
    made->g1->scalar_neg(&minus, b);
    return made_add(made, a, &minus);
}

pail_u256 made_mul(const struct made *made, const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 r;
    made->g1->scalar_mul(&r, a, b);
    return r;
}

pail_u256 made_number(uint64_t number)
{
    return (pail_u256){{number}};
}

pail_u256 made_power(const struct made *made, const pail_u256 *a, uint64_t e)
{
    pail_u256 power = made_number(1);
    for (uint32_t bit = 64; bit-- > 0;) {
        power = made_mul(made, &power, &power);
        if (e >> bit & 1)
            power = made_mul(made, &power, a);
    }
    return power;
}

pail_u256 made_random(const struct made *made, struct pail_rng *rng)
{
    pail_u256 a;
    for (size_t i = 0; i < 4; i++)
        a.l[i] = pail_rng_next(rng);
    made->g1->scalar_reduce(&a, &a);
    return a;
}

void made_write(uint8_t bytes[SCALAR], const pail_u256 *a)
{
    uint8_t little[SCALAR];
    pail_u256_to_bytes(little, a);
    for (size_t i = 0; i < SCALAR; i++)
        bytes[i] = little[SCALAR - 1 - i];
}

pail_u256 made_read(const uint8_t bytes[SCALAR])
{
    uint8_t little[SCALAR];
    pail_u256 a;
    for (size_t i = 0; i < SCALAR; i++)
        little[i] = bytes[SCALAR - 1 - i];
    pail_u256_from_bytes(&a, little);
    return a;
}

static size_t reversed(size_t i, size_t n)
{
    size_t r = 0;
    for (size_t bit = 1; bit < n; bit *= 2, i /= 2)
        r = 2 * r + i % 2;
    return r;
}

pail_u256 made_place(const struct made *made, size_t i)
{
    return made_power(made, &made->root, reversed(i, 2 * made->n));
}

pail_u256 made_value(const struct made *made, const pail_u256 *coefficients, const pail_u256 *x)
{
    pail_u256 value = made_number(0);
    for (size_t i = made->n; i-- > 0;) {
        value = made_mul(made, &value, x);
        value = made_add(made, &value, &coefficients[i]);
    }
    return value;
}

/* k times the generator, canonical. */
static void multiply(const struct pail_curve_ops *ops, uint8_t *bytes, const pail_u256 *k)
{
    pail_affine affine;
    pail_point point;
    ops->generator(&affine);
    ops->from_affine(&point, &affine);
    ops->mul(&point, &point, k);
    ops->to_affine(&affine, &point);
    ops->encode(bytes, &affine, false);
}

void made_point(const struct made *made, uint8_t *bytes, const pail_u256 *k)
{
    const pail_point_format format = {.struct_size = sizeof(format),
                                      .curve = made->g1->curve,
                                      .group = PAIL_G1,
                                      .form = made->form};
    uint8_t point[2 * PAIL_COORDINATE_MAX];
    multiply(made->g1, point, k);
    assert_int_equal(pail_points_encode(bytes, NULL, &format, point, 1, NULL, 0), PAIL_OK);
}

void made_create(struct made *made, uint32_t curve, size_t n, size_t length, size_t n_g2)
{
    const bool bn = curve == PAIL_CURVE_BN254;
    const uint32_t two_adic = bn ? 28 : 32;
    struct pail_rng rng;
    pail_rng_init(&rng, 4844 + n);
    *made = (struct made){.g1 = pail_curve_ops(curve, PAIL_G1),
                          .g2 = pail_curve_ops(curve, PAIL_G2),
                          .point = bn ? 32 : POINT,
                          .form = bn ? PAIL_POINT_GNARK : PAIL_POINT_ZCASH,
                          .n = n,
                          .length = length,
                          .cells = 2 * n / length,
                          .n_g2 = n_g2};
    made->tau = made_random(made, &rng);
    /* 7^((r - 1) / 2^32), of order 2^32, or 5^((r - 1) / 2^28); then squares of it. */
    pail_u256 e = made->g1->order;
    made->root = made_number(1);
    const pail_u256 generator = made_number(bn ? 5 : 7);
    for (uint32_t bit = 256; bit-- > two_adic;) {
        made->root = made_mul(made, &made->root, &made->root);
        if (e.l[bit / 64] >> bit % 64 & 1)
            made->root = made_mul(made, &made->root, &generator);
    }
    for (uint64_t order = UINT64_C(1) << two_adic; order > 2 * n; order /= 2)
        made->root = made_mul(made, &made->root, &made->root);
    const size_t g1 = 2 * made->g1->coordinate_bytes, g2 = 2 * made->g2->coordinate_bytes;
    made->powers = malloc(n * g1);
    made->lagrange = malloc(n * g1);
    made->g2_powers = malloc(n_g2 * g2);
    assert_true(made->powers && made->lagrange && made->g2_powers);
    pail_u256 power = made_number(1);
    for (size_t i = 0; i < n || i < n_g2; i++) {
        if (i < n)
            multiply(made->g1, made->powers + i * g1, &power);
        if (i < n_g2)
            multiply(made->g2, made->g2_powers + i * g2, &power);
        power = made_mul(made, &power, &made->tau);
    }
    /* l_i(tau) = w^i (tau^n - 1) / (n (tau - w^i)) */
    const pail_u256 one = made_number(1), w = made_mul(made, &made->root, &made->root);
    pail_u256 numerator = made_power(made, &made->tau, n), at = one;
    numerator = made_sub(made, &numerator, &one);
    for (size_t i = 0; i < n; i++) {
        pail_u256 size = made_number(n), below = made_sub(made, &made->tau, &at);
        below = made_mul(made, &below, &size);
        below = pail_scalar_inverse(made->g1, &below);
        below = made_mul(made, &below, &numerator);
        below = made_mul(made, &below, &at);
        multiply(made->g1, made->lagrange + i * g1, &below);
        at = made_mul(made, &at, &w);
    }
}

pail_kzg_params made_params(const struct made *made)
{
    return (pail_kzg_params){.struct_size = sizeof(pail_kzg_params),
                             .curve = made->g1->curve,
                             .cell_elements = (uint32_t)made->length,
                             .g1_powers = made->powers,
                             .g1_lagrange = made->lagrange,
                             .g2_powers = made->g2_powers,
                             .n_g1 = made->n,
                             .n_g2 = made->n_g2};
}

void made_blob(const struct made *made, uint8_t *blob, const pail_u256 *coefficients)
{
    for (size_t i = 0; i < made->n; i++) {
        const pail_u256 x = made_place(made, i), value = made_value(made, coefficients, &x);
        made_write(blob + i * SCALAR, &value);
    }
}

void made_proof(const struct made *made, uint8_t value[SCALAR], uint8_t *proof,
                const pail_u256 *coefficients, const pail_u256 *z)
{
    pail_u256 quotient[N_MOST] = {{{0}}};
    const pail_u256 y = made_value(made, coefficients, z);
    made_write(value, &y);
    for (size_t i = made->n - 1; i-- > 0;) {
        quotient[i] = made_mul(made, &quotient[i + 1], z);
        quotient[i] = made_add(made, &quotient[i], &coefficients[i + 1]);
    }
    const pail_u256 at_tau = made_value(made, quotient, &made->tau);
    made_point(made, proof, &at_tau);
}

/* The proof of a cell at x^length = a: the quotient's coefficient i is the sum over t of a^t times
 * coefficient i + length (t + 1). */
void made_cells(const struct made *made, uint8_t *cells, uint8_t *proofs,
                const pail_u256 *coefficients)
{
    for (size_t c = 0; c < made->cells; c++) {
        const pail_u256 h = made_place(made, c * made->length);
        const pail_u256 a = made_power(made, &h, made->length);
        for (size_t i = 0; i < made->length; i++) {
            const pail_u256 x = made_place(made, c * made->length + i);
            const pail_u256 value = made_value(made, coefficients, &x);
            made_write(cells + (c * made->length + i) * SCALAR, &value);
        }
        pail_u256 quotient[N_MOST] = {{{0}}};
        for (size_t i = made->n - made->length; i-- > 0;) {
            if (i + made->length < made->n - made->length)
                quotient[i] = made_mul(made, &quotient[i + made->length], &a);
            quotient[i] = made_add(made, &quotient[i], &coefficients[i + made->length]);
        }
        const pail_u256 value = made_value(made, quotient, &made->tau);
        made_point(made, proofs + c * made->point, &value);
    }
}
