/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps that threads claim (<pail/claim.glsl>), in kernels of a host: bytes against what threads
 * need, no part twice, and what overflows is reported and diagnosed. */

#include <inttypes.h>
#include <math.h>

#include <pail/adstack_build.h>
#include <platform/clock.h>

#include "host_kernel.h"

#include "claims.h"
#include "support/test.h"

enum {
    THREADS = 65536,
    STACK_CLAIMS = 1,
    WORDS = 3 + 2 + 5,    /* of metadata: a stack with memory, and claims */
    NEXT = 6,             /* units of the float heap that are claimed; and what there is */
    HEAP_WORDS = 4 << 20, /* as much as rows of the first distribution take */
    EMPTY = 0x5A5A5A5A,
};

struct row {
    uint32_t claimed, pushes, sum, first;
};

static struct claims {
    struct host_device host;
    struct test_plugin plugin;
    struct shared overflow, metadata, rows, heap;
    struct host_kernel kernel, own; /* reports to the context's buffer; to memory of the test */
    pail_adstack_kernel handle;
    uint32_t id;
    uint64_t serial;
    int32_t needs[THREADS]; /* the array that the trees read */
    uint64_t generation;
} claims;

static struct row *rows_of(void)
{
    return (struct row *)(void *)claims.rows.mapped;
}

static uint32_t *words_of(const struct shared *memory)
{
    return (uint32_t *)(void *)memory->mapped;
}

static void need(pail_status status)
{
    if (status != PAIL_OK)
        fail_msg("status %d: %s", (int)status, claims.plugin.api->error(claims.plugin.context));
}

/* A stack of values with adjoints, as deep as the deepest need, and the sum of the parts. */
static void register_kernel(void)
{
    pail_node nodes[32];
    int64_t indices[4];
    const int64_t at[] = {PAIL_TREE_INDEX(0)};
    pail_stack_desc stacks[2] = {
        SIZED(pail_stack_desc, .element_bytes = 4, .copies = 2, .alignment = 8),
        SIZED(pail_stack_desc, .heap = PAIL_HEAP_FLOAT_CLAIMS)};
    pail_tree_builder b = pail_tree_begin(nodes, 32, indices, 4);
    const int32_t zero = pail_tree_const(&b, 0), n = pail_tree_shape(&b, 0, 0);
    const int32_t entries = pail_tree_read(&b, 0, PAIL_DTYPE_I32, 1, at);
    const int32_t deepest = pail_tree_max_over(&b, 0, zero, n, entries);
    assert_int_equal(pail_tree_end(&b, deepest, &stacks[0].tree), PAIL_OK);
    const int32_t part = pail_tree_part(&b, entries, &stacks[0], PAIL_TASK_ELEMENT_UNITS);
    const int32_t sum = pail_tree_sum_over(&b, 0, zero, n, part);
    assert_int_equal(pail_tree_end(&b, sum, &stacks[1].tree), PAIL_OK);
    const pail_task_desc task =
        SIZED(pail_task_desc, .stacks = stacks, .n_stacks = 2, .flags = PAIL_TASK_ELEMENT_UNITS);
    static const uint8_t rank = 1;
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "claims", .name_bytes = 6, .tasks = &task, .n_tasks = 1,
              .source_rank = &rank, .n_sources = 1);
    need(claims.plugin.api->adstack_register(claims.plugin.context, &claims.handle, &claims.id,
                                             &desc));
}

