#include "pages.h"

#include <string.h>

#include <pail/pail.h>

#include "options/help.h"

/* Text in which nothing is a request or an escape; what is a minus in a command is one here. */
static void put(FILE *out, const char *text)
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
    put(out, text);
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
    if (row->name != NULL)
        put_line(out, "\\fB\\-\\-", row->name, "\\fR");
    if (row->argument != NULL)
        put_line(out, row->name != NULL ? " \\fI" : "\\fI", row->argument, "\\fR");
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

void pail_page_command(FILE *out, const struct pail_command *command)
{
    const struct pail_option *row;
    size_t base;
    char name[80], text[64];
    (void)snprintf(name, sizeof(name), "pail-%s", pail_page_name(text, command));
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
    (void)fputs(".TP\n\\fB\\-\\-help\\fR\nthese options\n", out);
    if (command->tail != NULL) {
        (void)fputs(".SH NOTES\n", out);
        put_paragraphs(out, command->tail);
    }
    put_entries(out, "EXIT STATUS", pail_exit_entries);
    (void)fputs(".SH \"SEE ALSO\"\n.BR pail (1)\n", out);
}

void pail_page_program(FILE *out)
{
    const struct pail_command *command;
    begin(out, "pail", "multi-scalar multiplication and adstack sizing on any GPU");
    (void)fputs("\\fBpail\\fR COMMAND [OPTIONS]\n.br\n\\fBpail\\fR \\-\\-help\n.br\n"
                "\\fBpail\\fR \\-\\-version\n.SH COMMANDS\n",
                out);
    for (const struct pail_command_group *group = pail_command_groups; group->commands[0] != NULL;
         group++) {
        if (group->title != NULL)
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
        put_line(out, i > 0 ? ",\n.BR pail\\-" : ".BR pail\\-", pail_page_name(text, command),
                 " (1)");
    }
    (void)fputc('\n', out);
}
