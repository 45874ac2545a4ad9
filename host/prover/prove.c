#define _POSIX_C_SOURCE 200809L

#include "prove.h"

#include <stdlib.h>
#include <string.h>

#include "assemble.h"
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/b2/b2.h>
#include <prover/compute/estimate.h>
#include <prover/compute/on_host.h>
#include <prover/compute/quotient.h>
#include <prover/key/witness.h>
#include <prover/spread/place.h>
#include <prover/spread/spread.h>

enum { SCALAR_BYTES = 32, LOOK_NS = 2000000 /* between two looks at the cancel of the options */ };

struct pail_proving {
    const pail_groth16_key *key;
    pail_groth16_options options;
    struct pail_witness source;
    pail_vector *witness; /* [n_vars] */
    pail_vector *abc;     /* [3 n], n the domain's size; at the end the scalars of H are in [n] */
    pail_msm_result results[PAIL_PLACE_DEVICES_MAX][PAIL_ZKEY_MSMS]; /* [n_parts] are in use */
    size_t n_parts;
    struct pail_spread *spread; /* devices that computed it, and keep its vectors; or NULL */
    struct pail_blinding blinding;
    pail_groth16_timings timings;
    pail_msm_config config;
    pail_pending *quotient, *multiplications; /* work under way */
    uint64_t scratch_bytes;                   /* allocated for work that has ended */
    double begin_ms, sent_ms, stage_began_ms;
    pail_pending *b2_pending; /* work under way on the processors */
    char *error;              /* buffer for errors of the present part */
    size_t error_cap;
};

static void begin_stage(struct pail_proving *proving, enum pail_groth16_stage stage)
{
    if (proving->options.stage != NULL)
        proving->options.stage(proving->options.user, (uint32_t)stage);
    proving->stage_began_ms = pail_now_ms();
}

static void end_stage(struct pail_proving *proving, enum pail_groth16_stage stage)
{
    proving->timings.stage_ms[stage] = pail_now_ms() - proving->stage_began_ms;
}

/* Reports the backend's own sentence, with the name of the failed step. */
static pail_status backend_failed(struct pail_proving *proving, pail_status status,
                                  const char *what)
{
    const pail_backend *const backend = proving->key->backend;
    return pail_report(proving->error, proving->error_cap, status, "%s: %s: %s", backend->name,
                       what, backend->error(proving->key->context));
}

/* PAIL_OK, or PAIL_ERR_STOPPED with a sentence once the proof is cancelled. */
static pail_status look(struct pail_proving *proving)
{
    const uint32_t *const cancel = proving->options.cancel;
    if (cancel == NULL || __atomic_load_n(cancel, __ATOMIC_RELAXED) == 0)
        return PAIL_OK;
    return pail_report(proving->error, proving->error_cap, PAIL_ERR_STOPPED,
                       "the proof was cancelled");
}

/* Waits before a finish, which would wait without an end. Stopped work is left under way. */
static pail_status wait_or_stop(struct pail_proving *proving, const pail_backend *backend,
                                pail_pending *pending)
{
    pail_status status = look(proving);
    while (status == PAIL_OK && proving->options.cancel != NULL &&
           backend->pending_wait(pending, LOOK_NS) == PAIL_NOT_READY)
        status = look(proving);
    return status;
}

static bool by_stages(const struct pail_proving *proving)
{
    return (proving->options.flags & PAIL_GROTH16_STAGES) != 0;
}

/* ---- B2 on the processors -------------------------------------------------------------------- */
static pail_status start_b2(struct pail_proving *proving)
{
    pail_status status = pail_witness_keep(&proving->source, proving->error, proving->error_cap);
    if (status == PAIL_OK)
        status = pail_b2_start(proving->key, &proving->b2_pending, &proving->source, proving->error,
                               proving->error_cap);
    return status;
}

static pail_status finish_b2(struct pail_proving *proving)
{
    double ms = 0;
    pail_status status = wait_or_stop(proving, proving->key->b2->backend, proving->b2_pending);
    if (status != PAIL_OK)
        return status;
    status = pail_b2_finish(proving->key, &proving->b2_pending, &proving->results[0][PAIL_ZKEY_B2],
                            &ms, proving->error, proving->error_cap);
    if (!by_stages(proving))
        proving->timings.stage_ms[PAIL_GROTH16_STAGE_B2] = ms;
    return status;
}

