/* SPDX-License-Identifier: Apache-2.0 */
#include "prepared_support.h"

static uint64_t register_kernel(struct stage *stage)
{
    struct kernel *kernel = kernel_make("prepared", "111111");
    for (int32_t t = 0; t < TASKS; t++) {
        (void)kernel_task(kernel, t);
        for (int32_t i = t; i < ARRAYS; i++)
            tree_product_of(kernel_stack(kernel), i, (i + t + 1) % ARRAYS);
    }
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    return handle;
}

void prepared_again(struct prepared *s)
{
    struct pail_error err = {0};
    if (pail_adstack_prepare(s->stage.service, &s->prepared, &s->launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
}

struct prepared *prepared_open_with(uint64_t cache_bytes)
{
    struct prepared *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    stage_open(&s->stage, false, 0);
    s->stage.service->env.cache_bytes = cache_bytes;
    s->kernel = register_kernel(&s->stage);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        s->shape[i] = LENGTH;
        for (int32_t k = 0; k < LENGTH; k++) {
            s->data[i][k] = 1 + (int32_t)i + k;
            s->data[ARRAYS + i][k] = 20 + (int32_t)i + k;
        }
        s->bindings[i] = bind(i, 100 + i, s->data[i], &s->shape[i]);
    }
    for (uint32_t t = 0; t < TASKS; t++)
        s->tasks[t] = GIVEN(pail_task_launch, .threads = 10 + t);
    for (uint32_t i = 0; i < ARRAYS; i++) /* whatever their shapes will be */
        s->bindings[i].size_bytes = sizeof(s->data[i]);
    s->launch = GIVEN(pail_launch, .kernel = s->kernel, .bindings = s->bindings,
                      .n_bindings = ARRAYS, .tasks = s->tasks, .n_tasks = TASKS);
    prepared_again(s);
    return s;
}

struct prepared *prepared_open(void)
{
    return prepared_open_with(0);
}

void prepared_close(struct prepared *s)
{
    if (s->prepared)
        pail_adstack_prepared_destroy(s->prepared);
    stage_close(&s->stage);
    free(s);
}

struct pail_adstack_result *prepared_launch(struct prepared *s, const pail_launch_change *change)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result = NULL;
    if (pail_adstack_evaluate_prepared(s->prepared, &result, change, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return result;
}

void prepared_refused(struct prepared *s, const pail_launch_change *change, const char *word)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result = (struct pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(pail_adstack_evaluate_prepared(s->prepared, &result, change, &err),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" is not in: %s", word, err.text);
}

static void expect_same(const struct pail_adstack_result *a, const struct pail_adstack_result *b)
{
    struct pail_error err;
    for (size_t t = 0; t < TASKS; t++) {
        pail_task_size x = {.struct_size = sizeof(x)}, y = x;
        assert_int_equal(pail_adstack_task_size(a, &x, t, &err), PAIL_OK);
        assert_int_equal(pail_adstack_task_size(b, &y, t, &err), PAIL_OK);
        assert_memory_equal(&x, &y, sizeof(x));
        for (size_t i = 0; i < x.n_stacks; i++) {
            pail_stack_size p = {.struct_size = sizeof(p)}, q = p;
            assert_int_equal(pail_adstack_stack_size(a, &p, t, i, &err), PAIL_OK);
            assert_int_equal(pail_adstack_stack_size(b, &q, t, i, &err), PAIL_OK);
            assert_int_equal(p.raw, q.raw);
            assert_int_equal(p.offset, q.offset);
        }
    }
}

void prepared_expect_right(struct prepared *s, const struct pail_adstack_result *result)
{
    struct pail_error err = {0};
    struct pail_adstack_result *fresh = NULL;
    pail_launch launch = s->launch;
    launch.flags |= PAIL_LAUNCH_NO_CACHE;
    if (pail_adstack_evaluate(s->stage.service, &fresh, &launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    expect_same(result, fresh);
    pail_ad_result_release(fresh);
}

uint64_t prepared_computed(struct prepared *s)
{
    return stage_stats(&s->stage).reductions;
}

uint64_t prepared_hits(struct prepared *s)
{
    return stage_stats(&s->stage).launch_hits;
}

uint64_t prepared_step(struct prepared *s, const pail_launch_change *change)
{
    const uint64_t before = prepared_computed(s);
    struct pail_adstack_result *result = prepared_launch(s, change);
    const uint64_t took = prepared_computed(s) - before;
    prepared_expect_right(s, result);
    pail_ad_result_release(result);
    return took;
}
