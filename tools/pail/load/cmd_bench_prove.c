/* SPDX-License-Identifier: Apache-2.0 */
/* `pail bench prove`: many proofs at a time, and what came of them. */
#include "load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/counters.h>
#include <platform/processors.h>
#include <platform/text.h>

#include "commands.h"
#include "measure/statistics.h"
#include "options/number.h"
#include "output/files.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"

/* ---- The report ------------------------------------------------------------------------------ */

/* A configuration, and what was measured: [PAIL_LOAD_METRICS][runs]. */
struct load_row {
    uint64_t knobs[PAIL_LOAD_KNOBS];
    double *values;
    uint64_t *counted; /* [PAIL_COUNTERS], of all runs; 0: the counter is not there */
};

struct load_report {
    const struct pail_session *session;
    uint64_t count;
    size_t runs;
    const struct load_row *rows;
    size_t n;
    bool swept[PAIL_LOAD_KNOBS]; /* knobs that differ, and so name the rows */
    struct pail_counters counters;
};

enum { NAME_BYTES = 256 };

static struct pail_summary summary_of(const struct load_report *report, const struct load_row *row,
                                      size_t metric)
{
    return pail_summarize(row->values + metric * report->runs, report->runs);
}

/* "inflight=2 host-threads=8"; "as given" where nothing is swept. */
static const char *name_row(char name[NAME_BYTES], const struct load_report *report,
                            const struct load_row *row)
{
    size_t used = 0;
    for (size_t k = 0; k < PAIL_LOAD_KNOBS; k++)
        if (report->swept[k] && used < NAME_BYTES)
            used += (size_t)snprintf(name + used, NAME_BYTES - used, "%s%s=%" PRIu64,
                                     used != 0 ? " " : "", pail_load_knobs[k].name, row->knobs[k]);
    if (used == 0)
        (void)snprintf(name, NAME_BYTES, "as given");
    return name;
}

/* ---- Counters of the processor --------------------------------------------------------------- */

/* NAN: one of the counters is not there. */
static double per_cycle(const struct load_row *row)
{
    const uint64_t cycles = row->counted[PAIL_COUNTER_CYCLES];
    const uint64_t instructions = row->counted[PAIL_COUNTER_INSTRUCTIONS];
    return cycles == 0 || instructions == 0 ? NAN : (double)instructions / (double)cycles;
}

static double misses_per_1000(const struct load_report *report, const struct load_row *row)
{
    const uint64_t instructions = row->counted[PAIL_COUNTER_INSTRUCTIONS];
    return instructions == 0 || report->counters.fds[PAIL_COUNTER_TLB_MISSES] < 0
               ? NAN
               : 1e3 * (double)row->counted[PAIL_COUNTER_TLB_MISSES] / (double)instructions;
}

/* Adds what was counted since the last call; row: NULL: to none. */
static void count(const struct load_row *row, struct pail_counters *counters)
{
    for (enum pail_counter i = 0; i < PAIL_COUNTERS; i++)
        if (pail_counters_read(counters, i) && row)
            row->counted[i] += counters->values[i];
}

static void print_counters(FILE *out, const struct load_report *report)
{
    char name[NAME_BYTES];
    (void)fputc('\n', out);
    for (size_t i = 0; i < report->n; i++) {
        const struct load_row *const row = &report->rows[i];
        const double ipc = per_cycle(row), misses = misses_per_1000(report, row);
        if (isnan(ipc) && isnan(misses))
            continue;
        (void)pail_print(out, "%s:", name_row(name, report, row));
        if (!isnan(ipc))
            (void)pail_print(out, " %.2f instructions a cycle", ipc);
        if (!isnan(misses))
            (void)pail_print(out, "%s %.3f TLB misses in 1000 instructions", isnan(ipc) ? "" : ",",
                             misses);
        (void)pail_print(out, ", in user space\n");
    }
    if (report->counters.reason[0] != '\0')
        (void)pail_print(out, "not counted: %s\n", report->counters.reason);
    char word[32];
    const char *const huge = pail_huge_pages(word);
    (void)pail_print(out, "transparent huge pages: %s\n", huge ? huge : "none");
}

/* null: not counted. */
static void set_counted(struct pail_json *json, const char *key, double value)
{
    pail_json_set(json, key, isnan(value) ? json_null() : json_real(value));
}

static void set_counters(struct pail_json *json, const struct load_report *report,
                         const struct load_row *row)
{
    char word[32];
    const char *const huge = pail_huge_pages(word);
    set_counted(json, "instructions_per_cycle", per_cycle(row));
    set_counted(json, "tlb_misses_per_1000_instructions", misses_per_1000(report, row));
    if (report->counters.reason[0] != '\0')
        pail_json_set_text(json, "not_counted", report->counters.reason);
    pail_json_set(json, "huge_pages", huge ? json_string(huge) : json_null());
}

