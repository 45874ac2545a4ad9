/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of an MSM is a pure function: over a grid of shapes, limits and knobs it keeps to what
 * plan_check.c asks, and chooses what it should. */
#include "plan_check.h"
#include "support/test.h"

#include <inttypes.h>

#include <core/debug.h>
#include <msm/plan/copies.h>
#include <msm/plan/policy.h>
#include <msm/plan/window.h>

/* 0, 1, 2, 3, 31, 100, 1000, 2^10 ... 2^27 and their neighbours. */
static size_t sizes_make(uint64_t sizes[])
{
    static const uint64_t small[] = {0, 1, 2, 3, 31, 100, 1000};
    size_t n = sizeof(small) / sizeof(small[0]);
    memcpy(sizes, small, sizeof(small));
    for (uint32_t k = 10; k <= 27; k++)
        for (uint64_t d = 0; d < 3; d++)
            sizes[n++] = ((uint64_t)1 << k) + d - 1;
    return n;
}

/* Points of the points region when a chunk is as small as it may be: buckets and pieces, and less
 * than a half on top for the levels. */
static uint64_t least_points(const struct pail_msm_shape *shape, const struct pail_msm_knobs *knobs)
{
    const uint32_t c = knobs->window_bits ? knobs->window_bits : PAIL_MSM_WINDOW_MIN;
    const uint64_t windows = (shape->scalar_bits + c) / c;
    const uint64_t batches = knobs->batches ? knobs->batches : windows;
    const uint64_t batch_windows = (windows + batches - 1) / batches;
    return (batch_windows * ((uint64_t)1 << (c - 1)) + 2 * (uint64_t)knobs->threads) * 3 / 2 + 1024;
}

PAIL_TEST(test_grid)
{
    static const uint64_t bindings[] = {128 * MIB, GIB, 4 * GIB - 1};
    static const uint64_t aligns[] = {16, 64, 256};
    static const uint32_t threads[] = {0, 1, 64, 1000, 1 << 20};
    static const uint32_t batches[] = {0, 1, 2, 3, 7, 200};
    static const uint32_t tables[] = {0, 1, 2, 3, 13, 1000};
    uint64_t sizes[64];
    const size_t n = sizes_make(sizes);
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t c = 0; c <= PAIL_MSM_WINDOW_MAX; c += c ? 1 : PAIL_MSM_WINDOW_MIN)
            for (size_t b = 0; b < 3; b++)
                for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
                    struct pail_msm_shape shape = shape_of(sizes[i]);
                    if (c) /* tables are for one window */
                        shape.table = tables[number / 2 % 6];
                    if (shape.table <= 1 && number % 5 < 2)
                        shape.half_bits = 126 + number % 2;
                    struct pail_msm_limits limits = ample;
                    limits.max_binding_bytes = bindings[b];
                    limits.align = aligns[number % 3];
                    const struct pail_msm_knobs knobs = {
                        .window_bits = c,
                        .threads = threads[t],
                        .batches = batches[number / 3 % 6],
                    };
                    number++;
                    struct pail_msm_plan plan;
                    struct pail_error err;
                    const pail_status status = try_plan(&plan, &shape, &limits, &knobs, &err);
                    if (status != PAIL_OK && least_points(&shape, &knobs) * 128 <= bindings[b])
                        fail_msg("n %" PRIu64 ", window %u, batches %u, threads %u: %s", shape.n, c,
                                 knobs.batches, knobs.threads, err.text);
                }
}

