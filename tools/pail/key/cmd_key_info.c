/* SPDX-License-Identifier: Apache-2.0 */
/* `pail key info`: what a proving key has, and what a proof with it takes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pail/groth16.h>

#include <curves/inputs.h>
#include <formats/params.h>
#include <formats/verifying_key.h>
#include <platform/clock.h>
#include <platform/text.h>

#include "commands.h"
#include "error/error.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"
#include "prove/prove.h"

/* ---- Contents -------------------------------------------------------------------------------- */

enum { PAIL_KEY_SECTIONS = 10 };

struct key_facts {
    uint64_t coefficients[2]; /* of the matrices A and B */
    /* The rows of A and B that are used, less those that stand for the public values and the
     * constant: a key does not say how many constraints it was made from. */
    uint64_t constraints;
    uint64_t infinities[PAIL_ZKEY_MSMS];
    size_t section_bytes[PAIL_KEY_SECTIONS + 1]; /* by number, from 1 on; 0: there is none */
};

enum { BUFFER_BYTES = 1 << 20 };

/* "header", "points of A", ...; of a section's number, from 1 to PAIL_KEY_SECTIONS. */
static const char *key_section_name(uint32_t section)
{
    static const char *const names[PAIL_KEY_SECTIONS + 1] = {
        [1] = "protocol",    [2] = "header",         [3] = "points of IC", [4] = "coefficients",
        [5] = "points of A", [6] = "points of B1",   [7] = "points of B2", [8] = "points of C",
        [9] = "points of H", [10] = "contributions",
    };
    return names[section];
}

/* The reader has found those that have to be there. */
static void read_sections(struct key_facts *facts, const struct pail_zkey *key)
{
    for (uint32_t i = 1; key->form == PAIL_KEY_ZKEY && i <= PAIL_KEY_SECTIONS; i++) {
        struct pail_section section;
        if (pail_binfile_find(&section, &key->container, i, key_section_name(i), NULL, 0) ==
            PAIL_OK)
            facts->section_bytes[i] = section.size;
    }
}

static pail_status read_coefficients(struct key_facts *facts, struct pail_zkey *key,
                                     struct pail_error *error)
{
    uint64_t rows = 0;
    pail_status status = pail_told(error, pail_zkey_load_coefficients(key, PAIL_SENTENCE(error)));
    for (size_t i = 0; status == PAIL_OK && i < key->n_coefficients; i++) {
        struct pail_zkey_coefficient one;
        status = pail_told(error, pail_zkey_coefficient(&one, key, i, PAIL_SENTENCE(error)));
        if (status != PAIL_OK)
            break;
        facts->coefficients[one.matrix]++;
        if (one.constraint >= rows)
            rows = (uint64_t)one.constraint + 1;
    }
    const uint64_t others = (uint64_t)key->n_public + 1;
    facts->constraints = rows > others ? rows - others : 0;
    return status;
}

static uint64_t count_zeros(const uint8_t *points, size_t n, size_t point_bytes)
{
    static const uint8_t zeros[PAIL_ZKEY_POINT_MAX] = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += memcmp(points + i * point_bytes, zeros, point_bytes) == 0;
    return count;
}

static pail_status count_infinities(struct key_facts *facts, const struct pail_zkey *key,
                                    enum pail_zkey_msm msm, uint8_t *buffer,
                                    struct pail_progress *progress, struct pail_error *error)
{
    const struct pail_zkey_points *const points = &key->points[msm];
    const size_t at_once = BUFFER_BYTES / points->point_bytes;
    struct pail_key_points part;
    pail_key_points_init(&part, key, msm, 0, points->count);
    for (size_t first = 0; first < points->count; first += at_once) {
        const size_t left = points->count - first, n = left < at_once ? left : at_once;
        const pail_status status = pail_key_points_read(
            &part, buffer, (uint64_t)first * points->point_bytes, n * points->point_bytes);
        if (status != PAIL_OK)
            return pail_fail(error, status, "%s", part.part.error);
        facts->infinities[msm] += count_zeros(buffer, n, points->point_bytes);
        pail_progress_tick(progress, (double)(first + n) / (double)points->count);
    }
    return PAIL_OK;
}

/* Reads the coefficients and all points of an open key once. Shows progress.
 *
 * Returns PAIL_OK or a status with a sentence in *error. */
