/* Sums in extended Jacobian coordinates: no inversion. Also the reference of its kind on devices.
 */
#include <shared/msm_layout.h>

#include "accumulators.h"
#include "policy.h"

/* Shape of the serial kernel: a workgroup is work for one processor, whose vectors have 4 to 16
 * lanes, so small ones are dealt out evenly; fewer threads leave fewer pieces of cut buckets. */
#define SERIAL_WORKGROUP 16u
#define SERIAL_THREADS   1024u

static pail_status check(const pail_msm_config *config, struct pail_error *err)
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
static void choose(struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
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

static uint64_t workgroup_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                                uint32_t coordinate_bytes)
{
    const uint32_t bytes = pail_msm_sum_bytes(coordinate_bytes);
    if (a->serial)
        return 0;
    return a->prefix_placement == PAIL_PLACEMENT_WORKGROUP ? (uint64_t)threads * bytes / a->lanes
                                                           : bytes / 2;
}

/* Steps of a task are those of its longest run, and one may be cut: up to twice as many. */
static uint32_t iterations(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    return pail_msm_sum_iterations(w) * (a->tasks ? 2 : 1);
}

const struct pail_msm_descriptor pail_msm_xyzz = {
    .name = "xyzz",
    .places = true,
    .share_max = PAIL_MSM_SHARE_MAX,
    .check = check,
    .choose = choose,
    .workgroup_bytes = workgroup_bytes,
    .iterations = iterations,
};
