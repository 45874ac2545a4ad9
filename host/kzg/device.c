/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplications by points of the setup on a device, over the boundary. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include <formats/report.h>
#include <platform/memory.h>

enum { JOBS_AT_ONCE = 64 };

static pail_status register_points(struct pail_kzg *kzg, pail_bases **bases,
                                   const unsigned char *affine, size_t n, uint32_t copies,
                                   pail_bases_info *info, char *error, size_t capacity)
{
    const pail_backend *const backend = kzg->backend;
    const size_t bytes = 2 * kzg->g1->coordinate_bytes;
    uint8_t *const encoded = malloc(n * bytes);
    if (!encoded)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for %zu points", n);
    for (size_t i = 0; i < n; i++)
        kzg->g1->encode(encoded + i * bytes, affine + i * kzg->g1->affine_bytes, true);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = kzg->g1->curve,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = encoded,
                                  .n_points = n,
                                  .flags = PAIL_BASES_KEEP_INFINITIES,
                                  .table_factor = copies};
    *info = (pail_bases_info){.struct_size = sizeof(*info)};
    const pail_status status = backend->bases_create(kzg->context, bases, NULL, &desc);
    free(encoded);
    if (status != PAIL_OK)
        return pail_report(error, capacity, status, "%s", backend->error(kzg->context));
    if (PAIL_HAS(backend, bases_info) && backend->bases_info(*bases, info) == PAIL_OK)
        kzg->info.device_bytes += info->device_bytes;
    return PAIL_OK;
}

/* Copies of the Lagrange points for which the rest of the budget has room; the backend makes those
 * that its windows use. 0: no more than GLV images would be, or the budget is exceeded already: the
 * backend has the choice. */
static uint32_t copies_within(const struct pail_kzg *kzg)
{
    const uint64_t taken = kzg->info.device_bytes, left = kzg->budget - taken;
    const uint64_t copies = kzg->budget > taken ? left / pail_kzg_lagrange_bytes(kzg) : 0;
    return copies == 2 ? 0 : copies < UINT32_MAX ? (uint32_t)copies : UINT32_MAX;
}

/* Points for commitments and proofs, with a table where there is room for one. */
static pail_status register_lagrange(struct pail_kzg *kzg, const unsigned char *lagrange,
                                     char *error, size_t capacity)
{
    const uint32_t copies = copies_within(kzg);
    pail_bases_info info;
    pail_status status = register_points(kzg, &kzg->device_lagrange, lagrange, kzg->n, copies,
                                         &info, error, capacity);
    /* The device may have less than the budget, or bind less than the table. */
    if ((status == PAIL_ERR_DEVICE_MEMORY || status == PAIL_ERR_UNSUPPORTED) && copies > 1)
        status = register_points(kzg, &kzg->device_lagrange, lagrange, kzg->n, 0, &info, error,
                                 capacity);
    if (status == PAIL_OK) {
        kzg->commit_bits = info.table_bits;
        kzg->info.table_bytes += info.table_bytes;
    }
    return status;
}

pail_status pail_kzg_device_open(struct pail_kzg *kzg, const unsigned char *lagrange,
                                 const unsigned char *fixed, const char *name, char *error,
                                 size_t capacity)
{
    const pail_backend *const backend = kzg->backend;
    if (!PAIL_HAS(backend, bases_create) || !PAIL_HAS(backend, msm_start) ||
        !PAIL_HAS(backend, msm_finish))
        return pail_report(error, capacity, PAIL_ERR_UNSUPPORTED,
                           "%s: the backend does not do multi-scalar multiplication",
                           backend->name);
    const size_t rows = kzg->cell_elements, cells = kzg->n_cells, affine = kzg->g1->affine_bytes;
    unsigned char *const columns = malloc(rows * cells * affine);
    if (!columns)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for %zu points",
                           rows * cells);
    bool made = false;
    for (size_t i = 0; i < rows * cells; i++) {
        pail_affine point;
        kzg->adder->export(&point, fixed + i * pail_kzg_point_bytes(kzg));
        kzg->g1->encode(columns + i * 2 * kzg->g1->coordinate_bytes, &point, true);
    }
    pail_status status = pail_kzg_device_table(kzg, columns, name, &made, error, capacity);
    /* Otherwise column by column. */
    for (size_t c = 0; c < cells && status == PAIL_OK && !made; c++) {
        for (size_t k = 0; k < rows; k++) {
            pail_affine point;
            kzg->adder->export(&point, fixed + (k * cells + c) * pail_kzg_point_bytes(kzg));
            memcpy(columns + (c * rows + k) * affine, point.limbs, affine);
        }
    }
    pail_bases_info info;
    if (status == PAIL_OK && !made)
        status = register_points(kzg, &kzg->device_columns, columns, rows * cells, 0, &info, error,
                                 capacity);
    free(columns);
    return status == PAIL_OK ? register_lagrange(kzg, lagrange, error, capacity) : status;
}

void pail_kzg_device_close(struct pail_kzg *kzg)
{
    if (kzg->device_lagrange)
        kzg->backend->bases_destroy(kzg->context, &kzg->device_lagrange);
    if (kzg->device_columns)
        kzg->backend->bases_destroy(kzg->context, &kzg->device_columns);
    pail_kzg_device_table_free(kzg);
}

