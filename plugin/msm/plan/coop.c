/* Affine additions whose inversion is shared by threads: of a workgroup, of a subgroup, or by
 * nobody. */
#include "accumulators.h"

#define SLOTS 1u
/* Threads of a workgroup that share inversions, where nobody says more. */
#define WORKGROUP 64u
/* Flags of msm/accumulate/coop in workgroup memory. */
#define FLAG_BYTES 8u

static uint32_t power_of_two_below(uint32_t x) /* the largest not above x; x is not 0 */
{
    uint32_t power = 1;
    while (power <= x / 2)
        power *= 2;
    return power;
}

static void choose(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    const pail_msm_config *config = w->config;
    /* The caller's choice of coop shares inversions as widely as it can; ours not at all. */
    const bool chosen = config->accumulator != PAIL_ACCUMULATOR_AUTO || config->inversion_group;
    pail_msm_share_inversions(a, w, SLOTS);
    a->inversion_group = chosen ? config->inversion_group : 1;
    const bool subgroup = a->inversion_group > 1 && a->inversion_group == w->caps->subgroup_size &&
                          pail_vk_caps_exchange(w->caps);
    a->kernel = subgroup ? PAIL_KERNEL_MSM_COOP_SUBGROUP : PAIL_KERNEL_MSM_COOP;
    a->workgroup = WORKGROUP;
}

static uint64_t workgroup_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                                uint32_t coordinate_bytes)
{
    const uint64_t prefixes = pail_msm_prefix_bytes(a, threads, coordinate_bytes);
    if (a->kernel == PAIL_KERNEL_MSM_COOP_SUBGROUP)
        return prefixes;
    const uint64_t tree = a->inversion_group == 1 ? 1 : 2 * (uint64_t)threads;
    return prefixes + tree * coordinate_bytes + FLAG_BYTES;
}

/* Whole inversion groups; where none is chosen the whole workgroup is one: a power of two. */
static pail_status fit(struct pail_msm_accumulator *a, const struct pail_msm_wish *w,
                       uint32_t wanted, struct pail_error *err)
{
    if (a->inversion_group == 0) {
        uint32_t threads = power_of_two_below(wanted);
        while (threads > 1 && pail_msm_fit_threads(a, w, threads, threads) == 0)
            threads /= 2;
        a->inversion_group = threads;
        a->workgroup = threads;
        return PAIL_OK;
    }
    const uint32_t unit = a->inversion_group;
    if (w->config->workgroup == 0 && wanted < unit)
        wanted = unit;
    a->workgroup = pail_msm_fit_threads(a, w, wanted, unit);
    if (a->workgroup == 0 && wanted < unit)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->inversion_group is %u; the workgroup has only %u threads", unit,
                         wanted);
    return a->workgroup ? PAIL_OK : pail_msm_unfit(a, w, unit, err);
}

const struct pail_msm_descriptor pail_msm_coop = {
    .name = "coop",
    .inverts = true,
    .share_max = PAIL_MSM_SHARE_MAX,
    .choose = choose,
    .workgroup_bytes = workgroup_bytes,
    .fit = fit,
    .iterations = pail_msm_round_iterations,
};