/* ---- For people ----------------------------------------------------------------------------- */
static void print_row(FILE *out, const struct load_report *report, const struct load_row *row,
                      int width, bool *folded)
{
    char name[NAME_BYTES];
    double medians[PAIL_LOAD_METRICS];
    for (size_t m = 0; m < PAIL_LOAD_METRICS; m++)
        medians[m] = summary_of(report, row, m).median;
    const struct pail_summary per_s = summary_of(report, row, PAIL_LOAD_PER_S);
    pail_table_print(out, folded, "%-*s %9.3f %6.1f %9.1f %9.1f %9.1f %9.1f", width,
                     name_row(name, report, row), medians[PAIL_LOAD_PER_S],
                     100 * (per_s.max - per_s.min) / per_s.median, medians[PAIL_LOAD_MS],
                     medians[PAIL_LOAD_AVERAGE], medians[PAIL_LOAD_P50], medians[PAIL_LOAD_P95]);
    pail_table_print(out, folded, "\t %9.1f %9.1f %6.1f %6.1f %6.1f %8.1f %8.1f %8.1f\n",
                     medians[PAIL_LOAD_P99], medians[PAIL_LOAD_DEVICE_MS],
                     medians[PAIL_LOAD_SLOTS_PERCENT], medians[PAIL_LOAD_HELD_PERCENT],
                     medians[PAIL_LOAD_DEVICE_PERCENT], medians[PAIL_LOAD_DEVICE_MIB],
                     medians[PAIL_LOAD_HOST_MIB], medians[PAIL_LOAD_RESIDENT_MIB]);
}

/* Medians, with the spread (largest less smallest, by the median) of the throughput. */
static void load_print(FILE *out, const struct load_report *report)
{
    char name[NAME_BYTES];
    int width = (int)strlen("configuration");
    bool folded = false;
    for (size_t i = 0; i < report->n; i++) {
        const int length = (int)strlen(name_row(name, report, &report->rows[i]));
        width = length > width ? length : width;
    }
    (void)pail_print(out, "%s, %s: %" PRIu64 " proofs, medians of %zu runs\n\n",
                     report->session->backend->name, report->session->device.name, report->count,
                     report->runs);
    pail_table_print(out, &folded,
                     "%-*s %9s %6s %9s %9s %9s %9s\t %9s %9s %6s %6s %6s %8s %8s %8s\n", width,
                     "configuration", "proofs/s", "+-%", "ms/proof", "average", "p50", "p95", "p99",
                     "device ms", "slots%", "held%", "dev%", "dev MiB", "host MiB", "resident");
    for (size_t i = 0; i < report->n; i++)
        print_row(out, report, &report->rows[i], width, &folded);
    print_counters(out, report);
}

/* ---- For programs --------------------------------------------------------------------------- */
static const char head[] =
    "backend,device,proofs,runs,jobs,inflight,producers,host-threads,host-bucket-mb,mem-budget,"
    "vram-budget,ledger,reclaimer,whole-slots,all-threads,proofs_per_s,proofs_per_s_min,"
    "proofs_per_s_max,ms_per_proof,ms_per_proof_min,ms_per_proof_max,average_ms,average_ms_min,"
    "average_ms_max,p50_ms,p50_ms_min,p50_ms_max,p95_ms,p95_ms_min,p95_ms_max,p99_ms,p99_ms_min,"
    "p99_ms_max,device_ms,device_ms_min,device_ms_max,slots_percent,slots_percent_min,"
    "slots_percent_max,held_percent,held_percent_min,held_percent_max,device_percent,"
    "device_percent_min,device_percent_max,device_mib,device_mib_min,device_mib_max,host_mib,"
    "host_mib_min,host_mib_max,resident_mib,resident_mib_min,resident_mib_max,cpu_ms,cpu_ms_min,"
    "cpu_ms_max,throttle,share\n";

enum { HEAD_BYTES = 64 }; /* the beginning by which another file of this kind is known */
const struct pail_magic pail_load_csv_head = {.bytes = head, .n = HEAD_BYTES};

/* RFC 4180: in quotes, and quotes twice. */
static void write_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

