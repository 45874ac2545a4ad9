/* SPDX-License-Identifier: Apache-2.0 */
/* Causes that end an evaluation before its time: a caller's limit or flag, and a result that
 * nothing can change any more. */
#include <time.h>

#include <platform/clock.h>

#include "service_support.h"
#include "support/test.h"

enum { LONG = INT32_MAX, GUARD_MS = 20000 };

/* Sources: n, its one number the end of the range; m, whose elements come in turn. */
struct setting {
    struct stage stage;
    uint64_t kernel;
    int32_t n[1];
    int64_t m[4];
    int64_t n_shape, m_shape;
    pail_binding bindings[2];
    struct pail_error err;
};

static int32_t read_1(struct nodes *t, int32_t source, pail_dtype dtype, int32_t index)
{
    return NODES(t, "(read:% % @)", dtype, source, index);
}

/* m[i mod k] */
static int32_t in_turn(struct nodes *t, int64_t k)
{
    const int32_t i = nodes_variable(t, 0);
    return read_1(t, 1, PAIL_DTYPE_I64, nodes_op(t, PAIL_NODE_MOD, i, nodes_const(t, k)));
}

static struct setting *set_up(void (*tree)(struct nodes *), bool on_device)
{
    struct setting *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    stage_open(&s->stage, on_device, 0);
    struct kernel *kernel = kernel_make("stop", "11");
    (void)kernel_task(kernel, 0);
    tree(kernel_stack(kernel));
    s->kernel = stage_register(&s->stage, kernel);
    kernel_free(kernel);
    s->n[0] = LONG;
    s->n_shape = 1;
    s->m_shape = 4;
    for (int i = 0; i < 4; i++)
        s->m[i] = i + 1;
    s->bindings[0] = bind(0, 10, s->n, &s->n_shape);
    s->bindings[1] = bind(1, 11, NULL, &s->m_shape);
    s->bindings[1].dtype = PAIL_DTYPE_I64;
    s->bindings[1].host = s->m;
    s->bindings[1].size_bytes = sizeof(s->m);
    return s;
}

static void tear_down(struct setting *s)
{
    stage_close(&s->stage);
    free(s);
}

/* Limits of a launch. */
struct limits {
    uint64_t max_cells;
    const uint32_t *cancel;
    uint32_t max_ms, flags;
};

/* raw: where it works. */
static pail_status launch(struct setting *s, struct limits limits, int64_t *raw)
{
    const pail_task_launch task = SIZED(pail_task_launch, .threads = 1);
    const pail_launch l =
        SIZED(pail_launch, .flags = limits.flags, .kernel = s->kernel, .bindings = s->bindings,
              .n_bindings = 2, .tasks = &task, .n_tasks = 1, .max_cells = limits.max_cells,
              .cancel = limits.cancel, .max_ms = limits.max_ms);
    struct pail_adstack_result *result;
    pail_stack_size size = {.struct_size = sizeof(size)};
    memset(&s->err, 0, sizeof(s->err));
    const pail_status status = pail_adstack_evaluate(s->stage.service, &result, &l, &s->err);
    assert_int_equal(status == PAIL_OK, result != NULL);
    if (result) {
        assert_int_equal(pail_adstack_stack_size(result, &size, 0, 0, &s->err), PAIL_OK);
        *raw = size.raw;
    }
    pail_ad_result_release(result);
    return status;
}

static void expect_stopped(struct setting *s, struct limits limits, const char *text)
{
    int64_t raw;
    assert_int_equal(launch(s, limits, &raw), PAIL_ERR_STOPPED);
    if (!strstr(s->err.text, text))
        fail_msg("\"%s\" has no \"%s\"", s->err.text, text);
}

/* The sum over i in [0, n[0]) of m[i mod 4] */
static void long_sum(struct nodes *t)
{
    const int32_t begin = nodes_const(t, 0);
    const int32_t end = read_1(t, 0, PAIL_DTYPE_I32, begin);
    (void)nodes_range(t, PAIL_NODE_SUM_OVER_RANGE, 0, begin, end, in_turn(t, 4));
}

PAIL_TEST(more_cells_than_allowed)
{
    struct setting *s = set_up(long_sum, false);
    int64_t raw = 0;
    expect_stopped(s, (struct limits){.max_cells = 1000000},
                   "task 0, stack 0, node 6: 2147483647 cells, after 0 of others, are more than "
                   "the 1000000 of max_cells");
    assert_int_equal(stage_stats(&s->stage).host_cells, 0); /* it was not begun */
    s->n[0] = 10001;
    s->bindings[0].generation++;
    expect_stopped(s, (struct limits){.max_cells = 10000}, "10001 cells");
    assert_int_equal(launch(s, (struct limits){.max_cells = 10001}, &raw), PAIL_OK);
    assert_int_equal(raw, 2500 * 10 + 1);
    /* Nothing of what was stopped was found again, and what is known takes no cells. */
    const pail_adstack_stats stats = stage_stats(&s->stage);
    assert_int_equal(stats.launch_hits + stats.tree_hits + stats.spec_hits, 0);
    assert_int_equal(launch(s, (struct limits){.max_cells = 1}, &raw), PAIL_OK);
    assert_int_equal(stage_stats(&s->stage).launch_hits, 1);
    tear_down(s);
}

