/* SPDX-License-Identifier: Apache-2.0 */
#include "prove.h"

#include <inttypes.h>

#include <platform/text.h>

#include "options/names.h"
#include "output/json.h"

const char *pail_prove_stage_name(uint32_t stage)
{
    static const char *const names[PAIL_GROTH16_STAGES_COUNT] = {
        [PAIL_GROTH16_STAGE_WITNESS] = "witness",
        [PAIL_GROTH16_STAGE_UPLOAD] = "upload",
        [PAIL_GROTH16_STAGE_QUOTIENT] = "quotient",
        [PAIL_GROTH16_STAGE_A] = "A",
        [PAIL_GROTH16_STAGE_B1] = "B1",
        [PAIL_GROTH16_STAGE_B2] = "B2",
        [PAIL_GROTH16_STAGE_C] = "C",
        [PAIL_GROTH16_STAGE_H] = "H",
        [PAIL_GROTH16_STAGE_ASSEMBLE] = "assemble",
    };
    return stage < PAIL_GROTH16_STAGES_COUNT ? names[stage] : "unknown stage";
}

const char *pail_prove_time_name(const struct pail_prove_options *options, uint32_t stage)
{
    const bool together = !options->stages && stage == PAIL_GROTH16_STAGE_A;
    return together ? "multiplications" : pail_prove_stage_name(stage);
}

static bool has_time(const struct pail_prove_options *options, uint32_t stage)
{
    return options->stages || stage <= PAIL_GROTH16_STAGE_A || stage == PAIL_GROTH16_STAGE_ASSEMBLE;
}

/* "device" or "cpu". */
static const char *b2_name(uint32_t b2)
{
    return pail_name_of(pail_b2_names, b2);
}

static const char *step_name(const pail_groth16_part *part)
{
    static const char *const names[] = {"transform A", "transform B", "transform AB", "join"};
    return part->stage == PAIL_GROTH16_STAGE_QUOTIENT ? names[part->step & 3]
                                                      : pail_prove_stage_name(part->stage);
}

static void print_parts(FILE *out, const struct pail_prove_outcome *outcome)
{
    const pail_groth16_spread *const spread = &outcome->spread;
    if (spread->n_devices == 0)
        return;
    (void)pail_print(out, "%-9s %" PRIu32 " of %" PRIu32, "devices", spread->n_used,
                     spread->n_devices);
    if (spread->n_lost != 0)
        (void)pail_print(out, ", %" PRIu32 " lost, %" PRIu64 " proofs begun again", spread->n_lost,
                         spread->redone);
    (void)pail_print(out, "\n");
    for (uint32_t d = 0; d < spread->n_devices; d++) {
        const char *separator = "";
        for (size_t i = 0; i < outcome->n_parts; i++) {
            const pail_groth16_part *const part = &outcome->parts[i];
            if (part->device != d)
                continue;
            if (separator[0] == '\0')
                (void)pail_print(out, "  device %-15" PRIu32, d);
            (void)pail_print(out, "%s%s", separator, step_name(part));
            if (part->stage != PAIL_GROTH16_STAGE_QUOTIENT)
                (void)pail_print(out, " (%" PRIu64 ")", part->n);
            separator = ", ";
        }
        if (separator[0] != '\0')
            (void)pail_print(out, "\n");
    }
}

static double sum_of(const double ms[PAIL_GROTH16_STAGES_COUNT])
{
    double sum = 0;
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++)
        sum += ms[i];
    return sum;
}

/* Times of opening, and those within other times: what happens once, and what goes on beside. */
static void print_opening(FILE *out, const struct pail_prove_outcome *outcome)
{
    const pail_groth16_key_info *const key = &outcome->key;
    (void)pail_print(out, "%-9s %.2f ms: finding and opening the backend\n", "starting",
                     outcome->begin_ms);
    (void)pail_print(out, "%-9s %.2f ms: reading %.2f, matrices %.2f", "opening", outcome->open_ms,
                     key->read_ms, key->matrices_ms);
    if (!outcome->once)
        (void)pail_print(out, ", points %.2f", key->bases_ms);
    (void)pail_print(out, "\n");
}

