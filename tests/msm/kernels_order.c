/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in order of their length, with one place for a piece of a bucket as
 * msm/accumulate/xyzz_serial takes them, and with two as msm/accumulate/xyzz_runs does. */
#include "kernels_shares.h"

#include <stdlib.h>
#include <string.h>

static int by_first(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (x[MSM_RUN_FIRST] > y[MSM_RUN_FIRST]) - (x[MSM_RUN_FIRST] < y[MSM_RUN_FIRST]);
}

static uint32_t *copy_runs(const struct msm_order_push *push, const uint32_t *index, uint32_t n)
{
    const size_t bytes = (size_t)4 * MSM_RUN_WORDS * n;
    uint32_t *runs = malloc(bytes + 4);
    assert_non_null(runs);
    memcpy(runs, index + push->runs, bytes);
    return runs;
}

/* Runs of one length are those of the twin, in any order, and as many of them are pieces. */
static void assert_same_runs(const struct msm_order_push *push, const uint32_t *got,
                             const uint32_t *want)
{
    const uint32_t n = want[push->counts + MSM_ORDER_RUNS];
    uint32_t *a = copy_runs(push, got, n), *b = copy_runs(push, want, n);
    uint32_t begin = 0;
    for (uint32_t bin = 0; bin < MSM_ORDER_BINS; bin++) { /* counters have gone to the ends */
        const uint32_t end = want[push->counts + bin];
        qsort(a + MSM_RUN_WORDS * (size_t)begin, end - begin, 4 * MSM_RUN_WORDS, by_first);
        qsort(b + MSM_RUN_WORDS * (size_t)begin, end - begin, 4 * MSM_RUN_WORDS, by_first);
        begin = end;
    }
    assert_int_equal(begin, n);
    for (size_t i = 0; i < (size_t)MSM_RUN_WORDS * n; i += MSM_RUN_WORDS) {
        assert_int_equal(a[i + MSM_RUN_FIRST], b[i + MSM_RUN_FIRST]);
        assert_int_equal(a[i + MSM_RUN_COUNT], b[i + MSM_RUN_COUNT]);
        assert_int_equal(a[i + MSM_RUN_BUCKET], b[i + MSM_RUN_BUCKET]);
        assert_int_equal(a[i + MSM_RUN_PIECE] == MSM_KEY_NONE,
                         b[i + MSM_RUN_PIECE] == MSM_KEY_NONE);
    }
    free(a);
    free(b);
}

/* Words of `keys`. */
static uint32_t n_keys(const struct msm_order_push *push)
{
    return push->places_first + push->places * 2 * push->threads;
}

/* Every piece has places of its own under its bucket, behind those of the piece before it. */
static void assert_pieces(const struct msm_order_push *push, const uint32_t *index)
{
    const uint32_t n = index[push->counts + MSM_ORDER_PIECES], places = push->places;
    const uint32_t *keys = index + push->keys + push->places_first;
    assert_true(n <= 2 * push->threads);
    const uint32_t **at = calloc((size_t)n + 1, sizeof(*at));
    assert_non_null(at);
    for (uint32_t i = 0; i < index[push->counts + MSM_ORDER_RUNS]; i++) {
        const uint32_t *run = index + push->runs + MSM_RUN_WORDS * (size_t)i;
        const uint32_t piece = run[MSM_RUN_PIECE];
        if (piece == MSM_KEY_NONE)
            continue;
        assert_true(piece < n && !at[piece]);
        for (uint32_t k = 0; k < places; k++)
            assert_int_equal(keys[places * piece + k], run[MSM_RUN_BUCKET]);
        at[piece] = run;
    }
    for (uint32_t i = 1; i < n; i++)
        if (keys[places * i] == keys[places * (i - 1)])
            assert_int_equal(at[i][MSM_RUN_FIRST],
                             at[i - 1][MSM_RUN_FIRST] + at[i - 1][MSM_RUN_COUNT]);
    for (uint32_t i = places * n; i < places * 2 * push->threads; i++)
        assert_int_equal(keys[i], MSM_KEY_NONE);
    for (uint32_t i = 0; i < push->places_first; i++)
        assert_int_equal(index[push->keys + i], MSM_KEY_NONE);
    free(at);
}

