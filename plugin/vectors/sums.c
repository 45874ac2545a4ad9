/* SPDX-License-Identifier: Apache-2.0 */
#include "sums.h"

#include "field.h"
#include "points.h"

#include <curves/sums.h>
#include <shared/vector_layout.h>

/* Parts of sums that are computed together at most, if there are several batches: 100 MB of them of
 * BLS12-381. */
#define PARTS_AT_ONCE (UINT64_C(1) << 19)

/* Multiples that a table's points have in scratch at a time. */
#define MULTIPLES_AT_ONCE (UINT64_C(1) << 17)

/* Results of truncations that are computed together, if there are several. */
#define TRUNCATED_AT_ONCE (UINT64_C(1) << 13)

/* Threads that large devices want: sums are cut into slices until there are so many. */
#define THREADS_WANTED (UINT64_C(1) << 16)

/* Parts that a quad adds up in a pass over slices: few, because they come in a row. */
#define FAN 8u

/* Points that share an inversion, unless there are fewer threads than a large device has. */
#define INVERTED_TOGETHER 32u
#define INVERTED_TOGETHER_X32                                                                      \
    4u /* rounds of loops are few there, as for MSM_NORMALIZE_POINTS_X32 */
#define INVERTING (UINT64_C(1) << 15)

/* Terms that a thread adds up at most, in loops that llvmpipe ends (POINTS_STEPS_X32), and within
 * the time that a workgroup, which no portion divides, may take. */
#define LONGEST 4096u

/* How sums are computed: sizes, and the layout of scratch. */
struct plan {
    enum pail_field_form form;
    const struct pail_curve_ops *ops;
    uint64_t xyzz, affine; /* bytes of a point */
    uint64_t most;         /* bytes that a binding has */
    uint32_t columns, rows, terms, windows, bits, last;
    uint32_t slices, of_slice;
    uint32_t multiples; /* of a point in a table */
    uint64_t at_once;   /* results, or points of a table */
    uint64_t largest;   /* bytes of the largest range */
    /* Offsets in scratch: points or sums, scalars or multiples, the table of a truncation, parts
     * of sums, and parts when slices are added up. */
    uint64_t second, table, parts, folded, bytes;
};

uint64_t pail_sums_table_bytes(const pail_vector_op *op)
{
    const uint64_t n =
        op->kind == PAIL_VECTOR_OP_POINTS_SUMS ? (uint64_t)op->rows << op->log_n : op->n;
    return n *
           pail_sum_table_bytes(pail_curve_ops(op->curve, PAIL_G1), op->window_bits, op->copies);
}

uint64_t pail_sums_from_bytes(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_POINTS_SUMS ? pail_sums_table_bytes(op)
                                                  : pail_points_bytes(op, op->encoding);
}

uint64_t pail_sums_to_bytes(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_POINTS_TABLE ? pail_sums_table_bytes(op)
                                                   : pail_points_bytes(op, op->to_encoding);
}

static uint64_t parts_bytes(const struct plan *p)
{
    return p->at_once * p->windows * p->slices * p->xyzz;
}

/* Slices of the terms of each sum: a power of FAN or twice or four times that, so that passes over
 * them are few. */
static void cut(struct plan *p)
{
    const uint64_t parts = p->at_once * p->windows;
    const uint32_t longest = p->form == PAIL_FORM_X32 ? POINTS_STEPS_X32 : LONGEST;
    p->slices = 1;
    while ((parts * p->slices < THREADS_WANTED && 2 * p->slices < p->terms &&
            2 * parts_bytes(p) <= p->most) ||
           (p->terms - 1) / p->slices >= longest)
        p->slices *= 2;
    p->of_slice = (p->terms + p->slices - 1) / p->slices;
}

/* Cuts sums, with fewer batches at once where a binding has not the parts of so many. */
static void cut_within(struct plan *p)
{
    for (cut(p); parts_bytes(p) > p->most && p->at_once > p->columns; cut(p))
        p->at_once = p->at_once / p->columns / 2 * p->columns;
}

