#include "accumulator.h"

#include <string.h>

#include <shared/msm_layout.h>

/* A thread that runs long is near the end of a driver's patience. */
#define SHARE_MAX 8192u
/* Threads of a workgroup that share inversions, where nobody says more. */
#define COOP_WORKGROUP 64u
/* Of the serial kernel: a workgroup is work for one processor, whose vectors have 4 to 16 lanes, so
 * small ones are dealt out evenly; fewer threads leave fewer pieces of cut buckets. */
#define SERIAL_WORKGROUP 16u
#define SERIAL_THREADS   1024u
#define WALKER_SLOTS     8u
#define COOP_SLOTS       1u
/* Fewer points, in large workgroups, would leave processors idle. */
#define LARGE_POINTS 32768u
/* Points from which on runs in order of their length pay, by measurement on an H200
 * (docs/performance.md): finding the order takes 0.06 to 0.13 ms, and the slower the additions
 * that are waited for, the fewer points make up for it. */
#define RUNS_POINTS         ((uint64_t)1 << 20)
#define RUNS_POINTS_LARGE   ((uint64_t)1 << 18) /* coordinates above 32 bytes */
#define RUNS_POINTS_LARGEST LARGE_POINTS        /* above 64 */
/* Flags of msm/accumulate/coop in workgroup memory. */
#define COOP_FLAG_BYTES 8u

