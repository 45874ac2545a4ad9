#include "point.h"

/* Words of an affine point; an XYZZ point has twice as many. */
static size_t affine_words(const struct pail_twin_variant *variant)
{
    return 2 * variant->ops->coordinate_bytes / sizeof(uint32_t);
}

static size_t word_of_point(const struct pail_twin_variant *variant, size_t at)
{
    return 2 * affine_words(variant) * at;
}

pail_point pail_twin_load(const struct pail_twin_variant *variant, const uint32_t *points,
                          size_t at)
{
    pail_point p;
    (void)variant->ops->from_words(&p, points + word_of_point(variant, at), variant->radix);
    return p;
}

void pail_twin_store(const struct pail_twin_variant *variant, uint32_t *points, size_t at,
                     const pail_point *p)
{
    variant->ops->to_words(points + word_of_point(variant, at), p, variant->radix);
}

/* ---- convert -------------------------------------------------------------------------------- */
static bool decode(const struct pail_twin_variant *variant, uint32_t encoding, pail_affine *point,
                   const uint32_t *raw)
{
    if (encoding == MSM_ENCODING_CANONICAL) {
        uint8_t bytes[sizeof *point];
        for (size_t i = 0; i < 4 * affine_words(variant); i++) {
            bytes[i] = (uint8_t)(raw[i / 4] >> (8 * (i % 4)));
        }
        return variant->ops->decode(point, bytes, false);
    }
    /* Form x32 keeps coordinates as the boundary's Montgomery encoding has them. */
    enum pail_radix radix = PAIL_RADIX_X32;
    if (encoding > MSM_ENCODING_FORM) {
        radix = (enum pail_radix)(encoding - MSM_ENCODING_FORM);
    }
    return variant->ops->affine_from_words(point, raw, radix);
}

void pail_twin_convert(const struct msm_convert_push *push, const struct pail_twin_variant *variant,
                       const uint32_t *raw, uint32_t *bases, uint32_t *status)
{
    for (uint32_t i = 0; i < push->n; i++) {
        const size_t at = affine_words(variant) * i;
        const uint32_t number = push->first + i;
        pail_affine point;
        uint32_t *lowest = NULL;
        if (!decode(variant, push->encoding, &point, raw + at)) {
            lowest = &status[MSM_STATUS_RANGE];
        } else if (push->validation && !variant->ops->on_curve(&point)) {
            lowest = &status[MSM_STATUS_OFF_CURVE];
        }
        if (lowest && number < *lowest) {
            *lowest = number;
        }
        variant->ops->affine_to_words(bases + at, &point, variant->radix);
    }
}

/* ---- check ---------------------------------------------------------------------------------- */
void pail_twin_check(const struct msm_check_push *push, const struct pail_twin_variant *variant,
                     const uint32_t *bases, uint32_t *status)
{
    uint32_t *lowest = &status[MSM_STATUS_NOT_IN_SUBGROUP];
    for (uint32_t i = 0; i < push->n; i++) {
        const uint32_t number = push->first + i;
        pail_affine point;
        (void)variant->ops->affine_from_words(&point, bases + affine_words(variant) * i,
                                              variant->radix);
        if (!variant->ops->in_subgroup(&point) && number < *lowest) {
            *lowest = number;
        }
    }
}

/* ---- table ---------------------------------------------------------------------------------- */
void pail_twin_table(const struct msm_table_push *push, const struct pail_twin_variant *variant,
                     uint32_t *bases)
{
    const struct pail_curve_ops *ops = variant->ops;
    for (uint32_t i = 0; i < push->n; i++) {
        const size_t words = affine_words(variant);
        pail_affine affine;
        pail_point point;
        (void)ops->affine_from_words(&affine, bases + words * (push->from + i), variant->radix);
        ops->from_affine(&point, &affine);
        for (uint32_t bit = 0; bit < push->bits; bit++)
            ops->dbl(&point, &point);
        ops->to_affine(&affine, &point);
        ops->affine_to_words(bases + words * (push->to + i), &affine, variant->radix);
    }
}

/* ---- accumulate, combine -------------------------------------------------------------------- */

