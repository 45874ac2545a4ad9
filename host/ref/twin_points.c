#include "twin.h"

/* Words of an affine point; an XYZZ point has twice as many. */
static size_t affine_words(const struct pail_twin_variant *variant)
{
    return 2 * variant->ops->coordinate_bytes / sizeof(uint32_t);
}

static size_t word_of_point(const struct pail_twin_variant *variant, size_t at)
{
    return 2 * affine_words(variant) * at;
}

/* Points in device memory are reduced: what is not is a fault of whoever wrote it, and counts as
 * infinity. */
static pail_point load(const struct pail_twin_variant *variant, const uint32_t *points, size_t at)
{
    pail_point p;
    (void)variant->ops->from_words(&p, points + word_of_point(variant, at), variant->radix);
    return p;
}

static void store(const struct pail_twin_variant *variant, uint32_t *points, size_t at,
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
        store(out->variant, out->points, out->pieces, sum);
    }
    if (open_right) {
        out->keys[1] = bucket;
        store(out->variant, out->points, out->pieces + 1, open_left ? &infinity : sum);
    }
    if (!open_left && !open_right) {
        store(out->variant, out->points, out->buckets + bucket, sum);
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
                    sum = load(variant, points, push->buckets + (size_t)row * push->stride + key);
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
            store(variant, points, push->buckets + bucket, &sum);
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
        pail_point sum = load(variant, points, at);
        const pail_point piece = load(variant, points, at + step);
        index[push->adds] += !ops->is_infinity(&sum) && !ops->is_infinity(&piece);
        ops->add(&sum, &sum, &piece);
        store(variant, points, at, &sum);
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
            const pail_point sum = load(variant, points, (size_t)push->pieces_in + run);
            const bool open_left = run == first && run > 0 && keys[run - 1] == keys[run];
            const bool open_right = next == end && end < push->n && keys[end] == keys[run];
            close_run(&out, keys[run], &sum, open_left, open_right);
        }
    }
}

/* ---- reduce --------------------------------------------------------------------------------- */

/* A row's buckets; element k of level l is number 8^l k - 1 of them. */
struct row {
    const struct pail_twin_variant *variant;
    uint32_t *points;
    size_t first;
    uint32_t stride;
};

/* Infinity beyond the row. */
static pail_point element(const struct row *row, uint32_t k, uint32_t level)
{
    const uint32_t number = k << (3 * level);
    if (number > row->stride) {
        return (pail_point){{0}};
    }
    return load(row->variant, row->points, row->first + number - 1);
}

static void set_element(const struct row *row, uint32_t k, uint32_t level, const pail_point *p)
{
    const uint32_t number = k << (3 * level);
    store(row->variant, row->points, row->first + number - 1, p);
}

static void reduce_group(const struct row *row, uint32_t level, uint32_t middle)
{
    const struct pail_curve_ops *ops = row->variant->ops;
    const uint32_t n = row->stride >> (3 * level);
    pail_point total = element(row, middle, level);
    const pail_point half_way = element(row, middle + 4, level);
    ops->add(&total, &total, &half_way);
    for (uint32_t j = 1; j <= 3; j++) {
        const pail_point above = element(row, middle + j, level);
        pail_point below = element(row, middle - j, level), sum;
        ops->add(&sum, &above, &below);
        ops->add(&total, &total, &sum);
        ops->neg(&below, &below);
        ops->add(&sum, &above, &below);
        set_element(row, middle + j <= n ? middle + j : middle - j, level, &sum);
    }
    set_element(row, middle, level, &total);
}

/* Adds `count` elements of a list, every 8^pass buckets, up to the first of them. */
static void reduce_list(const struct row *row, uint32_t level, uint32_t column, uint32_t pass,
                        uint32_t index, uint32_t count, bool last)
{
    const struct pail_curve_ops *ops = row->variant->ops;
    const uint32_t step = (uint32_t)1 << (3 * (pass - level));
    const uint32_t first = 8 * index * step + column, n = row->stride >> (3 * level);
    pail_point sum = {{0}};
    /* The last group of a level had no place above its middle. */
    if (last && column < 4) {
        sum = element(row, n - column, level);
    }
    for (uint32_t i = 0; i < count; i++) {
        const pail_point term = element(row, first + i * step, level);
        ops->add(&sum, &sum, &term);
    }
    set_element(row, first, level, &sum);
}

