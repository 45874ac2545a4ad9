/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of a host: one set of storage buffers, push constants, and submissions of its own. */
#ifndef PAIL_TESTS_GPU_HOST_KERNEL_H
#define PAIL_TESTS_GPU_HOST_KERNEL_H

#include "support/host_device.h"

enum { HOST_KERNEL_BINDINGS = 4 };

struct host_kernel {
    const struct host_device *host;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandPool commands;
    VkQueue queue;
    VkFence fence;
    uint32_t push_bytes;
};

/* buffers: [n_buffers] of bindings 0, 1, 2... A failure ends the test. */
void host_kernel_make(struct host_kernel *kernel, const struct host_device *host,
                      const uint32_t *words, size_t n_bytes, const VkBuffer *buffers,
                      uint32_t n_buffers, uint32_t push_bytes);
void host_kernel_free(struct host_kernel *kernel);

/* Runs it and waits; what it wrote can be read by the host. */
void host_kernel_run(struct host_kernel *kernel, uint32_t groups, const void *push);

/* A report that shaders/storm_address.comp is to make. */
struct storm_row {
    uint32_t id, stack, pushed, serial;
};

#endif /* PAIL_TESTS_GPU_HOST_KERNEL_H */
