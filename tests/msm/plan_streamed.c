/* SPDX-License-Identifier: Apache-2.0 */
/* Plans in chunks: of what is sent while the device works, where the points are cut, of bases that
 * stay in host memory and of scalars alone, and how many places there are for what is sent; and of
 * bases in several buffers. */
#include "plan_check.h"
#include "support/test.h"

/* Bases from host memory: several chunks, so that there is something to go on with while others are
 * sent, and two places for them where that takes nothing away. */
PAIL_TEST(test_streamed)
{
    static const struct {
        uint64_t n;
        uint32_t chunks;
    } cases[] = {{1 << 14, 1}, {1 << 19, 1}, {3 << 18, 3}, {1 << 20, 3},
                 {1 << 22, 5}, {1 << 24, 5}, {1 << 26, 5}};
    struct pail_msm_limits limits = ample;
    limits.overlap_points = 1 << 19;
    struct pail_msm_plan plan, single;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_msm_shape shape = shape_of(cases[i].n);
        shape.streamed = true;
        expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
        assert_true(plan.stepped);
        assert_int_equal(plan.chunks, cases[i].chunks);
        assert_int_equal(plan.places, cases[i].chunks > 1 ? 2 : 1);
        /* The first chunk is small: until it is there, nothing is worked on. */
        assert_int_equal(plan.lead, cases[i].chunks > 1 ? plan.chunk / 4 : 0);
        /* With one byte less there is one place, for the same chunks. */
        const struct pail_msm_knobs tight = {.memory_budget = plan.scratch_bytes - 1};
        if (plan.places == 1)
            continue;
        expect_plan(&single, &shape, &limits, &tight);
        assert_int_equal(single.places, 1);
        assert_int_equal(single.chunks, plan.chunks);
        assert_int_equal(single.batches, plan.batches);
        assert_in_range(single.scratch_bytes, 1, tight.memory_budget);
        expect_plan(&plan, &shape, &ample, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.places, 1);
    }
}

/* While scalars are sent the first points are worked on: a quarter, or less of those that are sent
 * faster; of many a twentieth, and six times as many. */
PAIL_TEST(test_overlap)
{
    const uint64_t least = 1000;
    static const struct {
        uint64_t n;
        bool pinned;
        uint32_t chunks;
        uint64_t lead;
    } cases[] = {{999, false, 1, 0},      {1000, false, 2, 250},  {1001, false, 2, 251},
                 {15999, false, 2, 4000}, {16000, false, 3, 800}, {1 << 20, false, 3, 52429},
                 {999, true, 1, 0},       {1001, true, 2, 188},   {15999, true, 2, 3000},
                 {16000, true, 3, 800}};
    struct pail_msm_limits limits = ample;
    limits.overlap_points = least;
    limits.accumulator.resumes = true;
    struct pail_msm_plan plan;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_msm_shape shape = shape_of(cases[i].n);
        shape.sent = true;
        shape.pinned = cases[i].pinned;
        expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.joined, cases[i].chunks > 1);
        assert_int_equal(plan.chunks, cases[i].chunks);
        assert_int_equal(plan.lead, cases[i].lead);
        assert_int_equal(plan.batches, 1);
    }
    /* Each chunk adds to all buckets, so that fewer are worth an addition more. */
    for (uint32_t sent = 0; sent <= 1; sent++) {
        struct pail_msm_shape shape = shape_of(1 << 24);
        shape.half_bits = 126;
        shape.sent = sent;
        expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.chunks, sent ? 3 : 1);
        assert_int_equal(plan.window_bits, sent ? 18 : 21);
    }
    /* Not where there is nothing to wait for, or no way or no room to do it. */
    for (uint32_t i = 0; i < 8; i++) {
        struct pail_msm_shape shape = shape_of(1 << 16);
        struct pail_msm_limits other = limits;
        struct pail_msm_knobs knobs = {0};
        shape.sent = i != 1;
        shape.vectors = i == 2 ? 2 : 1;
        shape.segment = i == 3 ? 1 << 15 : 0;
        shape.streamed = i == 4;
        other.accumulator.resumes = i != 5;
        other.overlap_points = i == 6 ? 0 : least;
        knobs.batches = i == 7 ? 2 : 0;
        expect_plan(&plan, &shape, &other, &knobs);
        assert_int_equal(plan.joined, i == 0 || i == 3);
        if (i == 0 || i == 3) /* their points are in two buffers */
            assert_int_equal(plan.chunks, i == 0 ? 3 : 4);
    }
    /* A chunk has all windows, however many chunks that makes. */
    for (uint32_t cuts = 1; cuts <= 8; cuts *= 2) {
        struct pail_msm_shape large = shape_of(1 << 20);
        struct pail_msm_limits few = limits;
        large.sent = true;
        expect_plan(&plan, &large, &limits, &(const struct pail_msm_knobs){0});
        const uint64_t digits = plan.total_windows * (uint64_t)plan.copies;
        few.max_entries = digits * (large.n / cuts);
        expect_plan(&plan, &large, &few, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.joined, cuts <= 4);
        if (plan.joined) {
            assert_int_equal(plan.batches, 1);
            assert_int_equal(plan.lead, 52429);
            assert_in_range(plan.chunk, 1, large.n / cuts);
            assert_int_equal(plan.chunks, cuts == 1 ? 3 : cuts == 2 ? 4 : 6);
        }
    }
    const struct pail_msm_shape shape = {.n = 1 << 16,
                                         .vectors = 1,
                                         .sets = 1,
                                         .scalar_bits = 254,
                                         .point_bytes = 64,
                                         .xyzz_bytes = 128,
                                         .sent = true};
    const struct pail_msm_knobs tight = {.memory_budget = 8 * MIB};
    expect_plan(&plan, &shape, &limits, &tight);
    assert_false(plan.joined);
}

