/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions on the device whose results are known beforehand: many cells, long numbers, many axes,
 * ragged rows, levels, many specs at once, and what cannot be computed. */
#include <adstack/watch.h>
#include <platform/clock.h>

#include "gpu_support.h"

#include "support/long.h"
#include "support/test.h"

#define MAX_OVER PAIL_NODE_MAX_OVER_RANGE
#define SUM_OVER PAIL_NODE_SUM_OVER_RANGE

static bool is_specialised(const struct ad_fixture *f)
{
    return f->flags & PAIL_LAUNCH_SPECIALISE;
}

/* The largest (or sum) of source 0 over its whole first axis. */
static int32_t over_source(struct nodes *t, pail_node_kind kind, pail_dtype dtype)
{
    return NODES(t, "(% i 0 (shape 0 0) (read:% 0 i))", kind, dtype);
}

PAIL_TEST(test_last_cell)
{
    enum { N = (1 << 20) + 13 };
    int32_t *a = malloc(N * sizeof(*a));
    const int64_t shape = N;
    struct nodes t = {0};
    struct ad_launch l;
    assert_non_null(a);
    for (uint32_t i = 0; i < N; i++)
        a[i] = (int32_t)(i % 1000);
    a[N - 1] = 1234567;
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, N * sizeof(*a));
    over_source(&t, MAX_OVER, PAIL_DTYPE_I32);
    ad_launch_make(&l, &t, 1, &b, 1);
    char plan[1024] = "";
    l.work.plan = plan;
    l.work.plan_capacity = sizeof(plan);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), 1234567);
    assert_int_equal(l.work.dispatches, 1);
    assert_int_equal(l.work.cells, N);
    assert_non_null(strstr(plan, "spec 0 (task 0, stack 0): 1048589 cells, "));
    assert_non_null(strstr(plan, is_specialised(*state) ? "specialised" : "interpreter"));
    assert_int_equal(l.work.specialised, is_specialised(*state));
    ad_launch_free(&l);
    free(a);
}

static void expect_host(const struct ad_launch *l, const struct ad_launch *host, uint32_t stack)
{
    const struct pail_ad_value want = ad_host_value(host, stack);
    const struct pail_ad_value got = l->values.value[l->roots[stack]];
    assert_int_equal(l->values.known[l->roots[stack]], 1);
    assert_int_equal(got.v, want.v);
    assert_int_equal(got.error, want.error);
}

/* Every type, at all places in a word, forwards and backwards, in memory of the host and at device
 * addresses, at the very end of a buffer too: the largest is one element, the sum is all. */
PAIL_TEST(test_types)
{
    static const pail_dtype types[] = {PAIL_DTYPE_I8,  PAIL_DTYPE_I16, PAIL_DTYPE_I32,
                                       PAIL_DTYPE_I64, PAIL_DTYPE_U8,  PAIL_DTYPE_U16,
                                       PAIL_DTYPE_U32, PAIL_DTYPE_U64};
    enum { N = 37 };
    uint64_t seed = 1;
    uint8_t bytes[8 * N + 8];
    for (uint32_t i = 0; i < 8 * sizeof(types) / sizeof(types[0]); i++) {
        const pail_dtype type = types[i / 8];
        const uint32_t misplaced = i % 8;
        const int64_t size = INT64_C(1) << (type - PAIL_DTYPE_I8) % 5;
        const int64_t shape = N - misplaced, stride = misplaced & 1 ? -size : size;
        struct nodes t[2] = {0};
        struct ad_launch l;
        struct ad_memory memory;
        for (uint32_t k = 0; k < sizeof(bytes); k++)
            bytes[k] = (uint8_t)ad_random(&seed);
        pail_binding b =
            ad_binding(0, type, 1, &shape, bytes + misplaced, (uint64_t)(shape * size));
        b.stride_bytes = &stride;
        if (stride < 0)
            b.host = bytes + misplaced + (shape - 1) * size;
        over_source(&t[0], MAX_OVER, type);
        over_source(&t[1], SUM_OVER, type);
        ad_launch_make(&l, t, 2, &b, 1);
        const struct ad_launch host = l;
        ad_run(*state, &l.work);
        expect_host(&l, &host, 0);
        expect_host(&l, &host, 1);

        ad_memory_make(*state, &memory, misplaced + (uint64_t)(shape * size));
        ad_memory_move(&memory, &l.arrays[0], misplaced);
        memset(l.values.known, 0, l.program->n_slots);
        ad_run(*state, &l.work);
        expect_host(&l, &host, 0);
        expect_host(&l, &host, 1);
        ad_memory_free(*state, &memory);
        ad_launch_free(&l);
    }
}

