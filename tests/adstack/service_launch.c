/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: where things are computed, bindings that are refused, and what is said. */
#include <inttypes.h>

#include "service_support.h"
#include "support/test.h"

/* ---- Where ----------------------------------------------------------------------------------- */
PAIL_TEST(contents_on_the_device)
{
    struct stage stage;
    stage_open(&stage, true, PAIL_DEBUG_TRACE);
    const uint64_t kernel = stage_register_product(&stage);
    int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    pail_binding bindings[] = {bind_device(0, 1, a, &two), bind(1, 2, b, &two)};
    stage.device.worth = 1000;
    pail_stack_size size = stage_size(&stage, kernel, 1, bindings, 2, PAIL_LAUNCH_NO_CACHE, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_DEVICE);
    assert_int_equal(stage.device.slots, 1); /* b is here and small */
    assert_int_equal(stage.device.fetches, 0);
    /* Fetched where everything is to be done here. */
    size =
        stage_size(&stage, kernel, 1, bindings, 2, PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_HOST, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_HOST);
    assert_int_equal(stage.device.fetches, 1);
    assert_int_equal(stage.device.runs, 1);
    /* And where the device gives it back. */
    stage.device.give_back = 1;
    size = stage_size(&stage, kernel, 1, bindings, 2, PAIL_LAUNCH_NO_CACHE, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(stage.device.fetches, 2);
    assert_int_equal(stage_stats(&stage).fallbacks, 1);
    assert_true(stage_logged(&stage, "given it back"));
    assert_true(stage_logged(&stage, "source 0: 8 bytes are copied to the host"));
    /* Both wait where the launch says so. */
    for (uint32_t i = 0; i < 2; i++) {
        struct pail_error err = {0};
        struct pail_adstack_result *result;
        const pail_task_launch task = {.struct_size = sizeof(pail_task_launch), .threads = 1};
        const pail_launch launch =
            SIZED(pail_launch,
                  .flags = PAIL_LAUNCH_NO_CACHE | (i ? PAIL_LAUNCH_HOST : PAIL_LAUNCH_DEVICE),
                  .kernel = kernel, .bindings = bindings, .n_bindings = 2, .tasks = &task,
                  .n_tasks = 1, .wait_semaphore = 50 + i, .wait_value = 60 + i);
        assert_int_equal(pail_adstack_evaluate(stage.service, &result, &launch, &err), PAIL_OK);
        pail_ad_result_release(result);
        assert_int_equal(stage.device.wait_semaphore, 50 + i);
        assert_int_equal(stage.device.wait_value, 60 + i);
    }
    stage.device.slots = 2;
    /* All of it there, when it is asked for. */
    size =
        stage_size(&stage, kernel, 1, bindings, 2, PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_DEVICE, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(stage.device.slots, 1 + 1 + 2);
    stage_close(&stage);
}

/* The device is asked for what is worth it, as soon as it is known what that is. */
STAGE_TEST(by_what_it_costs, true)
{
    const uint64_t kernel = stage_register_product(stage);
    static int32_t large[5000];
    const int32_t small[] = {4, 1};
    const int64_t two = 2, many = 5000;
    const pail_binding bindings[] = {bind(0, 1, small, &two), bind(1, 2, large, &many)};
    large[4999] = 3;
    stage->device.worth = 5000;
    pail_stack_size size = stage_size(stage, kernel, 1, bindings, 2, 0, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_DEVICE);
    assert_int_equal(stage->device.slots, 1);
    assert_int_equal(stage_stats(stage).host_cells, 2);
    assert_int_equal(stage_stats(stage).cells, 5000);
}

/* Several that are cheap alone are not cheap together. */
PAIL_TEST(until_the_budget_is_spent)
{
    struct product p;
    product_open(&p, true, 0);
    p.stage.device.worth = 6;
    assert_int_equal(stage_size(&p.stage, p.kernel, 1, p.bindings, 2, 0, 0, 0).capacity, 12);
    assert_int_equal(p.stage.device.slots, 1);
    assert_int_equal(stage_stats(&p.stage).host_cells, 2);
    stage_close(&p.stage);
}

/* A copy to the device counts against it, once for each array. */
STAGE_TEST(copies_cost, true)
{
    struct kernel *kernel = kernel_make("copies", "1");
    (void)kernel_task(kernel, 0);
    nodes_text(kernel_stack(kernel), "(max_over i 0 (shape 0 0) (read 0 i))", NULL);
    nodes_text(kernel_stack(kernel), "(sum_over i 0 (shape 0 0) (read 0 i))", NULL);
    nodes_text(kernel_stack(kernel), "(max_over i 0 (shape 0 0) (add 1 (read 0 i)))", NULL);
    const uint64_t handle = stage_register(stage, kernel);
    static int32_t a[5000]; /* 20000 bytes; the reductions cost 10000, 10000 and 15000 */
    const int64_t n = 5000;
    pail_binding binding = bind(0, 1, a, &n);
    a[4999] = 3;
    stage->device.worth = 5000;
    stage->device.device.worth_of_byte = 1;
    static const uint32_t origins[] = {PAIL_SIZE_HOST, PAIL_SIZE_HOST, PAIL_SIZE_DEVICE};
    for (size_t i = 0; i < 3; i++) {
        const pail_stack_size size =
            stage_size(stage, handle, 1, &binding, 1, PAIL_LAUNCH_NO_CACHE, 0, i);
        assert_int_equal(size.raw, i == 2 ? 4 : 3);
        assert_int_equal(size.origin, origins[i]);
    }
    stage->device.device.worth_of_byte = 1000;
    binding.device_address = (uint64_t)(uintptr_t)a; /* nothing is copied to where it is */
    assert_int_equal(stage_size(stage, handle, 1, &binding, 1, PAIL_LAUNCH_NO_CACHE, 0, 0).origin,
                     PAIL_SIZE_DEVICE);
    kernel_free(kernel);
}

/* Turns of loops count: two cells of a sum over a thousand are no small thing. */
STAGE_TEST(loops_cost_what_they_turn, true)
{
    struct kernel *kernel = kernel_make("loops", "11");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    nodes_text(nodes, "(max_over i 0 (shape 0 0) (sum_over j 0 (shape 1 0) (mul (read 1 j) i)))",
               NULL);
    const uint64_t handle = stage_register(stage, kernel);
    static int32_t b[1000];
    int64_t two = 2, n = 1000;
    b[7] = 11;
    stage->device.worth = 100;
    for (uint64_t i = 0; i < 2; i++) {
        const pail_binding bindings[] = {bind(0, 0, NULL, &two), bind(1, 2, b, &n)};
        const pail_stack_size size = stage_size(stage, handle, 1, bindings, 2, 0, 0, 0);
        assert_int_equal(size.capacity, 11);
        assert_int_equal(size.origin, i ? PAIL_SIZE_HOST : PAIL_SIZE_DEVICE);
        n = 10;
    }
    kernel_free(kernel);
}

PAIL_TEST(without_a_device)
{
    struct product p;
    struct pail_error err = {0};
    product_open(&p, false, 0);
    assert_null(stage_launch(&p.stage, p.kernel, 1, p.bindings, 2, PAIL_LAUNCH_DEVICE, &err));
    assert_int_equal(err.status, PAIL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "0x2"));
    const pail_stack_size size = stage_size(&p.stage, p.kernel, 1, p.bindings, 2, 0, 0, 0);
    assert_int_equal(size.capacity, 12);
    assert_int_equal(size.origin, PAIL_SIZE_HOST);
    p.bindings[1] = bind_device(1, 22, p.b, &p.two);
    assert_null(stage_launch(&p.stage, p.kernel, 1, p.bindings, 2, 0, &err));
    assert_int_equal(err.status, PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "binding 1, source 1"));
    assert_non_null(strstr(err.text, "there is no device here"));
    /* Addresses that nothing here can read; what is known need not be read. */
    p.stage.service->env.no_addresses = NULL;
    assert_int_equal(stage_size(&p.stage, p.kernel, 1, p.bindings, 2, 0, 0, 0).capacity, 12);
    p.bindings[1].identity = 3;
    assert_null(stage_launch(&p.stage, p.kernel, 1, p.bindings, 2, 0, &err));
    assert_int_equal(err.status, PAIL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "source 1"));
    assert_null(stage_launch(&p.stage, p.kernel, 1, p.bindings, 2, PAIL_LAUNCH_HOST, &err));
    assert_int_equal(err.status, PAIL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "source 1"));
    stage_close(&p.stage);
}

