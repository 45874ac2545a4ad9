/* SPDX-License-Identifier: Apache-2.0 */
/* pail-pages FOLDER: writes every page and completion into FOLDER, under the paths that they have
 * below share/ of an installation. */
#define _POSIX_C_SOURCE 200809L

#include "pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pail/pail.h>

#include "commands.h"
#include "error/error.h"
#include "options/table.h"

/* ---- The manual ------------------------------------------------------------------------------ */

/* "adstack-eval": a command's name in those of pages. Returns text. */
static const char *page_name(char text[64], const struct pail_command *command)
{
    (void)snprintf(text, 64, "%s", command->name);
    for (char *at = strchr(text, ' '); at != NULL; at = strchr(at, ' '))
        *at = '-';
    return text;
}

/* Text in which nothing is a request or an escape; what is a minus in a command is one here. */
static void write_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '\\':
            (void)fputs("\\e", out);
            break;
        case '-':
            (void)fputs("\\-", out);
            break;
        case '\'':
            (void)fputs("\\(aq", out);
            break;
        case '^':
            (void)fputs("\\(ha", out);
            break;
        case '~':
            (void)fputs("\\(ti", out);
            break;
        default:
            (void)fputc(*text, out);
        }
}

static void put_line(FILE *out, const char *before, const char *text, const char *after)
{
    (void)fputs(before, out);
    write_text(out, text);
    (void)fputs(after, out);
}

/* Paragraphs, each a line of the text; no line begins with a dot. */
static void put_paragraphs(FILE *out, const char *text)
{
    for (const char *before = "\\&";; before = ".PP\n\\&") {
        char line[2048];
        const size_t length = strcspn(text, "\n");
        (void)snprintf(line, sizeof(line), "%.*s", (int)length, text);
        put_line(out, before, line, "\n");
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

/* name: "pail-msm" */
static void begin(FILE *out, const char *name, const char *summary)
{
    put_line(out, ".\\\" Made of the tables of options by pail-pages.\n.TH \"", name, "\" 1 \"\" ");
    (void)fprintf(out, "\"pail %s\" \"Pail\"\n.SH NAME\n", pail_version());
    put_line(out, "", name, " \\- ");
    put_line(out, "", summary, "\n.SH SYNOPSIS\n");
}

static void put_usage(FILE *out, const struct pail_command *command)
{
    for (const char *line = command->usage;;) {
        char rest[256];
        const size_t length = strcspn(line, "\n");
        (void)snprintf(rest, sizeof(rest), "%.*s", (int)length, line);
        put_line(out, "\\fBpail ", command->name, "\\fR ");
        put_line(out, "", rest, "\n");
        if (line[length] == '\0')
            return;
        (void)fputs(".br\n", out);
        line += length + 1;
    }
}

static void put_option(FILE *out, const struct pail_command *command, const struct pail_option *row,
                       size_t base)
{
    char text[PAIL_OPTION_CHARS];
    (void)fputs(".TP\n", out);
    if (row->name)
        put_line(out, "\\fB\\-\\-", row->name, "\\fR");
    if (row->argument)
        put_line(out, row->name ? " \\fI" : "\\fI", row->argument, "\\fR");
    put_line(out, "\n\\&", pail_option_help(text, command, row, base), "\n");
}

static void put_entries(FILE *out, const char *title, const struct pail_entry *entries)
{
    (void)fprintf(out, ".SH \"%s\"\n", title);
    for (; entries->name != NULL; entries++) {
        put_line(out, ".TP\n\\fB", entries->name, "\\fR\n");
        put_line(out, "\\&", entries->help, "\n");
    }
}

static void put_examples(FILE *out, const char *examples)
{
    if (examples)
        (void)fputs(".SH EXAMPLES\n", out);
    for (const char *line = examples; line && *line != '\0';) {
        char one[256];
        const size_t length = strcspn(line, "\n");
        (void)snprintf(one, sizeof(one), "%.*s", (int)length, line);
        put_line(out, ".PP\n\\fBpail ", one, "\\fR\n");
        line += length + (line[length] != '\0');
    }
}

static void page_command(FILE *out, const struct pail_command *command)
{
    const struct pail_option *row;
    size_t base;
    char name[80], text[64];
    (void)snprintf(name, sizeof(name), "pail-%s", page_name(text, command));
    begin(out, name, command->summary);
    put_usage(out, command);
    (void)fputs(".SH DESCRIPTION\n", out);
    put_paragraphs(out, command->text);
    (void)fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; (row = pail_command_row(command, i, &base)) != NULL; i++)
        if (row->kind == PAIL_OPTION_HEADING)
            put_line(out, ".SS \"", row->help, "\"\n");
        else if (!row->hidden)
            put_option(out, command, row, base);
    put_examples(out, command->examples);
    if (command->tail) {
        (void)fputs(".SH NOTES\n", out);
        put_paragraphs(out, command->tail);
    }
    put_entries(out, "EXIT STATUS", pail_exit_entries);
    (void)fputs(".SH \"SEE ALSO\"\n.BR pail (1)\n", out);
}

/* man(7): of the program, and of a command. */
static void page_program(FILE *out)
{
    const struct pail_command *command;
    begin(out, "pail", "multi-scalar multiplication and adstack sizing on any GPU");
    (void)fputs("\\fBpail\\fR COMMAND [OPTIONS]\n.br\n\\fBpail\\fR \\-\\-help\n.br\n"
                "\\fBpail\\fR \\-\\-version\n.SH COMMANDS\n",
                out);
    for (const struct pail_command_group *group = pail_command_groups; group->commands[0] != NULL;
         group++) {
        if (group->title)
            put_line(out, ".SS \"", group->title, "\"\n");
        for (size_t i = 0; (command = group->commands[i]) != NULL; i++) {
            put_line(out, ".TP\n\\fBpail ", command->name, "\\fR\n");
            put_line(out, "\\&", command->summary, "\n");
        }
    }
    put_entries(out, "EXIT STATUS", pail_exit_entries);
    put_entries(out, "ENVIRONMENT", pail_environment_entries);
    (void)fputs(".SH \"SEE ALSO\"\n", out);
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        char text[64];
        put_line(out, i > 0 ? ",\n.BR pail\\-" : ".BR pail\\-", page_name(text, command), " (1)");
    }
    (void)fputc('\n', out);
}