/* sums[i] = the sum of n_points scalars and the bases from offsets on, i < n: stride scalars. */
static pail_status multiply(struct pail_kzg_call *call, pail_affine *sums, const pail_bases *bases,
                            const pail_u256 *scalars, size_t n_points, size_t first, size_t cycle,
                            size_t n)
{
    const struct pail_kzg *const kzg = call->kzg;
    const pail_backend *const backend = kzg->backend;
    pail_msm_job *const jobs = calloc(n, sizeof(*jobs));
    pail_msm_result *const results = calloc(n, sizeof(*results));
    const pail_msm_config config = {.struct_size = sizeof(config),
                                    .flags = PAIL_MSM_STABLE_SCALARS};
    pail_stats stats = {.struct_size = sizeof(stats)};
    pail_pending *pending = NULL;
    pail_status status = PAIL_ERR_HOST_MEMORY;
    for (size_t i = 0; jobs && results && i < n; i++) {
        jobs[i] = (pail_msm_job){.struct_size = sizeof(*jobs),
                                 .bases = bases,
                                 .base_offset = (first + i) % cycle * n_points,
                                 .scalars = &scalars[i * n_points],
                                 .n = n_points};
        results[i] = (pail_msm_result){.struct_size = sizeof(*results)};
    }
    pail_kzg_claim(call, true);
    if (jobs && results)
        status = backend->msm_start(kzg->context, &pending, jobs, n, &config);
    if (status == PAIL_OK)
        status = backend->msm_finish(&pending, results, n, &stats);
    pail_kzg_claim(call, false);
    call->device_ms += stats.device_ms;
    if (status != PAIL_OK)
        status = pail_kzg_fail(call, status, UINT64_MAX, "%s",
                               jobs && results ? backend->error(kzg->context)
                                               : "no memory for multiplications");
    for (size_t i = 0; status == PAIL_OK && i < n; i++) {
        uint8_t point[2 * PAIL_COORDINATE_MAX];
        const size_t width = results[i].coordinate_bytes;
        memcpy(point, results[i].x, width);
        memcpy(point + width, results[i].y, width);
        if (!kzg->g1->decode(&sums[i], point, false))
            status = pail_kzg_fail(call, PAIL_ERR_INTERNAL, UINT64_MAX,
                                   "%s: a sum is not a point of the curve", backend->name);
    }
    free(jobs);
    free(results);
    return status;
}

pail_status pail_kzg_device_commit(struct pail_kzg_call *call, pail_affine *sums,
                                   const pail_u256 *scalars, size_t n)
{
    return multiply(call, sums, call->kzg->device_lagrange, scalars, call->kzg->n, 0, 1, n);
}

pail_status pail_kzg_device_columns(struct pail_kzg_call *call, unsigned char *sums,
                                    const pail_u256 *scalars, size_t n)
{
    const struct pail_kzg *const kzg = call->kzg;
    const size_t rows = kzg->cell_elements, cells = kzg->n_cells, all = n * cells;
    pail_u256 *const ordered = malloc(JOBS_AT_ONCE * rows * sizeof(*ordered));
    pail_status status = PAIL_OK;
    if (!ordered)
        status = pail_kzg_fail(call, PAIL_ERR_HOST_MEMORY, UINT64_MAX,
                               "no memory for the scalars of %d columns", JOBS_AT_ONCE);
    for (size_t first = 0; status == PAIL_OK && first < all; first += JOBS_AT_ONCE) {
        const size_t count = all - first < JOBS_AT_ONCE ? all - first : JOBS_AT_ONCE;
        pail_affine points[JOBS_AT_ONCE];
        if (pail_kzg_cancelled(&call->work))
            break;
        for (size_t i = 0; i < count; i++) {
            const size_t blob = (first + i) / cells, column = (first + i) % cells;
            for (size_t k = 0; k < rows; k++)
                ordered[i * rows + k] = scalars[blob * 2 * kzg->n + k * cells + column];
        }
        status = multiply(call, points, kzg->device_columns, ordered, rows, first, cells, count);
        for (size_t i = 0; status == PAIL_OK && i < count; i++)
            kzg->adder->import(sums + (first + i) * pail_kzg_point_bytes(kzg), &points[i], 1);
    }
    pail_wipe_and_free(ordered);
    return status;
}

/* Bytes that so many multiplications take together, at most as by themselves. 0: the backend does
 * not say. */
static uint64_t multiply_bytes(const struct pail_kzg *kzg, const pail_bases *bases, uint64_t points,
                               uint64_t n)
{
    const pail_msm_config config = {.struct_size = sizeof(config)};
    const pail_msm_job job = {.struct_size = sizeof(job), .bases = bases, .n = (size_t)points};
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (!PAIL_HAS(kzg->backend, msm_estimate) ||
        kzg->backend->msm_estimate(kzg->context, &stats, &job, &config) != PAIL_OK)
        return 0;
    return n * stats.bytes_estimate;
}

uint64_t pail_kzg_device_columns_bytes(const struct pail_kzg *kzg)
{
    return multiply_bytes(kzg, kzg->device_columns, kzg->cell_elements, JOBS_AT_ONCE);
}

uint64_t pail_kzg_device_commit_bytes(const struct pail_kzg *kzg, uint64_t n)
{
    return multiply_bytes(kzg, kzg->device_lagrange, kzg->n, n);
}
