#include <stdio.h>

#include "commands.h"
#include "info_session.h"
#include "process/log.h"

struct options {
    const char *device;
    bool json, verbose;
};

static const struct pail_option rows[] = {
    {PAIL_TEXT(struct options, device, "device", "D",
               "only describe this device, or these devices (0,1 or all)")},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
    {PAIL_FLAG(struct options, verbose, "verbose", "print the backends' logs")},
};

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    struct pail_choice choice;
    (void)call;
    const pail_host host = pail_log_host(options->verbose);
    const pail_registry_params params = {.struct_size = sizeof(params), .host = &host};
    pail_registry *registry = NULL;
    if (pail_told(error, pail_registry_create(&registry, &params, PAIL_SENTENCE(error))) != PAIL_OK)
        return;
    if (options->device != NULL) {
        (void)pail_info_session(stdout, registry, options->device, options->json, error);
        pail_registry_destroy(&registry);
        return;
    }
    pail_choice_explain(&choice, registry);
    if (!options->json)
        pail_info_print(stdout, registry, &choice);
    else
        (void)pail_info_print_json(stdout, registry, &choice, error);
    if (error->status == PAIL_OK && choice.status != PAIL_OK)
        (void)pail_fail(error, choice.status, "%s", choice.reason);
    pail_registry_destroy(&registry);
}

const struct pail_command pail_info_command = {
    .name = "info",
    .summary = "list backends and devices, and their features",
    .usage = "[--device D] [--json] [--verbose]",
    .text = "Lists backends and their devices, the reasons why some cannot be used, and the "
            "default backend.",
    .parts = {{PAIL_PART(rows)}},
    .size = sizeof(struct options),
    .run = run,
};
