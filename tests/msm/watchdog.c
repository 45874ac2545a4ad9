/* SPDX-License-Identifier: Apache-2.0 */
/* Work for a device that something watches over: no submission and no dispatch is expected to take
 * longer than it may, results are the same, and what was measured is kept for later. */
#include <unistd.h>

#include "support/test.h"

#include <curves/inputs.h>

#include "support/plugin_group.h"

/* vk/pace.h. */
#define SUBMISSION_MS 200.0
#define DISPATCH_MS   100.0

/* Submissions, as the log has them. */
static struct seen {
    char label[16]; /* label of those that count */
    unsigned recordings, submissions;
    unsigned others; /* recordings with another label */
    double longest_ms, dispatch_ms;
    double first_ms; /* the longest dispatch of the first recording */
} seen;

static void on_log(void *user, pail_log_level level, const char *message)
{
    char label[16];
    unsigned dispatches, submissions;
    double longest, dispatch;
    struct test_plugin *p = user;
    (void)level;
    p->validation_messages += strstr(message, "alidation") != NULL;
    if (sscanf(message,
               "submit \"%15[^\"]\": ticket %*x, %u dispatches in %u submissions, the longest of "
               "%lf ms, the longest dispatch of %lf ms",
               label, &dispatches, &submissions, &longest, &dispatch) != 5)
        return;
    /* A pace that is learned knows better than to cut what fills the device just once. */
    if (strcmp(getenv("PAIL_LIMITS"), "slow") == 0) {
        assert_true(longest <= SUBMISSION_MS);
        assert_true(dispatch <= DISPATCH_MS);
    }
    if (strcmp(label, seen.label) != 0) {
        seen.others++;
        return;
    }
    if (seen.recordings++ == 0)
        seen.first_ms = dispatch;
    seen.submissions += submissions;
    seen.longest_ms = longest > seen.longest_ms ? longest : seen.longest_ms;
    seen.dispatch_ms = dispatch > seen.dispatch_ms ? dispatch : seen.dispatch_ms;
}

static void look_for(const char *label)
{
    seen = (struct seen){.recordings = 0};
    snprintf(seen.label, sizeof(seen.label), "%s", label);
}

PAIL_FIXTURE(setup)
{
    unsetenv("PAIL_LIMITS");
    if (test_plugin_debug("trace") != 0 || test_plugin_load(&plugin) != 0)
        return -1;
    plugin.host.log = on_log;
    return 0;
}

static void open(const char *limits)
{
    if (setenv("PAIL_LIMITS", limits, 1) != 0)
        fail_msg("no memory for the environment");
    if (test_plugin_context(&plugin) != 0)
        fail_msg("%s", limits);
}

static void close_context(void)
{
    plugin.api->context_destroy(&plugin.context);
    unsetenv("PAIL_LIMITS");
}

/* An interpreter takes seconds to make the pipelines of each context. */
static void leave_to_faster_drivers(void)
{
    if (!plugin_is_slow())
        return;
    close_context();
    SKIP_BECAUSE(
        "this driver takes seconds to make the pipelines of each context; the others show it");
}

struct problem {
    const struct pail_curve_ops *ops;
    uint8_t *points, *scalars;
    size_t n;
    uint32_t validation, table_factor;
    pail_bases *bases;
};

static struct problem make(uint32_t curve, uint32_t group, size_t n, enum pail_scalar_dist dist)
{
    struct problem p = {.ops = pail_curve_ops(curve, group), .n = n};
    p.points = malloc(2 * p.ops->coordinate_bytes * n);
    p.scalars = malloc(32 * n);
    p.validation = PAIL_VALIDATE_CURVE;
    assert_true(p.points && p.scalars);
    pail_make_bases(p.ops, p.points, true, 0, n, PAIL_BASES_DISTINCT, 3);
    pail_make_scalars(p.ops, p.scalars, n, dist, 4);
    return p;
}

