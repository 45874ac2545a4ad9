/* SPDX-License-Identifier: Apache-2.0 */
/* Layout that the MSM kernels share with the code that records them: push blocks, workgroup shapes,
 * specialisation ids. Included by C and by GLSL. All offsets are in elements of the buffer named:
 * words for `index` and `counts`, points for `points`.
 *
 * Index spaces. A vector is the scalars of one MSM. A scalar has digits; a window is the buckets
 * for one digit of one vector, numbered vector * windows + window. A block is one chunk of points
 * and one batch of windows; every window number below is local to the batch unless it says
 * otherwise. An entry is (key, handle): key = digit magnitude - 1, or `window_buckets` for a zero
 * digit, so that zeros sort to the end; handle = index of the base in the chunk, with the digit's
 * sign in bit 31. A bucket is numbered window * window_buckets + key. Before it is sorted an entry
 * is one word, its key with the sign in bit 31; the handle follows from its place.
 *
 * Where bases have a table, a window takes as many digits as there are copies, one after the other:
 * digit window * copies + j takes its points from copy j, which has 2^(j window_bits) times each.
 * A window then has copies * n entries, [copy][point], and the handle is copy * pitch + index of
 * the base, with the pitch from a copy to the next.
 *
 * Where bases have GLV images, copy 1 has lambda times each, and scalars are split into k1 + k2
 * lambda: window w has digit w of k1 for copy 0 and that of k2 for copy 1, so that there are half
 * the windows.
 */
#ifndef PAIL_SHARED_MSM_LAYOUT_H
#define PAIL_SHARED_MSM_LAYOUT_H

#include "types.h"

#define MSM_SPEC_WORKGROUP 0
#define MSM_SPEC_SLOTS     1 /* slots of the accumulators that share inversions */
#define MSM_SPEC_PLACEMENT 2 /* MSM_PLACEMENT_ */
#define MSM_SPEC_GROUP                                                                             \
    3 /* of msm/accumulate/coop: threads that share an inversion, a power of two */

/* Constants of msm/sort_*, besides MSM_SPEC_WORKGROUP. */
#define MSM_SPEC_BINS  1 /* at least 2^bits of any pass */
#define MSM_SPEC_ITEMS 2 /* entries that a thread ranks at a time */
#define MSM_SPEC_TOP   3 /* bits of a bin that entries leave out in workgroup memory */

/* Constant of msm/digits/decompose*: 1: a scalar's halves, for points and their GLV images. */
#define MSM_SPEC_SPLIT 0

/* Placements of prefix products, as pail_placement; in `points` they begin at the push's `scratch`,
 * a coordinate for each slot of each thread. */
#define MSM_PLACEMENT_PRIVATE   1
#define MSM_PLACEMENT_WORKGROUP 2
#define MSM_PLACEMENT_DEVICE    3
#define MSM_WALK_SLOTS          4 /* the default of MSM_SPEC_SLOTS */
#define MSM_WALK_SLOTS_MAX      32

#define MSM_CONVERT_WORKGROUP       64
#define MSM_NORMALIZE_WORKGROUP     64
#define MSM_CHECK_WORKGROUP         64
#define MSM_TABLE_WORKGROUP         64
#define MSM_ENDOMORPHISM_WORKGROUP  64
#define MSM_COMPACT_WORKGROUP       64
#define MSM_EXPAND_WORKGROUP        64
#define MSM_DECOMPOSE_WORKGROUP     128
#define MSM_WINDOWS_WORKGROUP       128
#define MSM_CUTS_WORKGROUP          128
#define MSM_ORDER_WORKGROUP         128
#define MSM_ORDER_BUCKETS           16 /* of a thread */
#define MSM_ORDER_SCAN_WORKGROUP    128
#define MSM_ACCUMULATE_WORKGROUP    64 /* the default of MSM_SPEC_WORKGROUP */
#define MSM_REDUCE_WORKGROUP        32
#define MSM_REDUCE_WIDE_WORKGROUP   32
#define MSM_REDUCE_SERIAL_WORKGROUP 16
#define MSM_FOLD_WORKGROUP          32
#define MSM_QUAD                    4 /* lanes of an addition in combine, reduce and fold */
#define MSM_FETCH_WORKGROUP         128
#define MSM_FETCH_WORDS             4 /* of a thread */
#define MSM_DELIVER_WORKGROUP       64
#define PROBE_WORKGROUP             64
#define PROBE_QUAD_WORKGROUP        32

