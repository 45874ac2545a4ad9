/* Records the runs of a bundle into a command recorder. */
#ifndef PAIL_MSM_RECORD_H
#define PAIL_MSM_RECORD_H

#include "bundle.h"
#include "vk/cmd.h"
#include "vk/pipeline.h"

/* The pipelines of one set of bases. */
struct pail_msm_set_pipelines {
    const struct pail_vk_pipeline *accumulate, *combine, *reduce_wide, *reduce, *fold;
};

/* The pipelines of a bundle, with the workgroups of its plan. */
struct pail_msm_pipelines {
    const struct pail_vk_pipeline *fetch, *decompose, *sort_count, *sort_scan, *sort_scatter,
        *sort_tiles, *sort_finish, *rows, *cuts, *order_count, *order_scan, *order_place, *deliver;
    struct pail_msm_set_pipelines sets[PAIL_MSM_SETS_MAX];
};

/* What some work needs and other work does not, or-ed. */
#define PAIL_MSM_FETCHES  1u  /* scalars from a device address */
#define PAIL_MSM_DELIVERS 2u  /* results to a device address */
#define PAIL_MSM_FOLDS    4u  /* folds windows on the device */
#define PAIL_MSM_WIDENS   8u  /* has wide passes in its reduction */
#define PAIL_MSM_SPLITS   16u /* takes digits of scalars' halves */
#define PAIL_MSM_DIRECT   32u /* and of scalars at a device address, without fetching them */

#define PAIL_MSM_KERNELS_MAX 20u

/* Kernels that a bundle does not need stay NULL. stats: the requests are added to it. */
pail_status pail_msm_pipelines_get(struct pail_context *ctx, struct pail_msm_pipelines *out,
                                   const struct pail_msm_bundle *bundle,
                                   struct pail_vk_pipeline_stats *stats, struct pail_error *err);

/* What pail_msm_pipelines_get asks for, for a bundle with one set of bases. Returns how many. */
size_t pail_msm_requests(struct pail_vk_pipeline_request out[PAIL_MSM_KERNELS_MAX],
                         struct pail_variant variant,
                         const struct pail_msm_accumulator *accumulator,
                         const struct pail_msm_sorter *sorter, uint32_t uses);

/* FNV-1a-64 over the hashes of their SPIR-V. */
uint64_t pail_msm_pipelines_hash(const struct pail_msm_pipelines *pipelines);

/* Where a bundle's data is. Slices cover at least what the plan says. */
struct pail_msm_buffers {
    struct pail_vk_slice region[PAIL_MSM_REGIONS];
    struct pail_vk_slice results_out; /* readback: window sums, or folded points */
    struct pail_vk_slice report_out;  /* readback: PAIL_MSM_REPORT_WORDS, then one for each run */
    struct pail_vk_slice buckets_out; /* readback: pail_msm_buckets_bytes; no buffer: not wanted */
};

/* Words of the report: least number of a scalar that breaks its promise; additions follow. */
#define PAIL_MSM_REPORT_BROKEN 0
#define PAIL_MSM_REPORT_WORDS  1

/* Runs of the whole bundle, and bytes of results_out. */
uint32_t pail_msm_runs(const struct pail_msm_plan *plan);
uint64_t pail_msm_results_bytes(const struct pail_msm_bundle *bundle);

/* Bytes of buckets_out: points [part][row][bucket] of a bundle with one set and one vector. */
uint64_t pail_msm_buckets_bytes(const struct pail_msm_bundle *bundle);

/* Everything that recording needs. */
struct pail_msm_recording {
    const struct pail_msm_bundle *bundle;
    const struct pail_msm_pipelines *pipelines;
    const struct pail_msm_buffers *buffers;
    struct pail_vk_device *dev;
};

/* One chunk of the points. */
struct pail_msm_chunk {
    uint64_t first; /* kept point, from the first one of the vector */
    uint32_t n;
    uint32_t number;
};

/* Before the first chunk. */
void pail_msm_record_begin(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r);

/* Scalars of the chunk at device addresses to where decomposing expects them. */
void pail_msm_record_fetch(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                           const struct pail_msm_chunk *chunk);

/* One run: the chunk's entries in rows first_row ..., and then their sums. */
void pail_msm_record_entries(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                             const struct pail_msm_chunk *chunk, uint32_t first_row);
void pail_msm_record_sums(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                          const struct pail_msm_chunk *chunk, uint32_t first_row);

/* After the last chunk: results to results_out and to device addresses; addresses: [set][vector],
 * 0 for none, or NULL. */
void pail_msm_record_end(struct pail_vk_cmd *cmd, const struct pail_msm_recording *r,
                         const uint64_t addresses[]);

#endif /* PAIL_MSM_RECORD_H */
