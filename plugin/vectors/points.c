/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"

#include "field.h"

#include <shared/points_layout.h>

/* Points of the transforms that are computed together at most, if there are several. */
#define AT_ONCE (UINT64_C(1) << 20)

/* Values of a pass (shared/points_layout.h) that are computed together at most: a multiple of three
 * that is enough for the largest devices. */
#define VALUES (UINT64_C(3) << 12)

enum { VECTOR_BYTES = 16 };

/* How transforms are computed: form, sizes, and the layout of scratch. */
struct plan {
    enum pail_field_form form;
    uint32_t curve;
    uint64_t width, xyzz; /* bytes of a coordinate, and of a point in scratch */
    uint64_t most;        /* points that a binding has */
    uint64_t at_once;     /* points, of whole transforms */
    uint64_t values;      /* of a dispatch; three fit, if there are four points */
    uint64_t table;       /* offset of their slots in scratch */
    uint64_t bytes;       /* of scratch */
};

enum pail_field_form pail_points_form(const struct pail_vk_caps *caps)
{
    if (caps->fast_doubles)
        return PAIL_FORM_D51;
    return caps->int64 ? PAIL_FORM_X29 : PAIL_FORM_X32;
}

uint64_t pail_points_round_up(uint64_t bytes, uint64_t align)
{
    return (bytes + align - 1) / align * align;
}

static struct plan plan_of(const struct pail_vectors *field, const pail_vector_op *op)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(field->dev);
    const uint64_t width = pail_curve_ops(op->curve, PAIL_G1)->coordinate_bytes;
    struct plan p = {
        .form = pail_points_form(caps), .curve = op->curve, .width = width, .xyzz = 4 * width};
    p.most = caps->max_storage_range / p.xyzz; /* regions of scratch are bound from their start */
    const uint64_t fit = (p.most < AT_ONCE ? p.most : AT_ONCE) >> op->log_n,
                   all = op->n >> op->log_n,
                   batch = fit < 1     ? 1
                           : fit < all ? fit
                                       : all;
    p.at_once = batch << op->log_n;
    const uint64_t of_pass = op->log_n == 1 ? p.at_once / 2 : p.at_once / 4 * 3;
    p.values = of_pass < VALUES ? of_pass : VALUES;
    if (p.values > p.most / POINTS_SLOT)
        p.values = p.most / POINTS_SLOT;
    /* Kernels leave out workgroups whose first and last places have twiddle 1, which is right where
     * a portion begins and ends at a multiple of the places of a workgroup. */
    enum { OF_GROUPS = 3 * (POINTS_QUAD_WORKGROUP / POINTS_QUAD) };
    if (p.values < of_pass && p.values >= OF_GROUPS)
        p.values -= p.values % OF_GROUPS;
    p.table = pail_points_round_up(p.at_once * p.xyzz, caps->storage_align);
    p.bytes = pail_points_round_up(p.table + p.values * POINTS_SLOT * p.xyzz, 32);
    return p;
}

static uint64_t point_bytes(const pail_vector_op *op, uint32_t encoding)
{
    return pail_point_encoding_of(encoding).coordinates *
           pail_curve_ops(op->curve, op->group)->coordinate_bytes;
}

uint64_t pail_points_bytes(const pail_vector_op *op, uint32_t encoding)
{
    return op->n * point_bytes(op, encoding);
}

pail_status pail_points_check(struct pail_vectors *field, const pail_vector_op *op, size_t number,
                              struct pail_error *err)
{
    if (op->n == 0 || op->kind == PAIL_VECTOR_OP_POINTS_CONVERT)
        return PAIL_OK;
    const uint64_t most = plan_of(field, op).most;
    if (UINT64_C(1) << op->log_n <= most && most >= 3 * POINTS_SLOT)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                     "ops[%zu]: a transform of 2^%u points, but device \"%s\" binds %llu at a time",
                     number, op->log_n, pail_vk_device_caps(field->dev)->name,
                     (unsigned long long)most);
}

uint64_t pail_points_scratch(const struct pail_vectors *field, const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_POINTS_CONVERT ? 0 : plan_of(field, op).bytes;
}

/* ---- Steps ----------------------------------------------------------------------------------- */
/* Context that the functions below share. */
struct adding {
    struct pail_points_at at;
    const struct plan *plan;
};

