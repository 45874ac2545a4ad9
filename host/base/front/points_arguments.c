/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of operations on points at addresses, and places of those from address to address, as
 * arguments.c has the arguments of vectors. */
#include "front.h"

#include <inttypes.h>
#include <stdio.h>

#include <curves/curve_ops.h>
#include <curves/sums.h>

/* Points begin at multiples of so many bytes in their memory; elements at multiples of their size.
 */
enum { ALIGN = 16 };

/* State of a check. */
struct checking {
    const struct pail_front_facts *facts;
    const void *owner;
    const pail_vector_op *op;
    size_t i;
    struct pail_error *err;
};

/* True if elements are there, and not points. */
static bool of_elements(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_NTT_AT || op->kind == PAIL_VECTOR_OP_INTT_AT;
}

static bool has_table(const pail_vector_op *op)
{
    return op->kind == PAIL_VECTOR_OP_POINTS_TABLE || op->kind == PAIL_VECTOR_OP_POINTS_SUMS;
}

/* Name of what lies there. */
static const char *items(const struct checking *c)
{
    return of_elements(c->op) ? "elements" : "points";
}

/* Bytes of n items, or UINT64_MAX: more than an address space has. */
static uint64_t bytes_of(uint64_t n, uint64_t of_item)
{
    return n > UINT64_MAX / of_item ? UINT64_MAX : n * of_item;
}

/* One of the two places. */
static pail_status check_place(const struct checking *c, const char *member, uint64_t address,
                               uint64_t bytes)
{
    struct pail_front_place place;
    char name[48];
    (void)snprintf(name, sizeof(name), "ops[%zu].%s", c->i, member);
    if (bytes == UINT64_MAX)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].n is %" PRIu64 ": more %s than an address space has", c->i,
                         c->op->n, items(c));
    return pail_front_place(&place, c->facts->memories(c->owner), address, bytes,
                            of_elements(c->op) ? PAIL_SCALAR_BYTES : ALIGN, name, c->err);
}

/* Both places. in_place: they may be the same. */
static pail_status check_both(const struct checking *c, uint64_t from, uint64_t to, bool in_place)
{
    const pail_vector_op *const op = c->op;
    pail_status status = check_place(c, "address", op->address, from);
    if (status == PAIL_OK)
        status = check_place(c, "to_address", op->to_address, to);
    if (status != PAIL_OK || (op->address == op->to_address && in_place))
        return status;
    if (op->address >= op->to_address + to || op->to_address >= op->address + from)
        return PAIL_OK;
    if (has_table(op))
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].to_address is 0x%" PRIx64 ", from where on %" PRIu64
                         " bytes overlap the %" PRIu64 " from 0x%" PRIx64 " on",
                         c->i, op->to_address, to, from, op->address);
    return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                     "ops[%zu].to_address is 0x%" PRIx64 ", from where on %" PRIu64
                     " %s of %" PRIu64 " bytes overlap those of %" PRIu64 " from 0x%" PRIx64 " on",
                     c->i, op->to_address, op->n, items(c), to / op->n, from / op->n, op->address);
}

pail_status pail_front_check_places(const struct pail_front_facts *facts, const void *owner,
                                    const pail_vector_op *op, size_t i, uint64_t from, uint64_t to,
                                    struct pail_error *err)
{
    const struct checking c = {facts, owner, op, i, err};
    return check_both(&c, bytes_of(op->n, from), bytes_of(op->n, to), from == to);
}

const char *pail_front_sums_member(const pail_vector_op *op)
{
    return op->rows          ? "rows"
           : op->window_bits ? "window_bits"
           : op->copies      ? "copies"
           : op->reserved    ? "reserved"
                             : NULL;
}

/* ---- Sums ------------------------------------------------------------------------------------ */
static pail_status check_shape(const struct checking *c, const struct pail_curve_ops *ops)
{
    const pail_vector_op *const op = c->op;
    const bool sums = op->kind == PAIL_VECTOR_OP_POINTS_SUMS;
    const char *const set = has_table(op) ? NULL : pail_front_sums_member(op);
    if (set)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].%s is set, but kind %u, %s, has no such member", c->i, set,
                         op->kind, pail_front_op_name(op->kind));
    if (!has_table(op))
        return PAIL_OK;
    if (op->window_bits < 2 || op->window_bits > PAIL_WINDOW_BITS_MAX)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].window_bits is %u, not 2 to %u", c->i,
                         op->window_bits, PAIL_WINDOW_BITS_MAX);
    const uint32_t windows = pail_sum_windows(ops, op->window_bits);
    if (op->copies < 1 || op->copies > windows)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].copies is %u; there are %u windows of %u bits", c->i, op->copies,
                         windows, op->window_bits);
    if (sums ? op->rows < 1 : op->rows != 0)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].rows is %u; %s", c->i, op->rows,
                         sums ? "a sum has at least 1" : "a table has n points");
    if (op->reserved)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].reserved is %u, not 0", c->i,
                         op->reserved);
    if (sums ? op->encoding != 0 : op->to_encoding != 0)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].%s is %u, but a table has no encoding", c->i,
                         sums ? "encoding" : "to_encoding", sums ? op->encoding : op->to_encoding);
    return PAIL_OK;
}

