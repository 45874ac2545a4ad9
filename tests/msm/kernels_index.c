/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of digits, keys and positions: all results are exact words. */
#include "kernels_keys.h"

#include <stdlib.h>
#include <string.h>

/* ---- decompose ------------------------------------------------------------------------------ */

/* 0, 1, r - 1, r, r + 1, 2^254, 2^255, 2^256 - 1, then 2^k - 1, 2^k and 2^k + 1 for all k, bit
 * patterns, and random ones. Returns how many. */
enum { EDGES = 8, POWERS = 256, PATTERNS = 4, RANDOM = 60 };
enum { SCALARS = EDGES + 3 * POWERS + PATTERNS + RANDOM };

static void scalars_make(pail_u256 s[SCALARS])
{
    const pail_u256 r = test_ops()->order;
    const pail_u256 edges[EDGES] = {
        {{0}},
        {{1}},
        {{r.l[0] - 1, r.l[1], r.l[2], r.l[3]}},
        r,
        {{r.l[0] + 1, r.l[1], r.l[2], r.l[3]}},
        {{0, 0, 0, UINT64_C(1) << 62}},
        {{0, 0, 0, UINT64_C(1) << 63}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
    };
    static const uint64_t patterns[PATTERNS] = {
        UINT64_C(0x5555555555555555), UINT64_C(0xAAAAAAAAAAAAAAAA), UINT64_C(0x00000000FFFFFFFF),
        UINT64_C(0x8000000080000000)};
    struct pail_rng rng;
    size_t n = 0;
    for (size_t i = 0; i < EDGES; i++)
        s[n++] = edges[i];
    for (size_t k = 0; k < POWERS; k++) {
        pail_u256 power = {{0}}, less = {{0}}, more;
        power.l[k / 64] = UINT64_C(1) << (k % 64);
        more = power;
        more.l[0] += 1; /* carries for 2^0 into bit 1 only */
        for (size_t bit = 0; bit < k; bit++)
            less.l[bit / 64] |= UINT64_C(1) << (bit % 64);
        s[n++] = less;
        s[n++] = power;
        s[n++] = more;
    }
    for (size_t i = 0; i < PATTERNS; i++)
        s[n++] = (pail_u256){{patterns[i], patterns[i], patterns[i], patterns[i]}};
    pail_rng_init(&rng, 1);
    while (n < SCALARS)
        s[n++] = random_u256(&rng);
}

static int64_t digit_of(uint32_t word, uint32_t c)
{
    const uint32_t zero_key = (uint32_t)1 << (c - 1), key = word & ~MSM_HANDLE_SIGN;
    assert_true(key <= zero_key);
    const int64_t magnitude = key == zero_key ? 0 : (int64_t)key + 1;
    return word & MSM_HANDLE_SIGN ? -magnitude : magnitude;
}

/* A digit of a window of several rows, `pitch` words apart, of which one has an entry, or none. */
static int64_t wide_digit_of(const uint32_t *words, size_t pitch, uint32_t c, uint32_t rows)
{
    const int64_t zero_key = (int64_t)1 << (c - 1);
    int64_t wide = 0;
    for (uint32_t row = 0; row < rows; row++) {
        const int64_t digit = digit_of(words[row * pitch], c);
        assert_true(digit == 0 || wide == 0);
        if (digit)
            wide = digit < 0 ? digit - row * zero_key : digit + row * zero_key;
    }
    return wide;
}

/* The digits of a scalar must add up to it, modulo r. */
static void assert_digits(const uint32_t *digits, uint32_t point, const pail_u256 *scalar,
                          uint32_t c, uint32_t windows)
{
    const struct pail_curve_ops *ops = test_ops();
    const pail_u256 base = {{UINT64_C(1) << c}};
    pail_u256 sum = {{0}}, wanted;
    ops->scalar_reduce(&wanted, scalar);
    for (uint32_t w = windows; w-- > 0;) {
        const int64_t digit = digit_of(digits[(size_t)w * SCALARS + point], c);
        pail_u256 d = {{(uint64_t)(digit < 0 ? -digit : digit)}};
        if (digit < 0)
            ops->scalar_neg(&d, &d);
        ops->scalar_mul(&sum, &sum, &base);
        ops->scalar_add(&sum, &sum, &d);
    }
    assert_memory_equal(&sum, &wanted, sizeof(sum));
}

/* Windows first ... first + windows - 1 of vectors of `windows` windows and `count` scalars; a
 * vector begins `window_buckets` scalars after the one before it, the first one at `scalar_first`.
 */
struct decomposition {
    uint32_t c, vector_windows, first, windows, scalar_first, count, scalar_stride;
    bool reduce;
    uint32_t further; /* copies of the bases */
    uint32_t split;   /* 1: halves of the scalars, for the points and the one copy */
    uint32_t wide;    /* bits more of the top window, which is the last 2^wide windows */
};

/* The digits of both halves must add up to the scalar, modulo r. */
static void assert_halves(const uint32_t *digits, uint32_t point, const pail_u256 *scalar,
                          uint32_t c, uint32_t windows, uint32_t wide)
{
    const struct pail_curve_ops *ops = test_ops();
    const pail_u256 base = {{UINT64_C(1) << c}};
    pail_u256 half[2] = {{{0}}, {{0}}}, wanted;
    ops->scalar_reduce(&wanted, scalar);
    for (uint32_t h = 0; h < 2; h++)
        for (uint32_t w = windows; w-- > 0;) {
            const uint32_t *const window = digits + (size_t)(2 * w + h) * SCALARS + point;
            const uint32_t rows = w + 1 == windows ? (uint32_t)1 << wide : 1;
            const int64_t digit = wide_digit_of(window, 2 * SCALARS, c, rows);
            pail_u256 d = {{(uint64_t)(digit < 0 ? -digit : digit)}};
            if (digit < 0)
                ops->scalar_neg(&d, &d);
            ops->scalar_mul(&half[h], &half[h], &base);
            ops->scalar_add(&half[h], &half[h], &d);
        }
    ops->scalar_mul(&half[1], &half[1], &ops->lambda);
    ops->scalar_add(&half[0], &half[0], &half[1]);
    assert_memory_equal(&half[0], &wanted, sizeof(wanted));
}

static void check_decompose(const struct vk_fixture *f, const pail_u256 s[SCALARS],
                            const struct decomposition *d)
{
    struct buffer scalars = buffer_make(8 * SCALARS);
    struct buffer digits = buffer_make((size_t)d->windows * (1 + d->further) * d->count);
    for (size_t i = 0; i < 8 * SCALARS; i++)
        scalars.host[i] = (uint32_t)(s[i / 8].l[i / 2 % 4] >> (32 * (i % 2)));
    buffer_sync(&scalars);
    const struct msm_decompose_push push = {
        .n = d->count,
        .window_bits = d->c,
        .vector_windows = d->vector_windows,
        .wide_top = d->wide,
        .first_window = d->first,
        .windows = d->windows,
        .scalar_first = d->scalar_first,
        .scalar_stride = d->scalar_stride,
        .handle_stride = d->scalar_stride / 2,
        .reduce = d->reduce,
        .further = d->further,
    };
    /* Two dimensions, and more workgroups than needed. */
    const uint32_t groups = groups_for(d->count, MSM_DECOMPOSE_WORKGROUP);
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_DECOMPOSE,
        .specs = &d->split,
        .push = &push,
        .gx = (groups + 1) / 2,
        .gy = 3,
        .gz = (d->first + d->windows - 1) / d->vector_windows - d->first / d->vector_windows + 1,
        .bindings = {&scalars, &digits},
    };
    kernel_run(f, &call);
    pail_recode(&push, test_ops(), d->split != 0, scalars.host, digits.host);
    assert_same_words(&scalars, "scalars");
    assert_same_words(&digits, "digits");
    if (d->split && d->windows == d->vector_windows && d->count == SCALARS)
        for (uint32_t i = 0; i < d->count; i++)
            assert_halves(digits.device, i, &s[i], d->c,
                          d->vector_windows + 1 - ((uint32_t)1 << d->wide), d->wide);
    else if (d->reduce && d->windows == d->vector_windows && d->count == SCALARS)
        for (uint32_t i = 0; i < d->count; i++)
            assert_digits(digits.device, i, &s[i], d->c, d->vector_windows * (1 + d->further));
    buffer_free(&digits);
    buffer_free(&scalars);
}

