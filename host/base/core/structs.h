/* Structs that cross the boundary: the reader takes what the writer knew and zeros for the rest. */
#ifndef PAIL_PLUGIN_STRUCTS_H
#define PAIL_PLUGIN_STRUCTS_H

#include <stddef.h>

#include "error.h"

/* Copies the caller's struct `in` into `out`, our idea of it, `size` bytes. `least` is the
 * size that it began with (PAIL_HOST_SIZE_1_0 and its kin). what: "pail_msm_job". Errors:
 * PAIL_ERR_ARGUMENT for NULL or a smaller struct. */
pail_status pail_struct_in(void *out, size_t size, const void *in, size_t least, const char *what,
                           struct pail_error *err);

/* Same, for an array of n, whose first element gives the stride: the others have its struct_size.
 * out: [n] of `size` bytes. */
pail_status pail_structs_in(void *out, size_t size, const void *array, size_t n, size_t least,
                            const char *what, struct pail_error *err);

/* Checks a struct the plugin will fill, and zeroes all of it but struct_size. */
pail_status pail_struct_out(void *out, size_t least, const char *what, struct pail_error *err);

/* Same, for an array of n, of which the first one's struct_size is the stride: the structs before a
 * wrong one are zeroed. */
pail_status pail_structs_out(void *array, size_t n, size_t least, const char *what,
                             struct pail_error *err);

/* Copies our filled struct `in` of `size` bytes into the caller's, as far as that reaches. */
void pail_struct_deliver(void *out, const void *in, size_t size);

#endif /* PAIL_PLUGIN_STRUCTS_H */
