/* SPDX-License-Identifier: Apache-2.0 */
#include "accumulator.h"
#include "policy.h"

#include <shared/msm_layout.h>
#include <string.h>

/* The particulars of each accumulator. policy.c chooses one where the configuration leaves that
 * open. */

/* Entries of a share at most: a thread that runs long is near the end of a driver's patience. */
#define SHARE_MAX 8192u

struct descriptor {
    const char *name;
    bool inverts;       /* additions share inversions: it has slots, groups and a placement */
    bool places;        /* it has a placement without that */
    bool buckets;       /* a thread has a bucket, and leaves it whole: there are no shares */
    uint32_t share_max; /* entries of a share, if the device's loops allow it */

    /* Knobs of its own. NULL: there is nothing to check. Errors: PAIL_ERR_ARGUMENT */
    pail_status (*check)(const pail_msm_config *config, struct pail_error *err);
    /* Chooses everything but what follows from the workgroup. In: *a: what all have in common. Out:
     * the kernel and its knobs; workgroup: threads where the configuration leaves them open;
     * threads_max 0: as many as the policy has for the device. */
    void (*choose)(struct pail_msm_accumulator *a, const struct pail_msm_wish *wish);
    /* Bytes of workgroup memory that its kernel declares with so many threads: every array has at
     * least one element. NULL: none. */
    uint64_t (*workgroup_bytes)(const struct pail_msm_accumulator *a, uint32_t threads,
                                uint32_t coordinate_bytes);
    /* Makes the workgroup of the `wanted` threads as the device allows it.
     * NULL: any number of threads will do. */
    pail_status (*fit)(struct pail_msm_accumulator *a, const struct descriptor *d,
                       const struct pail_msm_wish *wish, uint32_t wanted, struct pail_error *err);
    /* Iterations of all loops for each entry of a share, generously. */
    uint32_t (*iterations)(const struct pail_msm_accumulator *a, const struct pail_msm_wish *wish);
};

/* ---- What several have in common ------------------------------------------------------------- */
/* Sets the knobs of accumulators whose additions share inversions, with so many slots where the
 * configuration leaves them open. */
static void share_inversions(struct pail_msm_accumulator *a, const struct pail_msm_wish *w,
                             uint32_t slots)
{
    const pail_msm_config *config = w->config;
    a->slots = config->slots ? config->slots : slots;
    a->shares = a->slots;
    a->prefix_placement =
        config->prefix_placement ? config->prefix_placement : PAIL_PLACEMENT_PRIVATE;
    if (a->prefix_placement == PAIL_PLACEMENT_DEVICE)
        a->scratch_bytes = a->slots * w->coordinate_bytes;
}

/* Bytes of prefix products in workgroup memory. */
static uint64_t prefix_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                             uint32_t coordinate_bytes)
{
    const bool here = a->prefix_placement == PAIL_PLACEMENT_WORKGROUP;
    return (here ? (uint64_t)a->slots * threads : 1) * coordinate_bytes;
}

/* Iterations of a round: rounds of the inversion and their loops that a driver may not unroll, the
 * slots forward and back, the tree. */
static uint32_t round_iterations(const struct pail_msm_accumulator *a,
                                 const struct pail_msm_wish *w)
{
    const uint32_t steps = 19 * w->coordinate_bytes; /* 45907 / 19929 for each bit of one */
    uint32_t tree = 0;
    for (uint32_t h = 1; h < a->inversion_group; h *= 2)
        tree += 6;
    return 6 * (steps / 29 + 1) + 6 * a->slots + tree + 8;
}

/* Iterations where a thread adds entry after entry to one sum: an addition loops over its products,
 * eleven at most, and what ends a run over its four coordinates; in a second group form x32 loops
 * inside each product as well. */
static uint32_t sum_iterations(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w)
{
    (void)a;
    return w->group == PAIL_G2 ? 50 : 20;
}

/* The largest number of threads up to `wanted` that the device runs, in whole `unit`s; 0: not one
 * unit. */
static uint32_t fit_threads(const struct pail_msm_accumulator *a, const struct descriptor *d,
                            const struct pail_msm_wish *w, uint32_t wanted, uint32_t unit)
{
    const struct pail_vk_caps *caps = w->caps;
    uint32_t threads = wanted - wanted % unit;
    while (threads &&
           (threads > caps->max_workgroup_invocations || threads > caps->max_workgroup_size[0] ||
            (d->workgroup_bytes &&
             d->workgroup_bytes(a, threads, w->coordinate_bytes) > caps->max_workgroup_bytes)))
        threads -= unit;
    return threads;
}

