/* SPDX-License-Identifier: Apache-2.0 */
/* The log of the service. */
#ifndef PAIL_TOOL_SERVE_SAY_H
#define PAIL_TOOL_SERVE_SAY_H

#include <formats/report.h>

/* Writes one line on standard error; a failure to write is ignored. Callers put nothing of a
 * witness or of a token in it. */
void pail_serve_say(const char *format, ...) PAIL_REPORT_PRINTF(1, 2);

#endif /* PAIL_TOOL_SERVE_SAY_H */
