/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors while memory runs out or the device is lost: each allocation of the host and of the
 * device, and each submission, fails once, in turn. The call says so, its outputs are zero, nothing
 * is lost, and the next chain is right. And that vectors are wiped before their memory is freed. */

#include "support/test.h"

#include <curves/inputs.h>

#include <api/api.h>
#include <msm/service/service.h>
#include <vk/testing.h>

#include "field/gpu_support.h"

enum { LOG_N = 11, N = 1 << LOG_N };

static struct {
    long live;       /* allocations that were not freed */
    long until_fail; /* the allocation that fails, counted from now; 0: none */
} memory;

static long device_until_fail, submits_until_lost;
static PFN_vkAllocateMemory allocate;
static PFN_vkQueueSubmit submit;
static uint8_t input[32 * N], expected[32 * N];

static void *on_alloc(void *user, size_t size)
{
    (void)user;
    void *p = memory.until_fail && --memory.until_fail == 0 ? NULL : malloc(size);
    memory.live += p != NULL;
    return p;
}

static void on_free(void *user, void *p)
{
    (void)user;
    memory.live -= p != NULL;
    free(p);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkDeviceMemory *out)
{
    if (device_until_fail && --device_until_fail == 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return allocate(device, info, callbacks, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_submit(VkQueue queue, uint32_t n,
                                                const VkSubmitInfo *infos, VkFence fence)
{
    const VkResult result = submit(queue, n, infos, fence);
    return submits_until_lost && --submits_until_lost == 0 ? VK_ERROR_DEVICE_LOST : result;
}

static pail_context *open_context(void)
{
    /* One thread: what fails is counted. */
    static const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .threads = 1);
    const pail_host host = SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR,
                                 .abi_minor = PAIL_ABI_MINOR, .alloc = on_alloc, .free = on_free);
    pail_context *context = NULL;
    memory.live = memory.until_fail = 0;
    assert_int_equal(pail_api_table.context_create(&host, &context, &params), PAIL_OK);
    return context;
}

static void close_context(pail_context *context)
{
    pail_api_table.context_destroy(&context);
    assert_int_equal(memory.live, 0);
}

/* The matrix with ones on its diagonal; a row of the product is the element. */
static pail_status make_matrix(pail_context *context, pail_matrix **matrix)
{
    static uint64_t starts[N + 1];
    static uint32_t columns[N];
    static uint8_t values[32 * N];
    for (uint32_t i = 0; i < N; i++) {
        starts[i + 1] = i + 1;
        columns[i] = i;
        values[32 * i] = 1;
    }
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = N, .n_columns = N,
              .row_starts = starts, .columns = columns, .values = values);
    return pail_api_table.matrix_create(context, matrix, NULL, &desc);
}

static pail_status read_input(void *user, void *to, uint64_t offset, size_t bytes)
{
    memcpy(to, (const uint8_t *)user + offset, bytes);
    return PAIL_OK;
}

/* All slots in turn: the product with the matrix, its values, read back. */
static pail_status work(pail_context *context, uint8_t output[32 * N])
{
    const pail_u256 root = field_root(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), LOG_N);
    pail_vector *x = NULL, *y = NULL;
    pail_matrix *matrix = NULL;
    pail_pending *pending = NULL;
    pail_status status = pail_api_table.vector_create(context, &x, PAIL_CURVE_BN254, N);
    if (status == PAIL_OK)
        status = pail_api_table.vector_create(context, &y, PAIL_CURVE_BN254, N);
    if (status == PAIL_OK)
        status = pail_api_table.vector_write(x, 0, input, N, PAIL_ENCODING_CANONICAL);
    if (status == PAIL_OK)
        status = pail_api_table.vector_fill(x, 0, read_input, input, N, PAIL_ENCODING_CANONICAL);
    if (status == PAIL_OK)
        status = make_matrix(context, &matrix);
    assert_true((status == PAIL_OK) == (matrix != NULL));
    if (status == PAIL_OK) {
        pail_vector_op ops[2] = {{.kind = PAIL_VECTOR_OP_SPMV, .r = y, .a = x, .matrix = matrix},
                                 {.kind = PAIL_VECTOR_OP_NTT, .r = y, .a = y, .log_n = LOG_N}};
        for (uint32_t i = 0; i < 2; i++) {
            ops[i].struct_size = sizeof(ops[i]);
            ops[i].n = N;
            pail_u256_to_bytes(ops[i].root, &root);
        }
        status = pail_api_table.vector_start(context, &pending, ops, 2);
        assert_true((status == PAIL_OK) == (pending != NULL));
    }
    if (status == PAIL_OK)
        status = pail_api_table.vector_finish(&pending, NULL);
    assert_null(pending);
    memset(output, 0xa5, 32 * N);
    if (status == PAIL_OK) {
        status = pail_api_table.vector_read(y, output, 0, N, PAIL_ENCODING_CANONICAL);
        for (size_t i = 0; status != PAIL_OK && i < 32 * N; i++)
            assert_int_equal(output[i], 0);
    }
    pail_api_table.matrix_destroy(context, &matrix);
    pail_api_table.vector_destroy(context, &x);
    pail_api_table.vector_destroy(context, &y);
    return status;
}

