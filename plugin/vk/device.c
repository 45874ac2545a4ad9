/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <string.h>

#include <platform/thread.h>

#include "device_cache.h"
#include "device_priv.h"
#include "pace_kept.h"
#include "testing.h"

#define STAGING_BYTES (UINT64_C(16) << 20)
/* One core copies 6 to 10 GB/s, half of that where it reads and checks as well, and the fastest bus
 * takes 50; more threads only wait for it. */
#define HELPERS_MAX 15u

pail_status pail_vk_device_result(struct pail_vk_device *dev, VkResult result, const char *what,
                                  struct pail_error *err)
{
    if (result == VK_ERROR_DEVICE_LOST && !atomic_exchange(&dev->lost, true))
        pail_log(&dev->log, PAIL_LOG_ERROR, "device \"%s\" was lost in %s", dev->caps.name, what);
    return pail_vk_result(result, what, err);
}

pail_status pail_vk_device_check(const struct pail_vk_device *dev, struct pail_error *err)
{
    if (atomic_load(&dev->lost))
        return pail_fail(err, PAIL_ERR_DEVICE_LOST,
                         "device \"%s\" was lost by an earlier call; make a new context",
                         dev->caps.name);
    return PAIL_OK;
}

/* Vulkan promises that waiting for a lost device ends. */
static void stop(struct pail_vk_device *dev)
{
    if (dev->owned) {
        for (uint32_t i = 0; i < dev->n_queues; i++)
            if (dev->queues[i].open)
                pthread_mutex_lock(&dev->queues[i].submit);
        dev->vk.vkDeviceWaitIdle(dev->handle);
        for (uint32_t i = dev->n_queues; i-- > 0;)
            if (dev->queues[i].open)
                pthread_mutex_unlock(&dev->queues[i].submit);
        return;
    }
    struct pail_vk_queue *queue = &dev->queues[PAIL_VK_QUEUE_MAIN];
    pthread_mutex_lock(&queue->submit);
    if (dev->import.lock_queue)
        dev->import.lock_queue(dev->import.user, queue->family, queue->index);
    dev->vk.vkQueueWaitIdle(queue->handle);
    if (dev->import.unlock_queue)
        dev->import.unlock_queue(dev->import.user, queue->family, queue->index);
    pthread_mutex_unlock(&queue->submit);
}

void pail_vk_device_settle(struct pail_vk_device *dev)
{
    if (!atomic_load(&dev->lost))
        return;
    pthread_mutex_lock(&dev->drain_lock);
    if (!dev->drained && dev->n_queues)
        stop(dev);
    dev->drained = true;
    pthread_mutex_unlock(&dev->drain_lock);
}

void pail_vk_device_name(const struct pail_vk_device *dev, VkObjectType type, uint64_t handle,
                         const char *name)
{
    if (!dev->fns.vkSetDebugUtilsObjectNameEXT || dev->debug & PAIL_DEBUG_NOLABELS || !name)
        return;
    const VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = name,
    };
    /* A name that cannot be set is no reason to fail. */
    (void)dev->fns.vkSetDebugUtilsObjectNameEXT(dev->handle, &info);
}

static struct pail_vk_device *device_alloc(const struct pail_alloc *alloc,
                                           const struct pail_log *log, uint32_t debug,
                                           const struct pail_vk_device_params *params,
                                           struct pail_error *err)
{
    struct pail_vk_device *dev = pail_calloc(alloc, 1, sizeof(*dev));
    if (!dev) {
        pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a Vulkan device");
        return NULL;
    }
    dev->alloc = *alloc;
    dev->log = *log;
    dev->debug = debug;
    atomic_init(&dev->lost, false);
    pthread_mutex_init(&dev->drain_lock, NULL);
    pthread_mutex_init(&dev->queue_lock, NULL);
    pthread_mutex_init(&dev->stats_lock, NULL);
    const uint32_t wanted = params ? params->threads : 0;
    const uint32_t threads = wanted ? wanted : pail_team_processors();
    pail_helpers_init(&dev->helpers, threads - 1 < HELPERS_MAX ? threads - 1 : HELPERS_MAX,
                      "pail-copy");
    return dev;
}

