/* SPDX-License-Identifier: Apache-2.0 */
/* Adstack sizing for a host with a device of its own, through the boundary: arrays at device
 * addresses, sizes from inside of its command buffers, and the reports of its kernels. Where device
 * addresses are pointers, all of it again with the device reading all arrays. */
#include <pthread.h>
#include <time.h>

#include <nodes.h>

#include "host_kernel.h"

#include "storm_address.h"
#include "support/test.h"

enum { ELEMENTS = 5000, THREADS = 1000, GROUP = 64, STORM = 8192, METADATA = 1024 };

struct setting {
    struct host_device host;
    struct test_plugin plugin;
    const pail_backend *api;
    struct nodes trees[2];
    pail_adstack_kernel kernel;
    uint32_t id;
    struct shared a, b, metadata;
    bool points; /* the host reads arrays at their device addresses */
    int64_t n;
    pail_binding bindings[2];
    pail_task_launch task;
    pail_launch launch;
};

/* The largest element of a source, times a number. */
static void tree_of(struct nodes *nodes, int32_t source, int64_t factor)
{
    NODES(nodes, "(mul (max_over i 0 (shape % 0) (read % i)) %)", source, source, factor);
}

static int32_t *elements(const struct shared *shared)
{
    return (int32_t *)(void *)shared->mapped;
}

/* Stack 0: 2 * max(a), of the float heap; stack 1: max(b), of the other. */
static void register_kernel(struct setting *s)
{
    tree_of(&s->trees[0], 0, 2);
    tree_of(&s->trees[1], 1, 1);
    const pail_stack_desc stacks[2] = {
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_FLOAT, .element_bytes = 4, .copies = 2,
              .tree = nodes_tree(&s->trees[0])),
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_INT, .element_bytes = 4, .copies = 1,
              .tree = nodes_tree(&s->trees[1]))};
    const pail_task_desc task = SIZED(pail_task_desc, .task_index = 3, .stacks = stacks,
                                      .n_stacks = 2, .flags = PAIL_TASK_ELEMENT_UNITS);
    const uint8_t ranks[2] = {1, 1};
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "compute_grad", .name_bytes = 12, .tasks = &task,
              .n_tasks = 1, .source_rank = ranks, .n_sources = 2);
    assert_int_equal(s->api->adstack_register(s->plugin.context, &s->kernel, &s->id, &desc),
                     PAIL_OK);
    nodes_free(&s->trees[0]);
    nodes_free(&s->trees[1]);
}

static int set_up_with(void **state, bool points)
{
    static struct setting setting;
    struct setting *s = &setting;
    memset(s, 0, sizeof(*s));
    *state = s;
    if (host_device_open(&s->host, &s->plugin, points) != 0)
        return -1;
    s->api = s->plugin.api;
    if (!s->host.addresses)
        return 0;
    shared_make(&s->host, &s->a, ELEMENTS * 4);
    shared_make(&s->host, &s->b, ELEMENTS * 4);
    shared_make(&s->host, &s->metadata, METADATA);
    s->points = points && host_device_points(&s->host, &s->a);
    memset(s->a.mapped, 0, ELEMENTS * 4);
    memset(s->b.mapped, 0, ELEMENTS * 4);
    elements(&s->a)[ELEMENTS - 1] = 5;
    elements(&s->b)[17] = 9;
    register_kernel(s);
    s->n = ELEMENTS;
    for (uint32_t i = 0; i < 2; i++)
        s->bindings[i] = (pail_binding){.struct_size = sizeof(s->bindings[i]),
                                        .source = i,
                                        .identity = 100 + i,
                                        .device_address = i ? s->b.address : s->a.address,
                                        .size_bytes = ELEMENTS * 4,
                                        .dtype = PAIL_DTYPE_I32,
                                        .rank = 1,
                                        .shape = &s->n};
    s->task = (pail_task_launch){.struct_size = sizeof(pail_task_launch), .threads = THREADS};
    s->launch = (pail_launch){.struct_size = sizeof(s->launch),
                              .kernel = s->kernel,
                              .bindings = s->bindings,
                              .n_bindings = 2,
                              .tasks = &s->task,
                              .n_tasks = 1};
    return 0;
}

static int set_up(void **state)
{
    return set_up_with(state, true);
}

static int set_up_device(void **state)
{
    return set_up_with(state, false);
}

