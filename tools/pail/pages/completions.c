/* SPDX-License-Identifier: Apache-2.0 */
/* Completions of the shells. */
#include "pages.h"

#include <string.h>

#include "commands.h"

/* ---- bash ------------------------------------------------------------------------------------ */

/* The options of a command, each with its other name. */
static void put_options(FILE *out, const struct pail_command *command)
{
    const struct pail_option *row;
    size_t base;
    for (size_t i = 0; (row = pail_command_row(command, i, &base)) != NULL; i++) {
        if (pail_page_shows(row))
            (void)fprintf(out, "--%s ", row->name);
        if (row->alias)
            (void)fprintf(out, "--%s ", row->alias);
    }
}

/* Writes the words that can follow an option with a value. */
static void put_value(FILE *out, const struct pail_command *command, const struct pail_option *row)
{
    if (!pail_page_shows(row) || !row->argument)
        return;
    (void)fprintf(out, "    '%s --%s'", command->name, row->name);
    if (row->alias)
        (void)fprintf(out, " | '%s --%s'", command->name, row->alias);
    (void)fputs(pail_page_is_set(row) ? ") kind=set words='" : ") kind=word words='", out);
    if (!pail_page_values(out, row) && row->file)
        (void)fputs("' kind='file", out);
    (void)fputs("' ;;\n", out);
}

static void bash_put_family(FILE *out, const char *family)
{
    const struct pail_command *command;
    const bool alone = pail_page_is_command(family);
    (void)fprintf(out, "    %s)\n        %s='", family, alone ? "seconds" : "words");
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (pail_command_in_family(command, family))
            (void)fprintf(out, "%s ", command->name + strlen(family) + 1);
    if (alone) /* the next word is a command's name or the first option of this one */
        (void)fputs(
            "'\n"
            "        if ((COMP_CWORD > 2)) && [[ \" $seconds\" == *\" ${COMP_WORDS[2]} \"* ]]; "
            "then\n"
            "            first=3 command+=\" ${COMP_WORDS[2]}\"\n"
            "        fi\n"
            "        ((COMP_CWORD > 2)) && seconds='' ;;\n",
            out);
    else
        (void)fputs("--help'\n        first=3 command+=\" ${COMP_WORDS[2]}\" ;;\n", out);
}

