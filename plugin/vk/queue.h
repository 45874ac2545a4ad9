/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets: when submitted work is done.
 *
 * A ticket is the number of a submission to a queue: a value of the queue's timeline semaphore, or
 * the number of a fence where caps.timeline_semaphore is false. Tickets of one queue complete in
 * the order they were given. 0 is a ticket that is always complete. */
#ifndef PAIL_VK_QUEUE_H
#define PAIL_VK_QUEUE_H

#include "device.h"

typedef uint64_t pail_vk_ticket;

#define PAIL_VK_FOREVER UINT64_MAX

/* Semaphores of the host that one submission can wait for. */
#define PAIL_VK_WAITS_MAX 8u

enum pail_vk_queue_kind {
    PAIL_VK_QUEUE_MAIN,     /* computes and copies */
    PAIL_VK_QUEUE_TRANSFER, /* copies beside the main queue; the main queue itself where
                               caps.transfer_queue is false */
    /* The first of caps.side_queues that compute beside the main queue; the main queue itself where
       there are fewer. */
    PAIL_VK_QUEUE_SIDE,
    PAIL_VK_QUEUE_KINDS = PAIL_VK_QUEUE_SIDE + PAIL_VK_SIDES_MAX
};

/* Asks if the work is done. Out: done. Never blocks. Errors: PAIL_ERR_DEVICE_LOST. */
pail_status pail_vk_poll(struct pail_vk_device *dev, pail_vk_ticket ticket, bool *done,
                         struct pail_error *err);

/* Waits until the work is complete. No lock is held meanwhile: others can submit.
 * timeout_ns: 0 polls, PAIL_VK_FOREVER never gives up.
 * Returns PAIL_NOT_READY when the time is over; that is not an error, and err is not written.
 * Errors: PAIL_ERR_DEVICE_LOST, PAIL_ERR_HOST_MEMORY. */
pail_status pail_vk_wait(struct pail_vk_device *dev, pail_vk_ticket ticket, uint64_t timeout_ns,
                         struct pail_error *err);

/* The ticket of what was submitted last to a queue; 0 before the first submission. Once it is
 * complete nothing runs that was submitted before the call: what to wait for after a failure,
 * before freeing. */
pail_vk_ticket pail_vk_last_ticket(struct pail_vk_device *dev, enum pail_vk_queue_kind kind);

#endif /* PAIL_VK_QUEUE_H */
