/* SPDX-License-Identifier: Apache-2.0 */
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

/* The capacity of the first stack of a launch. */
static uint64_t capacity_of(const struct subject *subject, const pail_launch *launch)
{
    const pail_backend *backend = subject->backend;
    pail_adstack_result *result;
    pail_stack_size size = {.struct_size = sizeof size};
    if (backend->adstack_evaluate(subject->context, &result, launch) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    assert_int_equal(backend->adstack_stack_size(result, &size, 0, 0), PAIL_OK);
    backend->adstack_release(result);
    return size.capacity;
}

static void expect_no_size(const struct subject *subject, const pail_launch *launch,
                           const char *word)
{
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(subject->backend->adstack_evaluate(subject->context, &result, launch),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    expect_sentence(subject, word);
}

/* Sizes of arrays in memory of the context, of either kind, which change there. */
CONFORMANCE_NEEDS(arrays_are_in_memory_of_the_context, memory_find)
{
    static const uint32_t kinds[] = {PAIL_MEMORY_DEVICE, PAIL_MEMORY_HOST};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct sample s;
        pail_memory *memory;
        pail_memory_info info = {.struct_size = sizeof info};
        uint32_t id;
        const pail_status status =
            backend->memory_create(subject->context, &memory, &info, kinds[i], 100);
        if (status == PAIL_ERR_UNSUPPORTED)
            SKIP_BECAUSE("the device has no addresses");
        assert_int_equal(status, PAIL_OK);
        fill(&s);
        assert_int_equal(
            backend->adstack_register(subject->context, &s.launch.kernel, &id, &s.desc), PAIL_OK);
        s.binding.identity = 70 + i;
        s.binding.host = NULL;
        s.binding.device_address = info.address + 88; /* the last three numbers */
        const int32_t numbers[] = {5, -8, 4}, others[] = {5, 9, 2};
        assert_int_equal(backend->memory_write(memory, 88, numbers, sizeof numbers), PAIL_OK);
        assert_int_equal(capacity_of(subject, &s.launch), 6);
        pail_adstack_prepared *prepared;
        assert_int_equal(backend->adstack_prepare(subject->context, &prepared, &s.launch), PAIL_OK);
        assert_int_equal(capacity_after(subject, prepared, NULL), 6);
        assert_int_equal(backend->memory_write(memory, 88, others, sizeof others), PAIL_OK);
        backend->adstack_bump(subject->context, s.binding.identity);
        assert_int_equal(capacity_of(subject, &s.launch), 10);
        assert_int_equal(capacity_after(subject, prepared, NULL), 10);
        pail_binding moved = s.binding;
        const pail_launch_change change = {
            .struct_size = sizeof change, .bindings = &moved, .n_bindings = 1};
        assert_int_equal(backend->memory_write(memory, 40, numbers, sizeof numbers), PAIL_OK);
        moved.device_address = info.address + 40;
        moved.generation = 3;
        assert_int_equal(capacity_after(subject, prepared, &change), 6);
        if (!subject->import) {
            s.binding.device_address += 4;
            expect_no_size(subject, &s.launch, "size_bytes is 12, but the memory at");
            moved.device_address = info.address + 100;
            expect_not_prepared(subject, prepared, &change, "where no memory of the context is");
        }
        moved.device_address = info.address + 42;
        expect_not_prepared(subject, prepared, &change, "no multiple of the 4 bytes");
        backend->adstack_prepared_destroy(&prepared);
        backend->adstack_forget(subject->context, s.binding.identity);
        backend->memory_destroy(subject->context, &memory);
        if (!subject->import)
            expect_no_size(subject, &s.launch, "where no memory of the context is");
        assert_int_equal(backend->adstack_unregister(subject->context, s.launch.kernel), PAIL_OK);
    }
}
