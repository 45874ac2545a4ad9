/* Sorting, pass by pass, by each kernel that can do a step: all results are exact words. */
#include "kernels_keys.h"

#include <stdlib.h>
#include <string.h>

/* Keys run from 0 to stride, which stands for the digit zero. */
uint32_t key_of(enum pattern pattern, uint64_t i, uint64_t n, uint32_t stride, struct pail_rng *rng)
{
    switch (pattern) {
    case EQUAL:
        return stride / 2;
    case ZEROS:
        return stride;
    case SORTED:
        return (uint32_t)(i * ((uint64_t)stride + 1) / n);
    case REVERSED:
        return (uint32_t)((n - 1 - i) * ((uint64_t)stride + 1) / n);
    case EXTREMES: {
        const uint32_t keys[] = {0, stride - 1, stride};
        return keys[pail_rng_below(rng, 3)];
    }
    case SPREAD:
    case PATTERN_COUNT:
        break;
    }
    return (uint32_t)pail_rng_below(rng, (uint64_t)stride + 1);
}

/* One kernel for each step, and how it is specialised. */
struct sorter {
    enum pail_kernel_id count, scatter;
    uint32_t workgroup; /* of counting and of the scan */
    uint32_t bits_max, subtile;
    uint32_t specs[PAIL_MAX_SPECS]; /* of scattering; 0: defaults */
    bool serial;
};

struct sort_case {
    uint32_t c, n, rows;
    uint32_t subtiles; /* of a tile */
    /* Where bases have copies: entries of each, and handles that are passed over between them. */
    uint32_t copy, skip;
};

/* Rows of several vectors, the first of them not from its beginning. */
enum { WINDOWS = 2, FIRST_ROW = 1, HANDLE_STRIDE = 100003 };

static uint32_t handle_of(uint32_t row, uint32_t i)
{
    return (FIRST_ROW + row) / WINDOWS * HANDLE_STRIDE + i;
}

/* Stable: equal keys keep their order, and handles grow. */
static void assert_sorted(const uint32_t *sorted, const uint32_t *digits, const struct sort_case *c)
{
    const uint32_t n = c->n, copy = c->skip ? c->copy : n;
    for (uint32_t row = 0; row < c->rows; row++)
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t *entry = sorted + 2 * ((size_t)row * n + k);
            const uint32_t h = (entry[1] & ~MSM_HANDLE_SIGN) - handle_of(row, 0);
            assert_true(h % (copy + c->skip) < copy);
            const uint32_t i = h / (copy + c->skip) * copy + h % (copy + c->skip);
            assert_in_range(i, 0, n - 1);
            const uint32_t digit = digits[(size_t)row * n + i];
            assert_int_equal(entry[0], digit & ~MSM_HANDLE_SIGN);
            assert_int_equal(entry[1] & MSM_HANDLE_SIGN, digit & MSM_HANDLE_SIGN);
            assert_true(k == 0 || entry[-2] < entry[0] ||
                        (entry[-2] == entry[0] &&
                         (entry[-1] & ~MSM_HANDLE_SIGN) < (entry[1] & ~MSM_HANDLE_SIGN)));
        }
}

static void scan(const struct vk_fixture *f, const struct msm_sort_push *push, uint32_t rows,
                 uint32_t workgroup, struct buffer *counts)
{
    const struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_SORT_SCAN,
        .workgroup = workgroup,
        .push = push,
        .gx = groups_for((uint64_t)1 << push->bits, MSM_SCAN_COLUMNS),
        .gy = rows,
        .bindings = {counts},
    };
    kernel_run(f, &call);
    pail_twin_sort_scan(push, rows, counts->host);
    assert_same_words(counts, "scanned counts");
}

