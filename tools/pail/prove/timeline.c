/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Object Format of "Trace Event Format", of Chrome's about:tracing: complete events, a
 * thread for each lane, in microseconds. */
#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SPANS = 64 };

void pail_timeline_add(struct pail_timeline *timeline, uint32_t lane, const char *name,
                       double from_ms, double to_ms)
{
    if (timeline->n == timeline->capacity) {
        const size_t capacity = timeline->capacity == 0 ? FIRST_SPANS : 2 * timeline->capacity;
        struct pail_span *const spans = realloc(timeline->spans, capacity * sizeof(*spans));
        if (!spans) {
            timeline->failed = true;
            return;
        }
        timeline->spans = spans;
        timeline->capacity = capacity;
    }
    timeline->spans[timeline->n++] = (struct pail_span){
        .lane = lane, .name = name, .from_ms = from_ms, .to_ms = to_ms > from_ms ? to_ms : from_ms};
}

double pail_timeline_end_of(const struct pail_timeline *timeline, uint32_t lane)
{
    for (size_t i = timeline->n; i-- > 0;)
        if (timeline->spans[i].lane == lane)
            return timeline->spans[i].to_ms;
    return timeline->begin_ms;
}

void pail_timeline_free(struct pail_timeline *timeline)
{
    free(timeline->spans);
    *timeline = (struct pail_timeline){0};
}

/* ---- Files ----------------------------------------------------------------------------------- */
pail_status pail_timeline_file_begin(struct pail_timeline_file *file,
                                     const struct pail_timeline_format *format, const char *path,
                                     struct pail_error *error)
{
    file->format = format;
    return pail_whole_file_begin(&file->file, format->option, path, format->head, error);
}

struct titled {
    const struct pail_timeline_format *format;
    const struct pail_timeline *timeline;
    const char *title;
};

static void write_titled(FILE *out, const void *what)
{
    const struct titled *const titled = what;
    titled->format->write(out, titled->timeline, titled->title);
}

pail_status pail_timeline_file_write(struct pail_timeline_file *file,
                                     const struct pail_timeline *timeline, const char *title,
                                     struct pail_error *error)
{
    if (file->file.path && timeline->failed)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s %s: no memory", file->format->option,
                         file->file.path);
    return pail_whole_file_write(&file->file, write_titled,
                                 &(struct titled){file->format, timeline, title}, error);
}

void pail_timeline_file_end(struct pail_timeline_file *file)
{
    pail_whole_file_end(&file->file);
}

/* ---- The trace format of Chrome -------------------------------------------------------------- */

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

static const char trace_head[] = "{\"traceEvents\":";

const struct pail_timeline_format pail_timeline_trace = {
    .option = "--trace",
    .head = {.bytes = trace_head, .n = sizeof(trace_head) - 1},
    .write = write_trace};

/* ---- The picture ----------------------------------------------------------------------------- */

enum {
    WIDTH = 860,
    LEFT = 78, /* names of lanes, at least */
    RIGHT = 24,
    TOP = 44, /* the title */
    LANE = 40,
    BAR = 28,
    BOTTOM = 52, /* the axis */
    CHAR = 7,    /* of a letter, at most */
    GAP = 8,     /* between a name and its lane */
};

/* The colours of tools/plot: a lane has its own, on a light ground and on a dark one. */
static const char style[] =
    "<style>text{font:13px system-ui,sans-serif}.title{font-weight:600}.small{font-size:11px}"
    ".in{font-size:11px;fill:#fff}.grid,.axis{stroke-width:1}.bar{stroke:#fff;stroke-width:.5}"
    ".ground{fill:#fff}text{fill:#1f2328}.axis{stroke:#1f2328}.grid{stroke:#d8dee4}"
    ".f0{fill:#2563a8}.f1{fill:#d9730d}.f2{fill:#1b8a5a}.f3{fill:#b8336a}.f4{fill:#7256c9}"
    "@media(prefers-color-scheme:dark){.ground{fill:#0d1117}text{fill:#e6edf3}"
    ".axis{stroke:#e6edf3}.grid{stroke:#30363d}.in{fill:#0d1117}.bar{stroke:#0d1117}"
    ".f0{fill:#6aa8ee}.f1{fill:#f2a353}.f2{fill:#58c795}.f3{fill:#ef7fae}.f4{fill:#ab96f0}}"
    "</style>\n";

