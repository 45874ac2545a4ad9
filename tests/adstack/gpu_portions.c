/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions in portions: no submission takes longer than it may by the device's pace, results are
 * those of the host, and between two of them an evaluation can end or fail. */
#include "gpu_support.h"

#include <adstack/gpu_priv.h>
#include <adstack/watch.h>

#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define SUM_OVER PAIL_NODE_SUM_OVER_RANGE

/* Nanoseconds of a unit of work: two cores that interpret take about so long. */
#define SLOW_NS 40.0

static int setup(void **state)
{
    const int result = ad_setup(state);
    ad_force_pace(*state, SLOW_NS);
    return result;
}

static int setup_pairs(void **state)
{
    const int result = ad_setup_pairs(state);
    ad_force_pace(*state, SLOW_NS);
    return result;
}

static int setup_specialised(void **state)
{
    const int result = ad_setup_specialised(state);
    ad_force_pace(*state, SLOW_NS);
    return result;
}

/* At a lower pace a round of one workgroup takes too long already. */
#define LEAST_CUT_NS 5000.0

static void run_unchecked(struct ad_fixture *f, struct ad_launch *l, double ns)
{
    f->dev->pace.assumed_ns[PAIL_VK_CELLS] = ns;
    l->work.flags = f->flags;
    memset(l->values.known, 0, l->program->n_slots);
    ASSERT_OK(f->device->run(f->device->user, &l->work, ERR));
    f->dev->pace.assumed_ns[PAIL_VK_CELLS] = SLOW_NS;
}

/* Runs at a pace. Returns the submissions. */
static uint64_t run_at(struct ad_fixture *f, struct ad_launch *l, double ns)
{
    run_unchecked(f, l, ns);
    assert_int_equal(l->work.waits, l->work.submissions);
    if (f->dev->pace.limits && ns < LEAST_CUT_NS) {
        assert_in_range(l->work.expected_ns, 1, 200000000);
        assert_in_range(l->work.expected_dispatch_ns, 1, 100000000);
    }
    return l->work.submissions;
}

static void expect_host(const struct ad_launch *l, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_ad_value want = ad_host_value(l, i);
        const struct pail_ad_value got = l->values.value[l->roots[i]];
        assert_int_equal(l->values.known[l->roots[i]], 1);
        assert_int_equal(got.v, want.v);
        assert_int_equal(got.error, want.error);
    }
}

/* source[index] plus index times number, over the whole first axis of the source. */
static void over_source(struct nodes *t, pail_node_kind kind, pail_dtype dtype, int64_t number)
{
    const int64_t index = VARIABLE_INDEX(0);
    const int32_t begin = nodes_const(t, 0), end = nodes_shape(t, 0, 0);
    const int32_t v = nodes_read(t, PAIL_NODE_ARRAY_READ, 0, dtype, 1, &index);
    const int32_t by = nodes_op(t, PAIL_NODE_MUL, nodes_variable(t, 0), nodes_const(t, number));
    nodes_range(t, kind, 0, begin, end, number ? nodes_op(t, PAIL_NODE_ADD, v, by) : v);
}

/* ---- As long as it may ----------------------------------------------------------------------- */
enum { CELLS = 175001 };

/* Several reductions over cells that take four times as long as elsewhere: the pace says a second,
 * and no submission takes more than 200 ms of it, by its own clock or by their cells. */
