/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* scandir */

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fit.h"
#include "output/json.h"
#include <platform/process.h>

struct options {
    const char *fit, *rates;
    uint32_t tries, seed;
    bool json;
};

static const struct options defaults = {.tries = 600, .seed = 1};

static const struct pail_option rows[] = {
    {.argument = "SCENARIO",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help =
         "a file of names and numbers, like those in share/pail/scenarios, or a .zkey; and "
         "loads: number of proofs and proofs at a time, such as 20:15, or 20:15:2 with the slots "
         "of a GPU"},
    {PAIL_FILE(struct options, rates, "rates", "FILE",
               "with a .zkey: a machine other than an H200 with 16 processors, as lines of a "
               "scenario, and its rates, such as g1_ms and g1_ns"),
     .not_empty = true},
    {PAIL_FILE(struct options, fit, "fit", "FILE",
               "first fit the free parameters to the rows of this file"),
     .not_empty = true},
    {PAIL_U32(struct options, tries, "tries", "N", "simulations of each row for that"), .min = 3,
     .max = 1000000},
    {PAIL_U32(struct options, seed, "seed", "N", "seed of the spread of witnesses"), .min = 1,
     .max = UINT32_MAX},
    {PAIL_FLAG(struct options, json, "json", "print a JSON object for each row")},
};

static pail_status read_load(struct pail_load *load, const char *text, struct pail_error *error)
{
    char more[2];
    load->inflight = 0;
    const int n = sscanf(text, "%" SCNu32 ":%" SCNu32 ":%" SCNu32 "%1s", &load->count, &load->jobs,
                         &load->inflight, more);
    if ((n != 2 && n != 3) || strspn(text, "0123456789:") != strlen(text) || load->count == 0 ||
        load->jobs == 0 || load->inflight > 64 || (n == 3 && load->inflight == 0))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "\"%.40s\" is no load as 20:15 or 20:15:2: proofs, jobs, slots", text);
    return PAIL_OK;
}

static void print_json(const struct pail_simulated *out, const struct pail_load *load,
                       struct pail_error *error)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_number(&json, "proofs", load->count);
    pail_json_set_number(&json, "jobs", load->jobs);
    pail_json_set_real(&json, "s_per_proof", out->s_per_proof);
    pail_json_set_real(&json, "slot_s", out->slot_s);
    pail_json_set_real(&json, "busy_percent", out->busy_percent);
    pail_json_set_real(&json, "device_percent", out->device_percent);
    pail_json_set_real(&json, "producing_s", out->producing_s);
    pail_json_set_real(&json, "in_slots", out->in_slots);
    pail_json_set_real(&json, "by_little", out->by_little);
    pail_json_set_real(&json, "idle_gaps", out->idle_gaps);
    pail_json_set_real(&json, "longest_gap_s", out->longest_gap_s);
    pail_json_set_real(&json, "peak_card_gib", out->peak_card_gib);
    pail_json_set_real(&json, "peak_host_gib", out->peak_host_gib);
    pail_json_set_number(&json, "out_of_memory", out->out_of_memory);
    pail_json_set_number(&json, "failed", out->failed);
    (void)pail_json_print(stdout, &json, error);
}

/* Proofs with a key take milliseconds, and those of a scenario seconds. */
static void print_row(const struct pail_simulated *out, const struct pail_load *load, bool in_ms)
{
    const double unit = in_ms ? 1000 : 1;
    (void)printf("%4" PRIu32 " %4" PRIu32 " %9.2f %8.1f %7.1f %8.1f %9.1f %8.2f %8.2f %6.1f %6.1f "
                 "%5" PRIu32 " %6" PRIu32 "\n",
                 load->count, load->jobs, unit * out->s_per_proof, unit * out->slot_s,
                 out->busy_percent, out->device_percent, unit * out->producing_s, out->in_slots,
                 out->by_little, out->peak_card_gib, out->peak_host_gib, out->out_of_memory,
                 out->failed);
}

static pail_status simulate(const struct pail_scenario *scenario, const struct options *options,
                            const char *text, struct pail_error *error)
{
    struct pail_load load = {.seed = options->seed};
    struct pail_simulated out;
    pail_status status = read_load(&load, text, error);
    if (status == PAIL_OK)
        status = pail_simulate(&out, scenario, &load, error);
    if (status == PAIL_OK && options->json)
        print_json(&out, &load, error);
    else if (status == PAIL_OK)
        print_row(&out, &load, scenario->has_key);
    return error->status;
}

