/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared launches: what changes is told or noticed, and the sizes are those of a launch that is
 * described anew. */
#include "prepared_support.h"
#include "support/test.h"

PAIL_TEST(nothing_is_done)
{
    struct prepared *s = prepared_open();
    assert_int_equal(prepared_step(s, NULL), ARRAYS);
    struct pail_adstack_result *first = prepared_launch(s, NULL);
    const unsigned long allocations = s->stage.allocations;
    const uint64_t before = prepared_hits(s), evaluations = stage_stats(&s->stage).evaluations;
    for (uint64_t i = 0; i < 100; i++) {
        const pail_launch_change change = GIVEN(pail_launch_change, .serial = i);
        struct pail_adstack_result *again = prepared_launch(s, i % 2 ? &change : NULL);
        assert_ptr_equal(again, first);
        pail_ad_result_release(again);
    }
    assert_int_equal(s->stage.allocations, allocations);
    assert_int_equal(prepared_hits(s), before + 100);
    assert_int_equal(stage_stats(&s->stage).evaluations, evaluations + 100);
    pail_adstack_prepared_destroy(s->prepared);
    s->prepared = NULL;
    assert_int_equal(prepared_hits(s), before + 100); /* counted still */
    pail_adstack_reset_stats(s->stage.service);
    prepared_again(s);
    pail_ad_result_release(prepared_launch(s, NULL));
    assert_int_equal(prepared_hits(s), 1); /* others computed it */
    pail_adstack_reset_stats(s->stage.service);
    assert_int_equal(prepared_hits(s), 0);
    pail_ad_result_release(first);
    prepared_close(s);
}