PAIL_FIXTURE(set_up)
{
    struct host_device *const host = &claims.host;
    if (host_device_open(host, &claims.plugin, true) != 0)
        return -1;
    if (!host->addresses)
        return 0;
    register_kernel();
    uint64_t handle, address;
    need(claims.plugin.api->adstack_overflow_buffer(claims.plugin.context, &handle, &address));
    shared_make(host, &claims.overflow, 4 * 20);
    shared_make(host, &claims.metadata, 4 * WORDS);
    shared_make(host, &claims.rows, THREADS * sizeof(struct row));
    shared_make(host, &claims.heap, 4 * HEAP_WORDS);
    VkBuffer buffers[] = {claims.overflow.buffer, claims.metadata.buffer, claims.rows.buffer,
                          claims.heap.buffer};
    host_kernel_make(&claims.own, host, claims_words, sizeof(claims_words), buffers, 4, 12);
    memcpy(&buffers[0], &handle, sizeof(handle));
    host_kernel_make(&claims.kernel, host, claims_words, sizeof(claims_words), buffers, 4, 12);
    return 0;
}

PAIL_FIXTURE(tear_down)
{
    const struct host_device *const host = &claims.host;
    if (host->addresses) {
        host_kernel_free(&claims.kernel);
        host_kernel_free(&claims.own);
        shared_free(host, &claims.overflow);
        shared_free(host, &claims.metadata);
        shared_free(host, &claims.rows);
        shared_free(host, &claims.heap);
    }
    claims.plugin.api->context_destroy(&claims.plugin.context);
    host_device_free(&claims.host);
    return test_plugin_close(&claims.plugin);
}

static void need_addresses(void)
{
    if (!claims.host.addresses)
        SKIP_BECAUSE("the device has no buffer device addresses");
}

/* ---- Needs ----------------------------------------------------------------------------------- */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 40) + 0.5) / (1 << 24);
}

/* Poisson's distribution with mean 8. */
static int32_t poisson(uint64_t *state)
{
    int32_t n = 0;
    for (double left = exp(8.0); (left *= uniform(state)) > 1;)
        n++;
    return n;
}

/* exp(2 + z) of a normal z, rounded. */
static int32_t lognormal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(uniform(state)));
    return (int32_t)lround(exp(2 + radius * cos(2 * 3.14159265358979 * uniform(state))));
}

static void draw(int32_t (*distribution)(uint64_t *state), uint64_t seed)
{
    uint64_t state = seed;
    for (uint32_t t = 0; t < THREADS; t++)
        claims.needs[t] = distribution(&state);
    claims.generation++;
}

/* ---- Launches -------------------------------------------------------------------------------- */
/* Sizes and metadata for the needs, in a layout. The array has the generation that was told. */
static pail_task_size prepare(uint32_t layout, uint64_t rows_ns, uint64_t claimed_ns)
{
    const pail_backend *const api = claims.plugin.api;
    const int64_t n = THREADS;
    const pail_binding binding =
        SIZED(pail_binding, .identity = 1, .generation = claims.generation, .host = claims.needs,
              .size_bytes = sizeof(claims.needs), .dtype = PAIL_DTYPE_I32, .rank = 1, .shape = &n);
    const pail_task_launch task = SIZED(pail_task_launch, .threads = THREADS, .layout = layout,
                                        .rows_ns = rows_ns, .claimed_ns = claimed_ns);
    const pail_launch launch =
        SIZED(pail_launch, .kernel = claims.handle, .bindings = &binding, .n_bindings = 1,
              .tasks = &task, .n_tasks = 1, .serial = ++claims.serial);
    pail_adstack_result *result = NULL;
    pail_task_size size = {.struct_size = sizeof(size)};
    size_t n_words = WORDS;
    need(api->adstack_evaluate(claims.plugin.context, &result, &launch));
    need(api->adstack_task_size(result, &size, 0));
    need(api->adstack_metadata(result, words_of(&claims.metadata), &n_words, 0));
    assert_int_equal(n_words, WORDS);
    api->adstack_release(result);
    return size;
}

/* Runs the kernel with a need of its own for each thread. Returns milliseconds, submission
 * included. */
