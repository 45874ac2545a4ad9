/* SPDX-License-Identifier: Apache-2.0 */
/* `pail waterfall`: spans of a prover's jobs over time, out of the lines that
 * `pail bench prove --trace` writes. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pail/prover.h>

#include <platform/text.h>

#include "commands.h"
#include "error/error.h"
#include "load/load.h"
#include "output/json.h"
#include "prove/timeline.h"

/* ---- Reading the lines ----------------------------------------------------------------------- */

struct waterfall {
    pail_prover_span *spans; /* [n], in the order of their begins */
    size_t n;
    size_t proofs; /* how many numbers there are */
    uint64_t begin_ns, end_ns;
};

enum { PLACE_BYTES = 4096 + 32 };
static const json_int_t TIME_MAX = INT64_C(1) << 60;

static const char *const keys[] = {"proof", "lane",      "begin_ns", "end_ns",
                                   "kind",  "device_ns", NULL};

static void read_kind(pail_prover_span *span, const json_t *object,
                      const struct pail_json_place *place)
{
    struct pail_name names[PAIL_PROVER_SPAN_KINDS + 1] = {{NULL, 0}};
    const char *lane = NULL;
    for (uint32_t i = 0; i < PAIL_PROVER_SPAN_KINDS; i++)
        names[i] = (struct pail_name){pail_load_kinds[i].name, i};
    span->kind = PAIL_PROVER_SPAN_KINDS;
    pail_json_word(object, place, "kind", names, &span->kind);
    pail_json_text(object, place, "lane", &lane);
    if (pail_json_status(place) != PAIL_OK || span->kind == PAIL_PROVER_SPAN_KINDS)
        return;
    const struct pail_load_kind *const kind = &pail_load_kinds[span->kind];
    if (lane && strcmp(lane, kind->lane) != 0) {
        const struct pail_json_place member = pail_json_member(place, "lane");
        (void)pail_json_refuse(&member, json_object_get(object, "lane"), "that of \"%s\" is \"%s\"",
                               kind->name, kind->lane);
    }
}

static void read_span(pail_prover_span *span, json_t *object, const struct pail_json_place *place)
{
    json_int_t proof = 0, begin = 0, end = 0, device = 0;
    pail_json_object(object, place, keys);
    for (size_t i = 0; keys[i] && pail_json_status(place) == PAIL_OK; i++)
        if (!json_object_get(object, keys[i]))
            (void)pail_json_complain(place, PAIL_ERR_DATA, "%s is missing", keys[i]);
    read_kind(span, object, place);
    pail_json_integer(object, place, "proof", 0, TIME_MAX, &proof);
    pail_json_integer(object, place, "begin_ns", 0, TIME_MAX, &begin);
    pail_json_integer(object, place, "end_ns", begin, TIME_MAX, &end);
    pail_json_integer(object, place, "device_ns", 0, TIME_MAX, &device);
    span->job = (uint64_t)proof;
    span->begin_ns = (uint64_t)begin;
    span->end_ns = (uint64_t)end;
    span->device_ns = (uint64_t)device;
}

static pail_status read_line(pail_prover_span *span, const char *text, size_t length,
                             const char *path, size_t number, struct pail_error *error)
{
    char where[PLACE_BYTES];
    json_error_t reason;
    (void)pail_line(where, sizeof(where), "%s:%zu", path, number);
    json_t *const object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &reason);
    if (!object)
        return pail_fail(error, PAIL_ERR_DATA, "%s:%zu: is no JSON: %s", path, number, reason.text);
    const struct pail_json_file file = {.path = where, .error = error};
    const struct pail_json_place place = {.file = &file};
    read_span(span, object, &place);
    json_decref(object);
    return error->status;
}

