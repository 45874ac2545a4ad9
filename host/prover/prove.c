#define _POSIX_C_SOURCE 200809L

#include "prove.h"

#include <string.h>
#include <time.h>

#include "assemble.h"
#include "quotient.h"
#include "witness.h"
#include <formats/report.h>
#include <platform/wipe.h>

enum { SCALAR_BYTES = 32 };

struct proving {
    const pail_groth16_key *key;
    const pail_groth16_options *options;
    struct pail_witness source;
    pail_vector *witness; /* [n_vars] */
    pail_vector *abc;     /* [3 n], n the domain's size; in the end the scalars of H are in [n] */
    pail_msm_result results[PAIL_ZKEY_MSMS];
    struct pail_blinding blinding;
    pail_groth16_timings *timings;
    double stage_began_ms;
    char *error;
    size_t error_cap;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void begin_stage(struct proving *proving, enum pail_groth16_stage stage)
{
    if (proving->options->stage != NULL)
        proving->options->stage(proving->options->user, (uint32_t)stage);
    proving->stage_began_ms = now_ms();
}

static void end_stage(struct proving *proving, enum pail_groth16_stage stage)
{
    proving->timings->stage_ms[stage] = now_ms() - proving->stage_began_ms;
}

/* The backend's own sentence, with the name of what failed. */
static pail_status backend_failed(struct proving *proving, pail_status status, const char *what)
{
    const pail_backend *const backend = proving->key->backend;
    return pail_report(proving->error, proving->error_cap, status, "%s: %s: %s", backend->name,
                       what, backend->error(proving->key->context));
}

static pail_status upload(struct proving *proving)
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
    status =
        pail_witness_load(proving->witness, &proving->source, proving->error, proving->error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_UPLOAD);
    return status;
}

static pail_status start_quotient(struct proving *proving, pail_pending **pending)
{
    const pail_groth16_key *const key = proving->key;
    const pail_status status =
        pail_quotient_start(key->backend, key->context, pending, proving->abc, proving->witness,
                            key->matrices, &key->domain);
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, "the quotient");
}

static pail_status finish_quotient(struct proving *proving, pail_pending **pending)
{
    const pail_groth16_key *const key = proving->key;
    pail_stats stats = {.struct_size = sizeof(stats)};
    const pail_status status = key->backend->vector_finish(pending, &stats);
    proving->timings->stage_device_ms[PAIL_GROTH16_STAGE_QUOTIENT] = stats.device_ms;
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, "the quotient");
}

static pail_msm_job job_of(const struct proving *proving, enum pail_zkey_msm msm)
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

static pail_status start_multiplications(struct proving *proving, pail_pending **pending,
                                         enum pail_zkey_msm first, size_t n)
{
    const pail_groth16_key *const key = proving->key;
    pail_msm_job jobs[PAIL_ZKEY_MSMS];
    for (size_t i = 0; i < n; i++)
        jobs[i] = job_of(proving, first + (enum pail_zkey_msm)i);
    const pail_status status = key->backend->msm_start(key->context, pending, jobs, n, NULL);
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, pail_zkey_msm_name(first));
}

static pail_status finish_multiplications(struct proving *proving, pail_pending **pending,
                                          enum pail_zkey_msm first, size_t n)
{
    const pail_groth16_key *const key = proving->key;
    pail_stats stats = {.struct_size = sizeof(stats)};
    for (size_t i = 0; i < n; i++)
        proving->results[(size_t)first + i].struct_size = sizeof(proving->results[0]);
    const pail_status status =
        key->backend->msm_finish(pending, &proving->results[first], n, &stats);
    proving->timings->stage_device_ms[(uint32_t)PAIL_GROTH16_STAGE_A + first] = stats.device_ms;
    return status == PAIL_OK ? PAIL_OK : backend_failed(proving, status, pail_zkey_msm_name(first));
}