/* Places of an operation with a table. */
static pail_status check_table(const struct checking *c, const struct pail_curve_ops *ops)
{
    const pail_vector_op *const op = c->op;
    const uint64_t entries = pail_sum_table_bytes(ops, op->window_bits, op->copies);
    if (op->kind == PAIL_VECTOR_OP_POINTS_TABLE)
        return check_both(c,
                          bytes_of(op->n, pail_point_encoding_of(op->encoding).coordinates *
                                              ops->coordinate_bytes),
                          bytes_of(op->n, entries), false);
    const uint32_t log_n = op->log_n < PAIL_NTT_LOG_MAX ? op->log_n : PAIL_NTT_LOG_MAX;
    return check_both(c, bytes_of((uint64_t)op->rows << log_n, entries),
                      bytes_of(op->n, pail_point_encoding_of(op->to_encoding).coordinates *
                                          ops->coordinate_bytes),
                      false);
}

pail_status pail_front_check_scalars(const struct pail_front_facts *facts, const void *owner,
                                     const pail_vector_op *op, size_t i, struct pail_error *err)
{
    char name[48];
    (void)snprintf(name, sizeof(name), "ops[%zu].a", i);
    if (!op->a)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is NULL", name);
    const struct pail_front_vector a = facts->vector(op->a);
    if (a.owner != owner)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s belongs to another context", name);
    if (a.curve != op->curve)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is of %s, but ops[%zu].curve is %u", name,
                         pail_curve_ops(a.curve, PAIL_G1)->curve_name, i, op->curve);
    return pail_front_range(&a, op->a_offset, bytes_of(op->n, op->rows), name, err);
}

/* A truncation has no coset, and is of halves of halves. */
static pail_status check_truncation(const struct checking *c)
{
    const pail_vector_op *const op = c->op;
    uint8_t more = op->shift[0] & 0xfe;
    for (size_t i = 1; i < sizeof(op->shift); i++)
        more |= op->shift[i];
    if (more)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].shift is neither 0 nor 1", c->i);
    return op->log_n >= 2 ? PAIL_OK
                          : pail_fail(c->err, PAIL_ERR_ARGUMENT, "ops[%zu].log_n is %u; at least 2",
                                      c->i, op->log_n);
}

/* ---- Points ---------------------------------------------------------------------------------- */
static pail_status check_encodings(const struct checking *c, bool converts)
{
    const pail_vector_op *const op = c->op;
    const uint32_t last = PAIL_ENCODING_PROJECTIVE_MONTGOMERY;
    char name[48];
    (void)snprintf(name, sizeof(name), "ops[%zu].encoding", c->i);
    pail_status status = pail_front_encoding(op->encoding, last, name, c->err);
    (void)snprintf(name, sizeof(name), "ops[%zu].to_encoding", c->i);
    if (status == PAIL_OK)
        status = pail_front_encoding(op->to_encoding, last, name, c->err);
    if (status != PAIL_OK)
        return status;
    const struct pail_point_encoding from = pail_point_encoding_of(op->encoding),
                                     to = pail_point_encoding_of(op->to_encoding);
    if (!converts || (from.coordinates == to.coordinates && from.jacobian == to.jacobian))
        return PAIL_OK;
    return pail_fail(c->err, PAIL_ERR_UNSUPPORTED,
                     "ops[%zu].encoding is %u and ops[%zu].to_encoding %u, but points are "
                     "converted between encodings with the same kind of coordinates",
                     c->i, op->encoding, c->i, op->to_encoding);
}

pail_status pail_front_check_points(const struct pail_front_facts *facts, const void *owner,
                                    const pail_vector_op *op, size_t i, struct pail_error *err)
{
    const struct checking c = {.facts = facts, .owner = owner, .op = op, .i = i, .err = err};
    const bool converts = op->kind == PAIL_VECTOR_OP_POINTS_CONVERT;
    static const char letters[] = "rabc";
    const pail_vector *const vectors[] = {op->r, op->a, op->b, op->c};
    for (size_t k = 0; k < sizeof(vectors) / sizeof(vectors[0]); k++)
        if (vectors[k] && !(op->kind == PAIL_VECTOR_OP_POINTS_SUMS && k == 1))
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "ops[%zu].%.1s is set, but kind %u, %s, has no such operand", i,
                             &letters[k], op->kind, pail_front_op_name(op->kind));
    const struct pail_curve_ops *const ops = pail_curve_ops(op->curve, op->group);
    if (!ops)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].curve is %u and ops[%zu].group %u, which is no group", i,
                         op->curve, i, op->group);
    if (!converts && op->group != PAIL_G1)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "ops[%zu].group is %u, but transforms are of points of group %d", i,
                         op->group, PAIL_G1);
    pail_status status = check_encodings(&c, converts);
    if (status == PAIL_OK)
        status = check_shape(&c, ops);
    if (status == PAIL_OK && op->kind == PAIL_VECTOR_OP_POINTS_TRUNCATE)
        status = check_truncation(&c);
    if (status != PAIL_OK || op->n == 0)
        return status;
    if (has_table(op))
        return check_table(&c, ops);
    return pail_front_check_places(
        facts, owner, op, i,
        pail_point_encoding_of(op->encoding).coordinates * ops->coordinate_bytes,
        pail_point_encoding_of(op->to_encoding).coordinates * ops->coordinate_bytes, err);
}
