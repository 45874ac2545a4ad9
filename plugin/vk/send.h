/* SPDX-License-Identifier: Apache-2.0 */
/* Sending: bytes that several threads write into the staging ring, from where the device copies
 * them; while one chunk is copied out of, others are filled. Or bytes in memory that the device can
 * copy from as it is. */
#ifndef PAIL_VK_SEND_H
#define PAIL_VK_SEND_H

#include "cmd.h"
#include "memory.h"

struct pail_vk_sending;

/* Writes bytes offset ... offset + bytes - 1 of what is sent to `to`, which may be slow to read.
 * Called in several threads at a time, each byte once; offsets are multiples of 64 KiB. Its failure
 * is the sending's, and no more is written. */
typedef pail_status (*pail_vk_fill)(void *user, void *to, uint64_t offset, uint64_t bytes,
                                    struct pail_error *err);

struct pail_vk_parcel {
    const struct pail_vk_slice *dst; /* copied */
    uint64_t offset, bytes;          /* range in dst, any; offset + bytes <= dst->size */
    pail_vk_fill fill;
    void *user;  /* valid until pail_vk_send_end */
    bool secret; /* the ring is to be wiped afterwards: pail_vk_wipe_ring */
    /* Optional, in place of fill: where the bytes are, copied; of the buffer's, it has `bytes`. The
     * first `at_once` of them begin to be copied with pail_vk_send_begin, others when they are
     * asked for. cmd is NULL, and the buffer outlives the copies. */
    const struct pail_vk_slice *src;
    uint64_t at_once;
    /* Optional: a recorder of the main queue into which the copy goes if one chunk of the ring
     * holds everything. It has to be submitted after pail_vk_send_until has said that all is
     * there, or not at all. */
    struct pail_vk_cmd *cmd;
    /* PAIL_VK_QUEUE_TRANSFER: nothing that was submitted may use dst, and what reads it waits for
     * the ticket of pail_vk_send_until (pail_vk_cmd_wait); cmd is NULL. */
    enum pail_vk_queue_kind queue;
};

/* Begins; a thread that has begun one must end it before it begins another, for it holds a part of
 * the ring. Helpers fill while the caller does something else. The copies run on the main queue, or
 * in parcel->cmd, before everything submitted to it after pail_vk_send_until, after everything
 * submitted before, and what they wrote is visible to what follows.
 * Out:    *out: to be given to pail_vk_send_end; NULL on failure.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_LOST. */
pail_status pail_vk_send_begin(struct pail_vk_device *dev, struct pail_vk_sending **out,
                               const struct pail_vk_parcel *parcel, struct pail_error *err);

/* Helps until the first `bytes` bytes are in the ring, and their copies submitted unless they go
 * into a recorder.
 * Out:    ticket  optional; of the last of these copies; 0 where there is none.
 * Errors: as above, and those of fill. Afterwards part of dst may have been written or be written
 * still: wait for pail_vk_last_ticket before freeing it. */
pail_status pail_vk_send_until(struct pail_vk_sending *sending, uint64_t bytes,
                               pail_vk_ticket *ticket, struct pail_error *err);

/* Gives up what is not sent yet, and waits until nobody fills. ticket: of the parcel's recorder; 0
 * if it was not submitted, or has no part in it. NULL is accepted and left behind. */
void pail_vk_send_end(struct pail_vk_sending **sending, pail_vk_ticket ticket);

/* All three: a parcel whose copies are submitted, or which failed. cmd of the parcel is NULL.
 * Out:    ticket  optional; of the last copy; 0 where there is none, and on failure.
 * Errors: those of the first two. */
pail_status pail_vk_send_all(struct pail_vk_device *dev, const struct pail_vk_parcel *parcel,
                             pail_vk_ticket *ticket, struct pail_error *err);

#endif /* PAIL_VK_SEND_H */
