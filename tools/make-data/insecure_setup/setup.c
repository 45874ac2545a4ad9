/* SPDX-License-Identifier: Apache-2.0 */
/* With L_c the Lagrange polynomials of the domain, and A_s, B_s, C_s the columns of the matrices as
 * polynomials, all at tau: the points of wire s are A_s, B_s, and
 * (beta A_s + alpha B_s + C_s) / gamma where it is public, or / delta where it is not; and those of
 * the quotient are (tau^n - 1) / delta times the Lagrange polynomials of the coset, divided by what
 * x^n - 1 is there. See Groth, ePrint 2016/260, section 3.2. */
#include "setup.h"

#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "fixed_base.h"
#include <curves/rng.h>
#include <formats/prime.h>
#include <formats/r1cs.h>
#include <formats/report.h>
#include <prover/key/domain.h>

enum { COMBINATIONS = 3, A = 0, B = 1, C = 2, CONTRIBUTION_HASH_BYTES = 64 };

static const char contribution_name[] = "insecure: the trapdoor is known";

struct setup {
    const struct pail_curve_ops *g1, *g2;
    struct pail_r1cs circuit;
    struct pail_domain domain;
    size_t n; /* of the domain */
    /* The row of constraint i in the domain of snarkjs is i stride mod n: 1, or such that all
     * polynomials are those of bellman, which has another root. */
    uint64_t stride;
    pail_u256 alpha, beta, gamma, delta, tau;
    pail_u256 *lagrange;              /* [n] of the domain */
    pail_u256 *coset;                 /* [n] scalars of section 9 */
    pail_u256 *columns[COMBINATIONS]; /* [n_wires] */
    struct container out;
    char *error;
    size_t error_cap;
};

/* ---- Field ----------------------------------------------------------------------------------- */
static void power(pail_u256 *r, const struct pail_curve_ops *ops, const pail_u256 *base,
                  const pail_u256 *exponent)
{
    const pail_u256 b = *base;
    *r = (pail_u256){{1}};
    for (uint32_t bit = 256; bit-- > 0;) {
        ops->scalar_mul(r, r, r);
        if ((exponent->l[bit / 64] >> (bit % 64) & 1) != 0)
            ops->scalar_mul(r, r, &b);
    }
}

static void invert(pail_u256 *r, const struct pail_curve_ops *ops, const pail_u256 *a)
{
    pail_u256 exponent = ops->order;
    exponent.l[0] -= 2; /* r is odd, and above 2 */
    power(r, ops, a, &exponent);
}

static void subtract(pail_u256 *r, const struct pail_curve_ops *ops, const pail_u256 *a,
                     const pail_u256 *b)
{
    pail_u256 negative;
    ops->scalar_neg(&negative, b);
    ops->scalar_add(r, a, &negative);
}

/* values[i] = factor shift root^i / (tau - shift root^i), with one inversion. */
static bool lagrange_of(pail_u256 *values, const struct setup *setup, const pail_u256 *shift,
                        const pail_u256 *factor)
{
    const struct pail_curve_ops *const ops = setup->g1;
    pail_u256 root, x = *shift, product = {{1}};
    pail_u256_from_bytes(&root, setup->domain.root);
    pail_u256 *const differences = malloc(setup->n * sizeof(*differences));
    if (differences == NULL)
        return false;
    for (size_t i = 0; i < setup->n; i++) {
        subtract(&differences[i], ops, &setup->tau, &x);
        ops->scalar_mul(&x, &x, &root);
        values[i] = product; /* of those before */
        ops->scalar_mul(&product, &product, &differences[i]);
    }
    pail_u256 inverse, back;
    invert(&inverse, ops, &product);
    invert(&back, ops, &root);
    for (size_t i = setup->n; i-- > 0;) {
        ops->scalar_mul(&x, &x, &back); /* shift root^i */
        ops->scalar_mul(&values[i], &values[i], &inverse);
        ops->scalar_mul(&inverse, &inverse, &differences[i]);
        ops->scalar_mul(&values[i], &values[i], &x);
        ops->scalar_mul(&values[i], &values[i], factor);
    }
    free(differences);
    return true;
}

/* Both sets of Lagrange values. Of the coset's, x^n - shift^n is at tau what vanishes there, and
 * shift^n - 1 what x^n - 1 is on it. */
