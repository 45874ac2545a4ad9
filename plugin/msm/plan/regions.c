/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts of a plan's points into chunks. */
#include "integers.h"
#include "plan.h"

/* Names of a plan's regions; `batched`: more batches make the region smaller. */

static const struct {
    const char *name;
    bool batched;
} regions[PAIL_MSM_REGIONS] = {
    [PAIL_MSM_SORTED] = {"sorted entries", true},
    [PAIL_MSM_SHARED] = {"sorting, then points", true},
    [PAIL_MSM_COUNTS] = {"sort counts", true},
    [PAIL_MSM_INDEX] = {"index", true},
    [PAIL_MSM_STREAM] = {"bases of a chunk", false},
    [PAIL_MSM_SCALARS] = {"scalars", false},
    [PAIL_MSM_WINDOWS] = {"window sums", false},
    [PAIL_MSM_FOLDED] = {"results", false},
};

const char *pail_msm_region_name(enum pail_msm_region region)
{
    return regions[region].name;
}

bool pail_msm_region_batched(enum pail_msm_region region)
{
    return regions[region].batched;
}

/* The first chunk keeps a device busy while the scalars of the rest are sent: from pinned memory
 * that takes a sixth of the time of the work on an H200, from other memory a quarter. Another chunk
 * costs as much as sorting once more and an addition for each bucket, so that a twentieth, six
 * times as many, and the rest pay from 2^23 points on there, 16 times as many as pay for two
 * chunks. */
#define LEAD_PARTS    16u
#define LEAD          4u
#define LEAD_PINNED   3u
#define LEAD_OF_THREE 20u /* a twentieth */
#define THREE_CHUNKS  16u
/* Growth of overlapping chunks: each end is so many times the one before it. */
#define LEAD_GROWTH 6u

bool pail_msm_shape_is_cut(const struct pail_msm_shape *shape)
{
    return shape->segment && shape->base_offset % shape->segment + shape->n > shape->segment;
}

uint64_t pail_msm_lead(const struct pail_msm_shape *shape, uint64_t least)
{
    const uint64_t n = shape->n;
    if (!shape->sent || least == 0 || n < least)
        return 0;
    if (n >= THREE_CHUNKS * least)
        return ceil_div(n, LEAD_OF_THREE);
    return ceil_div(n * (shape->pinned ? LEAD_PINNED : LEAD), LEAD_PARTS);
}

bool pail_msm_shape_passes(const struct pail_msm_shape *shape)
{
    return shape->streamed || shape->expanded;
}

uint64_t pail_msm_chunk_at(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                           uint64_t first)
{
    uint64_t chunk = min_u64(plan->joined ? plan->most : plan->chunk, shape->n - first);
    if (plan->overlaps) {
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
