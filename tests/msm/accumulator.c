/* SPDX-License-Identifier: Apache-2.0 */
/* The accumulator that a configuration means, over made-up devices. */

#include <footprint.h>
#include <modules.h>
#include <msm/plan/policy.h>
#include <shared/msm_layout.h>

#include "support/test.h"

enum { KIB = 1024, G1 = 32, G2_381 = 96 };

/* The least that Vulkan 1.2 promises, with subgroups. */
static const struct pail_vk_caps small = {
    .name = "small",
    .max_workgroup_bytes = 16 * KIB,
    .max_workgroup_invocations = 128,
    .max_workgroup_size = {128, 128, 64},
    .subgroup_size = 32,
    .subgroup_operations = PAIL_VK_SUBGROUP_EXCHANGE,
};

static const struct pail_vk_caps large = {
    .name = "large",
    .max_workgroup_bytes = 48 * KIB,
    .max_workgroup_invocations = 1024,
    .max_workgroup_size = {1024, 1024, 64},
    .subgroup_size = 32,
    .subgroup_operations = PAIL_VK_SUBGROUP_EXCHANGE,
};

static struct pail_msm_accumulator choose_for(const struct pail_vk_caps *caps, uint32_t bytes,
                                              uint64_t points, const pail_msm_config *config)
{
    struct pail_msm_accumulator a;
    struct pail_error err = {0};
    const pail_status status =
        pail_msm_accumulator_choose(&a, config, caps, bytes, PAIL_G1, points, &err);
    if (status != PAIL_OK)
        fail_msg("%s", err.text);
    return a;
}

static struct pail_msm_accumulator choose(const struct pail_vk_caps *caps, uint32_t bytes,
                                          const pail_msm_config *config)
{
    return choose_for(caps, bytes, 0, config);
}

static void refuse(const struct pail_vk_caps *caps, const pail_msm_config *config,
                   pail_status wanted, const char *sentence)
{
    struct pail_msm_accumulator a;
    struct pail_error err = {0};
    assert_int_equal(pail_msm_accumulator_choose(&a, config, caps, G1, PAIL_G1, 0, &err), wanted);
    assert_string_equal(err.text, sentence);
    assert_int_equal(a.workgroup, 0);
}

