/* SPDX-License-Identifier: Apache-2.0 */
/* Words of PAIL_LIMITS: their meaning, and what they do to a device's capabilities. */

#include "support/test.h"

#include <footprint.h>
#include <modules.h>
#include <shared/msm_layout.h>

#include <vk/caps.h>

static const struct pail_vk_caps large = {
    .max_storage_range = UINT64_C(1) << 32,
    .max_allocation_bytes = UINT64_C(1) << 34,
    .max_buffer_bytes = UINT64_C(1) << 33,
    .max_allocations = 4096,
    .max_sparse_bytes = UINT64_C(1) << 40,
    .max_tried_bytes = UINT64_C(1) << 40,
    .max_storage_buffers = 64,
    .max_workgroup_bytes = 65536,
    .max_workgroup_invocations = 1024,
    .max_workgroup_size = {1024, 1024, 64},
    .subgroup_size = 32,
    .subgroup_operations = 255,
    .timestamp_bits = 64,
    .timeline_semaphore = true,
    .int64 = true,
    .float64 = true,
    .buffer_device_address = true,
    .try_pointers = true,
    .memory_budget = true,
    .transfer_queue = true,
    .n_heaps = 1,
    .heaps = {{.size = 1000, .budget = 900, .usage = 100, .device_local = true}},
};

/* By memcpy, so that padding is the same too. */
static void limited(struct pail_vk_caps *caps, const char *words)
{
    struct pail_vk_limits_override limits;
    struct pail_error err = {0};
    if (pail_vk_limits_parse(&limits, words, &err) != PAIL_OK)
        fail_msg("%s: %s", words, err.text);
    memcpy(caps, &large, sizeof(*caps));
    pail_vk_caps_limit(caps, &limits);
}

PAIL_TEST(test_words)
{
    struct pail_vk_caps expected, caps;
    limited(&caps, "");
    assert_memory_equal(&caps, &large, sizeof(caps));
#define EXPECT(words, ...)                                                                         \
    do {                                                                                           \
        memcpy(&expected, &large, sizeof(expected));                                               \
        __VA_ARGS__;                                                                               \
        limited(&caps, words);                                                                     \
        assert_memory_equal(&caps, &expected, sizeof(caps));                                       \
    } while (0)
    EXPECT("storage_buffers=4", expected.max_storage_buffers = 4);
    EXPECT("workgroup_bytes=16384", expected.max_workgroup_bytes = 16384);
    EXPECT("invocations=128", expected.max_workgroup_invocations = 128;
           expected.max_workgroup_size[0] = 128; expected.max_workgroup_size[1] = 128);
    EXPECT("binding=134217728", expected.max_storage_range = UINT64_C(1) << 27);
    EXPECT("allocation=77", expected.max_allocation_bytes = 77; expected.max_buffer_bytes = 77;
           expected.max_tried_bytes = 0);
    EXPECT("allocations=3", expected.max_allocations = 3);
    EXPECT("sparse=0", expected.max_sparse_bytes = 0);
    EXPECT("timeline=0", expected.timeline_semaphore = false; expected.transfer_queue = false);
    EXPECT("int64=0", expected.int64 = false);
    EXPECT("float64=0", expected.float64 = false);
    EXPECT("timestamps=0", expected.timestamp_bits = 0);
    EXPECT("watched", expected.watched = true);
    EXPECT("slow,queues=1", expected.slow = true; expected.transfer_queue = false);
    EXPECT("address=0", expected.buffer_device_address = false);
    EXPECT("pointers=0", expected.try_pointers = false);
    EXPECT("queues=1", expected.transfer_queue = false);
    EXPECT("subgroup=4", expected.subgroup_size = 4; expected.subgroup_operations = 0);
    EXPECT("budget=0", expected.memory_budget = false; expected.heaps[0].budget = 1000;
           expected.heaps[0].usage = 0);
    /* Never upwards, and the lower of two. */
    EXPECT("storage_buffers=65,allocation=99999999999999,binding=99999999999,invocations=1025", );
    EXPECT("storage_buffers=9,storage_buffers=7,,storage_buffers=8,",
           expected.max_storage_buffers = 7);
#undef EXPECT
}

PAIL_TEST(test_portable)
{
    struct pail_vk_caps portable, spelled;
    limited(&portable, "portable");
    limited(&spelled, "storage_buffers=4,workgroup_bytes=16384,binding=134217728,int64=0,float64=0,"
                      "timestamps=0,budget=0,queues=1,subgroup=4,address=0,pointers=0,"
                      "feedback=0,cachecontrol=0,sparse=0");
    assert_memory_equal(&portable, &spelled, sizeof(portable));
    limited(&portable, "portable,storage_buffers=3");
    assert_int_equal(portable.max_storage_buffers, 3);
    limited(&portable, "storage_buffers=3,portable");
    assert_int_equal(portable.max_storage_buffers, 3);
}

