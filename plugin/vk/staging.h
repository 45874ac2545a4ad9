/* SPDX-License-Identifier: Apache-2.0 */
/* Moving bytes between the host and slices the host cannot map.
 *
 * Uploads stream through one ring of mapped memory for each device; a chunk of the ring is used
 * again when the copy out of it is complete. Any size works with any ring. */
#ifndef PAIL_VK_STAGING_H
#define PAIL_VK_STAGING_H

#include "memory.h"
#include "queue.h"

/* Copies bytes to dst[offset...]; src may be reused when the call returns. The copies run on the
 * main queue before everything submitted to it afterwards, and what they wrote is visible to that
 * work: only the host needs the ticket.
 * In:  offset, bytes  any, odd ones and 0 too; offset + bytes <= dst->size
 * Out: ticket         optional; of the last copy; 0 when bytes is 0 or on failure
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST.
 * On failure part of dst may have been written or be written still: wait for pail_vk_last_ticket
 * before freeing it. */
pail_status pail_vk_upload(struct pail_vk_device *dev, const struct pail_vk_slice *dst,
                           uint64_t offset, const void *src, uint64_t bytes, pail_vk_ticket *ticket,
                           struct pail_error *err);

/* Same, for secrets: when it returns, whatever it returns, the copy is complete and the ring's copy
 * is wiped. */
pail_status pail_vk_upload_secret(struct pail_vk_device *dev, const struct pail_vk_slice *dst,
                                  uint64_t offset, const void *src, uint64_t bytes,
                                  struct pail_error *err);

/* Copies src[offset...] to dst, after everything submitted to the main queue before, and waits.
 * Meant for small results: the bytes go through a readback buffer of the same size, where none of
 * them stays.
 * Returns PAIL_NOT_READY when the time is over; dst is untouched then, and src still in use until
 * pail_vk_last_ticket is complete.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST. */
pail_status pail_vk_download(struct pail_vk_device *dev, const struct pail_vk_slice *src,
                             uint64_t offset, void *dst, uint64_t bytes, uint64_t timeout_ns,
                             struct pail_error *err);

#endif /* PAIL_VK_STAGING_H */
