#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "commands.h"
#include "info.h"
#include "process/log.h"
#include <formats/report.h>

static const char help[] = "usage: pail info [--json] [--verbose]\n"
                           "\n"
                           "Lists the backends that were found, those that cannot be used and why, "
                           "and their devices, and\n"
                           "says which one is used when none is named.\n"
                           "\n"
                           "  --json     print one JSON object\n"
                           "  --verbose  show what the backends log\n";

struct options {
    bool help, json, verbose;
};

static pail_status read_options(struct options *options, int argc, char **argv, char *error,
                                size_t error_cap)
{
    static const struct option long_options[] = {{"help", no_argument, NULL, 'h'},
                                                 {"json", no_argument, NULL, 'j'},
                                                 {"verbose", no_argument, NULL, 'v'},
                                                 {NULL, 0, NULL, 0}};
    *options = (struct options){0};
    opterr = 0;
    for (;;) {
        const int option = getopt_long(argc, argv, ":h", long_options, NULL);
        if (option == -1)
            break;
        if (option == 'h')
            options->help = true;
        else if (option == 'j')
            options->json = true;
        else if (option == 'v')
            options->verbose = true;
        else
            return pail_report_option(error, error_cap, option, argv, "info");
    }
    if (optind < argc)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "\"%s\" is no option; see pail info --help", argv[optind]);
    return PAIL_OK;
}

enum pail_exit pail_cmd_info(int argc, char **argv)
{
    char error[1024] = "";
    struct options options;
    pail_status status = read_options(&options, argc, argv, error, sizeof(error));
    if (status != PAIL_OK)
        return pail_complain(status, error);
    if (options.help) {
        (void)fputs(help, stdout);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    const pail_host host = pail_log_host(options.verbose);
    const pail_registry_params params = {.struct_size = sizeof(params), .host = &host};
    pail_registry *registry = NULL;
    struct pail_choice choice;
    status = pail_registry_create(&registry, &params, error, sizeof(error));
    if (status == PAIL_OK) {
        pail_choice_explain(&choice, registry);
        if (options.json)
            status = pail_info_print_json(stdout, registry, &choice, error, sizeof(error));
        else
            pail_info_print(stdout, registry, &choice);
        if (status == PAIL_OK && choice.status != PAIL_OK)
            status = pail_report(error, sizeof(error), choice.status, "%s", choice.reason);
    }
    const enum pail_exit result =
        status == PAIL_OK ? pail_finish_output(PAIL_EXIT_OK) : pail_complain(status, error);
    pail_registry_destroy(&registry);
    return result;
}