static int tear_down(void **state)
{
    struct setting *s = *state;
    s->api->context_destroy(&s->plugin.context);
    if (s->host.addresses) {
        shared_free(&s->host, &s->a);
        shared_free(&s->host, &s->b);
        shared_free(&s->host, &s->metadata);
    }
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

static pail_adstack_result *evaluate(struct setting *s)
{
    pail_adstack_result *result;
    if (s->api->adstack_evaluate(s->plugin.context, &result, &s->launch) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    return result;
}

static pail_stack_size size_of(struct setting *s, size_t stack)
{
    pail_stack_size size = {.struct_size = sizeof(size)};
    pail_adstack_result *result = evaluate(s);
    assert_int_equal(s->api->adstack_stack_size(result, &size, 0, stack), PAIL_OK);
    s->api->adstack_release(result);
    return size;
}

PAIL_TEST(arrays_at_addresses)
{
    struct setting *s = setting_of(state);
    const uint32_t flags[] = {0, PAIL_LAUNCH_DEVICE, PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_INTERPRET,
                              PAIL_LAUNCH_HOST};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        s->launch.flags = flags[i] | PAIL_LAUNCH_NO_CACHE;
        const pail_stack_size a = size_of(s, 0), b = size_of(s, 1);
        assert_int_equal(a.capacity, 10);
        assert_int_equal(b.capacity, 9);
        const bool here =
            flags[i] & PAIL_LAUNCH_HOST || (s->points && !(flags[i] & PAIL_LAUNCH_DEVICE));
        assert_int_equal(a.origin, here ? PAIL_SIZE_HOST : PAIL_SIZE_DEVICE);
    }
    /* One submission and one wait; then nothing at all. */
    s->launch.flags = 0;
    s->api->adstack_reset_stats(s->plugin.context);
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(size_of(s, 0).capacity, 10);
        s->api->adstack_stats(s->plugin.context, &stats);
        assert_int_equal(stats.submissions, 1);
        assert_int_equal(stats.waits, 1);
        assert_int_equal(stats.dispatches, s->points ? 0 : 2);
        assert_int_equal(stats.host_cells, s->points ? 2 * ELEMENTS : 0);
        assert_int_equal(stats.launch_hits, i);
    }
}

/* Writes an array when the device is about to wait for it. */
struct writer {
    struct setting *setting;
    VkSemaphore semaphore;
    int32_t value;
};

static void *write_late(void *argument)
{
    const struct writer *w = argument;
    const struct timespec moment = {.tv_nsec = 50000000};
    (void)nanosleep(&moment, NULL);
    elements(&w->setting->a)[0] = w->value;
    const VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                          .semaphore = w->semaphore,
                                          .value = (uint64_t)w->value};
    assert_int_equal(vkSignalSemaphore(w->setting->host.device, &signal), VK_SUCCESS);
    return NULL;
}

