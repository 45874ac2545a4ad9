/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a device calls, for tests to replace one by one.
 *
 * Replace an entry while no other thread uses the device. */
#ifndef PAIL_VK_TESTING_H
#define PAIL_VK_TESTING_H

#include "device.h"

struct VolkDeviceTable *pail_vk_device_table(struct pail_vk_device *dev);
VkDevice pail_vk_device_handle(struct pail_vk_device *dev);

#endif /* PAIL_VK_TESTING_H */
