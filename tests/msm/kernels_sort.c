/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, pass by pass, by each kernel that can do a step. Entries of a bin may be in any order;
 * all else are exact words. */
#include "kernels_keys.h"

#include <msm/plan/sort_plan.h>

#include <stdlib.h>
#include <string.h>

#include "support/long.h"

/* Keys run from 0 to window_buckets, which stands for the digit zero. */
uint32_t key_of(enum pattern pattern, uint64_t i, uint64_t n, uint32_t window_buckets,
                struct pail_rng *rng)
{
    switch (pattern) {
    case EQUAL:
        return window_buckets / 2;
    case ZEROS:
        return window_buckets;
    case SORTED:
        return (uint32_t)(i * ((uint64_t)window_buckets + 1) / n);
    case REVERSED:
        return (uint32_t)((n - 1 - i) * ((uint64_t)window_buckets + 1) / n);
    case EXTREMES: {
        const uint32_t keys[] = {0, window_buckets - 1, window_buckets};
        return keys[pail_rng_below(rng, 3)];
    }
    case SPREAD:
    case PATTERN_COUNT:
        break;
    }
    return (uint32_t)pail_rng_below(rng, (uint64_t)window_buckets + 1);
}

void starts_of(const uint32_t *entries, uint32_t n, uint32_t windows, uint32_t window_buckets,
               uint32_t *starts)
{
    for (uint32_t window = 0; window < windows; window++) {
        uint32_t i = 0;
        for (uint32_t key = 0; key <= window_buckets; key++) {
            while (i < n && entries[2 * ((size_t)window * n + i)] < key)
                i++;
            starts[(size_t)window * (window_buckets + 1) + key] = i;
        }
    }
}

/* One kernel for each step, and how they are specialised. */
struct sort_kernels {
    bool serial;
    uint32_t workgroup, bits_max; /* for all but those that scatter */
    uint32_t scatter_workgroup, items;
    uint32_t subtile; /* a tile has whole ones */
    uint32_t top_bits;
};

struct sort_case {
    uint32_t c, n, windows;
    uint32_t subtiles; /* in a tile */
    /* Copies of bases: entries of each, and handles that are passed over between them. */
    uint32_t copy, skip;
    bool keyless;
};

/* State of a sort. `words`: digits, and words. */
struct sort {
    const struct vk_fixture *f;
    const struct sort_kernels *sort_kernels;
    const struct sort_case *c;
    struct pail_msm_sort_plan sort_plan;
    struct msm_sort_push push;
    struct buffer words[2], counts, sorted, starts;
};

/* Windows of several vectors, the first of them not from its beginning; and something in front of
 * the buckets' starts. */
enum { VECTOR_WINDOWS = 2, FIRST_WINDOW = 1, HANDLE_STRIDE = 100003, STARTS = 5 };

static uint32_t handle_of(uint32_t window, uint32_t i)
{
    return (FIRST_WINDOW + window) / VECTOR_WINDOWS * HANDLE_STRIDE + i;
}

static uint32_t window_buckets_of(const struct sort_case *c)
{
    return (uint32_t)1 << (c->c - 1);
}

/* All that count are there once, each in its bucket. */
static void assert_sorted(const struct sort *s, const uint32_t *digits)
{
    const struct sort_case *c = s->c;
    const uint32_t n = c->n, copy = c->skip ? c->copy : n, window_buckets = window_buckets_of(c);
    bool *seen = malloc(n);
    assert_non_null(seen);
    for (uint32_t window = 0; window < c->windows; window++) {
        const uint32_t *starts = s->starts.device + STARTS + (size_t)window * (window_buckets + 1);
        memset(seen, 0, n);
        for (uint32_t i = 0; i < n; i++)
            seen[i] = (digits[(size_t)window * n + i] & ~MSM_HANDLE_SIGN) == window_buckets;
        for (uint32_t key = 0; key < window_buckets; key++)
            for (uint32_t k = starts[key]; k < starts[key + 1]; k++) {
                const size_t words = c->keyless ? 1 : 2;
                const uint32_t *entry = s->sorted.device + words * ((size_t)window * n + k);
                const uint32_t handle = entry[words - 1];
                const uint32_t h = (handle & ~MSM_HANDLE_SIGN) - handle_of(window, 0);
                assert_true(h % (copy + c->skip) < copy);
                const uint32_t i = h / (copy + c->skip) * copy + h % (copy + c->skip);
                assert_in_range(i, 0, n - 1);
                assert_false(seen[i]);
                seen[i] = true;
                const uint32_t digit = digits[(size_t)window * n + i];
                if (!c->keyless)
                    assert_int_equal(entry[0], key);
                assert_int_equal(digit & ~MSM_HANDLE_SIGN, key);
                assert_int_equal(handle & MSM_HANDLE_SIGN, digit & MSM_HANDLE_SIGN);
            }
        assert_null(memchr(seen, false, n));
    }
    free(seen);
}