static void print_within(FILE *out, const struct pail_prove_outcome *outcome)
{
    const pail_groth16_key_info *const key = &outcome->key;
    const double pipelines_ms = sum_of(outcome->pipelines.stage_pipelines_ms);
    if (outcome->once)
        (void)pail_print(out, "%-9s %.2f ms of the multiplications: reading the key's points\n",
                         "points", key->bases_ms);
    if (pipelines_ms >= 1)
        (void)pail_print(out, "%-9s %.2f ms of %s: made once in a process\n", "pipelines",
                         pipelines_ms,
                         outcome->options->repeat > 1 ? "the first proof" : "these times");
    if (outcome->best.b2 == PAIL_GROTH16_B2_CPU && !outcome->options->stages)
        (void)pail_print(out,
                         "%-9s %.2f ms beside the device: on the CPU, up to %" PRIu32 " threads\n",
                         "B2", outcome->best.stage_ms[PAIL_GROTH16_STAGE_B2], key->b2_threads);
}

void pail_prove_print(FILE *out, const struct pail_prove_outcome *outcome)
{
    const struct pail_prove_options *const options = outcome->options;
    const pail_groth16_key_info *const key = &outcome->key;
    (void)pail_print(out, "%-9s %s, %s\n", "backend", outcome->session.backend->name,
                     outcome->session.device.name);
    pail_prove_choice_print(out, outcome->choice, &outcome->session);
    (void)pail_print(out,
                     "%-9s %s: %s, %" PRIu64 " variables, %" PRIu64 " public, domain %" PRIu64
                     ", %" PRIu64 " coefficients\n",
                     "key", options->key, pail_name_of(pail_curve_names, key->curve), key->n_vars,
                     key->n_public, key->domain_size, key->n_coefficients);
    if (options->circuit)
        (void)pail_print(out, "%-9s %s: %.2f ms\n", "circuit", options->circuit,
                         outcome->calculated.ms);
    print_opening(out, outcome);
    (void)pail_print(out, "%-9s %.2f ms", "proof", outcome->best.wall_ms);
    if (options->repeat > 1)
        (void)pail_print(out, ", the best of %" PRIu64 " (mean %.2f, worst %.2f)", options->repeat,
                         outcome->mean_ms, outcome->max_ms);
    (void)pail_print(out, "\n");
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++) {
        const double pipelines_ms = options->stages ? outcome->best.stage_pipelines_ms[i] : 0;
        if (!has_time(options, i))
            continue;
        (void)pail_print(out, "  %-22s %10.3f ms", pail_prove_time_name(options, i),
                         outcome->best.stage_ms[i]);
        if (pipelines_ms >= 1)
            (void)pail_print(out, ", of which pipelines %.3f", pipelines_ms);
        (void)pail_print(out, "\n");
    }
    print_within(out, outcome);
    print_parts(out, outcome);
    if (options->fixed_blinding)
        (void)pail_print(out, "%-9s r = s = 0: the proof does not hide its witness\n", "blinding");
    if (options->no_check)
        (void)pail_print(out, "%-9s none, as --no-check says\n", "check");
    else
        (void)pail_print(out, "%-9s valid (%.2f ms)\n", "check", outcome->verify_ms);
    (void)pail_print(out, "%-9s %s, %s\n", "written", options->proof, options->publics);
}

static json_t *key_object(const struct pail_prove_outcome *outcome)
{
    const pail_groth16_key_info *const key = &outcome->key;
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "path", outcome->options->key);
    pail_json_set_text(&json, "curve", pail_name_of(pail_curve_names, key->curve));
    pail_json_set_number(&json, "variables", key->n_vars);
    pail_json_set_number(&json, "public", key->n_public);
    pail_json_set_number(&json, "domain", key->domain_size);
    pail_json_set_number(&json, "coefficients", key->n_coefficients);
    pail_json_set_number(&json, "points", key->n_points);
    pail_json_set_number(&json, "infinities", key->n_infinities);
    pail_json_set_number(&json, "device_bytes", key->device_bytes);
    pail_json_set_number(&json, "host_bytes", key->host_bytes);
    pail_json_set_real(&json, "open_ms", outcome->open_ms);
    pail_json_set_real(&json, "read_ms", key->read_ms);
    pail_json_set_real(&json, "matrices_ms", key->matrices_ms);
    pail_json_set_real(&json, "bases_ms", key->bases_ms);
    pail_json_set_text(&json, "b2", b2_name(key->b2));
    pail_json_set_number(&json, "b2_threads", key->b2_threads);
    return pail_json_take(&json);
}

