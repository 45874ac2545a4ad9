/* SPDX-License-Identifier: Apache-2.0 */
/* The instance, as the files of this folder know it. */
#ifndef PAIL_VK_INSTANCE_PRIV_H
#define PAIL_VK_INSTANCE_PRIV_H

#include <stdatomic.h>

#include <core/debug.h>

#include "instance.h"

/* Functions of one instance. The debug ones are NULL unless VK_EXT_debug_utils is enabled. */
struct pail_vk_instance_fns {
    PFN_vkDestroyInstance vkDestroyInstance;
    PFN_vkEnumeratePhysicalDevices vkEnumeratePhysicalDevices;
    PFN_vkGetPhysicalDeviceProperties2 vkGetPhysicalDeviceProperties2;
    PFN_vkGetPhysicalDeviceFeatures2 vkGetPhysicalDeviceFeatures2;
    PFN_vkGetPhysicalDeviceMemoryProperties2 vkGetPhysicalDeviceMemoryProperties2;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties vkGetPhysicalDeviceQueueFamilyProperties;
    PFN_vkEnumerateDeviceExtensionProperties vkEnumerateDeviceExtensionProperties;
    PFN_vkCreateDevice vkCreateDevice;
    PFN_vkGetDeviceProcAddr vkGetDeviceProcAddr;

    PFN_vkCreateDebugUtilsMessengerEXT vkCreateDebugUtilsMessengerEXT;
    PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT;
    PFN_vkSetDebugUtilsObjectNameEXT vkSetDebugUtilsObjectNameEXT;
    PFN_vkCmdBeginDebugUtilsLabelEXT vkCmdBeginDebugUtilsLabelEXT;
    PFN_vkCmdEndDebugUtilsLabelEXT vkCmdEndDebugUtilsLabelEXT;
};

struct pail_vk_physical {
    VkPhysicalDevice handle;
    struct pail_vk_caps caps;
};

struct pail_vk_instance {
    struct pail_alloc alloc;
    struct pail_log log;
    uint32_t debug; /* enum pail_debug */
    struct pail_vk_limits_override limits;
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger;
    struct pail_vk_instance_fns fns;
    struct pail_vk_physical *devices;
    uint32_t n_devices;
    atomic_uint_fast64_t errors, warnings;
};

/* Errors: PAIL_ERR_UNSUPPORTED when a function of Vulkan 1.1 is missing. */
pail_status pail_vk_instance_fns_load(struct pail_vk_instance_fns *fns, VkInstance instance,
                                      PFN_vkGetInstanceProcAddr get, struct pail_error *err);

/* The family whose queue computes; UINT32_MAX when there is none. */
uint32_t pail_vk_main_family(const VkQueueFamilyProperties families[], uint32_t n);

/* The family whose queue only copies; UINT32_MAX when there is none. */
uint32_t pail_vk_transfer_family(const VkQueueFamilyProperties families[], uint32_t n);

/* Lists the queue families of a device; the caller frees *families. */
pail_status pail_vk_families(const struct pail_vk_instance_fns *fns, VkPhysicalDevice physical,
                             const struct pail_alloc *alloc, VkQueueFamilyProperties **families,
                             uint32_t *n, struct pail_error *err);

pail_status pail_vk_caps_read(struct pail_vk_caps *caps, const struct pail_vk_instance_fns *fns,
                              VkPhysicalDevice physical, const struct pail_alloc *alloc,
                              struct pail_error *err);

/* "VK_ERROR_DEVICE_LOST"; for results this layer has no name for, "VkResult". */
const char *pail_vk_result_name(VkResult result);

/* PAIL_OK for VK_SUCCESS. */
pail_status pail_vk_result_status(VkResult result);

/* Fails with "<what>: <name of the result> (<number>)", unless the result is VK_SUCCESS. */
pail_status pail_vk_result(VkResult result, const char *what, struct pail_error *err);

/* Asks again what is free of each heap, where the driver has an account of it. Waits for no work.
 */
void pail_vk_caps_reread_memory(struct pail_vk_caps *caps, const struct pail_vk_instance_fns *fns,
                                VkPhysicalDevice physical);

/* ---- The loader (loader.c) ------------------------------------------------------------------- */
/* Functions that need no instance. */
struct pail_vk_loader {
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
    PFN_vkCreateInstance vkCreateInstance;
    PFN_vkEnumerateInstanceVersion vkEnumerateInstanceVersion;
    PFN_vkEnumerateInstanceExtensionProperties vkEnumerateInstanceExtensionProperties;
    PFN_vkEnumerateInstanceLayerProperties vkEnumerateInstanceLayerProperties;
};

/* Thread-safe. Errors: PAIL_ERR_UNSUPPORTED when there is no libvulkan or it is older than 1.1. */
pail_status pail_vk_loader_open(struct pail_vk_loader *loader, struct pail_error *err);

/* Gets rid of an instance of the loader of the system whose objects are all gone. Its drivers stay
 * loaded for the life of the process, and ready until the plugin is unloaded: the first instance is
 * kept in the place of this one.
 *
 * A driver that leaves with its last instance is slow to bring back, and NVIDIA's (580, Linux)
 * cannot be loaded more than 20 to 30 times by one process: then the loader finds no driver.
 *
 * bare: without layers and callbacks, and it has devices. One that is not is destroyed, and a bare
 * one is made to be kept if there is none yet; should that fail, the drivers have no instance.
 * Thread-safe. */
void pail_vk_loader_release(VkInstance instance, PFN_vkDestroyInstance destroy, bool bare);

/* Fills the table of a device, whose functions need not come from the loader of the system. */
void pail_vk_loader_device(struct VolkDeviceTable *table, VkDevice device,
                           PFN_vkGetDeviceProcAddr get);

#endif /* PAIL_VK_INSTANCE_PRIV_H */
