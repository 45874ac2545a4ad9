/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>

#include <pail/pail.h>
#include <platform/process.h>
#include <platform/text.h>

#include "commands.h"
#include "error/error.h"
#include "options/guess.h"
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
        pail_verbosity_set(call.quiet, call.verbose);
        if (call.help)
            pail_command_help(stdout, command);
        else
            command->run(error, options, &call);
    }
    free(options);
}

/* Refuses the second word of a family's command, which is none, or is not there. */
static void refuse_second(struct pail_error *error, const char *family, const char *word)
{
    struct pail_guess guess = {.word = word, .length = strlen(word)};
    char names[256] = "", otherwise[64], hint[PAIL_GUESS_CHARS], prefix[40];
    const char *name, *summary, *last = NULL;
    for (size_t i = 0; (name = pail_command_name_at(i, &summary)) != NULL; i++) {
        const size_t used = strlen(names);
        if ((name = pail_name_in_family(name, family)) == NULL)
            continue;
        if (last)
            (void)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "", last);
        last = name;
        pail_guess_try(&guess, last);
    }
    (void)snprintf(otherwise, sizeof(otherwise), "; see pail %s --help", family);
    (void)snprintf(prefix, sizeof(prefix), "pail %s ", family);
    const char *const tail = pail_guess_text(hint, &guess, prefix, otherwise);
    if (word[0] == '\0')
        (void)pail_fail(error, PAIL_ERR_ARGUMENT, "pail %s needs a command: %s%s%s%s", family,
                        names, names[0] != '\0' ? " or " : "", last, tail);
    else
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "unknown command \"%s\" of pail %s; there %s %s%s%s%s", word, family,
                        names[0] != '\0' ? "are" : "is", names, names[0] != '\0' ? " and " : "",
                        last, tail);
}

static void refuse_first(struct pail_error *error, const char *word)
{
    struct pail_guess guess = {.word = word, .length = strlen(word)};
    char first[32], hint[PAIL_GUESS_CHARS], best[32];
    const char *name, *summary;
    if (word[0] == '-') {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "unknown option %s in place of a command, whose options follow it; see "
                        "pail --help",
                        word);
        return;
    }
    for (size_t i = 0; (name = pail_command_name_at(i, &summary)) != NULL; i++) {
        (void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(name, " "), name);
        pail_guess_try(&guess, first);
        if (guess.best == first) {
            (void)snprintf(best, sizeof(best), "%s", first);
            guess.best = best;
        }
    }
    (void)pail_fail(error, PAIL_ERR_ARGUMENT, "unknown command \"%s\"%s", word,
                    pail_guess_text(hint, &guess, "pail ", "; see pail --help"));
}

/* The first word is one of a family, or there is no such command. */
static void run_family(struct pail_error *error, int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "";
    const char *name, *summary;
    size_t i = 0;
    while ((name = pail_command_name_at(i, &summary)) != NULL &&
           !pail_name_in_family(name, argv[0]))
        i++;
    if (!name)
        refuse_first(error, argv[0]);
    else if (is_help(word))
        pail_family_help(stdout, argv[0]);
    else
        refuse_second(error, argv[0], word);
}

static void run_line(struct pail_error *error, int argc, char **argv)
{
    int words;
    const bool help = argc > 1 && is_help(argv[1]);
    const int first = help ? 2 : 1; /* the place of the command: "pail help prove" */
    if (argc < 2) {
        pail_program_start(stderr);
        error->status = PAIL_ERR_ARGUMENT;
        return;
    }
    if (help && argc == 2) {
        pail_program_help(stdout);
        return;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        (void)pail_print(stdout, "pail %s (ABI %u.%u)\n", pail_version(), PAIL_ABI_MAJOR,
                         PAIL_ABI_MINOR);
        return;
    }
    const struct pail_command *const command =
        pail_command_find(&words, argc - first, argv + first);
    if (command && help)
        pail_command_help(stdout, command);
    else if (command)
        run_command(error, command, argc - words, argv + words);
    else if (help && argc == 3)
        run_family(error, 2, (char *[]){argv[2], "--help"});
    else
        run_family(error, argc - first, argv + first);
}

static int run(int argc, char **argv)
{
    struct pail_error error = {0};
    run_line(&error, argc, argv);
    if (error.status == PAIL_OK)
        pail_notice_show();
    return (int)pail_exit(&error);
}

int main(int argc, char **argv)
{
    pail_program_begin(&argc, &argv);
    pail_json_wipe_memory();
    return pail_run_with_room(run, argc, argv);
}
