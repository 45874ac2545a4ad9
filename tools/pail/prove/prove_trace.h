/* When what was done, for people to look at: the trace format of Chrome, which chrome://tracing and
 * ui.perfetto.dev show. */
#ifndef PAIL_TOOL_PROVE_PROVE_TRACE_H
#define PAIL_TOOL_PROVE_PROVE_TRACE_H

#include <jansson.h>

#include <platform/replace.h>

#include "process/error.h"

enum pail_lane {
    PAIL_LANE_FILE,
    PAIL_LANE_HOST,
    PAIL_LANE_UPLOAD,
    PAIL_LANE_DEVICE, /* what the context computes, the CPU backend's too */
    PAIL_LANE_CPU,    /* what this thread computes */
    PAIL_LANES
};

struct pail_trace {
    const char *path; /* NULL: nobody wants it */
    struct pail_replace file;
    json_t *events;
    double begin_ms;
    bool failed;
};

#define PAIL_TRACE_NONE ((struct pail_trace){.file = {.fd = -1, .folder = -1}})

/* path: optional. A file must be new, or a trace. Returns PAIL_OK, or PAIL_ERR_IO with a sentence.
 */
pail_status pail_trace_begin(struct pail_trace *trace, const char *path, struct pail_error *error);

/* In: name: static storage or copied; times of pail_now_ms. */
void pail_trace_span(struct pail_trace *trace, enum pail_lane lane, const char *name,
                     double from_ms, double to_ms);

/* Writes the file. Returns PAIL_OK, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY. */
pail_status pail_trace_write(struct pail_trace *trace, struct pail_error *error);

/* Legal on PAIL_TRACE_NONE. */
void pail_trace_end(struct pail_trace *trace);

#endif /* PAIL_TOOL_PROVE_PROVE_TRACE_H */
