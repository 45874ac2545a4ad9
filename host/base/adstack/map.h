/* A hash map from 64-bit numbers to a few words. It never allocates while it is changed: room is
 * made beforehand, outside of the lock that guards it, since the host's alloc may call back. */
#ifndef PAIL_ADSTACK_MAP_H
#define PAIL_ADSTACK_MAP_H

#include <pthread.h>
#include <stdbool.h>

#include <core/alloc.h>

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

#endif /* PAIL_ADSTACK_MAP_H */
