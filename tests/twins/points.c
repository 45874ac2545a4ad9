/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of the kernels in glsl/points. Kernels promise the points, not their coordinates: those of
 * `load`, `multiply` and of projective and Jacobian points of `store` may be others. */
#include <string.h>

#include <curves/twiddles.h>

#include "point.h"

static uint32_t place_of(uint32_t i, uint32_t log_n, uint32_t reversed)
{
    const uint32_t mask = (UINT32_C(1) << log_n) - 1;
    uint32_t r = 0;
    for (uint32_t bit = 0; bit < log_n; bit++)
        r |= (i >> bit & 1) << (log_n - 1 - bit);
    return reversed ? (i & ~mask) + r : i;
}

static struct pail_point_encoding encoding_of(uint32_t flags)
{
    const uint32_t kind = flags & ~(uint32_t)POINTS_MONTGOMERY;
    return (struct pail_point_encoding){.coordinates = kind == POINTS_AFFINE ? 2 : 3,
                                        .jacobian = kind == POINTS_JACOBIAN,
                                        .montgomery = (flags & POINTS_MONTGOMERY) != 0};
}

static void to_bytes(uint8_t *bytes, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
}

static void to_words(uint32_t *words, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i / 4] = (i % 4 ? words[i / 4] : 0) | (uint32_t)bytes[i] << (8 * (i % 4));
}

enum { POINT_MAX = 3 * 48 };

static void load(const struct pail_twin_call *c)
{
    const struct points_load_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    const struct pail_point_encoding e = encoding_of(push->encoding);
    const size_t of_point = e.coordinates * ops->coordinate_bytes;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t from = place_of(i, push->log_n, push->reversed);
        uint8_t bytes[POINT_MAX];
        pail_affine affine;
        pail_point point;
        to_bytes(bytes, c->bound[0] + 4 * (size_t)push->first_raw + from * of_point / 4, of_point);
        ops->load_points(&affine, bytes, 1, e);
        ops->from_affine(&point, &affine);
        pail_twin_store(&c->variant, c->bound[1], i, &point);
    }
}

static void store(const struct pail_twin_call *c)
{
    const struct points_load_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    const struct pail_point_encoding e = encoding_of(push->encoding);
    const size_t of_point = e.coordinates * ops->coordinate_bytes;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t from = place_of(i, push->log_n, push->reversed);
        const pail_point point = pail_twin_load(&c->variant, c->bound[0], from);
        uint8_t bytes[POINT_MAX];
        pail_affine affine;
        ops->to_affine(&affine, &point);
        ops->store_point(bytes, &affine, e);
        to_words(c->bound[1] + 4 * (size_t)push->first_raw + i * of_point / 4, bytes, of_point);
    }
}

/* k1 + k2 lambda */
static pail_u256 number_of(const struct pail_curve_ops *ops, const uint32_t *twiddle)
{
    pail_u256 halves[2] = {{{0}}, {{0}}};
    for (size_t half = 0; half < 2; half++)
        for (size_t i = POINTS_DIGITS; i-- > 0;) {
            const int digit = pail_twiddle_digit(twiddle, half, i);
            pail_u256 d = {{(uint64_t)(digit < 0 ? -digit : digit)}};
            if (digit < 0)
                ops->scalar_neg(&d, &d);
            for (size_t bit = 0; bit < POINTS_DIGIT_BITS; bit++)
                ops->scalar_add(&halves[half], &halves[half], &halves[half]);
            ops->scalar_add(&halves[half], &halves[half], &d);
        }
    ops->scalar_mul(&halves[1], &halves[1], &ops->lambda);
    ops->scalar_add(&halves[0], &halves[0], &halves[1]);
    return halves[0];
}

/* The table is the kernels' own, and points follow with the last steps of `multiply`. */
static void windows(const struct pail_twin_call *c)
{
    (void)c;
}

