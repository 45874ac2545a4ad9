/* The host struct of this program. */
#ifndef PAIL_TOOL_PROCESS_LOG_H
#define PAIL_TOOL_PROCESS_LOG_H

#include <stdbool.h>

#include <pail/backend.h>

/* The host of backends: with `verbose` they log to standard error, otherwise nowhere. */
pail_host pail_log_host(bool verbose);

/* A host that shows everything when `verbose`, and otherwise warnings once `warnings` is set: what
 * does not fail, but whoever runs the program ought to know. */
struct pail_log {
    bool verbose, warnings;
};

/* log must stay valid as long as the host; change it only while no backend runs. */
pail_host pail_log_host_of(struct pail_log *log);

#endif /* PAIL_TOOL_PROCESS_LOG_H */
