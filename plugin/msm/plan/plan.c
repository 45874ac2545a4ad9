/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <string.h>

#include <shared/msm_layout.h>

#include "integers.h"
#include "search.h"
#include "window.h"

/* Entries are counted in 32 bits, and the planner's totals stay below 2^31. */
#define ENTRIES_MAX ((uint64_t)1 << 31)

#define SHARE_MIN 8u
/* Batches of windows of which the last one is wide, at most: the last batch has all of its
 * buckets, and the digits are dealt out evenly. */
#define WIDE_TOP_BATCHES 2u
/* Threads that take runs, at most, where entries do not need more: a workgroup of msm/order/place
 * goes through the pieces of a bucket, of which there are at most twice as many, and llvmpipe ends
 * loops after 65535 rounds. */
#define RUN_THREADS_MAX ((uint64_t)1 << 20)
/* Joined chunks that are too large for what the device may do at a time are cut: a quarter of the
 * points is the least that one may have. */
#define JOINED_CUTS 4u
/* Chunks of bases that are sent; each has a reduction of buckets. */
#define STREAMED_CHUNKS 4u
#define STREAMED_LEAD   4u /* parts of a chunk, of which the first goes ahead */
/* Chunks of bases that are expanded, at least, for that is done to save memory; and points that a
 * chunk need not be smaller than, because fewer do not fill a device. docs/lab/compact-bases.md has
 * what other numbers cost. */
#define EXPANDED_CHUNKS 8u
#define EXPANDED_LEAST  ((uint64_t)1 << 17)
/* Scratch of a multiplication over compact bases that nobody has set a budget for, from what whole
 * bases would take: 43 MiB for 2^20 of BN254, which is 75 with the points, as somebody wants who
 * has little memory; and what need not be saved. Entries of a thread there, at least, of all
 * windows of a chunk: the pieces of threads that have fewer take more memory than everything else.
 */
#define THRIFTY_BYTES(whole) ((whole) / 64 * 43)
#define THRIFTY_LEAST        ((uint64_t)32 << 20)
#define THRIFTY_SHARE        128u
/* Points of a chunk that is not cut any more. */
#define CHUNK_MIN 1024u
/* Results from which on folding pays on the device: the host folds one in about 0.1 ms, the device
 * any number in the time of one chain of some 270 additions. */
#define FOLD_ON_DEVICE 16u
/* Up to so many windows the host adds a level of each in less time, 0.5 us for each window, than
 * the device takes for the three doublings and an addition of a level, about 23 us in a chain. */
#define WINDOWS_IN_PARTS 40u

static uint64_t align_up(uint64_t a, uint64_t align)
{
    return ceil_div(a, align) * align;
}

uint64_t pail_msm_slice_bytes(uint64_t bytes, uint64_t align)
{
    return align_up(bytes ? bytes : 1, align);
}

uint64_t pail_msm_window_entries(const struct pail_msm_plan *plan, uint64_t points)
{
    return points * plan->copies;
}

/* Levels that join the pieces of cut buckets; returns the index words and the points they take. */
static void plan_combine(struct pail_msm_plan *plan, uint64_t *words, uint64_t *points)
{
    uint32_t pieces = plan->n_pieces;
    uint32_t keys = plan->keys, at = plan->pieces;
    plan->n_combine = 0;
    while (pieces) {
        struct pail_msm_combine_level *level = &plan->combine[plan->n_combine++];
        level->pieces = pieces;
        level->tiles = (uint32_t)ceil_div(pieces, MSM_COMBINE_TILE);
        level->keys_in = keys;
        level->points_in = at;
        keys = level->keys_out = (uint32_t)*words;
        at = level->points_out = (uint32_t)*points;
        pieces = 2 * level->tiles;
        *words += pieces;
        *points += pieces;
        if (level->tiles == 1)
            break;
    }
}