static void take(struct problem *p)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = p->ops->curve, .group = p->ops->group,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = p->validation,
              .table_factor = p->table_factor, .points = p->points, .n_points = p->n);
    if (plugin.api->bases_create(plugin.context, &p->bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
}

static void leave(struct problem *p)
{
    plugin.api->bases_destroy(plugin.context, &p->bases);
}

static void unmake(struct problem *p)
{
    free(p->points);
    free(p->scalars);
}

static void expect(const struct problem *p, const pail_msm_result *result)
{
    pail_point expected;
    pail_expected_msm(p->ops, &expected, p->scalars, 0, p->n, PAIL_BASES_DISTINCT, 3);
    test_expect_result(p->ops, result, &expected);
}

static pail_stats multiply(const struct problem *p)
{
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = p->bases, .scalars = p->scalars, .n = p->n);
    pail_msm_result result;
    const pail_stats stats = plugin_run(&job, 1, NULL, &result);
    expect(p, &result);
    return stats;
}

/* A number of entries that makes several runs at the forced pace. An interpreter would take half a
 * minute for them, and has one. */
static size_t many(void)
{
    return plugin_is_slow() || test_sanitized() ? 2000 : 32000;
}

PAIL_TEST(test_slow)
{
    open("slow");
    const bool timed = plugin.device.features & PAIL_FEATURE_TIMESTAMPS;
    struct problem p = make(PAIL_CURVE_BN254, PAIL_G1, many(), PAIL_SCALARS_UNIFORM);
    take(&p);
    look_for("msm");
    const pail_stats stats = multiply(&p);
    assert_int_equal(stats.submissions, seen.submissions);
    const unsigned least = many() < 32000 ? 1 : 2;
    assert_in_range(stats.submissions, least, 50);
    assert_in_range(stats.batches, least, 100);
    assert_true(seen.dispatch_ms > 0);
    /* None has nearly all of the work, by the device's own clock; that of a program on the
     * processor tells who else was there, too. */
    assert_true((stats.longest_submission_ms > 0) == timed);
    if (timed && stats.submissions > 2 && plugin.device.type != PAIL_DEVICE_CPU)
        assert_true(stats.longest_submission_ms < 0.8 * stats.device_ms);
    leave(&p);
    unmake(&p);
    close_context();
}

/* The first multiplication of a context has its self-test before it: nothing is left to finish that
 * the device works on. */
PAIL_TEST(test_finish_submits_nothing)
{
    open("slow");
    struct problem p = make(PAIL_CURVE_BN254, PAIL_G1, 500, PAIL_SCALARS_UNIFORM);
    take(&p);
    const pail_msm_job job = {
        .struct_size = sizeof(job), .bases = p.bases, .scalars = p.scalars, .n = p.n};
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    look_for("self-test");
    assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(plugin.api->pending_wait(pending, UINT64_MAX), PAIL_OK);
    const unsigned others = seen.others;
    assert_int_equal(plugin.api->msm_finish(&pending, &result, 1, NULL), PAIL_OK);
    assert_int_equal(seen.others, others);
    assert_int_equal(seen.recordings, 1);
    expect(&p, &result);
    leave(&p);
    unmake(&p);
    close_context();
}

/* A device that nothing watches over has what it always had. */
PAIL_TEST(test_unwatched)
{
    open("");
    leave_to_faster_drivers();
    struct problem p = make(PAIL_CURVE_BN254, PAIL_G1, 3000, PAIL_SCALARS_UNIFORM);
    take(&p);
    const pail_stats stats = multiply(&p);
    assert_in_range(stats.submissions, 1, 2);
    assert_int_equal(stats.batches, 1);
    leave(&p);
    unmake(&p);
    close_context();
}

