/* SPDX-License-Identifier: Apache-2.0 */
/* Compact bases to points. */
#include "block.h"

/* Products of a step of the exponent, and of the powers that it is chosen from with the rest; and
 * of an addition, in which work is counted. */
#define STEP_PRODUCTS     (MSM_EXPAND_BITS + 1)
#define OTHER_PRODUCTS    21
#define ADDITION_PRODUCTS 14.0

/* The binding with the compact bases of the chunk. */
static struct pail_vk_range compact_of(const struct block *block, uint32_t *first)
{
    const struct pail_msm_set *set = &block->bundle->sets[0];
    const uint64_t bytes = pail_bases_stored_bytes(set->bases), align = block->plan->align;
    /* Bindings begin at an alignment, a power of two: `align` points are whole ones. */
    const uint64_t at = (set->first + block->chunk.first) % set->bases->segment;
    *first = (uint32_t)(at % align);
    return pail_msm_range(PAIL_MSM_BASES, (at - at % align) * bytes,
                          (at % align + block->chunk.n) * bytes);
}

enum pail_field_form pail_msm_expand_form(enum pail_field_form form)
{
    return form == PAIL_FORM_D51 ? PAIL_FORM_X29 : form;
}

void pail_msm_steps_expand(const struct block *block)
{
    const struct pail_msm_bundle *b = block->bundle;
    const uint32_t n = block->chunk.n;
    /* The largest p of so many bytes. */
    const uint32_t bits = 8 * (uint32_t)b->sets[0].bases->group.ops->coordinate_bytes - 2;
    const uint32_t all = MSM_EXPAND_STEPS(bits);
    const uint32_t most = b->form == PAIL_FORM_X32 ? MSM_EXPAND_STEPS_X32 : all;
    struct pail_vk_pipeline_request request = pail_msm_request(b, 0, PAIL_KERNEL_MSM_EXPAND);
    request.variant.field = pail_msm_expand_form(b->form);
    struct msm_expand_push push = {.n = n, .steps = most, .doubles = b->form == PAIL_FORM_D51};
    const struct pail_vk_range compact = compact_of(block, &push.first);
    for (; push.step < all; push.step += push.steps) {
        const uint32_t left = all - push.step, steps = left < most ? left : most;
        struct pail_vk_dispatch expand = {
            .request = &request,
            .push = &push,
            .work = pail_msm_additions(
                block, 0, (STEP_PRODUCTS * steps + OTHER_PRODUCTS) / ADDITION_PRODUCTS * n),
            .bindings = {compact,
                         pail_msm_range(PAIL_MSM_STREAM, 0, (uint64_t)n * b->shape.point_bytes)},
        };
        pail_vk_grid(n, MSM_EXPAND_WORKGROUP, expand.grid);
        pail_vk_steps_dispatch(block->list, &expand);
    }
}
