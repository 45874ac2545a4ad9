/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatches whose size is in memory, kernels without bindings, and recording into a command buffer
 * of the host. */

#include <shared/adstack_layout.h>

#include "support.h"
#include "support/test.h"

enum { N = 1000, GROUPS = 5 }; /* words; workgroups that copy */

struct copying {
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_buffer from, to; /* mapped; the arguments follow what is copied */
    struct ad_fetch_push push;
};

static void copying_make(struct vk_fixture *f, struct copying *c)
{
    const uint64_t bytes = 4 * (N + 3);
    ASSERT_OK(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_ADSTACK_FETCH, (struct pail_variant){0},
                                   NULL, 0, &c->pipeline, ERR));
    ASSERT_OK(pail_vk_buffer_create(f->dev, &c->from, PAIL_VK_MEMORY_UPLOAD, bytes, "from", ERR));
    ASSERT_OK(pail_vk_buffer_create(f->dev, &c->to, PAIL_VK_MEMORY_READBACK, bytes, "to", ERR));
    uint32_t *from = c->from.mapped;
    for (uint32_t i = 0; i < N; i++)
        from[i] = i * i;
    from[N] = GROUPS;
    from[N + 1] = from[N + 2] = 1;
    memset(c->to.mapped, 0, bytes);
    c->push = (struct ad_fetch_push){
        .from_low = (uint32_t)(c->from.address & UINT32_MAX),
        .from_high = (uint32_t)(c->from.address >> 32),
        .to_low = (uint32_t)(c->to.address & UINT32_MAX),
        .to_high = (uint32_t)(c->to.address >> 32),
        .n = N,
    };
}

static void copying_free(struct vk_fixture *f, struct copying *c)
{
    pail_vk_buffer_destroy(f->dev, &c->from);
    pail_vk_buffer_destroy(f->dev, &c->to);
}

static void expect_copied(struct vk_fixture *f, struct copying *c, uint32_t n)
{
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&c->to, 0, c->to.size);
    ASSERT_OK(pail_vk_invalidate(f->dev, &slice, ERR));
    const uint32_t *to = c->to.mapped;
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(to[i], i < n ? i * i : 0);
}

static void record(struct vk_fixture *f, struct pail_vk_cmd *cmd, const struct copying *c)
{
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&c->from, 0, c->from.size);
    (void)f;
    pail_vk_cmd_dispatch_indirect(cmd, c->pipeline, NULL, 0, &c->push, sizeof(c->push), &slice,
                                  4 * N);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_HOST);
}

PAIL_TEST_OF(test_indirect, struct vk_fixture *f)
{
    struct copying c;
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    copying_make(f, &c);
    ASSERT_OK(pail_vk_cmd_begin(f->dev, PAIL_VK_QUEUE_MAIN, "indirect", &cmd, ERR));
    record(f, cmd, &c);
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    ASSERT_OK(pail_vk_wait(f->dev, ticket, PAIL_VK_FOREVER, ERR));
    pail_vk_cmd_release(&cmd);
    expect_copied(f, &c, GROUPS * AD_WORKGROUP);
    copying_free(f, &c);
}

PAIL_TEST_OF(test_wrong_arguments, struct vk_fixture *f)
{
    static const uint64_t offsets[] = {4 * N + 4, 4 * N + 12, 4 * N - 2, UINT64_MAX};
    struct copying c;
    copying_make(f, &c);
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&c.from, 0, c.from.size);
    for (uint32_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        struct pail_vk_cmd *cmd;
        pail_vk_ticket ticket;
        ASSERT_OK(pail_vk_cmd_begin(f->dev, PAIL_VK_QUEUE_MAIN, "indirect", &cmd, ERR));
        pail_vk_cmd_dispatch_indirect(cmd, c.pipeline, NULL, 0, &c.push, sizeof(c.push), &slice,
                                      offsets[i]);
        ASSERT_STATUS(pail_vk_cmd_submit(cmd, &ticket, ERR), PAIL_ERR_INTERNAL,
                      "adstack/fetch: its number of workgroups is at");
        pail_vk_cmd_release(&cmd);
    }
    copying_free(f, &c);
}

/* Recorded once, run twice; the command buffer stays in the recording state, failed or not. */
PAIL_TEST_OF(test_host_commands, struct vk_fixture *f)
{
    struct copying c;
    struct pail_vk_cmd *cmd;
    VkCommandPool pool;
    VkCommandBuffer commands;
    copying_make(f, &c);
    const VkCommandPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = f->dev->queues[0].family,
    };
    assert_int_equal(f->dev->vk.vkCreateCommandPool(f->dev->handle, &pool_info, NULL, &pool),
                     VK_SUCCESS);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    assert_int_equal(f->dev->vk.vkAllocateCommandBuffers(f->dev->handle, &info, &commands),
                     VK_SUCCESS);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(f->dev->vk.vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);

    const struct pail_vk_pipeline *bound;
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&c.from, 0, c.from.size);
    static const uint8_t push[128];
    ASSERT_OK(pail_vk_pipeline_get(f->dev, PAIL_KERNEL_MSM_DELIVER, (struct pail_variant){0}, NULL,
                                   0, &bound, ERR));
    ASSERT_OK(pail_vk_cmd_enter(f->dev, commands, "host's", &cmd, ERR));
    pail_vk_cmd_dispatch(cmd, bound, &slice, 1, push,
                         pail_kernels[PAIL_KERNEL_MSM_DELIVER].push_bytes, 1, 1, 1);
    ASSERT_STATUS(pail_vk_cmd_leave(&cmd, ERR), PAIL_ERR_INTERNAL, "msm/fold/deliver has bindings");
    assert_null(cmd);
    ASSERT_OK(pail_vk_cmd_leave(&cmd, ERR));

    ASSERT_OK(pail_vk_cmd_enter(f->dev, commands, "host's", &cmd, ERR));
    pail_vk_cmd_label_begin(cmd, "left open");
    pail_vk_cmd_stamp(cmd, "not here");
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_ANYTHING);
    record(f, cmd, &c);
    ASSERT_OK(pail_vk_cmd_leave(&cmd, ERR));
    assert_int_equal(f->dev->vk.vkEndCommandBuffer(commands), VK_SUCCESS);
    for (uint32_t round = 0; round < 2; round++) {
        const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                     .commandBufferCount = 1,
                                     .pCommandBuffers = &commands};
        VkQueue queue = f->dev->queues[0].handle;
        memset(c.to.mapped, 0, c.to.size);
        assert_int_equal(f->dev->vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
        assert_int_equal(f->dev->vk.vkQueueWaitIdle(queue), VK_SUCCESS);
        expect_copied(f, &c, GROUPS * AD_WORKGROUP);
    }
    f->dev->vk.vkDestroyCommandPool(f->dev->handle, pool, NULL);
    copying_free(f, &c);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
