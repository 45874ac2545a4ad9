/* SPDX-License-Identifier: Apache-2.0 */
/* Cells and their proofs (EIP-7594), from blobs or from half of the cells, by FK20: D. Feist,
 * D. Khovratovich, "Fast amortized KZG proofs", ePrint 2023/033.
 *
 * The proof of a cell with x^l = a, l being cell_elements, commits to the quotient of p by x^l - a,
 * which is the sum over t of a^t h_t, h_t = sum over i of p_(i + l (t + 1)) tau^i. For each offset
 * k in a cell, the parts of the h_t with i = k modulo l are a product of two polynomials, of which
 * one has the points of the setup as coefficients: the transform of these is fixed, so that each
 * column, a value of the product, is a sum of l fixed points. Transforming back gives the h_t, of
 * which the lower half is wanted, and forward the proofs. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/memory.h>

enum { WORDS = PAIL_KZG_WORDS, SCALAR = PAIL_KZG_SCALAR_BYTES };

/* Values at the cells of a blob that are there, in their places. */
static bool take_cells(struct pail_kzg_call *call, uint64_t *values, bool *there, size_t blob)
{
    const struct pail_kzg *const kzg = call->kzg;
    const pail_kzg_request *const request = &call->request;
    const uint64_t begin = request->starts[blob], end = request->starts[blob + 1];
    const size_t length = kzg->cell_elements;
    if (end - begin < kzg->n_cells / 2 || end - begin > kzg->n_cells) {
        (void)pail_kzg_fail(call, PAIL_ERR_DATA, blob,
                            "blob %zu has %llu cells; %zu to %zu are needed", blob,
                            (unsigned long long)(end - begin), kzg->n_cells / 2, kzg->n_cells);
        return false;
    }
    memset(there, 0, kzg->n_cells * sizeof(*there));
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t cell = request->indices[i];
        if (cell >= kzg->n_cells || (i > begin && cell <= request->indices[i - 1])) {
            (void)pail_kzg_fail(
                call, PAIL_ERR_DATA, blob,
                cell >= kzg->n_cells ? "blob %zu: index %llu is %llu: there are %zu cells"
                                     : "blob %zu: index %llu is %llu, not above the one before it, "
                                       "of %zu cells",
                blob, (unsigned long long)(i - begin), (unsigned long long)cell, kzg->n_cells);
            return false;
        }
        const size_t bad =
            pail_kzg_read_scalars(kzg, values + cell * length * WORDS,
                                  (const uint8_t *)request->cells + i * length * SCALAR, length);
        if (bad < length) {
            (void)pail_kzg_fail(call, PAIL_ERR_DATA, blob,
                                "blob %zu, cell %llu: scalar %zu is not below the order r of %s",
                                blob, (unsigned long long)cell, bad, kzg->g1->curve_name);
            return false;
        }
        there[cell] = true;
    }
    return true;
}

/* The coefficients [2 n] of a blob, which is given or recovered. scratch: [4 n + 5 n_cells]. */
static bool take_coefficients(struct pail_kzg_call *call, uint64_t *coefficients, size_t blob,
                              uint64_t *scratch, void *ntt_scratch)
{
    const struct pail_kzg *const kzg = call->kzg;
    if (call->request.operation == PAIL_KZG_CELLS) {
        if (!pail_kzg_take_blob(call, scratch, blob))
            return false;
        pail_kzg_transform(kzg, PAIL_KZG_NTT_COEFFICIENTS, coefficients, scratch, ntt_scratch);
        return true;
    }
    uint64_t *const values = scratch, *const rest = scratch + 2 * kzg->n * WORDS;
    bool *const there = (bool *)(void *)(rest + (2 * kzg->n + 4 * kzg->n_cells) * WORDS);
    if (!take_cells(call, values, there, blob))
        return false;
    if (pail_kzg_recover(kzg, coefficients, values, there, rest, ntt_scratch))
        return true;
    (void)pail_kzg_fail(call, PAIL_ERR_DATA, blob,
                        "blob %zu: its cells are not of one polynomial of degree below %zu", blob,
                        kzg->n);
    return false;
}