static void pass(const struct vk_fixture *f, const struct sorter *s,
                 const struct msm_sort_push *push, uint32_t rows, struct buffer *from,
                 struct buffer *counts, struct buffer *to)
{
    const uint32_t count_specs[PAIL_MAX_SPECS] = {s->workgroup, (uint32_t)1 << s->bits_max};
    const uint32_t groups = s->serial ? groups_for(push->tiles, MSM_SORT_SERIAL) : push->tiles;
    struct kernel_call call = {
        .id = s->count,
        .specs = s->serial ? NULL : count_specs,
        .push = push,
        .gx = groups,
        .gy = rows,
        .bindings = {from, counts},
    };
    kernel_run(f, &call);
    pail_twin_sort_count(push, rows, from->host, counts->host);
    assert_same_words(counts, "counts");
    scan(f, push, rows, s->workgroup, counts);
    call.id = s->scatter;
    call.specs = s->specs[0] ? s->specs : NULL;
    call.bindings[1] = from;
    call.bindings[2] = counts;
    call.bindings[3] = to;
    kernel_run(f, &call);
    pail_twin_sort_scatter(push, rows, from->host, from->host, counts->host, to->host);
    if (!s->serial)
        assert_same_words(counts, "counts after scattering");
    assert_same_words(from, "entries after scattering");
    assert_same_words(to, "sorted entries");
}

static void check_sort(const struct vk_fixture *f, const struct sorter *s,
                       const struct sort_case *c, enum pattern pattern)
{
    const uint32_t passes = (c->c + s->bits_max - 1) / s->bits_max;
    const uint32_t tile = c->subtiles * s->subtile, tiles = groups_for(c->n, tile);
    struct msm_sort_push push = {
        .n = c->n,
        .bits = (c->c + passes - 1) / passes,
        .tile = tile,
        .tiles = tiles,
        .first_pass = 1,
        .first_row = FIRST_ROW,
        .windows = WINDOWS,
        .handle_stride = HANDLE_STRIDE,
        .copy = c->copy,
        .skip = c->skip,
    };
    /* Room for a fuller run in front of the totals: nobody may touch it. */
    push.totals = (c->rows * tiles << push.bits) + 7;
    struct buffer a = buffer_make(2 * (size_t)c->rows * c->n), b = buffer_make(a.n);
    struct buffer *from = &a, *to = &b;
    struct buffer counts = buffer_make(push.totals + ((size_t)c->rows << push.bits));
    struct buffer digits = buffer_make((size_t)c->rows * c->n);
    struct pail_rng rng;
    pail_rng_init(&rng, c->n + c->c);
    for (size_t i = 0; i < digits.n; i++)
        digits.host[i] = key_of(pattern, i % c->n, c->n, (uint32_t)1 << (c->c - 1), &rng) |
                         (i % 3 ? 0 : MSM_HANDLE_SIGN);
    memcpy(a.host, digits.host, 4 * digits.n);
    buffer_sync(&a);
    for (; push.shift < c->c; push.shift += push.bits) {
        pass(f, s, &push, c->rows, from, &counts, to);
        push.first_pass = 0;
        struct buffer *swap = from;
        from = to;
        to = swap;
    }
    assert_sorted(from->device, digits.host, c);
    buffer_free(&digits);
    buffer_free(&counts);
    buffer_free(&b);
    buffer_free(&a);
}

static void check_sorts(const struct vk_fixture *f, const struct sorter *s)
{
    const uint32_t t = s->subtile;
    const struct sort_case cases[] = {
        {2, 1, 1, 1, 0, 0},          {2, t + 1, 3, 1, 0, 0},      {4, 1000, 2, 2, 0, 0},
        {5, t - 1, 2, 1, 0, 0},      {8, 4 * t, 2, 2, 0, 0},      {9, 1023, 5, 4, 0, 0},
        {10, 2 * t + 3, 1, 1, 0, 0}, {13, 6 * t + 5, 3, 2, 0, 0}, {16, 9 * t + 5, 1, 1, 0, 0},
        {17, 127, 4, 4, 0, 0},       {22, 3 * t + 5, 1, 1, 0, 0}, {9, 3 * (t + 7), 3, 1, t + 7, 1},
        {12, 5 * 61, 2, 2, 61, 300},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint32_t pattern = 0; pattern < PATTERN_COUNT; pattern++)
            check_sort(f, s, &cases[i], (enum pattern)pattern);
}

