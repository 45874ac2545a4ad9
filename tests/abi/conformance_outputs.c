/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that no backend may write: anything behind an output that the caller owns. Outputs end
 * where a page begins that nobody can touch. */
#include "conformance.h"

#include <sys/mman.h>

enum { PAGE = 65536 };

/* bytes that end at a page without access. */
struct edge {
    unsigned char *map;
    void *at;
};

static struct edge edge_make(size_t bytes)
{
    struct edge edge = {.map = mmap(NULL, 2 * (size_t)PAGE, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    assert_true(edge.map != MAP_FAILED);
    assert_int_equal(mprotect(edge.map + PAGE, PAGE, PROT_NONE), 0);
    memset(edge.map, 0xa5, PAGE);
    edge.at = edge.map + PAGE - bytes;
    return edge;
}

static void edge_free(struct edge *edge)
{
    assert_int_equal(munmap(edge->map, 2 * (size_t)PAGE), 0);
}

/* An output struct whose struct_size was never set. */
static const uint32_t wild[] = {PAIL_STRUCT_SIZE_MAX + 1, 0xa5a5a5a5u, UINT32_MAX};
enum { N_WILD = sizeof wild / sizeof wild[0] };

/* Sums of buckets: no more is zeroed than there are. */
static void buckets_are_only_those(const struct subject *subject, const pail_msm_job *job)
{
    const pail_backend *backend = subject->backend;
    pail_bucket_info info = {.struct_size = sizeof info};
    size_t bytes = 0;
    if (!PAIL_HAS(backend, msm_buckets))
        return;
    const pail_msm_config config = {.struct_size = sizeof config, .window_bits = 4};
    assert_int_equal(
        backend->msm_buckets(subject->context, NULL, &bytes, &info, NULL, job, &config), PAIL_OK);
    struct edge edge = edge_make(bytes);
    pail_msm_job broken = *job; /* breaks its promise, which is seen at the end or before */
    broken.scalar_bits = 1;
    const size_t rooms[] = {bytes, bytes + 1, (size_t)1 << 40, SIZE_MAX};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; ++i) {
        const pail_msm_job *const jobs[] = {&broken, NULL};
        for (size_t j = 0; j < 2; ++j) {
            size_t n = rooms[i];
            memset(edge.at, 0xa5, bytes);
            assert_int_not_equal(
                backend->msm_buckets(subject->context, edge.at, &n, &info, NULL, jobs[j], &config),
                PAIL_OK);
            assert_int_equal(n, 0);
        }
    }
    edge_free(&edge);
}

CONFORMANCE(outputs_are_only_those)
{
    pail_bases *bases = make_bases(subject, 4);
    const pail_msm_job one = job_of(bases, small_scalars, 4);
    struct edge edge = edge_make(sizeof(pail_msm_result));
    pail_msm_result *result = edge.at;

    /* One job was started, whatever the caller says. */
    const size_t counts[] = {2, 1000, (size_t)1 << 40, SIZE_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        pail_pending *pending = start(subject, &one, 1, NULL);
        memset(result, 0xa5, sizeof *result);
        result->struct_size = sizeof *result;
        assert_int_equal(backend->msm_finish(&pending, result, counts[i], NULL), PAIL_ERR_ARGUMENT);
        assert_null(pending);
        expect_sentence(subject, "n_results");
        expect_zeroed(result, sizeof *result);
        assert_int_equal(backend->msm_finish(&pending, result, counts[i], NULL), PAIL_ERR_ARGUMENT);
    }
    for (size_t i = 0; i < N_WILD; ++i) {
        pail_pending *pending = start(subject, &one, 1, NULL);
        result->struct_size = wild[i];
        assert_int_equal(backend->msm_finish(&pending, result, 1, NULL), PAIL_ERR_ARGUMENT);
        expect_sentence(subject, "struct_size");
    }
    edge_free(&edge);

    /* Two, of which the second says that it is longer than the first. */
    edge = edge_make(2 * sizeof(pail_msm_result));
    result = edge.at;
    const pail_msm_job jobs[2] = {one, one};
    pail_pending *pending = start(subject, jobs, 2, NULL);
    result[0].struct_size = sizeof *result;
    result[1].struct_size = sizeof *result + 64;
    assert_int_equal(backend->msm_finish(&pending, result, 2, NULL), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "struct_size");
    edge_free(&edge);

    edge = edge_make(sizeof(pail_stats));
    pail_stats *stats = edge.at;
    pail_device_info *info = edge.at; /* larger: only its size is there */
    pail_bases_info *described = edge.at;
    for (size_t i = 0; i < N_WILD; ++i) {
        stats->struct_size = wild[i];
        assert_int_equal(backend->msm_estimate(subject->context, stats, &one, NULL),
                         PAIL_ERR_ARGUMENT);
        info->struct_size = wild[i];
        assert_int_equal(backend->context_device(subject->context, info), PAIL_ERR_ARGUMENT);
        expect_sentence(subject, "struct_size");
        assert_int_equal(backend->device_info(subject->host, 0, info), PAIL_ERR_ARGUMENT);
        described->struct_size = wild[i];
        if (PAIL_HAS(backend, bases_info))
            assert_int_equal(backend->bases_info(bases, described), PAIL_ERR_ARGUMENT);
    }
    edge_free(&edge);
    buckets_are_only_those(subject, &one);
    backend->bases_destroy(subject->context, &bases);
}

CONFORMANCE_NEEDS(memory_is_only_that, memory_read)
{
    pail_memory *memory = NULL;
    for (uint32_t kind = PAIL_MEMORY_DEVICE; kind <= PAIL_MEMORY_HOST; ++kind) {
        if (backend->memory_create(subject->context, &memory, NULL, kind, 64) != PAIL_OK)
            return;
        struct edge edge = edge_make(64);
        const uint64_t lengths[] = {65, PAGE, UINT64_C(1) << 40, UINT64_MAX};
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
            assert_int_equal(backend->memory_read(memory, edge.at, 0, lengths[i]),
                             PAIL_ERR_ARGUMENT);
            assert_int_equal(backend->memory_read(memory, edge.at, 63, lengths[i]),
                             PAIL_ERR_ARGUMENT);
            assert_int_equal(backend->memory_read(memory, edge.at, lengths[i], 64),
                             PAIL_ERR_ARGUMENT);
            assert_int_equal(backend->memory_read(NULL, edge.at, 0, lengths[i]), PAIL_ERR_ARGUMENT);
            assert_int_equal(backend->memory_write(memory, 0, edge.at, lengths[i]),
                             PAIL_ERR_ARGUMENT);
        }
        edge_free(&edge);
        backend->memory_destroy(subject->context, &memory);
    }
}

