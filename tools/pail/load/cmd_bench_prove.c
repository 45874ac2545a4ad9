/* `pail bench prove`: measure a prover under load, over its settings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "load_report.h"
#include "options/lists.h"
#include "output/progress.h"
#include "process/log.h"

enum { SWEEPS_MAX = PAIL_LOAD_KNOBS, ROWS_MAX = 4096, RUNS_MIN = 5 };

struct sweep {
    size_t knob;
    struct pail_list list;
};

struct options {
    const char *key, *witness, *csv, *trace;
    struct pail_session_params session;
    uint64_t knobs[PAIL_LOAD_KNOBS];
    struct sweep sweeps[SWEEPS_MAX];
    size_t n_sweeps;
    uint64_t count, runs;
    uint32_t residency, table_factor, b2;
    bool json, verbose;
};

/* inflight=1,2,3; a knob once. */
static bool store_sweep(void *given, const char *text)
{
    struct options *const options = given;
    const size_t length = strcspn(text, "=");
    struct sweep sweep = {.knob = 0};
    while (sweep.knob < PAIL_LOAD_KNOBS &&
           (strncmp(pail_load_knobs[sweep.knob].name, text, length) != 0 ||
            pail_load_knobs[sweep.knob].name[length] != '\0'))
        sweep.knob++;
    if (sweep.knob == PAIL_LOAD_KNOBS || text[length] == '\0' || options->n_sweeps == SWEEPS_MAX ||
        !pail_list_parse(&sweep.list, text + length + 1, PAIL_RANGE_EACH))
        return false;
    const uint64_t least = sweep.knob < PAIL_LOAD_HOST_BUCKET_MB ? 1 : 0;
    for (size_t i = 0; i < sweep.list.n; i++)
        if (sweep.list.values[i] < least || sweep.list.values[i] > pail_load_knobs[sweep.knob].most)
            return false;
    for (size_t i = 0; i < options->n_sweeps; i++)
        if (options->sweeps[i].knob == sweep.knob)
            return false;
    options->sweeps[options->n_sweeps++] = sweep;
    return true;
}

#define OF struct options
static const struct pail_option rows[] = {
    {PAIL_FILE(OF, key, "key", "KEY.zkey", "the key, as snarkjs writes it"), .not_empty = true},
    {PAIL_FILE(OF, witness, "witness", "WITNESS.wtns", "the witness, as circom writes it"),
     .not_empty = true},
    {PAIL_U64(OF, count, "count", "C", "proofs of a run"), .min = 1, .max = 1000000},
    {PAIL_U64(OF, runs, "runs", "R",
              "runs of each configuration, alternating with the others; at least five"),
     .min = RUNS_MIN, .max = 1000},
    {PAIL_U64(OF, knobs[PAIL_LOAD_JOBS], "jobs", "J", "proofs requested at the same time"),
     .min = 1, .max = 1024},
    {PAIL_U64(OF, knobs[PAIL_LOAD_INFLIGHT], "inflight", "N", "slots of the device"), .min = 1,
     .max = 64},
    {PAIL_U64(OF, knobs[PAIL_LOAD_PRODUCERS], "producers", "N",
              "threads that read and check witnesses"),
     .min = 1, .max = 1024},
    {PAIL_U64(OF, knobs[PAIL_LOAD_HOST_THREADS], "host-threads", "N", "threads that finish proofs"),
     .min = 1, .max = 1024},
    {PAIL_U64(
         OF, knobs[PAIL_LOAD_HOST_BUCKET_MB], "host-bucket-mb", "MIB",
         "scratch memory for threads of a multiplication on the host; 0: half of the L3 caches"),
     .max = 1 << 20},
    {PAIL_U64(OF, knobs[PAIL_LOAD_MEM_BUDGET], "mem-budget", "MIB",
              "host memory that proofs may reserve; 0: available memory"),
     .max = 1 << 30},
    {PAIL_U64(OF, knobs[PAIL_LOAD_VRAM_BUDGET], "vram-budget", "MIB", "the same for device memory"),
     .max = 1 << 30},
    {PAIL_U64(OF, knobs[PAIL_LOAD_SHARE], "share", "K", PAIL_HELP_SHARE), .max = 16},
    {PAIL_CUSTOM(
         store_sweep, "sweep", "NAME=LIST",
         "measure with each of these values: of jobs, inflight, producers, host-threads, "
         "host-bucket-mb, mem-budget, vram-budget or share, or of a switch, ledger, reclaimer, "
         "whole-slots, all-threads or throttle, with 0 or 1. Several sweeps give all combinations"),
     .many = true},
    {PAIL_NAME(OF, residency, "residency", "R", "where to keep the key's points"),
     .values = pail_residency_names},
    {PAIL_U32(OF, table_factor, "table-factor", "F",
              "most copies of each point in precomputed tables")},
    {PAIL_NAME(OF, b2, "b2", "W", PAIL_HELP_B2), .values = pail_b2_names},
    {PAIL_FILE(OF, csv, "csv", "FILE", "write all values, with minimum and maximum")},
    {PAIL_FILE(
        OF, trace, "trace", "FILE",
        "write the timeline of the last run, for pail waterfall; only for one configuration")},
    {PAIL_FLAG(OF, json, "json", "print a JSON object for each configuration")},
    {PAIL_FLAG(OF, verbose, "verbose", PAIL_HELP_VERBOSE)},
};
#undef OF

