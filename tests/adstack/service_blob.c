/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as bytes: what comes back, byte by byte, and what is refused. */
#include <curves/fnv.h>
#include <curves/little_endian.h>

#include "service_support.h"
#include "support/test.h"

static struct kernel *sample(void)
{
    struct kernel *kernel = kernel_make("na\xc3\xafve", "12");
    (void)kernel_task(kernel, -1);
    tree_max_of(kernel_stack(kernel), 0);
    kernel_static(kernel, 9);
    (void)kernel_task(kernel, 3);
    struct nodes *nodes = kernel_stack(kernel);
    (void)nodes_op(nodes, PAIL_NODE_ADD, nodes_shape(nodes, 1, 1), nodes_const(nodes, -5));
    kernel->desc.flags = PAIL_KERNEL_CLAMP_RANGES | PAIL_KERNEL_WRAP_ARITHMETIC;
    kernel->tasks[0].wanted_id = 4711;
    kernel->stacks[0][1].header_bytes = 8;
    kernel->stacks[0][1].alignment = 16;
    kernel->stacks[0][1].heap = PAIL_HEAP_INT;
    return kernel;
}

static uint8_t *exported(struct stage *stage, uint64_t kernel, size_t *n)
{
    struct pail_error err = {0};
    assert_int_equal(pail_adstack_export(stage->service, NULL, n, kernel, &err), PAIL_OK);
    uint8_t *blob = malloc(*n);
    assert_non_null(blob);
    assert_int_equal(pail_adstack_export(stage->service, blob, n, kernel, &err), PAIL_OK);
    return blob;
}

/* The page of the format, as numbers. */
STAGE_TEST(as_the_page_says, false)
{
    struct kernel *kernel = sample();
    size_t n;
    uint8_t *blob = exported(stage, stage_register(stage, kernel), &n);
    const size_t nodes = kernel->stacks[0][0].tree.n_nodes;
    const size_t others = kernel->stacks[1][0].tree.n_nodes;
    assert_int_equal(n, 40 + 16 + 8 + 4 + 2 * 16 + 3 * 40 + 48 * (nodes + others) + 8);
    assert_memory_equal(blob, "PAILADST", 8);
    assert_int_equal(pail_read_u32(blob + 8), 1);
    assert_int_equal(pail_read_u32(blob + 12), 0);
    assert_int_equal(pail_read_u64(blob + 16), n - 40);
    assert_int_equal(pail_read_u64(blob + 24), pail_fnv1a64(blob + 40, n - 40));
    assert_int_equal(pail_read_u64(blob + 32), pail_fnv1a64(blob, 32));
    static const uint8_t begin[] = {6, 0, 0,    0,    2,    0,    0,    0,    2,   0, 0, 0, 3,
                                    0, 0, 0,    'n',  'a',  0xc3, 0xaf, 'v',  'e', 0, 0, 1, 2,
                                    0, 0, 0xff, 0xff, 0xff, 0xff, 0x67, 0x12, 0,   0, 1, 0, 0,
                                    0, 2, 0,    0,    0,    0,    0,    0,    0,   4, 0, 0, 0,
                                    2, 0, 0,    0,    0,    0,    0,    0,    0,   0, 0, 0};
    assert_memory_equal(blob + 40, begin, sizeof(begin));
    const uint8_t *at = blob + 40 + sizeof(begin);
    assert_int_equal(pail_read_u32(at), nodes);
    assert_int_equal(pail_read_u32(at + 4), 1);
    assert_int_equal(pail_read_u32(at + 8), 0);
    assert_int_equal(pail_read_u64(at + 12), 0);
    const pail_node *node = kernel->stacks[0][0].tree.nodes;
    for (size_t i = 0; i < nodes; i++, node++) {
        const uint8_t *b = at + 20 + 48 * i;
        assert_int_equal(b[0] | b[1] << 8, node->kind);
        assert_int_equal(b[2] | b[3] << 8, node->dtype);
        const int32_t signs[] = {node->a,        node->b,      node->body,
                                 node->variable, node->source, node->axis};
        for (size_t k = 0; k < 6; k++)
            assert_int_equal((int32_t)pail_read_u32(b + 4 + 4 * k), signs[k]);
        assert_int_equal(pail_read_u32(b + 28), node->index_first);
        assert_int_equal(pail_read_u32(b + 32), node->index_count);
        assert_int_equal(pail_read_u32(b + 36), 0);
        assert_int_equal((int64_t)pail_read_u64(b + 40), node->imm);
    }
    at += 20 + 48 * nodes;
    assert_int_equal((int64_t)pail_read_u64(at), VARIABLE_INDEX(0));
    static const uint8_t stack[] = {1, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0,  0, 0, 0};
    assert_memory_equal(at + 8, stack, sizeof(stack));
    free(blob);
    kernel_free(kernel);
}