/* Each way in which an array changes costs its reduction, and an earlier state is found again. */
PAIL_TEST(what_changed_is_computed)
{
    struct prepared *s = prepared_open();
    assert_int_equal(prepared_step(s, NULL), ARRAYS);
    s->data[2][1] = 50;
    pail_ad_identities_bump(&s->stage.service->identities, 102);
    assert_int_equal(prepared_step(s, NULL), 1);
    pail_ad_identities_bump(&s->stage.service->identities, 7777); /* nobody's */
    assert_int_equal(prepared_step(s, NULL), 0);
    s->data[3][1] = 60;
    const pail_generation generation = GIVEN(pail_generation, .source = 3, .generation = 9);
    s->bindings[3].generation = 9;
    assert_int_equal(prepared_step(s, &GIVEN(pail_launch_change, .generations = &generation,
                                             .n_generations = 1)),
                     1);
    assert_int_equal(prepared_step(s, NULL), 0);
    /* Another array and the old one, in turn: found by handle, without an allocation. */
    const pail_binding old = s->bindings[4],
                       other = bind(4, 200, s->data[ARRAYS + 4], &s->shape[4]);
    s->bindings[4] = other;
    assert_int_equal(
        prepared_step(s, &GIVEN(pail_launch_change, .bindings = &other, .n_bindings = 1)), 1);
    unsigned long allocations = 0;
    for (int i = 0; i < 20; i++) {
        const pail_binding *binding = i % 2 ? &other : &old;
        if (i == 4)
            allocations = s->stage.allocations;
        struct pail_adstack_result *result =
            prepared_launch(s, &GIVEN(pail_launch_change, .bindings = binding, .n_bindings = 1));
        pail_stack_size size = {.struct_size = sizeof(size)};
        struct pail_error err;
        assert_int_equal(pail_adstack_stack_size(result, &size, 0, 4, &err), PAIL_OK);
        assert_int_equal(size.raw % 9, i % 2 ? (24 + 4) * (6 + 4) % 9 : (5 + 4) * (6 + 4) % 9);
        assert_int_equal(size.origin, PAIL_SIZE_CACHED);
        pail_ad_result_release(result);
    }
    assert_int_equal(s->stage.allocations, allocations);
    /* A shape alone. */
    s->shape[4] = 2;
    assert_int_equal(
        prepared_step(s, &GIVEN(pail_launch_change, .bindings = &other, .n_bindings = 1)), 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(prepared_step(s, NULL), 0);
    pail_adstack_invalidate(s->stage.service, s->kernel);
    assert_int_equal(prepared_step(s, NULL), ARRAYS);
    prepared_close(s);
}

/* A result that held so long ago that nobody knows which words changed since. */
PAIL_TEST(long_ago)
{
    struct prepared *s = prepared_open();
    const pail_binding first = s->bindings[1], other = bind(1, 400, s->data[7], &s->shape[1]);
    pail_binding pair[] = {s->bindings[1], s->bindings[2]};
    for (int i = 0; i < 3; i++)
        (void)prepared_step(s, NULL);
    pair[0] = s->bindings[1] = other;
    pair[1] = s->bindings[2] = bind(2, 500, s->data[8], &s->shape[2]);
    (void)prepared_step(s, &GIVEN(pail_launch_change, .bindings = pair, .n_bindings = 2));
    for (int i = 0; i < 200; i++) { /* source 2 stays, and is in the log no more */
        s->bindings[1] = i % 2 ? first : other;
        (void)prepared_step(
            s, &GIVEN(pail_launch_change, .bindings = &s->bindings[1], .n_bindings = 1));
    }
    prepared_close(s);
}

PAIL_TEST(tasks_heaps_and_flags)
{
    struct prepared *s = prepared_open();
    assert_int_equal(prepared_step(s, NULL), ARRAYS);
    s->tasks[1].threads = 1000;
    pail_launch_change change =
        GIVEN(pail_launch_change, .tasks = &s->tasks[1], .first_task = 1, .n_tasks = 1);
    assert_int_equal(prepared_step(s, &change), 0);
    s->tasks[0].flags = PAIL_TASK_LAUNCH_GATED;
    s->tasks[0].gated_rows = 3;
    change = GIVEN(pail_launch_change, .tasks = s->tasks, .n_tasks = 2);
    assert_int_equal(prepared_step(s, &change), 0);
    s->launch.heap_float = 4000;
    s->launch.heap_int = 5;
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_HEAPS, .heap_float = 4000, .heap_int = 5);
    assert_int_equal(prepared_step(s, &change), 0);
    change = GIVEN(pail_launch_change, .heap_float = 99); /* without the flag */
    assert_int_equal(prepared_step(s, &change), 0);
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_FLAGS, .flags = PAIL_LAUNCH_NO_CACHE);
    assert_int_equal(prepared_step(s, &change), ARRAYS);
    change.flags = PAIL_LAUNCH_EXPLAIN;
    struct pail_adstack_result *result = prepared_launch(s, &change);
    assert_non_null(result->text);
    pail_ad_result_release(result);
    change.flags = 0;
    assert_int_equal(prepared_step(s, &change), 0);
    result = prepared_launch(s, NULL);
    assert_null(result->text);
    pail_ad_result_release(result);
    /* Limits: nothing is in the cache of what was written. */
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_LIMITS, .max_cells = 1);
    pail_ad_identities_bump(&s->stage.service->identities, 100);
    struct pail_error err = {0};
    assert_int_equal(pail_adstack_evaluate_prepared(s->prepared, &result, &change, &err),
                     PAIL_ERR_STOPPED);
    assert_null(result);
    change.max_cells = 0;
    assert_int_equal(prepared_step(s, &change), 1);
    prepared_close(s);
}

PAIL_TEST(untracked_arrays)
{
    struct prepared *s = prepared_open();
    assert_int_equal(prepared_step(s, NULL), ARRAYS);
    s->bindings[0].flags = PAIL_BINDING_UNTRACKED;
    pail_launch_change change =
        GIVEN(pail_launch_change, .bindings = &s->bindings[0], .n_bindings = 1);
    for (int32_t i = 0; i < 3; i++) {
        s->data[0][0] = 100 * i;
        assert_int_equal(prepared_step(s, i == 0 ? &change : NULL), 1);
    }
    s->bindings[0].flags = 0;
    s->data[0][0] = 1;
    assert_int_equal(prepared_step(s, &change), 0); /* as it was first */
    prepared_close(s);
}

