/* SPDX-License-Identifier: Apache-2.0 */
/* The policy: what is taken where a configuration leaves a choice open, by measurement and by the
 * kind of the device. Every figure that was measured to choose by is in policy.c, but those that
 * weigh one plan against another (plan.c, copies.c) and those of the sort (sort_plan.c). Pure.
 */
#ifndef PAIL_MSM_POLICY_H
#define PAIL_MSM_POLICY_H

#include "accumulator.h"
#include "residency.h"

/* The field form that PAIL_FIELD_AUTO stands for. */
enum pail_field_form pail_msm_form_auto(const struct pail_vk_caps *caps, uint32_t coordinate_bytes);

/* The accumulator that PAIL_ACCUMULATOR_AUTO stands for. field: PAIL_FIELD_, as configured. */
uint32_t pail_msm_accumulator_auto(const struct pail_vk_caps *caps, uint32_t coordinate_bytes,
                                   uint32_t field);

/* Times as long as the default that an accumulator takes at most, for comparing it with the default
 * before it was measured. */
uint32_t pail_msm_most_times(const struct pail_vk_caps *caps, uint32_t accumulator);

/* Points from which on the accumulator xyzz takes runs in order of their length. Where it is for
 * software drivers, or has sums in two invocations, it always does. */
uint64_t pail_msm_runs_points(uint32_t coordinate_bytes);

/* The accumulator xyzz in doubles, by measurement on an H200 (docs/performance.md): where a sum and
 * an addition fill more than the registers that a thread may have, or than leave room for another
 * subgroup of threads, a part of the sum waits in workgroup memory. A workgroup as large as a
 * processor's share of the threads holds a compiler to the registers that leave room for them. */
struct pail_msm_sums {
    uint32_t coordinate_bytes, placement;
    uint32_t workgroup, threads; /* invocations; threads: of a processor */
};

/* Placement of the sums of the accumulator xyzz: in doubles, for enough points; and with two
 * invocations to a sum, for any number of points. NULL: not in this way. */
const struct pail_msm_sums *pail_msm_sums_in_doubles(const struct pail_msm_wish *wish);
const struct pail_msm_sums *pail_msm_sums_in_pairs(const struct pail_msm_wish *wish);

/* Workgroup memory of a thread for ZZ and ZZZ: digits, of which there is an odd number
 * (ec/xyzz.glsl), take up to half more than packed words. */
uint32_t pail_msm_sum_bytes(uint32_t coordinate_bytes);

/* True if the accumulator xyzz takes the kernels for software drivers, which have kernels of their
 * own for the first group in 29-bit limbs. */
bool pail_msm_takes_serial(const struct pail_msm_wish *wish);

/* Threads that pay, of an accumulator that has no number of its own. */
uint32_t pail_msm_threads_max(const struct pail_vk_caps *caps, uint32_t coordinate_bytes);

/* Points from which on GLV images pay; UINT64_MAX: never. debug: enum pail_debug, or-ed. */
uint64_t pail_glv_least(const struct pail_vk_caps *caps, uint32_t debug);

/* True if a set of n points of order r that stay on the device should have GLV images: where they
 * pay, and points and GLV images leave three quarters of what is free to others. */
bool pail_glv_pays(uint64_t n, uint64_t least, uint32_t point_bytes,
                   const struct pail_device_room *room);

/* Points from which on work begins while scalars are sent; 0: never. */
uint64_t pail_msm_overlap_points(const struct pail_vk_caps *caps);

/* Quads of the reduction that the device has room for; 0: never mind it. */
uint32_t pail_msm_quads_at_once(const struct pail_vk_caps *caps);

/* Entries of a block that bound the time of a dispatch; 0: no limit. */
uint64_t pail_msm_entries_of(const struct pail_vk_caps *caps);

#endif /* PAIL_MSM_POLICY_H */
