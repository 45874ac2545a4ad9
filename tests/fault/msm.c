/* SPDX-License-Identifier: Apache-2.0 */
/* Registering bases and multiplying while memory runs out: every host allocation and every device
 * allocation fails once, in turn, in each way of multiplying. The call says so, nothing is lost,
 * and the next one is right. And while the device is lost. */
#include <pthread.h>

#include "support/test.h"

#include <curves/inputs.h>

#include <api/api.h>
#include <msm/service/service.h>
#include <vk/staging.h>
#include <vk/testing.h>

#include "support/long.h"

enum { N = 200 };

/* Guarded by the lock: a multiplication that is sent piece by piece has a thread of its own. */
struct memory {
    long live;       /* allocations that were not freed */
    long until_fail; /* the allocation that fails, counted from now; 0: none */
};

static struct memory memory;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t points[N * 64], scalars[N * 32], expected[64];

static void *on_alloc(void *user, size_t size)
{
    struct memory *m = user;
    pthread_mutex_lock(&lock);
    void *p = m->until_fail && --m->until_fail == 0 ? NULL : malloc(size);
    m->live += p != NULL;
    pthread_mutex_unlock(&lock);
    return p;
}

static void on_free(void *user, void *p)
{
    struct memory *m = user;
    pthread_mutex_lock(&lock);
    m->live -= p != NULL;
    pthread_mutex_unlock(&lock);
    free(p);
}

static pail_host make_host(void)
{
    return (pail_host)SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR,
                            .user = &memory, .alloc = on_alloc, .free = on_free);
}

static const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);

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

/* The ways of multiplying, each with its own allocations. */
static const struct way {
    const char *name;
    pail_msm_config config;
    uint32_t residency;
    size_t jobs;  /* alike, in one start */
    bool on_slow; /* also on drivers that take long */
    uint32_t table_factor;
    uint32_t flags; /* of the bases */
    bool alike;     /* allocates on the device as the first way does */
} ways[] = {
    {.name = "as it comes", .jobs = 1, .on_slow = true},
    {.name = "three vectors", .jobs = 3},
    {.name = "a table", .jobs = 1, .on_slow = true, .table_factor = 5},
    {.name = "streamed bases", .residency = PAIL_RESIDENCY_HOST, .jobs = 1, .on_slow = true},
    {.name = "compact bases", .jobs = 1, .flags = PAIL_BASES_COMPACT},
    {.name = "xyzz", .config = {.accumulator = PAIL_ACCUMULATOR_XYZZ}, .jobs = 1, .alike = true},
    {.name = "walker",
     .config = {.accumulator = PAIL_ACCUMULATOR_WALKER},
     .jobs = 1,
     .alike = true},
    {.name = "walker, products in device memory",
     .config = {.accumulator = PAIL_ACCUMULATOR_WALKER, .prefix_placement = PAIL_PLACEMENT_DEVICE},
     .jobs = 1},
    {.name = "coop", .config = {.accumulator = PAIL_ACCUMULATOR_COOP}, .jobs = 1, .alike = true},
    {.name = "debug", .config = {.accumulator = PAIL_ACCUMULATOR_DEBUG}, .jobs = 1, .alike = true},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]), JOBS_MAX = 3 };

static bool is_tried(pail_context *context, const struct way *way)
{
    return way->on_slow || pail_vk_device_caps(context->dev)->int64 || test_long();
}

static pail_status multiply(pail_context *context, const struct way *way, uint8_t point[64])
{
    const size_t n = N;
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_MONTGOMERY, .validation = PAIL_VALIDATE_CURVE,
              .table_factor = way->table_factor, .flags = way->flags, .residency = way->residency,
              .points = points, .n_points = n);
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_config config = way->config;
    config.struct_size = sizeof(config);
    pail_msm_job jobs[JOBS_MAX];
    pail_msm_result results[JOBS_MAX];
    pail_status status = pail_api_table.bases_create(context, &bases, NULL, &desc);
    assert_true((status == PAIL_OK) == (bases != NULL));
    for (size_t i = 0; i < way->jobs; i++) {
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof(jobs[i]), .bases = bases, .scalars = scalars, .n = n};
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    }
    if (status == PAIL_OK)
        status = pail_api_table.msm_start(context, &pending, jobs, way->jobs, &config);
    if (status == PAIL_OK)
        status = pail_api_table.msm_finish(&pending, results, way->jobs, NULL);
    assert_null(pending);
    pail_api_table.bases_destroy(context, &bases);
    for (size_t i = 1; i < way->jobs; i++)
        assert_memory_equal(&results[i], &results[0], sizeof(results[0]));
    memcpy(point, results[0].x, 32);
    memcpy(point + 32, results[0].y, 32);
    return status;
}

