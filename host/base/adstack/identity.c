/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"

#define CAPACITY_MIN 64u

static uint32_t home_of(const struct pail_ad_map *map, uint64_t key)
{
    /* Fibonacci hashing: the upper half of the product depends on all bits of the key. */
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->capacity - 1);
}

/* The slot of a key, or the free one where it would be; at most half of them are taken. */
static struct pail_ad_map_slot *slot_of(const struct pail_ad_map *map, uint64_t key)
{
    uint32_t at = home_of(map, key);
    while (map->slots[at].key && map->slots[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return &map->slots[at];
}

struct pail_ad_map_slot *pail_ad_map_find(const struct pail_ad_map *map, uint64_t key)
{
    if (!map->capacity || !key)
        return NULL;
    struct pail_ad_map_slot *slot = slot_of(map, key);
    return slot->key ? slot : NULL;
}

bool pail_ad_map_has_room(const struct pail_ad_map *map, uint32_t more)
{
    return (uint64_t)map->n + more <= map->capacity / 2;
}

pail_status pail_ad_map_make_room(struct pail_ad_map *map, pthread_mutex_t *lock, uint32_t more,
                                  const struct pail_alloc *alloc, struct pail_error *err)
{
    pthread_mutex_lock(lock);
    uint64_t capacity = map->capacity ? map->capacity : CAPACITY_MIN;
    while ((uint64_t)map->n + more > capacity / 2)
        capacity *= 2;
    pthread_mutex_unlock(lock);
    if (capacity > UINT32_C(1) << 31)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no room for %u more numbers", more);
    struct pail_ad_map grown = {.capacity = (uint32_t)capacity};
    grown.slots = pail_calloc(alloc, grown.capacity, sizeof(*grown.slots));
    if (!grown.slots)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u numbers",
                         grown.capacity);
    pthread_mutex_lock(lock);
    struct pail_ad_map old = grown;
    if (map->capacity < grown.capacity) {
        old = *map;
        for (uint32_t i = 0; i < old.capacity; i++)
            if (old.slots[i].key)
                *slot_of(&grown, old.slots[i].key) = old.slots[i];
        grown.n = old.n;
        *map = grown;
    }
    pthread_mutex_unlock(lock);
    pail_free(alloc, old.slots);
    return PAIL_OK;
}

struct pail_ad_map_slot *pail_ad_map_put(struct pail_ad_map *map, uint64_t key)
{
    struct pail_ad_map_slot *slot = slot_of(map, key);
    if (!slot->key) {
        *slot = (struct pail_ad_map_slot){.key = key};
        map->n++;
    }
    return slot;
}

void pail_ad_map_remove(struct pail_ad_map *map, uint64_t key)
{
    struct pail_ad_map_slot *slot = pail_ad_map_find(map, key);
    if (!slot)
        return;
    map->n--;
    /* Slots that follow without a gap move up if their own place is not after the hole. */
    const uint32_t mask = map->capacity - 1;
    uint32_t hole = (uint32_t)(slot - map->slots);
    for (uint32_t at = (hole + 1) & mask; map->slots[at].key; at = (at + 1) & mask) {
        const uint32_t home = home_of(map, map->slots[at].key);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole] = (struct pail_ad_map_slot){0};
}

void pail_ad_map_free(struct pail_ad_map *map, const struct pail_alloc *alloc)
{
    pail_free(alloc, map->slots);
    *map = (struct pail_ad_map){0};
}

enum { EPOCH, BORN, TOLD, GENERATION };

/* Counts the new ones; they are put where there is room for all of them. Called with the lock
 * held. */
static uint32_t see(struct pail_ad_identities *ids, struct pail_ad_seen seen[], uint32_t n)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct pail_ad_map_slot *slot = pail_ad_map_find(&ids->map, seen[i].identity);
        fresh += !slot;
        if (slot) {
            slot->value[GENERATION] = seen[i].generation;
            seen[i].epoch = slot->value[EPOCH];
        }
    }
    if (fresh == 0 || !pail_ad_map_has_room(&ids->map, fresh))
        return fresh;
    for (uint32_t i = 0; i < n; i++) {
        struct pail_ad_map_slot *slot = pail_ad_map_put(&ids->map, seen[i].identity);
        if (!slot->value[EPOCH])
            slot->value[EPOCH] = slot->value[BORN] = slot->value[TOLD] = ++ids->counter;
        slot->value[GENERATION] = seen[i].generation;
        seen[i].epoch = slot->value[EPOCH];
    }
    return 0;
}

