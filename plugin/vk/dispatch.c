/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatches: their checks, their descriptor sets, and their portions. */
#include "cmd_priv.h"
#include "pace.h"
#include "pipeline_priv.h"

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
    for (uint32_t i = 0; i < 3; i++) {
        const char axis = "xyz"[i];
        if (groups[i] > caps->max_workgroup_count[i])
            return pail_fail(err, PAIL_ERR_INTERNAL,
                             "%s: %u workgroups along %c, device \"%s\" allows %u", name, groups[i],
                             axis, caps->name, caps->max_workgroup_count[i]);
    }
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

/* Number of workgroups: here, or in memory. */
struct grid {
    uint32_t groups[3];
    VkBuffer arguments; /* VK_NULL_HANDLE: groups */
    uint64_t offset;
};

/* A kernel without bindings has no set. */
static bool make_set(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                     const struct pail_vk_slice bindings[], uint32_t n, VkDescriptorSet *set)
{
    struct pail_vk_device *dev = cmd->dev;
    struct pail_error error;
    *set = VK_NULL_HANDLE;
    if (n == 0)
        return true;
    if (cmd->foreign)
        return pail_vk_cmd_note(cmd,
                                pail_fail(&error, PAIL_ERR_INTERNAL,
                                          "%s has bindings, in a command buffer of the host",
                                          pipeline->name),
                                &error);
    if (!take_set(cmd, pipeline->set_layout, set))
        return false;
    VkDescriptorBufferInfo buffers[PAIL_MAX_BINDINGS];
    VkWriteDescriptorSet writes[PAIL_MAX_BINDINGS];
    for (uint32_t i = 0; i < n; i++) {
        buffers[i] = (VkDescriptorBufferInfo){.buffer = bindings[i].buffer->handle,
                                              .offset = bindings[i].offset,
                                              .range = bindings[i].size};
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = *set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffers[i],
        };
    }
    dev->vk.vkUpdateDescriptorSets(dev->handle, n, writes, 0, NULL);
    return true;
}

/* A dispatch that passed its checks. */
struct ready {
    const struct pail_vk_pipeline *pipeline;
    VkDescriptorSet set; /* VK_NULL_HANDLE: the kernel has no bindings */
    const void *push;
    uint32_t push_bytes;
};

/* A command buffer begins with nothing bound. */
static void bind(struct pail_vk_cmd *cmd, const struct ready *r)
{
    const struct VolkDeviceTable *vk = &cmd->dev->vk;
    if (r->set)
        vk->vkCmdBindDescriptorSets(cmd->buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    r->pipeline->layout, 0, 1, &r->set, 0, NULL);
    vk->vkCmdBindPipeline(cmd->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, r->pipeline->handle);
    if (r->push_bytes)
        vk->vkCmdPushConstants(cmd->buffer, r->pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               r->push_bytes, r->push);
}

static void dispatch_indirect(struct pail_vk_cmd *cmd, const struct ready *r,
                              const struct grid *grid)
{
    bind(cmd, r);
    pail_vk_stamps_kernel_begin(cmd, r->pipeline, &(const struct pail_vk_work){0}, 0);
    cmd->dev->vk.vkCmdDispatchIndirect(cmd->buffer, grid->arguments, grid->offset);
    pail_vk_stamps_kernel_end(cmd);
}

/* No workgroups at all. */
static void prime(struct pail_vk_cmd *cmd, const struct ready *r)
{
    bind(cmd, r);
    cmd->dev->vk.vkCmdDispatch(cmd->buffer, 0, 0, 0);
}

static void dispatch_portion(struct pail_vk_cmd *cmd, const struct ready *r,
                             const struct pail_vk_portion *part, double ms)
{
    const struct VolkDeviceTable *vk = &cmd->dev->vk;
    const uint32_t *base = part->base, *groups = part->groups;
    struct pail_vk_work work = cmd->work;
    work.units = part->units;
    if (cmd->longest_dispatch_ms < ms)
        cmd->longest_dispatch_ms = ms;
    cmd->expected_ms += ms;
    pail_vk_stamps_kernel_begin(cmd, r->pipeline, &work, ms);
    if (base[0] || base[1] || base[2])
        vk->vkCmdDispatchBase(cmd->buffer, base[0], base[1], base[2], groups[0], groups[1],
                              groups[2]);
    else
        vk->vkCmdDispatch(cmd->buffer, groups[0], groups[1], groups[2]);
    pail_vk_stamps_kernel_end(cmd);
}