static void expect_right(pail_context *context)
{
    static uint8_t output[32 * N];
    if (work(context, output) != PAIL_OK)
        fail_msg("%s", pail_api_table.error(context));
    assert_memory_equal(output, expected, sizeof(expected));
}

PAIL_FIXTURE(setup)
{
    const struct pail_curve_ops *ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    const pail_u256 root = field_root(ops, LOG_N), one = {{1, 0, 0, 0}};
    pail_make_scalars(ops, input, N, PAIL_SCALARS_UNIFORM, 1);
    field_transform(ops, expected, input, LOG_N, &root, &one);
    return 0;
}

/* Fails each in turn; returns how many there were. */
static long fail_each(pail_context *context, long *until_fail, pail_status wanted)
{
    static uint8_t output[32 * N];
    for (long k = 1;; k++) {
        pail_workspace_trim(context->msm); /* memory that earlier vectors had is not enough */
        *until_fail = k;
        const pail_status status = work(context, output);
        const bool failed = *until_fail == 0;
        *until_fail = 0;
        if (status == PAIL_OK)
            assert_memory_equal(output, expected, sizeof(expected));
        else if (!failed || status != wanted || !*pail_api_table.error(context))
            fail_msg("%ld: status %d: %s", k, (int)status, pail_api_table.error(context));
        if (!failed)
            return k;
    }
}

PAIL_TEST(test_host_allocations)
{
    pail_context *context = open_context();
    for (uint32_t i = 0; i < 2; i++) { /* with self-tests, and without */
        assert_in_range(fail_each(context, &memory.until_fail, PAIL_ERR_HOST_MEMORY), 10, 1000);
        expect_right(context);
    }
    close_context(context);
}

PAIL_TEST(test_device_allocations)
{
    pail_context *context = open_context();
    struct VolkDeviceTable *table = pail_vk_device_table(context->dev);
    allocate = table->vkAllocateMemory;
    table->vkAllocateMemory = on_allocate;
    for (uint32_t i = 0; i < 2; i++) {
        assert_in_range(fail_each(context, &device_until_fail, PAIL_ERR_DEVICE_MEMORY), 4, 100);
        expect_right(context);
    }
    table->vkAllocateMemory = allocate;
    close_context(context);
}

PAIL_TEST(test_lost_device)
{
    static uint8_t output[32 * N];
    bool lost = true;
    for (long k = 1; lost; k += 3) {
        pail_context *context = open_context();
        struct VolkDeviceTable *table = pail_vk_device_table(context->dev);
        submit = table->vkQueueSubmit;
        table->vkQueueSubmit = on_submit;
        submits_until_lost = k;
        const pail_status status = work(context, output);
        lost = submits_until_lost == 0;
        submits_until_lost = 0;
        /* At the end there are vectors to wipe, which fails quietly. */
        assert_true(status == PAIL_OK || (lost && status == PAIL_ERR_DEVICE_LOST));
        if (lost)
            assert_int_equal(work(context, output), PAIL_ERR_DEVICE_LOST);
        close_context(context);
    }
}