/* Registers do not hold a sum of such coordinates. Software drivers have no such cliff. */
static bool spills(const struct pail_vk_caps *caps, uint32_t coordinate_bytes)
{
    return coordinate_bytes > 64 && caps->type != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* By measurement (docs/performance.md): on an H200, whose doubles are fast, they are ahead for
 * every size of coordinates. Without them 29-bit limbs are ahead where a coordinate takes up to 64
 * bytes. Where it takes 96, the fewer limbs of 32 bits spill less. */
enum pail_field_form pail_msm_form_auto(const struct pail_vk_caps *caps, uint32_t coordinate_bytes)
{
    if (caps->fast_doubles)
        return PAIL_FORM_D51;
    return caps->int64 && !spills(caps, coordinate_bytes) ? PAIL_FORM_X29 : PAIL_FORM_X32;
}

/* By measurement: the accumulator without inversions is ahead, except in the form that spills most:
 * there affine sums with an inversion for each addition take a quarter of its time. */
uint32_t pail_msm_accumulator_auto(const struct pail_vk_caps *caps, uint32_t coordinate_bytes,
                                   uint32_t field)
{
    return field == PAIL_FIELD_U64X9 && spills(caps, coordinate_bytes) ? PAIL_ACCUMULATOR_COOP
                                                                       : PAIL_ACCUMULATOR_XYZZ;
}

uint64_t pail_msm_runs_points(uint32_t coordinate_bytes)
{
    if (coordinate_bytes > 64)
        return RUNS_POINTS_LARGEST;
    return coordinate_bytes > 32 ? RUNS_POINTS_LARGE : RUNS_POINTS;
}

static enum pail_field_form form_of(const struct pail_vk_caps *caps, const pail_msm_config *config,
                                    uint32_t coordinate_bytes)
{
    return config->field == PAIL_FIELD_AUTO ? pail_msm_form_auto(caps, coordinate_bytes)
                                            : (enum pail_field_form)config->field;
}

/* The accumulator xyzz in doubles, by measurement on an H200 (docs/performance.md): where a sum and
 * an addition fill more than the registers that a thread may have, or than leave room for another
 * subgroup of threads, a part of the sum waits in workgroup memory. A workgroup as large as a
 * processor's share of the threads holds a compiler to the registers that leave room for them. */
struct sums {
    uint32_t coordinate_bytes, placement;
    uint32_t workgroup, threads; /* invocations; threads: of a processor */
};

static const struct sums sums_in_doubles[] = {
    {32, PAIL_PLACEMENT_WORKGROUP, 512, 512},
    {48, PAIL_PLACEMENT_WORKGROUP, 256, 256},
    {64, PAIL_PLACEMENT_WORKGROUP, 256, 256},
    {96, PAIL_PLACEMENT_WORKGROUP, 64, 256},
};

/* Where registers hold no sum in any way, two invocations hold one, each a coefficient of every
 * coordinate: a second group's of 96 bytes takes 0.8 of the time then, one of 64 bytes 1.2. What
 * joins and reduces such sums gains more, so that it pays for any number of points. */
static const struct sums sums_in_pairs = {96, PAIL_PLACEMENT_WORKGROUP, 256, 256};

/* Subgroups have to be full, so that every invocation has its neighbour: in the reduction, too,
 * whose workgroups are the smallest, and of which the others are multiples. */
static bool pairs_up(const struct pail_vk_caps *caps, uint32_t coordinate_bytes, uint32_t group)
{
    return group == PAIL_G2 && coordinate_bytes == sums_in_pairs.coordinate_bytes &&
           sums_in_pairs.workgroup <= caps->max_workgroup_invocations &&
           pail_vk_caps_exchange(caps) && caps->subgroup_size >= 2 &&
           MSM_REDUCE_WORKGROUP % caps->subgroup_size == 0;
}

/* Workgroup memory of a thread for ZZ and ZZZ: digits, of which there is an odd number
 * (ec/xyzz.glsl), take up to half more than packed words. */
static uint32_t sum_bytes(uint32_t coordinate_bytes)
{
    return 2 * (coordinate_bytes + coordinate_bytes / 2);
}

static const char *name_of(uint32_t accumulator)
{
    static const char *const names[] = {"auto", "xyzz", "walker", "coop", "debug"};
    return names[accumulator];
}

/* Their row, where the configuration leaves it and there are points enough; NULL: none. */
static const struct sums *sums_of(const struct pail_vk_caps *caps, const pail_msm_config *config,
                                  uint32_t coordinate_bytes, uint64_t points)
{
    if (form_of(caps, config, coordinate_bytes) != PAIL_FORM_D51 ||
        caps->type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU || points < LARGE_POINTS ||
        config->workgroup)
        return NULL;
    for (size_t i = 0; i < sizeof(sums_in_doubles) / sizeof(sums_in_doubles[0]); i++) {
        const struct sums *sums = &sums_in_doubles[i];
        if (sums->coordinate_bytes == coordinate_bytes &&
            (!config->prefix_placement || config->prefix_placement == sums->placement) &&
            sums->workgroup <= caps->max_workgroup_invocations &&
            sums->workgroup * sum_bytes(coordinate_bytes) <= caps->max_workgroup_bytes)
            return sums;
    }
    return NULL;
}

/* Software drivers have kernels of their own for the first group in 29-bit limbs. */
static bool is_serial(const struct pail_vk_caps *caps, const pail_msm_config *config,
                      uint32_t coordinate_bytes, uint32_t group)
{
    return caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU && group == PAIL_G1 &&
           form_of(caps, config, coordinate_bytes) == PAIL_FORM_X29 &&
           config->prefix_placement != PAIL_PLACEMENT_WORKGROUP;
}

static bool shares_inversions(uint32_t accumulator)
{
    return accumulator == PAIL_ACCUMULATOR_WALKER || accumulator == PAIL_ACCUMULATOR_COOP;
}

static bool is_power_of_two(uint32_t x)
{
    return x && (x & (x - 1)) == 0;
}

static uint32_t power_of_two_below(uint32_t x) /* the largest not above x; x is not 0 */
{
    uint32_t power = 1;
    while (power <= x / 2)
        power *= 2;
    return power;
}

static pail_status check_knobs(const pail_msm_config *config, const struct pail_vk_caps *caps,
                               uint32_t accumulator, struct pail_error *err)
{
    const struct {
        const char *name;
        uint32_t value;
    } knobs[] = {
        {"slots", config->slots},
        {"inversion_group", config->inversion_group},
        {"prefix_placement", accumulator == PAIL_ACCUMULATOR_XYZZ ? 0 : config->prefix_placement},
    };
    if (config->flags & ~(uint32_t)PAIL_MSM_PUBLIC_SCALARS)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "flags: of 0x%x only 0x%x is known", config->flags,
                         PAIL_MSM_PUBLIC_SCALARS);
    for (size_t i = 0; i < 3 && !shares_inversions(accumulator); i++)
        if (knobs[i].value)
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "%s: %u, but the accumulator %s shares no inversions", knobs[i].name,
                             knobs[i].value, name_of(accumulator));
    if (config->workgroup > caps->max_workgroup_invocations)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "workgroup: %u threads are more than the %u of %s", config->workgroup,
                         caps->max_workgroup_invocations, caps->name);
    if (accumulator == PAIL_ACCUMULATOR_DEBUG && config->threads)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "threads: %u, but the accumulator debug has one for each bucket",
                         config->threads);
    if (config->slots > MSM_WALK_SLOTS_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "slots: %u are more than %u", config->slots,
                         MSM_WALK_SLOTS_MAX);
    if (config->prefix_placement > PAIL_PLACEMENT_DEVICE)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "prefix_placement: %u is not a pail_placement",
                         config->prefix_placement);
    if (accumulator == PAIL_ACCUMULATOR_XYZZ && config->prefix_placement == PAIL_PLACEMENT_DEVICE)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "prefix_placement: %u, but sums of the accumulator xyzz are in registers "
                         "(%u) or in workgroup memory (%u)",
                         config->prefix_placement, (unsigned)PAIL_PLACEMENT_PRIVATE,
                         (unsigned)PAIL_PLACEMENT_WORKGROUP);
    if (accumulator == PAIL_ACCUMULATOR_WALKER && config->inversion_group > 1)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "inversion_group: %u, but each thread of the accumulator walker inverts "
                         "for itself",
                         config->inversion_group);
    if (config->inversion_group && !is_power_of_two(config->inversion_group))
        return pail_fail(err, PAIL_ERR_ARGUMENT, "inversion_group: %u is not a power of two",
                         config->inversion_group);
    return PAIL_OK;
}