/* Several shares for each thread, prefix products in device memory, no shares at all. */
PAIL_TEST(test_accumulators)
{
    static const struct pail_msm_accumulator accumulators[] = {
        {.lanes = 1, .workgroup = 64, .slots = 1, .shares = 1, .share_max = 300},
        {.lanes = 1, .workgroup = 128, .slots = 7, .shares = 7, .share_max = 8192},
        {.lanes = 1,
         .workgroup = 1,
         .slots = 32,
         .shares = 32,
         .share_max = 200,
         .scratch_bytes = 32 * 32},
        {.lanes = 1,
         .workgroup = 256,
         .slots = 8,
         .shares = 8,
         .share_max = 8192,
         .scratch_bytes = 8 * 32},
        {.lanes = 1, .workgroup = 64, .shares = 0, .share_max = 32767},
        {.lanes = 1, .workgroup = 16, .shares = 1, .share_max = 3276, .serial = true, .runs = true},
        {.lanes = 1, .workgroup = 512, .shares = 1, .share_max = 8192, .runs = true, .tasks = true},
        {.lanes = 2, .workgroup = 256, .shares = 1, .share_max = 8192, .runs = true, .tasks = true},
    };
    static const uint64_t sizes[] = {0, 1, 1000, 100000, 1 << 20, 1 << 24};
    static const uint32_t threads[] = {0, 1, 1000};
    for (size_t a = 0; a < sizeof(accumulators) / sizeof(accumulators[0]); a++)
        for (size_t i = 0; i < 6; i++)
            for (size_t t = 0; t < 3; t++)
                for (uint32_t c = 0; c <= 16; c += 8) {
                    const struct pail_msm_shape shape = shape_of(sizes[i]);
                    struct pail_msm_limits limits = ample;
                    limits.accumulator = accumulators[a];
                    const struct pail_msm_knobs knobs = {.window_bits = c, .threads = threads[t]};
                    struct pail_msm_plan plan;
                    expect_plan(&plan, &shape, &limits, &knobs);
                }
    /* Few entries give no more threads than there are shares to fill. */
    const struct pail_msm_shape shape = shape_of(1000);
    const struct pail_msm_knobs knobs = {.window_bits = 8};
    struct pail_msm_limits limits = ample;
    struct pail_msm_plan one, seven;
    expect_plan(&one, &shape, &limits, &knobs);
    limits.accumulator = accumulators[1];
    expect_plan(&seven, &shape, &limits, &knobs);
    assert_in_range(one.threads / seven.threads, 6, 7);
}

PAIL_TEST(test_batches)
{
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= PAIL_MSM_WINDOW_MAX; c++)
        for (uint32_t batches = 1; batches <= 130; batches++) {
            const struct pail_msm_shape shape = shape_of(5000);
            const struct pail_msm_knobs knobs = {.window_bits = c, .batches = batches};
            struct pail_msm_plan plan;
            expect_plan(&plan, &shape, &ample, &knobs);
            assert_true(plan.batches <= batches);
        }
}

/* Windows are chosen by the digits that there will be: 255 bits are 15 windows of 17, and the
 * sixteenth that 256 bits ask for has none. */
PAIL_TEST(test_likely_bits)
{
    struct pail_msm_plan likely, any;
    struct pail_msm_shape shape = shape_of(1 << 22);
    shape.scalar_bits = 256;
    shape.likely_bits = 254;
    expect_plan(&likely, &shape, &ample, &(const struct pail_msm_knobs){0});
    shape.likely_bits = 0;
    expect_plan(&any, &shape, &ample, &(const struct pail_msm_knobs){0});
    assert_int_equal(likely.window_bits, 17);
    assert_int_equal(likely.digits, 16); /* digits are taken from all bits there may be */
    assert_int_equal(any.window_bits, 16);
}

PAIL_TEST(test_scalar_bits)
{
    for (uint32_t bits = 1; bits <= 256; bits++)
        for (uint32_t c = 0; c <= PAIL_MSM_WINDOW_MAX; c += c ? 1 : PAIL_MSM_WINDOW_MIN) {
            struct pail_msm_shape shape = shape_of(1000);
            shape.scalar_bits = bits;
            const struct pail_msm_knobs knobs = {.window_bits = c};
            struct pail_msm_plan plan;
            expect_plan(&plan, &shape, &ample, &knobs);
        }
}

/* The rough cost of a plan: an addition for each entry, three for each bucket and chunk, and the
 * sort's counters. */
static uint64_t work_of(const struct pail_msm_plan *plan)
{
    const uint64_t buckets = (uint64_t)plan->total_windows * plan->window_buckets * plan->chunks;
    const uint64_t counters = (uint64_t)plan->sort_plan.words * plan->batches * plan->chunks / 8;
    return plan->n * plan->digits + 3 * buckets + counters;
}

/* Each window is refused with a sentence, or costs no more than twice what its neighbour of a bit
 * less does, whatever workgroup memory the sort has; and nobody chooses one that may be refused. */