/* ---- The program ----------------------------------------------------------------------------- */

void pail_page_text(FILE *out, const char *text, const char *escaped, const char *quote)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            (void)fputs(quote, out);
        else
            (void)fprintf(out, strchr(escaped, *text) != NULL ? "\\%c" : "%c", *text);
}

bool pail_page_is_set(const struct pail_option *row)
{
    return row->kind == PAIL_OPTION_SET || (row->kind == PAIL_OPTION_TEXT && row->values);
}

bool pail_page_values(FILE *out, const struct pail_option *row)
{
    const char *name;
    size_t i = 0;
    for (; (name = pail_option_value(row, i)) != NULL; i++)
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", name);
    if (pail_page_is_set(row))
        (void)fputs(" all", out);
    return i > 0;
}

bool pail_page_shows(const struct pail_option *row)
{
    return row->name && !row->hidden;
}

void pail_page_families(FILE *out, void (*visit)(FILE *out, const char *family))
{
    const struct pail_command *command;
    char family[32] = "";
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        const size_t length = strcspn(command->name, " ");
        if (command->name[length] == '\0' || pail_command_in_family(command, family))
            continue;
        (void)snprintf(family, sizeof(family), "%.*s", (int)length, command->name);
        visit(out, family);
    }
}

bool pail_page_is_command(const char *family)
{
    const struct pail_command *command;
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (strcmp(command->name, family) == 0)
            return true;
    return false;
}

/* The file, with its folders, for writing; NULL with a sentence. */
static FILE *make_file(const char *folder, const char *name, struct pail_error *error)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777); /* a failure here fails fopen below */
        *slash = '/';
    }
    FILE *const out = fopen(path, "w");
    if (!out)
        (void)pail_fail(error, PAIL_ERR_IO, "%s: %s", path, strerror(errno));
    return out;
}

static void end_file(FILE *out, const char *name, struct pail_error *error)
{
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        (void)pail_fail(error, PAIL_ERR_IO, "%s cannot be written: %s", name, strerror(errno));
}

static void write_page(const char *folder, const char *name, void (*write)(FILE *out),
                       struct pail_error *error)
{
    FILE *const out = error->status == PAIL_OK ? make_file(folder, name, error) : NULL;
    if (!out)
        return;
    write(out);
    end_file(out, name, error);
}

int main(int argc, char **argv)
{
    struct pail_error error = {0};
    const struct pail_command *command;
    if (argc != 2)
        (void)pail_fail(&error, PAIL_ERR_ARGUMENT, "usage: pail-pages FOLDER");
    write_page(argv[1], "man/man1/pail.1", page_program, &error);
    write_page(argv[1], "bash-completion/completions/pail", pail_page_bash, &error);
    write_page(argv[1], "zsh/site-functions/_pail", pail_page_zsh, &error);
    write_page(argv[1], "fish/vendor_completions.d/pail.fish", pail_page_fish, &error);
    for (size_t i = 0; error.status == PAIL_OK && (command = pail_command_at(i)) != NULL; i++) {
        char name[128], text[64];
        (void)snprintf(name, sizeof(name), "man/man1/pail-%s.1", page_name(text, command));
        FILE *const out = make_file(argv[1], name, &error);
        if (!out)
            break;
        page_command(out, command);
        end_file(out, name, &error);
    }
    return (int)pail_exit(&error);
}
