/* SPDX-License-Identifier: Apache-2.0 */
#include "ids.h"

#include <curves/registry_id.h>

#define CAPACITY_MIN 64u

/* The slot of an id, or the free one where it would be. There always is a free one. */
static struct pail_ids_slot *slot_of(const struct pail_ids *ids, uint32_t id)
{
    uint32_t at = id & (ids->capacity - 1);
    while (ids->slots[at].id && ids->slots[at].id != id)
        at = (at + 1) & (ids->capacity - 1);
    return &ids->slots[at];
}

bool pail_ids_has_room(const struct pail_ids *ids, uint32_t more)
{
    return (uint64_t)ids->n + more <= ids->capacity / 2;
}

uint32_t pail_ids_capacity(const struct pail_ids *ids, uint32_t more)
{
    uint64_t capacity = ids->capacity ? ids->capacity : CAPACITY_MIN;
    while ((uint64_t)ids->n + more > capacity / 2)
        capacity *= 2;
    return capacity <= UINT32_MAX ? (uint32_t)capacity : 0;
}

struct pail_ids_slot *pail_ids_move(struct pail_ids *ids, struct pail_ids_slot *slots,
                                    uint32_t capacity)
{
    const struct pail_ids old = *ids;
    *ids = (struct pail_ids){slots, capacity, old.n};
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].id)
            *slot_of(ids, old.slots[i].id) = old.slots[i];
    return old.slots;
}

pail_status pail_ids_reserve(struct pail_ids *ids, const struct pail_alloc *alloc,
                             struct pail_error *err)
{
    if (pail_ids_has_room(ids, 1))
        return PAIL_OK;
    const uint32_t capacity = pail_ids_capacity(ids, 1);
    if (capacity == 0)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no room for more than %u ids", ids->n);
    struct pail_ids_slot *slots = pail_calloc(alloc, capacity, sizeof(*slots));
    if (!slots)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u ids", capacity);
    pail_free(alloc, pail_ids_move(ids, slots, capacity));
    return PAIL_OK;
}

void *pail_ids_find(const struct pail_ids *ids, uint32_t id)
{
    return ids->capacity && id ? slot_of(ids, id)->value : NULL;
}

uint32_t pail_ids_put(struct pail_ids *ids, uint32_t wanted, void *value)
{
    uint32_t id = wanted ? wanted : 1;
    struct pail_ids_slot *slot;
    while ((slot = slot_of(ids, id))->id)
        id = pail_registry_next(id);
    *slot = (struct pail_ids_slot){id, value};
    ids->n++;
    return id;
}

void pail_ids_free(struct pail_ids *ids, const struct pail_alloc *alloc)
{
    pail_free(alloc, ids->slots);
    *ids = (struct pail_ids){0};
}
