/* SPDX-License-Identifier: Apache-2.0 */
/* Commitments and proofs at points, and what all operations share. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/memory.h>

enum { WORDS = PAIL_KZG_WORDS, SCALAR = PAIL_KZG_SCALAR_BYTES, FAULT_CHARS = 256 };

pail_status pail_kzg_fail(struct pail_kzg_call *call, pail_status status, uint64_t bad,
                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&call->lock);
    if (call->status == PAIL_OK || (call->bad != UINT64_MAX && bad < call->bad)) {
        call->status = status;
        call->bad = bad;
        (void)pail_line_list(call->error, sizeof(call->error), format, arguments);
    }
    pthread_mutex_unlock(&call->lock);
    va_end(arguments);
    atomic_store(&call->failed, true);
    return call->status;
}

struct pail_kzg_sizes pail_kzg_sizes(const struct pail_kzg *kzg, const pail_kzg_request *request)
{
    const size_t n = (size_t)request->n, point = kzg->codec.encoded_bytes;
    const uint32_t want =
        request->want != 0 ? request->want : PAIL_KZG_WANT_CELLS | PAIL_KZG_WANT_PROOFS;
    struct pail_kzg_sizes sizes = {0};
    switch (request->operation) {
    case PAIL_KZG_COMMIT:
        sizes.commitments = n * point;
        break;
    case PAIL_KZG_PROVE:
        sizes.values = n * SCALAR;
        sizes.proofs = n * point;
        break;
    case PAIL_KZG_PROVE_BLOB:
        sizes.proofs = n * point;
        break;
    case PAIL_KZG_CELLS:
    case PAIL_KZG_RECOVER:
        if (want & PAIL_KZG_WANT_CELLS)
            sizes.cells = n * 2 * kzg->n * SCALAR;
        if (want & PAIL_KZG_WANT_PROOFS)
            sizes.proofs = n * kzg->n_cells * point;
        break;
    default:
        break;
    }
    return sizes;
}

static void wipe_outputs(struct pail_kzg_call *call)
{
    const struct pail_kzg_sizes sizes = pail_kzg_sizes(call->kzg, &call->request);
    const struct {
        uint8_t *bytes;
        size_t size;
    } outputs[] = {{call->commitments, sizes.commitments},
                   {call->values, sizes.values},
                   {call->proofs, sizes.proofs},
                   {call->cells, sizes.cells}};
    for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
        if (outputs[i].bytes)
            memset(outputs[i].bytes, 0, outputs[i].size);
    call->valid = 0;
}

void pail_kzg_execute(struct pail_kzg_call *call, const atomic_bool *cancelled)
{
    const double begin = pail_now_ms();
    pthread_mutex_init(&call->lock, NULL);
    call->status = PAIL_OK; /* it may be the second attempt */
    call->bad = UINT64_MAX;
    call->scalars_ms = call->fixed_ms = call->transform_ms = call->device_ms = 0;
    atomic_store(&call->failed, false);
    if (pail_kzg_work_begin(&call->work, call->kzg, cancelled) != PAIL_OK) {
        (void)pail_kzg_fail(call, PAIL_ERR_HOST_MEMORY, UINT64_MAX, "no memory for %u threads",
                            call->kzg->threads);
    } else {
        switch (call->request.operation) {
        case PAIL_KZG_COMMIT:
            (void)pail_kzg_commit(call);
            break;
        case PAIL_KZG_PROVE:
        case PAIL_KZG_PROVE_BLOB:
            (void)pail_kzg_prove(call);
            break;
        case PAIL_KZG_CELLS:
        case PAIL_KZG_RECOVER:
            (void)pail_kzg_cells(call);
            break;
        case PAIL_KZG_VERIFY:
        case PAIL_KZG_VERIFY_BLOBS:
            (void)pail_kzg_verify(call);
            break;
        default:
            (void)pail_kzg_verify_cells(call);
            break;
        }
        call->adds = pail_kzg_adds(&call->work);
        if (call->status == PAIL_OK && pail_kzg_cancelled(&call->work))
            (void)pail_kzg_fail(call, PAIL_ERR_STOPPED, UINT64_MAX, "the job was abandoned");
        pail_kzg_work_end(&call->work);
    }
    if (call->status != PAIL_OK)
        wipe_outputs(call);
    pthread_mutex_destroy(&call->lock);
    call->wall_ms = pail_now_ms() - begin;
}

