#include "vk/cmd.h"

#include <assert.h>
#include <string.h>

#include "faults.h"
#include "vk/cmd_priv.h"
#include "vk/pipeline_priv.h"

/* All recorders that nobody holds, oldest release first. */
struct pail_vk_cmd_pool {
    pthread_mutex_t lock;
    struct pail_vk_cmd *first, **last;
};

pail_status pail_vk_cmd_pool_create(struct pail_vk_device *dev, struct pail_error *err)
{
    dev->cmds = pail_calloc(&dev->alloc, 1, sizeof(*dev->cmds));
    if (!dev->cmds)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a pool of recorders");
    pthread_mutex_init(&dev->cmds->lock, NULL);
    dev->cmds->last = &dev->cmds->first;
    return PAIL_OK;
}

static void cmd_destroy(struct pail_vk_cmd *cmd)
{
    struct pail_vk_device *dev = cmd->dev;
    pail_vk_stamps_fini(cmd);
    for (uint32_t i = 0; i < cmd->n_set_pools; i++)
        dev->vk.vkDestroyDescriptorPool(dev->handle, cmd->set_pools[i], NULL);
    pail_free(&dev->alloc, cmd->set_pools);
    if (cmd->pool)
        dev->vk.vkDestroyCommandPool(dev->handle, cmd->pool, NULL);
    pail_free(&dev->alloc, cmd);
}

void pail_vk_cmd_pool_destroy(struct pail_vk_device *dev)
{
    if (!dev->cmds)
        return;
    while (dev->cmds->first) {
        struct pail_vk_cmd *cmd = dev->cmds->first;
        dev->cmds->first = cmd->next;
        if (cmd->ticket)
            pail_vk_stamps_log(cmd);
        cmd_destroy(cmd);
    }
    pthread_mutex_destroy(&dev->cmds->lock);
    pail_free(&dev->alloc, dev->cmds);
    dev->cmds = NULL;
}

static pail_status cmd_create(struct pail_vk_device *dev, struct pail_vk_queue *queue,
                              struct pail_vk_cmd **out, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = pail_calloc(&dev->alloc, 1, sizeof(*cmd));
    if (!cmd)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a recorder");
    cmd->dev = dev;
    cmd->queue = queue;
    cmd->label = "new";
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = queue->family,
    };
    VkResult result = dev->vk.vkCreateCommandPool(dev->handle, &pool, NULL, &cmd->pool);
    pail_status status = pail_vk_device_result(dev, result, "vkCreateCommandPool", err);
    if (status != PAIL_OK)
        goto out;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = cmd->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = dev->vk.vkAllocateCommandBuffers(dev->handle, &buffer, &cmd->buffer);
    status = pail_vk_device_result(dev, result, "vkAllocateCommandBuffers", err);
out:
    if (status != PAIL_OK)
        cmd_destroy(cmd);
    else
        *out = cmd;
    return status;
}

static void pool_put(struct pail_vk_cmd *cmd)
{
    struct pail_vk_cmd_pool *pool = cmd->dev->cmds;
    cmd->state = PAIL_VK_CMD_IDLE;
    cmd->next = NULL;
    pthread_mutex_lock(&pool->lock);
    *pool->last = cmd;
    pool->last = &cmd->next;
    pthread_mutex_unlock(&pool->lock);
}

/* Takes a recorder whose work is complete; *out is NULL when there is none. */
static pail_status pool_take(struct pail_vk_device *dev, struct pail_vk_queue *queue,
                             struct pail_vk_cmd **out, struct pail_error *err)
{
    struct pail_vk_cmd_pool *pool = dev->cmds;
    pail_status status = PAIL_OK;
    *out = NULL;
    pthread_mutex_lock(&pool->lock);
    for (struct pail_vk_cmd **at = &pool->first; *at; at = &(*at)->next) {
        struct pail_vk_cmd *cmd = *at;
        bool done = false;
        if (cmd->queue != queue)
            continue;
        status = pail_vk_poll(dev, cmd->ticket, &done, err);
        if (status != PAIL_OK)
            break;
        if (!done)
            continue;
        *at = cmd->next;
        if (!*at)
            pool->last = at;
        *out = cmd;
        break;
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}

static pail_status recycle(struct pail_vk_cmd *cmd, struct pail_error *err)
{
    struct pail_vk_device *dev = cmd->dev;
    VkResult result = dev->vk.vkResetCommandPool(dev->handle, cmd->pool, 0);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkResetCommandPool", err);
    for (uint32_t i = 0; i < cmd->n_set_pools; i++) {
        result = dev->vk.vkResetDescriptorPool(dev->handle, cmd->set_pools[i], 0);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, "vkResetDescriptorPool", err);
    }
    cmd->n_sets = 0;
    cmd->n_dispatches = 0;
    cmd->ticket = 0;
    cmd->status = PAIL_OK;
    cmd->n_open_labels = 0;
    memset(&cmd->waits, 0, sizeof(cmd->waits));
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    result = dev->vk.vkBeginCommandBuffer(cmd->buffer, &info);
    return pail_vk_device_result(dev, result, "vkBeginCommandBuffer", err);
}

