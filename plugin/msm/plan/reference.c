/* The accumulator debug: a thread for each bucket, which is left whole. The others are compared
 * with it. */
#include <shared/msm_layout.h>

#include "accumulators.h"

static void choose(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    (void)w; /* it has no knobs but the workgroup */
    a->kernel = PAIL_KERNEL_MSM_DEBUG;
    a->shares = 0;
    a->workgroup = MSM_ACCUMULATE_WORKGROUP;
}

static uint32_t iterations(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    (void)a;
    return pail_msm_sum_iterations(w);
}

const struct pail_msm_descriptor pail_msm_debug = {
    .name = "debug",
    .buckets = true,
    .share_max = 4 * PAIL_MSM_SHARE_MAX,
    .choose = choose,
    .iterations = iterations,
};