bool pail_kzg_take_blob(struct pail_kzg_call *call, uint64_t *elements, uint64_t blob)
{
    const struct pail_kzg *const kzg = call->kzg;
    const uint8_t *const bytes = (const uint8_t *)call->request.blobs + blob * kzg->n * SCALAR;
    const size_t bad = pail_kzg_read_scalars(kzg, elements, bytes, kzg->n);
    if (bad < kzg->n)
        (void)pail_kzg_fail(call, PAIL_ERR_DATA, blob,
                            "blob %llu: scalar %zu is not below the order r of %s",
                            (unsigned long long)blob, bad, kzg->g1->curve_name);
    return bad == kzg->n;
}

void pail_kzg_write_point(const struct pail_kzg *kzg, uint8_t *bytes, const pail_affine *point)
{
    uint8_t canonical[2 * PAIL_COORDINATE_MAX];
    kzg->g1->encode(canonical, point, false);
    /* A point that was computed is on the curve. */
    (void)pail_point_encode(&kzg->codec, bytes, canonical, NULL, 0);
}

pail_status pail_kzg_multiply_lagrange(struct pail_kzg_call *call, pail_affine *sums,
                                       const pail_u256 *scalars, size_t n)
{
    const double begin = pail_now_ms();
    pail_status status;
    if (call->kzg->on_host) {
        status = pail_kzg_commit_run(&call->work, sums, scalars, n);
        if (status != PAIL_OK)
            status = pail_kzg_fail(call, status, UINT64_MAX, "no memory for sums of %zu blobs", n);
    } else {
        status = pail_kzg_device_commit(call, sums, scalars, n);
    }
    call->fixed_ms += pail_now_ms() - begin;
    return status;
}

void pail_kzg_scalar_of_hash(const struct pail_kzg *kzg, pail_u256 *r, const uint8_t digest[32])
{
    (void)pail_kzg_read_scalar(kzg, r, digest);
    kzg->g1->scalar_reduce(r, r);
}

void pail_kzg_challenge(const struct pail_kzg *kzg, pail_u256 *z, const uint8_t *blob,
                        const uint8_t *commitment)
{
    const struct pail_kzg_hashed sizes = pail_kzg_hashed(kzg);
    uint8_t digest[32];
    pail_kzg_hash_blob(digest, &sizes, blob, commitment);
    pail_kzg_scalar_of_hash(kzg, z, digest);
}

/* ---- Commitments and proofs ------------------------------------------------------------------ */
/* A blob's scalars, as integers. */
static void read_blob(void *user, size_t i, struct pail_kzg_worker *worker)
{
    struct pail_kzg_some *const some = user;
    const struct pail_kzg *const kzg = some->call->kzg;
    uint64_t *const elements = pail_kzg_scratch_of(some, worker);
    if (pail_kzg_take_blob(some->call, elements, some->first + i))
        pail_kzg_integers(kzg, some->scalars + i * kzg->n, elements, kzg->n);
}

/* The commitment in the request must be a point, since a proof is of it. */
static bool check_commitment(struct pail_kzg_call *call, size_t blob)
{
    const struct pail_kzg *const kzg = call->kzg;
    uint8_t point[2 * PAIL_COORDINATE_MAX];
    char fault[FAULT_CHARS];
    const uint8_t *const bytes =
        (const uint8_t *)call->request.commitments + blob * kzg->codec.encoded_bytes;
    if (pail_point_decode(&kzg->codec, point, bytes, PAIL_VALIDATE_SUBGROUP, fault,
                          sizeof(fault)) == PAIL_OK)
        return true;
    (void)pail_kzg_fail(call, PAIL_ERR_DATA, blob, "commitment %zu: %s", blob, fault);
    return false;
}