/* Lays scratch out, of so many bytes at each place. */
static void lay_out(struct plan *p, const struct pail_vk_caps *caps, uint64_t points,
                    uint64_t second, uint64_t table)
{
    const uint64_t align = caps->storage_align > 32 ? caps->storage_align : 32,
                   parts = parts_bytes(p),
                   folded =
                       p->slices > 1 ? (parts + FAN - 1) / (p->slices < FAN ? p->slices : FAN) : 0;
    const uint64_t sizes[] = {points, second, table, parts, folded};
    uint64_t *const ends[] = {&p->second, &p->table, &p->parts, &p->folded, &p->bytes};
    uint64_t at = 0;
    p->largest = 0;
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        at += pail_points_round_up(sizes[i], align);
        *ends[i] = at;
        p->largest = sizes[i] > p->largest ? sizes[i] : p->largest;
    }
}

static uint64_t whole(uint64_t at_once, uint64_t columns, uint64_t n)
{
    const uint64_t batches = at_once / columns, all = n / columns;
    return (batches == 0 ? 1 : batches < all ? batches : all) * columns;
}

static struct plan plan_of(const struct pail_vectors *field, const pail_vector_op *op)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    const struct pail_curve_ops *ops = pail_curve_ops(op->curve, PAIL_G1);
    struct plan p = {.form = pail_points_form(caps),
                     .ops = ops,
                     .xyzz = 4 * ops->coordinate_bytes,
                     .affine = 2 * ops->coordinate_bytes,
                     .most = caps->max_storage_range - caps->storage_align};
    const uint64_t at_most = p.most / p.xyzz;
    if (op->kind == PAIL_VECTOR_OP_POINTS_TRUNCATE) {
        p.columns = 1u << op->log_n;
        p.bits = POINTS_CONSTANT_BITS;
        p.multiples = POINTS_CONSTANT_MULTIPLES;
        p.windows = POINTS_CONSTANT_WINDOWS;
        p.last = p.windows - 1;
        p.terms = p.rows = pail_truncation_terms(op->log_n);
        const uint64_t fit = at_most / p.multiples;
        p.at_once = whole(fit < TRUNCATED_AT_ONCE ? fit : TRUNCATED_AT_ONCE, p.columns, op->n);
        cut_within(&p);
        lay_out(&p, caps, p.at_once * p.xyzz, p.at_once * p.multiples * p.xyzz,
                p.at_once * 2 * p.multiples * p.affine);
        return p;
    }
    p.bits = op->window_bits;
    p.multiples = 1u << (p.bits - 1);
    if (op->kind == PAIL_VECTOR_OP_POINTS_TABLE) {
        const uint64_t fit =
            (at_most < MULTIPLES_AT_ONCE ? at_most : MULTIPLES_AT_ONCE) / p.multiples;
        p.at_once = fit < op->n ? fit : op->n;
        lay_out(&p, caps, p.at_once * p.xyzz, p.at_once * p.multiples * p.xyzz, 0);
        return p;
    }
    p.columns = 1u << op->log_n;
    p.rows = op->rows;
    p.windows = pail_sum_rows(ops, p.bits, op->copies);
    p.last = pail_sum_windows(ops, p.bits) - 1;
    p.terms = op->rows * op->copies;
    const uint64_t fit = (at_most < PARTS_AT_ONCE ? at_most : PARTS_AT_ONCE) / p.windows;
    p.at_once = whole(fit, p.columns, op->n);
    cut_within(&p);
    lay_out(&p, caps, p.at_once * p.xyzz, p.at_once * p.rows * 32, 0);
    return p;
}