/* ---- On the device -------------------------------------------------------------------------- */
static pail_status upload(struct pail_proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    const pail_backend *const backend = key->backend;
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    begin_stage(proving, PAIL_GROTH16_STAGE_UPLOAD);
    pail_status status =
        backend->vector_create(key->context, &proving->witness, key->curve, key->n_vars);
    if (status == PAIL_OK)
        status = backend->vector_create(key->context, &proving->abc, key->curve, 3 * n);
    if (status != PAIL_OK)
        return backend_failed(proving, status, "vectors of the witness");
    /* The processors begin before the device has the witness, and refuse no value: this upload
     * does. */
    if (key->b2 != NULL && !by_stages(proving))
        status = start_b2(proving);
    if (status != PAIL_OK)
        return status;
    status = pail_witness_load(proving->witness, &proving->source, key, proving->error,
                               proving->error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_UPLOAD);
    return status;
}

static pail_status start_quotient(struct pail_proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    const pail_status status =
        pail_quotient_start(key->backend, key->context, &proving->quotient, proving->abc,
                            proving->witness, key->matrices, &key->domain);
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, "the quotient");
}

static pail_status finish_quotient(struct pail_proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    pail_stats stats = {.struct_size = sizeof(stats)};
    pail_status status = wait_or_stop(proving, key->backend, proving->quotient);
    if (status != PAIL_OK)
        return status;
    status = key->backend->vector_finish(&proving->quotient, &stats);
    proving->timings.stage_device_ms[PAIL_GROTH16_STAGE_QUOTIENT] = stats.device_ms;
    proving->scratch_bytes += stats.bytes_allocated;
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, "the quotient");
}

/* The job of a multiplication over the proof's witness, or, for H, over its quotient. */
static pail_msm_job job_of(const struct pail_proving *proving, enum pail_zkey_msm msm)
{
    const pail_groth16_key *const key = proving->key;
    pail_msm_job job = {
        .struct_size = sizeof(job),
        .scalar_location = PAIL_LOCATION_VECTOR,
        .scalar_bits = key->g1->order_bits,
        .bases = key->bases[msm],
        .scalar_vector = proving->witness,
        .n = key->n_vars,
    };
    if (msm == PAIL_ZKEY_C) {
        job.scalar_offset = (uint64_t)key->n_public + 1;
        job.n = key->n_vars - (size_t)job.scalar_offset;
    } else if (msm == PAIL_ZKEY_H) {
        job.scalar_vector = proving->abc;
        job.n = (size_t)1 << key->domain.log2_n;
    }
    return job;
}

/* Lists those of n multiplications, from `first` on, that the device has. */
static size_t list_multiplications(enum pail_zkey_msm list[PAIL_ZKEY_MSMS],
                                   const pail_groth16_key *key, enum pail_zkey_msm first, size_t n)
{
    size_t there = 0;
    for (size_t i = 0; i < n; i++) {
        const enum pail_zkey_msm msm = first + (enum pail_zkey_msm)i;
        if (n == 1 || msm != PAIL_ZKEY_B2 || key->b2 == NULL)
            list[there++] = msm;
    }
    return there;
}

static pail_status start_multiplications(struct pail_proving *proving, enum pail_zkey_msm first,
                                         size_t n)
{
    const pail_groth16_key *const key = proving->key;
    pail_msm_job jobs[PAIL_ZKEY_MSMS];
    enum pail_zkey_msm list[PAIL_ZKEY_MSMS];
    const size_t there = list_multiplications(list, key, first, n);
    for (size_t i = 0; i < there; i++)
        jobs[i] = job_of(proving, list[i]);
    const pail_status status = key->backend->msm_start(key->context, &proving->multiplications,
                                                       jobs, there, &proving->config);
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, pail_zkey_msm_name(first));
}

static pail_status finish_multiplications(struct pail_proving *proving, enum pail_zkey_msm first,
                                          size_t n)
{
    const pail_groth16_key *const key = proving->key;
    pail_stats stats = {.struct_size = sizeof(stats)};
    pail_msm_result results[PAIL_ZKEY_MSMS];
    enum pail_zkey_msm list[PAIL_ZKEY_MSMS];
    const size_t there = list_multiplications(list, key, first, n);
    pail_status status = wait_or_stop(proving, key->backend, proving->multiplications);
    if (status != PAIL_OK)
        return status;
    for (size_t i = 0; i < there; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    status = key->backend->msm_finish(&proving->multiplications, results, there, &stats);
    for (size_t i = 0; i < there; i++)
        proving->results[0][list[i]] = results[i];
    pail_wipe(results, sizeof(results));
    proving->timings.stage_device_ms[(uint32_t)PAIL_GROTH16_STAGE_A + first] = stats.device_ms;
    proving->scratch_bytes += stats.bytes_allocated;
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, pail_zkey_msm_name(first));
}

