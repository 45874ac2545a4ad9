/* `pail waterfall`: what jobs of a prover did when, and why the device was idle. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/text.h>

#include "commands.h"
#include "waterfall.h"

enum { COLUMNS = 64, NAME_COLUMNS = 12, GAPS_SHOWN = 10 };

struct options {
    const char *svg, *perfetto;
};

static const struct pail_option rows[] = {
    {.argument = "T.jsonl",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "the output of pail bench prove --trace"},
    {PAIL_FILE(struct options, svg, "svg", "FILE", "write a picture")},
    {PAIL_FILE(struct options, perfetto, "perfetto", "FILE",
               "write Chrome's trace format, for ui.perfetto.dev")},
};

static double ms_of(uint64_t ns)
{
    return 1e-6 * (double)ns;
}

/* ---- Text ----------------------------------------------------------------------------------- */
/* A cell has the last digit of the last proof that was in it. */
static void print_rows(FILE *out, const struct pail_waterfall_lanes *lanes, double length_ms)
{
    const struct pail_timeline *const timeline = &lanes->timeline;
    for (uint32_t row = 0; row < timeline->n_lanes; row++) {
        char cells[COLUMNS + 1];
        memset(cells, '.', COLUMNS);
        cells[COLUMNS] = '\0';
        for (size_t i = 0; i < timeline->n; i++) {
            const struct pail_span *const span = &timeline->spans[i];
            if (span->lane != row)
                continue;
            const double scale = length_ms > 0 ? COLUMNS / length_ms : 0;
            size_t from = (size_t)((span->from_ms - timeline->begin_ms) * scale);
            const size_t to = (size_t)((span->to_ms - timeline->begin_ms) * scale);
            for (; from <= to && from < COLUMNS; from++)
                cells[from] = (char)('0' + lanes->proofs[i] % 10);
        }
        (void)pail_print(out, "%-*s %s\n", NAME_COLUMNS, timeline->lanes[row].name, cells);
    }
}

static int by_length(const void *a, const void *b)
{
    const struct pail_gap *const x = a, *const y = b;
    const uint64_t n = x->end_ns - x->begin_ns, m = y->end_ns - y->begin_ns;
    if (n != m)
        return n < m ? 1 : -1;
    return x->begin_ns > y->begin_ns ? 1 : -1;
}

/* Sorts them. */
static void print_gaps(FILE *out, struct pail_gaps *gaps, uint64_t begin_ns, double length_ms)
{
    uint64_t sums[PAIL_GAP_CAUSES] = {0}, longest[PAIL_GAP_CAUSES] = {0};
    size_t counts[PAIL_GAP_CAUSES] = {0};
    for (size_t i = 0; i < gaps->n; i++) {
        const struct pail_gap *const gap = &gaps->gaps[i];
        const uint64_t ns = gap->end_ns - gap->begin_ns;
        counts[gap->cause]++;
        sums[gap->cause] += ns;
        longest[gap->cause] = ns > longest[gap->cause] ? ns : longest[gap->cause];
    }
    (void)pail_print(out, "\n%-11s %6s %12s %12s %9s\n", "idle device", "gaps", "together ms",
                     "longest ms", "of all %");
    for (int i = 0; i < PAIL_GAP_CAUSES; i++)
        (void)pail_print(out, "%-11s %6zu %12.3f %12.3f %9.2f\n",
                         pail_gap_name((enum pail_gap_cause)i), counts[i], ms_of(sums[i]),
                         ms_of(longest[i]), length_ms > 0 ? 100 * ms_of(sums[i]) / length_ms : 0);
    qsort(gaps->gaps, gaps->n, sizeof(gaps->gaps[0]), by_length);
    if (gaps->n > 0)
        (void)pail_print(out, "\n%-11s %12s %12s\n", "longest", "from ms", "ms");
    for (size_t i = 0; i < gaps->n && i < GAPS_SHOWN; i++)
        (void)pail_print(out, "%-11s %12.3f %12.3f\n", pail_gap_name(gaps->gaps[i].cause),
                         ms_of(gaps->gaps[i].begin_ns - begin_ns),
                         ms_of(gaps->gaps[i].end_ns - gaps->gaps[i].begin_ns));
}

