/* SPDX-License-Identifier: Apache-2.0 */
/* Plan of a bundle of MSMs by Pippenger's method: windows, batches, chunks, threads, and the size
 * of every buffer. A pure function of its inputs: the allocator, the estimate, the memory table and
 * the stats all come from here.
 *
 * A bundle is one or more scalar vectors over one range of bases, or one scalar vector over several
 * sets of bases. A scalar is recoded into signed digits; a window is the buckets for one digit, or
 * for as many digits as there are copies of the bases. Windows are numbered vector * windows +
 * window. Where a vector's top window is wide, its digits have a bit more than the others, and a
 * second window has the upper half of its buckets. A block is one chunk of the points and one batch
 * of the windows. Blocks follow one another and use the same buffers. */
#ifndef PAIL_MSM_PLAN_H
#define PAIL_MSM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "accumulator.h"
#include "sort_plan.h"

#define PAIL_MSM_LEVELS_MAX 16
#define PAIL_MSM_WINDOW_MIN 2u
#define PAIL_MSM_WINDOW_MAX 22u

/* Inputs of a plan. */
struct pail_msm_shape {
    uint64_t n;           /* points of a vector */
    uint32_t vectors;     /* vectors of scalars, over the same set of bases; at least 1 */
    uint32_t sets;        /* sets of bases, under one vector; at least 1; 1 with several vectors */
    uint32_t scalar_bits; /* digits are taken from this many bits */
    uint32_t likely_bits; /* length of scalars below the group's order; 0: the same */
    uint32_t point_bytes; /* bytes of an affine base in device memory, in the widest group */
    uint32_t xyzz_bytes;
    uint64_t segment;     /* bases of one buffer; a chunk lies inside one. 0: all in one */
    uint64_t base_offset; /* number of the first base, in the whole set */
    bool streamed;        /* the bases come from host memory, chunk by chunk */
    bool expanded;        /* the bases come from compact ones on the device, chunk by chunk */
    uint32_t table;       /* copies that there are of the bases (table.h); 0 or 1: no table */
    uint32_t
        half_bits; /* bits of scalars' halves, for bases with GLV images (bases/table.h); else 0 */
    bool device_results; /* some results are wanted at a device address */
    bool sent;   /* all scalars are copied from host memory, and nothing else is done besides */
    bool pinned; /* sent from memory that a device copies from by itself */
};

struct pail_msm_limits {
    uint64_t max_binding_bytes;
    uint64_t max_region_bytes; /* limit of a buffer; 0: no limit */
    uint64_t align;            /* alignment of a binding's offset */
    uint64_t memory_budget;    /* bytes of scratch; 0: no limit but the device's */
    uint64_t max_entries;      /* limit of a block; bounds the time of a dispatch. 0: no limit */
    uint32_t max_workgroups;   /* limit in any dimension */
    uint32_t max_threads;      /* threads of the accumulation that fill the device */
    uint32_t quads_at_once;    /* quads of the reduction that fit the device; 0: any number */
    uint64_t overlap_points; /* points from which on work goes on while others are sent; 0: never */
    struct pail_msm_sort_kernels sort_kernels;
    struct pail_msm_accumulator accumulator;
};

/* 0: the plan decides. */
struct pail_msm_knobs {
    uint32_t window_bits, batches, threads;
    uint64_t memory_budget;
};

enum pail_msm_region {
    PAIL_MSM_SORTED, /* entries, where sorting leaves them: keys and handles, or handles alone */
    PAIL_MSM_SHARED, /* digits or words while they are sorted; afterwards all points */
    PAIL_MSM_COUNTS,
    PAIL_MSM_INDEX,
    PAIL_MSM_STREAM, /* a chunk of bases on its way through: sent, or expanded */
    PAIL_MSM_SCALARS,
    PAIL_MSM_WINDOWS, /* points: [set][chunk][window] */
    PAIL_MSM_FOLDED,  /* points: [set][vector]; then affine points: [set][vector] */
    PAIL_MSM_REGIONS
};

struct pail_msm_combine_level {
    uint32_t pieces, tiles;         /* in; out: 2 * tiles pieces */
    uint32_t keys_in, keys_out;     /* words of the index region */
    uint32_t points_in, points_out; /* points of the shared region */
};

/* Windows that a top window with so many bits more has buckets for. */
#define PAIL_MSM_WIDE_ROWS(wide_top) ((uint32_t)1 << (wide_top))