static const struct options defaults = {.count = 20,
                                        .runs = RUNS_MIN,
                                        .knobs = {[PAIL_LOAD_JOBS] = 4,
                                                  [PAIL_LOAD_INFLIGHT] = 2,
                                                  [PAIL_LOAD_PRODUCERS] = 2,
                                                  [PAIL_LOAD_HOST_THREADS] = 2,
                                                  [PAIL_LOAD_LEDGER] = 1,
                                                  [PAIL_LOAD_RECLAIMER] = 1}};

/* ---- Configurations ------------------------------------------------------------------------- */
/* All combinations; the last sweep changes first. */
static pail_status make_rows(struct pail_load_report *report, struct pail_load_row **made,
                             const struct options *options, struct pail_error *error)
{
    size_t n = 1;
    for (size_t s = 0; s < options->n_sweeps; s++) {
        n *= options->sweeps[s].list.n;
        report->swept[options->sweeps[s].knob] = true;
        if (n > ROWS_MAX)
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "--sweep: there are more than %d configurations", ROWS_MAX);
    }
    struct pail_load_row *const all = calloc(n, sizeof(*all));
    *made = all;
    report->rows = all;
    if (all == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu configurations", n);
    report->n = n;
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        memcpy(all[i].knobs, options->knobs, sizeof(all[i].knobs));
        for (size_t s = options->n_sweeps; s-- > 0;) {
            const struct sweep *const sweep = &options->sweeps[s];
            all[i].knobs[sweep->knob] = sweep->list.values[rest % sweep->list.n];
            rest /= sweep->list.n;
        }
        all[i].values = calloc(PAIL_LOAD_METRICS * report->runs, sizeof(double));
        if (all[i].values == NULL)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu configurations", n);
    }
    return PAIL_OK;
}

static pail_status check(const struct options *options, const struct pail_load_report *report,
                         struct pail_error *error)
{
    if (options->key == NULL || options->witness == NULL)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--%s is missing",
                         options->key == NULL ? "key" : "witness");
    if (options->trace != NULL && report->n > 1)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--trace %s: there are %zu configurations, and a trace is of one",
                         options->trace, report->n);
    return PAIL_OK;
}

/* ---- Runs ----------------------------------------------------------------------------------- */
/* All configurations in turn, then all again, so that what changes slowly is in all of them. */
static pail_status run_all(const struct pail_load_report *report, struct pail_load *load,
                           struct pail_load_trace *trace, struct pail_error *error)
{
    struct pail_progress progress;
    pail_progress_begin(&progress, "proving");
    for (size_t r = 0; r < report->runs && error->status == PAIL_OK && !error->differs; r++) {
        for (size_t i = 0; i < report->n && error->status == PAIL_OK && !error->differs; i++) {
            const struct pail_load_row *const row = &report->rows[i];
            double values[PAIL_LOAD_METRICS];
            pail_progress_tick(&progress,
                               (double)(r * report->n + i) / (double)(report->runs * report->n));
            memcpy(load->knobs, row->knobs, sizeof(load->knobs));
            load->trace = r + 1 == report->runs ? trace : NULL;
            (void)pail_load_run(values, load, error);
            for (size_t m = 0; m < PAIL_LOAD_METRICS; m++)
                row->values[m * report->runs + r] = values[m];
        }
    }
    (void)pail_progress_end(&progress);
    return error->status;
}

