/* Faults that reductions on the device must not have quietly: they read what is not there, count
 * turns of loops that are none, or none where there are some. */
#include "gpu_support.h"

#include <stdlib.h>
#include <string.h>

static int setup_specialised_pairs(void **state)
{
    const int failed = ad_setup_pairs(state);
    if (!failed)
        ((struct ad_fixture *)*state)->flags = PAIL_LAUNCH_SPECIALISE;
    return failed;
}

static uint32_t limit_of(const struct ad_fixture *f)
{
    return pail_vk_device_caps(f->dev)->max_loop_iterations;
}

/* A source without contents gives its reductions back: by rows, where an element does not change
 * along the last axis, and by cells. */
static void test_absent(void **state)
{
    static const int32_t contents[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const int64_t shape = 12;
    for (int32_t i = 0; i < 2; i++) {
        const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, contents, sizeof(contents));
        const int64_t index = VARIABLE_INDEX(i);
        struct nodes t = {0};
        struct ad_launch l;
        const int32_t zero = nodes_const(&t, 0), end = nodes_const(&t, 12);
        const int32_t read = nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &index);
        const int32_t sum = nodes_op(&t, PAIL_NODE_ADD, read, nodes_variable(&t, 1 - i));
        const int32_t inner = nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 1, zero, end, sum);
        nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, zero, end, inner);
        ad_launch_make(&l, &t, 1, &b, 1);
        l.arrays[0].host = NULL;
        ad_run(*state, &l.work);
        assert_int_equal(l.work.n_given_back, 1);
        assert_int_equal(l.values.known[l.roots[0]], 0);
        ad_launch_free(&l);
    }
}

/* 2 * sum of (x + y, modulo 7 if asked for) over y below `turns`, the largest over 5 of x: a loop
 * that lanes do not share. begin_varies: the loop begins at x. */
static void make_loops(struct ad_launch *l, int64_t turns, bool modulo, bool begin_varies)
{
    struct nodes t = {0};
    const int32_t zero = nodes_const(&t, 0), cells = nodes_const(&t, 5);
    const int32_t end = nodes_const(&t, turns), two = nodes_const(&t, 2);
    const int32_t x = nodes_variable(&t, 0);
    int32_t body = nodes_op(&t, PAIL_NODE_ADD, x, nodes_variable(&t, 1));
    if (modulo)
        body = nodes_op(&t, PAIL_NODE_MOD, body, nodes_const(&t, 7));
    const int32_t loop =
        nodes_range(&t, PAIL_NODE_SUM_OVER_RANGE, 1, begin_varies ? x : zero, end, body);
    nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, zero, cells,
                nodes_op(&t, PAIL_NODE_MUL, loop, two));
    ad_launch_make(l, &t, 1, NULL, 0);
}

static void check_divisions(struct ad_fixture *f, uint32_t turns, bool begin_varies)
{
    struct ad_launch l;
    make_loops(&l, turns, true, begin_varies);
    ad_run(f, &l.work);
    const bool pairs = !pail_vk_device_caps(f->dev)->int64;
    assert_int_equal(l.work.n_given_back, limit_of(f) && pairs);
    if (l.work.n_given_back == 0)
        assert_int_equal(ad_value(&l, 0), ad_host_value(&l, 0).v);
    ad_launch_free(&l);
}

/* Divisions are loops where 64-bit integers are pairs of words, and only there. Many of them are
 * right, or given back where the driver ends loops before. */
static void test_divisions(void **state)
{
    check_divisions(*state, 600, true);
    check_divisions(*state, 3000, false);
}

/* A turn without a loop in it is one turn for a kernel of its own. The interpreter turns several of
 * its own loops for each: right, or given back. */
static void test_turns(void **state)
{
    static const int64_t turns[] = {5000, 10900, 11000, 14000, 16300, 16400, 20000, 31000};
    struct ad_fixture *f = *state;
    for (uint32_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
        struct ad_launch l;
        make_loops(&l, turns[i], false, false);
        ad_run(f, &l.work);
        if (i == 0 || f->flags & PAIL_LAUNCH_SPECIALISE || limit_of(f) == 0)
            assert_int_equal(l.work.n_given_back, 0);
        if (l.work.n_given_back == 0)
            assert_int_equal(ad_value(&l, 0), ad_host_value(&l, 0).v);
        ad_launch_free(&l);
    }
}

