#include "pages.h"

#include <string.h>

static void put(FILE *out, const char *text)
{
    pail_page_text(out, text, "\\", "\\'");
}

static void put_command(FILE *out, const char *condition, const char *name, const char *help)
{
    (void)fprintf(out, "complete -c pail -n '%s' -a %s -d '", condition, name);
    put(out, help);
    (void)fputs("'\n", out);
}

/* The line has this command: its name, and not the longer one of another. */
static void put_condition(FILE *out, const struct pail_command *command)
{
    const struct pail_command *other;
    (void)fprintf(out, "complete -c pail -n '__pail_is %s", command->name);
    for (size_t i = 0; (other = pail_command_at(i)) != NULL; i++)
        if (pail_command_in_family(other, command->name))
            (void)fprintf(out, "; and not __pail_is %s", other->name);
    (void)fputc('\'', out);
}

static void put_option(FILE *out, const struct pail_command *command, const struct pail_option *row)
{
    put_condition(out, command);
    (void)fprintf(out, " -l %s", row->name);
    if (row->alias != NULL)
        (void)fprintf(out, " -l %s", row->alias);
    if (pail_option_value(row, 0) != NULL && row->argument != NULL) {
        (void)fputs(pail_page_is_set(row) ? " -x -a '(__pail_list " : " -x -a '", out);
        (void)pail_page_values(out, row);
        (void)fputs(pail_page_is_set(row) ? ")'" : "'", out);
    } else if (row->argument != NULL) {
        (void)fputs(row->file ? " -r -F" : " -x", out);
    }
    (void)fputs(" -d '", out);
    put(out, row->help);
    (void)fputs("'\n", out);
}

static void put_family(FILE *out, const char *family)
{
    const struct pail_command *command;
    char condition[64], help[64];
    (void)snprintf(help, sizeof(help), "commands of %s", family);
    if (!pail_page_is_command(family))
        put_command(out, "__pail_before", family, help);
    (void)snprintf(condition, sizeof(condition), "__pail_before %s", family);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (pail_command_in_family(command, family))
            put_command(out, condition, command->name + strlen(family) + 1, command->summary);
}

void pail_page_fish(FILE *out)
{
    const struct pail_command *command;
    const struct pail_option *row;
    size_t base;
    (void)fputs("# Completion of pail for fish. Made of the tables of options by pail-pages.\n"
                "# Whether the line begins with these words after the program's name, ...\n"
                "function __pail_is\n"
                "    set -l words (commandline -opc)\n"
                "    test (count $words) -gt (count $argv)\n"
                "    or return 1\n"
                "    set -l last (math 1 + (count $argv))\n"
                "    test \"$words[2..$last]\" = \"$argv\"\n"
                "end\n"
                "# ... and has no others.\n"
                "function __pail_before\n"
                "    set -l words (commandline -opc)\n"
                "    test (count $words) -eq (math 1 + (count $argv))\n"
                "    and begin\n"
                "        test (count $argv) -eq 0\n"
                "        or test \"$words[2..-1]\" = \"$argv\"\n"
                "    end\n"
                "end\n"
                "# Values after those that are there, with commas.\n"
                "function __pail_list\n"
                "    set -l head (string match -r '.*,' -- (commandline -t | string replace -r "
                "'^--[^=]*=' ''))\n"
                "    printf '%s\\n' $head$argv\n"
                "end\n"
                "complete -c pail -f\n",
                out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (strchr(command->name, ' ') == NULL)
            put_command(out, "__pail_before", command->name, command->summary);
    pail_page_families(out, put_family);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        for (size_t k = 0; (row = pail_command_row(command, k, &base)) != NULL; k++) {
            if (pail_page_shows(row))
                put_option(out, command, row);
            if (row->kind == PAIL_OPTION_WORDS && row->file) {
                put_condition(out, command);
                (void)fputs(" -F\n", out);
            }
        }
        put_condition(out, command);
        (void)fputs(" -l help -d 'these options'\n", out);
    }
}
