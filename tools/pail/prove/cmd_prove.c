/* SPDX-License-Identifier: Apache-2.0 */
/* `pail prove`: a Groth16 proof out of a key and a witness. */
#include "prove.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <pail/groth16.h>

#include <formats/proof_files.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <platform/text.h>

#include "commands.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"
#include "timeline.h"

enum prove_lane {
    PAIL_LANE_FILE,
    PAIL_LANE_HOST, /* work of this thread */
    PAIL_LANE_UPLOAD,
    PAIL_LANE_DEVICE,   /* by the device's timestamps */
    PAIL_LANE_CPU_POOL, /* work of the CPU backend */
    PAIL_LANE_PIPELINES,
    PAIL_LANES
};

#define OF struct pail_prove_options
static const struct pail_option rows[] = {
    {.argument = "KEY.zkey WITNESS.wtns [PROOF.json PUBLIC.json]",
     .kind = PAIL_OPTION_WORDS,
     .help = "a key and a witness as snarkjs and circom write them, over bn254 or bls12-381, or "
             "in place of the witness the circuit and its inputs, CIRCUIT.wasm INPUT.json, in any "
             "order; where the proof and the public values go, by default proof.json and "
             "public.json"},
    {PAIL_FLAG(OF, check, "check", "verify the proof before it is written (the default)")},
    {PAIL_FLAG(OF, no_check, "no-check",
               "do not verify the proof before it is written; a witness that does not satisfy the "
               "circuit then gives an invalid proof")},
    {PAIL_FLAG(OF, fixed_blinding, "insecure-fixed-blinding",
               "r = s = 0 instead of random numbers: equal proofs for equal witnesses, on every "
               "backend. For tests: such a proof does not hide its witness")},
    {PAIL_FILE(
        OF, batch, "batch", "LIST",
        "many proofs: a text file of lines WITNESS PROOF PUBLIC, three names separated by tabs, or "
        "by spaces if a line has no tab; lines that begin with # are ignored. KEY.zkey is the only "
        "argument then, or KEY.zkey CIRCUIT.wasm if the lines have inputs. A failed proof is "
        "reported and does not stop the others")},
    {PAIL_FILE(
         OF, joined, "joined", "FILE",
         "with --batch: write all proofs, in the order of the lines, to this new file: A, B and C "
         "compressed, 192 bytes a proof on bls12-381 (as zcash has points) and 128 on bn254 (as "
         "gnark has them). Lines may have a witness alone then. If a proof fails, there is no such "
         "file"),
     .not_empty = true},
    {PAIL_NAME(OF, cluster, "cluster", "C",
               "with --batch: distribute proofs to the processes started by mpirun, each with its "
               "own backend; rank 0 writes and prints"),
     .values = pail_cluster_names},
    {PAIL_U64(OF, repeat, "repeat", "N",
              "prove N times with one open key; the last proof is written"),
     .min = 1, .max = 1000000},
    {PAIL_FLAG(OF, stages, "stages", "wait after each stage to measure it; takes longer")},
    {PAIL_NAME(OF, validation, "validation", "V", "checks of the key's points"),
     .values = pail_validation_names},
    {PAIL_NAME(OF, residency, "residency", "R", "where to keep the key's points"),
     .values = pail_residency_names},
    {PAIL_U32(OF, table_factor, "table-factor", "F",
              "most copies of each point in precomputed tables")},
    {PAIL_NAME(OF, b2, "b2", "W", PAIL_HELP_B2), .values = pail_b2_names},
    {PAIL_FILE(OF, trace, "trace", "FILE",
               "write a timeline in Chrome's trace format; best with --stages")},
    {PAIL_FILE(OF, svg, "svg", "FILE", "the same as a picture")},
    {PAIL_FLAG(OF, json, "json", "print one JSON object, with times by stage")},
};
#undef OF

static const struct pail_prove_options defaults = {
    .proof = "proof.json", .publics = "public.json", .repeat = 1, .limits = PAIL_WITNESS_LIMITS};