pail_status pail_sums_check(struct pail_vectors *field, const pail_vector_op *op, size_t number,
                            struct pail_error *err)
{
    const struct plan p = plan_of(field, op);
    const bool truncates = op->kind == PAIL_VECTOR_OP_POINTS_TRUNCATE;
    const uint64_t table = truncates ? pail_truncation_bytes(op->log_n) : pail_sums_table_bytes(op);
    /* A table is made of one point at a time at least. */
    const uint64_t one = op->kind == PAIL_VECTOR_OP_POINTS_TABLE ? p.multiples * p.xyzz : 0,
                   scratch = p.largest > one ? p.largest : one,
                   largest = table > scratch ? table : scratch;
    if (largest <= p.most)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                     "ops[%zu]: %s of %llu bytes, but device \"%s\" binds %llu at a time", number,
                     largest > table ? "scratch"
                     : truncates     ? "constants"
                                     : "a table",
                     (unsigned long long)largest, pail_vk_device_caps(field->dev)->name,
                     (unsigned long long)p.most);
}

uint64_t pail_sums_scratch(const struct pail_vectors *field, const pail_vector_op *op)
{
    return plan_of(field, op).bytes;
}

/* ---- Steps ----------------------------------------------------------------------------------- */
/* Context that the functions below share. */
struct adding {
    struct pail_points_at at; /* points, or results */
    const struct plan *plan;
};

static struct adding begin(struct pail_field_steps *s, const struct pail_field_op *op,
                           const struct plan *plan, const struct pail_vk_slice *scratch)
{
    s->stores = true;
    return (struct adding){.at = {.s = s,
                                  .op = op,
                                  .form = plan->form,
                                  .xyzz = plan->xyzz,
                                  .scratch = pail_field_region(s, scratch)},
                           .plan = plan};
}

static struct pail_vk_range scratch_range(const struct adding *g, uint64_t at, uint64_t bytes)
{
    return (struct pail_vk_range){g->at.scratch, at, bytes};
}

/* One dispatch of so many threads. */
static void add_dispatch(const struct adding *g, enum pail_kernel_id kernel, const void *push,
                         uint64_t threads, uint32_t workgroup, double adds,
                         const struct pail_vk_range *ranges, uint32_t n_ranges)
{
    const struct pail_vk_pipeline_request request =
        pail_points_request(kernel, g->at.op->op.curve, g->plan->form);
    struct pail_vk_dispatch d = {.request = &request,
                                 .push = push,
                                 .work =
                                     pail_points_additions(g->plan->ops->coordinate_bytes, adds)};
    for (uint32_t i = 0; i < n_ranges; i++)
        d.bindings[i] = ranges[i];
    pail_vk_grid(threads, workgroup, d.grid);
    pail_vk_steps_dispatch(&g->at.s->list, &d);
}

/* The end of a dispatch of steps. */
static uint32_t end_of(const struct adding *g, uint32_t step, uint32_t steps)
{
    const uint32_t most = g->plan->form == PAIL_FORM_X32 ? POINTS_STEPS_X32 : steps;
    return steps - step < most ? steps : step + most;
}

/* The points' multiples, in scratch behind them. */
static void add_multiples(const struct adding *g, uint32_t doublings)
{
    const struct plan *p = g->plan;
    struct points_multiples_push push = {
        .n = (uint32_t)g->at.n, .doublings = doublings, .multiples = p->multiples};
    const uint32_t steps = doublings + p->multiples;
    const struct pail_vk_range ranges[] = {
        pail_points_range(&g->at), scratch_range(g, p->second, g->at.n * p->multiples * p->xyzz)};
    for (; push.step < steps; push.step = push.end) {
        push.end = end_of(g, push.step, steps);
        add_dispatch(g, PAIL_KERNEL_POINTS_MULTIPLES, &push, g->at.n * POINTS_QUAD,
                     POINTS_QUAD_WORKGROUP, (double)g->at.n * (push.end - push.step), ranges, 2);
    }
}

