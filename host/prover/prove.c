/* SPDX-License-Identifier: Apache-2.0 */
#include "prove.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/cpu.h>
#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/open/open.h>
#include <prover/proof/memory.h>
#include <prover/proof/run.h>
#include <prover/spread/spread.h>

enum { SCALAR_BYTES = 32 };

struct pail_proving {
    const pail_groth16_key *key;
    pail_groth16_options options;
    struct pail_witness source;
    struct pail_assigned assigned; /* instead of the source, if the key is of bellman */
    struct pail_proof_lane lane;   /* of one device */
    struct pail_lane_run runs[PAIL_PLACE_DEVICES_MAX];
    pail_msm_result results[PAIL_PLACE_DEVICES_MAX][PAIL_PROOF_RESULTS];
    void (*give_way)(void *user); /* of pail_proving_give_way; NULL: never */
    void *give_way_user;
    uint32_t n_lanes;           /* lanes that have results */
    struct pail_spread *spread; /* devices that computed it, held for it; or NULL */
    struct pail_blinding blinding;
    pail_groth16_timings timings;
    double begin_ms;
    char *error; /* buffer for errors of the present part */
    size_t error_cap;
};

static bool is_staged(const struct pail_proving *proving)
{
    return (proving->options.flags & PAIL_GROTH16_STAGES) != 0;
}

/* ---- Times ------------------------------------------------------------------------------------*/
/* A stage lasts from the end of the one before to the end of its last node on any device. */
static void note_times(struct pail_proving *proving)
{
    pail_groth16_timings *const timings = &proving->timings;
    double done_ms[PAIL_GROTH16_STAGES_COUNT] = {0}, begun_ms = proving->runs[0].begun_ms;
    for (uint32_t i = 0; i < proving->n_lanes; i++) {
        const struct pail_lane_run *const run = &proving->runs[i];
        for (int s = 0; s < PAIL_GROTH16_STAGES_COUNT; s++) {
            done_ms[s] = run->done_ms[s] > done_ms[s] ? run->done_ms[s] : done_ms[s];
            if (run->device_ms[s] > timings->stage_device_ms[s])
                timings->stage_device_ms[s] = run->device_ms[s];
            if (run->pipelines_ms[s] > timings->stage_pipelines_ms[s])
                timings->stage_pipelines_ms[s] = run->pipelines_ms[s];
        }
        if (run->begun_ms != 0 && (begun_ms == 0 || run->begun_ms < begun_ms))
            begun_ms = run->begun_ms;
    }
    for (int s = 0; s < PAIL_GROTH16_STAGES_COUNT; s++) {
        double before_ms = begun_ms;
        for (int t = 0; t < PAIL_GROTH16_STAGES_COUNT; t++)
            if (done_ms[t] < done_ms[s] && done_ms[t] > before_ms)
                before_ms = done_ms[t];
        if (done_ms[s] != 0)
            timings->stage_ms[s] = done_ms[s] - before_ms;
    }
    if (!is_staged(proving))
        timings->stage_ms[PAIL_GROTH16_STAGE_B2] = proving->runs[0].pool_ms;
}

/* ---- In parts ---------------------------------------------------------------------------------*/
static void enter(struct pail_proving *proving, char *error, size_t error_cap)
{
    proving->error = error;
    proving->error_cap = error_cap;
    proving->runs[0].error = error;
    proving->runs[0].error_cap = error_cap;
}

/* NULL: there are none. */
static const uint8_t *publics_of(const struct pail_proving *proving)
{
    return proving->key->form == PAIL_KEY_PARAMS ? proving->assigned.publics
                                                 : proving->source.publics;
}

static struct pail_assigned *assigned_of(struct pail_proving *proving)
{
    return proving->key->form == PAIL_KEY_PARAMS ? &proving->assigned : NULL;
}

/* Runs the lane before the devices', or the one after. */
static pail_status run_on_host(struct pail_proving *proving, enum pail_proof_node_kind kind,
                               const struct pail_proof_source *given, pail_groth16_proof *proof)
{
    const struct pail_proof_facts facts = pail_proof_facts_of(proving->key);
    struct pail_proof_lane lane;
    struct pail_lane_run run = {.lane = &lane,
                                .key = proving->key,
                                .witness = &proving->source,
                                .assigned = assigned_of(proving),
                                .options = &proving->options,
                                .results = proving->results[0],
                                .given = given ? given->witness : NULL,
                                .given_assignment = given ? given->assignment : NULL,
                                .blinding = &proving->blinding,
                                .proof = proof,
                                .n_lanes = proving->n_lanes,
                                .error = proving->error,
                                .error_cap = proving->error_cap,
                                .stage = PAIL_GROTH16_STAGES_COUNT};
    pail_proof_lane_on_host(&lane, kind, &facts);
    const pail_status status = pail_lane_start(&run);
    proving->timings.stage_ms[lane.nodes[0].stage] = run.start_ms[0];
    return status;
}