PAIL_TEST(test_wide_windows)
{
    static const uint32_t kib[] = {16, 20, 24, 28, 32, 48, 64};
    for (size_t m = 0; m < sizeof(kib) / sizeof(kib[0]); m++)
        for (uint32_t log2_n = 10; log2_n <= 26; log2_n += 2) {
            const struct pail_vk_caps caps = {
                .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                .max_workgroup_bytes = kib[m] * 1024,
                .max_workgroup_invocations = 256,
                .max_workgroup_size = {256, 256, 64},
            };
            const struct pail_msm_shape shape = shape_of((uint64_t)1 << log2_n);
            struct pail_msm_limits limits = ample;
            limits.sort_kernels = pail_msm_sort_kernels_of(&caps);
            struct pail_msm_plan plan;
            struct pail_error err;
            uint64_t before = 0;
            for (uint32_t c = 12; c <= PAIL_MSM_WINDOW_MAX; c++) {
                const struct pail_msm_knobs knobs = {.window_bits = c};
                const pail_status status = try_plan(&plan, &shape, &limits, &knobs, &err);
                if (status != PAIL_OK) {
                    assert_int_equal(status, PAIL_ERR_UNSUPPORTED);
                    assert_non_null(strstr(err.text, "sorting passes"));
                    assert_true(c > 17);
                    continue;
                }
                if (before && work_of(&plan) > 2 * before + before / 8)
                    fail_msg("%u KiB, 2^%u points, window %u: %" PRIu64 " after %" PRIu64, kib[m],
                             log2_n, c, work_of(&plan), before);
                before = work_of(&plan);
            }
            expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
            assert_false(
                pail_msm_sort_kernels_strained(&limits.sort_kernels, plan.window_bits - 1));
        }
}

PAIL_TEST(test_window_choice)
{
    uint64_t sizes[64];
    const size_t n = sizes_make(sizes);
    uint32_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const struct pail_msm_shape shape = shape_of(sizes[i]);
        struct pail_msm_plan plan;
        expect_plan(&plan, &shape, &ample, &(struct pail_msm_knobs){0});
        assert_true(plan.window_bits >= before);
        before = plan.window_bits;
    }
    assert_true(before > 12);
}

/* Windows that measurements on an H200 found best, of the kernels of such a device. */
PAIL_TEST(test_measured_windows)
{
    /* log2 of n; bits for halves of 126 and of 127 bits, as of BN254 and of BLS12-381 */
    static const uint32_t best[][3] = {{10, 8, 8},   {12, 8, 8},   {14, 11, 11}, {16, 11, 11},
                                       {18, 14, 16}, {20, 16, 16}, {21, 18, 18}, {22, 18, 18},
                                       {23, 18, 18}, {24, 21, 21}};
    const struct pail_vk_caps caps = {.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                      .max_workgroup_bytes = 48 << 10,
                                      .max_workgroup_invocations = 1024,
                                      .max_workgroup_size = {1024, 1024, 64}};
    const struct pail_msm_sort_kernels sort_kernels = pail_msm_sort_kernels_of(&caps);
    for (size_t i = 0; i < sizeof(best) / sizeof(best[0]); i++) {
        struct pail_msm_shape shape = shape_of((uint64_t)1 << best[i][0]);
        const struct pail_msm_window_choice choice = {
            .shape = &shape, .sort_kernels = &sort_kernels, .wide_top = true};
        shape.half_bits = 126;
        assert_int_equal(pail_msm_choose_window(shape.n, &choice), best[i][1]);
        shape.half_bits = 127;
        shape.xyzz_bytes = 192;
        assert_int_equal(pail_msm_choose_window(shape.n, &choice), best[i][2]);
    }
}

PAIL_TEST(test_chunks)
{
    static const uint64_t segments[] = {0, 1024, 4096, 10240, MIB};
    static const uint64_t offsets[] = {0, 1, 1023, 1024, 4095, 5000, 1000003};
    static const uint64_t sizes[] = {0, 1, 2, 1023, 1024, 1025, 4096, 5000, 100001, MIB + 1};
    static const uint64_t budgets[] = {0, 2 * MIB, 64 * MIB};
    for (size_t s = 0; s < 5; s++)
        for (size_t o = 0; o < 7; o++)
            for (size_t i = 0; i < 10; i++)
                for (size_t b = 0; b < 3; b++) {
                    struct pail_msm_shape shape = shape_of(sizes[i]);
                    shape.segment = segments[s];
                    shape.base_offset = offsets[o];
                    const struct pail_msm_knobs knobs = {.memory_budget = budgets[b]};
                    struct pail_msm_plan plan;
                    struct pail_error err;
                    /* Scalars alone may take more than a budget. */
                    if (try_plan(&plan, &shape, &ample, &knobs, &err) != PAIL_OK)
                        assert_true(budgets[b] != 0 && sizes[i] > 1025);
                }
}