PAIL_TEST(test_defaults)
{
    const pail_msm_config automatic = {0}, xyzz = {.accumulator = PAIL_ACCUMULATOR_XYZZ},
                          walker = {.accumulator = PAIL_ACCUMULATOR_WALKER},
                          coop = {.accumulator = PAIL_ACCUMULATOR_COOP},
                          debug = {.accumulator = PAIL_ACCUMULATOR_DEBUG};
    struct pail_msm_accumulator a = choose(&small, G1, &automatic);
    assert_int_equal(a.accumulator, PAIL_ACCUMULATOR_XYZZ);
    /* Fewer limbs where registers hold no sum; and of more limbs, if asked for, each thread inverts
     * for itself. Not on software drivers. */
    const pail_msm_config limbs29 = {.field = PAIL_FIELD_LIMB29};
    struct pail_vk_caps other = small;
    other.int64 = true;
    other.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    assert_int_equal(pail_msm_form_auto(&other, 64), PAIL_FORM_X29);
    assert_int_equal(pail_msm_form_auto(&other, 96), PAIL_FORM_X32);
    assert_int_equal(choose(&other, 96, &automatic).accumulator, PAIL_ACCUMULATOR_XYZZ);
    a = choose(&other, 96, &limbs29);
    assert_int_equal(a.accumulator, PAIL_ACCUMULATOR_COOP);
    assert_int_equal(a.inversion_group, 1);
    assert_int_equal(choose(&other, 64, &limbs29).accumulator, PAIL_ACCUMULATOR_XYZZ);
    other.fast_doubles = true;
    assert_int_equal(pail_msm_form_auto(&other, 32), PAIL_FORM_D51);
    assert_int_equal(pail_msm_form_auto(&other, 48), PAIL_FORM_D51);
    assert_int_equal(pail_msm_form_auto(&other, 64), PAIL_FORM_D51);
    assert_int_equal(pail_msm_form_auto(&other, 96), PAIL_FORM_D51);
    other.fast_doubles = false;
    other.fused_doubles = true; /* right, and slow */
    assert_int_equal(pail_msm_form_auto(&other, 32), PAIL_FORM_X29);
    other.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    assert_int_equal(pail_msm_form_auto(&other, 96), PAIL_FORM_X29);
    assert_int_equal(choose(&other, 96, &limbs29).accumulator, PAIL_ACCUMULATOR_XYZZ);
    other.int64 = false;
    assert_int_equal(pail_msm_form_auto(&other, 64), PAIL_FORM_X32);
    a = choose(&small, G1, &xyzz);
    assert_int_equal(a.accumulator, PAIL_ACCUMULATOR_XYZZ);
    assert_int_equal(a.kernel, PAIL_KERNEL_MSM_ACCUMULATE);
    assert_int_equal(a.workgroup, MSM_ACCUMULATE_WORKGROUP);
    assert_int_equal(a.shares, 1);
    assert_int_equal(a.slots + a.inversion_group + a.scratch_bytes, 0);
    assert_int_equal(a.prefix_placement, PAIL_PLACEMENT_PRIVATE);
    assert_int_equal(a.share_max, 8192);
    assert_int_equal(a.n_specs, 2);
    assert_int_equal(a.specs[0], a.workgroup);
    assert_int_equal(a.specs[1], a.prefix_placement);

    a = choose(&small, G1, &walker);
    assert_int_equal(a.kernel, PAIL_KERNEL_MSM_WALKER);
    assert_int_equal(a.shares, a.slots);
    assert_true(a.slots > 1);
    assert_int_equal(a.inversion_group, 1);
    assert_int_equal(a.prefix_placement, PAIL_PLACEMENT_PRIVATE);
    assert_int_equal(a.n_specs, 3);

    a = choose(&small, G1, &coop);
    assert_int_equal(a.kernel, PAIL_KERNEL_MSM_COOP);
    assert_int_equal(a.inversion_group, a.workgroup);
    assert_int_equal(a.n_specs, 4);
    assert_int_equal(a.specs[3], a.inversion_group);

    a = choose(&small, G1, &debug);
    assert_int_equal(a.kernel, PAIL_KERNEL_MSM_DEBUG);
    assert_int_equal(a.shares, 0);
}

/* 128 threads of 8 slots want 32 KiB for their prefix products; 16 KiB have room for 64. */
PAIL_TEST(test_workgroup_memory)
{
    pail_msm_config config = {.accumulator = PAIL_ACCUMULATOR_WALKER,
                              .slots = 8,
                              .workgroup = 128,
                              .prefix_placement = PAIL_PLACEMENT_WORKGROUP};
    assert_int_equal(choose(&small, G1, &config).workgroup, 64);
    assert_int_equal(choose(&large, G1, &config).workgroup, 128);
    assert_int_equal(choose(&small, G2_381, &config).workgroup, 21);
    config.prefix_placement = PAIL_PLACEMENT_PRIVATE;
    assert_int_equal(choose(&small, G1, &config).workgroup, 128);
    config.prefix_placement = PAIL_PLACEMENT_DEVICE;
    assert_int_equal(choose(&small, G1, &config).workgroup, 128);
    assert_int_equal(choose(&small, G1, &config).scratch_bytes, 256);

    /* A tree takes two coordinates for each thread, and beside it there are two flags. */
    config = (pail_msm_config){.accumulator = PAIL_ACCUMULATOR_COOP, .workgroup = 512};
    struct pail_msm_accumulator a = choose(&large, G1, &config);
    assert_int_equal(a.workgroup, 512);
    assert_int_equal(a.inversion_group, 512);
    a = choose(&large, G2_381, &config);
    assert_int_equal(a.workgroup, 128);
    assert_int_equal(a.inversion_group, 128);
    config.inversion_group = 64;
    a = choose(&large, G2_381, &config);
    assert_int_equal(a.workgroup, 192);
    assert_int_equal(a.inversion_group, 64);
    config.slots = 4;
    config.prefix_placement = PAIL_PLACEMENT_WORKGROUP;
    a = choose(&large, G1, &config);
    assert_int_equal(a.workgroup, 192); /* 192 bytes each and 8: not 256 */
    config.slots = 32;
    config.inversion_group = 128;
    refuse(
        &large, &config, PAIL_ERR_UNSUPPORTED,
        "config->inversion_group is 128; that many threads with 32 slots do not fit a workgroup, "
        "which has at most 1024 threads and 49152 bytes on large");
}

