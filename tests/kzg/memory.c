/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that cannot be had: each allocation of each operation fails in turn. The call says so, its
 * outputs are zeroed, nothing is lost, and the same call succeeds afterwards. Of the library alone,
 * whose allocations are wrapped. And a device that is full, or adds up wrongly. */
#include "bench.h"

#include <malloc.h>
#include <stdatomic.h>

#include <pail/prover.h>

enum { N = 16, LENGTH = 4, CELLS = 2 * N / LENGTH, MOST = 1000 };

/* The allocation that fails, counted from 0; and blocks that are out, their bytes, and the most. */
static atomic_long until = -1, requests, blocks, held, most_held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void __wrap_free(void *block);

static bool fails(void)
{
    return atomic_load(&until) >= 0 && atomic_fetch_add(&requests, 1) == atomic_load(&until);
}

static void *counted(void *block)
{
    const long size = (long)malloc_usable_size(block), now = atomic_fetch_add(&held, size) + size;
    long most = atomic_load(&most_held);
    while (now > most && !atomic_compare_exchange_weak(&most_held, &most, now))
        continue;
    atomic_fetch_add(&blocks, block != NULL);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}

void __wrap_free(void *block)
{
    atomic_fetch_sub(&blocks, block != NULL);
    atomic_fetch_sub(&held, (long)malloc_usable_size(block));
    __real_free(block);
}

/* Everything that a request may read and write. */
struct all {
    struct bench *bench;
    pail_prover *prover;
    uint64_t starts[BLOBS + 1], indices[BLOBS * CELLS];
    uint8_t points[BLOBS * SCALAR], values[BLOBS * SCALAR], proofs[BLOBS * POINT];
    uint8_t each[BLOBS * CELLS * POINT]; /* commitments of cells */
    uint8_t commitments[BLOBS * POINT], more[BLOBS * POINT], scalars[BLOBS * SCALAR];
    uint8_t cells[BLOBS * 2 * N * SCALAR], cell_proofs[BLOBS * CELLS * POINT];
};

static pail_kzg_request request_for(struct all *all, uint32_t operation)
{
    pail_kzg_request request = request_of(all->bench, operation, BLOBS);
    request.points = all->points;
    request.values = all->values;
    request.proofs = all->proofs;
    if (operation == PAIL_KZG_RECOVER || operation == PAIL_KZG_VERIFY_CELLS) {
        request.starts = all->starts;
        request.indices = all->indices;
        request.cells = all->bench->cells;
    }
    if (operation == PAIL_KZG_VERIFY_CELLS) {
        request.n = BLOBS * CELLS;
        request.commitments = all->each;
        request.proofs = all->bench->proofs;
    }
    return request;
}

static pail_kzg_result result_of(struct all *all, uint32_t operation)
{
    const bool of_cells = operation == PAIL_KZG_CELLS || operation == PAIL_KZG_RECOVER;
    memset(all->commitments, 0xee, sizeof(all->commitments));
    memset(all->more, 0xee, sizeof(all->more));
    memset(all->scalars, 0xee, sizeof(all->scalars));
    memset(all->cells, 0xee, sizeof(all->cells));
    memset(all->cell_proofs, 0xee, sizeof(all->cell_proofs));
    return (pail_kzg_result)SIZED(
        pail_kzg_result, .valid = 7, .commitments = all->commitments, .values = all->scalars,
        .proofs = of_cells ? all->cell_proofs : all->more, .cells = all->cells);
}