pail_status pail_ad_identities_see(struct pail_ad_identities *ids, struct pail_ad_seen seen[],
                                   uint32_t n, const struct pail_alloc *alloc,
                                   struct pail_error *err)
{
    for (;;) {
        pthread_mutex_lock(&ids->lock);
        const uint32_t missing = see(ids, seen, n);
        pthread_mutex_unlock(&ids->lock);
        if (missing == 0)
            return PAIL_OK;
        const pail_status status =
            pail_ad_map_make_room(&ids->map, &ids->lock, missing, alloc, err);
        if (status != PAIL_OK)
            return status;
    }
}

/* Called with the lock held. */
static void tell_change(struct pail_ad_identities *ids, uint64_t identity)
{
    const uint_fast64_t n = atomic_load_explicit(&ids->n_changes, memory_order_relaxed);
    /* A reader of this place knows by it that there were n changes. */
    atomic_store_explicit(&ids->changes[n % PAIL_AD_CHANGES], identity, memory_order_release);
    atomic_store_explicit(&ids->n_changes, n + 1, memory_order_release);
}

uint32_t pail_ad_identities_changed(const struct pail_ad_identities *ids, uint64_t *since,
                                    uint64_t list[PAIL_AD_CHANGES])
{
    const uint64_t then = *since;
    const uint64_t now = atomic_load_explicit(&ids->n_changes, memory_order_acquire);
    *since = now;
    if (now - then >= PAIL_AD_CHANGES)
        return UINT32_MAX;
    for (uint64_t i = then; i < now; i++)
        list[i - then] =
            atomic_load_explicit(&ids->changes[i % PAIL_AD_CHANGES], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    const uint64_t after = atomic_load_explicit(&ids->n_changes, memory_order_relaxed);
    return after - then >= PAIL_AD_CHANGES ? UINT32_MAX : (uint32_t)(now - then);
}

bool pail_ad_identities_again(struct pail_ad_identities *ids, struct pail_ad_seen *seen)
{
    pthread_mutex_lock(&ids->lock);
    struct pail_ad_map_slot *slot = pail_ad_map_find(&ids->map, seen->identity);
    const bool there = slot && slot->value[BORN] <= seen->epoch;
    if (there) {
        slot->value[GENERATION] = seen->generation;
        seen->epoch = slot->value[EPOCH];
    }
    pthread_mutex_unlock(&ids->lock);
    return there;
}

static void bump(struct pail_ad_identities *ids, uint64_t identity, bool told)
{
    pthread_mutex_lock(&ids->lock);
    struct pail_ad_map_slot *slot = pail_ad_map_find(&ids->map, identity);
    if (slot) { /* otherwise nothing was ever computed from it */
        slot->value[EPOCH] = ++ids->counter;
        if (told)
            slot->value[TOLD] = slot->value[EPOCH];
        tell_change(ids, identity);
    }
    pthread_mutex_unlock(&ids->lock);
}

void pail_ad_identities_bump(struct pail_ad_identities *ids, uint64_t identity)
{
    bump(ids, identity, true);
}

void pail_ad_identities_doubt(struct pail_ad_identities *ids, uint64_t identity)
{
    bump(ids, identity, false);
}

void pail_ad_identities_forget(struct pail_ad_identities *ids, uint64_t identity)
{
    pthread_mutex_lock(&ids->lock);
    if (pail_ad_map_find(&ids->map, identity))
        tell_change(ids, identity);
    pail_ad_map_remove(&ids->map, identity);
    pthread_mutex_unlock(&ids->lock);
}

enum pail_ad_since pail_ad_identities_since(struct pail_ad_identities *ids,
                                            const struct pail_ad_seen *then)
{
    pthread_mutex_lock(&ids->lock);
    const struct pail_ad_map_slot *slot = pail_ad_map_find(&ids->map, then->identity);
    enum pail_ad_since since = PAIL_AD_SAME;
    if (!slot || slot->value[BORN] > then->epoch)
        since = PAIL_AD_FORGOTTEN;
    else if (slot->value[TOLD] > then->epoch || slot->value[GENERATION] != then->generation)
        since = PAIL_AD_WRITTEN;
    pthread_mutex_unlock(&ids->lock);
    return since;
}

bool pail_ad_identities_current(struct pail_ad_identities *ids, const struct pail_ad_seen *seen)
{
    pthread_mutex_lock(&ids->lock);
    const struct pail_ad_map_slot *slot = pail_ad_map_find(&ids->map, seen->identity);
    const bool current =
        slot && slot->value[EPOCH] == seen->epoch && slot->value[GENERATION] == seen->generation;
    pthread_mutex_unlock(&ids->lock);
    return current;
}