/* Bytes at any place and of any number come to the host. */
PAIL_TEST_OF(test_fetch, struct ad_fixture *f)
{
    enum { N = 1 << 20 };
    struct ad_memory memory;
    uint8_t *to = malloc(N);
    uint64_t seed = 7;
    assert_non_null(to);
    ad_memory_make(f, &memory, N);
    uint8_t *from = memory.buffer.mapped;
    for (uint32_t i = 0; i < N; i++)
        from[i] = vk_pattern(i, 3);
    for (uint32_t i = 0; i < 24; i++) {
        const uint64_t at = i < 8 ? i : ad_random(&seed) % N;
        const uint64_t n = i < 8 ? N - i : ad_random(&seed) % (N - at + 1) >> i % 16;
        memset(to, 0, N);
        ASSERT_OK(
            f->device->fetch(f->device->user, to, memory.buffer.address + at, n, 0, 0, NULL, ERR));
        for (uint64_t k = 0; k < n; k++)
            if (to[k] != vk_pattern(at + k, 3))
                fail_msg("byte %llu of %llu at %llu", (unsigned long long)k, (unsigned long long)n,
                         (unsigned long long)at);
        assert_true(n == N || to[n] == 0);
    }
    ad_memory_free(f, &memory);
    free(to);
}

/* A long copy ends between two of its submissions. */
PAIL_TEST_OF(test_fetch_stops, struct ad_fixture *f)
{
    enum { N = 128 << 20 };
    const uint32_t cancel = 1;
    struct ad_memory memory;
    struct pail_ad_watch watch;
    uint8_t *to = calloc(1, N);
    assert_non_null(to);
    ad_memory_make(f, &memory, N);
    uint8_t *from = memory.buffer.mapped;
    memset(from, 7, N);
    double least[] = {1e9, 1e9}; /* other programs may have the processor */
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t max_ms = i % 2;
        memset(to, 0, N);
        pail_ad_watch_begin(&watch, 0, max_ms, max_ms ? NULL : &cancel);
        const double began = pail_now_ms();
        assert_int_equal(
            f->device->fetch(f->device->user, to, memory.buffer.address, N, 0, 0, &watch, ERR),
            PAIL_ERR_STOPPED);
        const double ms = pail_now_ms() - began;
        least[max_ms] = ms < least[max_ms] ? ms : least[max_ms];
        assert_int_equal(to[0], 7);
        assert_int_equal(to[N - 1], 0);
    }
    print_message("a copy ends %.1f ms after cancel and %.1f ms after max_ms of 1\n", least[0],
                  least[1]);
    assert_true(least[0] < 200 && least[1] < 200);
    pail_ad_watch_begin(&watch, 0, 0, NULL);
    ASSERT_OK(f->device->fetch(f->device->user, to, memory.buffer.address, N, 0, 0, &watch, ERR));
    assert_memory_equal(to, from, N);
    ad_memory_free(f, &memory);
    free(to);
}

PAIL_TEST(test_long_numbers)
{
    /* The largest of 3 * v - 5 for v in [2^40, 2^40 + 777); and the sum, which has 51 bits. */
    const int64_t first = INT64_C(1) << 40, n = 777;
    struct nodes t[2] = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < 2; i++)
        NODES(&t[i], "(% i % % (sub (mul i 3) 5))", i ? SUM_OVER : MAX_OVER, first, first + n);
    ad_launch_make(&l, t, 2, NULL, 0);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), 3 * (first + n - 1) - 5);
    assert_int_equal(ad_value(&l, 1), n * (3 * first - 5) + 3 * (n * (n - 1) / 2));
    ad_launch_free(&l);
}

