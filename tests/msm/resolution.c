/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is chosen for a multiplication comes from one pure function: how it goes on from
 * what was chosen before, and what it takes of measured choices. */

#include "support/test.h"

#include <core/debug.h>
#include <msm/plan/resolution.h>
#include <msm/run/warm.h>
#include <vk/device_priv.h>

#define N ((uint64_t)1 << 16)

static const pail_msm_config open_config = {.struct_size = sizeof(open_config)};

static const struct pail_vk_caps card = {
    .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    .int64 = true,
    .max_storage_range = UINT32_MAX,
    .max_buffer_bytes = UINT32_MAX,
    .max_workgroup_invocations = 1024,
    .max_workgroup_size = {1024, 1024, 64},
    .max_workgroup_count = {65535, 65535, 65535},
    .storage_align = 16,
    .max_workgroup_bytes = 32768,
    .name = "card",
};

static struct pail_msm_question question(enum pail_msm_extent extent)
{
    struct pail_msm_question q = {
        .extent = extent,
        .caps = &card,
        .config = &open_config,
        .narrowest = PAIL_G1,
        .order_known = true,
        .room = {.limit = (uint64_t)1 << 34},
        .kept = {{.factor = 1}, PAIL_RESIDENCY_DEVICE, N, false, false},
        .shape = {.n = N, .vectors = 1, .sets = 1, .scalar_bits = 256},
        .points = N,
    };
    assert_int_equal(pail_msm_group(&q.group, PAIL_CURVE_BN254, PAIL_G1, NULL), PAIL_OK);
    return q;
}

