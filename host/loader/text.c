#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 1, 0))) static char *format_list(const char *format,
                                                               va_list arguments)
{
    char *text = NULL;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

char *pail_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_list(format, arguments);
    va_end(arguments);
    return text;
}

void pail_say(char *text, size_t capacity, const char *format, ...)
{
    if (capacity == 0) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, capacity, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
}

void pail_host_log(const pail_host *host, pail_log_level level, const char *format, ...)
{
    if (!host->log) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char *line = format_list(format, arguments);
    va_end(arguments);
    host->log(host->user, level, line ? line : "out of memory while writing a log line");
    free(line);
}
