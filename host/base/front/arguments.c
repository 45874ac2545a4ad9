/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of arguments: the same rules, in the same words, for every backend. */
#include "front.h"

#include <inttypes.h>
#include <stdio.h>

#include <curves/scalar.h>

#include <shared/vector_layout.h>

pail_status pail_front_encoding(uint32_t encoding, uint32_t last, const char *name,
                                struct pail_error *err)
{
    return encoding <= last
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_ARGUMENT, "%s is %u, which is none", name, encoding);
}

/* The name of a curve whose number is right. */
static const char *curve_name(uint32_t curve)
{
    return pail_curve_ops(curve, PAIL_G1)->curve_name;
}

/* ---- Descriptions ---------------------------------------------------------------------------- */
static pail_status check_rows(const pail_matrix_desc *desc, uint64_t *bad_index,
                              struct pail_error *err)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i <= desc->n_rows; i++) {
        const uint64_t start = desc->row_starts[i];
        if (i == 0 ? start == 0 : start >= before) {
            before = start;
            continue;
        }
        *bad_index = i;
        if (i == 0)
            return pail_fail(err, PAIL_ERR_DATA,
                             "desc->row_starts[0] is %" PRIu64 "; it has to be 0", start);
        return pail_fail(err, PAIL_ERR_DATA,
                         "desc->row_starts[%" PRIu64 "] is %" PRIu64 ", less than the %" PRIu64
                         " before it",
                         i, start, before);
    }
    return PAIL_OK;
}

pail_status pail_front_matrix_desc(const pail_matrix_desc *desc, const struct pail_curve_ops *ops,
                                   uint64_t *bad_index, struct pail_error *err)
{
    pail_status status =
        pail_front_encoding(desc->encoding, PAIL_ENCODING_MONTGOMERY, "desc->encoding", err);
    if (status != PAIL_OK)
        return status;
    const bool rows = desc->n_rows > UINT32_MAX;
    if (rows || desc->n_columns > UINT32_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "desc->%s is %" PRIu64 "; it has to be below 2^32",
                         rows ? "n_rows" : "n_columns", rows ? desc->n_rows : desc->n_columns);
    status = pail_front_need(desc->row_starts, "desc->row_starts", err);
    if (status == PAIL_OK)
        status = check_rows(desc, bad_index, err);
    if (status != PAIL_OK)
        return status;
    const uint64_t n = desc->row_starts[desc->n_rows];
    if (n && (!desc->columns || !desc->values))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "desc->%s is NULL, but there are %" PRIu64 " entries",
                         desc->columns ? "values" : "columns", n);
    for (uint64_t i = 0; i < n; i++)
        if (desc->columns[i] >= desc->n_columns) {
            *bad_index = i;
            return pail_fail(err, PAIL_ERR_DATA,
                             "desc->columns[%" PRIu64 "] is %u; there are %" PRIu64 " columns", i,
                             desc->columns[i], desc->n_columns);
        }
    uint64_t wrong;
    if (pail_scalars_below(ops, desc->values, n, &wrong))
        return PAIL_OK;
    *bad_index = wrong;
    return pail_fail(err, PAIL_ERR_DATA, "desc->values[%" PRIu64 "] is not below the order of %s",
                     wrong, ops->curve_name);
}

/* ---- Ranges of vectors ----------------------------------------------------------------------- */
pail_status pail_front_range(const struct pail_front_vector *vector, uint64_t offset, uint64_t n,
                             const char *name, struct pail_error *err)
{
    if (offset <= vector->n && n <= vector->n - offset)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "%s: elements %" PRIu64 " to %" PRIu64 " + %" PRIu64
                     " are asked for; there are %" PRIu64,
                     name, offset, offset, n, vector->n);
}

