/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions for a device that something watches over, by way of the boundary: no submission and no
 * dispatch is expected to take longer than it may, sizes are the same, and whoever cancels in the
 * middle is heard. */
#include <pthread.h>
#include <time.h>

#include "support/test.h"

#include <nodes.h>

#include "support/plugin_group.h"

/* vk/pace.h. */
#define SUBMISSION_MS 200.0
#define DISPATCH_MS   100.0

enum { N = 300000 };

static struct seen {
    unsigned submissions;
    double longest_ms, dispatch_ms;
} seen;

static void on_log(void *user, pail_log_level level, const char *message)
{
    double longest, dispatch;
    struct test_plugin *p = user;
    (void)level;
    p->validation_messages += strstr(message, "alidation") != NULL;
    if (sscanf(message,
               "adstack: a submission of %lf ms by the device's pace, the longest dispatch of %lf "
               "ms",
               &longest, &dispatch) != 2)
        return;
    seen.submissions++;
    seen.longest_ms = longest > seen.longest_ms ? longest : seen.longest_ms;
    seen.dispatch_ms = dispatch > seen.dispatch_ms ? dispatch : seen.dispatch_ms;
}

struct setting {
    int32_t *values;
    int64_t shape;
    pail_adstack_kernel kernel;
    pail_binding binding;
};

static int setup(void **state)
{
    static struct setting setting;
    *state = &setting;
    unsetenv("PAIL_LIMITS");
    if (test_plugin_debug("trace") != 0 || test_plugin_load(&plugin) != 0)
        return -1;
    plugin.host.log = on_log;
    return 0;
}