/* Each is made of words that there are, lowers something, and can be lowered further. */
PAIL_TEST(test_profiles)
{
    struct pail_vk_caps profile, spelled;
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"adreno-740", "binding=134217728,workgroup_bytes=32768,float64=0,pointers=0,queues=1"},
        {"apple-m", "workgroup_bytes=32768,allocation=2147483648,allocations=4096,float64=0,"
                    "timestamps=0,budget=0,pointers=0,queues=1"},
        {"arc-a770", "binding=1073741820,workgroup_bytes=32768,float64=0,pointers=0,queues=1"},
        {"mali-g715",
         "workgroup_bytes=32768,allocation=1073741824,allocations=16384,binding=2147483648,"
         "float64=0,pointers=0,queues=1"},
        {"moltenvk", "storage_buffers=31,workgroup_bytes=32768,subgroup=32,allocation=4294967296,"
                     "float64=0,queues=1,pointers=0"},
        {"rdna3", "workgroup_bytes=32768,allocation=2147483648,allocations=4096,pointers=0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        limited(&profile, cases[i].name);
        limited(&spelled, cases[i].words);
        assert_memory_equal(&profile, &spelled, sizeof(profile));
        assert_memory_not_equal(&profile, &large, sizeof(profile));
        char both[80] = "invocations=64,";
        limited(&profile, strcat(both, cases[i].name));
        assert_int_equal(profile.max_workgroup_invocations, 64);
    }
}

PAIL_TEST(test_bad_words)
{
    static const char *const words[] = {"x",
                                        "int64",
                                        "int64=",
                                        "int64=1",
                                        "queues=2",
                                        "binding=0",
                                        "binding=",
                                        "binding=1k",
                                        "=",
                                        "portable=1",
                                        "slow=1",
                                        "slower",
                                        "portablex",
                                        "adreno-740=1",
                                        "adreno",
                                        "binding=0x10",
                                        "subgroup=18446744073709551617"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        char list[80] = "int64=0,", quoted[80] = "\"";
        strcat(list, words[i]);
        strcat(strcat(quoted, words[i]), "\"");
        struct pail_vk_limits_override limits, zero = {0};
        struct pail_error err = {0};
        memset(&limits, 0xAA, sizeof(limits));
        assert_int_equal(pail_vk_limits_parse(&limits, list, &err), PAIL_ERR_ARGUMENT);
        assert_non_null(strstr(err.text, quoted));
        assert_memory_equal(&limits, &zero, sizeof(zero));
    }
}

/* Every kernel runs where there are 128 invocations and 16 KiB of workgroup memory, which is what
 * every Vulkan device has, with every workgroup that is chosen for it: 16 invocations at least, or
 * the one of a serial kernel. */
PAIL_TEST(test_footprints)
{
    for (uint32_t k = 0; k < pail_n_kernels; k++) {
        const struct pail_kernel *kernel = &pail_kernels[k];
        struct pail_variant list[PAIL_MAX_VARIANTS];
        const uint32_t n = pail_kernel_variants(kernel, list);
        for (uint32_t v = 0; v < n; v++) {
            const uint32_t index = pail_variant_index((enum pail_kernel_id)k, list[v]);
            const struct pail_module *module = &pail_modules[index];
            struct pail_footprint f;
            assert_int_equal(
                pail_spirv_footprint(module->words, module->n_words, NULL, NULL, 0, &f),
                PAIL_SPIRV_OK);
            const bool serial = strstr(kernel->name, "_serial") != NULL;
            if (f.local_size[0] < (serial ? 1 : 16) || f.local_size[0] > 128 ||
                f.local_size[1] != 1 || f.local_size[2] != 1 || f.shared_bytes > 16384)
                fail_msg("%s: %u x %u x %u, %llu bytes", module->name, f.local_size[0],
                         f.local_size[1], f.local_size[2], (unsigned long long)f.shared_bytes);
        }
    }
}

/* sort_scatter: eight entries and a sum for each thread, three tables of 256. */
PAIL_TEST(test_specialised)
{
    const uint32_t index =
        pail_variant_index(PAIL_KERNEL_MSM_SORT_SCATTER, (struct pail_variant){0});
    const struct pail_module *module = &pail_modules[index];
    const uint32_t id = MSM_SPEC_WORKGROUP;
    for (uint32_t threads = 16; threads <= 1024; threads *= 2) {
        struct pail_footprint f;
        assert_int_equal(pail_spirv_footprint(module->words, module->n_words, &id, &threads, 1, &f),
                         PAIL_SPIRV_OK);
        assert_int_equal(f.local_size[0], threads);
        assert_int_equal(f.shared_bytes, 4 * (9 * threads + 3 * 256));
    }
    struct pail_footprint f;
    assert_int_equal(pail_spirv_footprint(module->words, 4, NULL, NULL, 0, &f), PAIL_SPIRV_INVALID);
    assert_int_equal(pail_spirv_footprint(module->words, 5, NULL, NULL, 0, &f), PAIL_SPIRV_INVALID);
}
