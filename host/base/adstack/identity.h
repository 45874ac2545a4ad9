/* Knowledge about arrays, by the numbers that callers gave them.
 *
 * Each has an epoch: a number from one counter, taken when the array is first seen and anew when it
 * is written (bump). An array that was forgotten and is seen again gets a new epoch, so that
 * nothing computed before ever counts again. Thread-safe. */
#ifndef PAIL_ADSTACK_IDENTITY_H
#define PAIL_ADSTACK_IDENTITY_H

#include "map.h"

struct pail_ad_identities {
    pthread_mutex_t lock;   /* guards all below */
    struct pail_ad_map map; /* identity: its epoch, that when it was first seen, that of
                             * the last write that was told of, its generation */
    uint64_t counter;
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
