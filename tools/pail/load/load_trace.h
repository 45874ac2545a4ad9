/* The spans of a run, and the file they go to: a JSON object for each, a line each. */
#ifndef PAIL_TOOL_LOAD_LOAD_TRACE_H
#define PAIL_TOOL_LOAD_LOAD_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include <pail/prover.h>

#include "output/whole_file.h"

/* The name of a kind of span, and the lane that it is drawn in. */
struct pail_load_kind {
    const char *name;
    const char *lane; /* "wait": nowhere */
};
extern const struct pail_load_kind pail_load_kinds[PAIL_PROVER_SPAN_KINDS];

struct pail_load_trace {
    pail_prover_span *spans;
    size_t n, capacity;
    bool failed;       /* there was no memory for one */
    uint64_t begin_ns; /* of the run */
    uint64_t first;    /* number of its first job */
};

/* A span listener for pail_prover_params; user: struct pail_load_trace. */
void pail_load_trace_add(void *user, const pail_prover_span *span);

/* The beginning of each line. */
extern const struct pail_magic pail_load_trace_head;

/* A writer for pail_whole_file_write: jobs of the run alone, numbered from 0, with times since the
 * run began. */
void pail_load_trace_write(FILE *out, const void *trace);

/* Forgets all spans. Legal on one that is zeroed. */
void pail_load_trace_clear(struct pail_load_trace *trace);

#endif /* PAIL_TOOL_LOAD_LOAD_TRACE_H */