/* The largest over i in [0, 4) of the sum over j in [0, n[0] * m[i]) of m[j mod 4] */
static void turns_inside(struct nodes *t)
{
    const int32_t begin = nodes_const(t, 0);
    const int32_t n = read_1(t, 0, PAIL_DTYPE_I32, begin);
    const int32_t each = in_turn(t, 4);
    const int32_t end = nodes_op(t, PAIL_NODE_MUL, n, each);
    const int32_t sum = nodes_range(t, PAIL_NODE_SUM_OVER_RANGE, 0, begin, end, in_turn(t, 4));
    (void)nodes_range(t, PAIL_NODE_MAX_OVER_RANGE, 0, begin, nodes_const(t, 4), sum);
}

PAIL_TEST(turns_are_counted)
{
    struct setting *s = set_up(turns_inside, false);
    int64_t raw = 0;
    expect_stopped(s, (struct limits){.max_cells = 100000},
                   "not computed after the 100000 cells of max_cells");
    s->n[0] = 1000;
    s->bindings[0].generation++;
    expect_stopped(s, (struct limits){.max_cells = 10003}, "10003 cells");
    assert_int_equal(launch(s, (struct limits){.max_cells = 10004}, &raw), PAIL_OK);
    assert_int_equal(raw, 10000);
    tear_down(s);
}

/* The largest over i in [0, 64) of 1 and the sum over j in [0, max(i mod 4, 4)) of m[j] */
static void short_sums(struct nodes *t)
{
    const int32_t four = nodes_const(t, 4), i = nodes_variable(t, 0);
    const int32_t end = nodes_op(t, PAIL_NODE_MAX, nodes_op(t, PAIL_NODE_MOD, i, four), four);
    const int32_t sum = NODES(t, "(sum_over j 0 @ (read:i64 1 j))", end);
    const int32_t body = nodes_op(t, PAIL_NODE_ADD, sum, nodes_const(t, 1));
    (void)NODES(t, "(max_over i 0 64 @)", body);
}

/* Loops of turns that are done side by side; sums that go beyond 64 bits and come back are not. */
PAIL_TEST(turns_side_by_side_are_counted)
{
    static const uint64_t too_few[] = {1, 63, 64, 100, 319};
    static const int64_t elements[2][4] = {{1, 2, 3, 4},
                                           {INT64_MAX, INT64_MAX, -INT64_MAX, -INT64_MAX}};
    struct setting *s = set_up(short_sums, false);
    for (int k = 0; k < 2; k++) {
        int64_t raw = 0;
        memcpy(s->m, elements[k], sizeof(s->m));
        s->bindings[1].generation++;
        for (size_t i = 0; i < sizeof too_few / sizeof too_few[0]; i++)
            expect_stopped(s, (struct limits){.max_cells = too_few[i]}, "of max_cells");
        assert_int_equal(launch(s, (struct limits){.max_cells = 320}, &raw), PAIL_OK);
        assert_int_equal(raw, k == 0 ? 11 : 1);
    }
    tear_down(s);
}

PAIL_TEST(time_is_up)
{
    void (*const trees[])(struct nodes *) = {long_sum, turns_inside};
    for (int i = 0; i < 2; i++) {
        struct setting *s = set_up(trees[i], false);
        const double start = pail_now_ms();
        expect_stopped(s, (struct limits){.max_ms = 20}, "in the 20 ms of max_ms");
        const double took = pail_now_ms() - start;
        /* It would take minutes; the rest is what others on the processor may take. */
        assert_true(took >= 20 && took < 20000);
        tear_down(s);
    }
}

struct canceller {
    uint32_t flag;
    double set_at;
};

static void *cancel_later(void *user)
{
    struct canceller *c = user;
    const struct timespec pause = {0, 20000000};
    (void)nanosleep(&pause, NULL);
    c->set_at = pail_now_ms();
    __atomic_store_n(&c->flag, 7, __ATOMIC_RELAXED);
    return NULL;
}

