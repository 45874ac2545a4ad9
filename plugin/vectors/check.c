#include "steps.h"

#include "field.h"

#include <stdio.h>

#include "run.h"

/* Operands of an operation besides r; a in any case. Sentences are those of the CPU backend, word
 * for word (tests/abi/conformance_vectors.c). */
struct shape {
    const char *name;
    bool b, c, matrix;
};

static const struct shape shapes[] = {
    [PAIL_VECTOR_OP_NTT] = {.name = "ntt"},
    [PAIL_VECTOR_OP_INTT] = {.name = "intt"},
    [PAIL_VECTOR_OP_SPMV] = {.name = "spmv", .matrix = true},
    [PAIL_VECTOR_OP_ADD] = {.name = "add", .b = true},
    [PAIL_VECTOR_OP_SUB] = {.name = "sub", .b = true},
    [PAIL_VECTOR_OP_MUL] = {.name = "mul", .b = true},
    [PAIL_VECTOR_OP_MUL_SUB] = {.name = "mul_sub", .b = true, .c = true},
    [PAIL_VECTOR_OP_POWERS] = {.name = "powers"},
    [PAIL_VECTOR_OP_COPY] = {.name = "copy"},
};

enum { KINDS = sizeof(shapes) / sizeof(shapes[0]) };

/* State of a check. */
struct checking {
    struct pail_vectors *field;
    const pail_vector_op *op;
    size_t number;
    struct pail_error *err;
};

static pail_status check_vector(const struct checking *c, const char *letter,
                                const pail_vector *vector, uint64_t offset, uint64_t n)
{
    char name[48];
    (void)snprintf(name, sizeof(name), "ops[%zu].%s", c->number, letter);
    if (!vector)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "%s is NULL", name);
    if (vector->field != c->field)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "%s belongs to another context", name);
    const pail_status status = pail_vector_has(vector, offset, n, name, c->err);
    if (status == PAIL_OK && vector->curve != c->op->r->curve)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "%s is of %s, but ops[%zu].r of %s", name,
                         vector->ops->curve_name, c->number, c->op->r->ops->curve_name);
    return status;
}

static pail_status check_operand(const struct checking *c, const char *letter, bool wanted,
                                 const pail_vector *vector, uint64_t offset, uint64_t n)
{
    const pail_vector_op *op = c->op;
    if (!wanted && !vector)
        return PAIL_OK;
    if (!wanted)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].%s is set, but kind %u, %s, has no such operand", c->number,
                         letter, op->kind, shapes[op->kind].name);
    const pail_status status = check_vector(c, letter, vector, offset, n);
    if (status != PAIL_OK || vector != op->r)
        return status;
    const bool in_place = offset == op->r_offset && op->kind != PAIL_VECTOR_OP_SPMV;
    const uint64_t r = op->r_offset;
    if (in_place || offset >= r + op->n || r >= offset + n)
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                     "ops[%zu].%s, from %llu to %llu + %llu, overlaps ops[%zu].r, from %llu to "
                     "%llu + %llu",
                     c->number, letter, (unsigned long long)offset, (unsigned long long)offset,
                     (unsigned long long)n, c->number, (unsigned long long)r, (unsigned long long)r,
                     (unsigned long long)op->n);
}

static pail_status check_scalar(const struct checking *c, const char *name, const uint8_t bytes[32])
{
    pail_u256 value;
    if (pail_scalar_read(&value, c->op->r->ops, bytes))
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].%s is not below the order of %s",
                     c->number, name, c->op->r->ops->curve_name);
}

/* Checks that a kernel has so many elements in one binding. */
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
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].log_n is %u; at most %u", c->number,
                         op->log_n, PAIL_NTT_LOG_MAX);
    if (op->n & ((UINT64_C(1) << op->log_n) - 1))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].n is %llu, no multiple of 2^%u",
                         c->number, (unsigned long long)op->n, op->log_n);
    pail_status status = check_scalar(c, "root", op->root);
    if (status != PAIL_OK)
        return status;
    (void)pail_scalar_read(&root, op->r->ops, op->root);
    if (!pail_scalar_has_order(op->r->ops, &root, op->log_n))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].root is not of order 2^%u", c->number,
                         op->log_n);
    status = check_scalar(c, "shift", op->shift);
    if (status != PAIL_OK)
        return status;
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
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].matrix belongs to another context",
                         c->number);
    if (matrix->curve != c->op->r->curve)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].matrix is of another curve than r, which is of %s", c->number,
                         c->op->r->ops->curve_name);
    if (c->op->n != matrix->n_rows)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].n is %llu; the matrix has %llu rows",
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
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].kind is %u, which is none", c->number,
                         op->kind);
    const struct shape *shape = &shapes[op->kind];
    const uint32_t flags = pail_op_transforms(op) ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
    if (op->flags & ~flags)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].flags is 0x%x; kind %u, %s, knows 0x%x", c->number, op->flags,
                         op->kind, shape->name, flags);
    pail_status status = check_vector(c, "r", op->r, op->r_offset, op->n);
    if (status == PAIL_OK && shape->matrix)
        status = check_product(c);
    else if (status == PAIL_OK && op->matrix)
        status = pail_fail(c->err, PAIL_ERR_ARGUMENT,
                           "ops[%zu].matrix is set, but kind %u, %s, has none", c->number, op->kind,
                           shape->name);
    if (status == PAIL_OK)
        status = check_operand(c, "a", true, op->a, op->a_offset,
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
