#include <stddef.h>

#include "eval.h"
#include "options/tables.h"
#include <formats/report.h>

/* Of an evaluation: far more than whatever sizes stacks before a launch can wait for. */
#define DEFAULT_MAX_MS 10000u

static const struct pail_option rows[] = {
    {PAIL_FLAG(struct pail_sizing_options, host_only, "host-only", "the host alone")},
    {PAIL_FLAG(struct pail_sizing_options, device_only, "device-only", "the device alone")},
    {PAIL_FLAG(struct pail_sizing_options, interpret, "interpret",
               "on the device with the interpreter")},
    {PAIL_FLAG(struct pail_sizing_options, specialise, "specialise",
               "on the device with kernels that are compiled for the trees")},
    {PAIL_U32(struct pail_sizing_options, runs, "runs", "N",
              "evaluate N times in each way, in turn, for the times (default 5)"),
     .min = 1, .max = 1000000},
    {PAIL_U64(struct pail_sizing_options, max_cells, "max-cells", "N",
              "end an evaluation that takes more cells than this (default 0: any number)")},
    {PAIL_U32(struct pail_sizing_options, max_ms, "max-ms", "N",
              "end an evaluation that takes longer than this (default 10000; 0: any time)")},
    {PAIL_FLAG(struct pail_sizing_options, nodes, "nodes",
               "print the trees as the nodes that a compiler registers, and evaluate nothing; "
               "needs no backend")},
    {PAIL_TEXT(struct pail_sizing_options, session.backend, "backend", "NAME",
               "use this backend; by default the best one that sizes stacks")},
    {PAIL_TEXT(struct pail_sizing_options, session.device, "device", "D",
               "index of a device, or a part of its name")},
    {PAIL_TEXT(struct pail_sizing_options, session.cache_dir, "cache-dir", "DIR",
               "folder of the pipeline cache"),
     .not_empty = true},
    {PAIL_FLAG(struct pail_sizing_options, json, "json", "print one JSON object")},
    {PAIL_FLAG(struct pail_sizing_options, verbose, "verbose", "show what the backend logs")},
};

const struct pail_option_table pail_sizing_eval_table = {
    .command = "adstack eval",
    .head = "usage: pail adstack eval FILE [OPTIONS]\n"
            "\n"
            "Evaluates the trees of a kernel's history stacks with the arrays of a JSON file\n"
            "(docs/adstack-eval.md): on the host, on the device, as the backend would choose,\n"
            "and out of its caches; and compares what comes out, also with what the file\n"
            "expects.\n"
            "\n",
    .rows = rows,
    .n = sizeof(rows) / sizeof(rows[0]),
    .column = 21,
    .tail = "\n"
            "Times are by the clock, from before the call until it has returned, in\n"
            "milliseconds; of software drivers they say nothing about a GPU. Status 1: the\n"
            "ways differ from one another, or from what the file expects. Status 3: the file\n"
            "is wrong, or a tree cannot be computed. Status 5: among other things, an\n"
            "evaluation was ended by --max-cells or --max-ms. Ctrl-C ends an evaluation at\n"
            "once.\n",
    .takes_words = true,
};

pail_status pail_sizing_options_read(struct pail_sizing_options *options, int argc, char **argv,
                                     char *error, size_t error_cap)
{
    *options = (struct pail_sizing_options){
        .runs = 5, .max_ms = DEFAULT_MAX_MS, .session = {.needs = PAIL_ABILITY_ADSTACK}};
    struct pail_option_rest rest;
    const pail_status status = pail_options_read(&rest, options, &pail_sizing_eval_table, 0, 1,
                                                 argc, argv, error, error_cap);
    options->help = rest.help;
    if (status != PAIL_OK || rest.help)
        return status;
    const char *wrong = NULL;
    if (rest.n != 1)
        wrong = rest.n > 1 ? "more than one file is given" : "no file is given";
    else if (options->host_only && options->device_only)
        wrong = "--host-only and --device-only exclude each other";
    else if (options->interpret && options->specialise)
        wrong = "--interpret and --specialise exclude each other";
    else if (options->host_only && (options->interpret || options->specialise))
        wrong = "--interpret and --specialise are about the device, which --host-only leaves out";
    if (wrong != NULL)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "%s; see pail adstack eval --help",
                           wrong);
    options->file = rest.words[0];
    return PAIL_OK;
}