/* Writes the cells of a blob, from its coefficients; scratch: [2 n]. */
static void write_cells(struct pail_kzg_call *call, size_t blob, const uint64_t *coefficients,
                        uint64_t *scratch, void *ntt_scratch)
{
    const struct pail_kzg *const kzg = call->kzg;
    const size_t n = kzg->n;
    uint8_t *const cells = call->cells + blob * 2 * n * SCALAR;
    if (call->request.operation == PAIL_KZG_CELLS) {
        memcpy(cells, (const uint8_t *)call->request.blobs + blob * n * SCALAR, n * SCALAR);
    } else {
        /* Values at the n-th roots: from the coefficients, at the shift 1. */
        pail_kzg_transform(kzg, PAIL_KZG_NTT_VALUES, scratch, coefficients, ntt_scratch);
        pail_kzg_write_scalars(kzg, cells, scratch, n);
    }
    pail_kzg_transform(kzg, PAIL_KZG_NTT_SECOND_HALF, scratch, coefficients, ntt_scratch);
    pail_kzg_write_scalars(kzg, cells + n * SCALAR, scratch, n);
}

/* Cells of a blob, and what its columns are multiplied with. */
static void prepare(void *user, size_t i, struct pail_kzg_worker *worker)
{
    struct pail_kzg_some *const some = user;
    struct pail_kzg_call *const call = some->call;
    const struct pail_kzg *const kzg = call->kzg;
    const size_t blob = some->first + i, n = kzg->n;
    uint64_t *const own = pail_kzg_scratch_of(some, worker), *const scratch = own + 2 * n * WORDS;
    uint64_t *const coefficients = some->kept ? some->kept + i * 2 * n * WORDS : own;
    if (!take_coefficients(call, coefficients, blob, scratch, worker->ntt_scratch))
        return;
    if (call->cells && !some->kept)
        write_cells(call, blob, coefficients, scratch, worker->ntt_scratch);
    if (some->scalars)
        pail_kzg_columns_scalars(kzg, some->scalars + i * 2 * n, coefficients, scratch,
                                 worker->ntt_scratch);
}

/* The cells of a blob whose coefficients were kept. */
static void extend(void *user, size_t i, struct pail_kzg_worker *worker)
{
    const struct pail_kzg_some *const some = user;
    const size_t n = some->call->kzg->n;
    write_cells(some->call, some->first + i, some->kept + i * 2 * n * WORDS,
                pail_kzg_scratch_of(some, worker) + 2 * n * WORDS, worker->ntt_scratch);
}

/* Compresses the proofs of a blob. */
static void write_proofs(void *user, size_t i, struct pail_kzg_worker *worker)
{
    const struct pail_kzg_some *const some = user;
    const struct pail_kzg *const kzg = some->call->kzg;
    const size_t bytes = pail_kzg_point_bytes(kzg), width = kzg->codec.encoded_bytes;
    (void)worker;
    for (size_t c = 0; c < kzg->n_cells; c++) {
        pail_affine point;
        kzg->adder->export(&point, some->points + (i * kzg->n_cells + c) * bytes);
        pail_kzg_write_point(
            kzg, some->call->proofs + ((some->first + i) * kzg->n_cells + c) * width, &point);
    }
}

static pail_status prove(struct pail_kzg_some *some)
{
    struct pail_kzg_call *const call = some->call;
    struct pail_kzg_work *const work = &call->work;
    const double begin = pail_now_ms();
    pail_status status = call->kzg->on_host
                             ? pail_kzg_columns_run(work, some->points, some->scalars, some->n)
                             : pail_kzg_device_columns(call, some->points, some->scalars, some->n);
    const double middle = pail_now_ms();
    call->fixed_ms += middle - begin;
    if (status == PAIL_OK && !pail_kzg_cancelled(work))
        status = pail_kzg_points_backward(work, some->points, some->n);
    if (status == PAIL_OK && !pail_kzg_cancelled(work))
        status = pail_kzg_points_forward(work, some->points, some->n);
    if (status == PAIL_OK && !pail_kzg_cancelled(work))
        pail_kzg_each(work, some->n, write_proofs, some);
    call->transform_ms += pail_now_ms() - middle;
    if (status != PAIL_OK && call->status == PAIL_OK)
        return pail_kzg_fail(call, status, UINT64_MAX, "no memory for the proofs of %zu blobs",
                             some->n);
    return status;
}