pail_status pail_vk_cmd_begin(struct pail_vk_device *dev, enum pail_vk_queue_kind kind,
                              const char *label, struct pail_vk_cmd **out, struct pail_error *err)
{
    *out = NULL;
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_queue *queue = pail_vk_queue_get(dev, kind);
    struct pail_vk_cmd *cmd;
    status = pool_take(dev, queue, &cmd, err);
    if (status == PAIL_OK && !cmd)
        status = cmd_create(dev, queue, &cmd, err);
    if (status != PAIL_OK)
        return status;
    if (cmd->ticket)
        pail_vk_stamps_log(cmd);
    status = recycle(cmd, err);
    if (status != PAIL_OK) {
        pool_put(cmd);
        return status;
    }
    cmd->label = label;
    cmd->state = PAIL_VK_CMD_RECORDING;
    pail_vk_stamps_begin(cmd);
    pail_vk_cmd_label_begin(cmd, label);
    *out = cmd;
    return PAIL_OK;
}

pail_status pail_vk_cmd_enter(struct pail_vk_device *dev, void *command_buffer, const char *label,
                              struct pail_vk_cmd **out, struct pail_error *err)
{
    *out = NULL;
    const pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        return status;
    struct pail_vk_cmd *cmd = pail_calloc(&dev->alloc, 1, sizeof(*cmd));
    if (!cmd)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a recorder");
    cmd->dev = dev;
    cmd->queue = pail_vk_queue_get(dev, PAIL_VK_QUEUE_MAIN);
    cmd->label = label;
    cmd->buffer = command_buffer;
    cmd->foreign = true;
    cmd->state = PAIL_VK_CMD_RECORDING;
    pail_vk_cmd_label_begin(cmd, label);
    *out = cmd;
    return PAIL_OK;
}

pail_status pail_vk_cmd_leave(struct pail_vk_cmd **command, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = *command;
    *command = NULL;
    if (!cmd)
        return PAIL_OK;
    while (cmd->n_open_labels)
        pail_vk_cmd_label_end(cmd);
    const pail_status status =
        cmd->status == PAIL_OK ? PAIL_OK : pail_fail(err, cmd->status, "%s", cmd->error.text);
    pail_free(&cmd->dev->alloc, cmd);
    return status;
}

bool pail_vk_cmd_note(struct pail_vk_cmd *cmd, pail_status status, const struct pail_error *error)
{
    if (status == PAIL_OK || cmd->status != PAIL_OK)
        return status == PAIL_OK;
    cmd->status = status;
    cmd->error = *error;
    return false;
}

/* Whether a step may be recorded; after the first failure none is. */
static bool recording(struct pail_vk_cmd *cmd)
{
    struct pail_error error;
    if (cmd->state != PAIL_VK_CMD_RECORDING)
        pail_vk_cmd_note(cmd,
                         pail_fail(&error, PAIL_ERR_INTERNAL,
                                   "\"%s\" was recorded into after it was submitted", cmd->label),
                         &error);
    return cmd->status == PAIL_OK;
}