pail_status pail_front_copy(const struct pail_front_vector *vector, uint64_t offset, bool given,
                            const char *name, uint64_t n, uint32_t encoding, struct pail_error *err)
{
    if (!given && n)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is NULL, but n is %" PRIu64, name, n);
    const pail_status status =
        pail_front_encoding(encoding, PAIL_ENCODING_MONTGOMERY, "encoding", err);
    return status == PAIL_OK ? pail_front_range(vector, offset, n, "vector", err) : status;
}

/* ---- Memory ---------------------------------------------------------------------------------- */
pail_status pail_front_bytes(const struct pail_front_memory *memory, uint64_t offset,
                             uint64_t n_bytes, const char *name, struct pail_error *err)
{
    if (offset <= memory->bytes && n_bytes <= memory->bytes - offset)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_ARGUMENT,
                     "n_bytes: %" PRIu64 " at %" PRIu64 " of %s of %" PRIu64 " bytes", n_bytes,
                     offset, name, memory->bytes);
}

pail_status pail_front_memory_copy(const struct pail_front_facts *facts, const pail_memory *to,
                                   uint64_t to_offset, const pail_memory *from,
                                   uint64_t from_offset, uint64_t n_bytes, struct pail_error *err)
{
    const struct pail_front_memory t = facts->memory(to), f = facts->memory(from);
    if (t.owner != f.owner)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "from belongs to another context than to");
    pail_status status = pail_front_bytes(&t, to_offset, n_bytes, "to", err);
    if (status == PAIL_OK)
        status = pail_front_bytes(&f, from_offset, n_bytes, "from", err);
    if (status == PAIL_OK && to == from && n_bytes && to_offset < from_offset + n_bytes &&
        from_offset < to_offset + n_bytes)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "to, from %" PRIu64 " on, overlaps from, from %" PRIu64
                         " on, with n_bytes = %" PRIu64,
                         to_offset, from_offset, n_bytes);
    return status;
}

pail_status pail_front_place(struct pail_front_place *place, struct pail_ranges *memories,
                             uint64_t address, uint64_t bytes, uint32_t align, const char *name,
                             struct pail_error *err)
{
    struct pail_range range;
    if (!pail_ranges_find(memories, address, &range))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s is 0x%" PRIx64 ", where no memory of the context is", name, address);
    const uint64_t offset = address - range.begin;
    if (bytes > range.bytes - offset)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s is 0x%" PRIx64 ": %" PRIu64 " bytes are asked for; its memory ends "
                         "behind %" PRIu64,
                         name, address, bytes, range.bytes - offset);
    if (offset % align)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s is 0x%" PRIx64 ", %" PRIu64
                         " bytes into its memory, which is no multiple of %u",
                         name, address, offset, align);
    *place = (struct pail_front_place){range.object, offset};
    return PAIL_OK;
}

/* Checks an operand: it is there, of the context, and has the range. */
static pail_status check_vector(const struct pail_front_facts *facts, const void *owner,
                                const pail_vector *vector, uint64_t offset, uint64_t n,
                                const char *name, struct pail_error *err)
{
    if (!vector)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is NULL", name);
    const struct pail_front_vector v = facts->vector(vector);
    if (v.owner != owner)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s belongs to another context", name);
    return pail_front_range(&v, offset, n, name, err);
}

/* ---- Multiplications ------------------------------------------------------------------------- */
static pail_status check_scalars(const struct pail_front_facts *facts, const void *owner,
                                 const pail_msm_job *job, size_t i, bool scalars,
                                 struct pail_error *err)
{
    if (job->scalar_location != PAIL_LOCATION_VECTOR) {
        if (job->scalar_vector)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "jobs[%zu].scalar_vector is set, but scalar_location is %u", i,
                             job->scalar_location);
        if (scalars && !job->scalars && job->n)
            return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].scalars is NULL, but n is %zu", i,
                             job->n);
        return PAIL_OK;
    }
    if (job->scalars || job->scalar_encoding)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "jobs[%zu].%s is set, but scalars come from a vector", i,
                         job->scalars ? "scalars" : "scalar_encoding");
    char name[48];
    (void)snprintf(name, sizeof(name), "jobs[%zu].scalar_vector", i);
    const pail_status status =
        check_vector(facts, owner, job->scalar_vector, job->scalar_offset, job->n, name, err);
    if (status != PAIL_OK)
        return status;
    const uint32_t curve = facts->vector(job->scalar_vector).curve,
                   wanted = facts->bases(job->bases).curve;
    if (curve != wanted)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is of %s, but the bases of %s", name,
                         curve_name(curve), curve_name(wanted));
    return PAIL_OK;
}