#define MSM_KEY_NONE    0xffffffffu
#define MSM_HANDLE_SIGN 0x80000000u

/* Sorting: a tile is what one workgroup (of msm/sort_*_serial: one thread) counts and scatters. */
#define MSM_SORT_WORKGROUP   128 /* the default of MSM_SPEC_WORKGROUP */
#define MSM_SORT_SERIAL      16  /* same, for msm/sort_*_serial */
#define MSM_SORT_BITS        8   /* most bits of a pass, with the default of MSM_SPEC_BINS */
#define MSM_SORT_BINS        (1 << MSM_SORT_BITS)
#define MSM_SORT_BITS_MAX    11
#define MSM_SORT_BITS_SERIAL 12 /* most bits of a pass of msm/sort_*_serial */
#define MSM_SORT_ITEMS       8  /* the default of MSM_SPEC_ITEMS */
/* Entries of a part of a tile of the first pass: what a digit leaves of its word, for its place. */
#define MSM_SORT_PLACES(key_bits, top_bits) (1u << (31 - (key_bits) + (top_bits)))
#define MSM_SCAN_COLUMNS                                                                           \
    32 /* least bins of a workgroup of msm/sort/scan, which has at least as many threads */
#define MSM_SCAN_TILES 8 /* counts that a thread of msm/sort/scan reads at a time */

/* Pieces that one workgroup of a combining level joins. */
#define MSM_COMBINE_TILE 128

struct msm_convert_push {
    PAIL_U32 n;
    PAIL_U32 encoding;   /* MSM_ENCODING_ */
    PAIL_U32 validation; /* 0, or 1: check the curve equation */
    PAIL_U32 first;      /* number of raw[0] in the whole set, for the report */
};

#define MSM_ENCODING_CANONICAL  0 /* same as pail_encoding */
#define MSM_ENCODING_MONTGOMERY 1
#define MSM_ENCODING_FORM       1 /* plus a number of enum pail_field_form: what that form keeps */

/* msm/bases/normalize in place of msm/bases/convert, for Jacobian points. Thread t has the points
 * t, t + threads, t + 2 threads, ..., which share an inversion. */
struct msm_normalize_push {
    PAIL_U32 n;
    PAIL_U32 threads;
    PAIL_U32 validation; /* same as above */
    PAIL_U32 first;      /* number of raw[0] in the whole set, for the report */
};

/* Points of a thread, at most; and where field arithmetic is in loops (form x32): llvmpipe ends all
 * loops of an invocation after 65535 rounds in all, in which it does twice as many points. */
#define MSM_NORMALIZE_POINTS     16
#define MSM_NORMALIZE_POINTS_X32 4

/* Words of the status buffer of msm/bases/convert, msm/bases/normalize and msm/bases/check: the
 * lowest offending index, 0xffffffff for none. */
#define MSM_STATUS_RANGE           0 /* a coordinate is not below p */
#define MSM_STATUS_OFF_CURVE       1
#define MSM_STATUS_NOT_IN_SUBGROUP 2
#define MSM_STATUS_WORDS           3

/* msm/bases/check goes through the bits of a number from the top, some of them in each dispatch. */
struct msm_check_push {
    PAIL_U32 n;
    PAIL_U32 first; /* number of bases[0] in the whole set, for the report */
    PAIL_U32 step;  /* bits done in earlier dispatches */
    PAIL_U32 steps; /* most steps of this dispatch */
};

#define MSM_CHECK_BITS_MAX 192 /* of any curve's number; dispatches beyond its own do nothing */
/* Bits of one dispatch where field arithmetic is in loops (form x32): llvmpipe ends all loops of an
 * invocation after 65535 rounds in all, and a bit may take 22000. */
#define MSM_CHECK_STEPS_X32 2

