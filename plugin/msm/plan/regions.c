/* Names of a plan's regions; `batched`: more batches make the region smaller. */
#include "plan.h"

static const struct {
    const char *name;
    bool batched;
} regions[PAIL_MSM_REGIONS] = {
    [PAIL_MSM_SORTED] = {"sorted entries", true},
    [PAIL_MSM_SHARED] = {"sorting, then points", true},
    [PAIL_MSM_COUNTS] = {"sort counts", true},
    [PAIL_MSM_INDEX] = {"index", true},
    [PAIL_MSM_STREAM] = {"streamed bases", false},
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