/* On any way what is written before the semaphore has its value is read. */
PAIL_TEST(writes_that_are_waited_for)
{
    struct setting *s = setting_of(state);
    if (!s->host.timelines) {
        pail_adstack_result *result;
        s->launch.wait_semaphore = 77;
        assert_int_equal(s->api->adstack_evaluate(s->plugin.context, &result, &s->launch),
                         PAIL_ERR_UNSUPPORTED);
        assert_string_equal(s->api->error(s->plugin.context),
                            "pail_launch: wait_semaphore is 0x4d, but the device was made without "
                            "timelineSemaphore: wait in the host before the call");
        s->launch.wait_semaphore = 0;
        return;
    }
    const VkSemaphore semaphore = host_device_timeline(&s->host);
    const uint32_t flags[] = {PAIL_LAUNCH_DEVICE, PAIL_LAUNCH_HOST, 0};
    s->launch.wait_semaphore = (uint64_t)(uintptr_t)semaphore;
    for (int32_t i = 0; i < 3; i++) {
        struct writer writer = {s, semaphore, 20 + i};
        pthread_t thread;
        s->launch.wait_value = (uint64_t)writer.value;
        s->launch.flags = flags[i];
        s->api->adstack_bump(s->plugin.context, 100);
        assert_int_equal(pthread_create(&thread, NULL, write_late, &writer), 0);
        assert_int_equal(size_of(s, 0).capacity, 2 * (uint64_t)writer.value);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    s->launch.wait_semaphore = s->launch.wait_value = s->launch.flags = 0;
    vkDestroySemaphore(s->host.device, semaphore, NULL);
    elements(&s->a)[0] = 0;
    s->api->adstack_bump(s->plugin.context, 100);
}

/* A prepared launch over arrays at addresses: each write counts, told in whatever way. */
PAIL_TEST(prepared_launches)
{
    struct setting *s = setting_of(state);
    const VkSemaphore semaphore = host_device_timeline(&s->host);
    const uint32_t flags[] = {PAIL_LAUNCH_DEVICE, PAIL_LAUNCH_HOST, 0};
    pail_adstack_prepared *prepared;
    if (s->api->adstack_prepare(s->plugin.context, &prepared, &s->launch) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    for (int32_t i = 0; i < 3; i++) {
        struct writer writer = {s, semaphore, 40 + i};
        const pail_generation generation =
            SIZED(pail_generation, .source = 0, .generation = 1000 + (uint64_t)i);
        pail_launch_change change = SIZED(
            pail_launch_change, .set = PAIL_CHANGE_WAIT | PAIL_CHANGE_FLAGS,
            .wait_semaphore = (uint64_t)(uintptr_t)semaphore, .wait_value = (uint64_t)writer.value,
            .flags = flags[i], .generations = &generation, .n_generations = 1);
        for (int again = 0; again < 3; again++) {
            pail_adstack_result *result;
            pail_stack_size size = {.struct_size = sizeof(size)};
            pthread_t thread;
            if (again == 0)
                assert_int_equal(pthread_create(&thread, NULL, write_late, &writer), 0);
            if (s->api->adstack_evaluate_prepared(prepared, &result, again ? NULL : &change) !=
                PAIL_OK)
                fail_msg("%s", s->api->error(s->plugin.context));
            if (again == 0)
                assert_int_equal(pthread_join(thread, NULL), 0);
            assert_int_equal(s->api->adstack_stack_size(result, &size, 0, 0), PAIL_OK);
            assert_int_equal(size.capacity, 2 * (uint64_t)writer.value);
            assert_int_equal(size.origin == PAIL_SIZE_CACHED, again > 0);
            s->api->adstack_release(result);
        }
    }
    s->api->adstack_prepared_destroy(&prepared);
    vkDestroySemaphore(s->host.device, semaphore, NULL);
    elements(&s->a)[0] = 0;
    s->api->adstack_bump(s->plugin.context, 100);
}

/* ---- Command buffers ------------------------------------------------------------------------- */
struct commands {
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkQueue queue;
    VkFence fence;
};

static void commands_make(struct commands *c, const struct host_device *host)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = host->family};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    assert_int_equal(vkCreateCommandPool(host->device, &pool, NULL, &c->pool), VK_SUCCESS);
    assert_int_equal(vkCreateFence(host->device, &fence, NULL, &c->fence), VK_SUCCESS);
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = c->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    assert_int_equal(vkAllocateCommandBuffers(host->device, &allocate, &c->buffer), VK_SUCCESS);
    vkGetDeviceQueue(host->device, host->family, 0, &c->queue);
}

static void commands_free(struct commands *c, const struct host_device *host)
{
    vkDestroyFence(host->device, c->fence, NULL);
    vkDestroyCommandPool(host->device, c->pool, NULL);
}

static void commands_begin(const struct commands *c)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(vkBeginCommandBuffer(c->buffer, &begin), VK_SUCCESS);
}