/* Multiples as affine entries. */
static void add_normalization(const struct adding *g, const struct pail_vk_range *table,
                              uint32_t first_table, bool images, uint64_t first)
{
    const struct plan *p = g->plan;
    const uint64_t n = g->at.n * p->multiples;
    const uint32_t together = p->form == PAIL_FORM_X32 ? INVERTED_TOGETHER_X32 : INVERTED_TOGETHER;
    uint64_t threads = (n + together - 1) / together;
    if (threads < INVERTING)
        threads = n < INVERTING ? n : INVERTING;
    const struct points_normalize_push push = {.n = (uint32_t)n,
                                               .threads = (uint32_t)threads,
                                               .multiples = p->multiples,
                                               .images = images,
                                               .first = (uint32_t)first,
                                               .first_table = first_table};
    const struct pail_vk_range ranges[] = {scratch_range(g, p->second, n * p->xyzz), *table};
    add_dispatch(g, PAIL_KERNEL_POINTS_NORMALIZE, &push, threads, POINTS_WORKGROUP,
                 (double)n + 40.0 * (double)threads, ranges, 2);
}

/* Sums of `terms` parts to each of n points, with so many doublings before each `of_window`. */
static void add_horner(const struct adding *g, uint64_t from, uint64_t to, uint64_t n,
                       struct points_horner_push push)
{
    const struct plan *p = g->plan;
    const uint32_t steps =
        push.terms / push.of_window * (push.doublings + push.of_window) - push.doublings;
    const struct pail_vk_range ranges[] = {scratch_range(g, from, n * push.terms * p->xyzz),
                                           scratch_range(g, to, n * p->xyzz)};
    push.n = (uint32_t)n;
    for (; push.step < steps; push.step = push.end) {
        push.end = end_of(g, push.step, steps);
        add_dispatch(g, PAIL_KERNEL_POINTS_HORNER, &push, n * POINTS_QUAD, POINTS_QUAD_WORKGROUP,
                     (double)n * (push.end - push.step), ranges, 2);
    }
}

/* Sums of table entries by the digits of numbers, to the points of scratch. */
static void add_sums(const struct adding *g, struct points_sums_push push,
                     const struct pail_vk_range *numbers, const struct pail_vk_range *table)
{
    const struct plan *p = g->plan;
    const uint64_t sums = g->at.n * p->windows;
    push.n = (uint32_t)g->at.n;
    push.columns = p->columns;
    push.terms = p->terms;
    push.rows = p->rows;
    push.slices = p->slices;
    push.of_slice = p->of_slice;
    push.windows = p->windows;
    push.bits = p->bits;
    push.last = p->last;
    const struct pail_vk_range ranges[] = {*numbers, *table,
                                           scratch_range(g, p->parts, sums * p->slices * p->xyzz)};
    add_dispatch(g, PAIL_KERNEL_POINTS_SUMS, &push, sums * p->slices, POINTS_SUMS_WORKGROUP,
                 (double)sums * p->terms, ranges, 3);
    uint64_t from = p->parts, to = p->folded;
    for (uint32_t slices = p->slices; slices > 1;) {
        const uint32_t fan = slices < FAN ? slices : FAN;
        slices /= fan;
        add_horner(g, from, to, sums * slices,
                   (struct points_horner_push){
                       .width = (uint32_t)g->at.n, .terms = fan, .of_window = fan});
        const uint64_t other = from;
        from = to;
        to = other;
    }
    add_horner(
        g, from, 0, g->at.n,
        (struct points_horner_push){
            .width = (uint32_t)g->at.n, .terms = p->windows, .of_window = 1, .doublings = p->bits});
}

