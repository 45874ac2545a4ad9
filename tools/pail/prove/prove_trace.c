#define _POSIX_C_SOURCE 200809L

#include "prove_trace.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "output/json.h"
#include "output/progress.h"

static const char head[] = "{\"traceEvents\":";

static const char *const lane_names[PAIL_LANES] = {
    [PAIL_LANE_FILE] = "file",     [PAIL_LANE_HOST] = "host", [PAIL_LANE_UPLOAD] = "upload",
    [PAIL_LANE_DEVICE] = "device", [PAIL_LANE_CPU] = "CPU",
};

static void add(struct pail_trace *trace, struct pail_json *event)
{
    json_t *const object = pail_json_take(event);
    if (object == NULL || json_array_append_new(trace->events, object) != 0)
        trace->failed = true;
}

static void begin_event(struct pail_json *event, const char *phase, const char *name,
                        enum pail_lane lane)
{
    pail_json_begin(event);
    pail_json_set_text(event, "ph", phase);
    pail_json_set_text(event, "name", name);
    pail_json_set_number(event, "pid", 1);
    pail_json_set_number(event, "tid", (uint64_t)lane + 1);
}

pail_status pail_trace_begin(struct pail_trace *trace, const char *path, struct pail_error *error)
{
    static const struct pail_magic magic = {.bytes = head, .n = sizeof(head) - 1};
    static const struct pail_replace_rule rule = {.ours = &magic, .n_ours = 1, .mode = 0666};
    *trace = PAIL_TRACE_NONE;
    if (path == NULL)
        return PAIL_OK;
    const char *const why = pail_replace_begin(&trace->file, path, &rule);
    if (why != NULL)
        return pail_fail(error, PAIL_ERR_IO, "--trace %s: %s", path, why);
    trace->path = path;
    trace->begin_ms = pail_now_ms();
    trace->events = json_array();
    for (enum pail_lane lane = PAIL_LANE_FILE; lane < PAIL_LANES; lane++) {
        struct pail_json event, arguments;
        pail_json_begin(&arguments);
        pail_json_set_text(&arguments, "name", lane_names[lane]);
        begin_event(&event, "M", "thread_name", lane);
        pail_json_set(&event, "args", pail_json_take(&arguments));
        add(trace, &event);
    }
    return PAIL_OK;
}

void pail_trace_span(struct pail_trace *trace, enum pail_lane lane, const char *name,
                     double from_ms, double to_ms)
{
    struct pail_json event;
    if (trace->path == NULL)
        return;
    begin_event(&event, "X", name, lane);
    pail_json_set_real(&event, "ts", 1e3 * (from_ms - trace->begin_ms));
    pail_json_set_real(&event, "dur", 1e3 * (to_ms - from_ms));
    add(trace, &event);
}

/* To a copy of the descriptor, which the stream closes. */
static bool write_events(const struct pail_trace *trace)
{
    const int copy = dup(trace->file.fd);
    FILE *const out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out == NULL) {
        if (copy >= 0)
            (void)close(copy);
        return false;
    }
    bool good = fputs(head, out) >= 0 &&
                json_dumpf(trace->events, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) == 0 &&
                fputs("}\n", out) >= 0;
    good &= fclose(out) == 0;
    return good;
}

pail_status pail_trace_write(struct pail_trace *trace, struct pail_error *error)
{
    if (trace->path == NULL)
        return PAIL_OK;
    if (trace->failed)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "--trace %s: no memory", trace->path);
    if (!write_events(trace))
        return pail_fail(error, PAIL_ERR_IO, "--trace %s: %s", trace->path, strerror(errno));
    const char *const why = pail_replace_publish(&trace->file);
    return why == NULL ? PAIL_OK
                       : pail_fail(error, PAIL_ERR_IO, "--trace %s: %s", trace->path, why);
}

void pail_trace_end(struct pail_trace *trace)
{
    json_decref(trace->events);
    pail_replace_end(&trace->file);
    *trace = PAIL_TRACE_NONE;
}
