/* Vectors over a scalar field at the boundary. */
#include <string.h>

#include <core/structs.h>

#include "api.h"
#include "pending_kind.h"
#include "vectors/field.h"
#include "vectors/matrix.h"
#include "vectors/selftest.h"
#include "vectors/vector.h"
#include "vectors/work.h"

static pail_status failed(const pail_context *context, const struct pail_error *err)
{
    return pail_api_failed(context ? &context->log : NULL, err);
}

pail_status pail_api_vector_create(pail_context *context, pail_vector **vector, uint32_t curve,
                                   uint64_t n)
{
    struct pail_error err = {0};
    pail_status status = pail_api_need_object(context, "context", &err);
    if (vector)
        *vector = NULL;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "vector: NULL");
    if (status == PAIL_OK)
        status = pail_vector_make(context->field, vector, curve, n, &err);
    return status == PAIL_OK ? PAIL_OK : failed(context, &err);
}

void pail_api_vector_destroy(pail_context *context, pail_vector **vector)
{
    (void)context; /* the vector knows its own */
    if (!vector)
        return;
    struct pail_vector *v = *vector;
    *vector = NULL;
    if (pail_process_is_first())
        pail_vector_release(v);
}

/* Checks the range of a write. */
static pail_status check_range(const pail_vector *vector, bool given, const char *what,
                               uint64_t offset, uint64_t n, struct pail_error *err)
{
    if (!given && n)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is NULL, but n is %llu", what,
                         (unsigned long long)n);
    return pail_vector_has(vector, offset, n, "vector", err);
}

static pail_status check_encoding(uint32_t encoding, struct pail_error *err)
{
    if (encoding == PAIL_ENCODING_CANONICAL || encoding == PAIL_ENCODING_MONTGOMERY)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_ARGUMENT, "encoding is %u, which is none", encoding);
}

/* Tests the kernels that bring elements from one encoding into the other. */
static pail_status test_encodings(const pail_vector *vector, uint32_t encoding, uint64_t n,
                                  struct pail_error *err)
{
    if (encoding != PAIL_ENCODING_CANONICAL || n == 0)
        return PAIL_OK;
    return pail_field_self_test(vector->field, vector->curve, PAIL_FIELD_ENCODINGS, NULL, err);
}

pail_status pail_api_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                  uint64_t n, uint32_t encoding)
{
    struct pail_error err = {0};
    pail_status status = pail_api_need_object(vector, "vector", &err);
    if (status == PAIL_OK)
        status = check_range(vector, elements != NULL, "elements", offset, n, &err);
    if (status == PAIL_OK)
        status = check_encoding(encoding, &err);
    if (status == PAIL_OK)
        status = test_encodings(vector, encoding, n, &err);
    if (status == PAIL_OK)
        status = pail_vector_put(vector, offset, elements, n, encoding, &err);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(vector ? &vector->field->log : NULL, &err);
}

pail_status pail_api_vector_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                 void *user, uint64_t n, uint32_t encoding)
{
    struct pail_error err = {0};
    pail_status status = pail_api_need_object(vector, "vector", &err);
    if (status == PAIL_OK)
        status = check_range(vector, read != NULL, "read", offset, n, &err);
    if (status == PAIL_OK)
        status = check_encoding(encoding, &err);
    if (status == PAIL_OK)
        status = test_encodings(vector, encoding, n, &err);
    if (status == PAIL_OK)
        status = pail_vector_fill(vector, offset, read, user, n, encoding, &err);
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(vector ? &vector->field->log : NULL, &err);
}

pail_status pail_api_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                 uint64_t n, uint32_t encoding)
{
    struct pail_error err = {0};
    bool room = false; /* room for n elements: a wrong range may come with too little */
    pail_status status = pail_api_need(vector, "vector", &err);
    if (status == PAIL_OK)
        status = check_range(vector, elements != NULL, "elements", offset, n, &err);
    if (status == PAIL_OK) {
        room = true;
        status = pail_api_need_process(&err);
    }
    if (status == PAIL_OK)
        status = check_encoding(encoding, &err);
    if (status == PAIL_OK)
        status = test_encodings(vector, encoding, n, &err);
    if (status == PAIL_OK)
        status = pail_vector_get(vector, elements, offset, n, encoding, &err);
    if (status == PAIL_OK)
        return PAIL_OK;
    if (room && n)
        memset(elements, 0, 32 * (size_t)n);
    return pail_api_failed(vector && pail_process_is_first() ? &vector->field->log : NULL, &err);
}