static double run(struct host_kernel *kernel, const int32_t needs[], uint32_t n)
{
    struct row *const rows = rows_of();
    const uint32_t push[] = {n, claims.id, (uint32_t)claims.serial};
    for (uint32_t t = 0; t < n; t++)
        rows[t] = (struct row){(uint32_t)needs[t], (uint32_t)needs[t], 0, 0};
    const double before = pail_now_ms();
    host_kernel_run(kernel, (n + 63) / 64, push);
    return pail_now_ms() - before;
}

/* The sum of the sums that a thread makes, while it pops, of what it pushed. */
static uint32_t popped(uint32_t thread, uint32_t pushes)
{
    return pushes * thread * UINT32_C(2654435761) + (uint32_t)((uint64_t)pushes * (pushes - 1) / 2);
}

/* All sums are right, and each thread's adjoints are in its part: nobody wrote into another's.
 * capacity: of each row, or 0 for what threads claim. Returns the threads that had no memory. */
static uint32_t check_rows(uint32_t n, uint32_t capacity)
{
    const struct row *const rows = rows_of();
    const uint32_t *const heap = words_of(&claims.heap);
    uint32_t without = 0;
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t room = capacity ? capacity : rows[t].claimed ? rows[t].claimed : 1;
        if (rows[t].first == UINT32_MAX) {
            without++;
            continue;
        }
        assert_int_equal(rows[t].first % 2, 0); /* its alignment of 8 bytes */
        assert_int_equal(rows[t].sum, popped(t, rows[t].pushes));
        if (rows[t].pushes > 0)
            assert_int_equal(heap[rows[t].first + room], rows[t].sum);
    }
    return without;
}

static void clear_heap(void)
{
    uint32_t *const heap = words_of(&claims.heap);
    for (uint32_t i = 0; i < HEAP_WORDS; i++)
        heap[i] = EMPTY;
}

static void expect_untouched_from(uint64_t word)
{
    const uint32_t *const heap = words_of(&claims.heap);
    for (uint64_t i = word; i < HEAP_WORDS; i++)
        assert_int_equal(heap[i], EMPTY);
}

static size_t poll_all(pail_overflow *records, size_t room)
{
    size_t n = room;
    records[0].struct_size = sizeof(records[0]);
    need(claims.plugin.api->adstack_poll_overflow(claims.plugin.context, records, &n));
    return n;
}

/* ---- What it is for -------------------------------------------------------------------------- */
/* Heaps of 65536 threads take hardly more than their needs; what a kernel takes of them is all. */
static void claim_all(const char *name, int32_t (*distribution)(uint64_t *state))
{
    pail_overflow records[1];
    uint64_t exact = 0, largest = 0;
    draw(distribution, 1);
    for (uint32_t t = 0; t < THREADS; t++) {
        exact += 8 * (uint64_t)claims.needs[t];
        largest = claims.needs[t] > (int32_t)largest ? (uint64_t)claims.needs[t] : largest;
    }
    const pail_task_size size = prepare(PAIL_LAYOUT_AUTO, 0, 0);
    assert_int_equal(size.layout, PAIL_LAYOUT_CLAIMED);
    assert_int_equal(size.heap_float, size.claimed_float);
    assert_int_equal(size.rows_float, 8 * largest * THREADS);
    assert_true(size.heap_float >= exact);
    assert_true((double)size.heap_float <= 1.02 * (double)exact);
    assert_true(size.heap_float + 4096 <= 4 * HEAP_WORDS);
    clear_heap();
    const double claimed_ms = run(&claims.kernel, claims.needs, THREADS);
    assert_int_equal(words_of(&claims.metadata)[NEXT], size.heap_float / 4);
    assert_int_equal(check_rows(THREADS, 0), 0);
    expect_untouched_from(size.heap_float / 4);
    assert_int_equal(poll_all(records, 1), 0);
    print_message("%s: needs of %" PRIu64 " bytes, claimed %" PRIu64
                  " (%.4f times), in rows %" PRIu64 " (%.1f times); %.2f ms with claims\n",
                  name, exact, size.claimed_float, (double)size.claimed_float / (double)exact,
                  size.rows_float, (double)size.rows_float / (double)exact, claimed_ms);
}