/* Halves with a bit or two more in the top window: one window fewer, and some for those bits; all
 * windows, and a batch with the top one. */
static void check_wide(const struct vk_fixture *f, const pail_u256 s[SCALARS], uint32_t c)
{
    const uint32_t windows = test_ops()->half_bits / c, over = test_ops()->half_bits % c;
    const uint32_t all = windows + ((uint32_t)2 << over) - 1, half = windows / 2;
    if (over > 1 || windows < 2)
        return;
    check_decompose(f, s,
                    &(struct decomposition){c, all, 0, all, 0, SCALARS, 0, false, 1, 1, over + 1});
    check_decompose(
        f, s,
        &(struct decomposition){c, all, half, all - half, 0, SCALARS, 0, false, 1, 1, over + 1});
    check_decompose(f, s,
                    &(struct decomposition){c, all, 0, half, 0, SCALARS, 0, false, 1, 1, over + 1});
}

void test_decompose(void **state)
{
    const struct vk_fixture *f = *state;
    pail_u256 *s = malloc(SCALARS * sizeof(*s));
    assert_non_null(s);
    scalars_make(s);
    for (uint32_t c = 2; c <= 22; c++) {
        const uint32_t windows = 254 / c + 1;
        const uint32_t all = SCALARS, third = windows / 3;
        const uint32_t halves = test_ops()->half_bits / c + 1;
        const struct decomposition cases[] = {
            {c, windows, 0, windows, 0, all, 0, true, 0, 0, 0},
            {c, windows, windows - third, third, c % 3, all - c % 3, 0, true, 0, 0, 0},
            {c, 256 / c + 1, 0, 256 / c + 1, 0, all, 0, false, 0, 0, 0},
            /* Several vectors: whole ones, and batches that begin and end inside one. */
            {c, windows, 0, 3 * windows, 1, all / 4, all / 4, true, 0, 0, 0},
            {c, windows, third, 2 * windows, 0, all / 3, 7, true, 0, 0, 0},
            /* Windows of several digits: more of them than there are, all in one, and parts. */
            {c, windows / 3 + 1, 0, windows / 3 + 1, 0, all, 0, true, 2, 0, 0},
            {c, 1, 0, 1, 0, all, 0, true, windows - 1, 0, 0},
            {c, windows / 2, 1, 2 * (windows / 2), 0, all / 3, 7, true, 1, 0, 0},
            /* Halves: of any scalar, and of reduced ones; a batch that begins inside a vector. */
            {c, halves, 0, halves, 0, all, 0, false, 1, 1, 0},
            {c, halves, halves / 2, 2 * halves, 0, all / 3, 7, true, 1, 1, 0},
        };
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
            check_decompose(f, s, &cases[i]);
        check_wide(f, s, c);
    }
    test_group(PAIL_KC_BLS12_381, PAIL_KG_G1);
    scalars_make(s);
    for (uint32_t c = 2; c <= 22; c += 5) {
        const uint32_t halves = test_ops()->half_bits / c + 1;
        check_decompose(
            f, s, &(struct decomposition){c, halves, 0, halves, 0, SCALARS, 0, false, 1, 1, 0});
        check_wide(f, s, c + 4); /* 6, 11, 16, 21 */
    }
    test_group(PAIL_KC_BN254, PAIL_KG_G1);
    free(s);
}