static struct pail_msm_resolution resolve(const struct pail_msm_question *q)
{
    struct pail_msm_resolution out;
    struct pail_error err = {0};
    if (pail_msm_resolve(&out, q, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return out;
}

/* An estimate without a device has a set that is still to be kept; a start has one that is. Both
 * have the same plan. */
PAIL_TEST(test_kept_or_not)
{
    static const struct pail_msm_set_wish sets[] = {
        {.n = N, .n_registered = N},
        {.n = N, .n_registered = N, .no_glv = true},
        {.n = N, .n_registered = N, .residency = PAIL_RESIDENCY_HOST},
        {.n = N, .n_registered = N, .table_factor = 4},
        {.n = 100, .n_registered = 5000},
    };
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        struct pail_msm_question q = question(PAIL_MSM_RESOLVE_PLAN);
        q.set = &sets[i];
        q.shape.n = sets[i].n;
        const struct pail_msm_resolution all = resolve(&q);
        q.extent = PAIL_MSM_RESOLVE_BASES;
        const struct pail_msm_resolution registered = resolve(&q);
        assert_int_equal(registered.plan.windows, 0);
        assert_int_equal(registered.kept.table.factor, all.kept.table.factor);
        assert_int_equal(registered.kept.table.bits, all.kept.table.bits);
        assert_int_equal(registered.kept.table.glv, all.kept.table.glv);
        q.extent = PAIL_MSM_RESOLVE_PLAN;
        q.set = NULL;
        q.kept = registered.kept;
        q.form = registered.form;
        pail_msm_shape_over(&q.shape, &q.group, &q.kept, q.order_known, 256);
        const struct pail_msm_resolution started = resolve(&q);
        assert_memory_equal(&started.shape, &all.shape, sizeof(all.shape));
        assert_memory_equal(&started.plan, &all.plan, sizeof(all.plan));
    }
}

/* Points have GLV images where nothing is said; a table takes their place, and neither stays with
 * points in host memory. */
PAIL_TEST(test_keeping)
{
    struct pail_msm_set_wish set = {.n = N, .n_registered = N};
    struct pail_msm_question q = question(PAIL_MSM_RESOLVE_BASES);
    q.set = &set;
    assert_true(resolve(&q).kept.table.glv);
    assert_int_equal(resolve(&q).kept.residency, PAIL_RESIDENCY_DEVICE);
    q.order_known = false;
    assert_false(resolve(&q).kept.table.glv);
    q.order_known = true;
    set.table_factor = 8;
    assert_true(resolve(&q).kept.table.bits);
    assert_false(resolve(&q).kept.table.glv);
    set.table_factor = 0;
    /* More than one binding reaches: as few segments as hold them, of one length, with images. */
    set.n = set.n_registered = (uint64_t)1 << 26;
    q.room.limit = (uint64_t)1 << 37;
    const struct pail_msm_keeping large = resolve(&q).kept;
    assert_true(large.table.glv);
    assert_int_equal(large.segment % PAIL_PIECE_POINTS, 0);
    assert_in_range(large.segment, set.n / 3, set.n / 3 + PAIL_PIECE_POINTS);
    assert_true(2 * 64 * large.segment <= UINT32_MAX);
    set.n = set.n_registered = N;
    q.room.limit = 6 << 20; /* the points take 4 of it, their scalars 2 */
    assert_int_equal(resolve(&q).kept.residency, PAIL_RESIDENCY_HOST);
    assert_int_equal(resolve(&q).kept.table.factor, 1);
}

/* Measured choices are taken where all of them are left open, and their window where there is one
 * vector, and room. */
PAIL_TEST(test_measured)
{
    struct pail_msm_question q = question(PAIL_MSM_RESOLVE_PLAN);
    pail_msm_shape_over(&q.shape, &q.group, &q.kept, true, 256);
    q.tuning = (pail_tuning){.struct_size = sizeof(q.tuning),
                             .accumulator = PAIL_ACCUMULATOR_WALKER,
                             .field = PAIL_FIELD_LIMB32,
                             .slots = 4};
    memset(q.tuning.window_bits, 9, sizeof(q.tuning.window_bits));
    const struct pail_msm_resolution measured = resolve(&q);
    assert_int_equal(measured.accumulator.accumulator, PAIL_ACCUMULATOR_WALKER);
    assert_int_equal(measured.accumulator.slots, 4);
    assert_int_equal(measured.form, PAIL_FORM_X32);
    assert_int_equal(measured.plan.window_bits, 9);

    struct pail_msm_question other = q;
    const pail_msm_config slots = {.struct_size = sizeof(slots), .field = PAIL_FIELD_LIMB29};
    other.config = &slots;
    assert_int_equal(resolve(&other).accumulator.accumulator, PAIL_ACCUMULATOR_XYZZ);
    assert_int_equal(resolve(&other).form, PAIL_FORM_X29);

    other = q;
    other.shape.vectors = 2;
    other.shape.segment = 0;
    assert_int_not_equal(resolve(&other).plan.window_bits, 9);

    other = q;
    memset(other.tuning.window_bits, 20, sizeof(other.tuning.window_bits));
    other.scratch = 24 << 20; /* 2^19 buckets of 128 bytes are more */
    assert_in_range(resolve(&other).plan.window_bits, 2, 17);
}

/* Choices that PAIL_DEBUG turns on, and a first group beside a second one. */
PAIL_TEST(test_device)
{
    struct pail_msm_question q = question(PAIL_MSM_RESOLVE_ACCUMULATOR);
    q.points = 10;
    assert_false(resolve(&q).accumulator.runs);
    q.debug = PAIL_DEBUG_RUNS;
    assert_true(resolve(&q).accumulator.runs);
    q.debug = PAIL_DEBUG_OVERLAP;
    assert_int_equal(resolve(&q).limits.overlap_points, 16);

    struct pail_vk_caps doubles = card;
    doubles.float64 = doubles.fused_doubles = doubles.fast_doubles = true;
    doubles.subgroup_size = 32;
    doubles.subgroup_operations = PAIL_VK_SUBGROUP_EXCHANGE;
    doubles.max_workgroup_bytes = 49152;
    q = question(PAIL_MSM_RESOLVE_ACCUMULATOR);
    q.caps = &doubles;
    assert_int_equal(pail_msm_group(&q.group, PAIL_CURVE_BLS12_381, PAIL_G2, NULL), PAIL_OK);
    const struct pail_msm_resolution both = resolve(&q);
    q.narrowest = PAIL_G2;
    const struct pail_msm_resolution alone = resolve(&q);
    assert_int_equal(alone.form, PAIL_FORM_D51);
    assert_int_equal(alone.accumulator.lanes, 2);
    assert_int_equal(both.accumulator.threads_max, 2 * alone.accumulator.threads_max);
    assert_int_equal(both.limits.max_threads, both.accumulator.threads_max);
}

/* Rows of kernels say when they are chosen: whatever the device, an open configuration takes none
 * that is chosen by name, and these are what names are for. */
PAIL_TEST(test_chosen)
{
    bool taken[PAIL_KERNEL_COUNT] = {false};
    for (uint32_t i = 0; i < 5 * 4 * 8 * 3; i++) {
        struct pail_vk_caps caps = card;
        caps.type = (VkPhysicalDeviceType)(i % 5);
        caps.int64 = caps.float64 = caps.fused_doubles = i / 20 % 2;
        caps.fast_doubles = caps.int64 && i / 40 % 2;
        caps.subgroup_size = 32;
        caps.subgroup_operations = i / 80 % 2 ? PAIL_VK_SUBGROUP_EXCHANGE : 0;
        struct pail_msm_question q = question(PAIL_MSM_RESOLVE_ACCUMULATOR);
        const uint32_t curve = 1 + i / 5 % 2, group = 1 + i / 10 % 2;
        assert_int_equal(pail_msm_group(&q.group, curve, group, NULL), PAIL_OK);
        q.caps = &caps;
        q.narrowest = group;
        q.points = i / 160 == 0 ? 100 : i / 160 == 1 ? N : (uint64_t)1 << 22;
        for (uint32_t field = 0; field < PAIL_FORM_COUNT; field++)
            for (uint32_t name = PAIL_ACCUMULATOR_AUTO; name <= PAIL_ACCUMULATOR_DEBUG; name++) {
                const pail_msm_config config =
                    SIZED(pail_msm_config, .accumulator = name, .field = field,
                          .inversion_group = name == PAIL_ACCUMULATOR_COOP ? 32 : 0);
                struct pail_msm_resolution out;
                struct pail_error err;
                q.config = &config;
                if (pail_msm_resolve(&out, &q, &err) != PAIL_OK)
                    continue; /* a form that the device lacks */
                taken[out.accumulator.kernel] = true;
                const enum pail_chosen chosen = pail_kernels[out.accumulator.kernel].chosen;
                if (name == PAIL_ACCUMULATOR_AUTO)
                    assert_int_equal(chosen, PAIL_CHOSEN_BY_ITSELF);
                else
                    assert_int_not_equal(chosen, PAIL_CHOSEN_BY_TESTS);
            }
    }
    for (uint32_t k = 0; k < PAIL_KERNEL_COUNT; k++)
        if (pail_kernels[k].chosen == PAIL_CHOSEN_BY_NAME)
            assert_true(taken[k]);
}

/* A choice that cannot be had is named, and nothing of a plan is left. */
PAIL_TEST(test_refused)
{
    struct pail_msm_question q = question(PAIL_MSM_RESOLVE_PLAN);
    const pail_msm_config doubles = {.struct_size = sizeof(doubles), .field = PAIL_FIELD_LIMB51};
    const pail_msm_config window = {.struct_size = sizeof(window), .window_bits = 12};
    struct pail_msm_resolution out;
    struct pail_error err = {0};
    q.config = &doubles;
    assert_int_equal(pail_msm_resolve(&out, &q, &err), PAIL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "card lacks doubles"));
    assert_int_equal(out.plan.windows, 0);
    q.config = &window;
    q.kept.table = (struct pail_msm_table){.factor = 2, .bits = 13};
    assert_int_equal(pail_msm_resolve(&out, &q, &err), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(err.text, "window_bits is 12; the bases have a table for windows"));
    assert_int_equal(out.plan.windows, 0);
}

