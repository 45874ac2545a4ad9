/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the plugin under test the way a host does: dlopen, one symbol, negotiate. */
#ifndef PAIL_TESTS_GPU_PLUGIN_H
#define PAIL_TESTS_GPU_PLUGIN_H

#include <stdbool.h>

#include <pail/backend.h>

#include <curves/curve_ops.h>

struct test_plugin {
    void *library;
    const pail_backend *api;
    pail_host host;
    pail_context *context;
    pail_device_info device;
    uint64_t validation_messages; /* lines of the validation layer in the log */
};

/* True if this program is built with sanitizers. They look at code of the host: sizes that only
 * make kernels work longer are those of slow drivers. */
static inline bool test_sanitized(void)
{
#ifdef PAIL_TEST_SANITIZED
    return true;
#else
    return false;
#endif
}

/* Adds words to PAIL_DEBUG, for contexts from here on. Returns 0, or -1. */
int test_plugin_debug(const char *words);

/* Loads the file PAIL_TEST_PLUGIN names, or the plugin of this build; makes no context.
 * PAIL_TEST_LOG shows its log. Returns 0, or -1 after saying why on stderr. */
int test_plugin_load(struct test_plugin *plugin);

/* Makes a context of a loaded plugin, on the best device, and has it described. Returns 0, or -1
 * after saying why on stderr. */
int test_plugin_context(struct test_plugin *plugin);

/* Loads it and makes a context on the device that the driver in VK_ICD_FILENAMES offers, with
 * PAIL_DEBUG as the environment has it. */
int test_plugin_open(struct test_plugin *plugin);

/* Returns -1 if there was a validation message. */
int test_plugin_close(struct test_plugin *plugin);

/* One start of n jobs that has to succeed: an assertion of cmocka. */
pail_stats test_plugin_run(struct test_plugin *plugin, const pail_msm_job jobs[], size_t n,
                           const pail_msm_config *config, pail_msm_result results[]);

/* True if the result is this point of the group: the bytes of a coordinate, both coordinates in
 * canonical form, and the flag of infinity. */
bool test_result_is(const struct pail_curve_ops *ops, const pail_msm_result *result,
                    const pail_point *expected);

/* The same as assertions of cmocka. */
void test_expect_result(const struct pail_curve_ops *ops, const pail_msm_result *result,
                        const pail_point *expected);

#endif /* PAIL_TESTS_GPU_PLUGIN_H */
