/* SPDX-License-Identifier: Apache-2.0 */
/* The accumulators that share inversions, and the reference: next to their twins in every
 * specialisation that differs in what it does. */
#include "kernels_shares.h"
#include "support/long.h"
#include "support/test.h"

#define PRIVATE   MSM_PLACEMENT_PRIVATE
#define WORKGROUP MSM_PLACEMENT_WORKGROUP
#define DEVICE    MSM_PLACEMENT_DEVICE

static uint32_t threads_for(uint32_t shares, const struct walk_case *walk)
{
    return groups_for(shares, walk->slots);
}

/* Every kind of bases, with few buckets, so that a slot meets many runs and a run many cuts. */
static void check_kinds(const struct vk_fixture *f, const struct walk_case *walk,
                        enum pail_field_form form, uint32_t workgroup)
{
    const uint32_t n = is_slow(f) ? 30 : 120;
    for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++) {
        const struct share_case c = {
            .n = n,
            .windows = 3,
            .buckets = kind % 2 ? 8 : 2,
            .threads = threads_for(19, walk),
            .share = 4,
            .kind = (enum pail_base_kind)kind,
            .base_first = kind,
            .workgroup = workgroup,
            .walk = walk,
        };
        check_shares(f, &c, form, kind);
    }
}

/* Nothing to do, one entry, one hot bucket in all shares, more shares than entries, runs of one
 * entry each, shares that are buckets. */
static void check_shapes(const struct vk_fixture *f, const struct walk_case *walk,
                         enum pail_field_form form, uint32_t workgroup)
{
    const uint32_t n = is_slow(f) ? 30 : 150;
    struct share_case c = {
        .n = n,
        .windows = 2,
        .buckets = 4,
        .threads = threads_for(21, walk),
        .share = 1,
        .one_in = UINT32_MAX,
        .generic = true,
        .workgroup = workgroup,
        .walk = walk,
    };
    assert_int_equal(check_shares(f, &c, form, 400), 0);
    c.one_in = 1;
    assert_true(check_shares(f, &c, form, 401) > 20);
    c.one_in = 9;
    check_shares(f, &c, form, 402);
    c.one_in = 0;
    c.buckets = 512;
    check_shares(f, &c, form, 403);
    c.n = 1;
    c.windows = 1;
    c.buckets = 2;
    check_shares(f, &c, form, 404);
    c.n = is_slow(f) ? 40 : 160;
    check_edges(f, c, form, 410);
}

/* Drivers take long to compile form x29, and what differs by specialisation knows no form: it is
 * packed alike in all placements. One specialisation of x29, and in a long run three. */
static void check_walks(const struct vk_fixture *f, const struct walk_case walks[], size_t n,
                        uint32_t workgroup)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    const size_t n_x29 = test_long() ? 3 : 1;
    for (uint32_t i = 0; i < n_forms; i++)
        for (size_t k = 0; k < n && (k < n_x29 || forms[i] != PAIL_FORM_X29); k++) {
            check_kinds(f, &walks[k], forms[i], workgroup);
            check_shapes(f, &walks[k], forms[i], workgroup);
        }
}

/* A driver that takes seconds for each pipeline has two of each accumulator: products in private
 * memory, and in the workgroup's. lavapipe has all of them in the same form. */
static bool few(const struct vk_fixture *f)
{
    return is_slow(f) && !test_long();
}

void test_walker(void **state)
{
    static const struct walk_case walks[] = {
        {PAIL_KERNEL_MSM_WALKER, 4, PRIVATE, 0},  {PAIL_KERNEL_MSM_WALKER, 3, WORKGROUP, 0},
        {PAIL_KERNEL_MSM_WALKER, 16, DEVICE, 0},  {PAIL_KERNEL_MSM_WALKER, 1, PRIVATE, 0},
        {PAIL_KERNEL_MSM_WALKER, 32, PRIVATE, 0},
    };
    check_walks(*state, walks, few(*state) ? 2 : 5, 8);
}

/* The last workgroup is not full. */
void test_coop(void **state)
{
    static const struct walk_case walks[] = {
        {PAIL_KERNEL_MSM_COOP, 1, PRIVATE, 8}, {PAIL_KERNEL_MSM_COOP, 2, WORKGROUP, 4},
        {PAIL_KERNEL_MSM_COOP, 3, DEVICE, 2},  {PAIL_KERNEL_MSM_COOP, 1, PRIVATE, 1},
        {PAIL_KERNEL_MSM_COOP, 5, PRIVATE, 8},
    };
    check_walks(*state, walks, few(*state) ? 2 : test_long() ? 5 : 4, 8);
}

void test_coop_subgroup(void **state)
{
    static const struct walk_case walks[] = {
        {PAIL_KERNEL_MSM_COOP_SUBGROUP, 1, PRIVATE, 0},
        {PAIL_KERNEL_MSM_COOP_SUBGROUP, 3, DEVICE, 0},
    };
    const struct vk_fixture *f = *state;
    if (!pail_vk_caps_exchange(pail_vk_device_caps(f->dev)))
        SKIP_BECAUSE("this device has no shuffles within a subgroup");
    check_walks(*state, walks, few(f) ? 1 : 2, 64);
}

void test_debug(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t kind = 0; kind < PAIL_BASES_COUNT; kind++) {
            struct share_case c = {
                .n = is_slow(f) ? 40 : 150,
                .windows = 3,
                .buckets = kind % 2 ? 128 : 4,
                .threads = 1,
                .share = 1,
                .kind = (enum pail_base_kind)kind,
                .base_first = kind,
                .workgroup = kind % 3 ? 0 : 16,
                .debug = true,
            };
            check_shares(f, &c, forms[i], kind);
            c.one_in = kind % 3 ? 1 : UINT32_MAX;
            check_shares(f, &c, forms[i], 10 + kind);
        }
}

/* A share of as many entries as a plan ever gives to one: drivers are known to end long loops. The
 * specialisations are those of the tests above, whose pipelines are there. */
void test_walk_long_share(void **state)
{
    const struct vk_fixture *f = *state;
    static const struct walk_case walks[] = {
        {PAIL_KERNEL_MSM_WALKER, 4, PRIVATE, 0},
        {PAIL_KERNEL_MSM_COOP, 1, PRIVATE, 8},
        {PAIL_KERNEL_MSM_WALKER, 16, DEVICE, 0},
    };
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (size_t k = 0; k < (is_slow(f) ? 1 : forms[i] == PAIL_FORM_X29 ? 2 : 3); k++) {
            const struct share_case c = {
                .n = 100,
                .windows = 2 * walks[k].slots,
                .buckets = 2,
                .threads = 1,
                .share = 1,
                .one_in = 1,
                .kind = PAIL_BASES_DISTINCT,
                .workgroup = 8,
                .walk = &walks[k],
            };
            check_shares(f, &c, forms[i], 500);
        }
}
