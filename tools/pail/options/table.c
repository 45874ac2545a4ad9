#define _POSIX_C_SOURCE 200809L

#include "table.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <formats/report.h>

#include "number.h"

enum { OPT_ROW = 256 /* a row's number from here on: no character's */ };

static bool is_of(const struct pail_option *row, unsigned verb)
{
    return row->verbs == 0 || (row->verbs >> verb & 1) != 0;
}

/* The rows in the form that getopt_long takes. */
static void choose(struct option chosen[PAIL_OPTION_ROWS + 2],
                   const struct pail_option_table *table, unsigned verb)
{
    size_t n = 0;
    chosen[n++] = (struct option){"help", no_argument, NULL, 'h'};
    for (size_t i = 0; i < table->n; i++) {
        const struct pail_option *const row = &table->rows[i];
        if (row->kind != PAIL_OPTION_LINE && is_of(row, verb))
            chosen[n++] =
                (struct option){row->name, row->argument != NULL ? required_argument : no_argument,
                                NULL, OPT_ROW + (int)i};
    }
    chosen[n] = (struct option){NULL, 0, NULL, 0};
}

static uint64_t greatest(const struct pail_option *row)
{
    if (row->max != 0)
        return row->max;
    return row->kind == PAIL_OPTION_U32 ? UINT32_MAX : UINT64_MAX;
}

static bool read_number(uint64_t *number, const struct pail_option *row, const char *text)
{
    return pail_number_parse(number, text) && *number >= row->min && *number <= greatest(row);
}

/* False, and nothing is stored, when the text is no value of the option. */
static bool store(void *options, const struct pail_option *row, const char *text)
{
    char *const member = (char *)options + row->offset;
    uint64_t number;
    switch (row->kind) {
    case PAIL_OPTION_FLAG:
        memcpy(member, &(bool){true}, sizeof(bool));
        return true;
    case PAIL_OPTION_TEXT:
        if (row->not_empty && text[0] == '\0')
            return false;
        memcpy(member, &text, sizeof(text));
        return true;
    case PAIL_OPTION_U32:
        if (!read_number(&number, row, text))
            return false;
        memcpy(member, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
        return true;
    case PAIL_OPTION_U64:
        if (!read_number(&number, row, text))
            return false;
        memcpy(member, &number, sizeof(number));
        return true;
    case PAIL_OPTION_CUSTOM:
        return row->store(options, text);
    case PAIL_OPTION_LINE:
        break;
    }
    return false;
}

pail_status pail_report_option(char *error, size_t error_cap, int refusal, char *const *argv,
                               const char *command)
{
    const char *const culprit = argv[optind - 1];
    if (refusal == ':')
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "%s needs a value", culprit);
    return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                       "%s is no option of pail %s; see pail %s --help", culprit, command, command);
}

pail_status pail_options_read(struct pail_option_rest *rest, void *options,
                              const struct pail_option_table *table, unsigned verb, int begin,
                              int argc, char **argv, char *error, size_t error_cap)
{
    struct option chosen[PAIL_OPTION_ROWS + 2];
    bool given[PAIL_OPTION_ROWS] = {false};
    *rest = (struct pail_option_rest){0};
    choose(chosen, table, verb);
    opterr = 0;
    optind = begin;
    for (;;) {
        const int option = getopt_long(argc, argv, ":h", chosen, NULL);
        if (option == -1)
            break;
        if (option == ':' || option == '?')
            return pail_report_option(error, error_cap, option, argv, table->command);
        if (option == 'h') {
            rest->help = true;
            continue;
        }
        const struct pail_option *const row = &table->rows[option - OPT_ROW];
        if (row->once && given[option - OPT_ROW])
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "--%s is given twice",
                               row->name);
        given[option - OPT_ROW] = true;
        if (!store(options, row, optarg))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s cannot be \"%s\"; see pail %s --help", row->name, optarg,
                               table->command);
    }
    if (optind < argc && !table->takes_words)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "\"%s\" is no option; see pail %s --help", argv[optind], table->command);
    rest->words = argv + optind;
    rest->n = (size_t)(argc - optind);
    return PAIL_OK;
}

/* ---- Help ----------------------------------------------------------------------------------- */
static int name_width(const struct pail_option *row)
{
    const size_t argument = row->argument != NULL ? 1 + strlen(row->argument) : 0;
    return (int)(4 + row->indent + strlen(row->name) + argument);
}

