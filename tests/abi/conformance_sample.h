/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that the tests of the adstack at the boundary register. */
#ifndef PAIL_TESTS_CONFORMANCE_SAMPLE_H
#define PAIL_TESTS_CONFORMANCE_SAMPLE_H

#include "conformance.h"

/* MAX_OVER_RANGE(v, 0, shape(a, 0), a[v]) + 1, and a stack of 7. */
struct sample {
    pail_node nodes[6];
    int64_t indices[1];
    pail_stack_desc stacks[2];
    pail_task_desc task;
    uint8_t ranks[1];
    pail_kernel_desc desc;
    int32_t data[4];
    int64_t shape[1];
    pail_binding binding;
    pail_task_launch tasks[1];
    pail_launch launch;
};

/* The kernel "compute_grad" and a launch of it, which needs launch.kernel besides. */
void fill(struct sample *s);

#endif
