#include "load_trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FIRST_SPANS = 1024 };

const struct pail_load_kind pail_load_kinds[PAIL_PROVER_SPAN_KINDS] = {
    [PAIL_PROVER_WAIT_PRODUCER] = {"wait for a producer", "wait"},
    [PAIL_PROVER_WAIT_HOST_MEMORY] = {"wait for host memory", "wait"},
    [PAIL_PROVER_PRODUCE] = {"produce", "producer"},
    [PAIL_PROVER_WAIT_SLOT] = {"wait for a slot", "wait"},
    [PAIL_PROVER_WAIT_DEVICE_MEMORY] = {"wait for device memory", "wait"},
    [PAIL_PROVER_LOAD] = {"load", "upload"},
    [PAIL_PROVER_UPLOAD] = {"upload", "upload"},
    [PAIL_PROVER_DEVICE] = {"device", "device"},
    [PAIL_PROVER_WAIT_FINISHER] = {"wait for a finisher", "wait"},
    [PAIL_PROVER_FINISH] = {"finish", "host"},
    [PAIL_PROVER_RELEASE] = {"release", "reclaim"},
};

void pail_load_trace_add(void *user, const pail_prover_span *span)
{
    struct pail_load_trace *const trace = user;
    if (trace->n == trace->capacity) {
        const size_t capacity = trace->capacity == 0 ? FIRST_SPANS : 2 * trace->capacity;
        pail_prover_span *const spans = realloc(trace->spans, capacity * sizeof(*spans));
        if (spans == NULL) {
            trace->failed = true;
            return;
        }
        trace->spans = spans;
        trace->capacity = capacity;
    }
    trace->spans[trace->n++] = *span;
}

static const char head[] = "{\"proof\":";
const struct pail_magic pail_load_trace_head = {.bytes = head, .n = sizeof(head) - 1};

void pail_load_trace_write(FILE *out, const void *what)
{
    const struct pail_load_trace *const trace = what;
    bool first = true;
    for (size_t i = 0; i < trace->n; i++) {
        const pail_prover_span *const span = &trace->spans[i];
        const struct pail_load_kind *const kind = &pail_load_kinds[span->kind];
        if (span->job < trace->first || span->begin_ns < trace->begin_ns)
            continue;
        (void)fprintf(out,
                      "%s%" PRIu64 ",\"lane\":\"%s\",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64
                      ",\"kind\":\"%s\",\"device_ns\":%" PRIu64 "}\n",
                      first ? "" : head, /* the first one is the file's */
                      span->job - trace->first, kind->lane, span->begin_ns - trace->begin_ns,
                      span->end_ns - trace->begin_ns, kind->name, span->device_ns);
        first = false;
    }
}

void pail_load_trace_clear(struct pail_load_trace *trace)
{
    free(trace->spans);
    *trace = (struct pail_load_trace){0};
}
