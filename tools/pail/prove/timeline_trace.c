/* The JSON Object Format of "Trace Event Format", of Chrome's about:tracing: complete events, a
 * thread for each lane, in microseconds. */
#include "timeline.h"

static void write_trace(FILE *out, const struct pail_timeline *timeline, const char *title)
{
    (void)title; /* a trace has nothing that names it */
    for (uint32_t lane = 0; lane < timeline->n_lanes; lane++)
        (void)fprintf(out,
                      "%s{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%d,"
                      "\"args\":{\"name\":\"%s\"}}",
                      lane == 0 ? "[\n" : ",\n", (int)lane + 1, timeline->lanes[lane].name);
    for (size_t i = 0; i < timeline->n; i++) {
        const struct pail_span *const span = &timeline->spans[i];
        (void)fprintf(out,
                      ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,"
                      "\"dur\":%.3f}",
                      span->name, (int)span->lane + 1, 1e3 * (span->from_ms - timeline->begin_ms),
                      1e3 * (span->to_ms - span->from_ms));
    }
    (void)fputs("\n]}\n", out);
}

static const char head[] = "{\"traceEvents\":";

const struct pail_timeline_format pail_timeline_trace = {
    .option = "--trace", .head = {.bytes = head, .n = sizeof(head) - 1}, .write = write_trace};
