/* SPDX-License-Identifier: Apache-2.0 */
/* Work of `pail kzg`: requests, of blobs and of claims in files. */
#define _GNU_SOURCE /* strdup */

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <curves/fnv.h>
#include <platform/memory.h>

#include "kzg.h"
#include <formats/kzg_setup.h>
#include <formats/ptau.h>

enum { AT_ONCE = 64 /* blobs of a request */ };

static const uint64_t poll_ns = 50 * UINT64_C(1000000);

pail_status pail_kzg_begin(struct pail_kzg_state *state, const char *setup,
                           struct pail_error *error)
{
    char path[PATH_MAX];
    if (pail_kzg_setup_path(path, sizeof(path), setup, error) != PAIL_OK)
        return error->status;
    if (state->options->n != 0 && !pail_ptau_is_file(path))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--n %" PRIu64 ": %s is no file of powers of tau, and is used whole",
                         state->options->n, setup);
    const pail_kzg_params params = {.struct_size = sizeof(params),
                                    .path = path,
                                    .n_g1 = state->options->n,
                                    .threads = state->options->session.threads};
    pail_progress_begin(&state->progress, "opening the setup");
    const pail_status status =
        pail_told(error, pail_kzg_open(&state->kzg, state->session.backend, state->session.context,
                                       &params, PAIL_SENTENCE(error)));
    state->open_ms = pail_progress_end(&state->progress);
    state->info.struct_size = sizeof(state->info);
    if (status == PAIL_OK)
        (void)pail_kzg_get_info(state->kzg, &state->info);
    return status;
}

/* ---- Requests -------------------------------------------------------------------------------- */
static uint64_t hash(const struct pail_kzg_state *state, const pail_kzg_result *result, size_t n)
{
    const size_t each = pail_kzg_of_cells(state) ? state->info.n_cells : 1;
    const size_t point = state->info.point_bytes;
    uint64_t h = pail_fnv1a64(&result->valid, sizeof(result->valid));
    if (result->commitments)
        h = pail_fnv1a64_more(h, result->commitments, n * point);
    if (result->proofs)
        h = pail_fnv1a64_more(h, result->proofs, n * each * point);
    if (result->values)
        h = pail_fnv1a64_more(h, result->values, n * state->info.scalar_bytes);
    if (result->cells)
        h = pail_fnv1a64_more(h, result->cells, n * each * pail_kzg_cell_bytes(state));
    return h;
}

