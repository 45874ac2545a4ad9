/* SPDX-License-Identifier: Apache-2.0 */
/* `pail witness`: the witness of a circuit of circom, from its inputs. */
#include "witness.h"

#include <string.h>

#include <formats/file.h>
#include <formats/inputs_json.h>
#include <platform/clock.h>
#include <platform/file.h>
#include <platform/text.h>

#include "commands.h"
#include "output/json.h"
#include "output/progress.h"

struct options {
    bool json;
    struct pail_witness_limits limits;
};

#define OF struct pail_witness_limits
const struct pail_option pail_witness_rows[PAIL_WITNESS_ROWS] = {
    {PAIL_U64(OF, memory_mib, "circuit-memory", "MIB",
              "most memory of the circuit's WebAssembly, in MiB"),
     .min = 1, .max = 4096},
    {PAIL_U64(OF, time_s, "circuit-time", "S", "most seconds for compiling and running it"),
     .min = 1, .max = 1000000},
};
#undef OF

/* ---- Calculating ----------------------------------------------------------------------------- */

pail_status pail_witness_open(pail_circuit **circuit, const char *path, uint32_t flags,
                              const struct pail_witness_limits *limits, struct pail_error *error)
{
    const pail_circuit_params params = {.struct_size = sizeof(params),
                                        .flags = flags,
                                        .path = path,
                                        .memory_limit = limits->memory_mib << 20};
    return pail_told(error, pail_circuit_open(circuit, &params, PAIL_SENTENCE(error)));
}

static void say_line(void *user, const char *line)
{
    (void)user;
    (void)pail_print(stderr, "circuit: %s\n", line);
}

pail_status pail_witness_of_text(struct pail_calculated *made, pail_circuit *circuit,
                                 const char *text, size_t size, const char *name,
                                 const pail_circuit_options *options, struct pail_error *error)
{
    struct pail_inputs inputs;
    const double begin_ms = pail_now_ms();
    *made = (struct pail_calculated){.wtns = NULL};
    pail_status status =
        pail_told(error, pail_inputs_of_text(&inputs, text, size, name, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_told(error,
                           pail_circuit_witness(circuit, &made->wtns, &made->bytes, inputs.signals,
                                                inputs.n, options, PAIL_SENTENCE(error)));
    pail_inputs_free(&inputs);
    made->ms = pail_now_ms() - begin_ms;
    return status;
}

pail_status pail_witness_calculate(struct pail_calculated *made, pail_circuit *circuit,
                                   const char *inputs, const struct pail_witness_limits *limits,
                                   struct pail_error *error)
{
    struct pail_bytes text;
    const pail_circuit_options options = {
        .struct_size = sizeof(options), .time_limit_ms = 1000 * limits->time_s, .log = say_line};
    *made = (struct pail_calculated){.wtns = NULL};
    pail_status status =
        pail_told(error, pail_file_load_whole(&text, inputs, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    struct pail_progress progress;
    pail_progress_begin(&progress, "running the circuit");
    pail_progress_tick(&progress, -1);
    status = pail_witness_of_text(made, circuit, (const char *)text.data, text.size, inputs,
                                  &options, error);
    (void)pail_progress_end(&progress);
    pail_bytes_free(&text, true);
    return status;
}

void pail_witness_free(struct pail_calculated *made)
{
    pail_circuit_free(made->wtns, made->bytes);
    *made = (struct pail_calculated){.wtns = NULL};
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct pail_option rows[] = {
    {.argument = "CIRCUIT.wasm INPUT.json OUT.wtns",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "the WebAssembly that circom 2 writes with --wasm, its input signals, and where the "
             "witness goes, which only its owner may read"},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object, with the circuit's time")},
};

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    static const struct pail_magic head = {"wtns", 4};
    const struct pail_replace_rule rule = {.ours = &head, .n_ours = 1, .mode = 0600};
    struct pail_replace file = PAIL_REPLACE_NONE;
    struct pail_calculated made = {.wtns = NULL};
    pail_circuit *circuit = NULL;
    if (call->n != 3) {
        (void)pail_fail(
            error, PAIL_ERR_ARGUMENT,
            "expected CIRCUIT.wasm INPUT.json OUT.wtns, got %zu; see pail witness --help", call->n);
        return;
    }
    const char *const path = call->words[2];
    const char *why = pail_replace_begin(&file, path, &rule);
    pail_status status = why ? pail_fail(error, PAIL_ERR_IO, "%s: %s", path, why) : PAIL_OK;
    if (status == PAIL_OK)
        status =
            pail_witness_open(&circuit, call->words[0], PAIL_CIRCUIT_ONCE, &options->limits, error);
    if (status == PAIL_OK)
        status = pail_witness_calculate(&made, circuit, call->words[1], &options->limits, error);
    if (status == PAIL_OK) {
        why = pail_replace_write(&file, made.wtns, made.bytes);
        if (!why)
            why = pail_replace_publish(&file);
        if (why)
            status = pail_fail(error, PAIL_ERR_IO, "%s: %s", path, why);
    }
    if (status == PAIL_OK && options->json) {
        struct pail_json json;
        pail_json_begin(&json);
        pail_json_set_text(&json, "written", path);
        pail_json_set_number(&json, "bytes", made.bytes);
        pail_json_set_real(&json, "circuit_ms", made.ms);
        (void)pail_json_print(stdout, &json, error);
    }
    pail_witness_free(&made);
    pail_circuit_close(&circuit);
    pail_replace_end(&file);
}

static const struct options defaults = {.limits = PAIL_WITNESS_LIMITS};

const struct pail_command pail_witness_command = {
    .name = "witness",
    .summary = "calculate the witness of a circuit, as snarkjs wtns calculate does",
    .usage = "CIRCUIT.wasm INPUT.json OUT.wtns [OPTIONS]",
    .text = "Runs a circuit that circom has compiled to WebAssembly, and writes its witness. "
            "INPUT.json is an object with a value, or arrays of values, for each input signal: "
            "integers, or strings of decimal digits or of hexadecimal ones after 0x. Lines that "
            "the circuit logs go to standard error.\n"
            "pail prove takes the circuit and its inputs, too, and then writes no witness.",
    .examples = "witness circuit.wasm input.json witness.wtns\n"
                "witness circuit.wasm input.json witness.wtns --circuit-time 60 --json",
    .parts = {{PAIL_PART(rows)}, {PAIL_WITNESS_PART(struct options, limits)}},
    .size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
