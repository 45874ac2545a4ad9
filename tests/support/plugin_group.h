/* SPDX-License-Identifier: Apache-2.0 */
/* For a program whose tests share one plugin: it, and the fixtures of their group. Include it in
 * one file. */
#ifndef PAIL_TESTS_GPU_PLUGIN_GROUP_H
#define PAIL_TESTS_GPU_PLUGIN_GROUP_H

#include "plugin.h"

static struct test_plugin plugin;

static inline int plugin_setup(void **state)
{
    (void)state;
    return test_plugin_open(&plugin);
}

static inline int plugin_teardown(void **state)
{
    (void)state;
    return test_plugin_close(&plugin);
}

/* One start of n jobs that has to succeed. */
static inline pail_stats plugin_run(const pail_msm_job jobs[], size_t n,
                                    const pail_msm_config *config, pail_msm_result results[])
{
    return test_plugin_run(&plugin, jobs, n, config, results);
}

/* A driver without 64-bit integers is an interpreter of a few million multiplications a second, and
 * takes seconds to make the kernels of a group. */
static inline bool plugin_is_slow(void)
{
    return !(plugin.device.features & PAIL_FEATURE_INT64);
}

#endif /* PAIL_TESTS_GPU_PLUGIN_GROUP_H */