static pail_status check_source(const pail_groth16_key *key, const struct pail_proof_source *source,
                                char *error, size_t error_cap)
{
    if (key->form == PAIL_KEY_PARAMS && !source->assignment)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "%s: is a key of bellman, which has no matrices: prove from an "
                           "assignment (pail_groth16_prove_assignment), not from a witness",
                           key->name);
    if (key->form == PAIL_KEY_ZKEY && !source->witness)
        return pail_report(
            error, error_cap, PAIL_ERR_ARGUMENT,
            "%s: is a key of snarkjs: prove from a witness (pail_groth16_prove), not "
            "from an assignment",
            key->name);
    return PAIL_OK;
}

pail_status pail_proving_create(struct pail_proving **out, const pail_groth16_key *key,
                                const struct pail_proof_source *source,
                                const pail_groth16_options *options, char *error, size_t error_cap)
{
    *out = NULL;
    pail_status status = check_source(key, source, error, error_cap);
    if (status != PAIL_OK)
        return status;
    struct pail_proving *proving = calloc(1, sizeof(*proving));
    if (!proving)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a proof");
    proving->key = key;
    proving->options = *options;
    proving->runs[0].lane = &proving->lane; /* empty until the start */
    proving->begin_ms = pail_now_ms();
    enter(proving, error, error_cap);
    status = run_on_host(proving, PAIL_PROOF_WITNESS, source, NULL);
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

void pail_proving_give_way(struct pail_proving *proving, void (*wait)(void *user), void *user)
{
    proving->give_way = wait;
    proving->give_way_user = user;
}

/* Computes over several devices, and waits for them. */
static pail_status compute_spread(struct pail_proving *proving)
{
    if (proving->options.stage)
        proving->options.stage(proving->options.user, PAIL_GROTH16_STAGE_UPLOAD);
    const pail_status status = pail_spread_compute(
        proving->key->spread, proving->runs, proving->results, &proving->n_lanes, &proving->source,
        proving->error, proving->error_cap);
    if (status == PAIL_OK)
        proving->spread = proving->key->spread;
    return status;
}

/* Starts the lane of one device. */
static pail_status start_lane(struct pail_proving *proving, uint64_t memory_budget,
                              uint32_t threads)
{
    const pail_groth16_key *const key = proving->key;
    const bool once = key->source != NULL;
    pail_groth16_key *const taken = once ? pail_key_take(key) : NULL;
    if (once && !taken)
        return pail_report(proving->error, proving->error_cap, PAIL_ERR_ARGUMENT,
                           "%s: was opened for one proof, and has begun one", key->name);
    pail_proof_lane_of(&proving->lane, key, is_staged(proving), proving->give_way != NULL);
    struct pail_lane_run *const run = &proving->runs[0];
    *run = (struct pail_lane_run){.lane = &proving->lane,
                                  .key = key,
                                  .taken = taken,
                                  .witness = &proving->source,
                                  .assigned = assigned_of(proving),
                                  .options = &proving->options,
                                  .give_way = proving->give_way,
                                  .give_way_user = proving->give_way_user,
                                  .one_ahead = !pail_is_cpu(key->backend),
                                  .config = {.struct_size = sizeof(run->config),
                                             .threads = threads,
                                             .memory_budget = memory_budget},
                                  .results = proving->results[0],
                                  .error = proving->error,
                                  .error_cap = proving->error_cap};
    proving->n_lanes = 1;
    const pail_status status = pail_lane_start(run);
    if (status != PAIL_OK && once && pail_proving_sent_ms(proving) == 0)
        pail_key_give_back(taken);
    return status;
}

pail_status pail_proving_start(struct pail_proving *proving, uint64_t memory_budget,
                               uint32_t threads, char *error, size_t error_cap)
{
    enter(proving, error, error_cap);
    pail_status status = pail_proof_look(&proving->options, error, error_cap);
    if (status == PAIL_OK)
        status = proving->key->spread ? compute_spread(proving)
                                      : start_lane(proving, memory_budget, threads);
    if (status == PAIL_OK)
        pail_blinding_prepare(&proving->blinding, proving->key);
    else
        pail_proving_reset(proving);
    return status;
}

uint64_t pail_proving_taken_bytes(const struct pail_proving *proving)
{
    return pail_proof_taken_bytes(proving->key, &proving->lane, proving->runs[0].scratch_bytes);
}

double pail_proving_sent_ms(const struct pail_proving *proving)
{
    return proving->runs[0].done_ms[PAIL_GROTH16_STAGE_UPLOAD];
}

pail_status pail_proving_wait(struct pail_proving *proving, uint64_t timeout_ns)
{
    return pail_lane_wait(&proving->runs[0], timeout_ns);
}

pail_status pail_proving_finish(struct pail_proving *proving, pail_groth16_proof *proof,
                                uint8_t *publics, pail_groth16_timings *timings, char *error,
                                size_t error_cap)
{
    const size_t bytes = publics ? (size_t)SCALAR_BYTES * proving->key->n_public : 0;
    enter(proving, error, error_cap);
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    pail_status status = pail_lane_finish(&proving->runs[0]);
    note_times(proving);
    if (status == PAIL_OK)
        status = run_on_host(proving, PAIL_PROOF_ASSEMBLE, NULL, proof);
    if (bytes != 0 && status == PAIL_OK)
        memcpy(publics, publics_of(proving), bytes);
    else if (bytes != 0)
        memset(publics, 0, bytes);
    if (status == PAIL_OK) {
        *timings = proving->timings;
        timings->wall_ms = pail_now_ms() - proving->begin_ms;
        timings->b2 = proving->key->b2 ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE;
    }
    timings->struct_size = sizeof(*timings);
    return status;
}

void pail_proving_reset(struct pail_proving *proving)
{
    for (uint32_t i = 0; i < PAIL_PLACE_DEVICES_MAX; i++)
        pail_lane_reset(&proving->runs[i]);
    if (proving->spread)
        pail_spread_release(proving->spread);
    proving->spread = NULL;
}

void pail_proving_destroy(struct pail_proving **proving)
{
    if (!*proving)
        return;
    pail_proving_reset(*proving);
    pail_witness_close(&(*proving)->source);
    pail_assigned_close(&(*proving)->assigned);
    pail_wipe(*proving, sizeof(**proving));
    free(*proving);
    *proving = NULL;
}

/* ---- From beginning to end --------------------------------------------------------------------*/
pail_status pail_prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                       pail_groth16_timings *timings, const struct pail_proof_source *source,
                       const pail_groth16_options *options, char *error, size_t error_cap)
{
    struct pail_proving *proving;
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    if (publics && key->n_public != 0)
        memset(publics, 0, (size_t)SCALAR_BYTES * key->n_public);
    timings->struct_size = sizeof(*timings);
    pail_status status = pail_proving_create(&proving, key, source, options, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proving_start(proving, 0, 0, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proving_finish(proving, proof, publics, timings, error, error_cap);
    pail_proving_destroy(&proving);
    return status;
}

/* ---- The scalars of H alone -------------------------------------------------------------------*/
/* Runs a lane that transforms and multiplies nothing. */
static pail_status compute_h(void *scalars, const pail_groth16_key *key,
                             struct pail_witness *witness, char *error, size_t error_cap)
{
    static const struct pail_proof_placement transforms = {.used = {true}};
    const struct pail_proof_way way = {.placement = &transforms};
    const struct pail_proof_facts facts = pail_proof_facts_of(key);
    struct pail_proof_lane lane;
    struct pail_lane_run run = {
        .lane = &lane, .key = key, .witness = witness, .error = error, .error_cap = error_cap};
    pail_proof_lane_make(&lane, &facts, &way, 0);
    pail_status status = pail_lane_start(&run);
    if (status == PAIL_OK)
        status = pail_lane_finish(&run);
    if (status == PAIL_OK) {
        status = key->backend->vector_read(run.vectors[PAIL_OBJECT_TRANSFORMS], scalars, 0,
                                           facts.domain_size, PAIL_ENCODING_CANONICAL);
        if (status != PAIL_OK)
            (void)pail_report(error, error_cap, status, "the scalars of H of %s: %s", key->name,
                              key->backend->error(key->context));
    }
    pail_lane_reset(&run);
    return status;
}

pail_status pail_prove_h(void *scalars, uint64_t n, const pail_groth16_key_params *params,
                         const pail_groth16_witness *witness, void (*tick)(void *user, double part),
                         void *user, char *error, size_t error_cap)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    static const struct pail_key_part matrices = {.matrices = {true, true}};
    const pail_context_params usual = {.struct_size = sizeof(usual)};
    const pail_groth16_key_params its = {.struct_size = sizeof(its),
                                         .path = params->path,
                                         .name = params->name,
                                         .bytes = params->bytes,
                                         .n_bytes = params->n_bytes};
    const pail_backend *backend = NULL;
    pail_context *context = NULL;
    pail_groth16_key *key = NULL;
    struct pail_witness source = {0};
    pail_status status = pail_cpu_open(&host, &backend);
    if (status == PAIL_OK)
        status = backend->context_create(&host, &context, &usual);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "the scalars of H: %s",
                           backend ? backend->error(NULL) : "no backend");
    status = pail_key_open_part(&key, backend, context, &its, &matrices, error, error_cap);
    if (status == PAIL_OK && key->form == PAIL_KEY_PARAMS)
        status =
            pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                        "%s: is a key of bellman, which has no matrices to compute scalars of H "
                        "with",
                        key->name);
    if (status == PAIL_OK && n != key->info.domain_size)
        status = pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                             "n is %llu; %s has a domain of %llu scalars", (unsigned long long)n,
                             key->name, (unsigned long long)key->info.domain_size);
    if (status == PAIL_OK && tick)
        tick(user, 0.2);
    if (status == PAIL_OK)
        status = pail_witness_open(&source, key, witness, error, error_cap);
    if (status == PAIL_OK)
        status = compute_h(scalars, key, &source, error, error_cap);
    pail_witness_close(&source);
    pail_key_close(&key);
    backend->context_destroy(&context);
    return status;
}
