#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "commands.h"
#include "info.h"
#include "options/tables.h"
#include "process/log.h"
#include <formats/report.h>

struct options {
    bool json, verbose;
};

static const struct pail_option rows[] = {
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
    {PAIL_FLAG(struct options, verbose, "verbose", "show what the backends log")},
};

const struct pail_option_table pail_info_table = {
    .command = "info",
    .head = "usage: pail info [--json] [--verbose]\n"
            "\n"
            "Lists the backends that were found, those that cannot be used and why, and their\n"
            "devices, and says which one is used when none is named.\n"
            "\n",
    .rows = rows,
    .n = sizeof(rows) / sizeof(rows[0]),
    .column = 13,
};

enum pail_exit pail_cmd_info(int argc, char **argv)
{
    char error[1024] = "";
    struct options options = {0};
    struct pail_choice choice;
    struct pail_option_rest rest;
    pail_status status = pail_options_read(&rest, &options, &pail_info_table, 0, 1, argc, argv,
                                           error, sizeof(error));
    if (status != PAIL_OK)
        return pail_complain(status, error);
    if (rest.help) {
        pail_options_help(&pail_info_table);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    const pail_host host = pail_log_host(options.verbose);
    const pail_registry_params params = {.struct_size = sizeof(params), .host = &host};
    pail_registry *registry = NULL;
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