/* Sums that leave 64 bits on the way and come back, or do not. */
PAIL_TEST(test_exact_sums)
{
    int64_t back[600], away[600];
    const int64_t shape = 600;
    for (uint32_t i = 0; i < 600; i++) {
        back[i] = i % 2 ? INT64_MIN : INT64_MAX;
        away[i] = i < 500 ? INT64_MIN : INT64_MAX - 7;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const pail_binding b =
            ad_binding(0, PAIL_DTYPE_I64, 1, &shape, i ? away : back, sizeof(back));
        struct nodes t = {0};
        struct ad_launch l;
        over_source(&t, SUM_OVER, PAIL_DTYPE_I64);
        ad_launch_make(&l, &t, 1, &b, 1);
        ad_run(*state, &l.work);
        assert_int_equal(ad_error_kind(&l, 0), i ? PAIL_AD_OVERFLOW : 0);
        assert_int_equal(l.values.value[l.roots[0]].v, i ? 0 : -300);
        ad_launch_free(&l);
    }
}

PAIL_TEST(test_nine_axes)
{
    static const int64_t lengths[9] = {2, 3, 1, 4, 2, 3, 2, 5, 7};
    struct nodes t[2] = {0};
    struct ad_launch l;
    int64_t largest = 0;
    for (uint32_t i = 0; i < 2; i++) {
        int32_t body = nodes_const(&t[i], 0), bounds[9][2];
        for (uint32_t k = 0; k < 9; k++) {
            const int32_t weight = nodes_const(&t[i], INT64_C(1) << 5 * k);
            const int32_t part =
                nodes_op(&t[i], PAIL_NODE_MUL, nodes_variable(&t[i], (int32_t)k), weight);
            body = nodes_op(&t[i], PAIL_NODE_ADD, body, part);
            bounds[k][0] = nodes_const(&t[i], (int64_t)k);
            bounds[k][1] = nodes_const(&t[i], (int64_t)k + lengths[k]);
            largest += i ? 0 : ((int64_t)k + lengths[k] - 1) << 5 * k;
        }
        for (int32_t k = 9; k-- > 0;)
            body = nodes_range(&t[i], i ? SUM_OVER : MAX_OVER, k, bounds[k][0], bounds[k][1], body);
    }
    ad_launch_make(&l, t, 2, NULL, 0);
    assert_int_equal(l.program->specs[0].n_axes, 9);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), largest);
    assert_int_equal(ad_value(&l, 1), ad_host_value(&l, 1).v);
    assert_int_equal(l.work.cells, 2 * 2 * 3 * 4 * 2 * 3 * 2 * 5 * 7);
    ad_launch_free(&l);
}

/* More cells than there are threads, along three axes whose lengths share no factor: from one cell
 * of a thread to the next all of them move on. */
PAIL_TEST(test_many_steps)
{
    const struct ad_fixture *f = *state;
    const bool software = pail_vk_device_caps(f->dev)->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const int64_t first[3] = {-5, 3, 1000000007}, length[3] = {software ? 3 : 37, 211, 199};
    const int64_t weight[3] = {1000003, 1009, 1};
    struct nodes t[2] = {0};
    struct ad_launch l;
    int64_t sum = 0, largest = 0, cells = 1;
    for (uint32_t k = 0; k < 3; k++)
        cells *= length[k];
    for (uint32_t k = 0; k < 3; k++) {
        const int64_t last = first[k] + length[k] - 1;
        sum += weight[k] * (first[k] + last) * cells / 2;
        largest += weight[k] * last;
    }
    for (uint32_t i = 0; i < 2; i++) {
        int32_t body = nodes_const(&t[i], 0), bounds[3][2];
        for (uint32_t k = 0; k < 3; k++) {
            bounds[k][0] = nodes_const(&t[i], first[k]);
            bounds[k][1] = nodes_const(&t[i], first[k] + length[k]);
            const int32_t factor = nodes_const(&t[i], weight[k]);
            body =
                nodes_op(&t[i], PAIL_NODE_ADD, body,
                         nodes_op(&t[i], PAIL_NODE_MUL, nodes_variable(&t[i], (int32_t)k), factor));
        }
        for (int32_t k = 3; k-- > 0;)
            body = nodes_range(&t[i], i ? MAX_OVER : SUM_OVER, k, bounds[k][0], bounds[k][1], body);
    }
    ad_launch_make(&l, t, 2, NULL, 0);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), sum);
    assert_int_equal(ad_value(&l, 1), largest);
    assert_int_equal(l.work.cells, 2 * cells);
    ad_launch_free(&l);
}

