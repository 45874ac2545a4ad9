/* Vectors are the fastest member's: a chain of operations on one device costs no copies. */
#include <string.h>

#include "pending.h"
#include <cpu/sized.h>

static struct pail_composite_member *member_of(pail_context *context)
{
    if (context == NULL) {
        (void)pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "context is NULL");
        return NULL;
    }
    if (pail_cpu_check_process(context) != PAIL_OK)
        return NULL;
    if (context->vectors == context->n) {
        (void)pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED, "no device of the context has vectors");
        return NULL;
    }
    return &context->members[context->vectors];
}

static pail_status missing(const pail_context *context)
{
    return context != NULL && context->vectors == context->n ? PAIL_ERR_UNSUPPORTED
                                                             : PAIL_ERR_ARGUMENT;
}

static pail_status told(pail_context *context, pail_status status, const pail_context *of)
{
    const struct pail_composite_member *const m = &context->members[context->vectors];
    return status == PAIL_OK ? status
                             : pail_composite_said(context, m, status, m->backend->error(of));
}

pail_status pail_composite_vector_create(pail_context *context, pail_vector **vector,
                                         uint32_t curve, uint64_t n)
{
    if (vector == NULL)
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "vector is NULL");
    *vector = NULL;
    struct pail_composite_member *const m = member_of(context);
    if (m == NULL)
        return missing(context);
    pail_vector *const v = pail_cpu_alloc(&context->memory, 1, sizeof *v);
    if (v == NULL)
        return pail_cpu_fail(context, PAIL_ERR_HOST_MEMORY, "no memory for a vector");
    *v = (pail_vector){.context = context, .n = n, .curve = curve};
    const pail_status status =
        told(context, m->backend->vector_create(m->context, &v->inner, curve, n), m->context);
    if (status == PAIL_OK)
        *vector = v;
    else
        pail_cpu_free(&context->memory, v);
    return status;
}

void pail_composite_vector_destroy(pail_context *context, pail_vector **vector)
{
    if (vector == NULL || *vector == NULL)
        return;
    pail_vector *const v = *vector;
    *vector = NULL;
    (void)context;
    if (pail_cpu_check_process(NULL) != PAIL_OK)
        return;
    const struct pail_composite_member *const m = &v->context->members[v->context->vectors];
    const struct pail_cpu_memory memory = v->context->memory;
    m->backend->vector_destroy(m->context, &v->inner);
    pail_cpu_free(&memory, v);
}

static const pail_backend *backend_of(const pail_vector *vector)
{
    if (vector == NULL) {
        (void)pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "vector is NULL");
        return NULL;
    }
    if (pail_cpu_check_process(NULL) != PAIL_OK)
        return NULL;
    return vector->context->members[vector->context->vectors].backend;
}

static pail_status vector_told(const pail_vector *vector, pail_status status)
{
    const pail_context *const context = vector->context;
    return told(vector->context, status, context->members[context->vectors].context);
}

pail_status pail_composite_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                        uint64_t n, uint32_t encoding)
{
    const pail_backend *const backend = backend_of(vector);
    return backend == NULL ? PAIL_ERR_ARGUMENT
                           : vector_told(vector, backend->vector_write(vector->inner, offset,
                                                                       elements, n, encoding));
}

pail_status pail_composite_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                       uint64_t n, uint32_t encoding)
{
    const pail_backend *const backend = backend_of(vector);
    return backend == NULL ? PAIL_ERR_ARGUMENT
                           : vector_told(vector, backend->vector_read(vector->inner, elements,
                                                                      offset, n, encoding));
}

pail_status pail_composite_vector_fill(pail_vector *vector, uint64_t offset,
                                       pail_read_elements read, void *user, uint64_t n,
                                       uint32_t encoding)
{
    const pail_backend *const backend = backend_of(vector);
    return backend == NULL ? PAIL_ERR_ARGUMENT
                           : vector_told(vector, backend->vector_fill(vector->inner, offset, read,
                                                                      user, n, encoding));
}

pail_status pail_composite_matrix_create(pail_context *context, pail_matrix **matrix,
                                         uint64_t *bad_index, const pail_matrix_desc *desc)
{
    if (bad_index != NULL)
        *bad_index = UINT64_MAX;
    if (matrix == NULL)
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "matrix is NULL");
    *matrix = NULL;
    struct pail_composite_member *const m = member_of(context);
    if (m == NULL)
        return missing(context);
    return told(context, m->backend->matrix_create(m->context, matrix, bad_index, desc),
                m->context);
}

void pail_composite_matrix_destroy(pail_context *context, pail_matrix **matrix)
{
    struct pail_composite_member *const m =
        matrix != NULL && *matrix != NULL ? member_of(context) : NULL;
    if (m != NULL)
        m->backend->matrix_destroy(m->context, matrix);
    else if (matrix != NULL)
        *matrix = NULL;
}