STAGE_TEST(a_device_that_fails, true)
{
    struct pail_error err = {0};
    const uint64_t kernel = stage_register_product(stage);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    const pail_binding bindings[] = {bind(0, 1, a, &two), bind_device(1, 2, b, &two)};
    stage->device.fails = PAIL_ERR_DEVICE_LOST;
    assert_null(stage_launch(stage, kernel, 1, bindings, 2, 0, &err));
    assert_int_equal(err.status, PAIL_ERR_DEVICE_LOST);
    assert_null(stage_launch(stage, kernel, 1, bindings, 2, PAIL_LAUNCH_HOST, &err));
    assert_int_equal(err.status, PAIL_ERR_DEVICE_LOST);
    stage->device.fails = PAIL_OK;
    assert_int_equal(stage_size(stage, kernel, 1, bindings, 2, 0, 0, 0).capacity, 12);
}

/* ---- Errors ---------------------------------------------------------------------------------- */
/* A tree that cannot be computed is an error of the launch, and known the next time. */
STAGE_TEST(trees_that_fail, true)
{
    struct pail_error err = {0};
    struct kernel *kernel = kernel_make("fails", "1");
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), 0);
    struct nodes *nodes = kernel_stack(kernel);
    nodes_text(nodes, "(max_over i 0 3 (read 0 i))", NULL);
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t a[] = {2, 3};
    const int64_t two = 2;
    pail_binding binding = bind(0, 1, a, &two);
    for (int i = 0; i < 2; i++) {
        assert_null(stage_launch(stage, handle, 1, &binding, 1, 0, &err));
        assert_int_equal(err.status, PAIL_ERR_DATA);
        assert_non_null(strstr(err.text, "task 0, stack 1"));
        assert_int_equal(stage->device.runs, 1);
    }
    kernel_free(kernel);
}

