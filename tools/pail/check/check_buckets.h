/* `pail check --buckets`: which bucket of which window is wrong. */
#ifndef PAIL_TOOL_CHECK_CHECK_BUCKETS_H
#define PAIL_TOOL_CHECK_CHECK_BUCKETS_H

#include "error/error.h"
#include "measure/rig.h"

/* Probes the cases that the options choose, with every accumulator or the one that they name. What
 * differs is printed, and makes the exit status that of a check that failed. Returns a status with
 * a sentence where nothing can be probed. */
pail_status pail_check_buckets(struct pail_rig *rig, struct pail_error *error);

#endif /* PAIL_TOOL_CHECK_CHECK_BUCKETS_H */