static bool take_set(struct pail_vk_cmd *cmd, VkDescriptorSetLayout layout, VkDescriptorSet *set)
{
    struct pail_vk_device *dev = cmd->dev;
    struct pail_error error;
    const uint32_t pool = cmd->n_sets / PAIL_VK_SETS_PER_POOL;
    if (pool == cmd->n_set_pools) {
        if (!pail_vk_cmd_note(cmd,
                              pail_grow(&dev->alloc, &cmd->set_pools, &cmd->cap_set_pools, pool + 1,
                                        sizeof(VkDescriptorPool), &error),
                              &error))
            return false;
        const VkDescriptorPoolSize size = {
            .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = PAIL_VK_SETS_PER_POOL * PAIL_MAX_BINDINGS,
        };
        const VkDescriptorPoolCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
            .maxSets = PAIL_VK_SETS_PER_POOL,
            .poolSizeCount = 1,
            .pPoolSizes = &size,
        };
        const VkResult result =
            dev->vk.vkCreateDescriptorPool(dev->handle, &info, NULL, &cmd->set_pools[pool]);
        if (!pail_vk_cmd_note(
                cmd, pail_vk_device_result(dev, result, "vkCreateDescriptorPool", &error), &error))
            return false;
        cmd->n_set_pools++;
    }
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = cmd->set_pools[pool],
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    const VkResult result = dev->vk.vkAllocateDescriptorSets(dev->handle, &info, set);
    if (!pail_vk_cmd_note(
            cmd, pail_vk_device_result(dev, result, "vkAllocateDescriptorSets", &error), &error))
        return false;
    cmd->n_sets++;
    return true;
}

static bool inside(const struct pail_vk_slice *slice, uint64_t offset, uint64_t bytes)
{
    return offset <= slice->size && bytes <= slice->size - offset;
}

static pail_status check_dispatch(const struct pail_vk_cmd *cmd,
                                  const struct pail_vk_pipeline *pipeline,
                                  const struct pail_vk_slice bindings[], uint32_t n,
                                  uint32_t push_bytes, const uint32_t groups[3],
                                  struct pail_error *err)
{
    const struct pail_vk_caps *caps = &cmd->dev->caps;
    const char *name = pipeline->name;
    if (n != pipeline->kernel->n_bindings)
        return pail_fail(err, PAIL_ERR_INTERNAL, "%s: %u buffers bound, the kernel has %u", name, n,
                         pipeline->kernel->n_bindings);
    if (push_bytes != pipeline->kernel->push_bytes)
        return pail_fail(err, PAIL_ERR_INTERNAL, "%s: %u push bytes given, the kernel has %u", name,
                         push_bytes, pipeline->kernel->push_bytes);
    for (uint32_t i = 0; i < 3; i++)
        if (groups[i] > caps->max_workgroup_count[i])
            return pail_fail(err, PAIL_ERR_INTERNAL,
                             "%s: %u workgroups along %c, device \"%s\" allows %u", name, groups[i],
                             "xyz"[i], caps -> name, caps -> max_workgroup_count[i]);
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_vk_slice *b = &bindings[i];
        const char *binding = pipeline->kernel->bindings[i].name;
        if (!b->buffer || !b->size || b->offset > b->buffer->size ||
            b->size > b->buffer->size - b->offset)
            return pail_fail(
                err, PAIL_ERR_INTERNAL,
                "%s: binding %u (%s) is empty or outside its buffer: %llu bytes at %llu "
                "of %llu",
                name, i, binding, (unsigned long long)b->size, (unsigned long long)b->offset,
                (unsigned long long)(b->buffer ? b->buffer->size : 0));
        if (b->size > caps->max_storage_range)
            return pail_fail(err, PAIL_ERR_INTERNAL,
                             "%s: binding %u (%s) has %llu bytes, device \"%s\" allows %llu", name,
                             i, binding, (unsigned long long)b->size, caps->name,
                             (unsigned long long)caps->max_storage_range);
        if (b->offset % caps->storage_align)
            return pail_fail(
                err, PAIL_ERR_INTERNAL,
                "%s: binding %u (%s) is at %llu, device \"%s\" wants a multiple of %llu", name, i,
                binding, (unsigned long long)b->offset, caps->name,
                (unsigned long long)caps->storage_align);
    }
    return PAIL_OK;
}

/* How many workgroups: here, or in memory. */
struct grid {
    uint32_t groups[3];
    VkBuffer arguments; /* VK_NULL_HANDLE: groups */
    uint64_t offset;
};