static void commands_run(const struct commands *c, const struct host_device *host)
{
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &c->buffer};
    assert_int_equal(vkQueueSubmit(c->queue, 1, &submit, c->fence), VK_SUCCESS);
    assert_int_equal(vkWaitForFences(host->device, 1, &c->fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(vkResetFences(host->device, 1, &c->fence), VK_SUCCESS);
}

/* Checks that the commands wrote what evaluation says of the same arrays. */
static void check_recorded(struct setting *s, const pail_record_task *place, bool fits)
{
    uint32_t words[7], got[7], dispatch[3], end[2];
    uint64_t needed[2];
    size_t n = 7;
    s->launch.flags = PAIL_LAUNCH_NO_CACHE;
    pail_adstack_result *result = evaluate(s);
    pail_task_size size = {.struct_size = sizeof(size)};
    assert_int_equal(s->api->adstack_metadata(result, words, &n, 0), PAIL_OK);
    assert_int_equal(s->api->adstack_task_size(result, &size, 0), PAIL_OK);
    s->api->adstack_release(result);
    memcpy(got, s->metadata.mapped + place->metadata_offset, sizeof(got));
    memcpy(dispatch, s->metadata.mapped + place->dispatch_offset, sizeof(dispatch));
    memcpy(needed, s->metadata.mapped + place->needed_offset, sizeof(needed));
    memcpy(end, s->metadata.mapped + place->needed_offset + sizeof(needed), sizeof(end));
    assert_memory_equal(got, words, sizeof(words));
    assert_int_equal(needed[0], size.heap_float);
    assert_int_equal(needed[1], size.heap_int);
    assert_int_equal(end[0], fits ? PAIL_RECORD_OK : PAIL_RECORD_HEAP);
    assert_int_equal(end[1], 0);
    assert_int_equal(dispatch[0], fits ? (THREADS + GROUP - 1) / GROUP : 0);
    assert_int_equal(dispatch[1], fits);
    assert_int_equal(dispatch[2], fits);
}

PAIL_TEST(inside_of_command_buffers)
{
    struct setting *s = setting_of(state);
    struct commands commands;
    pail_record_task place = {.struct_size = sizeof(place)};
    pail_adstack_result *result;
    uint64_t bytes;
    commands_make(&commands, &s->host);
    assert_int_equal(s->api->adstack_record_layout(s->plugin.context, &place, 1, &bytes, s->kernel),
                     PAIL_OK);
    assert_true(bytes <= METADATA);
    s->launch.flags = 0;
    s->launch.workgroup_threads = GROUP;
    s->launch.heap_float = (uint64_t)THREADS * 20 * 4; /* 10 entries of two values */
    s->launch.heap_int = (uint64_t)THREADS * 9 * 4;
    commands_begin(&commands);
    if (s->api->adstack_record(s->plugin.context, &result, &s->launch, commands.buffer,
                               s->metadata.address) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    assert_int_equal(vkEndCommandBuffer(commands.buffer), VK_SUCCESS);
    pail_task_size size = {.struct_size = sizeof(size)};
    assert_int_equal(s->api->adstack_task_size(result, &size, 0), PAIL_NOT_READY);
    /* Nobody tells of the writes: arrays are read whenever it runs. */
    const int32_t largest[] = {5, 4, 6, 0, 5};
    for (size_t i = 0; i < sizeof(largest) / sizeof(largest[0]); i++) {
        elements(&s->a)[ELEMENTS - 1] = largest[i];
        memset(s->metadata.mapped, 0xa5, METADATA);
        commands_run(&commands, &s->host);
        check_recorded(s, &place, largest[i] <= 5);
        assert_int_equal(s->metadata.mapped[bytes], 0xa5);
    }
    s->launch.flags = 0;
    s->api->adstack_release(result);

    /* A refused recording leaves the command buffer as it is. */
    result = (pail_adstack_result *)(uintptr_t)8;
    commands_begin(&commands);
    assert_int_equal(s->api->adstack_record(s->plugin.context, &result, &s->launch, commands.buffer,
                                            s->metadata.address + 4),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    s->launch.flags = PAIL_LAUNCH_HOST;
    assert_int_equal(s->api->adstack_record(s->plugin.context, &result, &s->launch, commands.buffer,
                                            s->metadata.address),
                     PAIL_ERR_ARGUMENT);
    s->launch.flags = 0;
    const pail_binding on_device = s->bindings[1];
    s->bindings[1].host = s->b.mapped;
    s->bindings[1].device_address = 0;
    assert_int_equal(s->api->adstack_record(s->plugin.context, &result, &s->launch, commands.buffer,
                                            s->metadata.address),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(s->api->error(s->plugin.context), "source 1"));
    s->bindings[1] = on_device;
    assert_int_equal(vkEndCommandBuffer(commands.buffer), VK_SUCCESS);
    s->launch.heap_float = s->launch.heap_int = 0;
    commands_free(&commands, &s->host);
}

/* ---- Overflows ------------------------------------------------------------------------------- */
PAIL_TEST(reports_of_kernels)
{
    struct setting *s = setting_of(state);
    pail_context *context = s->plugin.context;
    struct host_kernel kernel;
    struct shared rows;
    pail_overflow records[8];
    uint64_t buffer, address;
    size_t n = 8;
    assert_int_equal(s->api->adstack_overflow_buffer(context, &buffer, &address), PAIL_OK);
    assert_int_not_equal(address, 0);
    s->launch.serial = 77;
    assert_int_equal(size_of(s, 0).capacity, 10);
    shared_make(&s->host, &rows, STORM * sizeof(struct storm_row));
    struct storm_row *row = (struct storm_row *)(void *)rows.mapped;
    for (uint32_t i = 0; i < STORM; i++) /* half of the threads, with up to 60 entries */
        row[i] = (struct storm_row){i % 2 ? s->id : 0, 0, 11 + i % 50, 77};
    row[STORM - 1] = (struct storm_row){12345, 6, 8, 78}; /* a task of somebody else */
    const VkBuffer buffers[] = {rows.buffer, rows.buffer};
    host_kernel_make(&kernel, &s->host, storm_address_words, sizeof(storm_address_words), buffers,
                     2, 8);
    host_kernel_run(&kernel, STORM / 64, &address);
    records[0].struct_size = sizeof(records[0]);
    assert_int_equal(s->api->adstack_poll_overflow(context, records, &n), PAIL_OK);
    assert_int_equal(n, 2);
    const pail_overflow *mine = &records[records[0].id != s->id],
                        *other = &records[mine == records];
    assert_int_equal(mine->id, s->id);
    assert_int_equal(mine->stack, 0);
    assert_int_equal(mine->count, 60);
    assert_int_equal(mine->serial, 77);
    assert_int_equal(other->id, 12345);
    assert_int_equal(other->stack, 6);
    n = 8;
    assert_int_equal(s->api->adstack_poll_overflow(context, records, &n), PAIL_OK);
    assert_int_equal(n, 0);

    /* Somebody has written the array without a word. */
    elements(&s->a)[3] = 30;
    pail_overflow record = {.struct_size = sizeof(record), .id = s->id, .count = 60, .serial = 77};
    pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
    assert_int_equal(s->api->adstack_diagnose(context, &diagnosis, &record), PAIL_OK);
    assert_int_equal(diagnosis.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(diagnosis.allocated, 10);
    assert_int_equal(diagnosis.required, 60);
    assert_int_equal(diagnosis.suspect_identity, 100);
    assert_int_equal(diagnosis.invalidated, 1);
    s->launch.serial = 78;
    assert_int_equal(size_of(s, 0).capacity, 60);
    elements(&s->a)[3] = 0;
    s->api->adstack_bump(context, 100);
    host_kernel_free(&kernel);
    shared_free(&s->host, &rows);
}

static pail_diagnosis diagnose(struct setting *s, uint64_t count, uint64_t serial)
{
    const pail_overflow record =
        SIZED(pail_overflow, .id = s->id, .count = count, .serial = serial);
    pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
    if (s->api->adstack_diagnose(s->plugin.context, &diagnosis, &record) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    return diagnosis;
}

/* Sizes that runs gave are fetched from where the runs wrote them. */
PAIL_TEST(overflows_of_recorded_launches)
{
    struct setting *s = setting_of(state);
    struct commands commands;
    pail_adstack_result *result;
    commands_make(&commands, &s->host);
    s->launch.serial = 90;
    s->launch.heap_float = (uint64_t)THREADS * 40 * 4; /* 20 entries of two values */
    s->launch.heap_int = (uint64_t)THREADS * 9 * 4;
    commands_begin(&commands);
    if (s->api->adstack_record(s->plugin.context, &result, &s->launch, commands.buffer,
                               s->metadata.address) != PAIL_OK)
        fail_msg("%s", s->api->error(s->plugin.context));
    assert_int_equal(vkEndCommandBuffer(commands.buffer), VK_SUCCESS);
    memset(s->metadata.mapped, 0xa5, METADATA);
    pail_diagnosis d = diagnose(s, 11, 90);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN); /* it has not run */
    assert_int_equal(d.allocated, 0);
    for (int32_t most = 5; most <= 7; most += 2) {
        elements(&s->a)[3] = most;
        commands_run(&commands, &s->host);
        d = diagnose(s, 15, 90);
        assert_int_equal(d.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
        assert_int_equal(d.allocated, 2 * most);
        assert_int_equal(d.required, 2 * most);
    }
    elements(&s->a)[3] = 9; /* after the sizes */
    d = diagnose(s, 15, 90);
    assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(d.allocated, 14);
    assert_int_equal(d.required, 18);
    assert_int_equal(d.suspect_identity, 100);
    assert_int_equal(d.invalidated, 1);
    elements(&s->a)[3] = 30; /* too much for the heap */
    commands_run(&commands, &s->host);
    d = diagnose(s, 61, 90);
    assert_int_equal(d.cause, PAIL_CAUSE_HEAP_TOO_SMALL);
    assert_int_equal(d.allocated, 60);
    assert_non_null(strstr(d.text, "takes 480000 bytes and was recorded with 160000"));
    s->api->adstack_release(result);
    d = diagnose(s, 61, 90);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);
    assert_non_null(strstr(d.text, "released"));
    elements(&s->a)[3] = 0;
    s->api->adstack_bump(s->plugin.context, 100);
    s->launch.serial = s->launch.heap_float = s->launch.heap_int = 0;
    commands_free(&commands, &s->host);
}

PAIL_TEST_MAIN
{
    return test_run("gpu_adstack_host", set_up, tear_down) +
           test_run("gpu_adstack_host, read by the device", set_up_device, tear_down);
}