/* Takes the options of many proofs, and refuses those of one. */
static pail_status take_batch(struct pail_prove_options *options, const struct pail_call *call,
                              struct pail_error *error)
{
    static const char *const single[] = {"repeat", "stages", "trace", "svg"};
    if (call->n != 1 && call->n != 2)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "%zu files are named; with --batch give the key alone, or the key and a "
                         "circuit",
                         call->n);
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
        if (pail_option_given(call, single[i]))
            return pail_fail(error, PAIL_ERR_ARGUMENT, "--%s does not go with --batch", single[i]);
    if (options->check && options->no_check)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--check and --no-check exclude each other");
    options->key = call->words[0];
    return call->n == 1 ? PAIL_OK : pail_prove_take_files(options, call, call->n, error);
}

static pail_status take_words(struct pail_prove_options *options, const struct pail_call *call,
                              struct pail_error *error)
{
    if (options->cluster != 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--cluster goes with --batch");
    if (options->joined)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--joined goes with --batch");
    if (call->n < 2 || call->n > 5)
        return pail_fail(
            error, PAIL_ERR_ARGUMENT,
            "expected KEY.zkey WITNESS.wtns [PROOF.json PUBLIC.json], or CIRCUIT.wasm INPUT.json "
            "in place of the witness, got %zu; see pail prove --help",
            call->n);
    if (options->check && options->no_check)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--check and --no-check exclude each other");
    const size_t n = call->n % 2 == 0 ? 2 : 3; /* files that are read */
    if (call->n > n) {
        options->proof = call->words[n];
        options->publics = call->words[n + 1];
    }
    return PAIL_OK;
}

static const struct pail_lane lanes_of_proofs[PAIL_LANES] = {
    [PAIL_LANE_FILE] = {"file", 0},         [PAIL_LANE_HOST] = {"host", 1},
    [PAIL_LANE_UPLOAD] = {"upload", 2},     [PAIL_LANE_DEVICE] = {"device", 3},
    [PAIL_LANE_CPU_POOL] = {"CPU pool", 4}, [PAIL_LANE_PIPELINES] = {"pipelines", 1},
};

/* Several devices share one proof by its parts, but where stages are to have times of their own, or
 * there are more devices than that takes: then multiplications alone are split, by the backend. */
static bool shares_parts(const struct pail_prove_outcome *outcome)
{
    const size_t n = pail_devices_count(outcome->session.devices);
    return n > 1 && n <= PAIL_SESSION_DEVICES_MAX && !outcome->options->stages;
}

/* Progress that is shown while a proof is made, and the times of its stages. */
struct shown {
    const struct pail_prove_outcome *outcome;
    struct pail_progress progress;
    uint32_t stage;   /* that is under way; PAIL_GROTH16_STAGES_COUNT: none */
    uint32_t n_begun; /* stages, in whichever order */
    bool first;       /* on a device, which makes its pipelines now */
    double warm_ms;   /* of those that are built before the quotient */
    char label[64];
    double began_ms[PAIL_GROTH16_STAGES_COUNT], ended_ms[PAIL_GROTH16_STAGES_COUNT];
};

static void end_stage(struct shown *shown)
{
    if (shown->stage < PAIL_GROTH16_STAGES_COUNT)
        shown->ended_ms[shown->stage] = pail_now_ms();
}

/* The line has the stage's name, and how many are behind it. */
static void show_stage(void *user, uint32_t stage)
{
    struct shown *const shown = user;
    end_stage(shown);
    shown->stage = stage;
    shown->began_ms[stage] = pail_now_ms();
    (void)snprintf(shown->label, sizeof(shown->label), "%s%s", pail_prove_stage_name(stage),
                   shown->first ? " and building pipelines, once" : "");
    shown->progress.label = shown->label;
    pail_progress_tick(&shown->progress, (double)shown->n_begun++ / PAIL_GROTH16_STAGES_COUNT);
    /* The first stage that takes any, once the witness is known to be one. */
    if (stage == PAIL_GROTH16_STAGE_QUOTIENT && shown->first && !shares_parts(shown->outcome))
        shown->warm_ms = pail_prove_warm(shown->outcome, &shown->progress);
}

/* Adds a span as long as the device's clock says, from when the stage was submitted and the device
 * was free: the clocks differ, lengths do not. Without --stages everything is submitted before
 * anything is waited for. */
static void add_computing(struct pail_prove_outcome *outcome, const struct shown *shown,
                          const pail_groth16_timings *timings, uint32_t stage)
{
    const bool pool = outcome->session.built_in ||
                      (stage == PAIL_GROTH16_STAGE_B2 && timings->b2 == PAIL_GROTH16_B2_CPU);
    const enum prove_lane lane = pool ? PAIL_LANE_CPU_POOL : PAIL_LANE_DEVICE;
    const bool alone = outcome->options->stages;
    const double submitted_ms = shown->began_ms[alone ? stage : PAIL_GROTH16_STAGE_QUOTIENT];
    const double free_ms = pail_timeline_end_of(&outcome->timeline, lane);
    const double from_ms = submitted_ms > free_ms ? submitted_ms : free_ms;
    const double device_ms = timings->stage_device_ms[stage], ended_ms = shown->ended_ms[stage];
    const bool shorter = device_ms > 0 && from_ms + device_ms < ended_ms;
    pail_timeline_add(&outcome->timeline, lane, pail_prove_time_name(outcome->options, stage),
                      from_ms, shorter ? from_ms + device_ms : ended_ms);
}

static void add_stages(struct pail_prove_outcome *outcome, const struct shown *shown,
                       const pail_groth16_timings *timings)
{
    static const enum prove_lane lanes[PAIL_GROTH16_STAGES_COUNT] = {
        [PAIL_GROTH16_STAGE_WITNESS] = PAIL_LANE_FILE,
        [PAIL_GROTH16_STAGE_UPLOAD] = PAIL_LANE_UPLOAD,
        [PAIL_GROTH16_STAGE_ASSEMBLE] = PAIL_LANE_HOST,
    };
    /* Stages go in the order of their beginning: H is before A where a key is for one proof. */
    bool added[PAIL_GROTH16_STAGES_COUNT] = {false};
    for (;;) {
        uint32_t first = PAIL_GROTH16_STAGES_COUNT;
        for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++)
            if (!added[i] && shown->ended_ms[i] != 0 && /* otherwise it is part of another one */
                (first == PAIL_GROTH16_STAGES_COUNT || shown->began_ms[i] < shown->began_ms[first]))
                first = i;
        if (first == PAIL_GROTH16_STAGES_COUNT)
            return;
        added[first] = true;
        if (first >= PAIL_GROTH16_STAGE_QUOTIENT && first <= PAIL_GROTH16_STAGE_H)
            add_computing(outcome, shown, timings, first);
        else
            pail_timeline_add(&outcome->timeline, lanes[first], pail_prove_stage_name(first),
                              shown->began_ms[first], shown->ended_ms[first]);
    }
}