/* Bytes of workgroup memory that the kernel declares with so many threads. Every array has at least
 * one element. */
static uint64_t workgroup_bytes(const struct pail_msm_accumulator *a, uint32_t threads,
                                uint32_t coordinate_bytes)
{
    uint64_t coordinates = 0, bytes = 0;
    if (a->serial)
        return 0;
    if (a->accumulator == PAIL_ACCUMULATOR_XYZZ)
        return a->prefix_placement == PAIL_PLACEMENT_WORKGROUP
                   ? (uint64_t)threads * sum_bytes(coordinate_bytes) / a->lanes
                   : sum_bytes(coordinate_bytes) / 2;
    if (shares_inversions(a->accumulator))
        coordinates +=
            a->prefix_placement == PAIL_PLACEMENT_WORKGROUP ? (uint64_t)a->slots * threads : 1;
    if (a->kernel == PAIL_KERNEL_MSM_COOP) {
        coordinates += a->inversion_group == 1 ? 1 : 2 * (uint64_t)threads;
        bytes = COOP_FLAG_BYTES;
    }
    return bytes + coordinates * coordinate_bytes;
}

/* The largest number of threads up to `wanted` that the device runs, in whole `unit`s; 0: not one
 * unit. */
static uint32_t fit_workgroup(const struct pail_msm_accumulator *a, const struct pail_vk_caps *caps,
                              uint32_t coordinate_bytes, uint32_t wanted, uint32_t unit)
{
    uint32_t threads = wanted - wanted % unit;
    while (threads &&
           (threads > caps->max_workgroup_invocations || threads > caps->max_workgroup_size[0] ||
            workgroup_bytes(a, threads, coordinate_bytes) > caps->max_workgroup_bytes))
        threads -= unit;
    return threads;
}