PAIL_TEST(wrong_changes_change_nothing)
{
    struct prepared *s = prepared_open();
    struct pail_adstack_result *result = prepared_launch(s, NULL);
    pail_ad_result_release(result);
    struct pail_adstack_result *first = prepared_launch(s, NULL);
    pail_binding pair[2] = {bind(1, 300, s->data[7], &s->shape[1]), s->bindings[0]};
    pail_generation generations[2] = {GIVEN(pail_generation, .source = 1, .generation = 4),
                                      GIVEN(pail_generation, .source = ARRAYS)};
    const pail_task_launch tasks[] = {GIVEN(pail_task_launch, .threads = 5),
                                      GIVEN(pail_task_launch, .flags = 64)};
    pail_launch_change change = GIVEN(pail_launch_change, .set = 0x100);
    prepared_refused(s, &change, "set is 0x100");
    change = GIVEN(pail_launch_change, .n_bindings = 1);
    prepared_refused(s, &change, "bindings: NULL");
    change = GIVEN(pail_launch_change, .bindings = pair, .n_bindings = 2, .set = PAIL_CHANGE_HEAPS,
                   .heap_int = 77);
    pair[1].rank = 3;
    prepared_refused(s, &change, "binding 1, source 0: rank is 3");
    pair[1] = s->bindings[0];
    pair[1].source = 9;
    prepared_refused(s, &change, "binding 1: source is 9");
    pair[1] = s->bindings[0];
    pair[1].struct_size = 4;
    prepared_refused(s, &change, "binding 1");
    pair[1] = s->bindings[0];
    change.n_generations = 2;
    prepared_refused(s, &change, "generations: NULL");
    change.generations = generations;
    prepared_refused(s, &change, "generation 1: source is 6");
    generations[0].struct_size = 4;
    prepared_refused(s, &change, "generation 0");
    change.n_generations = 0;
    change.tasks = tasks;
    change.n_tasks = 2;
    prepared_refused(s, &change, "task 1: flags");
    const pail_task_launch claimed = GIVEN(pail_task_launch, .layout = PAIL_LAYOUT_CLAIMED);
    change.tasks = &claimed;
    change.first_task = change.n_tasks = 1;
    prepared_refused(s, &change, "tasks from 1 on: task 0: layout is PAIL_LAYOUT_CLAIMED, but no");
    change.tasks = tasks;
    change.n_tasks = 2;
    change.first_task = 1;
    prepared_refused(s, &change, "first_task is 1 and n_tasks 2");
    change.first_task = SIZE_MAX;
    prepared_refused(s, &change, "first_task");
    change = GIVEN(pail_launch_change, .n_tasks = 1);
    prepared_refused(s, &change, "tasks: NULL");
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_FLAGS,
                   .flags = PAIL_LAUNCH_HOST | PAIL_LAUNCH_DEVICE);
    prepared_refused(s, &change, "flags is 0x3");
    result = prepared_launch(s, NULL);
    assert_ptr_equal(result, first);
    pail_ad_result_release(result);
    pail_ad_result_release(first);
    prepared_close(s);
}

/* An array that is gone is not read: its source must have another one first. */
PAIL_TEST(forgotten_arrays)
{
    struct prepared *s = prepared_open();
    assert_int_equal(prepared_step(s, NULL), ARRAYS);
    pail_ad_identities_forget(&s->stage.service->identities, 101);
    for (int i = 0; i < 2; i++)
        prepared_refused(s, NULL, "source 1: its array 101 was forgotten");
    const pail_generation generation = GIVEN(pail_generation, .source = 1, .generation = 5);
    pail_launch_change change =
        GIVEN(pail_launch_change, .generations = &generation, .n_generations = 1);
    prepared_refused(s, &change, "source 1: its array 101 was forgotten");
    /* Others may have the number again. */
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    assert_int_equal(pail_adstack_evaluate(s->stage.service, &result, &s->launch, &err), PAIL_OK);
    pail_ad_result_release(result);
    prepared_refused(s, NULL, "source 1: its array 101 was forgotten");
    s->bindings[1] = bind(1, 301, s->data[7], &s->shape[1]);
    change = GIVEN(pail_launch_change, .bindings = &s->bindings[1], .n_bindings = 1);
    assert_int_equal(prepared_step(s, &change), 1);
    /* Also where so many changed that the list of them does not say which. */
    pail_ad_identities_forget(&s->stage.service->identities, 302); /* never seen */
    pail_ad_identities_forget(&s->stage.service->identities, 103);
    for (int i = 0; i < 1000; i++)
        pail_ad_identities_bump(&s->stage.service->identities, 100);
    prepared_refused(s, NULL, "source 3: its array 103 was forgotten");
    s->bindings[3] = bind(3, 303, s->data[9], &s->shape[3]);
    change.bindings = &s->bindings[3];
    assert_int_equal(prepared_step(s, &change), 2);
    prepared_close(s);
}