/* A kernel of one task with one stack of seven elements; with flags also one of 3 * 2^32. */
static pail_adstack_kernel register_constant(const struct subject *subject, uint32_t flags)
{
    const pail_node seven = {.kind = PAIL_NODE_CONST,
                             .a = -1,
                             .b = -1,
                             .body = -1,
                             .variable = -1,
                             .source = -1,
                             .axis = -1,
                             .imm = 7};
    const pail_stack_desc stacks[] = {
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_FLOAT, .element_bytes = 4, .copies = 1,
              .tree = {.nodes = &seven, .n_nodes = 1}),
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_INT, .element_bytes = 4, .copies = 1,
              .static_capacity = UINT64_C(3) << 32)};
    const pail_task_desc task =
        SIZED(pail_task_desc, .stacks = stacks, .n_stacks = flags ? 2 : 1, .flags = flags);
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "constant", .name_bytes = 8, .tasks = &task, .n_tasks = 1);
    pail_adstack_kernel kernel = 0;
    uint32_t id;
    if (subject->backend->adstack_register(subject->context, &kernel, &id, &desc) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    return kernel;
}

CONFORMANCE(stacks_are_only_those)
{
    if (!PAIL_HAS(backend, adstack_record_layout) || !PAIL_HAS(backend, adstack_metadata))
        return;
    const pail_adstack_kernel kernel = register_constant(subject, 0);
    struct edge edge = edge_make(sizeof(pail_record_task));
    pail_record_task *place = edge.at;
    uint64_t bytes;
    const size_t counts[] = {2, 100, 65536, SIZE_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        place->struct_size = sizeof *place;
        assert_int_equal(
            backend->adstack_record_layout(subject->context, place, counts[i], &bytes, kernel),
            PAIL_ERR_ARGUMENT);
        expect_sentence(subject, "n_tasks");
        assert_int_equal(
            backend->adstack_record_layout(subject->context, place, counts[i], &bytes, kernel + 1),
            PAIL_ERR_ARGUMENT);
    }
    edge_free(&edge);

    const pail_task_launch task = {.struct_size = sizeof task, .threads = 1};
    const pail_launch launch = SIZED(pail_launch, .kernel = kernel, .tasks = &task, .n_tasks = 1);
    pail_adstack_result *result = NULL;
    if (backend->adstack_evaluate(subject->context, &result, &launch) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    edge = edge_make(5 * sizeof(uint32_t));
    uint32_t *words = edge.at;
    const size_t rooms[] = {5, PAGE, SIZE_MAX / sizeof *words + 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; ++i) {
        size_t n = rooms[i];
        assert_int_equal(backend->adstack_metadata(result, words, &n, 0), PAIL_OK);
        assert_int_equal(n, 5);
        n = rooms[i];
        assert_int_equal(backend->adstack_metadata(result, words, &n, 1), PAIL_ERR_ARGUMENT);
        assert_int_equal(n, 0);
        n = rooms[i];
        assert_int_equal(backend->adstack_metadata(NULL, words, &n, 0), PAIL_ERR_ARGUMENT);
        assert_int_equal(n, 0);
    }
    edge_free(&edge);
    backend->adstack_release(result);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
}

/* Numbers of 64 bits: strides, all offsets, all capacities. */
CONFORMANCE(stacks_have_wide_metadata)
{
    if (!PAIL_HAS(backend, adstack_metadata))
        return;
    const pail_adstack_kernel kernel = register_constant(subject, PAIL_TASK_WIDE_METADATA);
    const pail_task_launch task = {.struct_size = sizeof task, .threads = 1};
    const pail_launch launch = SIZED(pail_launch, .kernel = kernel, .tasks = &task, .n_tasks = 1);
    pail_adstack_result *result = NULL;
    if (backend->adstack_evaluate(subject->context, &result, &launch) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    const uint64_t expected[6] = {28, UINT64_C(3) << 34, 0, 0, 7, UINT64_C(3) << 32};
    uint32_t words[12];
    size_t n = 0;
    assert_int_equal(backend->adstack_metadata(result, NULL, &n, 0), PAIL_OK);
    assert_int_equal(n, 12);
    assert_int_equal(backend->adstack_metadata(result, words, &n, 0), PAIL_OK);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(words[2 * i] | (uint64_t)words[2 * i + 1] << 32, expected[i]);
    n = 11;
    assert_int_equal(backend->adstack_metadata(result, words, &n, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(n, 0);
    backend->adstack_release(result);
    pail_record_task place = {.struct_size = sizeof place};
    uint64_t bytes = 0;
    if (PAIL_HAS(backend, adstack_record_layout)) {
        assert_int_equal(
            backend->adstack_record_layout(subject->context, &place, 1, &bytes, kernel), PAIL_OK);
        assert_int_equal(place.n_words, 12);
        assert_int_equal(place.needed_offset, 48);
        assert_int_equal(place.dispatch_offset, 72);
        assert_int_equal(bytes, 84);
    }
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
}

/* Both layouts of a task whose threads claim 26 bytes of the float heap in all. */
CONFORMANCE(stacks_are_claimed)
{
    if (!PAIL_HAS(backend, adstack_metadata))
        return;
    const pail_stack_desc stacks[] = {
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_FLOAT, .element_bytes = 1, .copies = 1,
              .static_capacity = 7),
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_FLOAT_CLAIMS, .static_capacity = 26)};
    const pail_task_desc desc = SIZED(pail_task_desc, .stacks = stacks, .n_stacks = 2);
    const pail_kernel_desc kernel_desc =
        SIZED(pail_kernel_desc, .name = "claims", .name_bytes = 6, .tasks = &desc, .n_tasks = 1);
    pail_adstack_kernel kernel = 0;
    uint32_t id;
    if (backend->adstack_register(subject->context, &kernel, &id, &kernel_desc) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    for (uint32_t asked = PAIL_LAYOUT_AUTO; asked <= PAIL_LAYOUT_CLAIMED + 1; asked++) {
        const pail_task_launch task = {.struct_size = sizeof task, .threads = 9, .layout = asked};
        const pail_launch launch =
            SIZED(pail_launch, .kernel = kernel, .tasks = &task, .n_tasks = 1);
        pail_adstack_result *result = NULL;
        const pail_status status = backend->adstack_evaluate(subject->context, &result, &launch);
        if (asked > PAIL_LAYOUT_CLAIMED) {
            assert_int_equal(status, PAIL_ERR_ARGUMENT);
            expect_sentence(subject, "task 0: layout of pail_task_launch is 3");
            break;
        }
        assert_int_equal(status, PAIL_OK);
        const bool claimed = asked != PAIL_LAYOUT_ROWS;
        pail_task_size size = {.struct_size = sizeof size};
        uint32_t words[10];
        size_t n = 10;
        assert_int_equal(backend->adstack_task_size(result, &size, 0), PAIL_OK);
        assert_int_equal(backend->adstack_metadata(result, words, &n, 0), PAIL_OK);
        const uint32_t expected[10] = {7, 0, 0, 7, 0, size.layout, 0, 26, 0, 0};
        assert_int_equal(size.layout, claimed ? PAIL_LAYOUT_CLAIMED : PAIL_LAYOUT_ROWS);
        assert_int_equal(size.heap_float, claimed ? 26 : 63);
        assert_int_equal(size.rows_float, 63);
        assert_int_equal(size.claimed_float, 26);
        assert_int_equal(n, 10);
        assert_memory_equal(words, expected, sizeof expected);
        /* A host of ABI 1.0 has no members behind grow_int. */
        struct edge edge = edge_make(PAIL_TASK_SIZE_SIZE_1_0);
        pail_task_size *const before = edge.at;
        before->struct_size = PAIL_TASK_SIZE_SIZE_1_0;
        assert_int_equal(backend->adstack_task_size(result, before, 0), PAIL_OK);
        assert_int_equal(before->grow_float, size.heap_float);
        edge_free(&edge);
        backend->adstack_release(result);
    }
    pail_record_task place = {.struct_size = sizeof place};
    uint64_t bytes = 0;
    if (PAIL_HAS(backend, adstack_record_layout)) {
        assert_int_equal(
            backend->adstack_record_layout(subject->context, &place, 1, &bytes, kernel), PAIL_OK);
        assert_int_equal(place.n_words, 10);
        assert_int_equal(place.needed_offset, 40);
    }
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
}