/* More cells than 32 bits can count, where that takes no minutes, and the largest is the last. */
PAIL_TEST(test_last_of_all)
{
    const struct ad_fixture *f = *state;
    const bool software = pail_vk_device_caps(f->dev)->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const int64_t rows = 65537, columns = software ? 5 : 65536;
    struct nodes t = {0};
    struct ad_launch l;
    NODES(&t, "(max_over i 0 % (max_over j 0 % (add (mul i %) j)))", rows, columns, columns);
    ad_launch_make(&l, &t, 1, NULL, 0);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), rows * columns - 1);
    assert_int_equal(l.work.cells, rows * columns);
    ad_launch_free(&l);
}

/* Rows of 0 to 3 elements and one of 9000, which lanes share: the sum and the largest of all. */
PAIL_TEST(test_ragged_rows)
{
    enum { ROWS = 300, LONG = 9000 };
    static int32_t length[ROWS], data[LONG];
    const int64_t shapes[2] = {ROWS, LONG};
    int64_t sum = 0, largest = 0;
    for (uint32_t i = 0; i < LONG; i++)
        data[i] = (int32_t)((i * 7919) % 100003);
    for (uint32_t i = 0; i < ROWS; i++)
        length[i] = i == 123 ? LONG : (int32_t)(i % 4);
    for (uint32_t i = 0; i < ROWS; i++)
        for (int32_t j = 0; j < length[i]; j++) {
            const int64_t v = data[j] + (int64_t)i;
            sum += v;
            largest = v > largest ? v : largest;
        }
    const pail_binding b[2] = {ad_binding(0, PAIL_DTYPE_I32, 1, &shapes[0], length, sizeof(length)),
                               ad_binding(1, PAIL_DTYPE_I32, 1, &shapes[1], data, sizeof(data))};
    struct nodes t[2] = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < 2; i++) {
        const pail_node_kind kind = i ? MAX_OVER : SUM_OVER;
        NODES(&t[i], "(% i 0 (shape 0 0) (% j 0 (read 0 i) (add (read 1 j) i)))", kind, kind);
    }
    ad_launch_make(&l, t, 2, b, 2);
    assert_int_not_equal(l.program->specs[l.program->n_specs - 1].shared_loop, PAIL_AD_NONE);
    char plan[1024] = "";
    l.work.plan = plan;
    l.work.plan_capacity = sizeof(plan);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), sum);
    assert_int_equal(ad_value(&l, 1), largest);
    /* More than one lane, and the number of turns came first. */
    assert_null(strstr(plan, " 1 lanes to a cell, level 2"));
    assert_non_null(strstr(plan, "level 2"));
    ad_launch_free(&l);
}

/* A range whose end is the largest of another range, whose end is a sum. */
PAIL_TEST(test_levels)
{
    int32_t n[] = {1, 3}, m[] = {7, 0, 9, 50}, s[] = {1, 1};
    const int64_t shapes[] = {2, 4, 2}, v0 = VARIABLE_INDEX(0), v1 = VARIABLE_INDEX(1),
                  v2 = VARIABLE_INDEX(2);
    const pail_binding b[] = {ad_binding(0, PAIL_DTYPE_I32, 1, &shapes[0], n, sizeof(n)),
                              ad_binding(1, PAIL_DTYPE_I32, 1, &shapes[1], m, sizeof(m)),
                              ad_binding(2, PAIL_DTYPE_I32, 1, &shapes[2], s, sizeof(s))};
    struct nodes t = {0};
    struct ad_launch l;
    NODES(
        &t,
        "(max_over j 0 (max_over i 0 (sum_over k 0 (shape 2 0) (read 2 %)) (read 0 %)) (read 1 %))",
        v2, v0, v1);
    ad_launch_make(&l, &t, 1, b, 3);
    assert_int_equal(l.program->n_levels, 4);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), 9);
    n[1] = 4;
    memset(l.values.known, 0, l.program->n_slots);
    ad_run(*state, &l.work);
    assert_int_equal(ad_value(&l, 0), 50);
    n[1] = 5; /* beyond the end of m */
    memset(l.values.known, 0, l.program->n_slots);
    ad_run(*state, &l.work);
    assert_int_equal(ad_error_kind(&l, 0), PAIL_AD_RANGE);
    ad_launch_free(&l);
}

