/* SPDX-License-Identifier: Apache-2.0 */
/* How the tasks of a launch are said: what zero means, structs of other ABIs, and mistakes. */
#include <adstack/prepared.h>

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

/* ---- Rows that a tree counts ----------------------------------------------------------------- */
/* The number of positive elements of source 0, for 7 float entries with adjoints. */
static struct kernel *counting_kernel(const char *rows)
{
    struct kernel *kernel = kernel_make("gated", "1");
    (void)kernel_task(kernel, 0);
    kernel_static(kernel, 7);
    (void)nodes_text(kernel_stack(kernel), rows, NULL);
    pail_stack_desc *const last = &kernel->stacks[0][1];
    last->heap = PAIL_HEAP_ROWS;
    last->element_bytes = last->copies = last->header_bytes = last->alignment = 0;
    return kernel;
}

static const char positive[] = "(sum_over i 0 (shape 0 0) (select (read 0 i) 1 0))";

STAGE_TEST(rows_are_counted, false)
{
    struct kernel *kernel = counting_kernel(positive);
    const uint64_t handle = stage_register(stage, kernel);
    int32_t gate[] = {3, -1, 0, 5, 1};
    const int64_t five = 5;
    pail_binding array = bind(0, 1, gate, &five);
    pail_task_launch task = {.struct_size = sizeof(task), .threads = 100};
    const pail_launch launch = SIZED(pail_launch, .kernel = handle, .bindings = &array,
                                     .n_bindings = 1, .tasks = &task, .n_tasks = 1);
    const uint8_t origins[] = {PAIL_SIZE_HOST,   PAIL_SIZE_CACHED, PAIL_SIZE_HOST,
                               PAIL_SIZE_CACHED, PAIL_SIZE_CACHED, PAIL_SIZE_CACHED};
    const uint64_t rows[] = {3, 3, 4, 2, 100, 4}; /* 100: also the number of threads */
    for (int i = 0; i < 6; i++) {
        struct pail_error err = {0};
        struct pail_adstack_result *result;
        pail_task_size size = {.struct_size = sizeof(size)};
        pail_stack_size counted = {.struct_size = sizeof(counted)};
        uint32_t words[5];
        size_t n_words = 5;
        if (i == 2) {
            gate[1] = 9;
            array.generation++;
        }
        if (i >= 3) {
            task.flags = i < 5 ? PAIL_TASK_LAUNCH_GATED : 0;
            task.gated_rows = i < 5 ? rows[i] : 0;
        }
        assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err), PAIL_OK);
        assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
        assert_int_equal(pail_adstack_stack_size(result, &counted, 0, 1, &err), PAIL_OK);
        assert_int_equal(pail_adstack_metadata(result, words, &n_words, 0, &err), PAIL_OK);
        assert_int_equal(size.n_stacks, 2);
        assert_int_equal(size.heap_float, 7 * 8 * rows[i]);
        assert_int_equal(size.heap_int, 0);
        assert_int_equal(counted.raw, i < 2 ? 3 : 4);
        assert_int_equal(counted.capacity, counted.raw);
        assert_int_equal(counted.origin, origins[i]);
        assert_int_equal(n_words, 5); /* strides, one stack, flag */
        assert_int_equal(words[3], 7);
        assert_int_equal(words[4], 0);
        pail_ad_result_release(result);
    }
    kernel_free(kernel);
}

/* A count that cannot be computed is an error of the launch, in words about rows. */
STAGE_TEST(rows_that_cannot_be_counted, true)
{
    struct kernel *kernel = counting_kernel("(read 0 5)");
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t gate[] = {3, -1, 0, 5, 1};
    const int64_t five = 5;
    const pail_binding array = bind(0, 1, gate, &five);
    struct pail_error err = {0};
    assert_null(stage_launch(stage, handle, 1, &array, 1, 0, &err));
    assert_int_equal(err.status, PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "task 0, stack 1 cannot be counted: "));
    kernel_free(kernel);
}

