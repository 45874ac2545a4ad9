/* SPDX-License-Identifier: Apache-2.0 */
#include "content_hash.h"

#include <stdlib.h>

#include <curves/fnv.h>
#include <formats/report.h>

enum { BLOCK_BYTES = 256 << 10 };

pail_status pail_content_hash(uint64_t *hash, const struct pail_binfile *file, char *error,
                              size_t error_cap)
{
    *hash = 0;
    uint64_t state = pail_fnv1a64(NULL, 0);
    if (file->data) {
        *hash = pail_fnv1a64_more(state, file->data, file->size);
        return PAIL_OK;
    }
    uint8_t *const block = malloc(BLOCK_BYTES);
    if (!block)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory to read %s",
                           file->name);
    pail_status status = PAIL_OK;
    for (size_t at = 0; at < file->size && status == PAIL_OK; at += BLOCK_BYTES) {
        const size_t bytes = file->size - at < BLOCK_BYTES ? file->size - at : BLOCK_BYTES;
        status = pail_file_read(file->file, block, bytes, at, error, error_cap);
        if (status == PAIL_OK)
            state = pail_fnv1a64_more(state, block, bytes);
    }
    free(block);
    if (status == PAIL_OK)
        *hash = state;
    return status;
}
