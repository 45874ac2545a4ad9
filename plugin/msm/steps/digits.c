/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars to signed digits. */
#include <shared/vector_layout.h>

#include "block.h"

#define SCALAR_WORDS 32.0

/* The binding with the original numbers of kept points; some binding where none are left out. */
static struct pail_vk_range map_of(const struct pail_msm_bundle *b, const struct pail_msm_set *set,
                                   uint64_t first, uint32_t n, uint32_t *map_first)
{
    const uint64_t align = b->plan.align;
    if (!pail_bases_mapped(set->bases)) {
        *map_first = MSM_KEY_NONE;
        return pail_msm_region_range(&b->plan, PAIL_MSM_INDEX);
    }
    *map_first = 0;
    if (b->shape.streamed) /* sent with the chunk, to where sorting is going to begin */
        return pail_msm_range(PAIL_MSM_SHARED, 0, 4 * (uint64_t)n);
    const uint64_t at = first % set->bases->segment;
    *map_first = (uint32_t)(at % align);
    return pail_msm_range(PAIL_MSM_MAP, 4 * (at - at % align), 4 * (at % align + n));
}

static void fetch_vector(struct pail_vk_steps *list, const struct pail_msm_bundle *b, uint32_t v,
                         const struct pail_msm_chunk *chunk)
{
    const struct pail_msm_vector *vector = &b->vectors[v];
    const struct pail_msm_set *set = &b->sets[0];
    const uint64_t kept = set->first + v * b->handle_stride + chunk->first;
    uint64_t first, stride;
    pail_msm_scalar_layout(b, chunk, &first, &stride);
    const uint64_t at = first + v * stride, start = at - at % b->plan.align;
    struct msm_fetch_push push = {
        .n = chunk->n,
        .address_low = (uint32_t)vector->address,
        .address_high = (uint32_t)(vector->address >> 32),
        .first = (uint32_t)chunk->first,
        .map_base = (uint32_t)vector->offset,
        .target = (uint32_t)(at - start),
        .bits = b->promised_bits,
        .status = b->plan.status,
    };
    const struct pail_vk_pipeline_request request = pail_msm_request(b, 0, PAIL_KERNEL_MSM_FETCH);
    struct pail_vk_dispatch fetch = {
        .request = &request,
        .push = &push,
        .work = pail_msm_words(16.0 * chunk->n, false),
        .bindings = {pail_msm_range(PAIL_MSM_SCALARS, 32 * start, 32 * (at - start + chunk->n)),
                     map_of(b, set, kept, chunk->n, &push.map_first),
                     pail_msm_region_range(&b->plan, PAIL_MSM_INDEX)},
    };
    pail_vk_grid((8 * (uint64_t)chunk->n + MSM_FETCH_WORDS - 1) / MSM_FETCH_WORDS,
                 MSM_FETCH_WORKGROUP, fetch.grid);
    pail_vk_steps_dispatch(list, &fetch);
}

/* Scalars from a vector: of all of it where the map may name any element, else of the chunk's. */
static void fetch_elements(struct pail_vk_steps *list, const struct pail_msm_bundle *b,
                           const struct pail_msm_chunk *chunk)
{
    const struct pail_msm_vector *vector = &b->vectors[0];
    const struct pail_msm_set *set = &b->sets[0];
    const bool mapped = pail_bases_mapped(set->bases);
    const uint64_t from = vector->first + (mapped ? 0 : chunk->first), align = b->plan.align;
    const uint64_t n = mapped ? b->n_original : chunk->n, before = 32 * from % align;
    uint64_t at, stride;
    pail_msm_scalar_layout(b, chunk, &at, &stride);
    const uint64_t start = at - at % align;
    struct vector_scalars_push push = {
        .n = chunk->n,
        .first_a = (uint32_t)(before / 32),
        .map_base = (uint32_t)vector->offset,
        .target = (uint32_t)(at - start),
        .bits = b->promised_bits,
        .status = b->plan.status,
    };
    const struct pail_vk_pipeline_request request =
        pail_msm_request(b, 0, PAIL_KERNEL_VECTOR_SCALARS);
    struct pail_vk_dispatch fetch = {
        .request = &request,
        .push = &push,
        .work = pail_msm_words(32.0 * chunk->n, false),
        .bindings = {pail_msm_range(PAIL_MSM_ELEMENTS, 32 * from - before, before + 32 * n),
                     pail_msm_range(PAIL_MSM_SCALARS, 32 * start, 32 * (at - start + chunk->n)),
                     map_of(b, set, set->first + chunk->first, chunk->n, &push.map_first),
                     pail_msm_region_range(&b->plan, PAIL_MSM_INDEX)},
    };
    pail_vk_grid(chunk->n, VECTOR_WORKGROUP, fetch.grid);
    pail_vk_steps_dispatch(list, &fetch);
}

