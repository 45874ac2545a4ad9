/* SPDX-License-Identifier: Apache-2.0 */
/* Wiping: zeros over memory that held secrets, before it is freed or lent on. */
#ifndef PAIL_VK_WIPE_H
#define PAIL_VK_WIPE_H

#include "memory.h"
#include "queue.h"

/* Fills a slice with zeros and waits until they are there: the host does it where the slice is
 * mapped, else the device. No submitted work may still use it.
 * Errors: memory, PAIL_ERR_DEVICE_LOST; the slice is as it was then. */
pail_status pail_vk_wipe(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                         struct pail_error *err);

/* The host fills with zeros what is secret in the staging ring, of chunks that nobody fills and
 * whose copies to the device are complete: in several threads, where that is much. Waits for no
 * device. A caller that takes another chunk before the next call wipes it first. Returns the
 * bytes. */
uint64_t pail_vk_wipe_ring(struct pail_vk_device *dev);

#endif /* PAIL_VK_WIPE_H */