static void run(const struct sort *s, enum pail_kernel_id id, const uint32_t *specs, uint32_t gx,
                uint32_t gy, uint32_t gz, struct buffer *const bindings[4])
{
    struct kernel_call call = {
        .id = id, .specs = specs, .push = &s->push, .gx = gx, .gy = gy, .gz = gz};
    for (size_t i = 0; i < 4; i++)
        call.bindings[i] = bindings[i];
    kernel_run(s->f, &call);
}

static int by_word(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_handle(const void *a, const void *b)
{
    return by_word((const uint32_t *)a + 1, (const uint32_t *)b + 1);
}

/* Orders what is between one start and the next, on both sides. */
static void settle(const struct sort *s, struct buffer *out, const uint32_t *starts, size_t bins,
                   uint32_t words)
{
    for (uint32_t window = 0; window < s->c->windows; window++)
        for (size_t bin = 0; bin < bins; bin++) {
            const uint32_t *start = starts + window * (bins + 1) + bin;
            assert_in_range(start[1], start[0], s->c->n);
            const size_t at = words * ((size_t)window * s->c->n + start[0]),
                         n = start[1] - start[0];
            qsort(out->device + at, n, 4 * words, words == 2 ? by_handle : by_word);
            qsort(out->host + at, n, 4 * words, words == 2 ? by_handle : by_word);
        }
}

static void check_scan(struct sort *s)
{
    struct buffer *const bindings[4] = {&s->counts};
    const uint32_t bins = (uint32_t)1 << s->push.bits;
    if (s->sort_kernels->serial)
        run(s, PAIL_KERNEL_MSM_SORT_SCAN_SERIAL, NULL, groups_for(bins, MSM_SORT_SERIAL),
            s->c->windows, s->push.groups, bindings);
    else
        run(s, PAIL_KERNEL_MSM_SORT_SCAN, &s->sort_kernels->workgroup,
            groups_for(bins, s->push.columns), s->c->windows, s->push.groups, bindings);
    pail_twin_sort_scan(&s->push, s->c->windows, s->counts.host);
    assert_same_words(&s->counts, "scanned counts");
}

/* Accepts counters in which a kernel has counted on, which it does as it likes. */
static void forget_counts(struct sort *s)
{
    if (s->sort_kernels->serial)
        memcpy(s->counts.host, s->counts.device, (size_t)4 * s->push.totals);
    assert_same_words(&s->counts, "counts after scattering");
}

static void check_scatter(struct sort *s, uint32_t pass, uint32_t groups)
{
    const uint32_t specs[PAIL_MAX_SPECS] = {s->sort_kernels->scatter_workgroup,
                                            (uint32_t)1 << s->sort_kernels->bits_max,
                                            s->sort_kernels->items, s->sort_kernels->top_bits};
    const uint32_t *const used = s->sort_kernels->serial ? NULL : specs;
    struct buffer *from = &s->words[pass % 2], *to = &s->words[(pass + 1) % 2];
    const size_t bins = (size_t)s->push.groups << s->push.bits;
    if (pass + 1 < s->sort_plan.passes) {
        memset(to->device, 0xAA, 4 * to->n);
        memset(to->host, 0xAA, 4 * to->n);
        run(s,
            s->sort_kernels->serial ? PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL
                                    : PAIL_KERNEL_MSM_SORT_SCATTER,
            used, groups, s->c->windows, 1, (struct buffer *[4]){from, &s->counts, to});
        pail_twin_sort_scatter(&s->push, s->c->windows, from->host, s->counts.host, to->host);
        forget_counts(s);
        settle(s, to, s->counts.host + s->push.starts_out, bins * s->push.epochs, 1);
        assert_same_words(to, "words");
    } else {
        run(s,
            s->sort_kernels->serial ? PAIL_KERNEL_MSM_SORT_FINISH_SERIAL
                                    : PAIL_KERNEL_MSM_SORT_FINISH,
            used, groups, s->c->windows, 1,
            (struct buffer *[4]){from, &s->counts, &s->sorted, &s->starts});
        pail_twin_sort_finish(&s->push, s->c->windows, from->host, s->counts.host, s->sorted.host,
                              s->starts.host);
        forget_counts(s);
        assert_same_words(&s->starts, "starts");
        assert_int_equal(bins, window_buckets_of(s->c));
        settle(s, &s->sorted, s->starts.host + STARTS, bins, s->c->keyless ? 1 : 2);
        assert_same_words(&s->sorted, "sorted entries");
    }
    assert_same_words(from, "what was sorted");
}

static void check_pass(struct sort *s, uint32_t pass)
{
    pail_msm_sort_plan_push(&s->sort_plan, pass, s->c->n, STARTS, &s->push);
    struct buffer *from = &s->words[pass % 2];
    const uint32_t specs[PAIL_MAX_SPECS] = {s->sort_kernels->workgroup,
                                            (uint32_t)1 << s->sort_kernels->bits_max};
    const uint32_t groups =
        s->sort_kernels->serial ? groups_for(s->push.tiles, MSM_SORT_SERIAL) : s->push.tiles;
    if (pass) {
        run(s, PAIL_KERNEL_MSM_SORT_TILES, specs, s->c->windows, 1, 1,
            (struct buffer *[4]){&s->counts});
        pail_twin_sort_tiles(&s->push, s->c->windows, s->counts.host);
        assert_same_words(&s->counts, "tiles");
    }
    run(s, s->sort_kernels->serial ? PAIL_KERNEL_MSM_SORT_COUNT_SERIAL : PAIL_KERNEL_MSM_SORT_COUNT,
        s->sort_kernels->serial ? NULL : specs, groups, s->c->windows, 1,
        (struct buffer *[4]){from, &s->counts});
    pail_twin_sort_count(&s->push, s->c->windows, from->host, s->counts.host);
    assert_same_words(&s->counts, "counts");
    check_scan(s);
    check_scatter(s, pass, groups);
}

/* True where serial kernels may do all of it in one dispatch. */
static bool is_single(const struct sort *s)
{
    return s->sort_kernels->serial && s->sort_plan.passes == 1 && s->push.tiles == 1;
}

/* The same sort again by the kernel that does it alone. */
static void check_single(struct sort *s)
{
    struct buffer *const bindings[4] = {&s->words[0], &s->counts, &s->sorted, &s->starts};
    for (size_t i = 1; i < 4; i++) {
        memset(bindings[i]->host, 0xAA, 4 * bindings[i]->n);
        buffer_sync(bindings[i]);
    }
    run(s, PAIL_KERNEL_MSM_SORT_SINGLE_SERIAL, NULL, 1, s->c->windows, 1, bindings);
    pail_twin_of(PAIL_KERNEL_MSM_SORT_SINGLE_SERIAL)(&(const struct pail_twin_call){
        .push = &s->push,
        .grid = (const uint32_t[3]){1, s->c->windows, 1},
        .bound = {s->words[0].host, s->counts.host, s->sorted.host, s->starts.host},
    });
    memcpy(s->counts.host, s->counts.device, (size_t)4 * s->c->windows << s->push.bits);
    assert_same_words(&s->counts, "what is behind the counters");
    assert_same_words(&s->starts, "starts of a single dispatch");
    settle(s, &s->sorted, s->starts.host + STARTS, window_buckets_of(s->c), s->c->keyless ? 1 : 2);
    assert_same_words(&s->sorted, "entries of a single dispatch");
    assert_same_words(&s->words[0], "digits");
}

/* Returns whether it was checked by one dispatch as well. */
static bool check_sort(const struct vk_fixture *f, const struct sort_kernels *sort_kernels,
                       const struct sort_case *c, enum pattern pattern)
{
    struct sort s = {
        .f = f,
        .sort_kernels = sort_kernels,
        .c = c,
        .push = {.first_window = FIRST_WINDOW,
                 .vector_windows = VECTOR_WINDOWS,
                 .handle_stride = HANDLE_STRIDE,
                 .copy = c->copy,
                 .skip = c->skip,
                 .keyless = c->keyless},
    };
    /* Planned for a fuller run: this one must do with the same places. */
    const struct pail_msm_sort_kernels planned = {.bits_max = sort_kernels->bits_max,
                                                  .serial = sort_kernels->serial,
                                                  .workgroup = sort_kernels->workgroup,
                                                  .top_bits = sort_kernels->top_bits,
                                                  .subtile = sort_kernels->subtile,
                                                  .tiles = 1,
                                                  .subtiles = c->subtiles};
    pail_msm_plan_sort(&s.sort_plan, &planned, c->c - 1, c->n + c->n / 8, c->windows + 1);
    const size_t n = (size_t)c->windows * c->n;
    for (size_t i = 0; i < 2; i++)
        s.words[i] = buffer_make(n);
    s.counts = buffer_make(s.sort_plan.words);
    s.sorted = buffer_make((c->keyless ? 1 : 2) * n);
    s.starts = buffer_make(STARTS + (size_t)c->windows * (window_buckets_of(c) + 1));
    struct pail_rng rng;
    pail_rng_init(&rng, c->n + c->c);
    uint32_t *digits = malloc(4 * n);
    assert_non_null(digits);
    for (size_t i = 0; i < n; i++)
        digits[i] = key_of(pattern, i % c->n, c->n, window_buckets_of(c), &rng) |
                    (i % 3 ? 0 : MSM_HANDLE_SIGN);
    memcpy(s.words[0].host, digits, 4 * n);
    buffer_sync(&s.words[0]);
    for (uint32_t pass = 0; pass < s.sort_plan.passes; pass++)
        check_pass(&s, pass);
    assert_sorted(&s, digits);
    const bool single = is_single(&s);
    if (single) {
        check_single(&s);
        assert_sorted(&s, digits);
    }
    free(digits);
    buffer_free(&s.starts);
    buffer_free(&s.sorted);
    buffer_free(&s.counts);
    for (size_t i = 0; i < 2; i++)
        buffer_free(&s.words[i]);
    return single;
}

/* Half a million entries; other drivers have shown it. */
static bool has_epochs(const struct vk_fixture *f)
{
    return !is_slow(f) || test_long();
}

static void check_sorts(const struct vk_fixture *f, const struct sort_kernels *s, bool all_patterns)
{
    const uint32_t t = s->subtile;
    const struct sort_case cases[] = {
        {2, 1, 1, 1, 0, 0, false},          {2, t + 1, 3, 1, 0, 0, false},
        {4, 1000, 2, 2, 0, 0, false},       {5, t - 1, 2, 1, 0, 0, false},
        {8, 4 * t, 2, 2, 0, 0, false},      {9, 1023, 5, 4, 0, 0, false},
        {10, 2 * t + 3, 1, 1, 0, 0, false}, {13, 6 * t + 5, 3, 2, 0, 0, false},
        {16, 9 * t + 5, 1, 1, 0, 0, false}, {17, 127, 4, 4, 0, 0, false},
        {20, 3 * t + 5, 1, 1, 0, 0, false}, {9, 3 * (t + 7), 3, 1, t + 7, 1, false},
        {12, 5 * 61, 2, 2, 61, 300, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint32_t pattern = 0; pattern < PATTERN_COUNT; pattern++) {
            struct sort_case c = cases[i];
            c.keyless = (i + pattern) % 2;
            /* With windows of 20 bits there are thousands of groups; slow drivers have those of
             * 13 bits and more with two patterns. */
            const bool needed = pattern == SPREAD || (pattern == EXTREMES && c.c < 20);
            const bool quick = has_epochs(f) ? c.c < 20 : c.c < 13;
            if (needed || (all_patterns && quick))
                check_sort(f, s, &c, (enum pattern)pattern);
        }
}

/* Numbers of entries that are too long for a word beside their keys: two epochs, then three, of
 * which a part of a tile has two at most. */
static void check_epochs(const struct vk_fixture *f, struct sort_kernels s)
{
    static const struct sort_case c = {19, 530001, 1, 3, 0, 0, true};
    static const uint32_t shapes[][2] = {{6, 0}, {6, 2}, {5, 1}}; /* bits_max, top_bits */
    for (size_t i = 0; i < (s.serial ? 1 : sizeof(shapes) / sizeof(shapes[0])); i++) {
        s.bits_max = shapes[i][0];
        s.top_bits = shapes[i][1];
        check_sort(f, &s, &c, SPREAD);
    }
}

/* The widest windows in two passes, with as many bins as there can be. */
static void check_widest(const struct vk_fixture *f)
{
    static const struct sort_case c = {22, 30011, 1, 1, 0, 0, true};
    const struct sort_kernels s = {.workgroup = 32,
                                   .bits_max = MSM_SORT_BITS_MAX,
                                   .scatter_workgroup = 32,
                                   .items = 8,
                                   .subtile = 32 * 8,
                                   .top_bits = 2};
    check_sort(f, &s, &c, SPREAD);
}

/* Workgroups with fewer threads than bins and with more, and a room that a window fills often. */
void test_sort(void **state)
{
    static const struct {
        uint32_t workgroup, bits, scatter_workgroup, items, top_bits;
    } shapes[] = {{128, 8, 64, 8, 0}, {32, 10, 32, 18, 2}, {64, 7, 128, 1, 3}, {64, 9, 16, 4, 0}};
    /* A driver that interprets is asked with fewer threads than bins, and with more. */
    for (size_t i = 0; i < (has_epochs(*state) ? sizeof(shapes) / sizeof(shapes[0]) : 2); i++) {
        const struct sort_kernels s = {
            .workgroup = shapes[i].workgroup,
            .bits_max = shapes[i].bits,
            .scatter_workgroup = shapes[i].scatter_workgroup,
            .items = shapes[i].items,
            .subtile = shapes[i].scatter_workgroup * shapes[i].items,
            .top_bits = shapes[i].top_bits,
        };
        check_sorts(*state, &s, i == 0);
        if (i == 1 && has_epochs(*state))
            check_epochs(*state, s);
    }
    check_widest(*state);
}

void test_sort_serial(void **state)
{
    struct sort_kernels s = {
        .serial = true, .workgroup = 128, .bits_max = MSM_SORT_BITS_SERIAL, .subtile = 64};
    static const struct sort_case single[] = {
        {2, 1, 1, 1, 0, 0, false},  {13, 200, 7, 4, 0, 0, false},  {13, 200, 7, 4, 0, 0, true},
        {9, 60, 5, 1, 20, 7, true}, {10, 256, 40, 4, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
        for (uint32_t pattern = 0; pattern < PATTERN_COUNT; pattern++)
            assert_true(check_sort(*state, &s, &single[i], (enum pattern)pattern));
    check_sorts(*state, &s, false);
    s.bits_max = 8;
    check_sorts(*state, &s, true);
    if (has_epochs(*state))
        check_epochs(*state, s);
}

/* More tiles than a sort of so many points would have. */
void test_sort_scan(void **state)
{
    static const uint32_t cases[][3] = {{1, 1, 32},   {7, 3, 128},  {255, 3, 64}, {256, 5, 128},
                                        {257, 6, 32}, {50, 8, 128}, {33, 10, 64}};
    struct pail_rng rng;
    pail_rng_init(&rng, 3);
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t *c = cases[i / 2];
        const struct sort_kernels sort_kernels = {.serial = i % 2, .workgroup = c[2]};
        const struct sort_case windows = {.windows = 3};
        struct sort s = {.f = *state,
                         .sort_kernels = &sort_kernels,
                         .c = &windows,
                         .push = {.first_pass = 1,
                                  .tiles = c[0],
                                  .bits = c[1],
                                  .span = 1,
                                  .columns = i / 2 % 2 ? 2 * MSM_SCAN_COLUMNS : MSM_SCAN_COLUMNS,
                                  .epochs = 1,
                                  .groups = 1}};
        s.push.totals = (windows.windows * s.push.tiles << s.push.bits) + 3;
        s.counts = buffer_make(s.push.totals + ((size_t)windows.windows << s.push.bits));
        for (size_t k = 0; k < s.push.totals; k++)
            s.counts.host[k] = (uint32_t)pail_rng_below(&rng, 10000);
        buffer_sync(&s.counts);
        check_scan(&s);
        buffer_free(&s.counts);
    }
}
