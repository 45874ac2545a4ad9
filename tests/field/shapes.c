/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of a device's self-test: every pipeline that a transform takes is in one of its
 * parts, and none has more elements than it where fewer would do. Without a device. */

#include "support/test.h"

#include <vectors/ntt.h>
#include <vectors/selftest.h>
#include <vectors/steps.h>

#define MANY (UINT64_C(1) << 26)

enum { NINE, TEN, ELEVEN, MANY_OF_ELEVEN, MANY_OF_TEN };

static struct pail_vk_caps caps_of(bool int64, bool doubles, uint32_t threads)
{
    return (struct pail_vk_caps){.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                 .int64 = int64,
                                 .float64 = doubles,
                                 .fused_doubles = doubles,
                                 .fast_doubles = doubles,
                                 .max_workgroup_bytes = 16384,
                                 .max_workgroup_invocations = threads,
                                 .max_workgroup_size = {threads, threads, 64}};
}

/* The kernels of all passes of transforms, each once. */
struct set {
    struct pail_ntt_kernel all[12];
    uint32_t n;
};

static bool has(const struct set *set, const struct pail_ntt_kernel *k)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->all[i].form == k->form && set->all[i].workgroup == k->workgroup &&
            set->all[i].limbs == k->limbs && set->all[i].items == k->items)
            return true;
    return false;
}

static void add(struct set *set, const struct pail_vk_caps *caps, uint64_t most, uint32_t log_n,
                uint64_t n)
{
    const struct pail_ntt_kernel widest = pail_ntt_kernel(caps, pail_ntt_form_auto(caps));
    const struct pail_ntt_plan plan =
        pail_ntt_plan(&widest, &(struct pail_ntt_kind){.log_n = log_n});
    const uint64_t all = n >> log_n, at_once = pail_ntt_batch(most, log_n, n);
    for (uint64_t done = 0; done < all; done += at_once) {
        const uint64_t batch = all - done < at_once ? all - done : at_once;
        for (uint32_t i = 0; i < plan.n; i++) {
            const struct pail_ntt_kernel k =
                pail_ntt_kernel_of_pass(caps, &widest, batch << log_n, plan.bits[i]);
            if (!has(set, &k))
                set->all[set->n++] = k;
        }
    }
}

PAIL_TEST(test_every_pipeline)
{
    const struct pail_vk_caps devices[] = {
        caps_of(true, true, 1024),   caps_of(true, true, 512),   caps_of(true, true, 128),
        caps_of(true, false, 1024),  caps_of(true, false, 256),  caps_of(true, false, 128),
        caps_of(false, false, 1024), caps_of(false, false, 256), caps_of(false, false, 128)};
    for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++)
        for (uint32_t log_n = 1; log_n <= 24; log_n++)
            for (uint64_t batch = 1; batch << log_n <= UINT64_C(3) << 24; batch = 3 * batch + 1)
                for (uint32_t few = 0; few < 2; few++) {
                    const uint64_t most = few ? UINT64_C(100000) : MANY, n = batch << log_n;
                    if (few && log_n > 16)
                        continue;
                    const uint32_t parts = pail_field_transform_parts(&devices[d], most, log_n, n);
                    struct set wanted = {.n = 0}, tested = {.n = 0};
                    add(&wanted, &devices[d], most, log_n, n);
                    for (uint32_t s = 0; s < PAIL_FIELD_SHAPES; s++)
                        if (parts & (uint32_t)PAIL_FIELD_TRANSFORMS << s)
                            add(&tested, &devices[d], most, pail_field_shapes[s].log_n,
                                UINT64_C(1) << pail_field_shapes[s].log_all);
                    for (uint32_t i = 0; i < wanted.n; i++)
                        if (!has(&tested, &wanted.all[i]))
                            fail_msg("device %zu, 2^%u, %llu in all: workgroups of %u threads, %u "
                                     "elements each, are in none of the parts %x",
                                     d, log_n, (unsigned long long)n, wanted.all[i].workgroup,
                                     wanted.all[i].items, parts);
                }
}

static void expect_parts(bool doubles, uint32_t log_n, uint64_t n, uint32_t shapes)
{
    const struct pail_vk_caps caps = caps_of(true, doubles, 1024);
    assert_int_equal(pail_field_transform_parts(&caps, MANY, log_n, n),
                     (uint32_t)PAIL_FIELD_TRANSFORMS * shapes);
}

/* Both elements a thread, two and four, and the workgroups of both. */
PAIL_TEST(test_choice)
{
    for (uint32_t doubles = 0; doubles < 2; doubles++) {
        expect_parts(doubles, 0, 8, 0);
        expect_parts(doubles, 3, 8, 1 << ELEVEN);
        expect_parts(doubles, 9, 512, 1 << NINE);
        expect_parts(doubles, 10, 1024, 1 << TEN);
        expect_parts(doubles, 9, 1 << 16, 1 << NINE);
        expect_parts(doubles, 16, 1 << 16, 1 << ELEVEN);
        expect_parts(doubles, 3, 1 << 17, 1 << MANY_OF_ELEVEN);
        expect_parts(doubles, 17, 1 << 17, 1 << MANY_OF_ELEVEN);
        expect_parts(doubles, 19, 1 << 19, 1 << MANY_OF_ELEVEN | 1 << MANY_OF_TEN);
        expect_parts(doubles, 20, 1 << 20, 1 << MANY_OF_TEN);
        expect_parts(doubles, 22, 1 << 22, 1 << MANY_OF_ELEVEN);
    }
}