PAIL_TEST_OF(test_long, struct ad_fixture *f)
{
    int16_t *a = malloc(CELLS * sizeof(*a));
    const int64_t shape = CELLS;
    struct nodes t[3] = {0};
    struct ad_launch l;
    assert_non_null(a);
    for (uint32_t i = 0; i < CELLS; i++)
        a[i] = (int16_t)(i * 31 % 30011);
    a[CELLS - 1] = 32000;
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I16, 1, &shape, a, CELLS * sizeof(*a));
    over_source(&t[0], MAX_OVER, PAIL_DTYPE_I16, 0);
    over_source(&t[1], SUM_OVER, PAIL_DTYPE_I16, 3);
    over_source(&t[2], MAX_OVER, PAIL_DTYPE_I16, -2);
    ad_launch_make(&l, t, 3, &b, 1);
    /* A kernel of its own counts fewer units. */
    const double ns = f->flags & PAIL_LAUNCH_SPECIALISE ? 32 * SLOW_NS : 4 * SLOW_NS;
    const uint64_t n = run_at(f, &l, ns);
    expect_host(&l, 3);
    assert_in_range(n, 2, 60);
    assert_true(l.work.expected_ns > 50000000); /* and they are not smaller than they need be */
    assert_int_equal(l.work.dispatches, 3);
    assert_int_equal(l.work.cells, 3 * CELLS);
    print_message("%u submissions, the longest of %.1f ms of %.1f\n", (unsigned)n,
                  (double)l.work.longest_submission_ns * 1e-6, (double)l.work.device_ns * 1e-6);
    /* None has nearly all of it, by the device's own clock; that of a program on the processor
     * tells who else was there, too. */
    if (n > 3 && f->dev->caps.type != VK_PHYSICAL_DEVICE_TYPE_CPU)
        assert_true((double)l.work.longest_submission_ns < 0.8 * (double)l.work.device_ns);
    /* At half the pace there are about twice as many. */
    const uint64_t more = run_at(f, &l, 2 * ns);
    expect_host(&l, 3);
    assert_in_range(more, 3 * n / 2, 3 * n);
    /* A quick reduction is one submission and one wait, as ever. */
    assert_int_equal(run_at(f, &l, ns / 300), 1);
    expect_host(&l, 3);
    f->dev->pace.limits = false;
    assert_int_equal(run_at(f, &l, ns), 1);
    f->dev->pace.limits = true;
    ad_launch_free(&l);
    free(a);
}

/* ---- Any place to go on from ----------------------------------------------------------------- */
/* Axes of any lengths, from one round to thousands of them, and sums beyond 64 bits on the way. */
PAIL_TEST_OF(test_axes, struct ad_fixture *f)
{
    static const int64_t lengths[][3] = {{1, 1, 20000}, {20000, 1, 1}, {3, 7, 1100},
                                         {129, 127, 2}, {1, 5000, 3},  {16, 16, 128}};
    uint64_t most = 0;
    for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct nodes t[2] = {0};
        struct ad_launch l;
        for (uint32_t k = 0; k < 2; k++) {
            const int32_t zero = nodes_const(&t[k], 2);
            int32_t ends[3], v = nodes_const(&t[k], k ? INT64_C(1) << 61 : 5);
            for (int32_t axis = 0; axis < 3; axis++)
                ends[axis] = nodes_const(&t[k], lengths[i][axis] + 2);
            for (int32_t axis = 0; axis < 3; axis++) {
                const int32_t by = nodes_op(&t[k], PAIL_NODE_MUL, nodes_variable(&t[k], axis),
                                            nodes_const(&t[k], 1 + 1000 * axis));
                v = nodes_op(&t[k], axis == 1 && k ? PAIL_NODE_SUB : PAIL_NODE_ADD, v, by);
            }
            for (int32_t axis = 2; axis >= 0; axis--)
                v = nodes_range(&t[k], k ? MAX_OVER : SUM_OVER, axis, zero, ends[axis], v);
        }
        ad_launch_make(&l, t, 2, NULL, 0);
        for (double ns = 50; ns < 1e7; ns *= 30) {
            const uint64_t n = run_at(f, &l, ns);
            most = n > most ? n : most;
            expect_host(&l, 2);
        }
        ad_launch_free(&l);
    }
    assert_in_range(most, 10, 1000);
}

/* Rows of which one is long: its turns are shared among more lanes than there are threads, or
 * threads take several lanes of it. */
