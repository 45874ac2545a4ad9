/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of cells on a device with memory at addresses: the sums of FK20 by a table of the fixed
 * points' multiples, and both transforms of points as one truncation. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include <curves/sums.h>
#include <formats/report.h>
#include <platform/clock.h>

enum {
    BITS_MIN = 2,
    /* A doubling of a sum is one of few that are made at a time, and others wait for it: it counts
     * as so many additions. */
    DOUBLING = 4,
    /* Blobs for which a table is made at least; an entry, with its inversion, is so many additions.
     */
    BLOBS = 1024,
    ENTRY = 3,
};

static uint64_t table_bytes(const struct pail_kzg *kzg, uint32_t bits, uint32_t copies)
{
    return 2 * kzg->n * pail_sum_table_bytes(kzg->g1, bits, copies);
}

/* Additions of many blobs, their doublings as such, and the table. */
static uint64_t cost_of(const struct pail_kzg *kzg, uint32_t bits, uint32_t copies)
{
    const uint64_t rows = pail_sum_rows(kzg->g1, bits, copies);
    const uint64_t of_sum =
        kzg->cell_elements * pail_sum_windows(kzg->g1, bits) + (rows - 1) * (DOUBLING * bits + 1);
    return BLOBS * kzg->n_cells * of_sum + ENTRY * (2 * kzg->n * copies << (bits - 1));
}

/* Chooses the table of at most so many bytes; false: there is none. */
static bool choose(struct pail_kzg_device *device, const struct pail_kzg *kzg, uint64_t bytes)
{
    uint64_t least = UINT64_MAX, smallest = UINT64_MAX;
    for (uint32_t bits = BITS_MIN; bits <= PAIL_WINDOW_BITS_MAX; bits++) {
        const uint32_t windows = pail_sum_windows(kzg->g1, bits);
        for (uint32_t copies = 1; copies <= windows; copies++) {
            const uint64_t cost = cost_of(kzg, bits, copies), size = table_bytes(kzg, bits, copies);
            if (size > bytes || cost > least || (cost == least && size >= smallest))
                continue;
            least = cost;
            smallest = size;
            device->bits = bits;
            device->copies = copies;
        }
    }
    return least != UINT64_MAX;
}

static pail_status run(const struct pail_kzg *kzg, const pail_vector_op *ops, size_t n,
                       pail_stats *stats)
{
    pail_pending *pending = NULL;
    const pail_status status = kzg->backend->vector_start(kzg->context, &pending, ops, n);
    return status == PAIL_OK ? kzg->backend->vector_finish(&pending, stats) : status;
}

/* Makes the chosen table from the encoded points. */
static pail_status make_table(struct pail_kzg *kzg, const uint8_t *encoded)
{
    const pail_backend *const backend = kzg->backend;
    struct pail_kzg_device *const device = &kzg->device;
    const uint64_t n = 2 * kzg->n, bytes = n * 2 * kzg->g1->coordinate_bytes;
    pail_memory_info from = {.struct_size = sizeof(from)}, to = {.struct_size = sizeof(to)};
    pail_memory *points = NULL;
    pail_status status =
        backend->memory_create(kzg->context, &points, &from, PAIL_MEMORY_DEVICE, bytes);
    if (status == PAIL_OK)
        status = backend->memory_write(points, 0, encoded, bytes);
    if (status == PAIL_OK)
        status = backend->memory_create(kzg->context, &device->table, &to, PAIL_MEMORY_DEVICE,
                                        table_bytes(kzg, device->bits, device->copies));
    device->table_address = to.address;
    const pail_vector_op op = {.struct_size = sizeof(op),
                               .kind = PAIL_VECTOR_OP_POINTS_TABLE,
                               .n = n,
                               .curve = kzg->g1->curve,
                               .group = PAIL_G1,
                               .address = from.address,
                               .encoding = PAIL_ENCODING_MONTGOMERY,
                               .to_address = to.address,
                               .window_bits = device->bits,
                               .copies = device->copies};
    if (status == PAIL_OK)
        status = run(kzg, &op, 1, NULL);
    if (points)
        backend->memory_destroy(kzg->context, &points);
    if (status != PAIL_OK && device->table)
        backend->memory_destroy(kzg->context, &device->table);
    return status;
}