/* Runs the stages one after the other, each waited for. */
static pail_status compute_by_stages(struct pail_proving *proving)
{
    begin_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    pail_status status = start_quotient(proving);
    if (status == PAIL_OK)
        status = finish_quotient(proving);
    end_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    for (enum pail_zkey_msm i = PAIL_ZKEY_A; i < PAIL_ZKEY_MSMS && status == PAIL_OK; i++) {
        const enum pail_groth16_stage stage = PAIL_GROTH16_STAGE_A + (enum pail_groth16_stage)i;
        const bool on_cpu = i == PAIL_ZKEY_B2 && proving->key->b2 != NULL;
        begin_stage(proving, stage);
        status = on_cpu ? start_b2(proving) : start_multiplications(proving, i, 1);
        if (status == PAIL_OK)
            status = on_cpu ? finish_b2(proving) : finish_multiplications(proving, i, 1);
        end_stage(proving, stage);
    }
    return status;
}

/* Computes over several devices, and waits for them. */
static pail_status compute_spread(struct pail_proving *proving)
{
    struct pail_spread_result result = {.results = proving->results};
    begin_stage(proving, PAIL_GROTH16_STAGE_UPLOAD);
    const pail_status status = pail_spread_compute(proving->key->spread, &result, &proving->source,
                                                   proving->error, proving->error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_A);
    if (status != PAIL_OK)
        return status;
    proving->spread = proving->key->spread;
    proving->n_parts = result.n_results;
    double *const ms = proving->timings.stage_ms, *const device_ms =
                                                      proving->timings.stage_device_ms;
    ms[PAIL_GROTH16_STAGE_UPLOAD] = result.upload_ms;
    ms[PAIL_GROTH16_STAGE_QUOTIENT] = result.quotient_ms;
    ms[PAIL_GROTH16_STAGE_A] -= result.upload_ms + result.quotient_ms;
    device_ms[PAIL_GROTH16_STAGE_QUOTIENT] = result.quotient_device_ms;
    device_ms[PAIL_GROTH16_STAGE_A] = result.multiply_device_ms;
    return PAIL_OK;
}

/* Keeps a copy of the scalars of H alone, and frees the three vectors. */
static pail_status keep_h(struct pail_proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    const pail_backend *const backend = key->backend;
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    pail_vector *h = NULL;
    pail_pending *pending = NULL;
    pail_status status = backend->vector_create(key->context, &h, key->curve, n);
    const pail_vector_op copy = {.struct_size = sizeof(copy),
                                 .kind = PAIL_VECTOR_OP_COPY,
                                 .r = h,
                                 .a = proving->abc,
                                 .n = n};
    if (status == PAIL_OK)
        status = backend->vector_start(key->context, &pending, &copy, 1);
    if (status == PAIL_OK)
        status = backend->vector_finish(&pending, NULL);
    if (status != PAIL_OK)
        (void)backend_failed(proving, status, "the scalars of H");
    if (h != NULL)
        backend->vector_destroy(key->context, status == PAIL_OK ? &proving->abc : &h);
    if (status == PAIL_OK)
        proving->abc = h;
    return status;
}

/* Adds up the times of the multiplications, which share one. */
static void join_stages(struct pail_proving *proving)
{
    double *const device_ms = proving->timings.stage_device_ms;
    end_stage(proving, PAIL_GROTH16_STAGE_A);
    for (int i = PAIL_GROTH16_STAGE_B1; i <= PAIL_GROTH16_STAGE_H; i++) {
        device_ms[PAIL_GROTH16_STAGE_A] += device_ms[i];
        device_ms[i] = 0;
    }
}

