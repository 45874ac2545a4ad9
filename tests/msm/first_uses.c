/* SPDX-License-Identifier: Apache-2.0 */
/* First uses of a device at the boundary: the default at first, then each candidate in turns, then
 * the choice, which a later context takes from the cache; and contexts that end meanwhile. */

#include "support/test.h"

#include <dirent.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <curves/inputs.h>
#include <platform/clock.h>

#include "support/host_store.h"
#include "support/plugin.h"

/* Few additions, since software drivers take seconds for those of a candidate. */
enum { N = 4096, WAIT_MS = 900000 };

static struct host_store store;
static struct test_plugin plugin;
static pail_bases *bases;
static uint8_t points[N * 64], scalars[N * 32], expected[64];

static pail_status create(void)
{
    const pail_cache_callbacks cache =
        SIZED(pail_cache_callbacks, .user = &store, .get = host_store_get, .put = host_store_put);
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .threads = 2, .cache = &cache);
    return plugin.api->context_create(&plugin.host, &plugin.context, &params);
}

static void open(const char *tune)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .points = points, .n_points = N);
    assert_int_equal(setenv("PAIL_TUNE", tune, 1), 0);
    if (create() != PAIL_OK ||
        plugin.api->bases_create(plugin.context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
}

static void leave(void)
{
    plugin.api->bases_destroy(plugin.context, &bases);
    plugin.api->context_destroy(&plugin.context);
}

PAIL_FIXTURE(group_setup)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_point sum;
    pail_affine affine;
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_DISTINCT, 7);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_BITS01, 7);
    pail_expected_msm(ops, &sum, scalars, 0, N, PAIL_BASES_DISTINCT, 7);
    ops->to_affine(&affine, &sum);
    ops->encode(expected, &affine, false);
    /* Scratch that is filled takes other times, which are not measured. */
    unsetenv("PAIL_DEBUG");
    return test_plugin_load(&plugin);
}

PAIL_FIXTURE(group_teardown)
{
    return test_plugin_close(&plugin);
}

PAIL_FIXTURE(teardown)
{
    leave();
    unsetenv("PAIL_LIMITS");
    host_store_free(&store);
    return 0;
}

static pail_stats multiply(void)
{
    pail_msm_result result = {.struct_size = sizeof(result)};
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = N);
    const pail_stats stats = test_plugin_run(&plugin, &job, 1, NULL, &result);
    assert_memory_equal(result.x, expected, 32);
    assert_memory_equal(result.y, expected + 32, 32);
    return stats;
}

static pail_tuning tuning_of(pail_status wanted)
{
    pail_tuning tuning = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    assert_int_equal(plugin.api->tuning_get(plugin.context, &tuning), wanted);
    return tuning;
}

/* Multiplies until there is a choice. Returns the set of accumulators that were taken. */
static uint32_t settle(void)
{
    const double end = pail_now_ms() + WAIT_MS;
    pail_tuning tuning = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    uint32_t taken = 0;
    while (plugin.api->tuning_get(plugin.context, &tuning) == PAIL_NOT_READY) {
        if (pail_now_ms() > end)
            fail_msg("there is no choice after %d ms", WAIT_MS);
        taken |= 1u << multiply().accumulator;
    }
    assert_int_equal(tuning.source, PAIL_TUNING_FIRST_USES);
    return taken;
}

/* Processor time in ticks of the thread that makes pipelines; 0: there is none. */
static unsigned long thread_ticks(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    unsigned long ticks = 0;
    while (tasks && ticks == 0 && (task = readdir(tasks))) {
        char path[300], line[512] = "";
        unsigned long user = 0, system = 0;
        (void)snprintf(path, sizeof(path), "/proc/self/task/%s/stat", task->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(line, sizeof(line), file) && strstr(line, "(pail-candidates)") &&
            sscanf(strchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                   &user, &system) == 2)
            ticks = user + system;
        if (file)
            (void)fclose(file);
    }
    if (tasks)
        (void)closedir(tasks);
    return ticks;
}

/* The last handler of a process that ends. */
static void at_rest(void)
{
    const struct timespec pause = {.tv_nsec = 300000000};
    const unsigned long before = thread_ticks();
    (void)nanosleep(&pause, NULL);
    if (thread_ticks() > before + 1)
        _exit(3); /* it is in a driver that is taken down next */
}

/* A process that ends with a context, while pipelines are made, ends as any other. The first case:
 * no other one has opened a device before the forks. */
