/* The command lines of the instruments: one table of options, of which each command takes some. */
#ifndef PAIL_TOOL_MEASURE_OPTIONS_H
#define PAIL_TOOL_MEASURE_OPTIONS_H

#include <stdbool.h>

#include "options/knobs.h"
#include "options/lists.h"
#include "process/session.h"
#include <curves/inputs.h>

/* Which command takes an option. */
enum pail_instrument_bit {
    PAIL_BENCH = 1 << 0,
    PAIL_AB = 1 << 1,
    PAIL_MEMBUDGET = 1 << 2,
    PAIL_MEM = 1 << 3,
    PAIL_SWEEP = 1 << 4,
    PAIL_CHECK = 1 << 5,
    PAIL_TUNE = 1 << 6,
};

/* What --var changes, on top of the other options. */
struct pail_variant {
    struct pail_knobs knobs;
    enum pail_scalar_dist dist;
    enum pail_base_kind base_kind;
    uint64_t jobs;
    uint32_t scalar_memory; /* as in pail_setup */
    char label[160];
};

enum { PAIL_VARIANTS_MAX = 32, PAIL_GROUPS_MAX = 4 };

/* A GPU lowers its clock while the host makes inputs, and takes a tenth of a second or two of work
 * to raise it again: of a run of a millisecond, one warm-up is not enough. */
#define PAIL_WARMUP_MS 300

struct pail_instrument_options {
    int argc; /* the command line, for the first row */
    char **argv;
    struct {
        uint32_t curve, group;
    } groups[PAIL_GROUPS_MAX]; /* curves times groups */
    size_t n_groups;
    struct pail_list sizes;
    uint64_t reps, warmup, seed;
    uint64_t warmup_ms; /* warm-ups go on until they have taken so long together */
    bool interleave;
    struct pail_variant base; /* what the other options say */
    struct pail_variant variants[PAIL_VARIANTS_MAX];
    size_t n_variants;
    const char *over; /* sweep: KNOB=LIST */
    struct pail_list batches, budgets;
    bool resident, streamed;      /* membudget: which of the two */
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
    bool help, verbose;
    uint64_t wrong_case; /* falsify the result of this case of all; UINT64_MAX: of none */
};

/* Help on what several commands take. */
#define PAIL_HELP_WHERE                                                                            \
    "  --backend NAME     use this backend; by default that of a GPU, otherwise the CPU's, "       \
    "unless\n"                                                                                     \
    "                     only another has what is asked for\n"                                    \
    "  --device D         index of a device, or a part of its name\n"                              \
    "  --cpu-threads N    of the CPU; by default as many as there are processors\n"
#define PAIL_HELP_GROUPS                                                                           \
    "  --curve LIST       bn254 (default), bls12-381, all\n"                                       \
    "  --group LIST       g1 (default), g2, all\n"
#define PAIL_HELP_SIZES                                                                            \
    "  --sizes LIST       numbers of points: 1000, 2^16, 2^10..2^20 or 10..20 (both: powers of\n"  \
    "                     two), 10..20..2 (every other one)\n"
#define PAIL_HELP_INPUTS                                                                           \
    "  --dist D           scalars: uniform (default), zero, one, equal, 01, small, bits256, "      \
    "edge,\n"                                                                                      \
    "                     hot, sha\n"                                                              \
    "  --base-kind K      points: distinct (default), equal, pairs, infinity, multiples, ...: as " \
    "in\n"                                                                                         \
    "                     pail msm\n"                                                              \
    "  --scalars WHERE    when the time begins: host (default), pinned (the host's, which the "    \
    "device\n"                                                                                     \
    "                     reads by itself), device\n"                                              \
    "  --seed N           of both (default 1)\n"                                                   \
    "  --validation V     of the points: none (default), curve, subgroup; after the last, "        \
    "scalars\n"                                                                                    \
    "                     count modulo the order\n"                                                \
    "  --jobs N           multiplications at a time over the same points (default 1)\n"
#define PAIL_HELP_REPS(reps)                                                                       \
    "  --reps N           measured repetitions (default " reps ")\n"                               \
    "  --warmup N         runs before them that are not measured (default 1), and more of them\n"  \
    "  --warmup-ms N      until they have taken N milliseconds together (default 300)\n"
#define PAIL_HELP_OUTPUT                                                                           \
    "  --json FILE        JSON lines as well; -: to standard output, in place of the table\n"      \
    "  --verbose          show what the backend logs\n"
#define PAIL_HELP_TUNING "tuning; 0, auto: the backend's choice\n" PAIL_KNOBS_HELP
#define PAIL_HELP_END                                                                              \
    "\nNumbers may be written 1000, 0x3e8 or 2^10. Exit status: see pail --help.\n"

/* defaults: what holds where the command line says nothing. Strings stay in argv. Returns PAIL_OK
 * or PAIL_ERR_ARGUMENT with a sentence. */
pail_status pail_instrument_options_read(struct pail_instrument_options *options,
                                         const struct pail_instrument_options *defaults,
                                         enum pail_instrument_bit command, const char *name,
                                         int argc, char **argv, char *error, size_t error_cap);

#endif /* PAIL_TOOL_MEASURE_OPTIONS_H */
