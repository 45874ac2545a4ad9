/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from 64-bit numbers to a few words. It never allocates while it is changed: room is
 * made beforehand, outside of the lock that guards it, since the host's alloc may call back. */
#ifndef PAIL_ADSTACK_IDENTITY_H
#define PAIL_ADSTACK_IDENTITY_H

#include <core/alloc.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct pail_ad_map_slot {
    uint64_t key; /* 0: free */
    uint64_t value[4];
};

/* All zero is an empty map. */
struct pail_ad_map {
    struct pail_ad_map_slot *slots;
    uint32_t capacity, n; /* capacity: 0 or a power of two */
};

/* NULL where there is none. The slot stays where it is until the map changes. */
struct pail_ad_map_slot *pail_ad_map_find(const struct pail_ad_map *map, uint64_t key);

/* True if there is room for `more` keys. */
bool pail_ad_map_has_room(const struct pail_ad_map *map, uint32_t more);

/* Makes room in a map that `lock` guards. Called and returns without the lock, so others may have
 * taken the room by then: look again.
 * Errors: PAIL_ERR_HOST_MEMORY; nothing changes then. */
pail_status pail_ad_map_make_room(struct pail_ad_map *map, pthread_mutex_t *lock, uint32_t more,
                                  const struct pail_alloc *alloc, struct pail_error *err);

/* The slot of a key that is not 0, made with values of 0 if it is new; there must be room. */
struct pail_ad_map_slot *pail_ad_map_put(struct pail_ad_map *map, uint64_t key);

void pail_ad_map_remove(struct pail_ad_map *map, uint64_t key); /* may be missing */

void pail_ad_map_free(struct pail_ad_map *map, const struct pail_alloc *alloc);

/* Knowledge about arrays, by the numbers that callers gave them.
 *
 * Each has an epoch: a number from one counter, taken when the array is first seen and anew when it
 * is written (bump). An array that was forgotten and is seen again gets a new epoch, so that
 * nothing computed before ever counts again. Thread-safe. */

#define PAIL_AD_CHANGES 256u /* a power of two */

struct pail_ad_identities {
    pthread_mutex_t lock;   /* guards the next two, and writers of what follows */
    struct pail_ad_map map; /* identity: its epoch, that when it was first seen, that of
                             * the last write that was told of, its generation */
    uint64_t counter;
    /* The last arrays whose epoch changed, in order, for readers without the lock. n_changes is
     * read at every launch of what was prepared, and has a line of the cache of its own. */
    atomic_uint_fast64_t changes[PAIL_AD_CHANGES];
    char apart[64];
    atomic_uint_fast64_t n_changes;
    char apart_too[64];
};

struct pail_ad_seen {
    uint64_t identity, generation; /* in */
    uint64_t epoch;                /* out */
};

/* The epochs of arrays that a launch has, which are known from then on with these generations.
 * Allocates only where one is new. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_identities_see(struct pail_ad_identities *ids, struct pail_ad_seen seen[],
                                   uint32_t n, const struct pail_alloc *alloc,
                                   struct pail_error *err);

void pail_ad_identities_bump(struct pail_ad_identities *ids, uint64_t identity);
/* Treats the array as written, though nobody told of a write: for one that turns out to be. */
void pail_ad_identities_doubt(struct pail_ad_identities *ids, uint64_t identity);
void pail_ad_identities_forget(struct pail_ad_identities *ids, uint64_t identity);

/* The arrays whose epoch changed since *since changes, some perhaps several times. Returns how
 * many, and makes *since current; UINT32_MAX: any may have. */
uint32_t pail_ad_identities_changed(const struct pail_ad_identities *ids, uint64_t *since,
                                    uint64_t list[PAIL_AD_CHANGES]);

/* Sees an array again that was seen before: false where it was forgotten since. */
bool pail_ad_identities_again(struct pail_ad_identities *ids, struct pail_ad_seen *seen);

enum pail_ad_since {
    PAIL_AD_SAME,     /* nobody told of a write */
    PAIL_AD_WRITTEN,  /* somebody did */
    PAIL_AD_FORGOTTEN /* it is gone */
};
enum pail_ad_since pail_ad_identities_since(struct pail_ad_identities *ids,
                                            const struct pail_ad_seen *then);

/* True if a launch with the array as it is known now would see these words: then values that were
 * computed for them can be found again. */
bool pail_ad_identities_current(struct pail_ad_identities *ids, const struct pail_ad_seen *seen);

#endif /* PAIL_ADSTACK_IDENTITY_H */