static bool compute_lagrange(struct setup *setup)
{
    const struct pail_curve_ops *const ops = setup->g1;
    const pail_u256 one = {{1}}, n = {{setup->n}};
    pail_u256 shift, tau_n, shift_n, vanishing, factor, divisor;
    pail_u256_from_bytes(&shift, setup->domain.shift);
    power(&tau_n, ops, &setup->tau, &n);
    power(&shift_n, ops, &shift, &n);
    subtract(&vanishing, ops, &tau_n, &one);
    invert(&divisor, ops, &n);
    ops->scalar_mul(&factor, &vanishing, &divisor);
    if (!lagrange_of(setup->lagrange, setup, &one, &factor))
        return false;
    subtract(&divisor, ops, &shift_n, &one);
    ops->scalar_mul(&divisor, &divisor, &shift_n);
    ops->scalar_mul(&divisor, &divisor, &n);
    ops->scalar_mul(&divisor, &divisor, &setup->delta);
    invert(&divisor, ops, &divisor);
    subtract(&factor, ops, &tau_n, &shift_n);
    ops->scalar_mul(&factor, &factor, &vanishing);
    ops->scalar_mul(&factor, &factor, &divisor);
    return lagrange_of(setup->coset, setup, &shift, &factor);
}

static void draw(pail_u256 *value, const struct pail_curve_ops *ops, struct pail_rng *rng)
{
    for (int i = 0; i < 4; i++)
        value->l[i] = pail_rng_next(rng);
    ops->scalar_reduce(value, value);
}

/* ---- Columns --------------------------------------------------------------------------------- */
static void add_product(pail_u256 *sum, const struct pail_curve_ops *ops, const pail_u256 *a,
                        const pail_u256 *b)
{
    pail_u256 product;
    ops->scalar_mul(&product, a, b);
    ops->scalar_add(sum, sum, &product);
}

/* The constant and the public wires have a row each, behind the constraints. */
static uint32_t extra_rows(const struct pail_r1cs *circuit)
{
    return circuit->n_public + 1;
}

static uint32_t row_of(const struct setup *setup, uint64_t constraint)
{
    return (uint32_t)(constraint * setup->stride % setup->n);
}

/* Finds the power of the one root that is the other. */
static void set_stride(struct setup *setup, uint32_t log2_n)
{
    struct pail_domain of_bellman;
    pail_u256 root, wanted, power = {{1}};
    pail_domain_init_by(&of_bellman, setup->g1, log2_n, PAIL_DOMAIN_BELLMAN);
    pail_u256_from_bytes(&root, setup->domain.root);
    pail_u256_from_bytes(&wanted, of_bellman.root);
    for (setup->stride = 0; memcmp(&power, &wanted, sizeof(power)) != 0; setup->stride++)
        setup->g1->scalar_mul(&power, &power, &root);
}

static pail_status compute_columns(struct setup *setup)
{
    const struct pail_r1cs *const circuit = &setup->circuit;
    struct pail_r1cs_cursor at = {0};
    struct pail_r1cs_term term;
    pail_status status;
    while ((status = pail_r1cs_next(&term, &at, circuit, setup->error, setup->error_cap)) ==
           PAIL_OK) {
        pail_u256 value;
        pail_u256_from_bytes(&value, term.value);
        add_product(&setup->columns[term.combination][term.wire], setup->g1, &value,
                    &setup->lagrange[row_of(setup, term.constraint)]);
    }
    for (uint32_t s = 0; s < extra_rows(circuit); s++)
        setup->g1->scalar_add(
            &setup->columns[A][s], &setup->columns[A][s],
            &setup->lagrange[row_of(setup, (uint64_t)circuit->n_constraints + s)]);
    return status == PAIL_NOT_READY ? PAIL_OK : status;
}

/* ---- Sections -------------------------------------------------------------------------------- */
static void write_multiple(struct setup *setup, const struct pail_curve_ops *ops,
                           const pail_u256 *scalar)
{
    pail_affine affine;
    pail_point point;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->generator(&affine);
    ops->from_affine(&point, &affine);
    ops->mul(&point, &point, scalar);
    ops->to_affine(&affine, &point);
    ops->encode(bytes, &affine, true);
    container_bytes(&setup->out, bytes, 2 * ops->coordinate_bytes);
}

