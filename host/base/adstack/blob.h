/* SPDX-License-Identifier: Apache-2.0 */
/* A registered kernel as bytes, for another process: docs/adstack-blob.md. */
#ifndef PAIL_ADSTACK_BLOB_H
#define PAIL_ADSTACK_BLOB_H

#include "service.h"

/* Version of the layout; a blob of another one is refused. */
#define PAIL_AD_BLOB_FORMAT 1u

/* size_bytes: in: room, out: the blob's size, also when blob is NULL.
 * Errors: PAIL_ERR_ARGUMENT  no such kernel, or too little room (the sentence has what it takes) */
pail_status pail_adstack_export(struct pail_adstack *service, void *blob, size_t *size_bytes,
                                uint64_t handle, struct pail_error *err);

/* Registers what a blob has, with the ids it had.
 * Errors: PAIL_ERR_DATA      it is damaged, foreign or newer, or breaks a rule
 *         PAIL_ERR_ARGUMENT  an id belongs to something else here
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_adstack_import(struct pail_adstack *service, uint64_t *handle, uint32_t *task_ids,
                                const void *blob, size_t size_bytes, struct pail_error *err);

#endif /* PAIL_ADSTACK_BLOB_H */