static int help_column(const struct pail_option_table *table, const struct pail_option *row)
{
    const int least = name_width(row) + 2;
    return least > (int)table->column ? least : (int)table->column;
}

static void print_option(const struct pail_option_table *table, const struct pail_option *row)
{
    const int column = help_column(table, row);
    (void)printf("%*s--%s%s%s%*s", (int)(2 + row->indent), "", row->name,
                 row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "",
                 column - name_width(row), "");
    size_t at = (size_t)column;
    for (const char *word = row->help; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (word != row->help && at + 1 + length > PAIL_OPTION_COLUMNS) {
            (void)printf("\n%*s", (int)table->column, "");
            at = table->column;
        } else if (word != row->help) {
            (void)putchar(' ');
            at++;
        }
        (void)printf("%.*s", (int)length, word);
        at += length;
        word += length + (word[length] == ' ');
    }
    (void)putchar('\n');
}

void pail_options_help(const struct pail_option_table *table)
{
    (void)fputs(table->head, stdout);
    for (size_t i = 0; i < table->n; i++)
        if (table->rows[i].kind == PAIL_OPTION_LINE)
            (void)puts(table->rows[i].help);
        else
            print_option(table, &table->rows[i]);
    if (table->tail != NULL)
        (void)fputs(table->tail, stdout);
}

/* ---- Whether a table is sound --------------------------------------------------------------- */
/* Whether no part of the text between separators is longer than that. */
static bool fits(const char *text, const char *separators, size_t most)
{
    for (;;) {
        const size_t length = strcspn(text, separators);
        if (length > most)
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static const char *row_fault(const struct pail_option_table *table, const struct pail_option *row)
{
    const bool number = row->kind == PAIL_OPTION_U32 || row->kind == PAIL_OPTION_U64;
    if (row->name == NULL || row->name[0] == '\0' || row->name[0] == '-')
        return "has no name";
    if ((row->kind == PAIL_OPTION_CUSTOM) != (row->store != NULL))
        return "is custom without a function, or has one and is not";
    if (row->kind != PAIL_OPTION_CUSTOM &&
        (row->kind == PAIL_OPTION_FLAG) != (row->argument == NULL))
        return "is a flag with an argument, or takes one without a name";
    if (!number && (row->min != 0 || row->max != 0))
        return "has a range and is no number";
    if (number &&
        (row->min > greatest(row) || (row->kind == PAIL_OPTION_U32 && greatest(row) > UINT32_MAX)))
        return "has a range that holds nothing, or more than its type";
    if (row->help == NULL || row->help[0] == '\0')
        return "has no help";
    const size_t column = (size_t)help_column(table, row);
    if (strchr(row->help, '\n') != NULL || column > PAIL_OPTION_COLUMNS ||
        !fits(row->help, " ", PAIL_OPTION_COLUMNS - column))
        return "has help that makes no lines";
    return NULL;
}

static bool clash(const struct pail_option *a, const struct pail_option *b)
{
    return strcmp(a->name, b->name) == 0 &&
           (a->verbs == 0 || b->verbs == 0 || (a->verbs & b->verbs) != 0);
}

bool pail_options_sound(const struct pail_option_table *table, char *error, size_t error_cap)
{
    const char *fault = NULL, *name = "";
    if (table->n > PAIL_OPTION_ROWS)
        fault = "has too many rows";
    else if (!fits(table->head, "\n", PAIL_OPTION_COLUMNS) ||
             (table->tail != NULL && !fits(table->tail, "\n", PAIL_OPTION_COLUMNS)))
        fault = "has a line that is too long";
    for (size_t i = 0; fault == NULL && i < table->n; i++) {
        const struct pail_option *const row = &table->rows[i];
        name = row->name != NULL ? row->name : "";
        if (row->kind == PAIL_OPTION_LINE) {
            fault = row->name != NULL ? "is an option, and a line" : NULL;
            if (fault == NULL && (row->help == NULL || !fits(row->help, "\n", PAIL_OPTION_COLUMNS)))
                fault = "has a line that is too long, or none";
            continue;
        }
        fault = row_fault(table, row);
        if (fault == NULL && strcmp(row->name, "help") == 0)
            fault = "is an option of every command";
        for (size_t j = 0; fault == NULL && j < i; j++)
            if (table->rows[j].kind != PAIL_OPTION_LINE && clash(&table->rows[j], row))
                fault = "is there twice";
    }
    if (fault == NULL)
        return true;
    (void)pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "pail %s: --%s %s", table->command, name,
                      fault);
    return false;
}