/* Bytes in memory at an address, from an aligned place on; *first is the 16-byte vector there with
 * which they begin. */
struct pail_vk_range pail_points_memory(struct pail_field_steps *s,
                                        const struct pail_vk_slice *place, uint64_t offset,
                                        uint64_t bytes, uint32_t *first)
{
    const struct pail_vk_slice all = pail_vk_buffer_slice(place->buffer, 0, place->buffer->size);
    const uint64_t at = place->offset + offset,
                   before = at % pail_vk_device_caps(s->field->dev)->storage_align;
    *first = (uint32_t)(before / VECTOR_BYTES);
    return (struct pail_vk_range){pail_field_region(s, &all), at - before, before + bytes};
}

struct pail_vk_pipeline_request pail_points_request(enum pail_kernel_id kernel, uint32_t curve,
                                                    enum pail_field_form form)
{
    return (struct pail_vk_pipeline_request){
        .kernel = kernel, .variant = {.curve = curve, .group = PAIL_KG_G1, .field = form}};
}

struct pail_vk_work pail_points_additions(uint64_t width, double n)
{
    const double words = (double)width / 4;
    return (struct pail_vk_work){.kind = PAIL_VK_POINTS, .units = n * words * words};
}

double pail_points_ends(bool loads, uint32_t encoding, double n)
{
    /* An inversion is about 40 additions. */
    return !loads && pail_point_encoding_of(encoding).coordinates == 2 ? 40 * n : n;
}

uint32_t pail_points_flags(uint32_t encoding)
{
    const struct pail_point_encoding e = pail_point_encoding_of(encoding);
    const uint32_t kind = e.coordinates == 2 ? POINTS_AFFINE
                          : e.jacobian       ? POINTS_JACOBIAN
                                             : POINTS_PROJECTIVE;
    return kind | (e.montgomery ? POINTS_MONTGOMERY : 0);
}

static bool is_backward(const struct pail_field_op *op)
{
    return op->op.kind == PAIL_VECTOR_OP_POINTS_INTT;
}

struct pail_vk_range pail_points_range(const struct pail_points_at *at)
{
    return (struct pail_vk_range){at->scratch, 0, at->n * at->xyzz};
}

void pail_points_add_ends(const struct pail_points_at *at, bool loads, uint64_t first,
                          bool reversed)
{
    const pail_vector_op *op = &at->op->op;
    const uint32_t encoding = loads ? op->encoding : op->to_encoding;
    const uint64_t of_point = point_bytes(op, encoding);
    const struct pail_vk_pipeline_request request = pail_points_request(
        loads ? PAIL_KERNEL_POINTS_LOAD : PAIL_KERNEL_POINTS_STORE, op->curve, at->form);
    struct points_load_push push = {.n = (uint32_t)at->n,
                                    .encoding = pail_points_flags(encoding),
                                    .log_n = op->log_n,
                                    .reversed = reversed};
    struct pail_vk_dispatch d = {
        .request = &request,
        .push = &push,
        .work =
            pail_points_additions(at->xyzz / 4, pail_points_ends(loads, encoding, (double)at->n))};
    const struct pail_vk_range raw =
        pail_points_memory(at->s, loads ? &at->op->place : &at->op->to, first * of_point,
                           at->n * of_point, &push.first_raw);
    d.bindings[0] = loads ? raw : pail_points_range(at);
    d.bindings[1] = loads ? pail_points_range(at) : raw;
    pail_vk_grid(at->n, POINTS_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&at->s->list, &d);
}

/* Stages that are computed together: one, of two parts, or two, of four. */
struct pass {
    uint32_t level; /* the first stage */
    uint32_t parts, log_part;
};

static void add_butterflies(const struct adding *g, const struct pass *pass)
{
    const bool backward = is_backward(g->at.op);
    const struct pail_vk_pipeline_request request =
        pail_points_request(PAIL_KERNEL_POINTS_BUTTERFLY, g->plan->curve, g->plan->form);
    const uint64_t n = g->at.n / pass->parts;
    const struct points_butterfly_push push = {
        .n = (uint32_t)n, .log_part = pass->log_part, .parts = pass->parts, .backward = backward};
    struct pail_vk_dispatch d = {
        .request = &request,
        .push = &push,
        .work = pail_points_additions(g->plan->width, (pass->parts == 2 ? 1.0 : 4.0) * (double)n),
        .bindings = {pail_points_range(&g->at)}};
    pail_vk_grid(n * POINTS_BUTTERFLY_QUADS(pass->parts, backward) * POINTS_QUAD,
                 POINTS_QUAD_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&g->at.s->list, &d);
}