PAIL_TEST(test_poisson)
{
    need_addresses();
    claim_all("Poisson(8)", poisson);
}

PAIL_TEST(test_lognormal)
{
    need_addresses();
    claim_all("lognormal(2, 1)", lognormal);
}

/* The same kernel with rows, and which of the two is chosen by measured times. */
PAIL_TEST(test_layouts)
{
    need_addresses();
    draw(poisson, 2);
    pail_task_size size = prepare(PAIL_LAYOUT_CLAIMED, 0, 0);
    clear_heap();
    const double claimed_ms = run(&claims.kernel, claims.needs, THREADS);
    assert_int_equal(check_rows(THREADS, 0), 0);
    size = prepare(PAIL_LAYOUT_ROWS, 0, 0);
    assert_int_equal(size.layout, PAIL_LAYOUT_ROWS);
    assert_int_equal(size.heap_float, size.rows_float);
    assert_true(size.heap_float <= 4 * HEAP_WORDS);
    clear_heap();
    const double rows_ms = run(&claims.kernel, claims.needs, THREADS);
    assert_int_equal(check_rows(THREADS, (uint32_t)size.stride_float / 2), 0);
    assert_int_equal(words_of(&claims.metadata)[NEXT], 0);
    print_message("Poisson(8): %.2f ms with claims, %.2f ms with rows\n", claimed_ms, rows_ms);
    const uint64_t ratio = size.rows_float / size.claimed_float; /* rounded down, at least 2 */
    assert_true(ratio >= 2);
    assert_int_equal(prepare(PAIL_LAYOUT_AUTO, 1000, 1000 * ratio - 10).layout,
                     PAIL_LAYOUT_CLAIMED);
    assert_int_equal(prepare(PAIL_LAYOUT_AUTO, 1000, 1000 * (ratio + 1)).layout, PAIL_LAYOUT_ROWS);
}

/* ---- What goes wrong ------------------------------------------------------------------------- */
/* An array that is written without a word: the heap is too small, some threads have no memory, the
 * others are right, and the next launch is as well. */
