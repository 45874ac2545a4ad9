/* SPDX-License-Identifier: Apache-2.0 */
/* A host's own VkInstance, VkDevice, queue and memory, as a program that imports them has. */
#ifndef PAIL_TESTS_GPU_HOST_DEVICE_H
#define PAIL_TESTS_GPU_HOST_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "support/test.h"
#include <vulkan/vulkan.h>

#include "plugin.h"

struct host_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    bool int64, addresses, timelines;
    pthread_mutex_t queue;
    int locked, locks; /* guarded by it */
    VkDebugUtilsMessengerEXT messenger;
    atomic_int messages; /* of the validation layer, which is there where PAIL_DEBUG asks for it */
};

/* Instance and device with the features that Pail can use; without timelineSemaphore where the
 * environment has PAIL_TEST_WITHOUT_TIMELINES. A failure ends the test. */
void host_device_make(struct host_device *host);

/* Same, as an autodiff compiler makes its device: it waits for fences, and enables what its kernels
 * use by the structs of single features. bare: none at all. */
void host_device_make_without_timelines(struct host_device *host, bool bare);

/* Fails the test if the validation layer spoke. */
void host_device_free(struct host_device *host);

/* The device for params.import of a context, with the host's lock around the queue. */
pail_vulkan_import host_device_describe(struct host_device *host);

/* A context of a loaded plugin on that device, which takes the host's lock around the queue. */
void host_device_import(struct host_device *host, struct test_plugin *plugin, bool own_loader);

/* Loads the plugin and makes both. pointers: whether the host may read at device addresses where it
 * could. 0, or -1 where there is no plugin. */
int host_device_open(struct host_device *host, struct test_plugin *plugin, bool pointers);

/* Memory of the host that shaders reach by its address, mapped. */
struct shared {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint64_t address;
    uint8_t *mapped;
};

void shared_make(const struct host_device *host, struct shared *s, uint64_t bytes);
void shared_free(const struct host_device *host, struct shared *s);

/* True if device addresses are pointers that the plugin may have the host read: on a device that is
 * a CPU, where memory is mapped at its address. */
bool host_device_points(const struct host_device *host, const struct shared *memory);

/* Skips the test where the device has none. */
VkSemaphore host_device_timeline(const struct host_device *host);

#endif /* PAIL_TESTS_GPU_HOST_DEVICE_H */