PAIL_TEST_OF(test_lanes, struct ad_fixture *f)
{
    enum { ROWS = 5, LONG = 60000 };
    static int32_t length[ROWS] = {3, 0, LONG, 17, 1}, data[LONG];
    const int64_t shapes[2] = {ROWS, LONG};
    const int64_t row = VARIABLE_INDEX(0), element = VARIABLE_INDEX(1);
    struct nodes t = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < LONG; i++)
        data[i] = (int32_t)(i * 7919 % 100003);
    const pail_binding b[2] = {ad_binding(0, PAIL_DTYPE_I32, 1, &shapes[0], length, sizeof(length)),
                               ad_binding(1, PAIL_DTYPE_I32, 1, &shapes[1], data, sizeof(data))};
    NODES(&t, "(sum_over i 0 (shape 0 0) (sum_over j 0 (read 0 %) (add (read 1 %) i)))", row,
          element);
    ad_launch_make(&l, &t, 1, b, 2);
    uint64_t most = 0;
    for (double ns = SLOW_NS; ns < 1e5; ns *= 10) {
        const uint64_t n = run_at(f, &l, ns);
        most = n > most ? n : most;
        expect_host(&l, 1);
    }
    assert_in_range(most, 20, 2000);
    ad_launch_free(&l);
}

/* Loops whose turns nobody knows beforehand: most cells have few, some have many. A portion that
 * has taken longer than it may is done again with fewer cells. */
PAIL_TEST_OF(test_overrun, struct ad_fixture *f)
{
    enum { ROWS = 3000, LONG = 300 };
    static int32_t length[ROWS];
    const int64_t shape = ROWS, row = VARIABLE_INDEX(0);
    struct nodes t = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < ROWS; i++)
        length[i] = i % 300 == 299 ? LONG : (int32_t)(i % 3);
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, length, sizeof(length));
    NODES(&t, "(sum_over i 0 (shape 0 0) (add (max_over j 0 (read 0 %) (sub j 11)) 1))", row);
    ad_launch_make(&l, &t, 1, &b, 1);
    for (double ns = 100; ns < 1e6; ns *= 10) {
        assert_in_range(run_at(f, &l, ns), 1, 2000);
        expect_host(&l, 1);
    }
    ad_launch_free(&l);
}

/* ---- Levels ---------------------------------------------------------------------------------- */
/* The largest over a range whose end is a sum over a range whose end is a sum; and one that needs
 * none of it, and one that is wrong. */
static void make_levels(struct ad_launch *l, int32_t a[], uint32_t n, int64_t *shape)
{
    struct nodes t[3] = {0};
    const int64_t v0 = VARIABLE_INDEX(0), v1 = VARIABLE_INDEX(1), v2 = VARIABLE_INDEX(2);
    for (uint32_t i = 0; i < n; i++)
        a[i] = (int32_t)(i % 2);
    *shape = n;
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, shape, a, n * sizeof(*a));
    const int32_t zero = nodes_const(&t[0], 0), all = nodes_shape(&t[0], 0, 0);
    const int32_t first =
        nodes_range(&t[0], SUM_OVER, 2, zero, all,
                    nodes_read(&t[0], PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &v2));
    const int32_t second =
        nodes_range(&t[0], SUM_OVER, 0, zero, first,
                    nodes_read(&t[0], PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &v0));
    NODES(&t[0], "(sum_over j @ @ (mul j (read 0 %)))", zero, second, v1);
    over_source(&t[1], SUM_OVER, PAIL_DTYPE_I32, 5);
    NODES(&t[2], "(max_over i 0 % (read 0 %))", (int64_t)n + 1, v0);
    ad_launch_make(l, t, 3, &b, 1);
}