static void expect_right(pail_context *context, const struct way *way)
{
    uint8_t point[64];
    if (multiply(context, way, point) != PAIL_OK)
        fail_msg("%s: %s", way->name, pail_api_table.error(context));
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

static char *debug_before;

/* Contexts from here on take few points as they would take many: entries are submitted before their
 * sums are recorded, chunk by chunk while scalars are sent. */
static int overlap(void **state)
{
    (void)state;
    const char *words = getenv("PAIL_DEBUG");
    char all[256];
    debug_before = words ? strdup(words) : NULL;
    (void)snprintf(all, sizeof(all), "%s%soverlap", words ? words : "", words && *words ? "," : "");
    return setenv("PAIL_DEBUG", all, 1);
}

static int overlap_no_more(void **state)
{
    (void)state;
    const int result =
        debug_before ? setenv("PAIL_DEBUG", debug_before, 1) : unsetenv("PAIL_DEBUG");
    free(debug_before);
    return result;
}

static void test_context_allocations(void **state)
{
    (void)state;
    const pail_host host = make_host();
    for (long k = 1;; k++) {
        pail_context *context = NULL;
        memory = (struct memory){.until_fail = k};
        const pail_status status = pail_api_table.context_create(&host, &context, &params);
        const bool failed = memory.until_fail == 0;
        memory.until_fail = 0;
        if (status != PAIL_OK) {
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_true(failed);
            assert_null(context);
        } /* otherwise nothing failed, or the cache does without what it could not read */
        pail_api_table.context_destroy(&context);
        assert_int_equal(memory.live, 0);
        if (!failed)
            break;
    }
}

/* Whatever has failed, what was made of scalars is gone from memory that lies idle; where the
 * wiping itself has failed, it is still known that it has to be done. */
static void expect_wiped(pail_context *context, bool all)
{
    static uint8_t bytes[1 << 20];
    for (struct pail_workspace *ws = context->msm->idle; ws; ws = ws->next) {
        assert_int_equal(pail_vk_arena_soiled(&ws->readback), 0);
        const bool wiped = pail_vk_arena_soiled(&ws->device) == 0;
        assert_true(wiped || !all);
        for (uint32_t i = 0; wiped && i < ws->device.n_blocks; i++) {
            const struct pail_vk_slice block = pail_vk_arena_block(&ws->device, i);
            for (uint64_t at = 0; at < block.size; at += sizeof(bytes)) {
                const uint64_t left = block.size - at;
                const size_t n = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
                assert_int_equal(
                    pail_vk_download(context->dev, &block, at, bytes, n, PAIL_VK_FOREVER, NULL),
                    PAIL_OK);
                for (size_t k = 0; k < n; k++)
                    assert_true(bytes[k] == 0);
            }
        }
    }
}

/* Fails every host allocation, or every device allocation, of one way in turn. */
static long fail_each(pail_context *context, const struct way *way, long *until_fail,
                      pail_status wanted)
{
    bool failed = true;
    long tried = 0;
    for (long k = 1; failed; k++, tried++) {
        uint8_t point[64];
        *until_fail = k;
        const pail_status status = multiply(context, way, point);
        failed = *until_fail == 0;
        *until_fail = 0;
        /* Jobs that cannot be joined for want of memory are done one by one. */
        if (status == PAIL_OK) {
            assert_memory_equal(point, expected, sizeof(expected));
            continue;
        }
        if (!failed || status != wanted || !*pail_api_table.error(context))
            fail_msg("%s, allocation %ld: status %d: %s", way->name, k, (int)status,
                     pail_api_table.error(context));
        expect_zero(point);
        if (way->on_slow)
            expect_wiped(context, false);
    }
    expect_wiped(context, true);
    return tried;
}

static void fail_host_allocations(size_t n_ways)
{
    const pail_host host = make_host();
    pail_context *context = NULL;
    memory = (struct memory){0};
    assert_int_equal(pail_api_table.context_create(&host, &context, &params), PAIL_OK);
    for (size_t i = 0; i < n_ways; i++) {
        if (!is_tried(context, &ways[i]))
            continue;
        const long tried = fail_each(context, &ways[i], &memory.until_fail, PAIL_ERR_HOST_MEMORY);
        assert_in_range(tried, 5, 1000);
        expect_right(context, &ways[i]);
    }
    pail_api_table.context_destroy(&context);
    assert_int_equal(memory.live, 0);
}

static void test_host_allocations(void **state)
{
    (void)state;
    fail_host_allocations(WAYS);
}

static void test_host_allocations_once(void **state)
{
    (void)state;
    fail_host_allocations(1);
}

static void test_device_allocations(void **state)
{
    (void)state;
    const pail_host host = make_host();
    for (size_t i = 0; i < WAYS; i++) {
        if (ways[i].alike && !test_long())
            continue; /* pipelines are made for each context */
        /* A fresh one each time: kept scratch is not allocated again. */
        pail_context *context = NULL;
        memory = (struct memory){0};
        assert_int_equal(pail_api_table.context_create(&host, &context, &params), PAIL_OK);
        if (is_tried(context, &ways[i])) {
            struct VolkDeviceTable *table = pail_vk_device_table(context->dev);
            allocate = table->vkAllocateMemory;
            table->vkAllocateMemory = on_allocate;
            const long tried =
                fail_each(context, &ways[i], &device_until_fail, PAIL_ERR_DEVICE_MEMORY);
            assert_in_range(tried, 3, 100);
            expect_right(context, &ways[i]);
            /* Memory for a steady state is there: only registering bases allocates; tables and
             * compact points once more. */
            const uint64_t before = pail_vk_memory_stats(context->dev).allocations;
            expect_right(context, &ways[i]);
            const uint64_t once = pail_vk_memory_stats(context->dev).allocations - before;
            expect_right(context, &ways[i]);
            assert_int_equal(pail_vk_memory_stats(context->dev).allocations - before, 2 * once);
            if (once == 0 || once > (ways[i].table_factor || ways[i].flags ? 5 : 4))
                fail_msg("%s: %llu allocations each time", ways[i].name, (unsigned long long)once);
            table->vkAllocateMemory = allocate;
        }
        pail_api_table.context_destroy(&context);
        assert_int_equal(memory.live, 0);
    }
}

static long submits_until_lost;
static PFN_vkQueueSubmit submit;

static VKAPI_ATTR VkResult VKAPI_CALL on_submit(VkQueue queue, uint32_t n,
                                                const VkSubmitInfo *infos, VkFence fence)
{
    const VkResult result = submit(queue, n, infos, fence);
    return submits_until_lost && --submits_until_lost == 0 ? VK_ERROR_DEVICE_LOST : result;
}

/* The device is lost at each submission in turn, or at each step-th one. The call says so, so does
 * every later one on the context, and a new context multiplies again. */
static void lose_device(long step)
{
    const pail_host host = make_host();
    bool lost = true;
    long tried = 0;
    for (long k = 1; lost; k += step, tried++) {
        pail_context *context = NULL;
        uint8_t point[64];
        memory = (struct memory){0};
        assert_int_equal(pail_api_table.context_create(&host, &context, &params), PAIL_OK);
        if (!pail_vk_device_caps(context->dev)->int64 && !test_long())
            step = 4; /* drivers that take long to make kernels make them for each context */
        struct VolkDeviceTable *table = pail_vk_device_table(context->dev);
        submit = table->vkQueueSubmit;
        table->vkQueueSubmit = on_submit;
        submits_until_lost = k;
        const pail_status status = multiply(context, &ways[0], point);
        lost = submits_until_lost == 0;
        submits_until_lost = 0;
        assert_int_equal(status, lost ? PAIL_ERR_DEVICE_LOST : PAIL_OK);
        if (lost) {
            expect_zero(point);
            assert_int_equal(multiply(context, &ways[0], point), PAIL_ERR_DEVICE_LOST);
            assert_non_null(strstr(pail_api_table.error(context), "lost"));
        } else {
            assert_memory_equal(point, expected, sizeof(expected));
        }
        pail_api_table.context_destroy(&context);
        assert_int_equal(memory.live, 0);
    }
    assert_in_range(tried, 3, 100);
}

static void test_lost_device(void **state)
{
    (void)state;
    lose_device(1);
}

/* Chunk after chunk goes the same way: by threes each kind of submission comes, where two
 * alternate. */
static void test_lost_device_overlapping(void **state)
{
    (void)state;
    lose_device(test_long() ? 1 : 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context_allocations),
        cmocka_unit_test(test_host_allocations),
        cmocka_unit_test(test_device_allocations),
        cmocka_unit_test(test_lost_device),
        {"test_host_allocations, overlapping", test_host_allocations_once, overlap, overlap_no_more,
         NULL},
        {"test_lost_device, overlapping", test_lost_device_overlapping, overlap, overlap_no_more,
         NULL},
    };
    return cmocka_run_group_tests_name("msm faults", tests, setup, NULL);
}
