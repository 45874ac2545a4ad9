#include "vector_arguments.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "matrix.h"
#include "modular.h"
#include "sized.h"
#include "vector.h"

/* Name and operands of each kind of operation. */
static const struct kind {
    const char *name;
    uint32_t operands; /* a, b, c in this order */
    bool transform, matrix;
} kinds[] = {
    [PAIL_VECTOR_OP_NTT] = {"ntt", 1, true, false},
    [PAIL_VECTOR_OP_INTT] = {"intt", 1, true, false},
    [PAIL_VECTOR_OP_SPMV] = {"spmv", 1, false, true},
    [PAIL_VECTOR_OP_ADD] = {"add", 2, false, false},
    [PAIL_VECTOR_OP_SUB] = {"sub", 2, false, false},
    [PAIL_VECTOR_OP_MUL] = {"mul", 2, false, false},
    [PAIL_VECTOR_OP_MUL_SUB] = {"mul_sub", 3, false, false},
    [PAIL_VECTOR_OP_POWERS] = {"powers", 1, false, false},
    [PAIL_VECTOR_OP_COPY] = {"copy", 1, false, false},
};

const char *pail_cpu_vector_op_name(uint32_t kind)
{
    return kinds[kind].name;
}

struct checked {
    pail_context *context;
    const pail_vector_op *op;
    const struct kind *kind;
    size_t i;
};

static pail_status check_operand(const struct checked *c, const pail_vector *vector,
                                 uint64_t offset, char letter, bool wanted)
{
    const pail_vector_op *const op = c->op;
    char name[48];
    snprintf(name, sizeof name, "ops[%zu].%c", c->i, letter);
    if (!wanted) {
        if (!vector)
            return PAIL_OK;
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "%s is set, but kind %" PRIu32 ", %s, has no such operand", name,
                             op->kind, c->kind->name);
    }
    const uint64_t n = c->kind->matrix ? op->matrix->n_columns : op->n;
    const pail_status status = pail_cpu_vector_check(c->context, vector, offset, n, name);
    if (status != PAIL_OK)
        return status;
    if (vector->ops != op->r->ops) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT, "%s is of %s, but ops[%zu].r of %s",
                             name, vector->ops->curve_name, c->i, op->r->ops->curve_name);
    }
    const bool in_place = offset == op->r_offset && !c->kind->matrix;
    const uint64_t r = op->r_offset;
    if (vector == op->r && !in_place && offset < r + op->n && r < offset + n) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "%s, from %" PRIu64 " to %" PRIu64 " + %" PRIu64
                             ", overlaps ops[%zu].r, from %" PRIu64 " to %" PRIu64 " + %" PRIu64,
                             name, offset, offset, n, c->i, r, r, op->n);
    }
    return PAIL_OK;
}

static pail_status check_matrix(const struct checked *c)
{
    const pail_vector_op *const op = c->op;
    const pail_matrix *const matrix = op->matrix;
    if (!c->kind->matrix) {
        if (!matrix)
            return PAIL_OK;
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "ops[%zu].matrix is set, but kind %" PRIu32 ", %s, has none", c->i,
                             op->kind, c->kind->name);
    }
    if (!matrix)
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT, "ops[%zu].matrix is NULL", c->i);
    if (matrix->context != c->context) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "ops[%zu].matrix belongs to another context", c->i);
    }
    if (matrix->scalars != op->r->scalars) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "ops[%zu].matrix is of another curve than r, which is of %s", c->i,
                             op->r->ops->curve_name);
    }
    if (op->n != matrix->n_rows) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "ops[%zu].n is %" PRIu64 "; the matrix has %" PRIu64 " rows", c->i,
                             op->n, matrix->n_rows);
    }
    return PAIL_OK;
}

/* An integer that has to be below the order. */
static pail_status read_integer(const struct checked *c, pail_u256 *r, const uint8_t *bytes,
                                const char *name)
{
    pail_u256_from_bytes(r, bytes);
    if (pail_cpu_below(r, &c->op->r->ops->order))
        return PAIL_OK;
    return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT, "ops[%zu].%s is not below the order of %s",
                         c->i, name, c->op->r->ops->curve_name);
}

