/* The host struct of this program. */
#ifndef PAIL_TOOL_LOG_H
#define PAIL_TOOL_LOG_H

#include <stdbool.h>

#include <pail/backend.h>

/* With `verbose`, backends log to standard error; otherwise nowhere. */
pail_host pail_log_host(bool verbose);

#endif /* PAIL_TOOL_LOG_H */
