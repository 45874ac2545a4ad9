/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays at device addresses that the host reads itself, where a device is a program in this
 * process: what the device's own kernels say of them, and in the order of the queue. */
#include <pthread.h>
#include <time.h>

#include <nodes.h>

#include "support/host_device.h"
#include "support/test.h"

enum { BYTES = 1 << 16, ROWS = 23, COLUMNS = 37, STACKS = 5 };

struct setting {
    struct host_device host;
    struct test_plugin plugin;
    const pail_backend *api;
    struct shared a;
    bool points;
};

static int set_up(void **state)
{
    static struct setting setting;
    struct setting *s = &setting;
    *state = s;
    if (host_device_open(&s->host, &s->plugin, true) != 0)
        return -1;
    s->api = s->plugin.api;
    if (s->host.addresses) {
        shared_make(&s->host, &s->a, BYTES);
        s->points = host_device_points(&s->host, &s->a) && !getenv("PAIL_LIMITS");
    }
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;
    s->api->context_destroy(&s->plugin.context);
    if (s->host.addresses)
        shared_free(&s->host, &s->a);
    host_device_free(&s->host);
    return test_plugin_close(&s->plugin);
}

static struct setting *setting_of(void **state)
{
    struct setting *s = *state;
    if (!s->host.addresses)
        SKIP_BECAUSE("the device has no buffer device addresses");
    s->api->adstack_invalidate(s->plugin.context, 0);
    s->api->adstack_reset_stats(s->plugin.context);
    return s;
}

/* A kernel of one task with a stack for each tree, over one array. */
static pail_adstack_kernel register_trees(struct setting *s, struct nodes trees[], size_t n,
                                          uint8_t rank)
{
    pail_stack_desc stacks[STACKS];
    pail_adstack_kernel kernel;
    uint32_t id;
    assert_true(n <= STACKS);
    for (size_t i = 0; i < n; i++)
        stacks[i] = (pail_stack_desc){.struct_size = sizeof(stacks[i]),
                                      .element_bytes = 1,
                                      .copies = 1,
                                      .tree = nodes_tree(&trees[i])};
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = stacks, .n_stacks = n};
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "pointers", .name_bytes = 8, .tasks = &task, .n_tasks = 1,
              .source_rank = &rank, .n_sources = 1);
    if (s->api->adstack_register(s->plugin.context, &kernel, &id, &desc) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    for (size_t i = 0; i < n; i++)
        nodes_free(&trees[i]);
    return kernel;
}

static pail_status launch(struct setting *s, pail_adstack_result **result,
                          pail_adstack_kernel kernel, const pail_binding *binding, uint32_t flags)
{
    const pail_task_launch task = SIZED(pail_task_launch, .threads = 1);
    const pail_launch launch =
        SIZED(pail_launch, .flags = flags, .kernel = kernel, .bindings = binding, .n_bindings = 1,
              .tasks = &task, .n_tasks = 1);
    return s->api->adstack_evaluate(s->plugin.context, result, &launch);
}

static pail_stack_size size_of(struct setting *s, const pail_adstack_result *result, size_t stack)
{
    pail_stack_size size = {.struct_size = sizeof(size)};
    assert_int_equal(s->api->adstack_stack_size(result, &size, 0, stack), PAIL_OK);
    return size;
}

static pail_adstack_stats stats_of(struct setting *s)
{
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    s->api->adstack_stats(s->plugin.context, &stats);
    return stats;
}

/* ---- The same as kernels ----------------------------------------------------------------------
 */
/* Over rows i and columns j of an array: the largest; the sum; the largest of a row's first element
 * modulo 7 and j, multiplied; the element that a first one leads to; the longest of rows that are
 * as long as a first element says. */
static void trees_over(struct nodes t[STACKS], pail_dtype dtype)
{
    const int64_t at[] = {VARIABLE_INDEX(0), VARIABLE_INDEX(1)}, first[] = {VARIABLE_INDEX(0), 0};
    for (int k = 0; k < STACKS; k++) {
        struct nodes *n = &t[k];
        *n = (struct nodes){0};
        const pail_node_kind kind =
            k == 1 || k == 4 ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE;
        const int32_t zero = nodes_const(n, 0), rows = nodes_shape(n, 0, 0);
        const int32_t columns = nodes_shape(n, 0, 1), seven = nodes_const(n, 7);
        int32_t end = columns, body;
        if (k < 2) {
            body = nodes_read(n, PAIL_NODE_ARRAY_READ, 0, dtype, 2, at);
        } else {
            const int32_t read = nodes_read(n, PAIL_NODE_ARRAY_READ, 0, dtype, 2, first);
            const int32_t less = nodes_op(n, PAIL_NODE_MOD, read, seven);
            const int64_t led[] = {nodes_variable(n, 0), less};
            body = k == 2   ? nodes_op(n, PAIL_NODE_MUL, less, nodes_variable(n, 1))
                   : k == 3 ? nodes_read(n, PAIL_NODE_READ_AT, 0, dtype, 2, led)
                            : nodes_const(n, 1);
            end = k == 4 ? less : columns;
        }
        NODES(n, "(max_over i @ @ (% j @ @ @))", zero, rows, kind, zero, end, body);
    }
}

