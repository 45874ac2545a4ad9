/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <platform/clock.h>

#include "cmd_priv.h"
#include "faults.h"
#include "pipeline_priv.h"

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
    pail_free(&dev->alloc, cmd->buffers);
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
        if (cmd->ticket) {
            pail_vk_stamps_log(cmd);
            pail_vk_stamps_learn(cmd);
        }
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

/* Takes the next command buffer of the recorder, making one where there is none, and begins it. */
static pail_status next_buffer(struct pail_vk_cmd *cmd, struct pail_error *err)
{
    struct pail_vk_device *dev = cmd->dev;
    VkResult result;
    if (cmd->n_buffers == cmd->have_buffers) {
        pail_status status = pail_grow(&dev->alloc, &cmd->buffers, &cmd->cap_buffers,
                                       cmd->n_buffers + 1, sizeof(*cmd->buffers), err);
        if (status != PAIL_OK)
            return status;
        const VkCommandBufferAllocateInfo buffer = {
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
            .commandPool = cmd->pool,
            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            .commandBufferCount = 1,
        };
        result = dev->vk.vkAllocateCommandBuffers(dev->handle, &buffer,
                                                  &cmd->buffers[cmd->have_buffers]);
        if (result != VK_SUCCESS)
            return pail_vk_device_result(dev, result, "vkAllocateCommandBuffers", err);
        cmd->have_buffers++;
    }
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    result = dev->vk.vkBeginCommandBuffer(cmd->buffers[cmd->n_buffers], &info);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkBeginCommandBuffer", err);
    cmd->buffer = cmd->buffers[cmd->n_buffers++];
    cmd->expected_ms = 0;
    return PAIL_OK;
}

static pail_status end_buffer(struct pail_vk_cmd *cmd, struct pail_error *err)
{
    cmd->all_ms += cmd->expected_ms;
    if (cmd->longest_submission_ms < cmd->expected_ms)
        cmd->longest_submission_ms = cmd->expected_ms;
    const VkResult result = cmd->dev->vk.vkEndCommandBuffer(cmd->buffer);
    return pail_vk_device_result(cmd->dev, result, "vkEndCommandBuffer", err);
}

