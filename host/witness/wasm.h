/* SPDX-License-Identifier: Apache-2.0 */
/* The container of WebAssembly: sections, of which the memory's is read here and all others by the
 * engine. Source of the format: WebAssembly Core Specification, section 5.5. */
#ifndef PAIL_WITNESS_WASM_H
#define PAIL_WITNESS_WASM_H

#include <pail/backend.h>

#include <formats/file.h>

/* Copies a module, with a memory that cannot grow beyond `limit` bytes.
 *
 * Out: *limited: [*bytes], freed by free(); NULL and 0 on failure. *memory: bytes that it begins
 * with. In:  name: of the module in errors. Returns PAIL_OK; PAIL_ERR_DATA: it is no module, or its
 * memory begins with more; or PAIL_ERR_HOST_MEMORY. */
pail_status pail_wasm_limit(uint8_t **limited, size_t *bytes, const char *name,
                            const struct pail_bytes *module, uint64_t limit, uint64_t *memory,
                            char *error, size_t capacity);

#endif /* PAIL_WITNESS_WASM_H */