pail_status pail_api_matrix_create(pail_context *context, pail_matrix **matrix, uint64_t *bad_index,
                                   const pail_matrix_desc *desc)
{
    struct pail_error err = {0};
    pail_matrix_desc d;
    uint64_t bad = UINT64_MAX;
    pail_status status = pail_api_need_object(context, "context", &err);
    if (matrix)
        *matrix = NULL;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "matrix: NULL");
    if (status == PAIL_OK)
        status = pail_struct_in(&d, sizeof(d), desc, PAIL_MATRIX_DESC_SIZE_1_0, "pail_matrix_desc",
                                &err);
    if (status == PAIL_OK)
        status = pail_matrix_register(context->field, matrix, &bad, &d, &err);
    if (status == PAIL_OK && d.encoding == PAIL_ENCODING_CANONICAL && d.row_starts[d.n_rows])
        status = pail_field_self_test(context->field, d.curve, PAIL_FIELD_ENCODINGS, NULL, &err);
    if (status != PAIL_OK && matrix) {
        pail_matrix_release(*matrix);
        *matrix = NULL;
    }
    if (bad_index)
        *bad_index = bad;
    return status == PAIL_OK ? PAIL_OK : failed(context, &err);
}

void pail_api_matrix_destroy(pail_context *context, pail_matrix **matrix)
{
    (void)context;
    if (!matrix)
        return;
    struct pail_matrix *m = *matrix;
    *matrix = NULL;
    if (pail_process_is_first())
        pail_matrix_release(m);
}

pail_status pail_api_vector_start(pail_context *context, pail_pending **pending,
                                  const pail_vector_op *ops, size_t n_ops)
{
    struct pail_error err = {0};
    static const struct pail_api_array kind = {"ops", "operations", "pail_vector_op",
                                               sizeof(pail_vector_op), PAIL_VECTOR_OP_SIZE_1_0};
    void *list = NULL;
    pail_status status = pail_api_need_object(context, "context", &err);
    if (pending)
        *pending = NULL;
    else if (status == PAIL_OK)
        status = pail_fail(&err, PAIL_ERR_ARGUMENT, "pending: NULL");
    if (status == PAIL_OK)
        status = pail_api_take_array(context, &list, &kind, ops, n_ops, &err);
    if (status == PAIL_OK)
        status = pail_field_start(context->field, pending, list, n_ops, &err);
    if (list)
        pail_free(&context->alloc, list);
    return status == PAIL_OK ? PAIL_OK : failed(context, &err);
}

pail_status pail_api_vector_finish(pail_pending **pending, pail_stats *stats)
{
    struct pail_error err = {0};
    struct pail_pending *p = pending ? *pending : NULL;
    pail_status status = PAIL_OK;
    if (stats)
        status = pail_struct_out(stats, PAIL_STATS_SIZE_1_0, "pail_stats", &err);
    if (!p) {
        (void)pail_fail(&err, PAIL_ERR_ARGUMENT, "pending: NULL");
        return pail_api_failed(NULL, &err);
    }
    *pending = NULL;
    if (pail_api_need_process(&err) != PAIL_OK)
        return pail_api_failed(NULL, &err);
    const struct pail_pending_kind *kind = pail_pending_kind_of(p);
    if (kind != &pail_field_pending) {
        (void)pail_fail(&err, PAIL_ERR_ARGUMENT, "pending: has %s, which %s ends", kind->what,
                        kind->finish);
        kind->drop(p);
        return pail_api_failed(NULL, &err);
    }
    const struct pail_vectors *field = pail_field_of(p);
    pail_stats filled = {.struct_size = sizeof(filled)};
    if (status == PAIL_OK)
        status = pail_field_finish(p, &filled, &err);
    else
        pail_field_refuse(p);
    if (status == PAIL_OK && stats)
        pail_struct_deliver(stats, &filled, sizeof(filled));
    return status == PAIL_OK ? PAIL_OK : pail_api_failed(&field->log, &err);
}
