#include "shared.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proving.h"
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/compute/quotient.h>

enum { SENTENCE_BYTES = 512 };

_Static_assert((int)PAIL_B2_STARTS_MAX >= (int)PAIL_SHARE_MAX, "as many as share a start");

struct pail_shared {
    pthread_mutex_t mutex; /* guards the members from users on */
    const pail_groth16_key *key;
    uint32_t n;               /* proofs that were started */
    pail_msm_result *results; /* [n * PAIL_ZKEY_MSMS]: of each proof the device's results, then all
                                 B2 if the processors compute it */
    double quotient_device_ms, msm_device_ms, began_ms, quotient_ms, msm_ms;
    uint64_t scratch_bytes;
    uint32_t users;
    bool finished;
    pail_vector *abc; /* [3 n domain]: of each proof a row of A w, then all B w, then all C w; at
                         the end the scalars of H */
    pail_pending *quotient, *multiplications;
    struct pail_b2_turn turn; /* turn of all of them */
    pail_pending *b2;
    double b2_ms;
    pail_status status;
    char error[SENTENCE_BYTES];
};

/* ---- Starting ------------------------------------------------------------------------------- */
static pail_status send(struct pail_sharer *sharer)
{
    struct pail_proving *const proving = sharer->proving;
    const pail_groth16_key *const key = proving->key;
    const double began_ms = pail_now_ms();
    proving->scratch_bytes = 0;
    proving->sent_ms = 0;
    pail_status status =
        key->backend->vector_create(key->context, &proving->witness, key->curve, key->n_vars);
    if (status != PAIL_OK)
        return pail_report(sharer->error, sharer->error_cap, status, "%s: vector of a witness: %s",
                           key->backend->name, key->backend->error(key->context));
    status = pail_witness_load(proving->witness, &proving->source, key, sharer->error,
                               sharer->error_cap);
    if (status == PAIL_OK)
        proving->sent_ms = pail_now_ms();
    proving->timings.stage_ms[PAIL_GROTH16_STAGE_UPLOAD] = pail_now_ms() - began_ms;
    return status;
}

/* True if the device has the multiplication. */
static bool is_there(const struct pail_shared *shared, enum pail_zkey_msm msm)
{
    return msm != PAIL_ZKEY_B2 || shared->turn.place == PAIL_B2_ON_DEVICE;
}

static size_t per_proof(const struct pail_shared *shared)
{
    return (size_t)PAIL_ZKEY_MSMS - !is_there(shared, PAIL_ZKEY_B2);
}

static pail_status start_b2(struct pail_shared *shared, struct pail_proving *const provings[])
{
    const struct pail_witness *witnesses[PAIL_SHARE_MAX];
    if (shared->turn.place == PAIL_B2_ON_DEVICE)
        return PAIL_OK;
    for (uint32_t i = 0; i < shared->n; i++) {
        const pail_status status =
            pail_witness_keep(&provings[i]->source, shared->error, sizeof(shared->error));
        if (status != PAIL_OK)
            return status;
        witnesses[i] = &provings[i]->source;
    }
    return pail_b2_start(shared->key, &shared->b2, witnesses, shared->n, shared->error,
                         sizeof(shared->error));
}

static pail_status start_multiplications(struct pail_shared *shared,
                                         struct pail_proving *const provings[],
                                         uint64_t memory_budget, uint32_t threads)
{
    const pail_groth16_key *const key = shared->key;
    const pail_msm_config config = {
        .struct_size = sizeof(config), .threads = threads, .memory_budget = memory_budget};
    pail_msm_job jobs[PAIL_SHARE_MAX * PAIL_ZKEY_MSMS];
    size_t n_jobs = 0;
    for (uint32_t i = 0; i < shared->n; i++)
        for (enum pail_zkey_msm m = PAIL_ZKEY_A; m < PAIL_ZKEY_MSMS; m++)
            if (is_there(shared, m))
                jobs[n_jobs++] = pail_proving_job(provings[i], m, shared->abc,
                                                  (uint64_t)i << key->domain.log2_n);
    return key->backend->msm_start(key->context, &shared->multiplications, jobs, n_jobs, &config);
}