static json_t *stages_object(const struct pail_prove_outcome *outcome, const double *ms)
{
    struct pail_json json;
    pail_json_begin(&json);
    for (uint32_t i = 0; i < PAIL_GROTH16_STAGES_COUNT; i++)
        if ((has_time(outcome->options, i) || i == PAIL_GROTH16_STAGE_B2) && ms[i] > 0)
            pail_json_set_real(&json, pail_prove_time_name(outcome->options, i), ms[i]);
    return pail_json_take(&json);
}

static json_t *parts_array(const struct pail_prove_outcome *outcome)
{
    struct pail_json list;
    pail_json_begin_list(&list);
    for (size_t i = 0; i < outcome->n_parts; i++) {
        const pail_groth16_part *const part = &outcome->parts[i];
        struct pail_json json;
        pail_json_begin(&json);
        pail_json_set_text(&json, "part", step_name(part));
        pail_json_set_number(&json, "device", part->device);
        pail_json_set_number(&json, "first", part->first);
        pail_json_set_number(&json, "n", part->n);
        pail_json_add(&list, pail_json_take(&json));
    }
    return pail_json_take(&list);
}

static json_t *spread_object(const struct pail_prove_outcome *outcome)
{
    const pail_groth16_spread *const spread = &outcome->spread;
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_number(&json, "devices", spread->n_devices);
    pail_json_set_number(&json, "used", spread->n_used);
    pail_json_set_number(&json, "lost", spread->n_lost);
    pail_json_set_number(&json, "placements", spread->placements);
    pail_json_set_number(&json, "redone", spread->redone);
    pail_json_set_real(&json, "expected_ms", spread->expected_ms);
    pail_json_set_real(&json, "whole_ms", spread->whole_ms);
    pail_json_set(&json, "parts", parts_array(outcome));
    return pail_json_take(&json);
}

pail_status pail_prove_print_json(FILE *out, const struct pail_prove_outcome *outcome,
                                  struct pail_error *error)
{
    const struct pail_prove_options *const options = outcome->options;
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "backend", outcome->session.backend->name);
    pail_json_set_text(&json, "device", outcome->session.device.name);
    if (outcome->session.fallback[0] != '\0')
        pail_json_set_text(&json, "fallback", outcome->session.fallback);
    pail_json_set(&json, "choice", pail_prove_choice_object(outcome->choice, &outcome->session));
    pail_json_set(&json, "key", key_object(outcome));
    if (outcome->spread.n_devices != 0)
        pail_json_set(&json, "spread", spread_object(outcome));
    pail_json_set_text(&json, "witness", options->witness);
    pail_json_set_number(&json, "repeats", options->repeat);
    pail_json_set_real(&json, "start_ms", outcome->begin_ms);
    pail_json_set_real(&json, "pipelines_ms", sum_of(outcome->pipelines.stage_pipelines_ms));
    pail_json_set_text(&json, "b2", b2_name(outcome->best.b2));
    if (outcome->options->circuit)
        pail_json_set_real(&json, "circuit_ms", outcome->calculated.ms);
    pail_json_set_real(&json, "prove_ms", outcome->best.wall_ms);
    pail_json_set_real(&json, "prove_ms_mean", outcome->mean_ms);
    pail_json_set_real(&json, "prove_ms_max", outcome->max_ms);
    pail_json_set(&json, "stages_ms", stages_object(outcome, outcome->best.stage_ms));
    pail_json_set(&json, "stages_device_ms", stages_object(outcome, outcome->best.stage_device_ms));
    pail_json_set_bool(&json, "fixed_blinding", options->fixed_blinding);
    pail_json_set_bool(&json, "checked", !options->no_check);
    if (!options->no_check)
        pail_json_set_real(&json, "verify_ms", outcome->verify_ms);
    pail_json_set_real(&json, "total_ms", outcome->total_ms);
    pail_json_set_text(&json, "proof", options->proof);
    pail_json_set_text(&json, "publics", options->publics);
    return pail_json_print(out, &json, error);
}