/* Copy `to` of points from copy `from`, both numbers of points in `bases`. */
struct msm_table_push {
    PAIL_U32 n;
    PAIL_U32 from, to;
    PAIL_U32 bits;  /* doublings in all */
    PAIL_U32 step;  /* done in earlier dispatches */
    PAIL_U32 steps; /* most steps of this dispatch */
    PAIL_U32 last;  /* 1: the doublings end here, and `to` is written */
};

/* Images `to` of points `from`, both numbers of points in `bases`. */
struct msm_endomorphism_push {
    PAIL_U32 n;
    PAIL_U32 from, to;
};

/* Points of a first group as x and a sign. A compact point has the words of x, an integer below p;
 * p leaves the two top bits of the last one free (FP_BITS). */
#define MSM_COMPACT_ODD      0x80000000u /* y, an integer below p, is odd */
#define MSM_COMPACT_INFINITY 0x40000000u /* and nothing else is set */

/* msm/bases/compact: points `from` of `bases` to compact points `to`. */
struct msm_compact_push {
    PAIL_U32 n;
    PAIL_U32 from, to;
};

/* msm/bases/expand: compact points `first` ... to the points 0 ... of `bases`. y is the square root
 * of x^3 + b with the sign, by a power whose exponent is gone through in steps of MSM_EXPAND_BITS
 * bits, from the top. The power waits in the place of y from one dispatch to the next. */
struct msm_expand_push {
    PAIL_U32 n;
    PAIL_U32 first;
    PAIL_U32 step;    /* done in earlier dispatches */
    PAIL_U32 steps;   /* most steps of this dispatch */
    PAIL_U32 doubles; /* 1: points are written as form d51 has them */
};

#define MSM_EXPAND_BITS 4
/* Steps of the exponent (p - 3) / 4, where p has so many bits. */
#define MSM_EXPAND_STEPS(bits) (((bits)-2 + MSM_EXPAND_BITS - 1) / MSM_EXPAND_BITS)
/* Steps of one dispatch where field arithmetic is in loops (form x32): llvmpipe ends all loops of
 * an invocation after 65535 rounds in all, and of BLS12-381 a step takes 1600, the powers that it
 * is chosen from 4700. */
#define MSM_EXPAND_STEPS_X32 32

/* Doublings of one dispatch where field arithmetic is in loops: two for each step of
 * msm/bases/check. */
#define MSM_TABLE_STEPS_X32 (2 * MSM_CHECK_STEPS_X32)

struct msm_decompose_push {
    PAIL_U32 n; /* points of the chunk */
    PAIL_U32 window_bits;
    PAIL_U32 vector_windows; /* windows of a vector */
    /* With MSM_SPEC_SPLIT: bits that the top window has more than the others. It is the last
     * 2^wide_top windows, key j of row i of which is i 2^(c-1) + j. */
    PAIL_U32 wide_top;
    PAIL_U32 first_window;  /* first window of the batch, among all */
    PAIL_U32 windows;       /* windows of the batch */
    PAIL_U32 scalar_first;  /* scalars: number of vector 0's first scalar of the chunk */
    PAIL_U32 scalar_stride; /* scalars from a vector to the next */
    PAIL_U32 handle_stride; /* bases from a vector's first to the next one's */
    PAIL_U32 reduce;        /* 1: modulo r, where every base is known to have order r */
    PAIL_U32 further;       /* copies of the bases beyond the first; 1 with MSM_SPEC_SPLIT */
    PAIL_U32 address_low, address_high; /* for msm/digits/decompose_at: vector 0's scalar 0 */
};

/* Scalars at a device address to the binding `scalars`. */
struct msm_fetch_push {
    PAIL_U32 n;
    PAIL_U32 address_low, address_high; /* address of the scalar with number 0 */
    PAIL_U32 first;                     /* number of the chunk's first scalar, where not mapped */
    PAIL_U32 map_first; /* map: word that holds the number of scalar 0, or MSM_KEY_NONE */
    PAIL_U32 map_base;  /* subtracted from what the map says */
    PAIL_U32 target;    /* scalars: where scalar 0 of the chunk goes */
    PAIL_U32 bits;      /* promised: scalars below 2^bits */
    PAIL_U32 status;    /* index: word for the least number of a scalar that is not */
};