static void write_header(struct setup *setup)
{
    struct container *const out = &setup->out;
    container_section(out, 1);
    container_u32(out, 1);
    container_section(out, 2);
    container_base_prime(out, setup->circuit.curve);
    container_scalar_prime(out, setup->circuit.curve);
    container_u32(out, setup->circuit.n_wires);
    container_u32(out, setup->circuit.n_public);
    container_u32(out, (uint32_t)setup->n);
    write_multiple(setup, setup->g1, &setup->alpha);
    write_multiple(setup, setup->g1, &setup->beta);
    write_multiple(setup, setup->g2, &setup->beta);
    write_multiple(setup, setup->g2, &setup->gamma);
    write_multiple(setup, setup->g1, &setup->delta);
    write_multiple(setup, setup->g2, &setup->delta);
}

static void write_coefficient(struct setup *setup, uint32_t matrix, uint32_t row, uint32_t wire,
                              const pail_u256 *value, const pail_u256 *radix_squared)
{
    pail_u256 product;
    uint8_t bytes[32];
    setup->g1->scalar_mul(&product, value, radix_squared);
    pail_u256_to_bytes(bytes, &product);
    container_u32(&setup->out, matrix);
    container_u32(&setup->out, row);
    container_u32(&setup->out, wire);
    container_bytes(&setup->out, bytes, sizeof(bytes));
}

/* The terms are known to be good by now. */
static void write_coefficients(struct setup *setup)
{
    const struct pail_r1cs *const circuit = &setup->circuit;
    const pail_u256 one = {{1}};
    pail_u256 radix_squared = one;
    for (int i = 0; i < 512; i++)
        setup->g1->scalar_add(&radix_squared, &radix_squared, &radix_squared);
    struct pail_r1cs_term term;
    uint32_t count = extra_rows(circuit);
    for (struct pail_r1cs_cursor at = {0}; pail_r1cs_next(&term, &at, circuit, NULL, 0) == PAIL_OK;)
        count += term.combination != C;
    container_section(&setup->out, 4);
    container_u32(&setup->out, count);
    for (struct pail_r1cs_cursor at = {0};
         pail_r1cs_next(&term, &at, circuit, NULL, 0) == PAIL_OK;) {
        pail_u256 value;
        pail_u256_from_bytes(&value, term.value);
        if (term.combination != C)
            write_coefficient(setup, term.combination, row_of(setup, term.constraint), term.wire,
                              &value, &radix_squared);
    }
    for (uint32_t s = 0; s < extra_rows(circuit); s++)
        write_coefficient(setup, A, row_of(setup, (uint64_t)circuit->n_constraints + s), s, &one,
                          &radix_squared);
}

static bool write_points(struct setup *setup, uint32_t section, const struct pail_curve_ops *ops,
                         const pail_u256 *scalars, size_t n)
{
    const size_t bytes = n * 2 * ops->coordinate_bytes;
    uint8_t *const points = malloc(bytes + 1);
    const bool enough = points != NULL && fixed_base_multiply(points, ops, scalars, n);
    container_section(&setup->out, section);
    if (enough)
        container_bytes(&setup->out, points, bytes);
    free(points);
    return enough;
}

/* columns[C] becomes the scalars of sections 3 and 8. */
static void combine_columns(struct setup *setup)
{
    const struct pail_curve_ops *const ops = setup->g1;
    pail_u256 by_gamma, by_delta;
    invert(&by_gamma, ops, &setup->gamma);
    invert(&by_delta, ops, &setup->delta);
    for (uint32_t s = 0; s < setup->circuit.n_wires; s++) {
        pail_u256 *const sum = &setup->columns[C][s];
        add_product(sum, ops, &setup->beta, &setup->columns[A][s]);
        add_product(sum, ops, &setup->alpha, &setup->columns[B][s]);
        ops->scalar_mul(sum, sum, s <= setup->circuit.n_public ? &by_gamma : &by_delta);
    }
}

static void write_contribution(struct setup *setup)
{
    static const uint8_t no_hash[CONTRIBUTION_HASH_BYTES];
    const pail_u256 one = {{1}};
    const uint8_t name_tag = 1, name_bytes = sizeof(contribution_name) - 1;
    struct container *const out = &setup->out;
    container_section(out, 10);
    container_bytes(out, no_hash, sizeof(no_hash));
    container_u32(out, 1);
    write_multiple(setup, setup->g1, &setup->delta); /* after it; then the proof that it is known */
    write_multiple(setup, setup->g1, &one);
    write_multiple(setup, setup->g1, &setup->delta);
    write_multiple(setup, setup->g2, &setup->delta);
    container_bytes(out, no_hash, sizeof(no_hash));
    container_u32(out, 0);
    container_u32(out, 2 + name_bytes);
    container_bytes(out, &name_tag, 1);
    container_bytes(out, &name_bytes, 1);
    container_bytes(out, contribution_name, name_bytes);
}

