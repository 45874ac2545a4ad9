/* SPDX-License-Identifier: Apache-2.0 */
#include "point_sums.h"

#include <string.h>

#include <curves/sums.h>

#include "digit.h"
#include "vector.h"

enum { TOGETHER = 32, SUMS = 4 }; /* of a task */

static uint32_t multiples(const struct pail_cpu_point_sums *sums)
{
    return UINT32_C(1) << (sums->bits - 1);
}

uint64_t pail_cpu_point_sums_table(const pail_vector_op *op)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(op->curve, PAIL_G1);
    const uint64_t n =
        op->kind == PAIL_VECTOR_OP_POINTS_SUMS ? (uint64_t)op->rows << op->log_n : op->n;
    return n * pail_sum_table_bytes(ops, op->window_bits, op->copies);
}

void pail_cpu_point_sums_make(struct pail_cpu_point_sums *sums, const pail_vector_op *op,
                              const unsigned char *from, unsigned char *to,
                              const struct pail_cpu_adder *adder)
{
    const bool table = op->kind == PAIL_VECTOR_OP_POINTS_TABLE;
    *sums = (struct pail_cpu_point_sums){
        .ops = pail_curve_ops(op->curve, PAIL_G1),
        .adder = adder,
        .encoding = pail_point_encoding_of(table ? op->encoding : op->to_encoding),
        .from = from,
        .to = to,
        .n = op->n,
        .columns = UINT64_C(1) << op->log_n,
        .rows = op->rows,
        .bits = op->window_bits,
        .copies = op->copies,
    };
}

void pail_cpu_point_sums_scalars(struct pail_cpu_point_sums *sums,
                                 const struct pail_cpu_scalars *scalars, const uint64_t *elements)
{
    sums->scalars = scalars;
    sums->elements = elements;
    pail_cpu_vector_factor_out(sums->factor, scalars);
}

/* ---- Tables ---------------------------------------------------------------------------------- */
static size_t round_up(size_t bytes)
{
    return (bytes + PAIL_CPU_ALIGNMENT - 1) / PAIL_CPU_ALIGNMENT * PAIL_CPU_ALIGNMENT;
}

/* Scratch of a table's task. */
struct making {
    void *adding;
    unsigned char *own, *sums; /* points, and their multiples at hand */
    struct pail_cpu_pair pairs[TOGETHER];
};

static void twice(const struct pail_cpu_adder *adder, struct making *m, unsigned char *points,
                  size_t n)
{
    for (uint32_t i = 0; i < n; i++)
        m->pairs[i] = (struct pail_cpu_pair){2 * i, 2 * i, i};
    if (adder->twice)
        adder->twice(points, points, m->pairs, n, m->adding);
    else
        adder->add(points, points, points, m->pairs, n, m->adding);
}