void pail_page_bash(FILE *out)
{
    const struct pail_command *command;
    const struct pail_option *row;
    char before[32] = "";
    size_t base;
    (void)fputs("# Completion of pail for bash. Made of the tables of options by pail-pages.\n"
                "_pail() {\n"
                "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    local command=${COMP_WORDS[1]} first=2 kind=word words='' files='' head='' "
                "seconds=''\n"
                "    # --option=value is three words.\n"
                "    [[ $cur == = ]] && cur=''\n"
                "    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                "    case $command in\n",
                out);
    pail_page_families(out, bash_put_family);
    (void)fputs("    esac\n    if ((COMP_CWORD == 1)); then\n        words='", out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        const size_t length = strcspn(command->name, " ");
        if (strlen(before) != length || strncmp(before, command->name, length) != 0)
            (void)fprintf(out, "%.*s ", (int)length, command->name);
        (void)snprintf(before, sizeof(before), "%.*s", (int)length, command->name);
    }
    (void)fputs("--help --version'\n"
                "    elif ((COMP_CWORD >= first)); then\n"
                "        case $command in\n",
                out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        (void)fprintf(out, "        '%s') words='", command->name);
        put_options(out, command);
        (void)fputc('\'', out);
        for (size_t k = 0; (row = pail_command_row(command, k, &base)) != NULL; k++)
            if (row->kind == PAIL_OPTION_WORDS && row->file)
                (void)fputs(" files=1", out);
        (void)fputs(" ;;\n", out);
    }
    (void)fputs("        *) words='' ;;\n        esac\n    fi\n    words+=\" $seconds\"\n    case "
                "\"$command $prev\" in\n",
                out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        for (size_t k = 0; (row = pail_command_row(command, k, &base)) != NULL; k++)
            put_value(out, command, row);
    (void)fputs("    *) [[ -n $files && $cur != -* ]] && kind=file ;;\n"
                "    esac\n"
                "    case $kind in\n"
                "    file)\n"
                "        compopt -o filenames 2> /dev/null\n"
                "        mapfile -t COMPREPLY < <(compgen -W \"$seconds\" -- \"$cur\"; "
                "compgen -f -- \"$cur\") ;;\n"
                "    *)\n"
                "        [[ $kind == set && $cur == *,* ]] && head=${cur%,*},\n"
                "        mapfile -t COMPREPLY < <(compgen -P \"$head\" -W \"$words\" -- "
                "\"${cur#\"$head\"}\") ;;\n"
                "    esac\n"
                "}\n"
                "complete -F _pail pail\n",
                out);
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void fish_write(FILE *out, const char *text)
{
    pail_page_text(out, text, "\\", "\\'");
}

static void put_command(FILE *out, const char *condition, const char *name, const char *help)
{
    (void)fprintf(out, "complete -c pail -n '%s' -a %s -d '", condition, name);
    fish_write(out, help);
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

static void fish_put_option(FILE *out, const struct pail_command *command,
                            const struct pail_option *row)
{
    put_condition(out, command);
    (void)fprintf(out, " -l %s", row->name);
    if (row->alias)
        (void)fprintf(out, " -l %s", row->alias);
    if (pail_option_value(row, 0) && row->argument) {
        (void)fputs(pail_page_is_set(row) ? " -x -a '(__pail_list " : " -x -a '", out);
        (void)pail_page_values(out, row);
        (void)fputs(pail_page_is_set(row) ? ")'" : "'", out);
    } else if (row->argument) {
        (void)fputs(row->file ? " -r -F" : " -x", out);
    }
    (void)fputs(" -d '", out);
    fish_write(out, row->help);
    (void)fputs("'\n", out);
}

static void fish_put_family(FILE *out, const char *family)
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
        if (!strchr(command->name, ' '))
            put_command(out, "__pail_before", command->name, command->summary);
    pail_page_families(out, fish_put_family);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        for (size_t k = 0; (row = pail_command_row(command, k, &base)) != NULL; k++) {
            if (pail_page_shows(row))
                fish_put_option(out, command, row);
            if (row->kind == PAIL_OPTION_WORDS && row->file) {
                put_condition(out, command);
                (void)fputs(" -F\n", out);
            }
        }
    }
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Within single quotes; brackets and colons are what _arguments and _describe divide texts by. */
static void zsh_write(FILE *out, const char *text)
{
    pail_page_text(out, text, "[]:\\", "'\\''");
}

static void zsh_put_option(FILE *out, const struct pail_option *row, const char *name)
{
    (void)fprintf(out, " \\\n            '%s--%s%s[", row->many ? "*" : "", name,
                  row->argument ? "=" : "");
    zsh_write(out, row->help);
    (void)fputc(']', out);
    if (row->argument) {
        (void)fputc(':', out);
        zsh_write(out, row->argument);
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
    zsh_write(out, command->summary);
    (void)fputc('\'', out);
}

static void zsh_put_family(FILE *out, const char *family)
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
    pail_page_families(out, zsh_put_family);
    (void)fputs("    esac\n    if (( CURRENT == 2 )); then\n        described=(", out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (!strchr(command->name, ' '))
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
                zsh_put_option(out, row, row->name);
            if (row->alias)
                zsh_put_option(out, row, row->alias);
            if (row->kind == PAIL_OPTION_WORDS)
                (void)fprintf(out, " \\\n            '*:%s:%s'", row->argument,
                              row->file ? "_files" : " ");
        }
        (void)fputs("\n        ;;\n", out);
    }
    (void)fputs("    esac\n}\n_pail \"$@\"\n", out);
}
