/* Tables that fold where the terminal is too narrow. */
#ifndef PAIL_TOOL_OUTPUT_COLUMNS_H
#define PAIL_TOOL_OUTPUT_COLUMNS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <platform/text.h>

/* Prints a part of a table as pail_print does. A tab in the format is a place to fold: where the
 * header, a line with text before its tab, is wider than the terminal, this and all further tabs
 * begin a line that is indented. Elsewhere, and into files and pipes, a tab is nothing.
 *
 * In, out: *folded: of the table; false at first. */
PAIL_LINE_PRINTF(3, 0)
void pail_table_list(FILE *out, bool *folded, const char *format, va_list arguments);
PAIL_LINE_PRINTF(3, 4) void pail_table_print(FILE *out, bool *folded, const char *format, ...);

#endif /* PAIL_TOOL_OUTPUT_COLUMNS_H */
