/* SPDX-License-Identifier: Apache-2.0 */
/* The ordinary work of the tests in few multiplications: what any fault of an MSM should show in.
 * Tests that change something about the plugin or its device run it to see whether results stay
 * right. */
#ifndef PAIL_TESTS_GPU_WORKLOAD_H
#define PAIL_TESTS_GPU_WORKLOAD_H

#include "support/plugin.h"

struct test_workload {
    unsigned runs;    /* multiplications done */
    unsigned refused; /* runs that did not start */
    unsigned wrong;   /* runs with another point than the closed form, or failed */
    char first[256];  /* the first of them, and how it was wrong */
};

/* Runs all of it on plugin->context: hot, equal and opposite points; pieces of cut buckets; window
 * batches that follow one another; sizes up and down again on one context. The base sets are made
 * anew each time, so that limits on them count. config: optional; window_bits, force_batches and
 * threads are set for each multiplication. */
struct test_workload test_workload_run(struct test_plugin *plugin, uint32_t curve, uint32_t group,
                                       const pail_msm_config *config);

#endif /* PAIL_TESTS_GPU_WORKLOAD_H */
