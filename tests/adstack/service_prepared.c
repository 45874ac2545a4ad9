/* Prepared launches: what changes is told or noticed, and the sizes are those of a launch that is
 * described anew. */
#include <stdatomic.h>

#include <adstack/prepared.h>

#include "service_support.h"
#include "support/test.h"

/* A struct of the boundary, as a value. */
#define GIVEN(type, ...) ((type)SIZED(type, __VA_ARGS__))

enum { ARRAYS = 6, LENGTH = 5, TASKS = 2 };

/* A kernel of two tasks over six arrays; each array is of LENGTH elements at most. */
struct setting {
    struct stage stage;
    uint64_t kernel;
    int32_t data[2 * ARRAYS][LENGTH];
    int64_t shape[ARRAYS];
    pail_binding bindings[ARRAYS];
    pail_task_launch tasks[TASKS];
    pail_launch launch;
    struct pail_adstack_prepared *prepared;
};

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

static void prepare(struct setting *s)
{
    struct pail_error err = {0};
    if (pail_adstack_prepare(s->stage.service, &s->prepared, &s->launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
}

static struct setting *set_up_with(uint64_t cache_bytes)
{
    struct setting *s = calloc(1, sizeof(*s));
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
    prepare(s);
    return s;
}

static struct setting *set_up(void)
{
    return set_up_with(0);
}

static void tear_down(struct setting *s)
{
    if (s->prepared)
        pail_adstack_prepared_destroy(s->prepared);
    stage_close(&s->stage);
    free(s);
}

static struct pail_adstack_result *launch_with(struct setting *s, const pail_launch_change *change)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result = NULL;
    if (pail_adstack_evaluate_prepared(s->prepared, &result, change, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return result;
}

static void refused(struct setting *s, const pail_launch_change *change, const char *word)
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

/* Compares with a launch that computes everything and keeps nothing, of the same description. */
static void expect_right(struct setting *s, const struct pail_adstack_result *result)
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

static uint64_t computed(struct setting *s)
{
    return stage_stats(&s->stage).reductions;
}

static uint64_t hits(struct setting *s)
{
    return stage_stats(&s->stage).launch_hits;
}

/* Launches and compares. Returns the reductions that it took. */
static uint64_t step(struct setting *s, const pail_launch_change *change)
{
    const uint64_t before = computed(s);
    struct pail_adstack_result *result = launch_with(s, change);
    const uint64_t took = computed(s) - before;
    expect_right(s, result);
    pail_ad_result_release(result);
    return took;
}

PAIL_TEST(nothing_is_done)
{
    struct setting *s = set_up();
    assert_int_equal(step(s, NULL), ARRAYS);
    struct pail_adstack_result *first = launch_with(s, NULL);
    const unsigned long allocations = s->stage.allocations;
    const uint64_t before = hits(s), evaluations = stage_stats(&s->stage).evaluations;
    for (uint64_t i = 0; i < 100; i++) {
        const pail_launch_change change = GIVEN(pail_launch_change, .serial = i);
        struct pail_adstack_result *again = launch_with(s, i % 2 ? &change : NULL);
        assert_ptr_equal(again, first);
        pail_ad_result_release(again);
    }
    assert_int_equal(s->stage.allocations, allocations);
    assert_int_equal(hits(s), before + 100);
    assert_int_equal(stage_stats(&s->stage).evaluations, evaluations + 100);
    pail_adstack_prepared_destroy(s->prepared);
    s->prepared = NULL;
    assert_int_equal(hits(s), before + 100); /* counted still */
    pail_adstack_reset_stats(s->stage.service);
    prepare(s);
    pail_ad_result_release(launch_with(s, NULL));
    assert_int_equal(hits(s), 1); /* others computed it */
    pail_adstack_reset_stats(s->stage.service);
    assert_int_equal(hits(s), 0);
    pail_ad_result_release(first);
    tear_down(s);
}

/* Each way in which an array changes costs its reduction, and an earlier state is found again. */
PAIL_TEST(what_changed_is_computed)
{
    struct setting *s = set_up();
    assert_int_equal(step(s, NULL), ARRAYS);
    s->data[2][1] = 50;
    pail_ad_identities_bump(&s->stage.service->identities, 102);
    assert_int_equal(step(s, NULL), 1);
    pail_ad_identities_bump(&s->stage.service->identities, 7777); /* nobody's */
    assert_int_equal(step(s, NULL), 0);
    s->data[3][1] = 60;
    const pail_generation generation = GIVEN(pail_generation, .source = 3, .generation = 9);
    s->bindings[3].generation = 9;
    assert_int_equal(
        step(s, &GIVEN(pail_launch_change, .generations = &generation, .n_generations = 1)), 1);
    assert_int_equal(step(s, NULL), 0);
    /* Another array and the old one, in turn: found by handle, without an allocation. */
    const pail_binding old = s->bindings[4],
                       other = bind(4, 200, s->data[ARRAYS + 4], &s->shape[4]);
    s->bindings[4] = other;
    assert_int_equal(step(s, &GIVEN(pail_launch_change, .bindings = &other, .n_bindings = 1)), 1);
    unsigned long allocations = 0;
    for (int i = 0; i < 20; i++) {
        const pail_binding *binding = i % 2 ? &other : &old;
        if (i == 4)
            allocations = s->stage.allocations;
        struct pail_adstack_result *result =
            launch_with(s, &GIVEN(pail_launch_change, .bindings = binding, .n_bindings = 1));
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
    assert_int_equal(step(s, &GIVEN(pail_launch_change, .bindings = &other, .n_bindings = 1)), 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(step(s, NULL), 0);
    pail_adstack_invalidate(s->stage.service, s->kernel);
    assert_int_equal(step(s, NULL), ARRAYS);
    tear_down(s);
}

/* A result that held so long ago that nobody knows which words changed since. */
PAIL_TEST(long_ago)
{
    struct setting *s = set_up();
    const pail_binding first = s->bindings[1], other = bind(1, 400, s->data[7], &s->shape[1]);
    pail_binding pair[] = {s->bindings[1], s->bindings[2]};
    for (int i = 0; i < 3; i++)
        (void)step(s, NULL);
    pair[0] = s->bindings[1] = other;
    pair[1] = s->bindings[2] = bind(2, 500, s->data[8], &s->shape[2]);
    (void)step(s, &GIVEN(pail_launch_change, .bindings = pair, .n_bindings = 2));
    for (int i = 0; i < 200; i++) { /* source 2 stays, and is in the log no more */
        s->bindings[1] = i % 2 ? first : other;
        (void)step(s, &GIVEN(pail_launch_change, .bindings = &s->bindings[1], .n_bindings = 1));
    }
    tear_down(s);
}

PAIL_TEST(tasks_heaps_and_flags)
{
    struct setting *s = set_up();
    assert_int_equal(step(s, NULL), ARRAYS);
    s->tasks[1].threads = 1000;
    pail_launch_change change =
        GIVEN(pail_launch_change, .tasks = &s->tasks[1], .first_task = 1, .n_tasks = 1);
    assert_int_equal(step(s, &change), 0);
    s->tasks[0].flags = PAIL_TASK_LAUNCH_GATED;
    s->tasks[0].gated_rows = 3;
    change = GIVEN(pail_launch_change, .tasks = s->tasks, .n_tasks = 2);
    assert_int_equal(step(s, &change), 0);
    s->launch.heap_float = 4000;
    s->launch.heap_int = 5;
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_HEAPS, .heap_float = 4000, .heap_int = 5);
    assert_int_equal(step(s, &change), 0);
    change = GIVEN(pail_launch_change, .heap_float = 99); /* without the flag */
    assert_int_equal(step(s, &change), 0);
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_FLAGS, .flags = PAIL_LAUNCH_NO_CACHE);
    assert_int_equal(step(s, &change), ARRAYS);
    change.flags = PAIL_LAUNCH_EXPLAIN;
    struct pail_adstack_result *result = launch_with(s, &change);
    assert_non_null(result->text);
    pail_ad_result_release(result);
    change.flags = 0;
    assert_int_equal(step(s, &change), 0);
    result = launch_with(s, NULL);
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
    assert_int_equal(step(s, &change), 1);
    tear_down(s);
}

PAIL_TEST(untracked_arrays)
{
    struct setting *s = set_up();
    assert_int_equal(step(s, NULL), ARRAYS);
    s->bindings[0].flags = PAIL_BINDING_UNTRACKED;
    pail_launch_change change =
        GIVEN(pail_launch_change, .bindings = &s->bindings[0], .n_bindings = 1);
    for (int32_t i = 0; i < 3; i++) {
        s->data[0][0] = 100 * i;
        assert_int_equal(step(s, i == 0 ? &change : NULL), 1);
    }
    s->bindings[0].flags = 0;
    s->data[0][0] = 1;
    assert_int_equal(step(s, &change), 0); /* as it was first */
    tear_down(s);
}

PAIL_TEST(wrong_changes_change_nothing)
{
    struct setting *s = set_up();
    struct pail_adstack_result *result = launch_with(s, NULL);
    pail_ad_result_release(result);
    struct pail_adstack_result *first = launch_with(s, NULL);
    pail_binding pair[2] = {bind(1, 300, s->data[7], &s->shape[1]), s->bindings[0]};
    pail_generation generations[2] = {GIVEN(pail_generation, .source = 1, .generation = 4),
                                      GIVEN(pail_generation, .source = ARRAYS)};
    const pail_task_launch tasks[] = {GIVEN(pail_task_launch, .threads = 5),
                                      GIVEN(pail_task_launch, .flags = 64)};
    pail_launch_change change = GIVEN(pail_launch_change, .set = 0x100);
    refused(s, &change, "set is 0x100");
    change = GIVEN(pail_launch_change, .n_bindings = 1);
    refused(s, &change, "bindings: NULL");
    change = GIVEN(pail_launch_change, .bindings = pair, .n_bindings = 2, .set = PAIL_CHANGE_HEAPS,
                   .heap_int = 77);
    pair[1].rank = 3;
    refused(s, &change, "binding 1, source 0: rank is 3");
    pair[1] = s->bindings[0];
    pair[1].source = 9;
    refused(s, &change, "binding 1: source is 9");
    pair[1] = s->bindings[0];
    pair[1].struct_size = 4;
    refused(s, &change, "binding 1");
    pair[1] = s->bindings[0];
    change.n_generations = 2;
    refused(s, &change, "generations: NULL");
    change.generations = generations;
    refused(s, &change, "generation 1: source is 6");
    generations[0].struct_size = 4;
    refused(s, &change, "generation 0");
    change.n_generations = 0;
    change.tasks = tasks;
    change.n_tasks = 2;
    refused(s, &change, "task 1: flags");
    change.first_task = 1;
    refused(s, &change, "first_task is 1 and n_tasks 2");
    change.first_task = SIZE_MAX;
    refused(s, &change, "first_task");
    change = GIVEN(pail_launch_change, .n_tasks = 1);
    refused(s, &change, "tasks: NULL");
    change = GIVEN(pail_launch_change, .set = PAIL_CHANGE_FLAGS,
                   .flags = PAIL_LAUNCH_HOST | PAIL_LAUNCH_DEVICE);
    refused(s, &change, "flags is 0x3");
    result = launch_with(s, NULL);
    assert_ptr_equal(result, first);
    pail_ad_result_release(result);
    pail_ad_result_release(first);
    tear_down(s);
}

/* An array that is gone is not read: its source must have another one first. */
PAIL_TEST(forgotten_arrays)
{
    struct setting *s = set_up();
    assert_int_equal(step(s, NULL), ARRAYS);
    pail_ad_identities_forget(&s->stage.service->identities, 101);
    for (int i = 0; i < 2; i++)
        refused(s, NULL, "source 1: its array 101 was forgotten");
    const pail_generation generation = GIVEN(pail_generation, .source = 1, .generation = 5);
    pail_launch_change change =
        GIVEN(pail_launch_change, .generations = &generation, .n_generations = 1);
    refused(s, &change, "source 1: its array 101 was forgotten");
    /* Others may have the number again. */
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    assert_int_equal(pail_adstack_evaluate(s->stage.service, &result, &s->launch, &err), PAIL_OK);
    pail_ad_result_release(result);
    refused(s, NULL, "source 1: its array 101 was forgotten");
    s->bindings[1] = bind(1, 301, s->data[7], &s->shape[1]);
    change = GIVEN(pail_launch_change, .bindings = &s->bindings[1], .n_bindings = 1);
    assert_int_equal(step(s, &change), 1);
    /* Also where so many changed that the list of them does not say which. */
    pail_ad_identities_forget(&s->stage.service->identities, 302); /* never seen */
    pail_ad_identities_forget(&s->stage.service->identities, 103);
    for (int i = 0; i < 1000; i++)
        pail_ad_identities_bump(&s->stage.service->identities, 100);
    refused(s, NULL, "source 3: its array 103 was forgotten");
    s->bindings[3] = bind(3, 303, s->data[9], &s->shape[3]);
    change.bindings = &s->bindings[3];
    assert_int_equal(step(s, &change), 2);
    tear_down(s);
}

PAIL_TEST(kernels_that_are_gone)
{
    struct setting *s = set_up();
    struct pail_error err = {0};
    struct pail_adstack_result *result = launch_with(s, NULL);
    assert_int_equal(pail_adstack_unregister(s->stage.service, s->kernel, &err), PAIL_OK);
    refused(s, NULL, "kernel");
    struct pail_adstack_prepared *other;
    assert_int_equal(pail_adstack_prepare(s->stage.service, &other, &s->launch, &err),
                     PAIL_ERR_ARGUMENT);
    assert_null(other);
    pail_task_size size = {.struct_size = sizeof(size)};
    assert_int_equal(pail_adstack_task_size(result, &size, 1, &err), PAIL_OK);
    assert_int_equal(size.n_stacks, ARRAYS - 1);
    pail_ad_result_release(result);
    tear_down(s);
}

static pail_diagnosis diagnose(struct setting *s, uint64_t serial)
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
    struct setting *s = set_up();
    for (uint64_t i = 0; i < 20; i++)
        (void)step(s, &GIVEN(pail_launch_change, .serial = i));
    s->data[0][2] = 77;
    pail_ad_result_release(launch_with(s, &GIVEN(pail_launch_change, .serial = 20)));
    const pail_diagnosis d = diagnose(s, 20);
    assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(d.suspect_identity, 100);
    assert_true(step(s, NULL) > 0);
    tear_down(s);
}

/* The same for a launch so long ago that nothing but what is prepared has its result. */
PAIL_TEST(healing_of_long_ago)
{
    struct setting *s = set_up_with(1);
    for (uint64_t i = 0; i < 3; i++)
        (void)step(s, &GIVEN(pail_launch_change, .serial = i));
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
    (void)step(s, NULL);
    tear_down(s);
}

/* Fails, and does not change what is prepared, however little memory there is. */
PAIL_TEST(without_memory)
{
    for (unsigned long i = 1;; i++) {
        struct setting *s = set_up();
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
            expect_right(s, result);
            pail_ad_result_release(result);
            pail_adstack_prepared_destroy(other);
            tear_down(s);
            if (!reached)
                return;
            continue;
        }
        assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
        s->stage.fails = 0;
        tear_down(s);
    }
}

/* A callback of the host that launches the same again is refused. */
static void launch_again(void *user)
{
    struct setting *s = user;
    if (s->stage.on_alloc) {
        s->stage.on_alloc = NULL;
        refused(s, NULL, "another call uses it");
    }
}

PAIL_TEST(one_call_at_a_time)
{
    struct setting *s = set_up();
    s->stage.on_alloc_user = s;
    s->stage.on_alloc = launch_again;
    pail_ad_result_release(launch_with(s, NULL));
    assert_null(s->stage.on_alloc); /* it was called */
    pail_ad_result_release(launch_with(s, NULL));
    tear_down(s);
}

/* ---- At random ------------------------------------------------------------------------------- */
struct lot {
    uint64_t state;
};

static uint32_t draw(struct lot *lot, uint32_t n)
{
    lot->state = lot->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(lot->state >> 33) % n;
}

/* Changes the description and tells the handle, by `change` or through the service. */
static void change_one(struct setting *s, struct lot *lot, pail_launch_change *change,
                       pail_generation *generation, uint64_t *identities)
{
    const uint32_t i = draw(lot, ARRAYS), side = draw(lot, 2);
    pail_binding *binding = &s->bindings[i];
    int32_t *const data = (int32_t *)(uintptr_t)binding->host;
    switch (draw(lot, 8)) {
    case 0: /* written, and told */
        data[0] = (int32_t)draw(lot, 100);
        pail_ad_identities_bump(&s->stage.service->identities, binding->identity);
        break;
    case 1: /* written, and counted */
        data[1] = (int32_t)draw(lot, 100);
        for (uint32_t k = 0; k < ARRAYS; k++)
            assert_true(k == i || s->bindings[k].identity != binding->identity);
        binding->generation = ++*identities;
        *generation = GIVEN(pail_generation, .source = i, .generation = binding->generation);
        change->generations = generation;
        change->n_generations = 1;
        break;
    case 2: /* bound anew, to one of two arrays */
        *binding = bind(i, 100 + i + ARRAYS * side, s->data[i + ARRAYS * side], &s->shape[i]);
        binding->size_bytes = sizeof(s->data[i]);
        /* Its generation is new, since it may have been written under another one. */
        binding->generation = ++*identities;
        change->bindings = binding;
        change->n_bindings = 1;
        break;
    case 3: /* another shape */
        s->shape[i] = 1 + draw(lot, LENGTH);
        change->bindings = binding;
        change->n_bindings = 1;
        break;
    case 4:
        s->tasks[side].threads = draw(lot, 4);
        change->tasks = &s->tasks[side];
        change->first_task = side;
        change->n_tasks = 1;
        break;
    case 5:
        s->launch.heap_float = draw(lot, 3) * 1000;
        change->set = PAIL_CHANGE_HEAPS;
        change->heap_float = s->launch.heap_float;
        break;
    case 6:
        binding = &s->bindings[0];
        binding->flags = draw(lot, 8) == 0 ? PAIL_BINDING_UNTRACKED : 0;
        binding->generation = ++*identities;
        change->bindings = binding;
        change->n_bindings = 1;
        break;
    default:
        if (draw(lot, 8) == 0)
            pail_adstack_invalidate(s->stage.service, side ? s->kernel : 0);
        if (draw(lot, 8) == 0)
            for (int k = 0; k < 300; k++)
                pail_ad_identities_bump(&s->stage.service->identities, binding->identity);
        break;
    }
}

PAIL_TEST(at_random)
{
    struct setting *s = set_up();
    struct lot lot = {1};
    uint64_t generations = 0;
    const uint64_t before = hits(s);
    for (int i = 0; i < 20000; i++) {
        pail_launch_change change = GIVEN(pail_launch_change, .serial = (uint64_t)i);
        pail_generation generation;
        const bool changes = draw(&lot, 3) != 0;
        if (changes)
            change_one(s, &lot, &change, &generation, &generations);
        (void)step(s, changes ? &change : NULL);
    }
    assert_true(hits(s) > before + 5000);
    tear_down(s);
}

/* ---- Threads --------------------------------------------------------------------------------- */
struct writer {
    struct setting *s;
    atomic_uint written, stop;
};

/* Others' arrays and shared ones are written while what is prepared is launched. */
static void *write_on(void *user)
{
    struct writer *w = user;
    while (!atomic_load(&w->stop)) {
        pail_ad_identities_bump(&w->s->stage.service->identities, 100 + w->written % ARRAYS);
        pail_ad_identities_bump(&w->s->stage.service->identities, 5);
        if (w->written % 64 == 0)
            pail_adstack_invalidate(w->s->stage.service, 0);
        atomic_fetch_add(&w->written, 1);
    }
    return NULL;
}

PAIL_TEST(writes_in_other_threads)
{
    struct setting *s = set_up();
    struct writer w = {.s = s};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_on, &w), 0);
    for (int i = 0; i < 3000 || atomic_load(&w.written) < 1000; i++)
        pail_ad_result_release(launch_with(s, NULL));
    atomic_store(&w.stop, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)step(s, NULL);
    s->data[5][0] = 1234; /* told before the launch */
    pail_ad_identities_bump(&s->stage.service->identities, 105);
    assert_int_equal(step(s, NULL), 1);
    tear_down(s);
}