static uint32_t n_dispatches;
static PFN_vkCmdDispatch dispatch;
static PFN_vkCmdDispatchIndirect dispatch_indirect;

static VKAPI_ATTR void VKAPI_CALL on_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
                                              uint32_t z)
{
    n_dispatches++;
    dispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL on_dispatch_indirect(VkCommandBuffer commands, VkBuffer buffer,
                                                       VkDeviceSize offset)
{
    n_dispatches++;
    dispatch_indirect(commands, buffer, offset);
}

/* 600 reductions of different lengths in one dispatch, and one that collects what it finds. */
PAIL_TEST_OF(test_many_specs, struct ad_fixture *f)
{
    enum { N = 600 };
    static struct nodes t[N];
    static struct ad_launch l;
    int32_t a[100];
    const int64_t shape = 100;
    for (int32_t i = 0; i < 100; i++)
        a[i] = i * i;
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, sizeof(a));
    for (uint32_t i = 0; i < N; i++) {
        const int64_t index = VARIABLE_INDEX(0);
        t[i] = (struct nodes){0};
        NODES(&t[i], "(max_over i 0 % (add (read 0 %) %))", (int64_t)i % 101, index, (int64_t)i);
    }
    ad_launch_make(&l, t, N, &b, 1);
    struct VolkDeviceTable *table = pail_vk_device_table(f->dev);
    dispatch = table->vkCmdDispatch;
    dispatch_indirect = table->vkCmdDispatchIndirect;
    table->vkCmdDispatch = on_dispatch;
    table->vkCmdDispatchIndirect = on_dispatch_indirect;
    n_dispatches = 0;
    ad_run(f, &l.work);
    table->vkCmdDispatch = dispatch;
    table->vkCmdDispatchIndirect = dispatch_indirect;
    assert_int_equal(n_dispatches, 2);
    assert_int_equal(l.work.dispatches, l.program->n_specs);
    assert_true(l.program->n_specs > N * 9 / 10); /* [0, 0) needs none */
    for (uint32_t i = 0; i < N; i++) {
        const int64_t last = (int64_t)i % 101 - 1;
        assert_int_equal(ad_value(&l, i), last < 0 ? 0 : last * last + (int64_t)i);
    }
    ad_launch_free(&l);
}

PAIL_TEST(test_too_many_cells)
{
    const int64_t none = 0;
    const pail_binding empty = ad_binding(0, PAIL_DTYPE_I8, 1, &none, NULL, 0);
    struct nodes t[2] = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t zero = nodes_const(&t[i], 0), long_end = nodes_const(&t[i], INT64_C(1) << 25);
        /* The second has an empty axis inside: then it is 0. */
        const int32_t end = i ? nodes_shape(&t[i], 0, 0) : nodes_const(&t[i], INT64_C(1) << 24);
        const int32_t body =
            nodes_op(&t[i], PAIL_NODE_ADD, nodes_variable(&t[i], 0), nodes_variable(&t[i], 1));
        NODES(&t[i], "(max_over i @ @ (max_over j @ @ @))", zero, long_end, zero, end, body);
    }
    ad_launch_make(&l, t, 2, &empty, 1);
    ad_run(*state, &l.work);
    assert_int_equal(ad_error_kind(&l, 0), PAIL_AD_CELLS);
    assert_int_equal(ad_value(&l, 1), 0);
    ad_launch_free(&l);
}

/* A loop in a body with more turns than there may be: it is not begun. */
PAIL_TEST(test_too_many_turns)
{
    struct nodes t = {0};
    struct ad_launch l;
    NODES(&t, "(max_over i 0 3 (mul (sum_over j i % 0) 2))", (INT64_C(1) << 48) + 3);
    ad_launch_make(&l, &t, 1, NULL, 0);
    ad_run(*state, &l.work);
    assert_int_equal(ad_error_kind(&l, 0), PAIL_AD_CELLS);
    assert_int_equal(l.values.value[l.roots[0]].error, ad_host_value(&l, 0).error);
    ad_launch_free(&l);
}