/* Computes with a key for one proof: objects of a stage are freed before the next one begins. */
static pail_status compute_once(struct pail_proving *proving, pail_groth16_key *key)
{
    static const enum pail_zkey_msm order[PAIL_ZKEY_MSMS] = {PAIL_ZKEY_H, PAIL_ZKEY_A, PAIL_ZKEY_B1,
                                                             PAIL_ZKEY_B2, PAIL_ZKEY_C};
    begin_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    pail_status status = start_quotient(proving);
    if (status == PAIL_OK)
        status = finish_quotient(proving);
    pail_key_drop_matrices(key);
    if (status == PAIL_OK)
        status = keep_h(proving);
    end_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    /* Each has a time of its own only if that was requested. */
    const bool apart = (proving->options.flags & PAIL_GROTH16_STAGES) != 0;
    if (!apart && status == PAIL_OK)
        begin_stage(proving, PAIL_GROTH16_STAGE_A);
    for (size_t i = 0; i < PAIL_ZKEY_MSMS && status == PAIL_OK; i++) {
        const enum pail_zkey_msm msm = order[i];
        if (apart)
            begin_stage(proving, PAIL_GROTH16_STAGE_A + (enum pail_groth16_stage)msm);
        status = pail_key_load_points(key, msm, proving->error, proving->error_cap);
        if (status == PAIL_OK)
            status = start_multiplications(proving, msm, 1);
        if (status == PAIL_OK)
            status = finish_multiplications(proving, msm, 1);
        pail_key_drop_points(key, msm);
        if (msm == PAIL_ZKEY_H)
            key->backend->vector_destroy(key->context, &proving->abc);
        if (apart)
            end_stage(proving, PAIL_GROTH16_STAGE_A + (enum pail_groth16_stage)msm);
    }
    if (!apart)
        join_stages(proving);
    return status;
}

/* Starts everything before waiting for anything; the jobs share what they can. */
static pail_status start_all(struct pail_proving *proving)
{
    begin_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    const pail_status status = start_quotient(proving);
    return status == PAIL_OK ? start_multiplications(proving, PAIL_ZKEY_A, PAIL_ZKEY_MSMS) : status;
}

static pail_status finish_all(struct pail_proving *proving)
{
    pail_status status = finish_quotient(proving);
    end_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    if (status != PAIL_OK)
        return status;
    begin_stage(proving, PAIL_GROTH16_STAGE_A);
    status = finish_multiplications(proving, PAIL_ZKEY_A, PAIL_ZKEY_MSMS);
    if (status == PAIL_OK && proving->b2_pending != NULL)
        status = finish_b2(proving);
    end_stage(proving, PAIL_GROTH16_STAGE_A);
    return status;
}

static pail_status assemble(struct pail_proving *proving, pail_groth16_proof *proof)
{
    begin_stage(proving, PAIL_GROTH16_STAGE_ASSEMBLE);
    const pail_status status =
        pail_assemble(proof, proving->key, &proving->blinding, proving->results, proving->n_parts,
                      proving->error, proving->error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_ASSEMBLE);
    return status;
}

/* ---- In parts ------------------------------------------------------------------------------- */
static void enter(struct pail_proving *proving, char *error, size_t error_cap)
{
    proving->error = error;
    proving->error_cap = error_cap;
}

pail_status pail_proving_create(struct pail_proving **out, const pail_groth16_key *key,
                                const pail_groth16_witness *witness,
                                const pail_groth16_options *options, char *error, size_t error_cap)
{
    *out = NULL;
    struct pail_proving *proving = calloc(1, sizeof(*proving));
    if (proving == NULL)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a proof");
    proving->key = key;
    proving->n_parts = 1;
    proving->options = *options;
    proving->begin_ms = pail_now_ms();
    begin_stage(proving, PAIL_GROTH16_STAGE_WITNESS);
    pail_status status = pail_witness_open(&proving->source, key, witness, error, error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_WITNESS);
    if (status == PAIL_OK)
        status = pail_blinding_choose(&proving->blinding, key, options, error, error_cap);
    if (status != PAIL_OK)
        pail_proving_destroy(&proving);
    *out = proving;
    return status;
}

void pail_proving_use_key(struct pail_proving *proving, const pail_groth16_key *key)
{
    proving->key = key;
}

