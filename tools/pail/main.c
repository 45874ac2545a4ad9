#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include <pail/pail.h>
#include <platform/process.h>
#include <platform/text.h>

#include "commands.h"
#include "error/error.h"
#include "options/table.h"
#include "output/json.h"
#include "process/process.h"

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static void run_command(struct pail_error *error, const struct pail_command *command, int argc,
                        char **argv)
{
    struct pail_call call;
    void *const options = calloc(1, command->size);
    if (!options) {
        (void)pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for options");
        return;
    }
    if (command->defaults)
        memcpy(options, command->defaults, command->size);
    if (pail_options_read(&call, options, command, argc, argv, error) == PAIL_OK) {
        if (call.help)
            pail_command_help(stdout, command);
        else
            command->run(error, options, &call);
    }
    free(options);
}

/* The first word is one of a family, or there is no such command. */
static void run_family(struct pail_error *error, int argc, char **argv)
{
    const struct pail_command *command;
    const char *const word = argc > 1 ? argv[1] : "";
    char names[256] = "";
    const char *last = NULL;
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        const size_t used = strlen(names);
        if (!pail_command_in_family(command, argv[0]))
            continue;
        if (last)
            (void)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "", last);
        last = command->name + strlen(argv[0]) + 1;
    }
    if (!last)
        (void)pail_fail(error, PAIL_ERR_ARGUMENT, "unknown command \"%s\"; see pail --help",
                        argv[0]);
    else if (is_help(word))
        pail_family_help(stdout, argv[0]);
    else if (word[0] == '\0')
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "pail %s needs a command: %s%s%s; see pail %s --help", argv[0], names,
                        names[0] != '\0' ? " or " : "", last, argv[0]);
    else
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "unknown command \"%s\" of pail %s; there %s %s%s%s, see pail %s --help",
                        word, argv[0], names[0] != '\0' ? "are" : "is", names,
                        names[0] != '\0' ? " and " : "", last, argv[0]);
}

static void run_line(struct pail_error *error, int argc, char **argv)
{
    if (argc < 2) {
        pail_program_help(stderr);
        error->status = PAIL_ERR_ARGUMENT;
        return;
    }
    if (is_help(argv[1])) {
        pail_program_help(stdout);
        return;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)pail_print(stdout, "pail %s (ABI %u.%u)\n", pail_version(), PAIL_ABI_MAJOR,
                         PAIL_ABI_MINOR);
        return;
    }
    int words;
    const struct pail_command *const command = pail_command_find(&words, argc - 1, argv + 1);
    if (command)
        run_command(error, command, argc - words, argv + words);
    else
        run_family(error, argc - 1, argv + 1);
}

static int run(int argc, char **argv)
{
    struct pail_error error = {0};
    run_line(&error, argc, argv);
    return (int)pail_exit(&error);
}

int main(int argc, char **argv)
{
    pail_program_begin(&argc, &argv);
    pail_json_wipe_memory();
    return pail_run_with_room(run, argc, argv);
}