PAIL_TEST(test_levels)
{
    enum { N = 9000 };
    static int32_t a[N];
    int64_t shape;
    struct ad_launch l;
    make_levels(&l, a, N, &shape);
    for (double ns = SLOW_NS; ns < 1e6; ns *= 20) {
        const uint64_t n = run_at(*state, &l, ns);
        assert_in_range(n, ns > 1e5 ? 10 : 1, 1000);
        expect_host(&l, 3);
    }
    assert_int_equal(ad_error_kind(&l, 2), PAIL_AD_RANGE);
    ad_launch_free(&l);
}

/* ---- Levels that the host prepares ----------------------------------------------------------- */
/* Reductions in such levels of the last run. */
static uint32_t n_ready(const struct ad_fixture *f)
{
    const struct pail_ad_encoded *e = &f->gpu->idle->encoded;
    uint32_t n = 0;
    for (uint32_t s = 0; s < e->n_ready; s++)
        n += e->stages[s].n_specs;
    return n;
}

/* Ranges that are known, cells without loops: as long as they are short, the host prepares them,
 * whatever their axes are and wherever they begin. */
PAIL_TEST_OF(test_ready, struct ad_fixture *f)
{
    static const int64_t ranges[][4] = {{0, 1, 0, 1},         {-7, 500, 3, 8},  {5, 6, -4000, 40},
                                        {-1, 128, -128, 128}, {0, 4099, 0, 3},  {0, 3, 0, 4099},
                                        {0, 127, 0, 129},     {-20000, 0, 0, 7}};
    const double quick = f->dev->pace.limits ? 0.01 : 0;
    for (uint32_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        struct nodes t[2] = {0};
        struct ad_launch l;
        for (uint32_t k = 0; k < 2; k++) {
            const int32_t by = NODES(&t[k], "(mul j %)", k ? 3 : 100);
            int32_t v = NODES(&t[k], "(add i @)", by);
            for (int32_t axis = 1; axis >= 0; axis--)
                v = nodes_range(&t[k], k ? MAX_OVER : SUM_OVER, axis,
                                nodes_const(&t[k], ranges[i][2 * axis]),
                                nodes_const(&t[k], ranges[i][2 * axis + 1]), v);
        }
        ad_launch_make(&l, t, 2, NULL, 0);
        assert_int_equal(run_at(f, &l, quick), 1);
        assert_int_equal(n_ready(f), 2);
        expect_host(&l, 2);
        assert_int_equal(l.work.dispatches, 2);
        assert_int_equal(l.work.cells,
                         2 * (ranges[i][1] - ranges[i][0]) * (ranges[i][3] - ranges[i][2]));
        /* No kernel is compiled for a body that is long by the pace. */
        run_at(f, &l, 1e6);
        assert_int_equal(n_ready(f), 0);
        expect_host(&l, 2);
        ad_launch_free(&l);
    }
}

/* Contents whose beginning is no multiple of what a kernel takes of them together. */
PAIL_TEST_OF(test_ready_contents, struct ad_fixture *f)
{
    enum { N = 70001 };
    static uint8_t a[N];
    for (uint32_t i = 0; i < N; i++)
        a[i] = (uint8_t)(i * 7 % 251);
    for (int64_t length = 1; length <= N; length = 3 * length + 1) {
        const int64_t shape = length;
        struct nodes t[2] = {0};
        struct ad_launch l;
        const pail_binding b = ad_binding(0, PAIL_DTYPE_U8, 1, &shape, a, (uint64_t)length);
        over_source(&t[0], MAX_OVER, PAIL_DTYPE_U8, 0);
        over_source(&t[1], SUM_OVER, PAIL_DTYPE_U8, 1);
        ad_launch_make(&l, t, 2, &b, 1);
        assert_int_equal(run_at(f, &l, 0.01), 1);
        assert_int_equal(n_ready(f), 2);
        expect_host(&l, 2);
        ad_launch_free(&l);
    }
}

/* A level whose ranges a level before it finds, one with too many cells and one with loops are the
 * device's, and so is all behind them. */