void pail_msm_steps_fetch(const struct block *block)
{
    const struct pail_msm_bundle *b = block->bundle;
    const uint32_t n_vectors = pail_msm_bundle_fetches(b) ? b->n_vectors : 0;
    block->list->phase = "fetch";
    if (n_vectors && b->vectors[0].elements) {
        fetch_elements(block->list, b, &block->chunk);
        return;
    }
    for (uint32_t v = 0; v < n_vectors; v++)
        if (!b->vectors[v].scalars)
            fetch_vector(block->list, b, v, &block->chunk);
}

void pail_msm_steps_decompose(const struct block *block)
{
    const struct pail_msm_bundle *b = block->bundle;
    const struct pail_msm_plan *plan = block->plan;
    const bool direct = pail_msm_bundle_direct(b);
    const uint32_t first_vector = block->first_window / plan->vector_windows;
    const uint32_t last_vector = (block->first_window + block->windows - 1) / plan->vector_windows;
    const uint32_t n_vectors = last_vector - first_vector + 1;
    uint64_t first, stride;
    pail_msm_scalar_layout(b, &block->chunk, &first, &stride);
    /* A chunk may begin anywhere, a binding only at an alignment; that is a power of two of at
     * least four bytes, so `align` scalars are whole alignments. */
    const uint64_t start = first - first % plan->align;
    const uint64_t end = first + (b->n_vectors - 1) * stride + block->chunk.n;
    struct msm_decompose_push push = {
        .n = block->chunk.n,
        .window_bits = plan->window_bits,
        .vector_windows = plan->vector_windows,
        .wide_top = plan->wide_top,
        .first_window = block->first_window,
        .windows = block->windows,
        .scalar_first = (uint32_t)(first - start),
        .scalar_stride = (uint32_t)stride,
        .handle_stride = (uint32_t)b->handle_stride,
        .reduce = b->reduce && !plan->split, /* halves are of any scalar */
        .further = plan->copies - 1,
    };
    if (direct) {
        push.scalar_first = (uint32_t)block->chunk.first;
        push.address_low = (uint32_t)b->vectors[0].address;
        push.address_high = (uint32_t)(b->vectors[0].address >> 32);
    }
    struct pail_vk_pipeline_request request =
        pail_msm_request(b, 0, direct ? PAIL_KERNEL_MSM_DECOMPOSE_AT : PAIL_KERNEL_MSM_DECOMPOSE);
    request.n_specs = 1;
    request.specs[MSM_SPEC_SPLIT] = plan->split;
    /* Sorting goes back and forth and has to end in its place. */
    const struct pail_vk_range digits = plan->sort_plan.passes % 2
                                            ? pail_msm_sort_temp(plan)
                                            : pail_msm_region_range(plan, PAIL_MSM_SORTED);
    struct pail_vk_dispatch decompose = {
        .request = &request,
        .push = &push,
        /* Reading a scalar and cutting it up takes as long as some words more. */
        .work = pail_msm_words((SCALAR_WORDS * n_vectors + 2.0 * block->windows * plan->copies) *
                                   block->chunk.n,
                               false),
        .bindings = {pail_msm_range(PAIL_MSM_SCALARS, 32 * start, 32 * (end - start)), digits},
    };
    if (direct)
        decompose.bindings[0] = digits;
    pail_vk_grid(block->chunk.n, MSM_DECOMPOSE_WORKGROUP, decompose.grid);
    decompose.grid[2] = n_vectors;
    pail_vk_steps_dispatch(block->list, &decompose);
}
