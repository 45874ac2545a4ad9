/* SPDX-License-Identifier: Apache-2.0 */
/* A name for the contents of a file, for caches of data that is made from it. */
#ifndef PAIL_PROVER_CONTENT_HASH_H
#define PAIL_PROVER_CONTENT_HASH_H

#include <formats/binfile.h>

/* FNV-1a, 64 bits, of all bytes in their order: about a second for a gigabyte.
 * Returns PAIL_OK, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY. */
pail_status pail_content_hash(uint64_t *hash, const struct pail_binfile *file, char *error,
                              size_t error_cap);

#endif /* PAIL_PROVER_CONTENT_HASH_H */
