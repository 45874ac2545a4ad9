/* SPDX-License-Identifier: Apache-2.0 */
/* Twins of the kernels of glsl/points that add up multiples. Kernels promise the points, not their
 * coordinates, but for affine ones. */
#include <shared/points_layout.h>

#include "point.h"

static pail_point infinity_of(const struct pail_curve_ops *ops)
{
    const pail_affine zero = {{0}};
    pail_point r;
    ops->from_affine(&r, &zero);
    return r;
}

/* Doublings are done with the steps that they end in, and multiples each with its own. */
static void multiples(const struct pail_twin_call *c)
{
    const struct points_multiples_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    for (uint32_t i = 0; i < push->n; i++) {
        pail_point own = pail_twin_load(&c->variant, c->bound[0], i);
        for (uint32_t step = push->step; step < push->end; step++) {
            const uint32_t at = step - push->doublings;
            if (step < push->doublings) {
                ops->dbl(&own, &own);
                pail_twin_store(&c->variant, c->bound[0], i, &own);
                continue;
            }
            pail_point sum = own;
            if (at > 0) {
                sum =
                    pail_twin_load(&c->variant, c->bound[1], (size_t)i * push->multiples + at - 1);
                ops->add(&sum, &sum, &own);
            }
            pail_twin_store(&c->variant, c->bound[1], (size_t)i * push->multiples + at, &sum);
        }
    }
}

static void store_entry(const struct pail_twin_call *c, const struct points_normalize_push *push,
                        size_t at, const pail_point *point)
{
    const struct pail_curve_ops *ops = c->variant.ops;
    const size_t words = pail_twin_affine_words(&c->variant);
    pail_affine affine;
    ops->to_affine(&affine, point);
    ops->affine_to_words(c->bound[1] + 4 * (size_t)push->first_table + words * at, affine.limbs,
                         c->variant.form);
}

static void normalize(const struct pail_twin_call *c)
{
    const struct points_normalize_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    for (uint32_t i = 0; i < push->n; i++) {
        pail_point p = pail_twin_load(&c->variant, c->bound[0], i);
        const size_t before = push->images ? i / push->multiples * push->multiples : 0,
                     at = push->first + before + i;
        store_entry(c, push, at, &p);
        if (!push->images)
            continue;
        ops->mul(&p, &p, &ops->lambda);
        store_entry(c, push, at + push->multiples, &p);
    }
}

static int64_t digit_of(const struct points_sums_push *push, const uint32_t *number,
                        uint32_t window)
{
    uint32_t words[POINTS_NUMBER_WORDS];
    uint64_t sum = 0, digit = 0;
    for (size_t i = 0; i < POINTS_NUMBER_WORDS; i++) {
        sum = (sum >> 32) + number[i] + push->bias[i];
        words[i] = (uint32_t)sum;
    }
    for (uint32_t k = 0; k < push->bits; k++) {
        const uint32_t bit = window * push->bits + k;
        if (bit < 32 * POINTS_NUMBER_WORDS)
            digit |= (uint64_t)(words[bit / 32] >> (bit % 32) & 1) << k;
    }
    return (int64_t)digit - (window == push->unbiased ? 0 : INT64_C(1) << (push->bits - 1));
}

/* The entry of the table that a term of a sum asks for, as a point. */
static pail_point term_of(const struct pail_twin_call *c, uint32_t own, uint32_t row_of_windows,
                          uint32_t term)
{
    const struct points_sums_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    const uint32_t batch = own / push->columns, column = own % push->columns;
    const uint32_t copy = push->constants ? 0 : term / push->rows, row = term % push->rows;
    const uint32_t window = copy * push->windows + row_of_windows;
    const uint32_t *const number =
        c->bound[0] +
        (size_t)POINTS_NUMBER_WORDS *
            (((push->constants ? 0 : batch * push->rows) + row) * push->columns + column);
    pail_point r = infinity_of(ops);
    const int64_t digit = window > push->last ? 0 : digit_of(push, number, window);
    if (digit == 0)
        return r;
    const size_t first = push->constants
                             ? number[POINTS_NUMBER_WORDS - 1] + batch * push->entries
                             : (size_t)(term * push->columns + column) << (push->bits - 1);
    const size_t entry = first + (size_t)(digit < 0 ? -digit : digit) - 1;
    pail_affine affine;
    (void)ops->affine_from_words(affine.limbs,
                                 c->bound[1] + 4 * (size_t)push->first_table +
                                     pail_twin_affine_words(&c->variant) * entry,
                                 c->variant.form);
    ops->from_affine(&r, &affine);
    if (digit < 0)
        ops->neg(&r, &r);
    return r;
}

static void sums(const struct pail_twin_call *c)
{
    const struct points_sums_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    for (uint32_t i = 0; i < push->windows * push->slices * push->n; i++) {
        const uint32_t slice = i / push->n % push->slices, window = i / push->n / push->slices;
        pail_point sum = infinity_of(ops);
        for (uint32_t k = 0; k < push->of_slice; k++) {
            const uint32_t term = slice * push->of_slice + k;
            if (term >= push->terms)
                break;
            const pail_point p = term_of(c, i % push->n, window, term);
            ops->add(&sum, &sum, &p);
        }
        pail_twin_store(&c->variant, c->bound[2], i, &sum);
    }
}

static void horner(const struct pail_twin_call *c)
{
    const struct points_horner_push *push = c->push;
    const struct pail_curve_ops *ops = c->variant.ops;
    const uint32_t of_window = push->doublings + push->of_window;
    for (uint32_t q = 0; q < push->n; q++) {
        pail_point sum =
            push->step ? pail_twin_load(&c->variant, c->bound[1], q) : infinity_of(ops);
        for (uint32_t step = push->step; step < push->end; step++) {
            const uint32_t at = step + push->doublings, within = at % of_window;
            if (within < push->doublings) {
                ops->dbl(&sum, &sum);
                continue;
            }
            const uint32_t term =
                push->terms - (at / of_window + 1) * push->of_window + within - push->doublings;
            const pail_point p = pail_twin_load(
                &c->variant, c->bound[0],
                (size_t)(q / push->width * push->terms + term) * push->width + q % push->width);
            ops->add(&sum, &sum, &p);
        }
        pail_twin_store(&c->variant, c->bound[1], q, &sum);
    }
}

PAIL_TWIN(POINTS_MULTIPLES, multiples)
PAIL_TWIN(POINTS_NORMALIZE, normalize)
PAIL_TWIN(POINTS_SUMS, sums)
PAIL_TWIN(POINTS_HORNER, horner)
