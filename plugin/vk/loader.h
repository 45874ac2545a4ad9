/* The Vulkan loader of the system, opened once for the process, and an instance that keeps drivers
 * loaded: the only global state of the plugin. */
#ifndef PAIL_VK_LOADER_H
#define PAIL_VK_LOADER_H

#include <stdbool.h>

#include <core/error.h>

#include "vulkan.h"

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

/* Gets rid of an instance of the loader of the system whose objects are all gone, so that the
 * drivers stay loaded until the plugin is unloaded: the first instance of a process is kept in its
 * place.
 *
 * A driver that leaves with its last instance is slow to bring back, and NVIDIA's (580, Linux)
 * cannot be loaded more than about 30 times by one process: then the loader finds no driver.
 *
 * bare: without layers and callbacks, and it has devices. One that is not is destroyed, and a bare
 * one is made to be kept if there is none yet; should that fail, the drivers leave.
 * Thread-safe. */
void pail_vk_loader_release(VkInstance instance, PFN_vkDestroyInstance destroy, bool bare);

/* Fills the table of a device, whose functions need not come from the loader of the system. */
void pail_vk_loader_device(struct VolkDeviceTable *table, VkDevice device,
                           PFN_vkGetDeviceProcAddr get);

#endif /* PAIL_VK_LOADER_H */
