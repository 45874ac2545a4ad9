/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can fail is made to fail, once at each place where it is called (on a GPU, in few
 * of them), while one scenario runs that uses the whole layer. Each time: the right status with a
 * sentence, nothing leaked, the validation layer silent, and the device usable afterwards, unless
 * it was lost. */
#include <limits.h>

#include "support/long.h"
#include "support/test.h"
#include "vk/support.h"
#include <shared/msm_layout.h>

/* ---- Faults in Vulkan ---- */

static struct VolkDeviceTable real;
static struct {
    const char *name; /* the function that fails; NULL: none */
    long at, seen;    /* on its at-th call */
    VkResult result;
    bool after; /* the call is made and then reported as failed */
    long submits, idles;
} fault;

static bool strikes(const char *name)
{
    return fault.name && strcmp(fault.name, name) == 0 && ++fault.seen == fault.at;
}

#include "vk_hooks.h"

static VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit(VkQueue queue, uint32_t n,
                                                         const VkSubmitInfo *infos, VkFence fence)
{
    fault.submits++;
    if (!strikes("vkQueueSubmit"))
        return real.vkQueueSubmit(queue, n, infos, fence);
    if (fault.after)
        (void)real.vkQueueSubmit(queue, n, infos, fence);
    return fault.result;
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_vkDeviceWaitIdle(VkDevice device)
{
    fault.idles++;
    return real.vkDeviceWaitIdle(device);
}

static VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueWaitIdle(VkQueue queue)
{
    fault.idles++;
    return real.vkQueueWaitIdle(queue);
}

static const char *const fallible[] = {
    "vkAllocateMemory",
    "vkCreateBuffer",
    "vkBindBufferMemory",
    "vkMapMemory",
    "vkCreateCommandPool",
    "vkAllocateCommandBuffers",
    "vkResetCommandPool",
    "vkBeginCommandBuffer",
    "vkEndCommandBuffer",
    "vkCreateDescriptorPool",
    "vkResetDescriptorPool",
    "vkAllocateDescriptorSets",
    "vkCreateQueryPool",
    "vkGetQueryPoolResults",
    "vkCreateDescriptorSetLayout",
    "vkCreatePipelineLayout",
    "vkCreateShaderModule",
    "vkCreateComputePipelines",
    "vkQueueSubmit",
};

/* Functions that ask and wait for work, by how the device was made. Asking comes first. */
static const char *const timeline_calls[] = {"vkGetSemaphoreCounterValue", "vkWaitSemaphores"};
static const char *const fence_calls[] = {"vkGetFenceStatus", "vkWaitForFences", "vkCreateFence",
                                          "vkResetFences"};

static bool asks(const char *name)
{
    return strcmp(name, timeline_calls[0]) == 0 || strcmp(name, fence_calls[0]) == 0;
}

static bool waits(const char *name)
{
    return strcmp(name, timeline_calls[1]) == 0 || strcmp(name, fence_calls[1]) == 0;
}

static void install(struct pail_vk_device *dev)
{
    struct VolkDeviceTable *vk = pail_vk_device_table(dev);
    real = *vk;
    memset(&fault, 0, sizeof(fault));
    install_hooks(vk);
    INSTALL(vkQueueSubmit);
    INSTALL(vkDeviceWaitIdle);
    INSTALL(vkQueueWaitIdle);
}

/* ---- The scenario ---- */

enum { ENTRIES = 30000, BITS = 7, BINS = 1 << BITS };

struct scenario {
    struct pail_vk_arena arena;
    struct pail_vk_buffer back;
    struct pail_vk_slice entries, counts, result;
    struct pail_vk_cmd *cmd;
};

static pail_status prepare(struct pail_vk_device *dev, struct scenario *s, struct pail_error *err)
{
    const uint64_t sizes[] = {ENTRIES * 4, BINS * 4};
    pail_status status = pail_vk_arena_reserve(&s->arena, sizes, 2, err);
    if (status == PAIL_OK)
        status = pail_vk_arena_take(&s->arena, sizes[0], &s->entries, err);
    if (status == PAIL_OK)
        status = pail_vk_arena_take(&s->arena, sizes[1], &s->counts, err);
    if (status == PAIL_OK)
        status =
            pail_vk_buffer_create(dev, &s->back, PAIL_VK_MEMORY_READBACK, sizes[1], "back", err);
    if (status != PAIL_OK)
        return status;
    s->result = pail_vk_buffer_slice(&s->back, 0, sizes[1]);
    static uint32_t digits[ENTRIES];
    for (uint32_t i = 0; i < ENTRIES; i++)
        digits[i] = i % 100;
    return pail_vk_upload(dev, &s->entries, 0, digits, sizeof(digits), NULL, err);
}

static pail_status run(struct pail_vk_device *dev, struct scenario *s, struct pail_error *err)
{
    const struct pail_vk_pipeline *pipeline;
    pail_vk_ticket ticket;
    pail_status status = pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_SORT_COUNT_SERIAL,
                                              (struct pail_variant){0}, NULL, 0, &pipeline, err);
    if (status == PAIL_OK)
        status = pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "scenario", &s->cmd, err);
    if (status != PAIL_OK)
        return status;
    const struct msm_sort_push push = {
        .n = ENTRIES,
        .tile = ENTRIES,
        .tiles = 1,
        .first_pass = 1,
        .bits = BITS,
        .mask = BINS - 1,
        .epochs = 1,
        .epoch_tiles = 1,
        .groups = 1,
    };
    pail_vk_cmd_stamp(s->cmd, "count");
    pail_vk_cmd_dispatch(s->cmd, pipeline, (struct pail_vk_slice[]){s->entries, s->counts}, 2,
                         &push, sizeof(push), 1, 1, 1);
    pail_vk_cmd_barrier(s->cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_cmd_stamp(s->cmd, "read");
    pail_vk_cmd_copy(s->cmd, &s->counts, 0, &s->result, 0, s->result.size);
    pail_vk_cmd_barrier(s->cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
    status = pail_vk_cmd_submit(s->cmd, &ticket, err);
    if (status == PAIL_OK)
        status = pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = pail_vk_invalidate(dev, &s->result, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_phase phases[2];
    uint32_t n, words[BINS];
    status = pail_vk_cmd_phases(s->cmd, phases, 2, &n, err);
    if (status == PAIL_OK)
        status = pail_vk_download(dev, &s->counts, 0, words, sizeof(words), PAIL_VK_FOREVER, err);
    for (uint32_t i = 0; status == PAIL_OK && i < BINS; i++) {
        const uint32_t expected = i < 100 ? ENTRIES / 100 : 0;
        if (words[i] != expected || ((const uint32_t *)s->result.mapped)[i] != expected)
            status = pail_fail(err, PAIL_ERR_DATA, "counts[%u] is %u", i, words[i]);
    }
    return status;
}

static pail_status scenario(struct pail_vk_device *dev, struct pail_error *err)
{
    struct scenario s = {0};
    pail_vk_arena_init(&s.arena, dev, PAIL_VK_MEMORY_DEVICE, "scenario");
    pail_status status = prepare(dev, &s, err);
    for (int round = 0; status == PAIL_OK && round < 2; round++) { /* the second with used things */
        pail_vk_cmd_release(&s.cmd);
        status = run(dev, &s, err);
    }
    /* Waits, as every user must: nothing is freed while it may still run. Only a loss makes this
     * fail. */
    const pail_vk_ticket last = pail_vk_last_ticket(dev, PAIL_VK_QUEUE_MAIN);
    if (pail_vk_wait(dev, last, PAIL_VK_FOREVER, NULL) != PAIL_OK)
        assert_true(pail_vk_device_lost(dev));
    pail_vk_cmd_release(&s.cmd);
    pail_vk_buffer_destroy(dev, &s.back);
    pail_vk_arena_fini(&s.arena);
    return status;
}

/* ---- The tests ---- */

/* Limits of the devices that the tests make. */
static struct pail_vk_limits_override limits;
static const struct pail_vk_device_params params = {.limits = &limits};

static const VkResult results[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                   VK_ERROR_DEVICE_LOST};

enum { N_RESULTS = sizeof(results) / sizeof(results[0]), FEW_ALLOCATIONS = 6 };

/* Everything fails at once on a lost device, and nothing is submitted any more. */
static void expect_lost(struct pail_vk_device *dev)
{
    const long submits = fault.submits;
    struct pail_vk_buffer buffer = {0};
    struct pail_vk_cmd *cmd;
    const struct pail_vk_pipeline *pipeline;
    bool done;
    assert_true(pail_vk_device_lost(dev));
    const char *const words = "was lost by an earlier call";
    ASSERT_STATUS(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, 4, NULL, ERR),
                  PAIL_ERR_DEVICE_LOST, words);
    ASSERT_STATUS(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "x", &cmd, ERR), PAIL_ERR_DEVICE_LOST,
                  words);
    ASSERT_STATUS(pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_ORDER_WINDOWS, (struct pail_variant){0},
                                       NULL, 0, &pipeline, ERR),
                  PAIL_ERR_DEVICE_LOST, words);
    ASSERT_STATUS(pail_vk_wait(dev, 0, 0, ERR), PAIL_ERR_DEVICE_LOST, words);
    ASSERT_STATUS(pail_vk_poll(dev, 0, &done, ERR), PAIL_ERR_DEVICE_LOST, words);
    struct pail_vk_slice none = {0};
    ASSERT_STATUS(pail_vk_upload(dev, &none, 0, NULL, 0, NULL, ERR), PAIL_ERR_DEVICE_LOST, words);
    ASSERT_STATUS(pail_vk_download(dev, &none, 0, NULL, 0, 0, ERR), PAIL_ERR_DEVICE_LOST, words);
    ASSERT_STATUS(scenario(dev, ERR), PAIL_ERR_DEVICE_LOST, words);
    assert_int_equal(fault.submits, submits);
}

