/* The container of WebAssembly: sections, of which the memory's is read here and all others by the
 * engine. Source of the format: WebAssembly Core Specification, section 5.5. */
#ifndef PAIL_WITNESS_WASM_H
#define PAIL_WITNESS_WASM_H

#include <pail/backend.h>

#include <formats/file.h>

/* Copies a module, with a memory that cannot grow beyond `limit` bytes.
 *
 * Out: *limited: freed by pail_bytes_free; zeroed on failure. *memory: bytes that it begins with.
 * In:  name: of the module in errors.
 * Returns PAIL_OK; PAIL_ERR_DATA: it is no module, or its memory begins with more; or
 * PAIL_ERR_HOST_MEMORY. */
pail_status pail_wasm_limit(struct pail_bytes *limited, const char *name,
                            const struct pail_bytes *module, uint64_t limit, uint64_t *memory,
                            char *error, size_t capacity);

#endif /* PAIL_WITNESS_WASM_H */