/* Pipelines are made while work is submitted: with --stages at the beginning of their stage,
 * otherwise one after the other from that of the quotient on. */
static void add_pipelines(struct pail_prove_outcome *outcome, const struct shown *shown,
                          const pail_groth16_timings *timings)
{
    double from_ms = shown->began_ms[PAIL_GROTH16_STAGE_QUOTIENT];
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++) {
        const double ms = timings->stage_pipelines_ms[i];
        if (ms <= 0)
            continue;
        if (outcome->options->stages && shown->began_ms[i] > 0)
            from_ms = shown->began_ms[i];
        pail_timeline_add(&outcome->timeline, PAIL_LANE_PIPELINES, pail_prove_stage_name(i),
                          from_ms, from_ms + ms);
        from_ms += ms;
    }
}

/* B2 beside the device, from when the witness was there. */
static void add_b2(struct pail_prove_outcome *outcome, const struct shown *shown,
                   const pail_groth16_timings *timings)
{
    const double from_ms = shown->began_ms[PAIL_GROTH16_STAGE_UPLOAD];
    if (timings->b2 == PAIL_GROTH16_B2_CPU && !outcome->options->stages)
        pail_timeline_add(&outcome->timeline, PAIL_LANE_CPU_POOL,
                          pail_prove_stage_name(PAIL_GROTH16_STAGE_B2), from_ms,
                          from_ms + timings->stage_ms[PAIL_GROTH16_STAGE_B2]);
}

