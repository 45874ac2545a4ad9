/* SPDX-License-Identifier: Apache-2.0 */
#include "host_kernel.h"

static void make_layouts(struct host_kernel *kernel, uint32_t n_buffers)
{
    VkDescriptorSetLayoutBinding bindings[HOST_KERNEL_BINDINGS];
    assert_in_range(n_buffers, 1, HOST_KERNEL_BINDINGS);
    for (uint32_t i = 0; i < n_buffers; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = n_buffers,
        .pBindings = bindings,
    };
    const VkDevice device = kernel->host->device;
    assert_int_equal(vkCreateDescriptorSetLayout(device, &set, NULL, &kernel->set_layout),
                     VK_SUCCESS);
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel->push_bytes};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &kernel->set_layout,
        .pushConstantRangeCount = kernel->push_bytes > 0,
        .pPushConstantRanges = &push,
    };
    assert_int_equal(vkCreatePipelineLayout(device, &layout, NULL, &kernel->layout), VK_SUCCESS);
}

static void make_pipeline(struct host_kernel *kernel, const uint32_t *words, size_t n_bytes)
{
    const VkDevice device = kernel->host->device;
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = n_bytes,
        .pCode = words,
    };
    VkShaderModule module;
    assert_int_equal(vkCreateShaderModule(device, &info, NULL, &module), VK_SUCCESS);
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = kernel->layout,
    };
    assert_int_equal(
        vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline, NULL, &kernel->pipeline),
        VK_SUCCESS);
    vkDestroyShaderModule(device, module, NULL);
}

static void make_set(struct host_kernel *kernel, const VkBuffer *buffers, uint32_t n_buffers)
{
    const VkDevice device = kernel->host->device;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, n_buffers};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    assert_int_equal(vkCreateDescriptorPool(device, &pool, NULL, &kernel->pool), VK_SUCCESS);
    const VkDescriptorSetAllocateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = kernel->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &kernel->set_layout,
    };
    assert_int_equal(vkAllocateDescriptorSets(device, &set, &kernel->set), VK_SUCCESS);
    for (uint32_t i = 0; i < n_buffers; i++) {
        const VkDescriptorBufferInfo buffer = {buffers[i], 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = kernel->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffer,
        };
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
}

void host_kernel_make(struct host_kernel *kernel, const struct host_device *host,
                      const uint32_t *words, size_t n_bytes, const VkBuffer *buffers,
                      uint32_t n_buffers, uint32_t push_bytes)
{
    *kernel = (struct host_kernel){.host = host, .push_bytes = push_bytes};
    make_layouts(kernel, n_buffers);
    make_pipeline(kernel, words, n_bytes);
    make_set(kernel, buffers, n_buffers);
    const VkCommandPoolCreateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = host->family,
    };
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    assert_int_equal(vkCreateCommandPool(host->device, &commands, NULL, &kernel->commands),
                     VK_SUCCESS);
    assert_int_equal(vkCreateFence(host->device, &fence, NULL, &kernel->fence), VK_SUCCESS);
    vkGetDeviceQueue(host->device, host->family, 0, &kernel->queue);
}

void host_kernel_free(struct host_kernel *kernel)
{
    const VkDevice device = kernel->host->device;
    vkDestroyFence(device, kernel->fence, NULL);
    vkDestroyCommandPool(device, kernel->commands, NULL);
    vkDestroyDescriptorPool(device, kernel->pool, NULL);
    vkDestroyPipeline(device, kernel->pipeline, NULL);
    vkDestroyPipelineLayout(device, kernel->layout, NULL);
    vkDestroyDescriptorSetLayout(device, kernel->set_layout, NULL);
}

void host_kernel_run(struct host_kernel *kernel, uint32_t groups, const void *push)
{
    const VkDevice device = kernel->host->device;
    const VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = kernel->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBuffer commands;
    assert_int_equal(vkAllocateCommandBuffers(device, &allocate, &commands), VK_SUCCESS);
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkMemoryBarrier done = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT,
    };
    assert_int_equal(vkBeginCommandBuffer(commands, &begin), VK_SUCCESS);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1,
                            &kernel->set, 0, NULL);
    if (kernel->push_bytes > 0)
        vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           kernel->push_bytes, push);
    vkCmdDispatch(commands, groups, 1, 1);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &done, 0, NULL, 0, NULL);
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    assert_int_equal(vkQueueSubmit(kernel->queue, 1, &submit, kernel->fence), VK_SUCCESS);
    assert_int_equal(vkWaitForFences(device, 1, &kernel->fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    assert_int_equal(vkResetFences(device, 1, &kernel->fence), VK_SUCCESS);
    vkFreeCommandBuffers(device, kernel->commands, 1, &commands);
}
