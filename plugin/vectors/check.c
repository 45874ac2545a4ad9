/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include "field.h"

#include "points.h"
#include "run.h"
#include "sums.h"

/* State of a check. */
struct checking {
    struct pail_vectors *field;
    const pail_vector_op *op;
    size_t number;
    struct pail_error *err;
};

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
    const pail_status status = check_binding(c, "a factor", matrix->n_columns);
    return status == PAIL_OK && matrix->n_levels
               ? check_binding(c, "a product", matrix->levels[0].n)
               : status;
}

pail_status pail_field_check(struct pail_vectors *field, const pail_vector_op ops[], size_t n_ops,
                             const struct pail_ntt_kernel *kernel, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_ops && status == PAIL_OK; i++) {
        const struct checking c = {.field = field, .op = &ops[i], .number = i, .err = err};
        if (pail_op_of_sums(&ops[i]))
            status = ops[i].n ? pail_sums_check(field, &ops[i], i, err) : PAIL_OK;
        else if (pail_op_of_points(&ops[i]))
            status = pail_points_check(field, &ops[i], i, err);
        else if (pail_op_transforms(&ops[i]))
            status = check_transform(&c, kernel);
        else if (ops[i].kind == PAIL_VECTOR_OP_BIT_REVERSE)
            status = check_binding(&c, "a block", ops[i].n ? UINT64_C(1) << ops[i].log_n : 0);
        else if (ops[i].matrix)
            status = check_product(&c);
    }
    return status;
}
