/* Wiping: zeros over memory that held secrets, before it is freed or lent on. */
#ifndef PAIL_VK_WIPE_H
#define PAIL_VK_WIPE_H

#include "vk/memory.h"
#include "vk/queue.h"

/* Fills a slice with zeros and waits until they are there: the host does it where the slice is
 * mapped, else the device. No submitted work may still use it.
 * Errors: memory, PAIL_ERR_DEVICE_LOST; the slice is as it was then. */
pail_status pail_vk_wipe(struct pail_vk_device *dev, const struct pail_vk_slice *slice,
                         struct pail_error *err);

/* Chunks of the staging ring that held secrets and that nobody fills any more: a submission of its
 * own fills them with zeros when the copies out of them are complete. A few bytes are left for the
 * call with `rest`, in which the host wipes them, if the copies are complete: that takes less than
 * a submission. Who takes a chunk before that wipes it first. Out: ticket  of the last such
 * submission, by whomever; 0 where there was none bytes   grows by those of this one Errors:
 * memory, PAIL_ERR_DEVICE_LOST; chunks keep what they hold until the next call. */
pail_status pail_vk_wipe_ring(struct pail_vk_device *dev, bool rest, pail_vk_ticket *ticket,
                              uint64_t *bytes, struct pail_error *err);

#endif /* PAIL_VK_WIPE_H */
