/* Tables: shifted copies of registered points, so that one row of buckets takes several windows of
 * a scalar. Copy j has 2^(j bits) times each point, and window i * factor + j of a scalar, whose
 * digits have `bits` bits, adds points of copy j to the buckets of row i. The number of additions
 * stays, the number of bucket sets to reduce falls by the factor, and so wider windows pay.
 *
 * Ernest F. Brickell, Daniel M. Gordon, Kevin S. McCurley, David B. Wilson, "Fast exponentiation
 * with precomputation", EUROCRYPT '92. */
#ifndef PAIL_MSM_TABLE_H
#define PAIL_MSM_TABLE_H

#include "bases.h"

/* What table a set of n points should have, of at most `most` copies (1 or less: none), for
 * scalars of so many bits on a device that binds and allocates binding_bytes at a time. factor 0:
 * that is too few for any table. */
struct pail_msm_table pail_msm_table_choose(uint64_t n, uint32_t scalar_bits, uint32_t most,
                                            uint32_t point_bytes, uint64_t binding_bytes);

/* The window bits of a multiplication with these bases: the table's, where there is one.
 * Errors: PAIL_ERR_ARGUMENT  the configuration asks for others */
pail_status pail_msm_table_window(uint32_t *window_bits, const struct pail_msm_table *table,
                                  const pail_msm_config *config, struct pail_error *err);

/* Fills copies 1 ... factor - 1 of `copy`, whose copy 0 is there, on the device.
 * In:  room  device bytes that scratch may take.
 * Out: *ms   that it took, without the making of a pipeline
 * Errors: memory, PAIL_ERR_DEVICE_LOST. Nothing is running afterwards. */
pail_status pail_table_fill(struct pail_bases *bases, struct pail_bases_copy *copy,
                            enum pail_field_form form, uint64_t room, double *ms,
                            struct pail_error *err);

#endif /* PAIL_MSM_TABLE_H */
