/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK(call)                                                                                   \
    do {                                                                                           \
        const VkResult result_ = (call);                                                           \
        if (result_ != VK_SUCCESS)                                                                 \
            fail("%s: VkResult %d", #call, (int)result_);                                          \
    } while (0)

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    exit(1);
}

/* ---- Device --------------------------------------------------------------------------------- */
static int find_queue(struct gpu *gpu)
{
    VkQueueFamilyProperties families[16];
    uint32_t n = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &n, families);
    for (gpu->family = 0; gpu->family < n; gpu->family++)
        if (families[gpu->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return 1;
    return 0;
}

int gpu_open(struct gpu *gpu)
{
    *gpu = (struct gpu){0};
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo instance = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    uint32_t n = 1;
    if (vkCreateInstance(&instance, NULL, &gpu->instance) != VK_SUCCESS)
        return 0;
    if (vkEnumeratePhysicalDevices(gpu->instance, &n, &gpu->physical) < 0 || n == 0 ||
        !find_queue(gpu))
        return 0;
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(gpu->physical, &properties);
    memcpy(gpu->name, properties.deviceName, sizeof(gpu->name));
    VkPhysicalDeviceVulkan12Features has12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &has12};
    vkGetPhysicalDeviceFeatures2(gpu->physical, &has);
    if (!has12.bufferDeviceAddress || !has12.timelineSemaphore)
        return 0;
    gpu->has_int64 = has.features.shaderInt64 != 0; /* not needed; Pail is faster with them */
    const VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = VK_TRUE,
        .bufferDeviceAddress = VK_TRUE,
    };
    const VkPhysicalDeviceFeatures features = {.shaderInt64 = has.features.shaderInt64};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo device = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .pEnabledFeatures = &features,
    };
    VK(vkCreateDevice(gpu->physical, &device, NULL, &gpu->device));
    vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = gpu->family,
    };
    VK(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool));
    return 1;
}

void gpu_close(struct gpu *gpu)
{
    if (gpu->device != VK_NULL_HANDLE) {
        vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
        vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->instance != VK_NULL_HANDLE)
        vkDestroyInstance(gpu->instance, NULL);
}

/* ---- Memory --------------------------------------------------------------------------------- */
void memory_make(const struct gpu *gpu, struct memory *memory, uint64_t bytes)
{
    *memory = (struct memory){.bytes = bytes};
    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = bytes > 0 ? bytes : 4,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
    };
    VK(vkCreateBuffer(gpu->device, &buffer, NULL, &memory->buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(gpu->device, memory->buffer, &needs);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &types);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type < types.memoryTypeCount &&
           (!(needs.memoryTypeBits >> type & 1) ||
            (types.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    if (type == types.memoryTypeCount)
        fail("the device has no memory that the host can map");
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = needs.size,
        .memoryTypeIndex = type,
    };
    VK(vkAllocateMemory(gpu->device, &allocation, NULL, &memory->memory));
    VK(vkBindBufferMemory(gpu->device, memory->buffer, memory->memory, 0));
    VK(vkMapMemory(gpu->device, memory->memory, 0, VK_WHOLE_SIZE, 0, &memory->mapped));
    const VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = memory->buffer,
    };
    memory->address = vkGetBufferDeviceAddress(gpu->device, &address);
}

void memory_free(const struct gpu *gpu, struct memory *memory)
{
    vkDestroyBuffer(gpu->device, memory->buffer, NULL);
    vkFreeMemory(gpu->device, memory->memory, NULL);
    *memory = (struct memory){0};
}

/* ---- Kernels -------------------------------------------------------------------------------- */
void kernel_make(const struct gpu *gpu, struct kernel *kernel, const uint32_t *words,
                 size_t n_bytes, uint32_t push_bytes)
{
    *kernel = (struct kernel){.push_bytes = push_bytes};
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VK(vkCreatePipelineLayout(gpu->device, &layout, NULL, &kernel->layout));
    const VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = n_bytes,
        .pCode = words,
    };
    VkShaderModule module;
    VK(vkCreateShaderModule(gpu->device, &code, NULL, &module));
    const VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = kernel->layout,
    };
    VK(vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &pipeline, NULL,
                                &kernel->pipeline));
    vkDestroyShaderModule(gpu->device, module, NULL);
}

void kernel_free(const struct gpu *gpu, struct kernel *kernel)
{
    vkDestroyPipeline(gpu->device, kernel->pipeline, NULL);
    vkDestroyPipelineLayout(gpu->device, kernel->layout, NULL);
}

/* ---- Command buffers ------------------------------------------------------------------------ */
VkCommandBuffer commands_begin(const struct gpu *gpu)
{
    const VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands;
    VK(vkAllocateCommandBuffers(gpu->device, &allocation, &commands));
    VK(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

void commands_bind(VkCommandBuffer commands, const struct kernel *kernel, const void *push)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkCmdPushConstants(commands, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, kernel->push_bytes,
                       push);
}

void commands_barrier(VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                             VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &barrier, 0, NULL, 0, NULL);
}

void commands_end(VkCommandBuffer commands)
{
    VK(vkEndCommandBuffer(commands));
}

void commands_run(const struct gpu *gpu, VkCommandBuffer commands)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
    };
    VK(vkQueueSubmit(gpu->queue, 1, &submit, VK_NULL_HANDLE));
    VK(vkQueueWaitIdle(gpu->queue));
}

void commands_free(const struct gpu *gpu, VkCommandBuffer commands)
{
    vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
}