static pail_status start(struct pail_shared *shared, struct pail_proving *const provings[],
                         uint64_t memory_budget, uint32_t threads, const char **what)
{
    const pail_groth16_key *const key = shared->key;
    const pail_vector *witnesses[PAIL_SHARE_MAX];
    for (uint32_t i = 0; i < shared->n; i++)
        witnesses[i] = provings[i]->witness;
    pail_status status = start_b2(shared, provings);
    if (status != PAIL_OK)
        return status;
    *what = "vectors of proofs";
    status = key->backend->vector_create(key->context, &shared->abc, key->curve,
                                         ((uint64_t)3 << key->domain.log2_n) * shared->n);
    if (status != PAIL_OK)
        return status;
    *what = "the quotients";
    status = pail_quotients_start(key->backend, key->context, &shared->quotient, shared->abc,
                                  witnesses, shared->n, key->matrices, &key->domain);
    if (status != PAIL_OK)
        return status;
    *what = "the multiplications";
    return start_multiplications(shared, provings, memory_budget, threads);
}

static struct pail_shared *make(const pail_groth16_key *key, uint32_t n)
{
    struct pail_shared *const shared = calloc(1, sizeof(*shared));
    if (shared == NULL)
        return NULL;
    shared->results = calloc((size_t)n * PAIL_ZKEY_MSMS, sizeof(shared->results[0]));
    if (shared->results == NULL || pthread_mutex_init(&shared->mutex, NULL) != 0) {
        free(shared->results);
        free(shared);
        return NULL;
    }
    shared->key = key;
    shared->n = n;
    shared->began_ms = pail_now_ms();
    pail_b2_enter(key, &shared->turn, false);
    return shared;
}

/* Ends work under way, and frees its objects. */
static void end_work(struct pail_shared *shared)
{
    const pail_backend *const backend = shared->key->backend;
    if (shared->quotient != NULL)
        backend->pending_abandon(&shared->quotient);
    if (shared->multiplications != NULL)
        backend->pending_abandon(&shared->multiplications);
    pail_b2_abandon(shared->key, &shared->b2);
    if (shared->abc != NULL)
        backend->vector_destroy(shared->key->context, &shared->abc);
    pail_b2_leave(shared->key, &shared->turn);
}

static void free_shared(struct pail_shared *shared)
{
    end_work(shared);
    pail_wipe(shared->results, (size_t)shared->n * PAIL_ZKEY_MSMS * sizeof(shared->results[0]));
    free(shared->results);
    pthread_mutex_destroy(&shared->mutex);
    free(shared);
}

void pail_shared_start(struct pail_sharer *sharers, size_t n, uint64_t memory_budget,
                       uint32_t threads)
{
    const pail_groth16_key *const key = sharers[0].proving->key;
    struct pail_proving *provings[PAIL_SHARE_MAX];
    const char *what = "proofs that are started together";
    uint32_t good = 0;
    for (size_t i = 0; i < n; i++) {
        sharers[i].status = send(&sharers[i]);
        if (sharers[i].status == PAIL_OK)
            provings[good++] = sharers[i].proving;
        else
            pail_proving_reset(sharers[i].proving);
    }
    if (good == 0)
        return;
    struct pail_shared *const shared = make(key, good);
    pail_status status = shared != NULL ? start(shared, provings, memory_budget, threads, &what)
                                        : PAIL_ERR_HOST_MEMORY;
    const char *const sentence = shared != NULL ? key->backend->error(key->context) : "no memory";
    uint32_t place = 0;
    for (size_t i = 0; i < n; i++) {
        if (sharers[i].status != PAIL_OK)
            continue;
        if (status == PAIL_OK) {
            sharers[i].proving->shared = shared;
            sharers[i].proving->place = place++;
            shared->users++;
            continue;
        }
        sharers[i].status =
            shared != NULL && shared->error[0] != '\0'
                ? pail_report(sharers[i].error, sharers[i].error_cap, status, "%s", shared->error)
                : pail_report(sharers[i].error, sharers[i].error_cap, status, "%s: %s: %s",
                              key->backend->name, what, sentence);
        pail_proving_reset(sharers[i].proving);
    }
    if (status != PAIL_OK && shared != NULL)
        free_shared(shared);
    for (uint32_t i = 0; i < good && status == PAIL_OK; i++)
        pail_blinding_prepare(&provings[i]->blinding, key);
}

/* ---- Ending --------------------------------------------------------------------------------- */
pail_status pail_shared_wait(const struct pail_proving *proving, uint64_t timeout_ns)
{
    struct pail_shared *const shared = proving->shared;
    const pail_backend *const backend = shared->key->backend;
    pthread_mutex_lock(&shared->mutex);
    pail_status status = shared->status;
    if (status == PAIL_OK && shared->quotient != NULL)
        status = backend->pending_wait(shared->quotient, timeout_ns);
    if (status == PAIL_OK && shared->multiplications != NULL)
        status = backend->pending_wait(shared->multiplications, timeout_ns);
    if (status == PAIL_OK && shared->b2 != NULL)
        status = pail_b2_wait(shared->key, shared->b2, timeout_ns);
    pthread_mutex_unlock(&shared->mutex);
    return status;
}

