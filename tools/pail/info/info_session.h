/* Output of `pail info --device D`. */
#ifndef PAIL_TOOL_INFO_INFO_SESSION_H
#define PAIL_TOOL_INFO_INFO_SESSION_H

#include <stdbool.h>

#include "info.h"
#include "process/session.h"

/* The devices that the words name, one by one, and what they are together. Makes a context on each.
 * Returns PAIL_OK, or a status with a sentence. */
pail_status pail_info_session(FILE *out, const pail_registry *registry, const char *device,
                              bool json, struct pail_error *error);

#endif /* PAIL_TOOL_INFO_INFO_SESSION_H */