/* Scalars of the blobs from `first` on. False: the call has failed, or is cancelled. */
static bool prepare_some(struct pail_kzg_some *some)
{
    struct pail_kzg_call *const call = some->call;
    const double begin = pail_now_ms();
    pail_kzg_each(&call->work, some->n, prepare, some);
    call->scalars_ms += pail_now_ms() - begin;
    return !atomic_load(&call->failed) && !pail_kzg_cancelled(&call->work);
}

static void run_on_host(struct pail_kzg_some *some, size_t at_once)
{
    const size_t all = (size_t)some->call->request.n;
    for (; some->first < all; some->first += at_once) {
        some->n = all - some->first < at_once ? all - some->first : at_once;
        if (!prepare_some(some) || (some->scalars && prove(some) != PAIL_OK))
            break;
    }
}

/* While the device computes, the host has the scalars of the next batch, cells, and proofs of the
 * batch before. A download waits for what was begun, so that a batch is read before the next one
 * begins. The first of several is small, so that the device begins early. */
static void run_on_device(struct pail_kzg_some *some, size_t at_once)
{
    struct pail_kzg_call *const call = some->call;
    const struct pail_kzg *const kzg = call->kzg;
    const size_t all = (size_t)call->request.n, of_blob = kzg->n_cells * kzg->codec.encoded_bytes;
    struct pail_kzg_device_job running = {.n = 0};
    const bool ready = pail_kzg_device_prepare(call, at_once) == PAIL_OK;
    for (; ready && some->first < all; some->first += some->n) {
        const size_t left = all - some->first,
                     most = some->first == 0 && all > at_once ? at_once / 4 : at_once;
        some->n = left < most ? left : most;
        if (!prepare_some(some) || pail_kzg_device_end(call, &running) != PAIL_OK)
            break;
        struct pail_kzg_device_job next = {.n = some->n,
                                           .proofs = call->proofs + some->first * of_blob};
        if (pail_kzg_device_begin(call, &next, some->scalars) != PAIL_OK)
            break;
        const double begin = pail_now_ms();
        if (some->kept)
            pail_kzg_each(&call->work, some->n, extend, some);
        call->scalars_ms += pail_now_ms() - begin;
        pail_kzg_device_write(call, &running);
        running = next;
    }
    /* Whatever happened, nothing is under way any more. */
    (void)pail_kzg_device_end(call, &running);
    pail_kzg_device_write(call, &running);
    pail_kzg_device_release(call);
}

pail_status pail_kzg_cells(struct pail_kzg_call *call)
{
    struct pail_kzg *const kzg = call->kzg;
    const bool on_device = call->proofs && kzg->device.table;
    const size_t all = (size_t)call->request.n, n = kzg->n;
    const size_t at_once = all < PAIL_KZG_BLOBS_AT_ONCE ? all : PAIL_KZG_BLOBS_AT_ONCE;
    struct pail_kzg_some some = {.call = call, .scratch_size = (6 * n + 5 * kzg->n_cells) * WORDS};
    const size_t scratch = call->work.n_workers * some.scratch_size * sizeof(*some.scratch);
    const size_t scalars = at_once * 2 * n * sizeof(*some.scalars);
    void *block = NULL;
    bool room = true;
    some.scratch = malloc(scratch + 1);
    if (call->proofs) {
        some.scalars = malloc(scalars + 1);
        room = some.scalars;
    }
    if (on_device) {
        if (call->cells) {
            some.kept = malloc(scalars + 1);
            room = room && some.kept;
        }
    } else if (call->proofs) {
        some.points = pail_kzg_points_alloc(kzg, &block, at_once * kzg->n_cells);
        room = room && some.points;
    }
    if (!some.scratch || !room)
        (void)pail_kzg_fail(call, PAIL_ERR_HOST_MEMORY, UINT64_MAX, "no memory for %zu blobs",
                            at_once);
    else if (on_device && all > 0)
        run_on_device(&some, at_once);
    else
        run_on_host(&some, at_once);
    pail_wipe_and_free(some.scalars);
    pail_wipe_and_free(some.kept);
    for (uint32_t i = 0; some.scratch && i < call->work.n_workers; i++)
        if (call->work.workers[i].used)
            pail_wipe(some.scratch + i * some.scratch_size,
                      some.scratch_size * sizeof(*some.scratch));
    free(some.scratch);
    free(block);
    return call->status;
}
