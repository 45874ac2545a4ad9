/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <shared/msm_layout.h>

#include <core/debug.h>

/* Fewer points, in large workgroups, would leave processors idle. */
#define LARGE_POINTS 32768u
/* Points from which on runs in order of their length pay, by measurement on an H200
 * (docs/performance.md): finding the order takes 0.06 to 0.13 ms, and the slower the additions
 * that are waited for, the fewer points make up for it. */
#define RUNS_POINTS         ((uint64_t)1 << 20)
#define RUNS_POINTS_LARGE   ((uint64_t)1 << 18) /* coordinates above 32 bytes */
#define RUNS_POINTS_LARGEST LARGE_POINTS        /* above 64 */
/* On an H200 a half of the doublings on the host is 0.05 ms and more, which is what counts for few
 * points. A software driver has no use for fewer buckets, and a kernel more to compile. */
#define GLV_POINTS ((uint64_t)1 << 10)
#define GLV_DEBUG  ((uint64_t)1)
/* Entries of a block where a watchdog may be near: at 50 M additions a second, which a slow device
 * does, a dispatch then takes about a second. */
#define ENTRIES_OF_SLOW_DEVICE ((uint64_t)1 << 26)

/* Registers do not hold a sum of such coordinates. Software drivers have no such cliff. */
static bool spills(const struct pail_vk_caps *caps, uint32_t coordinate_bytes)
{
    return coordinate_bytes > 64 && caps->type != VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Choice by measurement (docs/performance.md): on an H200, whose doubles are fast, they are ahead
 * for every size of coordinates. Without them 29-bit limbs are ahead where a coordinate takes up to
 * 64 bytes. Where it takes 96, the fewer limbs of 32 bits spill less. */
enum pail_field_form pail_msm_form_auto(const struct pail_vk_caps *caps, uint32_t coordinate_bytes)
{
    if (caps->fast_doubles)
        return PAIL_FORM_D51;
    return caps->int64 && !spills(caps, coordinate_bytes) ? PAIL_FORM_X29 : PAIL_FORM_X32;
}

/* Choice by measurement: the accumulator without inversions is ahead, except in the form that
 * spills most: there affine sums with an inversion for each addition take a quarter of its time. */
uint32_t pail_msm_accumulator_auto(const struct pail_vk_caps *caps, uint32_t coordinate_bytes,
                                   uint32_t field)
{
    return field == PAIL_FIELD_LIMB29 && spills(caps, coordinate_bytes) ? PAIL_ACCUMULATOR_COOP
                                                                        : PAIL_ACCUMULATOR_XYZZ;
}

/* On an H200 walker takes 2 times, coop 5 times as long as xyzz (docs/lab/affine-additions.md). On
 * lavapipe, which has kernels of its own for the default, they take 11 and 6 times as long, and
 * over scalars of one bit 32 and 23 times. */
uint32_t pail_msm_most_times(const struct pail_vk_caps *caps, uint32_t accumulator)
{
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 40;
    return accumulator == PAIL_ACCUMULATOR_COOP ? 16 : 8;
}

uint64_t pail_msm_runs_points(uint32_t coordinate_bytes)
{
    if (coordinate_bytes > 64)
        return RUNS_POINTS_LARGEST;
    return coordinate_bytes > 32 ? RUNS_POINTS_LARGE : RUNS_POINTS;
}

/* docs/performance.md has the measurements, on an H200. */
static const struct pail_msm_sums sums_in_doubles[] = {
    {32, PAIL_PLACEMENT_WORKGROUP, 512, 512},
    {48, PAIL_PLACEMENT_WORKGROUP, 256, 256},
    {64, PAIL_PLACEMENT_WORKGROUP, 256, 256},
    {96, PAIL_PLACEMENT_WORKGROUP, 64, 256},
};

/* Sums by two invocations, for sizes that no thread's registers hold; each invocation has a
 * coefficient of every coordinate. A second group's sum with coordinates of 96 bytes takes 0.8 of
 * the time then, with 64 bytes 1.2. Joining and reducing such sums gains more, so that it pays for
 * any number of points. */
static const struct pail_msm_sums sums_in_pairs = {96, PAIL_PLACEMENT_WORKGROUP, 256, 256};

uint32_t pail_msm_sum_bytes(uint32_t coordinate_bytes)
{
    return 2 * (coordinate_bytes + coordinate_bytes / 2);
}

/* Their row for so many points, where the configuration leaves it; NULL: none. */
static const struct pail_msm_sums *sums_of(const struct pail_msm_wish *w, uint64_t points)
{
    const struct pail_vk_caps *caps = w->caps;
    const pail_msm_config *config = w->config;
    if (w->form != PAIL_FORM_D51 || caps->type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ||
        points < LARGE_POINTS || config->workgroup)
        return NULL;
    for (size_t i = 0; i < sizeof(sums_in_doubles) / sizeof(sums_in_doubles[0]); i++) {
        const struct pail_msm_sums *sums = &sums_in_doubles[i];
        if (sums->coordinate_bytes == w->coordinate_bytes &&
            (!config->prefix_placement || config->prefix_placement == sums->placement) &&
            sums->workgroup <= caps->max_workgroup_invocations &&
            sums->workgroup * pail_msm_sum_bytes(w->coordinate_bytes) <= caps->max_workgroup_bytes)
            return sums;
    }
    return NULL;
}

const struct pail_msm_sums *pail_msm_sums_in_doubles(const struct pail_msm_wish *w)
{
    return sums_of(w, w->points);
}

/* Subgroups have to be full, so that every invocation has its neighbour: in the reduction, too,
 * whose workgroups are the smallest, and of which the others are multiples. */
const struct pail_msm_sums *pail_msm_sums_in_pairs(const struct pail_msm_wish *w)
{
    const struct pail_vk_caps *caps = w->caps;
    const bool pairs = sums_of(w, UINT64_MAX) && w->group == PAIL_G2 &&
                       w->coordinate_bytes == sums_in_pairs.coordinate_bytes &&
                       sums_in_pairs.workgroup <= caps->max_workgroup_invocations &&
                       pail_vk_caps_exchange(caps) && caps->subgroup_size >= 2 &&
                       MSM_REDUCE_WORKGROUP % caps->subgroup_size == 0;
    return pairs ? &sums_in_pairs : NULL;
}

bool pail_msm_takes_serial(const struct pail_msm_wish *w)
{
    return w->caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU && w->group == PAIL_G1 &&
           w->form == PAIL_FORM_X29 && w->config->prefix_placement != PAIL_PLACEMENT_WORKGROUP;
}

/* Vulkan does not say how many processors a device has, so this is the most threads that pay on the
 * largest of each type; a smaller one just runs them in more waves. By measurement on an H200: sums
 * in integers leave registers for 384 threads of a processor, and a few more would be a wave of
 * their own; where a coordinate takes 64 bytes more waves are ahead. */
uint32_t pail_msm_threads_max(const struct pail_vk_caps *caps, uint32_t coordinate_bytes)
{
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 4096;
    if (caps->type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)
        return 32768;
    return coordinate_bytes == 64 ? 65536 : PAIL_MSM_PROCESSORS * 384;
}

uint64_t pail_glv_least(const struct pail_vk_caps *caps, uint32_t debug)
{
    if (debug & PAIL_DEBUG_GLV)
        return GLV_DEBUG;
    return caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? UINT64_MAX : GLV_POINTS;
}

bool pail_glv_pays(uint64_t n, uint64_t least, uint32_t point_bytes,
                   const struct pail_device_room *room)
{
    if (n < least || n == 0 || 2 * n >= MSM_HANDLE_SIGN)
        return false;
    return 2 * n * point_bytes <= pail_device_room_left(room) / 4;
}

/* Half a million points, on an H200: overlapping gains three quarters of the time that scalars
 * take, 0.4 ms for these at 40 GB/s, and each chunk costs some 0.15 ms. A software driver and a
 * device without a queue for copies have nothing that could go on at the same time. */
uint64_t pail_msm_overlap_points(const struct pail_vk_caps *caps)
{
    return caps->transfer_queue && caps->type != VK_PHYSICAL_DEVICE_TYPE_CPU ? (uint64_t)1 << 19
                                                                             : 0;
}

/* An H200 has registers for two subgroups of quads on each quarter of its 132 processors. As many
 * jobs as that take it some 50 us, four times as many single additions, in three steps, 75 us for
 * up to 20000 jobs. Where a lane of a quad is two invocations there is room for half as many. A
 * software driver pays for every barrier, of which quads have many. */
uint32_t pail_msm_quads_at_once(const struct pail_vk_caps *caps)
{
    if (caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 0;
    return caps->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? PAIL_MSM_PROCESSORS * 8 * 8 : 2048;
}

uint64_t pail_msm_entries_of(const struct pail_vk_caps *caps)
{
    const bool slow = caps->type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU ||
                      caps->type == VK_PHYSICAL_DEVICE_TYPE_OTHER;
    return slow ? ENTRIES_OF_SLOW_DEVICE : 0;
}