PAIL_TEST(test_untracked_write)
{
    need_addresses();
    pail_overflow records[4];
    draw(poisson, 3);
    const uint64_t room = prepare(PAIL_LAYOUT_CLAIMED, 0, 0).heap_float / 4;
    for (uint32_t t = 0; t < THREADS; t += 2)
        claims.needs[t] += 5;
    assert_int_equal(prepare(PAIL_LAYOUT_CLAIMED, 0, 0).heap_float / 4, room);
    clear_heap();
    (void)run(&claims.kernel, claims.needs, THREADS);
    assert_in_range(check_rows(THREADS, 0), 1, THREADS / 2);
    expect_untouched_from(room);
    const size_t n = poll_all(records, 4);
    assert_in_range(n, 1, 4);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(records[i].id, claims.id);
        assert_int_equal(records[i].stack, STACK_CLAIMS);
        assert_int_equal(records[i].serial, claims.serial);
        assert_true(records[i].count > room);
    }
    pail_diagnosis why = {.struct_size = sizeof(why)};
    need(claims.plugin.api->adstack_diagnose(claims.plugin.context, &why, &records[0]));
    assert_int_equal(why.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(why.invalidated, 1);
    assert_int_equal(why.suspect_identity, 1);
    assert_int_equal(why.allocated, room);
    assert_true(why.required > (int64_t)room);
    assert_non_null(strstr(why.text, "units of its heap claimed"));
    assert_non_null(strstr(why.text, "units of its heap by stack 1"));

    const pail_task_size size = prepare(PAIL_LAYOUT_CLAIMED, 0, 0);
    assert_int_equal(size.heap_float / 4, why.required);
    clear_heap();
    (void)run(&claims.kernel, claims.needs, THREADS);
    assert_int_equal(check_rows(THREADS, 0), 0);
    assert_int_equal(poll_all(records, 4), 0);

    /* A kernel that needs more than the tree says. */
    claims.needs[17] += 100;
    (void)prepare(PAIL_LAYOUT_CLAIMED, 0, 0);
    (void)run(&claims.kernel, claims.needs, THREADS);
    claims.needs[17] -= 100;
    assert_in_range(poll_all(records, 4), 1, 4);
    need(claims.plugin.api->adstack_diagnose(claims.plugin.context, &why, &records[0]));
    assert_int_equal(why.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
}

/* Runs the rows as they are, with so many units to claim, in memory of the test. */
static void run_own(uint32_t n, uint32_t room)
{
    uint32_t *const words = words_of(&claims.overflow);
    const uint32_t push[] = {n, 77, 5};
    const uint32_t metadata[WORDS] = {0, 0, 0, 1, 0, PAIL_LAYOUT_CLAIMED, 0, room, 0, 0};
    memset(words, 0, 4 * 20);
    words[3] = 4;
    memcpy(claims.metadata.mapped, metadata, sizeof(metadata));
    clear_heap();
    host_kernel_run(&claims.own, n / 64, push);
}

/* A claim that is too large to be added without a look takes what is there as well as others. */
PAIL_TEST(test_large_claims)
{
    need_addresses();
    enum { LARGE = 40000, ROOM = 2 * (2 * LARGE + THREADS - 2) };
    struct row *const rows = rows_of();
    for (uint32_t t = 0; t < THREADS; t++)
        rows[t] = t % 50000 == 5 ? (struct row){LARGE, 3, 0, 0} : (struct row){1, 1, 0, 0};
    run_own(THREADS, ROOM);
    assert_int_equal(check_rows(THREADS, 0), 0);
    assert_int_equal(words_of(&claims.metadata)[NEXT], ROOM);
    assert_int_equal(words_of(&claims.overflow)[0], 0);
    expect_untouched_from(ROOM);
}

/* Claims that add up to more than 32 bits do not come round, so that no part is given twice. */
PAIL_TEST(test_claims_do_not_wrap)
{
    need_addresses();
    enum { N = 4096, ROOM = 6000, LARGE = 1 << 29 };
    const uint32_t *const words = words_of(&claims.overflow);
    struct row *const rows = rows_of();
    uint64_t granted = 0;
    for (uint32_t t = 0; t < N; t++) /* every fourth claims without end, and pushes nothing */
        rows[t] = t % 4 != 3 ? (struct row){1, 1, 0, 0}
                             : (struct row){t % 8 == 3    ? LARGE
                                            : t % 16 == 7 ? UINT32_MAX
                                                          : UINT32_C(1) << 31,
                                            0, 0, 0};
    run_own(N, ROOM);
    for (uint32_t t = 0; t < N; t++) {
        if (t % 4 == 3) {
            assert_int_equal(rows[t].first, UINT32_MAX);
            continue;
        }
        if (rows[t].first == UINT32_MAX)
            continue;
        granted += 2;
        assert_in_range(rows[t].first, 0, ROOM - 2);
        assert_int_equal(words_of(&claims.heap)[rows[t].first + 1], rows[t].sum);
        assert_int_equal(rows[t].sum, popped(t, 1));
    }
    assert_int_equal(granted, ROOM);
    assert_in_range(words_of(&claims.metadata)[NEXT], ROOM, 2 * N);
    expect_untouched_from(ROOM);
    assert_int_equal(words[0], STACK_CLAIMS + 1);
    assert_int_equal(words[1], 77);
    assert_int_equal(words[4], STACK_CLAIMS + 1);
    assert_true(words[5] > ROOM);
}

PAIL_TEST_GROUP(set_up, tear_down)
