/* Which kernels sort, over made-up devices, and that their workgroups fit. */
#include <string.h>

#include <footprint.h>
#include <modules.h>
#include <msm/msm.h>
#include <msm/plan.h>
#include <msm/sorter.h>
#include <shared/msm_layout.h>

#include "cmocka_all.h"

enum { KIB = 1024 };

static struct pail_vk_caps device(uint32_t bytes, uint32_t threads, uint32_t subgroup)
{
    return (struct pail_vk_caps){
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        .max_workgroup_bytes = bytes,
        .max_workgroup_invocations = threads,
        .max_workgroup_size = {threads, threads, 64},
        .subgroup_size = subgroup,
        .subgroup_operations = PAIL_VK_SUBGROUP_EXCHANGE,
    };
}

/* The kernel's workgroup, as it is specialised, fits. */
static void assert_fits(const struct pail_msm_sorter *s, enum pail_kernel_id id,
                        const struct pail_vk_caps *caps)
{
    const struct pail_module *module =
        &pail_modules[pail_variant_index(id, (struct pail_variant){0})];
    uint32_t ids[PAIL_MAX_SPECS], specs[PAIL_MAX_SPECS];
    const uint32_t n = pail_msm_sorter_specs(s, id, specs);
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
    assert_int_equal(f.local_size[0],
                     s->serial && id != PAIL_KERNEL_MSM_SORT_SCAN ? MSM_SORT_SERIAL : s->workgroup);
}

static struct pail_msm_sorter choose(const struct pail_vk_caps *caps)
{
    const struct pail_msm_sorter s = pail_msm_sorter_of(caps);
    assert_fits(&s, s.count, caps);
    assert_fits(&s, PAIL_KERNEL_MSM_SORT_SCAN, caps);
    assert_fits(&s, s.scatter, caps);
    assert_in_range(s.bits_max, MSM_SORT_BITS, MSM_SORT_BITS_MAX);
    assert_true(s.subtile && s.tiles && s.subtiles);
    return s;
}

static void test_subgroup(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes, threads, subgroup, full, workgroup, items, bits, lanes;
    } cases[] = {
        {48 * KIB, 1024, 32, 0, 256, 8, 10, PAIL_LANES_FEW},
        {32 * KIB, 1024, 32, 0, 256, 8, 10, PAIL_LANES_FEW},
        {32 * KIB, 256, 64, 0, 256, 8, 10, PAIL_LANES_MANY},
        {16 * KIB, 128, 32, 0, 128, 8, 9, PAIL_LANES_FEW},
        {16 * KIB, 256, 16, 0, 256, 4, 9, PAIL_LANES_FEW},
        {64 * KIB, 1024, 128, 0, 256, 8, 10, PAIL_LANES_MANY},
        {16 * KIB, 192, 64, 0, 128, 8, 9, PAIL_LANES_MANY},
        {48 * KIB, 1024, 32, 1, 256, 16, 10, 32},
        {64 * KIB, 1024, 64, 1, 256, 16, 10, 64},
        {32 * KIB, 1024, 32, 1, 256, 8, 10, 32},
        {16 * KIB, 128, 16, 1, 128, 8, 9, 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pail_vk_caps caps = device(cases[i].bytes, cases[i].threads, cases[i].subgroup);
        caps.full_subgroups = cases[i].full;
        const struct pail_msm_sorter s = choose(&caps);
        assert_int_equal(s.scatter, PAIL_KERNEL_MSM_SORT_SCATTER_SUBGROUP);
        assert_int_equal(s.workgroup, cases[i].workgroup);
        assert_int_equal(s.items, cases[i].items);
        assert_int_equal(s.bits_max, cases[i].bits);
        assert_int_equal(s.subtile, s.workgroup * s.items);
        assert_int_equal(s.lanes, cases[i].lanes);
        assert_int_equal(s.subtile * s.subtiles, 8192);
        assert_false(s.serial);
    }
}

/* Nothing to rely on: no operations, subgroups too small or too large, no room. */
static void test_portable(void **state)
{
    (void)state;
    struct pail_vk_caps cases[] = {
        device(48 * KIB, 1024, 32), device(48 * KIB, 1024, 8), device(48 * KIB, 1024, 256),
        device(48 * KIB, 1024, 0),  device(16 * KIB, 128, 24),
    };
    cases[0].subgroup_operations = VK_SUBGROUP_FEATURE_BALLOT_BIT;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pail_msm_sorter s = choose(&cases[i]);
        assert_int_equal(s.count, PAIL_KERNEL_MSM_SORT_COUNT);
        assert_int_equal(s.scatter, PAIL_KERNEL_MSM_SORT_SCATTER);
        assert_int_equal(s.subtile, MSM_SORT_SUBTILE);
        assert_int_equal(s.bits_max, MSM_SORT_BITS);
        assert_false(s.serial);
    }
}

/* A tile is a loop, and the driver ends long ones. */
static void test_software(void **state)
{
    (void)state;
    struct pail_vk_caps caps = device(32 * KIB, 1024, 8);
    caps.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    const struct pail_msm_sorter s = choose(&caps);
    assert_int_equal(s.count, PAIL_KERNEL_MSM_SORT_COUNT_SERIAL);
    assert_int_equal(s.scatter, PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL);
    assert_true(s.serial);
    assert_true(s.subtile * s.subtiles + (2u << s.bits_max) < 65535);
}

static uint64_t counts_of(uint32_t features)
{
    const pail_device_info info = {
        .struct_size = sizeof(info),
        .type = PAIL_DEVICE_DISCRETE,
        .max_binding_bytes = UINT32_MAX,
        .max_allocation_bytes = UINT32_MAX,
        .max_workgroup_invocations = 1024,
        .max_workgroup_bytes = 48 * KIB,
        .max_workgroups = {65535, 65535, 65535},
        .subgroup_size = 32,
        .features = PAIL_FEATURE_INT64 | PAIL_FEATURE_SUBGROUP_EXCHANGE | features,
    };
    const pail_memory_query query = {.struct_size = sizeof(query),
                                     .curve = PAIL_CURVE_BN254,
                                     .group = PAIL_G1,
                                     .n = 5000,
                                     .device = &info};
    struct pail_msm_memory table;
    assert_int_equal(pail_msm_memory_table(&table, &query, NULL), PAIL_OK);
    for (size_t i = 0; i < table.n_rows; i++)
        if (strcmp(table.rows[i].name, pail_msm_region_name(PAIL_MSM_COUNTS)) == 0)
            return table.rows[i].bytes;
    fail_msg("no row of counts");
    return 0;
}

/* A device that is only described sorts as it would: with full subgroups in larger pieces, which
 * leave fewer counts. */
static void test_described(void **state)
{
    (void)state;
    assert_true(counts_of(PAIL_FEATURE_FULL_SUBGROUPS) < counts_of(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subgroup),
        cmocka_unit_test(test_portable),
        cmocka_unit_test(test_software),
        cmocka_unit_test(test_described),
    };
    return cmocka_run_group_tests_name("sorter", tests, NULL, NULL);
}
