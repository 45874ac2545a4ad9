/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions on a device that end before all cells were looked at: an error decides, or the caller
 * wants no more. On a device that nothing watches over, too. */
#include <pthread.h>
#include <stdatomic.h>

#include <platform/clock.h>

#include "gpu_support.h"

#include <adstack/watch.h>

#include "support/test.h"

/* Cells that no device gets through in GUARD_MS, and those that a program on two cores takes some 5
 * seconds for. A kernel of its own is faster, and so has more of them. */
#define NO_END INT64_C(4000000000)
#define LONG   (INT64_C(1) << 28)

/* The promise is 200 ms. Other programs may be there. */
enum { LATE_MS = 1200, GUARD_MS = 60000, TRIES = 3 };

/* Everything on one processor or two is slow at times, and not three times in a row. */
static double least(double a, double b)
{
    return a < b ? a : b;
}

static double run_ms(struct ad_fixture *f, struct ad_launch *l, pail_status *status)
{
    l->work.flags = f->flags;
    memset(l->values.known, 0, l->program->n_slots);
    const double begin = pail_now_ms();
    *status = f->device->run(f->device->user, &l->work, ERR);
    return pail_now_ms() - begin;
}

/* ---- Errors that decide ---------------------------------------------------------------------- */
enum { M = 4, A = 70001 };

/* Sources: n, m with M elements, a with A; none of them has an element that is 0. */
static const struct decided {
    const char *what, *tree;
    int64_t n[2];
    enum pail_ad_error_kind kind;
} decided[] = {
    {"the first cells", "(sum_over i 0 4000000000 (read:i32 1 (sub 10 i)))", {1, 1}, PAIL_AD_RANGE},
    {"every cell", "(max_over i 4 268435460 (read:i32 1 i))", {1, 1}, PAIL_AD_RANGE},
    {"a range that the device reads",
     "(sum_over i 0 (read:i64 0 0) (read:i32 1 (sub 10 i)))",
     {NO_END, 1},
     PAIL_AD_RANGE},
    {"a range that the device reduces",
     "(sum_over i 4 (max_over j 0 2 (read:i64 0 j)) (read:i32 1 i))",
     {LONG, 3},
     PAIL_AD_RANGE},
    {"a division", "(sum_over i 0 4000000000 (mod 7 i))", {1, 1}, PAIL_AD_DIVISION},
    {"a loop in one cell",
     "(max_over i 0 2 (add 1 (sum_over j 0 (read:i64 0 i) (read:i32 1 (sub 10 j)))))",
     {NO_END, 3},
     PAIL_AD_RANGE},
};

/* Lesser errors are possible: all cells have to be looked at, and the last one has it. */
static const struct decided undecided[] = {
    {"the last cell", "(sum_over i 0 70002 (read:i32 2 i))", {1, 1}, PAIL_AD_RANGE},
    {"a lesser error in the last cell",
     "(sum_over i 0 70002 (add (read:i32 2 i) (read:i32 1 (sub 10 i))))",
     {1, 1},
     PAIL_AD_RANGE},
    {"a greater error in the last cell",
     "(sum_over i 0 70002 (add (read:i32 1 (sub 10 i)) (read:i32 2 i)))",
     {1, 1},
     PAIL_AD_RANGE},
    {"an arm that is not taken",
     "(sum_over i 0 70002 (select i (read:i32 2 (sub i 1)) (read:i32 1 9)))",
     {1, 1},
     PAIL_AD_RANGE},
};

static void make(struct ad_launch *l, const struct decided *row)
{
    static const int64_t shapes[] = {2, M, A};
    static int32_t m[M] = {1, 2, 3, 4}, a[A];
    struct nodes t = {0};
    for (int32_t i = 0; i < A; i++)
        a[i] = i % 100 + 1;
    const pail_binding b[] = {
        ad_binding(0, PAIL_DTYPE_I64, 1, &shapes[0], row->n, sizeof(row->n)),
        ad_binding(1, PAIL_DTYPE_I32, 1, &shapes[1], m, sizeof(m)),
        ad_binding(2, PAIL_DTYPE_I32, 1, &shapes[2], a, sizeof(a)),
    };
    (void)nodes_text(&t, row->tree, NULL);
    ad_launch_make(l, &t, 1, b, 3);
}