PAIL_TEST_OF(test_not_ready, struct ad_fixture *f)
{
    enum { N = 9000 };
    static int32_t a[N];
    int64_t shape;
    struct ad_launch l;
    make_levels(&l, a, N, &shape);
    assert_int_equal(run_at(f, &l, 0.01), 1);
    assert_int_equal(n_ready(f), 3);
    assert_true(f->gpu->idle->encoded.n_specs > 3);
    expect_host(&l, 3);
    ad_launch_free(&l);
    for (uint32_t i = 0; i < 2; i++) {
        struct nodes t = {0};
        const int64_t row = VARIABLE_INDEX(0);
        const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, sizeof(a));
        const int32_t zero = nodes_const(&t, 0);
        const int32_t end = i ? nodes_shape(&t, 0, 0) : nodes_const(&t, INT64_C(1) << 50);
        int32_t v = nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I32, 1, &row);
        if (i)
            v = nodes_range(
                &t, MAX_OVER, 1, zero, v,
                nodes_op(&t, PAIL_NODE_SUB, nodes_variable(&t, 1), nodes_const(&t, 11)));
        nodes_range(&t, SUM_OVER, 0, zero, end, v);
        ad_launch_make(&l, &t, 1, &b, 1);
        run_unchecked(f, &l, 0.01);
        assert_int_equal(n_ready(f), 0);
        if (i)
            expect_host(&l, 1);
        else
            assert_int_equal(ad_error_kind(&l, 0), PAIL_AD_CELLS);
        ad_launch_free(&l);
    }
}

/* ---- In the middle --------------------------------------------------------------------------- */
/* The end of a caller's patience, while Vulkan has the second submission. */
static struct {
    uint32_t submissions, cancel;
    struct pail_ad_watch *watch; /* its time is over; NULL: the caller cancels */
} meanwhile;

static PFN_vkQueueSubmit submit;

static VkResult VKAPI_CALL end_meanwhile(VkQueue queue, uint32_t n, const VkSubmitInfo *infos,
                                         VkFence fence)
{
    if (++meanwhile.submissions == 2) {
        meanwhile.cancel = !meanwhile.watch;
        if (meanwhile.watch)
            meanwhile.watch->began -= 1e6;
    }
    return submit(queue, n, infos, fence);
}

/* A caller that cancels, or whose time is over, is heard between two submissions, and the next
 * evaluation knows nothing of it. */
PAIL_TEST_OF(test_stop, struct ad_fixture *f)
{
    enum { N = 9000 };
    static int32_t a[N];
    int64_t shape;
    struct ad_launch l;
    make_levels(&l, a, N, &shape);
    const uint64_t all = run_at(f, &l, 1e6);
    assert_in_range(all, 10, 1000);
    for (uint32_t i = 0; i < 2; i++) {
        struct pail_ad_watch watch;
        memset(&meanwhile, 0, sizeof(meanwhile));
        pail_ad_watch_begin(&watch, 0, i ? 600000 : 0, i ? NULL : &meanwhile.cancel);
        meanwhile.watch = i ? &watch : NULL;
        l.values.watch = &watch;
        memset(l.values.known, 0, l.program->n_slots);
        f->dev->pace.assumed_ns[PAIL_VK_CELLS] = 1e6;
        submit = f->dev->vk.vkQueueSubmit;
        f->dev->vk.vkQueueSubmit = end_meanwhile;
        assert_int_equal(f->device->run(f->device->user, &l.work, ERR), PAIL_ERR_STOPPED);
        f->dev->vk.vkQueueSubmit = submit;
        assert_int_equal(l.work.submissions, 2);
        assert_non_null(strstr(vk_error.text, i ? "in the 600000 ms of max_ms" : "cancelled"));
        assert_in_range(watch.cells, 1, 3 * N);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(l.values.known[l.roots[k]], 0);
        l.values.watch = NULL;
        assert_int_equal(run_at(f, &l, 1e6), all);
        expect_host(&l, 3);
    }
    ad_launch_free(&l);
}

