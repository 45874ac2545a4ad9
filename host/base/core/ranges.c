/* SPDX-License-Identifier: Apache-2.0 */
#include "ranges.h"

#include <string.h>

pail_status pail_ranges_init(struct pail_ranges *ranges, const struct pail_alloc *alloc,
                             struct pail_error *err)
{
    *ranges = (struct pail_ranges){.alloc = *alloc};
    return pthread_mutex_init(&ranges->lock, NULL) == 0
               ? PAIL_OK
               : pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
}

void pail_ranges_fini(struct pail_ranges *ranges)
{
    pthread_mutex_destroy(&ranges->lock);
    pail_free(&ranges->alloc, ranges->all);
    ranges->all = NULL;
}

/* Number of ranges that begin at or before the address. Called with the lock held. */
static uint32_t begun_at(const struct pail_ranges *ranges, uint64_t address)
{
    uint32_t low = 0, high = ranges->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (ranges->all[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

pail_status pail_ranges_add(struct pail_ranges *ranges, const struct pail_range *range,
                            struct pail_error *err)
{
    pthread_mutex_lock(&ranges->lock);
    const pail_status status = pail_grow(&ranges->alloc, &ranges->all, &ranges->capacity,
                                         ranges->n + 1, sizeof(*ranges->all), err);
    if (status == PAIL_OK) {
        const uint32_t at = begun_at(ranges, range->begin);
        memmove(ranges->all + at + 1, ranges->all + at, (ranges->n - at) * sizeof(*ranges->all));
        ranges->all[at] = *range;
        ranges->n++;
    }
    pthread_mutex_unlock(&ranges->lock);
    return status;
}

void pail_ranges_remove(struct pail_ranges *ranges, uint64_t begin)
{
    pthread_mutex_lock(&ranges->lock);
    const uint32_t behind = begun_at(ranges, begin);
    if (behind && ranges->all[behind - 1].begin == begin) {
        memmove(ranges->all + behind - 1, ranges->all + behind,
                (ranges->n - behind) * sizeof(*ranges->all));
        ranges->n--;
    }
    pthread_mutex_unlock(&ranges->lock);
}

bool pail_ranges_find(struct pail_ranges *ranges, uint64_t address, struct pail_range *range)
{
    pthread_mutex_lock(&ranges->lock);
    const uint32_t behind = begun_at(ranges, address);
    const bool found =
        behind && address - ranges->all[behind - 1].begin < ranges->all[behind - 1].bytes;
    if (found)
        *range = ranges->all[behind - 1];
    pthread_mutex_unlock(&ranges->lock);
    return found;
}