static pail_point reduce_weigh(const struct row *row, uint32_t level, uint32_t count)
{
    const struct pail_curve_ops *ops = row->variant->ops;
    pail_point sum = element(row, count, level), weighted = sum;
    for (uint32_t k = count - 1; k > 0; k--) {
        const pail_point term = element(row, k, level);
        ops->add(&sum, &sum, &term);
        ops->add(&weighted, &weighted, &sum);
    }
    return weighted;
}

static pail_point reduce_window(const struct row *row, uint32_t levels)
{
    const struct pail_curve_ops *ops = row->variant->ops;
    pail_point sum = element(row, 1, levels);
    for (uint32_t level = levels; level-- > 0;) {
        for (uint32_t i = 0; i < 3; i++) {
            ops->dbl(&sum, &sum);
        }
        const pail_point term = element(row, 1, level);
        ops->add(&sum, &sum, &term);
    }
    return sum;
}

/* a += b, elements of a level. */
static void add_elements(const struct row *row, uint32_t a, uint32_t b, uint32_t level)
{
    pail_point sum = element(row, a, level);
    const pail_point term = element(row, b, level);
    row->variant->ops->add(&sum, &sum, &term);
    set_element(row, a, level, &sum);
}

/* a and b to a - b and a + b. */
static void add_and_subtract(const struct row *row, uint32_t a, uint32_t b, uint32_t level)
{
    const struct pail_curve_ops *ops = row->variant->ops;
    const pail_point left = element(row, a, level);
    pail_point right = element(row, b, level), sum;
    ops->add(&sum, &left, &right);
    set_element(row, b, level, &sum);
    ops->neg(&right, &right);
    ops->add(&sum, &left, &right);
    set_element(row, a, level, &sum);
}

static void reduce_group_step(const struct row *row, uint32_t level, uint32_t middle, uint32_t step)
{
    if (middle == row->stride >> (3 * level)) { /* the last group: no place above it */
        const uint32_t below = middle - 1 - step;
        pail_point p = element(row, below, level);
        add_elements(row, middle, below, level);
        row->variant->ops->neg(&p, &p);
        set_element(row, below, level, &p);
        return;
    }
    if (step == 0) {
        add_elements(row, middle, middle + 4, level);
        for (uint32_t j = 1; j <= 3; j++) {
            add_and_subtract(row, middle + j, middle - j, level);
        }
    } else if (step == 1) {
        add_elements(row, middle, middle - 1, level);
        add_elements(row, middle - 2, middle - 3, level);
    } else {
        add_elements(row, middle, middle - 2, level);
    }
}

void pail_twin_reduce_wide(const struct msm_reduce_push *push,
                           const struct pail_twin_variant *variant, uint32_t *points)
{
    const uint32_t stride = (uint32_t)1 << push->log2_stride, pass = push->pass;
    for (uint32_t r = 0; r < push->rows; r++) {
        const struct row row = {variant, points, push->buckets + (size_t)r * stride, stride};
        for (uint32_t i = 0; i < stride >> (3 * pass + 3); i++) {
            reduce_group_step(&row, pass, 8 * (i + 1), push->step);
            for (uint32_t list = 0; list < 4 * pass; list++) {
                const uint32_t level = list / 4, apart = (uint32_t)1 << (3 * (pass - level));
                const uint32_t first = 8 * i * apart + list % 4 + 1;
                for (uint32_t k = 0; k < 8; k += (uint32_t)2 << push->step) {
                    add_elements(&row, first + k * apart,
                                 first + (k + ((uint32_t)1 << push->step)) * apart, level);
                }
            }
        }
    }
}

/* The elements of a list by a team, as a tree; then what the last group of the level had left. */
static void reduce_list_end(const struct row *row, uint32_t level, uint32_t column, uint32_t pass,
                            uint32_t base)
{
    const uint32_t apart = (uint32_t)1 << (3 * (pass - level));
    for (uint32_t step = 1; step < base; step *= 2) {
        for (uint32_t k = 0; k < base; k += 2 * step) {
            add_elements(row, column + k * apart, column + (k + step) * apart, level);
        }
    }
    if (column < 4) {
        add_elements(row, column, (row->stride >> (3 * level)) - column, level);
    }
}