PAIL_TEST(the_same_as_kernels)
{
    static const pail_dtype dtypes[] = {PAIL_DTYPE_I8,  PAIL_DTYPE_I16, PAIL_DTYPE_I32,
                                        PAIL_DTYPE_I64, PAIL_DTYPE_U8,  PAIL_DTYPE_U16,
                                        PAIL_DTYPE_U32, PAIL_DTYPE_U64};
    static const uint32_t ways[] = {0, PAIL_LAUNCH_HOST, PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_INTERPRET,
                                    PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_SPECIALISE};
    struct setting *s = setting_of(state);
    const int64_t shape[] = {ROWS, COLUMNS};
    uint32_t random = 1;
    for (uint32_t d = 0; d < 8; d++) {
        const int64_t size = INT64_C(1) << (dtypes[d] - PAIL_DTYPE_I8) % 5;
        struct nodes trees[STACKS];
        trees_over(trees, dtypes[d]);
        const pail_adstack_kernel kernel = register_trees(s, trees, STACKS, 2);
        for (size_t i = 0; i < BYTES; i++)
            s->a.mapped[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
        if (size == 8) /* so that sums fit */
            for (size_t i = 7; i < BYTES; i += 8)
                s->a.mapped[i] = 0;
        /* Contiguous, columns first, and with gaps; not at the beginning. */
        const int64_t strides[][2] = {
            {COLUMNS * size, size}, {size, ROWS * size}, {160 * size, 4 * size}};
        for (uint32_t k = 0; k < 3; k++) {
            const uint64_t offset = (uint64_t)size * (k + 1);
            const pail_binding binding =
                SIZED(pail_binding, .identity = 1, .device_address = s->a.address + offset,
                      .size_bytes = BYTES - offset, .dtype = (uint32_t)dtypes[d], .rank = 2,
                      .shape = shape, .stride_bytes = strides[k]);
            int64_t want[STACKS] = {0};
            /* Kernels take long to compile: of one type. */
            for (uint32_t w = 0; w < (dtypes[d] == PAIL_DTYPE_I32 ? 4 : 3); w++) {
                pail_adstack_result *result;
                if (launch(s, &result, kernel, &binding, ways[w] | PAIL_LAUNCH_NO_CACHE) != PAIL_OK)
                    fail_msg("%s", s->api->error(s->plugin.context));
                const bool here =
                    ways[w] & PAIL_LAUNCH_HOST || (s->points && !(ways[w] & PAIL_LAUNCH_DEVICE));
                for (size_t i = 0; i < STACKS; i++) {
                    const pail_stack_size got = size_of(s, result, i);
                    assert_int_equal(got.origin, here ? PAIL_SIZE_HOST : PAIL_SIZE_DEVICE);
                    if (w == 0)
                        want[i] = got.raw;
                    assert_int_equal(got.raw, want[i]);
                }
                s->api->adstack_release(result);
            }
            assert_true(want[0] > 0 && want[1] > want[0] && want[2] > 0);
        }
        assert_int_equal(s->api->adstack_unregister(s->plugin.context, kernel), PAIL_OK);
    }
}

/* ---- What is said -----------------------------------------------------------------------------
 */
static pail_adstack_kernel register_largest(struct setting *s, int64_t end_or_0)
{
    struct nodes t = {0};
    const int64_t index[] = {VARIABLE_INDEX(0)};
    const int32_t zero = nodes_const(&t, 0);
    const int32_t end = end_or_0 ? nodes_const(&t, end_or_0) : nodes_shape(&t, 0, 0);
    const int32_t body = nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, index);
    (void)nodes_range(&t, PAIL_NODE_MAX_OVER_RANGE, 0, zero, end, body);
    return register_trees(s, &t, 1, 1);
}

static pail_binding all_of(const struct setting *s, const int64_t *n, uint64_t generation)
{
    return (pail_binding)SIZED(pail_binding, .identity = 2, .generation = generation,
                               .device_address = s->a.address, .size_bytes = BYTES,
                               .dtype = PAIL_DTYPE_I32, .rank = 1, .shape = n);
}