static pail_status check_job(const struct pail_front_facts *facts, const void *owner,
                             const pail_msm_job *job, size_t i, bool scalars,
                             struct pail_error *err)
{
    if (!job->bases)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].bases is NULL", i);
    const struct pail_front_bases bases = facts->bases(job->bases);
    if (bases.owner && bases.owner != owner)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].bases belongs to another context", i);
    if (job->base_offset > bases.n || job->n > bases.n - job->base_offset)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "jobs[%zu] wants bases %zu to %zu + %zu; there are %" PRIu64, i,
                         job->base_offset, job->base_offset, job->n, bases.n);
    char name[48];
    (void)snprintf(name, sizeof(name), "jobs[%zu].scalar_encoding", i);
    const pail_status status =
        pail_front_encoding(job->scalar_encoding, PAIL_ENCODING_MONTGOMERY, name, err);
    if (status != PAIL_OK)
        return status;
    if (job->scalar_bits > 256)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "jobs[%zu].scalar_bits is %u; at most 256", i,
                         job->scalar_bits);
    if (!job->wait_semaphore && job->wait_value)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "jobs[%zu].wait_value is %" PRIu64 ", but there is no wait_semaphore", i,
                         job->wait_value);
    return check_scalars(facts, owner, job, i, scalars, err);
}

pail_status pail_front_check_jobs(const struct pail_front_facts *facts, const void *owner,
                                  const pail_msm_job *jobs, size_t n_jobs, bool scalars,
                                  struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_jobs && status == PAIL_OK; i++)
        status = check_job(facts, owner, &jobs[i], i, scalars, err);
    return status;
}

/* ---- Operations on vectors ------------------------------------------------------------------- */
/* Name and operands of each kind of operation, r and a in any case but one. */
static const struct shape {
    const char *name;
    bool b, c, matrix, transform;
    bool blocks;      /* of 2^log_n elements */
    bool load, store; /* r, or a, is in a vector, and the other one at an address */
    bool within;      /* elements at addresses, without a vector */
    bool points;      /* points, likewise */
    bool scalars;     /* of points: a is there */
    bool ordered;     /* transforms without coefficients, and on no coset */
} shapes[] = {
    [PAIL_VECTOR_OP_NTT] = {.name = "ntt", .transform = true, .blocks = true},
    [PAIL_VECTOR_OP_INTT] = {.name = "intt", .transform = true, .blocks = true},
    [PAIL_VECTOR_OP_SPMV] = {.name = "spmv", .matrix = true},
    [PAIL_VECTOR_OP_ADD] = {.name = "add", .b = true},
    [PAIL_VECTOR_OP_SUB] = {.name = "sub", .b = true},
    [PAIL_VECTOR_OP_MUL] = {.name = "mul", .b = true},
    [PAIL_VECTOR_OP_MUL_SUB] = {.name = "mul_sub", .b = true, .c = true},
    [PAIL_VECTOR_OP_POWERS] = {.name = "powers"},
    [PAIL_VECTOR_OP_COPY] = {.name = "copy"},
    [PAIL_VECTOR_OP_LOAD] = {.name = "load", .load = true},
    [PAIL_VECTOR_OP_STORE] = {.name = "store", .store = true},
    [PAIL_VECTOR_OP_BIT_REVERSE] = {.name = "bit_reverse", .blocks = true},
    [PAIL_VECTOR_OP_POINTS_NTT] = {.name = "points_ntt",
                                   .transform = true,
                                   .blocks = true,
                                   .points = true},
    [PAIL_VECTOR_OP_POINTS_INTT] = {.name = "points_intt",
                                    .transform = true,
                                    .blocks = true,
                                    .points = true},
    [PAIL_VECTOR_OP_POINTS_CONVERT] = {.name = "points_convert", .points = true},
    [PAIL_VECTOR_OP_NTT_AT] = {.name = "ntt_at", .transform = true, .blocks = true, .within = true},
    [PAIL_VECTOR_OP_INTT_AT] = {.name = "intt_at",
                                .transform = true,
                                .blocks = true,
                                .within = true},
    [PAIL_VECTOR_OP_POINTS_TABLE] = {.name = "points_table", .points = true},
    [PAIL_VECTOR_OP_POINTS_SUMS] = {.name = "points_sums",
                                    .blocks = true,
                                    .points = true,
                                    .scalars = true},
    [PAIL_VECTOR_OP_POINTS_TRUNCATE] = {.name = "points_truncate",
                                        .transform = true,
                                        .blocks = true,
                                        .points = true,
                                        .ordered = true},
};

