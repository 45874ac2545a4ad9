/* SPDX-License-Identifier: Apache-2.0 */
/* Many proofs at a time: the load of `pail bench prove`, and its spans. */
#ifndef PAIL_TOOL_LOAD_LOAD_H
#define PAIL_TOOL_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pail/prover.h>

#include <formats/verifying_key.h>

#include "process/session.h"

/* The name of a kind of span, and the lane that it is drawn in. */
struct pail_load_kind {
    const char *name;
    const char *lane; /* "wait": nowhere */
};
extern const struct pail_load_kind pail_load_kinds[PAIL_PROVER_SPAN_KINDS];

struct pail_load_trace {
    pail_prover_span *spans;
    size_t n, capacity;
    bool failed;       /* there was no memory for one */
    uint64_t begin_ns; /* of the run */
    uint64_t first;    /* number of its first job */
};

/* The beginning of each line. */
extern const struct pail_magic pail_load_trace_head;

/* A writer for pail_whole_file_write: jobs of the run alone, numbered from 0, with times since the
 * run began. */
void pail_load_trace_write(FILE *out, const void *trace);

/* Forgets all spans. Legal on one that is zeroed. */
void pail_load_trace_clear(struct pail_load_trace *trace);

/* ---- The load -------------------------------------------------------------------------------- */

/* The knobs of a configuration; in pail_load_knobs by name. */
enum pail_load_knob {
    PAIL_LOAD_JOBS,
    PAIL_LOAD_INFLIGHT,
    PAIL_LOAD_PRODUCERS,
    PAIL_LOAD_HOST_THREADS,
    PAIL_LOAD_HOST_BUCKET_MB,
    PAIL_LOAD_MEM_BUDGET,
    PAIL_LOAD_VRAM_BUDGET,
    PAIL_LOAD_LEDGER, /* 0 or 1, down to the throttle */
    PAIL_LOAD_RECLAIMER,
    PAIL_LOAD_WHOLE_SLOTS,
    PAIL_LOAD_ALL_THREADS,
    PAIL_LOAD_THROTTLE,
    PAIL_LOAD_SHARE, /* deprecated, without effect */
    PAIL_LOAD_KNOBS
};

struct pail_load_knob_row {
    const char *name;
    uint64_t most;
};
extern const struct pail_load_knob_row pail_load_knobs[PAIL_LOAD_KNOBS];

/* The metrics of a run; in pail_load_metrics by name. */
enum pail_load_metric {
    PAIL_LOAD_PER_S,   /* proofs a second */
    PAIL_LOAD_MS,      /* milliseconds a proof: the run's by the number of proofs */
    PAIL_LOAD_AVERAGE, /* of a proof, from the call that submits it until it is there */
    PAIL_LOAD_P50,
    PAIL_LOAD_P95,
    PAIL_LOAD_P99,
    PAIL_LOAD_DEVICE_MS,      /* that a device worked for a proof, by its timestamps */
    PAIL_LOAD_SLOTS_PERCENT,  /* of the slots' time that they were taken */
    PAIL_LOAD_HELD_PERCENT,   /* of the device's time that any slot was taken */
    PAIL_LOAD_DEVICE_PERCENT, /* of it that the device worked, by its timestamps */
    PAIL_LOAD_DEVICE_MIB,     /* peaks: reserved of the device's memory, */
    PAIL_LOAD_HOST_MIB,       /* and of the host's; */
    PAIL_LOAD_RESIDENT_MIB,   /* resident pages of the process, heap kept from earlier runs too */
    PAIL_LOAD_CPU_MS,         /* of all processors together, a proof */
    PAIL_LOAD_METRICS
};

extern const char *const pail_load_metrics[PAIL_LOAD_METRICS];

struct pail_load {
    const struct pail_session *session;
    const struct pail_verifying_key *verifying;
    pail_groth16_key_params key;
    const char *witness; /* path */
    uint64_t count;
    uint64_t knobs[PAIL_LOAD_KNOBS];
    struct pail_load_trace *trace; /* optional: of this run */
};

/* Makes a prover, with each device of the session, proves as many times as there are slots to warm
 * up (more often with several devices, until each has the key), then `count` times, and verifies
 * every proof when all are there, so that verification takes nothing of the time.
 *
 * Out: values: zeroed unless all proofs are valid.
 * Returns PAIL_OK, or a status with a sentence; a proof that is not valid differs. */
pail_status pail_load_run(double values[PAIL_LOAD_METRICS], const struct pail_load *load,
                          struct pail_error *error);

/* The first line of the file is a promise: columns are not renamed, moved or left out. A release
 * may append some. */
extern const struct pail_magic pail_load_csv_head;

#endif /* PAIL_TOOL_LOAD_LOAD_H */
