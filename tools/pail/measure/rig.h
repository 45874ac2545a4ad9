/* The frame of a measuring command: options, first row, backend, supply, last row, exit status. */
#ifndef PAIL_TOOL_MEASURE_RIG_H
#define PAIL_TOOL_MEASURE_RIG_H

#include <stdio.h>

#include "error/error.h"
#include "error/exit.h"
#include "options.h"
#include "output/lines.h"
#include "process/session.h"
#include "runner.h"
#include "supply.h"

#include <platform/text.h>

struct pail_rig {
    struct pail_instrument_options options;
    pail_host host;
    pail_registry *registry;
    struct pail_session session; /* without a context where the instrument needs none */
    struct pail_supply supply;
    struct pail_lines lines;
    FILE *table; /* NULL: JSON lines go to standard output in place of it */
    size_t measured, unsupported;
    size_t cases;          /* of the calls of pail_measure that have ended */
    bool fresh_contexts;   /* one for each case, which nothing before it has left memory in */
    bool context_used;     /* by a case */
    bool expects_refusals; /* of arguments and for want of memory, in single cases */
    double drop_factor; /* leave out what takes that many times as long as the best; 0: nothing */
    double drop_ms;     /* and longer than this */
    double deadline_ms; /* of pail_now_ms: no run begins after it; 0: there is none */
    struct pail_error error; /* so far: the first failure, and whether any result was wrong */
};

struct pail_instrument {
    bool needs_no_context;   /* nor a device */
    uint32_t needs, prefers; /* as in pail_session_params; its options add to them */
    /* Looks at the options before anything is opened; optional. */
    pail_status (*check)(struct pail_instrument_options *options, struct pail_error *error);
    /* A run that cannot go on returns a status with a sentence; failures of single cases are added
     * to the rig's error. */
    pail_status (*run)(struct pail_rig *rig, struct pail_error *error);
};

/* PAIL_DEBUG=time measures every kernel on its own and so changes what is measured: an error with a
 * sentence. */
pail_status pail_refuse_debug_time(struct pail_error *error);

/* The run of a command that is an instrument: call->command->more. */
void pail_instrument_run(struct pail_error *error, void *options, const struct pail_call *call);

/* Prints to the table, if there is one. */
#if defined(__GNUC__)
PAIL_LINE_PRINTF(2, 3)
#endif
void pail_rig_print(struct pail_rig *rig, const char *format, ...);

/* The row that says which device it is; NULL: a large imaginary one. */
void pail_rig_put_device(struct pail_rig *rig, const pail_device_info *device);

/* ---- warming.c ------------------------------------------------------------------------------- */
/* Builds what the setups take, all of them in parallel, with the threads of the rig's context and a
 * bar on a terminal. Says how many were built, if any were. What is missed, or cannot be built, is
 * built or refused when it is used: this changes no result. Does nothing where the backend builds
 * no pipelines for single configurations (before ABI 1.1), and no more once the rig's deadline has
 * passed. */
void pail_rig_warm(struct pail_rig *rig, const struct pail_setup *setups, size_t n);

#endif /* PAIL_TOOL_MEASURE_RIG_H */