STAGE_TEST(rows_are_the_last_stack, true)
{
    struct kernel *kernel = counting_kernel(positive);
    pail_stack_desc *const stacks = kernel->stacks[0];
    struct pail_error err = {0};
    uint64_t handle;
    uint32_t id;
    stacks[1].copies = 2;
    assert_int_equal(pail_adstack_register(stage->service, &handle, &id, &kernel->desc, &err),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(
        err.text, "task 0, stack 1: copies is 2; a stack of PAIL_HEAP_ROWS has no memory, and 0");
    stacks[1].copies = 0;
    const pail_stack_desc first = stacks[0];
    stacks[0] = stacks[1];
    assert_int_equal(pail_adstack_register(stage->service, &handle, &id, &kernel->desc, &err),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(err.text, "task 0, stack 0: heap is PAIL_HEAP_ROWS, which only the last "
                                  "stack of a task may have");
    stacks[0] = first;
    stacks[1].heap = PAIL_HEAP_INT_CLAIMS + 1;
    assert_int_equal(pail_adstack_register(stage->service, &handle, &id, &kernel->desc, &err),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "heap is 5"));
    kernel_free(kernel);
}

/* The caller's own number was too small: nothing is wrong with the tree. */
STAGE_TEST(a_gate_that_the_caller_counted, false)
{
    struct kernel *kernel = counting_kernel(positive);
    const uint64_t handle = stage_register(stage, kernel);
    int32_t gate[] = {3, -1, 0, 5, 1};
    const int64_t five = 5;
    const pail_binding array = bind(0, 1, gate, &five);
    const pail_task_launch task = {.struct_size = sizeof(task),
                                   .flags = PAIL_TASK_LAUNCH_GATED,
                                   .threads = 100,
                                   .gated_rows = 2};
    const pail_launch launch = SIZED(pail_launch, .kernel = handle, .bindings = &array,
                                     .n_bindings = 1, .tasks = &task, .n_tasks = 1, .serial = 5);
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    pail_task_size size = {.struct_size = sizeof(size)};
    pail_diagnosis d = {.struct_size = sizeof(d)};
    assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err), PAIL_OK);
    assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
    pail_ad_result_release(result);
    gate[1] = 9; /* without a word, which is no reason here */
    const pail_overflow record = SIZED(pail_overflow, .id = size.id, .stack = UINT32_MAX,
                                       .kind = PAIL_OVERFLOW_GATE, .serial = 5);
    assert_int_equal(pail_adstack_diagnose(stage->service, &d, &record, &err), PAIL_OK);
    assert_int_equal(d.cause, PAIL_CAUSE_GATE_DIVERGED);
    assert_int_equal(d.allocated, 2);
    assert_int_equal(d.invalidated, 0);
    assert_non_null(strstr(d.text, "gated_rows of launch 5 was 2"));
    kernel_free(kernel);
}

/* More threads passed than were counted: the array was written, or the tree counts too few. */
STAGE_TEST(a_gate_that_is_counted, false)
{
    struct kernel *kernel = counting_kernel(positive);
    const uint64_t handle = stage_register(stage, kernel);
    int32_t gate[] = {3, -1, 0, 5, 1};
    const int64_t five = 5;
    const pail_binding array = bind(0, 1, gate, &five);
    const pail_task_launch task = {.struct_size = sizeof(task), .threads = 100};
    for (uint64_t serial = 1; serial <= 2; serial++) {
        const bool written = serial == 2;
        const pail_launch launch =
            SIZED(pail_launch, .kernel = handle, .bindings = &array, .n_bindings = 1,
                  .tasks = &task, .n_tasks = 1, .serial = serial);
        struct pail_error err = {0};
        struct pail_adstack_result *result;
        pail_task_size size = {.struct_size = sizeof(size)};
        pail_diagnosis d = {.struct_size = sizeof(d)};
        assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err), PAIL_OK);
        assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
        pail_ad_result_release(result);
        gate[1] = written ? 9 : -1; /* without a word */
        const pail_overflow record = SIZED(pail_overflow, .id = size.id, .stack = UINT32_MAX,
                                           .kind = PAIL_OVERFLOW_GATE, .serial = serial);
        assert_int_equal(pail_adstack_diagnose(stage->service, &d, &record, &err), PAIL_OK);
        assert_int_equal(d.cause, written ? PAIL_CAUSE_UNTRACKED_WRITE : PAIL_CAUSE_GATE_DIVERGED);
        assert_int_equal(d.allocated, 3);
        assert_int_equal(d.required, written ? 4 : 3);
        assert_int_equal(d.invalidated, written);
        assert_non_null(strstr(d.text, "had 3 rows by stack 1"));
    }
    kernel_free(kernel);
}

/* ---- Heaps that threads claim ---------------------------------------------------------------- */
enum { NEEDS = 4 };