/* One dispatch of `quads` quads, each of so many additions, for the values of push->n places. */
static void add_values_step(const struct adding *g, enum pail_kernel_id kernel,
                            const struct points_multiply_push *push, uint64_t values,
                            uint64_t quads, double of_quad)
{
    const struct plan *plan = g->plan;
    const struct pail_table *table = g->at.op->table;
    const struct pail_vk_pipeline_request request =
        pail_points_request(kernel, plan->curve, plan->form);
    const struct pail_vk_slice twiddles =
        pail_vk_buffer_slice(&table->buffer, 0, table->buffer.size);
    struct pail_vk_dispatch d = {
        .request = &request,
        .push = push,
        .work = pail_points_additions(plan->width, of_quad * (double)quads),
        .bindings = {{pail_field_region(g->at.s, &twiddles), 0, twiddles.size},
                     pail_points_range(&g->at),
                     {g->at.scratch, plan->table, values * POINTS_SLOT * plan->xyzz}}};
    pail_vk_grid(quads * POINTS_QUAD, POINTS_QUAD_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&g->at.s->list, &d);
}

/* The values of a pass, or, `low`, part 0 times 1/n. */
static void add_values(const struct adding *g, const struct pass *pass, bool low)
{
    const uint32_t steps = g->plan->form == PAIL_FORM_X32 ? POINTS_STEPS_X32 : POINTS_STEPS;
    const uint32_t of_place = low ? 1 : POINTS_VALUES(pass->parts);
    const uint64_t places = g->at.n / pass->parts, most = g->plan->values / of_place;
    struct points_multiply_push push = {.level = pass->level,
                                        .log_part = pass->log_part,
                                        .parts = pass->parts,
                                        .low = low,
                                        .backward = is_backward(g->at.op)};
    for (uint64_t done = 0, n; done < places; done += n) {
        n = places - done < most ? places - done : most;
        const uint64_t values = n * of_place;
        push.n = (uint32_t)n;
        push.first = (uint32_t)done;
        push.step = 0;
        add_values_step(g, PAIL_KERNEL_POINTS_WINDOWS, &push, values, values, POINTS_MULTIPLES - 1);
        push.step = 1;
        add_values_step(g, PAIL_KERNEL_POINTS_WINDOWS, &push, values, values * POINTS_DIGITS,
                        of_place == 1 ? 1 : 7.0 / 3);
        for (push.step = 0; push.step < POINTS_STEPS; push.step = push.end) {
            push.end = POINTS_STEPS - push.step < steps ? POINTS_STEPS : push.step + steps;
            add_values_step(g, PAIL_KERNEL_POINTS_MULTIPLY, &push, values, values,
                            push.end - push.step);
        }
    }
}

static void add_pass(const struct adding *g, const struct pass *pass, bool shifted)
{
    if (is_backward(g->at.op)) {
        add_butterflies(g, pass);
        add_values(g, pass, false);
        if (pass->level == 0)
            add_values(g, pass, true);
        return;
    }
    if (pass->parts > 2 || pass->level > 0 || shifted) /* otherwise by 1 alone */
        add_values(g, pass, false);
    add_butterflies(g, pass);
}

/* The passes, forward or backward. An odd number of stages has the first one alone. */
static void add_passes(const struct adding *g)
{
    const pail_vector_op *op = &g->at.op->op;
    const uint32_t alone = op->log_n % 2, passes = op->log_n / 2 + alone;
    uint8_t shift = op->shift[0] & 0xfe;
    for (uint32_t i = 1; i < PAIL_SCALAR_BYTES; i++)
        shift |= op->shift[i];
    for (uint32_t i = 0; i < passes; i++) {
        const uint32_t number = is_backward(g->at.op) ? passes - 1 - i : i;
        struct pass pass = {.level = 2 * number - (number ? alone : 0), .parts = 4};
        if (alone && number == 0)
            pass.parts = 2;
        pass.log_part = op->log_n - pass.level - pass.parts / 2;
        add_pass(g, &pass, shift != 0);
    }
}