/* The parts of opening follow each other. */
static void add_opening(struct pail_prove_outcome *outcome, double begin_ms)
{
    const pail_groth16_key_info *const key = &outcome->key;
    struct pail_timeline *const timeline = &outcome->timeline;
    const double matrices_ms = begin_ms + key->read_ms, bases_ms = matrices_ms + key->matrices_ms;
    pail_timeline_add(timeline, PAIL_LANE_FILE, "key", begin_ms, matrices_ms);
    pail_timeline_add(timeline, PAIL_LANE_HOST, "matrices", matrices_ms, bases_ms);
    if (key->bases_ms > 0) /* of a key for one proof they are part of it */
        pail_timeline_add(timeline, PAIL_LANE_UPLOAD, "points", bases_ms, bases_ms + key->bases_ms);
}

static pail_status open_shared(pail_groth16_key **key, struct pail_prove_outcome *outcome,
                               const pail_groth16_key_params *params, struct pail_error *error)
{
    uint32_t n;
    const pail_status status = pail_session_members(outcome->members, &n, &outcome->session, error);
    return status == PAIL_OK
               ? pail_told(error, pail_groth16_key_open_on(key, outcome->members, n, 0, params,
                                                           PAIL_SENTENCE(error)))
               : status;
}

/* Notes the parts of the key and their devices, after the last proof. */
static void note_parts(struct pail_prove_outcome *outcome, const pail_groth16_key *key)
{
    outcome->spread.struct_size = sizeof(outcome->spread);
    if (pail_groth16_key_get_spread(key, &outcome->spread) != PAIL_OK) {
        outcome->spread.n_devices = 0;
        return;
    }
    for (outcome->n_parts = 0; outcome->n_parts < PAIL_PROVE_PARTS_MAX; outcome->n_parts++) {
        pail_groth16_part *const part = &outcome->parts[outcome->n_parts];
        part->struct_size = sizeof(*part);
        if (pail_groth16_key_get_part(key, part, outcome->n_parts) != PAIL_OK)
            break;
    }
}

/* Notes the facts of the key, after the last proof. */
static void note_key(struct pail_prove_outcome *outcome, const pail_groth16_key *key)
{
    note_parts(outcome, key);
    (void)pail_groth16_key_get_info(key, &outcome->key);
}

static pail_status open_key(pail_groth16_key **key, struct pail_prove_outcome *outcome,
                            struct pail_error *error)
{
    const struct pail_prove_options *const options = outcome->options;
    const bool on_gpu = !outcome->session.built_in &&
                        outcome->session.device.type != PAIL_DEVICE_CPU && !shares_parts(outcome);
    /* A key for one proof takes the least memory: points that stay would save nothing. */
    outcome->once = outcome->session.built_in && options->repeat == 1;
    /* Large blocks are returned at once, not kept in a heap that grows: a tenth of the peak, for a
     * fiftieth of the time. */
    if (outcome->session.built_in)
        pail_return_blocks(2 << 20);
    const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                            .flags = (outcome->once ? PAIL_GROTH16_KEY_ONCE : 0u) |
                                                     (on_gpu ? PAIL_GROTH16_KEY_WARM : 0u),
                                            .validation = options->validation,
                                            .residency = options->residency,
                                            .table_factor = options->table_factor,
                                            .b2 = options->b2,
                                            .b2_threads = options->session.threads,
                                            .path = options->key};
    struct pail_progress progress;
    pail_progress_begin(&progress, on_gpu ? "opening the key and building pipelines, once"
                                          : "opening the key");
    pail_progress_tick(&progress, -1);
    const double begin_ms = pail_now_ms();
    pail_status status =
        shares_parts(outcome)
            ? open_shared(key, outcome, &params, error)
            : pail_told(error, pail_groth16_key_open(key, outcome->session.backend,
                                                     outcome->session.context, &params,
                                                     PAIL_SENTENCE(error)));
    outcome->open_ms = pail_progress_end(&progress);
    if (status != PAIL_OK)
        return status;
    outcome->key.struct_size = sizeof(outcome->key);
    status = pail_groth16_key_get_info(*key, &outcome->key);
    add_opening(outcome, begin_ms);
    outcome->publics = malloc((size_t)outcome->key.n_public * 32 + 1);
    if (status == PAIL_OK && !outcome->publics)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the public values");
    return status;
}