void test_sort(void **state)
{
    const struct sorter sorters[] = {
        {PAIL_KERNEL_MSM_SORT_COUNT,
         PAIL_KERNEL_MSM_SORT_SCATTER,
         128,
         8,
         MSM_SORT_SUBTILE,
         {0},
         false},
        {PAIL_KERNEL_MSM_SORT_COUNT,
         PAIL_KERNEL_MSM_SORT_SCATTER,
         32,
         7,
         MSM_SORT_SUBTILE,
         {64},
         false},
    };
    for (size_t i = 0; i < sizeof(sorters) / sizeof(sorters[0]); i++)
        check_sorts(*state, &sorters[i]);
}

/* Digits in one round, and in several where there is little room for counters; subgroups of a size
 * that the kernel finds out, or is told where the device keeps to it. */
void test_sort_subgroup(void **state)
{
    const struct vk_fixture *f = *state;
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    if (!pail_vk_caps_exchange(caps)) {
        print_message("this device has no shuffles within a subgroup\n");
        skip();
    }
    static const struct {
        uint32_t workgroup, bits, items;
        bool told;
    } shapes[] = {{64, 8, 8, false},  {32, 10, 16, false}, {128, 5, 1, false},
                  {16, 10, 2, false}, {64, 9, 16, true},   {32, 10, 4, true}};
    const uint32_t found = caps->subgroup_size > 32 ? PAIL_LANES_MANY : PAIL_LANES_FEW;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct sorter s = {
            .count = PAIL_KERNEL_MSM_SORT_COUNT,
            .scatter = PAIL_KERNEL_MSM_SORT_SCATTER_SUBGROUP,
            .workgroup = 64,
            .bits_max = shapes[i].bits,
            .subtile = shapes[i].workgroup * shapes[i].items,
            .specs = {shapes[i].workgroup, (uint32_t)1 << shapes[i].bits, shapes[i].items,
                      shapes[i].told ? caps->subgroup_size : found},
        };
        if (shapes[i].told && !caps->full_subgroups)
            print_message("no size of subgroups is certain: shape %zu is left out\n", i);
        else if (shapes[i].workgroup >= caps->subgroup_size)
            check_sorts(f, &s);
    }
}

void test_sort_serial(void **state)
{
    const struct sorter s = {
        .count = PAIL_KERNEL_MSM_SORT_COUNT_SERIAL,
        .scatter = PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL,
        .workgroup = 128,
        .bits_max = 8,
        .subtile = 64,
        .serial = true,
    };
    check_sorts(*state, &s);
}

/* More tiles than a sort of so many points would have. */
void test_sort_scan(void **state)
{
    const struct vk_fixture *f = *state;
    static const uint32_t cases[][3] = {{1, 1, 32},   {7, 3, 128},  {255, 3, 64}, {256, 5, 128},
                                        {257, 6, 32}, {50, 8, 128}, {33, 10, 64}};
    struct pail_rng rng;
    pail_rng_init(&rng, 3);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t rows = 3;
        struct msm_sort_push push = {.tiles = cases[i][0], .bits = cases[i][1]};
        push.totals = (rows * push.tiles << push.bits) + 3;
        struct buffer counts = buffer_make(push.totals + ((size_t)rows << push.bits));
        for (size_t k = 0; k < push.totals; k++)
            counts.host[k] = (uint32_t)pail_rng_below(&rng, 10000);
        buffer_sync(&counts);
        scan(f, &push, rows, cases[i][2], &counts);
        buffer_free(&counts);
    }
}
