/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that sort, over made-up devices: their workgroups fit, and their results are where they
 * should be. */
#include <footprint.h>
#include <modules.h>
#include <msm/plan/plan.h>
#include <msm/plan/sort_plan.h>
#include <shared/msm_layout.h>

#include "support/test.h"

enum { KIB = 1024 };

static struct pail_vk_caps device(uint32_t bytes, uint32_t threads)
{
    return (struct pail_vk_caps){
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        .max_workgroup_bytes = bytes,
        .max_workgroup_invocations = threads,
        .max_workgroup_size = {threads, threads, 64},
    };
}

/* The kernel's workgroup, as it is specialised, fits. */
static void assert_fits(const struct pail_msm_sort_kernels *s, enum pail_kernel_id id,
                        const struct pail_vk_caps *caps)
{
    const struct pail_module *module =
        &pail_modules[pail_variant_index(id, (struct pail_variant){0})];
    uint32_t ids[PAIL_MAX_SPECS], specs[PAIL_MAX_SPECS];
    const uint32_t n = pail_msm_sort_kernels_specs(s, id, specs);
    struct pail_footprint f;
    assert_int_equal(n, pail_kernels[id].n_specs);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = pail_kernels[id].specs[i].id;
    assert_int_equal(pail_spirv_footprint(module->words, module->n_words, ids, specs, n, &f),
                     PAIL_SPIRV_OK);
    if (f.shared_bytes > caps->max_workgroup_bytes ||
        f.local_size[0] > caps->max_workgroup_invocations)
        fail_msg("%s: %u threads, %llu bytes", module->name, f.local_size[0],
                 (unsigned long long)f.shared_bytes);
    assert_true(f.local_size[0] >= MSM_SCAN_COLUMNS || id != PAIL_KERNEL_MSM_SORT_SCAN);
    assert_int_equal(f.local_size[0], s->serial && id != PAIL_KERNEL_MSM_SORT_TILES
                                          ? MSM_SORT_SERIAL
                                          : s->workgroup);
}

static struct pail_msm_sort_kernels choose(const struct pail_vk_caps *caps)
{
    const struct pail_msm_sort_kernels s = pail_msm_sort_kernels_of(caps);
    assert_fits(&s, s.count, caps);
    assert_fits(&s, PAIL_KERNEL_MSM_SORT_TILES, caps);
    assert_fits(&s, s.scan, caps);
    assert_fits(&s, s.scatter, caps);
    assert_fits(&s, s.finish, caps);
    assert_in_range(s.bits_max, MSM_SORT_BITS, s.serial ? MSM_SORT_BITS_SERIAL : MSM_SORT_BITS_MAX);
    assert_true(s.subtile && s.tiles && s.subtiles);
    return s;
}

PAIL_TEST(test_workgroups)
{
    static const struct {
        uint32_t bytes, threads, workgroup, items, bits;
    } cases[] = {
        {48 * KIB, 1024, 256, 18, 10}, {32 * KIB, 1024, 256, 18, 10}, {32 * KIB, 256, 256, 18, 10},
        {16 * KIB, 128, 128, 18, 9},   {16 * KIB, 256, 256, 12, 8},   {64 * KIB, 192, 128, 18, 10},
        {24 * KIB, 512, 256, 18, 8},   {28 * KIB, 512, 256, 18, 9},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pail_vk_caps caps = device(cases[i].bytes, cases[i].threads);
        const struct pail_msm_sort_kernels s = choose(&caps);
        assert_int_equal(s.scatter, PAIL_KERNEL_MSM_SORT_SCATTER);
        assert_int_equal(s.finish, PAIL_KERNEL_MSM_SORT_FINISH);
        assert_int_equal(s.workgroup, cases[i].workgroup);
        assert_int_equal(s.items, cases[i].items);
        assert_int_equal(s.bits_max, cases[i].bits);
        assert_int_equal(s.subtile, s.workgroup * s.items);
        assert_false(s.serial);
    }
}

/* A tile is a loop, and the driver ends long ones. */
PAIL_TEST(test_software)
{
    struct pail_vk_caps caps = device(32 * KIB, 1024);
    caps.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    const struct pail_msm_sort_kernels s = choose(&caps);
    assert_int_equal(s.count, PAIL_KERNEL_MSM_SORT_COUNT_SERIAL);
    assert_int_equal(s.scatter, PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL);
    assert_true(s.serial);
    assert_true(s.subtile * s.subtiles + (2u << s.bits_max) < 65535);
}

/* Keys that would take three passes have more bits in each of two, where workgroup memory has room
 * for their bins, and the same kernels as others where they need no more. */