/* One after the other, each waited for. */
static pail_status compute_by_stages(struct proving *proving)
{
    pail_pending *pending = NULL;
    begin_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    pail_status status = start_quotient(proving, &pending);
    if (status == PAIL_OK)
        status = finish_quotient(proving, &pending);
    end_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    for (enum pail_zkey_msm i = PAIL_ZKEY_A; i < PAIL_ZKEY_MSMS && status == PAIL_OK; i++) {
        const enum pail_groth16_stage stage = PAIL_GROTH16_STAGE_A + (enum pail_groth16_stage)i;
        begin_stage(proving, stage);
        status = start_multiplications(proving, &pending, i, 1);
        if (status == PAIL_OK)
            status = finish_multiplications(proving, &pending, i, 1);
        end_stage(proving, stage);
    }
    if (status == PAIL_OK)
        pail_blinding_prepare(&proving->blinding, proving->key);
    return status;
}

/* Everything is started before anything is waited for, and the jobs share what they can. */
static pail_status compute(struct proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    pail_pending *quotient = NULL, *multiplications = NULL;
    begin_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    pail_status status = start_quotient(proving, &quotient);
    if (status != PAIL_OK)
        return status;
    status = start_multiplications(proving, &multiplications, PAIL_ZKEY_A, PAIL_ZKEY_MSMS);
    if (status != PAIL_OK) {
        key->backend->pending_abandon(&quotient);
        return status;
    }
    pail_blinding_prepare(&proving->blinding, key);
    status = finish_quotient(proving, &quotient);
    end_stage(proving, PAIL_GROTH16_STAGE_QUOTIENT);
    if (status != PAIL_OK) {
        key->backend->pending_abandon(&multiplications);
        return status;
    }
    begin_stage(proving, PAIL_GROTH16_STAGE_A);
    status = finish_multiplications(proving, &multiplications, PAIL_ZKEY_A, PAIL_ZKEY_MSMS);
    end_stage(proving, PAIL_GROTH16_STAGE_A);
    return status;
}

static pail_status open_witness(struct proving *proving, const pail_groth16_witness *witness)
{
    begin_stage(proving, PAIL_GROTH16_STAGE_WITNESS);
    const pail_status status = pail_witness_open(&proving->source, proving->key, witness,
                                                 proving->error, proving->error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_WITNESS);
    return status;
}

static pail_status assemble(struct proving *proving, pail_groth16_proof *proof)
{
    begin_stage(proving, PAIL_GROTH16_STAGE_ASSEMBLE);
    const pail_status status = pail_assemble(proof, proving->key, &proving->blinding,
                                             proving->results, proving->error, proving->error_cap);
    end_stage(proving, PAIL_GROTH16_STAGE_ASSEMBLE);
    return status;
}

/* Legal however far it came. */
static void clean_up(struct proving *proving)
{
    const pail_groth16_key *const key = proving->key;
    if (proving->witness != NULL)
        key->backend->vector_destroy(key->context, &proving->witness);
    if (proving->abc != NULL)
        key->backend->vector_destroy(key->context, &proving->abc);
    pail_witness_close(&proving->source);
    pail_wipe(proving->results, sizeof(proving->results));
    pail_wipe(&proving->blinding, sizeof(proving->blinding));
    pail_wipe_stack();
}

pail_status pail_prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                       pail_groth16_timings *timings, const pail_groth16_witness *witness,
                       const pail_groth16_options *options, char *error, size_t error_cap)
{
    struct proving proving = {
        .key = key, .options = options, .timings = timings, .error = error, .error_cap = error_cap};
    const double begin_ms = now_ms();
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    pail_status status = open_witness(&proving, witness);
    if (status == PAIL_OK)
        status = pail_blinding_choose(&proving.blinding, key, options, error, error_cap);
    if (status == PAIL_OK)
        status = upload(&proving);
    if (status == PAIL_OK)
        status = (options->flags & PAIL_GROTH16_STAGES) != 0 ? compute_by_stages(&proving)
                                                             : compute(&proving);
    if (status == PAIL_OK)
        status = assemble(&proving, proof);
    if (key->n_public != 0 && status == PAIL_OK)
        memcpy(publics, proving.source.publics, (size_t)SCALAR_BYTES * key->n_public);
    else if (key->n_public != 0)
        memset(publics, 0, (size_t)SCALAR_BYTES * key->n_public);
    clean_up(&proving);
    timings->struct_size = sizeof(*timings);
    timings->wall_ms = now_ms() - begin_ms;
    if (status != PAIL_OK)
        memset(timings, 0, sizeof(*timings));
    return status;
}
