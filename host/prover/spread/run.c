/* One proof: each device has a thread. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include "spread_priv.h"
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/compute/quotient.h>

enum { SCALAR_BYTES = 32, BATCHES = 2 }; /* H may come later than the other sections */

/* A proof under way. */
struct run {
    struct pail_spread *spread;
    struct pail_spread_result *result;
    const struct pail_witness *witness;
    struct pail_spread_outcome outcomes[PAIL_PLACE_DEVICES_MAX];
    double begin_ms;
    double upload_ms[PAIL_PLACE_DEVICES_MAX], computing_ms[PAIL_PLACE_DEVICES_MAX];
    double quotient_device_ms[PAIL_PLACE_DEVICES_MAX], multiply_device_ms[PAIL_PLACE_DEVICES_MAX];
    double joined_ms; /* time when the scalars of H were there */
};

/* Multiplications that are started together. */
struct batch {
    pail_pending *pending;
    size_t n;
    enum pail_zkey_msm msm[PAIL_ZKEY_MSMS];
};

/* A device's part of a proof. */
struct work {
    struct run *run;
    uint32_t device;
    const pail_groth16_key *key;
    pail_vector *witness, *abc; /* [n_vars]; [3 n], where it transforms */
    pail_vector *h;             /* its scalars of H, where another device makes them; else NULL */
    pail_pending *quotient;
    struct batch batches[BATCHES];
    struct pail_spread_outcome *outcome;
};

static pail_status failed(struct work *work, pail_status status, const char *what)
{
    const pail_backend *const backend = work->key->backend;
    return pail_report(work->outcome->sentence, sizeof(work->outcome->sentence), status,
                       "device %u, %s: %s: %s", work->device, backend->name, what,
                       backend->error(work->key->context));
}

static pail_status checked(struct work *work, pail_status status, const char *what)
{
    return status == PAIL_OK ? PAIL_OK : failed(work, status, what);
}

/* ---- Parts of a device --------------------------------------------------------------------- */
static const struct pail_proof_placement *placement_of(const struct work *work)
{
    return &work->run->spread->placement;
}

static bool joins(const struct work *work)
{
    return placement_of(work)->join == work->device;
}

/* Bits of PAIL_QUOTIENT_A and so on. */
static uint32_t transforms_of(const struct work *work)
{
    uint32_t some = 0;
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        if (placement_of(work)->transforms[t] == work->device)
            some |= UINT32_C(1) << t;
    return some;
}

static const struct pail_place_piece *piece_of(const struct work *work, enum pail_zkey_msm msm)
{
    return &placement_of(work)->pieces[msm][work->device];
}

static bool gives_h(const struct work *work)
{
    return work->run->spread->exchange.readers[PAIL_EXCHANGE_H] != 0;
}

static pail_status upload(struct work *work)
{
    const pail_groth16_key *const key = work->key;
    const pail_backend *const backend = key->backend;
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    const struct pail_place_piece *const h = piece_of(work, PAIL_ZKEY_H);
    pail_status status =
        backend->vector_create(key->context, &work->witness, key->curve, key->n_vars);
    if (status == PAIL_OK && (joins(work) || transforms_of(work) != 0))
        status = backend->vector_create(key->context, &work->abc, key->curve, 3 * n);
    if (status == PAIL_OK && !joins(work) && h->count != 0)
        status = backend->vector_create(key->context, &work->h, key->curve, h->count);
    if (status != PAIL_OK)
        return failed(work, status, "vectors of the witness");
    return pail_witness_load(work->witness, work->run->witness, key, work->outcome->sentence,
                             sizeof(work->outcome->sentence));
}

/* ---- Multiplications --------------------------------------------------------------------------
 */
static pail_msm_job job_of(const struct work *work, enum pail_zkey_msm msm)
{
    const pail_groth16_key *const key = work->key;
    const struct pail_place_piece *const piece = piece_of(work, msm);
    pail_msm_job job = {
        .struct_size = sizeof(job),
        .scalar_location = PAIL_LOCATION_VECTOR,
        .scalar_bits = key->g1->order_bits,
        .bases = key->bases[msm],
        .scalar_vector = work->witness,
        .scalar_offset = piece->first,
        .n = (size_t)piece->count,
    };
    if (msm == PAIL_ZKEY_C)
        job.scalar_offset += (uint64_t)key->n_public + 1;
    if (msm == PAIL_ZKEY_H && joins(work))
        job.scalar_vector = work->abc;
    else if (msm == PAIL_ZKEY_H) {
        job.scalar_vector = work->h;
        job.scalar_offset = 0;
    }
    return job;
}

