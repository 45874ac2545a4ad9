/* SPDX-License-Identifier: Apache-2.0 */
/* Test whether device addresses are pointers of this process, as they are where the device is a
 * program in it. Vulkan does not say so of any device, so it is tried. */
#ifndef PAIL_VK_POINTERS_H
#define PAIL_VK_POINTERS_H

#include "device.h"

/* Sets caps.pointers: true where everything below held, for memory of each type that a buffer with
 * a device address can have, and for buffers at its beginning and further inside:
 * - the device is a CPU by its own word, and the type is visible to the host and coherent;
 * - the address is where the buffer is mapped, as a number;
 * - what the device wrote is read at that address, without a fault, in memory that is not mapped
 *   and never was.
 * The caller has not shared the device with other threads yet. Waits for one submission for each
 * type, on the devices that are tried at all.
 * Errors: memory, PAIL_ERR_DEVICE_LOST; caps.pointers is false then. */
pail_status pail_vk_find_pointers(struct pail_vk_device *dev, struct pail_error *err);

#endif /* PAIL_VK_POINTERS_H */
