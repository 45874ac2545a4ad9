#define _POSIX_C_SOURCE 200809L

#include "timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_SPANS = 64 };

const char *pail_lane_name(enum pail_lane lane)
{
    static const char *const names[PAIL_LANES] = {
        [PAIL_LANE_FILE] = "file",         [PAIL_LANE_HOST] = "host",
        [PAIL_LANE_UPLOAD] = "upload",     [PAIL_LANE_DEVICE] = "device",
        [PAIL_LANE_CPU_POOL] = "CPU pool",
    };
    return names[lane];
}

void pail_timeline_add(struct pail_timeline *timeline, enum pail_lane lane, const char *name,
                       double from_ms, double to_ms)
{
    if (timeline->n == timeline->capacity) {
        const size_t capacity = timeline->capacity == 0 ? FIRST_SPANS : 2 * timeline->capacity;
        struct pail_span *const spans = realloc(timeline->spans, capacity * sizeof(*spans));
        if (spans == NULL) {
            timeline->failed = true;
            return;
        }
        timeline->spans = spans;
        timeline->capacity = capacity;
    }
    timeline->spans[timeline->n++] = (struct pail_span){
        .lane = lane, .name = name, .from_ms = from_ms, .to_ms = to_ms > from_ms ? to_ms : from_ms};
}

double pail_timeline_end_of(const struct pail_timeline *timeline, enum pail_lane lane)
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
    *file = PAIL_TIMELINE_FILE_NONE;
    file->format = format;
    if (path == NULL)
        return PAIL_OK;
    const struct pail_replace_rule rule = {.ours = &format->head, .n_ours = 1, .mode = 0666};
    const char *const why = pail_replace_begin(&file->file, path, &rule);
    if (why != NULL)
        return pail_fail(error, PAIL_ERR_IO, "%s %s: %s", format->option, path, why);
    file->path = path;
    return PAIL_OK;
}

/* To a copy of the descriptor, which the stream closes. */
static bool write_stream(const struct pail_timeline_file *file,
                         const struct pail_timeline *timeline, const char *title)
{
    const int copy = dup(file->file.fd);
    FILE *const out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out == NULL) {
        if (copy >= 0)
            (void)close(copy);
        return false;
    }
    (void)fwrite(file->format->head.bytes, 1, file->format->head.n, out);
    file->format->write(out, timeline, title);
    const bool good = ferror(out) == 0;
    return fclose(out) == 0 && good;
}

pail_status pail_timeline_file_write(struct pail_timeline_file *file,
                                     const struct pail_timeline *timeline, const char *title,
                                     struct pail_error *error)
{
    const char *const option = file->format->option;
    if (file->path == NULL)
        return PAIL_OK;
    if (timeline->failed)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s %s: no memory", option, file->path);
    errno = 0;
    const char *const why =
        write_stream(file, timeline, title) ? pail_replace_publish(&file->file) : strerror(errno);
    return why == NULL ? PAIL_OK
                       : pail_fail(error, PAIL_ERR_IO, "%s %s: %s", option, file->path, why);
}

void pail_timeline_file_end(struct pail_timeline_file *file)
{
    pail_replace_end(&file->file);
    *file = PAIL_TIMELINE_FILE_NONE;
}
