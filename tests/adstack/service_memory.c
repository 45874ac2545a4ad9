/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the service fails once: the status says so, nothing is leaked or left half
 * done, and what comes out is right. */
#include "service_support.h"
#include "support/test.h"

/* A life with a bit of all; returns the first failure. */
static pail_status live(struct stage *stage, struct kernel *kernel, struct pail_error *err)
{
    static const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    pail_binding bindings[] = {bind(0, 1, a, &two), bind_device(1, 2, b, &two)};
    const pail_task_launch tasks[2] = {{.struct_size = sizeof(pail_task_launch), .threads = 10},
                                       {.struct_size = sizeof(pail_task_launch), .threads = 10}};
    pail_launch launch =
        SIZED(pail_launch, .bindings = bindings, .n_bindings = 2, .tasks = tasks, .n_tasks = 2);
    struct pail_adstack *s = stage->service;
    uint8_t blob[4096];
    uint64_t handle, again = 0;
    uint32_t ids[2];
    size_t n = sizeof(blob);
    pail_status status = pail_adstack_register(s, &handle, ids, &kernel->desc, err);
    assert_int_equal(status == PAIL_OK, handle != 0);
    if (status == PAIL_OK)
        status = pail_adstack_export(s, blob, &n, handle, err);
    if (status == PAIL_OK)
        status = pail_adstack_import(s, &again, ids, blob, n, err);
    static const uint32_t flags[] = {0, 0, PAIL_LAUNCH_HOST, PAIL_LAUNCH_EXPLAIN,
                                     PAIL_LAUNCH_NO_CACHE};
    for (size_t i = 0; i < 5 && status == PAIL_OK; i++) {
        struct pail_adstack_result *result;
        launch.kernel = i % 2 ? again : handle;
        launch.flags = flags[i];
        stage->device.give_back = i == 0;
        launch.heap_float = i == 3; /* not as a whole */
        status = pail_adstack_evaluate(s, &result, &launch, err);
        assert_int_equal(status == PAIL_OK, result != NULL);
        if (result) {
            assert_int_equal(result->tasks[0].laid->places[0].raw, 12);
            assert_int_equal(result->tasks[1].laid->places[0].raw, 3);
        }
        pail_ad_result_release(result);
    }
    if (status == PAIL_OK) {
        struct pail_adstack_result *result;
        /* Metadata that a run writes for task 1: stacks of 3 and 5 entries of two values. */
        _Alignas(8) uint32_t metadata[96] = {[64] = 16, 0, 0, 3, 6, 5, 0};
        launch.flags = 0;
        launch.serial = 5;
        launch.kernel = again;
        bindings[0] = bind_device(0, 1, a, &two);
        status =
            pail_adstack_record(s, &result, &launch, &launch, (uint64_t)(uintptr_t)metadata, err);
        assert_int_equal(status == PAIL_OK, result != NULL);
        assert_int_equal(stage->device.recorded,
                         stage->device.unrecorded + (status == PAIL_OK ? 1 : 0));
        if (status == PAIL_OK) {
            pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
            const pail_overflow record =
                SIZED(pail_overflow, .id = ids[1], .stack = 1, .serial = 5);
            status = pail_adstack_diagnose(s, &diagnosis, &record, err);
            if (status == PAIL_OK) {
                assert_int_equal(diagnosis.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
                assert_int_equal(diagnosis.allocated, 5);
            }
        }
        pail_ad_result_release(result);
        assert_int_equal(stage->device.recorded, stage->device.unrecorded);
    }
    if (status == PAIL_OK) {
        pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
        const pail_overflow record = {.struct_size = sizeof(record), .id = ids[0], .stack = 0};
        status = pail_adstack_diagnose(s, &diagnosis, &record, err);
    }
    if (status == PAIL_OK) { /* an unknown launch: all kernels of the name are asked */
        pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
        const pail_overflow record = SIZED(pail_overflow, .id = ids[0], .stack = 0, .serial = 99);
        status = pail_adstack_diagnose(s, &diagnosis, &record, err);
        assert_int_equal(diagnosis.cause, PAIL_CAUSE_UNKNOWN);
    }
    pail_adstack_invalidate(s, 0);
    return status;
}

PAIL_TEST(each_allocation_fails)
{
    struct stage stage;
    struct pail_error err = {0};
    struct kernel *kernel = kernel_make("memory", "11");
    (void)kernel_task(kernel, 0);
    tree_product_of(kernel_stack(kernel), 0, 1);
    (void)kernel_task(kernel, 1);
    tree_max_of(kernel_stack(kernel), 0);
    kernel_static(kernel, 5);
    stage_open(&stage, true, PAIL_DEBUG_TRACE);
    (void)stage_register(&stage, kernel); /* its trees are in their places now */
    stage_close(&stage);

    stage_open(&stage, true, PAIL_DEBUG_TRACE);
    const unsigned long before = stage.allocations;
    assert_int_equal(live(&stage, kernel, &err), PAIL_OK);
    const unsigned long n = stage.allocations - before;
    stage_close(&stage);
    assert_in_range(n, 60, 2000);
    unsigned long survived = 0;
    for (unsigned long i = 1; i <= n; i++) {
        stage_open(&stage, true, PAIL_DEBUG_TRACE);
        stage.fails = stage.allocations + i;
        err = (struct pail_error){0};
        const pail_status status = live(&stage, kernel, &err);
        if (status != PAIL_OK) {
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_non_null(strstr(err.text, "no host memory"));
        }
        survived += status == PAIL_OK;
        /* The next life has all it needs. */
        stage.fails = 0;
        if (live(&stage, kernel, &err) != PAIL_OK)
            fail_msg("after allocation %lu: %s", i, err.text);
        stage_close(&stage);
    }
    /* Without memory for it a result is not kept, and nothing else is done without. */
    assert_in_range(survived, 1, 10);
    kernel_free(kernel);
}