/* sum += base, with the doubling of the kernel: of the sum, not of the affine point. */
static void add_base(const struct pail_twin_variant *variant, pail_point *sum,
                     const uint32_t *bases, uint32_t first, uint32_t handle)
{
    const struct pail_curve_ops *ops = variant->ops;
    const size_t base = (size_t)first + (handle & ~MSM_HANDLE_SIGN);
    pail_affine affine;
    pail_point point;
    (void)ops->affine_from_words(&affine, bases + affine_words(variant) * base, variant->radix);
    if (handle & MSM_HANDLE_SIGN) {
        ops->affine_neg(&affine, &affine);
    }
    ops->from_affine(&point, &affine);
    if (ops->equal(sum, &point)) {
        ops->dbl(sum, sum);
    } else {
        ops->add_affine(sum, sum, &affine);
    }
}

/* The two pieces of a thread: buckets at keys, sums at pieces. */
struct leavings {
    const struct pail_twin_variant *variant;
    uint32_t *keys, *points;
    size_t buckets, pieces;
};

static void no_pieces(const struct leavings *out)
{
    out->keys[0] = MSM_KEY_NONE;
    out->keys[1] = MSM_KEY_NONE;
}

static void close_run(const struct leavings *out, uint32_t bucket, const pail_point *sum,
                      bool open_left, bool open_right)
{
    static const pail_point infinity;
    if (open_left) {
        out->keys[0] = bucket;
        pail_twin_store(out->variant, out->points, out->pieces, sum);
    }
    if (open_right) {
        out->keys[1] = bucket;
        pail_twin_store(out->variant, out->points, out->pieces + 1, open_left ? &infinity : sum);
    }
    if (!open_left && !open_right) {
        pail_twin_store(out->variant, out->points, out->buckets + bucket, sum);
    }
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ZZ = ZZZ = 1, as accumulators leave points that work with affine ones. */
static void make_affine(const struct pail_twin_variant *variant, pail_point *p)
{
    pail_affine affine;
    variant->ops->to_affine(&affine, p);
    variant->ops->from_affine(p, &affine);
}

static void accumulate(const struct msm_accumulate_push *push, uint32_t shares, bool affine,
                       const struct pail_twin_variant *variant, const uint32_t *bases,
                       const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    for (uint32_t share = 0; share < shares; share++) {
        const uint32_t *cut = index + push->cuts + 2 * (size_t)share;
        const uint32_t first_row = cut[0], last_row = cut[2];
        const struct leavings out = {
            .variant = variant,
            .keys = index + push->keys + 2 * (size_t)share,
            .points = points,
            .buckets = push->buckets,
            .pieces = push->pieces + 2 * (size_t)share,
        };
        no_pieces(&out);
        for (uint32_t row = first_row; row <= last_row && row < push->rows; row++) {
            const uint32_t *starts = index + push->starts + (size_t)row * (push->stride + 1);
            const uint32_t share_first = row == first_row ? cut[1] : 0;
            const uint32_t share_end = row == last_row ? cut[3] : starts[push->stride];
            for (uint32_t key = 0; key < push->stride; key++) {
                const uint32_t first = max_u32(starts[key], share_first);
                const uint32_t end = min_u32(starts[key + 1], share_end);
                if (first >= end) {
                    continue;
                }
                pail_point sum = {{0}};
                if (push->resume && starts[key] == first) {
                    sum = pail_twin_load(variant, points,
                                         push->buckets + (size_t)row * push->stride + key);
                    index[push->adds] += !variant->ops->is_infinity(&sum);
                }
                for (uint32_t i = first; i < end; i++) {
                    const uint32_t handle = entries[2 * ((size_t)row * push->n + i) + 1];
                    add_base(variant, &sum, bases, push->base_first, handle);
                }
                index[push->adds] += end - first - 1;
                if (affine) {
                    make_affine(variant, &sum);
                }
                close_run(&out, row * push->stride + key, &sum, starts[key] < first,
                          end < starts[key + 1]);
            }
        }
    }
}

void pail_twin_accumulate(const struct msm_accumulate_push *push,
                          const struct pail_twin_variant *variant, const uint32_t *bases,
                          const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    accumulate(push, push->threads, false, variant, bases, entries, index, points);
}

/* Places of a run that is a piece of its bucket. */
static size_t place_of_piece(const struct msm_runs_push *push, uint32_t piece)
{
    return push->places_first + (size_t)push->places * piece;
}

/* The sum of so many entries of a run from `from` on, and of what a chunk before has left. */
static pail_point sum_of_run(const struct msm_runs_push *push,
                             const struct pail_twin_variant *variant, const uint32_t *bases,
                             const uint32_t *handles, uint32_t *index, const uint32_t *points,
                             const uint32_t *run, uint32_t from, uint32_t count)
{
    const uint32_t bucket = run[MSM_RUN_BUCKET], piece = run[MSM_RUN_PIECE];
    pail_point sum = {{0}};
    if (push->resume && from == 0 &&
        (piece == MSM_KEY_NONE || piece == 0 ||
         index[push->keys + place_of_piece(push, piece) - 1] != bucket)) {
        sum = pail_twin_load(variant, points, push->buckets + bucket);
        index[push->adds] += !variant->ops->is_infinity(&sum);
    }
    for (uint32_t e = from; e < from + count; e++) {
        add_base(variant, &sum, bases, push->base_first, handles[run[MSM_RUN_FIRST] + e]);
    }
    index[push->adds] += count - 1;
    return sum;
}

void pail_twin_accumulate_serial(const struct msm_runs_push *push,
                                 const struct pail_twin_variant *variant, const uint32_t *bases,
                                 const uint32_t *handles, uint32_t *index, uint32_t *points)
{
    for (uint32_t i = 0; i < index[push->counts + MSM_ORDER_RUNS]; i++) {
        const uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)i;
        const uint32_t piece = run[MSM_RUN_PIECE];
        const pail_point sum =
            sum_of_run(push, variant, bases, handles, index, points, run, 0, run[MSM_RUN_COUNT]);
        pail_twin_store(variant, points,
                        piece == MSM_KEY_NONE ? push->buckets + run[MSM_RUN_BUCKET]
                                              : push->pieces + place_of_piece(push, piece),
                        &sum);
    }
}