void check_order(const struct vk_fixture *f, const struct msm_order_push *push,
                 struct buffer *index)
{
    const uint32_t groups =
        groups_for(push->windows * push->window_buckets, MSM_ORDER_WORKGROUP * MSM_ORDER_BUCKETS);
    struct kernel_call call = {
        .id = PAIL_KERNEL_MSM_ORDER_COUNT,
        .push = push,
        .gx = groups / 2 + 1, /* more than needed */
        .gy = 2,
        .bindings = {index},
    };
    memset(index->host + push->counts, 0, 4 * MSM_ORDER_COUNTS);
    memset(index->host + push->keys, 0xff, 4 * (size_t)n_keys(push));
    buffer_sync(index);
    kernel_run(f, &call);
    pail_twin_order_count(push, index->host);
    assert_same_words(index, "counts of runs");
    call.id = PAIL_KERNEL_MSM_ORDER_SCAN;
    call.gx = call.gy = 1;
    kernel_run(f, &call);
    pail_twin_order_scan(push, index->host);
    assert_same_words(index, "first runs");
    call.id = PAIL_KERNEL_MSM_ORDER_PLACE;
    call.gx = groups / 2 + 1;
    call.gy = 2;
    kernel_run(f, &call);
    pail_twin_order_place(push, index->host);
    assert_same_runs(push, index->device, index->host);
    assert_pieces(push, index->device);
    const uint32_t n = index->host[push->counts + MSM_ORDER_RUNS];
    memcpy(index->host + push->runs, index->device + push->runs, (size_t)4 * MSM_RUN_WORDS * n);
    memcpy(index->host + push->keys, index->device + push->keys, 4 * (size_t)n_keys(push));
    assert_same_words(index, "runs");
}

/* Lengths that are exact, and lengths that are not; what a thread's share is, and one more. */
static uint32_t length(struct pail_rng *rng, uint32_t share)
{
    switch (pail_rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return share + (uint32_t)pail_rng_below(rng, 2);
    case 2:
        return (uint32_t)1 << pail_rng_below(rng, 18);
    case 3:
        return ((uint32_t)1 << pail_rng_below(rng, 18)) - 1;
    default:
        return (uint32_t)pail_rng_below(rng, 40);
    }
}

static void check_lengths(const struct vk_fixture *f, struct msm_order_push push, uint64_t seed)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    push.starts = 2;
    push.window_offsets = push.starts + push.windows * (push.window_buckets + 1) + 1;
    push.counts = push.window_offsets + push.windows + 2;
    push.keys = push.counts + MSM_ORDER_COUNTS + 1;
    push.runs = push.keys + n_keys(&push) + 1;
    const uint64_t runs = (uint64_t)push.windows * push.window_buckets + 2 * push.threads;
    struct buffer index = buffer_make(push.runs + MSM_RUN_WORDS * runs);
    uint32_t *starts = index.host + push.starts;
    for (uint32_t window = 0; window < push.windows; window++) {
        uint32_t at = 0;
        for (uint32_t key = 0; key <= push.window_buckets; key++) {
            *starts++ = at;
            at += key < push.window_buckets ? length(&rng, push.share) : 0;
        }
        push.n = push.n < at ? at : push.n;
    }
    const struct msm_windows_push windows = {push.windows, push.window_buckets, push.starts,
                                             push.window_offsets};
    pail_twin_order_windows(&windows, index.host);
    check_order(f, &push, &index);
    /* Longer ones first, as far as lengths are told apart: long ones to a part in 2^MSM_ORDER_TOP.
     */
    const uint32_t *run = index.device + push.runs;
    for (uint32_t i = 1; i < index.device[push.counts + MSM_ORDER_RUNS]; i++) {
        const uint32_t before = run[MSM_RUN_COUNT], count = run[MSM_RUN_WORDS + MSM_RUN_COUNT];
        const uint32_t inexact = before >> MSM_ORDER_EXACT ? before >> MSM_ORDER_TOP : 0;
        assert_true(count <= before + inexact);
        run += MSM_RUN_WORDS;
    }
    buffer_free(&index);
}

void test_order(void **state)
{
    const struct vk_fixture *f = *state;
    static const struct msm_order_push cases[] = {
        {.windows = 1, .window_buckets = 1, .threads = 1, .share = 8},
        {.windows = 1, .window_buckets = 16, .threads = 7, .share = 1},
        {.windows = 3, .window_buckets = 64, .threads = 64, .share = 8},
        {.windows = 5, .window_buckets = 128, .threads = 1, .share = 8},
        {.windows = 2, .window_buckets = 256, .threads = 1000, .share = 300},
        {.windows = 300, .window_buckets = 2, .threads = 300, .share = 8},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            for (uint32_t tasks = 0; tasks < 2; tasks++) {
                struct msm_order_push push = cases[i];
                push.places_first = tasks ? 2 * push.threads : 0;
                push.places = tasks ? MSM_TASK_PLACES : 1;
                check_lengths(f, push, seed);
            }
}