PAIL_TEST(kernels_that_are_gone)
{
    struct prepared *s = prepared_open();
    struct pail_error err = {0};
    struct pail_adstack_result *result = prepared_launch(s, NULL);
    assert_int_equal(pail_adstack_unregister(s->stage.service, s->kernel, &err), PAIL_OK);
    prepared_refused(s, NULL, "kernel");
    struct pail_adstack_prepared *other;
    assert_int_equal(pail_adstack_prepare(s->stage.service, &other, &s->launch, &err),
                     PAIL_ERR_ARGUMENT);
    assert_null(other);
    pail_task_size size = {.struct_size = sizeof(size)};
    assert_int_equal(pail_adstack_task_size(result, &size, 1, &err), PAIL_OK);
    assert_int_equal(size.n_stacks, ARRAYS - 1);
    pail_ad_result_release(result);
    prepared_close(s);
}

static pail_diagnosis diagnose(struct prepared *s, uint64_t serial)
{
    struct pail_error err = {0};
    struct pail_ad_kernel *kernel;
    assert_int_equal(pail_ad_registry_find(&s->stage.service->registry, &kernel, s->kernel, &err),
                     PAIL_OK);
    pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
    const pail_overflow record = GIVEN(pail_overflow, .id = kernel->tasks[0].id, .stack = 0,
                                       .count = 1000, .serial = serial);
    pail_ad_kernel_release(kernel);
    assert_int_equal(pail_adstack_diagnose(s->stage.service, &diagnosis, &record, &err), PAIL_OK);
    return diagnosis;
}

/* A write that nobody told of: diagnosis knows the launch, and the next one is right. */
PAIL_TEST(healing)
{
    struct prepared *s = prepared_open();
    for (uint64_t i = 0; i < 20; i++)
        (void)prepared_step(s, &GIVEN(pail_launch_change, .serial = i));
    s->data[0][2] = 77;
    pail_ad_result_release(prepared_launch(s, &GIVEN(pail_launch_change, .serial = 20)));
    const pail_diagnosis d = diagnose(s, 20);
    assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(d.suspect_identity, 100);
    assert_true(prepared_step(s, NULL) > 0);
    prepared_close(s);
}

/* The same for a launch so long ago that nothing but what is prepared has its result. */
PAIL_TEST(healing_of_long_ago)
{
    struct prepared *s = prepared_open_with(1);
    for (uint64_t i = 0; i < 3; i++)
        (void)prepared_step(s, &GIVEN(pail_launch_change, .serial = i));
    s->data[0][2] = 77;
    const pail_binding binding = s->bindings[0];
    for (uint64_t i = 0; i < 40; i++) {
        struct pail_error err = {0};
        struct pail_adstack_result *result;
        s->bindings[0].identity = 1000 + i;
        assert_int_equal(pail_adstack_evaluate(s->stage.service, &result, &s->launch, &err),
                         PAIL_OK);
        pail_ad_result_release(result);
    }
    s->bindings[0] = binding;
    (void)diagnose(s, 2);
    (void)prepared_step(s, NULL);
    prepared_close(s);
}