static pail_status read_lines(struct waterfall *waterfall, FILE *file, const char *path,
                              struct pail_error *error)
{
    size_t capacity = 0, room = 0;
    char *text = NULL;
    ssize_t length;
    pail_status status = PAIL_OK;
    while (status == PAIL_OK && (length = getline(&text, &room, file)) >= 0) {
        if (waterfall->n == capacity) {
            capacity = capacity == 0 ? 1024 : 2 * capacity;
            pail_prover_span *const more =
                realloc(waterfall->spans, capacity * sizeof(waterfall->spans[0]));
            if (!more) {
                status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory", path);
                break;
            }
            waterfall->spans = more;
        }
        pail_prover_span *const span = &waterfall->spans[waterfall->n];
        *span = (pail_prover_span){.struct_size = sizeof(*span)};
        status = read_line(span, text, (size_t)length, path, waterfall->n + 1, error);
        waterfall->n++;
    }
    free(text);
    if (status == PAIL_OK && ferror(file))
        status = pail_fail(error, PAIL_ERR_IO, "%s: cannot be read", path);
    if (status == PAIL_OK && waterfall->n == 0)
        status = pail_fail(error, PAIL_ERR_DATA, "%s: has no spans", path);
    return status;
}

static int by_proof(const void *a, const void *b)
{
    const pail_prover_span *const x = a, *const y = b;
    return (x->job > y->job) - (x->job < y->job);
}

static int by_begin(const void *a, const void *b)
{
    const pail_prover_span *const x = a, *const y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns > y->begin_ns ? 1 : -1;
    return by_proof(a, b);
}

/* Returns PAIL_OK; PAIL_ERR_IO; PAIL_ERR_DATA: the sentence has the line and what is wrong there;
 * or PAIL_ERR_HOST_MEMORY. To be freed in any case. */
