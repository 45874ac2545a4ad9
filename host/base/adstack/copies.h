/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of arrays of other devices, which callbacks of the host brought here, kept for evaluations
 * to come. A copy holds for an identity, a generation and an epoch: what was written since is never
 * found. turnover.h says which one goes, where they take too many bytes together. Thread-safe;
 * nothing is allocated, freed or called under the lock. */
#ifndef PAIL_ADSTACK_COPIES_H
#define PAIL_ADSTACK_COPIES_H

#include "identity.h"
#include "turnover.h"

#define PAIL_AD_COPY_BUCKETS 256u
#define PAIL_AD_COPY_GHOSTS  1024u

enum pail_ad_copy_state {
    PAIL_AD_COPY_ON_ITS_WAY,
    PAIL_AD_COPY_HERE,
    PAIL_AD_COPY_FAILED, /* others that wait for it fetch by themselves */
};

/* Bytes [offset, offset + bytes) of an array. All but `data` is guarded by the lock, or constant.
 */
struct pail_ad_copy {
    struct pail_ad_copy *next;          /* in its bucket; or of copies that have gone */
    struct pail_ad_copy *newer, *older; /* of those that are kept */
    struct pail_ad_seen of;
    uint64_t offset, bytes, used;
    uint32_t users; /* evaluations */
    uint32_t state; /* enum pail_ad_copy_state */
    bool listed;    /* others can find it */
    bool kept;      /* it stays without users */
    unsigned char *data;
};

struct pail_ad_copies {
    pthread_mutex_t lock;
    pthread_cond_t ended; /* a copy is on its way no more */
    uint64_t max_bytes, bytes;
    uint32_t n;
    struct pail_ad_turnover turnover;
    struct pail_ad_copy *newest, *oldest, *guest; /* a guest is the oldest, and the next to go */
    struct pail_ad_copy *buckets[PAIL_AD_COPY_BUCKETS];
    uint64_t ghosts[PAIL_AD_COPY_GHOSTS];
};

/* Errors: PAIL_ERR_INTERNAL. fini: nobody uses one any more. */
pail_status pail_ad_copies_init(struct pail_ad_copies *copies, uint64_t max_bytes,
                                struct pail_error *err);
void pail_ad_copies_fini(struct pail_ad_copies *copies, const struct pail_alloc *alloc);

/* A copy on its way, with one user, that nobody else can find. NULL: no memory. */
struct pail_ad_copy *pail_ad_copy_make(const struct pail_ad_seen *of, uint64_t offset,
                                       uint64_t bytes, const struct pail_alloc *alloc);

/* A copy of these bytes, and perhaps more, that is here or on its way, with one user more; NULL:
 * there is none. */
struct pail_ad_copy *pail_ad_copies_find(struct pail_ad_copies *copies,
                                         const struct pail_ad_seen *of, uint64_t offset,
                                         uint64_t bytes);

/* Has others find a copy that was made. If there is one by now, returns that one, with a user. */
struct pail_ad_copy *pail_ad_copies_offer(struct pail_ad_copies *copies, struct pail_ad_copy *copy);

/* The end of a copy's way. A listed one that is here is kept, as far as there is room, and takes
 * the place of earlier contents of the array, and of parts of it. */
void pail_ad_copies_end(struct pail_ad_copies *copies, struct pail_ad_copy *copy, bool here,
                        const struct pail_alloc *alloc);

/* Waits at most until the time for the end of another evaluation's copy. */
enum pail_ad_copy_state pail_ad_copies_wait(struct pail_ad_copies *copies,
                                            struct pail_ad_copy *copy, uint64_t until_ns);

void pail_ad_copies_release(struct pail_ad_copies *copies, struct pail_ad_copy *copy,
                            const struct pail_alloc *alloc);

/* Drops the copies of an array (0: of all); users keep theirs. */
void pail_ad_copies_drop(struct pail_ad_copies *copies, uint64_t identity,
                         const struct pail_alloc *alloc);

#endif /* PAIL_ADSTACK_COPIES_H */