/* The queues beside the main one, which are of its family. */
static pail_status open_sides(struct pail_vk_device *dev, struct pail_error *err)
{
    const struct pail_vk_queue *const main = &dev->queues[PAIL_VK_QUEUE_MAIN];
    const bool one = dev->caps.side_queues == 0 && dev->caps.timeline_semaphore && dev->owned &&
                     (dev->debug & PAIL_DEBUG_LANES) != 0;
    pail_status status = PAIL_OK;
    dev->queues_are_one = one;
    if (one)
        dev->caps.side_queues = PAIL_VK_SIDES_MAX;
    for (uint32_t i = 0; i < dev->caps.side_queues && status == PAIL_OK; i++) {
        status =
            pail_vk_queue_init(dev, &dev->queues[PAIL_VK_QUEUE_SIDE + i], main->family,
                               one ? main->index : main->index + 1 + i, main->timestamp_bits, err);
        dev->n_queues = PAIL_VK_QUEUE_SIDE + i + 1;
    }
    return status;
}

/* Sets up the part that both kinds of device share, once there is a handle and a table. families:
 * of the device. */
static pail_status device_setup(struct pail_vk_device *dev, uint32_t family, uint32_t index,
                                uint32_t transfer_family, const VkQueueFamilyProperties families[],
                                const struct pail_vk_device_params *params, struct pail_error *err)
{
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    dev->fns.vkGetPhysicalDeviceMemoryProperties2(dev->physical, &memory);
    dev->memory_types = memory.memoryProperties;

    if (!dev->vk.vkWaitSemaphores || !dev->vk.vkGetSemaphoreCounterValue)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "device \"%s\" lacks functions of Vulkan 1.2; its instance must be made "
                         "for Vulkan 1.2 or later",
                         dev->caps.name);
    const uint32_t bits = dev->caps.timestamp_bits ? families[family].timestampValidBits : 0;
    dev->caps.timestamp_bits = bits;
    pail_status status =
        pail_vk_queue_init(dev, &dev->queues[PAIL_VK_QUEUE_MAIN], family, index, bits, err);
    if (status != PAIL_OK)
        return status;
    dev->n_queues = 1;
    if (transfer_family != UINT32_MAX) {
        status = pail_vk_queue_init(dev, &dev->queues[PAIL_VK_QUEUE_TRANSFER], transfer_family, 0,
                                    0, err);
        if (status != PAIL_OK)
            return status;
        dev->n_queues = 2;
    }
    status = open_sides(dev, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_pace_init(&dev->pace, &dev->caps, dev->debug & PAIL_DEBUG_WHOLE);
    const uint64_t staging =
        params && params->staging_bytes ? params->staging_bytes : STAGING_BYTES;
    if ((status = pail_vk_cmd_pool_create(dev, err)) != PAIL_OK ||
        (status = pail_vk_cache_open(dev, params ? params->cache : NULL, err)) != PAIL_OK ||
        (status = pail_vk_pipelines_create(dev, err)) != PAIL_OK ||
        (status = pail_vk_staging_create(dev, staging, err)) != PAIL_OK)
        return status;
    pail_vk_pace_load(dev);
    if (dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, PAIL_LOG_DEBUG, "device \"%s\" (%s %s), queue family %u%s",
                 dev->caps.name, dev->caps.driver_name, dev->caps.driver_info, family,
                 dev->owned ? "" : ", imported");
    if (dev->debug & PAIL_DEBUG_TRACE)
        pail_log(&dev->log, PAIL_LOG_DEBUG,
                 "large memory: %llu bytes by sparse binding, %llu are tried",
                 (unsigned long long)dev->caps.max_sparse_bytes,
                 (unsigned long long)dev->caps.max_tried_bytes);
    return PAIL_OK;
}

