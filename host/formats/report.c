/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdarg.h>

#include <platform/text.h>

pail_status pail_report(char *error, size_t error_cap, pail_status status, const char *format, ...)
{
    if (!error || error_cap == 0)
        return status;
    va_list args;
    va_start(args, format);
    (void)pail_line_list(error, error_cap, format, args);
    va_end(args);
    return status;
}
