/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that are reused: a job takes the smallest that is large enough, and gives it back wiped,
 * so that a steady state neither maps nor unmaps. Safe. */
#ifndef PAIL_LEDGER_BUFFERS_H
#define PAIL_LEDGER_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

#include "reclaim.h"

struct pail_buffers_params {
    size_t max_buffers;               /* taken and idle together; 0: 1 */
    struct pail_reclaimer *reclaimer; /* frees buffers that are given up */
    /* optional: a buffer that was given up is unmapped; in the reclaimer's thread, or the
     * caller's */
    void (*unmapped)(void *user);
    void *user;
};

struct pail_buffers_stats {
    uint64_t maps, reuses, unmaps;
    uint64_t bytes, idle_bytes; /* mapped */
    uint64_t leaving_bytes;     /* given up, and still mapped */
    size_t buffers, idle;
};

struct pail_buffers;

pail_status pail_buffers_create(struct pail_buffers **buffers,
                                const struct pail_buffers_params *params);

/* All buffers must have been given back. */
void pail_buffers_destroy(struct pail_buffers **buffers);

/* Takes a buffer. Out: *memory: whole pages, zero or wiped. *capacity: at least bytes.
 * Returns PAIL_OK; PAIL_NOT_READY: all are taken; or PAIL_ERR_HOST_MEMORY. */
pail_status pail_buffers_take(struct pail_buffers *buffers, void **memory, uint64_t *capacity,
                              uint64_t bytes);

/* Wipes `used` bytes of the buffer and keeps it. */
void pail_buffers_give(struct pail_buffers *buffers, void *memory, uint64_t used);

/* Gives up idle buffers, the largest first, until at most so many bytes are mapped or none is
 * idle. */
void pail_buffers_shrink(struct pail_buffers *buffers, uint64_t bytes);

void pail_buffers_get_stats(struct pail_buffers *buffers, struct pail_buffers_stats *stats);

#endif /* PAIL_LEDGER_BUFFERS_H */