/* Starts the multiplications from `first` to `last` that the device has a piece of. */
static pail_status start_batch(struct work *work, int which, enum pail_zkey_msm first,
                               enum pail_zkey_msm last)
{
    const pail_groth16_key *const key = work->key;
    const pail_msm_config config = {.struct_size = sizeof(config)};
    struct batch *const batch = &work->batches[which];
    pail_msm_job jobs[PAIL_ZKEY_MSMS];
    for (enum pail_zkey_msm msm = first; msm <= last; msm++) {
        if (piece_of(work, msm)->count == 0)
            continue;
        jobs[batch->n] = job_of(work, msm);
        batch->msm[batch->n++] = msm;
    }
    return batch->n == 0 ? PAIL_OK
                         : checked(work,
                                   key->backend->msm_start(key->context, &batch->pending, jobs,
                                                           batch->n, &config),
                                   pail_zkey_msm_name(batch->msm[0]));
}

static pail_status finish_batch(struct work *work, int which)
{
    struct batch *const batch = &work->batches[which];
    pail_msm_result results[PAIL_ZKEY_MSMS];
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (batch->pending == NULL)
        return PAIL_OK;
    memset(results, 0, sizeof(results));
    for (size_t i = 0; i < batch->n; i++)
        results[i].struct_size = sizeof(results[i]);
    const pail_status status =
        checked(work, work->key->backend->msm_finish(&batch->pending, results, batch->n, &stats),
                pail_zkey_msm_name(batch->msm[0]));
    for (size_t i = 0; i < batch->n && status == PAIL_OK; i++)
        work->run->result->results[work->device][batch->msm[i]] = results[i];
    work->run->multiply_device_ms[work->device] += stats.device_ms;
    pail_wipe(results, sizeof(results));
    return status;
}

/* ---- The quotient ------------------------------------------------------------------------------
 */
static pail_status finish_quotient(struct work *work)
{
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (work->quotient == NULL)
        return PAIL_OK;
    const pail_status status =
        checked(work, work->key->backend->vector_finish(&work->quotient, &stats), "the quotient");
    work->run->quotient_device_ms[work->device] += stats.device_ms;
    return status;
}

static pail_status start_quotient(struct work *work)
{
    const pail_groth16_key *const key = work->key;
    const uint32_t some = transforms_of(work);
    pail_status status = PAIL_OK;
    if (some == PAIL_QUOTIENT_ALL)
        status = pail_quotient_start(key->backend, key->context, &work->quotient, work->abc,
                                     work->witness, key->matrices, &key->domain);
    else if (some != 0)
        status = pail_quotient_start_some(key->backend, key->context, &work->quotient, work->abc,
                                          work->witness, key->matrices, &key->domain, some);
    return checked(work, status, "the quotient");
}

/* Reads data that others wait for. */
static pail_status give(struct work *work, size_t item, uint64_t offset, uint64_t n)
{
    struct pail_exchange *const exchange = &work->run->spread->exchange;
    const pail_status status =
        checked(work,
                work->key->backend->vector_read(work->abc, pail_exchange_write(exchange, item),
                                                offset, n, PAIL_ENCODING_MONTGOMERY),
                "the transforms are read");
    if (status == PAIL_OK)
        pail_exchange_tell(exchange, item);
    return status;
}

static pail_status take(struct work *work, pail_vector *to, uint64_t offset, size_t item,
                        uint64_t first, uint64_t n)
{
    struct pail_exchange *const exchange = &work->run->spread->exchange;
    const uint8_t *const from = pail_exchange_wait(exchange, item);
    if (from == NULL)
        return PAIL_ERR_STOPPED;
    const pail_status status =
        checked(work,
                work->key->backend->vector_write(to, offset, from + SCALAR_BYTES * first, n,
                                                 PAIL_ENCODING_MONTGOMERY),
                "the transforms of others are sent");
    pail_exchange_done(exchange, item);
    return status;
}

/* Takes the transforms of other devices, and joins all three. */
static pail_status join(struct work *work)
{
    const pail_groth16_key *const key = work->key;
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    const uint32_t some = transforms_of(work);
    pail_status status = finish_quotient(work);
    if (some == PAIL_QUOTIENT_ALL)
        return status;
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS && status == PAIL_OK; t++)
        if ((some >> t & 1) == 0)
            status = take(work, work->abc, t * n, t, 0, n);
    if (status == PAIL_OK)
        status = checked(work,
                         pail_quotient_join(key->backend, key->context, &work->quotient, work->abc,
                                            &key->domain),
                         "the quotient");
    return status;
}

/* ---- In order
 * ------------------------------------------------------------------------------------
 */
/* Everything is on one queue, so data that others wait for goes first. */
static pail_status compute_joining(struct work *work)
{
    const uint64_t n = UINT64_C(1) << work->key->domain.log2_n;
    const bool alone = transforms_of(work) == PAIL_QUOTIENT_ALL;
    pail_status status = start_quotient(work);
    /* H at once, or, where transforms come from elsewhere, once they are there. */
    if (status == PAIL_OK && !gives_h(work))
        status = start_batch(work, 0, PAIL_ZKEY_A, alone ? PAIL_ZKEY_H : PAIL_ZKEY_C);
    if (status == PAIL_OK)
        status = join(work);
    if (status == PAIL_OK && gives_h(work)) {
        status = finish_quotient(work);
        if (status == PAIL_OK)
            status = give(work, PAIL_EXCHANGE_H, 0, n);
        if (status == PAIL_OK)
            status = start_batch(work, 0, PAIL_ZKEY_A, PAIL_ZKEY_H);
    } else if (status == PAIL_OK && !alone) {
        status = start_batch(work, 1, PAIL_ZKEY_H, PAIL_ZKEY_H);
    }
    if (status == PAIL_OK)
        status = finish_quotient(work);
    work->run->joined_ms = pail_now_ms();
    return status;
}