/* Points in several segments: a chunk of each, which add to the same buckets. */
PAIL_TEST(test_segments)
{
    enum { SEGMENT = 1 << 16 };
    struct pail_msm_limits limits = ample;
    limits.accumulator.resumes = true;
    struct pail_msm_plan plan;
    for (uint32_t i = 0; i < 8; i++) {
        struct pail_msm_shape shape = shape_of(i == 6 ? SEGMENT : 3 * SEGMENT);
        struct pail_msm_limits other = limits;
        struct pail_msm_knobs knobs = {0};
        shape.segment = i == 5 ? shape.n : SEGMENT;
        shape.base_offset = i == 6 ? 1000 : 0; /* within the segments that it takes to hold it */
        shape.half_bits = i == 7 ? 126 : 0;
        shape.vectors = i == 1 ? 2 : 1;
        shape.streamed = i == 2;
        other.accumulator.resumes = i != 3;
        knobs.batches = i == 4 ? 2 : 0;
        if (i == 1) /* vectors are of one segment */
            shape.segment = 0;
        expect_plan(&plan, &shape, &other, &knobs);
        assert_int_equal(plan.joined, i == 0 || i >= 6);
        assert_false(plan.overlaps);
        if (!plan.joined)
            continue;
        assert_int_equal(plan.chunks, i == 6 ? 2 : 3);
        assert_int_equal(plan.batches, 1);
        assert_int_equal(plan.lead, 0);
        assert_int_equal(plan.split, i == 7);
    }
    /* Segments in halves and quarters for a device that is slow or binds little, with a window that
     * has fewer buckets for more chunks to add to; else buckets for each chunk. */
    const struct pail_msm_shape shape = {.n = 3 * SEGMENT,
                                         .vectors = 1,
                                         .sets = 1,
                                         .scalar_bits = 254,
                                         .point_bytes = 64,
                                         .xyzz_bytes = 128,
                                         .segment = SEGMENT};
    expect_plan(&plan, &shape, &limits, &(const struct pail_msm_knobs){0});
    const struct pail_msm_knobs window = {.window_bits = plan.window_bits};
    for (uint32_t cuts = 1; cuts <= 8; cuts *= 2) {
        struct pail_msm_limits slow = limits;
        slow.max_entries = (uint64_t)plan.total_windows * (SEGMENT / cuts);
        struct pail_msm_plan cut;
        expect_plan(&cut, &shape, &slow, &window);
        assert_int_equal(cut.joined, cuts <= 4);
        if (cut.joined)
            assert_int_equal(cut.chunks, 3 * cuts);
    }
    uint32_t before = plan.window_bits;
    for (uint32_t chunks = 4; chunks <= 64; chunks *= 2) {
        struct pail_msm_shape many = shape;
        many.segment = (3 * SEGMENT + chunks - 1) / chunks;
        expect_plan(&plan, &many, &limits, &(const struct pail_msm_knobs){0});
        assert_int_equal(plan.chunks, chunks);
        assert_true(plan.window_bits <= before);
        before = plan.window_bits;
    }
    /* Scalars that are more than a buffer: with their chunk, two places where that pays. */
    for (uint32_t overlap = 0; overlap <= 1; overlap++) {
        struct pail_msm_limits small = limits;
        struct pail_msm_shape sent = shape;
        sent.sent = true;
        small.max_region_bytes = 32 * 2 * SEGMENT + 32 * 2;
        small.overlap_points = overlap;
        expect_plan(&plan, &sent, &small, &(const struct pail_msm_knobs){0});
        assert_true(plan.joined && plan.stepped && !plan.overlaps);
        assert_int_equal(plan.chunks, 3);
        assert_int_equal(plan.places, 1 + overlap);
    }
    assert_in_range(before, 2, window.window_bits - 1);
    const struct pail_msm_knobs tight = {.memory_budget = 16 * MIB};
    expect_plan(&plan, &shape, &limits, &tight);
    assert_false(plan.joined);
}