static pail_status prove_once(struct pail_prove_outcome *outcome, const pail_groth16_key *key,
                              struct pail_error *error)
{
    const struct pail_prove_options *const options = outcome->options;
    struct shown shown = {.outcome = outcome,
                          .stage = PAIL_GROTH16_STAGES_COUNT,
                          .first = !outcome->session.built_in && outcome->first_ms == 0};
    const struct pail_calculated *const calculated = &outcome->calculated;
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = calculated->wtns,
                                          .n_wtns = calculated->bytes,
                                          .path = calculated->wtns ? NULL : options->witness,
                                          .name = options->witness};
    const uint32_t flags = (options->stages ? PAIL_GROTH16_STAGES : 0u) |
                           (options->fixed_blinding ? PAIL_GROTH16_FIXED_BLINDING : 0u);
    const pail_groth16_options how = {
        .struct_size = sizeof(how), .flags = flags, .stage = show_stage, .user = &shown};
    pail_groth16_timings timings = {.struct_size = sizeof(timings)};
    outcome->proof.struct_size = sizeof(outcome->proof);
    pail_progress_begin(&shown.progress, "proving");
    const pail_status status =
        pail_told(error, pail_groth16_prove(key, &outcome->proof, outcome->publics, &timings,
                                            &witness, &how, PAIL_SENTENCE(error)));
    (void)pail_progress_end(&shown.progress);
    end_stage(&shown);
    if (status != PAIL_OK)
        return status;
    timings.stage_pipelines_ms[PAIL_GROTH16_STAGE_QUOTIENT] += shown.warm_ms;
    add_stages(outcome, &shown, &timings);
    add_b2(outcome, &shown, &timings);
    add_pipelines(outcome, &shown, &timings);
    if (outcome->first_ms == 0)
        outcome->pipelines = timings;
    if (outcome->first_ms == 0)
        outcome->first_ms = timings.wall_ms;
    if (outcome->best.wall_ms == 0 || timings.wall_ms < outcome->best.wall_ms)
        outcome->best = timings;
    if (timings.wall_ms > outcome->max_ms)
        outcome->max_ms = timings.wall_ms;
    outcome->mean_ms += timings.wall_ms / (double)options->repeat;
    return PAIL_OK;
}

static pail_status verify(struct pail_prove_outcome *outcome, const pail_groth16_key *key,
                          struct pail_error *error)
{
    const struct pail_prove_options *const options = outcome->options;
    const double begin_ms = pail_now_ms();
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    uint32_t valid = 0;
    pail_status status = pail_groth16_key_verifying(key, &verifying);
    if (status == PAIL_OK)
        status = pail_told(error, pail_groth16_verify(&valid, &verifying, &outcome->proof,
                                                      outcome->publics, outcome->key.n_public,
                                                      PAIL_SENTENCE(error)));
    if (status == PAIL_ERR_DATA)
        (void)pail_fail(error, status, PAIL_PROVE_DAMAGED, options->key);
    if (status == PAIL_OK && valid == 0)
        pail_differs(error, "%s does not satisfy the circuit of %s: its proof is not valid%s",
                     options->witness, options->key,
                     options->validation != PAIL_VALIDATE_NONE
                         ? ""
                         : "; --validation curve looks whether the key is damaged");
    outcome->verify_ms = pail_now_ms() - begin_ms;
    pail_timeline_add(&outcome->timeline, PAIL_LANE_HOST, "verify", begin_ms,
                      begin_ms + outcome->verify_ms);
    return status;
}

/* The witness of a circuit, before a backend is opened: inputs that are wrong cost nothing. */
static pail_status calculate(struct pail_prove_outcome *outcome, struct pail_error *error)
{
    const struct pail_prove_options *const options = outcome->options;
    pail_circuit *circuit = NULL;
    const double begin_ms = pail_now_ms();
    if (!options->circuit)
        return PAIL_OK;
    pail_status status =
        pail_witness_open(&circuit, options->circuit, PAIL_CIRCUIT_ONCE, &options->limits, error);
    if (status == PAIL_OK)
        status = pail_witness_calculate(&outcome->calculated, circuit, options->inputs,
                                        &options->limits, error);
    pail_circuit_close(&circuit);
    pail_timeline_add(&outcome->timeline, PAIL_LANE_HOST, "circuit", begin_ms, pail_now_ms());
    return status;
}