static pail_status compute_other(struct work *work)
{
    const uint64_t n = UINT64_C(1) << work->key->domain.log2_n;
    const uint32_t some = transforms_of(work);
    const struct pail_place_piece *const h = piece_of(work, PAIL_ZKEY_H);
    pail_status status = start_quotient(work);
    if (status == PAIL_OK)
        status = finish_quotient(work);
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS && status == PAIL_OK; t++)
        if ((some >> t & 1) != 0)
            status = give(work, t, t * n, n);
    if (status == PAIL_OK)
        status = start_batch(work, 0, PAIL_ZKEY_A, PAIL_ZKEY_C);
    if (status == PAIL_OK && h->count != 0)
        status = take(work, work->h, 0, PAIL_EXCHANGE_H, h->first, h->count);
    if (status == PAIL_OK)
        status = start_batch(work, 1, PAIL_ZKEY_H, PAIL_ZKEY_H);
    return status;
}

static void clean_up(struct work *work)
{
    const pail_backend *const backend = work->key->backend;
    if (work->quotient != NULL)
        backend->pending_abandon(&work->quotient);
    for (int i = 0; i < BATCHES; i++)
        if (work->batches[i].pending != NULL)
            backend->pending_abandon(&work->batches[i].pending);
    /* Vectors are freed after the proof, for that takes time. */
    pail_vector **const held = work->run->spread->held[work->device];
    held[0] = work->witness;
    held[1] = work->abc;
    held[2] = work->h;
}

void pail_spread_free_held(struct pail_spread *spread)
{
    for (uint32_t d = 0; d < spread->n; d++)
        for (int i = 0; i < PAIL_SPREAD_VECTORS; i++)
            if (spread->held[d][i] != NULL)
                spread->devices[d].backend->vector_destroy(spread->devices[d].context,
                                                           &spread->held[d][i]);
}

static void prove_on(void *user, uint32_t device)
{
    struct run *const run = user;
    struct work work = {.run = run,
                        .device = device,
                        .key = run->spread->keys[device],
                        .outcome = &run->outcomes[device]};
    pail_status status = upload(&work);
    const double sent_ms = pail_now_ms();
    run->upload_ms[device] = sent_ms - run->begin_ms;
    if (status == PAIL_OK)
        status = joins(&work) ? compute_joining(&work) : compute_other(&work);
    for (int i = 0; i < BATCHES && status == PAIL_OK; i++)
        status = finish_batch(&work, i);
    run->computing_ms[device] = pail_now_ms() - sent_ms;
    work.outcome->status = status;
    if (status != PAIL_OK)
        pail_exchange_fail(&run->spread->exchange);
    clean_up(&work);
}

static void cancel(void *user)
{
    pail_exchange_fail(&((struct run *)user)->spread->exchange);
}

static double most(const double *values, uint32_t n)
{
    double largest = 0;
    for (uint32_t i = 0; i < n; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

pail_status pail_spread_run(struct pail_spread *spread, struct pail_spread_result *result,
                            const struct pail_witness *witness, char *error, size_t error_cap)
{
    struct run run = {
        .spread = spread, .result = result, .witness = witness, .begin_ms = pail_now_ms()};
    memset(result->results, 0, PAIL_PLACE_DEVICES_MAX * sizeof(result->results[0]));
    result->n_results = spread->n;
    pail_exchange_begin(&spread->exchange);
    pail_spread_each(spread, run.outcomes, prove_on, cancel, &run);
    pail_exchange_end(&spread->exchange);
    const pail_status status = pail_spread_settle(spread, run.outcomes, error, error_cap);
    if (status != PAIL_OK) {
        pail_spread_free_held(spread);
        pail_wipe(result->results, PAIL_PLACE_DEVICES_MAX * sizeof(result->results[0]));
        return status;
    }
    result->upload_ms = most(run.upload_ms, spread->n);
    result->quotient_ms = run.joined_ms - run.begin_ms - result->upload_ms;
    result->quotient_ms = result->quotient_ms > 0 ? result->quotient_ms : 0;
    result->quotient_device_ms = most(run.quotient_device_ms, spread->n);
    result->multiply_device_ms = most(run.multiply_device_ms, spread->n);
    for (uint32_t d = 0; d < spread->n; d++)
        if (spread->keys[d] != NULL &&
            (spread->least_ms[d] == 0 || run.computing_ms[d] < spread->least_ms[d]))
            spread->least_ms[d] = run.computing_ms[d];
    spread->n_proofs++;
    return PAIL_OK;
}
