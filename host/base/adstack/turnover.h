/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which entries leave a full cache.
 *
 * The least recently used one goes, as long as that serves. A cycle over more entries than there
 * is room for would find nothing then: each one leaves just before its turn. So entries that have
 * left are remembered by a hash and the time of their last use (ghosts, as ARC and LIRS have them).
 * A use tells by its distance to the last one which order serves it: a miss within as many lookups
 * as there are entries is one that the least recently used order had found; a use from farther away
 * is found only where entries are protected from newcomers. While these prevail, a newcomer is
 * admitted only if it came back sooner than the oldest entry did, otherwise it is a guest: the next
 * to go. Pure, and not thread-safe. */
#ifndef PAIL_ADSTACK_TURNOVER_H
#define PAIL_ADSTACK_TURNOVER_H

#include <stdbool.h>
#include <stdint.h>

struct pail_ad_turnover {
    uint64_t now;       /* number of the last lookup */
    uint64_t *ghosts;   /* [n_ghosts]: upper half of a hash, lower half of a time; NULL: none yet */
    uint32_t n_ghosts;  /* a power of two, at least PAIL_AD_GHOST_WAYS */
    int32_t protection; /* positive: entries are protected */
};

#define PAIL_AD_GHOST_WAYS 4u

/* A lookup that found an entry last used at `used`, of n entries. */
static inline void pail_ad_turnover_found(struct pail_ad_turnover *turnover, uint64_t used,
                                          uint32_t n)
{
    const int32_t most = 1 + (int32_t)(n / 16);
    if (turnover->ghosts && turnover->now - used > n && turnover->protection < most)
        turnover->protection++;
}

/* Called for a newcomer that was looked up in vain, if one of n entries has to go for it. oldest:
 * time of use of the least recently used entry, guests aside. False: it becomes a guest. */
bool pail_ad_turnover_admits(struct pail_ad_turnover *turnover, uint64_t hash, uint64_t oldest,
                             uint32_t n);

/* An entry, last used at `used`, has left. */
void pail_ad_turnover_left(struct pail_ad_turnover *turnover, uint64_t hash, uint64_t used);

#endif /* PAIL_ADSTACK_TURNOVER_H */