static pail_status prove(struct pail_prove_outcome *outcome, const pail_host *host,
                         struct pail_proof_files *files, struct pail_error *error)
{
    const struct pail_prove_options *const options = outcome->options;
    pail_groth16_key *key = NULL;
    struct pail_session_params params = options->session;
    params.side_queues =
        options->repeat > 1 ? PAIL_SESSION_SIDE_QUEUES : 0; /* or it takes longer */
    params.needs = PAIL_ABILITY_VECTORS;
    pail_status status = calculate(outcome, error);
    if (status != PAIL_OK)
        return status;
    pail_prove_choose(outcome->choice, options, options->repeat, &params);
    const double begin_ms = pail_now_ms();
    status = pail_session_begin(&outcome->session, host, &params, error);
    outcome->begin_ms = pail_now_ms() - begin_ms;
    if (status == PAIL_OK)
        pail_prove_begun(outcome->choice, &outcome->session);
    pail_timeline_add(&outcome->timeline, PAIL_LANE_HOST, "backend", outcome->timeline.begin_ms,
                      pail_now_ms());
    if (status == PAIL_OK)
        status = open_key(&key, outcome, error);
    for (uint64_t i = 0; status == PAIL_OK && !error->differs && i < options->repeat; i++) {
        status = prove_once(outcome, key, error);
        if (status == PAIL_OK && !options->no_check)
            status = verify(outcome, key, error);
    }
    if (key)
        note_key(outcome, key);
    pail_groth16_key_close(&key);
    if (status == PAIL_OK && !error->differs)
        status =
            pail_told(error, pail_proof_files_write(files, &outcome->proof, outcome->publics,
                                                    (size_t)outcome->key.n_public,
                                                    PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
    return status;
}

/* To standard error where an output is standard output. */
static void print(const struct pail_prove_outcome *outcome, const struct pail_proof_files *files,
                  const struct pail_timeline_file pictures[2], struct pail_error *error)
{
    const bool taken = files->proof.standard || files->publics.standard ||
                       pictures[0].file.file.standard || pictures[1].file.file.standard;
    FILE *const out = taken ? stderr : stdout;
    if (outcome->options->fixed_blinding)
        (void)pail_print(stderr, "pail: --insecure-fixed-blinding: whoever has this proof can "
                                 "tell whether a guess of its witness is right\n");
    if (outcome->options->json)
        (void)pail_prove_print_json(out, outcome, error);
    else
        pail_prove_print(out, outcome);
}

static pail_status write_timeline(struct pail_timeline_file *files,
                                  const struct pail_prove_outcome *outcome,
                                  struct pail_error *error)
{
    char title[256];
    (void)pail_line(title, sizeof(title), "%s: domain %" PRIu64 " of %s, %s on %s",
                    outcome->options->key, outcome->key.domain_size,
                    pail_name_of(pail_curve_names, outcome->key.curve),
                    outcome->session.backend->name, outcome->session.device.name);
    pail_status status = PAIL_OK;
    for (int i = 0; i < 2 && status == PAIL_OK; i++)
        status = pail_timeline_file_write(&files[i], &outcome->timeline, title, error);
    return status;
}

/* Places of their own for the pictures, too: what is written last would be in place of the rest. */
static pail_status check_pictures(const struct pail_timeline_file pictures[2],
                                  const struct pail_proof_files *files, struct pail_error *error)
{
    for (int i = 0; i < 2; i++) {
        const struct pail_whole_file *const picture = &pictures[i].file;
        if (pail_replace_same(&picture->file, &files->proof) ||
            pail_replace_same(&picture->file, &files->publics) ||
            (i == 1 && pail_replace_same(&picture->file, &pictures[0].file.file)))
            return pail_fail(error, PAIL_ERR_ARGUMENT, "%s %s: another output is written there",
                             picture->option, picture->path);
    }
    return PAIL_OK;
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct pail_prove_options *const options = given;
    if (options->batch) {
        if (take_batch(options, call, error) == PAIL_OK)
            pail_prove_batch(error, options);
        return;
    }
    struct pail_prove_choice choice = {0};
    struct pail_prove_outcome outcome = {
        .options = options,
        .choice = &choice,
        .timeline = {.begin_ms = pail_now_ms(), .lanes = lanes_of_proofs, .n_lanes = PAIL_LANES}};
    struct pail_proof_files files = PAIL_PROOF_FILES_NONE;
    struct pail_timeline_file pictures[2] = {PAIL_TIMELINE_FILE_NONE, PAIL_TIMELINE_FILE_NONE};
    const pail_host host = pail_log_host();
    pail_status status = take_words(options, call, error);
    if (status == PAIL_OK)
        status = pail_told(error, pail_proof_files_begin(&files, options->proof, options->publics,
                                                         PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status =
            pail_timeline_file_begin(&pictures[0], &pail_timeline_trace, options->trace, error);
    if (status == PAIL_OK)
        status = pail_timeline_file_begin(&pictures[1], &pail_timeline_svg, options->svg, error);
    if (status == PAIL_OK)
        status = check_pictures(pictures, &files, error);
    if (status == PAIL_OK)
        status = pail_prove_take_files(options, call, call->n % 2 == 0 ? 2 : 3, error);
    if (status == PAIL_OK)
        status = prove(&outcome, &host, &files, error);
    if (status == PAIL_OK && !error->differs)
        status = write_timeline(pictures, &outcome, error);
    outcome.total_ms = pail_now_ms() - outcome.timeline.begin_ms;
    const bool good = status == PAIL_OK && !error->differs;
    if (good)
        print(&outcome, &files, pictures, error);
    if (good)
        pail_prove_note_device(&choice, &outcome.session,
                               outcome.open_ms + outcome.mean_ms * (double)options->repeat);
    for (int i = 0; i < 2; i++)
        pail_timeline_file_end(&pictures[i]);
    pail_timeline_free(&outcome.timeline);
    pail_proof_files_end(&files);
    const double end_ms = pail_now_ms();
    pail_session_close(&outcome.session);
    if (good)
        pail_prove_note(&choice, &(struct pail_prove_times){
                                     .begin_ms = outcome.begin_ms,
                                     .end_ms = pail_now_ms() - end_ms,
                                     .open_ms = outcome.open_ms,
                                     .first_ms = outcome.first_ms,
                                     .all_ms = outcome.mean_ms * (double)options->repeat,
                                 });
    free(outcome.publics);
    pail_witness_free(&outcome.calculated);
}

const struct pail_command pail_prove_command = {
    .name = "prove",
    .summary = "make a Groth16 proof from a key and a witness or inputs, as snarkjs does",
    .usage = "KEY.zkey WITNESS.wtns [PROOF.json PUBLIC.json] [OPTIONS]\nKEY.zkey CIRCUIT.wasm "
             "INPUT.json [PROOF.json PUBLIC.json]\nKEY.zkey [CIRCUIT.wasm] --batch LIST "
             "[--cluster mpi] [OPTIONS]",
    .text = "Makes a Groth16 proof, verifies it, and writes the files of snarkjs groth16 prove.\n"
            "If the witness does not satisfy the circuit, the exit status is 1 and nothing is "
            "written. Existing files are replaced if they are of the same kind: first the public "
            "values, then, in the next system call, the proof.\n"
            "Without --backend and --device, the backend with the shortest expected time is used, "
            "by earlier runs on this machine.",
    .examples = "prove circuit.zkey witness.wtns\n"
                "prove circuit.zkey witness.wtns proof.json public.json --svg times.svg\n"
                "prove circuit.zkey witness.wtns - public.json\n"
                "prove circuit.zkey circuit.wasm input.json proof.json public.json\n"
                "prove circuit.zkey --batch list.txt",
    .parts = {{PAIL_PART(rows)},
              {PAIL_WITNESS_PART(struct pail_prove_options, limits)},
              {PAIL_SESSION_PART(struct pail_prove_options, session)}},
    .size = sizeof(struct pail_prove_options),
    .defaults = &defaults,
    .run = run,
};