static bool are(const uint8_t *bytes, uint8_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

/* Outputs of an operation are zeroed, and others as they were. */
static void expect_nothing(const struct all *all, uint32_t operation)
{
    const bool of_cells = operation == PAIL_KZG_CELLS || operation == PAIL_KZG_RECOVER;
    const bool proves = operation == PAIL_KZG_PROVE || operation == PAIL_KZG_PROVE_BLOB;
    assert_true(
        are(all->commitments, operation == PAIL_KZG_COMMIT ? 0 : 0xee, sizeof(all->commitments)));
    assert_true(are(all->more, proves ? 0 : 0xee, sizeof(all->more)));
    assert_true(are(all->scalars, operation == PAIL_KZG_PROVE ? 0 : 0xee, sizeof(all->scalars)));
    assert_true(are(all->cells, of_cells ? 0 : 0xee, sizeof(all->cells)));
    assert_true(are(all->cell_proofs, of_cells ? 0 : 0xee, sizeof(all->cell_proofs)));
}

/* A call, a job of the setup, and a job of a prover. */
enum way { CALL, JOB, PROVER_JOB, WAYS };

static pail_status prove(pail_prover *prover, pail_kzg *kzg, pail_kzg_result *result,
                         const pail_kzg_request *request, char error[CHARS])
{
    pail_prover_job *job = NULL;
    const pail_prover_request its =
        SIZED(pail_prover_request, .kzg = kzg, .kzg_request = request, .kzg_result = result);
    const pail_status status = pail_prover_submit(prover, &job, &its, error, CHARS);
    return status == PAIL_OK
               ? pail_prover_wait(prover, &job, UINT64_MAX, NULL, NULL, NULL, error, CHARS)
               : status;
}

static pail_prover *make_prover(const struct bench *bench)
{
    pail_prover *prover = NULL;
    const pail_prover_device device =
        SIZED(pail_prover_device, .backend = bench->backend, .context = bench->context);
    const pail_prover_params params =
        SIZED(pail_prover_params, .devices = &device, .n_devices = 1, .inflight = 1);
    assert_int_equal(pail_prover_create(&prover, &params, NULL, 0), PAIL_OK);
    return prover;
}

/* *finished: the result was given to the library: a job that does not start has none. */
static pail_status run(struct all *all, pail_kzg_result *result, const pail_kzg_request *request,
                       enum way way, bool *finished)
{
    struct bench *const bench = all->bench;
    pail_kzg_job *job = NULL;
    *finished = true;
    if (way == CALL)
        return pail_kzg_run(bench->kzg, result, request, bench->error, CHARS);
    if (way == PROVER_JOB)
        return prove(all->prover, bench->kzg, result, request, bench->error);
    const pail_status status = pail_kzg_start(bench->kzg, &job, request, bench->error, CHARS);
    if (status == PAIL_OK)
        return pail_kzg_finish(&job, result, bench->error, CHARS);
    assert_null(job);
    *finished = false;
    return status;
}

/* Each allocation of one operation; returns how many there are. */
static long strike_all(struct all *all, uint32_t operation, enum way way)
{
    const pail_kzg_request request = request_for(all, operation);
    pail_kzg_result result = result_of(all, operation);
    bool finished;
    ASSERT_OK(all->bench, run(all, &result, &request, way, &finished)); /* threads are there now */
    const uint32_t valid = result.valid;
    const long before = atomic_load(&blocks);
    long at = 0;
    for (;; at++) {
        assert_true(at < MOST);
        result = result_of(all, operation);
        atomic_store(&requests, 0);
        atomic_store(&until, at);
        const pail_status status = run(all, &result, &request, way, &finished);
        const bool struck = atomic_load(&requests) > at;
        atomic_store(&until, -1);
        assert_int_equal(atomic_load(&blocks), before);
        if (!struck) {
            ASSERT_OK(all->bench, status);
            assert_int_equal(result.valid, valid);
            return at;
        }
        if (status != PAIL_ERR_HOST_MEMORY || !strstr(all->bench->error, "memory"))
            fail_msg("operation %u, allocation %ld: %s: %s", operation, at,
                     pail_status_name(status), all->bench->error);
        if (finished) {
            assert_int_equal(result.valid, 0);
            expect_nothing(all, operation);
        }
    }
}

PAIL_TEST(operations)
{
    static struct all all;
    all.bench = bench_open(N, LENGTH);
    all.prover = make_prover(all.bench);
    for (size_t i = 0; i < BLOBS * CELLS; i++) {
        all.indices[i] = i % CELLS;
        memcpy(all.each + i * POINT, all.bench->commitments + i / CELLS * POINT, POINT);
    }
    for (size_t b = 0; b < BLOBS; b++) {
        const pail_u256 z = made_number(b + 3);
        made_write(all.points + b * SCALAR, &z);
        made_proof(&all.bench->made, all.values + b * SCALAR, all.proofs + b * POINT,
                   all.bench->coefficients[b], &z);
        all.starts[b + 1] = (b + 1) * CELLS;
    }
    long n = 0;
    for (uint32_t operation = PAIL_KZG_COMMIT; operation <= PAIL_KZG_VERIFY_CELLS; operation++)
        for (enum way way = CALL; way < WAYS; way++)
            n += strike_all(&all, operation, way);
    print_message("%ld allocations of operations\n", n);
    assert_true(n > 60);
    pail_prover_destroy(&all.prover);
    bench_close(all.bench);
}

/* A prover reserves what a job takes. */
PAIL_TEST(reservations)
{
    enum { LARGE = N_MOST, LARGE_CELLS = 16, ALL = BLOBS * LARGE_CELLS };
    struct bench *const bench = bench_open(LARGE, 2 * LARGE / LARGE_CELLS);
    static uint64_t starts[BLOBS + 1], indices[ALL];
    static uint8_t commitments[ALL * POINT], proofs[ALL * POINT], values[BLOBS * SCALAR];
    static uint8_t points[BLOBS * SCALAR], cells[BLOBS * 2 * LARGE * SCALAR];
    const pail_kzg_request of_cells = all_cells(bench, indices, commitments);
    for (size_t b = 0; b < BLOBS; b++)
        starts[b + 1] = (b + 1) * LARGE_CELLS;
    for (uint32_t operation = PAIL_KZG_COMMIT; operation <= PAIL_KZG_VERIFY_CELLS; operation++) {
        pail_kzg_request request = request_of(bench, operation, BLOBS);
        request.points = request.values = points;
        request.proofs = request.commitments;
        request.starts = starts;
        request.indices = indices;
        request.cells = bench->cells;
        if (operation == PAIL_KZG_VERIFY_CELLS)
            request = of_cells;
        pail_kzg_result result = SIZED(pail_kzg_result, .commitments = commitments,
                                       .values = values, .proofs = proofs, .cells = cells);
        pail_prover *prover = make_prover(bench);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        const long before = atomic_load(&held);
        atomic_store(&most_held, before);
        ASSERT_OK(bench, prove(prover, bench->kzg, &result, &request, bench->error));
        const uint64_t took = (uint64_t)(atomic_load(&most_held) - before);
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        print_message("operation %u: %llu bytes of %llu\n", operation, (unsigned long long)took,
                      (unsigned long long)stats.host_peak_bytes);
        assert_in_range(took, stats.host_peak_bytes / 8, stats.host_peak_bytes);
        pail_prover_destroy(&prover);
    }
    bench_close(bench);
}

PAIL_TEST(setups)
{
    struct bench *const bench = bench_open(N, LENGTH);
    const pail_kzg_params params = made_params(&bench->made);
    const long before = atomic_load(&blocks);
    long at = 0;
    for (;; at++) {
        pail_kzg *kzg = (pail_kzg *)bench;
        assert_true(at < MOST);
        atomic_store(&requests, 0);
        atomic_store(&until, at);
        const pail_status status =
            pail_kzg_open(&kzg, bench->backend, bench->context, &params, bench->error, CHARS);
        const bool struck = atomic_load(&requests) > at;
        atomic_store(&until, -1);
        if (!struck)
            ASSERT_OK(bench, status);
        else if (status != PAIL_ERR_HOST_MEMORY || !strstr(bench->error, "memory") || kzg)
            fail_msg("allocation %ld: %s: %s", at, pail_status_name(status), bench->error);
        pail_kzg_close(&kzg);
        assert_int_equal(atomic_load(&blocks), before);
        if (!struck)
            break;
    }
    print_message("%ld allocations of a setup\n", at);
    assert_true(at > 20);
    bench_close(bench);
}

/* ---- A device -------------------------------------------------------------------------------- */

/* The CPU backend under another table, so that it is taken for a device: memory of more than `room`
 * bytes is not to be had, and sums by tables may fail their self-test. */
static struct {
    pail_backend table;
    const pail_backend *real;
    uint64_t room;
    long memories; /* that are there */
    bool broken;
} device;

static const char broken_sums[] = "the device computes sums of points wrongly";

static pail_status device_info(pail_context *context, pail_device_info *info)
{
    const pail_status status = device.real->context_device(context, info);
    info->max_binding_bytes = UINT64_MAX;
    return status;
}

static pail_status device_memory(pail_context *context, pail_memory **memory,
                                 pail_memory_info *info, uint32_t kind, uint64_t bytes)
{
    if (bytes > device.room)
        return PAIL_ERR_DEVICE_MEMORY;
    const pail_status status = device.real->memory_create(context, memory, info, kind, bytes);
    device.memories += status == PAIL_OK;
    return status;
}

static void device_memory_end(pail_context *context, pail_memory **memory)
{
    device.memories -= *memory != NULL;
    device.real->memory_destroy(context, memory);
}

static pail_status device_start(pail_context *context, pail_pending **pending,
                                const pail_vector_op *ops, size_t n)
{
    if (device.broken && ops[0].kind == PAIL_VECTOR_OP_POINTS_TABLE)
        return PAIL_ERR_INTERNAL;
    return device.real->vector_start(context, pending, ops, n);
}

static const char *device_error(const pail_context *context)
{
    return device.broken ? broken_sums : device.real->error(context);
}

static struct bench *open_device(void)
{
    struct bench *const bench = bench_open(N, LENGTH);
    device.real = bench->backend;
    device.table = *bench->backend;
    device.table.context_device = device_info;
    device.table.memory_create = device_memory;
    device.table.memory_destroy = device_memory_end;
    device.table.vector_start = device_start;
    device.table.error = device_error;
    device.room = UINT64_MAX;
    device.broken = false;
    bench->backend = &device.table;
    return bench;
}

static void close_device(struct bench *bench)
{
    assert_int_equal(device.memories, 0);
    bench->backend = device.real;
    bench_close(bench);
}

/* Opens a setup, whose proofs are right; returns the bytes of its table. */
static uint64_t right_proofs(struct bench *bench, const pail_kzg_params *params)
{
    static uint8_t proofs[BLOBS * CELLS * POINT];
    pail_kzg_info info = SIZED(pail_kzg_info, .n = 0);
    pail_kzg_request request = request_of(bench, PAIL_KZG_CELLS, BLOBS);
    pail_kzg_result result = SIZED(pail_kzg_result, .proofs = proofs);
    pail_kzg *kzg = NULL;
    request.want = PAIL_KZG_WANT_PROOFS;
    ASSERT_OK(bench,
              pail_kzg_open(&kzg, bench->backend, bench->context, params, bench->error, CHARS));
    assert_int_equal(pail_kzg_get_info(kzg, &info), PAIL_OK);
    ASSERT_OK(bench, pail_kzg_run(kzg, &result, &request, bench->error, CHARS));
    assert_memory_equal(proofs, bench->proofs, sizeof(proofs));
    pail_kzg_close(&kzg);
    assert_int_equal(device.memories, 0);
    assert_true(info.table_bits > 0 && info.device_bytes >= info.table_bytes);
    return info.table_bytes;
}

/* A device without room for the table gets a smaller one, unless the caller named the budget. */
PAIL_TEST(full_devices)
{
    struct bench *const bench = open_device();
    pail_kzg_params params = made_params(&bench->made);
    params.memory_budget = 0;
    uint64_t bytes = right_proofs(bench, &params);
    for (int i = 0; i < 3; i++) {
        device.room = bytes - 1;
        const uint64_t smaller = right_proofs(bench, &params);
        assert_in_range(smaller, 1, bytes / 2);
        bytes = smaller;
    }
    params.memory_budget = 64 << 20;
    device.room = UINT64_MAX;
    device.room = right_proofs(bench, &params) - 1;
    expect_setup(bench, &params, PAIL_ERR_DEVICE_MEMORY, "");
    close_device(bench);
}

/* A device that adds points up wrongly, by its own test, opens no setup: not by another way
 * either. */
PAIL_TEST(wrong_devices)
{
    struct bench *const bench = open_device();
    pail_kzg_params params = made_params(&bench->made);
    for (int i = 0; i < 2; i++) {
        params.memory_budget = i == 0 ? 0 : 64 << 20;
        device.broken = true;
        expect_setup(bench, &params, PAIL_ERR_INTERNAL, broken_sums);
        assert_int_equal(device.memories, 0);
        device.broken = false;
        (void)right_proofs(bench, &params);
    }
    close_device(bench);
}
