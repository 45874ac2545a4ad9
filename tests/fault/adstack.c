/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions on the device while memory runs out, while Vulkan refuses and while the device is
 * lost: the call says so, nothing is lost, and the next one is right. */

#include "adstack/gpu_support.h"
#include "support/test.h"

enum { ROWS = 40, LONGEST = 9 };

/* Sums of ragged rows, with an array in memory of the host and one at a device address: two levels,
 * operations after them, and a fetch. Made anew for each try, in memory that does not fail. */
struct scenario {
    int32_t lengths[ROWS], data[LONGEST];
    struct ad_launch l;
    struct ad_memory memory;
    int64_t expected;
};

static void scenario_make(struct ad_fixture *f, struct scenario *s)
{
    const int64_t shapes[2] = {ROWS, LONGEST};
    const int64_t row = VARIABLE_INDEX(0), element = VARIABLE_INDEX(1);
    struct nodes t = {0};
    *s = (struct scenario){.expected = 1};
    for (int32_t i = 0; i < LONGEST; i++)
        s->data[i] = 1 << i;
    for (int32_t i = 0; i < ROWS; i++) {
        s->lengths[i] = i % (LONGEST + 1);
        s->expected += (1 << s->lengths[i]) - 1;
    }
    const pail_binding b[2] = {
        ad_binding(0, PAIL_DTYPE_I32, 1, &shapes[0], s->lengths, sizeof(s->lengths)),
        ad_binding(1, PAIL_DTYPE_I32, 1, &shapes[1], s->data, sizeof(s->data))};
    NODES(&t, "(add (sum_over i 0 (shape 0 0) (sum_over j 0 (read 0 %) (read 1 %))) 1)", row,
          element);
    ad_launch_make(&s->l, &t, 1, b, 2);
    ad_memory_make(f, &s->memory, 4096);
    ad_memory_move(&s->memory, &s->l.arrays[1], 0);
    s->l.work.flags = PAIL_LAUNCH_INTERPRET;
}

static void scenario_free(struct ad_fixture *f, struct scenario *s)
{
    ad_memory_free(f, &s->memory);
    ad_launch_free(&s->l);
}

/* All of it with fresh memory. A value that could not be computed is not known. */
static pail_status scenario_run(struct ad_fixture *f, struct scenario *s)
{
    int32_t fetched[LONGEST] = {0};
    vk_error = (struct pail_error){0};
    pail_ad_gpu_trim(f->gpu);
    memset(s->l.values.known, 0, s->l.program->n_slots);
    pail_status status = f->device->run(f->device->user, &s->l.work, ERR);
    if (status == PAIL_OK)
        assert_int_equal(ad_value(&s->l, 0), s->expected);
    else
        assert_int_equal(s->l.values.known[s->l.roots[0]], 0);
    if (status == PAIL_OK)
        status = f->device->fetch(f->device->user, fetched, s->l.arrays[1].address, sizeof(fetched),
                                  0, 0, NULL, ERR);
    if (status == PAIL_OK)
        assert_memory_equal(fetched, s->data, sizeof(fetched));
    else
        assert_true(vk_error.text[0]);
    return status;
}

PAIL_TEST_OF(test_host_allocations, struct ad_fixture *f)
{
    struct scenario s;
    scenario_make(f, &s);
    ASSERT_OK(scenario_run(f, &s));
    bool failed = true;
    long tried = 0;
    for (long k = 1; failed; k++, tried++) {
        const long before = atomic_load(&f->host.count);
        atomic_store(&f->host.fail_n, 1);
        atomic_store(&f->host.fail_from, before + k);
        const pail_status status = scenario_run(f, &s);
        failed = atomic_load(&f->host.count) >= before + k;
        atomic_store(&f->host.fail_from, 0);
        if (failed != (status != PAIL_OK) || (failed && status != PAIL_ERR_HOST_MEMORY))
            fail_msg("allocation %ld: status %d: %s", k, (int)status, vk_error.text);
        ASSERT_OK(scenario_run(f, &s));
    }
    assert_in_range(tried, 10, 300);
    scenario_free(f, &s);
}

