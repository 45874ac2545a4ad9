/* SPDX-License-Identifier: Apache-2.0 */
/* Footprint of one workgroup of a module: its invocations and its shared memory, for given values
 * of the specialisation constants. */
#ifndef PAIL_SPIRV_FOOTPRINT_H
#define PAIL_SPIRV_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "compile.h"

struct pail_footprint {
    uint32_t local_size[3]; /* invocations */
    uint64_t shared_bytes;  /* size of all shared variables, each at its alignment */
};

/* In:  words       of a valid module
 *      ids, values of n specialisation constants; the module's defaults for all others
 * Errors: PAIL_SPIRV_MEMORY; PAIL_SPIRV_INVALID for a size that is no constant expression of the
 *         few operations glslang makes of workgroup sizes. */
enum pail_spirv_status pail_spirv_footprint(const uint32_t *words, size_t n_words,
                                            const uint32_t ids[], const uint32_t values[],
                                            uint32_t n, struct pail_footprint *out);

#endif /* PAIL_SPIRV_FOOTPRINT_H */