enum { KINDS = sizeof(shapes) / sizeof(shapes[0]) };

const char *pail_front_op_name(uint32_t kind)
{
    return shapes[kind].name;
}

/* State of a check. */
struct checking {
    const struct pail_front_facts *facts;
    const void *owner;
    const pail_vector_op *op;
    const struct shape *shape;
    const struct pail_curve_ops *ops; /* of r, of a where r is memory, or of the curve */
    size_t i;
    struct pail_error *err;
};

static pail_status check_operand(const struct checking *c, char letter, bool wanted,
                                 const pail_vector *vector, uint64_t offset)
{
    const pail_vector_op *const op = c->op;
    char name[48];
    (void)snprintf(name, sizeof(name), "ops[%zu].%c", c->i, letter);
    if (!wanted)
        return vector ? pail_fail(c->err, PAIL_ERR_ARGUMENT,
                                  "%s is set, but kind %u, %s, has no such operand", name, op->kind,
                                  c->shape->name)
                      : PAIL_OK;
    const uint64_t n = c->shape->matrix ? c->facts->matrix(op->matrix).n_columns : op->n;
    const pail_status status = check_vector(c->facts, c->owner, vector, offset, n, name, c->err);
    if (status != PAIL_OK)
        return status;
    const uint32_t curve = c->facts->vector(vector).curve;
    if (curve != c->ops->curve)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "%s is of %s, but ops[%zu].r of %s", name,
                         curve_name(curve), c->i, c->ops->curve_name);
    const bool in_place = offset == op->r_offset && !c->shape->matrix;
    const uint64_t r = op->r_offset;
    if (vector == op->r && !in_place && offset < r + op->n && r < offset + n)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "%s, from %" PRIu64 " to %" PRIu64 " + %" PRIu64
                         ", overlaps ops[%zu].r, from %" PRIu64 " to %" PRIu64 " + %" PRIu64,
                         name, offset, offset, n, c->i, r, r, op->n);
    return PAIL_OK;
}

static pail_status check_matrix(const struct checking *c)
{
    const pail_vector_op *const op = c->op;
    if (!c->shape->matrix)
        return op->matrix ? pail_fail(c->err, PAIL_ERR_ARGUMENT,
                                      "ops[%zu].matrix is set, but kind %u, %s, has none", c->i,
                                      op->kind, c->shape->name)
                          : PAIL_OK;
    if (!op->matrix)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].matrix is NULL", c->i);
    const struct pail_front_matrix m = c->facts->matrix(op->matrix);
    if (m.owner != c->owner)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].matrix belongs to another context",
                         c->i);
    if (m.curve != c->ops->curve)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].matrix is of another curve than r, which is of %s", c->i,
                         c->ops->curve_name);
    if (op->n != m.n_rows)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].n is %" PRIu64 "; the matrix has %" PRIu64 " rows", c->i, op->n,
                         m.n_rows);
    return PAIL_OK;
}

