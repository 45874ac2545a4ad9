/* SPDX-License-Identifier: Apache-2.0 */
/* A host's memory that is counted, and that runs out when a test says so. */
#ifndef PAIL_TESTS_COUNTED_H
#define PAIL_TESTS_COUNTED_H

#include <stdatomic.h>
#include <stddef.h>

extern atomic_long counted_blocks; /* blocks that are out */
extern atomic_long counted_bytes;  /* bytes that were ever taken */
extern atomic_long counted_left; /* allocations until all fail; negative, as at first: none does */

/* Callbacks of pail_host. */
void *counted_alloc(void *user, size_t size);
void counted_free(void *user, void *memory);

#endif /* PAIL_TESTS_COUNTED_H */