/* Threads of the accumulation, and shares of the entries. */
static void plan_threads(struct pail_msm_plan *plan, uint64_t entries,
                         const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    const struct pail_msm_accumulator *a = &plan->accumulator;
    plan->share = SHARE_MIN;
    if (a->shares == 0) {
        plan->threads = plan->batch_windows * plan->window_buckets;
        plan->shares = plan->n_pieces = 0;
        return;
    }
    const uint64_t least = ceil_div(entries, (uint64_t)a->share_max * a->shares);
    uint64_t threads =
        min_u64(limits->max_threads, ceil_div(entries, (uint64_t)SHARE_MIN * a->shares));
    if (knobs->threads)
        threads = a->runs ? min_u64(knobs->threads, RUN_THREADS_MAX) : knobs->threads;
    if (plan->thrifty && !knobs->threads) {
        const uint64_t all = pail_msm_window_entries(plan, plan->chunk) * plan->total_windows;
        threads = min_u64(threads, ceil_div(all, THRIFTY_SHARE));
    }
    if (threads < least)
        threads = least;
    plan->threads = (uint32_t)(threads ? threads : 1);
    if (a->tasks) /* groups of threads are whole */
        plan->threads = (uint32_t)align_up(plan->threads, MSM_TASK);
    plan->shares = plan->threads * a->shares;
    plan->n_pieces = a->tasks ? MSM_TASK_PIECES(plan->threads) : 2 * plan->shares;
}

/* Every pass has fewer jobs than the one before it. */
static uint32_t count_wide_passes(const struct pail_msm_plan *plan,
                                  const struct pail_msm_limits *limits)
{
    const uint32_t levels = MSM_REDUCE_LEVELS(plan->log2_buckets);
    uint32_t pass = 0;
    while (pass < levels &&
           (uint64_t)MSM_REDUCE_QUADS(plan->log2_buckets, levels, pass) * plan->batch_windows >
               limits->quads_at_once)
        pass++;
    return pass;
}

/* Counters of runs by length, and the runs: whole buckets, and at most two pieces for each thread.
 */
static uint64_t order_words(const struct pail_msm_plan *plan)
{
    const uint64_t runs =
        (uint64_t)plan->batch_windows * plan->window_buckets + 2 * (uint64_t)plan->shares;
    return MSM_ORDER_COUNTS + MSM_RUN_WORDS * runs;
}

