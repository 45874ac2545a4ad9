#include "check.h"

#include "field.h"

#include <string.h>

#include "run.h"

/* What an operation has besides r. */
struct shape {
    bool a, b, c, matrix;
};

static const struct shape shapes[] = {
    [PAIL_VECTOR_OP_NTT] = {.a = true},
    [PAIL_VECTOR_OP_INTT] = {.a = true},
    [PAIL_VECTOR_OP_SPMV] = {.a = true, .matrix = true},
    [PAIL_VECTOR_OP_ADD] = {.a = true, .b = true},
    [PAIL_VECTOR_OP_SUB] = {.a = true, .b = true},
    [PAIL_VECTOR_OP_MUL] = {.a = true, .b = true},
    [PAIL_VECTOR_OP_MUL_SUB] = {.a = true, .b = true, .c = true},
    [PAIL_VECTOR_OP_POWERS] = {.a = true},
    [PAIL_VECTOR_OP_COPY] = {.a = true},
};

enum { KINDS = sizeof(shapes) / sizeof(shapes[0]) };

/* What is being checked. */
struct checking {
    struct pail_vectors *field;
    const pail_vector_op *op;
    size_t number;
    struct pail_error *err;
};

static pail_status check_range(const struct checking *c, const char *name,
                               const pail_vector *vector, uint64_t offset, uint64_t n)
{
    if (offset <= vector->n && n <= vector->n - offset)
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                     "ops[%zu].%s has %llu elements, not %llu from element %llu on", c->number,
                     name, (unsigned long long)vector->n, (unsigned long long)n,
                     (unsigned long long)offset);
}

static pail_status check_vector(const struct checking *c, const char *name,
                                const pail_vector *vector, uint64_t offset, uint64_t n)
{
    if (!vector)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].%s is NULL", c->number, name);
    if (vector->field != c->field)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].%s is of another context", c->number,
                         name);
    if (vector->curve != c->op->r->curve)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].%s is of %s, r of %s", c->number,
                         name, vector->ops->curve_name, c->op->r->ops->curve_name);
    return check_range(c, name, vector, offset, n);
}

static pail_status check_operand(const struct checking *c, const char *name, bool wanted,
                                 const pail_vector *vector, uint64_t offset, uint64_t n)
{
    const pail_vector_op *op = c->op;
    if (!wanted && !vector)
        return PAIL_OK;
    if (!wanted)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].kind %u has no operand %s, which is not NULL", c->number,
                         op->kind, name);
    const pail_status status = check_vector(c, name, vector, offset, n);
    if (status != PAIL_OK || vector != op->r)
        return status;
    const bool in_place = offset == op->r_offset && op->kind != PAIL_VECTOR_OP_SPMV;
    if (in_place || offset >= op->r_offset + op->n || op->r_offset >= offset + n)
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                     "ops[%zu].%s, from element %llu on, overlaps r, from element %llu on",
                     c->number, name, (unsigned long long)offset, (unsigned long long)op->r_offset);
}

static pail_status check_scalar(const struct checking *c, const char *name, const uint8_t bytes[32])
{
    pail_u256 value;
    if (pail_scalar_read(&value, c->op->r->ops, bytes))
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].%s is not below the order of %s",
                     c->number, name, c->op->r->ops->curve_name);
}

/* As many elements as a kernel has in one binding. */
static pail_status check_binding(const struct checking *c, const char *what, uint64_t n)
{
    const uint64_t most = pail_field_binding_most(c->field);
    if (n <= most)
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_UNSUPPORTED,
                     "ops[%zu].%s of %llu elements, but device \"%s\" binds %llu at a time",
                     c->number, what, (unsigned long long)n,
                     pail_vk_device_caps(c->field->dev)->name, (unsigned long long)most);
}