/* Reads the device's results, and those of the processors. */
static pail_status read_results(struct pail_shared *shared, pail_stats *stats)
{
    const size_t n = shared->n * per_proof(shared);
    for (size_t i = 0; i < n; i++)
        shared->results[i].struct_size = sizeof(shared->results[i]);
    pail_status status =
        shared->key->backend->msm_finish(&shared->multiplications, shared->results, n, stats);
    if (status == PAIL_OK && shared->b2 != NULL)
        status = pail_b2_finish(shared->key, &shared->b2, &shared->results[n], shared->n,
                                &shared->b2_ms, shared->error, sizeof(shared->error));
    return status;
}

/* Reads all results. Under the mutex. */
static void finish(struct pail_shared *shared)
{
    const pail_backend *const backend = shared->key->backend;
    pail_stats quotient = {.struct_size = sizeof(quotient)}, msm = {.struct_size = sizeof(msm)};
    const char *what = "the quotients";
    shared->status = backend->vector_finish(&shared->quotient, &quotient);
    shared->quotient_ms = pail_now_ms() - shared->began_ms;
    if (shared->status == PAIL_OK) {
        what = "the multiplications";
        shared->status = read_results(shared, &msm);
        shared->msm_ms = pail_now_ms() - shared->began_ms - shared->quotient_ms;
    }
    if (shared->status != PAIL_OK && shared->error[0] == '\0')
        (void)snprintf(shared->error, sizeof(shared->error), "%s: %s: %s", backend->name, what,
                       backend->error(shared->key->context));
    shared->quotient_device_ms = quotient.device_ms;
    shared->msm_device_ms = msm.device_ms;
    shared->scratch_bytes = quotient.bytes_allocated + msm.bytes_allocated;
    end_work(shared);
    shared->finished = true;
}

/* Takes the proof's own results out of all. */
static void take(struct pail_proving *proving, const struct pail_shared *shared)
{
    const size_t per = per_proof(shared);
    pail_msm_result *mine = &shared->results[per * proving->place];
    pail_groth16_timings *const timings = &proving->timings;
    for (enum pail_zkey_msm m = PAIL_ZKEY_A; m < PAIL_ZKEY_MSMS; m++) {
        pail_msm_result *const one =
            is_there(shared, m) ? mine++ : &shared->results[per * shared->n + proving->place];
        proving->results[0][m] = *one;
        pail_wipe(one, sizeof(*one));
    }
    proving->n_parts = 1;
    timings->stage_ms[PAIL_GROTH16_STAGE_QUOTIENT] = shared->quotient_ms;
    timings->stage_ms[PAIL_GROTH16_STAGE_A] = shared->msm_ms;
    timings->stage_device_ms[PAIL_GROTH16_STAGE_QUOTIENT] = shared->quotient_device_ms / shared->n;
    timings->stage_device_ms[PAIL_GROTH16_STAGE_A] = shared->msm_device_ms / shared->n;
    timings->stage_ms[PAIL_GROTH16_STAGE_B2] = shared->b2_ms;
    proving->b2.place = shared->turn.place;
    proving->scratch_bytes = shared->scratch_bytes;
}

pail_status pail_shared_finish(struct pail_proving *proving)
{
    struct pail_shared *const shared = proving->shared;
    pthread_mutex_lock(&shared->mutex);
    if (!shared->finished)
        finish(shared);
    const pail_status status = shared->status;
    if (status == PAIL_OK)
        take(proving, shared);
    else
        (void)pail_report(proving->error, proving->error_cap, status, "%s", shared->error);
    pthread_mutex_unlock(&shared->mutex);
    return status;
}

void pail_shared_leave(struct pail_proving *proving)
{
    struct pail_shared *const shared = proving->shared;
    if (shared == NULL)
        return;
    proving->shared = NULL;
    pthread_mutex_lock(&shared->mutex);
    const bool last = --shared->users == 0;
    pthread_mutex_unlock(&shared->mutex);
    if (last)
        free_shared(shared);
}

uint32_t pail_shared_proofs(const struct pail_proving *proving)
{
    return proving->shared != NULL ? proving->shared->n : 1;
}