/* Lays out everything that follows from the window, the chunk and the batch. */
static void lay_out(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                    const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs)
{
    const uint64_t windows = plan->batch_windows;
    const uint64_t window_entries = pail_msm_window_entries(plan, plan->chunk);
    const uint64_t entries = window_entries * windows;

    plan->align = limits->align;
    plan->sort_kernels = pail_msm_sort_kernels_for(&limits->sort_kernels, plan->log2_buckets);
    pail_msm_plan_sort(&plan->sort_plan, &plan->sort_kernels, plan->log2_buckets, window_entries,
                       plan->batch_windows);

    plan->wide_passes = plan->accumulator.serial ? 0 : count_wide_passes(plan, limits);
    /* There is room for a quarter as many teams as quads; three steps of theirs twice over take
     * less than a chain of eight additions. */
    plan->team_jobs = limits->quads_at_once / 2;
    plan_threads(plan, entries, limits, knobs);
    plan->starts = 0;
    plan->window_offsets = (uint32_t)(windows * (plan->window_buckets + 1));
    plan->keys = plan->window_offsets + plan->batch_windows + 1;
    uint64_t words = windows * ((uint64_t)plan->window_buckets + 2) + plan->n_pieces + 3;
    if (plan->joined) { /* a binding of their own */
        words += align_up(plan->keys, limits->align) - plan->keys;
        plan->keys = (uint32_t)align_up(plan->keys, limits->align);
    }
    plan->adds = plan->keys + plan->n_pieces;
    plan->status = plan->adds + 1;
    plan->cuts = plan->status + 1;
    words += plan->accumulator.runs ? order_words(plan) : 2 * ((uint64_t)plan->shares + 1);

    plan->buckets = 0;
    plan->pieces = (uint32_t)(windows * plan->window_buckets);
    uint64_t points = windows * plan->window_buckets + plan->n_pieces;
    /* Prefix products lie where later steps put their points. */
    plan->scratch = (uint32_t)points;
    const uint64_t scratch = (uint64_t)plan->threads * plan->accumulator.scratch_bytes;
    const uint64_t points_with_scratch = points + ceil_div(scratch, shape->xyzz_bytes);
    plan_combine(plan, &words, &points);
    if (points < points_with_scratch)
        points = points_with_scratch;

    plan->parts = plan->joined ? 1 : plan->chunks;
    const uint64_t results = (uint64_t)shape->vectors * shape->sets;
    uint64_t *const bytes = plan->region_bytes;
    plan->fold_on_device = shape->device_results || results >= FOLD_ON_DEVICE;
    plan->window_parts = 1;
    if (!plan->fold_on_device && !plan->accumulator.serial &&
        (uint64_t)plan->total_windows * shape->sets <= WINDOWS_IN_PARTS)
        plan->window_parts += MSM_REDUCE_LEVELS(plan->log2_buckets + plan->wide_top);
    const uint64_t window_sums = (uint64_t)plan->windows * shape->vectors * plan->window_parts;
    const uint64_t sums = plan->parts * window_sums * shape->sets;
    plan->keyless = plan->accumulator.runs;
    bytes[PAIL_MSM_SORTED] = (plan->keyless ? 4 : 8) * entries;
    bytes[PAIL_MSM_SHARED] = 4 * entries;
    if (bytes[PAIL_MSM_SHARED] < shape->xyzz_bytes * points)
        bytes[PAIL_MSM_SHARED] = shape->xyzz_bytes * points;
    plan->temp = 0;
    if (plan->joined) { /* sorting must not overwrite what a chunk has left */
        plan->temp = align_up(shape->xyzz_bytes * points, limits->align);
        bytes[PAIL_MSM_SHARED] = plan->temp + 4 * entries;
    }
    bytes[PAIL_MSM_COUNTS] = 4 * plan->sort_plan.words;
    bytes[PAIL_MSM_INDEX] = 4 * words;
    const uint64_t stream = pail_msm_shape_passes(shape) ? plan->chunk * shape->point_bytes : 0;
    const uint32_t ahead = plan->places - 1, bases_ahead = shape->streamed ? ahead : 0;
    const uint64_t scalars = 32 * (plan->stepped ? plan->chunk : shape->n) * shape->vectors;
    plan->stream_pitch = align_up(stream, limits->align);
    plan->scalars_pitch = align_up(scalars, limits->align);
    bytes[PAIL_MSM_STREAM] = bases_ahead * plan->stream_pitch + stream;
    bytes[PAIL_MSM_SCALARS] = ahead * plan->scalars_pitch + scalars;
    bytes[PAIL_MSM_WINDOWS] = sums * shape->xyzz_bytes;
    bytes[PAIL_MSM_FOLDED] = results * (shape->xyzz_bytes + shape->point_bytes);
    plan->scratch_bytes = 0;
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++)
        plan->scratch_bytes += pail_msm_slice_bytes(bytes[r], limits->align);
}

void pail_msm_plan_leave_scalars(struct pail_msm_plan *plan)
{
    uint64_t *const bytes = &plan->region_bytes[PAIL_MSM_SCALARS];
    plan->scratch_bytes -=
        pail_msm_slice_bytes(*bytes, plan->align) - pail_msm_slice_bytes(0, plan->align);
    *bytes = plan->scalars_pitch = 0;
}

/* True if the accumulation fits one dispatch. */
static bool dispatches(const struct pail_msm_plan *plan, const struct pail_msm_limits *limits)
{
    const uint64_t across =
        plan->shares ? (uint64_t)plan->threads * plan->accumulator.lanes : plan->window_buckets;
    return across <= (uint64_t)limits->max_workgroups * plan->accumulator.workgroup;
}