static pail_status measure(struct pail_load_report *report, const struct options *options,
                           struct pail_session *session, struct pail_load_trace *trace,
                           struct pail_error *error)
{
    struct pail_verifying_key verifying = {0};
    struct pail_session_params params = options->session;
    const pail_host host = pail_log_host(options->verbose);
    params.needs = PAIL_ABILITY_VECTORS;
    struct pail_load load = {.session = session,
                             .verifying = &verifying,
                             .key = {.struct_size = sizeof(load.key),
                                     .residency = options->residency,
                                     .table_factor = options->table_factor,
                                     .b2 = options->b2,
                                     .b2_threads = options->session.threads,
                                     .path = options->key},
                             .witness = options->witness,
                             .count = options->count};
    report->session = session;
    pail_status status = pail_told(
        error, pail_verifying_key_of_file(&verifying, options->key, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_session_begin(session, &host, &params, error);
    if (status == PAIL_OK)
        status = run_all(report, &load, options->trace != NULL ? trace : NULL, error);
    pail_verifying_key_free(&verifying);
    return status;
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    struct pail_load_report report = {.count = options->count, .runs = options->runs};
    struct pail_load_row *made = NULL;
    struct pail_session session = {0};
    struct pail_load_trace trace = {0};
    struct pail_whole_file csv = PAIL_WHOLE_FILE_NONE, spans = PAIL_WHOLE_FILE_NONE;
    (void)call;
    pail_status status = make_rows(&report, &made, options, error);
    if (status == PAIL_OK)
        status = check(options, &report, error);
    if (status == PAIL_OK)
        status = pail_whole_file_begin(&csv, "--csv", options->csv, pail_load_csv_head, error);
    if (status == PAIL_OK)
        status =
            pail_whole_file_begin(&spans, "--trace", options->trace, pail_load_trace_head, error);
    if (status == PAIL_OK)
        status = measure(&report, options, &session, &trace, error);
    if (status == PAIL_OK && !error->differs)
        status = pail_whole_file_write(&csv, pail_load_write_csv, &report, error);
    if (status == PAIL_OK && !error->differs)
        status = pail_whole_file_write(&spans, pail_load_trace_write, &trace, error);
    if (status == PAIL_OK && !error->differs && options->json)
        (void)pail_load_print_json(stdout, &report, error);
    else if (status == PAIL_OK && !error->differs)
        pail_load_print(stdout, &report);
    pail_whole_file_end(&csv);
    pail_whole_file_end(&spans);
    pail_load_trace_clear(&trace);
    for (size_t i = 0; i < report.n; i++)
        free(made[i].values);
    free(made);
    pail_session_close(&session);
}

const struct pail_command pail_bench_prove_command = {
    .name = "bench prove",
    .summary = "measure a prover under load, over its settings",
    .usage = "--key KEY.zkey --witness WITNESS.wtns [OPTIONS]",
    .text = "Makes C proofs, J at a time, with a new prover for each run, and measures throughput, "
            "latency, utilisation of slots and device, and memory. Runs of all configurations "
            "alternate.\n"
            "Every proof is verified at the end of its run. If one is invalid, the exit status is "
            "1, and nothing is printed or written.",
    .parts = {{PAIL_PART(rows)}, {PAIL_SESSION_PART(struct options, session)}},
    .tail = "columns: proofs per second, and their spread over the runs in percent; run time "
            "divided by the number of proofs, in milliseconds; latency of a proof, average and "
            "percentiles; device time of a proof by timestamps. slots%: average share of slots in "
            "use; held%: share of the run in which a slot was in use; dev%: device time as share "
            "of the run, over 100 if proofs overlap on the device. MiB: peaks of reserved device "
            "and host memory, and of resident memory of the process.",
    .once = true,
    .size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