/* Says that `unit` threads do not fit. */
static pail_status unfit(const struct pail_msm_accumulator *a, const struct pail_msm_wish *w,
                         uint32_t unit, struct pail_error *err)
{
    return pail_fail(
        err, PAIL_ERR_UNSUPPORTED,
        "config->inversion_group is %u; that many threads with %u slots do not fit a workgroup, "
        "which has at most %u threads and %u bytes on %s",
        unit, a->slots, w->caps->max_workgroup_invocations, w->caps->max_workgroup_bytes,
        w->caps->name);
}

/* ---- The accumulators -------------------------------------------------------------------------
 */
/* Sums in extended Jacobian coordinates: no inversion. Also the reference of its kind on devices.
 */

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
    return sum_iterations(a, w) * (a->tasks ? 2 : 1);
}

static const struct descriptor xyzz = {
    .name = "xyzz",
    .places = true,
    .share_max = SHARE_MAX,
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
    share_inversions(a, w, WALKER_SLOTS);
    a->kernel = PAIL_KERNEL_MSM_WALKER;
    a->inversion_group = 1;
    a->workgroup = MSM_ACCUMULATE_WORKGROUP;
}

static const struct descriptor walker = {
    .name = "walker",
    .inverts = true,
    .share_max = SHARE_MAX,
    .check = check_walker,
    .choose = choose_walker,
    .workgroup_bytes = prefix_bytes,
    .iterations = round_iterations,
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
    share_inversions(a, w, COOP_SLOTS);
    a->inversion_group = chosen ? config->inversion_group : 1;
    const bool subgroup = a->inversion_group > 1 && a->inversion_group == w->caps->subgroup_size &&
                          pail_vk_caps_exchange(w->caps);
    a->kernel = subgroup ? PAIL_KERNEL_MSM_COOP_SUBGROUP : PAIL_KERNEL_MSM_COOP;
    a->workgroup = COOP_WORKGROUP;
}

static uint64_t coop_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                           uint32_t coordinate_bytes)
{
    const uint64_t prefixes = prefix_bytes(a, threads, coordinate_bytes);
    if (a->kernel == PAIL_KERNEL_MSM_COOP_SUBGROUP)
        return prefixes;
    const uint64_t tree = a->inversion_group == 1 ? 1 : 2 * (uint64_t)threads;
    return prefixes + tree * coordinate_bytes + FLAG_BYTES;
}

/* Whole inversion groups; where none is chosen the whole workgroup is one: a power of two. */
static pail_status fit_coop(struct pail_msm_accumulator *a, const struct descriptor *d,
                            const struct pail_msm_wish *w, uint32_t wanted, struct pail_error *err)
{
    if (a->inversion_group == 0) {
        uint32_t threads = power_of_two_below(wanted);
        while (threads > 1 && fit_threads(a, d, w, threads, threads) == 0)
            threads /= 2;
        a->inversion_group = threads;
        a->workgroup = threads;
        return PAIL_OK;
    }
    const uint32_t unit = a->inversion_group;
    if (w->config->workgroup == 0 && wanted < unit)
        wanted = unit;
    a->workgroup = fit_threads(a, d, w, wanted, unit);
    if (a->workgroup == 0 && wanted < unit)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->inversion_group is %u; the workgroup has only %u threads", unit,
                         wanted);
    return a->workgroup ? PAIL_OK : unfit(a, w, unit, err);
}

static const struct descriptor coop = {
    .name = "coop",
    .inverts = true,
    .share_max = SHARE_MAX,
    .choose = choose_coop,
    .workgroup_bytes = coop_bytes,
    .fit = fit_coop,
    .iterations = round_iterations,
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

static const struct descriptor debug = {
    .name = "debug",
    .buckets = true,
    .share_max = 4 * SHARE_MAX,
    .choose = choose_debug,
    .iterations = sum_iterations,
};

/* NULL: there is no such accumulator. */
static const struct descriptor *descriptor_of(uint32_t accumulator)
{
    static const struct descriptor *const all[] = {
        [PAIL_ACCUMULATOR_XYZZ] = &xyzz,
        [PAIL_ACCUMULATOR_WALKER] = &walker,
        [PAIL_ACCUMULATOR_COOP] = &coop,
        [PAIL_ACCUMULATOR_DEBUG] = &debug,
    };
    return accumulator < sizeof(all) / sizeof(all[0]) ? all[accumulator] : NULL;
}

static bool is_power_of_two(uint32_t x)
{
    return x && (x & (x - 1)) == 0;
}

static pail_status check_knobs(const pail_msm_config *config, const struct pail_vk_caps *caps,
                               const struct descriptor *d, struct pail_error *err)
{
    const struct {
        const char *name;
        uint32_t value;
    } knobs[] = {
        {"slots", config->slots},
        {"inversion_group", config->inversion_group},
        {"prefix_placement", d->places ? 0 : config->prefix_placement},
    };
    if (config->flags & ~PAIL_MSM_FLAGS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->flags is 0x%x; only 0x%x is known",
                         config->flags, PAIL_MSM_FLAGS);
    for (size_t i = 0; i < 3 && !d->inverts; i++)
        if (knobs[i].value)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "config->%s is %u; the accumulator %s shares no inversions",
                             knobs[i].name, knobs[i].value, d->name);
    if (config->workgroup > caps->max_workgroup_invocations)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "config->workgroup is %u; at most %u on %s",
                         config->workgroup, caps->max_workgroup_invocations, caps->name);
    if (d->buckets && config->threads)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->threads is %u; the accumulator %s has one for each bucket",
                         config->threads, d->name);
    if (config->slots > MSM_WALK_SLOTS_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->slots is %u; at most %u", config->slots,
                         MSM_WALK_SLOTS_MAX);
    if (config->prefix_placement > PAIL_PLACEMENT_DEVICE)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->prefix_placement is %u, which is none",
                         config->prefix_placement);
    const pail_status status = d->check ? d->check(config, err) : PAIL_OK;
    if (status == PAIL_OK && config->inversion_group && !is_power_of_two(config->inversion_group))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->inversion_group is %u; it has to be a power of two",
                         config->inversion_group);
    return status;
}