static bool can(const struct pail_kzg *kzg)
{
    const pail_backend *const b = kzg->backend;
    return PAIL_HAS(b, memory_create) && PAIL_HAS(b, memory_destroy) && PAIL_HAS(b, memory_read) &&
           PAIL_HAS(b, memory_write) && PAIL_HAS(b, vector_create) && PAIL_HAS(b, vector_destroy) &&
           PAIL_HAS(b, vector_write) && PAIL_HAS(b, vector_start) && PAIL_HAS(b, vector_finish) &&
           PAIL_HAS(b, context_device) && kzg->log_cells >= 2;
}

/* Bytes that the device binds of a table, which may begin anywhere; false: it has no addresses. */
static bool most_bytes(const struct pail_kzg *kzg, uint64_t *bytes)
{
    pail_device_info info = {.struct_size = sizeof(info)};
    if (kzg->backend->context_device(kzg->context, &info) != PAIL_OK ||
        !(info.features & PAIL_FEATURE_DEVICE_ADDRESS))
        return false;
    *bytes = info.max_binding_bytes > info.storage_alignment
                 ? info.max_binding_bytes - info.storage_alignment
                 : 0;
    return true;
}

pail_status pail_kzg_device_table(struct pail_kzg *kzg, const uint8_t *encoded, const char *name,
                                  bool *made, char *error, size_t capacity)
{
    struct pail_kzg_device *const device = &kzg->device;
    const uint64_t taken = pail_kzg_lagrange_bytes(kzg), budget = kzg->budget;
    const uint64_t least = table_bytes(kzg, BITS_MIN, 1);
    uint64_t most;
    *made = false;
    if (!can(kzg) || !most_bytes(kzg, &most))
        return PAIL_OK;
    if (budget < taken || budget - taken < least)
        return pail_report(error, capacity, PAIL_ERR_DEVICE_MEMORY,
                           "%s: memory_budget is %llu bytes, but points and tables take at least "
                           "%llu",
                           name, (unsigned long long)budget, (unsigned long long)(taken + least));
    if (!choose(device, kzg, budget - taken < most ? budget - taken : most))
        return PAIL_OK;
    pail_status status = make_table(kzg, encoded);
    /* Others may have taken the device's memory. */
    while (status == PAIL_ERR_DEVICE_MEMORY && !kzg->budget_given &&
           choose(device, kzg, table_bytes(kzg, device->bits, device->copies) / 2))
        status = make_table(kzg, encoded);
    if (status != PAIL_OK)
        return pail_report(error, capacity, status, "%s", kzg->backend->error(kzg->context));
    kzg->table_bits = device->bits;
    kzg->info.table_bytes = table_bytes(kzg, device->bits, device->copies);
    kzg->info.device_bytes += kzg->info.table_bytes;
    /* Truncations are not times n_cells, as the transforms of transform.c are together. */
    kzg->cells_inverse = (pail_u256){{1}};
    *made = true;
    return PAIL_OK;
}

