/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for a person, through the host's callback. Without one they are dropped. */
#ifndef PAIL_PLUGIN_LOG_H
#define PAIL_PLUGIN_LOG_H

#include "error.h"

/* `message` is one line without a newline and lives for the call. */
struct pail_log {
    void *user;
    void (*log)(void *user, pail_log_level level, const char *message);
};

void pail_log(const struct pail_log *log, pail_log_level level, const char *fmt, ...)
    PAIL_PRINTF(3, 4);

#endif /* PAIL_PLUGIN_LOG_H */