/* Records the dispatch in portions and in submissions that each take no longer than the aim. */
static void dispatch_all(struct pail_vk_cmd *cmd, const struct ready *r, const struct grid *grid)
{
    struct pail_vk_pace *pace = &cmd->dev->pace;
    const struct pail_vk_work *work = &cmd->work;
    const double alone_ns =
        work->units > 0 ? pail_vk_pace_ns(pace, r->pipeline->hash, work->kind) : 0;
    const double ns = cmd->sharing * alone_ns;
    const struct pail_vk_cutting cutting = {
        .units = work->units,
        .most = ns > 0 && !work->whole ? PAIL_VK_DISPATCH_AIM_MS * 1e6 / ns : work->units,
        .least = pace->least_groups,
        .apart = work->apart,
    };
    struct pail_vk_portions portions;
    struct pail_vk_portion portion;
    bool bound = false;
    for (pail_vk_portions_begin(&portions, grid->groups, &cutting);
         pail_vk_portions_next(&portions, &portion);) {
        const double ms = portion.units * ns * 1e-6;
        if (!cmd->foreign && cmd->expected_ms > 0 &&
            cmd->expected_ms + ms > PAIL_VK_SUBMISSION_AIM_MS) {
            if (!pail_vk_cmd_cut(cmd))
                return;
            bound = false;
        }
        if (!bound)
            bind(cmd, r);
        bound = true;
        dispatch_portion(cmd, r, &portion, ms);
    }
}

/* Records a dispatch, whose arguments were checked. */
static void dispatch(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                     const struct pail_vk_slice bindings[], uint32_t n, const void *push,
                     uint32_t push_bytes, const struct grid *grid)
{
    struct ready ready = {.pipeline = pipeline, .push = push, .push_bytes = push_bytes};
    if (!make_set(cmd, pipeline, bindings, n, &ready.set))
        return;
    cmd->n_dispatches++;
    pail_vk_cmd_label_begin(cmd, pipeline->name);
    if (grid->arguments)
        dispatch_indirect(cmd, &ready, grid);
    else if (grid->groups[0] && grid->groups[1] && grid->groups[2])
        dispatch_all(cmd, &ready, grid);
    else
        prime(cmd, &ready);
    pail_vk_cmd_label_end(cmd);
}

void pail_vk_cmd_share(struct pail_vk_cmd *cmd, uint32_t recordings)
{
    cmd->sharing = recordings;
}

void pail_vk_cmd_expect(struct pail_vk_cmd *cmd, const struct pail_vk_work *work)
{
    cmd->work = *work;
}

void pail_vk_cmd_dispatch(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                          const struct pail_vk_slice bindings[], uint32_t n, const void *push,
                          uint32_t push_bytes, uint32_t gx, uint32_t gy, uint32_t gz)
{
    const struct grid grid = {.groups = {gx, gy, gz}};
    struct pail_error error;
    if (pail_vk_cmd_recording(cmd) &&
        pail_vk_cmd_note(
            cmd, check_dispatch(cmd, pipeline, bindings, n, push_bytes, grid.groups, &error),
            &error) &&
        gx && gy && gz)
        dispatch(cmd, pipeline, bindings, n, push, push_bytes, &grid);
    cmd->work = (struct pail_vk_work){.units = 0};
}

void pail_vk_cmd_dispatch_indirect(struct pail_vk_cmd *cmd, const struct pail_vk_pipeline *pipeline,
                                   const struct pail_vk_slice bindings[], uint32_t n,
                                   const void *push, uint32_t push_bytes,
                                   const struct pail_vk_slice *arguments, uint64_t offset)
{
    const struct grid grid = {.arguments = arguments->buffer->handle,
                              .offset = arguments->offset + offset};
    struct pail_error error;
    if (!pail_vk_cmd_recording(cmd) ||
        !pail_vk_cmd_note(
            cmd, check_dispatch(cmd, pipeline, bindings, n, push_bytes, grid.groups, &error),
            &error))
        return;
    if (!pail_vk_slice_has(arguments, offset, 3 * sizeof(uint32_t)) || grid.offset % 4) {
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
    static const uint8_t push[128]; /* as large as every device allows; no kernel takes more */
    struct pail_vk_slice bindings[PAIL_MAX_BINDINGS];
    for (uint32_t i = 0; i < pipeline->kernel->n_bindings; i++)
        bindings[i] = *slice;
    if (pail_vk_cmd_recording(cmd) && pipeline->kernel->push_bytes <= sizeof(push))
        dispatch(cmd, pipeline, bindings, pipeline->kernel->n_bindings, push,
                 pipeline->kernel->push_bytes, &(const struct grid){0});
}
