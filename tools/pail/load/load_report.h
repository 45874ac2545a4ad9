/* Results of runs of several configurations: a table, a file of CSV, JSON objects. */
#ifndef PAIL_TOOL_LOAD_LOAD_REPORT_H
#define PAIL_TOOL_LOAD_LOAD_REPORT_H

#include <stdio.h>

#include "load.h"

/* A configuration, and what was measured: [PAIL_LOAD_METRICS][runs]. */
struct pail_load_row {
    uint64_t knobs[PAIL_LOAD_KNOBS];
    double *values;
};

struct pail_load_report {
    const struct pail_session *session;
    uint64_t count;
    size_t runs;
    const struct pail_load_row *rows;
    size_t n;
    bool swept[PAIL_LOAD_KNOBS]; /* knobs that differ, and so name the rows */
};

/* The first line of the file is a promise: columns are not renamed, moved or left out. A release
 * may append some. */
extern const struct pail_magic pail_load_csv_head;

/* A writer for pail_whole_file_write. report: struct pail_load_report. */
void pail_load_write_csv(FILE *out, const void *report);

/* Medians, with the spread (largest less smallest, by the median) of the throughput. */
void pail_load_print(FILE *out, const struct pail_load_report *report);

/* An object for each row. */
pail_status pail_load_print_json(FILE *out, const struct pail_load_report *report,
                                 struct pail_error *error);

#endif /* PAIL_TOOL_LOAD_LOAD_REPORT_H */