/* A warm-up of a group has what a multiplication of any size asks for, with any window: wide keys
 * are sorted by kernels of their own, on devices that no software driver is. */
PAIL_TEST(test_warm_lists_have_each_size)
{
    static const uint32_t memory[] = {16384, 32768, 49152};
    for (uint32_t i = 0; i < 3; i++) {
        struct pail_vk_device dev = {.caps = card, .stats_lock = PTHREAD_MUTEX_INITIALIZER};
        struct pail_msm msm = {.dev = &dev, .lock = PTHREAD_MUTEX_INITIALIZER};
        struct pail_warm_list list = {0};
        struct pail_error err;
        pail_warm_item item = SIZED(pail_warm_item, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
        dev.caps.max_workgroup_bytes = memory[i];
        pail_vk_pace_init(&dev.pace, &dev.caps, false);
        assert_int_equal(pail_msm_warm_add(&msm, &list, &item, &err), PAIL_OK);
        const uint32_t all = list.n;
        for (uint32_t at = 0; at < 27 * (PAIL_MSM_WINDOW_MAX + 1); at++) {
            const pail_msm_config config = SIZED(pail_msm_config, .window_bits = at / 27);
            item.n = (uint64_t)1 << at % 27;
            item.config = &config;
            assert_int_equal(pail_msm_warm_add(&msm, &list, &item, &err), PAIL_OK);
            if (list.n > all)
                fail_msg("%u bytes, 2^%u points, %u bits: %s", memory[i], at % 27, at / 27,
                         pail_kernels[list.requests[all].kernel].name);
        }
        pail_vk_pace_fini(&dev.pace);
        pail_free(&msm.alloc, list.requests);
    }
}