/* True if the root's order is 2^log_n: its power 2^(log_n - 1) is -1 then, and only then. */
static bool has_order(const struct pail_curve_ops *ops, const pail_u256 *root, uint32_t log_n)
{
    if (log_n == 0)
        return pail_cpu_equals(root, 1);
    pail_u256 power = *root;
    for (uint32_t i = 1; i < log_n; i++)
        ops->scalar_mul(&power, &power, &power);
    const pail_u256 one = {{1}};
    ops->scalar_add(&power, &power, &one);
    return pail_cpu_equals(&power, 0);
}

static pail_status check_transform(const struct checked *c, struct pail_cpu_vector_op *out)
{
    const pail_vector_op *const op = c->op;
    if (op->log_n > PAIL_NTT_LOG_MAX) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT, "ops[%zu].log_n is %u; at most %u",
                             c->i, op->log_n, PAIL_NTT_LOG_MAX);
    }
    if (op->n % (UINT64_C(1) << op->log_n) != 0) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT,
                             "ops[%zu].n is %" PRIu64 ", no multiple of 2^%u", c->i, op->n,
                             op->log_n);
    }
    const pail_status status = read_integer(c, &out->root, op->root, "root");
    if (status == PAIL_OK && !has_order(op->r->ops, &out->root, op->log_n)) {
        return pail_cpu_fail(c->context, PAIL_ERR_ARGUMENT, "ops[%zu].root is not of order 2^%u",
                             c->i, op->log_n);
    }
    return status;
}

static pail_status check_numbers(const struct checked *c, struct pail_cpu_vector_op *out)
{
    const pail_vector_op *const op = c->op;
    const bool powers = op->kind == PAIL_VECTOR_OP_POWERS;
    pail_status status = PAIL_OK;
    if (c->kind->transform)
        status = check_transform(c, out);
    if (status == PAIL_OK && (c->kind->transform || powers))
        status = read_integer(c, &out->shift, op->shift, "shift");
    if (status == PAIL_OK && powers)
        status = read_integer(c, &out->scale, op->scale, "scale");
    out->shift.l[0] += pail_cpu_equals(&out->shift, 0);
    out->scale.l[0] += pail_cpu_equals(&out->scale, 0);
    return status;
}

pail_status pail_cpu_vector_op_read(pail_context *context, struct pail_cpu_vector_op *out,
                                    const void *theirs, size_t i)
{
    *out = (struct pail_cpu_vector_op){0};
    pail_status status = pail_cpu_check(context, theirs, PAIL_VECTOR_OP_SIZE_1_0, "ops");
    if (status != PAIL_OK)
        return status;
    pail_vector_op *const op = &out->op;
    pail_cpu_read(op, sizeof *op, theirs);
    if (op->kind >= sizeof kinds / sizeof kinds[0] || !kinds[op->kind].name) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "ops[%zu].kind is %u, which is none", i,
                             op->kind);
    }
    const struct checked c = {context, op, &kinds[op->kind], i};
    const uint32_t flags = c.kind->transform ? PAIL_VECTOR_OP_BIT_REVERSED : 0;
    if ((op->flags & ~flags) != 0) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "ops[%zu].flags is 0x%x; kind %u, %s, knows 0x%x", i, op->flags,
                             op->kind, c.kind->name, flags);
    }
    char name[48];
    snprintf(name, sizeof name, "ops[%zu].r", i);
    status = pail_cpu_vector_check(context, op->r, op->r_offset, op->n, name);
    if (status == PAIL_OK)
        status = check_matrix(&c);
    if (status == PAIL_OK)
        status = check_operand(&c, op->a, op->a_offset, 'a', true);
    if (status == PAIL_OK)
        status = check_operand(&c, op->b, op->b_offset, 'b', c.kind->operands > 1);
    if (status == PAIL_OK)
        status = check_operand(&c, op->c, op->c_offset, 'c', c.kind->operands > 2);
    return status == PAIL_OK ? check_numbers(&c, out) : status;
}