/* Checks an integer that has to be below the order. */
static pail_status check_scalar(const struct checking *c, const char *name, const uint8_t bytes[32])
{
    pail_u256 value;
    if (pail_scalar_read(&value, c->ops, bytes))
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].%s is not below the order of %s", c->i,
                     name, c->ops->curve_name);
}

static pail_status check_blocks(const struct checking *c)
{
    const pail_vector_op *const op = c->op;
    if (op->log_n > PAIL_NTT_LOG_MAX)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].log_n is %u; at most %u", c->i,
                         op->log_n, PAIL_NTT_LOG_MAX);
    if (op->n & ((UINT64_C(1) << op->log_n) - 1))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].n is %" PRIu64 ", no multiple of 2^%u", c->i, op->n, op->log_n);
    return PAIL_OK;
}

static pail_status check_transform(const struct checking *c)
{
    const pail_vector_op *const op = c->op;
    pail_u256 root;
    const pail_status status = check_scalar(c, "root", op->root);
    if (status != PAIL_OK)
        return status;
    (void)pail_scalar_read(&root, c->ops, op->root);
    if (!pail_scalar_has_order(c->ops, &root, op->log_n))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].root is not of order 2^%u", c->i,
                         op->log_n);
    return check_scalar(c, "shift", op->shift);
}

/* True if a member is set that the operation does not have, because it is not between addresses, or
 * not on points; *name: that member. */
static bool has_points_members(const struct checking *c, const char **name)
{
    const pail_vector_op *const op = c->op;
    const bool within = c->shape->within;
    *name = op->to_address && !within ? "to_address"
            : op->curve && !within    ? "curve"
            : op->group               ? "group"
            : op->to_encoding         ? "to_encoding"
                                      : pail_front_sums_member(op);
    return *name != NULL;
}

/* Checks what only operations with elements in memory have. */
static pail_status check_place(const struct checking *c)
{
    const pail_vector_op *const op = c->op;
    const char *set = NULL;
    char name[48];
    if (has_points_members(c, &set))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].%s is set, but kind %u, %s, has no such member", c->i, set,
                         op->kind, c->shape->name);
    if (!c->shape->load && !c->shape->store && !c->shape->within) {
        if (!op->address && !op->encoding)
            return PAIL_OK;
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].%s is set, but kind %u, %s, has no memory", c->i,
                         op->address ? "address" : "encoding", op->kind, c->shape->name);
    }
    (void)snprintf(name, sizeof(name), "ops[%zu].encoding", c->i);
    const pail_status status =
        pail_front_encoding(op->encoding, PAIL_ENCODING_MONTGOMERY, name, c->err);
    if (status != PAIL_OK || op->n == 0)
        return status;
    if (c->shape->within)
        return pail_front_check_places(c->facts, c->owner, op, c->i, PAIL_SCALAR_BYTES,
                                       PAIL_SCALAR_BYTES, c->err);
    struct pail_front_place place;
    (void)snprintf(name, sizeof(name), "ops[%zu].address", c->i);
    return pail_front_place(&place, c->facts->memories(c->owner), op->address,
                            PAIL_SCALAR_BYTES * op->n, PAIL_SCALAR_BYTES, name, c->err);
}

/* Checks the vector that the operation is on in any case, or the curve of its elements in memory,
 * and takes the operations of that curve. */
