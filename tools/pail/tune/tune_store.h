/* Measured choices that a context keeps: read, written, and read again by a new context. */
#ifndef PAIL_TOOL_TUNE_TUNE_STORE_H
#define PAIL_TOOL_TUNE_TUNE_STORE_H

#include "error/error.h"
#include "measure/rig.h"

/* tuning: in: curve and group. *found: whether there is one; without, the rest is zeroed. */
pail_status pail_tune_store_read(const struct pail_session *session, pail_tuning *tuning,
                                 bool *found, struct pail_error *error);

/* Writes it (all zero but curve and group: forgets), makes a new context and looks there: what the
 * cache did not take is PAIL_ERR_IO with a sentence. The session's context is another one then, so
 * nothing may have been made with it that still is. */
pail_status pail_tune_store_write(struct pail_session *session, const pail_tuning *tuning,
                                  uint32_t threads, struct pail_error *error);

#endif /* PAIL_TOOL_TUNE_TUNE_STORE_H */
