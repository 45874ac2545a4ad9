#include "pages.h"

#include <string.h>

/* Within single quotes; brackets and colons are what _arguments and _describe divide texts by. */
static void put(FILE *out, const char *text)
{
    pail_page_text(out, text, "[]:\\", "'\\''");
}

static void put_option(FILE *out, const struct pail_option *row, const char *name)
{
    (void)fprintf(out, " \\\n            '%s--%s%s[", row->many ? "*" : "", name,
                  row->argument != NULL ? "=" : "");
    put(out, row->help);
    (void)fputc(']', out);
    if (row->argument != NULL) {
        (void)fputc(':', out);
        put(out, row->argument);
        const bool named = pail_option_value(row, 0) != NULL, set = pail_page_is_set(row);
        (void)fputs(!named ? row->file ? ":_files" : ": "
                    : set  ? ":_values -s , value "
                           : ":(",
                    out);
        (void)pail_page_values(out, row);
        (void)fputs(named && !set ? ")" : "", out);
    }
    (void)fputc('\'', out);
}

static void put_description(FILE *out, const char *name, const struct pail_command *command)
{
    (void)fprintf(out, " \\\n            '%s:", name);
    put(out, command->summary);
    (void)fputc('\'', out);
}

static void put_family(FILE *out, const char *family)
{
    const struct pail_command *command;
    const bool alone = pail_page_is_command(family);
    (void)fprintf(out, "    %s)\n        described=(", family);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (pail_command_in_family(command, family))
            put_description(out, command->name + strlen(family) + 1, command);
    if (alone) /* the next word is a command's name or the first option of this one */
        (void)fputs(")\n"
                    "        if (( CURRENT == 3 )); then\n"
                    "            _describe command described\n"
                    "        elif (( ${described[(I)$words[3]:*]} )); then\n"
                    "            first=3 name+=\" $words[3]\"\n"
                    "        fi\n"
                    "        ;;\n",
                    out);
    else
        (void)fputs(")\n        first=3 name+=\" $words[3]\"\n        ;;\n", out);
}

static void put_family_name(FILE *out, const char *family)
{
    if (!pail_page_is_command(family))
        (void)fprintf(out, " \\\n            '%s:commands of %s'", family, family);
}

void pail_page_zsh(FILE *out)
{
    const struct pail_command *command;
    const struct pail_option *row;
    size_t base;
    (void)fputs("#compdef pail\n"
                "# Completion of pail for zsh. Made of the tables of options by pail-pages.\n"
                "_pail() {\n"
                "    local name=$words[2] first=2\n"
                "    local -a described\n"
                "    case $name in\n",
                out);
    pail_page_families(out, put_family);
    (void)fputs("    esac\n    if (( CURRENT == 2 )); then\n        described=(", out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (strchr(command->name, ' ') == NULL)
            put_description(out, command->name, command);
    pail_page_families(out, put_family_name);
    (void)fputs(")\n"
                "    fi\n"
                "    if (( CURRENT <= first )); then\n"
                "        _describe command described\n"
                "        return\n"
                "    fi\n"
                "    shift $(( first - 1 )) words\n"
                "    (( CURRENT -= first - 1 ))\n"
                "    case $name in\n",
                out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        (void)fprintf(out, "    '%s')\n        _arguments", command->name);
        for (size_t k = 0; (row = pail_command_row(command, k, &base)) != NULL; k++) {
            if (pail_page_shows(row))
                put_option(out, row, row->name);
            if (row->alias != NULL)
                put_option(out, row, row->alias);
            if (row->kind == PAIL_OPTION_WORDS)
                (void)fprintf(out, " \\\n            '*:%s:%s'", row->argument,
                              row->file ? "_files" : " ");
        }
        (void)fputs(" \\\n            '--help[these options]'\n        ;;\n", out);
    }
    (void)fputs("    esac\n}\n_pail \"$@\"\n", out);
}
