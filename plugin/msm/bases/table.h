/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a set (copies.h), on the device. */
#ifndef PAIL_MSM_TABLE_H
#define PAIL_MSM_TABLE_H

#include "bases.h"

/* Fills copies 1 ... factor - 1 of `copy`, whose copy 0 is there, on the device.
 * In:  room  device bytes that scratch may take.
 * Out: *ms   that it took, without the making of a pipeline
 * Errors: memory, PAIL_ERR_DEVICE_LOST. Nothing is running afterwards. */
pail_status pail_table_fill(struct pail_bases *bases, struct pail_bases_copy *copy,
                            enum pail_field_form form, uint64_t room, double *ms,
                            struct pail_error *err);

/* Images of registered points under (x, y) -> (beta x, y), which multiplies points of order r by
 * lambda: a scalar k = k1 + k2 lambda with halves of half the bits then has half the windows, each
 * with two entries, so that there are half the buckets for the same additions, or fewer additions.
 *
 * Robert P. Gallant, Robert J. Lambert, Scott A. Vanstone, "Faster point multiplication on elliptic
 * curves with efficient endomorphisms", CRYPTO 2001. */

/* Makes the GLV images of `copy`, whose points are there, on the device.
 * Errors: PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_LOST, and those of making a pipeline. Nothing is
 * running afterwards. */
pail_status pail_glv_fill(struct pail_bases *bases, struct pail_bases_copy *copy,
                          enum pail_field_form form, struct pail_error *err);

#endif /* PAIL_MSM_TABLE_H */
