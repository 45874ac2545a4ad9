/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that cross the boundary: the reader takes what the writer knew and zeros for the rest.
 * name: as the caller knows the argument, for sentences. */
#ifndef PAIL_PLUGIN_STRUCTS_H
#define PAIL_PLUGIN_STRUCTS_H

#include <stddef.h>

#include "alloc.h"

/* Copies the caller's struct `in` into `out`, our idea of it, `size` bytes. `least` is the
 * size that it began with (PAIL_HOST_SIZE_1_0 and its kin). Errors: PAIL_ERR_ARGUMENT for NULL or
 * an impossible struct_size. */
pail_status pail_struct_in(void *out, size_t size, const void *in, size_t least, const char *name,
                           struct pail_error *err);

/* Elements of an array: its name, our size of one and the least one. */
struct pail_struct_array {
    const char *name;
    size_t size, least;
};

/* Makes *ours an array of n structs of our size: the caller's own where it has that size, otherwise
 * *copy, to be freed to `alloc` and NULL if there is none. The first element's struct_size is the
 * stride. Errors: PAIL_ERR_ARGUMENT for n of 0 or of 2^30 and more, for NULL, and for a struct_size
 * that cannot be or differs; PAIL_ERR_HOST_MEMORY. */
pail_status pail_structs_in(const void **ours, void **copy, const struct pail_alloc *alloc,
                            const struct pail_struct_array *kind, const void *array, size_t n,
                            struct pail_error *err);

/* Checks a struct that is to be filled, and zeroes all of it but struct_size. */
pail_status pail_struct_out(void *out, size_t least, const char *name, struct pail_error *err);

/* Same, for an array of n, of which the first one's struct_size is the stride: the structs before a
 * wrong one are zeroed. */
pail_status pail_structs_out(void *array, size_t n, size_t least, const char *name,
                             struct pail_error *err);

/* Copies our filled struct `in` of `size` bytes into the caller's, as far as that reaches, and
 * zeroes what the caller's has beyond; struct_size stays. */
void pail_struct_deliver(void *out, const void *in, size_t size);

#endif /* PAIL_PLUGIN_STRUCTS_H */