/* Recording into a command buffer, whose memory is there only while the recording is kept. */
PAIL_TEST_OF(test_record_allocations, struct ad_fixture *f)
{
    const struct VolkDeviceTable *vk = &f->dev->vk;
    struct scenario s;
    VkCommandPool pool;
    VkCommandBuffer commands;
    const VkCommandPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = f->dev->queues[0].family,
    };
    assert_int_equal(vk->vkCreateCommandPool(f->dev->handle, &pool_info, NULL, &pool), VK_SUCCESS);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    assert_int_equal(vk->vkAllocateCommandBuffers(f->dev->handle, &info, &commands), VK_SUCCESS);
    scenario_make(f, &s);
    ad_memory_move(&s.memory, &s.l.arrays[0], 0);
    const pail_stack_desc stack = {.struct_size = sizeof(stack), .element_bytes = 4, .copies = 1};
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = &stack, .n_stacks = 1};
    const pail_task_launch launch = {.struct_size = sizeof(pail_task_launch), .threads = 10};
    const pail_record_task place = SIZED(pail_record_task, .n_words = 5, .metadata_offset = 2048,
                                         .dispatch_offset = 2072, .needed_offset = 2088);
    struct pail_ad_record record = {.program = s.l.program,
                                    .arrays = s.l.arrays,
                                    .values = &s.l.values,
                                    .tasks = &task,
                                    .launches = &launch,
                                    .places = &place,
                                    .metadata_address = s.memory.buffer.address,
                                    .heap = {1000000, 0},
                                    .workgroup_threads = 4,
                                    .flags = PAIL_LAUNCH_INTERPRET,
                                    .command_buffer = commands};
    const uint32_t *words = (const uint32_t *)s.memory.buffer.mapped + 512;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    bool failed = true;
    long tried = 0;
    for (long k = 0; failed; k++, tried++) { /* the first one makes the pipelines */
        struct pail_ad_recorded *recorded;
        assert_int_equal(vk->vkResetCommandPool(f->dev->handle, pool, 0), VK_SUCCESS);
        assert_int_equal(vk->vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
        pail_ad_gpu_trim(f->gpu);
        const long before = atomic_load(&f->host.count);
        atomic_store(&f->host.fail_n, 1);
        atomic_store(&f->host.fail_from, k ? before + k : 0);
        vk_error = (struct pail_error){0};
        const pail_status status = f->device->record(f->device->user, &recorded, &record, ERR);
        failed = k == 0 || atomic_load(&f->host.count) >= before + k;
        atomic_store(&f->host.fail_from, 0);
        if (status != (failed && k ? PAIL_ERR_HOST_MEMORY : PAIL_OK))
            fail_msg("allocation %ld: status %d: %s", k, (int)status, vk_error.text);
        assert_int_equal(recorded == NULL, failed && k);
        assert_int_equal(vk->vkEndCommandBuffer(commands), VK_SUCCESS);
        if (!recorded)
            continue;
        const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                     .commandBufferCount = 1,
                                     .pCommandBuffers = &commands};
        assert_int_equal(vk->vkQueueSubmit(f->dev->queues[0].handle, 1, &submit, VK_NULL_HANDLE),
                         VK_SUCCESS);
        assert_int_equal(vk->vkQueueWaitIdle(f->dev->queues[0].handle), VK_SUCCESS);
        assert_int_equal(words[0], 4 * s.expected); /* stride, then offset and capacity */
        assert_int_equal(words[2], 0);
        assert_int_equal(words[3], s.expected);
        assert_int_equal(words[6], 3); /* workgroups of 10 threads */
        f->device->unrecord(f->device->user, recorded);
    }
    assert_in_range(tried, 10, 300);
    scenario_free(f, &s);
    vk->vkDestroyCommandPool(f->dev->handle, pool, NULL);
}