/* A writer for pail_whole_file_write. report: struct load_report. */
static void load_write_csv(FILE *out, const void *what)
{
    const struct load_report *const report = what;
    (void)fputs(head + HEAD_BYTES, out);
    for (size_t i = 0; i < report->n; i++) {
        write_text(out, report->session->backend->name);
        (void)fputc(',', out);
        write_text(out, report->session->device.name);
        (void)fprintf(out, ",%" PRIu64 ",%zu", report->count, report->runs);
        for (size_t k = 0; k < PAIL_LOAD_THROTTLE; k++)
            (void)fprintf(out, ",%" PRIu64, report->rows[i].knobs[k]);
        for (size_t m = 0; m < PAIL_LOAD_METRICS; m++) {
            const struct pail_summary summary = summary_of(report, &report->rows[i], m);
            (void)fprintf(out, ",%.6g,%.6g,%.6g", summary.median, summary.min, summary.max);
        }
        /* Columns that came later are the last. */
        for (size_t k = PAIL_LOAD_THROTTLE; k < PAIL_LOAD_KNOBS; k++)
            (void)fprintf(out, ",%" PRIu64, report->rows[i].knobs[k]);
        (void)fputc('\n', out);
    }
}

static json_t *knobs_object(const struct load_row *row)
{
    struct pail_json json;
    pail_json_begin(&json);
    for (size_t k = 0; k < PAIL_LOAD_KNOBS; k++)
        pail_json_set_number(&json, pail_load_knobs[k].name, row->knobs[k]);
    return pail_json_take(&json);
}

static json_t *summary_object(const struct pail_summary *summary)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_real(&json, "median", summary->median);
    pail_json_set_real(&json, "min", summary->min);
    pail_json_set_real(&json, "max", summary->max);
    return pail_json_take(&json);
}

/* An object for each row. */
static pail_status load_print_json(FILE *out, const struct load_report *report,
                                   struct pail_error *error)
{
    for (size_t i = 0; i < report->n && error->status == PAIL_OK; i++) {
        struct pail_json json;
        pail_json_begin(&json);
        pail_json_set_text(&json, "backend", report->session->backend->name);
        pail_json_set_text(&json, "device", report->session->device.name);
        pail_json_set_number(&json, "proofs", report->count);
        pail_json_set_number(&json, "runs", report->runs);
        pail_json_set(&json, "configuration", knobs_object(&report->rows[i]));
        for (size_t m = 0; m < PAIL_LOAD_METRICS; m++) {
            const struct pail_summary summary = summary_of(report, &report->rows[i], m);
            pail_json_set(&json, pail_load_metrics[m], summary_object(&summary));
        }
        set_counters(&json, report, &report->rows[i]);
        (void)pail_json_print(out, &json, error);
    }
    return error->status;
}

/* ---- The command ----------------------------------------------------------------------------- */

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
    bool json;
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

static const char *knob_name(uint32_t knob)
{
    return knob < PAIL_LOAD_KNOBS ? pail_load_knobs[knob].name : NULL;
}

#define OF struct options
static const struct pail_option rows[] = {
    {.argument = "KEY.zkey WITNESS.wtns",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "the key, as snarkjs writes it, and the witness, as circom writes it"},
    {PAIL_FILE(OF, key, "key", "KEY.zkey", "the key, as an option"), .not_empty = true},
    {PAIL_FILE(OF, witness, "witness", "WITNESS.wtns", "the witness, as an option"),
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
     .value_name = knob_name, .many = true},
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
static pail_status make_rows(struct load_report *report, struct load_row **made,
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
    struct load_row *const all = calloc(n, sizeof(*all));
    *made = all;
    report->rows = all;
    if (!all)
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
        all[i].counted = calloc(PAIL_COUNTERS, sizeof(uint64_t));
        if (!all[i].values || !all[i].counted)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu configurations", n);
    }
    return PAIL_OK;
}

/* The key and the witness are words, as of pail prove, or options. */
static pail_status take_words(struct options *options, const struct pail_call *call,
                              struct pail_error *error)
{
    const size_t n = (size_t)!options->key + !options->witness;
    if (call->n != n)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "expected KEY.zkey WITNESS.wtns, got %zu; see pail bench prove --help",
                         call->n + 2 - n);
    if (!options->key)
        options->key = call->words[0];
    if (!options->witness)
        options->witness = call->words[n - 1];
    return PAIL_OK;
}

static pail_status check_options(const struct options *options, const struct load_report *report,
                                 struct pail_error *error)
{
    if (options->trace && report->n > 1)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--trace %s: there are %zu configurations, and a trace is of one",
                         options->trace, report->n);
    return PAIL_OK;
}

