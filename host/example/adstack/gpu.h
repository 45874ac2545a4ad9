/* SPDX-License-Identifier: Apache-2.0 */
/* The Vulkan that a compiler's runtime has anyway: a device of its own, memory with addresses, and
 * kernels. A failure prints a sentence and ends the program. */
#ifndef EXAMPLE_GPU_H
#define EXAMPLE_GPU_H

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

struct gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    uint32_t family;
    int has_int64;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

/* Memory that host and kernels share; all of it is mapped. */
struct memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint64_t address, bytes;
    void *mapped;
};

struct kernel {
    VkPipelineLayout layout;
    VkPipeline pipeline;
    uint32_t push_bytes;
};

__attribute__((format(printf, 1, 2))) _Noreturn void fail(const char *format, ...);

/* Returns 0 where there is no device with buffer addresses and timeline semaphores. */
int gpu_open(struct gpu *gpu);
void gpu_close(struct gpu *gpu);

void memory_make(const struct gpu *gpu, struct memory *memory, uint64_t bytes);
void memory_free(const struct gpu *gpu, struct memory *memory); /* legal when zeroed */

void kernel_make(const struct gpu *gpu, struct kernel *kernel, const uint32_t *words,
                 size_t n_bytes, uint32_t push_bytes);
void kernel_free(const struct gpu *gpu, struct kernel *kernel);

/* A command buffer in the recording state; it can be submitted more than once. */
VkCommandBuffer commands_begin(const struct gpu *gpu);
void commands_bind(VkCommandBuffer commands, const struct kernel *kernel, const void *push);
/* Makes earlier writes visible to later reads: by kernels, indirect dispatches, the host. */
void commands_barrier(VkCommandBuffer commands);
void commands_end(VkCommandBuffer commands);
/* Submits the commands and waits. */
void commands_run(const struct gpu *gpu, VkCommandBuffer commands);
void commands_free(const struct gpu *gpu, VkCommandBuffer commands);

#endif /* EXAMPLE_GPU_H */