/* A size that does not fit is refused each time; nothing of it is kept. */
STAGE_TEST(sizes_that_do_not_fit, true)
{
    struct pail_error err = {0};
    struct kernel *kernel = kernel_make("large", "1");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    tree_max_of(nodes, 0);
    const int32_t most = (int32_t)nodes->n - 1;
    (void)nodes_op(nodes, PAIL_NODE_MUL, most, nodes_const(nodes, INT64_MAX / 4));
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t a[] = {2, 3};
    const int64_t two = 2;
    const pail_binding binding = bind(0, 1, a, &two);
    for (int i = 0; i < 3; i++) {
        assert_null(stage_launch(stage, handle, 1, &binding, 1, 0, &err));
        assert_int_equal(err.status, PAIL_ERR_DATA);
        assert_non_null(strstr(err.text, "beyond 64 bits"));
    }
    assert_int_equal(stage_stats(stage).dispatches, 1);
    kernel_free(kernel);
}

STAGE_TEST(sources_of_two_types, false)
{
    struct pail_error err = {0};
    uint64_t handle;
    struct kernel *kernel = kernel_make("types", "1");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    nodes_text(nodes, "(max (read 0 0) (read:u16 0 0))", NULL);
    kernel->stacks[0][0].tree = nodes_tree(nodes);
    assert_int_equal(pail_adstack_register(stage->service, &handle, NULL, &kernel->desc, &err),
                     PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "source 0"));
    assert_non_null(strstr(err.text, "dtype 9"));
    kernel_free(kernel);
}

struct bad_binding {
    const char *words;
    size_t offset, bytes;
    uint64_t value;
};

#define BAD(field, number, text)                                                                   \
    {                                                                                              \
        text, offsetof(pail_binding, field), sizeof(((pail_binding *)0)->field), number            \
    }