static pail_status end_key(const struct setup *setup, const char *path, bool enough, bool written)
{
    if (!enough)
        return pail_report(setup->error, setup->error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for the points of %s", path);
    return written ? PAIL_OK
                   : pail_report(setup->error, setup->error_cap, PAIL_ERR_IO,
                                 "%s: cannot be written", path);
}

static pail_status write_key(struct setup *setup, const char *path)
{
    const size_t n_public = (size_t)setup->circuit.n_public + 1, n_wires = setup->circuit.n_wires;
    container_begin(&setup->out, path, "zkey", 1);
    write_header(setup);
    write_coefficients(setup);
    const bool enough =
        write_points(setup, 3, setup->g1, setup->columns[C], n_public) &&
        write_points(setup, 5, setup->g1, setup->columns[A], n_wires) &&
        write_points(setup, 6, setup->g1, setup->columns[B], n_wires) &&
        write_points(setup, 7, setup->g2, setup->columns[B], n_wires) &&
        write_points(setup, 8, setup->g1, setup->columns[C] + n_public, n_wires - n_public) &&
        write_points(setup, 9, setup->g1, setup->coset, setup->n);
    write_contribution(setup);
    const bool written = container_end(&setup->out);
    return end_key(setup, path, enough, written);
}

/* ---- A key of bellman: see formats/params.h ---------------------------------------------------*/
static void write_reversed(struct setup *setup, const struct pail_curve_ops *ops,
                           const uint8_t *point)
{
    pail_affine affine;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX], reversed[2 * PAIL_COORDINATE_MAX];
    const size_t half = ops->coordinate_bytes;
    (void)ops->decode(&affine, point, true);
    ops->encode(bytes, &affine, false);
    for (size_t i = 0; i < half; i++) {
        reversed[i] = bytes[half - 1 - i];
        reversed[half + i] = bytes[2 * half - 1 - i];
    }
    container_bytes(&setup->out, reversed, 2 * half);
}

/* Writes a list of the multiples by scalars, but those by 0. Returns false if there is no memory.
 */