static void print(FILE *out, const char *path, const struct pail_waterfall *waterfall,
                  const struct pail_waterfall_lanes *lanes, struct pail_gaps *gaps)
{
    const double length_ms = ms_of(waterfall->end_ns - waterfall->begin_ns);
    uint64_t device_ns = 0;
    for (size_t i = 0; i < waterfall->n; i++)
        device_ns += waterfall->spans[i].device_ns;
    (void)pail_print(out, "%s: %zu proofs, %.3f ms; device busy %.2f %%, by its timestamps ", path,
                     waterfall->proofs, length_ms,
                     length_ms > 0 ? 100 * ms_of(gaps->busy_ns) / length_ms : 0);
    if (device_ns > 0 && length_ms > 0)
        (void)pail_print(out, "%.2f %%\n\n", 100 * ms_of(device_ns) / length_ms);
    else
        (void)pail_print(out, "unknown\n\n");
    print_rows(out, lanes, length_ms);
    print_gaps(out, gaps, waterfall->begin_ns, length_ms);
}

/* ---- The command ---------------------------------------------------------------------------- */
static pail_status draw(const struct options *options, const char *path, struct pail_error *error)
{
    struct pail_timeline_format perfetto = pail_timeline_trace;
    struct pail_timeline_file files[2] = {PAIL_TIMELINE_FILE_NONE, PAIL_TIMELINE_FILE_NONE};
    struct pail_waterfall waterfall = {0};
    struct pail_gaps gaps = {0};
    char title[256];
    perfetto.option = "--perfetto";
    struct pail_waterfall_lanes *const lanes = calloc(1, sizeof(*lanes));
    if (lanes == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a picture");
    pail_status status =
        pail_timeline_file_begin(&files[0], &pail_timeline_svg, options->svg, error);
    if (status == PAIL_OK)
        status = pail_timeline_file_begin(&files[1], &perfetto, options->perfetto, error);
    if (status == PAIL_OK)
        status = pail_waterfall_read(&waterfall, path, error);
    if (status == PAIL_OK)
        status = pail_gaps_find(&gaps, &waterfall, error);
    if (status == PAIL_OK)
        status = pail_waterfall_draw(lanes, &waterfall, error);
    (void)pail_line(title, sizeof(title), "%s: %zu proofs", path, waterfall.proofs);
    for (int i = 0; i < 2 && status == PAIL_OK; i++)
        status = pail_timeline_file_write(&files[i], &lanes->timeline, title, error);
    if (status == PAIL_OK)
        print(stdout, path, &waterfall, lanes, &gaps);
    for (int i = 0; i < 2; i++)
        pail_timeline_file_end(&files[i]);
    pail_waterfall_lanes_free(lanes);
    free(lanes);
    pail_gaps_free(&gaps);
    pail_waterfall_free(&waterfall);
    return status;
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    if (call->n == 1)
        (void)draw(given, call->words[0], error);
    else
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected one T.jsonl, got %zu; see pail waterfall --help", call->n);
}

const struct pail_command pail_waterfall_command = {
    .name = "waterfall",
    .summary = "show the timeline of a run under load, and why the device was idle",
    .usage = "T.jsonl [--svg FILE] [--perfetto FILE]",
    .text = "Shows the trace of pail bench prove, with lanes for producers, uploads, device, "
            "finishing on the host, and the reclaimer. A lane has a row for each concurrent "
            "activity; a cell has the last digit of the proof's number.\n"
            "Idle time of the device has a cause, the first that applies: a witness or a key was "
            "being uploaded (upload), a proof waited for memory (budget), one was ready without a "
            "slot (lock), witnesses were being read (witness), or there was no work (no work).",
    .parts = {{PAIL_PART(rows)}},
    .once = true,
    .size = sizeof(struct options),
    .run = run,
};