/* ---- Runs ----------------------------------------------------------------------------------- */
/* All configurations in turn, then all again, so that what changes slowly is in all of them. */
static pail_status run_all(struct load_report *report, struct pail_load *load,
                           struct pail_load_trace *trace, struct pail_error *error)
{
    struct pail_progress progress;
    pail_progress_begin(&progress, "proving");
    for (size_t r = 0; r < report->runs && error->status == PAIL_OK && !error->differs; r++) {
        for (size_t i = 0; i < report->n && error->status == PAIL_OK && !error->differs; i++) {
            const struct load_row *const row = &report->rows[i];
            double values[PAIL_LOAD_METRICS];
            pail_progress_tick(&progress,
                               (double)(r * report->n + i) / (double)(report->runs * report->n));
            memcpy(load->knobs, row->knobs, sizeof(load->knobs));
            load->trace = r + 1 == report->runs ? trace : NULL;
            count(NULL, &report->counters);
            (void)pail_load_run(values, load, error);
            count(row, &report->counters);
            for (size_t m = 0; m < PAIL_LOAD_METRICS; m++)
                row->values[m * report->runs + r] = values[m];
        }
    }
    (void)pail_progress_end(&progress);
    return error->status;
}

static pail_status measure(struct load_report *report, const struct options *options,
                           struct pail_session *session, struct pail_load_trace *trace,
                           struct pail_error *error)
{
    struct pail_verifying_key verifying = {0};
    struct pail_session_params params = options->session;
    const pail_host host = pail_log_host();
    params.side_queues = PAIL_SESSION_SIDE_QUEUES;
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
    pail_counters_begin(&report->counters); /* before threads are made */
    pail_status status = pail_told(
        error, pail_verifying_key_of_file(&verifying, options->key, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_session_begin(session, &host, &params, error);
    if (status == PAIL_OK)
        status = run_all(report, &load, options->trace ? trace : NULL, error);
    pail_verifying_key_free(&verifying);
    return status;
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct options *const options = given;
    struct load_report report = {
        .count = options->count, .runs = options->runs, .counters = PAIL_COUNTERS_NONE};
    struct load_row *made = NULL;
    struct pail_session session = {0};
    struct pail_load_trace trace = {0};
    struct pail_whole_file csv = PAIL_WHOLE_FILE_NONE, spans = PAIL_WHOLE_FILE_NONE;
    pail_status status = take_words(options, call, error);
    if (status == PAIL_OK)
        status = make_rows(&report, &made, options, error);
    if (status == PAIL_OK)
        status = check_options(options, &report, error);
    if (status == PAIL_OK)
        status = pail_whole_file_begin(&csv, "--csv", options->csv, pail_load_csv_head, error);
    if (status == PAIL_OK)
        status =
            pail_whole_file_begin(&spans, "--trace", options->trace, pail_load_trace_head, error);
    if (status == PAIL_OK)
        status = measure(&report, options, &session, &trace, error);
    if (status == PAIL_OK && !error->differs)
        status = pail_whole_file_write(&csv, load_write_csv, &report, error);
    if (status == PAIL_OK && !error->differs)
        status = pail_whole_file_write(&spans, pail_load_trace_write, &trace, error);
    FILE *const out = csv.file.standard || spans.file.standard ? stderr : stdout;
    if (status == PAIL_OK && !error->differs && options->json)
        (void)load_print_json(out, &report, error);
    else if (status == PAIL_OK && !error->differs)
        load_print(out, &report);
    pail_whole_file_end(&csv);
    pail_whole_file_end(&spans);
    pail_load_trace_clear(&trace);
    pail_counters_end(&report.counters);
    for (size_t i = 0; i < report.n; i++) {
        free(made[i].values);
        free(made[i].counted);
    }
    free(made);
    pail_session_close(&session);
}

const struct pail_command pail_bench_prove_command = {
    .name = "bench prove",
    .summary = "measure a prover under load, over its settings",
    .usage = "KEY.zkey WITNESS.wtns [OPTIONS]",
    .text = "Makes C proofs, J at a time, with a new prover for each run, and measures throughput, "
            "latency, utilisation of slots and device, and memory. Runs of all configurations "
            "alternate.\n"
            "Every proof is verified at the end of its run. If one is invalid, the exit status is "
            "1, and nothing is printed or written.",
    .examples = "bench prove circuit.zkey witness.wtns --jobs 8\n"
                "bench prove circuit.zkey witness.wtns --sweep inflight=1,2,3",
    .parts = {{PAIL_PART(rows)}, {PAIL_SESSION_PART(struct options, session)}},
    .tail =
        "columns: proofs per second, and their spread over the runs in percent; run time "
        "divided by the number of proofs, in milliseconds; latency of a proof, average and "
        "percentiles; device time of a proof by timestamps. slots%: average share of slots in "
        "use; held%: share of the run in which a slot was in use; dev%: device time as share "
        "of the run, over 100 if proofs overlap on the device. MiB: peaks of reserved device "
        "and host memory. resident: peak of resident pages of the process in MiB, with heap that "
        "earlier runs have left to malloc.\n"
        "Below the table: instructions a cycle and TLB misses of all threads of the process in "
        "user space, by perf events, or why they are not counted; the kernel's mode of "
        "transparent huge pages.",
    .once = true,
    .size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