static bool write_list(struct setup *setup, const struct pail_curve_ops *ops,
                       const pail_u256 *scalars, size_t n)
{
    static const pail_u256 zero;
    const size_t bytes = 2 * ops->coordinate_bytes;
    uint8_t *const points = malloc(n * bytes + 1);
    if (points == NULL || !fixed_base_multiply(points, ops, scalars, n)) {
        free(points);
        return false;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += memcmp(&scalars[i], &zero, sizeof(zero)) != 0;
    container_u32(&setup->out, __builtin_bswap32(count));
    for (size_t i = 0; i < n; i++)
        if (memcmp(&scalars[i], &zero, sizeof(zero)) != 0)
            write_reversed(setup, ops, points + i * bytes);
    free(points);
    return true;
}

/* The coset's scalars become tau^i (tau^n - 1) / delta. */
static void compute_powers(struct setup *setup)
{
    const struct pail_curve_ops *const ops = setup->g1;
    const pail_u256 n = {{setup->n}}, one = {{1}};
    pail_u256 value, by_delta;
    power(&value, ops, &setup->tau, &n);
    subtract(&value, ops, &value, &one);
    invert(&by_delta, ops, &setup->delta);
    ops->scalar_mul(&value, &value, &by_delta);
    for (size_t i = 0; i < setup->n; i++) {
        setup->coset[i] = value;
        ops->scalar_mul(&value, &value, &setup->tau);
    }
}

static pail_status write_params(struct setup *setup, const char *path)
{
    static const pail_u256 zero;
    const size_t n_inputs = (size_t)setup->circuit.n_public + 1, n_wires = setup->circuit.n_wires;
    const struct {
        const struct pail_curve_ops *ops;
        const pail_u256 *scalar;
    } header[] = {{setup->g1, &setup->alpha}, {setup->g1, &setup->beta},
                  {setup->g2, &setup->beta},  {setup->g2, &setup->gamma},
                  {setup->g1, &setup->delta}, {setup->g2, &setup->delta}};
    for (size_t s = 0; s < n_wires; s++)
        if (memcmp(&setup->columns[C][s], &zero, sizeof(zero)) == 0)
            return pail_report(setup->error, setup->error_cap, PAIL_ERR_DATA,
                               "%s: wire %zu is in no constraint, which bellman does not allow",
                               setup->circuit.name, s);
    compute_powers(setup);
    container_open(&setup->out, path);
    bool enough = true;
    for (size_t i = 0; enough && i < sizeof(header) / sizeof(header[0]); i++) {
        uint8_t point[2 * PAIL_COORDINATE_MAX];
        enough = fixed_base_multiply(point, header[i].ops, header[i].scalar, 1);
        write_reversed(setup, header[i].ops, point);
    }
    enough = enough && write_list(setup, setup->g1, setup->columns[C], n_inputs) &&
             write_list(setup, setup->g1, setup->coset, setup->n - 1) &&
             write_list(setup, setup->g1, setup->columns[C] + n_inputs, n_wires - n_inputs) &&
             write_list(setup, setup->g1, setup->columns[A], n_wires) &&
             write_list(setup, setup->g1, setup->columns[B], n_wires) &&
             write_list(setup, setup->g2, setup->columns[B], n_wires);
    const bool written = container_close(&setup->out);
    return end_key(setup, path, enough, written);
}

/* ---- Both ------------------------------------------------------------------------------------ */
static pail_status run(struct setup *setup, const char *zkey_path, const char *params_path,
                       uint64_t seed)
{
    const struct pail_r1cs *const circuit = &setup->circuit;
    setup->g1 = pail_curve_ops(circuit->curve, PAIL_G1);
    setup->g2 = pail_curve_ops(circuit->curve, PAIL_G2);
    if (params_path != NULL && circuit->curve != PAIL_CURVE_BLS12_381)
        return pail_report(setup->error, setup->error_cap, PAIL_ERR_UNSUPPORTED,
                           "%s: is over BN254, and keys of bellman are over BLS12-381",
                           circuit->name);
    /* As snarkjs has it: the least power of two with room for all rows. */
    uint32_t log2_n = 0;
    while (UINT64_C(1) << log2_n < (uint64_t)circuit->n_constraints + extra_rows(circuit))
        log2_n++;
    if (log2_n > PAIL_NTT_LOG_MAX)
        return pail_report(setup->error, setup->error_cap, PAIL_ERR_UNSUPPORTED,
                           "%s: has too many constraints for a domain of 2^%u", circuit->name,
                           PAIL_NTT_LOG_MAX);
    setup->n = (size_t)1 << log2_n;
    pail_domain_init(&setup->domain, setup->g1, log2_n);
    setup->stride = 1;
    if (params_path != NULL)
        set_stride(setup, log2_n);
    setup->lagrange = malloc(setup->n * sizeof(pail_u256));
    setup->coset = malloc(setup->n * sizeof(pail_u256));
    bool enough = setup->lagrange != NULL && setup->coset != NULL;
    for (int i = 0; i < COMBINATIONS; i++) {
        setup->columns[i] = calloc(circuit->n_wires, sizeof(pail_u256));
        enough &= setup->columns[i] != NULL;
    }
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    draw(&setup->alpha, setup->g1, &rng);
    draw(&setup->beta, setup->g1, &rng);
    draw(&setup->gamma, setup->g1, &rng);
    draw(&setup->delta, setup->g1, &rng);
    draw(&setup->tau, setup->g1, &rng);
    if (!enough || !compute_lagrange(setup))
        return pail_report(setup->error, setup->error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for a domain of 2^%u", log2_n);
    pail_status status = compute_columns(setup);
    if (status == PAIL_OK)
        combine_columns(setup);
    if (status == PAIL_OK && zkey_path != NULL)
        status = write_key(setup, zkey_path);
    return status == PAIL_OK && params_path != NULL ? write_params(setup, params_path) : status;
}

pail_status insecure_setup(const char *zkey_path, const char *r1cs_path, uint64_t seed, char *error,
                           size_t error_cap)
{
    return insecure_setup_both(zkey_path, NULL, r1cs_path, seed, error, error_cap);
}

pail_status insecure_setup_both(const char *zkey_path, const char *params_path,
                                const char *r1cs_path, uint64_t seed, char *error, size_t error_cap)
{
    struct setup setup = {.error = error, .error_cap = error_cap};
    pail_status status = pail_r1cs_open(&setup.circuit, r1cs_path, error, error_cap);
    if (status == PAIL_OK)
        status = run(&setup, zkey_path, params_path, seed);
    free(setup.lagrange);
    free(setup.coset);
    for (int i = 0; i < COMBINATIONS; i++)
        free(setup.columns[i]);
    pail_r1cs_close(&setup.circuit);
    return status;
}
