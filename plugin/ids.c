#include "ids.h"

#include <registry_id.h>

#define CAPACITY_MIN 64u

/* The slot of an id, or the free one where it would be. There always is a free one. */
static struct pail_ids_slot *slot_of(const struct pail_ids *ids, uint32_t id)
{
    uint32_t at = id & (ids->capacity - 1);
    while (ids->slots[at].id && ids->slots[at].id != id)
        at = (at + 1) & (ids->capacity - 1);
    return &ids->slots[at];
}

pail_status pail_ids_reserve(struct pail_ids *ids, const struct pail_alloc *alloc,
                             struct pail_error *err)
{
    if (ids->capacity && ids->n + 1 <= ids->capacity / 2)
        return PAIL_OK;
    if (ids->capacity > UINT32_MAX / 2)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no room for more than %u ids", ids->n);
    struct pail_ids grown = {.capacity = ids->capacity ? 2 * ids->capacity : CAPACITY_MIN,
                             .n = ids->n};
    grown.slots = pail_calloc(alloc, grown.capacity, sizeof(*grown.slots));
    if (!grown.slots)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %u ids", grown.capacity);
    for (uint32_t i = 0; i < ids->capacity; i++)
        if (ids->slots[i].id)
            *slot_of(&grown, ids->slots[i].id) = ids->slots[i];
    pail_free(alloc, ids->slots);
    *ids = grown;
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