/* An index far outside: reading there would end the test. */
PAIL_TEST(test_outside)
{
    int32_t a[5] = {1, 2, 3, 4, 5};
    const int64_t shape = 5;
    const pail_binding b = ad_binding(0, PAIL_DTYPE_I32, 1, &shape, a, sizeof(a));
    struct nodes t[2] = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < 2; i++) {
        NODES(&t[i], "(max_over i % % (read 0 (mul i %)))", i ? -3 : 0, i ? 2 : 7,
              INT64_C(1) << 36);
    }
    ad_launch_make(&l, t, 2, &b, 1);
    ad_run(*state, &l.work);
    assert_int_equal(ad_error_kind(&l, 0), PAIL_AD_RANGE);
    assert_int_equal(ad_error_kind(&l, 1), PAIL_AD_RANGE);
    ad_launch_free(&l);
}

/* Loops of 100000 turns that threads cannot share: right, or given back where the driver ends loops
 * before. */
PAIL_TEST_OF(test_long_loops, struct ad_fixture *f)
{
    const uint32_t limit = pail_vk_device_caps(f->dev)->max_loop_iterations;
    struct nodes t[2] = {0};
    struct ad_launch l;
    for (uint32_t i = 0; i < 2; i++)
        NODES(&t[i], "(max_over i 0 5 (mul (sum_over j i % j) 2))", i ? 10 : 100000);
    ad_launch_make(&l, t, 2, NULL, 0);
    ad_run(f, &l.work);
    assert_int_equal(ad_value(&l, 1), 90);
    assert_int_equal(l.work.n_given_back, limit ? 1 : 0);
    assert_int_equal(l.work.cells, limit ? 5 : 10);
    if (limit)
        assert_int_equal(l.values.known[l.roots[0]], 0);
    else
        assert_int_equal(ad_value(&l, 0), INT64_C(9999900000));
    ad_launch_free(&l);
}

/* A body with more registers than the interpreter has, and what depends on it. No more than that:
 * drivers take half a minute to compile forty parts. */
PAIL_TEST_OF(test_given_back, struct ad_fixture *f)
{
    if (f->flags & PAIL_LAUNCH_SPECIALISE && !f->dev->caps.int64 && !test_long())
        SKIP_BECAUSE("the driver takes half a minute for one kernel: lavapipe, or PAIL_TEST_LONG");
    struct nodes t = {0};
    struct ad_launch l;
    const int32_t zero = nodes_const(&t, 0), end = nodes_const(&t, 9);
    enum { PARTS = 33 };
    int32_t parts[PARTS];
    for (int32_t i = 0; i < PARTS; i++)
        parts[i] = nodes_op(&t, PAIL_NODE_MAX, nodes_variable(&t, 0), nodes_const(&t, i + 2));
    int32_t sum = parts[0];
    for (int32_t i = 1; i < PARTS; i++)
        sum = nodes_op(&t, PAIL_NODE_ADD, sum, parts[i]);
    int32_t body = sum;
    for (int32_t i = 1; i < PARTS; i++) /* every part is used again when the sum is there */
        body = nodes_op(&t, PAIL_NODE_ADD, body, parts[i]);
    NODES(&t, "(add (sum_over i @ @ @) 1)", zero, end, body);
    ad_launch_make(&l, &t, 1, NULL, 0);
    assert_true(l.program->specs[0].n_registers > 32);
    l.work.flags = f->flags;
    ASSERT_OK(f->device->run(f->device->user, &l.work, ERR));
    if (is_specialised(f)) {
        assert_int_equal(l.work.n_given_back, 0);
        assert_int_equal(ad_value(&l, 0), ad_host_value(&l, 0).v);
    } else {
        assert_int_equal(l.work.n_given_back, 1);
        assert_int_equal(l.values.known[l.roots[0]], 0);
    }
    ad_launch_free(&l);
}

PAIL_TEST_MAIN
{
    return ad_run_all_groups();
}