void pail_kzg_device_table_free(struct pail_kzg *kzg)
{
    struct pail_kzg_device *const device = &kzg->device;
    if (device->table)
        kzg->backend->memory_destroy(kzg->context, &device->table);
    if (device->results.memory)
        kzg->backend->memory_destroy(kzg->context, &device->results.memory);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */
enum { SUM_COORDINATES = 3, PROOF_COORDINATES = 2 };

static uint64_t proofs_bytes(const struct pail_kzg *kzg, size_t n)
{
    return n * kzg->n_cells * PROOF_COORDINATES * kzg->g1->coordinate_bytes;
}

static uint64_t results_bytes(const struct pail_kzg *kzg, uint64_t n)
{
    return n * kzg->n_cells * (SUM_COORDINATES + PROOF_COORDINATES) * kzg->g1->coordinate_bytes;
}

/* Results, scalars, and as much again for what sums and truncations take. */
uint64_t pail_kzg_device_cells_bytes(const struct pail_kzg *kzg, uint64_t n)
{
    return 2 * (results_bytes(kzg, n) + n * 2 * kzg->n * PAIL_KZG_SCALAR_BYTES);
}

/* Memory for the results of n blobs: their proofs, then their sums. What an ended call left is
 * taken, so that no other call has it meanwhile. */
pail_status pail_kzg_device_prepare(struct pail_kzg_call *call, size_t at_once)
{
    const struct pail_kzg *const kzg = call->kzg;
    const pail_backend *const backend = kzg->backend;
    struct pail_kzg_device *const device = &call->kzg->device;
    struct pail_kzg_results *const results = &call->results;
    const uint64_t bytes = results_bytes(kzg, at_once);
    pail_memory_info info = {.struct_size = sizeof(info)};
    pthread_mutex_lock(&device->lock);
    *results = device->results;
    device->results = (struct pail_kzg_results){.memory = NULL};
    pthread_mutex_unlock(&device->lock);
    if (results->bytes >= bytes)
        return PAIL_OK;
    if (results->memory)
        backend->memory_destroy(kzg->context, &results->memory);
    const pail_status status =
        backend->memory_create(kzg->context, &results->memory, &info, PAIL_MEMORY_DEVICE, bytes);
    results->bytes = status == PAIL_OK ? bytes : 0;
    results->address = info.address;
    return status == PAIL_OK
               ? PAIL_OK
               : pail_kzg_fail(call, status, UINT64_MAX, "%s", backend->error(kzg->context));
}

/* Leaves the larger memory for a later call. */
void pail_kzg_device_release(struct pail_kzg_call *call)
{
    struct pail_kzg_device *const device = &call->kzg->device;
    struct pail_kzg_results other = call->results;
    call->results = (struct pail_kzg_results){.memory = NULL};
    pthread_mutex_lock(&device->lock);
    if (device->results.bytes < other.bytes) {
        const struct pail_kzg_results larger = other;
        other = device->results;
        device->results = larger;
    }
    pthread_mutex_unlock(&device->lock);
    if (other.memory)
        call->kzg->backend->memory_destroy(call->kzg->context, &other.memory);
}

/* Sums and truncations, from the job's vector to the results. */
static pail_status start(const struct pail_kzg_call *call, struct pail_kzg_device_job *job)
{
    const struct pail_kzg *const kzg = call->kzg;
    const struct pail_kzg_device *const device = &kzg->device;
    const uint64_t sums = job->n * kzg->n_cells, proofs = call->results.address,
                   middle = proofs + proofs_bytes(kzg, job->n);
    pail_u256 root = kzg->wide_root; /* of order n_cells, after these squarings */
    for (size_t length = 1; length < kzg->cell_elements; length *= 2)
        kzg->g1->scalar_mul(&root, &root, &root);
    pail_vector_op ops[] = {{.struct_size = sizeof(ops[0]),
                             .kind = PAIL_VECTOR_OP_POINTS_SUMS,
                             .log_n = kzg->log_cells,
                             .a = job->vector,
                             .n = sums,
                             .curve = kzg->g1->curve,
                             .group = PAIL_G1,
                             .address = device->table_address,
                             .to_address = middle,
                             .to_encoding = PAIL_ENCODING_PROJECTIVE_MONTGOMERY,
                             .rows = (uint32_t)kzg->cell_elements,
                             .window_bits = device->bits,
                             .copies = device->copies},
                            {.struct_size = sizeof(ops[0]),
                             .kind = PAIL_VECTOR_OP_POINTS_TRUNCATE,
                             .flags = PAIL_VECTOR_OP_BIT_REVERSED,
                             .log_n = kzg->log_cells,
                             .n = sums,
                             .curve = kzg->g1->curve,
                             .group = PAIL_G1,
                             .address = middle,
                             .encoding = PAIL_ENCODING_PROJECTIVE_MONTGOMERY,
                             .to_address = proofs,
                             .to_encoding = PAIL_ENCODING_CANONICAL}};
    pail_u256_to_bytes(ops[1].root, &root);
    return kzg->backend->vector_start(kzg->context, &job->pending, ops, 2);
}

/* Points to proofs. */
struct writing {
    const struct pail_kzg *kzg;
    const uint8_t *points;
    uint8_t *proofs;
};

static void write_blob(void *user, size_t i, struct pail_kzg_worker *worker)
{
    const struct writing *const w = user;
    const size_t width = w->kzg->codec.encoded_bytes,
                 bytes = PROOF_COORDINATES * w->kzg->g1->coordinate_bytes;
    (void)worker;
    for (size_t c = i * w->kzg->n_cells; c < (i + 1) * w->kzg->n_cells; c++)
        (void)pail_point_encode(&w->kzg->codec, w->proofs + c * width, w->points + c * bytes, NULL,
                                0);
}

pail_status pail_kzg_device_begin(struct pail_kzg_call *call, struct pail_kzg_device_job *job,
                                  const pail_u256 *scalars)
{
    struct pail_kzg *const kzg = call->kzg;
    const pail_backend *const backend = kzg->backend;
    const uint64_t all = job->n * 2 * kzg->n;
    const double begin = pail_now_ms();
    pail_kzg_claim(call, true);
    pail_status status = backend->vector_create(kzg->context, &job->vector, kzg->g1->curve, all);
    if (status == PAIL_OK)
        status = backend->vector_write(job->vector, 0, scalars, all, PAIL_ENCODING_CANONICAL);
    if (status == PAIL_OK)
        status = start(call, job);
    if (status != PAIL_OK) {
        status = pail_kzg_fail(call, status, UINT64_MAX, "%s", backend->error(kzg->context));
        if (job->vector)
            backend->vector_destroy(kzg->context, &job->vector);
        pail_kzg_claim(call, false);
    }
    call->fixed_ms += pail_now_ms() - begin;
    return status;
}

pail_status pail_kzg_device_end(struct pail_kzg_call *call, struct pail_kzg_device_job *job)
{
    struct pail_kzg *const kzg = call->kzg;
    const pail_backend *const backend = kzg->backend;
    const double begin = pail_now_ms();
    const uint64_t bytes = proofs_bytes(kzg, job->n);
    double truncation = 0;
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (!job->pending)
        return PAIL_OK;
    job->points = malloc(bytes);
    pail_status status = backend->vector_finish(&job->pending, &stats);
    if (status == PAIL_OK && job->points)
        status = backend->memory_read(call->results.memory, job->points, 0, bytes);
    if (status != PAIL_OK)
        status = pail_kzg_fail(call, status, UINT64_MAX, "%s", backend->error(kzg->context));
    else if (!job->points)
        status = pail_kzg_fail(call, PAIL_ERR_HOST_MEMORY, UINT64_MAX,
                               "no memory for the proofs of %zu blobs", job->n);
    backend->vector_destroy(kzg->context, &job->vector);
    pail_kzg_claim(call, false);
    call->device_ms += stats.device_ms;
    for (uint32_t i = 0; i < stats.n_phases; i++)
        if (strcmp(stats.phases[i].name, "truncation of points") == 0)
            truncation = stats.phases[i].ms;
    const double took = pail_now_ms() - begin;
    call->fixed_ms += took > truncation ? took - truncation : 0;
    call->transform_ms += truncation;
    return status;
}

void pail_kzg_device_write(struct pail_kzg_call *call, struct pail_kzg_device_job *job)
{
    const double begin = pail_now_ms();
    struct writing writing = {call->kzg, job->points, job->proofs};
    if (job->points && call->status == PAIL_OK)
        pail_kzg_each(&call->work, job->n, write_blob, &writing);
    free(job->points);
    job->points = NULL;
    call->transform_ms += pail_now_ms() - begin;
}