/* The quotient of a blob by its point, and the value there. */
static void divide_blob(void *user, size_t i, struct pail_kzg_worker *worker)
{
    struct pail_kzg_some *const some = user;
    struct pail_kzg_call *const call = some->call;
    const struct pail_kzg *const kzg = call->kzg;
    const size_t blob = some->first + i;
    uint64_t *const elements = pail_kzg_scratch_of(some, worker);
    pail_u256 z, value;
    if (!pail_kzg_take_blob(call, elements, blob))
        return;
    if (call->request.operation == PAIL_KZG_PROVE_BLOB) {
        if (!check_commitment(call, blob))
            return;
        pail_kzg_challenge(kzg, &z, (const uint8_t *)call->request.blobs + blob * kzg->n * SCALAR,
                           (const uint8_t *)call->request.commitments +
                               blob * kzg->codec.encoded_bytes);
    } else if (!pail_kzg_read_scalar(kzg, &z,
                                     (const uint8_t *)call->request.points + blob * SCALAR)) {
        (void)pail_kzg_fail(call, PAIL_ERR_DATA, blob, "point %zu is not below the order r of %s",
                            blob, kzg->g1->curve_name);
        return;
    }
    uint64_t *const quotient = elements + kzg->n * WORDS;
    pail_kzg_divide(kzg, &value, quotient, elements, &z, quotient + kzg->n * WORDS);
    pail_kzg_integers(kzg, some->scalars + i * kzg->n, quotient, kzg->n);
    if (call->values)
        pail_kzg_write_scalar(call->values + blob * SCALAR, &value);
}

/* Sums of the Lagrange points with what `prepare` makes of each blob, to points [request.n]. */
static pail_status each_blob(struct pail_kzg_call *call, uint8_t *points,
                             void (*prepare)(void *user, size_t i, struct pail_kzg_worker *worker))
{
    struct pail_kzg *const kzg = call->kzg;
    const size_t all = (size_t)call->request.n;
    const size_t at_once = all < PAIL_KZG_BLOBS_AT_ONCE ? all : PAIL_KZG_BLOBS_AT_ONCE;
    struct pail_kzg_some some = {.call = call, .scratch_size = 6 * kzg->n * WORDS};
    pail_affine sums[PAIL_KZG_BLOBS_AT_ONCE];
    const size_t scalars = at_once * kzg->n * sizeof(*some.scalars);
    const size_t scratch = call->work.n_workers * some.scratch_size * sizeof(*some.scratch);
    some.scalars = malloc(scalars + 1);
    some.scratch = malloc(scratch + 1);
    if (!some.scalars || !some.scratch)
        (void)pail_kzg_fail(call, PAIL_ERR_HOST_MEMORY, UINT64_MAX, "no memory for %zu blobs",
                            at_once);
    for (; some.first < all && !atomic_load(&call->failed); some.first += at_once) {
        const size_t n = all - some.first < at_once ? all - some.first : at_once;
        const double begin = pail_now_ms();
        pail_kzg_each(&call->work, n, prepare, &some);
        call->scalars_ms += pail_now_ms() - begin;
        if (atomic_load(&call->failed) || pail_kzg_cancelled(&call->work) ||
            pail_kzg_multiply_lagrange(call, sums, some.scalars, n) != PAIL_OK ||
            pail_kzg_cancelled(&call->work))
            break;
        for (size_t i = 0; i < n; i++)
            pail_kzg_write_point(kzg, points + (some.first + i) * kzg->codec.encoded_bytes,
                                 &sums[i]);
    }
    pail_wipe_and_free(some.scalars);
    pail_wipe_and_free(some.scratch);
    return call->status;
}

pail_status pail_kzg_commit(struct pail_kzg_call *call)
{
    return each_blob(call, call->commitments, read_blob);
}

pail_status pail_kzg_prove(struct pail_kzg_call *call)
{
    return each_blob(call, call->proofs, divide_blob);
}
