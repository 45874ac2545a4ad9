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
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    for (size_t i = 0; i < n; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    if (plugin.api->msm_start(plugin.context, &pending, jobs, n, config) != PAIL_OK ||
        plugin.api->msm_finish(&pending, results, n, &stats) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    return stats;
}

/* A driver without 64-bit integers is an interpreter of a few million multiplications a second, and
 * takes seconds to make the kernels of a group. */
static inline bool plugin_is_slow(void)
{
    return !(plugin.device.features & PAIL_FEATURE_INT64);
}

#endif /* PAIL_TESTS_GPU_PLUGIN_GROUP_H */