STAGE_TEST(bindings_are_checked, true)
{
    static const struct bad_binding bad[] = {
        BAD(struct_size, 8, "binding 0: pail_binding: struct_size is 8"),
        BAD(source, 2, "binding 0: source is 2, but the kernel has 2"),
        BAD(source, 1, "binding 1, source 1: the source has a binding before"),
        BAD(rank, 2, "binding 0, source 0: rank is 2, registered was 1"),
        BAD(flags, 6, "binding 0, source 0: flags is 0x6"),
        BAD(dtype, PAIL_DTYPE_U32, "binding 0, source 0: dtype is 10, but it is read with dtype 5"),
        BAD(identity, 0, "binding 0, source 0: identity is 0"),
        BAD(size_bytes, 7, "binding 0, source 0: size_bytes is 7, but its elements take 8"),
        BAD(host, 0, "binding 0, source 0: host is NULL and device_address is 0"),
        BAD(shape, 0, "binding 0, source 0: shape: NULL"),
        BAD(device_address, 6, "binding 0, source 0: device_address is 0x6, no multiple of the 4"),
        BAD(device_address, UINT64_MAX - 3, "0xfffffffffffffffc and size_bytes 8 are beyond"),
    };
    const uint64_t kernel = stage_register_product(stage);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct pail_error err = {0};
        pail_binding bindings[] = {bind(0, 1, a, &two), bind(1, 2, b, &two)};
        memcpy((char *)&bindings[0] + bad[i].offset, &bad[i].value, bad[i].bytes);
        assert_null(stage_launch(stage, kernel, 1, bindings, 2, 0, &err));
        assert_int_equal(err.status, PAIL_ERR_ARGUMENT);
        if (!strstr(err.text, bad[i].words))
            fail_msg("'%s' is not '%s'", err.text, bad[i].words);
    }
}

STAGE_TEST(shapes_and_strides_are_checked, true)
{
    static const struct {
        int64_t shape[2], stride[2];
        uint64_t size;
        const char *words; /* NULL: it is good */
    } cases[] = {
        {{2, 3}, {12, 4}, 24, NULL},
        {{2, 3}, {12, 4}, 23, "size_bytes is 23, but its elements take 24"},
        {{2, 3}, {4, 8}, 24, NULL},
        {{2, 3}, {0, 4}, 12, NULL},
        {{2, 3}, {100, 4}, 24, "take 112"},
        {{1, 3}, {-100, 4}, 12, NULL}, /* one element: nobody goes there */
        {{2, 3}, {-12, 4}, 24, "stride_bytes of axis 0 is -12"},
        {{2, 3}, {12, 6}, 24, "stride_bytes of axis 1 is 6, no multiple"},
        {{-1, 3}, {12, 4}, 24, "shape of axis 0 is -1"},
        {{0, 3}, {12, 4}, 0, NULL},
        {{INT64_MAX, 3}, {12, 4}, 24, "beyond 64 bits"},
        {{INT64_MAX, INT64_MAX}, {INT64_MAX - 3, 4}, UINT64_MAX, "beyond 64 bits"},
        {{INT64_MAX, 0}, {INT64_MAX - 3, 4}, 0, NULL},
    };
    /* a[0, 0], and the shape. */
    struct kernel *kernel = kernel_make("strides", "2");
    (void)kernel_task(kernel, 0);
    struct nodes *nodes = kernel_stack(kernel);
    nodes_text(nodes, "(select (min (shape 0 0) (shape 0 1)) (read 0 0 0) 5)", NULL);
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t data[6] = {7};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int c_order = 0; c_order < 2; c_order++) {
            struct pail_error err = {0};
            pail_binding binding = bind(0, 1 + i, data, cases[i].shape);
            binding.rank = 2;
            binding.size_bytes = cases[i].size;
            binding.stride_bytes = cases[i].stride;
            if (c_order) {
                binding.stride_bytes = NULL;
                if (i > 1)
                    continue;
            }
            struct pail_adstack_result *result =
                stage_launch(stage, handle, 1, &binding, 1, PAIL_LAUNCH_HOST, &err);
            if ((result == NULL) != (cases[i].words != NULL))
                fail_msg("case %zu: %s", i, err.text);
            if (!result && !strstr(err.text, cases[i].words))
                fail_msg("'%s' is not '%s'", err.text, cases[i].words);
            pail_ad_result_release(result);
        }
    kernel_free(kernel);
}

