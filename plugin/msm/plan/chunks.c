/* Cuts of a plan's points into chunks. */
#include "plan.h"

/* Growth of joined chunks: each end is so many times the one before it. */
#define LEAD_GROWTH 6u

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t pail_msm_chunk_at(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                           uint64_t first)
{
    uint64_t chunk = min_u64(plan->joined ? plan->most : plan->chunk, shape->n - first);
    if (plan->joined) {
        uint64_t end = plan->lead;
        while (end <= first)
            end *= LEAD_GROWTH;
        chunk = min_u64(chunk, end - first);
    } else if (plan->lead &&
               first < plan->chunk) /* bases that are sent: nothing to go on with yet */
        chunk = min_u64(chunk, first ? plan->chunk - first : plan->lead);
    if (shape->segment) {
        const uint64_t left = shape->segment - (shape->base_offset + first) % shape->segment;
        chunk = min_u64(chunk, left);
    }
    return chunk;
}

uint64_t pail_msm_count_chunks(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape)
{
    uint64_t chunks = 0;
    for (uint64_t first = 0; first < shape->n; chunks++)
        first += pail_msm_chunk_at(plan, shape, first);
    return chunks;
}