static pail_status create_handle(struct pail_vk_device *dev, uint32_t family,
                                 uint32_t transfer_family, struct pail_error *err)
{
    const float priority = 1.0f;
    float priorities[1 + PAIL_VK_SIDES_MAX];
    for (uint32_t i = 0; i < 1 + PAIL_VK_SIDES_MAX; i++)
        priorities[i] = priority;
    const VkDeviceQueueCreateInfo queues[] = {
        {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = family,
            .queueCount = 1 + dev->caps.side_queues,
            .pQueuePriorities = priorities,
        },
        {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
            .queueFamilyIndex = transfer_family,
            .queueCount = 1,
            .pQueuePriorities = &priority,
        },
    };
    VkPhysicalDeviceVulkan12Features features12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = dev->caps.timeline_semaphore,
        .bufferDeviceAddress = dev->caps.buffer_device_address,
    };
    VkPhysicalDevicePipelineCreationCacheControlFeatures control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
        .pipelineCreationCacheControl = VK_TRUE,
    };
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE,
    };
    const char *extensions[4];
    uint32_t n_extensions = 0;
    if (dev->caps.portability_subset) /* Vulkan wants it enabled wherever it is */
        extensions[n_extensions++] = PAIL_VK_PORTABILITY_SUBSET;
    if (dev->caps.creation_feedback)
        extensions[n_extensions++] = VK_EXT_PIPELINE_CREATION_FEEDBACK_EXTENSION_NAME;
    if (dev->caps.cache_control) {
        extensions[n_extensions++] = VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME;
        features12.pNext = &control;
    }
    dev->caps.executable_properties &= (dev->debug & PAIL_DEBUG_REGISTERS) != 0;
    if (dev->caps.executable_properties) {
        extensions[n_extensions++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
        executables.pNext = features12.pNext;
        features12.pNext = &executables;
    }
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &features12,
        .features = {.shaderInt64 = dev->caps.int64,
                     .shaderFloat64 = dev->caps.float64,
                     .sparseBinding = dev->caps.max_sparse_bytes > 0},
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = transfer_family != UINT32_MAX ? 2 : 1,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = n_extensions,
        .ppEnabledExtensionNames = extensions,
    };
    return pail_vk_result(dev->fns.vkCreateDevice(dev->physical, &info, NULL, &dev->handle),
                          "vkCreateDevice", err);
}

pail_status pail_vk_device_create(struct pail_vk_device **out, struct pail_vk_instance *instance,
                                  uint32_t index, const struct pail_vk_device_params *params,
                                  struct pail_error *err)
{
    *out = NULL;
    if (index >= instance->n_devices)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "there is no device %u; the last one is %u", index,
                         instance->n_devices - 1);
    const struct pail_vk_caps *caps = &instance->devices[index].caps;
    if (caps->unusable[0])
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "device \"%s\" cannot be used: %s", caps->name,
                         caps->unusable);
    struct pail_vk_device *dev =
        device_alloc(&instance->alloc, &instance->log, instance->debug, params, err);
    if (!dev)
        return PAIL_ERR_HOST_MEMORY;
    dev->owned = true;
    dev->instance = instance->handle;
    dev->fns = instance->fns;
    dev->physical = instance->devices[index].handle;
    dev->caps = *caps;
    if (params && params->limits)
        pail_vk_caps_limit(&dev->caps, params->limits);

    const uint32_t sides = dev->debug & PAIL_DEBUG_LANES ? PAIL_VK_SIDES_MAX
                           : params                      ? params->side_queues
                                                         : 0;
    if (dev->caps.side_queues > sides)
        dev->caps.side_queues = sides;

    VkQueueFamilyProperties *families;
    uint32_t n_families;
    pail_status status =
        pail_vk_families(&dev->fns, dev->physical, &dev->alloc, &families, &n_families, err);
    if (status != PAIL_OK)
        goto out;
    const uint32_t family = pail_vk_main_family(families, n_families);
    const uint32_t transfer_family =
        dev->caps.transfer_queue ? pail_vk_transfer_family(families, n_families) : UINT32_MAX;
    status = create_handle(dev, family, transfer_family, err);
    if (status != PAIL_OK)
        goto out;
    pail_vk_loader_device(&dev->vk, dev->handle, dev->fns.vkGetDeviceProcAddr);
    status = device_setup(dev, family, 0, transfer_family, families, params, err);
