/* SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

#include <shared/msm_layout.h>

#include "vk/pace_kept.h"

/* A product over Fp2 is three over Fp. */
#define PRODUCTS_FP2 3

/* Fewer points make no shorter block: they have buckets all the same. */
#define ENTRIES_MIN 1024u

static double units_of_addition(const struct pail_msm_group *group)
{
    const bool extension = group->group == PAIL_G2;
    const double words = (double)group->ops->coordinate_bytes / (extension ? 8 : 4);
    return words * words * (extension ? PRODUCTS_FP2 : 1);
}

uint32_t pail_msm_check_bits(const struct pail_msm_group *group)
{
    /* G1_CHECK_BITS and G2_CHECK_BITS of glsl/curve. */
    if (group->curve == PAIL_KC_BN254)
        return group->group == PAIL_G1 ? 192 : 127;
    if (group->curve == PAIL_KC_BLS12_381)
        return group->group == PAIL_G1 ? 128 : 64;
    return MSM_CHECK_BITS_MAX;
}

struct pail_vk_work pail_msm_work(const struct pail_msm_group *group, double additions)
{
    return (struct pail_vk_work){.kind = PAIL_VK_POINTS,
                                 .units = additions * units_of_addition(group)};
}

void pail_msm_expect_additions(struct pail_vk_cmd *cmd, const struct pail_msm_group *group,
                               double additions)
{
    const struct pail_vk_work work = pail_msm_work(group, additions);
    pail_vk_cmd_expect(cmd, &work);
}

/* The largest power of two that is no larger: a plan that changes with every measurement would
 * have its memory allocated anew each time. */
static uint64_t power_below(double n)
{
    uint64_t power = ENTRIES_MIN;
    while (2.0 * (double)power <= n)
        power *= 2;
    return power;
}

uint64_t pail_msm_entries_at_once(struct pail_vk_device *dev, const struct pail_msm_group *widest,
                                  uint32_t narrowest, enum pail_field_form form,
                                  const struct pail_msm_accumulator *accumulator)
{
    uint64_t least = 0;
    for (uint32_t g = narrowest; g <= widest->group; g++) {
        struct pail_msm_group group;
        struct pail_error ignored;
        if (pail_msm_group(&group, widest->curve, g, &ignored) != PAIL_OK)
            continue;
        const double units = pail_vk_pace_units(
            dev, accumulator->kernel,
            (struct pail_variant){group.curve, g, form, accumulator->lanes}, PAIL_VK_POINTS);
        const uint64_t n = units > 0 ? power_below(units / units_of_addition(&group)) : 0;
        least = n && (!least || n < least) ? n : least;
    }
    return least;
}

uint32_t pail_msm_steps_at_once(struct pail_vk_device *dev, enum pail_kernel_id kernel,
                                const struct pail_msm_group *group, enum pail_field_form form,
                                uint64_t n, double additions, uint32_t most)
{
    const double units = pail_vk_pace_units(
        dev, kernel, (struct pail_variant){group->curve, group->group, form, 0}, PAIL_VK_POINTS);
    const double steps = units / ((double)n * additions * units_of_addition(group));
    if (!(units > 0) || steps >= most)
        return most;
    return steps > 1 ? (uint32_t)steps : 1;
}