/* A stack in either heap as deep as the largest element of source 0, and the sums over elements. */
static struct kernel *claiming_kernel(uint32_t flags)
{
    struct kernel *kernel = kernel_make("claiming", "1");
    pail_task_desc *const task = &kernel->tasks[kernel_task(kernel, 0)];
    task->flags |= flags;
    pail_stack_desc *const stacks = kernel->stacks[0];
    tree_max_of(kernel_stack(kernel), 0);
    tree_max_of(kernel_stack(kernel), 0);
    stacks[1].heap = PAIL_HEAP_INT;
    stacks[1].copies = 1;
    (void)nodes_text(kernel_stack(kernel), "(sum_over i 0 (shape 0 0) (mul 2 (max 1 (read 0 i))))",
                     NULL);
    (void)nodes_text(kernel_stack(kernel), "(sum_over i 0 (shape 0 0) (max 1 (read 0 i)))", NULL);
    for (uint32_t i = 2; i < 4; i++) {
        stacks[i].heap = i == 2 ? PAIL_HEAP_FLOAT_CLAIMS : PAIL_HEAP_INT_CLAIMS;
        stacks[i].element_bytes = stacks[i].copies = 0;
    }
    return kernel;
}

/* Needs of 3, 0, 7 and 2 entries: 26 and 13 units, or 4 rows of 14 and of 7. */
static void check_claims(struct stage *stage, uint32_t flags)
{
    struct kernel *kernel = claiming_kernel(flags);
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t needs[NEEDS] = {3, 0, 7, 2};
    const int64_t n = NEEDS;
    const pail_binding array = bind(0, 1, needs, &n);
    const struct {
        uint32_t asked, gated;
        uint64_t rows_ns, claimed_ns;
        uint32_t layout;
    } cases[] = {
        {PAIL_LAYOUT_AUTO, 0, 0, 0, PAIL_LAYOUT_CLAIMED},
        {PAIL_LAYOUT_ROWS, 0, 0, 0, PAIL_LAYOUT_ROWS},
        {PAIL_LAYOUT_CLAIMED, 0, 0, 0, PAIL_LAYOUT_CLAIMED},
        {PAIL_LAYOUT_AUTO, 1, 0, 0, PAIL_LAYOUT_ROWS}, /* 168 bytes in rows against 156 * 1.25 */
        {PAIL_LAYOUT_AUTO, 1, 1000, 1000, PAIL_LAYOUT_CLAIMED},
        {PAIL_LAYOUT_AUTO, 0, 1000, 2153, PAIL_LAYOUT_CLAIMED}, /* 336 bytes against 156 * t */
        {PAIL_LAYOUT_AUTO, 0, 1000, 2157, PAIL_LAYOUT_ROWS},
        {PAIL_LAYOUT_AUTO, 0, UINT64_MAX, UINT64_MAX - 5, PAIL_LAYOUT_CLAIMED},
        {PAIL_LAYOUT_AUTO, 0, 1, UINT64_MAX, PAIL_LAYOUT_ROWS},
        {PAIL_LAYOUT_CLAIMED, 0, 1, UINT64_MAX, PAIL_LAYOUT_CLAIMED},
        {PAIL_LAYOUT_ROWS, 0, UINT64_MAX, 1, PAIL_LAYOUT_ROWS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const pail_task_launch task = {.struct_size = sizeof(task),
                                       .flags = cases[i].gated ? PAIL_TASK_LAUNCH_GATED : 0,
                                       .threads = NEEDS,
                                       .gated_rows = cases[i].gated,
                                       .layout = cases[i].asked,
                                       .rows_ns = cases[i].rows_ns,
                                       .claimed_ns = cases[i].claimed_ns};
        const pail_launch launch =
            SIZED(pail_launch, .kernel = handle, .bindings = &array, .n_bindings = 1,
                  .tasks = &task, .n_tasks = 1, .flags = i == 0 ? PAIL_LAUNCH_EXPLAIN : 0);
        struct pail_error err = {0};
        struct pail_adstack_result *result;
        pail_task_size size = {.struct_size = sizeof(size)};
        pail_stack_size sum = {.struct_size = sizeof(sum)};
        uint32_t words[22];
        size_t n_words = 22;
        if (pail_adstack_evaluate(stage->service, &result, &launch, &err) != PAIL_OK)
            fail_msg("case %zu: %s", i, err.text);
        assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
        assert_int_equal(pail_adstack_stack_size(result, &sum, 0, 2, &err), PAIL_OK);
        assert_int_equal(pail_adstack_metadata(result, words, &n_words, 0, &err), PAIL_OK);
        if (size.layout != cases[i].layout)
            fail_msg("case %zu: the layout is %u", i, size.layout);
        const bool claimed = size.layout == PAIL_LAYOUT_CLAIMED;
        assert_int_equal(size.claimed_float, 104);
        assert_int_equal(size.claimed_int, 52);
        assert_int_equal(size.rows_float, cases[i].gated ? 56 : 224);
        assert_int_equal(size.rows_int, 112);
        assert_int_equal(size.heap_float, claimed ? size.claimed_float : size.rows_float);
        assert_int_equal(size.heap_int, claimed ? size.claimed_int : size.rows_int);
        assert_int_equal(size.grow_float, size.heap_float);
        assert_int_equal(sum.capacity, 26);
        assert_int_equal(sum.offset, 0);
        const uint64_t narrow[] = {14, 7, 0, 7, 0, 7, 0, size.layout, 0, 26, 0, 13};
        const uint64_t wide[] = {14, 7, 0, 0, 7, 7, size.layout, 0, 26, 0, 13};
        assert_int_equal(n_words, flags ? 22 : 12);
        for (uint32_t k = 0; k < (flags ? 11 : 12); k++)
            assert_int_equal(flags ? words[2 * k] | (uint64_t)words[2 * k + 1] << 32 : words[k],
                             flags ? wide[k] : narrow[k]);
        char text[2048];
        size_t bytes = sizeof(text);
        if (i == 0) {
            assert_int_equal(pail_adstack_explain(result, text, &bytes, &err), PAIL_OK);
            assert_non_null(strstr(text, "stack 3: 13 units of the int heap claimed"));
            assert_non_null(strstr(text, "task 0: heaps of 104 and 52 bytes if threads claim, of "
                                         "224 and 112 in rows; claims, of 1.25 times the time (not "
                                         "measured), are taken"));
        }
        pail_ad_result_release(result);
    }
    /* Only the heaps differ, which takes no tree. */
    assert_int_equal(stage_stats(stage).layouts, 1);
    kernel_free(kernel);
}

STAGE_TEST(heaps_are_claimed, false)
{
    check_claims(stage, 0);
    stage_close(stage);
    stage_open(stage, false, 0);
    check_claims(stage, PAIL_TASK_WIDE_METADATA);
}

/* A prepared launch is told of the layout, and of times, as of threads. */
STAGE_TEST(prepared_layouts, false)
{
    struct kernel *kernel = claiming_kernel(0);
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t needs[NEEDS] = {3, 0, 7, 2};
    const int64_t n = NEEDS;
    const pail_binding array = bind(0, 1, needs, &n);
    const struct {
        uint32_t asked;
        uint64_t claimed_ns;
        uint32_t layout;
    } cases[] = {{PAIL_LAYOUT_AUTO, 1, PAIL_LAYOUT_CLAIMED},
                 {PAIL_LAYOUT_AUTO, 3, PAIL_LAYOUT_ROWS},
                 {PAIL_LAYOUT_CLAIMED, 3, PAIL_LAYOUT_CLAIMED},
                 {PAIL_LAYOUT_ROWS, 3, PAIL_LAYOUT_ROWS},
                 {PAIL_LAYOUT_AUTO, 1, PAIL_LAYOUT_CLAIMED}};
    pail_task_launch task = SIZED(pail_task_launch, .threads = NEEDS, .rows_ns = 1);
    struct pail_adstack_prepared *prepared = NULL;
    struct pail_error err = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        task.layout = cases[i].asked;
        task.claimed_ns = cases[i].claimed_ns;
        const pail_launch launch = SIZED(pail_launch, .kernel = handle, .bindings = &array,
                                         .n_bindings = 1, .tasks = &task, .n_tasks = 1);
        const pail_launch_change change =
            SIZED(pail_launch_change, .serial = i, .tasks = &task, .n_tasks = 1);
        struct pail_adstack_result *result;
        pail_task_size size = {.struct_size = sizeof(size)};
        if (!prepared)
            assert_int_equal(pail_adstack_prepare(stage->service, &prepared, &launch, &err),
                             PAIL_OK);
        assert_int_equal(
            pail_adstack_evaluate_prepared(prepared, &result, i ? &change : NULL, &err), PAIL_OK);
        assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
        if (size.layout != cases[i].layout)
            fail_msg("case %zu: the layout is %u", i, size.layout);
        pail_ad_result_release(result);
    }
    pail_adstack_prepared_destroy(prepared);
    kernel_free(kernel);
}