static pail_status fit(struct pail_scenario *scenario, const struct options *options,
                       struct pail_error *error)
{
    struct pail_measured_rows measured;
    double left = 0;
    pail_status status = pail_measured_read(&measured, options->fit, error);
    if (status == PAIL_OK)
        status = pail_fit(scenario, &left, &measured, options->tries, error);
    if (status == PAIL_OK && !options->json)
        (void)printf("slot_per_producer %.5f\nproducer_per_g2 %.5f\nstall_per_release %.5f\n"
                     "spread %.5f\nleft %.2f %%\n",
                     scenario->slot_per_producer, scenario->producer_per_g2,
                     scenario->stall_per_release, scenario->spread, 100 * left);
    return status;
}

/* The folder of installed scenarios, found from the program's own path; for free. NULL: there is
 * none. */
static char *scenario_folder(void)
{
    char *const program = realpath(pail_program_path(), NULL);
    char *const slash = program ? strrchr(program, '/') : NULL;
    char path[PATH_MAX] = "";
    if (slash)
        (void)snprintf(path, sizeof(path), "%.*s/" PAIL_TO_SCENARIOS, (int)(slash - program),
                       program);
    free(program);
    return realpath(path, NULL);
}

/* Refuses a missing scenario with the names of those that are installed. */
static void say_scenarios(struct pail_error *error)
{
    char names[512] = "";
    struct dirent **entries = NULL;
    char *const folder = scenario_folder();
    const int n = folder ? scandir(folder, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct pail_scenario scenario;
        struct pail_error ignored;
        const size_t used = strlen(names);
        const char *const name = entries[i]->d_name;
        const int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
        if (name[0] != '.' && length < (int)sizeof(path) &&
            pail_scenario_read(&scenario, path, &ignored) == PAIL_OK) /* not rows to fit to */
            (void)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "", name);
        free(entries[i]);
    }
    free(entries);
    if (names[0] != '\0')
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "a scenario is missing: a file of yours, or one of those in %s: %s", folder,
                        names);
    else
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "a scenario is missing: a file of names and numbers; see pail simulate "
                        "--help");
    free(folder);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    static const char *const usual[] = {"1:1", "5:5", "10:10", "15:15", "20:15"};
    enum { USUAL = sizeof(usual) / sizeof(usual[0]) };
    const struct options *const options = given;
    struct pail_scenario scenario;
    if (call->n == 0) {
        say_scenarios(error);
        return;
    }
    const bool is_key = pail_scenario_is_key(call->words[0]);
    if (options->rates && !is_key) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT, "--rates is for a .zkey, and %s is none",
                        call->words[0]);
        return;
    }
    const pail_status status =
        is_key ? pail_scenario_read_key(&scenario, call->words[0], options->rates, error)
               : pail_scenario_read(&scenario, call->words[0], error);
    if (status != PAIL_OK || (options->fit && fit(&scenario, options, error) != PAIL_OK))
        return;
    if (!options->json)
        (void)printf(
            "   c    j %9s %8s  busy %% device %% %9s in slots  Little   card   host   oom "
            "failed\n",
            is_key ? "ms/proof" : "s/proof", is_key ? "slot ms" : "slot s",
            is_key ? "produce ms" : "produce s");
    const size_t n = call->n > 1 ? call->n - 1 : USUAL;
    for (size_t i = 0; i < n && error->status == PAIL_OK; i++)
        (void)simulate(&scenario, options, call->n > 1 ? call->words[i + 1] : usual[i], error);
}

const struct pail_command pail_simulate_command = {
    .name = "simulate",
    .summary = "simulate the prover's scheduler on a described machine",
    .usage = "SCENARIO [C:J[:SLOTS]...] [--fit FILE] [--json]\n"
             "KEY.zkey [C:J[:SLOTS]...] [--rates FILE] [--json]",
    .text = "Runs the prover's scheduler in virtual time: C proofs, J at a time, on the machine "
            "and with the stages of a scenario, or with those of a key by rates of a device. Its "
            "free parameters determine how stages slow each "
            "other down. A row has the seconds and slot seconds of a proof, and the utilisation of "
            "slots and devices.",
    .examples = "simulate\n"
                "simulate machine.txt 64:8",
    .parts = {{PAIL_PART(rows)}},
    .once = true,
    .size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
