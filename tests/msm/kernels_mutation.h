/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's text with a fault in it: what tests/msm/mutations.py puts in to see whether the tests
 * of kernels notice. */
#ifndef PAIL_TESTS_MSM_KERNELS_MUTATION_H
#define PAIL_TESTS_MSM_KERNELS_MUTATION_H

#include <compile.h>

/* The source that PAIL_TEST_MUTATION=PATH:FILE names: the content of FILE in place of glsl/PATH, in
 * every kernel. NULL where it is not set. Aborts where the file cannot be read. */
const struct pail_source *kernel_mutation(void);

#endif /* PAIL_TESTS_MSM_KERNELS_MUTATION_H */