void pail_sums_add_table(struct pail_field_steps *s, const struct pail_field_op *op,
                         const struct pail_vk_slice *scratch)
{
    const pail_vector_op *o = &op->op;
    const struct plan plan = plan_of(s->field, o);
    struct adding g = begin(s, op, &plan, scratch);
    const uint32_t apart = plan.bits * pail_sum_rows(plan.ops, plan.bits, o->copies);
    uint32_t first;
    const struct pail_vk_range table =
        pail_points_memory(s, &op->to, 0, pail_sums_table_bytes(o), &first);
    for (uint64_t done = 0; done < o->n; done += g.at.n) {
        g.at.n = o->n - done < plan.at_once ? o->n - done : plan.at_once;
        pail_points_add_ends(&g.at, true, done, false);
        for (uint32_t copy = 0; copy < o->copies; copy++) {
            add_multiples(&g, copy ? apart : 0);
            add_normalization(&g, &table, first, false, (copy * o->n + done) * plan.multiples);
        }
    }
}

void pail_sums_add(struct pail_field_steps *s, const struct pail_field_op *op,
                   const struct pail_vk_slice *scratch)
{
    const pail_vector_op *o = &op->op;
    const struct plan plan = plan_of(s->field, o);
    struct adding g = begin(s, op, &plan, scratch);
    const struct pail_vk_slice scalars = pail_vector_all(o->a);
    struct points_sums_push push = {.unbiased = plan.last};
    const struct pail_vk_range table =
        pail_points_memory(s, &op->place, 0, pail_sums_table_bytes(o), &push.first_table);
    pail_sum_bias(push.bias, plan.bits, plan.last);
    for (uint64_t done = 0; done < o->n; done += g.at.n) {
        g.at.n = o->n - done < plan.at_once ? o->n - done : plan.at_once;
        const uint64_t n = g.at.n * plan.rows;
        pail_vector_encode_steps(s, o->curve, VECTOR_ENCODE, scratch, plan.second / 32, &scalars,
                                 o->a_offset + done * plan.rows, n);
        const struct pail_vk_range numbers = scratch_range(&g, plan.second, 32 * n);
        add_sums(&g, push, &numbers, &table);
        pail_points_add_ends(&g.at, false, done, false);
    }
}

/* Sums and differences of the halves of each sequence. */
static void add_halves(const struct adding *g)
{
    const struct points_butterfly_push push = {
        .n = (uint32_t)(g->at.n / 2), .log_part = g->at.op->op.log_n - 1, .parts = 2};
    const struct pail_vk_range ranges[] = {pail_points_range(&g->at)};
    add_dispatch(g, PAIL_KERNEL_POINTS_BUTTERFLY, &push, g->at.n / 2 * POINTS_QUAD,
                 POINTS_QUAD_WORKGROUP, (double)g->at.n, ranges, 1);
}

void pail_sums_add_truncation(struct pail_field_steps *s, const struct pail_field_op *op,
                              const struct pail_vk_slice *scratch)
{
    const pail_vector_op *o = &op->op;
    const struct plan plan = plan_of(s->field, o);
    struct adding g = begin(s, op, &plan, scratch);
    const struct pail_vk_slice all =
        pail_vk_buffer_slice(&op->table->buffer, 0, op->table->buffer.size);
    const struct pail_vk_range constants = {pail_field_region(s, &all), 0, all.size};
    const struct points_sums_push push = {
        .unbiased = POINTS_NO_WINDOW, .constants = 1, .entries = 2 * plan.multiples * plan.columns};
    const bool reversed = o->flags & PAIL_VECTOR_OP_BIT_REVERSED;
    for (uint64_t done = 0; done < o->n; done += g.at.n) {
        g.at.n = o->n - done < plan.at_once ? o->n - done : plan.at_once;
        const struct pail_vk_range table =
            scratch_range(&g, plan.table, g.at.n * 2 * plan.multiples * plan.affine);
        pail_points_add_ends(&g.at, true, done, reversed);
        add_halves(&g);
        add_multiples(&g, 0);
        add_normalization(&g, &table, 0, true, 0);
        add_sums(&g, push, &constants, &table);
        add_halves(&g);
        pail_points_add_ends(&g.at, false, done, reversed);
    }
}