void pail_twin_accumulate_runs(const struct msm_runs_push *push,
                               const struct pail_twin_variant *variant, const uint32_t *bases,
                               const uint32_t *handles, uint32_t *index, uint32_t *points)
{
    static const pail_point infinity;
    const uint32_t *const counts = index + push->counts;
    const uint32_t runs = counts[MSM_ORDER_RUNS], groups = push->threads / MSM_TASK;
    const uint32_t all = counts[MSM_ORDER_STEPS + MSM_ORDER_BINS];
    uint32_t each = (all + groups - 1) / groups, before = 0; /* steps of a group; of tasks before */
    for (uint32_t i = 0; i < runs; i++) {
        const uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)i;
        const uint32_t count = run[MSM_RUN_COUNT], bucket = run[MSM_RUN_BUCKET];
        const uint32_t longest =
            pail_twin_order_steps(run[MSM_RUN_COUNT - MSM_RUN_WORDS * (int)(i % MSM_TASK)]);
        each = i == 0 ? max_u32(each, longest) : each;
        /* The next group's part may begin within the task. */
        const uint32_t next = before / each + 1, cut = min_u32(next * each - before, count);
        const bool whole = run[MSM_RUN_PIECE] == MSM_KEY_NONE;
        const size_t place = whole ? 2 * ((size_t)MSM_TASK * next + i % MSM_TASK)
                                   : place_of_piece(push, run[MSM_RUN_PIECE]);
        pail_point sum = sum_of_run(push, variant, bases, handles, index, points, run, 0, cut);
        if (whole && cut == count) {
            pail_twin_store(variant, points, push->buckets + bucket, &sum);
        } else {
            index[push->keys + place] = index[push->keys + place + 1] = bucket;
            pail_twin_store(variant, points, push->pieces + place, &sum);
            sum = infinity;
            if (cut < count) {
                sum =
                    sum_of_run(push, variant, bases, handles, index, points, run, cut, count - cut);
            }
            pail_twin_store(variant, points, push->pieces + place + 1, &sum);
        }
        before += i % MSM_TASK == MSM_TASK - 1 ? longest : 0;
    }
}

void pail_twin_walk(const struct msm_accumulate_push *push, uint32_t slots,
                    const struct pail_twin_variant *variant, const uint32_t *bases,
                    const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    accumulate(push, push->threads * slots, true, variant, bases, entries, index, points);
}

void pail_twin_debug(const struct msm_accumulate_push *push,
                     const struct pail_twin_variant *variant, const uint32_t *bases,
                     const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    for (size_t bucket = 0; bucket < (size_t)push->rows * push->stride; bucket++) {
        const size_t row = bucket / push->stride;
        const uint32_t *starts = index + push->starts + bucket + row; /* each row has one more */
        pail_point sum = {{0}};
        for (uint32_t i = starts[0]; i < starts[1]; i++) {
            add_base(variant, &sum, bases, push->base_first, entries[2 * (row * push->n + i) + 1]);
        }
        if (starts[0] < starts[1]) {
            index[push->adds] += starts[1] - starts[0] - 1;
            pail_twin_store(variant, points, push->buckets + bucket, &sum);
        }
    }
}