static pail_status key_facts_read(struct key_facts *facts, struct pail_zkey *key,
                                  struct pail_error *error)
{
    *facts = (struct key_facts){0};
    struct pail_verifying_key verifying = {0};
    read_sections(facts, key);
    pail_status status =
        pail_told(error, pail_verifying_key_of_zkey(&verifying, key, PAIL_SENTENCE(error)));
    pail_verifying_key_free(&verifying); /* it was to be read once */
    if (status == PAIL_OK)
        status = read_coefficients(facts, key, error);
    if (status != PAIL_OK)
        return status;
    uint8_t *const buffer = malloc(BUFFER_BYTES);
    if (!buffer)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for points");
    for (enum pail_zkey_msm msm = 0; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++) {
        struct pail_progress progress;
        pail_progress_begin(&progress, pail_zkey_msm_name(msm));
        status = count_infinities(facts, key, msm, buffer, &progress, error);
        (void)pail_progress_end(&progress);
    }
    free(buffer);
    return status;
}

/* ---- Device memory of the multiplications ---------------------------------------------------- */

struct key_memory {
    char backend[64], device[256];
    uint64_t bases[PAIL_ZKEY_MSMS]; /* bytes of points that stay there */
    uint64_t work[PAIL_ZKEY_MSMS];  /* bytes of one multiplication besides */
};

enum { ROWS_MAX = 64 };

static pail_status estimate_memory(struct key_memory *memory, const struct pail_zkey *key,
                                   enum pail_zkey_msm msm, const pail_backend *backend,
                                   const pail_device_info *device, struct pail_error *error)
{
    pail_memory_row rows[ROWS_MAX] = {{.struct_size = sizeof(rows[0])}};
    size_t n_rows = ROWS_MAX;
    pail_stats stats = {.struct_size = sizeof(stats)};
    const pail_memory_query query = {.struct_size = sizeof(query),
                                     .curve = key->curve,
                                     .group = pail_zkey_msm_group(msm),
                                     .n = key->points[msm].count,
                                     .device = device};
    const pail_status status = backend->msm_memory(rows, &n_rows, &stats, &query);
    if (status != PAIL_OK)
        return pail_fail(error, status, "%s: %s: %s", backend->name, pail_zkey_msm_name(msm),
                         backend->error(NULL));
    memory->bases[msm] = stats.bytes_bases;
    memory->work[msm] = stats.bytes_estimate;
    return PAIL_OK;
}

/* Asks a backend that gives an account of its memory, for the limits of its best device. Points at
 * infinity count, which may be left out when points are registered. Nothing runs.
 *
 * In: params: `backend` and `device` alone are read.
 * Returns PAIL_OK or a status with a sentence in *error. */
