/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays at device addresses that the host can read itself. */
#include "service_support.h"
#include "support/test.h"

static int32_t a[] = {2, 3}, b[] = {4, 1};
static const int64_t two = 2;

PAIL_TEST(read_where_they_are)
{
    struct stage stage;
    stage_open(&stage, true, PAIL_DEBUG_TRACE);
    stage_point(&stage);
    const uint64_t kernel = stage_register_product(&stage);
    const pail_binding bindings[] = {bind_device(0, 1, a, &two), bind_device(1, 2, b, &two)};
    pail_stack_size size = stage_size(&stage, kernel, 1, bindings, 2, 0, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_HOST);
    /* One submission and one wait for both arrays, nothing computed there, nothing copied. */
    pail_adstack_stats stats = stage_stats(&stage);
    assert_int_equal(stage.device.meets, 1);
    assert_int_equal(stage.device.runs, 0);
    assert_int_equal(stage.device.fetches, 0);
    assert_int_equal(stats.submissions, 1);
    assert_int_equal(stats.waits, 1);
    assert_int_equal(stats.dispatches, 0);
    assert_int_equal(stats.host_cells, 4);
    assert_true(stage_logged(&stage, "source 0: the host can read it at its device address"));
    assert_true(stage_logged(&stage, "source 1: the host can read it at its device address"));
    assert_true(stage_logged(&stage, "reduced on the host"));
    /* Nothing at all while they stay as they are; what was written is read anew. */
    assert_int_equal(stage_size(&stage, kernel, 1, bindings, 2, 0, 0, 0).capacity, 12);
    assert_int_equal(stage.device.meets, 1);
    a[1] = 5;
    pail_ad_identities_bump(&stage.service->identities, 1);
    assert_int_equal(stage_size(&stage, kernel, 1, bindings, 2, 0, 0, 0).capacity, 20);
    assert_int_equal(stage.device.meets, 2);
    a[1] = 3;
    stage_close(&stage);
}

STAGE_TEST(flags_choose, true)
{
    stage_point(stage);
    const uint64_t kernel = stage_register_product(stage);
    pail_binding bindings[] = {bind_device(0, 1, a, &two), bind(1, 2, b, &two)};
    const uint32_t no_cache = PAIL_LAUNCH_NO_CACHE;
    pail_stack_size size =
        stage_size(stage, kernel, 1, bindings, 2, no_cache | PAIL_LAUNCH_HOST, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_HOST);
    assert_int_equal(stage->device.meets, 1);
    assert_int_equal(stage->device.fetches, 0);
    /* A device that is asked for does it, and what it gives back is read where it is. */
    size = stage_size(stage, kernel, 1, bindings, 2, no_cache | PAIL_LAUNCH_DEVICE, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_DEVICE);
    assert_int_equal(stage->device.runs, 1);
    assert_int_equal(stage->device.slots, 2);
    assert_int_equal(stage->device.meets, 1);
    stage->device.give_back = 1;
    size = stage_size(stage, kernel, 1, bindings, 2, no_cache | PAIL_LAUNCH_DEVICE, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(stage->device.runs, 2);
    assert_int_equal(stage->device.meets, 2);
    assert_int_equal(stage->device.fetches, 0);
    /* Contents in host memory are nothing to wait for. */
    bindings[0].host = a;
    assert_int_equal(stage_size(stage, kernel, 1, bindings, 2, no_cache, 0, 0).capacity, 12);
    assert_int_equal(stage->device.meets, 2);
    assert_int_equal(stage->device.runs, 2);
}

STAGE_TEST(waits_where_the_launch_says, true)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    stage_point(stage);
    const uint64_t kernel = stage_register_product(stage);
    const pail_binding bindings[] = {bind(0, 1, a, &two), bind_device(1, 2, b, &two)};
    const pail_task_launch task = {.struct_size = sizeof(pail_task_launch), .threads = 1};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = kernel, .bindings = bindings, .n_bindings = 2, .tasks = &task,
              .n_tasks = 1, .wait_semaphore = 50, .wait_value = 60);
    assert_int_equal(pail_adstack_evaluate(stage->service, &result, &launch, &err), PAIL_OK);
    pail_ad_result_release(result);
    assert_int_equal(stage->device.meets, 1);
    assert_int_equal(stage->device.wait_semaphore, 50);
    assert_int_equal(stage->device.wait_value, 60);
}

