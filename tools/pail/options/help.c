#include "help.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMN = 21 /* the column in which the help of options begins */ };

/* ---- Lines ---------------------------------------------------------------------------------- */
void pail_fill(FILE *out, size_t at, size_t indent, const char *text)
{
    bool begun = false;
    while (*text != '\0') {
        const size_t length = strcspn(text, " \n");
        if (begun && at + 1 + length > PAIL_OPTION_COLUMNS) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (begun) {
            (void)fputc(' ', out);
            at++;
        }
        (void)fprintf(out, "%.*s", (int)length, text);
        at += length;
        text += length;
        begun = *text != '\n';
        if (*text == '\n') {
            (void)fprintf(out, "\n\n%*s", (int)indent, "");
            at = indent;
        }
        text += *text != '\0';
    }
    (void)fputc('\n', out);
}

/* ---- Values and defaults -------------------------------------------------------------------- */
struct text {
    char *chars;
    size_t used;
};

static void add(struct text *text, const char *a, const char *b)
{
    const size_t left = PAIL_OPTION_CHARS - text->used;
    const int length = snprintf(text->chars + text->used, left, "%s%s", a, b);
    text->used += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left - 1;
}

static void add_number(struct text *text, uint64_t number)
{
    char digits[24];
    unsigned log2 = 0;
    while (log2 < 63 && UINT64_C(1) << log2 < number)
        log2++;
    if (log2 >= 10 && UINT64_C(1) << log2 == number)
        (void)snprintf(digits, sizeof(digits), "2^%u", log2);
    else
        (void)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    add(text, digits, "");
}

/* first..last where each is twice the one before. */
static void add_list(struct text *text, const struct pail_list *list)
{
    bool range = list->n > 2;
    for (size_t i = 1; i < list->n; i++)
        range &= list->values[i] == 2 * list->values[i - 1];
    for (size_t i = 0; i < list->n; i += range ? list->n - 1 : 1) {
        add(text, i == 0 ? "" : range ? ".." : ", ", "");
        add_number(text, list->values[i]);
    }
}

/* ": a (default), b, c" */
static void add_values(struct text *text, const struct pail_option *row, uint32_t value)
{
    const bool set = row->kind == PAIL_OPTION_SET;
    uint32_t every = 0, one;
    const char *name;
    if (set)
        (void)pail_name_set(&every, row->values, "all");
    for (uint32_t i = 0; (name = pail_option_value(row, i)) != NULL; i++) {
        one = i;
        if (row->values != NULL)
            (void)pail_name_find(&one, row->values, name);
        add(text, i == 0 ? ": " : ", ", name);
        if (set ? value != every && (value >> one & 1) != 0 : value == one)
            add(text, " (default)", "");
    }
    if (set)
        add(text, ", all", value == every ? " (default)" : "");
}

const char *pail_option_help(char *text, const struct pail_command *command,
                             const struct pail_option *row, size_t base)
{
    struct text made = {.chars = text};
    add(&made, row->help, "");
    const char *const member =
        command->defaults != NULL ? (const char *)command->defaults + base + row->offset : NULL;
    uint64_t number = 0;
    uint32_t value = 0;
    if (member != NULL && row->kind == PAIL_OPTION_U64)
        memcpy(&number, member, sizeof(number));
    else if (member != NULL && (row->kind == PAIL_OPTION_U32 || row->kind == PAIL_OPTION_NAME ||
                                row->kind == PAIL_OPTION_SET))
        memcpy(&value, member, sizeof(value));
    switch (row->kind) {
    case PAIL_OPTION_NAME:
    case PAIL_OPTION_SET:
        if (row->argument != NULL)
            add_values(&made, row, value);
        break;
    case PAIL_OPTION_LIST:
        if (member != NULL && ((const struct pail_list *)(const void *)member)->n > 0) {
            add(&made, " (default ", "");
            add_list(&made, (const struct pail_list *)(const void *)member);
            add(&made, ")", "");
        }
        break;
    case PAIL_OPTION_U32:
    case PAIL_OPTION_U64:
        if (number + value != 0 && number != UINT64_MAX) {
            add(&made, " (default ", "");
            add_number(&made, number + value);
            add(&made, ")", "");
        }
        break;
    case PAIL_OPTION_HEADING:
    case PAIL_OPTION_WORDS:
    case PAIL_OPTION_FLAG:
    case PAIL_OPTION_TEXT:
    case PAIL_OPTION_CUSTOM:
        break;
    }
    if (row->alias != NULL)
        add(&made, "; or --", row->alias);
    return text;
}

/* ---- --help --------------------------------------------------------------------------------- */
static void print_row(FILE *out, const struct pail_command *command, const struct pail_option *row,
                      size_t base)
{
    char text[PAIL_OPTION_CHARS];
    int at = fprintf(out, row->name != NULL ? "  --%s" : "  %s",
                     row->name != NULL ? row->name : row->argument);
    if (row->name != NULL && row->argument != NULL)
        at += fprintf(out, " %s", row->argument);
    at += fprintf(out, "%*s", at + 2 > COLUMN ? 2 : COLUMN - at, "");
    pail_fill(out, (size_t)at, COLUMN, pail_option_help(text, command, row, base));
}

void pail_command_help(FILE *out, const struct pail_command *command)
{
    const char *begin = "usage:";
    for (const char *line = command->usage;;) {
        const size_t length = strcspn(line, "\n");
        (void)fprintf(out, "%s pail %s%s%.*s\n", begin, command->name, length > 0 ? " " : "",
                      (int)length, line);
        begin = "      ";
        if (line[length] == '\0')
            break;
        line += length + 1;
    }
    (void)fputc('\n', out);
    pail_fill(out, 0, 0, command->text);
    const struct pail_option *row;
    size_t base;
    for (size_t i = 0; (row = pail_command_row(command, i, &base)) != NULL; i++) {
        if (row->hidden)
            continue;
        if (i == 0 || row->kind == PAIL_OPTION_HEADING)
            (void)fputc('\n', out);
        if (row->kind == PAIL_OPTION_HEADING)
            (void)fprintf(out, "%s:\n", row->help);
        else
            print_row(out, command, row, base);
    }
    if (command->tail != NULL) {
        (void)fputc('\n', out);
        pail_fill(out, 0, 0, command->tail);
    }
}
