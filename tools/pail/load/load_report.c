#include "load_report.h"

#include <inttypes.h>
#include <string.h>

#include <platform/text.h>

#include "measure/statistics.h"
#include "output/json.h"

enum { NAME_BYTES = 256 };

static struct pail_summary summary_of(const struct pail_load_report *report,
                                      const struct pail_load_row *row, size_t metric)
{
    return pail_summarize(row->values + metric * report->runs, report->runs);
}

/* "inflight=2 host-threads=8"; "as given" where nothing is swept. */
static const char *name_row(char name[NAME_BYTES], const struct pail_load_report *report,
                            const struct pail_load_row *row)
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

/* ---- For people ----------------------------------------------------------------------------- */
static void print_row(FILE *out, const struct pail_load_report *report,
                      const struct pail_load_row *row, int width)
{
    char name[NAME_BYTES];
    double medians[PAIL_LOAD_METRICS];
    for (size_t m = 0; m < PAIL_LOAD_METRICS; m++)
        medians[m] = summary_of(report, row, m).median;
    const struct pail_summary per_s = summary_of(report, row, PAIL_LOAD_PER_S);
    (void)pail_print(out, "%-*s %9.3f %6.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f", width,
                     name_row(name, report, row), medians[PAIL_LOAD_PER_S],
                     100 * (per_s.max - per_s.min) / per_s.median, medians[PAIL_LOAD_MS],
                     medians[PAIL_LOAD_AVERAGE], medians[PAIL_LOAD_P50], medians[PAIL_LOAD_P95],
                     medians[PAIL_LOAD_P99], medians[PAIL_LOAD_DEVICE_MS]);
    (void)pail_print(out, " %6.1f %6.1f %6.1f %8.1f %8.1f %8.1f\n",
                     medians[PAIL_LOAD_SLOTS_PERCENT], medians[PAIL_LOAD_HELD_PERCENT],
                     medians[PAIL_LOAD_DEVICE_PERCENT], medians[PAIL_LOAD_DEVICE_MIB],
                     medians[PAIL_LOAD_HOST_MIB], medians[PAIL_LOAD_RESIDENT_MIB]);
}

void pail_load_print(FILE *out, const struct pail_load_report *report)
{
    char name[NAME_BYTES];
    int width = (int)strlen("configuration");
    for (size_t i = 0; i < report->n; i++) {
        const int length = (int)strlen(name_row(name, report, &report->rows[i]));
        width = length > width ? length : width;
    }
    (void)pail_print(out, "%s, %s: %" PRIu64 " proofs, medians of %zu runs\n\n",
                     report->session->backend->name, report->session->device.name, report->count,
                     report->runs);
    (void)pail_print(out, "%-*s %9s %6s %9s %9s %9s %9s %9s %9s %6s %6s %6s %8s %8s %8s\n", width,
                     "configuration", "proofs/s", "+-%", "ms/proof", "average", "p50", "p95", "p99",
                     "device ms", "slots%", "held%", "dev%", "dev MiB", "host MiB", "resident");
    for (size_t i = 0; i < report->n; i++)
        print_row(out, report, &report->rows[i], width);
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

void pail_load_write_csv(FILE *out, const void *what)
{
    const struct pail_load_report *const report = what;
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

static json_t *knobs_object(const struct pail_load_row *row)
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

pail_status pail_load_print_json(FILE *out, const struct pail_load_report *report,
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
        (void)pail_json_print(out, &json, error);
    }
    return error->status;
}
