/* The adstack at the boundary: launches that are prepared, and what changes between them. */
#include "conformance_sample.h"

static void expect_not_prepared(const struct subject *subject, pail_adstack_prepared *prepared,
                                const pail_launch_change *change, const char *word)
{
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(subject->backend->adstack_evaluate_prepared(prepared, &result, change),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    expect_sentence(subject, word);
}

/* The capacity of the first stack after a change. */
static uint64_t capacity_after(const struct subject *subject, pail_adstack_prepared *prepared,
                               const pail_launch_change *change)
{
    const pail_backend *backend = subject->backend;
    pail_adstack_result *result;
    pail_stack_size size = {.struct_size = sizeof size};
    if (backend->adstack_evaluate_prepared(prepared, &result, change) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    assert_int_equal(backend->adstack_stack_size(result, &size, 0, 0), PAIL_OK);
    backend->adstack_release(result);
    return size.capacity;
}

CONFORMANCE_NEEDS(launches_are_prepared, adstack_prepare)
{
    struct sample s;
    pail_adstack_kernel kernel;
    pail_adstack_prepared *prepared = (pail_adstack_prepared *)(uintptr_t)8;
    uint32_t id;
    fill(&s);
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    assert_int_equal(backend->adstack_prepare(subject->context, &prepared, &s.launch),
                     PAIL_ERR_ARGUMENT); /* no kernel */
    assert_null(prepared);
    s.launch.kernel = kernel;
    assert_int_equal(backend->adstack_prepare(NULL, &prepared, &s.launch), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_prepare(subject->context, NULL, &s.launch),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->adstack_prepare(subject->context, &prepared, NULL),
                     PAIL_ERR_ARGUMENT);
    s.binding.rank = 2;
    assert_int_equal(backend->adstack_prepare(subject->context, &prepared, &s.launch),
                     PAIL_ERR_ARGUMENT);
    assert_null(prepared);
    expect_sentence(subject, "rank is 2");
    s.binding.rank = 1;
    assert_int_equal(backend->adstack_prepare(subject->context, &prepared, &s.launch), PAIL_OK);
    pail_binding binding = s.binding;
    const int64_t shape[1] = {2};
    binding.shape = shape;
    memset(&s.binding, 0xff, sizeof s.binding); /* nobody reads these any more */
    memset(s.shape, 0xff, sizeof s.shape);
    memset(s.tasks, 0xff, sizeof s.tasks);

    expect_not_prepared(subject, NULL, NULL, "prepared");
    assert_int_equal(backend->adstack_evaluate_prepared(prepared, NULL, NULL), PAIL_ERR_ARGUMENT);
    pail_launch_change change = {.struct_size = 20};
    expect_not_prepared(subject, prepared, &change, "20");
    change = (pail_launch_change){.struct_size = sizeof change, .set = 0x400};
    expect_not_prepared(subject, prepared, &change, "0x400");

    backend->adstack_reset_stats(subject->context);
    assert_int_equal(capacity_after(subject, prepared, NULL), 4);
    assert_int_equal(capacity_after(subject, prepared, NULL), 4);
    s.data[0] = 9;
    backend->adstack_bump(subject->context, 1);
    assert_int_equal(capacity_after(subject, prepared, NULL), 10);
    s.data[2] = 19;
    const pail_generation generation = {.struct_size = sizeof generation, .generation = 1};
    change = (pail_launch_change){
        .struct_size = sizeof change, .generations = &generation, .n_generations = 1};
    assert_int_equal(capacity_after(subject, prepared, &change), 20);
    change =
        (pail_launch_change){.struct_size = sizeof change, .bindings = &binding, .n_bindings = 1};
    binding.generation = 1;
    assert_int_equal(capacity_after(subject, prepared, &change), 10);
    assert_int_equal(capacity_after(subject, prepared, NULL), 10);
    pail_adstack_stats stats = {.struct_size = sizeof stats};
    backend->adstack_stats(subject->context, &stats);
    assert_int_equal(stats.evaluations, 6);
    assert_int_equal(stats.launch_hits, 2);

    backend->adstack_forget(subject->context, 1);
    expect_not_prepared(subject, prepared, NULL, "forgotten");
    assert_int_equal(capacity_after(subject, prepared, &change), 10);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
    expect_not_prepared(subject, prepared, NULL, "kernel");
    backend->adstack_prepared_destroy(&prepared);
    assert_null(prepared);
    backend->adstack_prepared_destroy(&prepared);
    backend->adstack_prepared_destroy(NULL);
}