static pail_status key_memory_read(struct key_memory *memory, const struct pail_zkey *key,
                                   const struct pail_session_params *params,
                                   struct pail_error *error)
{
    const pail_host host = pail_log_host();
    const pail_registry_params wanted = {
        .struct_size = sizeof(wanted), .host = &host, .backend = params->backend};
    const struct pail_session_params asked = {.backend = params->backend,
                                              .needs = PAIL_ABILITY_ACCOUNT};
    pail_registry *registry = NULL;
    const pail_backend *backend = NULL;
    pail_device_info device;
    *memory = (struct key_memory){0};
    pail_status status =
        pail_told(error, pail_registry_create(&registry, &wanted, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_session_choose(&backend, registry, &asked, error);
    if (status == PAIL_OK)
        status = params->device != NULL
                     ? pail_device_read(&device, backend, &host, params->device, error)
                     : pail_device_read_best(&device, backend, &host, error);
    for (enum pail_zkey_msm msm = 0; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++)
        status = estimate_memory(memory, key, msm, backend, &device, error);
    if (status == PAIL_OK) {
        (void)pail_line(memory->backend, sizeof(memory->backend), "%s", backend->name);
        (void)pail_line(memory->device, sizeof(memory->device), "%s", device.name);
    }
    pail_registry_destroy(&registry);
    return status;
}

/* ---- Times of the stages --------------------------------------------------------------------- */

struct key_stages {
    char backend[64], device[256];
    uint64_t device_bytes; /* of the points as they are registered */
    double open_ms;
    uint32_t b2, b2_threads; /* as in pail_groth16_key_info */
    pail_groth16_timings timings;
};

enum { SCALAR_BYTES = 32, PROOFS = 2 };

static pail_status prove(struct key_stages *stages, const pail_groth16_key *key,
                         const pail_groth16_key_info *info, uint8_t *values, uint8_t *publics,
                         struct pail_error *error)
{
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .values = values,
                                          .n_values = info->n_vars,
                                          .name = "the made-up witness"};
    const pail_groth16_options how = {.struct_size = sizeof(how), .flags = PAIL_GROTH16_STAGES};
    pail_status status = PAIL_OK;
    pail_make_scalars(pail_curve_ops(info->curve, PAIL_G1), values, (size_t)info->n_vars,
                      PAIL_SCALARS_UNIFORM, 1);
    memset(values, 0, SCALAR_BYTES);
    values[0] = 1;
    struct pail_progress progress;
    pail_progress_begin(&progress, "proving");
    for (int i = 0; i < PROOFS && status == PAIL_OK; i++) {
        pail_groth16_proof proof = {.struct_size = sizeof(proof)};
        stages->timings.struct_size = sizeof(stages->timings);
        pail_progress_tick(&progress, -1);
        status = pail_told(error, pail_groth16_prove(key, &proof, publics, &stages->timings,
                                                     &witness, &how, PAIL_SENTENCE(error)));
    }
    (void)pail_progress_end(&progress);
    return status;
}

static pail_status measure(struct key_stages *stages, const struct pail_session *session,
                           uint32_t threads, const char *path, struct pail_error *error)
{
    const pail_groth16_key_params params = {
        .struct_size = sizeof(params), .path = path, .b2_threads = threads};
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    pail_groth16_key *key = NULL;
    const double begin_ms = pail_now_ms();
    pail_status status =
        pail_told(error, pail_groth16_key_open(&key, session->backend, session->context, &params,
                                               PAIL_SENTENCE(error)));
    stages->open_ms = pail_now_ms() - begin_ms;
    if (status != PAIL_OK)
        return status;
    (void)pail_groth16_key_get_info(key, &info);
    stages->device_bytes = info.device_bytes;
    stages->b2 = info.b2;
    stages->b2_threads = info.b2_threads;
    uint8_t *const values = malloc((size_t)info.n_vars * SCALAR_BYTES);
    uint8_t *const publics = malloc((size_t)(info.n_public + 1) * SCALAR_BYTES);
    status = values && publics
                 ? prove(stages, key, &info, values, publics, error)
                 : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a made-up witness");
    free(values);
    free(publics);
    pail_groth16_key_close(&key);
    return status;
}

/* Opens the key on a device and proves with a witness of random values, which no stage can tell
 * from one that satisfies the circuit: once, so that everything is there, and again with each stage
 * waited for. Real witnesses have small values and take less.
 *
 * Returns PAIL_OK or a status with a sentence in *error. */
static pail_status key_stages_read(struct key_stages *stages, const char *path,
                                   const struct pail_session_params *params,
                                   struct pail_error *error)
{
    const pail_host host = pail_log_host();
    struct pail_session session;
    struct pail_session_params asked = *params;
    asked.needs = PAIL_ABILITY_VECTORS;
    *stages = (struct key_stages){0};
    pail_status status = pail_session_begin(&session, &host, &asked, error);
    if (status == PAIL_OK)
        status = measure(stages, &session, params->threads, path, error);
    if (status == PAIL_OK) {
        (void)pail_line(stages->backend, sizeof(stages->backend), "%s", session.backend->name);
        (void)pail_line(stages->device, sizeof(stages->device), "%s", session.device.name);
    }
    pail_session_close(&session);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

struct options {
    bool json, memory, stages;
    struct pail_session_params session;
};

/* The answer that is printed. memory, stages: NULL where it was not asked for. */
struct answer {
    const struct pail_zkey *key;
    struct key_facts facts;
    const struct key_memory *memory;
    const struct key_stages *stages;
};

static const struct pail_option rows[] = {
    {.argument = "KEY",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "a Groth16 proving key (.zkey of snarkjs, or .params of bellman)"},
    {PAIL_FLAG(
        struct options, memory, "memory",
        "also print the device memory of its points and of each multiplication, as pail mem does")},
    {PAIL_FLAG(struct options, stages, "stages",
               "also print the time of opening the key and of each stage of a proof, with a "
               "generated witness of full-size values")},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

static bool has_matrices(const struct pail_zkey *key)
{
    return key->form == PAIL_KEY_ZKEY;
}

static double share(uint64_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_memory(const struct answer *answer)
{
    (void)pail_print(stdout, "memory on %s (%s)\n", answer->memory->device,
                     answer->memory->backend);
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++)
        (void)pail_print(stdout, "%-7s points: %12" PRIu64 "  multiplication: %12" PRIu64 "\n",
                         pail_zkey_msm_name(msm), answer->memory->bases[msm],
                         answer->memory->work[msm]);
}

static void print_stages(const struct key_stages *stages)
{
    (void)pail_print(
        stdout, "stages on %s (%s): opening %.2f ms, points %" PRIu64 " bytes, proof %.2f ms\n",
        stages->device, stages->backend, stages->open_ms, stages->device_bytes,
        stages->timings.wall_ms);
    if (stages->b2 == PAIL_GROTH16_B2_CPU)
        (void)pail_print(stdout, "B2 on the CPU beside the device, up to %" PRIu32 " threads\n",
                         stages->b2_threads);
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++)
        (void)pail_print(stdout, "  %-9s %10.3f ms\n", pail_prove_stage_name(i),
                         stages->timings.stage_ms[i]);
}

static void print(const struct answer *answer)
{
    const struct pail_zkey *const key = answer->key;
    const struct key_facts *const facts = &answer->facts;
    (void)pail_print(stdout, "%s: Groth16 over %s%s\n", key->container.name,
                     pail_name_of(pail_curve_names, key->curve),
                     has_matrices(key) ? "" : ", parameters of bellman without matrices");
    if (has_matrices(key))
        (void)pail_print(stdout, "constraints: %" PRIu64 ", ", facts->constraints);
    (void)pail_print(stdout,
                     "wires: %" PRIu32 ", public values: %" PRIu32 ", domain: %" PRIu32 "\n",
                     key->n_vars, key->n_public, key->domain_size);
    if (has_matrices(key))
        (void)pail_print(stdout, "coefficients: %zu (A: %" PRIu64 ", B: %" PRIu64 "), bytes: %zu\n",
                         key->n_coefficients, facts->coefficients[0], facts->coefficients[1],
                         key->coefficient_bytes.size);
    (void)pail_print(stdout, "%-7s %5s %10s %12s %10s %6s\n", "section", "group", "points", "bytes",
                     "infinities", "share");
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key->points[msm];
        (void)pail_print(stdout, "%-7s %5s %10zu %12zu %10" PRIu64 " %5.1f%%\n",
                         pail_zkey_msm_name(msm),
                         pail_name_of(pail_group_names, pail_zkey_msm_group(msm)), points->count,
                         points->count * points->point_bytes, facts->infinities[msm],
                         100 * share(facts->infinities[msm], points->count));
    }
    for (uint32_t i = 1; i <= PAIL_KEY_SECTIONS; i++)
        if (facts->section_bytes[i] != 0)
            (void)pail_print(stdout, "section %2" PRIu32 " %-14s %12zu bytes\n", i,
                             key_section_name(i), facts->section_bytes[i]);
    if (answer->memory)
        print_memory(answer);
    if (answer->stages)
        print_stages(answer->stages);
}

static json_t *stages_object(const struct key_stages *stages)
{
    struct pail_json json, times;
    pail_json_begin(&times);
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++)
        pail_json_set_real(&times, pail_prove_stage_name(i), stages->timings.stage_ms[i]);
    pail_json_begin(&json);
    pail_json_set_text(&json, "backend", stages->backend);
    pail_json_set_text(&json, "device", stages->device);
    pail_json_set_real(&json, "open_ms", stages->open_ms);
    pail_json_set_number(&json, "device_bytes", stages->device_bytes);
    pail_json_set_text(&json, "b2", pail_name_of(pail_b2_names, stages->b2));
    pail_json_set_number(&json, "b2_threads", stages->b2_threads);
    pail_json_set_real(&json, "prove_ms", stages->timings.wall_ms);
    pail_json_set(&json, "stages_ms", pail_json_take(&times));
    return pail_json_take(&json);
}

