#define _POSIX_C_SOURCE 200809L

#include "columns.h"

#include <string.h>
#include <unistd.h>

#include <platform/machine.h>

void pail_table_list(FILE *out, bool *folded, const char *format, va_list arguments)
{
    char text[4096];
    const size_t length = pail_line_list(text, sizeof(text), format, arguments);
    const char *from = text, *tab = strchr(text, '\t');
    if (tab && tab != text) {
        const unsigned columns = pail_terminal_columns(fileno(out));
        *folded = columns != 0 && columns < length - 2; /* without the tab and the line's end */
    }
    for (; tab; from = tab + 1, tab = strchr(from, '\t'))
        (void)fprintf(out, "%.*s%s", (int)(tab - from), from, *folded ? "\n  " : "");
    (void)fputs(from, out);
}

void pail_table_print(FILE *out, bool *folded, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pail_table_list(out, folded, format, arguments);
    va_end(arguments);
}
