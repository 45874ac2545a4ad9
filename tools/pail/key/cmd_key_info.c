/* `pail key info`: what a proving key holds. Without --memory and --stages it needs no backend. */
#include <inttypes.h>

#include <platform/text.h>

#include "commands.h"
#include "key_facts.h"
#include "key_memory.h"
#include "key_stages.h"
#include "options/names.h"
#include "output/json.h"
#include "prove/prove.h"

struct options {
    bool json, memory, stages;
    struct pail_session_params session;
};

/* The answer that is printed. memory, stages: NULL where it was not asked for. */
struct answer {
    const struct pail_zkey *key;
    struct pail_key_facts facts;
    const struct pail_key_memory *memory;
    const struct pail_key_stages *stages;
};

static const struct pail_option rows[] = {
    {.argument = "KEY",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "a Groth16 proving key (.zkey)"},
    {PAIL_FLAG(
        struct options, memory, "memory",
        "also print the device memory of its points and of each multiplication, as pail mem does")},
    {PAIL_FLAG(struct options, stages, "stages",
               "also print the time of opening the key and of each stage of a proof, with a "
               "generated witness of full-size values")},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

static double share(uint64_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static void print_memory(const struct answer *answer)
{
    (void)pail_print(stdout, "memory on %s (%s)\n", answer->memory->device,
                     answer->memory->backend);
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++)
        (void)pail_print(stdout, "%-7s points: %12" PRIu64 "  multiplication: %12" PRIu64 "\n",
                         pail_zkey_msm_name(msm), answer->memory->bases[msm],
                         answer->memory->work[msm]);
}

static void print_stages(const struct pail_key_stages *stages)
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
    const struct pail_key_facts *const facts = &answer->facts;
    (void)pail_print(stdout,
                     "%s: Groth16 over %s\n"
                     "constraints: %" PRIu64 ", wires: %" PRIu32 ", public values: %" PRIu32
                     ", domain: %" PRIu32 "\n"
                     "coefficients: %zu (A: %" PRIu64 ", B: %" PRIu64 "), bytes: %zu\n",
                     key->container.name, pail_name_of(pail_curve_names, key->curve),
                     facts->constraints, key->n_vars, key->n_public, key->domain_size,
                     key->n_coefficients, facts->coefficients[0], facts->coefficients[1],
                     key->coefficient_bytes.size);
    (void)pail_print(stdout, "%-7s %5s %10s %12s %10s %6s\n", "section", "group", "points", "bytes",
                     "infinities", "share");
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key->points[msm];
        (void)pail_print(stdout, "%-7s %5s %10zu %12zu %10" PRIu64 " %5.1f%%\n",
                         pail_zkey_msm_name(msm), msm == PAIL_ZKEY_B2 ? "g2" : "g1", points->count,
                         points->count * points->point_bytes, facts->infinities[msm],
                         100 * share(facts->infinities[msm], points->count));
    }
    for (uint32_t i = 1; i <= PAIL_KEY_SECTIONS; i++)
        if (facts->section_bytes[i] != 0)
            (void)pail_print(stdout, "section %2" PRIu32 " %-14s %12zu bytes\n", i,
                             pail_key_section_name(i), facts->section_bytes[i]);
    if (answer->memory != NULL)
        print_memory(answer);
    if (answer->stages != NULL)
        print_stages(answer->stages);
}

static json_t *stages_object(const struct pail_key_stages *stages)
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

static json_t *file_sections_object(const struct pail_key_facts *facts)
{
    struct pail_json json;
    pail_json_begin(&json);
    for (uint32_t i = 1; i <= PAIL_KEY_SECTIONS; i++)
        if (facts->section_bytes[i] != 0)
            pail_json_set_number(&json, pail_key_section_name(i), facts->section_bytes[i]);
    return pail_json_take(&json);
}

static pail_status print_json(const struct answer *answer, struct pail_error *error)
{
    const struct pail_zkey *const key = answer->key;
    const struct pail_key_facts *const facts = &answer->facts;
    const struct pail_key_memory *const memory = answer->memory;
    struct pail_json json, sections, section;
    pail_json_begin(&sections);
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key->points[msm];
        pail_json_begin(&section);
        pail_json_set_text(&section, "group", msm == PAIL_ZKEY_B2 ? "g2" : "g1");
        pail_json_set_number(&section, "points", points->count);
        pail_json_set_number(&section, "bytes", points->count * points->point_bytes);
        pail_json_set_number(&section, "infinities", facts->infinities[msm]);
        pail_json_set_real(&section, "infinities_share",
                           share(facts->infinities[msm], points->count));
        if (memory != NULL) {
            pail_json_set_number(&section, "device_bases_bytes", memory->bases[msm]);
            pail_json_set_number(&section, "device_work_bytes", memory->work[msm]);
        }
        pail_json_set(&sections, pail_zkey_msm_name(msm), pail_json_take(&section));
    }
    pail_json_begin(&json);
    pail_json_set_text(&json, "file", key->container.name);
    pail_json_set_text(&json, "protocol", "groth16");
    pail_json_set_text(&json, "curve", pail_name_of(pail_curve_names, key->curve));
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
    if (answer->stages != NULL)
        pail_json_set(&json, "proof", stages_object(answer->stages));
    if (memory != NULL) {
        pail_json_set_text(&json, "backend", memory->backend);
        pail_json_set_text(&json, "device", memory->device);
    }
    return pail_json_print(stdout, &json, error);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    struct pail_zkey key;
    struct pail_key_memory memory;
    struct pail_key_stages stages;
    struct answer answer = {.key = &key,
                            .memory = options->memory ? &memory : NULL,
                            .stages = options->stages ? &stages : NULL};
    if (call->n != 1) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected one KEY, got %zu; see pail key info --help", call->n);
        return;
    }
    pail_status status =
        pail_told(error, pail_zkey_open(&key, call->words[0], PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_key_facts_read(&answer.facts, &key, error);
    if (status == PAIL_OK && options->memory)
        status = pail_key_memory_read(&memory, &key, &options->session, error);
    if (status == PAIL_OK && options->stages)
        status = pail_key_stages_read(&stages, call->words[0], &options->session, error);
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
    .parts = {{PAIL_PART(rows)}, {PAIL_SESSION_PART(struct options, session)}},
    .size = sizeof(struct options),
    .run = run,
};
