/* SPDX-License-Identifier: Apache-2.0 */
#include "turnover.h"

#include <stddef.h>

/* Few places for each hash: with one, two entries of the same place would hide each other for
 * ever. */
static uint64_t *places_of(const struct pail_ad_turnover *turnover, uint64_t hash)
{
    const uint32_t sets = turnover->n_ghosts / PAIL_AD_GHOST_WAYS;
    return turnover->ghosts + (size_t)((uint32_t)hash & (sets - 1)) * PAIL_AD_GHOST_WAYS;
}

static bool is_of(uint64_t ghost, uint64_t hash)
{
    return ghost != 0 && ghost >> 32 == hash >> 32;
}

/* Times are compared modulo 2^32 lookups: what is older than that looks younger, which costs a
 * choice and no result. */
static uint32_t age_of(const struct pail_ad_turnover *turnover, uint64_t ghost)
{
    return (uint32_t)turnover->now - (uint32_t)ghost;
}

bool pail_ad_turnover_admits(struct pail_ad_turnover *turnover, uint64_t hash, uint64_t oldest,
                             uint32_t n)
{
    const int32_t most = 1 + (int32_t)(n / 16);
    if (!turnover->ghosts)
        return true;
    const uint64_t *ghosts = places_of(turnover, hash);
    for (uint32_t way = 0; way < PAIL_AD_GHOST_WAYS; way++) {
        if (!is_of(ghosts[way], hash))
            continue;
        const uint32_t distance = age_of(turnover, ghosts[way]);
        if (distance > n && turnover->protection < most)
            turnover->protection++;
        else if (distance <= n && turnover->protection > -most)
            turnover->protection--;
        return turnover->protection <= 0 || distance < turnover->now - oldest;
    }
    return turnover->protection <= 0;
}

void pail_ad_turnover_left(struct pail_ad_turnover *turnover, uint64_t hash, uint64_t used)
{
    if (!turnover->ghosts)
        return;
    /* Any of the places, not the one of the oldest: ghosts of a long cycle would leave in turn. */
    uint64_t *const ghosts = places_of(turnover, hash);
    uint64_t way = turnover->now * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (PAIL_AD_GHOST_WAYS - 1);
    for (uint32_t i = 0; i < PAIL_AD_GHOST_WAYS; i++)
        if (is_of(ghosts[i], hash) || ghosts[i] == 0) {
            way = i;
            break;
        }
    ghosts[way] = (hash >> 32 << 32) | (uint32_t)used;
}
