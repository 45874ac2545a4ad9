/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the table, for cgo, which cannot call through pointers. A sentence belongs to the thread
 * that made the call, and a goroutine may go on in another one: it is copied before the call
 * returns. Structs with pointers to Go's memory are made here, for Go may not hand such structs
 * over. Bytes are uint8_t: of what void points to, cgo looks for pointers in the whole object that
 * the bytes are a part of. */
#ifndef PAIL_GO_BRIDGE_H
#define PAIL_GO_BRIDGE_H

#include <pail/groth16.h>
#include <string.h>

#define BRIDGE_SENTENCE 512

typedef struct bridge_context {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
} bridge_context;

static inline pail_status bridge_told(const bridge_context *in, pail_status status, char *error)
{
    if (status != PAIL_OK) {
        strncpy(error, in->backend->error(in->context), BRIDGE_SENTENCE - 1);
        error[BRIDGE_SENTENCE - 1] = '\0';
    }
    return status;
}

static inline void bridge_close(bridge_context *in)
{
    if (in->context)
        in->backend->context_destroy(&in->context);
    pail_registry_destroy(&in->registry);
}

static inline pail_status bridge_open(bridge_context *out, const char *name, uint32_t device,
                                      uint32_t threads, uint64_t memory_budget, char *error)
{
    const pail_registry_params wanted = {.struct_size = sizeof wanted, .backend = name};
    const pail_context_params params = {.struct_size = sizeof params,
                                        .device = device,
                                        .threads = threads,
                                        .memory_budget = memory_budget};
    memset(out, 0, sizeof *out);
    pail_status status = pail_registry_create(&out->registry, &wanted, error, BRIDGE_SENTENCE);
    if (status == PAIL_OK)
        status = pail_registry_find(out->registry, &out->backend, name, error, BRIDGE_SENTENCE);
    if (status == PAIL_OK)
        status = bridge_told(
            out,
            out->backend->context_create(pail_registry_host(out->registry), &out->context, &params),
            error);
    if (status != PAIL_OK)
        bridge_close(out);
    return status;
}

static inline pail_status bridge_bases(const bridge_context *in, pail_bases **bases,
                                       const uint8_t *points, size_t n, uint32_t curve,
                                       uint32_t group, uint32_t encoding, uint32_t validation,
                                       char *error)
{
    const pail_bases_desc desc = {.struct_size = sizeof desc,
                                  .curve = curve,
                                  .group = group,
                                  .encoding = encoding,
                                  .validation = validation,
                                  .points = points,
                                  .n_points = n};
    return bridge_told(in, in->backend->bases_create(in->context, bases, NULL, &desc), error);
}

static inline void bridge_bases_close(const bridge_context *in, pail_bases *bases)
{
    in->backend->bases_destroy(in->context, &bases);
}

/* n scalars: in Go's memory, or, if vector is not NULL, its elements from scalar_offset on. */
typedef struct bridge_range {
    size_t n, offset; /* of the bases */
    uint32_t encoding;
    pail_vector *vector;
    uint64_t scalar_offset;
} bridge_range;

static inline pail_msm_job bridge_job(const pail_bases *bases, const uint8_t *scalars,
                                      bridge_range range)
{
    return (pail_msm_job){.struct_size = sizeof(pail_msm_job),
                          .bases = bases,
                          .scalars = scalars,
                          .n = range.n,
                          .base_offset = range.offset,
                          .scalar_encoding = range.encoding,
                          .scalar_location =
                              range.vector ? PAIL_LOCATION_VECTOR : PAIL_LOCATION_HOST,
                          .scalar_vector = range.vector,
                          .scalar_offset = range.scalar_offset};
}

/* The point: [2 * PAIL_COORDINATE_MAX]; returns its bytes. */
static inline size_t bridge_point(uint8_t *point, const pail_msm_result *result)
{
    memcpy(point, result->x, result->coordinate_bytes);
    memcpy(point + result->coordinate_bytes, result->y, result->coordinate_bytes);
    return 2 * (size_t)result->coordinate_bytes;
}

static inline pail_status bridge_msm(const bridge_context *in, uint8_t *point, size_t *width,
                                     const pail_bases *bases, const uint8_t *scalars,
                                     bridge_range range, char *error)
{
    const pail_msm_job job = bridge_job(bases, scalars, range);
    pail_msm_result result = {.struct_size = sizeof result};
    const pail_status status =
        bridge_told(in, pail_msm(in->backend, in->context, &result, NULL, &job, NULL), error);
    *width = bridge_point(point, &result);
    return status;
}

static inline pail_status bridge_start(const bridge_context *in, pail_pending **pending,
                                       const pail_bases *bases, const uint8_t *scalars,
                                       bridge_range range, char *error)
{
    const pail_msm_job job = bridge_job(bases, scalars, range);
    return bridge_told(in, in->backend->msm_start(in->context, pending, &job, 1, NULL), error);
}

static inline int bridge_wait(const bridge_context *in, pail_pending *pending, uint64_t ns)
{
    return in->backend->pending_wait(pending, ns) != PAIL_NOT_READY;
}

static inline pail_status bridge_finish(const bridge_context *in, uint8_t *point, size_t *width,
                                        pail_pending *pending, char *error)
{
    pail_msm_result result = {.struct_size = sizeof result};
    const pail_status status =
        bridge_told(in, in->backend->msm_finish(&pending, &result, 1, NULL), error);
    *width = bridge_point(point, &result);
    return status;
}

