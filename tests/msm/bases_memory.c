/* SPDX-License-Identifier: Apache-2.0 */
/* Registering where memory is short: what a set takes of a budget, what makes room for it, and what
 * becomes of it when there is none. */
#include "bases_support.h"

#include <msm/plan/residency.h>
#include <msm/service/service.h>

#include "support/test.h"

/* A set is cut into the pieces that a budget has room for, down to the smallest, and into whole
 * ones without a budget. */
PAIL_TEST_OF(test_budgets, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), THIRD, PAIL_ENCODING_CANONICAL, false);
    for (uint32_t r = PAIL_RESIDENCY_DEVICE; r <= PAIL_RESIDENCY_HOST; r++) {
        s.desc.residency = r;
        struct pail_bases *bases = set_register(f, &s);
        const uint64_t held = pail_vk_memory_stats(f->vk.dev).device;
        const uint64_t least = pail_points_least_bytes(bases, s.point_bytes);
        uint64_t kept = bases->kept * (groups[0].point_bytes + 4);
        pail_bases_release(bases);
        const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
        assert_true(r == PAIL_RESIDENCY_DEVICE ? held > before : held == before);
        if (r == PAIL_RESIDENCY_HOST)
            kept = 0;
        size_t bad;
        for (uint64_t more = 0; more < 40000; more += more / 2 + 999) {
            f->msm->memory_budget = before + kept + least + more;
            allocated_bytes = allocations = 0;
            hook_allocations(f);
            bases = set_register(f, &s);
            unhook_allocations(f);
            /* A buffer may take a little more than its size. */
            assert_in_range(allocated_bytes, kept, kept + least + more + 256 * allocations);
            expect_points(f, &s, bases, bases->form);
            pail_bases_release(bases);
        }
        f->msm->memory_budget = before + kept + least - 1;
        char numbers[64];
        snprintf(numbers, sizeof(numbers), "takes %llu bytes of device memory, but %llu",
                 (unsigned long long)(kept + least), (unsigned long long)(kept + least - 1));
        ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &s.desc, ERR),
                      PAIL_ERR_DEVICE_MEMORY, numbers);
        assert_null(bases);
        f->msm->memory_budget = 0;
    }
    set_free(&s);
}

/* The copy in another form counts as well. */
PAIL_TEST_OF(test_form_budget, struct fixture *f)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    if (forms_of(f, forms) < 2)
        SKIP_BECAUSE("the device has one form only");
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), NONE, PAIL_ENCODING_CANONICAL, false);
    struct pail_bases *bases = set_register(f, &s);
    const enum pail_field_form other = bases->form == forms[0] ? forms[1] : forms[0];
    const uint64_t need =
        bases->kept * groups[0].point_bytes + pail_points_least_bytes(bases, s.point_bytes);
    f->msm->memory_budget = pail_vk_memory_stats(f->vk.dev).device + need - 1;
    ASSERT_STATUS(pail_bases_in_form(bases, other, ERR), PAIL_ERR_DEVICE_MEMORY,
                  "bytes of device memory");
    f->msm->memory_budget++;
    ASSERT_OK(pail_bases_in_form(bases, other, ERR));
    f->msm->memory_budget = 0;
    expect_points(f, &s, bases, other);
    pail_bases_release(bases);
    set_free(&s);
}

/* Scratch that lies idle makes room for bases. */
PAIL_TEST_OF(test_idle_scratch, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s = set_make(&groups[0], 1000, NONE, PAIL_ENCODING_CANONICAL, false);
    s.desc.residency = PAIL_RESIDENCY_DEVICE;
    const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
    struct pail_workspace *ws;
    struct pail_vk_slice slice;
    ASSERT_OK(pail_workspace_take(f->msm, &ws, ERR));
    ASSERT_OK(pail_vk_arena_take(&ws->device, 1 << 20, &slice, ERR));
    f->msm->memory_budget = pail_vk_memory_stats(f->vk.dev).device + 60000;
    struct pail_bases *bases;
    size_t bad;
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &s.desc, ERR), PAIL_ERR_DEVICE_MEMORY,
                  "bytes of device memory"); /* it is in use */
    pail_workspace_give(f->msm, ws);
    bases = set_register(f, &s);
    pail_bases_release(bases);
    f->msm->memory_budget = 0;
    assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
    set_free(&s);
}