/* Runs a request once; part: of the whole work, what is done before. */
static pail_status run_once(struct pail_kzg_state *state, pail_kzg_result *result,
                            const pail_kzg_request *request, double part, struct pail_error *error)
{
    pail_kzg_job *job = NULL;
    pail_status status =
        pail_told(error, pail_kzg_start(state->kzg, &job, request, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    while (pail_kzg_wait(job, poll_ns) == PAIL_NOT_READY)
        pail_progress_tick(&state->progress, part);
    status = pail_told(error, pail_kzg_finish(&job, result, PAIL_SENTENCE(error)));
    if (status == PAIL_ERR_DATA && state->claims_path) {
        char sentence[sizeof(error->sentence) / 2];
        (void)snprintf(sentence, sizeof(sentence), "%.*s", (int)sizeof(sentence) - 1,
                       error->sentence);
        return pail_fail(error, status, "%s: %s", state->claims_path, sentence);
    }
    return status;
}

static pail_status run_request(struct pail_kzg_state *state, pail_kzg_result *result,
                               pail_kzg_request *request, double part, struct pail_error *error)
{
    uint64_t first = 0;
    double best = 0;
    request->struct_size = sizeof(*request);
    result->struct_size = sizeof(*result);
    for (uint64_t i = 0; i < state->options->repeat; i++) {
        if (run_once(state, result, request, part, error) != PAIL_OK)
            return error->status;
        state->sum_ms += result->wall_ms;
        if (i == 0 || result->wall_ms < best)
            best = result->wall_ms;
        const uint64_t now = hash(state, result, (size_t)request->n);
        if (i == 0)
            first = now;
        else if (now != first) {
            pail_differs(error, "the results of repetition %" PRIu64 " are not those of the first",
                         i + 1);
            return error->status;
        }
    }
    state->best_ms += best;
    return PAIL_OK;
}

/* ---- Blobs ----------------------------------------------------------------------------------- */
/* Reads a blob, as bytes of <pail/kzg.h>. A bad one costs only its own results. */
static pail_status read_blob(bool *good, struct pail_kzg_state *state, struct pail_kzg_blob *blob,
                             uint8_t *bytes, struct pail_error *error)
{
    struct pail_error one = {0};
    const size_t size = state->info.scalar_bytes;
    *good = pail_told(&one, pail_kzg_blob_open(bytes, (size_t)state->info.n, state->info.curve,
                                               blob->name, PAIL_SENTENCE(&one))) == PAIL_OK;
    for (size_t i = 0; *good && i < state->info.n; i++) /* little-endian there */
        for (size_t k = 0; k < size / 2; k++) {
            const uint8_t kept = bytes[i * size + k];
            bytes[i * size + k] = bytes[i * size + size - 1 - k];
            bytes[i * size + size - 1 - k] = kept;
        }
    if (*good)
        return PAIL_OK;
    if (state->n_bad++ == 0)
        state->bad = one.status;
    blob->defect = strdup(one.sentence);
    return blob->defect ? PAIL_OK
                        : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a sentence: %s",
                                    one.sentence);
}

/* Moves the results of `count` good blobs of a request, packed, to those of all blobs. */
static void spread(uint8_t *all, size_t bytes, const size_t *numbers, size_t count, size_t first)
{
    for (size_t i = count; all && i-- > 0;)
        if (numbers[i] != first + i)
            memmove(all + numbers[i] * bytes, all + (first + i) * bytes, bytes);
}

static uint8_t *at(uint8_t *all, size_t number, size_t bytes)
{
    return all ? all + number * bytes : NULL;
}

/* Does blobs `first` to `first + count - 1`. */
static pail_status do_some(struct pail_kzg_state *state, uint8_t *bytes, size_t first, size_t count,
                           struct pail_error *error)
{
    const size_t point = state->info.point_bytes, scalar = state->info.scalar_bytes;
    const size_t each = pail_kzg_of_cells(state) ? state->info.n_cells : 1;
    const double part = (double)first / (double)state->n;
    uint8_t points[AT_ONCE * PAIL_KZG_SCALAR_BYTES];
    size_t numbers[AT_ONCE], n = 0;
    for (size_t i = 0; i < count; i++) {
        bool good;
        if (read_blob(&good, state, &state->blobs[first + i],
                      bytes + n * pail_kzg_blob_bytes(state), error) != PAIL_OK)
            return error->status;
        memcpy(points + n * sizeof(state->point), state->point, sizeof(state->point));
        if (good)
            numbers[n++] = first + i;
    }
    if (n == 0)
        return PAIL_OK;
    /* Commitments are inputs of proofs, and are printed beside them. */
    pail_kzg_request request = {.operation = PAIL_KZG_COMMIT, .n = n, .blobs = bytes};
    pail_kzg_result result = {.commitments = at(state->commitments, first, point)};
    pail_status status = run_request(state, &result, &request, part, error);
    if (status == PAIL_OK && state->kind->operation != PAIL_KZG_COMMIT) {
        request.commitments = result.commitments;
        request.operation = state->kind->operation;
        request.points = points;
        if (request.operation == PAIL_KZG_PROVE_BLOB && state->options->at)
            request.operation = PAIL_KZG_PROVE;
        result =
            (pail_kzg_result){.proofs = at(state->proofs, first, each * point),
                              .values = at(state->values, first, scalar),
                              .cells = at(state->cells, first, each * pail_kzg_cell_bytes(state))};
        status = run_request(state, &result, &request, part, error);
    }
    spread(state->commitments, point, numbers, n, first);
    spread(state->proofs, each * point, numbers, n, first);
    spread(state->values, scalar, numbers, n, first);
    spread(state->cells, each * pail_kzg_cell_bytes(state), numbers, n, first);
    return status;
}

static pail_status do_blobs(struct pail_kzg_state *state, struct pail_error *error)
{
    const size_t point = state->info.point_bytes, n = state->n;
    const size_t each = pail_kzg_of_cells(state) ? state->info.n_cells : 1;
    const bool proves = state->kind->operation == PAIL_KZG_PROVE_BLOB || pail_kzg_of_cells(state);
    uint8_t *const bytes = malloc((n < AT_ONCE ? n : AT_ONCE) * pail_kzg_blob_bytes(state));
    state->commitments = malloc(n * point);
    state->proofs = proves ? malloc(n * each * point) : NULL;
    state->values = state->options->at ? malloc(n * state->info.scalar_bytes) : NULL;
    state->cells = pail_kzg_of_cells(state) ? malloc(n * each * pail_kzg_cell_bytes(state)) : NULL;
    pail_status status = PAIL_OK;
    if (!bytes || !state->commitments || (proves && !state->proofs) ||
        (state->options->at && !state->values) || (pail_kzg_of_cells(state) && !state->cells))
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu blobs", n);
    pail_progress_begin(&state->progress, state->kind->doing);
    for (size_t first = 0; status == PAIL_OK && !error->differs && first < n; first += AT_ONCE)
        status = do_some(state, bytes, first, n - first < AT_ONCE ? n - first : AT_ONCE, error);
    (void)pail_progress_end(&state->progress);
    pail_wipe_and_free(bytes);
    return status;
}

/* ---- Claims ---------------------------------------------------------------------------------- */
/* Reads blobs that are files into the claims, which then have as many as proofs. */
static pail_status read_blobs(struct pail_kzg_state *state, struct pail_error *error)
{
    struct pail_kzg_claims *const claims = &state->claims;
    if (state->n > 0) {
        pail_wipe_and_free(claims->blobs);
        claims->blobs = malloc(state->n * pail_kzg_blob_bytes(state));
        claims->n_blobs = state->n;
        if (!claims->blobs)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu blobs", state->n);
    }
    for (size_t i = 0; i < state->n; i++) {
        bool good;
        if (read_blob(&good, state, &state->blobs[i],
                      claims->blobs + i * pail_kzg_blob_bytes(state), error) != PAIL_OK)
            return error->status;
    }
    if (state->n_bad > 0 || claims->n_blobs == claims->n)
        return PAIL_OK;
    return pail_fail(error, PAIL_ERR_DATA, "%s: has %zu proofs for %zu blobs",
                     state->options->claims, claims->n, claims->n_blobs);
}

static pail_status verify(struct pail_kzg_state *state, pail_kzg_request *request,
                          struct pail_error *error)
{
    const struct pail_kzg_claims *const claims = &state->claims;
    pail_kzg_result result = {0};
    if (claims->n == 0)
        return pail_fail(error, PAIL_ERR_DATA, "%s: has no proofs", state->claims_path);
    request->n = claims->n;
    request->commitments = claims->commitments;
    request->proofs = claims->proofs;
    pail_progress_begin(&state->progress, state->kind->doing);
    const pail_status status = run_request(state, &result, request, -1, error);
    (void)pail_progress_end(&state->progress);
    state->valid = result.valid == 1;
    return status;
}

static pail_status do_verify(struct pail_kzg_state *state, struct pail_error *error)
{
    struct pail_kzg_claims *const claims = &state->claims;
    const uint32_t needs = PAIL_KZG_MEMBER_COMMITMENTS | PAIL_KZG_MEMBER_PROOFS;
    if (pail_kzg_claims_read(claims, state->options->claims, &state->info, needs, error) != PAIL_OK)
        return error->status;
    if (!claims->values) {
        if (read_blobs(state, error) != PAIL_OK || state->n_bad > 0)
            return error->status;
        return verify(
            state, &(pail_kzg_request){.operation = PAIL_KZG_VERIFY_BLOBS, .blobs = claims->blobs},
            error);
    }
    if (state->n > 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "%s: has values at z, by which no blob is verified; leave the blobs out",
                         state->options->claims);
    /* All proofs of a file are at one point. */
    const size_t scalar = sizeof(claims->point);
    uint8_t *const points = malloc(claims->n * scalar + 1);
    if (!points)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu points", claims->n);
    for (size_t i = 0; i < claims->n; i++)
        memcpy(points + i * scalar, claims->point, scalar);
    const pail_status status =
        verify(state,
               &(pail_kzg_request){
                   .operation = PAIL_KZG_VERIFY, .points = points, .values = claims->values},
               error);
    free(points);
    return status;
}

static pail_status do_verify_cells(struct pail_kzg_state *state, const char *path,
                                   struct pail_error *error)
{
    const uint32_t needs =
        PAIL_KZG_MEMBER_COMMITMENTS | PAIL_KZG_MEMBER_PROOFS | PAIL_KZG_MEMBER_CELLS;
    if (pail_kzg_claims_read(&state->claims, path, &state->info, needs, error) != PAIL_OK)
        return error->status;
    return verify(state,
                  &(pail_kzg_request){.operation = PAIL_KZG_VERIFY_CELLS,
                                      .indices = state->claims.indices,
                                      .cells = state->claims.cells},
                  error);
}

static pail_status do_recover(struct pail_kzg_state *state, const char *path,
                              struct pail_error *error)
{
    const size_t each = state->info.n_cells, point = state->info.point_bytes;
    if (pail_kzg_claims_read(&state->claims, path, &state->info, PAIL_KZG_MEMBER_CELLS, error) !=
        PAIL_OK)
        return error->status;
    if (state->claims.n > each)
        return pail_fail(error, PAIL_ERR_DATA, "%s: has %zu cells; a blob has at most %zu", path,
                         state->claims.n, each);
    const uint64_t starts[2] = {0, state->claims.n};
    state->commitments = malloc(point);
    state->proofs = malloc(each * point);
    state->cells = malloc(each * pail_kzg_cell_bytes(state));
    if (!state->commitments || !state->proofs || !state->cells)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu cells", each);
    pail_kzg_request request = {.operation = PAIL_KZG_RECOVER,
                                .n = 1,
                                .starts = starts,
                                .indices = state->claims.indices,
                                .cells = state->claims.cells};
    pail_kzg_result result = {.proofs = state->proofs, .cells = state->cells};
    pail_progress_begin(&state->progress, state->kind->doing);
    pail_status status = run_request(state, &result, &request, -1, error);
    if (status == PAIL_OK) { /* the first half of the cells is the blob */
        request = (pail_kzg_request){.operation = PAIL_KZG_COMMIT, .n = 1, .blobs = state->cells};
        result = (pail_kzg_result){.commitments = state->commitments};
        status = run_request(state, &result, &request, -1, error);
    }
    (void)pail_progress_end(&state->progress);
    return status;
}

pail_status pail_kzg_do(struct pail_kzg_state *state, const char *path, struct pail_error *error)
{
    if (!state->kind->blobs)
        state->claims_path = path;
    else if (state->kind->operation == PAIL_KZG_VERIFY_BLOBS)
        state->claims_path = state->options->claims;
    switch ((pail_kzg_operation)state->kind->operation) {
    case PAIL_KZG_COMMIT:
    case PAIL_KZG_PROVE_BLOB:
    case PAIL_KZG_CELLS:
        return do_blobs(state, error);
    case PAIL_KZG_VERIFY_BLOBS:
        return do_verify(state, error);
    case PAIL_KZG_RECOVER:
        return do_recover(state, path, error);
    case PAIL_KZG_VERIFY_CELLS:
        return do_verify_cells(state, path, error);
    case PAIL_KZG_PROVE:
    case PAIL_KZG_VERIFY:
    case PAIL_KZG_OPERATION_FORCE_32:
        break;
    }
    return pail_fail(error, PAIL_ERR_INTERNAL, "no such operation");
}