PAIL_TEST(test_wide_keys)
{
    static const struct {
        uint32_t bytes, threads, key_bits, workgroup, items, bits, top_bits;
    } cases[] = {
        {48 * KIB, 1024, 19, 256, 18, 10, 0}, {48 * KIB, 1024, 20, 256, 18, 10, 2},
        {48 * KIB, 1024, 21, 256, 18, 11, 2}, {32 * KIB, 1024, 21, 256, 7, 11, 0},
        {16 * KIB, 256, 16, 256, 12, 8, 0},   {16 * KIB, 256, 17, 256, 9, 9, 0},
        {16 * KIB, 256, 20, 128, 7, 10, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pail_vk_caps caps = device(cases[i].bytes, cases[i].threads);
        const struct pail_msm_sort_kernels usual = pail_msm_sort_kernels_of(&caps);
        const struct pail_msm_sort_kernels s = pail_msm_sort_kernels_for(&usual, cases[i].key_bits);
        assert_int_equal(s.workgroup, cases[i].workgroup);
        assert_int_equal(s.items, cases[i].items);
        assert_int_equal(s.bits_max, cases[i].bits);
        assert_int_equal(s.top_bits, cases[i].top_bits);
        assert_int_equal(s.subtile, s.workgroup * s.items);
        assert_false(pail_msm_sort_kernels_strained(&usual, cases[i].key_bits));
        assert_fits(&s, s.count, &caps);
        assert_fits(&s, PAIL_KERNEL_MSM_SORT_TILES, &caps);
        assert_fits(&s, s.scan, &caps);
        assert_fits(&s, s.scatter, &caps);
        assert_fits(&s, s.finish, &caps);
    }
    const struct pail_vk_caps small = device(16 * KIB, 256);
    const struct pail_msm_sort_kernels usual = pail_msm_sort_kernels_of(&small);
    assert_true(pail_msm_sort_kernels_strained(&usual, 21));
    assert_int_equal(pail_msm_sort_kernels_for(&usual, 21).bits_max, usual.bits_max);
}

enum { STARTS = 12345 };

/* A sort's words do not overlap, whatever the run; and words have room for a number. */
static void check_sorting(const struct pail_msm_sort_kernels *sort_kernels, uint32_t key_bits,
                          uint64_t n, uint32_t windows)
{
    struct pail_msm_sort_plan s;
    pail_msm_plan_sort(&s, sort_kernels, key_bits, n, windows);
    assert_in_range(s.passes, 1, PAIL_MSM_PASSES_MAX);
    assert_int_equal(s.tile % sort_kernels->subtile, 0);
    assert_in_range(s.tile / sort_kernels->subtile, 1, sort_kernels->subtiles);
    uint32_t sorted_bits = 0;
    uint64_t starts_end = 0;
    for (uint32_t pass = 0; pass < s.passes; pass++) {
        const uint32_t bits = pail_msm_sort_plan_bits(&s, pass);
        assert_in_range(bits, 1, sort_kernels->bits_max);
        if (pass)
            assert_in_range(pail_msm_sort_plan_bits(&s, pass - 1) - bits, 0, 1);
        sorted_bits += bits;
        for (uint64_t less = 0; less < 3; less++) {
            const uint64_t entries = less == 2 ? 1 : n - less * (n / 3);
            struct msm_sort_push p;
            pail_msm_sort_plan_push(&s, pass, entries, STARTS, &p);
            const uint64_t epochs = (uint64_t)p.groups * p.epochs, segments = epochs / p.span;
            assert_true(p.span == 1 || (p.span == p.epochs && pass + 1 == s.passes));
            assert_true(sort_kernels->serial || sort_kernels->workgroup % p.columns == 0);
            assert_true((uint64_t)windows * p.tiles << bits <= p.totals);
            assert_true(p.totals + ((uint64_t)windows * p.groups << bits) <= p.first_tiles);
            assert_true(p.tiles <= s.tiles_max);
            assert_int_equal(p.groups, 1u << (sorted_bits - bits));
            if (s.passes > 1) {
                const uint64_t epoch = (uint64_t)p.epoch_tiles * p.tile;
                assert_true(epoch <= (uint64_t)1 << (p.word_shift - 1));
                assert_true(p.epochs * epoch >= entries && (p.epochs - 1) * epoch < entries);
            }
            if (pass == 0) {
                assert_true((uint64_t)p.tiles * p.tile >= entries);
                continue;
            }
            assert_true(p.tiles >= segments + entries / p.tile);
            assert_true(p.first_tiles + windows * (segments + 1) <= p.list);
            assert_true(p.list + (uint64_t)windows * p.tiles <= s.starts[1]);
            assert_true(p.starts_in + windows * (epochs + 1) <= s.words);
            assert_true(less || p.starts_in >= starts_end);
            if (less == 0)
                starts_end = p.starts_in + windows * (epochs + 1);
            assert_int_equal(p.starts_out, pass + 1 < s.passes ? s.starts[pass + 1] : STARTS);
        }
    }
    assert_int_equal(sorted_bits, key_bits);
    assert_true(s.passes == 1 || starts_end == s.words);
}

PAIL_TEST(test_sorting)
{
    struct pail_vk_caps devices[] = {device(48 * KIB, 1024), device(16 * KIB, 128),
                                     device(32 * KIB, 1024)};
    devices[2].type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    static const uint64_t sizes[] = {1, 100, 4608, 4609, 100000, 1 << 20, 20000001, 1 << 27};
    for (size_t d = 0; d < 3; d++) {
        const struct pail_msm_sort_kernels sort_kernels = pail_msm_sort_kernels_of(&devices[d]);
        for (uint32_t key_bits = 1; key_bits < PAIL_MSM_WINDOW_MAX; key_bits++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                for (uint32_t windows = 1; windows <= 40; windows += 13)
                    if (windows * sizes[i] >> 28 == 0) {
                        const struct pail_msm_sort_kernels wide =
                            pail_msm_sort_kernels_for(&sort_kernels, key_bits);
                        check_sorting(&sort_kernels, key_bits, sizes[i], windows);
                        check_sorting(&wide, key_bits, sizes[i], windows);
                    }
    }
}