/* Points that are checked for their subgroup, tables, GLV images. */
PAIL_TEST(test_bases)
{
    open("slow");
    struct problem p =
        make(PAIL_CURVE_BLS12_381, PAIL_G1, plugin_is_slow() ? 300 : 4000, PAIL_SCALARS_EDGE);
    p.validation = PAIL_VALIDATE_SUBGROUP;
    p.table_factor = 4;
    look_for("bases");
    take(&p);
    assert_in_range(seen.submissions, seen.recordings + (plugin_is_slow() ? 0 : 1), 50);
    assert_true(seen.dispatch_ms > (plugin_is_slow() ? 0.1 : 20));
    multiply(&p);
    leave(&p);
    look_for("table");
    p.table_factor = 8;
    take(&p);
    assert_in_range(seen.recordings, 3, 8);
    assert_true(seen.dispatch_ms > 0.1);
    multiply(&p);
    leave(&p);
    unmake(&p);
    close_context();
}

/* Several vectors, points from host memory, and work that is abandoned in the middle. */
PAIL_TEST(test_abandoned)
{
    open("slow");
    leave_to_faster_drivers();
    struct problem p = make(PAIL_CURVE_BN254, PAIL_G1, many(), PAIL_SCALARS_UNIFORM);
    take(&p);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = p.bases, .scalars = p.scalars, .n = p.n);
    for (int i = 0; i < (plugin_is_slow() ? 1 : 3); i++) {
        pail_pending *pending = NULL;
        assert_int_equal(plugin.api->msm_start(plugin.context, &pending, &job, 1, NULL), PAIL_OK);
        if (i)
            (void)plugin.api->pending_wait(pending, UINT64_C(20000000) * (unsigned)i);
        plugin.api->pending_abandon(&pending);
        assert_null(pending);
    }
    p.n = 500;
    multiply(&p);
    leave(&p);
    unmake(&p);
    close_context();
}

/* ---- What is learned ------------------------------------------------------------------------- */
/* True if a time is by the pace that is assumed, which gives the same work the same time each time.
 * A measured pace is another one. */
static bool is_assumed(double ms, double first)
{
    return ms > 0.999 * first && ms < 1.001 * first;
}

/* A device whose pace is measured from the first run on; it is taken for a small GPU at first. */
static void learn(const char *limits)
{
    char folder[] = "/tmp/pail-watchdog-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    char *before = getenv("PAIL_CACHE_DIR");
    before = before ? strdup(before) : NULL;
    setenv("PAIL_CACHE_DIR", folder, 1);
    struct problem p =
        make(PAIL_CURVE_BN254, PAIL_G1, plugin_is_slow() ? 300 : 8000, PAIL_SCALARS_UNIFORM);
    double first, later, kept;

    open(limits);
    take(&p);
    look_for("msm");
    multiply(&p);
    first = seen.first_ms;
    multiply(&p);
    look_for("msm");
    multiply(&p);
    later = seen.first_ms;
    leave(&p);
    close_context();
    if (first <= 0 || is_assumed(later, first))
        fail_msg("%s: a dispatch of %g ms at first, of %g ms later", limits, first, later);

    open(limits);
    take(&p);
    look_for("msm");
    multiply(&p);
    kept = seen.first_ms;
    leave(&p);
    close_context();
    /* The last run may have been late, where the machine has other work, and is believed then. */
    if (kept < 0.3 * later || is_assumed(kept, first))
        fail_msg("%s: a dispatch of %g ms, in another context of %g ms", limits, later, kept);
    unmake(&p);
    if (before)
        setenv("PAIL_CACHE_DIR", before, 1);
    else
        unsetenv("PAIL_CACHE_DIR");
    free(before);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

PAIL_TEST(test_learns)
{
    if (plugin.device.type != PAIL_DEVICE_CPU)
        SKIP_BECAUSE("all that a test adds is one dispatch of a GPU from the beginning");
    learn("watched");
}

PAIL_TEST(test_learns_without_timestamps)
{
    if (plugin_is_slow()) /* a minute of the interpreter for what it shows elsewhere, too */
        SKIP_BECAUSE("this driver takes a minute for what the others show");
    if (plugin.device.type != PAIL_DEVICE_CPU)
        SKIP_BECAUSE("all that a test adds is one dispatch of a GPU from the beginning");
    learn("watched,timestamps=0");
}

PAIL_TEST_GROUP(setup, plugin_teardown)
