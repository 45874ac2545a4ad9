/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <stdarg.h>

#include <platform/text.h>

void pail_log(const struct pail_log *log, pail_log_level level, const char *fmt, ...)
{
    if (!log->log)
        return;
    char line[1024];
    va_list args;
    va_start(args, fmt);
    (void)pail_line_list(line, sizeof(line), fmt, args);
    va_end(args);
    log->log(log->user, level, line);
}
