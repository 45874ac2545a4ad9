#include "help.h"

#include <string.h>

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

/* Which members a kind needs, and which it cannot have. */
static const char *kind_fault(const struct pail_option *row)
{
    const bool number = row->kind == PAIL_OPTION_U32 || row->kind == PAIL_OPTION_U64;
    const bool named = row->kind == PAIL_OPTION_NAME || row->kind == PAIL_OPTION_SET;
    if ((row->kind == PAIL_OPTION_CUSTOM) != (row->store != NULL))
        return "is custom without a function, or has one and is not";
    if (row->kind != PAIL_OPTION_CUSTOM && row->kind != PAIL_OPTION_NAME &&
        (row->kind == PAIL_OPTION_FLAG) != (row->argument == NULL))
        return "is a flag with an argument, or takes one without a name";
    if (named && pail_option_value(row, 0) == NULL)
        return "has no values";
    if (row->kind == PAIL_OPTION_SET && row->values == NULL)
        return "is a set of values without numbers";
    if (!number && (row->min != 0 || row->max != 0))
        return "has a range and is no number";
    if (number && row->max != 0 &&
        (row->min > row->max || (row->kind == PAIL_OPTION_U32 && row->max > UINT32_MAX)))
        return "has a range that holds nothing, or more than its type";
    return NULL;
}

static const char *row_fault(const struct pail_command *command, const struct pail_option *row,
                             size_t base)
{
    char text[PAIL_OPTION_CHARS];
    const bool option = row->kind != PAIL_OPTION_HEADING && row->kind != PAIL_OPTION_WORDS;
    if (option != (row->name != NULL) || (option && (row->name[0] == '\0' || row->name[0] == '-')))
        return "has no name, or is no option and has one";
    if (option && strcmp(row->name, "help") == 0)
        return "is an option of every command";
    if (row->kind == PAIL_OPTION_WORDS && row->argument == NULL)
        return "are words without a name";
    if (row->help == NULL || row->help[0] == '\0')
        return "has no help";
    const char *const fault = option ? kind_fault(row) : NULL;
    if (fault != NULL)
        return fault;
    if (strchr(row->help, '\n') != NULL || !fits(row->help, " ", 32) ||
        strlen(pail_option_help(text, command, row, base)) + 1 == PAIL_OPTION_CHARS)
        return "has help that makes no lines";
    return NULL;
}

static bool is_name(const struct pail_option *row, const char *name)
{
    return name != NULL && ((row->name != NULL && strcmp(row->name, name) == 0) ||
                            (row->alias != NULL && strcmp(row->alias, name) == 0));
}

bool pail_command_sound(const struct pail_command *command, struct pail_error *error)
{
    const struct pail_option *row = NULL, *before;
    const char *fault = NULL;
    size_t base, ignored;
    if (!fits(command->usage, "\n",
              PAIL_OPTION_COLUMNS - strlen("usage: pail  ") - strlen(command->name)) ||
        !fits(command->text, " \n", 32))
        fault = "has a line that is too long";
    for (size_t i = 0; fault == NULL && (row = pail_command_row(command, i, &base)) != NULL; i++) {
        fault = i == PAIL_OPTION_ROWS ? "is one row too many" : row_fault(command, row, base);
        for (size_t j = 0; fault == NULL && j < i; j++) {
            before = pail_command_row(command, j, &ignored);
            if (is_name(before, row->name) || is_name(before, row->alias))
                fault = "is there twice";
        }
    }
    if (fault == NULL)
        return true;
    const char *const name = row == NULL ? "" : row->name != NULL ? row->name : row->argument;
    (void)pail_fail(error, PAIL_ERR_ARGUMENT, "pail %s: %s%s %s", command->name,
                    row != NULL && row->name != NULL ? "--" : "", name != NULL ? name : "", fault);
    return false;
}
