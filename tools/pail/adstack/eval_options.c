#define _POSIX_C_SOURCE 200809L

#include <getopt.h>
#include <stdio.h>

#include "commands.h"
#include "eval.h"
#include "options/number.h"
#include <formats/report.h>

const char pail_sizing_eval_help[] =
    "usage: pail adstack eval FILE [OPTIONS]\n"
    "\n"
    "Evaluates the trees of a kernel's history stacks with the arrays of a JSON file\n"
    "(docs/adstack-eval.md): on the host, on the device, as the backend would choose, and out of\n"
    "its caches; and compares what comes out, also with what the file expects.\n"
    "\n"
    "  --host-only        the host alone\n"
    "  --device-only      the device alone\n"
    "  --interpret        on the device with the interpreter\n"
    "  --specialise       on the device with kernels that are compiled for the trees\n"
    "  --runs N           evaluate N times in each way, in turn, for the times (default 5)\n"
    "  --max-cells N      end an evaluation that takes more cells than this (default 0: any "
    "number)\n"
    "  --max-ms N         end an evaluation that takes longer than this (default 10000; 0: any\n"
    "                     time)\n"
    "  --nodes            print the trees as the nodes that a compiler registers, and evaluate\n"
    "                     nothing; needs no backend\n"
    "  --backend NAME     use this backend; by default the best one that sizes stacks\n"
    "  --device D         index of a device, or a part of its name\n"
    "  --cache-dir DIR    folder of the pipeline cache\n"
    "  --json             print one JSON object\n"
    "  --verbose          show what the backend logs\n"
    "\n"
    "Times are by the clock, from before the call until it has returned, in milliseconds; of\n"
    "software drivers they say nothing about a GPU. Status 1: the ways differ from one another, "
    "or\n"
    "from what the file expects. Status 3: the file is wrong, or a tree cannot be computed. Status "
    "5: among other things, an\n"
    "evaluation was ended by --max-cells or --max-ms. Ctrl-C ends an evaluation at once.\n";

/* Of an evaluation: far more than whatever sizes stacks before a launch can wait for. */
#define DEFAULT_MAX_MS 10000u

enum {
    OPT_HOST = 256,
    OPT_DEVICE_ONLY,
    OPT_INTERPRET,
    OPT_SPECIALISE,
    OPT_RUNS,
    OPT_MAX_CELLS,
    OPT_MAX_MS,
    OPT_NODES,
    OPT_BACKEND,
    OPT_DEVICE,
    OPT_CACHE_DIR,
    OPT_JSON,
    OPT_VERBOSE
};

static const struct option rows[] = {{"help", no_argument, NULL, 'h'},
                                     {"host-only", no_argument, NULL, OPT_HOST},
                                     {"device-only", no_argument, NULL, OPT_DEVICE_ONLY},
                                     {"interpret", no_argument, NULL, OPT_INTERPRET},
                                     {"specialise", no_argument, NULL, OPT_SPECIALISE},
                                     {"runs", required_argument, NULL, OPT_RUNS},
                                     {"max-cells", required_argument, NULL, OPT_MAX_CELLS},
                                     {"max-ms", required_argument, NULL, OPT_MAX_MS},
                                     {"nodes", no_argument, NULL, OPT_NODES},
                                     {"backend", required_argument, NULL, OPT_BACKEND},
                                     {"device", required_argument, NULL, OPT_DEVICE},
                                     {"cache-dir", required_argument, NULL, OPT_CACHE_DIR},
                                     {"json", no_argument, NULL, OPT_JSON},
                                     {"verbose", no_argument, NULL, OPT_VERBOSE},
                                     {NULL, 0, NULL, 0}};

/* False when the text is no value of the option. */
static bool store(struct pail_sizing_options *options, int option, const char *text)
{
    uint64_t number;
    switch (option) {
    case OPT_HOST:
        options->host_only = true;
        return true;
    case OPT_DEVICE_ONLY:
        options->device_only = true;
        return true;
    case OPT_INTERPRET:
        options->interpret = true;
        return true;
    case OPT_SPECIALISE:
        options->specialise = true;
        return true;
    case OPT_RUNS:
        if (!pail_number_parse(&number, text) || number == 0 || number > 1000000)
            return false;
        options->runs = (uint32_t)number;
        return true;
    case OPT_MAX_CELLS:
        return pail_number_parse(&options->max_cells, text);
    case OPT_MAX_MS:
        if (!pail_number_parse(&number, text) || number > UINT32_MAX)
            return false;
        options->max_ms = (uint32_t)number;
        return true;
    case OPT_NODES:
        options->nodes = true;
        return true;
    case OPT_BACKEND:
        options->session.backend = text;
        return true;
    case OPT_DEVICE:
        options->session.device = text;
        return true;
    case OPT_CACHE_DIR:
        options->session.cache_dir = text;
        return text[0] != '\0';
    case OPT_JSON:
        options->json = true;
        return true;
    case OPT_VERBOSE:
        options->verbose = true;
        return true;
    default:
        options->help = true;
        return true;
    }
}

pail_status pail_sizing_options_read(struct pail_sizing_options *options, int argc, char **argv,
                                     char *error, size_t error_cap)
{
    *options = (struct pail_sizing_options){
        .runs = 5, .max_ms = DEFAULT_MAX_MS, .session = {.needs = PAIL_ABILITY_ADSTACK}};
    opterr = 0;
    optind = 1;
    for (;;) {
        int row = 0;
        const int option = getopt_long(argc, argv, ":h", rows, &row);
        if (option == -1)
            break;
        if (option == ':' || option == '?')
            return pail_report_option(error, error_cap, option, argv, "adstack eval");
        if (!store(options, option, optarg))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s cannot be \"%s\"; see pail adstack eval --help",
                               rows[row].name, optarg);
    }
    if (options->help)
        return PAIL_OK;
    const char *wrong = NULL;
    if (argc - optind != 1)
        wrong = argc > optind ? "more than one file is given" : "no file is given";
    else if (options->host_only && options->device_only)
        wrong = "--host-only and --device-only exclude each other";
    else if (options->interpret && options->specialise)
        wrong = "--interpret and --specialise exclude each other";
    else if (options->host_only && (options->interpret || options->specialise))
        wrong = "--interpret and --specialise are about the device, which --host-only leaves out";
    if (wrong != NULL)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "%s; see pail adstack eval --help",
                           wrong);
    options->file = argv[optind];
    return PAIL_OK;
}
