#include <stddef.h>

#include "commands.h"
#include "eval.h"

/* The limit of all evaluations together: far longer than a launch can wait for its stack sizes. */
#define DEFAULT_MAX_MS 10000u

#define OF struct pail_sizing_options
static const struct pail_option rows[] = {
    {.argument = "FILE",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "trees and arrays in JSON"},
    {PAIL_FLAG(OF, host_only, "host-only", "the host alone")},
    {PAIL_FLAG(OF, device_only, "device-only", "the device alone")},
    {PAIL_FLAG(OF, interpret, "interpret", "on the device with the interpreter")},
    {PAIL_FLAG(OF, specialise, "specialise",
               "on the device with kernels that are compiled for the trees")},
    {PAIL_U32(OF, runs, "runs", "N", "evaluate N times in each way, alternating, for the times"),
     .min = 1, .max = 1000000},
    {PAIL_U64(OF, max_cells, "max-cells", "N",
              "end an evaluation that takes more cells than this; by default any number")},
    {PAIL_U32(OF, max_ms, "max-ms", "N",
              "end when all evaluations together take longer than this; 0: any time")},
    {PAIL_FLAG(OF, nodes, "nodes",
               "print the trees as the nodes that a compiler registers, and evaluate nothing; "
               "needs no backend")},
    {PAIL_TEXT(OF, session.backend, "backend", "NAME",
               "use this backend; by default the best one that sizes stacks")},
    {PAIL_TEXT(OF, session.device, "device", "D", PAIL_HELP_DEVICE)},
    {PAIL_FILE(OF, session.cache_dir, "cache-dir", "DIR", "folder of the pipeline cache"),
     .not_empty = true},
    {PAIL_FLAG(OF, json, "json", "print one JSON object")},
    {PAIL_FLAG(OF, verbose, "verbose", PAIL_HELP_VERBOSE)},
};
#undef OF

const struct pail_command pail_adstack_eval_command = {
    .name = "adstack eval",
    .summary = "evaluate size expressions of history stacks from a file",
    .usage = "FILE [OPTIONS]",
    .text = "Evaluates the trees of a kernel's history stacks with the arrays of a JSON file "
            "(docs/adstack-eval.md): on the host, on the device, by the backend's choice, and from "
            "its caches. Compares the results, also with those expected by the file.",
    .parts = {{PAIL_PART(rows)}},
    .tail =
        "Times are by the clock, from before the call until it has returned, in milliseconds; "
        "of software drivers they say nothing about a GPU. Status 1: results differ from each "
        "other, or from those expected by the file. Status 3: the file is wrong, or a tree cannot "
        "be computed. Status 5: among other things, an evaluation was ended by --max-cells or "
        "--max-ms. Ctrl-C ends an evaluation at once.",
    .size = sizeof(struct pail_sizing_options),
    .defaults = &(const struct pail_sizing_options){.runs = 5,
                                                    .max_ms = DEFAULT_MAX_MS,
                                                    .session = {.needs = PAIL_ABILITY_ADSTACK}},
    .run = pail_sizing_run_eval,
};

pail_status pail_sizing_options_check(struct pail_sizing_options *options,
                                      const struct pail_call *call, struct pail_error *error)
{
    const char *wrong = NULL;
    if (call->n != 1)
        wrong = call->n > 1 ? "more than one file is given" : "no file is given";
    else if (options->host_only && options->device_only)
        wrong = "--host-only and --device-only exclude each other";
    else if (options->interpret && options->specialise)
        wrong = "--interpret and --specialise exclude each other";
    else if (options->host_only && (options->interpret || options->specialise))
        wrong = "--interpret and --specialise are about the device, which --host-only leaves out";
    if (wrong != NULL)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s; see pail adstack eval --help", wrong);
    options->file = call->words[0];
    return PAIL_OK;
}