static pail_status choose_workgroup(struct pail_msm_accumulator *a, const pail_msm_config *config,
                                    const struct pail_vk_caps *caps, const struct sums *sums,
                                    uint32_t coordinate_bytes, struct pail_error *err)
{
    const bool coop = a->accumulator == PAIL_ACCUMULATOR_COOP;
    uint32_t wanted = config->workgroup;
    if (wanted == 0)
        wanted = coop        ? COOP_WORKGROUP
                 : sums      ? sums->workgroup
                 : a->serial ? SERIAL_WORKGROUP
                             : MSM_ACCUMULATE_WORKGROUP;
    if (coop && a->inversion_group == 0) {
        /* The whole workgroup shares: a power of two. */
        uint32_t threads = power_of_two_below(wanted);
        while (threads > 1 && fit_workgroup(a, caps, coordinate_bytes, threads, threads) == 0)
            threads /= 2;
        a->inversion_group = threads;
        a->workgroup = threads;
        return PAIL_OK;
    }
    const uint32_t unit = coop ? a->inversion_group : 1;
    if (config->workgroup == 0 && wanted < unit)
        wanted = unit;
    a->workgroup = fit_workgroup(a, caps, coordinate_bytes, wanted, unit);
    if (a->workgroup == 0 && wanted < unit)
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "inversion_group: %u threads do not fit a workgroup of %u", unit, wanted);
    if (a->workgroup == 0)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "inversion_group: %u threads with %u slots do not fit the %u threads and "
                         "%u bytes of a workgroup of %s",
                         unit, a->slots, caps->max_workgroup_invocations, caps->max_workgroup_bytes,
                         caps->name);
    return PAIL_OK;
}

/* Iterations of all loops for each round of a share, generously: rounds of the inversion and their
 * loops that a driver may not unroll, the slots forward and back, the tree. */
static uint32_t round_iterations(const struct pail_msm_accumulator *a, uint32_t coordinate_bytes)
{
    const uint32_t steps = 19 * coordinate_bytes; /* 45907 / 19929 for each bit of a coordinate */
    uint32_t tree = 0;
    for (uint32_t h = 1; h < a->inversion_group; h *= 2)
        tree += 6;
    return 6 * (steps / 29 + 1) + 6 * a->slots + tree + 8;
}

static uint32_t longest_share(const struct pail_msm_accumulator *a, const struct pail_vk_caps *caps,
                              uint32_t coordinate_bytes, uint32_t group)
{
    /* An addition loops over its products, eleven at most, and what ends a run over its four
     * coordinates; in a second group form x32 loops inside each product as well. */
    uint32_t iterations = group == PAIL_G2 ? 50 : 20;
    if (shares_inversions(a->accumulator))
        iterations = round_iterations(a, coordinate_bytes);
    uint32_t most = a->accumulator == PAIL_ACCUMULATOR_DEBUG ? 4 * SHARE_MAX : SHARE_MAX;
    /* Steps of a task are those of its longest run, and one may be cut: up to twice as many. */
    if (a->tasks)
        iterations *= 2;
    if (caps->max_loop_iterations && caps->max_loop_iterations / iterations < most)
        most = caps->max_loop_iterations / iterations;
    return most;
}

/* Vulkan does not say how many processors a device has, so this is the most threads that pay on the
 * largest of each type; a smaller one just runs them in more waves. By measurement on an H200: sums
 * in integers leave registers for 384 threads of a processor, and a few more would be a wave of
 * their own; where a coordinate takes 64 bytes more waves are ahead. */