/* Sums that are too large for metadata, and rows that are too large for anything. */
STAGE_TEST(claims_beyond_limits, false)
{
    static const uint64_t threads[] = {10, UINT64_MAX / 2};
    for (int wide = 0; wide < 2; wide++)
        for (int far = 0; far < 2; far++)
            for (uint32_t asked = PAIL_LAYOUT_AUTO; asked <= PAIL_LAYOUT_CLAIMED; asked++) {
                struct kernel *kernel = kernel_make("large", "");
                const uint32_t t = kernel_task(kernel, 0);
                kernel->tasks[t].flags |= wide ? PAIL_TASK_WIDE_METADATA : 0;
                kernel_static(kernel, 0x7fffffff); /* 2^34 bytes of a row */
                kernel_static(kernel, UINT64_C(1) << (far ? 31 : 32));
                pail_stack_desc *const sum = &kernel->stacks[0][1];
                sum->heap = PAIL_HEAP_FLOAT_CLAIMS;
                sum->element_bytes = sum->copies = 0;
                const uint64_t handle = stage_register(stage, kernel);
                const pail_task_launch task = {
                    .struct_size = sizeof(task), .threads = threads[far], .layout = asked};
                const pail_launch launch =
                    SIZED(pail_launch, .kernel = handle, .tasks = &task, .n_tasks = 1);
                struct pail_error err = {0};
                struct pail_adstack_result *result;
                pail_task_size size = {.struct_size = sizeof(size)};
                const pail_status status =
                    pail_adstack_evaluate(stage->service, &result, &launch, &err);
                if (far && asked == PAIL_LAYOUT_ROWS) {
                    assert_int_equal(status, PAIL_ERR_DATA);
                    assert_non_null(strstr(err.text, "task 0: 17179869176 bytes for each of"));
                } else {
                    const bool claimed = asked == PAIL_LAYOUT_CLAIMED || far || (wide && !asked);
                    size_t n_words = 24;
                    uint32_t words[24];
                    assert_int_equal(status, PAIL_OK);
                    assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_OK);
                    assert_int_equal(size.layout, claimed && asked != PAIL_LAYOUT_ROWS
                                                      ? PAIL_LAYOUT_CLAIMED
                                                      : PAIL_LAYOUT_ROWS);
                    assert_int_equal(size.rows_float,
                                     far ? UINT64_MAX : 10 * UINT64_C(17179869176));
                    const bool fits = wide || far || asked != PAIL_LAYOUT_CLAIMED;
                    assert_int_equal(pail_adstack_metadata(result, words, &n_words, 0, &err),
                                     fits ? PAIL_OK : PAIL_ERR_DATA);
                    if (!fits)
                        assert_non_null(strstr(err.text,
                                               "task 0: the 4294967296 units that threads "
                                               "claim of the float heap do not fit"));
                    else if (!wide && !far)
                        assert_int_equal(words[7], UINT32_MAX); /* nobody claims them */
                    pail_ad_result_release(result);
                }
                assert_int_equal(pail_adstack_unregister(stage->service, handle, &err), PAIL_OK);
                kernel_free(kernel);
            }
}