out:
    pail_free(&dev->alloc, families);
    if (status != PAIL_OK)
        pail_vk_device_destroy(&dev);
    *out = dev;
    return status;
}

static pail_status import_check(const struct pail_vk_import *import, struct pail_error *err)
{
    const char *missing =
        !import->instance                             ? "instance"
        : !import->physical                           ? "physical device"
        : !import->device                             ? "device"
        : !import->lock_queue && import->unlock_queue ? "lock_queue to go with unlock_queue"
        : import->lock_queue && !import->unlock_queue ? "unlock_queue to go with lock_queue"
                                                      : NULL;
    if (missing)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "the imported Vulkan device has no %s", missing);
    return PAIL_OK;
}

static pail_status import_queue_check(const struct pail_vk_import *import,
                                      const VkQueueFamilyProperties families[], uint32_t n,
                                      struct pail_error *err)
{
    const uint32_t family = import->queue_family, index = import->queue_index;
    if (family >= n)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "the imported queue is of family %u, but the device has %u", family, n);
    if (index >= families[family].queueCount)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "the imported queue is number %u of family %u, which has %u", index,
                         family, families[family].queueCount);
    if (!(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "the imported queue is of family %u, which cannot compute", family);
    return PAIL_OK;
}

pail_status pail_vk_device_import(struct pail_vk_device **out, const struct pail_vk_env *env,
                                  const struct pail_vk_import *import,
                                  const struct pail_vk_device_params *params,
                                  struct pail_error *err)
{
    *out = NULL;
    uint32_t debug;
    struct pail_vk_limits_override limits;
    pail_status status = pail_debug_parse(&debug, env->debug, err);
    if (status != PAIL_OK ||
        (status = pail_vk_limits_parse(&limits, env->limits, err)) != PAIL_OK ||
        (status = import_check(import, err)) != PAIL_OK)
        return status;
    PFN_vkGetInstanceProcAddr get = import->get_instance_proc_addr;
    if (!get) {
        struct pail_vk_loader loader;
        status = pail_vk_loader_open(&loader, err);
        if (status != PAIL_OK)
            return status;
        get = loader.vkGetInstanceProcAddr;
    }
    struct pail_vk_device *dev = device_alloc(&env->alloc, &env->log, debug, params, err);
    if (!dev)
        return PAIL_ERR_HOST_MEMORY;
    if (debug & PAIL_DEBUG_VALIDATE)
        pail_log(&env->log, PAIL_LOG_WARNING,
                 "PAIL_DEBUG=validate has no effect on an imported device; load the layer in the "
                 "program that made it");
    dev->import = *import;
    dev->instance = import->instance;
    dev->physical = import->physical;
    dev->handle = import->device;

    VkQueueFamilyProperties *families = NULL;
    uint32_t n_families;
    if ((status = pail_vk_instance_fns_load(&dev->fns, dev->instance, get, err)) != PAIL_OK ||
        (status = pail_vk_caps_read(&dev->caps, &dev->fns, dev->physical, &dev->alloc, err)) !=
            PAIL_OK)
        goto out;
    if (dev->caps.unusable[0]) {
        status = pail_fail(err, PAIL_ERR_UNSUPPORTED, "device \"%s\" cannot be used: %s",
                           dev->caps.name, dev->caps.unusable);
        goto out;
    }
    if ((status = pail_vk_families(&dev->fns, dev->physical, &dev->alloc, &families, &n_families,
                                   err)) != PAIL_OK ||
        (status = import_queue_check(import, families, n_families, err)) != PAIL_OK)
        goto out;
    /* Features that the host did not enable count as missing. */
    dev->caps.timeline_semaphore &= import->timeline_semaphore;
    dev->caps.int64 &= import->int64;
    dev->caps.float64 &= import->float64;
    dev->caps.buffer_device_address &= import->buffer_device_address;
    dev->caps.transfer_queue = false;
    dev->caps.side_queues = 0;
    dev->caps.creation_feedback = false;
    dev->caps.cache_control = false;
    dev->caps.executable_properties = false;
    dev->caps.max_sparse_bytes = dev->caps.max_tried_bytes = 0;
    dev->caps.timestamp_bits = families[import->queue_family].timestampValidBits;
    pail_vk_caps_limit(&dev->caps, &limits);
    if (params && params->limits)
        pail_vk_caps_limit(&dev->caps, params->limits);
    pail_vk_loader_device(&dev->vk, dev->handle, dev->fns.vkGetDeviceProcAddr);
    status = device_setup(dev, import->queue_family, import->queue_index, UINT32_MAX, families,
                          params, err);
out:
    pail_free(&dev->alloc, families);
    if (status != PAIL_OK)
        pail_vk_device_destroy(&dev);
    *out = dev;
    return status;
}

