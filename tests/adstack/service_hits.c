/* SPDX-License-Identifier: Apache-2.0 */
/* A launch that is known as a whole: no allocation, no device, one shared result. With an argument
 * it says how long that takes: unit_adstack_service_hits time. */
#include <platform/clock.h>

#include "service_support.h"
#include "support/test.h"

enum { SOURCES = 10, SPECS = 300, TASKS = 2 };

static uint64_t many_specs(struct stage *stage)
{
    struct kernel *kernel = kernel_make("many", "1111111111");
    for (int32_t t = 0; t < TASKS; t++) {
        (void)kernel_task(kernel, t);
        for (int32_t i = 0; i < SPECS; i++) {
            struct nodes *nodes = kernel_stack(kernel);
            const int64_t index[] = {VARIABLE_INDEX(0)};
            const int32_t source = (i + t) % SOURCES;
            const int32_t begin = nodes_const(nodes, 0);
            const int32_t end = nodes_shape(nodes, source, 0);
            int32_t body =
                nodes_read(nodes, PAIL_NODE_ARRAY_READ, source, PAIL_DTYPE_I32, 1, index);
            body = nodes_op(nodes, PAIL_NODE_ADD, body, nodes_const(nodes, i + SPECS * t));
            (void)nodes_range(nodes, PAIL_NODE_MAX_OVER_RANGE, 0, begin, end, body);
        }
    }
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    return handle;
}

struct setting {
    struct stage stage;
    uint64_t kernel;
    int32_t data[SOURCES][4];
    int64_t shape;
    pail_binding bindings[SOURCES];
};

static void set_up(struct setting *s)
{
    stage_open(&s->stage, true, 0);
    s->kernel = many_specs(&s->stage);
    s->shape = 4;
    for (uint32_t i = 0; i < SOURCES; i++) {
        for (int32_t k = 0; k < 4; k++)
            s->data[i][k] = (int32_t)i + k;
        s->bindings[i] = bind(i, 100 + i, s->data[i], &s->shape);
    }
}

static struct pail_adstack_result *again(struct setting *s)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result =
        stage_launch(&s->stage, s->kernel, TASKS, s->bindings, SOURCES, 0, &err);
    if (!result)
        fail_msg("%s", err.text);
    return result;
}

PAIL_TEST(nothing_is_done)
{
    struct setting *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    set_up(s);
    pail_ad_result_release(again(s));
    const pail_adstack_stats cold = stage_stats(&s->stage);
    assert_int_equal(cold.dispatches, TASKS * SPECS);
    assert_int_equal(cold.submissions, 1);
    assert_int_equal(cold.waits, 1);
    assert_int_equal(cold.launch_hits, 0);
    struct pail_adstack_result *first = again(s);
    const unsigned long allocations = s->stage.allocations;
    const uint64_t runs = s->stage.device.runs;
    for (int i = 0; i < 100; i++) {
        struct pail_adstack_result *next = again(s);
        assert_ptr_equal(next, first); /* by reference */
        pail_ad_result_release(next);
    }
    assert_int_equal(s->stage.allocations, allocations);
    assert_int_equal(s->stage.device.runs, runs);
    const pail_adstack_stats stats = stage_stats(&s->stage);
    assert_int_equal(stats.evaluations, 102);
    assert_int_equal(stats.launch_hits, 101);
    assert_int_equal(stats.dispatches, cold.dispatches);
    assert_int_equal(stats.submissions, 1);
    assert_int_equal(stats.host_cells, cold.host_cells);
    assert_int_equal(stats.task_hits + stats.tree_hits + stats.spec_hits, 0);
    /* A result outlives its kernel and the caches. */
    struct pail_error err;
    pail_stack_size size = {.struct_size = sizeof(size)};
    assert_int_equal(pail_adstack_unregister(s->stage.service, s->kernel, &err), PAIL_OK);
    assert_int_equal(pail_adstack_stack_size(first, &size, 1, SPECS - 1, &err), PAIL_OK);
    assert_int_equal(size.raw, 2 * SPECS - 1 + 0 + 3);
    pail_ad_result_release(first);
    stage_close(&s->stage);
    free(s);
}

/* One array of ten changes: a tenth of the reductions. */
PAIL_TEST(only_what_changed)
{
    struct setting *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    set_up(s);
    pail_ad_result_release(again(s));
    pail_ad_identities_bump(&s->stage.service->identities, 103);
    pail_ad_result_release(again(s));
    const pail_adstack_stats stats = stage_stats(&s->stage);
    assert_int_equal(stats.dispatches, TASKS * SPECS * 11 / 10);
    assert_int_equal(stats.tree_hits, TASKS * SPECS * 9 / 10);
    assert_int_equal(stats.submissions, 2);
    stage_close(&s->stage);
    free(s);
}

static void say_how_long(void)
{
    struct setting *s = calloc(1, sizeof(*s));
    const int n = 200000;
    if (!s)
        return;
    set_up(s);
    pail_ad_result_release(again(s));
    const double begin = pail_now_s();
    for (int i = 0; i < n; i++)
        pail_ad_result_release(again(s));
    printf("%d specs in %d tasks, %d bindings: %.3f us for a launch that hits\n", TASKS * SPECS,
           TASKS, SOURCES, 1e6 * (pail_now_s() - begin) / n);
    stage_close(&s->stage);
    free(s);
}

PAIL_TEST_MAIN
{
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        say_how_long();
        return 0;
    }
    return test_run("unit_adstack_service_hits", NULL, NULL);
}