/* A pass of the sort (glsl/msm/sort/sort.glsl). Offsets are words of `counts`. */
struct msm_sort_push {
    PAIL_U32 n;     /* entries of a window */
    PAIL_U32 tile;  /* entries of a tile, at most */
    PAIL_U32 tiles; /* tiles of a window; those behind its last tile are empty */
    PAIL_U32 first_pass;
    PAIL_U32 key_bits;   /* bits of a key that is not the digit zero's */
    PAIL_U32 bits;       /* 2^bits bins */
    PAIL_U32 mask, down; /* the bin of what is read: masked, and so many bits down */
    PAIL_U32 word_shift; /* words: key bits above, sign and number below */
    PAIL_U32 epochs, epoch_tiles;
    PAIL_U32 span;        /* epochs of a segment that is cut into tiles; of later passes */
    PAIL_U32 columns;     /* bins of a workgroup of msm/sort/scan */
    PAIL_U32 groups;      /* groups of a window: bins of the passes before, all together */
    PAIL_U32 totals;      /* [window][group][bin] */
    PAIL_U32 first_tiles; /* [window][segment], and all tiles; of later passes */
    PAIL_U32 list;        /* [window][tile]: its segment, or MSM_KEY_NONE; of later passes */
    PAIL_U32 starts_in;   /* [window][segment], and all entries; of later passes */
    PAIL_U32
    starts_out; /* starts: [window][segment of the next pass, or bucket], and all entries */
    PAIL_U32 first_window, vector_windows, handle_stride; /* same as in msm_decompose_push */
    PAIL_U32 copy;    /* entries of a window for each copy of the bases */
    PAIL_U32 skip;    /* bases from a copy's last of the block to the next copy's first */
    PAIL_U32 keyless; /* the last pass leaves handles, not keys and handles */
};

/* Entries that count in the windows before each window, where they are MSM_CUTS_WORKGROUP or more.
 */
struct msm_windows_push {
    PAIL_U32 windows;
    PAIL_U32 window_buckets;
    PAIL_U32 starts;
    PAIL_U32 window_offsets; /* index: [windows + 1] */
};

struct msm_cuts_push {
    PAIL_U32 windows;
    PAIL_U32 window_buckets;
    PAIL_U32 starts;
    PAIL_U32 window_offsets;
    PAIL_U32 cuts; /* index: [threads + 1][2] = window, position in it */
    PAIL_U32 threads;
    PAIL_U32 share; /* least entries for a thread */
};

/* Runs in order of their length (glsl/msm/order/order.glsl), in place of cuts. */
struct msm_order_push {
    PAIL_U32 n; /* entries of a window */
    PAIL_U32 windows;
    PAIL_U32 window_buckets;
    PAIL_U32 starts;
    PAIL_U32 window_offsets;
    PAIL_U32 counts;       /* index: [MSM_ORDER_COUNTS]; zeros before msm/order/count */
    PAIL_U32 runs;         /* index: [runs][MSM_RUN_WORDS] */
    PAIL_U32 keys;         /* index: [pieces]; all MSM_KEY_NONE before msm/order/place */
    PAIL_U32 threads;      /* threads of the accumulation */
    PAIL_U32 share;        /* entries of a run that need not be cut */
    PAIL_U32 places_first; /* in keys: places of the runs that are pieces of a bucket, */
    PAIL_U32 places;       /* so many for each, for it may be cut again */
};

/* Lengths of runs: exact below 2^10, above it the leading six bits. */
#define MSM_ORDER_EXACT  10
#define MSM_ORDER_TOP    5
#define MSM_ORDER_BINS   2048
#define MSM_ORDER_RUNS   MSM_ORDER_BINS       /* counter of all runs */
#define MSM_ORDER_PIECES (MSM_ORDER_BINS + 1) /* counter of those that are pieces of a bucket */
#define MSM_ORDER_STEPS  (MSM_ORDER_BINS + 2) /* [bins]: of the tasks before, and of all tasks */
#define MSM_ORDER_COUNTS (MSM_ORDER_STEPS + MSM_ORDER_BINS + 1)

