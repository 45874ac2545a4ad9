/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline: spans in lanes, and the files they are written to. */
#ifndef PAIL_TOOL_PROVE_TIMELINE_H
#define PAIL_TOOL_PROVE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error/error.h"
#include "output/files.h"

enum { PAIL_LANE_COLOURS = 5 };

/* A row of the picture. */
struct pail_lane {
    const char *name; /* letters, digits and spaces */
    uint32_t colour;  /* below PAIL_LANE_COLOURS */
};

struct pail_span {
    uint32_t lane;
    const char *name; /* letters, digits and spaces; stays as long as the timeline */
    double from_ms, to_ms;
};

struct pail_timeline {
    double begin_ms;               /* of pail_now_ms, or of any other clock that all times are of */
    const struct pail_lane *lanes; /* [n_lanes]; the caller's */
    uint32_t n_lanes;
    struct pail_span *spans;
    size_t n, capacity;
    bool failed; /* there was no memory for one */
};

/* In: times of the clock of begin_ms. A span ends no earlier than it begins. */
void pail_timeline_add(struct pail_timeline *timeline, uint32_t lane, const char *name,
                       double from_ms, double to_ms);
/* The end of a lane's last span; begin_ms while there is none. */
double pail_timeline_end_of(const struct pail_timeline *timeline, uint32_t lane);
/* Legal on a timeline that is zeroed. */
void pail_timeline_free(struct pail_timeline *timeline);

/* ---- Files ----------------------------------------------------------------------------------- */
struct pail_timeline_format {
    const char *option;     /* the option that names the file, for sentences */
    struct pail_magic head; /* the beginning of such a file */
    /* Writes all that follows the head. title: one line of <platform/line.h>. */
    void (*write)(FILE *out, const struct pail_timeline *timeline, const char *title);
};

/* The trace format of Chrome, which chrome://tracing and ui.perfetto.dev show, and a picture. */
extern const struct pail_timeline_format pail_timeline_trace, pail_timeline_svg;

struct pail_timeline_file {
    const struct pail_timeline_format *format;
    struct pail_whole_file file;
};

#define PAIL_TIMELINE_FILE_NONE                                                                    \
    ((struct pail_timeline_file){.file = {.file = {.fd = -1, .folder = -1}}})

/* path: optional. A file must be new, or begin with the format's head. Returns PAIL_OK, or
 * PAIL_ERR_IO with a sentence. */
pail_status pail_timeline_file_begin(struct pail_timeline_file *file,
                                     const struct pail_timeline_format *format, const char *path,
                                     struct pail_error *error);
/* Returns PAIL_OK, PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY with a sentence. */
pail_status pail_timeline_file_write(struct pail_timeline_file *file,
                                     const struct pail_timeline *timeline, const char *title,
                                     struct pail_error *error);
/* Legal on PAIL_TIMELINE_FILE_NONE. */
void pail_timeline_file_end(struct pail_timeline_file *file);

#endif /* PAIL_TOOL_PROVE_TIMELINE_H */
