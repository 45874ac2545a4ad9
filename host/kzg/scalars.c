/* SPDX-License-Identifier: Apache-2.0 */
#include "scalars.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/modular.h>
#include <cpu/vector.h>
#include <curves/scalar.h>
#include <platform/memory.h>

enum { WORDS = PAIL_KZG_WORDS, CHUNK = 128 };

/* EIP-4844 generates the multiplicative group by 7 (PRIMITIVE_ROOT_OF_UNITY), and EIP-7594 divides
 * on the coset of 7. That of BN254's scalars is 5, as in gnark-crypto and circom. */
static pail_u256 generator_of(const struct pail_kzg *kzg)
{
    return (pail_u256){{kzg->g1->curve == PAIL_CURVE_BN254 ? 5 : 7}};
}

static const struct pail_alloc memory;

static uint64_t *at(uint64_t *elements, size_t i)
{
    return elements + i * WORDS;
}

/* The root of order 2^log_n. */
static pail_u256 root_of(const struct pail_kzg *kzg, uint32_t log_n)
{
    const pail_u256 generator = generator_of(kzg);
    pail_u256 e = kzg->g1->order, root;
    e.l[0] -= 1;
    for (uint32_t i = 0; i < log_n; i++)
        for (size_t k = 0; k < 4; k++)
            e.l[k] = e.l[k] >> 1 | (k < 3 ? e.l[k + 1] << 63 : 0);
    pail_cpu_power(&root, kzg->g1, &generator, &e);
    return root;
}

/* roots[i] = w^brev(i). */
static bool make_roots(struct pail_kzg *kzg)
{
    kzg->roots = malloc(kzg->n * sizeof(*kzg->roots));
    if (!kzg->roots)
        return false;
    pail_cpu_to_element(&kzg->roots[0], kzg->g1, &(pail_u256){{1}});
    for (size_t half = 1, log = 1; half < kzg->n; half *= 2, log++) {
        const pail_u256 root = root_of(kzg, (uint32_t)log);
        pail_kzg_scale(kzg, kzg->roots[half].l, kzg->roots[0].l, &root, half);
    }
    return true;
}

pail_status pail_kzg_scalars_make(struct pail_kzg *kzg)
{
    pail_cpu_vector_factor_in(kzg->factor_in, kzg->scalars, kzg->g1);
    pail_cpu_vector_factor_out(kzg->factor_out, kzg->scalars);
    const pail_u256 one = {{1}}, wide = root_of(kzg, kzg->log_n + 1);
    const uint32_t log_wide = kzg->log_n + 1, log_cell = pail_kzg_log(kzg->cell_elements);
    const pail_u256 generator = generator_of(kzg);
    pail_u256 coset = generator; /* generator^cell_elements: of x^cell_elements at the coset */
    for (uint32_t i = 0; i < log_cell; i++)
        kzg->g1->scalar_mul(&coset, &coset, &coset);
    kzg->wide_root = wide;
    const struct {
        uint32_t log_n;
        size_t polynomials;
        bool backward;
        pail_u256 shift;
    } rows[PAIL_KZG_NTTS] = {
        [PAIL_KZG_NTT_COEFFICIENTS] = {kzg->log_n, 1, true, one},
        [PAIL_KZG_NTT_VALUES] = {kzg->log_n, 1, false, one},
        [PAIL_KZG_NTT_SECOND_HALF] = {kzg->log_n, 1, false, wide},
        [PAIL_KZG_NTT_COLUMNS] = {kzg->log_cells, kzg->cell_elements, false, one},
        [PAIL_KZG_NTT_WIDE] = {log_wide, 1, false, generator},
        [PAIL_KZG_NTT_WIDE_BACK] = {log_wide, 1, true, one},
        [PAIL_KZG_NTT_COSET_BACK] = {log_wide, 1, true, generator},
        [PAIL_KZG_NTT_CELL_BACK] = {log_cell, 1, true, one},
        [PAIL_KZG_NTT_ZERO] = {kzg->log_cells, 1, false, one},
        [PAIL_KZG_NTT_ZERO_COSET] = {kzg->log_cells, 1, false, coset},
    };
    for (size_t i = 0; i < PAIL_KZG_NTTS; i++) {
        const pail_u256 root = root_of(kzg, rows[i].log_n);
        if (!pail_cpu_ntt_make(&kzg->ntts[i], &memory, kzg->scalars, kzg->g1, rows[i].log_n,
                               rows[i].polynomials, rows[i].backward, false, &root, &rows[i].shift))
            return PAIL_ERR_HOST_MEMORY;
        const size_t bytes = pail_cpu_ntt_scratch(&kzg->ntts[i]);
        kzg->ntt_scratch = bytes > kzg->ntt_scratch ? bytes : kzg->ntt_scratch;
    }
    const pail_u256 n = {{kzg->n}}, cells = {{kzg->n_cells}};
    pail_cpu_inverse(&kzg->n_inverse, kzg->g1, &n);
    pail_cpu_inverse(&kzg->cells_inverse, kzg->g1, &cells);
    return make_roots(kzg) ? PAIL_OK : PAIL_ERR_HOST_MEMORY;
}