pail_status pail_composite_vector_start(pail_context *context, pail_pending **out,
                                        const pail_vector_op *theirs, size_t n_ops)
{
    if (out != NULL)
        *out = NULL;
    struct pail_composite_member *const m = member_of(context);
    if (m == NULL)
        return missing(context);
    if (out == NULL || theirs == NULL || n_ops == 0) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "%s",
                             !out      ? "pending is NULL"
                             : !theirs ? "ops is NULL"
                                       : "n_ops is 0; at least 1 is needed");
    }
    const size_t stride = pail_cpu_struct_size(theirs);
    pail_status status = pail_cpu_check(context, theirs, PAIL_VECTOR_OP_SIZE_1_0, "ops[0]");
    if (status != PAIL_OK)
        return status;
    pail_vector_op *const ops = pail_cpu_alloc(&context->memory, n_ops, sizeof *ops);
    pail_pending *const pending = pail_cpu_alloc(&context->memory, 1, sizeof *pending);
    if (ops == NULL || pending == NULL) {
        status =
            pail_cpu_fail(context, PAIL_ERR_HOST_MEMORY, "no memory for %zu operations", n_ops);
    } else {
        *pending = (pail_pending){.context = context, .vectors = true};
    }
    for (size_t i = 0; i < n_ops && status == PAIL_OK; i++) {
        const unsigned char *const one = (const unsigned char *)theirs + i * stride;
        if (pail_cpu_struct_size(one) != stride) {
            status = pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                                   "ops[%zu].struct_size is %u; that of ops[0] is %zu", i,
                                   pail_cpu_struct_size(one), stride);
            break;
        }
        pail_cpu_read(&ops[i], sizeof ops[i], one);
        ops[i].struct_size = sizeof ops[i];
        ops[i].r = ops[i].r ? ops[i].r->inner : NULL;
        ops[i].a = ops[i].a ? ops[i].a->inner : NULL;
        ops[i].b = ops[i].b ? ops[i].b->inner : NULL;
        ops[i].c = ops[i].c ? ops[i].c->inner : NULL;
    }
    if (status == PAIL_OK)
        status = told(context, m->backend->vector_start(m->context, &pending->inner, ops, n_ops),
                      m->context);
    if (ops != NULL)
        pail_cpu_free_wiped(&context->memory, ops, n_ops, sizeof *ops);
    if (status == PAIL_OK)
        *out = pending;
    else
        pail_cpu_free(&context->memory, pending);
    return status;
}

pail_status pail_composite_vector_finish(pail_pending **handle, pail_stats *stats)
{
    pail_pending *const pending = handle != NULL ? *handle : NULL;
    if (stats != NULL) /* the member reports what is wrong with stats below */
        (void)pail_cpu_check_out(pending != NULL ? pending->context : NULL, stats,
                                 PAIL_STATS_SIZE_1_0, "stats");
    if (pending == NULL)
        return pail_cpu_fail(NULL, PAIL_ERR_ARGUMENT, "pending is NULL");
    *handle = NULL;
    pail_context *const context = pending->context;
    if (pail_cpu_check_process(context) != PAIL_OK)
        return PAIL_ERR_ARGUMENT;
    if (!pending->vectors) {
        pail_composite_pending_destroy(pending);
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "pending is what msm_start started; what vector_start started is "
                             "needed");
    }
    const struct pail_composite_member *const m = &context->members[context->vectors];
    const pail_status status =
        told(context, m->backend->vector_finish(&pending->inner, stats), m->context);
    pail_cpu_free(&context->memory, pending);
    return status;
}

/* ---- Phases that load the host's memory bus: those of vectors, and so of the member that has them
 */
const volatile int32_t *pail_composite_throttle(pail_context *context)
{
    static const volatile int32_t still = 0; /* vectors load no bus of the host */
    if (context == NULL)
        return NULL;
    if (context->vectors == context->n)
        return &still;
    const struct pail_composite_member *const m = &context->members[context->vectors];
    return PAIL_HAS(m->backend, throttle) ? m->backend->throttle(m->context) : &still;
}

static bool gives_way(pail_context *context, const struct pail_composite_member *m)
{
    if (PAIL_HAS(m->backend, throttle_begin) && PAIL_HAS(m->backend, throttle_end))
        return true;
    (void)pail_cpu_fail(context, PAIL_ERR_UNSUPPORTED, "no device of the context gives way");
    return false;
}

pail_status pail_composite_throttle_begin(pail_context *context)
{
    const struct pail_composite_member *const m = member_of(context);
    if (m == NULL)
        return missing(context);
    if (!gives_way(context, m))
        return PAIL_ERR_UNSUPPORTED;
    return told(context, m->backend->throttle_begin(m->context), m->context);
}

pail_status pail_composite_throttle_end(pail_context *context)
{
    const struct pail_composite_member *const m = member_of(context);
    if (m == NULL)
        return missing(context);
    if (!gives_way(context, m))
        return PAIL_ERR_UNSUPPORTED;
    return told(context, m->backend->throttle_end(m->context), m->context);
}