/* Whatever is chosen fits the device, and the kernel's specialisation says the same. */
PAIL_TEST(test_fits)
{
    static const uint32_t workgroups[] = {0, 1, 2, 20, 64, 100, 128};
    static const uint32_t groups[] = {0, 1, 2, 16, 32, 64};
    static const uint32_t bytes[] = {16, G1, 48, 64, G2_381};
    for (size_t b = 0; b < 5; b++)
        for (size_t w = 0; w < 7; w++)
            for (size_t g = 0; g < 6; g++)
                for (uint32_t slots = 0; slots <= MSM_WALK_SLOTS_MAX; slots++)
                    for (uint32_t placement = 0; placement <= PAIL_PLACEMENT_DEVICE; placement++) {
                        const pail_msm_config config = {
                            .accumulator = PAIL_ACCUMULATOR_COOP,
                            .workgroup = workgroups[w],
                            .inversion_group = groups[g],
                            .slots = slots,
                            .prefix_placement = placement,
                        };
                        struct pail_msm_accumulator a;
                        struct pail_error err = {0};
                        if (pail_msm_accumulator_choose(&a, &config, &small, bytes[b], PAIL_G1, 0,
                                                        &err) != PAIL_OK) {
                            assert_true(groups[g] > 1);
                            continue;
                        }
                        const uint64_t prefixes = a.prefix_placement == PAIL_PLACEMENT_WORKGROUP
                                                      ? (uint64_t)a.slots * a.workgroup
                                                      : 1;
                        const uint64_t tree = a.kernel != PAIL_KERNEL_MSM_COOP ? 0
                                              : a.inversion_group == 1         ? 1
                                                                               : 2 * a.workgroup;
                        assert_true(a.workgroup > 0 && a.workgroup <= 128);
                        assert_true(
                            (prefixes + tree) * bytes[b] + 8 <= 16 * KIB ||
                            (a.kernel != PAIL_KERNEL_MSM_COOP && prefixes * bytes[b] <= 16 * KIB));
                        assert_int_equal(a.workgroup % a.inversion_group, 0);
                        assert_int_equal(a.specs[0], a.workgroup);
                        assert_int_equal(a.specs[1], a.slots);
                        assert_int_equal(a.specs[2], a.prefix_placement);
                        assert_true(workgroups[w] == 0 || a.workgroup <= workgroups[w]);
                        assert_true(slots == 0 || a.slots == slots);
                        assert_true(groups[g] == 0 || a.inversion_group == groups[g]);
                        assert_true(a.share_max >= 64);
                    }
}

