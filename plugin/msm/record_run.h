/* What the files that record a run share. */
#ifndef PAIL_MSM_RECORD_RUN_H
#define PAIL_MSM_RECORD_RUN_H

#include <shared/msm_layout.h>

#include "record.h"

/* Everything about one run. */
struct run {
    const struct pail_msm_recording *r;
    const struct pail_msm_chunk *chunk;
    struct pail_vk_cmd *cmd;
    uint32_t first_row, rows;
};

static inline const struct pail_msm_plan *plan_of(const struct run *run)
{
    return &run->r->bundle->plan;
}

static inline const struct pail_vk_slice *region(const struct run *run, enum pail_msm_region which)
{
    return &run->r->buffers->region[which];
}

static inline uint32_t groups_of(uint64_t threads, uint32_t workgroup)
{
    return (uint32_t)((threads + workgroup - 1) / workgroup);
}

/* Two dimensions, because one ends at 65535 workgroups; kernels that use them number their threads
 * over both. A dispatch in portions is cut between rows, so there are many. */
static inline void grid_of(uint64_t threads, uint32_t workgroup, uint32_t *gx, uint32_t *gy)
{
    const uint32_t groups = groups_of(threads, workgroup);
    const uint32_t width = groups <= 32768 ? 32768 : groups <= 65535u * 256 ? 256 : 65535;
    *gy = (groups + width - 1) / width;
    *gx = *gy ? (groups + *gy - 1) / *gy : 0;
}

static inline void between_kernels(struct pail_vk_cmd *cmd)
{
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE);
}

/* Where a vector's first scalar of the chunk is, and from one vector to the next. */
static inline void scalar_layout(const struct pail_msm_bundle *b,
                                 const struct pail_msm_chunk *chunk, uint64_t *first,
                                 uint64_t *stride)
{
    *first = b->plan.stepped ? 0 : chunk->first;
    *stride = b->plan.stepped ? chunk->n : b->shape.n;
}

/* The next dispatch reads and writes so many words. */
static inline void expect_words(struct pail_vk_cmd *cmd, double words, bool apart)
{
    pail_vk_cmd_expect(
        cmd, &(const struct pail_vk_work){.kind = PAIL_VK_WORDS, .units = words, .apart = apart});
}

/* Bases of a set from a copy to the next, where there are several. */
static inline uint32_t pitch_of(const struct run *run, const struct pail_msm_set *set)
{
    if (plan_of(run)->copies == 1)
        return 0;
    return (uint32_t)pail_bases_pitch(set->bases, set->first + run->chunk->first);
}

/* Entries of a row. */
static inline uint32_t entries_of(const struct run *run)
{
    return (uint32_t)pail_msm_row_entries(plan_of(run), run->chunk->n);
}

/* Where runs that are pieces of a bucket have their places among all pieces, and how many each. */
static inline uint32_t places_first_of(const struct pail_msm_plan *plan)
{
    return plan->accumulator.tasks ? 2 * plan->threads : 0;
}

static inline uint32_t places_of(const struct pail_msm_plan *plan)
{
    return plan->accumulator.tasks ? MSM_TASK_PLACES : 1;
}

/* From scalars to digits, digits to sorted entries, and what the accumulation takes them by. */
void pail_msm_record_decompose(const struct run *run);
void pail_msm_record_sort(const struct run *run);
void pail_msm_record_shares(const struct run *run);

#endif /* PAIL_MSM_RECORD_RUN_H */