static bool fits(const struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                 const struct pail_msm_limits *limits, uint64_t budget)
{
    const uint64_t *const bytes = plan->region_bytes;
    const uint64_t most = limits->max_binding_bytes;
    const uint64_t max_entries =
        limits->max_entries ? min_u64(limits->max_entries, ENTRIES_MAX) : ENTRIES_MAX;
    const uint64_t window = pail_msm_window_entries(plan, plan->chunk);
    const uint64_t entries = window * plan->batch_windows;
    /* A digit of a wide top is in one of its windows. What segments are rounded up by takes no
     * time that counts. */
    const uint64_t last = plan->batch_windows + 1 - PAIL_MSM_WIDE_ROWS(plan->wide_top);
    const uint64_t first = plan->batches > 1 ? pail_msm_batch_at(plan, 0) : 0;
    const uint64_t timed = window * (first > last ? first : last);
    /* Bindings of bases, and of one vector's scalars, cover a chunk, and begin up to an alignment's
     * number of elements early. Where there are several vectors, one binding has them all. */
    const uint64_t reach = plan->chunk + limits->align;
    const uint64_t scalars = shape->vectors > 1 && !plan->stepped
                                 ? bytes[PAIL_MSM_SCALARS]
                                 : 32 * (plan->chunk * shape->vectors + limits->align);
    return bytes[PAIL_MSM_SORTED] <= most && bytes[PAIL_MSM_SHARED] <= most &&
           bytes[PAIL_MSM_COUNTS] <= most && bytes[PAIL_MSM_INDEX] <= most &&
           bytes[PAIL_MSM_WINDOWS] <= most && bytes[PAIL_MSM_FOLDED] <= most && scalars <= most &&
           /* All scalars are bound chunk by chunk. */
           (limits->max_region_bytes == 0 || bytes[PAIL_MSM_SCALARS] <= limits->max_region_bytes) &&
           reach * shape->point_bytes <= most && plan->batch_windows <= limits->max_workgroups &&
           shape->vectors <= limits->max_workgroups &&
           /* A smallest block may have as many entries as it needs. */
           entries < ENTRIES_MAX &&
           (timed <= max_entries + max_entries / 1024 ||
            (plan->batch_windows == 1 && plan->chunk <= CHUNK_MIN)) &&
           plan->sort_plan.tiles_max <= limits->max_workgroups && dispatches(plan, limits) &&
           (budget == 0 || plan->scratch_bytes <= budget);
}

uint32_t pail_msm_batch_at(const struct pail_msm_plan *plan, uint32_t first_window)
{
    const uint32_t left = plan->total_windows - first_window;
    if (plan->wide_top && first_window == 0 && plan->batches > 1)
        return left - plan->batch_windows;
    return left < plan->batch_windows ? left : plan->batch_windows;
}

static void set_batches(struct pail_msm_plan *plan, uint32_t batches)
{
    if (plan->wide_top && batches == WIDE_TOP_BATCHES) {
        plan->batch_windows =
            (uint32_t)ceil_div(plan->windows, batches) + PAIL_MSM_WIDE_ROWS(plan->wide_top) - 1;
        plan->batches = batches;
        return;
    }
    /* ceil(R / ceil(R / nb)): no batch is left empty. */
    plan->batch_windows = (uint32_t)ceil_div(plan->total_windows, batches);
    plan->batches = (uint32_t)ceil_div(plan->total_windows, plan->batch_windows);
}

