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

#endif /* PAIL_MSM_TABLE_H */
