/* The same warm-up in a fresh process, which must find everything in the cache. */
#ifndef PAIL_TOOL_WARMUP_FRESH_H
#define PAIL_TOOL_WARMUP_FRESH_H

#include "error/error.h"
#include "warm_options.h"

/* The report of the process. */
struct pail_warm_fresh {
    uint64_t pipelines, compiled;
    int exit; /* its status */
};

/* Runs this program anew with the same selection, --expect-hits and --json, and reads its summary;
 * its sentences go to standard error. Whatever its status is, PAIL_OK when it gave a summary;
 * otherwise PAIL_ERR_IO or PAIL_ERR_INTERNAL with a sentence. No context may be open. */
pail_status pail_warm_verify(struct pail_warm_fresh *fresh, const struct pail_warm_options *options,
                             struct pail_error *error);

#endif /* PAIL_TOOL_WARMUP_FRESH_H */
