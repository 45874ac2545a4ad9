#include "identity.h"

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

static void bump(struct pail_ad_identities *ids, uint64_t identity, bool told)
{
    pthread_mutex_lock(&ids->lock);
    struct pail_ad_map_slot *slot = pail_ad_map_find(&ids->map, identity);
    if (slot) { /* otherwise nothing was ever computed from it */
        slot->value[EPOCH] = ++ids->counter;
        if (told)
            slot->value[TOLD] = slot->value[EPOCH];
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