/* Drivers take it badly when a command buffer ends a region that another one began. */
bool pail_vk_cmd_cut(struct pail_vk_cmd *cmd)
{
    struct pail_error error;
    const uint32_t n = cmd->n_open_labels;
    pail_vk_stamps_cut(cmd);
    while (cmd->n_open_labels)
        pail_vk_cmd_label_end(cmd);
    if (!pail_vk_cmd_note(cmd, end_buffer(cmd, &error), &error) ||
        !pail_vk_cmd_note(cmd, next_buffer(cmd, &error), &error))
        return false;
    for (uint32_t i = 0; i < n; i++)
        pail_vk_cmd_label_begin(cmd, i < PAIL_VK_LABELS_MAX ? cmd->labels[i] : "");
    pail_vk_stamps_resume(cmd);
    return cmd->status == PAIL_OK;
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
    cmd->ticket = cmd->first_ticket = 0;
    cmd->status = PAIL_OK;
    cmd->n_open_labels = 0;
    memset(&cmd->waits, 0, sizeof(cmd->waits));
    memset(&cmd->work, 0, sizeof(cmd->work));
    cmd->longest_submission_ms = cmd->longest_dispatch_ms = cmd->all_ms = 0;
    cmd->done = -1;
    cmd->sharing = 1;
    cmd->learned = false;
    cmd->n_buffers = 0;
    return next_buffer(cmd, err);
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
    if (cmd->ticket) {
        pail_vk_stamps_log(cmd);
        pail_vk_stamps_learn(cmd);
    }
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
    cmd->sharing = 1;
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

bool pail_vk_cmd_note(struct pail_vk_cmd *cmd, pail_status status, const struct pail_error *err)
{
    if (status == PAIL_OK || cmd->status != PAIL_OK)
        return status == PAIL_OK;
    cmd->status = status;
    cmd->error = *err;
    return false;
}

bool pail_vk_cmd_recording(struct pail_vk_cmd *cmd)
{
    struct pail_error error;
    if (cmd->state != PAIL_VK_CMD_RECORDING)
        pail_vk_cmd_note(cmd,
                         pail_fail(&error, PAIL_ERR_INTERNAL,
                                   "\"%s\" was recorded into after it was submitted", cmd->label),
                         &error);
    return cmd->status == PAIL_OK;
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
    if (!pail_vk_cmd_recording(cmd))
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
    if (!pail_vk_cmd_recording(cmd) || bytes == 0)
        return;
    if (pail_fault("stale_counters") && word == 0 && cmd->n_sets)
        return;
    if (!pail_vk_slice_has(dst, offset, bytes) || (dst->offset + offset) % 4 || bytes % 4) {
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
    if (!pail_vk_cmd_recording(cmd) || bytes == 0)
        return;
    if (!pail_vk_slice_has(src, src_offset, bytes) || !pail_vk_slice_has(dst, dst_offset, bytes)) {
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
    if (cmd->n_open_labels < PAIL_VK_LABELS_MAX)
        cmd->labels[cmd->n_open_labels] = name;
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
    if (!cmd->dev->caps.timeline_semaphore) {
        struct pail_error err;
        pail_vk_cmd_note(cmd,
                         pail_fail(&err, PAIL_ERR_UNSUPPORTED,
                                   "\"%s\" was to wait for a semaphore, but " PAIL_VK_NO_TIMELINE,
                                   cmd->label),
                         &err);
        return;
    }
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

/* The queue keeps their order, and what the first one waits for all wait for. Where one cannot be
 * submitted, the ticket is that of the last one that was: it still uses the recorder. */
static pail_status submit_all(struct pail_vk_cmd *cmd, struct pail_error *err)
{
    static const struct pail_vk_waits nothing;
    const bool timeless = pail_vk_queue_timeless(cmd->dev, cmd->queue);
    const bool idle = timeless && pail_vk_queue_idle(cmd->queue);
    const double since = timeless ? pail_now_ms() : 0;
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < cmd->n_buffers && status == PAIL_OK; i++) {
        pail_vk_ticket ticket;
        status = pail_vk_queue_submit(cmd->dev, cmd->queue, cmd->buffers[i],
                                      i ? &nothing : &cmd->waits, &ticket, err);
        if (status == PAIL_OK)
            cmd->ticket = ticket;
        if (i == 0)
            cmd->first_ticket = cmd->ticket;
    }
    if (timeless && status == PAIL_OK)
        pail_vk_busy_add(&cmd->queue->busy, cmd->first_ticket, cmd->ticket, idle, since,
                         cmd->all_ms);
    return status;
}

static void trace(const struct pail_vk_cmd *cmd)
{
    char pace[128] = "";
    if (cmd->dev->pace.limits)
        snprintf(pace, sizeof(pace),
                 " in %u submissions, the longest of %.1f ms, the longest dispatch of %.1f ms",
                 cmd->n_buffers, cmd->longest_submission_ms, cmd->longest_dispatch_ms);
    pail_log(&cmd->dev->log, PAIL_LOG_DEBUG, "submit \"%s\": ticket 0x%llx, %u dispatches%s",
             cmd->label, (unsigned long long)cmd->ticket, cmd->n_dispatches, pace);
}

pail_status pail_vk_cmd_submit(struct pail_vk_cmd *cmd, pail_vk_ticket *ticket,
                               struct pail_error *err)
{
    struct pail_vk_device *dev = cmd->dev;
    *ticket = 0;
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        goto out;
    if (pail_vk_cmd_recording(cmd)) {
        pail_vk_stamps_end(cmd);
        while (cmd->n_open_labels)
            pail_vk_cmd_label_end(cmd);
    }
    if (cmd->status != PAIL_OK) {
        status = pail_fail(err, cmd->status, "%s", cmd->error.text);
        goto out;
    }
    status = end_buffer(cmd, err);
    if (status == PAIL_OK)
        status = submit_all(cmd, err);
    if (status == PAIL_OK && dev->debug & PAIL_DEBUG_TRACE)
        trace(cmd);
out:
    cmd->learned |= status != PAIL_OK; /* some of it was not submitted */
    if (cmd->state == PAIL_VK_CMD_RECORDING)
        cmd->state = status == PAIL_OK ? PAIL_VK_CMD_SUBMITTED : PAIL_VK_CMD_FAILED;
    if (status == PAIL_OK)
        *ticket = cmd->ticket;
    return status;
}

void pail_vk_cmd_unlearned(struct pail_vk_cmd *cmd)
{
    cmd->learned = true;
}

void pail_vk_cmd_done(struct pail_vk_cmd *cmd, double part)
{
    cmd->done = part;
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
    if (cmd->ticket && pail_vk_poll(cmd->dev, cmd->ticket, &done, NULL) == PAIL_OK && done) {
        pail_vk_stamps_log(cmd);
        pail_vk_stamps_learn(cmd);
    }
    pool_put(cmd);
}
