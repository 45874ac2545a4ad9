/* How the tasks of a launch are said: what zero means, structs of other ABIs, and mistakes. */
#include "service_support.h"
#include "support/test.h"

struct setting {
    struct stage stage;
    uint64_t kernel;
};

/* Two tasks with a stack in either heap: 7 entries with adjoints, and 5. */
static void set_up(struct setting *s)
{
    stage_open(&s->stage, true, 0);
    struct kernel *kernel = kernel_make("tasks", "");
    for (int32_t t = 0; t < 2; t++) {
        (void)kernel_task(kernel, t);
        kernel_static(kernel, 7);
        kernel_static(kernel, 5);
        kernel->stacks[t][1].heap = PAIL_HEAP_INT;
        kernel->stacks[t][1].copies = 1;
    }
    s->kernel = stage_register(&s->stage, kernel);
    kernel_free(kernel);
}

static pail_status evaluate(struct setting *s, const void *tasks, size_t n_tasks,
                            pail_task_size sizes[2], struct pail_error *err)
{
    struct pail_adstack_result *result;
    const pail_launch launch =
        SIZED(pail_launch, .kernel = s->kernel, .tasks = tasks, .n_tasks = n_tasks);
    const pail_status status = pail_adstack_evaluate(s->stage.service, &result, &launch, err);
    assert_int_equal(status == PAIL_OK, result != NULL);
    for (size_t t = 0; result && t < 2; t++) {
        sizes[t] = (pail_task_size){.struct_size = sizeof(sizes[t])};
        assert_int_equal(pail_adstack_task_size(result, &sizes[t], t, err), PAIL_OK);
    }
    pail_ad_result_release(result);
    return status;
}

PAIL_TEST(zero_is_the_default)
{
    struct setting s;
    struct pail_error err = {0};
    pail_task_size sizes[2];
    set_up(&s);
    /* No gate where nobody says that there is one, and no rows where somebody says so. */
    const pail_task_launch tasks[2] = {
        {.struct_size = sizeof(tasks[0]), .threads = 10},
        {.struct_size = sizeof(tasks[0]), .threads = 10, .flags = PAIL_TASK_LAUNCH_GATED}};
    if (evaluate(&s, tasks, 2, sizes, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(sizes[0].heap_float, 7 * 8 * 10);
    assert_int_equal(sizes[0].heap_int, 5 * 4 * 10);
    assert_int_equal(sizes[1].heap_float, 0);
    assert_int_equal(sizes[1].heap_int, 5 * 4 * 10);
    /* Another gate is another launch, also as far as the cache goes. */
    const pail_task_launch more[2] = {{.struct_size = sizeof(tasks[0]),
                                       .threads = 10,
                                       .flags = PAIL_TASK_LAUNCH_GATED,
                                       .gated_rows = 3},
                                      {.struct_size = sizeof(tasks[0])}};
    if (evaluate(&s, more, 2, sizes, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(sizes[0].heap_float, 7 * 8 * 3);
    assert_int_equal(sizes[0].heap_int, 5 * 4 * 10);
    assert_int_equal(sizes[1].heap_float, 0);
    assert_int_equal(sizes[1].heap_int, 0);
    stage_close(&s.stage);
}

/* A host of a later ABI has longer elements. */
PAIL_TEST(later_elements)
{
    struct later {
        pail_task_launch now;
        uint64_t then[3];
    };
    struct setting s;
    struct pail_error err = {0};
    pail_task_size sizes[2];
    set_up(&s);
    struct later tasks[2];
    memset(tasks, 0xff, sizeof(tasks));
    for (uint32_t t = 0; t < 2; t++)
        tasks[t].now = (pail_task_launch){.struct_size = sizeof(tasks[0]),
                                          .flags = PAIL_TASK_LAUNCH_GATED,
                                          .threads = 10 + t,
                                          .gated_rows = 2 + t};
    for (int again = 0; again < 2; again++) {
        if (evaluate(&s, tasks, 2, sizes, &err) != PAIL_OK)
            fail_msg("%s", err.text);
        for (uint32_t t = 0; t < 2; t++) {
            assert_int_equal(sizes[t].heap_float, 7 * 8 * (2 + t));
            assert_int_equal(sizes[t].heap_int, 5 * 4 * (10 + t));
        }
    }
    assert_int_equal(stage_stats(&s.stage).launch_hits, 1);
    stage_close(&s.stage);
}

PAIL_TEST(mistakes)
{
    struct setting s;
    set_up(&s);
    const pail_task_launch good = {.struct_size = sizeof(good), .threads = 10};
    pail_task_launch shorter = good, other = good, flags = good, rows = good;
    shorter.struct_size = 16;
    other.struct_size = sizeof(good) + 8;
    flags.flags = 6;
    rows.gated_rows = UINT64_MAX;
    const struct {
        pail_task_launch tasks[2];
        size_t n;
        const char *words;
    } cases[] = {
        {{shorter, good}, 2, "task 0: pail_task_launch: struct_size is 16; at least 24 is needed"},
        {{{0}, {0}}, 2, "task 0: pail_task_launch: struct_size is 0; at least 24 is needed"},
        {{good, other}, 2, "task 1: struct_size of pail_task_launch is 32, of task 0 24"},
        {{good, flags}, 2, "task 1: flags of pail_task_launch is 0x6"},
        {{good, rows},
         2,
         "task 1: gated_rows is 18446744073709551615 without PAIL_TASK_LAUNCH_GATED"},
        {{good, good}, 1, "n_tasks is 1, the kernel has 2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int recorded = 0; recorded < 2; recorded++) {
            struct pail_error err = {0};
            struct pail_adstack_result *result;
            const pail_launch launch = SIZED(pail_launch, .kernel = s.kernel,
                                             .tasks = cases[i].tasks, .n_tasks = cases[i].n);
            const pail_status status =
                recorded ? pail_adstack_record(s.stage.service, &result, &launch, &s, 8, &err)
                         : pail_adstack_evaluate(s.stage.service, &result, &launch, &err);
            assert_int_equal(status, PAIL_ERR_ARGUMENT);
            assert_null(result);
            if (!strstr(err.text, cases[i].words))
                fail_msg("'%s' does not speak of '%s'", err.text, cases[i].words);
        }
    stage_close(&s.stage);
}