/* Runs the scenario on a new device with one fault; false when the fault's turn never came. */
static bool one_fault(struct vk_fixture *f, const char *name, long at, VkResult result, bool after)
{
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    install(dev);
    fault.name = name;
    fault.at = at;
    fault.result = result;
    fault.after = after;
    vk_error = (struct pail_error){0};
    pail_status status = scenario(dev, ERR);
    const bool struck = fault.seen >= at;
    if (!struck) {
        assert_int_equal(status, PAIL_OK);
        assert_int_equal(fault.idles, 0);
    } else if (result == VK_ERROR_DEVICE_LOST) {
        if (status != PAIL_ERR_DEVICE_LOST)
            fail_msg("%s, call %ld lost the device: status %d: %s", name, at, (int)status,
                     vk_error.text);
        expect_lost(dev);
    } else if (status != PAIL_OK || !asks(name)) {
        /* (Releasing a recorder looks whether it is done, and may not know.) */
        if (status != pail_vk_result_status(result) || !vk_error.text[0])
            fail_msg("%s, call %ld failed: status %d: %s", name, at, (int)status, vk_error.text);
        if (strcmp(name, "vkAllocateMemory") == 0 && result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
            assert_non_null(strstr(vk_error.text, "bytes asked"));
        fault.name = NULL;
        ASSERT_OK(scenario(dev, ERR));
        assert_int_equal(fault.idles, 0);
    }
    fault.name = NULL;
    pail_vk_device_destroy(&dev);
    if (vk_complaints(f->inst, &f->host))
        fail_msg("%s, call %ld: the validation layer spoke", name, at);
    return struck;
}

/* Each fault has a device of its own, which takes a GPU's driver a second: what Pail makes of a
 * fault is no matter of the driver, and software drivers have every place. */
static bool takes_few(const struct vk_fixture *f)
{
    return pail_vk_device_caps(f->dev)->type != VK_PHYSICAL_DEVICE_TYPE_CPU && !test_long();
}

/* In the first place where a function is called, and the device is lost in the last one, too.
 * Returns the number of calls. */
static long fail_ends(struct vk_fixture *f, const char *name)
{
    assert_false(one_fault(f, name, LONG_MAX, VK_SUCCESS, false));
    const long calls = fault.seen;
    for (size_t r = 0; r < N_RESULTS && calls > 0; r++)
        assert_true(one_fault(f, name, 1, results[r], false));
    /* Looking before waiting leaves failures to the wait. How often is waited is a matter of time.
     */
    if (calls > 1 && !asks(name))
        (void)one_fault(f, name, calls, VK_ERROR_DEVICE_LOST, false);
    return calls;
}

/* Each call of a function fails in turn, with one result and the other. How often some are called
 * depends on time. Returns how many failed. */
static long each_call(struct vk_fixture *f, const char *name, VkResult odd, VkResult even)
{
    long at = 1;
    while (one_fault(f, name, at, at % 2 ? odd : even, false))
        at++;
    return at - 1;
}

/* Every call fails once for want of memory, and once it loses the device. Which memory it was is in
 * the status alone: by turns, and both of each allocation. Returns the number of calls. */
static long fail_each(struct vk_fixture *f, const char *name)
{
    const VkResult host = VK_ERROR_OUT_OF_HOST_MEMORY, device = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const long calls = each_call(f, name, host, device);
    if (test_long() || strstr(name, "Memory"))
        (void)each_call(f, name, device, host);
    (void)each_call(f, name, VK_ERROR_DEVICE_LOST, VK_ERROR_DEVICE_LOST);
    return calls;
}

static void fail_all(struct vk_fixture *f, const char *const names[], size_t n)
{
    const bool timed = pail_vk_device_caps(f->dev)->timestamp_bits > 0;
    for (size_t i = 0; i < n; i++) {
        const long calls = takes_few(f) ? fail_ends(f, names[i]) : fail_each(f, names[i]);
        /* A GPU is done while it is looked at, before anybody sleeps. */
        const bool done_at_once = takes_few(f) && waits(names[i]);
        if (!calls && !done_at_once && !(strstr(names[i], "Query") && !timed))
            fail_msg("%s is never called", names[i]);
    }
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

PAIL_TEST_OF(vulkan_faults, struct vk_fixture *f)
{
    fail_all(f, fallible, COUNT(fallible));
    fail_all(f, timeline_calls, COUNT(timeline_calls));
}

/* On a device without timelineSemaphore, what takes its place; the rest is as before. */
PAIL_TEST_OF(faults_with_fences, struct vk_fixture *f)
{
    limits.no_timeline = true;
    fail_all(f, fence_calls, COUNT(fence_calls));
    static const char *const submit[] = {"vkQueueSubmit"};
    fail_all(f, submit, COUNT(submit));
    limits.no_timeline = false;
}

/* The loss is noticed only when the work is already running: buffers must not be freed under it. */
PAIL_TEST_OF(lost_after_submission, struct vk_fixture *f)
{
    for (int fences = 0; fences < 2; fences++) {
        long at = 1;
        limits.no_timeline = fences;
        while (one_fault(f, "vkQueueSubmit", at, VK_ERROR_DEVICE_LOST, true))
            at += takes_few(f) ? 2 : 1;
        assert_true(at > 2);
    }
    limits.no_timeline = false;
}

static pail_status whole_life(struct vk_host *host, const char *debug, uint64_t *complaints)
{
    const struct pail_vk_env env = vk_env(host, debug);
    struct pail_vk_instance *inst;
    struct pail_vk_device *dev = NULL;
    pail_status status = pail_vk_instance_create(&inst, &env, ERR);
    if (status == PAIL_OK)
        status = pail_vk_device_create(&dev, inst, 0, &params, ERR);
    if (status == PAIL_OK)
        status = scenario(dev, ERR);
    pail_vk_device_destroy(&dev);
    if (inst)
        *complaints = vk_complaints(inst, host);
    pail_vk_instance_destroy(&inst);
    return status;
}

/* Every allocation of host memory fails in turn, alone and with all that follow. With a cache some
 * may fail without harm: what it has no memory for is a miss. */
static void fail_host_memory(const struct vk_fixture *f, bool cached)
{
    char debug[VK_WORDS_MAX];
    struct vk_host counted = {0};
    uint64_t spoken = 0;
    (void)vk_debug_words_and(debug, cached ? "nolabels" : "nocache");
    ASSERT_OK(whole_life(&counted, debug, &spoken));
    const long step = takes_few(f) ? 1 + atomic_load(&counted.count) / FEW_ALLOCATIONS : 1;
    for (int all = 0; all < 2; all++) {
        long k = 1;
        for (;; k += step) {
            struct vk_host host = {0};
            uint64_t complaints = 0;
            atomic_store(&host.fail_from, k);
            atomic_store(&host.fail_n, all ? 1 << 30 : 1);
            vk_error = (struct pail_error){0};
            const pail_status status = whole_life(&host, debug, &complaints);
            assert_int_equal(atomic_load(&host.live), 0);
            assert_int_equal(complaints, 0);
            if (atomic_load(&host.count) < k) {
                assert_int_equal(status, PAIL_OK);
                break;
            }
            if (cached && status == PAIL_OK)
                continue;
            if (status != PAIL_ERR_HOST_MEMORY || !vk_error.text[0])
                fail_msg("allocation %ld failed: status %d: %s", k, (int)status, vk_error.text);
        }
        assert_true(k > 10);
    }
}

PAIL_TEST(host_memory_faults)
{
    fail_host_memory(*state, false);
}

PAIL_TEST(host_memory_faults_with_fences)
{
    limits.no_timeline = true;
    fail_host_memory(*state, false);
    limits.no_timeline = false;
}

PAIL_TEST(host_memory_faults_with_a_cache)
{
    fail_host_memory(*state, true);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