PAIL_TEST(the_plan_and_the_counters)
{
    struct setting *s = setting_of(state);
    const int64_t n = BYTES / 4;
    const pail_binding binding = all_of(s, &n, 1);
    pail_adstack_result *result;
    char text[4096];
    const pail_adstack_kernel kernel = register_largest(s, 0);
    memset(s->a.mapped, 0, BYTES);
    ((int32_t *)(void *)s->a.mapped)[n - 1] = 41;
    for (uint32_t i = 0; i < 3; i++) { /* the second time it is found */
        const uint32_t flags =
            PAIL_LAUNCH_EXPLAIN | (i == 2 ? PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_NO_CACHE : 0);
        size_t size = sizeof(text);
        s->api->adstack_reset_stats(s->plugin.context);
        assert_int_equal(launch(s, &result, kernel, &binding, flags), PAIL_OK);
        assert_int_equal(size_of(s, result, 0).raw, 41);
        assert_int_equal(s->api->adstack_explain(result, text, &size), PAIL_OK);
        s->api->adstack_release(result);
        const bool here = s->points && i < 2;
        const pail_adstack_stats stats = stats_of(s);
        assert_int_equal(stats.submissions, i != 1);
        assert_int_equal(stats.waits, i != 1);
        assert_int_equal(stats.dispatches, i != 1 && !here);
        assert_int_equal(stats.host_cells, i != 1 && here ? n : 0);
        if (i == 1)
            continue;
        assert_int_equal(
            strstr(text, "source 0: the host can read it at its device address") != NULL, here);
        assert_non_null(strstr(text, here ? "reduced on the host" : "reduced on the device"));
    }
    assert_int_equal(s->api->adstack_unregister(s->plugin.context, kernel), PAIL_OK);
}

/* An index outside is not read, and the sentence is the one that the kernels' error gets. */
PAIL_TEST(indices_outside)
{
    struct setting *s = setting_of(state);
    const int64_t n = BYTES / 4;
    const pail_binding binding = all_of(s, &n, 1);
    const uint32_t flags[] = {0, PAIL_LAUNCH_DEVICE, PAIL_LAUNCH_HOST};
    char sentence[512] = "";
    const pail_adstack_kernel kernel = register_largest(s, INT64_C(1) << 40);
    for (uint32_t i = 0; i < 3; i++) {
        pail_adstack_result *result;
        assert_int_equal(launch(s, &result, kernel, &binding, flags[i]), PAIL_ERR_DATA);
        assert_null(result);
        const char *said = s->api->error(s->plugin.context);
        assert_non_null(strstr(said, "stack 0"));
        if (i == 0)
            (void)snprintf(sentence, sizeof(sentence), "%s", said);
        assert_string_equal(said, sentence);
    }
    assert_int_equal(s->api->adstack_unregister(s->plugin.context, kernel), PAIL_OK);
}

/* ---- The order of the queue --------------------------------------------------------------------
 */
struct signaller {
    VkDevice device;
    VkSemaphore semaphore;
};

static void *signal_late(void *argument)
{
    const struct signaller *w = argument;
    const struct timespec moment = {.tv_nsec = 50000000};
    (void)nanosleep(&moment, NULL);
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = w->semaphore, .value = 1};
    assert_int_equal(vkSignalSemaphore(w->device, &signal), VK_SUCCESS);
    return NULL;
}

/* Writes that were submitted to the queue before the launch, and have not even begun, are seen. */
PAIL_TEST(writes_before)
{
    struct setting *s = setting_of(state);
    const int64_t n = BYTES / 4;
    const VkSemaphore semaphore = host_device_timeline(&s->host);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = s->host.family};
    const pail_adstack_kernel kernel = register_largest(s, 0);
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkQueue queue;
    vkGetDeviceQueue(s->host.device, s->host.family, 0, &queue);
    assert_int_equal(vkCreateCommandPool(s->host.device, &pool_info, NULL, &pool), VK_SUCCESS);
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    assert_int_equal(vkAllocateCommandBuffers(s->host.device, &allocate, &commands), VK_SUCCESS);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
    vkCmdFillBuffer(commands, s->a.buffer, BYTES - 4, 4, 99);
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    memset(s->a.mapped, 0, BYTES);

    const uint64_t one = 1;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &one,
    };
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .pNext = &values,
                                 .waitSemaphoreCount = 1,
                                 .pWaitSemaphores = &semaphore,
                                 .pWaitDstStageMask = &stage,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands};
    struct signaller signaller = {s->host.device, semaphore};
    pthread_t thread;
    assert_int_equal(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, signal_late, &signaller), 0);
    const pail_binding binding = all_of(s, &n, 2);
    pail_adstack_result *result;
    assert_int_equal(launch(s, &result, kernel, &binding, 0), PAIL_OK);
    assert_int_equal(size_of(s, result, 0).raw, 99);
    s->api->adstack_release(result);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(vkQueueWaitIdle(queue), VK_SUCCESS);
    vkDestroyCommandPool(s->host.device, pool, NULL);
    vkDestroySemaphore(s->host.device, semaphore, NULL);
    assert_int_equal(s->api->adstack_unregister(s->plugin.context, kernel), PAIL_OK);
}

PAIL_TEST_GROUP(set_up, tear_down)
