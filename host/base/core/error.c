/* SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <stdarg.h>

#include <platform/text.h>

pail_status pail_fail(struct pail_error *err, pail_status status, const char *fmt, ...)
{
    if (err) {
        err->status = status;
        va_list args;
        va_start(args, fmt);
        (void)pail_line_list(err->text, sizeof(err->text), fmt, args);
        va_end(args);
    }
    return status;
}