static pail_status check_field(struct checking *c)
{
    const pail_vector_op *const op = c->op;
    const pail_vector *const own = c->shape->store ? op->a : op->r;
    uint32_t curve = op->curve;
    char name[48];
    if (c->shape->within) {
        if (curve != PAIL_CURVE_BN254 && curve != PAIL_CURVE_BLS12_381)
            return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].curve is %u, which is none", c->i,
                             curve);
    } else {
        (void)snprintf(name, sizeof(name), "ops[%zu].%c", c->i, c->shape->store ? 'a' : 'r');
        const pail_status status =
            check_vector(c->facts, c->owner, own, c->shape->store ? op->a_offset : op->r_offset,
                         op->n, name, c->err);
        if (status != PAIL_OK)
            return status;
        curve = c->facts->vector(own).curve;
    }
    c->ops = pail_curve_ops(curve, PAIL_G1);
    return PAIL_OK;
}

/* Checks an operation between vectors, or between one and memory. */
static pail_status check_vectors_op(struct checking *c)
{
    const pail_vector_op *const op = c->op;
    pail_status status = check_field(c);
    if (status == PAIL_OK)
        status = check_matrix(c);
    if (status == PAIL_OK && (c->shape->store || c->shape->within))
        status = check_operand(c, 'r', false, op->r, op->r_offset);
    if (status == PAIL_OK && !c->shape->store)
        status = check_operand(c, 'a', !c->shape->load && !c->shape->within, op->a, op->a_offset);
    if (status == PAIL_OK)
        status = check_operand(c, 'b', c->shape->b, op->b, op->b_offset);
    if (status == PAIL_OK)
        status = check_operand(c, 'c', c->shape->c, op->c, op->c_offset);
    if (status == PAIL_OK)
        status = check_place(c);
    if (status == PAIL_OK && c->shape->blocks)
        status = check_blocks(c);
    if (status == PAIL_OK && c->shape->transform)
        status = check_transform(c);
    if (status == PAIL_OK && op->kind == PAIL_VECTOR_OP_POWERS)
        status = check_scalar(c, "shift", op->shift);
    if (status == PAIL_OK && op->kind == PAIL_VECTOR_OP_POWERS)
        status = check_scalar(c, "scale", op->scale);
    return status;
}

/* Checks an operation on points. */
static pail_status check_points_op(struct checking *c)
{
    pail_status status = pail_front_check_points(c->facts, c->owner, c->op, c->i, c->err);
    if (status != PAIL_OK)
        return status;
    c->ops = pail_curve_ops(c->op->curve, c->op->group);
    status = check_matrix(c);
    if (status == PAIL_OK && c->shape->blocks)
        status = check_blocks(c);
    if (status == PAIL_OK && c->shape->scalars)
        status = pail_front_check_scalars(c->facts, c->owner, c->op, c->i, c->err);
    if (status == PAIL_OK && c->shape->transform)
        status = check_transform(c);
    return status;
}

static pail_status check_op(struct checking *c)
{
    const pail_vector_op *const op = c->op;
    if (op->kind >= KINDS || !shapes[op->kind].name)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].kind is %u, which is none", c->i,
                         op->kind);
    c->shape = &shapes[op->kind];
    uint32_t flags = 0;
    if (c->shape->transform)
        flags = PAIL_VECTOR_OP_BIT_REVERSED;
    if (c->shape->transform && !c->shape->ordered)
        flags |= PAIL_VECTOR_OP_COEFFICIENTS_REVERSED;
    if (op->flags & ~flags)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].flags is 0x%x; kind %u, %s, knows 0x%x", c->i, op->flags,
                         op->kind, c->shape->name, flags);
    return c->shape->points ? check_points_op(c) : check_vectors_op(c);
}

pail_status pail_front_check_ops(const struct pail_front_facts *facts, const void *owner,
                                 const pail_vector_op *ops, size_t n_ops, struct pail_error *err)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < n_ops && status == PAIL_OK; i++) {
        struct checking c = {.facts = facts, .owner = owner, .op = &ops[i], .i = i, .err = err};
        status = check_op(&c);
    }
    return status;
}