/* ---- cuts ----------------------------------------------------------------------------------- */
enum fill { EVEN, ONE_BUCKET, NOTHING, FEW, RAGGED, LAST_WINDOW, FILL_COUNT };

static uint32_t bucket_size(enum fill fill, uint32_t window, uint32_t windows, uint32_t key,
                            uint32_t window_buckets, struct pail_rng *rng)
{
    switch (fill) {
    case EVEN:
        return 4;
    case ONE_BUCKET:
        return window == windows / 2 && key == window_buckets / 2 ? 997 : 0;
    case NOTHING:
        return 0;
    case FEW:
        return key == 1 && window == 0 ? 3 : 0;
    case LAST_WINDOW:
        return window + 1 == windows ? (uint32_t)pail_rng_below(rng, 9) : 0;
    case RAGGED:
    case FILL_COUNT:
        break;
    }
    return pail_rng_below(rng, 3) ? (uint32_t)pail_rng_below(rng, 40) : 0;
}

/* Kinds of shares; every one has to occur in the test. */
enum share_kind { WHOLE_BUCKETS, INSIDE_BUCKET, NO_ENTRIES, OVER_EMPTY_WINDOWS, SHARE_KINDS };

/* The first start of a bucket, or the end of the last one, that is not before a position. */
static uint32_t edge_from(const uint32_t *starts, uint32_t position)
{
    while (*starts < position)
        starts++;
    return *starts;
}

/* Notes what the share between two cuts is. */
static void note_share(const struct msm_cuts_push *push, const uint32_t *index, const uint32_t *cut,
                       uint32_t seen[SHARE_KINDS])
{
    const size_t pitch = (size_t)push->window_buckets + 1;
    const uint32_t *starts = index + push->starts, window = cut[0], end_window = cut[2];
    if (window == end_window && cut[1] == cut[3]) {
        seen[NO_ENTRIES]++;
        return;
    }
    const uint32_t edge = edge_from(starts + window * pitch, cut[1]);
    const bool ends_at_edge =
        end_window == push->windows || edge_from(starts + end_window * pitch, cut[3]) == cut[3];
    seen[WHOLE_BUCKETS] += edge == cut[1] && ends_at_edge;
    seen[INSIDE_BUCKET] += window == end_window && edge > cut[3];
    for (uint32_t w = window + 1; w < end_window; w++)
        seen[OVER_EMPTY_WINDOWS] += starts[w * pitch + push->window_buckets] == 0;
}