static inline void bridge_abandon(const bridge_context *in, pail_pending *pending)
{
    in->backend->pending_abandon(&pending);
}

/* A slot that is missing must not be called. */
static inline pail_status bridge_need_vectors(const bridge_context *in, char *error)
{
    if (pail_backend_can(in->backend, PAIL_ABILITY_VECTORS))
        return PAIL_OK;
    strncpy(error, "the backend has no vectors", BRIDGE_SENTENCE - 1);
    return PAIL_ERR_UNSUPPORTED;
}

static inline pail_status bridge_vector(const bridge_context *in, pail_vector **vector,
                                        uint32_t curve, uint64_t n, char *error)
{
    const pail_status status = bridge_need_vectors(in, error);
    if (status != PAIL_OK)
        return status;
    return bridge_told(in, in->backend->vector_create(in->context, vector, curve, n), error);
}

static inline void bridge_vector_close(const bridge_context *in, pail_vector *vector)
{
    in->backend->vector_destroy(in->context, &vector);
}

static inline pail_status bridge_write(const bridge_context *in, pail_vector *vector,
                                       uint64_t offset, const uint8_t *elements, uint64_t n,
                                       uint32_t encoding, char *error)
{
    return bridge_told(in, in->backend->vector_write(vector, offset, elements, n, encoding), error);
}

static inline pail_status bridge_read(const bridge_context *in, const pail_vector *vector,
                                      uint8_t *elements, uint64_t offset, uint64_t n,
                                      uint32_t encoding, char *error)
{
    return bridge_told(in, in->backend->vector_read(vector, elements, offset, n, encoding), error);
}

/* row_starts: [n_rows + 1]; columns and values: [row_starts[n_rows]]. */
static inline pail_status bridge_matrix(const bridge_context *in, pail_matrix **matrix,
                                        uint32_t curve, uint32_t encoding,
                                        const uint64_t *row_starts, uint64_t n_rows,
                                        uint64_t n_columns, const uint32_t *columns,
                                        const uint8_t *values, char *error)
{
    const pail_matrix_desc desc = {.struct_size = sizeof desc,
                                   .curve = curve,
                                   .encoding = encoding,
                                   .n_rows = n_rows,
                                   .n_columns = n_columns,
                                   .row_starts = row_starts,
                                   .columns = columns,
                                   .values = values};
    const pail_status status = bridge_need_vectors(in, error);
    if (status != PAIL_OK)
        return status;
    return bridge_told(in, in->backend->matrix_create(in->context, matrix, NULL, &desc), error);
}

static inline void bridge_matrix_close(const bridge_context *in, pail_matrix *matrix)
{
    in->backend->matrix_destroy(in->context, &matrix);
}

static inline pail_status bridge_operations(const bridge_context *in, pail_pending **pending,
                                            const pail_vector_op *ops, size_t n, char *error)
{
    const pail_status status = bridge_need_vectors(in, error);
    if (status != PAIL_OK)
        return status;
    return bridge_told(in, in->backend->vector_start(in->context, pending, ops, n), error);
}

static inline pail_status bridge_operations_finish(const bridge_context *in, pail_pending *pending,
                                                   char *error)
{
    return bridge_told(in, in->backend->vector_finish(&pending, NULL), error);
}

static inline pail_status bridge_key(const bridge_context *in, pail_groth16_key **key,
                                     const char *path, const uint8_t *bytes, uint64_t n_bytes,
                                     char *error)
{
    const pail_groth16_key_params params = {
        .struct_size = sizeof params, .path = path, .bytes = bytes, .n_bytes = n_bytes};
    return pail_groth16_key_open(key, in->backend, in->context, &params, error, BRIDGE_SENTENCE);
}

static inline uint64_t bridge_key_public(const pail_groth16_key *key)
{
    pail_groth16_key_info info = {.struct_size = sizeof info};
    return pail_groth16_key_get_info(key, &info) == PAIL_OK ? info.n_public : 0;
}

static inline pail_status bridge_prove(const pail_groth16_key *key, pail_groth16_proof *proof,
                                       void *publics, const char *path, const uint8_t *bytes,
                                       uint64_t n_bytes, const uint8_t *blinding, char *error)
{
    const pail_groth16_witness witness = {
        .struct_size = sizeof witness, .path = path, .wtns = bytes, .n_wtns = n_bytes};
    pail_groth16_options options = {.struct_size = sizeof options};
    if (blinding) {
        options.flags = PAIL_GROTH16_FIXED_BLINDING;
        memcpy(options.r, blinding, 32);
        memcpy(options.s, blinding + 32, 32);
    }
    proof->struct_size = sizeof *proof;
    return pail_groth16_prove(key, proof, publics, NULL, &witness, &options, error,
                              BRIDGE_SENTENCE);
}

static inline pail_status bridge_verify(const pail_groth16_key *key, uint32_t *valid,
                                        const pail_groth16_proof *proof, const void *publics,
                                        uint64_t n_public, char *error)
{
    pail_groth16_verifying_key verifying = {.struct_size = sizeof verifying};
    pail_groth16_key_verifying(key, &verifying);
    return pail_groth16_verify(valid, &verifying, proof, publics, n_public, error, BRIDGE_SENTENCE);
}

static inline void bridge_key_close(pail_groth16_key *key)
{
    pail_groth16_key_close(&key);
}

#endif /* PAIL_GO_BRIDGE_H */