PAIL_TEST(processes_that_end_meanwhile)
{
    for (long i = 0; i < 3; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            /* Pipelines are made from a second on. */
            const struct timespec pause = {.tv_sec = 1, .tv_nsec = 100000000 * i};
            (void)atexit(at_rest);
            open("300");
            (void)multiply();
            (void)nanosleep(&pause, NULL);
            exit(0);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

/* With time without end every candidate is tried; the choice is kept. */
PAIL_TEST_WITH(compared_and_kept, NULL, teardown)
{
    open("3600000");
    (void)tuning_of(PAIL_NOT_READY);
    const uint32_t usual = multiply().accumulator;
    assert_int_equal(settle() | 1u << usual, 1u << PAIL_ACCUMULATOR_XYZZ |
                                                 1u << PAIL_ACCUMULATOR_WALKER |
                                                 1u << PAIL_ACCUMULATOR_COOP);
    const pail_tuning found = tuning_of(PAIL_OK);
    const uint32_t chosen = found.accumulators[12];
    assert_in_range(chosen, PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_COOP);
    assert_true(found.compared_us > 0);
    assert_int_equal(multiply().accumulator, chosen);
    pail_tuning old = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    old.struct_size = PAIL_TUNING_SIZE_1_0; /* a caller of ABI 1.0 asks for what was set */
    assert_int_equal(plugin.api->tuning_get(plugin.context, &old), PAIL_NOT_READY);
    leave();

    open("3600000");
    const pail_tuning kept = tuning_of(PAIL_OK);
    assert_memory_equal(&kept, &found, sizeof(kept));
    const pail_stats later = multiply();
    assert_int_equal(later.accumulator, chosen);
    assert_int_equal(later.pipelines_compiled, 0);

    /* A tuning that is set takes precedence; a choice that is forgotten is measured anew. */
    pail_tuning set = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                            .accumulator = PAIL_ACCUMULATOR_WALKER);
    assert_int_equal(plugin.api->tuning_set(plugin.context, &set), PAIL_OK);
    assert_int_equal(tuning_of(PAIL_OK).source, PAIL_TUNING_SET);
    assert_int_equal(multiply().accumulator, PAIL_ACCUMULATOR_WALKER);
    set.accumulator = 0;
    assert_int_equal(plugin.api->tuning_set(plugin.context, &set), PAIL_OK);
    (void)tuning_of(PAIL_NOT_READY);
    leave();

    /* Without first uses there is nothing of them, and nothing new is kept. */
    open("0");
    (void)tuning_of(PAIL_NOT_READY);
    const int puts = store.puts;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(multiply().accumulator, usual);
    assert_int_equal(store.puts, puts);
}

/* A context that ends soon after its first use, as that of a process with one proof, begins no
 * pipeline of a candidate, which its end would wait for. */
PAIL_TEST_WITH(short_lives_make_none, NULL, teardown)
{
    open("0");
    (void)multiply(); /* the default's pipelines are kept */
    leave();
    open("300");
    const int puts = store.puts;
    assert_int_equal(multiply().pipelines_compiled, 0);
    leave();
    assert_int_equal(store.puts, puts + 1); /* the time of the use */
    open("300");
}

/* The thread that makes pipelines ends with its context, wherever it is. */
PAIL_TEST_WITH(contexts_that_end_meanwhile, NULL, teardown)
{
    const struct timespec pause = {.tv_sec = 1, .tv_nsec = 100000000};
    for (uint32_t i = 0; i < 3; i++) {
        open("300");
        for (uint32_t k = 0; k < i; k++) {
            (void)multiply();
            (void)nanosleep(&pause, NULL);
        }
        if (i < 2)
            leave();
    }
}

/* Devices of less: results are right, whichever accumulator a use takes. */
PAIL_TEST_WITH(limited_devices, NULL, teardown)
{
    static const char *const limits[] = {"adreno-740", "apple-m",  "arc-a770",
                                         "mali-g715",  "moltenvk", "rdna3"};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        setenv("PAIL_LIMITS", limits[i], 1);
        open("300");
        for (uint32_t k = 0; k < 3; k++)
            (void)multiply();
        if (i + 1 < sizeof(limits) / sizeof(limits[0]))
            leave();
    }
}

PAIL_TEST(mistakes)
{
    static const char *const words[] = {"fast", "-1", "3600001", "99999999999", "1 "};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        setenv("PAIL_TUNE", words[i], 1);
        assert_int_equal(create(), PAIL_ERR_ARGUMENT);
        assert_null(plugin.context);
        assert_non_null(strstr(plugin.api->error(NULL), "PAIL_TUNE is"));
    }
}

PAIL_TEST_GROUP(group_setup, group_teardown)