/* Waits for what was submitted, and no more: the host may be using other queues of its device. */
static void drain(struct pail_vk_device *dev)
{
    for (uint32_t i = 0; i < dev->n_queues; i++)
        if (!atomic_load(&dev->lost) && !pail_vk_queue_drain(dev, &dev->queues[i]))
            atomic_store(&dev->lost, true); /* no way to know that it stopped but to stop it */
    pail_vk_device_settle(dev);
}

void pail_vk_device_destroy(struct pail_vk_device **device)
{
    struct pail_vk_device *dev = *device;
    *device = NULL;
    if (!dev)
        return;
    if (dev->handle) {
        drain(dev);
        pail_vk_staging_destroy(dev);
        pail_vk_cmd_pool_destroy(dev);
        pail_vk_pipelines_destroy(dev);
        pail_vk_pace_store(dev);
        pail_vk_cache_close(dev);
        for (uint32_t i = 0; i < PAIL_VK_QUEUE_KINDS; i++)
            pail_vk_queue_fini(dev, &dev->queues[i]);
        if (dev->stats.live)
            pail_log(&dev->log, PAIL_LOG_WARNING,
                     "device \"%s\" is destroyed while %llu buffers of it are held", dev->caps.name,
                     (unsigned long long)dev->stats.live);
        if (dev->owned)
            dev->vk.vkDestroyDevice(dev->handle, NULL);
    }
    pail_vk_pace_fini(&dev->pace);
    pail_helpers_destroy(&dev->helpers);
    pthread_mutex_destroy(&dev->drain_lock);
    pthread_mutex_destroy(&dev->queue_lock);
    pthread_mutex_destroy(&dev->stats_lock);
    const struct pail_alloc alloc = dev->alloc;
    pail_free(&alloc, dev);
}

void pail_vk_device_found_doubles(struct pail_vk_device *dev, bool fused, bool fast)
{
    dev->caps.fused_doubles = fused;
    dev->caps.fast_doubles = fast;
}

void pail_vk_device_caps_now(const struct pail_vk_device *dev, struct pail_vk_caps *caps)
{
    *caps = dev->caps;
    pail_vk_caps_reread_memory(caps, &dev->fns, dev->physical);
}

const struct pail_vk_caps *pail_vk_device_caps(const struct pail_vk_device *dev)
{
    return &dev->caps;
}

const struct pail_alloc *pail_vk_device_alloc(const struct pail_vk_device *dev)
{
    return &dev->alloc;
}

const struct pail_log *pail_vk_device_log(const struct pail_vk_device *dev)
{
    return &dev->log;
}

uint32_t pail_vk_device_debug(const struct pail_vk_device *dev)
{
    return dev->debug;
}

bool pail_vk_device_lost(const struct pail_vk_device *dev)
{
    return atomic_load(&dev->lost);
}

struct VolkDeviceTable *pail_vk_device_table(struct pail_vk_device *dev)
{
    return &dev->vk;
}

VkDevice pail_vk_device_handle(struct pail_vk_device *dev)
{
    return dev->handle;
}