void pail_points_add_transform(struct pail_field_steps *s, const struct pail_field_op *op,
                               const struct pail_vk_slice *scratch)
{
    const pail_vector_op *o = &op->op;
    const struct plan plan = plan_of(s->field, o);
    const bool backward = is_backward(op), values = o->flags & PAIL_VECTOR_OP_BIT_REVERSED,
               coefficients = o->flags & PAIL_VECTOR_OP_COEFFICIENTS_REVERSED;
    struct adding g = {.at = {.s = s,
                              .op = op,
                              .form = plan.form,
                              .xyzz = plan.xyzz,
                              .scratch = pail_field_region(s, scratch)},
                       .plan = &plan};
    s->stores = true;
    for (uint64_t done = 0; done < o->n; done += g.at.n) {
        g.at.n = o->n - done < plan.at_once ? o->n - done : plan.at_once;
        pail_points_add_ends(&g.at, true, done, backward ? !values : coefficients);
        add_passes(&g);
        pail_points_add_ends(&g.at, false, done, backward ? coefficients : !values);
    }
}

void pail_points_add_conversion(struct pail_field_steps *s, const struct pail_field_op *op)
{
    const pail_vector_op *o = &op->op;
    const uint64_t width = pail_curve_ops(o->curve, PAIL_G1)->coordinate_bytes,
                   bytes = pail_points_bytes(o, o->encoding), n = bytes / width;
    const struct pail_vk_caps *caps = pail_vk_device_caps(s->field->dev);
    const uint64_t most = (caps->max_storage_range - caps->storage_align) / width;
    const bool to_montgomery = pail_point_encoding_of(o->to_encoding).montgomery,
               in_place = o->address == o->to_address;
    const struct pail_vk_pipeline_request request = {.kernel = PAIL_KERNEL_POINTS_ENCODE,
                                                     .variant = {.curve = o->curve}};
    s->stores = true;
    if (o->encoding == o->to_encoding) {
        const struct pail_vk_slice from = pail_vk_buffer_slice(op->place.buffer, 0,
                                                               op->place.buffer->size),
                                   to = pail_vk_buffer_slice(op->to.buffer, 0, op->to.buffer->size);
        if (!in_place)
            pail_vk_steps_copy(
                &s->list,
                (struct pail_vk_range){pail_field_region(s, &from), op->place.offset, bytes},
                (struct pail_vk_range){pail_field_region(s, &to), op->to.offset, bytes});
        return;
    }
    for (uint64_t done = 0, m; done < n; done += m) {
        m = n - done < most ? n - done : most;
        struct points_encode_push push = {
            .n = (uint32_t)m, .to_montgomery = to_montgomery, .in_place = in_place};
        struct pail_vk_dispatch d = {
            .request = &request,
            .push = &push,
            .work = {.kind = PAIL_VK_WORDS, .units = 32.0 * (double)m},
            .bindings = {pail_points_memory(s, &op->place, done * width, m * width, &push.first_a),
                         pail_points_memory(s, &op->to, done * width, m * width, &push.first_r)}};
        pail_vk_grid(m, POINTS_WORKGROUP, d.grid);
        pail_vk_steps_dispatch(&s->list, &d);
    }
}

pail_status pail_points_warm_add(struct pail_vectors *field, struct pail_warm_list *list,
                                 uint32_t curve, struct pail_error *err)
{
    static const enum pail_kernel_id kernels[] = {
        PAIL_KERNEL_POINTS_LOAD,      PAIL_KERNEL_POINTS_WINDOWS, PAIL_KERNEL_POINTS_MULTIPLY,
        PAIL_KERNEL_POINTS_BUTTERFLY, PAIL_KERNEL_POINTS_STORE,   PAIL_KERNEL_POINTS_MULTIPLES,
        PAIL_KERNEL_POINTS_NORMALIZE, PAIL_KERNEL_POINTS_SUMS,    PAIL_KERNEL_POINTS_HORNER};
    const struct pail_vk_pipeline_request encode = {.kernel = PAIL_KERNEL_POINTS_ENCODE,
                                                    .variant = {.curve = curve}};
    const enum pail_field_form form = pail_points_form(pail_vk_device_caps(field->dev));
    pail_status status = pail_warm_list_add(list, encode, &field->alloc, err);
    for (uint32_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]) && status == PAIL_OK; i++)
        status = pail_warm_list_add(list, pail_points_request(kernels[i], curve, form),
                                    &field->alloc, err);
    return status;
}
