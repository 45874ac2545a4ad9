/* SPDX-License-Identifier: Apache-2.0 */
/* A set of registry ids (<curves/registry_id.h>), each with what it belongs to. Grows, never
 * shrinks: an id that was given out is never given to anything else. Not thread-safe. */
#ifndef PAIL_PLUGIN_IDS_H
#define PAIL_PLUGIN_IDS_H

#include <stdbool.h>

#include "alloc.h"

struct pail_ids_slot {
    uint32_t id; /* 0: free */
    void *value;
};

/* All zero is an empty set. */
struct pail_ids {
    struct pail_ids_slot *slots;
    uint32_t capacity, n; /* capacity: 0 or a power of two */
};

/* Makes room for one more, so that pail_ids_put cannot fail.
 * Errors: PAIL_ERR_HOST_MEMORY; nothing changes then. */
pail_status pail_ids_reserve(struct pail_ids *ids, const struct pail_alloc *alloc,
                             struct pail_error *err);

/* True if there is room for `more`. */
bool pail_ids_has_room(const struct pail_ids *ids, uint32_t more);

/* The capacity that `more` need, and moving to slots of a capacity, all zero, that the caller has
 * allocated: for sets whose lock may not be held while memory is allocated. Returns the old ones.
 * 0: there is no such capacity. */
uint32_t pail_ids_capacity(const struct pail_ids *ids, uint32_t more);
struct pail_ids_slot *pail_ids_move(struct pail_ids *ids, struct pail_ids_slot *slots,
                                    uint32_t capacity);

/* The value of an id; NULL: none. */
void *pail_ids_find(const struct pail_ids *ids, uint32_t id);

/* Gives out `wanted`, or by linear probing the next id that is free. value: not NULL. */
uint32_t pail_ids_put(struct pail_ids *ids, uint32_t wanted, void *value);

void pail_ids_free(struct pail_ids *ids, const struct pail_alloc *alloc);

#endif /* PAIL_PLUGIN_IDS_H */
