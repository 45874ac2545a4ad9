/* SPDX-License-Identifier: Apache-2.0 */
/* Each fault put in on purpose gives wrong results in the work that the tests do anyway, and
 * without it the same plugin gives right ones. The faults are in plugin/faults.c, in the plugin of
 * the tests alone. */

#include "faulty_plugin.h"
#include "msm/workload.h"
#include "support/test.h"

static struct test_plugin plugin;

PAIL_FIXTURE(setup)
{
    return faulty_plugin_load(&plugin);
}

PAIL_FIXTURE(teardown)
{
    return faulty_plugin_close(&plugin);
}

static struct test_workload run(const char *name)
{
    const struct test_workload w = test_workload_run(&plugin, PAIL_CURVE_BN254, PAIL_G1, NULL);
    plugin.api->context_destroy(&plugin.context);
    print_message("%s: %u of %u wrong%s%s\n", *name ? name : "no fault", w.wrong, w.runs,
                  w.wrong ? "; " : "", w.first);
    return w;
}

static struct test_workload with_fault(const char *name)
{
    faulty_plugin_context(&plugin, name);
    return run(name);
}

static void expect_wrong(const char *name)
{
    const struct test_workload w = with_fault(name);
    assert_in_range(w.wrong, 1, w.runs);
    assert_non_null(strstr(w.first, "another point")); /* it was computed, and nothing noticed */
}

PAIL_TEST(test_no_fault)
{
    assert_int_equal(with_fault("").wrong, 0);
}

PAIL_TEST(test_control)
{
    assert_int_equal(with_fault("harmless_control").wrong, 0);
}

PAIL_TEST(test_boundary_race)
{
    expect_wrong("boundary_race");
}

PAIL_TEST(test_batch_base)
{
    expect_wrong("batch_base");
}

PAIL_TEST(test_stale_counters)
{
    expect_wrong("stale_counters");
}

PAIL_TEST(test_stale_cut)
{
    expect_wrong("stale_cut");
}

PAIL_TEST(test_incomplete_add)
{
    expect_wrong("incomplete_add");
}

/* A device that is broken itself is refused before it works, each time: finishing starts nothing.
 */
PAIL_TEST(test_broken_device)
{
    const struct test_workload w = with_fault("broken_device");
    assert_int_equal(w.refused, w.runs);
    assert_non_null(strstr(w.first, "fails its self-test"));
}

PAIL_TEST(test_unknown)
{
    static const char name[] = "no_such_fault", said[] = "unknown fault \"no_such_fault\"";
    setenv("PAIL_FAULT", name, 1);
    if (test_plugin_context(&plugin) != 0) { /* a device whose doubles are measured at once */
        assert_non_null(strstr(plugin.api->error(NULL), said));
        return;
    }
    const struct test_workload w = run(name);
    assert_int_equal(w.wrong, w.runs);
    assert_non_null(strstr(w.first, said));
}

PAIL_TEST_GROUP(setup, teardown)