static void expect_error(struct ad_launch *l, const struct decided *row)
{
    const struct pail_ad_value want = ad_host_value(l, 0);
    assert_int_equal(PAIL_AD_ERROR_KIND(want.error), row->kind);
    if (l->values.known[l->roots[0]]) /* else the host would compute it */
        assert_int_equal(l->values.value[l->roots[0]].error, want.error);
    else
        assert_int_equal(l->work.n_given_back, 1);
}

PAIL_TEST_OF(an_error_decides, struct ad_fixture *f)
{
    for (size_t i = 0; i < sizeof(decided) / sizeof(decided[0]); i++) {
        struct ad_launch l;
        pail_status status;
        make(&l, &decided[i]);
        double ms = run_ms(f, &l, &status); /* drivers compile at the first time */
        for (int k = 0; k < TRIES && (k == 0 || ms > LATE_MS); k++) {
            ms = least(ms, run_ms(f, &l, &status));
            ASSERT_OK(status);
            expect_error(&l, &decided[i]);
        }
        if (ms > LATE_MS)
            fail_msg("%s: %.0f ms", decided[i].what, ms);
        ad_launch_free(&l);
    }
}

PAIL_TEST_OF(a_lesser_error_is_possible, struct ad_fixture *f)
{
    for (size_t i = 0; i < sizeof(undecided) / sizeof(undecided[0]); i++) {
        struct ad_launch l;
        pail_status status;
        make(&l, &undecided[i]);
        (void)run_ms(f, &l, &status);
        ASSERT_OK(status);
        expect_error(&l, &undecided[i]);
        ad_launch_free(&l);
    }
}

/* ---- Callers --------------------------------------------------------------------------------- */
static atomic_bool busy;
static uint32_t cancelled;

static void *compute(void *unused)
{
    (void)unused;
    while (atomic_load(&busy))
        ;
    return NULL;
}

static void *cancel_soon(void *unused)
{
    const struct timespec soon = {.tv_nsec = 100000000};
    (void)unused;
    nanosleep(&soon, NULL);
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Cells with a division each, beside threads that compute: a sum that nothing decides. */
static void make_long(struct ad_launch *l, const struct ad_fixture *f)
{
    struct nodes t = {0};
    const int64_t cells = f->flags & PAIL_LAUNCH_SPECIALISE ? 16 * LONG : LONG / 4;
    const int32_t zero = nodes_const(&t, 0), end = nodes_const(&t, cells);
    NODES(&t, "(sum_over i @ @ (mod (mul i 31) 7))", zero, end);
    ad_launch_make(l, &t, 1, NULL, 0);
}

/* Milliseconds until the caller has its end. */
static double end_ms(struct ad_fixture *f, struct ad_launch *l, uint32_t max_ms)
{
    struct pail_ad_watch watch;
    pthread_t thread;
    pail_status status;
    unsigned long long cells = 0;
    cancelled = 0;
    pail_ad_watch_begin(&watch, 0, max_ms, max_ms ? NULL : &cancelled);
    l->values.watch = &watch;
    if (!max_ms)
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    const double ms = run_ms(f, l, &status);
    if (!max_ms)
        pthread_join(thread, NULL);
    l->values.watch = NULL;
    if (status == PAIL_OK && f->dev->caps.type != VK_PHYSICAL_DEVICE_TYPE_CPU)
        return 0; /* a GPU that is done before */
    assert_int_equal(status, PAIL_ERR_STOPPED);
    const char *after = strstr(vk_error.text, "after ");
    assert_non_null(strstr(vk_error.text, max_ms ? "in the 300 ms of max_ms" : "cancelled"));
    assert_true(after && sscanf(after, "after %llu cells", &cells) == 1);
    assert_in_range(cells, 1, 16 * LONG);
    assert_int_equal(cells, watch.cells);
    assert_int_equal(l->values.known[l->roots[0]], 0);
    return ms;
}

PAIL_TEST_OF(a_caller_wants_an_end, struct ad_fixture *f)
{
    pthread_t threads[4];
    struct ad_launch l;
    make_long(&l, f);
    (void)end_ms(f, &l, 300); /* compiles */
    atomic_store(&busy, true);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compute, NULL), 0);
    for (uint32_t max_ms = 0; max_ms <= 300; max_ms += 300) {
        double ms = GUARD_MS;
        for (int k = 0; k < TRIES && ms > LATE_MS; k++)
            ms = least(ms, end_ms(f, &l, max_ms));
        print_message("%s after %.0f ms\n", max_ms ? "max_ms of 300" : "cancelled at 100", ms);
        if (ms > LATE_MS)
            fail_msg("%s: %.0f ms", max_ms ? "max_ms" : "cancel", ms);
    }
    atomic_store(&busy, false);
    for (uint32_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ad_launch_free(&l);
}