/* The sum of a[i] * i over all of an array, in host memory. */
static struct setting *open(void **state, const char *limits)
{
    struct setting *s = *state;
    struct nodes t = {0};
    const int64_t index = VARIABLE_INDEX(0);
    const uint8_t rank = 1;
    uint32_t id;
    if (setenv("PAIL_LIMITS", limits, 1) != 0 || test_plugin_context(&plugin) != 0)
        fail_msg("%s", limits);
    *s = (struct setting){.values = malloc(N * sizeof(*s->values)), .shape = N};
    assert_non_null(s->values);
    for (int32_t i = 0; i < N; i++)
        s->values[i] = i % 1000;
    NODES(&t, "(sum_over i 0 (shape 0 0) (mul (read 0 %) i))", index);
    const pail_stack_desc stack =
        SIZED(pail_stack_desc, .element_bytes = 1, .copies = 1, .tree = nodes_tree(&t));
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = &stack, .n_stacks = 1};
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "watchdog", .name_bytes = 8, .tasks = &task, .n_tasks = 1,
              .source_rank = &rank, .n_sources = 1);
    if (plugin.api->adstack_register(plugin.context, &s->kernel, &id, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    nodes_free(&t);
    s->binding = (pail_binding){.struct_size = sizeof(s->binding),
                                .identity = 1,
                                .generation = 1,
                                .host = s->values,
                                .size_bytes = N * sizeof(*s->values),
                                .dtype = PAIL_DTYPE_I32,
                                .rank = 1,
                                .shape = &s->shape};
    plugin.api->adstack_reset_stats(plugin.context);
    seen = (struct seen){.submissions = 0};
    return s;
}

static void close_context(struct setting *s)
{
    plugin.api->context_destroy(&plugin.context);
    free(s->values);
    unsetenv("PAIL_LIMITS");
}

static bool has_addresses(struct setting *s)
{
    const bool has = plugin.device.features & PAIL_FEATURE_DEVICE_ADDRESS;
    if (!has)
        close_context(s);
    return has;
}

static pail_status launch(struct setting *s, pail_adstack_result **result, uint32_t max_ms,
                          const uint32_t *cancel)
{
    const pail_task_launch task = SIZED(pail_task_launch, .threads = 1);
    const pail_launch launch =
        SIZED(pail_launch, .flags = PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_INTERPRET, .kernel = s->kernel,
              .bindings = &s->binding, .n_bindings = 1, .tasks = &task, .n_tasks = 1,
              .max_ms = max_ms, .cancel = cancel);
    s->binding.generation++;
    return plugin.api->adstack_evaluate(plugin.context, result, &launch);
}

static void expect_sum(struct setting *s)
{
    pail_adstack_result *result;
    pail_stack_size size = {.struct_size = sizeof(size)};
    int64_t sum = 0;
    for (int64_t i = 0; i < N; i++)
        sum += i * s->values[i];
    if (launch(s, &result, 0, NULL) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    assert_int_equal(plugin.api->adstack_stack_size(result, &size, 0, 0), PAIL_OK);
    assert_int_equal(size.raw, sum);
    plugin.api->adstack_release(result);
}

static pail_adstack_stats stats_of_all(void)
{
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    plugin.api->adstack_stats(plugin.context, &stats);
    return stats;
}

PAIL_TEST(test_slow)
{
    struct setting *s = open(state, "slow");
    if (!has_addresses(s))
        SKIP_BECAUSE("the device has no buffer device addresses");
    const bool timed = plugin.device.features & PAIL_FEATURE_TIMESTAMPS;
    expect_sum(s);
    const pail_adstack_stats stats = stats_of_all();
    assert_in_range(stats.submissions, 2, 40);
    assert_int_equal(stats.waits, stats.submissions);
    assert_int_equal(stats.submissions, seen.submissions);
    assert_int_equal(stats.cells, N);
    assert_true(seen.longest_ms <= SUBMISSION_MS && seen.dispatch_ms <= DISPATCH_MS);
    assert_true(seen.dispatch_ms > 20);
    assert_true((stats.longest_submission_ns > 0) == timed);
    assert_true(stats.longest_submission_ns <= stats.device_ns + 1000000);
    close_context(s);
}

/* A device that nothing watches over has what it always had. */
PAIL_TEST(test_unwatched)
{
    struct setting *s = open(state, "");
    if (!has_addresses(s))
        SKIP_BECAUSE("the device has no buffer device addresses");
    expect_sum(s);
    const pail_adstack_stats stats = stats_of_all();
    assert_int_equal(stats.submissions, 1);
    assert_int_equal(stats.waits, 1);
    close_context(s);
}

/* The first run is careful, and later ones know better. */
PAIL_TEST(test_watched)
{
    struct setting *s = open(state, "watched");
    if (!has_addresses(s))
        SKIP_BECAUSE("the device has no buffer device addresses");
    for (int i = 0; i < 4; i++)
        expect_sum(s);
    close_context(s);
}

/* ---- In the middle --------------------------------------------------------------------------- */
static uint32_t cancelled;

static void *cancel_soon(void *unused)
{
    const struct timespec soon = {.tv_nsec = 20000000};
    (void)unused;
    nanosleep(&soon, NULL);
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
    return NULL;
}

PAIL_TEST(test_stopped)
{
    struct setting *s = open(state, "slow");
    pail_adstack_result *result;
    pthread_t thread;
    if (!has_addresses(s))
        SKIP_BECAUSE("the device has no buffer device addresses");
    expect_sum(s);
    const uint64_t all = stats_of_all().submissions;
    plugin.api->adstack_reset_stats(plugin.context);
    const pail_status stopped = launch(s, &result, 1, NULL);
    if (stopped == PAIL_OK && plugin.device.type != PAIL_DEVICE_CPU) {
        plugin.api->adstack_release(result); /* a GPU that needs less than 1 ms for all portions */
    } else {
        assert_int_equal(stopped, PAIL_ERR_STOPPED);
        assert_null(result);
        assert_non_null(strstr(plugin.api->error(plugin.context), "the 1 ms of max_ms"));
        if (plugin.device.type == PAIL_DEVICE_CPU) /* a GPU's are shorter with a limit, and more */
            assert_in_range(stats_of_all().submissions, 0, all - 1);
    }
    cancelled = 0;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    plugin.api->adstack_reset_stats(plugin.context);
    const pail_status status = launch(s, &result, 0, &cancelled);
    pthread_join(thread, NULL);
    if (status == PAIL_OK) /* the device was quicker */
        plugin.api->adstack_release(result);
    else
        assert_int_equal(status, PAIL_ERR_STOPPED);
    expect_sum(s);
    close_context(s);
}

PAIL_TEST_GROUP(setup, plugin_teardown)
