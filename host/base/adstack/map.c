#include "map.h"

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
