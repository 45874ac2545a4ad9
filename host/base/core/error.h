/* SPDX-License-Identifier: Apache-2.0 */
/* One sentence for each failure: what was wrong, which value, where. */
#ifndef PAIL_PLUGIN_ERROR_H
#define PAIL_PLUGIN_ERROR_H

#include <pail/backend.h>

#include <platform/text.h>

struct pail_error {
    pail_status status;
    char text[512];
};

#if defined(__GNUC__)
#define PAIL_PRINTF(fmt, first) PAIL_LINE_PRINTF(fmt, first)
#else
#define PAIL_PRINTF(fmt, first)
#endif

/* The command, whose errors are its own, has a pail_fail as well, and may be linked with objects of
 * this library: the symbols differ. */
#define pail_fail pail_error_fail

/* Writes the sentence and returns `status`, so that a failing function can `return pail_fail(...)`.
 * A longer text is cut. err: optional. */
pail_status pail_fail(struct pail_error *err, pail_status status, const char *fmt, ...)
    PAIL_PRINTF(3, 4);

#endif /* PAIL_PLUGIN_ERROR_H */
