/* The Vulkan loader of the system, opened once for the process: the only global state of the
 * plugin. */
#ifndef PAIL_VK_LOADER_H
#define PAIL_VK_LOADER_H

#include "error.h"
#include "vk/vulkan.h"

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

/* Fills the table of a device, whose functions need not come from the loader of the system. */
void pail_vk_loader_device(struct VolkDeviceTable *table, VkDevice device,
                           PFN_vkGetDeviceProcAddr get);

#endif /* PAIL_VK_LOADER_H */
