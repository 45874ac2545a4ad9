/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include "block.h"

uint32_t pail_msm_blocks(const struct pail_msm_plan *plan)
{
    return plan->chunks * plan->batches;
}

uint64_t pail_msm_results_bytes(const struct pail_msm_bundle *b)
{
    if (b->plan.fold_on_device)
        return (uint64_t)b->shape.vectors * b->shape.sets * b->shape.xyzz_bytes;
    return b->plan.region_bytes[PAIL_MSM_WINDOWS];
}

uint64_t pail_msm_buckets_bytes(const struct pail_msm_bundle *b)
{
    return (uint64_t)b->plan.parts * b->plan.total_windows * b->plan.window_buckets *
           b->sets[0].bases->group.xyzz_bytes;
}

static struct block block_of(struct pail_vk_steps *list, const struct pail_msm_recording *r,
                             const struct pail_msm_chunk *chunk, uint32_t first_window)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    return (struct block){
        .list = list,
        .r = r,
        .bundle = r->bundle,
        .plan = plan,
        .chunk = *chunk,
        .first_window = first_window,
        .windows = pail_msm_batch_at(plan, first_window),
    };
}

/* A kernel that reads what no kernel of this bundle wrote then goes wrong every time. The scalars
 * are there already. */
static void poison(struct pail_vk_steps *list, const struct pail_msm_recording *r)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    for (uint32_t i = 0; i < PAIL_MSM_REGIONS; i++)
        if (i != PAIL_MSM_SCALARS && (i != PAIL_MSM_STREAM || r->bundle->shape.expanded))
            pail_vk_steps_fill(list, pail_msm_range(i, 0, plan->region_bytes[i] & ~UINT64_C(3)),
                               0xAAAAAAAAu);
}

static void begin(struct pail_vk_steps *list, const struct pail_msm_recording *r)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    list->phase = NULL;
    if (r->poison)
        poison(list, r);
    pail_vk_steps_fill(list, pail_msm_index_words(plan->status, 1), UINT32_MAX);
}

/* True if the pieces that a chunk leaves are joined beside the sort of the next one: they are few,
 * in levels that fill no device. The first of three chunks is so short that the device waits for
 * the scalars of the second, and joins them meanwhile. */
static bool joins_later(const struct pail_msm_plan *plan, uint32_t chunk)
{
    return plan->joined && chunk + 1 < plan->chunks && (plan->chunks == 2 || chunk > 0);
}

/* True if the chunk before has left its pieces to this one. */
static bool has_left(const struct block *block)
{
    return block->chunk.number > 0 && joins_later(block->plan, block->chunk.number - 1);
}

static void entries(const struct block *block)
{
    struct pail_vk_steps *const list = block->list;
    const uint32_t first = list->n;
    list->phase = "decompose";
    pail_msm_steps_decompose(block);
    list->phase = "sort";
    pail_msm_steps_sort(block);
    const uint32_t sorted = list->n;
    if (has_left(block))
        pail_msm_steps_combine(block, 0); /* joined chunks are of one set */
    pail_vk_steps_weave(list, first, sorted);
    list->phase = "plan";
    pail_msm_steps_share(block);
}

/* Before they are reduced, which writes over them. */
static void keep_buckets(const struct block *block)
{
    const struct pail_msm_plan *plan = block->plan;
    const uint64_t point = block->bundle->sets[0].bases->group.xyzz_bytes;
    const uint64_t window = plan->window_buckets * point,
                   part = plan->joined ? 0 : block->chunk.number;
    pail_vk_steps_copy(
        block->list,
        pail_msm_range(PAIL_MSM_SHARED, plan->buckets * point, block->windows * window),
        pail_msm_range(PAIL_MSM_BUCKETS_OUT,
                       (part * plan->total_windows + block->first_window) * window,
                       block->windows * window));
}

static void report(const struct block *block, uint32_t number)
{
    block->list->phase = NULL;
    pail_vk_steps_copy(
        block->list, pail_msm_index_words(block->plan->adds, 1),
        pail_msm_range(PAIL_MSM_REPORT_OUT, 4 * (uint64_t)(PAIL_MSM_REPORT_WORDS + number), 4));
}

