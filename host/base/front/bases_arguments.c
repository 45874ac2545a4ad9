/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of arguments that describe bases: as in arguments.c. */
#include "front.h"

#include <curves/curve_ops.h>
#include <points/source.h>

#define BASES_FLAGS ((uint32_t)(PAIL_BASES_KEEP_INFINITIES | PAIL_BASES_COMPACT))

pail_status pail_front_bases_flags(uint32_t flags, uint32_t residency, uint32_t table_factor,
                                   uint32_t group, const char *name, struct pail_error *err)
{
    if (flags & ~BASES_FLAGS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is 0x%x; only 0x%x is known", name, flags,
                         BASES_FLAGS);
    if (!(flags & PAIL_BASES_COMPACT))
        return PAIL_OK;
    if (residency == PAIL_RESIDENCY_HOST)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s has PAIL_BASES_COMPACT, and the residency is %u, host memory; compact "
                         "points stay on the device",
                         name, residency);
    if (table_factor > 1)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "%s has PAIL_BASES_COMPACT, and the table factor is %u; compact points "
                         "have no tables, which take more memory",
                         name, table_factor);
    if (group != PAIL_G1)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "%s has PAIL_BASES_COMPACT, and the group is %u; only points of G1 (%u) "
                         "can be compact",
                         name, group, PAIL_G1);
    return PAIL_OK;
}

pail_status pail_front_bases_desc(const pail_bases_desc *desc, const struct pail_curve_ops *ops,
                                  struct pail_error *err)
{
    const size_t bytes = pail_point_source_bytes(desc->encoding, ops->coordinate_bytes);
    const size_t stride = desc->stride ? desc->stride : bytes;
    pail_status status =
        pail_front_encoding(desc->encoding, PAIL_ENCODING_JACOBIAN, "desc->encoding", err);
    if (status == PAIL_OK)
        status =
            pail_front_encoding(desc->validation, PAIL_VALIDATE_SUBGROUP, "desc->validation", err);
    if (status == PAIL_OK)
        status = pail_front_encoding(desc->residency, PAIL_RESIDENCY_HOST, "desc->residency", err);
    if (status != PAIL_OK)
        return status;
    status = pail_front_bases_flags(desc->flags, desc->residency, desc->table_factor, desc->group,
                                    "desc->flags", err);
    if (status != PAIL_OK)
        return status;
    if (desc->points && desc->read_points)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "desc->points and desc->read_points are both given");
    if (desc->address && (desc->points || desc->read_points))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "desc->address and desc->%s are both given",
                         desc->points ? "points" : "read_points");
    if (desc->address && (desc->stride || desc->infinity_byte))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "desc->%s is set, but points at desc->address are packed",
                         desc->stride ? "stride" : "infinity_byte");
    if (!desc->points && !desc->read_points && !desc->address && desc->n_points)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "desc->points, desc->read_points and desc->address are NULL, but "
                         "desc->n_points is %zu",
                         desc->n_points);
    if (stride < bytes)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "desc->stride is %zu; a point has %zu bytes",
                         desc->stride, bytes);
    if (desc->infinity_byte > stride)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "desc->infinity_byte is %u, beyond the stride of %zu bytes",
                         desc->infinity_byte, stride);
    if (!pail_point_source_fits(desc, ops->coordinate_bytes))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "desc->n_points is %zu and desc->stride %zu: more than an address space",
                         desc->n_points, desc->stride);
    return PAIL_OK;
}
