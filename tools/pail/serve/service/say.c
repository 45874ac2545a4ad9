/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include <platform/text.h>

enum { LINE_BYTES = 1024 };

void pail_serve_say(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(line, sizeof(line), format, arguments);
    va_end(arguments);
    (void)pail_print(stderr, "pail serve: %s\n", line);
}
