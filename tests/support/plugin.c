/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "plugin.h"

#include <dlfcn.h>

#include "support/moved.h"
#include "support/test.h"

static void on_log(void *user, pail_log_level level, const char *message)
{
    struct test_plugin *plugin = user;
    (void)level;
    /* The layer below writes "validation: ..." in front of what the validation layer says. */
    if (strstr(message, "alidation")) {
        plugin->validation_messages++;
        fprintf(stderr, "%s\n", message);
    } else if (getenv("PAIL_TEST_LOG")) {
        fprintf(stderr, "%s\n", message);
    }
}

int test_plugin_debug(const char *words)
{
    const char *before = getenv("PAIL_DEBUG");
    char all[256];
    const int n = snprintf(all, sizeof(all), "%s%s%s", before ? before : "",
                           before && *before ? "," : "", words);
    return n > 0 && (size_t)n < sizeof(all) ? setenv("PAIL_DEBUG", all, 1) : -1;
}

int test_plugin_load(struct test_plugin *plugin)
{
    memset(plugin, 0, sizeof(*plugin));
    const char *path = getenv("PAIL_TEST_PLUGIN");
    plugin->library =
        dlopen(path ? path : test_path(PAIL_TEST_PLUGIN_FILE).text, RTLD_NOW | RTLD_LOCAL);
    if (!plugin->library) {
        fprintf(stderr, "%s\n", dlerror());
        return -1;
    }
    pail_backend_open_fn open;
    void *symbol = dlsym(plugin->library, PAIL_BACKEND_SYMBOL);
    memcpy(&open, &symbol, sizeof(open));
    plugin->host = (pail_host)SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR,
                                    .abi_minor = PAIL_ABI_MINOR, .user = plugin, .log = on_log);
    if (!symbol || open(&plugin->host, &plugin->api) != PAIL_OK) {
        fprintf(stderr, "the plugin does not open\n");
        return -1;
    }
    return 0;
}

int test_plugin_context(struct test_plugin *plugin)
{
    const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
    plugin->device = (pail_device_info){.struct_size = sizeof(plugin->device)};
    if (plugin->api->context_create(&plugin->host, &plugin->context, &params) != PAIL_OK ||
        plugin->api->context_device(plugin->context, &plugin->device) != PAIL_OK) {
        fprintf(stderr, "%s\n", plugin->api->error(NULL));
        return -1;
    }
    return 0;
}

int test_plugin_open(struct test_plugin *plugin)
{
    return test_plugin_load(plugin) == 0 ? test_plugin_context(plugin) : -1;
}

int test_plugin_close(struct test_plugin *plugin)
{
    if (plugin->api)
        plugin->api->context_destroy(&plugin->context);
    if (plugin->library)
        dlclose(plugin->library);
    return plugin->validation_messages ? -1 : 0;
}

pail_stats test_plugin_run(struct test_plugin *plugin, const pail_msm_job jobs[], size_t n,
                           const pail_msm_config *config, pail_msm_result results[])
{
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    for (size_t i = 0; i < n; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    if (plugin->api->msm_start(plugin->context, &pending, jobs, n, config) != PAIL_OK ||
        plugin->api->msm_finish(&pending, results, n, &stats) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    return stats;
}

/* Writes the point as a result has it; returns whether it is infinity. */
static bool encode(const struct pail_curve_ops *ops, const pail_point *point,
                   uint8_t bytes[2 * PAIL_COORDINATE_MAX])
{
    pail_affine affine;
    ops->to_affine(&affine, point);
    ops->encode(bytes, &affine, false);
    return ops->affine_is_infinity(&affine);
}

bool test_result_is(const struct pail_curve_ops *ops, const pail_msm_result *result,
                    const pail_point *expected)
{
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    return result->infinity == (uint32_t)encode(ops, expected, bytes) &&
           result->coordinate_bytes == ops->coordinate_bytes &&
           memcmp(result->x, bytes, ops->coordinate_bytes) == 0 &&
           memcmp(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes) == 0;
}

void test_expect_result(const struct pail_curve_ops *ops, const pail_msm_result *result,
                        const pail_point *expected)
{
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    assert_int_equal(result->infinity, encode(ops, expected, bytes));
    assert_int_equal(result->coordinate_bytes, ops->coordinate_bytes);
    assert_memory_equal(result->x, bytes, ops->coordinate_bytes);
    assert_memory_equal(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
}