/* The submission that Vulkan refuses; 0: none. */
static uint32_t refused;

static VkResult VKAPI_CALL refuse(VkQueue queue, uint32_t n, const VkSubmitInfo *infos,
                                  VkFence fence)
{
    if (refused && --refused == 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    return submit(queue, n, infos, fence);
}

/* A failure in any portion is the evaluation's, and leaves the device as usable as it was. */
PAIL_TEST_OF(test_refused, struct ad_fixture *f)
{
    enum { N = 9000 };
    static int32_t a[N];
    int64_t shape;
    struct ad_launch l;
    make_levels(&l, a, N, &shape);
    const uint64_t all = run_at(f, &l, 1e6);
    submit = f->dev->vk.vkQueueSubmit;
    f->dev->vk.vkQueueSubmit = refuse;
    f->dev->pace.assumed_ns[PAIL_VK_CELLS] = 1e6;
    for (uint32_t at = 1; at <= all; at += 1 + (uint32_t)all / 5) {
        refused = at;
        memset(l.values.known, 0, l.program->n_slots);
        assert_int_equal(f->device->run(f->device->user, &l.work, ERR), PAIL_ERR_HOST_MEMORY);
        assert_int_equal(refused, 0);
        assert_int_equal(l.work.submissions, at - 1);
        assert_non_null(strstr(vk_error.text, "vkQueueSubmit"));
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(l.values.known[l.roots[k]], 0);
        ASSERT_OK(f->device->run(f->device->user, &l.work, ERR));
        assert_int_equal(l.work.submissions, all);
        expect_host(&l, 3);
    }
    f->dev->vk.vkQueueSubmit = submit;
    f->dev->pace.assumed_ns[PAIL_VK_CELLS] = SLOW_NS;
    ad_launch_free(&l);
}

/* ---- What is learned ------------------------------------------------------------------------- */
/* The first run is careful; later ones know how fast the device is, and have fewer submissions. */
PAIL_TEST_OF(test_learns, struct ad_fixture *f)
{
    int32_t *a = calloc(CELLS, sizeof(*a));
    const int64_t shape = CELLS;
    struct nodes t = {0};
    struct ad_launch l;
    assert_non_null(a);
    if (f->dev->caps.type != VK_PHYSICAL_DEVICE_TYPE_CPU) {
        free(a);
        SKIP_BECAUSE("a GPU reduces a portion of so few cells too soon to be believed");
    }
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, CELLS * sizeof(*a));
    over_source(&t, SUM_OVER, PAIL_DTYPE_I32, 3);
    ad_launch_make(&l, &t, 1, &b, 1);
    const struct pail_vk_pace before = f->dev->pace;
    /* A portion takes long enough to be believed. */
    const double careful_ns = f->flags & PAIL_LAUNCH_SPECIALISE ? 300 : 1500;
    const uint64_t first = run_at(f, &l, careful_ns);
    f->dev->pace.learns = true;
    uint64_t last = first;
    for (uint32_t i = 0; i < 4; i++)
        last = run_at(f, &l, careful_ns);
    expect_host(&l, 1);
    print_message("%u submissions at first, %u later\n", (unsigned)first, (unsigned)last);
    assert_true(f->flags & PAIL_LAUNCH_SPECIALISE ? last < first : 2 * last < first);
    assert_true(pail_vk_pace_changed(&f->dev->pace)); /* and so it is kept */
    f->dev->pace.n = before.n;
    f->dev->pace.learns = false;
    ad_launch_free(&l);
    free(a);
}

PAIL_TEST_MAIN
{
    return test_run("as it is", setup, ad_teardown) +
           (ad_has_int64() ? test_run("pairs", setup_pairs, ad_teardown) : 0) +
           test_run("specialised", setup_specialised, ad_teardown);
}
