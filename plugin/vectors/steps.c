/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include "field.h"
#include "points.h"
#include "sums.h"

#include <shared/vector_layout.h>

/* Products of an addition of points, which is what work is measured in: 64 products of words. */
#define PRODUCTS_OF_ADDITION 12.0
#define UNITS_OF_ADDITION    64.0

/* Scratch of a batch of transforms, where one does not take more. */
#define BATCH_ELEMENTS (UINT64_C(1) << 23)

static bool is_zero(const uint8_t bytes[32])
{
    uint8_t any = 0;
    for (uint32_t i = 0; i < 32; i++)
        any |= bytes[i];
    return any == 0;
}

/* 0 stands for 1. */
static pail_u256 factor_of(const uint8_t bytes[32])
{
    pail_u256 r = pail_scalar_of(1);
    if (!is_zero(bytes))
        pail_u256_from_bytes(&r, bytes);
    return r;
}

static struct pail_ntt_kind kind_of(const pail_vector_op *op)
{
    const pail_u256 shift = factor_of(op->shift), one = pail_scalar_of(1);
    return (struct pail_ntt_kind){
        .log_n = op->log_n,
        .inverse = pail_op_inverts(op),
        .reversed = (op->flags & PAIL_VECTOR_OP_BIT_REVERSED) != 0,
        .shifted = !pail_scalar_equal(&shift, &one),
        .any = pail_op_within_memory(op),
    };
}

