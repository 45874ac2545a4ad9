/* Vulkan functions that fail when a test wants it. Included once, by a test that has
 *
 *     static struct VolkDeviceTable real;             what is called otherwise
 *     static struct { VkResult result; ... } fault;   what is returned
 *     static bool strikes(const char *name);          whether this call fails
 */
#ifndef PAIL_TESTS_FAULT_VK_HOOKS_H
#define PAIL_TESTS_FAULT_VK_HOOKS_H

/* A function that fails when its turn comes, without having done anything. */
#define HOOK(name, params, args)                                                                   \
    static VKAPI_ATTR VkResult VKAPI_CALL hook_##name params                                       \
    {                                                                                              \
        return strikes(#name) ? fault.result : real.name args;                                     \
    }

HOOK(vkAllocateMemory,
     (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a, VkDeviceMemory *o),
     (d, i, a, o))
HOOK(vkCreateBuffer,
     (VkDevice d, const VkBufferCreateInfo *i, const VkAllocationCallbacks *a, VkBuffer *o),
     (d, i, a, o))
HOOK(vkBindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o), (d, b, m, o))
HOOK(vkMapMemory,
     (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags f, void **p),
     (d, m, o, s, f, p))
HOOK(vkCreateCommandPool,
     (VkDevice d, const VkCommandPoolCreateInfo *i, const VkAllocationCallbacks *a,
      VkCommandPool *o),
     (d, i, a, o))
HOOK(vkAllocateCommandBuffers,
     (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *o), (d, i, o))
HOOK(vkResetCommandPool, (VkDevice d, VkCommandPool p, VkCommandPoolResetFlags f), (d, p, f))
HOOK(vkBeginCommandBuffer, (VkCommandBuffer b, const VkCommandBufferBeginInfo *i), (b, i))
HOOK(vkEndCommandBuffer, (VkCommandBuffer b), (b))
HOOK(vkCreateDescriptorPool,
     (VkDevice d, const VkDescriptorPoolCreateInfo *i, const VkAllocationCallbacks *a,
      VkDescriptorPool *o),
     (d, i, a, o))
HOOK(vkResetDescriptorPool, (VkDevice d, VkDescriptorPool p, VkDescriptorPoolResetFlags f),
     (d, p, f))
HOOK(vkAllocateDescriptorSets,
     (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *o), (d, i, o))
HOOK(vkCreateQueryPool,
     (VkDevice d, const VkQueryPoolCreateInfo *i, const VkAllocationCallbacks *a, VkQueryPool *o),
     (d, i, a, o))
HOOK(vkGetQueryPoolResults,
     (VkDevice d, VkQueryPool p, uint32_t f, uint32_t n, size_t s, void *o, VkDeviceSize t,
      VkQueryResultFlags g),
     (d, p, f, n, s, o, t, g))
HOOK(vkCreateDescriptorSetLayout,
     (VkDevice d, const VkDescriptorSetLayoutCreateInfo *i, const VkAllocationCallbacks *a,
      VkDescriptorSetLayout *o),
     (d, i, a, o))
HOOK(vkCreatePipelineLayout,
     (VkDevice d, const VkPipelineLayoutCreateInfo *i, const VkAllocationCallbacks *a,
      VkPipelineLayout *o),
     (d, i, a, o))
HOOK(vkCreateShaderModule,
     (VkDevice d, const VkShaderModuleCreateInfo *i, const VkAllocationCallbacks *a,
      VkShaderModule *o),
     (d, i, a, o))
HOOK(vkCreateComputePipelines,
     (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,
      const VkAllocationCallbacks *a, VkPipeline *o),
     (d, c, n, i, a, o))
HOOK(vkGetSemaphoreCounterValue, (VkDevice d, VkSemaphore s, uint64_t *o), (d, s, o))
HOOK(vkWaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo *i, uint64_t t), (d, i, t))

#define INSTALL(name) (vk->name = hook_##name)

/* All of the above. Those of queues are the test's own. */
static void install_hooks(struct VolkDeviceTable *vk)
{
    INSTALL(vkAllocateMemory);
    INSTALL(vkCreateBuffer);
    INSTALL(vkBindBufferMemory);
    INSTALL(vkMapMemory);
    INSTALL(vkCreateCommandPool);
    INSTALL(vkAllocateCommandBuffers);
    INSTALL(vkResetCommandPool);
    INSTALL(vkBeginCommandBuffer);
    INSTALL(vkEndCommandBuffer);
    INSTALL(vkCreateDescriptorPool);
    INSTALL(vkResetDescriptorPool);
    INSTALL(vkAllocateDescriptorSets);
    INSTALL(vkCreateQueryPool);
    INSTALL(vkGetQueryPoolResults);
    INSTALL(vkCreateDescriptorSetLayout);
    INSTALL(vkCreatePipelineLayout);
    INSTALL(vkCreateShaderModule);
    INSTALL(vkCreateComputePipelines);
    INSTALL(vkGetSemaphoreCounterValue);
    INSTALL(vkWaitSemaphores);
}

#endif /* PAIL_TESTS_FAULT_VK_HOOKS_H */