/* Words of a run. */
#define MSM_RUN_FIRST  0 /* first entry, among those of all windows */
#define MSM_RUN_COUNT  1
#define MSM_RUN_BUCKET 2
#define MSM_RUN_PIECE  3 /* number among all pieces; MSM_KEY_NONE: the whole bucket */
#define MSM_RUN_WORDS  4

/* Runs that neighbouring threads add up side by side (msm/accumulate/xyzz_runs): run 32 t + i of
 * task t is thread i's of a group. A task has as many steps as its first run has entries, which is
 * the longest; a group has equally many steps of all tasks, one after the other. */
#define MSM_TASK 32
/* Places for pieces: two for each thread, where a whole bucket's run goes over from the group
 * before; and two for each run that is a piece of its bucket, of which there are at most twice as
 * many as threads. */
#define MSM_TASK_PIECES(threads) (6 * (threads))
#define MSM_TASK_PLACES          2

/* msm/accumulate/xyzz_serial, where thread t has the runs t, t + threads, ..., and
 * msm/accumulate/xyzz_runs; and what they need no more of than these, whatever the runs say. */
struct msm_runs_push {
    PAIL_U32 n_entries; /* entries of all windows, those of the digit zero too */
    PAIL_U32 n_buckets;
    PAIL_U32 most;                 /* entries of a run */
    PAIL_U32 counts, runs, keys;   /* same as in msm_order_push */
    PAIL_U32 places_first, places; /* same */
    PAIL_U32 threads;              /* of msm/accumulate/xyzz_runs: whole groups of MSM_TASK */
    PAIL_U32 adds;                 /* the rest as in msm_accumulate_push */
    PAIL_U32 base_first;
    PAIL_U32 buckets, pieces;
    PAIL_U32 resume;
};

struct msm_accumulate_push {
    PAIL_U32 n;
    PAIL_U32 windows;
    PAIL_U32 window_buckets;
    PAIL_U32 starts;
    PAIL_U32 cuts;
    PAIL_U32 keys;       /* index: [shares][2], bucket of each piece or MSM_KEY_NONE */
    PAIL_U32 adds;       /* index: one word, additions done */
    PAIL_U32 threads;    /* each with one share, or as many as it has slots */
    PAIL_U32 base_first; /* bases: number of the chunk's first point in the binding */
    PAIL_U32 buckets;    /* points: [windows][window_buckets] */
    PAIL_U32 pieces;     /* points: [shares][2] */
    PAIL_U32 scratch;    /* points: prefix products, with MSM_PLACEMENT_DEVICE */
    PAIL_U32 resume;     /* 1: to what is in the buckets; of msm/accumulate/xyzz alone */
};

struct msm_combine_push {
    PAIL_U32 n; /* pieces that come in */
    PAIL_U32 tiles;
    PAIL_U32 keys_in;
    PAIL_U32 keys_out;   /* index: [tiles][2] */
    PAIL_U32 pieces_in;  /* overwritten */
    PAIL_U32 pieces_out; /* points: [tiles][2] */
    PAIL_U32 adds;
    PAIL_U32 buckets;
};

/* One pass of the bucket reduction; glsl/msm/reduce/reduce.comp describes the passes.
 * msm/reduce/wide does one of the first `levels` of them in MSM_REDUCE_STEPS dispatches. */
struct msm_reduce_push {
    PAIL_U32 windows;
    PAIL_U32 log2_buckets; /* buckets of a window */
    PAIL_U32 levels;       /* the last one leaves 2, 4 or 8 elements of a window */
    PAIL_U32 pass;         /* 0 .. levels + 2 */
    PAIL_U32 quads;        /* jobs of a window: MSM_REDUCE_QUADS */
    PAIL_U32 buckets;      /* points: [window][2^log2_buckets], overwritten */
    PAIL_U32 first_out;    /* windows: point that [window][part] begins at */
    PAIL_U32 parts;        /* of a window's sum: 1; or levels + 1, and there is no last pass */
    PAIL_U32 step;         /* step of msm/reduce/wide */
    PAIL_U32 team;         /* of msm/reduce/reduce: quads for each job, 1 or MSM_REDUCE_TEAM */
};

