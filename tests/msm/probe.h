/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the arithmetic under the kernels, for every group. */
#ifndef PAIL_TESTS_GPU_PROBE_H
#define PAIL_TESTS_GPU_PROBE_H

#include "kernels_support.h"

/* Both take a group that test_group() has chosen. */
void probe_field(const struct vk_fixture *f);
void probe_points(const struct vk_fixture *f);

#endif /* PAIL_TESTS_GPU_PROBE_H */