static void make_entries(const struct pail_cpu_point_sums *sums, uint64_t first, size_t n,
                         unsigned char *scratch)
{
    const struct pail_cpu_adder *const adder = sums->adder;
    const struct pail_curve_ops *const ops = sums->ops;
    const size_t of_point = adder->point_bytes, of_entry = ops->affine_bytes,
                 encoded = sums->encoding.coordinates * ops->coordinate_bytes;
    const uint32_t apart = sums->bits * pail_sum_rows(ops, sums->bits, sums->copies);
    struct making m = {.adding = scratch, .own = scratch + round_up(adder->scratch_bytes)};
    m.sums = m.own + round_up(TOGETHER * of_point);
    for (size_t i = 0; i < n; i++) {
        pail_affine affine;
        ops->load_points(&affine, sums->from + (size_t)(first + i) * encoded, 1, sums->encoding);
        adder->import(m.own + i * of_point, &affine, 1);
    }
    for (uint32_t copy = 0; copy < sums->copies; copy++) {
        for (uint32_t k = 0; k < apart && copy > 0; k++)
            twice(adder, &m, m.own, n);
        memcpy(m.sums, m.own, n * of_point);
        for (uint32_t d = 1; d <= multiples(sums); d++) {
            for (uint32_t i = 0; i < n && d > 1; i++)
                m.pairs[i] = (struct pail_cpu_pair){2 * i, 2 * i, i};
            if (d > 1)
                adder->add(m.sums, m.sums, m.own, m.pairs, n, m.adding);
            for (size_t i = 0; i < n; i++) {
                pail_affine affine;
                adder->export(&affine, m.sums + i * of_point);
                const uint64_t point = copy * sums->n + first + i;
                memcpy(sums->to + (size_t)(point * multiples(sums) + d - 1) * of_entry,
                       affine.limbs, of_entry);
            }
        }
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */
static void add_entry(const struct pail_cpu_point_sums *sums, pail_point *sum, uint64_t point,
                      int32_t digit)
{
    const struct pail_curve_ops *const ops = sums->ops;
    const uint64_t number = (uint64_t)(digit < 0 ? -digit : digit) - 1;
    pail_affine entry;
    if (digit == 0)
        return;
    memcpy(entry.limbs, sums->from + (size_t)(point * multiples(sums) + number) * ops->affine_bytes,
           ops->affine_bytes);
    if (digit < 0)
        ops->affine_neg(&entry, &entry);
    ops->add_affine(sum, sum, &entry);
}

/* numbers: [rows] */
static void make_sum(const struct pail_cpu_point_sums *sums, uint64_t number, pail_u256 *numbers)
{
    const struct pail_curve_ops *const ops = sums->ops;
    const uint64_t batch = number / sums->columns, column = number % sums->columns;
    const uint32_t windows = pail_sum_windows(ops, sums->bits),
                   rows = pail_sum_rows(ops, sums->bits, sums->copies);
    const size_t encoded = sums->encoding.coordinates * ops->coordinate_bytes;
    pail_affine affine = {{0}};
    pail_point sum;
    for (uint32_t k = 0; k < sums->rows; k++)
        memcpy(numbers[k].l,
               sums->elements + (size_t)((batch * sums->rows + k) * sums->columns + column) *
                                    PAIL_CPU_SCALAR_WORDS,
               sizeof numbers[k].l);
    sums->scalars->scale(numbers->l, numbers->l, sums->factor, sums->rows);
    ops->from_affine(&sum, &affine);
    for (uint32_t row = rows; row-- > 0;) {
        if (row + 1 < rows)
            ops->dbl_times(&sum, &sum, sums->bits);
        for (uint32_t copy = 0; copy < sums->copies; copy++) {
            const uint32_t window = copy * rows + row;
            for (uint32_t k = 0; k < sums->rows && window < windows; k++)
                add_entry(sums, &sum, ((uint64_t)copy * sums->rows + k) * sums->columns + column,
                          pail_cpu_digit(&numbers[k], window, sums->bits));
        }
    }
    ops->to_affine(&affine, &sum);
    ops->store_point(sums->to + (size_t)number * encoded, &affine, sums->encoding);
}

/* ---- All ------------------------------------------------------------------------------------- */
size_t pail_cpu_point_sums_scratch(const struct pail_cpu_point_sums *sums)
{
    return sums->scalars ? round_up(sums->rows * sizeof(pail_u256))
                         : round_up(sums->adder->scratch_bytes) +
                               2 * round_up(TOGETHER * sums->adder->point_bytes);
}

static uint64_t of_task(const struct pail_cpu_point_sums *sums)
{
    return sums->scalars ? SUMS : TOGETHER < sums->adder->batch ? TOGETHER : sums->adder->batch;
}

size_t pail_cpu_point_sums_tasks(const struct pail_cpu_point_sums *sums)
{
    return (size_t)((sums->n + of_task(sums) - 1) / of_task(sums));
}

void pail_cpu_point_sums_run(const struct pail_cpu_point_sums *sums, size_t task, void *scratch)
{
    const uint64_t first = task * of_task(sums), left = sums->n - first;
    const size_t n = (size_t)(left < of_task(sums) ? left : of_task(sums));
    if (!sums->scalars) {
        make_entries(sums, first, n, scratch);
        return;
    }
    for (size_t i = 0; i < n; i++)
        make_sum(sums, first + i, scratch);
}
