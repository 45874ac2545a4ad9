/* Processors beside devices: one context of the CPU backend for all keys that want as many threads,
 * so that several proofs share one pool. */
#ifndef PAIL_B2_POOL_H
#define PAIL_B2_POOL_H

#include <pail/backend.h>

/* Host struct of contexts that are made from now on; NULL: the C library's own memory. For
 * tests. */
extern const pail_host *pail_b2_pool_host;

/* threads: 0: as many as there are processors. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a
 * sentence and no context to give back. Safe. */
pail_status pail_b2_pool_get(const pail_backend **backend, pail_context **context, uint32_t threads,
                             char *error, size_t error_cap);

/* Gives the context back; objects that were registered with it are gone. Legal on NULL. Safe. */
void pail_b2_pool_put(pail_context **context);

#endif /* PAIL_B2_POOL_H */