static pail_status check_transform(const struct checking *c, const struct pail_ntt_kernel *kernel)
{
    const pail_vector_op *op = c->op;
    pail_u256 root;
    if (op->log_n > PAIL_NTT_LOG_MAX)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].log_n is %u, more than %u", c->number,
                         op->log_n, PAIL_NTT_LOG_MAX);
    if (op->n & ((UINT64_C(1) << op->log_n) - 1))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].n is %llu, not a multiple of 2^%u",
                         c->number, (unsigned long long)op->n, op->log_n);
    pail_status status = check_scalar(c, "root", op->root);
    if (status == PAIL_OK)
        status = check_scalar(c, "shift", op->shift);
    if (status != PAIL_OK)
        return status;
    (void)pail_scalar_read(&root, op->r->ops, op->root);
    if (!pail_scalar_has_order(op->r->ops, &root, op->log_n))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].root has not order 2^%u", c->number,
                         op->log_n);
    if (op->log_n > pail_ntt_log_max(kernel))
        return pail_fail(c->err, PAIL_ERR_UNSUPPORTED,
                         "ops[%zu].log_n is %u, workgroups of device \"%s\" are good for %u",
                         c->number, op->log_n, pail_vk_device_caps(c->field->dev)->name,
                         pail_ntt_log_max(kernel));
    return check_binding(c, "a transform", op->n ? UINT64_C(1) << op->log_n : 0);
}

static pail_status check_product(const struct checking *c)
{
    const pail_matrix *matrix = c->op->matrix;
    if (!matrix)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].matrix is NULL", c->number);
    if (matrix->field != c->field)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].matrix is of another context",
                         c->number);
    if (matrix->curve != c->op->r->curve)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].matrix is of %s, r of %s", c->number,
                         matrix->ops->curve_name, c->op->r->ops->curve_name);
    if (c->op->n != matrix->n_rows)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].n is %llu, but matrix has %llu rows",
                         c->number, (unsigned long long)c->op->n,
                         (unsigned long long)matrix->n_rows);
    const pail_status status = check_binding(c, "a factor", matrix->n_columns);
    return status == PAIL_OK && matrix->n_levels
               ? check_binding(c, "a product", matrix->levels[0].n)
               : status;
}

static pail_status check_one(const struct checking *c, const struct pail_ntt_kernel *kernel)
{
    const pail_vector_op *op = c->op;
    if (op->kind < PAIL_VECTOR_OP_NTT || op->kind >= KINDS)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].kind %u is not a pail_vector_op_kind",
                         c->number, op->kind);
    const struct shape *shape = &shapes[op->kind];
    const uint32_t flags = pail_op_transforms(op) ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
    if (op->flags & ~flags)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].flags 0x%x, of which kind %u has 0x%x", c->number, op->flags,
                         op->kind, flags);
    if (!op->r)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].r is NULL", c->number);
    pail_status status = check_vector(c, "r", op->r, op->r_offset, op->n);
    if (status == PAIL_OK && shape->matrix)
        status = check_product(c);
    else if (status == PAIL_OK && op->matrix)
        status = pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].kind %u has no matrix", c->number,
                           op->kind);
    if (status == PAIL_OK)
        status = check_operand(c, "a", shape->a, op->a, op->a_offset,
                               shape->matrix ? op->matrix->n_columns : op->n);
    if (status == PAIL_OK)
        status = check_operand(c, "b", shape->b, op->b, op->b_offset, op->n);
    if (status == PAIL_OK)
        status = check_operand(c, "c", shape->c, op->c, op->c_offset, op->n);
    if (status == PAIL_OK && pail_op_transforms(op))
        status = check_transform(c, kernel);
    if (status == PAIL_OK && op->kind == PAIL_VECTOR_OP_POWERS)
        status = check_scalar(c, "shift", op->shift);
    if (status == PAIL_OK && op->kind == PAIL_VECTOR_OP_POWERS)
        status = check_scalar(c, "scale", op->scale);
    return status;
}

pail_status pail_field_check(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                             const struct pail_ntt_kernel *kernel, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_ops && status == PAIL_OK; i++) {
        const struct checking c = {.field = field, .op = &ops[i], .number = i, .err = err};
        status = check_one(&c, kernel);
    }
    return status;
}