/* n: points that the window is for. */
static void set_window(struct pail_msm_plan *plan, const struct pail_msm_window_choice *choice,
                       uint64_t n, uint32_t c)
{
    const struct pail_msm_shape *shape = choice->shape;
    plan->window_bits = c;
    plan->split = pail_msm_splits(n, choice, c);
    plan->wide_top = plan->split ? pail_msm_wide_top(choice, c) : 0;
    if (plan->split) {
        plan->copies = 2;
        plan->windows = pail_msm_windows(shape->half_bits, c) - (plan->wide_top != 0);
        plan->digits = 2 * plan->windows;
        plan->window_step = c;
    } else {
        plan->digits = pail_msm_windows(shape->scalar_bits, c);
        plan->windows = (uint32_t)ceil_div(plan->digits, shape->table ? shape->table : 1);
        plan->copies = (uint32_t)ceil_div(plan->digits, plan->windows);
        plan->window_step = c * plan->copies;
    }
    plan->vector_windows = plan->windows + PAIL_MSM_WIDE_ROWS(plan->wide_top) - 1;
    plan->total_windows = plan->vector_windows * shape->vectors;
    plan->log2_buckets = c - 1;
    plan->window_buckets = (uint32_t)1 << plan->log2_buckets;
}

/* Tries more and more batches of the windows, for one window size and chunk. */
static bool fit_batches(struct pail_msm_plan *plan, struct pail_msm_search *s)
{
    uint32_t batches = s->knobs->batches ? s->knobs->batches : 1;
    if (batches > plan->total_windows)
        batches = plan->total_windows;
    /* All windows of a wide top are of one batch: of the last one. */
    const uint32_t most = plan->wide_top ? WIDE_TOP_BATCHES : plan->total_windows;
    if (batches > most || (plan->wide_top && plan->windows < batches))
        return false;
    while (true) {
        set_batches(plan, batches);
        lay_out(plan, s->shape, s->limits, s->knobs);
        if (fits(plan, s->shape, s->limits, s->budget))
            return true;
        if (fits(plan, s->shape, s->limits, 0))
            s->floor = min_u64(s->floor, plan->scratch_bytes);
        if (s->knobs->batches || plan->batch_windows == 1 || plan->batches == most)
            return false;
        /* The next number that makes batches smaller; where there are many windows, by a quarter.
         */
        const uint32_t fewer = plan->batch_windows - 1 - plan->batch_windows / 128 * 32;
        batches = (uint32_t)ceil_div(plan->total_windows, fewer);
    }
}

/* The windows to try for a chunk: other windows than the best one are for when nothing else is
 * left.
 */
static bool fit_windows(struct pail_msm_plan *plan, struct pail_msm_search *s, bool wide_top)
{
    const struct pail_msm_shape *shape = s->shape;
    const uint32_t asked = s->knobs->window_bits;
    const struct pail_msm_window_choice choice = {.shape = shape,
                                                  .sort_kernels = &s->limits->sort_kernels,
                                                  .serial = plan->accumulator.serial,
                                                  .wide_top = wide_top,
                                                  .asked = asked != 0};
    const bool smallest = plan->chunk <= CHUNK_MIN && !wide_top;
    uint32_t c = asked ? asked : pail_msm_choose_window(plan->chunk, &choice);
    const uint32_t least = smallest && !asked ? PAIL_MSM_WINDOW_MIN : c;
    for (; c >= least; c--) {
        set_window(plan, &choice, plan->chunk, c);
        if (wide_top && !plan->wide_top)
            return false;
        plan->lead = 0;
        if (shape->streamed && s->limits->overlap_points && plan->chunk < shape->n)
            plan->lead = plan->chunk / STREAMED_LEAD;
        const uint64_t chunks = pail_msm_count_chunks(plan, shape);
        const uint32_t parts = 1 + MSM_REDUCE_LEVELS(plan->log2_buckets);
        if (chunks > UINT32_MAX / plan->total_windows / shape->sets / parts)
            return false;
        plan->chunks = (uint32_t)chunks;
        const bool passes = pail_msm_shape_passes(shape);
        for (uint32_t stepped = passes; stepped <= (chunks > 1 || passes); stepped++) {
            plan->stepped = stepped != 0;
            if (fit_batches(plan, s))
                return true;
        }
    }
    return false;
}