/* msm/reduce/reduce_serial, in place of all of these. */
struct msm_reduce_serial_push {
    PAIL_U32 windows;
    PAIL_U32 log2_buckets;
    PAIL_U32 log2_segment; /* MSM_REDUCE_LOG2_SEGMENT */
    PAIL_U32 pass;         /* 0; 1, unless a window is one segment */
    PAIL_U32 buckets;      /* points: [window][2^log2_buckets], overwritten */
    PAIL_U32 first_out;    /* windows: point of the first window's sum */
};

/* Segments of a window: as many as elements of one, or half as many; a segment has room for two
 * sums. */
#define MSM_REDUCE_LOG2_SEGMENT(log2_buckets) (((log2_buckets) + 1) / 2)

#define MSM_REDUCE_STEPS 3
/* Additions of a job in a step. */
#define MSM_REDUCE_STEP_ADDITIONS(step) (4u >> (step))
#define MSM_REDUCE_TEAM                 4 /* quads */

#define MSM_REDUCE_LEVELS(log2_buckets) ((log2_buckets) == 0 ? 0 : ((log2_buckets)-1) / 3)

/* Jobs of a window in a pass. Levels, each with the lists of those before it; the ends of all
 * lists; the elements of each level weighed; a window's sum. */
#define MSM_REDUCE_QUADS(log2_buckets, levels, pass)                                               \
    ((pass) < (levels)        ? ((1u << (log2_buckets)) >> (3 * (pass) + 3)) * (1 + 4 * (pass))    \
     : (pass) == (levels)     ? 4 * (levels)                                                       \
     : (pass) == (levels) + 1 ? (levels) + 1                                                       \
                              : 1)

/* Window sums of all chunks to one point for each vector. */
struct msm_fold_push {
    PAIL_U32 vectors;
    PAIL_U32 windows;     /* windows of a vector */
    PAIL_U32 window_bits; /* bits of all digits of a window together */
    PAIL_U32 chunks;
    PAIL_U32 sums;   /* windows: point that [chunk][vector][window] begins at */
    PAIL_U32 points; /* folded: XYZZ point that [vector] begins at */
    PAIL_U32 affine; /* folded: 16-byte vector that the affine points begin at, canonical integers;
                        MSM_KEY_NONE: none are wanted */
};

/* Words of a buffer to a device address. */
struct msm_deliver_push {
    PAIL_U32 n;
    PAIL_U32 address_low, address_high;
    PAIL_U32 first; /* word of the binding */
};

struct probe_push {
    PAIL_U32 n;
    PAIL_U32 operation;
};

/* Bindings hold a word for each thread. */
struct probe_rate_push {
    PAIL_U32 rounds;
};

#define PROBE_RATE_STEPS 8

#define PROBE_FIELD_MUL        0
#define PROBE_FIELD_SQR        1
#define PROBE_FIELD_ADD        2
#define PROBE_FIELD_SUB        3
#define PROBE_FIELD_NEG        4
#define PROBE_FIELD_INV        5
#define PROBE_FIELD_IS_ZERO    6 /* tests the difference: 0 or 1 in the first word */
#define PROBE_FIELD_LESS       7 /* a - 3 b; from here on in first groups alone */
#define PROBE_FIELD_DOT_LESS   8 /* (a - b) b - a^2 */
#define PROBE_FIELD_OPERATIONS 9

#define PROBE_POINT_ADD        0 /* a + b by ec_accumulate, PROBE_POINT_TIMES times; b: x, y */
#define PROBE_POINT_LESS       1 /* same with -b */
#define PROBE_POINT_AFFINE     2 /* affine + affine, once: x, y of both */
#define PROBE_POINT_OPERATIONS 3
#define PROBE_POINT_TIMES      3

#define PROBE_QUAD_ROUNDS 3 /* a + b; that + b; the double of that */

#endif
