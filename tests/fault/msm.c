/* Registering bases and multiplying while memory runs out: every host allocation and every device
 * allocation fails once, in turn. The call says so, nothing is lost, and the next one is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <inputs.h>

#include "api.h"
#include "vk/testing.h"

enum { N = 200 };

struct memory {
    long live;       /* allocations that were not freed */
    long until_fail; /* the allocation that fails, counted from now; 0: none */
};

static struct memory memory;
static uint8_t points[N * 64], scalars[N * 32], expected[64];

static void *on_alloc(void *user, size_t size)
{
    struct memory *m = user;
    if (m->until_fail && --m->until_fail == 0)
        return NULL;
    void *p = malloc(size);
    m->live += p != NULL;
    return p;
}

static void on_free(void *user, void *p)
{
    struct memory *m = user;
    m->live -= p != NULL;
    free(p);
}

static pail_host make_host(void)
{
    return (pail_host){.struct_size = sizeof(pail_host),
                       .abi_major = PAIL_ABI_MAJOR,
                       .abi_minor = PAIL_ABI_MINOR,
                       .user = &memory,
                       .alloc = on_alloc,
                       .free = on_free};
}

static const pail_context_params params = {.struct_size = sizeof(params),
                                           .device = PAIL_DEVICE_BEST};

static long device_until_fail;
static PFN_vkAllocateMemory allocate;

static VKAPI_ATTR VkResult VKAPI_CALL on_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkDeviceMemory *out)
{
    if (device_until_fail && --device_until_fail == 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return allocate(device, info, callbacks, out);
}

static pail_status multiply(pail_context *context, size_t n, uint8_t point[64])
{
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BN254,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .validation = PAIL_VALIDATE_CURVE,
                                  .points = points,
                                  .n_points = n};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    pail_status status = pail_api_bases_create(context, &bases, NULL, &desc);
    if (status == PAIL_OK) {
        const pail_msm_job job = {
            .struct_size = sizeof(job), .bases = bases, .scalars = scalars, .n = n};
        status = pail_api_msm_start(context, &pending, &job, 1, NULL);
    } else {
        assert_null(bases);
    }
    if (status == PAIL_OK)
        status = pail_api_msm_finish(&pending, &result, 1, NULL);
    assert_null(pending);
    pail_api_bases_destroy(context, &bases);
    memcpy(point, result.x, 32);
    memcpy(point + 32, result.y, 32);
    return status;
}

static void expect_right(pail_context *context)
{
    uint8_t point[64];
    if (multiply(context, N, point) != PAIL_OK)
        fail_msg("%s", pail_api_error(context));
    assert_memory_equal(point, expected, sizeof(expected));
}

static void expect_zero(const uint8_t point[64])
{
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(point[i], 0);
}

static int setup(void **state)
{
    (void)state;
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_point sum;
    pail_affine affine;
    pail_make_bases(ops, points, true, 0, N, PAIL_BASES_INFINITY, 1);
    pail_make_scalars(ops, scalars, N, PAIL_SCALARS_EDGE, 2);
    pail_expected_msm(ops, &sum, scalars, 0, N, PAIL_BASES_INFINITY, 1);
    ops->to_affine(&affine, &sum);
    ops->encode(expected, &affine, false);
    return 0;
}

static void test_context_allocations(void **state)
{
    (void)state;
    const pail_host host = make_host();
    for (long k = 1;; k++) {
        pail_context *context = NULL;
        memory = (struct memory){.until_fail = k};
        const pail_status status = pail_api_context_create(&host, &context, &params);
        const bool failed = memory.until_fail == 0;
        memory.until_fail = 0;
        if (failed) {
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_null(context);
        } else {
            assert_int_equal(status, PAIL_OK);
        }
        pail_api_context_destroy(&context);
        assert_int_equal(memory.live, 0);
        if (!failed)
            break;
    }
}

static void test_host_allocations(void **state)
{
    (void)state;
    const pail_host host = make_host();
    pail_context *context = NULL;
    memory = (struct memory){0};
    assert_int_equal(pail_api_context_create(&host, &context, &params), PAIL_OK);
    bool failed = true;
    long tried = 0;
    for (long k = 1; failed; k++, tried++) {
        uint8_t point[64];
        memory.until_fail = k;
        const pail_status status = multiply(context, N, point);
        failed = memory.until_fail == 0;
        memory.until_fail = 0;
        if (failed) {
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_string_not_equal(pail_api_error(context), "");
            expect_zero(point);
        } else {
            assert_int_equal(status, PAIL_OK);
        }
    }
    assert_in_range(tried, 10, 1000);
    expect_right(context);
    pail_api_context_destroy(&context);
    assert_int_equal(memory.live, 0);
}

static void test_device_allocations(void **state)
{
    (void)state;
    const pail_host host = make_host();
    pail_context *context = NULL;
    memory = (struct memory){0};
    assert_int_equal(pail_api_context_create(&host, &context, &params), PAIL_OK);
    struct VolkDeviceTable *table = pail_vk_device_table(context->dev);
    allocate = table->vkAllocateMemory;
    table->vkAllocateMemory = on_allocate;
    bool failed = true;
    long tried = 0;
    for (long k = 1; failed; k++, tried++) {
        uint8_t point[64];
        device_until_fail = k;
        const pail_status status = multiply(context, N, point);
        failed = device_until_fail == 0;
        device_until_fail = 0;
        if (failed) {
            assert_int_equal(status, PAIL_ERR_DEVICE_MEMORY);
            expect_zero(point);
        } else {
            assert_int_equal(status, PAIL_OK);
        }
    }
    assert_in_range(tried, 4, 100);
    expect_right(context);
    /* What a steady state needs is there: only registering bases allocates. */
    const uint64_t before = pail_vk_memory_stats(context->dev).allocations;
    expect_right(context);
    const uint64_t once = pail_vk_memory_stats(context->dev).allocations - before;
    expect_right(context);
    assert_int_equal(pail_vk_memory_stats(context->dev).allocations - before, 2 * once);
    assert_in_range(once, 1, 3);
    table->vkAllocateMemory = allocate;
    pail_api_context_destroy(&context);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context_allocations),
        cmocka_unit_test(test_host_allocations),
        cmocka_unit_test(test_device_allocations),
    };
    return cmocka_run_group_tests_name("msm faults", tests, setup, NULL);
}
