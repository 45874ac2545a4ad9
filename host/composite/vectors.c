/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors are the fastest member's: a chain of operations on one device costs no copies. The others
 * get copies of the parts that they multiply by more than once. */
#include <stdio.h>
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
    const size_t bytes = sizeof(pail_vector) + context->n * sizeof(struct pail_composite_range);
    pail_vector *const v = pail_cpu_alloc(&context->memory, 1, bytes);
    if (!v)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for a vector");
    (void)memset(v, 0, bytes);
    v->context = context;
    v->n = n;
    v->curve = curve;
    atomic_init(&v->references, 1);
    status = pail_composite_vectors_said(
        context, m->backend->vector_create(m->context, &v->inner, curve, n), err);
    if (status == PAIL_OK) {
        (void)pthread_mutex_init(&v->lock, NULL);
        *vector = v;
    } else {
        pail_cpu_free(&context->memory, v);
    }
    return status;
}

/* ---- Copies for the other members ------------------------------------------------------------ */
void pail_composite_copy_release(struct pail_composite_copy *copy)
{
    if (!copy || atomic_fetch_sub(&copy->references, 1) != 1)
        return;
    const struct pail_alloc memory = copy->memory;
    copy->member->backend->vector_destroy(copy->member->context, &copy->inner);
    pail_cpu_free(&memory, copy);
}

/* Called with the lock held. */
static void forget(pail_vector *v)
{
    v->version++;
    for (size_t i = 0; i < v->context->n; i++) {
        pail_composite_copy_release(v->ranges[i].copy);
        v->ranges[i] = (struct pail_composite_range){0};
    }
}

/* Before and after elements may be written: what was read in between is of neither version. */
static void change(pail_vector *v)
{
    if (!v)
        return;
    pthread_mutex_lock(&v->lock);
    forget(v);
    pthread_mutex_unlock(&v->lock);
}

uint64_t pail_composite_vector_version(pail_vector *v)
{
    pthread_mutex_lock(&v->lock);
    const uint64_t version = v->version;
    pthread_mutex_unlock(&v->lock);
    return version;
}

/* Parts of equal multiplications differ a little: shares follow rates, and are rounded. A copy has
 * so much more on either side. */
static uint64_t margin(uint64_t n)
{
    return n / 64 + 1;
}

static bool near(uint64_t a, uint64_t b, uint64_t n)
{
    return (a > b ? a - b : b - a) <= margin(n);
}

struct pail_composite_copy *pail_composite_copy_find(pail_vector *v, size_t member, uint64_t *first,
                                                     uint64_t *n, bool *wanted)
{
    const uint64_t end = *first + *n;
    struct pail_composite_copy *copy = NULL;
    pthread_mutex_lock(&v->lock);
    struct pail_composite_range *const range = &v->ranges[member];
    *wanted = false;
    if (range->copy && range->copy->first <= *first && end - range->copy->first <= range->copy->n) {
        copy = range->copy;
        atomic_fetch_add(&copy->references, 1);
    } else {
        *wanted = range->n > 0 && near(range->first, *first, *n) &&
                  near(range->first + range->n, end, *n);
        range->first = *first;
        range->n = *n;
    }
    pthread_mutex_unlock(&v->lock);
    if (*wanted) {
        const uint64_t more = margin(*n);
        *first = *first > more ? *first - more : 0;
        *n = (v->n - end > more ? end + more : v->n) - *first;
    }
    return copy;
}

static struct pail_composite_copy *new_copy(const pail_vector *v, size_t member, uint64_t first,
                                            uint64_t n, const void *elements)
{
    pail_context *const context = v->context;
    const struct pail_composite_member *const m = &context->members[member];
    if (!PAIL_HAS(m->backend, vector_create) || !PAIL_HAS(m->backend, vector_write))
        return NULL;
    struct pail_composite_copy *const copy = pail_cpu_alloc(&context->memory, 1, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = (struct pail_composite_copy){
        .member = m, .first = first, .n = n, .memory = context->memory};
    atomic_init(&copy->references, 1);
    pail_status status = m->backend->vector_create(m->context, &copy->inner, v->curve, n);
    if (status == PAIL_OK)
        status = m->backend->vector_write(copy->inner, 0, elements, n, PAIL_ENCODING_CANONICAL);
    if (status == PAIL_OK)
        return copy;
    const pail_host *const host = context->devices->base;
    if (host->log && status != PAIL_ERR_DEVICE_LOST) { /* the multiplication tells of a loss */
        char line[640];
        (void)pail_line(line, sizeof line,
                        "device %u of %s gets no copy of %llu elements of a vector, so they are "
                        "read anew for each multiplication: %s",
                        m->choice->device, m->backend->name, (unsigned long long)n,
                        m->backend->error(m->context));
        host->log(host->user, PAIL_LOG_WARNING, line);
    }
    if (copy->inner)
        m->backend->vector_destroy(m->context, &copy->inner);
    pail_cpu_free(&context->memory, copy);
    return NULL;
}

struct pail_composite_copy *pail_composite_copy_make(pail_vector *v, size_t member, uint64_t first,
                                                     uint64_t n, uint64_t version,
                                                     const void *elements)
{
    struct pail_composite_copy *copy = NULL;
    pthread_mutex_lock(&v->lock);
    if (version == v->version) {
        struct pail_composite_range *const range = &v->ranges[member];
        pail_composite_copy_release(range->copy); /* first: there may be no room for both */
        range->copy = copy = new_copy(v, member, first, n, elements);
        if (copy)
            atomic_fetch_add(&copy->references, 1);
    }
    pthread_mutex_unlock(&v->lock);
    return copy;
}

pail_status pail_composite_vector_read_again(pail_vector *v, void *elements, uint64_t offset,
                                             uint64_t n, uint64_t version, struct pail_error *err)
{
    pthread_mutex_lock(&v->lock); /* writers wait */
    const pail_status status =
        version != v->version
            ? PAIL_NOT_READY
            : pail_composite_vector_read(v, elements, offset, n, PAIL_ENCODING_CANONICAL, err);
    pthread_mutex_unlock(&v->lock);
    return status;
}

void pail_composite_vector_retain(pail_vector *v)
{
    atomic_fetch_add(&v->references, 1);
}

void pail_composite_vector_release(pail_vector *v)
{
    if (atomic_fetch_sub(&v->references, 1) != 1)
        return;
    const struct pail_composite_member *const m = &v->context->members[v->context->vectors];
    const struct pail_alloc memory = v->context->memory;
    change(v);
    (void)pthread_mutex_destroy(&v->lock);
    m->backend->vector_destroy(m->context, &v->inner);
    pail_cpu_free(&memory, v);
}

void pail_composite_vector_destroy(pail_vector *v)
{
    pail_composite_vector_release(v);
}

static const pail_backend *backend_of(const pail_vector *vector)
{
    return vector->context->members[vector->context->vectors].backend;
}

pail_status pail_composite_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                        uint64_t n, uint32_t encoding, struct pail_error *err)
{
    change(vector);
    const pail_status status =
        backend_of(vector)->vector_write(vector->inner, offset, elements, n, encoding);
    change(vector);
    return pail_composite_vectors_said(vector->context, status, err);
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
    change(vector);
    const pail_status status =
        backend_of(vector)->vector_fill(vector->inner, offset, read, user, n, encoding);
    change(vector);
    return pail_composite_vectors_said(vector->context, status, err);
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
        change(from[i].r);
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
    for (size_t i = 0; i < n_ops && ops; i++)
        change(from[i].r);
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