/* shape(0) > 5 ? max(source 1) : 7, and source 1's first element > 5 ? max(source 0) : 7 */
static uint64_t register_guards(struct stage *stage)
{
    struct kernel *kernel = kernel_make("guards", "11");
    (void)kernel_task(kernel, 0);
    struct nodes *t = kernel_stack(kernel);
    const int32_t five = nodes_const(t, 5), seven = nodes_const(t, 7);
    const int32_t rows = nodes_op(t, PAIL_NODE_SUB, nodes_shape(t, 0, 0), five);
    tree_max_of(t, 1);
    (void)nodes_select(t, rows, (int32_t)t->n - 1, seven);
    (void)kernel_task(kernel, 1);
    t = kernel_stack(kernel);
    const int32_t guard = nodes_text(t, "(sub (read 1 0) 5)", NULL);
    const int32_t other = nodes_const(t, 7);
    tree_max_of(t, 0);
    (void)nodes_select(t, guard, (int32_t)t->n - 1, other);
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    return handle;
}

/* An arm that a condition excludes is not waited for, and not computed. */
STAGE_TEST(arms_that_are_not_taken, true)
{
    stage_point(stage);
    const uint64_t kernel = register_guards(stage);
    const uint32_t no_cache = PAIL_LAUNCH_NO_CACHE;
    pail_binding bindings[] = {bind(0, 1, a, &two), bind_device(1, 2, b, &two)};
    assert_int_equal(stage_size(stage, kernel, 2, bindings, 2, no_cache, 1, 0).capacity, 7);
    /* The second tree's condition had to be read; neither of the reductions was done. */
    assert_int_equal(stage->device.meets, 1);
    assert_int_equal(stage_stats(stage).host_cells, 0);
    b[0] = 6;
    bindings[0] = bind_device(0, 1, a, &two);
    assert_int_equal(stage_size(stage, kernel, 2, bindings, 2, no_cache, 1, 0).capacity, 3);
    assert_int_equal(stage_stats(stage).host_cells, 2);
    assert_int_equal(stage->device.meets, 2);
    /* Contents of host memory alone say that nothing on the device is needed. */
    b[0] = 4;
    bindings[1] = bind(1, 2, b, &two);
    assert_int_equal(stage_size(stage, kernel, 2, bindings, 2, no_cache, 1, 0).capacity, 7);
    assert_int_equal(stage->device.meets, 2);
    assert_int_equal(stage->device.runs, 0);
}

STAGE_TEST(a_device_that_fails, true)
{
    struct pail_error err = {0};
    stage_point(stage);
    const uint64_t kernel = stage_register_product(stage);
    const pail_binding bindings[] = {bind_device(0, 1, a, &two), bind_device(1, 2, b, &two)};
    stage->device.fails = PAIL_ERR_DEVICE_LOST;
    assert_null(stage_launch(stage, kernel, 1, bindings, 2, 0, &err));
    assert_int_equal(err.status, PAIL_ERR_DEVICE_LOST);
    stage->device.fails = PAIL_OK;
    assert_int_equal(stage_size(stage, kernel, 1, bindings, 2, 0, 0, 0).capacity, 12);
}

/* An index outside is the error that it is in host memory. */
STAGE_TEST(indices_outside, true)
{
    struct pail_error at_pointer = {0}, in_host = {0};
    stage_point(stage);
    struct kernel *kernel = kernel_make("outside", "1");
    (void)kernel_task(kernel, 0);
    struct nodes *t = kernel_stack(kernel);
    NODES(t, "(max_over i 0 % (read 0 i))", INT64_C(1) << 40);
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    const pail_binding there = bind_device(0, 1, a, &two), here = bind(0, 2, a, &two);
    assert_null(stage_launch(stage, handle, 1, &there, 1, 0, &at_pointer));
    assert_null(stage_launch(stage, handle, 1, &here, 1, 0, &in_host));
    assert_int_equal(stage->device.meets, 1);
    assert_int_equal(at_pointer.status, PAIL_ERR_DATA);
    assert_string_equal(at_pointer.text, in_host.text);
}

/* Without memory for one thing or another it fails, and frees what it had. */
PAIL_TEST(out_of_memory)
{
    const pail_binding bindings[] = {bind_device(0, 1, a, &two), bind_device(1, 2, b, &two)};
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        struct stage stage;
        struct pail_error err = {0};
        stage_open(&stage, true, 0);
        stage_point(&stage);
        const uint64_t kernel = stage_register_product(&stage);
        stage.fails = stage.allocations + n;
        struct pail_adstack_result *result =
            stage_launch(&stage, kernel, 1, bindings, 2, PAIL_LAUNCH_NO_CACHE, &err);
        const bool reached = stage.allocations >= stage.fails;
        if (!result)
            assert_int_equal(err.status, PAIL_ERR_HOST_MEMORY);
        failures += !result;
        pail_ad_result_release(result);
        stage_close(&stage);
        if (!reached)
            break;
    }
    assert_true(failures >= 4); /* solve alone takes four pieces */
}
