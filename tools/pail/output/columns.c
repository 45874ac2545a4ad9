#if !defined(_WIN32)
#define _DEFAULT_SOURCE /* struct winsize */
#include <sys/ioctl.h>
#endif

#include "columns.h"

#include <string.h>
#include <unistd.h>

unsigned pail_columns(int descriptor)
{
#if defined(TIOCGWINSZ)
    struct winsize size;
    if (isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
#endif
    (void)descriptor;
    return 0;
}

void pail_table_list(FILE *out, bool *folded, const char *format, va_list arguments)
{
    char text[4096];
    const size_t length = pail_line_list(text, sizeof(text), format, arguments);
    const char *from = text, *tab = strchr(text, '\t');
    if (tab && tab != text) {
        const unsigned columns = pail_columns(fileno(out));
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
