/* SPDX-License-Identifier: Apache-2.0 */
/* One sentence for each failure of a reader: the file, the place in it, the value. */
#ifndef PAIL_FORMATS_REPORT_H
#define PAIL_FORMATS_REPORT_H

#include <pail/backend.h>

#include <platform/text.h>

#if defined(__GNUC__)
#define PAIL_REPORT_PRINTF(text, first) PAIL_LINE_PRINTF(text, first)
#else
#define PAIL_REPORT_PRINTF(text, first)
#endif

/* Writes the sentence, cut to fit, and returns `status`, so that a failing function can
 * `return pail_report(...)`. error: optional; holds error_cap bytes. */
pail_status pail_report(char *error, size_t error_cap, pail_status status, const char *format, ...)
    PAIL_REPORT_PRINTF(4, 5);

#endif /* PAIL_FORMATS_REPORT_H */