/* Takes a second place for what is sent, where that leaves everything else as it is. */
static void fit_places(struct pail_msm_plan *plan, const struct pail_msm_search *s)
{
    if (!plan->stepped || plan->chunks < 2 || s->limits->overlap_points == 0)
        return;
    plan->places = 2;
    lay_out(plan, s->shape, s->limits, s->knobs);
    const uint64_t *const bytes = plan->region_bytes, most = s->limits->max_binding_bytes;
    if (bytes[PAIL_MSM_STREAM] <= most && bytes[PAIL_MSM_SCALARS] <= most &&
        fits(plan, s->shape, s->limits, s->budget))
        return;
    plan->places = 1;
    lay_out(plan, s->shape, s->limits, s->knobs);
}

/* Largest pieces first: all windows of all points, then fewer windows; then points chunk by chunk,
 * with all scalars on the device and without. */
static bool fit(struct pail_msm_plan *plan, struct pail_msm_search *s)
{
    const struct pail_msm_shape *shape = s->shape;
    plan->chunk = shape->n ? shape->n : 1;
    if (shape->segment)
        plan->chunk = min_u64(plan->chunk, shape->segment);
    const uint64_t least = s->limits->overlap_points;
    if (shape->streamed && least && shape->n > least) {
        /* Two places are in one binding. */
        const uint64_t most = ceil_div(s->limits->max_binding_bytes, 3 * shape->point_bytes);
        const uint64_t needed = ceil_div(shape->n, most);
        const uint64_t parts = needed < STREAMED_CHUNKS ? STREAMED_CHUNKS : needed;
        const uint64_t part = align_up(ceil_div(shape->n, parts), CHUNK_MIN);
        plan->chunk = min_u64(plan->chunk, part < least ? least : part);
    }
    if (shape->expanded) {
        const uint64_t part = align_up(ceil_div(shape->n, EXPANDED_CHUNKS), CHUNK_MIN);
        plan->chunk = min_u64(plan->chunk, part < EXPANDED_LEAST ? EXPANDED_LEAST : part);
    }
    if (plan->accumulator.shares == 0) { /* all may go to one bucket */
        const uint32_t copies = shape->half_bits ? 2 : shape->table ? shape->table : 1;
        const uint64_t most = plan->accumulator.share_max / copies;
        plan->chunk = min_u64(plan->chunk, most ? most : 1);
    }
    while (true) {
        if (fit_windows(plan, s, true) || fit_windows(plan, s, false))
            return true;
        if (plan->chunk <= CHUNK_MIN)
            return false;
        plan->chunk = align_up(plan->chunk / 2, CHUNK_MIN);
    }
}

/* Fits a plan with chunks of at most `most` points. */
static bool fit_joined_chunks(struct pail_msm_plan *plan, struct pail_msm_search *s, uint64_t most)
{
    const struct pail_msm_shape *shape = s->shape;
    const uint64_t n = shape->n;
    plan->most = most;
    plan->chunk = plan->chunks = 0;
    for (uint64_t first = 0; first < n;) {
        const uint64_t chunk = pail_msm_chunk_at(plan, shape, first);
        plan->chunk = plan->chunk < chunk ? chunk : plan->chunk;
        plan->chunks++;
        first += chunk;
    }
    const uint32_t c = s->knobs->window_bits;
    const struct pail_msm_window_choice choice = {.shape = shape,
                                                  .sort_kernels = &s->limits->sort_kernels,
                                                  .serial = plan->accumulator.serial,
                                                  .wide_top = true,
                                                  .again = plan->chunks - 1,
                                                  .asked = c != 0};
    set_window(plan, &choice, n, c ? c : pail_msm_choose_window(n, &choice));
    set_batches(plan, 1);
    lay_out(plan, shape, s->limits, s->knobs);
    return fits(plan, shape, s->limits, s->budget);
}

/* Chunks that share their buckets, all windows at a time, or nothing of the kind: where scalars are
 * sent meanwhile, and where the points lie in several segments. */
