/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory through the host's callbacks. */
#ifndef PAIL_CPU_MEMORY_H
#define PAIL_CPU_MEMORY_H

#include <core/alloc.h>

/* n times size bytes, at least one; NULL when there is no memory or the product overflows. */
void *pail_cpu_alloc(const struct pail_alloc *memory, size_t n, size_t size);
void pail_cpu_free(const struct pail_alloc *memory, void *block); /* block may be NULL */

/* The block cut down to `bytes`, its contents kept, at another place perhaps. Where that takes
 * memory that there is not, it stays as it is. */
void *pail_cpu_shrink(const struct pail_alloc *memory, void *block, size_t bytes);

/* Frees a block that held secrets, n times size bytes of it: they are wiped first. */
void pail_cpu_free_wiped(const struct pail_alloc *memory, void *block, size_t n, size_t size);

#endif /* PAIL_CPU_MEMORY_H */