/* Large pieces come first in the search, so that a larger budget may only move a plan forward. */
static int compare_pieces(const struct pail_msm_plan *a, const struct pail_msm_plan *b)
{
    const uint64_t x[] = {a->window_bits, a->chunk, a->batch_windows};
    const uint64_t y[] = {b->window_bits, b->chunk, b->batch_windows};
    for (size_t i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static uint64_t number_after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (!at)
        fail_msg("\"%s\" is not in: %s", words, text);
    return strtoull(at + strlen(words), NULL, 10);
}

PAIL_TEST(test_budget)
{
    static const uint64_t sizes[] = {0, 1, 1000, 5000, 100001, (uint64_t)1 << 20};
    static const uint32_t windows[] = {0, 2, 8, 16};
    for (size_t i = 0; i < 6; i++)
        for (size_t w = 0; w < 4; w++) {
            const struct pail_msm_shape shape = shape_of(sizes[i]);
            struct pail_msm_knobs knobs = {.window_bits = windows[w], .memory_budget = 1};
            struct pail_msm_plan plan, before = {0};
            struct pail_error err;
            assert_int_equal(try_plan(&plan, &shape, &ample, &knobs, &err), PAIL_ERR_ARGUMENT);
            assert_int_equal(number_after(err.text, "memory_budget is "), 1);
            const uint64_t floor = number_after(err.text, "at least ");

            knobs.memory_budget = floor - 1;
            assert_int_equal(try_plan(&plan, &shape, &ample, &knobs, &err), PAIL_ERR_ARGUMENT);
            assert_int_equal(number_after(err.text, "at least "), floor);
            knobs.memory_budget = floor;
            expect_plan(&plan, &shape, &ample, &knobs);
            assert_int_equal(plan.scratch_bytes, floor);

            knobs.memory_budget = 0;
            expect_plan(&plan, &shape, &ample, &knobs);
            const uint64_t all = plan.scratch_bytes;
            for (uint64_t budget = floor; budget < 2 * all; budget += budget / 16 + 1) {
                knobs.memory_budget = budget;
                expect_plan(&plan, &shape, &ample, &knobs);
                assert_true(compare_pieces(&before, &plan) <= 0);
                before = plan;
            }
            assert_int_equal(before.scratch_bytes, all);
        }
}

/* Both budgets count, the context's and the call's own. */
PAIL_TEST(test_budget_of_limits)
{
    const struct pail_msm_shape shape = shape_of(100000);
    struct pail_msm_limits limits = ample;
    struct pail_msm_knobs knobs = {0};
    struct pail_msm_plan plan, tight;
    expect_plan(&plan, &shape, &limits, &knobs);
    limits.memory_budget = plan.scratch_bytes / 2;
    expect_plan(&tight, &shape, &limits, &knobs);
    assert_true(tight.scratch_bytes <= limits.memory_budget);
    knobs.memory_budget = plan.scratch_bytes;
    expect_plan(&tight, &shape, &limits, &knobs);
    assert_true(tight.scratch_bytes <= limits.memory_budget);
    knobs.memory_budget = plan.scratch_bytes / 4;
    expect_plan(&tight, &shape, &limits, &knobs);
    assert_true(tight.scratch_bytes <= knobs.memory_budget);
}

static void expect_error(const struct pail_msm_shape *shape, const struct pail_msm_limits *limits,
                         const struct pail_msm_knobs *knobs, pail_status wanted, const char *words)
{
    struct pail_msm_plan plan;
    struct pail_error err;
    const pail_status status = try_plan(&plan, shape, limits, knobs, &err);
    if (status != wanted || !strstr(err.text, words))
        fail_msg("status %d, wanted %d with \"%s\": %s", (int)status, (int)wanted, words, err.text);
}

PAIL_TEST(test_errors)
{
    const struct pail_msm_shape shape = shape_of(1000);
    struct pail_msm_limits limits = ample;
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.window_bits = 1}, PAIL_ERR_ARGUMENT,
                 "window_bits is 1; the Vulkan backend takes 2 to 22");
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.window_bits = 23}, PAIL_ERR_ARGUMENT,
                 "window_bits is 23; the Vulkan backend takes 2 to 22");
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.threads = (1 << 24) + 1},
                 PAIL_ERR_ARGUMENT, "threads is 16777217; at most 16777216");
    expect_error(&shape, &ample, &(struct pail_msm_knobs){.threads = 1 << 24}, PAIL_ERR_UNSUPPORTED,
                 "config->threads is 16777216; it needs 4363141632 bytes in one buffer, and the "
                 "device binds 4294967295; the largest power of two for it is 2097152");
    /* 65535 workgroups of 64 threads are fewer than 2^24 threads. */
    limits.max_binding_bytes = UINT64_MAX;
    expect_error(&shape, &limits, &(struct pail_msm_knobs){.threads = 1 << 24},
                 PAIL_ERR_UNSUPPORTED,
                 "config->threads is 16777216; it needs more than the device's 65535 workgroups");
    /* The knob is at fault, not the device, where anything less fits: alone or together with
     * another one. */
    limits.max_binding_bytes = 1 << 27;
    const char *const window = "config->window_bits is 22; it needs 268468224 bytes in one buffer, "
                               "and the device binds 134217728; the largest window for it is 20";
    expect_error(&shape, &limits, &(struct pail_msm_knobs){.window_bits = 22}, PAIL_ERR_UNSUPPORTED,
                 window);
    expect_plan(&(struct pail_msm_plan){0}, &shape, &limits,
                &(struct pail_msm_knobs){.window_bits = 20});
    expect_error(&shape, &limits, &(struct pail_msm_knobs){.window_bits = 22, .threads = 1 << 20},
                 PAIL_ERR_UNSUPPORTED, "config->window_bits is 22; ");
    expect_error(&shape, &limits, &(struct pail_msm_knobs){.threads = 1 << 20},
                 PAIL_ERR_UNSUPPORTED, "config->threads is 1048576; it needs ");
    limits.max_binding_bytes = 1 << 20;
    expect_error(&shape, &limits, &(struct pail_msm_knobs){.batches = 1, .window_bits = 12},
                 PAIL_ERR_UNSUPPORTED, "config->force_batches is 1; it needs ");
    limits.max_binding_bytes = 1000;
    expect_error(&shape, &limits, &(struct pail_msm_knobs){0}, PAIL_ERR_UNSUPPORTED,
                 "bindings of 1000 bytes");
}