/* A record of more tasks than a dispatch has workgroups on many devices. It has nothing that a
 * kernel of its own could be made for. */
static void test_many_tasks(void **state)
{
    enum { N = 65536 };
    struct ad_fixture *f = *state;
    static const struct pail_alloc plain;
    pail_task_desc *tasks = calloc(N, sizeof(*tasks));
    pail_task_launch *launches = calloc(N, sizeof(*launches));
    pail_record_task *places = calloc(N, sizeof(*places));
    const pail_stack_desc stack = {
        .struct_size = sizeof(stack), .element_bytes = 4, .copies = 1, .static_capacity = 3};
    struct pail_ad_program *program;
    struct pail_ad_values values = {0};
    struct pail_ad_recorded *recorded;
    struct ad_memory memory;
    assert_true(tasks && launches && places);
    for (uint32_t i = 0; i < N; i++) {
        tasks[i] =
            (pail_task_desc){.struct_size = sizeof(tasks[i]), .stacks = &stack, .n_stacks = 1};
        launches[i] = (pail_task_launch){.struct_size = sizeof(pail_task_launch), .threads = 1};
        places[i] = (pail_record_task){.needed_offset = UINT64_C(64) * i,
                                       .dispatch_offset = UINT64_C(64) * i + 24,
                                       .metadata_offset = UINT64_C(64) * i + 40};
    }
    const pail_kernel_desc desc = {
        .struct_size = sizeof(desc), .name = "test", .name_bytes = 4, .tasks = tasks, .n_tasks = N};
    ASSERT_OK(pail_ad_program_build(&program, &desc, &plain, ERR));
    ad_memory_make(f, &memory, UINT64_C(64) * N);
    const VkCommandPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = f->dev->queues[0].family,
    };
    VkCommandPool pool;
    VkCommandBuffer buffer;
    assert_int_equal(f->dev->vk.vkCreateCommandPool(f->dev->handle, &pool_info, NULL, &pool), 0);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    assert_int_equal(f->dev->vk.vkAllocateCommandBuffers(f->dev->handle, &info, &buffer), 0);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(f->dev->vk.vkBeginCommandBuffer(buffer, &begin), 0);
    struct pail_ad_record record = {.program = program,
                                    .values = &values,
                                    .tasks = tasks,
                                    .launches = launches,
                                    .places = places,
                                    .metadata_address = memory.buffer.address,
                                    .heap = {1 << 20, 1 << 20},
                                    .workgroup_threads = 64,
                                    .serial = ad_serial(),
                                    .command_buffer = buffer};
    ASSERT_OK(f->device->record(f->device->user, &recorded, &record, ERR));
    assert_int_equal(f->dev->vk.vkEndCommandBuffer(buffer), 0);
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &buffer};
    VkQueue queue = f->dev->queues[0].handle;
    assert_int_equal(f->dev->vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), 0);
    assert_int_equal(f->dev->vk.vkQueueWaitIdle(queue), 0);
    const uint32_t *words = memory.buffer.mapped;
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(words[16 * i], 12);     /* bytes that are needed */
        assert_int_equal(words[16 * i + 4], 0);  /* PAIL_RECORD_OK */
        assert_int_equal(words[16 * i + 6], 1);  /* a workgroup */
        assert_int_equal(words[16 * i + 13], 3); /* capacity */
    }
    f->device->unrecord(f->device->user, recorded);
    f->dev->vk.vkDestroyCommandPool(f->dev->handle, pool, NULL);
    ad_memory_free(f, &memory);
    pail_ad_program_free(program, &plain);
    free(tasks);
    free(launches);
    free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_absent),
    };
    const struct CMUnitTest records[] = {cmocka_unit_test(test_many_tasks)};
    return AD_RUN_ALL_GROUPS(tests) + AD_RUN_GROUPS(records) +
           cmocka_run_group_tests_name("specialised pairs", tests, setup_specialised_pairs,
                                       ad_teardown);
}