/* Memory of a workgroup, as the modules themselves state it. */
PAIL_TEST(test_modules)
{
    static const struct {
        uint32_t accumulator, placement, workgroup, group, slots;
    } cases[] = {
        {PAIL_ACCUMULATOR_XYZZ, 0, 100, 0, 0},
        {PAIL_ACCUMULATOR_DEBUG, 0, 0, 0, 0},
        {PAIL_ACCUMULATOR_WALKER, PAIL_PLACEMENT_PRIVATE, 128, 0, 32},
        {PAIL_ACCUMULATOR_WALKER, PAIL_PLACEMENT_DEVICE, 128, 0, 5},
        {PAIL_ACCUMULATOR_WALKER, PAIL_PLACEMENT_WORKGROUP, 128, 0, 5},
        {PAIL_ACCUMULATOR_COOP, PAIL_PLACEMENT_PRIVATE, 128, 0, 3},
        {PAIL_ACCUMULATOR_COOP, PAIL_PLACEMENT_PRIVATE, 128, 1, 3},
        {PAIL_ACCUMULATOR_COOP, PAIL_PLACEMENT_WORKGROUP, 128, 2, 3},
        {PAIL_ACCUMULATOR_COOP, PAIL_PLACEMENT_WORKGROUP, 128, 32, 3},
    };
    static const struct pail_variant variants[] = {
        {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X32, 0},
        {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X29, 0},
        {PAIL_KC_BLS12_381, PAIL_KG_G2, PAIL_FORM_X32, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t v = 0; v < 3; v++) {
            const pail_msm_config config = {
                .accumulator = cases[i].accumulator,
                .prefix_placement = cases[i].placement,
                .workgroup = cases[i].workgroup,
                .inversion_group = cases[i].group,
                .slots = cases[i].slots,
            };
            const struct pail_msm_accumulator a = choose(&small, v == 2 ? G2_381 : G1, &config);
            uint32_t ids[PAIL_MAX_SPECS], specs[PAIL_MAX_SPECS];
            for (uint32_t k = 0; k < a.n_specs; k++) {
                ids[k] = pail_kernels[a.kernel].specs[k].id;
                specs[k] = a.specs[k];
            }
            const struct pail_module *module =
                &pail_modules[pail_variant_index(a.kernel, variants[v])];
            struct pail_footprint group;
            assert_int_equal(
                pail_spirv_footprint(module->words, module->n_words, ids, specs, a.n_specs, &group),
                PAIL_SPIRV_OK);
            assert_int_equal(group.local_size[0], a.workgroup);
            assert_true(group.shared_bytes <= small.max_workgroup_bytes);
            /* One inversion group more is too much, unless it was not asked for. */
            const uint32_t unit = a.inversion_group ? a.inversion_group : 1;
            const uint32_t more =
                a.workgroup == a.inversion_group ? 2 * a.workgroup : a.workgroup + unit;
            if (config.workgroup < more)
                continue;
            specs[0] = more;
            if (a.workgroup == a.inversion_group && a.n_specs == 4)
                specs[3] = more;
            assert_int_equal(
                pail_spirv_footprint(module->words, module->n_words, ids, specs, a.n_specs, &group),
                PAIL_SPIRV_OK);
            assert_true(group.shared_bytes > small.max_workgroup_bytes);
        }
}

PAIL_TEST(test_subgroup)
{
    pail_msm_config config = {
        .accumulator = PAIL_ACCUMULATOR_COOP, .inversion_group = 32, .workgroup = 100};
    struct pail_msm_accumulator a = choose(&small, G1, &config);
    assert_int_equal(a.kernel, PAIL_KERNEL_MSM_COOP_SUBGROUP);
    assert_int_equal(a.workgroup, 96);
    assert_int_equal(a.n_specs, 3);
    struct pail_vk_caps without = small;
    without.subgroup_operations = 0;
    assert_int_equal(choose(&without, G1, &config).kernel, PAIL_KERNEL_MSM_COOP);
    config.inversion_group = 16;
    assert_int_equal(choose(&small, G1, &config).kernel, PAIL_KERNEL_MSM_COOP);
    config.inversion_group = 1;
    assert_int_equal(choose(&small, G1, &config).kernel, PAIL_KERNEL_MSM_COOP);
}

/* A driver that ends loops early gets shares that end before. */
PAIL_TEST(test_loop_limit)
{
    struct pail_vk_caps limited = small;
    limited.max_loop_iterations = 65535;
    pail_msm_config config = {.accumulator = PAIL_ACCUMULATOR_WALKER, .slots = 16};
    assert_int_equal(choose(&small, G1, &config).share_max, 8192);
    const uint32_t most = choose(&limited, G1, &config).share_max;
    assert_true(most >= 128 && most * (2 * 16 + 22) < 65535);
    config.accumulator = PAIL_ACCUMULATOR_DEBUG;
    config.slots = 0;
    assert_in_range(choose(&limited, G1, &config).share_max, 1, 32767);
}

/* Many points as runs in order of their length, from a number on that depends on the coordinates;
 * not where software drivers have a kernel of their own, which always takes them so. */
PAIL_TEST(test_runs)
{
    static const uint32_t sizes[] = {32, 48, 64, 96};
    const pail_msm_config automatic = {0}, walker = {.accumulator = PAIL_ACCUMULATOR_WALKER};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t bytes = sizes[i];
        const uint64_t least = pail_msm_runs_points(bytes);
        assert_int_equal(least, bytes == 32 ? 1 << 20 : bytes == 96 ? 1 << 15 : 1 << 18);
        const struct pail_msm_accumulator shares = choose_for(&large, bytes, least - 1, &automatic),
                                          runs = choose_for(&large, bytes, least, &automatic);
        assert_int_equal(shares.kernel, PAIL_KERNEL_MSM_ACCUMULATE);
        assert_int_equal(runs.kernel, PAIL_KERNEL_MSM_ACCUMULATE_RUNS);
        assert_true(!shares.runs && runs.runs && runs.tasks && runs.resumes);
        assert_int_equal(runs.lanes, 1);
        assert_int_equal(runs.accumulator, PAIL_ACCUMULATOR_XYZZ);
        assert_int_equal(runs.workgroup, shares.workgroup);
        assert_int_equal(runs.n_specs, 2);
        assert_false(choose_for(&large, bytes, UINT64_MAX, &walker).runs);
    }
    /* Two invocations for a sum that no registers hold, where subgroups are known. */
    struct pail_vk_caps card = large;
    card.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    card.fast_doubles = true;
    struct pail_msm_accumulator a;
    struct pail_error err;
    for (size_t i = 0; i < 4; i++)
        for (uint32_t without = 0; without < 2; without++) {
            card.subgroup_operations = without ? 0 : PAIL_VK_SUBGROUP_EXCHANGE;
            assert_int_equal(pail_msm_accumulator_choose(&a, &automatic, &card, sizes[i], PAIL_G2,
                                                         1 << 18, &err),
                             PAIL_OK);
            const bool pairs = sizes[i] == 96 && !without;
            assert_int_equal(a.lanes, pairs ? 2 : 1);
            assert_int_equal(pail_msm_accumulator_lanes(&a, PAIL_G2), a.lanes);
            /* A first group in the same bundle has no pairs. */
            assert_int_equal(a.kernel, a.tasks ? PAIL_KERNEL_MSM_ACCUMULATE_RUNS
                                               : PAIL_KERNEL_MSM_ACCUMULATE);
            assert_int_equal(pail_msm_accumulator_lanes(&a, PAIL_G1), 1);
            assert_int_equal(a.tasks, sizes[i] > 32);
        }
    /* Workgroups of the reduction are no whole subgroups of 64. */
    card.subgroup_operations = PAIL_VK_SUBGROUP_EXCHANGE;
    for (uint32_t size = 1; size <= 64; size *= 2) {
        card.subgroup_size = size;
        assert_int_equal(
            pail_msm_accumulator_choose(&a, &automatic, &card, G2_381, PAIL_G2, 1 << 18, &err),
            PAIL_OK);
        assert_int_equal(a.lanes, size > 1 && size <= 32 ? 2 : 1);
    }
    /* Few points, too. */
    card.subgroup_size = 32;
    for (uint64_t points = 0; points <= 1; points++) {
        assert_int_equal(
            pail_msm_accumulator_choose(&a, &automatic, &card, G2_381, PAIL_G2, points, &err),
            PAIL_OK);
        assert_true(a.tasks && a.lanes == 2);
    }
    struct pail_vk_caps software = small;
    software.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    software.max_loop_iterations = 65535;
    const uint32_t few = choose(&software, G1, &automatic).share_max;
    assert_int_equal(choose_for(&software, G1, UINT64_MAX, &automatic).share_max, few / 2);
    software.int64 = true;
    const struct pail_msm_accumulator serial = choose_for(&software, G1, UINT64_MAX, &automatic);
    assert_true(serial.serial && serial.runs && !serial.tasks);
}