/* Submissions of levels one behind the other, whose cells take a small part of what is estimated:
 * their loops may be long, and are not. */
static uint64_t submissions_of(struct ad_fixture *f, uint32_t n_levels)
{
    enum { CELLS = 4000 };
    struct nodes t = {0};
    struct ad_launch l;
    struct pail_ad_watch watch;
    int32_t before = nodes_const(&t, 1);
    uint64_t least_of_all = UINT64_MAX;
    for (uint32_t level = 0; level < n_levels; level++)
        before = NODES(&t,
                       "(sum_over i 0 (add 4000 (min @ 1)) (add 1 "
                       "(sum_over j 0 (mod i 2) (sum_over k 0 (mod j 2) (mod k 3)))))",
                       before);
    ad_launch_make(&l, &t, 1, NULL, 0);
    for (int k = 0; k < TRIES; k++) {
        pail_status status;
        pail_ad_watch_begin(&watch, 0, GUARD_MS, NULL);
        l.values.watch = &watch;
        (void)run_ms(f, &l, &status);
        ASSERT_OK(status);
        assert_in_range(ad_value(&l, 0), CELLS, 2 * CELLS);
        least_of_all = l.work.submissions < least_of_all ? l.work.submissions : least_of_all;
    }
    ad_launch_free(&l);
    return least_of_all;
}

/* The time of a portion tells how long the next ones may be, of late levels as of early ones. */
PAIL_TEST_OF(late_levels_are_seen, struct ad_fixture *f)
{
    enum { EARLY = 12, LATE = 24 };
    if (f->dev->caps.type != VK_PHYSICAL_DEVICE_TYPE_CPU)
        SKIP_BECAUSE("the pace of a GPU is known");
    const uint64_t early = submissions_of(f, EARLY), all = submissions_of(f, LATE);
    print_message("%u submissions of %d levels, %u of %d\n", (unsigned)early, EARLY, (unsigned)all,
                  LATE);
    assert_true(2 * all <= 5 * early); /* twice as many levels */
}

/* Contents are copied in parts, and the first part is copied before anything is submitted. */
PAIL_TEST_OF(a_caller_wants_no_copies, struct ad_fixture *f)
{
    enum { BYTES = 80 << 20 };
    uint8_t *a = calloc(BYTES, 1);
    const int64_t shape = BYTES, index = VARIABLE_INDEX(0);
    struct nodes t = {0};
    struct ad_launch l;
    struct pail_ad_watch watch;
    pail_status status;
    assert_non_null(a);
    a[BYTES - 1] = 17;
    const pail_binding b = ad_binding(0, PAIL_DTYPE_U8, 1, &shape, a, BYTES);
    NODES(&t, "(max_over i 83886000 (shape 0 0) (read:u8 0 %))", index);
    ad_launch_make(&l, &t, 1, &b, 1);
    l.values.watch = &watch;
    cancelled = 1;
    pail_ad_watch_begin(&watch, 0, 0, &cancelled);
    (void)run_ms(f, &l, &status);
    assert_int_equal(status, PAIL_ERR_STOPPED);
    assert_int_equal(l.work.submissions, 0);
    cancelled = 0;
    pail_ad_watch_begin(&watch, 0, GUARD_MS, &cancelled);
    (void)run_ms(f, &l, &status);
    ASSERT_OK(status);
    assert_int_equal(ad_value(&l, 0), 17);
    assert_int_equal(l.work.submissions, 3);
    assert_int_equal(watch.cells, 80);
    ad_launch_free(&l);
    free(a);
}

PAIL_TEST_MAIN
{
    return ad_run_all_groups();
}
