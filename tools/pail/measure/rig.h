/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a measuring command: options, first row, backend, inputs, last row, exit status. */
#ifndef PAIL_TOOL_MEASURE_RIG_H
#define PAIL_TOOL_MEASURE_RIG_H

#include <stdio.h>

#include <platform/text.h>

#include "error/error.h"
#include "options/knobs.h"
#include "output/files.h"
#include "process/session.h"
#include "runner.h"

/* Instruments that take a row of pail_instrument_rows. */
enum pail_instrument_bit {
    PAIL_BENCH = 1 << 0,
    PAIL_AB = 1 << 1,
    PAIL_MEMBUDGET = 1 << 2,
    PAIL_MEM = 1 << 3,
    PAIL_SWEEP = 1 << 4,
    PAIL_CHECK = 1 << 5,
    PAIL_TUNE = 1 << 6,
};

/* Settings that --var changes, on top of the other options. */
struct pail_variant {
    struct pail_knobs knobs;
    uint32_t dist, base_kind; /* pail_scalar_dist, pail_base_kind */
    uint64_t jobs;
    uint32_t scalar_memory; /* as in pail_setup */
    char label[160];
};

enum { PAIL_VARIANTS_MAX = 32, PAIL_GROUPS_MAX = 4 };

/* A GPU lowers its clock while the host makes inputs, and takes a tenth of a second or two of work
 * to raise it again: of a run of a millisecond, one warm-up is not enough. */
#define PAIL_WARMUP_MS 300

struct pail_instrument_options {
    const struct pail_call *call;  /* the command line, for the first row */
    uint32_t curve_set, group_set; /* bits, 1 << value */
    struct {
        uint32_t curve, group;
    } groups[PAIL_GROUPS_MAX]; /* curves times groups */
    size_t n_groups;
    struct pail_list sizes;
    uint64_t reps, warmup, seed;
    uint64_t warmup_ms; /* warm-ups go on until they have taken so long together */
    bool interleave;
    struct pail_variant base; /* settings of the other options */
    const char *vars[PAIL_VARIANTS_MAX];
    struct pail_variant variants[PAIL_VARIANTS_MAX];
    size_t n_variants;
    const char *over; /* sweep: KNOB=LIST */
    struct pail_list batches, budgets;
    uint32_t place;               /* membudget: pail_place */
    uint64_t cases, first, max_n; /* check */
    uint64_t time_s;
    bool automatic;       /* check: the kernels are the backend's choice */
    bool buckets;         /* check: the sums of buckets */
    uint32_t validation;  /* pail_validation, of the bases */
    uint32_t scalar_bits; /* mem: as in pail_msm_job */
    bool order_known;     /* mem: as in pail_bases_info */
    bool all_batches;     /* mem */
    /* tune */
    uint32_t accumulators; /* bits, 1 << pail_accumulator */
    uint64_t budget_ms;    /* 0: as long as it takes */
    bool dry_run, forget, show;
    struct pail_session_params session;
    const char *json;
    uint64_t wrong_case; /* falsify the result of this case of all; UINT64_MAX: of none */
};

/* Defaults of each instrument where the command line says nothing; its groups, of which each
 * begins with the first one or with all. */
#define PAIL_INSTRUMENT_DEFAULTS                                                                   \
    .warmup = 1, .warmup_ms = PAIL_WARMUP_MS, .wrong_case = UINT64_MAX,                            \
    .base = {.jobs = 1, .knobs = PAIL_KNOBS_OPEN}
#define PAIL_FIRST_GROUP .curve_set = 1U << PAIL_CURVE_BN254, .group_set = 1U << PAIL_G1
#define PAIL_ALL_GROUPS                                                                            \
    .curve_set = 1U << PAIL_CURVE_BN254 | 1U << PAIL_CURVE_BLS12_381,                              \
    .group_set = 1U << PAIL_G1 | 1U << PAIL_G2

/* The rows of an instrument, which is called by its bit, from the most special to the most general
 * ones. */
enum { PAIL_INSTRUMENT_ROWS = 39 };
extern const struct pail_option pail_instrument_rows[PAIL_INSTRUMENT_ROWS];
#define PAIL_INSTRUMENT_PART(bit)                                                                  \
    .rows = pail_instrument_rows, .n = PAIL_INSTRUMENT_ROWS, .taker = (bit)
#define PAIL_INSTRUMENT_PARTS(bit, who)                                                            \
    {PAIL_INSTRUMENT_PART(bit)}, {PAIL_SESSION_PART(struct pail_instrument_options, session)},     \
    {                                                                                              \
        PAIL_KNOBS_PART(struct pail_instrument_options, base.knobs, who)                           \
    }

/* ---- The frame ------------------------------------------------------------------------------- */

struct pail_rig {
    struct pail_instrument_options options;
    pail_host host;
    pail_registry *registry;
    struct pail_session session; /* without a context where the instrument needs none */
    struct pail_supply supply;
    struct pail_lines lines;
    FILE *table; /* NULL: JSON lines go to standard output in place of it */
    bool folded; /* its lines, as pail_table_print does */
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

/* Prints to the table, if there is one, as pail_table_print does. */
#if defined(__GNUC__)
PAIL_LINE_PRINTF(2, 3)
#endif
void pail_rig_print(struct pail_rig *rig, const char *format, ...);

/* The row that says which device it is; NULL: a large imaginary one. */
void pail_rig_put_device(struct pail_rig *rig, const pail_device_info *device);

/* Builds what the setups take, all of them in parallel, with the threads of the rig's context and a
 * bar on a terminal. Says how many were built, if any were. What is missed, or cannot be built, is
 * built or refused when it is used: this changes no result. Does nothing where the backend builds
 * no pipelines for single configurations (before ABI 1.1), and no more once the rig's deadline has
 * passed. */
void pail_rig_warm(struct pail_rig *rig, const struct pail_setup *setups, size_t n);

#endif /* PAIL_TOOL_MEASURE_RIG_H */
