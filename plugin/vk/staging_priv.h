/* SPDX-License-Identifier: Apache-2.0 */
/* The ring that uploads go through, as send.c (which fills it) and staging.c (which makes it) know
 * it. */
#ifndef PAIL_VK_STAGING_PRIV_H
#define PAIL_VK_STAGING_PRIV_H

#include "device_priv.h"

/* While one is copied out of, others are written to. */
#define PAIL_VK_CHUNKS 8u

struct pail_vk_chunk {
    struct pail_vk_slice slice;
    bool held;             /* a thread fills it */
    pail_vk_ticket ticket; /* ticket of the copy out of it */
    uint64_t secret;       /* bytes from its first on that may be secret: wipe.c */
    const void *owner;     /* the sending that filled it last, to compare with */
};

struct pail_vk_readback;

struct pail_vk_staging {
    uint64_t chunk_bytes;
    pthread_mutex_t lock; /* not held for a wait on the device nor while bytes are copied */
    pthread_cond_t changed;
    struct pail_vk_buffer ring; /* all zero until the first upload */
    struct pail_vk_chunk chunks[PAIL_VK_CHUNKS];
    uint32_t next;
    struct pail_vk_readback *readbacks; /* buffers that no thread holds */
};

/* Called with the lock held, and the copy out of the chunk complete: the host wipes what is secret
 * in it from a byte on (wipe.c). */
void pail_vk_chunk_wipe(struct pail_vk_device *dev, struct pail_vk_chunk *chunk, uint64_t from);

pail_status pail_vk_check_range(const struct pail_vk_slice *slice, uint64_t offset, uint64_t bytes,
                                const char *what, struct pail_error *err);

#endif /* PAIL_VK_STAGING_PRIV_H */
