/* SPDX-License-Identifier: Apache-2.0 */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <platform/text.h>

enum { SENTENCE_CHARS = 8192 };

PAIL_LINE_PRINTF(1, 0) static char *format_list(const char *format, va_list arguments)
{
    char *text = malloc(SENTENCE_CHARS);
    if (!text)
        return NULL;
    const size_t n = pail_line_list(text, SENTENCE_CHARS, format, arguments);
    char *fitting = realloc(text, n + 1);
    return fitting ? fitting : text;
}

char *pail_join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
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
    if (capacity == 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(text, capacity, format, arguments);
    va_end(arguments);
}

void pail_host_log(const pail_host *host, pail_log_level level, const char *format, ...)
{
    if (!host->log)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *line = format_list(format, arguments);
    va_end(arguments);
    host->log(host->user, level, line ? line : "out of memory while writing a log line");
    free(line);
}