pail_status pail_proving_start(struct pail_proving *proving, uint64_t memory_budget,
                               uint32_t threads, char *error, size_t error_cap)
{
    enter(proving, error, error_cap);
    proving->scratch_bytes = 0;
    proving->config = (pail_msm_config){
        .struct_size = sizeof(pail_msm_config), .threads = threads, .memory_budget = memory_budget};
    proving->sent_ms = 0;
    const pail_status stopped = look(proving);
    if (stopped != PAIL_OK)
        return stopped;
    const bool once = proving->key->source != NULL;
    pail_groth16_key *const taken = once ? pail_key_take(proving->key) : NULL;
    if (once && taken == NULL)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "%s: was opened for one proof, and has begun one", proving->key->name);
    if (proving->key->spread != NULL) {
        const pail_status computed = compute_spread(proving);
        if (computed == PAIL_OK)
            pail_blinding_prepare(&proving->blinding, proving->key);
        return computed;
    }
    pail_status status = upload(proving);
    if (status == PAIL_OK)
        proving->sent_ms = pail_now_ms();
    else if (once)
        pail_key_give_back(taken);
    if (status == PAIL_OK)
        status = once                 ? compute_once(proving, taken)
                 : by_stages(proving) ? compute_by_stages(proving)
                                      : start_all(proving);
    if (status != PAIL_OK)
        pail_proving_reset(proving);
    else
        pail_blinding_prepare(&proving->blinding, proving->key);
    return status;
}

uint64_t pail_proving_taken_bytes(const struct pail_proving *proving)
{
    return pail_prove_taken_bytes(proving->key, proving->scratch_bytes);
}

double pail_proving_sent_ms(const struct pail_proving *proving)
{
    return proving->sent_ms;
}

pail_status pail_proving_wait(struct pail_proving *proving, uint64_t timeout_ns)
{
    const pail_backend *const backend = proving->key->backend;
    pail_status status = PAIL_OK;
    if (proving->quotient != NULL)
        status = backend->pending_wait(proving->quotient, timeout_ns);
    if (status == PAIL_OK && proving->multiplications != NULL)
        status = backend->pending_wait(proving->multiplications, timeout_ns);
    if (status == PAIL_OK && proving->b2_pending != NULL)
        status = proving->key->b2->backend->pending_wait(proving->b2_pending, timeout_ns);
    return status;
}

pail_status pail_proving_finish(struct pail_proving *proving, pail_groth16_proof *proof,
                                uint8_t *publics, pail_groth16_timings *timings, char *error,
                                size_t error_cap)
{
    const size_t bytes = (size_t)SCALAR_BYTES * proving->key->n_public;
    enter(proving, error, error_cap);
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    pail_status status = proving->quotient != NULL ? finish_all(proving) : PAIL_OK;
    if (status == PAIL_OK)
        status = assemble(proving, proof);
    if (bytes != 0 && status == PAIL_OK)
        memcpy(publics, proving->source.publics, bytes);
    else if (bytes != 0)
        memset(publics, 0, bytes);
    if (status == PAIL_OK) {
        *timings = proving->timings;
        timings->wall_ms = pail_now_ms() - proving->begin_ms;
        timings->b2 = proving->key->b2 != NULL ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE;
    }
    timings->struct_size = sizeof(*timings);
    return status;
}

void pail_proving_reset(struct pail_proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    if (proving->spread != NULL)
        pail_spread_release(proving->spread);
    proving->spread = NULL;
    if (proving->b2_pending != NULL)
        key->b2->backend->pending_abandon(&proving->b2_pending);
    if (proving->quotient != NULL)
        key->backend->pending_abandon(&proving->quotient);
    if (proving->multiplications != NULL)
        key->backend->pending_abandon(&proving->multiplications);
    if (proving->witness != NULL)
        key->backend->vector_destroy(key->context, &proving->witness);
    if (proving->abc != NULL)
        key->backend->vector_destroy(key->context, &proving->abc);
}

void pail_proving_destroy(struct pail_proving **proving)
{
    if (*proving == NULL)
        return;
    pail_proving_reset(*proving);
    pail_witness_close(&(*proving)->source);
    pail_wipe(*proving, sizeof(**proving));
    free(*proving);
    *proving = NULL;
}

pail_status pail_prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                       pail_groth16_timings *timings, const pail_groth16_witness *witness,
                       const pail_groth16_options *options, char *error, size_t error_cap)
{
    struct pail_proving *proving;
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    if (key->n_public != 0)
        memset(publics, 0, (size_t)SCALAR_BYTES * key->n_public);
    timings->struct_size = sizeof(*timings);
    pail_status status = pail_proving_create(&proving, key, witness, options, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proving_start(proving, 0, 0, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proving_finish(proving, proof, publics, timings, error, error_cap);
    pail_proving_destroy(&proving);
    return status;
}