/* Another process: the same ids, the same sizes, and the device works as for a fresh kernel. */
PAIL_TEST(comes_back)
{
    struct stage stage, other;
    struct pail_error err = {0};
    stage_open(&stage, true, 0);
    stage_open(&other, true, 0);
    struct kernel *kernel = sample();
    const uint64_t here = stage_register(&stage, kernel);
    const int32_t data[] = {4, 8, 1};
    const int64_t shape[2] = {3, 20};
    pail_binding bindings[] = {bind(0, 5, data, shape), bind(1, 0, NULL, shape)};
    bindings[1].rank = 2;
    (void)stage_size(&stage, here, 2, bindings, 2, 0, 0, 0);
    size_t n;
    uint8_t *blob = exported(&stage, here, &n);
    /* Others came first there, one of them with the hash of the second task. */
    struct kernel *stranger = kernel_make("stranger", "");
    (void)kernel_task(stranger, 0);
    kernel_static(stranger, 1);
    (void)stage_register(&other, stranger);
    uint64_t there;
    uint32_t ids[2], again[2];
    assert_int_equal(pail_adstack_import(other.service, &there, ids, blob, n, &err), PAIL_OK);
    assert_int_equal(ids[0], 4711);
    struct pail_adstack_result *result = stage_launch(&stage, here, 2, bindings, 2, 0, &err);
    assert_non_null(result);
    assert_int_equal(ids[1], result->tasks[1].id);
    pail_ad_result_release(result);
    assert_int_equal(stage_size(&other, there, 2, bindings, 2, 0, 0, 0).capacity, 8);
    assert_int_equal(stage_size(&other, there, 2, bindings, 2, 0, 1, 0).capacity, 15);
    assert_true(stage_stats(&other).dispatches >= 1);
    /* And once more is the same kernel again, as a registration is. */
    uint64_t third;
    assert_int_equal(pail_adstack_import(other.service, &third, again, blob, n, &err), PAIL_OK);
    assert_memory_equal(ids, again, sizeof(ids));
    size_t m;
    uint8_t *copy = exported(&other, third, &m);
    assert_int_equal(n, m);
    assert_memory_equal(blob, copy, n);
    free(copy);
    free(blob);
    kernel_free(kernel);
    kernel_free(stranger);
    stage_close(&stage);
    stage_close(&other);
}

PAIL_TEST(conflicts_are_reported)
{
    struct stage stage, other;
    struct pail_error err = {0};
    stage_open(&stage, false, 0);
    stage_open(&other, false, 0);
    struct kernel *kernel = sample(), *stranger = kernel_make("stranger", "");
    size_t n;
    uint8_t *blob = exported(&stage, stage_register(&stage, kernel), &n);
    (void)kernel_task(stranger, 8);
    kernel_static(stranger, 1);
    stranger->tasks[0].wanted_id = 4711;
    (void)stage_register(&other, stranger);
    uint64_t handle = 5;
    assert_int_equal(pail_adstack_import(other.service, &handle, NULL, blob, n, &err),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(handle, 0);
    assert_non_null(strstr(err.text, "task 8 of \"stranger\""));
    assert_non_null(strstr(err.text, "\"na\xc3\xafve\""));
    free(blob);
    kernel_free(kernel);
    kernel_free(stranger);
    stage_close(&stage);
    stage_close(&other);
}

static void seal(uint8_t *blob, size_t n)
{
    pail_store_u64(blob + 16, n - 40);
    pail_store_u64(blob + 24, pail_fnv1a64(blob + 40, n - 40));
    pail_store_u64(blob + 32, pail_fnv1a64(blob, 32));
}

static void expect_refused(struct stage *stage, const uint8_t *blob, size_t n, const char *word)
{
    struct pail_error err = {0};
    uint64_t handle = 5;
    /* Exactly as long, so that a sanitizer sees what is read beyond. */
    uint8_t *copy = malloc(n + (n == 0));
    assert_non_null(copy);
    memcpy(copy, blob, n);
    assert_int_equal(pail_adstack_import(stage->service, &handle, NULL, copy, n, &err),
                     PAIL_ERR_DATA);
    assert_int_equal(handle, 0);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not speak of '%s'", err.text, word);
    free(copy);
}

PAIL_TEST(damage_is_refused)
{
    struct stage stage, other;
    stage_open(&stage, false, 0);
    stage_open(&other, false, 0);
    struct kernel *kernel = sample();
    size_t n;
    uint8_t *blob = exported(&stage, stage_register(&stage, kernel), &n);
    for (size_t cut = 0; cut < n; cut++)
        expect_refused(&other, blob, cut, "blob");
    for (size_t at = 0; at < n; at++) {
        blob[at] ^= 0x10;
        expect_refused(&other, blob, n, "blob");
        blob[at] ^= 0x10;
    }
    blob[0] = 'X';
    expect_refused(&other, blob, n, "begin");
    blob[0] = 'P';
    pail_store_u32(blob + 8, 2);
    expect_refused(&other, blob, n, "its format is 2, this backend reads 1");
    pail_store_u32(blob + 8, 1);
    expect_refused(&other, blob, 39, "header");
    /* Whole, but not what registration takes. */
    pail_store_u32(blob + 40 + 44, 7);
    seal(blob, n);
    expect_refused(&other, blob, n, "heap is 7");
    pail_store_u32(blob + 40 + 44, 0);
    pail_store_u32(blob + 40 + 32, 0);
    seal(blob, n);
    expect_refused(&other, blob, n, "do not fit");
    pail_store_u32(blob + 40 + 32, 4711);
    pail_store_u32(blob + 40 + 8, 3);
    seal(blob, n);
    expect_refused(&other, blob, n, "do not fit");
    pail_store_u32(blob + 40 + 8, 2);
    pail_store_u32(blob + 40 + 64, UINT32_MAX);
    seal(blob, n);
    expect_refused(&other, blob, n, "do not fit");
    free(blob);
    kernel_free(kernel);
    stage_close(&stage);
    stage_close(&other);
}