static uint32_t threads_of(const struct pail_msm_accumulator *a, const struct pail_vk_caps *caps,
                           const struct sums *sums, uint32_t coordinate_bytes)
{
    if (a->serial)
        return SERIAL_THREADS;
    if (sums)
        return PAIL_MSM_PROCESSORS * sums->threads / a->lanes;
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 4096;
    if (caps->type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
        return 32768;
    return coordinate_bytes == 64 ? 65536 : PAIL_MSM_PROCESSORS * 384;
}

enum pail_kernel_id pail_msm_accumulator_kernel(const struct pail_msm_accumulator *a,
                                                uint32_t group)
{
    return a->kernel == PAIL_KERNEL_MSM_ACCUMULATE_PAIRS && group == PAIL_G1
               ? PAIL_KERNEL_MSM_ACCUMULATE_RUNS
               : a->kernel;
}

enum pail_kernel_id pail_msm_accumulator_paired(const struct pail_msm_accumulator *a,
                                                uint32_t group, enum pail_kernel_id kernel)
{
    if (pail_msm_accumulator_lanes(a, group) != 2)
        return kernel;
    switch ((int)kernel) {
    case PAIL_KERNEL_MSM_COMBINE:
        return PAIL_KERNEL_MSM_COMBINE_PAIRS;
    case PAIL_KERNEL_MSM_REDUCE:
        return PAIL_KERNEL_MSM_REDUCE_PAIRS;
    case PAIL_KERNEL_MSM_REDUCE_WIDE:
        return PAIL_KERNEL_MSM_REDUCE_WIDE_PAIRS;
    default:
        return kernel;
    }
}

uint32_t pail_msm_accumulator_lanes(const struct pail_msm_accumulator *a, uint32_t group)
{
    return group == PAIL_G1 ? 1 : a->lanes;
}

pail_status pail_msm_accumulator_choose(struct pail_msm_accumulator *out,
                                        const pail_msm_config *config,
                                        const struct pail_vk_caps *caps, uint32_t coordinate_bytes,
                                        uint32_t group, uint64_t points, struct pail_error *err)
{
    struct pail_msm_accumulator a = {.accumulator = config->accumulator, .shares = 1, .lanes = 1};
    /* The caller's choice of coop shares inversions as widely as it can; ours not at all. */
    const bool chosen = config->accumulator != PAIL_ACCUMULATOR_AUTO || config->inversion_group;
    const bool pairs = sums_of(caps, config, coordinate_bytes, UINT64_MAX) &&
                       pairs_up(caps, coordinate_bytes, group);
    memset(out, 0, sizeof(*out));
    if (a.accumulator == PAIL_ACCUMULATOR_AUTO)
        a.accumulator = pail_msm_accumulator_auto(caps, coordinate_bytes, config->field);
    switch (a.accumulator) {
    case PAIL_ACCUMULATOR_XYZZ:
        a.serial = is_serial(caps, config, coordinate_bytes, group);
        a.tasks = !a.serial && (pairs || points >= pail_msm_runs_points(coordinate_bytes));
        a.runs = a.serial || a.tasks;
        a.kernel = a.serial  ? PAIL_KERNEL_MSM_ACCUMULATE_SERIAL
                   : a.tasks ? PAIL_KERNEL_MSM_ACCUMULATE_RUNS
                             : PAIL_KERNEL_MSM_ACCUMULATE;
        a.resumes = true;
        break;
    case PAIL_ACCUMULATOR_WALKER:
        a.kernel = PAIL_KERNEL_MSM_WALKER;
        break;
    case PAIL_ACCUMULATOR_COOP:
        a.kernel = PAIL_KERNEL_MSM_COOP;
        break;
    case PAIL_ACCUMULATOR_DEBUG:
        a.kernel = PAIL_KERNEL_MSM_DEBUG;
        a.shares = 0;
        break;
    default:
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "accumulator: %u is not one of this backend",
                         config->accumulator);
    }
    pail_status status = check_knobs(config, caps, a.accumulator, err);
    if (status != PAIL_OK)
        return status;
    if (shares_inversions(a.accumulator)) {
        const bool coop = a.accumulator == PAIL_ACCUMULATOR_COOP;
        a.slots = config->slots ? config->slots : coop ? COOP_SLOTS : WALKER_SLOTS;
        a.shares = a.slots;
        a.inversion_group = coop && chosen ? config->inversion_group : 1;
        a.prefix_placement =
            config->prefix_placement ? config->prefix_placement : PAIL_PLACEMENT_PRIVATE;
        if (coop && a.inversion_group > 1 && a.inversion_group == caps->subgroup_size &&
            pail_vk_caps_exchange(caps))
            a.kernel = PAIL_KERNEL_MSM_COOP_SUBGROUP;
        if (a.prefix_placement == PAIL_PLACEMENT_DEVICE)
            a.scratch_bytes = a.slots * coordinate_bytes;
    }
    const struct sums *sums = NULL;
    if (a.accumulator == PAIL_ACCUMULATOR_XYZZ) {
        sums = pairs ? &sums_in_pairs : sums_of(caps, config, coordinate_bytes, points);
        if (pairs) {
            a.kernel = PAIL_KERNEL_MSM_ACCUMULATE_PAIRS;
            a.lanes = 2;
        }
        a.prefix_placement = sums                       ? sums->placement
                             : config->prefix_placement ? config->prefix_placement
                                                        : PAIL_PLACEMENT_PRIVATE;
    }
    status = choose_workgroup(&a, config, caps, sums, coordinate_bytes, err);
    if (status != PAIL_OK)
        return status;
    a.threads_max = threads_of(&a, caps, sums, coordinate_bytes);
    a.share_max = longest_share(&a, caps, coordinate_bytes, group);
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