/* 2^bits elements weighed by a team, by the bits of their numbers. */
static void reduce_weigh_bits(const struct row *row, uint32_t level, uint32_t bits)
{
    const uint32_t top = (uint32_t)1 << bits;
    if (bits == 0) {
        return;
    }
    for (uint32_t bit = 1; bit < top; bit *= 2) {
        for (uint32_t k = bit + 1; k < top; k++) {
            if (k & bit) {
                add_elements(row, bit, k, level);
            }
        }
    }
    for (uint32_t bit = top / 2; bit != 0; bit /= 2) {
        add_elements(row, top, top, level);
        pail_point sum = element(row, top, level);
        const pail_point term = element(row, bit, level);
        row->variant->ops->add(&sum, &sum, &term);
        set_element(row, bit == 1 ? 1 : top, level, &sum);
    }
}

static void reduce_by_teams(const struct msm_reduce_push *push,
                            const struct pail_twin_variant *variant, uint32_t *points,
                            uint32_t *windows)
{
    const uint32_t stride = (uint32_t)1 << push->log2_stride, levels = push->levels;
    const uint32_t log2_base = push->log2_stride - 3 * levels;
    struct msm_reduce_push step = *push;
    for (step.step = 0; push->pass < levels && step.step < MSM_REDUCE_STEPS; step.step++) {
        pail_twin_reduce_wide(&step, variant, points);
    }
    for (uint32_t r = 0; r < push->rows && push->pass >= levels; r++) {
        const struct row row = {variant, points, push->buckets + (size_t)r * stride, stride};
        for (uint32_t list = 0; list < 4 * levels && push->pass == levels; list++) {
            reduce_list_end(&row, list / 4, list % 4 + 1, levels, (uint32_t)1 << log2_base);
        }
        for (uint32_t level = 0; level <= levels && push->pass > levels; level++) {
            reduce_weigh_bits(&row, level, level < levels ? 2 : log2_base);
            if (push->parts > 1) {
                const pail_point sum = element(&row, 1, level);
                store(variant, windows, push->first_out + (size_t)r * push->parts + level, &sum);
            }
        }
    }
}

void pail_twin_reduce(const struct msm_reduce_push *push, const struct pail_twin_variant *variant,
                      uint32_t *points, uint32_t *windows)
{
    const uint32_t pass = push->pass, levels = push->levels;
    const uint32_t base = (uint32_t)1 << (push->log2_stride - 3 * levels);
    if (push->team > 1) {
        reduce_by_teams(push, variant, points, windows);
        return;
    }
    for (uint32_t r = 0; r < push->rows; r++) {
        const uint32_t stride = (uint32_t)1 << push->log2_stride;
        const struct row row = {variant, points, push->buckets + (size_t)r * stride, stride};
        const uint32_t groups = pass < levels ? stride >> (3 * pass + 3) : 1;
        for (uint32_t i = 0; i < groups && pass <= levels; i++) {
            if (pass < levels) {
                reduce_group(&row, pass, 8 * (i + 1));
            }
            for (uint32_t list = 0; list < 4 * pass; list++) {
                reduce_list(&row, list / 4, list % 4 + 1, pass, i, pass < levels ? 8 : base,
                            pass == levels);
            }
        }
        for (uint32_t level = 0; level <= levels && pass == levels + 1; level++) {
            const pail_point sum = reduce_weigh(&row, level, level < levels ? 4 : base);
            if (push->parts > 1) {
                store(variant, windows, push->first_out + (size_t)r * push->parts + level, &sum);
            } else {
                set_element(&row, 1, level, &sum);
            }
        }
        if (pass == levels + 2) {
            const pail_point sum = reduce_window(&row, levels);
            store(variant, windows, (size_t)push->first_out + r, &sum);
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
                const pail_point term = load(variant, windows, push->sums + at);
                ops->add(&sum, &sum, &term);
            }
        }
        store(variant, folded, (size_t)push->points + vector, &sum);
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