/* The first binding's size is the distance to the next, also of a later version's. */
STAGE_TEST(bindings_of_a_later_version, true)
{
    struct pail_error err = {0};
    const uint64_t kernel = stage_register_product(stage);
    const int32_t a[] = {2, 3}, b[] = {4, 1};
    const int64_t two = 2;
    struct {
        pail_binding binding;
        uint64_t more[3];
    } longer[2] = {{bind(0, 1, a, &two), {5, 5, 5}}, {bind(1, 2, b, &two), {6, 6, 6}}};
    longer[0].binding.struct_size = longer[1].binding.struct_size = sizeof(longer[0]);
    assert_int_equal(stage_size(stage, kernel, 1, &longer[0].binding, 2, 0, 0, 0).capacity, 12);
    longer[1].binding.struct_size--;
    assert_null(stage_launch(stage, kernel, 1, &longer[0].binding, 2, 0, &err));
    assert_non_null(strstr(err.text, "binding 1: struct_size is 103, of binding 0 104"));
}

STAGE_TEST(only_what_is_needed, true)
{
    struct pail_error err = {0};
    struct kernel *kernel = kernel_make("needs", "131");
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), 2);
    const uint64_t handle = stage_register(stage, kernel);
    const int32_t a[] = {2, 3};
    const int64_t two = 2;
    const pail_binding binding = bind(2, 1, a, &two);
    assert_int_equal(stage_size(stage, handle, 1, &binding, 1, 0, 0, 0).capacity, 3);
    assert_null(stage_launch(stage, handle, 1, NULL, 0, 0, &err));
    assert_non_null(strstr(err.text, "source 2"));
    assert_null(stage_launch(stage, handle, 1, NULL, 1, 0, &err));
    assert_non_null(strstr(err.text, "bindings: NULL"));
    kernel_free(kernel);
}

/* ---- Command buffers ------------------------------------------------------------------------- */
PAIL_TEST(recording)
{
    struct stage stage;
    struct pail_error err = {0};
    stage_open(&stage, true, 0);
    struct kernel *kernel = kernel_make("record", "1");
    (void)kernel_task(kernel, 0);
    tree_max_of(kernel_stack(kernel), 0);
    (void)kernel_task(kernel, 1);
    for (int i = 0; i < 31; i++)
        kernel_static(kernel, 1);
    const uint64_t handle = stage_register(&stage, kernel);
    /* 5 and 65 words; each task's begin at a multiple of 256. */
    pail_record_task places[2];
    uint64_t bytes;
    assert_int_equal(pail_adstack_record_layout(stage.service, places, 2, &bytes, handle, &err),
                     PAIL_OK);
    const uint64_t expected[2][4] = {{5, 0, 24, 48}, {65, 256, 520, 544}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(places[i].n_words, expected[i][0]);
        assert_int_equal(places[i].metadata_offset, expected[i][1]);
        assert_int_equal(places[i].needed_offset, expected[i][2]);
        assert_int_equal(places[i].dispatch_offset, expected[i][3]);
    }
    assert_int_equal(bytes, 556);

    const int32_t a[] = {2, 3};
    const int64_t two = 2;
    pail_binding binding = bind_device(0, 1, a, &two);
    binding.host = a; /* both are there: the device's is read */
    const pail_task_launch tasks[2] = {{.struct_size = sizeof(pail_task_launch), .threads = 10},
                                       {.struct_size = sizeof(pail_task_launch), .threads = 10}};
    const pail_launch good =
        SIZED(pail_launch, .kernel = handle, .bindings = &binding, .n_bindings = 1, .tasks = tasks,
              .n_tasks = 2, .heap_float = 70, .heap_int = 80);
    pail_launch bad[] = {good, good, good, good, good};
    struct pail_adstack_result *result;
    bad[0].flags = PAIL_LAUNCH_EXPLAIN;
    bad[1].wait_semaphore = 5;
    bad[2].n_tasks = 1;
    bad[3].tasks = NULL;
    bad[4].n_bindings = 0;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(pail_adstack_record(stage.service, &result, &bad[i], &bad, 4096, &err),
                         PAIL_ERR_ARGUMENT);
        assert_null(result);
    }
    assert_int_equal(pail_adstack_record(stage.service, &result, &good, &bad, 4100, &err),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "0x1004"));
    assert_int_equal(stage.device.recorded, 0);
    assert_int_equal(pail_adstack_record(stage.service, &result, &good, &bad, 4096, &err), PAIL_OK);
    assert_int_equal(stage.device.heap[0], 70);
    assert_int_equal(stage.device.heap[1], 80);
    assert_int_equal(stage.device.needed, 4096 + 520);
    pail_task_size size = {.struct_size = sizeof(size)};
    assert_int_equal(pail_adstack_task_size(result, &size, 0, &err), PAIL_NOT_READY);
    /* The kernel stays as long as the command buffer may run. */
    assert_int_equal(pail_adstack_unregister(stage.service, handle, &err), PAIL_OK);
    assert_int_equal(stage.device.unrecorded, 0);
    pail_ad_result_release(result);
    assert_int_equal(stage.device.unrecorded, 1);
    assert_int_equal(stage_stats(&stage).evaluations, 7);
    kernel_free(kernel);
    stage_close(&stage);

    stage_open(&stage, false, 0);
    assert_int_equal(pail_adstack_record(stage.service, &result, &good, &bad, 4096, &err),
                     PAIL_ERR_ARGUMENT); /* no such kernel */
    stage_close(&stage);
}