static uint32_t bits_for(uint64_t n)
{
    uint32_t bits = 1;
    while (bits < 63 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

bool pail_field_table_key(struct pail_table_key *key, const pail_vector_op *op,
                          const struct pail_ntt_kernel *kernel)
{
    *key = (struct pail_table_key){.curve = pail_op_curve(op)};
    if (op->n == 0)
        return false;
    key->shift = factor_of(op->shift);
    if (pail_op_of_points(op)) {
        if (op->kind == PAIL_VECTOR_OP_POINTS_TABLE || op->kind == PAIL_VECTOR_OP_POINTS_SUMS)
            return false;
        key->points = op->kind == PAIL_VECTOR_OP_POINTS_TRUNCATE ? 2 : 1;
        key->log_n = op->log_n;
        key->inverse = op->kind == PAIL_VECTOR_OP_POINTS_INTT;
        pail_u256_from_bytes(&key->root, op->root);
        return op->kind != PAIL_VECTOR_OP_POINTS_CONVERT && op->log_n > 0;
    }
    if (op->kind == PAIL_VECTOR_OP_POWERS) {
        key->form = PAIL_FORM_X32;
        key->log_n = bits_for(op->n);
        key->scale = factor_of(op->scale);
        return true;
    }
    if (!pail_op_transforms(op) || op->log_n == 0)
        return false;
    const struct pail_ntt_kind kind = kind_of(op);
    const struct pail_ntt_plan plan = pail_ntt_plan(kernel, &kind);
    key->form = kernel->form;
    key->log_n = op->log_n;
    key->transform = 1;
    key->inverse = kind.inverse;
    key->shifted = kind.shifted;
    key->parts = plan.n;
    for (uint32_t i = 0; i < plan.n; i++)
        key->bits[i] = plan.bits[i];
    pail_u256_from_bytes(&key->root, op->root);
    return true;
}

uint64_t pail_ntt_batch(uint64_t most, uint32_t log_n, uint64_t n)
{
    const uint64_t elements = most < BATCH_ELEMENTS ? most : BATCH_ELEMENTS;
    const uint64_t batch = elements >> log_n, all = n >> log_n;
    return batch == 0 ? 1 : batch < all ? batch : all;
}

/* Transforms of one dispatch. */
static uint64_t batch_of(const struct pail_vectors *field, const pail_vector_op *op)
{
    return pail_ntt_batch(pail_field_binding_most(field), op->log_n, op->n);
}

uint64_t pail_field_scratch_of(const struct pail_vectors *field, const pail_vector_op *op,
                               const struct pail_ntt_kernel *kernel)
{
    if (op->n == 0)
        return 0;
    if (pail_op_of_sums(op))
        return pail_sums_scratch(field, op) / 32;
    if (pail_op_of_points(op))
        return pail_points_scratch(field, op) / 32;
    if (op->kind == PAIL_VECTOR_OP_SPMV)
        return pail_matrix_scratch(op->matrix);
    if (!pail_op_transforms(op) || op->log_n == 0)
        return 0;
    const struct pail_ntt_kind kind = kind_of(op);
    const struct pail_ntt_plan plan = pail_ntt_plan(kernel, &kind);
    return plan.n > 1 && !kind.reversed ? batch_of(field, op) << op->log_n : 0;
}

/* Context that the functions below share. */
struct adding {
    struct pail_field_steps *s;
    const pail_vector_op *op;
    const struct pail_table *table;
    const struct pail_vk_slice *scratch, *place, *to;
};

/* Place of elements: of an operand, or of results that scratch has. */
struct place {
    uint32_t region;
    uint64_t offset; /* in elements */
};

static uint32_t region_of(const struct adding *g, const pail_vector *vector)
{
    const struct pail_vk_slice all = pail_vector_all(vector);
    return pail_field_region(g->s, &all);
}

static struct place place_in(const struct adding *g, const pail_vector *vector, uint64_t offset)
{
    return (struct place){region_of(g, vector), offset};
}

static struct place place_at(const struct adding *g, const struct pail_vk_slice *at)
{
    const struct pail_vk_slice all = pail_vk_buffer_slice(at->buffer, 0, at->buffer->size);
    return (struct place){pail_field_region(g->s, &all), at->offset / 32};
}

static struct pail_vk_range table_range(const struct adding *g)
{
    const struct pail_vk_slice all =
        pail_vk_buffer_slice(&g->table->buffer, 0, g->table->buffer.size);
    return (struct pail_vk_range){pail_field_region(g->s, &all), 0, all.size};
}

/* Words that are read or written. */
static struct pail_vk_work words(double of_item, uint64_t items)
{
    return (struct pail_vk_work){.kind = PAIL_VK_WORDS, .units = of_item * (double)items};
}

static struct pail_vk_pipeline_request request_of(const struct adding *g,
                                                  enum pail_kernel_id kernel)
{
    return (struct pail_vk_pipeline_request){.kernel = kernel,
                                             .variant = {.curve = g->op->r->curve}};
}

/* ---- Between vectors and memory -------------------------------------------------------------- */
static void add_load(const struct adding *g)
{
    const pail_vector_op *op = g->op;
    const struct pail_vk_buffer *buffer = g->place->buffer;
    const struct pail_vk_slice from = pail_vk_buffer_slice(buffer, 0, buffer->size),
                               to = pail_vector_all(op->r);
    pail_vector_encode_steps(g->s, op->r->curve,
                             op->encoding == PAIL_ENCODING_MONTGOMERY ? VECTOR_REDUCE
                                                                      : VECTOR_DECODE,
                             &to, op->r_offset, &from, g->place->offset / 32, op->n);
}

static void add_store(const struct adding *g)
{
    const pail_vector_op *op = g->op;
    const struct pail_vk_buffer *buffer = g->place->buffer;
    const struct pail_vk_slice to = pail_vk_buffer_slice(buffer, 0, buffer->size),
                               from = pail_vector_all(op->a);
    g->s->stores = true;
    if (op->encoding == PAIL_ENCODING_MONTGOMERY)
        pail_vk_steps_copy(
            &g->s->list,
            (struct pail_vk_range){pail_field_region(g->s, &from), 32 * op->a_offset, 32 * op->n},
            (struct pail_vk_range){pail_field_region(g->s, &to), g->place->offset, 32 * op->n});
    else
        pail_vector_encode_steps(g->s, op->a->curve, VECTOR_ENCODE, &to, g->place->offset / 32,
                                 &from, op->a_offset, op->n);
}

/* Adds a copy of what may be any integers, which are below the order then. */
static void add_reduction(const struct adding *g)
{
    const struct pail_vk_buffer *a = g->place->buffer, *r = g->to->buffer;
    const struct pail_vk_slice from = pail_vk_buffer_slice(a, 0, a->size),
                               to = pail_vk_buffer_slice(r, 0, r->size);
    pail_vector_encode_steps(g->s, g->op->curve, VECTOR_REDUCE, &to, g->to->offset / 32, &from,
                             g->place->offset / 32, g->op->n);
}

/* ---- Element by element ---------------------------------------------------------------------- */
static void add_copy(const struct adding *g)
{
    const pail_vector_op *op = g->op;
    if (op->a == op->r && op->a_offset == op->r_offset)
        return;
    pail_vk_steps_copy(&g->s->list,
                       (struct pail_vk_range){region_of(g, op->a), 32 * op->a_offset, 32 * op->n},
                       (struct pail_vk_range){region_of(g, op->r), 32 * op->r_offset, 32 * op->n});
}

static void add_arith(const struct adding *g, uint64_t done, uint64_t n)
{
    static const uint32_t operations[] = {[PAIL_VECTOR_OP_ADD] = VECTOR_ADD,
                                          [PAIL_VECTOR_OP_SUB] = VECTOR_SUB,
                                          [PAIL_VECTOR_OP_MUL] = VECTOR_MUL,
                                          [PAIL_VECTOR_OP_MUL_SUB] = VECTOR_MUL_SUB};
    const pail_vector_op *op = g->op;
    const struct pail_vk_pipeline_request request = request_of(g, PAIL_KERNEL_VECTOR_ARITH);
    struct vector_arith_push push = {.n = (uint32_t)n, .operation = operations[op->kind]};
    struct pail_vk_dispatch d = {.request = &request, .push = &push, .work = words(48.0, n)};
    d.bindings[0] =
        pail_field_elements(g->s, region_of(g, op->a), op->a_offset + done, n, &push.first_a);
    d.bindings[1] =
        pail_field_elements(g->s, region_of(g, op->b), op->b_offset + done, n, &push.first_b);
    d.bindings[2] = d.bindings[1]; /* some binding, where there is no c */
    if (op->c)
        d.bindings[2] =
            pail_field_elements(g->s, region_of(g, op->c), op->c_offset + done, n, &push.first_c);
    d.bindings[3] =
        pail_field_elements(g->s, region_of(g, op->r), op->r_offset + done, n, &push.first_r);
    pail_vk_grid(n, VECTOR_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&g->s->list, &d);
}

static void add_powers(const struct adding *g, uint64_t done, uint64_t n)
{
    const pail_vector_op *op = g->op;
    const struct pail_vk_pipeline_request request = request_of(g, PAIL_KERNEL_VECTOR_POWERS);
    struct vector_powers_push push = {
        .n = (uint32_t)n,
        .number = (uint32_t)done,
        .low_bits = g->table->scales.bits,
        .low = g->table->scales.low,
        .high = g->table->scales.high,
    };
    struct pail_vk_dispatch d = {.request = &request, .push = &push, .work = words(64.0, n)};
    d.bindings[0] =
        pail_field_elements(g->s, region_of(g, op->a), op->a_offset + done, n, &push.first_a);
    d.bindings[1] = table_range(g);
    d.bindings[2] =
        pail_field_elements(g->s, region_of(g, op->r), op->r_offset + done, n, &push.first_r);
    pail_vk_grid(n, VECTOR_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&g->s->list, &d);
}

/* Adds steps in pieces that fit a binding. */
static void add_pieces(const struct adding *g,
                       void (*add)(const struct adding *g, uint64_t done, uint64_t n))
{
    const uint64_t most = pail_field_binding_most(g->s->field);
    for (uint64_t done = 0; done < g->op->n; done += most)
        add(g, done, g->op->n - done < most ? g->op->n - done : most);
}

/* Adds the reordering of blocks. */
static void add_reversal(const struct adding *g, struct place a, struct place r)
{
    const pail_vector_op *op = g->op;
    const struct pail_vk_pipeline_request request = {.kernel = PAIL_KERNEL_VECTOR_REVERSE};
    const uint64_t blocks = pail_field_binding_most(g->s->field) >> op->log_n;
    for (uint64_t done = 0, n; done < op->n; done += n) {
        const uint64_t left = op->n - done;
        n = blocks << op->log_n;
        n = n < left ? n : left;
        struct vector_reverse_push push = {.n = (uint32_t)n,
                                           .log_n = op->log_n,
                                           .in_place =
                                               a.region == r.region && a.offset == r.offset};
        struct pail_vk_dispatch d = {.request = &request, .push = &push, .work = words(32.0, n)};
        d.bindings[0] = pail_field_elements(g->s, a.region, a.offset + done, n, &push.first_a);
        d.bindings[1] = pail_field_elements(g->s, r.region, r.offset + done, n, &push.first_r);
        pail_vk_grid(n, VECTOR_WORKGROUP, d.grid);
        pail_vk_steps_dispatch(&g->s->list, &d);
    }
}

/* ---- Sparse products ------------------------------------------------------------------------- */
static struct pail_vk_range structure_range(const struct adding *g)
{
    const struct pail_vk_buffer *buffer = &g->op->matrix->structure;
    const struct pail_vk_slice all = pail_vk_buffer_slice(buffer, 0, buffer->size);
    return (struct pail_vk_range){pail_field_region(g->s, &all), 0, all.size};
}

static void add_part(const struct adding *g, uint32_t part, struct place to)
{
    const pail_vector_op *op = g->op;
    const pail_matrix *m = op->matrix;
    const struct pail_matrix_part *at = &m->parts[part];
    const uint64_t n = at[1].piece - at->piece, n_values = at[1].value - at->value;
    const struct pail_vk_slice values = pail_vk_buffer_slice(&m->values, 0, m->values.size);
    const struct pail_vk_pipeline_request request = request_of(g, PAIL_KERNEL_VECTOR_SPMV);
    struct vector_spmv_push push = {
        .n = (uint32_t)n,
        .starts = (uint32_t)(m->levels[0].starts + at->piece),
        .columns = (uint32_t)m->columns,
        .before = (uint32_t)at->value,
    };
    struct pail_vk_dispatch d = {
        .request = &request, .push = &push, .work = words(64.0, n_values + n)};
    d.bindings[0] = structure_range(g);
    d.bindings[1] = pail_field_elements(g->s, pail_field_region(g->s, &values), at->value, n_values,
                                        &push.first_values);
    if (n_values == 0) /* some binding */
        d.bindings[1] = d.bindings[0];
    d.bindings[2] = m->n_columns ? pail_field_elements(g->s, region_of(g, op->a), op->a_offset,
                                                       m->n_columns, &push.first_a)
                                 : d.bindings[0];
    d.bindings[3] = pail_field_elements(g->s, to.region, to.offset + at->piece, n, &push.first_r);
    pail_vk_grid(n, VECTOR_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&g->s->list, &d);
}

static void add_sums(const struct adding *g, uint32_t level, struct place from, struct place to)
{
    const struct pail_matrix_level *levels = g->op->matrix->levels;
    const uint64_t n = levels[level].n, parts = levels[level - 1].n;
    const struct pail_vk_pipeline_request request = request_of(g, PAIL_KERNEL_VECTOR_SUM);
    struct vector_sum_push push = {.n = (uint32_t)n, .starts = (uint32_t)levels[level].starts};
    struct pail_vk_dispatch d = {
        .request = &request, .push = &push, .work = words(16.0, parts + n)};
    d.bindings[0] = structure_range(g);
    d.bindings[1] = pail_field_elements(g->s, from.region, from.offset, parts, &push.first_parts);
    d.bindings[2] = pail_field_elements(g->s, to.region, to.offset, n, &push.first_r);
    pail_vk_grid(n, VECTOR_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&g->s->list, &d);
}

static void add_product(const struct adding *g)
{
    const pail_matrix *m = g->op->matrix;
    const struct place r = place_in(g, g->op->r, g->op->r_offset);
    struct place from = {0, 0}, next = {0, 0};
    if (m->n_levels > 1)
        next.region = pail_field_region(g->s, g->scratch);
    for (uint32_t level = 0; level < m->n_levels; level++) {
        const struct place to = level + 1 == m->n_levels ? r : next;
        for (uint32_t part = 0; level == 0 && part < m->n_parts; part++)
            add_part(g, part, to);
        if (level > 0)
            add_sums(g, level, from, to);
        from = to;
        next.offset += m->levels[level].n;
    }
}

/* ---- Transforms ------------------------------------------------------------------------------ */
struct pail_vk_pipeline_request pail_ntt_request(const struct pail_ntt_kernel *kernel,
                                                 uint32_t curve)
{
    return (struct pail_vk_pipeline_request){
        .kernel = PAIL_KERNEL_NTT_PASS,
        .variant = {.curve = curve, .field = kernel->form},
        .n_specs = 3,
        .specs = {[NTT_SPEC_WORKGROUP] = kernel->workgroup,
                  [NTT_SPEC_LIMBS] = kernel->limbs,
                  [NTT_SPEC_ITEMS] = kernel->items},
    };
}

static void add_pass(const struct adding *g, const struct pail_ntt_kernel *kernel,
                     const struct pail_ntt_plan *plan, const struct pail_ntt_pass *pass,
                     struct place from, struct place to, uint64_t batch)
{
    const uint64_t n = batch << plan->log_n, columns = n >> pass->log_k;
    const struct pail_table *table = g->table;
    const struct pail_powers *twiddles = &table->twiddles[pass->part];
    const struct pail_ntt_kernel narrow =
        pail_ntt_kernel_of_pass(pail_vk_device_caps(g->s->field->dev), kernel, n, pass->log_k);
    const struct pail_vk_pipeline_request request = pail_ntt_request(&narrow, pail_op_curve(g->op));
    struct ntt_pass_push push = {
        .flags = pass->flags,
        .columns = (uint32_t)columns,
        .log_n = plan->log_n,
        .log_k = pass->log_k,
        .low_bits = pass->low_bits,
        .high_bits = pass->high_bits,
        .in_element = pass->in_element,
        .in_low = pass->in_low,
        .in_high = pass->in_high,
        .out_element = pass->out_element,
        .out_low = pass->out_low,
        .out_high = pass->out_high,
        .inner_bits = table->inner_bits,
        .twiddle_low = twiddles->low,
        .twiddle_high = twiddles->high,
        .twiddle_bits = twiddles->bits,
        .scale_low = table->scales.low,
        .scale_high = table->scales.high,
        .scale_bits = table->scales.bits,
    };
    struct pail_vk_dispatch d = {
        .request = &request,
        .push = &push,
        .work = {.kind = PAIL_VK_POINTS,
                 .units = (double)n * pail_ntt_pass_products(pass) *
                          (UNITS_OF_ADDITION / PRODUCTS_OF_ADDITION)},
    };
    d.bindings[0] = pail_field_elements(g->s, from.region, from.offset, n, &push.first_in);
    d.bindings[1] = table_range(g);
    d.bindings[2] = pail_field_elements(g->s, to.region, to.offset, n, &push.first_out);
    pail_vk_grid(pail_ntt_threads(&narrow, columns, pass->log_k), narrow.workgroup, d.grid);
    pail_vk_steps_dispatch(&g->s->list, &d);
}

/* Adds the passes of a transform of which there is more than a copy. */
static void add_passes(const struct adding *g, const struct pail_ntt_kernel *kernel, struct place a,
                       struct place r)
{
    const pail_vector_op *op = g->op;
    const struct pail_ntt_kind kind = kind_of(op);
    const struct pail_ntt_plan plan = pail_ntt_plan(kernel, &kind);
    const uint64_t all = op->n >> op->log_n, at_once = batch_of(g->s->field, op);
    const bool moves = plan.n > 1 && !kind.reversed;
    const uint32_t scratch = moves ? pail_field_region(g->s, g->scratch) : 0;
    for (uint64_t done = 0; done < all; done += at_once) {
        const uint64_t batch = all - done < at_once ? all - done : at_once;
        const uint64_t first = done << op->log_n;
        const struct place last = {r.region, r.offset + first};
        const struct place middle = moves ? (struct place){scratch, 0} : last;
        struct place from = {a.region, a.offset + first};
        for (uint32_t i = 0; i < plan.n; i++) {
            const struct place to = i + 1 == plan.n ? last : middle;
            add_pass(g, kernel, &plan, &plan.passes[i], from, to, batch);
            from = to;
        }
    }
}

static void add_transform(const struct adding *g, const struct pail_ntt_kernel *kernel)
{
    const pail_vector_op *op = g->op;
    const bool within = pail_op_within_memory(op);
    const bool reverses = pail_op_reverses(op) && op->log_n > 0;
    const struct place r = within ? place_at(g, g->to) : place_in(g, op->r, op->r_offset);
    struct place a = within ? place_at(g, g->place) : place_in(g, op->a, op->a_offset);
    g->s->stores |= within;
    if (op->log_n == 0) {
        if (within)
            add_reduction(g);
        else
            add_copy(g);
        return;
    }
    if (reverses && !pail_op_inverts(op)) { /* then in place */
        add_reversal(g, a, r);
        a = r;
    }
    add_passes(g, kernel, a, r);
    if (reverses && pail_op_inverts(op))
        add_reversal(g, r, r);
}

void pail_field_steps_add(struct pail_field_steps *s, const struct pail_field_op *op,
                          const struct pail_ntt_kernel *kernel, const struct pail_vk_slice *scratch)
{
    const struct adding g = {
        .s = s,
        .op = &op->op,
        .table = op->table,
        .scratch = scratch,
        .place = &op->place,
        .to = &op->to,
    };
    if (op->op.n == 0)
        return;
    switch (op->op.kind) {
    case PAIL_VECTOR_OP_POINTS_NTT:
    case PAIL_VECTOR_OP_POINTS_INTT:
        s->list.phase = "transform of points";
        pail_points_add_transform(s, op, scratch);
        break;
    case PAIL_VECTOR_OP_POINTS_CONVERT:
        s->list.phase = "points";
        pail_points_add_conversion(s, op);
        break;
    case PAIL_VECTOR_OP_POINTS_TABLE:
        s->list.phase = "table of points";
        pail_sums_add_table(s, op, scratch);
        break;
    case PAIL_VECTOR_OP_POINTS_SUMS:
        s->list.phase = "sums of points";
        pail_sums_add(s, op, scratch);
        break;
    case PAIL_VECTOR_OP_POINTS_TRUNCATE:
        s->list.phase = "truncation of points";
        pail_sums_add_truncation(s, op, scratch);
        break;
    case PAIL_VECTOR_OP_NTT:
    case PAIL_VECTOR_OP_INTT:
    case PAIL_VECTOR_OP_NTT_AT:
    case PAIL_VECTOR_OP_INTT_AT:
        s->list.phase = "transform";
        add_transform(&g, kernel);
        break;
    case PAIL_VECTOR_OP_SPMV:
        s->list.phase = "sparse product";
        add_product(&g);
        break;
    case PAIL_VECTOR_OP_POWERS:
        s->list.phase = "powers";
        add_pieces(&g, add_powers);
        break;
    case PAIL_VECTOR_OP_BIT_REVERSE:
        s->list.phase = "bit reversal";
        add_reversal(&g, place_in(&g, op->op.a, op->op.a_offset),
                     place_in(&g, op->op.r, op->op.r_offset));
        break;
    case PAIL_VECTOR_OP_LOAD:
        s->list.phase = "load";
        add_load(&g);
        break;
    case PAIL_VECTOR_OP_STORE:
        s->list.phase = "store";
        add_store(&g);
        break;
    case PAIL_VECTOR_OP_COPY:
        s->list.phase = "copy";
        add_copy(&g);
        break;
    default:
        s->list.phase = "arithmetic";
        add_pieces(&g, add_arith);
        break;
    }
}