struct pail_msm_plan {
    uint64_t n;
    uint32_t window_bits, digits;    /* both of a scalar */
    uint32_t copies;                 /* copies of the bases that are used: digits of a window */
    uint32_t windows;                /* sums of one vector: ceil(digits / copies) */
    uint32_t wide_top;               /* bits more of the top window, 0 to 2: it has 2^wide_top times
                                        the buckets, as so many windows behind the others */
    uint32_t vector_windows;         /* windows, and those more that the top one has */
    bool split;                      /* halves of scalars: copy 1 are the GLV images */
    uint32_t window_step;            /* a window counts 2^window_step times the one before it */
    uint32_t total_windows;          /* vectors * vector_windows */
    uint32_t batch_windows, batches; /* the last batch may have fewer windows, never none; where the
                                        top window is wide, the first one */
    uint64_t chunk;                  /* points of a block, at most */
    uint32_t chunks;                 /* pieces that [base_offset, base_offset + n) is cut into */
    uint32_t window_buckets;         /* buckets of a window: digit magnitudes 1 .. window_buckets */
    uint32_t log2_buckets;
    /* Scalars, and bases where they are streamed, go to the device chunk by chunk. Otherwise all
     * scalars are there at once. Always, where bases are expanded chunk by chunk. */
    bool stepped;
    /* Places for a chunk's scalars and bases where stepped, taken in turns, so that the queue for
     * copies brings one chunk while another is worked on; 2, else 1. The pitches are the bytes from
     * one place to the next, in the regions of bases and of scalars. */
    uint32_t places;
    uint64_t stream_pitch, scalars_pitch;
    /* Chunks add to the same buckets, which are reduced once, after the last chunk. */
    bool joined;
    /* Joined chunks of which the first ones, which are small, are worked on while the scalars of
     * the others are sent. */
    bool overlaps;
    /* Points of the first chunk. Where chunks overlap, the first two have 6 times as many, and so
     * on. Where bases are sent, the first two are `chunk`; else 0. */
    uint64_t lead;
    uint64_t most;  /* upper bound of a chunk's points, where joined */
    uint32_t parts; /* lists of window sums: one, where chunks are joined, else one for each */
    uint64_t temp;  /* bytes of the shared region before what sorting writes there */
    bool thrifty;   /* fewer threads than pay, for each takes places of pieces */

    struct pail_msm_sort_kernels sort_kernels;
    struct pail_msm_sort_plan sort_plan;

    struct pail_msm_accumulator accumulator;
    uint32_t threads;  /* threads of the accumulation; one for each bucket where it has no shares */
    uint32_t shares;   /* shares of the entries; 0: none, and no pieces */
    uint32_t share;    /* least entries of one */
    uint32_t n_pieces; /* places for pieces of buckets that were cut */
    bool keyless;      /* sorted entries have no keys: runs know theirs */
    /* Words of the index region; what takes runs in order has counters and runs in place of cuts.
     */
    uint32_t starts, window_offsets, cuts, keys, adds, status;
    uint32_t buckets, pieces, scratch; /* points of the shared region */
    uint32_t wide_passes;  /* first passes of the reduction: those with more jobs than there is room
                            * for quads have an invocation for each addition */
    uint32_t window_parts; /* points that a window's sum comes back as: part k counts 8^k fold */
    uint32_t team_jobs;    /* in other passes: up to so many jobs, each has a team of quads */
    uint32_t n_combine;
    struct pail_msm_combine_level combine[PAIL_MSM_LEVELS_MAX];

    bool fold_on_device; /* the folded points come back, else the window sums */
    uint64_t region_bytes[PAIL_MSM_REGIONS];
    uint64_t scratch_bytes; /* sum of all of the above, each aligned */
    uint64_t align;         /* alignment of a binding's offset */
};

/* Errors: PAIL_ERR_ARGUMENT    a knob out of range, or a budget below the floor (which is named)
 *         PAIL_ERR_UNSUPPORTED more points than indices reach, or limits too small for one block */
pail_status pail_msm_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                          const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs,
                          struct pail_error *err);

/* Takes no region for scalars, which are read where they are. */
void pail_msm_plan_leave_scalars(struct pail_msm_plan *plan);

/* True if bases pass through PAIL_MSM_STREAM, chunk by chunk. */
bool pail_msm_shape_passes(const struct pail_msm_shape *shape);

/* True if the points of a vector lie in several segments. */
bool pail_msm_shape_is_cut(const struct pail_msm_shape *shape);

/* Points of the first chunk where the scalars of others are sent meanwhile; 0: they are not. least:
 * points from which on that pays; 0: never. */
uint64_t pail_msm_lead(const struct pail_msm_shape *shape, uint64_t least);

/* The chunk that holds the point `first` of a vector, as a number of points from there on. */
uint64_t pail_msm_chunk_at(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                           uint64_t first);
uint64_t pail_msm_count_chunks(const struct pail_msm_plan *plan,
                               const struct pail_msm_shape *shape);

/* Windows of the batch that begins with a window. */
uint32_t pail_msm_batch_at(const struct pail_msm_plan *plan, uint32_t first_window);

/* Entries of a window for so many points. */
uint64_t pail_msm_window_entries(const struct pail_msm_plan *plan, uint64_t points);

/* Bytes that a slice of an arena takes: an empty one, which no binding can be, takes an alignment
 * too. */
uint64_t pail_msm_slice_bytes(uint64_t bytes, uint64_t align);

/* "sorted entries"; whether the region shrinks when there are more batches. */
const char *pail_msm_region_name(enum pail_msm_region region);
bool pail_msm_region_batched(enum pail_msm_region region);

#endif /* PAIL_MSM_PLAN_H */
