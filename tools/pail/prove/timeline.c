#include "timeline.h"

#include <stdlib.h>

enum { FIRST_SPANS = 64 };

void pail_timeline_add(struct pail_timeline *timeline, uint32_t lane, const char *name,
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
    if (file->file.path != NULL && timeline->failed)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s %s: no memory", file->format->option,
                         file->file.path);
    return pail_whole_file_write(&file->file, write_titled,
                                 &(struct titled){file->format, timeline, title}, error);
}

void pail_timeline_file_end(struct pail_timeline_file *file)
{
    pail_whole_file_end(&file->file);
}