PAIL_TEST(a_flag_ends_it)
{
    struct setting *s = set_up(long_sum, false);
    struct canceller c = {0};
    pthread_t thread;
    int64_t raw = 0;
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
    expect_stopped(s, (struct limits){.cancel = &c.flag},
                   "task 0, stack 0, node 6: cancelled after");
    const double ended = pail_now_ms();
    assert_int_equal(pthread_join(thread, NULL), 0);
    /* A millisecond, on a machine that does nothing else; minutes if nobody looked at the flag. */
    assert_true(ended - c.set_at < 20000);
    s->n[0] = 8;
    s->bindings[0].generation++;
    expect_stopped(s, (struct limits){.cancel = &c.flag}, "cancelled after 0 cells");
    c.flag = 0;
    assert_int_equal(launch(s, (struct limits){.cancel = &c.flag}, &raw), PAIL_OK);
    assert_int_equal(raw, 20);
    c.flag = 1; /* a known value is not computed */
    assert_int_equal(launch(s, (struct limits){.cancel = &c.flag}, &raw), PAIL_OK);
    tear_down(s);
}

PAIL_TEST(on_the_device)
{
    struct setting *s = set_up(long_sum, true);
    const uint32_t flags = PAIL_LAUNCH_DEVICE;
    uint32_t cancel = 1;
    int64_t raw = 0;
    for (int i = 0; i < 2; i++) {
        s->bindings[i].device_address = (uint64_t)(uintptr_t)s->bindings[i].host;
        s->bindings[i].host = NULL;
    }
    /* The end of the range is computed there, and the range is not. */
    expect_stopped(s, (struct limits){.max_cells = 1000000, .flags = flags}, "2147483647 cells");
    assert_int_equal(s->stage.device.runs, 1);
    expect_stopped(s, (struct limits){.cancel = &cancel, .flags = flags}, "cancelled");
    assert_int_equal(s->stage.device.runs, 1);
    s->n[0] = 100;
    s->bindings[0].generation++;
    expect_stopped(s, (struct limits){.max_cells = 99, .flags = flags}, "100 cells");
    assert_int_equal(s->stage.device.runs, 2);
    assert_int_equal(launch(s, (struct limits){.max_cells = 100, .flags = flags}, &raw), PAIL_OK);
    assert_int_equal(raw, 250);
    assert_int_equal(s->stage.device.runs, 4);
    /* Without a limit it is one submission. */
    s->bindings[0].generation++;
    assert_int_equal(launch(s, (struct limits){.flags = flags}, &raw), PAIL_OK);
    assert_int_equal(s->stage.device.runs, 5);
    tear_down(s);
}

/* ---- Results that are certain ---------------------------------------------------------------- */
/* Over 2^40 cells: without an end before them the limit of time is what ends it. */
static void over_many(struct nodes *t, pail_node_kind kind, int32_t body)
{
    NODES(t, "(% i 0 % @)", kind, INT64_C(1) << 40, body);
}

static void largest_of_all(struct nodes *t)
{
    over_many(t, PAIL_NODE_MAX_OVER_RANGE, in_turn(t, 4));
}

static void outside_of_m(struct nodes *t)
{
    over_many(t, PAIL_NODE_MAX_OVER_RANGE, in_turn(t, 8));
}

static void never_less(struct nodes *t)
{
    over_many(t, PAIL_NODE_SUM_OVER_RANGE,
              nodes_op(t, PAIL_NODE_MAX, in_turn(t, 4), nodes_const(t, 0)));
}

/* The largest remainder there can be. */
static void remainders(struct nodes *t)
{
    over_many(t, PAIL_NODE_MAX_OVER_RANGE,
              nodes_op(t, PAIL_NODE_MOD, nodes_variable(t, 0), nodes_const(t, 1000)));
}

/* Loops in a cell, each turn one after the other, with an error in the third. */
static void outside_in_a_loop(struct nodes *t)
{
    const int32_t each = in_turn(t, 8);
    const int32_t inner = NODES(t, "(sum_over i 0 @ @)", each, in_turn(t, 4));
    over_many(t, PAIL_NODE_MAX_OVER_RANGE, inner);
}

PAIL_TEST(certain_results)
{
    const struct {
        void (*tree)(struct nodes *);
        int64_t m1;
        pail_status status;
        int64_t raw;
        const char *text;
    } rows[] = {
        {largest_of_all, INT64_MAX, PAIL_ERR_DATA, 0, "beyond 64 bits"}, /* the layout's */
        {outside_of_m, 5, PAIL_ERR_DATA, 0, "is outside of source 1"},
        {never_less, INT64_MAX, PAIL_ERR_DATA, 0, "64 bits"},
        {remainders, 0, PAIL_OK, 999, ""},
        {outside_in_a_loop, 2, PAIL_ERR_DATA, 0, "is outside of source 1"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct setting *s = set_up(rows[i].tree, false);
        int64_t raw = 0;
        s->m[1] = rows[i].m1;
        const pail_status status = launch(s, (struct limits){.max_ms = GUARD_MS}, &raw);
        if (status != rows[i].status || raw != rows[i].raw || !strstr(s->err.text, rows[i].text))
            fail_msg("row %zu: status %d, %lld: %s", i, status, (long long)raw, s->err.text);
        tear_down(s);
    }
}
