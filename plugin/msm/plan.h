/* How one MSM is computed: windows, batches, chunks, threads, and the size of every buffer. A pure
 * function of its inputs: the allocator, the estimate and the stats all come from here.
 *
 * A run covers one chunk of the points and one batch of the windows, and needs one set of buffers;
 * runs follow one another and use the same set. Each run leaves `batch_windows` window sums. */
#ifndef PAIL_MSM_PLAN_H
#define PAIL_MSM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "../error.h"

#define PAIL_MSM_LEVELS_MAX 16
#define PAIL_MSM_WINDOW_MIN 2u
#define PAIL_MSM_WINDOW_MAX 22u

/* What the plan depends on. */
struct pail_msm_shape {
    uint64_t n;
    uint32_t scalar_bits; /* digits are taken from this many bits */
    uint32_t point_bytes; /* of an affine base in device memory */
    uint32_t xyzz_bytes;
    uint64_t segment;     /* bases of one buffer; a chunk lies inside one. 0: all in one */
    uint64_t base_offset; /* number of the first base, in the whole set */
};

struct pail_msm_limits {
    uint64_t max_binding_bytes;
    uint64_t align;          /* of a binding's offset */
    uint64_t memory_budget;  /* bytes of scratch; 0: no limit but the device's */
    uint32_t max_workgroups; /* in x */
    uint32_t max_threads;    /* of the accumulation; what fills the device */
    uint32_t sort_workgroup; /* of msm/sort_scatter; a power of two, 16 to 128 */
    uint32_t workgroup;      /* of the accumulation */
};

/* 0: the plan decides. */
struct pail_msm_knobs {
    uint32_t window_bits, batches, threads;
    uint64_t memory_budget;
};

enum pail_msm_region {
    PAIL_MSM_ENTRIES_A,
    PAIL_MSM_ENTRIES_B,
    PAIL_MSM_COUNTS,
    PAIL_MSM_INDEX,
    PAIL_MSM_POINTS,
    PAIL_MSM_REGIONS
};

struct pail_msm_combine_level {
    uint32_t pieces, threads;       /* in; out: 2 * threads pieces */
    uint32_t keys_in, keys_out;     /* words of the index region */
    uint32_t points_in, points_out; /* points of the points region */
};

struct pail_msm_reduce_level {
    uint32_t n, n_out, log2_group, doublings;
    uint32_t sums_in, rests_in, sums_out, rests_out; /* points of the points region */
};

struct pail_msm_plan {
    uint64_t n;
    uint32_t window_bits, windows;
    uint32_t batch_windows, batches; /* the last batch may have fewer windows, never none */
    uint64_t chunk;                  /* points of a run, at most */
    uint32_t chunks;                 /* pieces that [base_offset, base_offset + n) is cut into */
    uint32_t stride;                 /* buckets of a window: digit magnitudes 1 .. stride */

    uint32_t sort_passes, sort_bits, sort_workgroup;
    uint32_t tiles, blocks; /* for a full chunk */
    uint32_t totals;        /* words of the counts region before the block totals */

    uint32_t threads, workgroup, share, snap;
    uint32_t starts, cuts, keys, adds; /* words of the index region */
    uint32_t buckets, pieces;          /* points of the points region */
    uint32_t n_combine, n_reduce;
    struct pail_msm_combine_level combine[PAIL_MSM_LEVELS_MAX];
    struct pail_msm_reduce_level reduce[PAIL_MSM_LEVELS_MAX];

    uint64_t region_bytes[PAIL_MSM_REGIONS];
    uint64_t scalar_bytes;  /* all scalars of the job */
    uint64_t windows_bytes; /* window sums of all chunks */
    uint64_t scratch_bytes; /* sum of all of the above, each aligned */
};

/* Errors: PAIL_ERR_ARGUMENT    a knob out of range, or a budget below the floor (which is named)
 *         PAIL_ERR_UNSUPPORTED more points than indices reach, or limits too small for one run */
pail_status pail_msm_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                          const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs,
                          struct pail_error *err);

/* The chunk that holds the point `first` of the job, as a number of points from there on. */
uint64_t pail_msm_chunk_at(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                           uint64_t first);

/* Tiles and scan blocks of a run of n points. */
uint32_t pail_msm_tiles(uint64_t n);
uint32_t pail_msm_blocks(uint32_t tiles, uint32_t sort_bits);

#endif /* PAIL_MSM_PLAN_H */
