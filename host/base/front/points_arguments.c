/* Arguments of operations on points at addresses, and places of those from address to address, as
 * arguments.c has the arguments of vectors. */
#include "front.h"

#include <inttypes.h>
#include <stdio.h>

#include <curves/curve_ops.h>

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

/* Name of what lies there. */
static const char *items(const struct checking *c)
{
    return c->op->kind <= PAIL_VECTOR_OP_POINTS_CONVERT ? "points" : "elements";
}

/* One of the two places, of points or elements of so many bytes. */
static pail_status check_place(const struct checking *c, const char *member, uint64_t address,
                               uint64_t of_point)
{
    struct pail_front_place place;
    char name[48];
    (void)snprintf(name, sizeof(name), "ops[%zu].%s", c->i, member);
    if (c->op->n > UINT64_MAX / of_point)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].n is %" PRIu64 ": more %s than an address space has", c->i,
                         c->op->n, items(c));
    return pail_front_place(
        &place, c->facts->memories(c->owner), address, c->op->n * of_point,
        c->op->kind <= PAIL_VECTOR_OP_POINTS_CONVERT ? ALIGN : PAIL_SCALAR_BYTES, name, c->err);
}

pail_status pail_front_check_places(const struct pail_front_facts *facts, const void *owner,
                                    const pail_vector_op *op, size_t i, uint64_t from, uint64_t to,
                                    struct pail_error *err)
{
    const struct checking checking = {facts, owner, op, i, err}, *const c = &checking;
    pail_status status = check_place(c, "address", op->address, from);
    if (status == PAIL_OK)
        status = check_place(c, "to_address", op->to_address, to);
    if (status != PAIL_OK || (op->address == op->to_address && from == to))
        return status;
    if (op->address < op->to_address + op->n * to && op->to_address < op->address + op->n * from)
        return pail_fail(c->err, PAIL_ERR_ARGUMENT,
                         "ops[%zu].to_address is 0x%" PRIx64 ", from where on %" PRIu64
                         " %s of %" PRIu64 " bytes overlap those of %" PRIu64 " from 0x%" PRIx64
                         " on",
                         c->i, op->to_address, op->n, items(c), to, from, op->address);
    return PAIL_OK;
}

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
        if (vectors[k])
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
    const pail_status status = check_encodings(&c, converts);
    if (status != PAIL_OK || op->n == 0)
        return status;
    return pail_front_check_places(
        facts, owner, op, i,
        pail_point_encoding_of(op->encoding).coordinates * ops->coordinate_bytes,
        pail_point_encoding_of(op->to_encoding).coordinates * ops->coordinate_bytes, err);
}