/* ---- Text ------------------------------------------------------------------------------------ */
PAIL_TEST(explanations)
{
    struct product p;
    struct pail_error err = {0};
    product_open(&p, true, 0);
    char text[4096];
    for (int i = 0; i < 3; i++) {
        static const char *const words[3][3] = {
            {"\"product\"", "reduced on the device", "12 entries (device)"},
            {"as a whole", "as a whole", "as a whole"},
            {"its generation is 5, and was 0", "0 tasks of 1, 0 trees, 1 reductions",
             "the fake device: 1 slots"}};
        if (i == 2)
            p.bindings[1].generation = 5;
        struct pail_adstack_result *result =
            stage_launch(&p.stage, p.kernel, 1, p.bindings, 2, PAIL_LAUNCH_EXPLAIN, &err);
        assert_non_null(result);
        size_t size = 0, cut = 10;
        assert_int_equal(pail_adstack_explain(result, NULL, &size, &err), PAIL_OK);
        assert_in_range(size, 50, sizeof(text));
        assert_int_equal(pail_adstack_explain(result, text, &cut, &err), PAIL_OK);
        assert_int_equal(cut, size);
        assert_int_equal(strlen(text), 9);
        assert_int_equal(pail_adstack_explain(result, text, &size, &err), PAIL_OK);
        for (int k = 0; k < 3; k++)
            if (!strstr(text, words[i][k]))
                fail_msg("'%s' does not speak of '%s'", text, words[i][k]);
        pail_ad_result_release(result);
    }
    stage_close(&p.stage);
}

PAIL_TEST(traces)
{
    struct product p;
    product_open(&p, true, PAIL_DEBUG_TRACE);
    assert_true(stage_logged(&p.stage, "adstack: kernel 1 \"product\": registered"));
    (void)stage_size(&p.stage, p.kernel, 1, p.bindings, 2, 0, 0, 0);
    assert_true(stage_logged(&p.stage, "source 1 is new here: identity 22"));
    assert_true(stage_logged(&p.stage, "found in the cache: 0 tasks of 1, 0 trees, 0 reductions"));
    assert_true(stage_logged(&p.stage, "reduced on the device"));
    assert_false(stage_logged(&p.stage, "as a whole"));
    (void)stage_size(&p.stage, p.kernel, 1, p.bindings, 2, 0, 0, 0);
    assert_true(stage_logged(&p.stage, "as a whole"));
    pail_ad_identities_bump(&p.stage.service->identities, 22);
    (void)stage_size(&p.stage, p.kernel, 1, p.bindings, 2, 0, 0, 0);
    assert_true(stage_logged(&p.stage, "source 1 is new here: its epoch is 3, and was 2"));
    stage_close(&p.stage);
}
