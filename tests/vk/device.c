/* SPDX-License-Identifier: Apache-2.0 */
/* Instances and devices: what they report, that they go without a trace, limits forced down. */
#include "support.h"
#include "support/asan.h"
#include "support/test.h"

#include <shared/types.h>

#include <vk/testing.h>

PAIL_TEST_OF(caps_are_sane, const struct vk_fixture *f)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    assert_true(caps->name[0] && !caps->unusable[0]);
    assert_true(caps->api_version >= VK_API_VERSION_1_2);
    /* Limits that Vulkan 1.2 promises of every device. */
    assert_true(caps->max_storage_range >= UINT64_C(1) << 27);
    assert_true(caps->max_allocation_bytes >= UINT64_C(1) << 30);
    assert_true(caps->max_buffer_bytes <= caps->max_allocation_bytes);
    assert_true(caps->max_push_bytes >= 128);
    assert_true(caps->max_storage_buffers >= 4);
    assert_true(caps->max_workgroup_bytes >= 16384);
    assert_true(caps->max_workgroup_invocations >= 128);
    assert_true(caps->max_workgroup_count[0] >= 65535);
    assert_true(caps->storage_align && !(caps->storage_align & (caps->storage_align - 1)));
    assert_true(caps->non_coherent_align &&
                !(caps->non_coherent_align & (caps->non_coherent_align - 1)));
    assert_true(caps->n_heaps > 0 && caps->heaps[0].size > 0);
    bool local = false;
    for (uint32_t i = 0; i < caps->n_heaps; i++)
        local |= caps->heaps[i].device_local;
    assert_true(local);
}

/* Resident pages of this process. */
static long resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    long total = 0, resident = 0;
    assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident;
}

PAIL_TEST(create_and_destroy_many)
{
    long before = 0;
    for (int i = 0; i < 100; i++) {
        struct vk_fixture f = {0};
        /* Without the validation layer, which keeps memory of its own. */
        const struct pail_vk_env env = vk_env(&f.host, "");
        ASSERT_OK(pail_vk_instance_create(&f.inst, &env, ERR));
        ASSERT_OK(pail_vk_device_create(&f.dev, f.inst, 0, NULL, ERR));
        vk_fixture_close(&f);
        if (i == 19)
            before = resident_pages();
    }
    /* 80 devices of even 32 KiB each would show. The sanitizer keeps what is freed, and finds leaks
     * by itself. */
    if (!TEST_ASAN)
        assert_in_range(resident_pages() - before + 4096, 0, 4096 + 640);
}

PAIL_TEST(two_instances)
{
    struct vk_fixture *f = *state, other = {0};
    const struct pail_vk_env env = vk_env(&other.host, "nolabels");
    ASSERT_OK(pail_vk_instance_create(&other.inst, &env, ERR));
    for (int i = 0; i < 2; i++) { /* two devices of one instance, beside one of another */
        struct pail_vk_device *dev;
        ASSERT_OK(pail_vk_device_create(&dev, other.inst, 0, NULL, ERR));
        struct pail_vk_buffer buffer;
        uint32_t word = 0;
        ASSERT_OK(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, 64, "b", ERR));
        const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, 64);
        ASSERT_OK(pail_vk_upload(dev, &slice, 0, &(uint32_t){77}, 4, NULL, ERR));
        ASSERT_OK(pail_vk_download(dev, &slice, 0, &word, 4, PAIL_VK_FOREVER, ERR));
        assert_int_equal(word, 77);
        pail_vk_buffer_destroy(dev, &buffer);
        pail_vk_device_destroy(&dev);
        assert_null(dev);
        pail_vk_device_destroy(&dev);
    }
    vk_fixture_close(&other);
    assert_false(pail_vk_device_lost(f->dev));
}

PAIL_TEST_OF(wrong_requests, struct vk_fixture *f)
{
    struct pail_vk_device *dev = f->dev;
    ASSERT_STATUS(pail_vk_device_create(&dev, f->inst, 99, NULL, ERR), PAIL_ERR_ARGUMENT,
                  "no device 99");
    assert_null(dev);
    struct pail_vk_instance *inst = f->inst;
    const struct pail_vk_env env = vk_env(&f->host, "validate,syync");
    ASSERT_STATUS(pail_vk_instance_create(&inst, &env, ERR), PAIL_ERR_ARGUMENT, "\"syync\"");
    assert_null(inst);
}

PAIL_TEST_OF(no_driver, struct vk_fixture *f)
{
    const char *const names[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
    char *saved[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(names[i]);
        saved[i] = value ? strdup(value) : NULL;
        setenv(names[i], "/nonexistent/driver.json", 1);
    }
    struct pail_vk_instance *inst;
    const struct pail_vk_env env = vk_env(&f->host, "");
    ASSERT_STATUS(pail_vk_instance_create(&inst, &env, ERR), PAIL_ERR_UNSUPPORTED,
                  "no Vulkan driver");
    assert_null(inst);
    for (int i = 0; i < 2; i++) {
        if (saved[i])
            setenv(names[i], saved[i], 1);
        else
            unsetenv(names[i]);
        free(saved[i]);
    }
}

PAIL_TEST_OF(limits_forced_down, struct vk_fixture *f)
{
    const struct pail_vk_limits_override limits = {
        .max_storage_range = 1 << 20,
        .max_allocation_bytes = 3 << 20,
        .max_storage_buffers = 2,
        .max_workgroup_bytes = 16384,
        .max_workgroup_invocations = 128,
        .no_int64 = true,
        .no_float64 = true,
        .no_buffer_device_address = true,
        .no_timestamps = true,
        .max_subgroup_size = 1,
        .no_memory_budget = true,
        .no_transfer_queue = true,
    };
    const struct pail_vk_device_params params = {.limits = &limits, .staging_bytes = 1};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    assert_int_equal(caps->max_storage_range, 1 << 20);
    assert_int_equal(caps->max_allocation_bytes, 3 << 20);
    assert_int_equal(caps->max_buffer_bytes, 3 << 20);
    assert_int_equal(caps->max_storage_buffers, 2);
    assert_int_equal(caps->max_workgroup_bytes, 16384);
    assert_int_equal(caps->max_workgroup_invocations, 128);
    assert_false(caps->int64 || caps->float64 || caps->buffer_device_address ||
                 caps->transfer_queue);
    assert_int_equal(caps->timestamp_bits, 0);
    assert_int_equal(caps->subgroup_size, 1);
    assert_int_equal(caps->subgroup_operations, 0);
    assert_false(caps->memory_budget);

    struct pail_vk_buffer buffer;
    ASSERT_STATUS(
        pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, (3 << 20) + 1, "big", ERR),
        PAIL_ERR_ARGUMENT, "\"big\" would have 3145729 bytes");
    ASSERT_OK(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, 3 << 20, "big", ERR));
    assert_int_equal(buffer.address, 0);
    pail_vk_buffer_destroy(dev, &buffer);

    const struct pail_vk_pipeline *pipeline;
    const struct pail_variant curve = {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X29, 0};
    ASSERT_STATUS(pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_TABLE, curve, NULL, 0, &pipeline, ERR),
                  PAIL_ERR_UNSUPPORTED, "msm/bases/table.bn254.g1.x29 needs 64-bit integers");
    assert_null(pipeline);
    ASSERT_STATUS(pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_SORT_FINISH, (struct pail_variant){0},
                                       NULL, 0, &pipeline, ERR),
                  PAIL_ERR_UNSUPPORTED, "binds 4 storage buffers");
    pail_vk_device_destroy(&dev);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