/* Software drivers: kernels of their own for the first group in 29-bit limbs, where nobody asks for
 * what these do not do. */
PAIL_TEST(test_serial)
{
    const pail_msm_config automatic = {0}, limbs29 = {.field = PAIL_FIELD_LIMB29},
                          limbs32 = {.field = PAIL_FIELD_LIMB32},
                          shared = {.prefix_placement = PAIL_PLACEMENT_WORKGROUP},
                          walker = {.accumulator = PAIL_ACCUMULATOR_WALKER};
    struct pail_vk_caps software = small;
    software.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    software.int64 = true;
    struct pail_msm_accumulator a = choose(&software, G1, &automatic);
    assert_true(a.serial && a.resumes);
    assert_int_equal(a.kernel, PAIL_KERNEL_MSM_ACCUMULATE_SERIAL);
    assert_int_equal(a.accumulator, PAIL_ACCUMULATOR_XYZZ);
    assert_int_equal(a.prefix_placement, PAIL_PLACEMENT_PRIVATE);
    assert_int_equal(a.n_specs, 1);
    assert_int_equal(a.specs[0], a.workgroup);
    assert_true(choose(&software, 48, &limbs29).serial);
    assert_false(choose(&software, G1, &limbs32).serial);
    assert_false(choose(&software, G1, &shared).serial);
    assert_false(choose(&software, G1, &walker).serial);
    struct pail_error err;
    assert_int_equal(pail_msm_accumulator_choose(&a, &automatic, &software, 64, PAIL_G2, 0, &err),
                     PAIL_OK);
    assert_false(a.serial);
    software.int64 = false;
    assert_false(choose(&software, G1, &automatic).serial);
    software.int64 = true;
    software.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    assert_false(choose(&software, G1, &limbs29).serial);
}