static int bottom_of(const struct pail_timeline *timeline)
{
    return TOP + (int)timeline->n_lanes * LANE;
}

/* Room for the longest name. */
static int left_of(const struct pail_timeline *timeline)
{
    int left = LEFT;
    for (uint32_t i = 0; i < timeline->n_lanes; i++) {
        const int wanted = CHAR * (int)strlen(timeline->lanes[i].name) + 2 * GAP;
        left = wanted > left ? wanted : left;
    }
    return left;
}

static void write_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        static const char special[] = "<>&\"";
        static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
        const char *const at = strchr(special, *text);
        if (at)
            (void)fputs(names[at - special], out);
        else
            (void)fputc(*text, out);
    }
}

static double end_of(const struct pail_timeline *timeline)
{
    double end_ms = timeline->begin_ms + 1e-3; /* so that there is something to divide by */
    for (size_t i = 0; i < timeline->n; i++)
        end_ms = timeline->spans[i].to_ms > end_ms ? timeline->spans[i].to_ms : end_ms;
    return end_ms - timeline->begin_ms;
}

/* 1, 2 or 5 times a power of ten, so that there are at most ten of them. */
static double step_of(double length)
{
    const double power = pow(10, floor(log10(length / 10)));
    const double least = length / 10 / power;
    return power * (least <= 1 ? 1 : least <= 2 ? 2 : least <= 5 ? 5 : 10);
}

static void write_axis(FILE *out, int left, int bottom, double length, double scale)
{
    const double step = step_of(length);
    for (int i = 0; i * step <= length; i++) {
        const double x = left + i * step * scale;
        (void)fprintf(
            out,
            "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
            "<text class=\"small\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%g</text>\n",
            x, TOP, x, bottom, x, bottom + 16, i * step);
    }
    (void)fprintf(out,
                  "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>"
                  "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\">milliseconds</text>\n",
                  left, bottom, WIDTH - RIGHT, bottom, (left + WIDTH - RIGHT) / 2, bottom + 38);
}

static void write_span(FILE *out, const struct pail_timeline *timeline,
                       const struct pail_span *span, int left, double scale)
{
    const double length = span->to_ms - span->from_ms;
    const double x = left + (span->from_ms - timeline->begin_ms) * scale;
    const double width = length * scale < 1 ? 1 : length * scale;
    const int y = TOP + (int)span->lane * LANE + (LANE - BAR) / 2;
    (void)fprintf(
        out,
        "<rect class=\"bar f%d\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s: "
        "%.3f ms from %.3f</title></rect>\n",
        (int)timeline->lanes[span->lane].colour, x, y, width, BAR, span->name, length,
        span->from_ms - timeline->begin_ms);
    if ((double)(CHAR * (strlen(span->name) + 1)) <= width)
        (void)fprintf(out,
                      "<text class=\"in\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                      x + width / 2, y + BAR / 2 + 4, span->name);
}

static void write_svg(FILE *out, const struct pail_timeline *timeline, const char *title)
{
    const int left = left_of(timeline);
    const double length = end_of(timeline), scale = (WIDTH - left - RIGHT) / length;
    const int height = bottom_of(timeline) + BOTTOM;
    (void)fprintf(out,
                  " viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n%s"
                  "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n"
                  "<text class=\"title\" x=\"%d\" y=\"26\">",
                  WIDTH, height, WIDTH, height, style, WIDTH, height, 12);
    write_text(out, title);
    (void)fputs("</text>\n", out);
    write_axis(out, left, bottom_of(timeline), length, scale);
    for (uint32_t lane = 0; lane < timeline->n_lanes; lane++)
        (void)fprintf(out, "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">%s</text>\n", left - GAP,
                      TOP + (int)lane * LANE + LANE / 2 + 4, timeline->lanes[lane].name);
    for (size_t i = 0; i < timeline->n; i++)
        write_span(out, timeline, &timeline->spans[i], left, scale);
    (void)fputs("</svg>\n", out);
}

static const char svg_head[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"timeline\"";

const struct pail_timeline_format pail_timeline_svg = {
    .option = "--svg", .head = {.bytes = svg_head, .n = sizeof(svg_head) - 1}, .write = write_svg};
