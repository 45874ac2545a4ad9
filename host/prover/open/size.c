/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a key will take, by its file alone. */
#include "open.h"

#include <string.h>

#include <prover/b2/b2.h>
#include <prover/key/source.h>

enum {
    ENTRY_BYTES = 4 + 32,  /* matrix entry: column and value */
    ROW_BYTES = 8,         /* begin of the row */
    READ_BYTES = 3 * 4 + 4 /* entry while matrices are sorted: itself, and its number */
};

uint64_t pail_key_matrices_bytes(uint64_t n_coefficients, uint64_t domain_size)
{
    return ENTRY_BYTES * n_coefficients + (uint64_t)PAIL_MATRICES * ROW_BYTES * domain_size;
}

/* Bytes that the backend states for points that it keeps; if it states none, the most. */
static uint64_t points_bytes(const pail_backend *backend, const pail_device_info *info,
                             const struct pail_zkey *zkey, enum pail_zkey_msm msm,
                             const pail_groth16_key_params *params)
{
    const struct pail_zkey_points *const points = &zkey->points[msm];
    const pail_memory_query query = {.struct_size = sizeof(query),
                                     .curve = zkey->curve,
                                     .group = pail_zkey_msm_group(msm),
                                     .n = points->count,
                                     .order_known = 1,
                                     .residency = PAIL_RESIDENCY_DEVICE,
                                     .table_factor = params->table_factor,
                                     .device = info};
    pail_stats stats = {.struct_size = sizeof(stats)};
    size_t n_rows = 0;
    const uint64_t in_file = (uint64_t)points->count * points->point_bytes;
    if (PAIL_HAS(backend, msm_memory) &&
        backend->msm_memory(NULL, &n_rows, &stats, &query) == PAIL_OK && stats.bytes_bases != 0)
        return stats.bytes_bases;
    return pail_key_kept_bytes(in_file, zkey->curve);
}

pail_status pail_key_measure(struct pail_key_size *size, const pail_backend *backend,
                             pail_context *context, const pail_groth16_key_params *params,
                             const struct pail_key_part *part, char *error, size_t error_cap)
{
    const char *const name = params->name ? params->name : params->path ? params->path : "the key";
    struct pail_zkey zkey;
    pail_device_info info = {.struct_size = sizeof(info)};
    *size = (struct pail_key_size){0};
    pail_status status = pail_key_file_open(&zkey, params->path, name, params->bytes,
                                            (size_t)params->n_bytes, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const bool has_matrices = zkey.form == PAIL_KEY_ZKEY;
    const bool beside = has_matrices && pail_b2_is_beside(backend, context, params, part);
    const bool has_info = backend->context_device(context, &info) == PAIL_OK;
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++) {
        if (part)
            zkey.points[msm].count = (size_t)part->count[msm];
        if (zkey.points[msm].count == 0)
            continue;
        const uint64_t in_file = (uint64_t)zkey.points[msm].count * zkey.points[msm].point_bytes;
        if (beside && pail_zkey_msm_group(msm) == PAIL_G2) {
            size->b2_bytes = in_file;
            continue;
        }
        size->points_bytes += points_bytes(backend, has_info ? &info : NULL, &zkey, msm, params);
        size->points_on_host_bytes += in_file;
    }
    const bool a = !part || part->matrices[PAIL_MATRIX_A];
    const bool b = !part || part->matrices[PAIL_MATRIX_B];
    if (has_matrices && (a || b)) /* entries of each matrix are not known yet */
        size->matrices_bytes = pail_key_matrices_bytes(zkey.n_coefficients, zkey.domain_size);
    /* The rows of one matrix at a time, which may have all entries. */
    if (has_matrices)
        size->loading_bytes = (READ_BYTES + ENTRY_BYTES) * (uint64_t)zkey.n_coefficients +
                              (uint64_t)ROW_BYTES * (zkey.domain_size + UINT64_C(1));
    pail_zkey_close(&zkey);
    return PAIL_OK;
}