/* Sums in doubles: a part of them in workgroup memory where that was faster, and what they take of
 * it fits; with few points, on other devices and where the caller says otherwise as everywhere. */
PAIL_TEST(test_sums_in_doubles)
{
    const pail_msm_config automatic = {0}, limbs29 = {.field = PAIL_FIELD_LIMB29},
                          doubles = {.field = PAIL_FIELD_LIMB51}, workgroup = {.workgroup = 96},
                          private = {.prefix_placement = PAIL_PLACEMENT_PRIVATE},
                          shared = {.prefix_placement = PAIL_PLACEMENT_WORKGROUP};
    const uint64_t many = UINT64_C(1) << 20;
    struct pail_vk_caps card = large;
    card.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    card.int64 = true;
    card.fast_doubles = true;
    static const struct {
        uint32_t bytes, placement;
    } rows[] = {{32, PAIL_PLACEMENT_WORKGROUP},
                {48, PAIL_PLACEMENT_WORKGROUP},
                {64, PAIL_PLACEMENT_WORKGROUP},
                {96, PAIL_PLACEMENT_WORKGROUP}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pail_msm_accumulator a = choose_for(&card, rows[i].bytes, many, &automatic);
        assert_int_equal(a.prefix_placement, rows[i].placement);
        assert_int_equal(a.threads_max % a.workgroup, 0);
        assert_int_equal(a.specs[0], a.workgroup);
        assert_int_equal(a.specs[1], a.prefix_placement);
        if (rows[i].placement == PAIL_PLACEMENT_WORKGROUP) /* digits: half more at most */
            assert_true((uint64_t)a.workgroup * 2 * rows[i].bytes * 3 / 2 <=
                        card.max_workgroup_bytes);
        const struct pail_msm_accumulator few = choose_for(&card, rows[i].bytes, 1000, &automatic);
        assert_int_equal(few.prefix_placement, PAIL_PLACEMENT_PRIVATE);
        assert_int_equal(few.workgroup, MSM_ACCUMULATE_WORKGROUP);
        const struct pail_msm_accumulator other =
            choose_for(&card, rows[i].bytes, many, &workgroup);
        assert_int_equal(other.prefix_placement, PAIL_PLACEMENT_PRIVATE);
        assert_int_equal(other.workgroup, 96);
        /* The row's placement, asked for, is the row; the other one is what everybody has. */
        for (size_t k = 0; k < 2; k++) {
            const pail_msm_config *asked = k ? &shared : &private;
            const struct pail_msm_accumulator b = choose_for(&card, rows[i].bytes, many, asked);
            assert_int_equal(b.prefix_placement, asked->prefix_placement);
            assert_int_equal(b.workgroup, b.prefix_placement == rows[i].placement
                                              ? a.workgroup
                                              : MSM_ACCUMULATE_WORKGROUP);
        }
    }
    assert_int_equal(choose_for(&card, 32, many, &doubles).prefix_placement,
                     PAIL_PLACEMENT_WORKGROUP);
    assert_int_equal(choose_for(&card, 32, many, &limbs29).prefix_placement,
                     PAIL_PLACEMENT_PRIVATE);
    card.max_workgroup_bytes = 32 * KIB; /* for 384 such sums */
    assert_int_equal(choose_for(&card, 32, many, &automatic).prefix_placement,
                     PAIL_PLACEMENT_PRIVATE);
    /* A caller's placement holds, in a workgroup that has room for it. */
    for (uint32_t bytes = 32; bytes <= 96; bytes += 16) {
        struct pail_msm_accumulator a = choose_for(&small, bytes, many, &shared);
        assert_int_equal(a.prefix_placement, PAIL_PLACEMENT_WORKGROUP);
        assert_true(a.workgroup > 0 &&
                    (uint64_t)a.workgroup * 2 * bytes * 4 / 3 <= small.max_workgroup_bytes);
    }
    card.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    assert_int_equal(choose_for(&card, 64, many, &automatic).prefix_placement,
                     PAIL_PLACEMENT_PRIVATE);
}