/* Cuts cover all entries, in order, and end with the sentinel behind the last window. */
static void assert_cuts(const struct msm_cuts_push *push, const uint32_t *index,
                        uint32_t seen[SHARE_KINDS])
{
    uint64_t offset = 0, total = 0, before = 0;
    const uint32_t *cut = index + push->cuts;
    const size_t pitch = (size_t)push->window_buckets + 1;
    for (uint32_t w = 0; w < push->windows; w++)
        total += index[push->starts + w * pitch + push->window_buckets];
    const uint64_t sharers = total / push->share < 1               ? 1
                             : total / push->share < push->threads ? total / push->share
                                                                   : push->threads;
    uint32_t window = 0;
    for (uint32_t t = 0; t <= push->threads; t++, cut += 2) {
        assert_true(cut[0] >= window && cut[0] <= push->windows);
        for (; window < cut[0]; window++)
            offset += index[push->starts + window * pitch + push->window_buckets];
        /* At an entry, or behind all. */
        if (window < push->windows)
            assert_true(cut[1] < index[push->starts + window * pitch + push->window_buckets]);
        else
            assert_int_equal(cut[1], 0);
        const uint64_t position = offset + cut[1];
        assert_true(t == 0 ? position == 0 : position >= before);
        /* Everybody has an even share, some with one of the rest, or nothing. */
        if (t > 0)
            assert_in_range(position - before, t <= sharers ? total / sharers : 0,
                            t <= sharers ? total / sharers + (total % sharers > 0) : 0);
        if (t > 0)
            note_share(push, index, cut - 2, seen);
        before = position;
    }
    assert_int_equal(before, total);
    assert_int_equal(window, push->windows);
}

static void check_cuts(const struct vk_fixture *f, struct msm_cuts_push push, enum fill fill,
                       uint32_t seen[SHARE_KINDS])
{
    struct pail_rng rng;
    pail_rng_init(&rng, push.threads);
    push.starts = 2;
    push.window_offsets = push.starts + push.windows * (push.window_buckets + 1) + 1;
    push.cuts = push.window_offsets + push.windows + 2;
    struct buffer index = buffer_make(push.cuts + 2 * ((size_t)push.threads + 1));
    uint32_t *starts = index.host + push.starts;
    for (uint32_t w = 0; w < push.windows; w++) {
        uint32_t at = 0;
        for (uint32_t key = 0; key < push.window_buckets; key++) {
            *starts++ = at;
            at += bucket_size(fill, w, push.windows, key, push.window_buckets, &rng);
        }
        *starts++ = at;
    }
    buffer_sync(&index);
    const struct msm_windows_push windows = {push.windows, push.window_buckets, push.starts,
                                             push.window_offsets};
    const struct kernel_call windows_call = {
        .id = PAIL_KERNEL_MSM_ORDER_WINDOWS,
        .push = &windows,
        .gx = 1,
        .gy = 1,
        .bindings = {&index},
    };
    if (push.windows >= MSM_CUTS_WORKGROUP) {
        kernel_run(f, &windows_call);
        pail_twin_order_windows(&windows, index.host);
        assert_same_words(&index, "window starts");
    }
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_CUTS,
        .push = &push,
        .gx = groups_for((uint64_t)push.threads + 1, MSM_CUTS_WORKGROUP),
        .gy = 1,
        .bindings = {&index},
    };
    kernel_run(f, &call);
    pail_twin_cuts(&push, index.host);
    assert_same_words(&index, "cuts");
    assert_cuts(&push, index.device, seen);
    buffer_free(&index);
}

void test_cuts(void **state)
{
    const struct vk_fixture *f = *state;
    static const uint32_t threads[] = {1, 2, 7, 64, 300};
    uint32_t seen[SHARE_KINDS] = {0};
    for (uint32_t fill = 0; fill < FILL_COUNT; fill++)
        for (size_t t = 0; t < 5; t++) {
            const struct msm_cuts_push cases[] = {
                {.windows = 1, .window_buckets = 16, .share = 8},
                {.windows = 2, .window_buckets = 16, .share = 1},
                {.windows = 3, .window_buckets = 16, .share = 8},
                {.windows = 4, .window_buckets = 16, .share = 1},
                {.windows = 5, .window_buckets = 16, .share = 3},
                {.windows = 2, .window_buckets = 2, .share = 1},
                {.windows = MSM_CUTS_WORKGROUP - 1, .window_buckets = 2, .share = 1},
                {.windows = MSM_CUTS_WORKGROUP, .window_buckets = 2, .share = 1},
                {.windows = 300, .window_buckets = 2, .share = 2},
            };
            for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct msm_cuts_push push = cases[i];
                push.threads = threads[t];
                check_cuts(f, push, (enum fill)fill, seen);
            }
        }
    for (size_t kind = 0; kind < SHARE_KINDS; kind++)
        assert_true(seen[kind] > 0);
}
