/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors are the fastest member's: a chain of operations on one device costs no copies. */
#include <string.h>

#include "pending.h"

/* The member that has the vectors. */
static pail_status member_of(const struct pail_composite_member **out, pail_context *context,
                             struct pail_error *err)
{
    *out = &context->members[context->vectors];
    return context->vectors < context->n
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_UNSUPPORTED, "no device of the context has vectors");
}

pail_status pail_composite_vectors_said(const pail_context *context, pail_status status,
                                        struct pail_error *err)
{
    const struct pail_composite_member *const m = &context->members[context->vectors];
    return status == PAIL_OK || status == PAIL_NOT_READY
               ? status
               : pail_composite_said(err, m, status, m->backend->error(m->context));
}

pail_status pail_composite_vector_create(pail_context *context, pail_vector **vector,
                                         uint32_t curve, uint64_t n, struct pail_error *err)
{
    const struct pail_composite_member *m;
    pail_status status = member_of(&m, context, err);
    if (status != PAIL_OK)
        return status;
    pail_vector *const v = pail_cpu_alloc(&context->memory, 1, sizeof *v);
    if (!v)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for a vector");
    *v = (pail_vector){.context = context, .n = n, .curve = curve};
    status = pail_composite_vectors_said(
        context, m->backend->vector_create(m->context, &v->inner, curve, n), err);
    if (status == PAIL_OK)
        *vector = v;
    else
        pail_cpu_free(&context->memory, v);
    return status;
}

void pail_composite_vector_destroy(pail_vector *v)
{
    const struct pail_composite_member *const m = &v->context->members[v->context->vectors];
    const struct pail_alloc memory = v->context->memory;
    m->backend->vector_destroy(m->context, &v->inner);
    pail_cpu_free(&memory, v);
}

static const pail_backend *backend_of(const pail_vector *vector)
{
    return vector->context->members[vector->context->vectors].backend;
}

pail_status pail_composite_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                        uint64_t n, uint32_t encoding, struct pail_error *err)
{
    return pail_composite_vectors_said(
        vector->context,
        backend_of(vector)->vector_write(vector->inner, offset, elements, n, encoding), err);
}

pail_status pail_composite_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                       uint64_t n, uint32_t encoding, struct pail_error *err)
{
    return pail_composite_vectors_said(
        vector->context,
        backend_of(vector)->vector_read(vector->inner, elements, offset, n, encoding), err);
}

pail_status pail_composite_vector_fill(pail_vector *vector, uint64_t offset,
                                       pail_read_elements read, void *user, uint64_t n,
                                       uint32_t encoding, struct pail_error *err)
{
    return pail_composite_vectors_said(
        vector->context,
        backend_of(vector)->vector_fill(vector->inner, offset, read, user, n, encoding), err);
}

pail_status pail_composite_matrix_create(pail_context *context, pail_matrix **matrix,
                                         uint64_t *bad_index, const pail_matrix_desc *desc,
                                         struct pail_error *err)
{
    const struct pail_composite_member *m;
    const pail_status status = member_of(&m, context, err);
    return status == PAIL_OK
               ? pail_composite_vectors_said(
                     context, m->backend->matrix_create(m->context, matrix, bad_index, desc), err)
               : status;
}

void pail_composite_matrix_destroy(pail_context *context, pail_matrix *matrix)
{
    const struct pail_composite_member *const m = &context->members[context->vectors];
    m->backend->matrix_destroy(m->context, &matrix);
}

pail_status pail_composite_vector_start(pail_context *context, pail_pending **out,
                                        const pail_vector_op *from, size_t n_ops,
                                        struct pail_error *err)
{
    const struct pail_composite_member *m;
    pail_status status = member_of(&m, context, err);
    if (status != PAIL_OK)
        return status;
    pail_vector_op *const ops = pail_cpu_alloc(&context->memory, n_ops, sizeof *ops);
    pail_pending *const pending = pail_cpu_alloc(&context->memory, 1, sizeof *pending);
    if (!ops || !pending)
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for %zu operations", n_ops);
    else
        *pending = (pail_pending){.context = context, .vectors = true};
    for (size_t i = 0; i < n_ops && status == PAIL_OK; i++) {
        const uint32_t kind = from[i].kind;
        if (kind >= PAIL_VECTOR_OP_LOAD && kind <= PAIL_VECTOR_OP_INTT_AT &&
            kind != PAIL_VECTOR_OP_BIT_REVERSE)
            status = pail_fail(err, PAIL_ERR_UNSUPPORTED,
                               "ops[%zu].kind is %u, but a context of several devices has no "
                               "memory at addresses: make one of a single device",
                               i, kind);
        ops[i] = from[i];
        ops[i].r = ops[i].r ? ops[i].r->inner : NULL;
        ops[i].a = ops[i].a ? ops[i].a->inner : NULL;
        ops[i].b = ops[i].b ? ops[i].b->inner : NULL;
        ops[i].c = ops[i].c ? ops[i].c->inner : NULL;
    }
    if (status == PAIL_OK)
        status = pail_composite_vectors_said(
            context, m->backend->vector_start(m->context, &pending->inner, ops, n_ops), err);
    pail_cpu_free(&context->memory, ops);
    if (status == PAIL_OK)
        *out = pending;
    else
        pail_cpu_free(&context->memory, pending);
    return status;
}

static pail_status finish(pail_pending *pending, pail_stats *stats, struct pail_error *err)
{
    pail_context *const context = pending->context;
    const struct pail_composite_member *const m = &context->members[context->vectors];
    const pail_status status = pail_composite_vectors_said(
        context, m->backend->vector_finish(&pending->inner, stats), err);
    pail_cpu_free(&context->memory, pending);
    return status;
}

pail_status pail_composite_vector_finish(pail_pending *pending, pail_stats *stats,
                                         struct pail_error *err)
{
    return finish(pending, stats, err);
}

/* The member refuses stats that cannot be, and zeroes what was to be written. */
void pail_composite_vector_refuse(pail_pending *pending)
{
    pail_stats none = {.struct_size = 0};
    (void)finish(pending, &none, NULL);
}

/* ---- Phases that load the host's memory bus: those of vectors, and so of the member that has them
 */
const volatile int32_t *pail_composite_throttle(pail_context *context)
{
    static const volatile int32_t still = 0; /* vectors load no bus of the host */
    if (context->vectors == context->n)
        return &still;
    const struct pail_composite_member *const m = &context->members[context->vectors];
    return PAIL_HAS(m->backend, throttle) ? m->backend->throttle(m->context) : &still;
}

/* The member that has the vectors, if it gives way. */
static pail_status giving_way(const struct pail_composite_member **out, pail_context *context,
                              struct pail_error *err)
{
    const pail_status status = member_of(out, context, err);
    if (status != PAIL_OK ||
        (PAIL_HAS((*out)->backend, throttle_begin) && PAIL_HAS((*out)->backend, throttle_end)))
        return status;
    return pail_fail(err, PAIL_ERR_UNSUPPORTED, "no device of the context gives way");
}

pail_status pail_composite_throttle_begin(pail_context *context, struct pail_error *err)
{
    const struct pail_composite_member *m;
    const pail_status status = giving_way(&m, context, err);
    return status == PAIL_OK
               ? pail_composite_vectors_said(context, m->backend->throttle_begin(m->context), err)
               : status;
}

pail_status pail_composite_throttle_end(pail_context *context, struct pail_error *err)
{
    const struct pail_composite_member *m;
    const pail_status status = giving_way(&m, context, err);
    return status == PAIL_OK
               ? pail_composite_vectors_said(context, m->backend->throttle_end(m->context), err)
               : status;
}
