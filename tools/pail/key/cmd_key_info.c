/* `pail key info`: what a proving key holds. Without --memory it needs no backend. */
#include <inttypes.h>

#include <platform/line.h>

#include "commands.h"
#include "key_facts.h"
#include "key_memory.h"
#include "options/names.h"
#include "output/json.h"

struct options {
    bool json, memory;
    struct pail_session_params session;
};

/* What is printed. memory: NULL: it was not asked for. */
struct answer {
    const struct pail_zkey *key;
    struct pail_key_facts facts;
    const struct pail_key_memory *memory;
};

static const struct pail_option rows[] = {
    {.argument = "KEY",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "a Groth16 proving key (.zkey)"},
    {PAIL_FLAG(struct options, memory, "memory",
               "also how many bytes its points and each multiplication take at most on the device, "
               "as pail mem accounts for them")},
    {PAIL_TEXT(struct options, session.backend, "backend", "NAME",
               "of the account; by default the best one that gives one")},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

static double share(uint64_t part, size_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
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
    if (answer->memory == NULL)
        return;
    (void)pail_print(stdout, "memory on %s (%s)\n", answer->memory->device,
                     answer->memory->backend);
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++)
        (void)pail_print(stdout, "%-7s points: %12" PRIu64 "  multiplication: %12" PRIu64 "\n",
                         pail_zkey_msm_name(msm), answer->memory->bases[msm],
                         answer->memory->work[msm]);
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
    struct answer answer = {.key = &key, .memory = options->memory ? &memory : NULL};
    if (call->n != 1) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "%zu files are given, and one is needed; see pail key info --help",
                        call->n);
        return;
    }
    pail_status status =
        pail_told(error, pail_zkey_open(&key, call->words[0], PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_key_facts_read(&answer.facts, &key, error);
    if (status == PAIL_OK && options->memory)
        status = pail_key_memory_read(&memory, &key, &options->session, error);
    if (status == PAIL_OK && options->json)
        (void)print_json(&answer, error);
    else if (status == PAIL_OK)
        print(&answer);
    pail_zkey_close(&key);
}

const struct pail_command pail_key_info_command = {
    .name = "key info",
    .summary = "what a Groth16 proving key holds",
    .usage = "KEY [--memory] [--json]",
    .text = "Reads a proving key and says its curve, its sizes, and how many points of each "
            "multiplication of a proof are at infinity and need not be multiplied.",
    .parts = {{PAIL_PART(rows)}},
    .size = sizeof(struct options),
    .run = run,
};
