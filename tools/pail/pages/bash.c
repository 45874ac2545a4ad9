#include "pages.h"

#include <string.h>

/* The options of a command, each with its other name. */
static void put_options(FILE *out, const struct pail_command *command)
{
    const struct pail_option *row;
    size_t base;
    for (size_t i = 0; (row = pail_command_row(command, i, &base)) != NULL; i++) {
        if (pail_page_shows(row))
            (void)fprintf(out, "--%s ", row->name);
        if (row->alias != NULL)
            (void)fprintf(out, "--%s ", row->alias);
    }
    (void)fputs("--help", out);
}

/* Writes the words that can follow an option with a value. */
static void put_value(FILE *out, const struct pail_command *command, const struct pail_option *row)
{
    if (!pail_page_shows(row) || row->argument == NULL)
        return;
    (void)fprintf(out, "    '%s --%s'", command->name, row->name);
    if (row->alias != NULL)
        (void)fprintf(out, " | '%s --%s'", command->name, row->alias);
    (void)fputs(pail_page_is_set(row) ? ") kind=set words='" : ") kind=word words='", out);
    if (!pail_page_values(out, row) && row->file)
        (void)fputs("' kind='file", out);
    (void)fputs("' ;;\n", out);
}

static void put_family(FILE *out, const char *family)
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
    pail_page_families(out, put_family);
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