/* Handles have 31 bits for the point and positions 32 bits; more is refused, not wrapped. */
PAIL_TEST(test_large)
{
    const uint64_t limit = (uint64_t)1 << 31;
    struct pail_msm_limits limits = ample;
    struct pail_msm_plan plan;
    limits.max_binding_bytes = UINT64_MAX;
    for (uint64_t n = limit / 16; n < limit; n = 2 * n + 1) {
        const struct pail_msm_shape shape = shape_of(n);
        expect_plan(&plan, &shape, &limits, &(struct pail_msm_knobs){0});
        expect_plan(&plan, &shape, &limits, &(struct pail_msm_knobs){.batches = 1});
        expect_plan(&plan, &shape, &ample, &(struct pail_msm_knobs){0});
    }
    const struct pail_msm_shape most = shape_of(limit - 1);
    expect_plan(&plan, &most, &limits, &(struct pail_msm_knobs){0});
    /* 2^27 scalars are more than an allocation of NVIDIA's driver: they are taken chunk by chunk.
     */
    const struct pail_msm_shape all = shape_of((uint64_t)1 << 27);
    limits.max_binding_bytes = limits.max_region_bytes = 4292870144;
    expect_plan(&plan, &all, &limits, &(struct pail_msm_knobs){0});
    assert_true(plan.region_bytes[PAIL_MSM_SCALARS] <= limits.max_region_bytes && plan.stepped);
    limits.max_region_bytes = (uint64_t)1 << 32;
    expect_plan(&plan, &all, &limits, &(struct pail_msm_knobs){0});
    assert_false(plan.stepped);
    static const uint64_t beyond[] = {(uint64_t)1 << 31, (uint64_t)1 << 32, (uint64_t)1 << 59,
                                      UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        const struct pail_msm_shape shape = shape_of(beyond[i]);
        expect_error(&shape, &limits, &(struct pail_msm_knobs){0}, PAIL_ERR_UNSUPPORTED,
                     "2147483647");
    }
}

