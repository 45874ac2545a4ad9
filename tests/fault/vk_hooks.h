/* SPDX-License-Identifier: Apache-2.0 */
/* Vulkan functions that fail when a test wants it. Included once, by a test that has
 *
 *     static struct VolkDeviceTable real;             what is called otherwise
 *     static struct { VkResult result; ... } fault;   what is returned
 *     static bool strikes(const char *name);          whether this call fails
 */
#ifndef PAIL_TESTS_FAULT_VK_HOOKS_H
#define PAIL_TESTS_FAULT_VK_HOOKS_H

/* Name, parameters and arguments. Functions of queues are the test's own. */
#define HOOKS(ROW)                                                                                 \
    ROW(vkAllocateMemory,                                                                          \
        (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a,                \
         VkDeviceMemory *o),                                                                       \
        (d, i, a, o))                                                                              \
    ROW(vkCreateBuffer,                                                                            \
        (VkDevice d, const VkBufferCreateInfo *i, const VkAllocationCallbacks *a, VkBuffer *o),    \
        (d, i, a, o))                                                                              \
    ROW(vkBindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o),            \
        (d, b, m, o))                                                                              \
    ROW(vkMapMemory,                                                                               \
        (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags f,         \
         void **p),                                                                                \
        (d, m, o, s, f, p))                                                                        \
    ROW(vkCreateCommandPool,                                                                       \
        (VkDevice d, const VkCommandPoolCreateInfo *i, const VkAllocationCallbacks *a,             \
         VkCommandPool *o),                                                                        \
        (d, i, a, o))                                                                              \
    ROW(vkAllocateCommandBuffers,                                                                  \
        (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *o), (d, i, o))         \
    ROW(vkResetCommandPool, (VkDevice d, VkCommandPool p, VkCommandPoolResetFlags f), (d, p, f))   \
    ROW(vkBeginCommandBuffer, (VkCommandBuffer b, const VkCommandBufferBeginInfo *i), (b, i))      \
    ROW(vkEndCommandBuffer, (VkCommandBuffer b), (b))                                              \
    ROW(vkCreateDescriptorPool,                                                                    \
        (VkDevice d, const VkDescriptorPoolCreateInfo *i, const VkAllocationCallbacks *a,          \
         VkDescriptorPool *o),                                                                     \
        (d, i, a, o))                                                                              \
    ROW(vkResetDescriptorPool, (VkDevice d, VkDescriptorPool p, VkDescriptorPoolResetFlags f),     \
        (d, p, f))                                                                                 \
    ROW(vkAllocateDescriptorSets,                                                                  \
        (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *o), (d, i, o))         \
    ROW(vkCreateQueryPool,                                                                         \
        (VkDevice d, const VkQueryPoolCreateInfo *i, const VkAllocationCallbacks *a,               \
         VkQueryPool *o),                                                                          \
        (d, i, a, o))                                                                              \
    ROW(vkGetQueryPoolResults,                                                                     \
        (VkDevice d, VkQueryPool p, uint32_t f, uint32_t n, size_t s, void *o, VkDeviceSize t,     \
         VkQueryResultFlags g),                                                                    \
        (d, p, f, n, s, o, t, g))                                                                  \
    ROW(vkCreateDescriptorSetLayout,                                                               \
        (VkDevice d, const VkDescriptorSetLayoutCreateInfo *i, const VkAllocationCallbacks *a,     \
         VkDescriptorSetLayout *o),                                                                \
        (d, i, a, o))                                                                              \
    ROW(vkCreatePipelineLayout,                                                                    \
        (VkDevice d, const VkPipelineLayoutCreateInfo *i, const VkAllocationCallbacks *a,          \
         VkPipelineLayout *o),                                                                     \
        (d, i, a, o))                                                                              \
    ROW(vkCreateShaderModule,                                                                      \
        (VkDevice d, const VkShaderModuleCreateInfo *i, const VkAllocationCallbacks *a,            \
         VkShaderModule *o),                                                                       \
        (d, i, a, o))                                                                              \
    ROW(vkCreateComputePipelines,                                                                  \
        (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,          \
         const VkAllocationCallbacks *a, VkPipeline *o),                                           \
        (d, c, n, i, a, o))                                                                        \
    ROW(vkGetSemaphoreCounterValue, (VkDevice d, VkSemaphore s, uint64_t * o), (d, s, o))          \
    ROW(vkWaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo *i, uint64_t t), (d, i, t))       \
    ROW(vkCreateFence,                                                                             \
        (VkDevice d, const VkFenceCreateInfo *i, const VkAllocationCallbacks *a, VkFence *o),      \
        (d, i, a, o))                                                                              \
    ROW(vkResetFences, (VkDevice d, uint32_t n, const VkFence *f), (d, n, f))                      \
    ROW(vkGetFenceStatus, (VkDevice d, VkFence f), (d, f))                                         \
    ROW(vkWaitForFences, (VkDevice d, uint32_t n, const VkFence *f, VkBool32 a, uint64_t t),       \
        (d, n, f, a, t))

/* A function that fails when its turn comes, without having done anything. */
#define HOOK(name, params, args)                                                                   \
    static VKAPI_ATTR VkResult VKAPI_CALL hook_##name params                                       \
    {                                                                                              \
        return strikes(#name) ? fault.result : real.name args;                                     \
    }
HOOKS(HOOK)

#define INSTALL(name)                   (vk->name = hook_##name)
#define INSTALL_ROW(name, params, args) INSTALL(name);

static void install_hooks(struct VolkDeviceTable *vk)
{
    HOOKS(INSTALL_ROW)
}

#endif /* PAIL_TESTS_FAULT_VK_HOOKS_H */
