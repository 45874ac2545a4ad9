/* Sums in extended Jacobian coordinates: no inversion. Also the reference of its kind on devices.
 */
#include "accumulators.h"

#include "policy.h"

#include <shared/msm_layout.h>

/* Shape of the serial kernel: a workgroup is work for one processor, whose vectors have 4 to 16
 * lanes, so small ones are dealt out evenly; fewer threads leave fewer pieces of cut buckets. */
#define SERIAL_WORKGROUP 16u
#define SERIAL_THREADS   1024u

static pail_status check_xyzz(const pail_msm_config *config, struct pail_error *err)
{
    if (config->prefix_placement == PAIL_PLACEMENT_DEVICE)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->prefix_placement is %u; sums of the accumulator xyzz are in "
                         "registers (private, %u) or in workgroup memory (workgroup, %u)",
                         config->prefix_placement, (unsigned)PAIL_PLACEMENT_PRIVATE,
                         (unsigned)PAIL_PLACEMENT_WORKGROUP);
    return PAIL_OK;
}

/* The serial kernels, shares, runs in order of their length by threads of a task, or the same in
 * two invocations for each thread. */
static void choose_xyzz(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    const struct pail_msm_sums *pairs = pail_msm_sums_in_pairs(w);
    const struct pail_msm_sums *sums = pairs ? pairs : pail_msm_sums_in_doubles(w);
    a->serial = pail_msm_takes_serial(w);
    a->tasks = !a->serial && (pairs || w->points >= pail_msm_runs_points(w->coordinate_bytes));
    a->runs = a->serial || a->tasks;
    a->kernel = a->serial  ? PAIL_KERNEL_MSM_ACCUMULATE_SERIAL
                : a->tasks ? PAIL_KERNEL_MSM_ACCUMULATE_RUNS
                           : PAIL_KERNEL_MSM_ACCUMULATE;
    a->resumes = true;
    a->lanes = pairs ? PAIL_LANES_PAIR : 1;
    a->prefix_placement = sums                          ? sums->placement
                          : w->config->prefix_placement ? w->config->prefix_placement
                                                        : PAIL_PLACEMENT_PRIVATE;
    a->workgroup = sums ? sums->workgroup : a->serial ? SERIAL_WORKGROUP : MSM_ACCUMULATE_WORKGROUP;
    a->threads_max = a->serial ? SERIAL_THREADS
                     : sums    ? PAIL_MSM_PROCESSORS * sums->threads / a->lanes
                               : 0;
}

static uint64_t xyzz_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                           uint32_t coordinate_bytes)
{
    const uint32_t bytes = pail_msm_sum_bytes(coordinate_bytes);
    if (a->serial)
        return 0;
    return a->prefix_placement == PAIL_PLACEMENT_WORKGROUP ? (uint64_t)threads * bytes / a->lanes
                                                           : bytes / 2;
}

/* Steps of a task are those of its longest run, and one may be cut: up to twice as many. */
static uint32_t xyzz_iterations(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    return pail_msm_sum_iterations(w) * (a->tasks ? 2 : 1);
}

const struct pail_msm_descriptor pail_msm_xyzz = {
    .name = "xyzz",
    .places = true,
    .share_max = PAIL_MSM_SHARE_MAX,
    .check = check_xyzz,
    .choose = choose_xyzz,
    .workgroup_bytes = xyzz_bytes,
    .iterations = xyzz_iterations,
};

/* Affine additions: each thread streams its share through slots, whose additions share an
 * inversion. */

#define WALKER_SLOTS 8u

static pail_status check_walker(const pail_msm_config *config, struct pail_error *err)
{
    if (config->inversion_group > 1)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->inversion_group is %u; each thread of the accumulator walker "
                         "inverts for itself",
                         config->inversion_group);
    return PAIL_OK;
}

static void choose_walker(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    pail_msm_share_inversions(a, w, WALKER_SLOTS);
    a->kernel = PAIL_KERNEL_MSM_WALKER;
    a->inversion_group = 1;
    a->workgroup = MSM_ACCUMULATE_WORKGROUP;
}

const struct pail_msm_descriptor pail_msm_walker = {
    .name = "walker",
    .inverts = true,
    .share_max = PAIL_MSM_SHARE_MAX,
    .check = check_walker,
    .choose = choose_walker,
    .workgroup_bytes = pail_msm_prefix_bytes,
    .iterations = pail_msm_round_iterations,
};

/* Affine additions whose inversion is shared by threads: of a workgroup, of a subgroup, or by
 * nobody. */

#define COOP_SLOTS 1u
/* Threads of a workgroup that share inversions, where nobody says more. */
#define COOP_WORKGROUP 64u
/* Flags of msm/accumulate/coop in workgroup memory. */
#define FLAG_BYTES 8u

static uint32_t power_of_two_below(uint32_t x) /* the largest not above x; x is not 0 */
{
    uint32_t power = 1;
    while (power <= x / 2)
        power *= 2;
    return power;
}

static void choose_coop(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    const pail_msm_config *config = w->config;
    /* The caller's choice of coop shares inversions as widely as it can; ours not at all. */
    const bool chosen = config->accumulator != PAIL_ACCUMULATOR_AUTO || config->inversion_group;
    pail_msm_share_inversions(a, w, COOP_SLOTS);
    a->inversion_group = chosen ? config->inversion_group : 1;
    const bool subgroup = a->inversion_group > 1 && a->inversion_group == w->caps->subgroup_size &&
                          pail_vk_caps_exchange(w->caps);
    a->kernel = subgroup ? PAIL_KERNEL_MSM_COOP_SUBGROUP : PAIL_KERNEL_MSM_COOP;
    a->workgroup = COOP_WORKGROUP;
}

static uint64_t coop_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                           uint32_t coordinate_bytes)
{
    const uint64_t prefixes = pail_msm_prefix_bytes(a, threads, coordinate_bytes);
    if (a->kernel == PAIL_KERNEL_MSM_COOP_SUBGROUP)
        return prefixes;
    const uint64_t tree = a->inversion_group == 1 ? 1 : 2 * (uint64_t)threads;
    return prefixes + tree * coordinate_bytes + FLAG_BYTES;
}

/* Whole inversion groups; where none is chosen the whole workgroup is one: a power of two. */
static pail_status fit_coop(struct pail_msm_accumulator *a, const struct pail_msm_wish *w,
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
    .choose = choose_coop,
    .workgroup_bytes = coop_bytes,
    .fit = fit_coop,
    .iterations = pail_msm_round_iterations,
};

/* The accumulator debug: a thread for each bucket, which is left whole. The others are compared
 * with it. */

static void choose_debug(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    (void)w; /* it has no knobs but the workgroup */
    a->kernel = PAIL_KERNEL_MSM_DEBUG;
    a->shares = 0;
    a->workgroup = MSM_ACCUMULATE_WORKGROUP;
}

static uint32_t debug_iterations(const struct pail_msm_accumulator *a,
                                 const struct pail_msm_wish *w)
{
    (void)a;
    return pail_msm_sum_iterations(w);
}

const struct pail_msm_descriptor pail_msm_debug = {
    .name = "debug",
    .buckets = true,
    .share_max = 4 * PAIL_MSM_SHARE_MAX,
    .choose = choose_debug,
    .iterations = debug_iterations,
};
