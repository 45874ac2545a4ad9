/* Help texts out of a table of options. */
#ifndef PAIL_TOOL_OPTIONS_HELP_H
#define PAIL_TOOL_OPTIONS_HELP_H

#include <stdio.h>

#include "table.h"

/* The --help text of a command. */
void pail_command_help(FILE *out, const struct pail_command *command);

/* The help of one option with its values and its default, in text[PAIL_OPTION_CHARS]. base: as
 * pail_command_row has it. Returns text. */
const char *pail_option_help(char *text, const struct pail_command *command,
                             const struct pail_option *row, size_t base);

/* Writes a text that begins in column `at` and goes on in column `indent`, and ends the line: lines
 * have at most PAIL_OPTION_COLUMNS, and a newline begins another paragraph. */
void pail_fill(FILE *out, size_t at, size_t indent, const char *text);

#endif /* PAIL_TOOL_OPTIONS_HELP_H */
