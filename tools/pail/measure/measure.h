/* SPDX-License-Identifier: Apache-2.0 */
/* Measures cases: warm-ups, repetitions, each checked; a row for each, and a result. */
#ifndef PAIL_TOOL_MEASURE_MEASURE_H
#define PAIL_TOOL_MEASURE_MEASURE_H

#include "error/error.h"
#include "rig.h"
#include "statistics.h"

enum pail_outcome {
    PAIL_MEASURED,
    PAIL_WRONG,       /* a result differs from the closed form: there are no times */
    PAIL_NOT_OFFERED, /* PAIL_ERR_UNSUPPORTED */
    PAIL_FAILED,      /* any other status */
    PAIL_LEFT_OUT,    /* far slower than another at first, or the time was up */
};

struct pail_case {
    struct pail_setup setup;
    char label[160]; /* of the configuration */
    enum pail_outcome outcome;
    struct pail_error error; /* unless it was measured */
    struct pail_subject subject;
    double bases_ms;
    pail_bases_info info;
    bool fresh_context; /* all that the context has allocated is this case's */
    double first_ms;    /* of the first run, without the making of pipelines; 0: unknown */
    /* Times of the n repetitions; stats of the last of them. */
    size_t n;
    double *wall_ms, *device_ms; /* [n] */
    double *phases_ms[PAIL_PHASES_MAX];
    pail_stats stats;
    double *memory; /* the memory that the pointers above point into */
};

void pail_case_init(struct pail_case *c, const struct pail_instrument_options *options,
                    const struct pail_variant *variant, size_t group, uint64_t n);

/* Measures the cases one after the other, or all in turn: 1 2 3, 3 2 1, 1 2 3, ... `done`
 * (optional) is called for each in their order, with its rows but the last one written. Cases may
 * be left out as the rig says (drop_factor, drop_ms, deadline_ms); with a deadline, two that were
 * measured in turn may differ by one repetition, the last.
 * Returns PAIL_OK whatever became of the cases, or PAIL_ERR_HOST_MEMORY. */
pail_status pail_measure(struct pail_rig *rig, struct pail_case *cases, size_t n, bool interleave,
                         void (*done)(struct pail_rig *rig, struct pail_case *c, size_t index),
                         struct pail_error *error);

/* Accumulation and combining by the device's clock where there is one, by ours otherwise. */
double pail_case_adds_per_s(const struct pail_case *c);

/* Multiplications from which on the case's table pays, against the same without: what making it
 * took by what each saves. 0: it has none, or never does. */
double pail_case_break_even(const struct pail_case *c, const struct pail_case *plain);

/* Scratch and resident bases. */
uint64_t pail_case_bytes(const struct pail_case *c);

/* Sets the members that tell a case: curve, group, n, ... and its number. */
void pail_json_set_case(struct pail_json *row, const struct pail_case *c, size_t index);

/* Sets the result of a case: times if it was measured, otherwise the outcome. */
void pail_json_set_result(struct pail_json *row, const struct pail_case *c);

/* A line of a table: the case, marked with a star if it is the best, and its times or why there are
 * none. width: of the label, at least that of the longest. What stands above: the header. */
void pail_print_case(struct pail_rig *rig, const struct pail_case *c, int width, bool best);
void pail_print_case_header(struct pail_rig *rig, int width);

/* "1.00 GiB"; returns text. */
const char *pail_bytes_text(char text[24], uint64_t bytes);

/* "2^20" or "1000"; returns text. */
const char *pail_size_text(char text[24], uint64_t n);

/* Frees the contents of cases; with `free`, also the array itself, which may be NULL. */
void pail_cases_clear(struct pail_case *cases, size_t n);
void pail_cases_free(struct pail_case *cases, size_t n);

#endif /* PAIL_TOOL_MEASURE_MEASURE_H */
