/* Reports of a warm-up: a table, or JSON lines. docs/pipelines.md lists the members. */
#ifndef PAIL_TOOL_WARMUP_WARM_REPORT_H
#define PAIL_TOOL_WARMUP_WARM_REPORT_H

#include <stdio.h>

#include "error/exit.h"
#include "fresh.h"
#include "output/lines.h"
#include "warm_run.h"

/* Totals of a whole command, over all devices. */
struct pail_warm_summary {
    size_t n_devices;
    struct pail_warm_tally tally;
    uint64_t unkept;
    double wall_ms;
    const char *dir; /* folder of the cache */
    bool imported, exported, verified;
    uint64_t n_imported, n_exported; /* entries */
    struct pail_warm_fresh fresh;    /* with `verified` */
    struct pail_error error;         /* the first failure */
};

void pail_warm_summary_add(struct pail_warm_summary *summary,
                           const struct pail_warm_device *device);

void pail_warm_print_device(FILE *out, const struct pail_warm_device *device);
void pail_warm_print_summary(FILE *out, const struct pail_warm_summary *summary);

void pail_warm_put_device(struct pail_lines *lines, const struct pail_warm_device *device);
void pail_warm_put_pipeline(struct pail_lines *lines, const struct pail_warm_device *device,
                            const pail_pipeline_info *row);
void pail_warm_put_summary(struct pail_lines *lines, const struct pail_warm_summary *summary);

#endif /* PAIL_TOOL_WARMUP_WARM_REPORT_H */