/* A kernel without bindings has no set. */
static bool bind_set(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                     const struct pail_vk_slice bindings[], uint32_t n)
{
    struct pail_vk_device *dev = cmd->dev;
    struct pail_error error;
    VkDescriptorSet set;
    if (n == 0)
        return true;
    if (cmd->foreign)
        return pail_vk_cmd_note(cmd,
                                pail_fail(&error, PAIL_ERR_INTERNAL,
                                          "%s has bindings, in a command buffer of the host",
                                          pipeline->name),
                                &error);
    if (!take_set(cmd, pipeline->set_layout, &set))
        return false;
    VkDescriptorBufferInfo buffers[PAIL_MAX_BINDINGS];
    VkWriteDescriptorSet writes[PAIL_MAX_BINDINGS];
    for (uint32_t i = 0; i < n; i++) {
        buffers[i] = (VkDescriptorBufferInfo){.buffer = bindings[i].buffer->handle,
                                              .offset = bindings[i].offset,
                                              .range = bindings[i].size};
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffers[i],
        };
    }
    dev->vk.vkUpdateDescriptorSets(dev->handle, n, writes, 0, NULL);
    dev->vk.vkCmdBindDescriptorSets(cmd->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout,
                                    0, 1, &set, 0, NULL);
    return true;
}

/* Everything of a dispatch but its checks. */
static void dispatch(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                     const struct pail_vk_slice bindings[], uint32_t n, const void *push,
                     uint32_t push_bytes, const struct grid *grid)
{
    struct pail_vk_device *dev = cmd->dev;
    if (!bind_set(cmd, pipeline, bindings, n))
        return;
    cmd->n_dispatches++;
    pail_vk_cmd_label_begin(cmd, pipeline->name);
    pail_vk_stamps_kernel_begin(cmd, pipeline->name);
    dev->vk.vkCmdBindPipeline(cmd->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
    if (push_bytes)
        dev->vk.vkCmdPushConstants(cmd->buffer, pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   push_bytes, push);
    if (grid->arguments)
        dev->vk.vkCmdDispatchIndirect(cmd->buffer, grid->arguments, grid->offset);
    else
        dev->vk.vkCmdDispatch(cmd->buffer, grid->groups[0], grid->groups[1], grid->groups[2]);
    pail_vk_stamps_kernel_end(cmd);
    pail_vk_cmd_label_end(cmd);
}

void pail_vk_cmd_dispatch(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                          const struct pail_vk_slice bindings[], uint32_t n, const void *push,
                          uint32_t push_bytes, uint32_t gx, uint32_t gy, uint32_t gz)
{
    const struct grid grid = {.groups = {gx, gy, gz}};
    struct pail_error error;
    if (recording(cmd) &&
        pail_vk_cmd_note(
            cmd, check_dispatch(cmd, pipeline, bindings, n, push_bytes, grid.groups, &error),
            &error) &&
        gx && gy && gz)
        dispatch(cmd, pipeline, bindings, n, push, push_bytes, &grid);
}

void pail_vk_cmd_dispatch_indirect(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                                   const struct pail_vk_slice bindings[], uint32_t n,
                                   const void *push, uint32_t push_bytes,
                                   const struct pail_vk_slice *arguments, uint64_t offset)
{
    const struct grid grid = {.arguments = arguments->buffer->handle,
                              .offset = arguments->offset + offset};
    struct pail_error error;
    if (!recording(cmd) ||
        !pail_vk_cmd_note(
            cmd, check_dispatch(cmd, pipeline, bindings, n, push_bytes, grid.groups, &error),
            &error))
        return;
    if (!inside(arguments, offset, 3 * sizeof(uint32_t)) || grid.offset % 4) {
        pail_vk_cmd_note(cmd,
                         pail_fail(&error, PAIL_ERR_INTERNAL,
                                   "%s: its number of workgroups is at %llu of a slice of %llu",
                                   pipeline->name, (unsigned long long)offset,
                                   (unsigned long long)arguments->size),
                         &error);
        return;
    }
    dispatch(cmd, pipeline, bindings, n, push, push_bytes, &grid);
}

void pail_vk_cmd_prime(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                       const struct pail_vk_slice *slice)
{
    static const uint8_t push[128]; /* what every device has room for; no kernel takes more */
    struct pail_vk_slice bindings[PAIL_MAX_BINDINGS];
    for (uint32_t i = 0; i < pipeline->kernel->n_bindings; i++)
        bindings[i] = *slice;
    if (recording(cmd) && pipeline->kernel->push_bytes <= sizeof(push))
        dispatch(cmd, pipeline, bindings, pipeline->kernel->n_bindings, push,
                 pipeline->kernel->push_bytes, &(const struct grid){0});
}

static VkPipelineStageFlags stages_of(uint32_t where)
{
    return (where & PAIL_VK_COMPUTE ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0u) |
           (where & PAIL_VK_TRANSFER ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0u) |
           (where & PAIL_VK_HOST ? VK_PIPELINE_STAGE_HOST_BIT : 0u) |
           (where & PAIL_VK_INDIRECT ? VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT : 0u) |
           (where & PAIL_VK_ANYTHING ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : 0u);
}

static VkAccessFlags writes_of(uint32_t where)
{
    return (where & PAIL_VK_COMPUTE ? VK_ACCESS_SHADER_WRITE_BIT : 0u) |
           (where & PAIL_VK_TRANSFER ? VK_ACCESS_TRANSFER_WRITE_BIT : 0u) |
           (where & PAIL_VK_HOST ? VK_ACCESS_HOST_WRITE_BIT : 0u) |
           (where & PAIL_VK_ANYTHING ? VK_ACCESS_MEMORY_WRITE_BIT : 0u);
}

static VkAccessFlags accesses_of(uint32_t where)
{
    return writes_of(where) | (where & PAIL_VK_COMPUTE ? VK_ACCESS_SHADER_READ_BIT : 0u) |
           (where & PAIL_VK_TRANSFER ? VK_ACCESS_TRANSFER_READ_BIT : 0u) |
           (where & PAIL_VK_HOST ? VK_ACCESS_HOST_READ_BIT : 0u) |
           (where & PAIL_VK_INDIRECT ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT : 0u) |
           (where & PAIL_VK_ANYTHING ? VK_ACCESS_MEMORY_READ_BIT : 0u);
}

void pail_vk_cmd_barrier(struct pail_vk_cmd *cmd, uint32_t from, uint32_t to)
{
    const uint32_t known =
        PAIL_VK_COMPUTE | PAIL_VK_TRANSFER | PAIL_VK_HOST | PAIL_VK_INDIRECT | PAIL_VK_ANYTHING;
    struct pail_error error;
    if (!recording(cmd))
        return;
    if (!from || !to || (from | to) & ~known) {
        pail_vk_cmd_note(cmd,
                         pail_fail(&error, PAIL_ERR_INTERNAL, "\"%s\": a barrier from 0x%x to 0x%x",
                                   cmd->label, from, to),
                         &error);
        return;
    }
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = writes_of(from),
        .dstAccessMask = accesses_of(to),
    };
    cmd->dev->vk.vkCmdPipelineBarrier(cmd->buffer, stages_of(from), stages_of(to), 0, 1, &barrier,
                                      0, NULL, 0, NULL);
}

