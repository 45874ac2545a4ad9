/* Affine additions: each thread streams its share through slots, whose additions share an
 * inversion. */
#include <shared/msm_layout.h>

#include "accumulators.h"

#define SLOTS 8u

static pail_status check(const pail_msm_config *config, struct pail_error *err)
{
    if (config->inversion_group > 1)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->inversion_group is %u; each thread of the accumulator walker "
                         "inverts for itself",
                         config->inversion_group);
    return PAIL_OK;
}

static void choose(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    pail_msm_share_inversions(a, w, SLOTS);
    a->kernel = PAIL_KERNEL_MSM_WALKER;
    a->inversion_group = 1;
    a->workgroup = MSM_ACCUMULATE_WORKGROUP;
}

const struct pail_msm_descriptor pail_msm_walker = {
    .name = "walker",
    .inverts = true,
    .share_max = PAIL_MSM_SHARE_MAX,
    .check = check,
    .choose = choose,
    .workgroup_bytes = pail_msm_prefix_bytes,
    .iterations = pail_msm_round_iterations,
};