static void multiply(const struct pail_twin_call *c)
{
    const struct points_multiply_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    const uint32_t *const twiddles = c->bound[0];
    const uint32_t log_n = push->level + push->log_part + push->parts / 2;
    const uint32_t *const products = twiddles + ((size_t)POINTS_TWIDDLE_WORDS << log_n);
    for (uint32_t i = push->first; i < push->first + push->n && push->end == POINTS_STEPS; i++) {
        const uint32_t part = 1u << push->log_part, of_all = i >> push->log_part,
                       block = of_all & ((1u << push->level) - 1),
                       low = ((of_all * push->parts) << push->log_part) + i % part;
        const size_t first = pail_twiddle_number(push->level, block),
                     second = pail_twiddle_number(push->level + 1, 2 * (size_t)block);
        /* Forward values 1 and 2 have c and -c as a factor of their second points, backward value
         * 2 has it: those are products. */
        const bool backward = push->backward != 0;
        const uint32_t *const ds = backward && push->level == 0
                                       ? products
                                       : twiddles + second * POINTS_TWIDDLE_WORDS,
                              *const cds = products + second * POINTS_TWIDDLE_WORDS;
        const uint32_t *const by[2][2] = {
            {ds, backward ? ds + POINTS_TWIDDLE_WORDS : cds},
            {backward ? cds : ds + POINTS_TWIDDLE_WORDS, cds + POINTS_TWIDDLE_WORDS}};
        pail_point a[4], value[2];
        for (uint32_t p = 0; p < push->parts; p++)
            a[p] = pail_twin_load(&c->variant, c->bound[1], low + p * part);
        const uint32_t whole = push->low ? 0 : push->parts / 2;
        const pail_u256 k =
            number_of(ops, twiddles + (push->low ? 0 : first) * POINTS_TWIDDLE_WORDS);
        ops->mul(&a[whole], &a[whole], &k);
        pail_twin_store(&c->variant, c->bound[1], low + whole * part, &a[whole]);
        for (uint32_t v = 0; v < 2 && push->parts == 4 && !push->low; v++) {
            pail_point terms[2];
            for (uint32_t t = 0; t < 2; t++) {
                const pail_u256 factor = number_of(ops, by[v][t]);
                ops->mul(&terms[t], &a[1 + 2 * t], &factor);
            }
            ops->add(&value[v], &terms[0], &terms[1]);
            pail_twin_store(&c->variant, c->bound[1], low + (1 + 2 * v) * part, &value[v]);
        }
    }
}

static void difference(const struct pail_curve_ops *ops, pail_point *r, const pail_point *a,
                       const pail_point *b)
{
    pail_point minus = *b;
    ops->neg(&minus, &minus);
    ops->add(r, a, &minus);
}

static void butterfly(const struct pail_twin_call *c)
{
    const struct points_butterfly_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t part = 1u << push->log_part,
                       low = ((i >> push->log_part) * push->parts << push->log_part) + i % part;
        pail_point a[4], r[4], sum, other;
        for (uint32_t p = 0; p < push->parts; p++)
            a[p] = pail_twin_load(&c->variant, c->bound[0], low + p * part);
        if (push->parts == 2) {
            ops->add(&r[0], &a[0], &a[1]);
            difference(ops, &r[1], &a[0], &a[1]);
        } else if (push->backward) {
            ops->add(&sum, &a[0], &a[1]);
            ops->add(&other, &a[2], &a[3]);
            ops->add(&r[0], &sum, &other);
            difference(ops, &r[1], &a[0], &a[1]);
            difference(ops, &r[2], &sum, &other);
            difference(ops, &r[3], &a[2], &a[3]);
        } else {
            ops->add(&sum, &a[0], &a[2]);
            difference(ops, &other, &a[0], &a[2]);
            ops->add(&r[0], &sum, &a[1]);
            difference(ops, &r[1], &sum, &a[1]);
            ops->add(&r[2], &other, &a[3]);
            difference(ops, &r[3], &other, &a[3]);
        }
        for (uint32_t p = 0; p < push->parts; p++)
            pail_twin_store(&c->variant, c->bound[0], low + p * part, &r[p]);
    }
}

static void encode(const struct pail_twin_call *c)
{
    const struct points_encode_push *push = c->push;
    const size_t width = c->variant.ops->coordinate_bytes;
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t *from = push->in_place ? c->bound[1] + 4 * (size_t)push->first_r
                                              : c->bound[0] + 4 * (size_t)push->first_a;
        uint8_t bytes[POINT_MAX];
        to_bytes(bytes, from + i * width / 4, width);
        c->variant.ops->convert(bytes, bytes, 1, push->to_montgomery);
        to_words(c->bound[1] + 4 * (size_t)push->first_r + i * width / 4, bytes, width);
    }
}

PAIL_TWIN(POINTS_LOAD, load)
PAIL_TWIN(POINTS_STORE, store)
PAIL_TWIN(POINTS_WINDOWS, windows)
PAIL_TWIN(POINTS_MULTIPLY, multiply)
PAIL_TWIN(POINTS_BUTTERFLY, butterfly)
PAIL_TWIN(POINTS_ENCODE, encode)