/* The model of tables: as many copies as are asked for and pay, in windows that are evenly full, in
 * segments that one binding reaches. */
/* Halves of scalars where that is less work: not of short scalars, and not where the windows of a
 * half have no use for their last bits. */
PAIL_TEST(test_images)
{
    struct pail_msm_plan plan;
    const struct pail_msm_knobs any = {0};
    struct pail_msm_shape shape = shape_of(1 << 20);
    shape.scalar_bits = 254;
    expect_plan(&plan, &shape, &ample, &any);
    assert_false(plan.split);
    assert_int_equal(plan.copies, 1);
    const uint32_t windows = plan.total_windows;
    shape.half_bits = 126;
    expect_plan(&plan, &shape, &ample, &any);
    assert_true(plan.split);
    assert_int_equal(plan.copies, 2);
    assert_int_equal(plan.window_bits, 16);
    assert_int_equal(plan.total_windows, 8);
    assert_true(plan.total_windows < windows);
    assert_int_equal(plan.window_step, 16);
    shape.n = 1 << 24;
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= PAIL_MSM_WINDOW_MAX; c++) {
        const struct pail_msm_knobs fixed = {.window_bits = c};
        expect_plan(&plan, &shape, &ample, &fixed);
        assert_int_equal(plan.window_bits, c);
        /* 15 windows of 17 bits, or 16 of halves; of 19 bits 14 of both. */
        if (c == 19)
            assert_true(plan.split);
        if (c == 17)
            assert_false(plan.split);
    }
    /* A wide top window, where one or two bits save one: not with several vectors, nor with more
     * than two batches, for which the next best window is chosen. */
    shape.n = 1 << 22;
    expect_plan(&plan, &shape, &ample, &any);
    assert_int_equal(plan.window_bits, 18);
    assert_int_equal(plan.wide_top, 1);
    assert_int_equal(plan.windows, 7);
    assert_int_equal(plan.digits, 14);
    assert_int_equal(plan.total_windows, 8);
    const uint64_t scratch = plan.scratch_bytes;
    const struct pail_msm_knobs two = {.batches = 2}, three = {.batches = 3},
                                less = {.memory_budget = scratch - 1};
    expect_plan(&plan, &shape, &ample, &three);
    assert_false(plan.wide_top);
    assert_int_equal(plan.window_bits, 16);
    expect_plan(&plan, &shape, &ample, &two);
    assert_int_equal(plan.wide_top, 1);
    assert_int_equal(plan.batch_windows, 5);
    expect_plan(&plan, &shape, &ample, &less);
    assert_int_equal(plan.wide_top, 1);
    assert_int_equal(plan.batches, 2);
    assert_in_range(plan.scratch_bytes, 1, scratch - 1);
    /* Scalars that are read where they are take no room. */
    expect_plan(&plan, &shape, &ample, &any);
    const uint64_t with_scalars = plan.scratch_bytes;
    pail_msm_plan_leave_scalars(&plan);
    assert_int_equal(plan.region_bytes[PAIL_MSM_SCALARS], 0);
    assert_in_range(with_scalars - plan.scratch_bytes, 32 * shape.n - ample.align, 32 * shape.n);
    /* Two bits more. */
    shape.half_bits = 127;
    expect_plan(&plan, &shape, &ample, &any);
    assert_int_equal(plan.window_bits, 18);
    assert_int_equal(plan.wide_top, 2);
    assert_int_equal(plan.windows, 7);
    assert_int_equal(plan.total_windows, 10);
    shape.half_bits = 126;
    shape.n = 1 << 16;
    for (uint32_t c = PAIL_MSM_WINDOW_MIN; c <= 18; c++) {
        const struct pail_msm_knobs fixed = {.window_bits = c};
        expect_plan(&plan, &shape, &ample, &fixed);
        assert_int_equal(plan.wide_top, plan.split && 126 % c < 2 ? 126 % c + 1 : 0);
    }
    shape.vectors = 2;
    shape.n = 1 << 22;
    expect_plan(&plan, &shape, &ample, &any);
    assert_false(plan.wide_top);
    shape.vectors = 1;

    shape.scalar_bits = shape.likely_bits = 100;
    expect_plan(&plan, &shape, &ample, &any);
    assert_false(plan.split);

    /* Sets that have GLV images. */
    const struct pail_device_room room = {.limit = 1 << 20, .held = 0};
    struct pail_vk_caps caps = {.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU};
    const uint64_t least = pail_glv_least(&caps, 0);
    assert_in_range(least, 2, 1 << 12);
    assert_int_equal(pail_glv_least(&caps, PAIL_DEBUG_GLV), 1);
    caps.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    assert_true(pail_glv_least(&caps, 0) == UINT64_MAX);
    assert_int_equal(pail_glv_least(&caps, PAIL_DEBUG_GLV), 1);
    assert_true(pail_glv_pays(2048, 2048, 64, &room));
    assert_false(pail_glv_pays(2047, 2048, 64, &room));
    assert_false(pail_glv_pays(2049, 2048, 64, &room)); /* a quarter of the room */
    assert_false(pail_glv_pays(0, 0, 64, &room));
    const struct pail_device_room endless = {.limit = UINT64_MAX};
    assert_false(pail_glv_pays((uint64_t)1 << 30, 1, 64, &endless)); /* handles */
    assert_true(pail_glv_pays(((uint64_t)1 << 30) - 1, 1, 64, &endless));
}