static bool fit_joined(struct pail_msm_plan *plan, struct pail_msm_search *s)
{
    const struct pail_msm_shape *shape = s->shape;
    const uint64_t n = shape->n, lead = pail_msm_lead(shape, s->limits->overlap_points);
    const bool cut = pail_msm_shape_is_cut(shape);
    if (!(lead || cut) || shape->vectors > 1 || shape->sets > 1 || pail_msm_shape_passes(shape) ||
        s->knobs->batches > 1 || !plan->accumulator.resumes)
        return false;
    plan->joined = true;
    plan->overlaps = lead != 0;
    plan->lead = lead;
    /* A chunk more costs less than scalars that are all sent before the work begins, and than a
     * reduction of all buckets. */
    const uint64_t whole = shape->segment ? min_u64(n, shape->segment) : n;
    for (uint32_t stepped = 0; stepped <= cut; stepped++) {
        for (uint32_t cuts = 1; cuts <= JOINED_CUTS; cuts *= 2)
            if (fit_joined_chunks(plan, s, ceil_div(whole, cuts)))
                return true;
        plan->stepped = cut; /* scalars, too, are more than a buffer, or than there is room for */
        plan->overlaps = false;
        plan->lead = 0;
    }
    plan->joined = plan->stepped = false;
    plan->most = plan->chunks = 0;
    return false;
}

uint32_t pail_msm_search_narrower(struct pail_msm_plan *plan, const struct pail_msm_search *s)
{
    const struct pail_msm_shape *shape = s->shape;
    const struct pail_msm_sort_kernels *sort_kernels = &s->limits->sort_kernels;
    uint32_t c = s->knobs->window_bits;
    if (!pail_msm_sort_kernels_strained(sort_kernels, c - 1))
        return 0;
    const struct pail_msm_window_choice choice = {.shape = shape,
                                                  .sort_kernels = sort_kernels,
                                                  .serial = plan->accumulator.serial,
                                                  .wide_top = true,
                                                  .asked = true};
    const uint64_t n = shape->segment ? min_u64(shape->n, shape->segment) : shape->n;
    set_window(plan, &choice, n, c);
    const uint64_t entries = pail_msm_window_entries(plan, n);
    pail_msm_plan_sort(&plan->sort_plan, sort_kernels, c - 1, entries ? entries : 1, 1);
    if (plan->sort_plan.tiles_max <= s->limits->max_workgroups)
        return 0;
    while (pail_msm_sort_kernels_strained(sort_kernels, c - 1))
        c--;
    return c;
}

static bool find(struct pail_msm_plan *plan, struct pail_msm_search *s, bool thrifty)
{
    memset(plan, 0, sizeof(*plan));
    plan->n = s->shape->n;
    plan->places = 1;
    plan->accumulator = s->limits->accumulator;
    plan->thrifty = thrifty;
    if (!fit_joined(plan, s) && !fit(plan, s))
        return false;
    fit_places(plan, s);
    return true;
}

/* Over compact bases: within what nobody has set, with few threads. Within a budget that somebody
 * has set, also with few threads where that takes fewer blocks, each of which has a reduction. */
static bool find_expanded(struct pail_msm_plan *plan, struct pail_msm_search *s)
{
    const struct pail_msm_shape *shape = s->shape;
    struct pail_msm_search few = *s;
    struct pail_msm_plan thrifty;
    if (!s->knobs->memory_budget) {
        const uint64_t wanted = THRIFTY_BYTES(shape->n * shape->point_bytes);
        few.budget = wanted < THRIFTY_LEAST ? THRIFTY_LEAST : wanted;
        if (s->budget)
            few.budget = min_u64(few.budget, s->budget);
        return find(plan, &few, true) || find(plan, s, false);
    }
    const bool found = find(&thrifty, &few, true);
    if (find(plan, s, false) &&
        (!found || plan->chunks * plan->batches <= thrifty.chunks * thrifty.batches))
        return true;
    s->floor = min_u64(s->floor, few.floor);
    *plan = thrifty; /* or the smallest one that was tried */
    return found;
}

bool pail_msm_search_find(struct pail_msm_plan *plan, struct pail_msm_search *s)
{
    return s->shape->expanded ? find_expanded(plan, s) : find(plan, s, false);
}
