/* What the service tells of itself. */
#ifndef PAIL_TOOL_SERVE_SAY_H
#define PAIL_TOOL_SERVE_SAY_H

#include <formats/report.h>

/* One line on standard error, whether it can be written or not. Nothing of a witness or of a token
 * is ever in it. */
void pail_serve_say(const char *format, ...) PAIL_REPORT_PRINTF(1, 2);

#endif /* PAIL_TOOL_SERVE_SAY_H */