static void sums(const struct block *block)
{
    struct pail_vk_steps *const list = block->list;
    const struct pail_msm_plan *plan = block->plan;
    const uint32_t number = block->chunk.number * plan->batches +
                            (block->first_window + plan->batch_windows - 1) / plan->batch_windows;
    if (has_left(block))
        report(block, number - 1);
    for (uint32_t s = 0; s < block->bundle->n_sets; s++) {
        list->phase = "accumulate";
        pail_msm_steps_accumulate(block, s);
        if (joins_later(plan, block->chunk.number))
            return;
        list->phase = "combine";
        pail_msm_steps_combine(block, s);
        if (plan->joined && block->chunk.number + 1 < plan->chunks)
            continue;
        if (block->r->keeps_buckets)
            keep_buckets(block);
        list->phase = "reduce";
        pail_msm_steps_reduce(block, s);
    }
    report(block, number);
}

static void end(struct pail_vk_steps *list, const struct pail_msm_recording *r)
{
    const struct pail_msm_bundle *b = r->bundle;
    const uint64_t bytes = pail_msm_results_bytes(b);
    enum pail_msm_region results = PAIL_MSM_WINDOWS;
    if (b->plan.fold_on_device) {
        list->phase = "fold";
        for (uint32_t s = 0; s < b->n_sets; s++)
            pail_msm_steps_fold(list, r, s);
        results = PAIL_MSM_FOLDED;
    }
    list->phase = NULL;
    pail_vk_steps_copy(list, pail_msm_range(results, 0, bytes),
                       pail_msm_range(PAIL_MSM_RESULTS_OUT, 0, bytes));
    pail_vk_steps_copy(list, pail_msm_index_words(b->plan.status, 1),
                       pail_msm_range(PAIL_MSM_REPORT_OUT, 4 * PAIL_MSM_REPORT_BROKEN, 4));
}

void pail_msm_steps_section(struct pail_vk_steps *list, const struct pail_msm_recording *r,
                            enum pail_msm_section section, const struct pail_msm_chunk *chunk,
                            uint32_t first_window)
{
    const struct pail_msm_chunk none = {0};
    const struct block block = block_of(list, r, chunk ? chunk : &none, first_window);
    switch (section) {
    case PAIL_MSM_BEGIN:
        begin(list, r);
        break;
    case PAIL_MSM_FETCH:
        pail_msm_steps_fetch(&block);
        if (r->bundle->shape.expanded) {
            list->phase = "expand";
            pail_msm_steps_expand(&block);
            list->phase = NULL;
        }
        break;
    case PAIL_MSM_ENTRIES:
        entries(&block);
        break;
    case PAIL_MSM_SUMS:
        sums(&block);
        break;
    case PAIL_MSM_END:
        end(list, r);
        break;
    }
}

/* State of pail_msm_steps_all. */
struct walk {
    struct pail_vk_steps *list;
    const struct pail_msm_recording *r;
    pail_msm_section_fn *each;
    void *user;
    bool stopped;
};

static void visit(struct walk *walk, enum pail_msm_section section,
                  const struct pail_msm_chunk *chunk, uint32_t first_window)
{
    if (walk->stopped)
        return;
    pail_msm_steps_section(walk->list, walk->r, section, chunk, first_window);
    walk->stopped =
        (walk->each && !walk->each(walk->user, walk->list, chunk)) || walk->list->failed != PAIL_OK;
    if (!walk->each)
        pail_vk_steps_clear(walk->list);
}

void pail_msm_steps_all(struct pail_vk_steps *list, const struct pail_msm_recording *r,
                        pail_msm_section_fn *each, void *user)
{
    const struct pail_msm_plan *plan = &r->bundle->plan;
    const uint64_t n = r->bundle->shape.n;
    struct walk walk = {list, r, each, user, false};
    struct pail_msm_chunk chunk = {.n = 0};
    visit(&walk, PAIL_MSM_BEGIN, NULL, 0);
    for (; chunk.first < n && !walk.stopped; chunk.first += chunk.n, chunk.number++) {
        chunk.n = (uint32_t)pail_msm_chunk_at(plan, &r->bundle->shape, chunk.first);
        visit(&walk, PAIL_MSM_FETCH, &chunk, 0);
        for (uint32_t window = 0; window < plan->total_windows;
             window += pail_msm_batch_at(plan, window)) {
            visit(&walk, PAIL_MSM_ENTRIES, &chunk, window);
            visit(&walk, PAIL_MSM_SUMS, &chunk, window);
        }
    }
    visit(&walk, PAIL_MSM_END, NULL, 0);
}