/* Fails, and does not change what is prepared, however little memory there is. */
PAIL_TEST(without_memory)
{
    for (unsigned long i = 1;; i++) {
        struct prepared *s = prepared_open();
        struct pail_error err = {0};
        struct pail_adstack_prepared *other = NULL;
        struct pail_adstack_result *result = NULL;
        s->stage.fails = s->stage.allocations + i;
        pail_status status = pail_adstack_prepare(s->stage.service, &other, &s->launch, &err);
        const bool made = status == PAIL_OK;
        assert_int_equal(other != NULL, made);
        if (made) {
            s->bindings[2] = bind(2, 999, s->data[8], &s->shape[2]);
            const pail_launch_change change =
                GIVEN(pail_launch_change, .bindings = &s->bindings[2], .n_bindings = 1);
            status = pail_adstack_evaluate_prepared(other, &result, &change, &err);
            const bool reached = s->stage.allocations >= s->stage.fails;
            s->stage.fails = 0;
            if (status != PAIL_OK) {
                assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
                assert_null(result);
                assert_int_equal(pail_adstack_evaluate_prepared(other, &result, NULL, &err),
                                 PAIL_OK);
            }
            prepared_expect_right(s, result);
            pail_ad_result_release(result);
            pail_adstack_prepared_destroy(other);
            prepared_close(s);
            if (!reached)
                return;
            continue;
        }
        assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
        s->stage.fails = 0;
        prepared_close(s);
    }
}

/* A callback of the host that launches the same again is refused. */
static void launch_again(void *user)
{
    struct prepared *s = user;
    if (s->stage.on_alloc) {
        s->stage.on_alloc = NULL;
        prepared_refused(s, NULL, "another call uses it");
    }
}

PAIL_TEST(one_call_at_a_time)
{
    struct prepared *s = prepared_open();
    s->stage.on_alloc_user = s;
    s->stage.on_alloc = launch_again;
    pail_ad_result_release(prepared_launch(s, NULL));
    assert_null(s->stage.on_alloc); /* it was called */
    pail_ad_result_release(prepared_launch(s, NULL));
    prepared_close(s);
}

/* The same trees in two kernels, of which one wraps: a[0], if 4 divides it, and an error. */
PAIL_TEST(arithmetic_is_the_kernels)
{
    struct stage stage;
    struct pail_error err = {0};
    int32_t data[] = {4};
    const int64_t shape = 1;
    stage_open(&stage, false, 0);
    for (int wraps = 0; wraps < 2; wraps++) {
        struct kernel *kernel = kernel_make("wraps", "1");
        kernel->desc.flags = wraps ? PAIL_KERNEL_WRAP_ARITHMETIC : 0;
        (void)kernel_task(kernel, 0);
        (void)nodes_text(kernel_stack(kernel),
                         "(add (mul (read 0 0) 4611686018427387904) (read 0 0))", NULL);
        const pail_binding binding = bind(0, 7, data, &shape);
        const pail_task_launch task = GIVEN(pail_task_launch, .threads = 1);
        const pail_launch launch =
            GIVEN(pail_launch, .kernel = stage_register(&stage, kernel), .bindings = &binding,
                  .n_bindings = 1, .tasks = &task, .n_tasks = 1);
        struct pail_adstack_prepared *prepared = NULL;
        assert_int_equal(pail_adstack_prepare(stage.service, &prepared, &launch, &err), PAIL_OK);
        for (int i = 0; i < 6; i++) {
            struct pail_adstack_result *result = NULL;
            pail_stack_size size = {.struct_size = sizeof(size)};
            const pail_status status =
                pail_adstack_evaluate_prepared(prepared, &result, NULL, &err);
            assert_int_equal(status, wraps ? PAIL_OK : PAIL_ERR_DATA);
            if (wraps)
                assert_int_equal(pail_adstack_stack_size(result, &size, 0, 0, &err), PAIL_OK);
            else
                assert_non_null(strstr(err.text, "node 2: a product does not fit 64 bits"));
            assert_int_equal(size.raw, wraps ? data[0] : 0);
            pail_ad_result_release(result);
            data[0] += i % 2 ? 4 : 0;
            if (i % 2)
                pail_ad_identities_bump(&stage.service->identities, 7);
        }
        pail_adstack_prepared_destroy(prepared);
        kernel_free(kernel);
    }
    stage_close(&stage);
}