void pail_vk_cmd_fill(struct pail_vk_cmd *cmd, const struct pail_vk_slice *dst, uint64_t offset,
                      uint64_t bytes, uint32_t word)
{
    struct pail_error error;
    if (!recording(cmd) || bytes == 0)
        return;
    if (pail_fault("stale_counters") && word == 0 && cmd->n_sets)
        return;
    if (!inside(dst, offset, bytes) || (dst->offset + offset) % 4 || bytes % 4) {
        pail_vk_cmd_note(cmd,
                         pail_fail(&error, PAIL_ERR_INTERNAL,
                                   "\"%s\": a fill of %llu bytes at %llu of a slice of %llu",
                                   cmd->label, (unsigned long long)bytes,
                                   (unsigned long long)offset, (unsigned long long)dst->size),
                         &error);
        return;
    }
    cmd->dev->vk.vkCmdFillBuffer(cmd->buffer, dst->buffer->handle, dst->offset + offset, bytes,
                                 word);
}

void pail_vk_cmd_copy(struct pail_vk_cmd *cmd, const struct pail_vk_slice *src, uint64_t src_offset,
                      const struct pail_vk_slice *dst, uint64_t dst_offset, uint64_t bytes)
{
    struct pail_error error;
    if (!recording(cmd) || bytes == 0)
        return;
    if (!inside(src, src_offset, bytes) || !inside(dst, dst_offset, bytes)) {
        pail_vk_cmd_note(
            cmd,
            pail_fail(&error, PAIL_ERR_INTERNAL,
                      "\"%s\": a copy of %llu bytes from %llu of a slice of %llu to %llu of %llu",
                      cmd->label, (unsigned long long)bytes, (unsigned long long)src_offset,
                      (unsigned long long)src->size, (unsigned long long)dst_offset,
                      (unsigned long long)dst->size),
            &error);
        return;
    }
    const VkBufferCopy region = {.srcOffset = src->offset + src_offset,
                                 .dstOffset = dst->offset + dst_offset,
                                 .size = bytes};
    cmd->dev->vk.vkCmdCopyBuffer(cmd->buffer, src->buffer->handle, dst->buffer->handle, 1, &region);
}