static pail_status waterfall_read(struct waterfall *waterfall, const char *path,
                                  struct pail_error *error)
{
    *waterfall = (struct waterfall){.begin_ns = UINT64_MAX};
    FILE *const file = fopen(path, "re");
    if (!file)
        return pail_fail(error, PAIL_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const pail_status status = read_lines(waterfall, file, path, error);
    (void)fclose(file);
    if (status != PAIL_OK)
        return status;
    qsort(waterfall->spans, waterfall->n, sizeof(waterfall->spans[0]), by_proof);
    for (size_t i = 0; i < waterfall->n; i++) {
        const pail_prover_span *const span = &waterfall->spans[i];
        waterfall->proofs += i == 0 || span->job != span[-1].job;
        if (span->begin_ns < waterfall->begin_ns)
            waterfall->begin_ns = span->begin_ns;
        if (span->end_ns > waterfall->end_ns)
            waterfall->end_ns = span->end_ns;
    }
    qsort(waterfall->spans, waterfall->n, sizeof(waterfall->spans[0]), by_begin);
    return PAIL_OK;
}

static void waterfall_free(struct waterfall *waterfall)
{
    free(waterfall->spans);
    *waterfall = (struct waterfall){0};
}

/* ---- Lanes ----------------------------------------------------------------------------------- */

enum { PAIL_WATERFALL_ROWS = 256, PAIL_WATERFALL_NAME = 32 };

/* Lanes, each of as many rows as it has spans at a time. */
struct waterfall_lanes {
    struct pail_timeline timeline;
    struct pail_lane rows[PAIL_WATERFALL_ROWS];
    char row_names[PAIL_WATERFALL_ROWS][PAIL_WATERFALL_NAME];
    char (*span_names)[PAIL_WATERFALL_NAME];
    uint64_t *proofs; /* of the timeline's spans */
};

static const char *const lane_names[] = {"producer", "upload", "device", "host", "reclaim"};
enum { LANES = sizeof(lane_names) / sizeof(lane_names[0]) };

/* The rows of one lane, from the first on that no lane has. */
static pail_status draw_lane(struct waterfall_lanes *lanes, uint32_t lane,
                             const struct waterfall *waterfall, struct pail_error *error)
{
    struct pail_timeline *const timeline = &lanes->timeline;
    uint64_t free_ns[PAIL_WATERFALL_ROWS] = {0};
    uint32_t rows = 0;
    for (size_t i = 0; i < waterfall->n; i++) {
        const pail_prover_span *const span = &waterfall->spans[i];
        const struct pail_load_kind *const kind = &pail_load_kinds[span->kind];
        uint32_t row = 0;
        if (strcmp(kind->lane, lane_names[lane]) != 0)
            continue;
        while (row < rows && free_ns[row] > span->begin_ns)
            row++;
        if (timeline->n_lanes + row + (LANES - lane) > PAIL_WATERFALL_ROWS)
            return pail_fail(error, PAIL_ERR_UNSUPPORTED, "there are more than %d rows",
                             PAIL_WATERFALL_ROWS);
        rows = row < rows ? rows : row + 1;
        free_ns[row] = span->end_ns;
        char *const name = lanes->span_names[timeline->n];
        (void)snprintf(name, PAIL_WATERFALL_NAME, "%s %" PRIu64, kind->name, span->job);
        lanes->proofs[timeline->n] = span->job;
        pail_timeline_add(timeline, timeline->n_lanes + row, name, 1e-6 * (double)span->begin_ns,
                          1e-6 * (double)span->end_ns);
        if (timeline->failed)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu spans", waterfall->n);
    }
    rows = rows == 0 ? 1 : rows;
    for (uint32_t row = 0; row < rows; row++) {
        char *const name = lanes->row_names[timeline->n_lanes];
        (void)snprintf(name, PAIL_WATERFALL_NAME, row == 0 ? "%s" : "%s %" PRIu32, lane_names[lane],
                       row + 1);
        lanes->rows[timeline->n_lanes++] = (struct pail_lane){name, lane};
    }
    return PAIL_OK;
}

/* PAIL_OK or PAIL_ERR_HOST_MEMORY, or PAIL_ERR_UNSUPPORTED where more is done at a time than there
 * are rows. To be freed in any case. */
static pail_status waterfall_draw(struct waterfall_lanes *lanes, const struct waterfall *waterfall,
                                  struct pail_error *error)
{
    pail_status status = PAIL_OK;
    *lanes = (struct waterfall_lanes){
        .timeline = {.begin_ms = 1e-6 * (double)waterfall->begin_ns, .lanes = lanes->rows},
        .span_names = calloc(waterfall->n, sizeof(lanes->span_names[0])),
        .proofs = calloc(waterfall->n, sizeof(lanes->proofs[0]))};
    if (!lanes->span_names || !lanes->proofs)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu spans", waterfall->n);
    for (uint32_t lane = 0; lane < LANES && status == PAIL_OK; lane++)
        status = draw_lane(lanes, lane, waterfall, error);
    return status;
}

static void waterfall_lanes_free(struct waterfall_lanes *lanes)
{
    pail_timeline_free(&lanes->timeline);
    free(lanes->span_names);
    free(lanes->proofs);
    lanes->span_names = NULL;
    lanes->proofs = NULL;
}

/* ---- Gaps ------------------------------------------------------------------------------------ */

/* Why a device did nothing, the first that holds. */
enum gap_cause {
    PAIL_GAP_UPLOAD = 0, /* a witness or a key was on its way */
    PAIL_GAP_BUDGET,     /* a proof waited for memory */
    PAIL_GAP_LOCK,       /* a proof was ready and had no slot */
    PAIL_GAP_WITNESS,    /* witnesses were read, or waited for that */
    PAIL_GAP_NO_WORK,    /* there was no proof to begin */
    PAIL_GAP_CAUSES
};

struct gap {
    uint64_t begin_ns, end_ns;
    enum gap_cause cause;
};

struct gaps {
    struct gap *gaps; /* [n], in order; one where the cause changes ends there */
    size_t n;
    uint64_t busy_ns; /* that the device was not idle */
};

enum { BUSY = PAIL_GAP_CAUSES, CLASSES, NONE };

static const char *gap_name(enum gap_cause cause)
{
    static const char *const names[PAIL_GAP_CAUSES] = {
        [PAIL_GAP_UPLOAD] = "upload",   [PAIL_GAP_BUDGET] = "budget",   [PAIL_GAP_LOCK] = "lock",
        [PAIL_GAP_WITNESS] = "witness", [PAIL_GAP_NO_WORK] = "no work",
    };
    return names[cause];
}

static int class_of(uint32_t kind)
{
    static const int classes[PAIL_PROVER_SPAN_KINDS] = {
        [PAIL_PROVER_WAIT_PRODUCER] = PAIL_GAP_WITNESS,
        [PAIL_PROVER_WAIT_HOST_MEMORY] = PAIL_GAP_BUDGET,
        [PAIL_PROVER_PRODUCE] = PAIL_GAP_WITNESS,
        [PAIL_PROVER_WAIT_SLOT] = PAIL_GAP_LOCK,
        [PAIL_PROVER_WAIT_DEVICE_MEMORY] = PAIL_GAP_BUDGET,
        [PAIL_PROVER_LOAD] = PAIL_GAP_UPLOAD,
        [PAIL_PROVER_UPLOAD] = PAIL_GAP_UPLOAD,
        [PAIL_PROVER_DEVICE] = BUSY,
        [PAIL_PROVER_WAIT_FINISHER] = NONE,
        [PAIL_PROVER_FINISH] = NONE,
        [PAIL_PROVER_RELEASE] = NONE,
    };
    return classes[kind];
}

struct event {
    uint64_t ns;
    int class;
    int change; /* 1: begins; -1: ends */
};

static int by_time(const void *a, const void *b)
{
    const struct event *const x = a, *const y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The state that holds now; BUSY: the device works. */
static int state_of(const size_t counts[CLASSES])
{
    int state = 0;
    if (counts[BUSY] != 0)
        return BUSY;
    while (state < PAIL_GAP_NO_WORK && counts[state] == 0)
        state++;
    return state;
}

static void add_gap(struct gaps *gaps, uint64_t begin_ns, uint64_t end_ns, int state)
{
    struct gap *const last = gaps->n > 0 ? &gaps->gaps[gaps->n - 1] : NULL;
    if (begin_ns == end_ns)
        return;
    if (state == BUSY)
        gaps->busy_ns += end_ns - begin_ns;
    else if (last && last->end_ns == begin_ns && last->cause == (enum gap_cause)state)
        last->end_ns = end_ns;
    else
        gaps->gaps[gaps->n++] = (struct gap){begin_ns, end_ns, (enum gap_cause)state};
}

/* From the first begin to the last end. PAIL_OK or PAIL_ERR_HOST_MEMORY. To be freed in any case.
 */
static pail_status gaps_find(struct gaps *gaps, const struct waterfall *waterfall,
                             struct pail_error *error)
{
    const size_t n = 2 * waterfall->n;
    size_t counts[CLASSES] = {0};
    struct event *const events = calloc(n, sizeof(*events));
    *gaps = (struct gaps){.gaps = calloc(n, sizeof(gaps->gaps[0]))};
    if (!events || !gaps->gaps) {
        free(events);
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu spans", waterfall->n);
    }
    for (size_t i = 0; i < waterfall->n; i++) {
        const pail_prover_span *const span = &waterfall->spans[i];
        events[2 * i] = (struct event){span->begin_ns, class_of(span->kind), 1};
        events[2 * i + 1] = (struct event){span->end_ns, class_of(span->kind), -1};
    }
    qsort(events, n, sizeof(*events), by_time);
    uint64_t at_ns = waterfall->begin_ns;
    for (size_t i = 0; i < n; at_ns = events[i].ns, i++) {
        add_gap(gaps, at_ns, events[i].ns, state_of(counts));
        if (events[i].class != NONE)
            counts[events[i].class] += (size_t)events[i].change;
    }
    free(events);
    return PAIL_OK;
}

static void gaps_free(struct gaps *gaps)
{
    free(gaps->gaps);
    *gaps = (struct gaps){0};
}

/* ---- The command ----------------------------------------------------------------------------- */

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
static void print_rows(FILE *out, const struct waterfall_lanes *lanes, double length_ms)
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
    const struct gap *const x = a, *const y = b;
    const uint64_t n = x->end_ns - x->begin_ns, m = y->end_ns - y->begin_ns;
    if (n != m)
        return n < m ? 1 : -1;
    return x->begin_ns > y->begin_ns ? 1 : -1;
}

/* Sorts them. */
static void print_gaps(FILE *out, struct gaps *gaps, uint64_t begin_ns, double length_ms)
{
    uint64_t sums[PAIL_GAP_CAUSES] = {0}, longest[PAIL_GAP_CAUSES] = {0};
    size_t counts[PAIL_GAP_CAUSES] = {0};
    for (size_t i = 0; i < gaps->n; i++) {
        const struct gap *const gap = &gaps->gaps[i];
        const uint64_t ns = gap->end_ns - gap->begin_ns;
        counts[gap->cause]++;
        sums[gap->cause] += ns;
        longest[gap->cause] = ns > longest[gap->cause] ? ns : longest[gap->cause];
    }
    (void)pail_print(out, "\n%-11s %6s %12s %12s %9s\n", "idle device", "gaps", "together ms",
                     "longest ms", "of all %");
    for (int i = 0; i < PAIL_GAP_CAUSES; i++)
        (void)pail_print(out, "%-11s %6zu %12.3f %12.3f %9.2f\n", gap_name((enum gap_cause)i),
                         counts[i], ms_of(sums[i]), ms_of(longest[i]),
                         length_ms > 0 ? 100 * ms_of(sums[i]) / length_ms : 0);
    qsort(gaps->gaps, gaps->n, sizeof(gaps->gaps[0]), by_length);
    if (gaps->n > 0)
        (void)pail_print(out, "\n%-11s %12s %12s\n", "longest", "from ms", "ms");
    for (size_t i = 0; i < gaps->n && i < GAPS_SHOWN; i++)
        (void)pail_print(out, "%-11s %12.3f %12.3f\n", gap_name(gaps->gaps[i].cause),
                         ms_of(gaps->gaps[i].begin_ns - begin_ns),
                         ms_of(gaps->gaps[i].end_ns - gaps->gaps[i].begin_ns));
}

static void print(FILE *out, const char *path, const struct waterfall *waterfall,
                  const struct waterfall_lanes *lanes, struct gaps *gaps)
{
    const double length_ms = ms_of(waterfall->end_ns - waterfall->begin_ns);
    uint64_t device_ns = 0;
    for (size_t i = 0; i < waterfall->n; i++)
        device_ns += waterfall->spans[i].device_ns;
    (void)pail_print(out, "%s: %zu proofs, %.3f ms\n", path, waterfall->proofs, length_ms);
    (void)pail_print(out, "device busy %.2f %% of this time, from submission to end\n",
                     length_ms > 0 ? 100 * ms_of(gaps->busy_ns) / length_ms : 0);
    if (device_ns > 0 && length_ms > 0)
        (void)pail_print(
            out, "device computed %.2f %% of it, by timestamps of proofs that may overlap\n\n",
            100 * ms_of(device_ns) / length_ms);
    else
        (void)pail_print(out, "device timestamps: none\n\n");
    print_rows(out, lanes, length_ms);
    (void)pail_print(out,
                     "\na digit is the last one of the proof's number; the number behind a lane "
                     "counts what\nit does at the same time\n");
    print_gaps(out, gaps, waterfall->begin_ns, length_ms);
}

/* ---- The command ---------------------------------------------------------------------------- */
static pail_status draw(const struct options *options, const char *path, struct pail_error *error)
{
    struct pail_timeline_format perfetto = pail_timeline_trace;
    struct pail_timeline_file files[2] = {PAIL_TIMELINE_FILE_NONE, PAIL_TIMELINE_FILE_NONE};
    struct waterfall waterfall = {0};
    struct gaps gaps = {0};
    char title[256];
    perfetto.option = "--perfetto";
    struct waterfall_lanes *const lanes = calloc(1, sizeof(*lanes));
    if (!lanes)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a picture");
    pail_status status =
        pail_timeline_file_begin(&files[0], &pail_timeline_svg, options->svg, error);
    if (status == PAIL_OK)
        status = pail_timeline_file_begin(&files[1], &perfetto, options->perfetto, error);
    if (status == PAIL_OK)
        status = waterfall_read(&waterfall, path, error);
    if (status == PAIL_OK)
        status = gaps_find(&gaps, &waterfall, error);
    if (status == PAIL_OK)
        status = waterfall_draw(lanes, &waterfall, error);
    (void)pail_line(title, sizeof(title), "%s: %zu proofs", path, waterfall.proofs);
    for (int i = 0; i < 2 && status == PAIL_OK; i++)
        status = pail_timeline_file_write(&files[i], &lanes->timeline, title, error);
    if (status == PAIL_OK)
        print(files[0].file.file.standard || files[1].file.file.standard ? stderr : stdout, path,
              &waterfall, lanes, &gaps);
    for (int i = 0; i < 2; i++)
        pail_timeline_file_end(&files[i]);
    waterfall_lanes_free(lanes);
    free(lanes);
    gaps_free(&gaps);
    waterfall_free(&waterfall);
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
    .examples = "bench prove circuit.zkey witness.wtns --trace t.jsonl\n"
                "waterfall t.jsonl --svg t.svg",
    .parts = {{PAIL_PART(rows)}},
    .once = true,
    .size = sizeof(struct options),
    .run = run,
};
