/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels: trees over random arrays, types and ranges, from a seed; the same everywhere.
 * They have negative data, empty axes, strides of all kinds, hidden variables, ragged ranges, parts
 * used several times, extensions, static stacks, now and then something that cannot be computed,
 * and in every third kernel clamped ranges. No stack takes the oracle more than TREES_STEPS steps,
 * but for errors of this estimate.
 */
#ifndef PAIL_TESTS_ADSTACK_TREES_H
#define PAIL_TESTS_ADSTACK_TREES_H

#include <pail/backend.h>

#define TREES_STEPS 200000u

struct trees_kernel {
    pail_kernel_desc desc;
    pail_binding *bindings; /* [desc.n_sources], in their order, with contents in host memory */
    uint64_t seed;
};

/* Options of a kernel; 0 everywhere is the default. */
struct trees_options {
    uint32_t max_tasks;  /* 3 */
    uint32_t max_stacks; /* for each task: 4 */
    uint32_t max_nodes;  /* for each tree, about: 40 */
    uint32_t errors;     /* one of how many choices goes wrong: 150; UINT32_MAX: none on purpose */
};

/* Returns NULL without memory. options may be NULL. */
struct trees_kernel *trees_make(uint64_t seed, const struct trees_options *options);

/* New contents for one array, of the same kind as before; shape and strides stay. */
void trees_rewrite(struct trees_kernel *kernel, uint32_t source, uint64_t seed);

void trees_free(struct trees_kernel *kernel);

#endif /* PAIL_TESTS_ADSTACK_TREES_H */