void pail_kzg_scalars_free(struct pail_kzg *kzg)
{
    for (size_t i = 0; i < PAIL_KZG_NTTS; i++)
        pail_cpu_ntt_free(&kzg->ntts[i], &memory);
    free(kzg->roots);
    kzg->roots = NULL;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */
static uint64_t big_endian(const uint8_t bytes[8])
{
    uint64_t word = 0;
    for (size_t i = 0; i < 8; i++)
        word = word << 8 | bytes[i];
    return word;
}

bool pail_kzg_read_scalar(const struct pail_kzg *kzg, pail_u256 *r, const uint8_t bytes[32])
{
    for (size_t i = 0; i < 4; i++)
        r->l[3 - i] = big_endian(bytes + 8 * i);
    return pail_scalar_less(r, &kzg->g1->order);
}

void pail_kzg_write_scalar(uint8_t bytes[32], const pail_u256 *a)
{
    for (size_t i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(a->l[3 - i / 8] >> (56 - 8 * (i % 8)));
}

size_t pail_kzg_read_scalars(const struct pail_kzg *kzg, uint64_t *elements, const uint8_t *bytes,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pail_u256 scalar;
        if (!pail_kzg_read_scalar(kzg, &scalar, bytes + i * PAIL_KZG_SCALAR_BYTES))
            return i;
        memcpy(at(elements, i), scalar.l, sizeof(scalar.l));
    }
    kzg->scalars->scale(elements, elements, kzg->factor_in, n);
    return n;
}

void pail_kzg_write_scalars(const struct pail_kzg *kzg, uint8_t *bytes, const uint64_t *elements,
                            size_t n)
{
    pail_u256 some[CHUNK];
    for (size_t first = 0; first < n; first += CHUNK) {
        const size_t count = n - first < CHUNK ? n - first : CHUNK;
        pail_kzg_integers(kzg, some, elements + first * WORDS, count);
        for (size_t i = 0; i < count; i++)
            pail_kzg_write_scalar(bytes + (first + i) * PAIL_KZG_SCALAR_BYTES, &some[i]);
    }
    pail_wipe(some, sizeof(some));
}

void pail_kzg_integers(const struct pail_kzg *kzg, pail_u256 *r, const uint64_t *elements, size_t n)
{
    kzg->scalars->scale(r->l, elements, kzg->factor_out, n);
}

void pail_kzg_scale(const struct pail_kzg *kzg, uint64_t *r, const uint64_t *a, const pail_u256 *k,
                    size_t n)
{
    uint64_t factor[PAIL_CPU_FACTOR_WORDS];
    pail_u256 element;
    pail_cpu_to_element(&element, kzg->g1, k);
    kzg->scalars->factor(factor, &element);
    kzg->scalars->scale(r, a, factor, n);
}

void pail_kzg_transform(const struct pail_kzg *kzg, enum pail_kzg_ntt which, uint64_t *r,
                        const uint64_t *a, void *scratch)
{
    struct pail_cpu_throttle throttle;
    const struct pail_cpu_ntt *const ntt = &kzg->ntts[which];
    pail_cpu_throttle_init(&throttle);
    for (uint32_t stage = 0; stage < pail_cpu_ntt_stages(ntt); stage++)
        for (size_t task = 0; task < pail_cpu_ntt_tasks(ntt, stage); task++)
            pail_cpu_ntt_run(ntt, stage, task, r, a, scratch, &throttle);
}

/* ---- Values and quotients -------------------------------------------------------------------- */
static void each(const struct pail_kzg *kzg, enum pail_vector_op_kind kind, uint64_t *r,
                 const uint64_t *a, const uint64_t *b, size_t n)
{
    kzg->scalars->each(kind, r, a, b, NULL, n);
}

/* Replaces n elements, a power of two and none 0, by their inverses: products of halves, round by
 * round, one inversion, and back. products: [n]. */
static void invert(const struct pail_kzg *kzg, uint64_t *a, uint64_t *products, size_t n)
{
    uint64_t *level = a, *next = products;
    for (size_t half = n / 2; half > 0; half /= 2) {
        each(kzg, PAIL_VECTOR_OP_MUL, next, level, at(level, half), half);
        level = next;
        next = at(next, half);
    }
    pail_u256 last;
    pail_kzg_integers(kzg, &last, level, 1);
    pail_cpu_inverse(&last, kzg->g1, &last);
    pail_cpu_to_element(&last, kzg->g1, &last);
    memcpy(level, last.l, sizeof(last.l));
    /* level: the inverses of `half` products; below it the factors, of twice as many. */
    for (size_t half = 1; half < n; half *= 2) {
        uint64_t *const below = half == n / 2 ? a : level - 2 * half * WORDS;
        uint64_t first[CHUNK * WORDS];
        for (size_t i = 0; i < half; i += CHUNK) {
            const size_t count = half - i < CHUNK ? half - i : CHUNK;
            memcpy(first, at(below, i), count * sizeof(pail_u256));
            each(kzg, PAIL_VECTOR_OP_MUL, at(below, i), at(below, half + i), at(level, i), count);
            each(kzg, PAIL_VECTOR_OP_MUL, at(below, half + i), first, at(level, i), count);
        }
        level = below;
    }
}

/* The sum of n elements, a power of two, which are clobbered. */
static void add_up(const struct pail_kzg *kzg, pail_u256 *sum, uint64_t *a, size_t n)
{
    for (size_t half = n / 2; half > 0; half /= 2)
        each(kzg, PAIL_VECTOR_OP_ADD, a, a, at(a, half), half);
    pail_kzg_integers(kzg, sum, a, 1);
}

static void fill(const struct pail_kzg *kzg, uint64_t *elements, const pail_u256 *a, size_t n)
{
    pail_u256 element;
    pail_cpu_to_element(&element, kzg->g1, a);
    for (size_t i = 0; i < n; i++)
        memcpy(at(elements, i), element.l, sizeof(element.l));
}

static void subtract(const struct pail_kzg *kzg, pail_u256 *r, const pail_u256 *a,
                     const pail_u256 *b)
{
    pail_u256 minus;
    kzg->g1->scalar_neg(&minus, b);
    kzg->g1->scalar_add(r, a, &minus);
}

/* Index of the root that z is; n: none. */
static size_t find_root(const struct pail_kzg *kzg, const pail_u256 *z, const pail_u256 *z_to_n)
{
    pail_u256 element;
    if (!pail_cpu_equals(z_to_n, 1))
        return kzg->n;
    pail_cpu_to_element(&element, kzg->g1, z);
    for (size_t i = 0; i < kzg->n; i++)
        if (pail_scalar_equal(&kzg->roots[i], &element))
            return i;
    return kzg->n;
}

void pail_kzg_divide(const struct pail_kzg *kzg, pail_u256 *value, uint64_t *quotient,
                     const uint64_t *f, const pail_u256 *z, uint64_t *scratch)
{
    const size_t n = kzg->n;
    uint64_t *const inverses = scratch, *const products = at(scratch, n),
                    *const terms = at(scratch, 2 * n), *const values = at(scratch, 3 * n);
    const uint64_t *const roots = kzg->roots[0].l;
    const pail_u256 one = {{1}};
    pail_u256 z_to_n = pail_scalar_square_times(kzg->g1, z, kzg->log_n), sum;
    const size_t root = find_root(kzg, z, &z_to_n);
    /* inverses[i] = 1 / (z - w_i); at the root 1 in its place */
    fill(kzg, inverses, z, n);
    each(kzg, PAIL_VECTOR_OP_SUB, inverses, inverses, roots, n);
    if (root < n) {
        pail_kzg_integers(kzg, value, f + root * WORDS, 1);
        if (!quotient)
            return;
        fill(kzg, at(inverses, root), &one, 1);
    }
    invert(kzg, inverses, products, n);
    if (root == n) { /* (z^n - 1) / n times the sum of f_i w_i / (z - w_i) */
        each(kzg, PAIL_VECTOR_OP_MUL, terms, f, roots, n);
        each(kzg, PAIL_VECTOR_OP_MUL, terms, terms, inverses, n);
        add_up(kzg, &sum, terms, n);
        subtract(kzg, &z_to_n, &z_to_n, &one);
        kzg->g1->scalar_mul(&sum, &sum, &z_to_n);
        kzg->g1->scalar_mul(value, &sum, &kzg->n_inverse);
    }
    if (!quotient)
        return;
    /* (value - f_i) / (z - w_i) */
    fill(kzg, values, value, n);
    each(kzg, PAIL_VECTOR_OP_SUB, quotient, values, f, n);
    each(kzg, PAIL_VECTOR_OP_MUL, quotient, quotient, inverses, n);
    if (root == n)
        return;
    /* At the root itself: - 1 / z times the sum of quotient_i w_i over the others, where quotient
     * is 0 at the root. */
    pail_u256 inverse;
    each(kzg, PAIL_VECTOR_OP_MUL, terms, quotient, roots, n);
    add_up(kzg, &sum, terms, n);
    pail_cpu_inverse(&inverse, kzg->g1, z);
    kzg->g1->scalar_mul(&sum, &sum, &inverse);
    kzg->g1->scalar_neg(&sum, &sum);
    fill(kzg, at(quotient, root), &sum, 1);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Row k: the coefficients p[k + cell_elements c], c from 1 on, then zeros, and that of c = 0 last:
 * the polynomial of those divided by x, modulo x^n_cells - 1. */
void pail_kzg_columns_scalars(const struct pail_kzg *kzg, pail_u256 *to,
                              const uint64_t *coefficients, uint64_t *scratch, void *ntt_scratch)
{
    const size_t rows = kzg->cell_elements, cells = kzg->n_cells, half = cells / 2;
    uint64_t *const scaled = to->l; /* [n], a half of it */
    pail_kzg_scale(kzg, scaled, coefficients, &kzg->cells_inverse, kzg->n);
    memset(scratch, 0, 2 * kzg->n * sizeof(pail_u256));
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < half; c++)
            memcpy(at(scratch, k * cells + (c + cells - 1) % cells), at(scaled, k + rows * c),
                   sizeof(pail_u256));
    pail_kzg_transform(kzg, PAIL_KZG_NTT_COLUMNS, scratch, scratch, ntt_scratch);
    pail_kzg_integers(kzg, to, scratch, 2 * kzg->n);
}

/* The polynomial in y = x^cell_elements that is 0 at the missing cells: zero[n_cells] coefficients,
 * at most half of the cells are missing. */
static void vanish(const struct pail_kzg *kzg, uint64_t *zero, uint64_t *product, const bool *there)
{
    pail_u256 root = kzg->wide_root;
    for (size_t length = 1; length < kzg->cell_elements; length *= 2)
        kzg->g1->scalar_mul(&root, &root, &root);
    memset(zero, 0, kzg->n_cells * sizeof(pail_u256));
    fill(kzg, zero, &(pail_u256){{1}}, 1);
    size_t degree = 0;
    pail_u256 power = {{1}}; /* root^c */
    for (size_t c = 0; c < kzg->n_cells; c++) {
        if (!there[pail_reverse_bits(c, kzg->log_cells)]) { /* zero = zero (y - power) */
            pail_kzg_scale(kzg, product, zero, &power, degree + 1);
            memmove(at(zero, 1), zero, (degree + 1) * sizeof(pail_u256));
            memset(zero, 0, sizeof(pail_u256));
            each(kzg, PAIL_VECTOR_OP_SUB, zero, zero, product, degree + 1);
            degree++;
        }
        kzg->g1->scalar_mul(&power, &power, &root);
    }
}

bool pail_kzg_recover(const struct pail_kzg *kzg, uint64_t *coefficients, uint64_t *values,
                      const bool *there, uint64_t *scratch, void *ntt_scratch)
{
    const size_t cells = kzg->n_cells, length = kzg->cell_elements;
    uint64_t *const zero = scratch, *const product = at(scratch, cells),
                    *const inside = at(scratch, 2 * cells), *const outside = at(scratch, 3 * cells);
    vanish(kzg, zero, product, there);
    pail_kzg_transform(kzg, PAIL_KZG_NTT_ZERO, inside, zero, ntt_scratch);
    pail_kzg_transform(kzg, PAIL_KZG_NTT_ZERO_COSET, outside, zero, ntt_scratch);
    invert(kzg, outside, product,
           cells); /* the coset has no root of it: a generator has not order 2 n */
    /* A cell's elements have the same x^cell_elements, so the same value of the polynomial. */
    for (size_t c = 0; c < cells; c++) {
        uint64_t *const cell = at(values, c * length);
        pail_u256 factor;
        pail_kzg_integers(kzg, &factor, at(inside, c), 1);
        if (there[c])
            pail_kzg_scale(kzg, cell, cell, &factor, length);
        else
            memset(cell, 0, length * sizeof(pail_u256));
    }
    pail_kzg_transform(kzg, PAIL_KZG_NTT_WIDE_BACK, values, values, ntt_scratch);
    pail_kzg_transform(kzg, PAIL_KZG_NTT_WIDE, values, values, ntt_scratch);
    for (size_t c = 0; c < cells; c++) {
        pail_u256 factor;
        pail_kzg_integers(kzg, &factor, at(outside, c), 1);
        pail_kzg_scale(kzg, at(values, c * length), at(values, c * length), &factor, length);
    }
    pail_kzg_transform(kzg, PAIL_KZG_NTT_COSET_BACK, coefficients, values, ntt_scratch);
    uint64_t any = 0;
    for (size_t i = kzg->n * WORDS; i < 2 * kzg->n * WORDS; i++)
        any |= coefficients[i];
    return any == 0;
}