static json_t *file_sections_object(const struct key_facts *facts)
{
    struct pail_json json;
    pail_json_begin(&json);
    for (uint32_t i = 1; i <= PAIL_KEY_SECTIONS; i++)
        if (facts->section_bytes[i] != 0)
            pail_json_set_number(&json, key_section_name(i), facts->section_bytes[i]);
    return pail_json_take(&json);
}

static pail_status print_json(const struct answer *answer, struct pail_error *error)
{
    const struct pail_zkey *const key = answer->key;
    const struct key_facts *const facts = &answer->facts;
    const struct key_memory *const memory = answer->memory;
    struct pail_json json, sections, section;
    pail_json_begin(&sections);
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key->points[msm];
        pail_json_begin(&section);
        pail_json_set_text(&section, "group",
                           pail_name_of(pail_group_names, pail_zkey_msm_group(msm)));
        pail_json_set_number(&section, "points", points->count);
        pail_json_set_number(&section, "bytes", points->count * points->point_bytes);
        pail_json_set_number(&section, "infinities", facts->infinities[msm]);
        pail_json_set_real(&section, "infinities_share",
                           share(facts->infinities[msm], points->count));
        if (memory) {
            pail_json_set_number(&section, "device_bases_bytes", memory->bases[msm]);
            pail_json_set_number(&section, "device_work_bytes", memory->work[msm]);
        }
        pail_json_set(&sections, pail_zkey_msm_name(msm), pail_json_take(&section));
    }
    pail_json_begin(&json);
    pail_json_set_text(&json, "file", key->container.name);
    pail_json_set_text(&json, "protocol", "groth16");
    pail_json_set_text(&json, "curve", pail_name_of(pail_curve_names, key->curve));
    pail_json_set_text(&json, "format", has_matrices(key) ? "zkey" : "params");
    if (has_matrices(key))
        pail_json_set_number(&json, "constraints", facts->constraints);
    pail_json_set_number(&json, "wires", key->n_vars);
    pail_json_set_number(&json, "n_public", key->n_public);
    pail_json_set_number(&json, "domain", key->domain_size);
    pail_json_set_number(&json, "bytes", key->file.size);
    pail_json_set_number(&json, "coefficients", key->n_coefficients);
    pail_json_set_number(&json, "coefficients_a", facts->coefficients[0]);
    pail_json_set_number(&json, "coefficients_b", facts->coefficients[1]);
    pail_json_set_number(&json, "coefficients_bytes", key->coefficient_bytes.size);
    pail_json_set(&json, "sections", pail_json_take(&sections));
    pail_json_set(&json, "file_sections_bytes", file_sections_object(facts));
    if (answer->stages)
        pail_json_set(&json, "proof", stages_object(answer->stages));
    if (memory) {
        pail_json_set_text(&json, "backend", memory->backend);
        pail_json_set_text(&json, "device", memory->device);
    }
    return pail_json_print(stdout, &json, error);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    struct pail_zkey key;
    struct key_memory memory;
    struct key_stages stages;
    struct answer answer = {.key = &key,
                            .memory = options->memory ? &memory : NULL,
                            .stages = options->stages ? &stages : NULL};
    if (call->n != 1) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected one KEY, got %zu; see pail key info --help", call->n);
        return;
    }
    pail_status status = pail_told(error, pail_key_file_open(&key, call->words[0], call->words[0],
                                                             NULL, 0, PAIL_SENTENCE(error)));
    if (status == PAIL_OK && options->stages && !has_matrices(&key))
        status =
            pail_fail(error, PAIL_ERR_UNSUPPORTED,
                      "%s: is a key of bellman, which has no matrices to measure a proof with; "
                      "leave --stages out",
                      call->words[0]);
    if (status == PAIL_OK)
        status = key_facts_read(&answer.facts, &key, error);
    if (status == PAIL_OK && options->memory)
        status = key_memory_read(&memory, &key, &options->session, error);
    if (status == PAIL_OK && options->stages)
        status = key_stages_read(&stages, call->words[0], &options->session, error);
    if (status == PAIL_OK && options->json)
        (void)print_json(&answer, error);
    else if (status == PAIL_OK)
        print(&answer);
    pail_zkey_close(&key);
}

const struct pail_command pail_key_info_command = {
    .name = "key info",
    .summary = "describe a Groth16 proving key",
    .usage = "KEY [--memory] [--stages] [OPTIONS]",
    .text = "Prints the curve and sizes of a proving key, and for each multiplication of a proof "
            "the number of points at infinity, which are skipped.",
    .examples = "key info circuit.zkey\n"
                "key info circuit.zkey --memory --stages\n"
                "key info circuit.params",
    .parts = {{PAIL_PART(rows)}, {PAIL_SESSION_PART(struct options, session)}},
    .size = sizeof(struct options),
    .run = run,
};