PAIL_TEST_OF(test_automatic, struct fixture *f)
{
    const uint64_t mib = 1 << 20;
    static const struct {
        uint64_t limit, held, bytes, n;
        uint32_t expected;
    } table[] = {
        {1024, 0, 64, 1, PAIL_RESIDENCY_DEVICE},
        {1024, 0, 640, 4, PAIL_RESIDENCY_DEVICE}, /* 640 + 128 + 256: exactly */
        {1024, 0, 641, 4, PAIL_RESIDENCY_HOST},
        {1024, 1, 640, 4, PAIL_RESIDENCY_HOST},
        {1024, 2000, 0, 0, PAIL_RESIDENCY_HOST},
        {1000 * 1048576ull, 0, 936 * 1048576ull, 0, PAIL_RESIDENCY_DEVICE}, /* 64 MiB are enough */
        {1000 * 1048576ull, 0, 937 * 1048576ull, 0, PAIL_RESIDENCY_HOST},
        {UINT64_MAX, 0, UINT64_C(1) << 40, UINT32_MAX, PAIL_RESIDENCY_DEVICE},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct pail_device_room room = {table[i].limit, table[i].held};
        assert_int_equal(pail_residency_auto(&room, table[i].bytes, table[i].n), table[i].expected);
    }
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), MOST, PAIL_ENCODING_CANONICAL, false);
    uint32_t last = PAIL_RESIDENCY_HOST;
    for (uint64_t budget = 60000; budget < 4 * mib; budget += budget / 4) {
        f->msm->memory_budget = pail_vk_memory_stats(f->vk.dev).device + budget;
        struct pail_bases *bases = set_register(f, &s);
        if (last == PAIL_RESIDENCY_DEVICE) /* more memory never sends a set away */
            assert_int_equal(bases->residency, PAIL_RESIDENCY_DEVICE);
        last = bases->residency;
        expect_points(f, &s, bases, bases->form);
        pail_bases_release(bases);
    }
    f->msm->memory_budget = 0;
    assert_int_equal(last, PAIL_RESIDENCY_DEVICE);
    set_free(&s);
}

/* A set that nobody asked onto the device is kept in host memory where the device has none after
 * all, whichever allocation it is that fails. */
PAIL_TEST_OF(test_automatic_falls_back, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), THIRD, PAIL_ENCODING_CANONICAL, false);
    s.desc.residency = PAIL_RESIDENCY_AUTO;
    const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
    hook_allocations(f);
    bool failed = true;
    for (long k = 1; failed; k++) {
        device_until_fail = k;
        struct pail_bases *bases = set_register(f, &s);
        failed = device_until_fail == 0;
        device_until_fail = 0;
        assert_int_equal(bases->residency, failed ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE);
        assert_true(failed == (pail_vk_memory_stats(f->vk.dev).device == before));
        expect_numbers(&s, bases);
        expect_info(&s, bases, 1);
        expect_points(f, &s, bases, bases->form);
        pail_bases_release(bases);
        assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
        assert_true(failed || k > 3);
    }
    /* The error says so where the device has nothing at all. */
    struct pail_bases *bases;
    size_t bad;
    device_until_fail = device_keeps_failing = 1;
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &s.desc, ERR), PAIL_ERR_DEVICE_MEMORY,
                  "bytes asked");
    assert_null(bases);
    device_until_fail = device_keeps_failing = 0;
    unhook_allocations(f);
    assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
    set_free(&s);
}

static pail_status register_in_all_forms(struct fixture *f, const struct set *s)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    struct pail_bases *bases;
    size_t bad;
    pail_status status = pail_bases_register(f->msm, &bases, &bad, &s->desc, ERR);
    assert_int_equal(status == PAIL_OK, bases != NULL);
    for (uint32_t i = 0; i < n_forms && status == PAIL_OK; i++)
        status = pail_bases_in_form(bases, forms[i], ERR);
    pail_bases_release(bases);
    return status;
}

/* Every allocation fails once, of host and of device memory. Closing the device tells whether host
 * memory leaked: how many recorders it keeps until then is a matter of time. */
PAIL_TEST(test_failures)
{
    struct fixture own = {0}, *f = &own;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    open_device(f, false);
    hook_allocations(f);
    for (uint32_t i = 0; i < 4; i++) {
        struct set s = set_make(&groups[0], points_needed(&groups[0]), THIRD,
                                i & 2 ? PAIL_ENCODING_JACOBIAN : PAIL_ENCODING_CANONICAL, i & 1);
        s.desc.residency = i & 2 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
        const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
        for (uint32_t device = 0; device < 2; device++) {
            bool failed = true;
            for (long k = 1; failed; k++) {
                const pail_status expected = device ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_HOST_MEMORY;
                if (device) {
                    device_until_fail = k;
                } else {
                    atomic_store(&f->vk.host.fail_n, 1);
                    atomic_store(&f->vk.host.fail_from, atomic_load(&f->vk.host.count) + k);
                }
                const pail_status status = register_in_all_forms(f, &s);
                failed = device
                             ? device_until_fail == 0
                             : atomic_load(&f->vk.host.count) >= atomic_load(&f->vk.host.fail_from);
                device_until_fail = 0;
                atomic_store(&f->vk.host.fail_from, 0);
                /* Points of the host do without pinned memory where it is another than the
                 * device's. */
                const bool pageable = !device && s.desc.residency == PAIL_RESIDENCY_HOST &&
                                      f->vk.dev->caps.type != VK_PHYSICAL_DEVICE_TYPE_CPU;
                if (!failed || !pageable || status != PAIL_OK)
                    assert_int_equal(status, failed ? expected : PAIL_OK);
                assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
                assert_in_range(k, 1, 100);
            }
        }
        set_free(&s);
    }
    unhook_allocations(f);
    close_device(f);
}