/* One step of the trees over the runs of a tile: pieces whose rank in their run is a multiple of
 * 2 step take the one `step` further on. Returns whether there was any. */
static bool join(const struct msm_combine_push *push, const struct pail_twin_variant *variant,
                 uint32_t first, uint32_t n, uint32_t step, uint32_t *index, uint32_t *points)
{
    const struct pail_curve_ops *ops = variant->ops;
    const uint32_t *keys = index + push->keys_in + first;
    bool any = false;
    uint32_t run = 0;
    for (uint32_t i = 0; i + step < n; i++) {
        if (keys[i] != keys[run]) {
            run = i;
        }
        if (keys[i] == MSM_KEY_NONE || keys[i + step] != keys[i] || (i - run) % (2 * step)) {
            continue;
        }
        const size_t at = (size_t)push->pieces_in + first + i;
        pail_point sum = pail_twin_load(variant, points, at);
        const pail_point piece = pail_twin_load(variant, points, at + step);
        index[push->adds] += !ops->is_infinity(&sum) && !ops->is_infinity(&piece);
        ops->add(&sum, &sum, &piece);
        pail_twin_store(variant, points, at, &sum);
        any = true;
    }
    return any;
}

void pail_twin_combine(const struct msm_combine_push *push, const struct pail_twin_variant *variant,
                       uint32_t *index, uint32_t *points)
{
    const uint32_t *keys = index + push->keys_in;
    for (uint32_t tile = 0; tile < push->tiles; tile++) {
        const uint32_t first = tile * MSM_COMBINE_TILE;
        const uint32_t end = min_u32(first + MSM_COMBINE_TILE, push->n);
        const struct leavings out = {
            .variant = variant,
            .keys = index + push->keys_out + 2 * (size_t)tile,
            .points = points,
            .buckets = push->buckets,
            .pieces = push->pieces_out + 2 * (size_t)tile,
        };
        uint32_t step = 1;
        while (join(push, variant, first, end - first, step, index, points)) {
            step *= 2;
        }
        no_pieces(&out);
        for (uint32_t run = first, next; run < end; run = next) {
            for (next = run + 1; next < end && keys[next] == keys[run]; next++) {
            }
            if (keys[run] == MSM_KEY_NONE) {
                continue;
            }
            const pail_point sum = pail_twin_load(variant, points, (size_t)push->pieces_in + run);
            const bool open_left = run == first && run > 0 && keys[run - 1] == keys[run];
            const bool open_right = next == end && end < push->n && keys[end] == keys[run];
            close_run(&out, keys[run], &sum, open_left, open_right);
        }
    }
}

/* ---- fold ----------------------------------------------------------------------------------- */
void pail_twin_fold(const struct msm_fold_push *push, const struct pail_twin_variant *variant,
                    const uint32_t *windows, uint32_t *folded)
{
    const struct pail_curve_ops *ops = variant->ops;
    for (uint32_t vector = 0; vector < push->vectors; vector++) {
        pail_point sum = {{0}};
        for (uint32_t w = push->windows; w-- > 0;) {
            for (uint32_t i = 0; i < push->window_bits; i++) {
                ops->dbl(&sum, &sum);
            }
            for (uint32_t chunk = 0; chunk < push->chunks; chunk++) {
                const size_t at = ((size_t)chunk * push->vectors + vector) * push->windows + w;
                const pail_point term = pail_twin_load(variant, windows, push->sums + at);
                ops->add(&sum, &sum, &term);
            }
        }
        pail_twin_store(variant, folded, (size_t)push->points + vector, &sum);
        if (push->affine != MSM_KEY_NONE) {
            const size_t words = 2 * ops->coordinate_bytes / 4;
            uint32_t *out = folded + 4 * (size_t)push->affine + vector * words;
            uint8_t bytes[2 * sizeof(pail_affine)];
            pail_affine point;
            ops->to_affine(&point, &sum);
            ops->encode(bytes, &point, false);
            for (size_t i = 0; i < words; i++) {
                out[i] = bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
                         (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
            }
        }
    }
}