/* ---- The choice ------------------------------------------------------------------------------ */
static pail_status choose_workgroup(struct pail_msm_accumulator *a, const struct descriptor *d,
                                    const struct pail_msm_wish *w, struct pail_error *err)
{
    const uint32_t wanted = w->config->workgroup ? w->config->workgroup : a->workgroup;
    if (d->fit)
        return d->fit(a, d, w, wanted, err);
    a->workgroup = fit_threads(a, d, w, wanted, 1);
    return a->workgroup ? PAIL_OK : unfit(a, w, 1, err);
}

static uint32_t longest_share(const struct pail_msm_accumulator *a, const struct descriptor *d,
                              const struct pail_msm_wish *w)
{
    const uint32_t loops = w->caps->max_loop_iterations, each = d->iterations(a, w);
    return loops && loops / each < d->share_max ? loops / each : d->share_max;
}

static enum pail_field_form form_of(const struct pail_vk_caps *caps, const pail_msm_config *config,
                                    uint32_t coordinate_bytes)
{
    return config->field == PAIL_FIELD_AUTO ? pail_msm_form_auto(caps, coordinate_bytes)
                                            : (enum pail_field_form)config->field;
}

pail_status pail_msm_accumulator_choose(struct pail_msm_accumulator *out,
                                        const pail_msm_config *config,
                                        const struct pail_vk_caps *caps, uint32_t coordinate_bytes,
                                        uint32_t group, uint64_t points, struct pail_error *err)
{
    struct pail_msm_accumulator a = {.accumulator = config->accumulator, .shares = 1, .lanes = 1};
    const struct pail_msm_wish wish = {
        config, caps, form_of(caps, config, coordinate_bytes), coordinate_bytes, group, points};
    memset(out, 0, sizeof(*out));
    if (a.accumulator == PAIL_ACCUMULATOR_AUTO)
        a.accumulator = pail_msm_accumulator_auto(caps, coordinate_bytes, config->field);
    const struct descriptor *d = descriptor_of(a.accumulator);
    if (!d)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "config->accumulator is %u; the Vulkan backend has xyzz, walker, coop and "
                         "debug (1 to 4)",
                         config->accumulator);
    pail_status status = check_knobs(config, caps, d, err);
    if (status != PAIL_OK)
        return status;
    d->choose(&a, &wish);
    status = choose_workgroup(&a, d, &wish, err);
    if (status != PAIL_OK)
        return status;
    if (a.threads_max == 0)
        a.threads_max = pail_msm_threads_max(caps, coordinate_bytes);
    a.share_max = longest_share(&a, d, &wish);
    const uint32_t values[] = {
        [MSM_SPEC_WORKGROUP] = a.workgroup,
        [MSM_SPEC_SLOTS] = a.slots,
        [MSM_SPEC_PLACEMENT] = a.prefix_placement,
        [MSM_SPEC_GROUP] = a.inversion_group,
    };
    const struct pail_kernel *row = &pail_kernels[a.kernel];
    a.n_specs = row->n_specs;
    for (uint32_t i = 0; i < a.n_specs; i++)
        a.specs[i] = values[row->specs[i].id];
    *out = a;
    return PAIL_OK;
}

/* ---- What a set of some group takes ---------------------------------------------------------- */
uint32_t pail_msm_accumulator_lanes(const struct pail_msm_accumulator *a, uint32_t group)
{
    return group == PAIL_G1 ? 1 : a->lanes;
}