/* Stacks without memory are behind the others, in one order, each once. */
STAGE_TEST(claims_have_an_order, true)
{
    static const struct {
        uint32_t heaps[4];
        const char *words;
    } cases[] = {
        {{PAIL_HEAP_FLOAT, PAIL_HEAP_FLOAT_CLAIMS, PAIL_HEAP_INT, PAIL_HEAP_INT_CLAIMS},
         "task 0, stack 2: heap is PAIL_HEAP_INT, behind a stack of PAIL_HEAP_FLOAT_CLAIMS"},
        {{PAIL_HEAP_FLOAT, PAIL_HEAP_INT, PAIL_HEAP_INT_CLAIMS, PAIL_HEAP_FLOAT_CLAIMS},
         "task 0, stack 3: heap is PAIL_HEAP_FLOAT_CLAIMS, behind a stack of PAIL_HEAP_INT_CLAIMS"},
        {{PAIL_HEAP_FLOAT, PAIL_HEAP_INT, PAIL_HEAP_INT_CLAIMS, PAIL_HEAP_INT_CLAIMS},
         "task 0, stack 3: heap is PAIL_HEAP_INT_CLAIMS, behind a stack of PAIL_HEAP_INT_CLAIMS"},
        {{PAIL_HEAP_FLOAT, PAIL_HEAP_INT, PAIL_HEAP_ROWS, PAIL_HEAP_FLOAT_CLAIMS},
         "task 0, stack 2: heap is PAIL_HEAP_ROWS, which only the last stack"},
        {{PAIL_HEAP_FLOAT, PAIL_HEAP_FLOAT_CLAIMS, PAIL_HEAP_INT_CLAIMS, PAIL_HEAP_ROWS}, NULL},
        {{PAIL_HEAP_FLOAT, PAIL_HEAP_INT, PAIL_HEAP_FLOAT_CLAIMS, PAIL_HEAP_ROWS}, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct kernel *kernel = kernel_make("order", "");
        struct pail_error err = {0};
        uint64_t handle;
        uint32_t id;
        (void)kernel_task(kernel, 0);
        for (uint32_t k = 0; k < 4; k++) {
            kernel_static(kernel, 1);
            pail_stack_desc *const stack = &kernel->stacks[0][k];
            stack->heap = cases[i].heaps[k];
            stack->copies = stack->heap == PAIL_HEAP_FLOAT ? 2 : stack->heap == PAIL_HEAP_INT;
            stack->element_bytes = stack->heap < PAIL_HEAP_ROWS ? 4 : 0;
        }
        assert_int_equal(pail_adstack_register(stage->service, &handle, &id, &kernel->desc, &err),
                         cases[i].words ? PAIL_ERR_ARGUMENT : PAIL_OK);
        if (cases[i].words && !strstr(err.text, cases[i].words))
            fail_msg("'%s' does not speak of '%s'", err.text, cases[i].words);
        kernel_free(kernel);
    }
}

/* A host of a later ABI has longer elements, one of an earlier shorter ones. */
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
    /* Elements of ABI 1.0, which end with gated_rows. */
    unsigned char before[2][PAIL_TASK_LAUNCH_SIZE_1_0];
    for (uint32_t t = 0; t < 2; t++) {
        tasks[t].now.struct_size = sizeof(before[0]);
        memcpy(before[t], &tasks[t].now, sizeof(before[0]));
    }
    if (evaluate(&s, before, 2, sizes, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_int_equal(sizes[1].heap_float, 7 * 8 * 3);
    assert_int_equal(sizes[1].layout, PAIL_LAYOUT_ROWS);
    assert_int_equal(sizes[1].claimed_float, sizes[1].rows_float);
    stage_close(&s.stage);
}

PAIL_TEST(mistakes)
{
    struct setting s;
    set_up(&s);
    const pail_task_launch good = {.struct_size = sizeof(good), .threads = 10};
    pail_task_launch shorter = good, other = good, flags = good, rows = good;
    pail_task_launch layout = good, claimed = good, reserved = good, time = good;
    shorter.struct_size = 16;
    other.struct_size = sizeof(good) + 8;
    flags.flags = 6;
    rows.gated_rows = UINT64_MAX;
    layout.layout = PAIL_LAYOUT_CLAIMED + 1;
    claimed.layout = PAIL_LAYOUT_CLAIMED;
    reserved.reserved = 9;
    time.claimed_ns = 8;
    const struct {
        pail_task_launch tasks[2];
        size_t n;
        const char *words;
    } cases[] = {
        {{shorter, good}, 2, "task 0: pail_task_launch: struct_size is 16; at least 24 is needed"},
        {{{0}, {0}}, 2, "task 0: pail_task_launch: struct_size is 0; at least 24 is needed"},
        {{good, other}, 2, "task 1: struct_size of pail_task_launch is 56, of task 0 48"},
        {{good, layout}, 2, "task 1: layout of pail_task_launch is 3"},
        {{good, reserved}, 2, "task 1: layout of pail_task_launch is 0, reserved 9"},
        {{claimed, good}, 2, "task 0: layout is PAIL_LAYOUT_CLAIMED, but no stack of the task is"},
        {{good, time}, 2, "task 1: rows_ns is 0 and claimed_ns 8: give both"},
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
