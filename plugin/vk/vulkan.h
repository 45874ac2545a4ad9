/* SPDX-License-Identifier: Apache-2.0 */
/* Vulkan, with every function reached through a table of an instance or of a device.
 *
 * volk declares a global pointer for each function, and those of devices would belong to whichever
 * device was loaded last. Only loader.c may use any of them; a test looks at the symbols of the
 * other objects. */
#ifndef PAIL_VK_VULKAN_H
#define PAIL_VK_VULKAN_H

#include <volk.h>

#endif /* PAIL_VK_VULKAN_H */