static struct VolkDeviceTable real;
static long until_refused, until_lost;

static VKAPI_ATTR VkResult VKAPI_CALL on_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkDeviceMemory *out)
{
    if (until_refused && --until_refused == 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return real.vkAllocateMemory(device, info, callbacks, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_submit(VkQueue queue, uint32_t n,
                                                const VkSubmitInfo *infos, VkFence fence)
{
    const VkResult result = real.vkQueueSubmit(queue, n, infos, fence);
    return until_lost && --until_lost == 0 ? VK_ERROR_DEVICE_LOST : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL on_end(VkCommandBuffer commands)
{
    if (until_refused && --until_refused == 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    return real.vkEndCommandBuffer(commands);
}

/* Each call in turn is refused; returns how many there were. */
static long refuse_each(struct ad_fixture *f, struct scenario *s, pail_status wanted)
{
    bool failed = true;
    long tried = 0;
    for (long k = 1; failed; k++, tried++) {
        until_refused = k;
        const pail_status status = scenario_run(f, s);
        failed = until_refused == 0;
        until_refused = 0;
        if (status != (failed ? wanted : PAIL_OK))
            fail_msg("call %ld: status %d: %s", k, (int)status, vk_error.text);
        ASSERT_OK(scenario_run(f, s));
    }
    return tried;
}

PAIL_TEST(test_refusals)
{
    struct ad_fixture *f = *state;
    struct VolkDeviceTable *table = pail_vk_device_table(f->dev);
    struct scenario s;
    scenario_make(f, &s);
    ASSERT_OK(scenario_run(f, &s));
    real = *table;
    table->vkAllocateMemory = on_allocate;
    assert_in_range(refuse_each(f, &s, PAIL_ERR_DEVICE_MEMORY), 4, 20);
    /* A steady state allocates nothing. */
    const uint64_t before = pail_vk_memory_stats(f->dev).allocations;
    memset(s.l.values.known, 0, s.l.program->n_slots);
    ad_run(f, &s.l.work);
    const uint64_t after = pail_vk_memory_stats(f->dev).allocations;
    const long live = atomic_load(&f->host.count);
    memset(s.l.values.known, 0, s.l.program->n_slots);
    ad_run(f, &s.l.work);
    assert_int_equal(pail_vk_memory_stats(f->dev).allocations, after);
    assert_in_range(after - before, 0, 3);
    /* Results, and the steps of the body whose least error is computed. */
    assert_in_range(atomic_load(&f->host.count) - live, 0, 6);
    *table = real;
    table->vkEndCommandBuffer = on_end;
    assert_in_range(refuse_each(f, &s, PAIL_ERR_HOST_MEMORY), 3, 20);
    *table = real;
    scenario_free(f, &s);
}

/* The device is gone afterwards, so each submission has one of its own. */
PAIL_TEST(test_lost_device)
{
    bool lost = true;
    for (long k = 1; lost; k++) {
        void *fixture = NULL;
        struct scenario s;
        assert_int_equal(ad_setup(&fixture), 0);
        struct ad_fixture *f = fixture;
        struct VolkDeviceTable *table = pail_vk_device_table(f->dev);
        scenario_make(f, &s);
        real = *table;
        table->vkQueueSubmit = on_submit;
        until_lost = k;
        const pail_status status = scenario_run(f, &s);
        lost = until_lost == 0;
        until_lost = 0;
        assert_int_equal(status, lost ? PAIL_ERR_DEVICE_LOST : PAIL_OK);
        assert_int_equal(scenario_run(f, &s), status);
        scenario_free(f, &s);
        assert_int_equal(ad_teardown(&fixture), 0);
        assert_in_range(k, 1, 3);
    }
}

PAIL_TEST_GROUP(ad_setup, ad_teardown)