PAIL_TEST(test_refusals)
{
    const pail_msm_config unknown = {.accumulator = 5},
                          slots = {.accumulator = PAIL_ACCUMULATOR_XYZZ, .slots = 8},
                          placement = {.accumulator = PAIL_ACCUMULATOR_DEBUG,
                                       .prefix_placement = 1},
                          group = {.accumulator = PAIL_ACCUMULATOR_XYZZ, .inversion_group = 2},
                          threads = {.accumulator = PAIL_ACCUMULATOR_DEBUG, .threads = 2},
                          many = {.accumulator = PAIL_ACCUMULATOR_WALKER, .slots = 33},
                          nowhere = {.accumulator = PAIL_ACCUMULATOR_WALKER, .prefix_placement = 4},
                          alone = {.accumulator = PAIL_ACCUMULATOR_WALKER, .inversion_group = 32},
                          three = {.accumulator = PAIL_ACCUMULATOR_COOP, .inversion_group = 3},
                          beyond = {.accumulator = PAIL_ACCUMULATOR_COOP,
                                    .inversion_group = 64,
                                    .workgroup = 32},
                          outside = {.accumulator = PAIL_ACCUMULATOR_XYZZ,
                                     .prefix_placement = PAIL_PLACEMENT_DEVICE},
                          wide = {.accumulator = PAIL_ACCUMULATOR_XYZZ, .workgroup = 129};
    refuse(
        &small, &unknown, PAIL_ERR_UNSUPPORTED,
        "config->accumulator is 5; the Vulkan backend has xyzz, walker, coop and debug (1 to 4)");
    refuse(&small, &slots, PAIL_ERR_ARGUMENT,
           "config->slots is 8; the accumulator xyzz shares no inversions");
    refuse(&small, &placement, PAIL_ERR_ARGUMENT,
           "config->prefix_placement is 1; the accumulator debug shares no inversions");
    refuse(&small, &group, PAIL_ERR_ARGUMENT,
           "config->inversion_group is 2; the accumulator xyzz shares no inversions");
    refuse(&small, &threads, PAIL_ERR_ARGUMENT,
           "config->threads is 2; the accumulator debug has one for each bucket");
    refuse(&small, &many, PAIL_ERR_ARGUMENT, "config->slots is 33; at most 32");
    refuse(&small, &nowhere, PAIL_ERR_ARGUMENT, "config->prefix_placement is 4, which is none");
    refuse(
        &small, &alone, PAIL_ERR_ARGUMENT,
        "config->inversion_group is 32; each thread of the accumulator walker inverts for itself");
    refuse(&small, &three, PAIL_ERR_ARGUMENT,
           "config->inversion_group is 3; it has to be a power of two");
    refuse(&small, &beyond, PAIL_ERR_ARGUMENT,
           "config->inversion_group is 64; the workgroup has only 32 threads");
    refuse(
        &small, &outside, PAIL_ERR_ARGUMENT,
        "config->prefix_placement is 3; sums of the accumulator xyzz are in registers (private, 1) "
        "or in workgroup memory (workgroup, 2)");
    refuse(&small, &wide, PAIL_ERR_UNSUPPORTED, "config->workgroup is 129; at most 128 on small");
}