/* ---- Wiping ---------------------------------------------------------------------------------- */
static PFN_vkCmdFillBuffer fill;
static PFN_vkDestroyBuffer destroy;
enum { FILLS_MOST = 8 };
static struct {
    VkBuffer buffer;
    VkDeviceSize bytes;
} filled[FILLS_MOST]; /* with zeros, in order */
static size_t n_filled, n_submitted;
static uint64_t freed; /* buffers */

static VKAPI_ATTR void VKAPI_CALL on_fill(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset,
                                          VkDeviceSize bytes, uint32_t word)
{
    if (word == 0 && offset == 0) {
        assert_true(n_filled < FILLS_MOST);
        filled[n_filled].buffer = buffer;
        filled[n_filled++].bytes = bytes;
    }
    fill(cmd, buffer, offset, bytes, word);
}

static VKAPI_ATTR VkResult VKAPI_CALL on_count(VkQueue queue, uint32_t n, const VkSubmitInfo *infos,
                                               VkFence fence)
{
    n_submitted += n;
    return submit(queue, n, infos, fence);
}

static VKAPI_ATTR void VKAPI_CALL on_destroy(VkDevice device, VkBuffer buffer,
                                             const VkAllocationCallbacks *callbacks)
{
    freed++;
    destroy(device, buffer, callbacks);
}

/* A vector that work still uses is wiped when that ends, with the scratch that its values went
 * through, in one submission; its memory stays for the next one. */
PAIL_TEST(test_wiping)
{
    static const uint8_t zeros[32 * N];
    static uint8_t output[32 * N];
    const pail_u256 root = field_root(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), LOG_N);
    pail_context *context = open_context();
    struct VolkDeviceTable *table = pail_vk_device_table(context->dev);
    pail_vector *x = NULL;
    pail_pending *pending = NULL;
    expect_right(context); /* self-tests, and memory that stays */
    assert_int_equal(pail_api_table.vector_create(context, &x, PAIL_CURVE_BN254, N), PAIL_OK);
    assert_int_equal(pail_api_table.vector_write(x, 0, input, N, PAIL_ENCODING_CANONICAL), PAIL_OK);
    fill = table->vkCmdFillBuffer;
    destroy = table->vkDestroyBuffer;
    submit = table->vkQueueSubmit;
    table->vkCmdFillBuffer = on_fill;
    table->vkDestroyBuffer = on_destroy;
    table->vkQueueSubmit = on_count;
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT, .log_n = LOG_N, .r = x, .a = x, .n = N);
    pail_u256_to_bytes(op.root, &root);
    assert_int_equal(pail_api_table.vector_start(context, &pending, &op, 1), PAIL_OK);
    pail_api_table.vector_destroy(context, &x);
    assert_int_equal(freed, 0);
    assert_int_equal(n_filled, 0);
    n_submitted = 0;
    assert_int_equal(pail_api_table.vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(freed, 0);
    assert_int_equal(n_submitted, 1);
    assert_int_equal(n_filled, 2); /* the vector, and scratch: the transform has two passes */
    assert_true(filled[0].buffer != filled[1].buffer);
    for (size_t i = 0; i < n_filled; i++)
        assert_int_equal(filled[i].bytes, 32 * N);
    n_filled = 0;
    assert_int_equal(pail_api_table.vector_create(context, &x, PAIL_CURVE_BN254, N), PAIL_OK);
    assert_int_equal(n_filled, 0); /* it is zero already */
    assert_int_equal(pail_api_table.vector_read(x, output, 0, N, PAIL_ENCODING_MONTGOMERY),
                     PAIL_OK);
    assert_memory_equal(output, zeros, sizeof(output));
    pail_api_table.vector_destroy(context, &x);
    assert_int_equal(n_filled, 1); /* nothing went through scratch */
    assert_int_equal(filled[0].bytes, 32 * N);
    n_filled = 0;
    pail_workspace_trim(context->msm);
    assert_int_equal(n_filled, 0); /* scratch is zero already, too */
    assert_true(freed >= 2);       /* and the vector's */
    table->vkCmdFillBuffer = fill;
    table->vkDestroyBuffer = destroy;
    table->vkQueueSubmit = submit;
    close_context(context);
}

PAIL_TEST_GROUP(setup, NULL)