static bool labels(const struct pail_vk_cmd *cmd)
{
    return cmd->dev->fns.vkCmdBeginDebugUtilsLabelEXT && !(cmd->dev->debug & PAIL_DEBUG_NOLABELS);
}

void pail_vk_cmd_label_begin(struct pail_vk_cmd *cmd, const char *name)
{
    if (!labels(cmd) || cmd->status != PAIL_OK)
        return;
    const VkDebugUtilsLabelEXT label = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
        .pLabelName = name,
    };
    cmd->dev->fns.vkCmdBeginDebugUtilsLabelEXT(cmd->buffer, &label);
    cmd->n_open_labels++;
}

void pail_vk_cmd_label_end(struct pail_vk_cmd *cmd)
{
    if (!labels(cmd) || cmd->n_open_labels == 0)
        return;
    cmd->dev->fns.vkCmdEndDebugUtilsLabelEXT(cmd->buffer);
    cmd->n_open_labels--;
}

void pail_vk_cmd_wait(struct pail_vk_cmd *cmd, pail_vk_ticket ticket)
{
    for (uint32_t i = 0; i < cmd->dev->n_queues; i++) {
        /* Tickets of one queue are ordered, so the largest stands for all. */
        if (pail_vk_ticket_queue(ticket) == i && ticket > cmd->waits.tickets[i])
            cmd->waits.tickets[i] = ticket;
    }
}

void pail_vk_cmd_wait_semaphore(struct pail_vk_cmd *cmd, uint64_t semaphore, uint64_t value)
{
    VkSemaphore handle;
    static_assert(sizeof(handle) == sizeof(semaphore), "a VkSemaphore is 64 bits");
    memcpy(&handle, &semaphore, sizeof(handle));
    struct pail_vk_waits *waits = &cmd->waits;
    uint32_t at = 0;
    while (at < waits->n && waits->semaphores[at] != handle)
        at++;
    if (at == PAIL_VK_WAITS_MAX) {
        struct pail_error err;
        pail_vk_cmd_note(cmd,
                         pail_fail(&err, PAIL_ERR_UNSUPPORTED,
                                   "one submission waits for at most %u semaphores",
                                   PAIL_VK_WAITS_MAX),
                         &err);
        return;
    }
    if (at == waits->n)
        waits->n++;
    waits->semaphores[at] = handle;
    if (waits->values[at] < value)
        waits->values[at] = value;
}

pail_status pail_vk_cmd_submit(struct pail_vk_cmd *cmd, pail_vk_ticket *ticket,
                               struct pail_error *err)
{
    struct pail_vk_device *dev = cmd->dev;
    *ticket = 0;
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        goto out;
    if (recording(cmd)) {
        pail_vk_stamps_end(cmd);
        while (cmd->n_open_labels)
            pail_vk_cmd_label_end(cmd);
    }
    if (cmd->status != PAIL_OK) {
        status = pail_fail(err, cmd->status, "%s", cmd->error.text);
        goto out;
    }
    const VkResult result = dev->vk.vkEndCommandBuffer(cmd->buffer);
    status = pail_vk_device_result(dev, result, "vkEndCommandBuffer", err);
    if (status == PAIL_OK)
        status = pail_vk_queue_submit(dev, cmd->queue, cmd->buffer, &cmd->waits, &cmd->ticket, err);
    if (status == PAIL_OK && dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, PAIL_LOG_DEBUG, "submit \"%s\": ticket 0x%llx, %u dispatches",
                 cmd->label, (unsigned long long)cmd->ticket, cmd->n_dispatches);
out:
    if (cmd->state == PAIL_VK_CMD_RECORDING)
        cmd->state = status == PAIL_OK ? PAIL_VK_CMD_SUBMITTED : PAIL_VK_CMD_FAILED;
    if (status == PAIL_OK)
        *ticket = cmd->ticket;
    return status;
}

pail_vk_ticket pail_vk_cmd_ticket(const struct pail_vk_cmd *cmd)
{
    return cmd->ticket;
}

void pail_vk_cmd_release(struct pail_vk_cmd **command)
{
    struct pail_vk_cmd *cmd = *command;
    *command = NULL;
    if (!cmd)
        return;
    bool done = false;
    if (cmd->ticket && pail_vk_poll(cmd->dev, cmd->ticket, &done, NULL) == PAIL_OK && done)
        pail_vk_stamps_log(cmd);
    pool_put(cmd);
}