PAIL_TEST(test_tables)
{
    static const uint32_t factors[] = {2, 3, 7, 13, 64, UINT32_MAX};
    static const uint64_t sizes[] = {1, 31, 1000, 1 << 16, 1 << 20, 1 << 24};
    const struct pail_msm_table none = pail_msm_table_choose(1000, 254, 1, 64, GIB);
    assert_int_equal(none.factor, 1);
    assert_int_equal(none.bits, 0);
    assert_int_equal(pail_msm_table_choose(0, 254, 13, 64, GIB).factor, 1);
    assert_int_equal(pail_msm_table_choose(1000, 254, 13, 64, 64 * 64 - 1).factor, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); k++) {
            const struct pail_msm_table t =
                pail_msm_table_choose(sizes[i], 254, factors[k], 64, 4 * GIB - 1);
            const uint32_t digits = pail_msm_windows(254, t.bits);
            assert_in_range(t.bits, PAIL_MSM_WINDOW_MIN, PAIL_MSM_WINDOW_MAX);
            assert_in_range(t.factor, 2, factors[k]);
            const uint32_t windows = (digits + t.factor - 1) / t.factor;
            assert_true(windows * (uint64_t)factors[k] >= digits);
            assert_true(windows == 1 || (windows - 1) * (uint64_t)factors[k] < digits);
            assert_true(windows * (t.factor - 1) < digits);
        }
    /* The case that tables are for: one window, and windows wider than without. */
    const struct pail_msm_table t = pail_msm_table_choose(1 << 20, 254, 13, 64, 4 * GIB - 1);
    assert_int_equal(t.factor, 13);
    assert_int_equal(t.bits, 20);
    /* Of few points the reduction counts. */
    assert_int_equal(pail_msm_table_choose(1 << 12, 255, 32, 96, 4 * GIB - 1).bits, 9);
    /* One window has all bits of a short scalar. */
    assert_int_equal(pail_msm_table_choose(1 << 20, 5, 13, 64, GIB).factor, 1);

    const pail_msm_config any = {.struct_size = sizeof(any)}, same = {.window_bits = 20},
                          other = {.window_bits = 19};
    struct pail_error err;
    uint32_t bits = 0;
    assert_int_equal(pail_msm_table_window(&bits, &none, &other, &err), PAIL_OK);
    assert_int_equal(bits, 0);
    assert_int_equal(pail_msm_table_window(&bits, &t, &any, &err), PAIL_OK);
    assert_int_equal(bits, 20);
    assert_int_equal(pail_msm_table_window(&bits, &t, &same, &err), PAIL_OK);
    assert_int_equal(pail_msm_table_window(&bits, &t, &other, &err), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "window_bits is 19"));
}
