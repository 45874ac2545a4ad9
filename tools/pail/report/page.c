/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a report, out of its JSON. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include <platform/text.h>

#include "measure/measure.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static uint64_t bytes_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* A text inside of a cell of a table. */
static void print_cell(FILE *out, const char *text)
{
    for (;;) { /* whole pieces: a byte of a character alone would be quoted */
        const size_t n = strcspn(text, "|");
        (void)pail_print(out, "%.*s", (int)n, text);
        if (text[n] == '\0')
            return;
        (void)fputs("\\|", out);
        text += n + 1;
    }
}

static void print_failure(FILE *out, const json_t *failure)
{
    const char *const command = text_of(failure, "command");
    (void)fputs("**Failed:** ", out);
    print_cell(out, text_of(failure, "sentence"));
    if (command[0] != '\0')
        (void)pail_print(out, "; to repeat it: `%s`", command);
    (void)fputs("\n\n", out);
}

/* ---- The device ------------------------------------------------------------------------------ */

static void print_features(FILE *out, const json_t *features)
{
    size_t i;
    const json_t *feature;
    json_array_foreach(features, i, feature)(void)
        pail_print(out, "%s%s", i > 0 ? ", " : "", json_string_value(feature));
}

static void print_facts(FILE *out, const json_t *device)
{
    char memory[24], allocation[24], binding[24], workgroup[24];
    (void)fputs("| driver | ", out);
    print_cell(out, text_of(device, "driver"));
    (void)pail_print(out, " |\n| kind | %s, Vulkan %s", text_of(device, "type"),
                     text_of(device, "vulkan"));
    if (bytes_of(device, "compute_units") > 0) /* otherwise the driver does not tell */
        (void)pail_print(out, ", %" PRIu64 " units", bytes_of(device, "compute_units"));
    (void)fputs(" |\n", out);
    (void)fputs("| features | ", out);
    print_features(out, json_object_get(device, "features"));
    (void)pail_print(
        out,
        " |\n| memory | %s; largest allocation %s, largest binding %s |\n"
        "| limits | subgroup %" PRIu64 ", workgroup %" PRIu64 " invocations and %s, %" PRIu64
        " storage buffers, %" PRIu64 " push bytes |\n\n",
        pail_bytes_text(memory, bytes_of(device, "heap_bytes")),
        pail_bytes_text(allocation, bytes_of(device, "max_allocation_bytes")),
        pail_bytes_text(binding, bytes_of(device, "max_binding_bytes")),
        bytes_of(device, "subgroup_size"), bytes_of(device, "max_workgroup_invocations"),
        pail_bytes_text(workgroup, bytes_of(device, "max_workgroup_bytes")),
        bytes_of(device, "max_storage_buffers"), bytes_of(device, "max_push_bytes"));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void print_ms(FILE *out, const json_t *row, const char *key)
{
    const double ms = number_of(row, key);
    if (ms > 0)
        (void)pail_print(out, " %.3f |", ms);
    else
        (void)fputs(" |", out);
}

static void print_measured(FILE *out, const json_t *row)
{
    char memory[24];
    print_ms(out, row, "wall_ms");
    print_ms(out, row, "wall_ms_min");
    print_ms(out, row, "device_ms");
    if (bytes_of(row, "bytes_total") > 0)
        (void)pail_print(out, " %s |", pail_bytes_text(memory, bytes_of(row, "bytes_total")));
    else
        (void)fputs(" |", out);
    if (json_object_get(row, "cases"))
        (void)pail_print(out, " %" PRIu64 " right, %" PRIu64 " wrong, %" PRIu64 " not on offer |\n",
                         bytes_of(row, "right"), bytes_of(row, "wrong"), bytes_of(row, "refused"));
    else if (json_object_get(row, "accumulator"))
        (void)pail_print(out, " %s, %s, window %" PRIu64 ", batches %" PRIu64 " |\n",
                         text_of(row, "accumulator"), text_of(row, "field"),
                         bytes_of(row, "window_bits"), bytes_of(row, "batches"));
    else
        (void)fputs(" |\n", out);
}

static void print_row(FILE *out, const json_t *row)
{
    const char *const outcome = text_of(row, "outcome"), *const reason = text_of(row, "reason");
    (void)fputs("| ", out);
    print_cell(out, text_of(row, "name"));
    (void)fputs(" |", out);
    if (strcmp(outcome, "measured") == 0) {
        print_measured(out, row);
        return;
    }
    (void)pail_print(out, " | | | | %s", outcome);
    if (reason[0] != '\0') {
        (void)fputs(": ", out);
        print_cell(out, reason);
    }
    (void)fputs(" |\n", out);
}

static void print_step(FILE *out, const json_t *step)
{
    size_t i;
    const json_t *row;
    (void)pail_print(out, "### %s\n\n", text_of(step, "title"));
    (void)fputs("| | median ms | least | device | memory | |\n|---|---|---|---|---|---|\n", out);
    json_array_foreach(json_object_get(step, "rows"), i, row) print_row(out, row);
    (void)fputs("\n", out);
}

static void print_device(FILE *out, const json_t *device)
{
    const json_t *const facts = json_object_get(device, "device");
    const json_t *const failure = json_object_get(device, "failed");
    const json_t *const pipelines = json_object_get(device, "pipelines");
    size_t i;
    const json_t *step;
    (void)fputs("## ", out);
    print_cell(out, text_of(facts, "name"));
    (void)pail_print(out, "\n\n| | |\n|---|---|\n| backend | %s %s |\n", text_of(device, "backend"),
                     text_of(device, "backend_version"));
    print_facts(out, facts);
    if (failure && !json_is_null(failure))
        print_failure(out, failure);
    (void)pail_print(out,
                     "Measured for %.1f s. Pipelines: %" PRIu64 " compiled, %" PRIu64
                     " read from the cache, in %.1f s.\n\n",
                     number_of(device, "wall_s"), bytes_of(pipelines, "compiled"),
                     bytes_of(pipelines, "disk"), number_of(pipelines, "ms") / 1e3);
    json_array_foreach(json_object_get(device, "steps"), i, step) print_step(out, step);
}

/* ---- The page -------------------------------------------------------------------------------- */

void pail_report_print_page(FILE *out, const json_t *report)
{
    const json_t *const host = json_object_get(report, "host");
    const char *const note = text_of(report, "note"), *const processor = text_of(host, "processor");
    size_t i;
    const json_t *part;
    const char *key;
    (void)pail_print(out,
                     " %s\n\n%s, at most %" PRIu64 " s for each device; %s, %" PRIu64 " processors",
                     text_of(report, "version"), text_of(report, "date"), bytes_of(report, "max_s"),
                     text_of(host, "system"), bytes_of(host, "processors"));
    if (processor[0] != '\0')
        (void)pail_print(out, " (%s)", processor);
    (void)fputs(".\n", out);
    if (note[0] != '\0')
        (void)pail_print(out, "Note: %s\n", note);
    json_object_foreach(json_object_get(report, "environment"), key, part)(void)
        pail_print(out, "`%s=%s` was set.\n", key, json_string_value(part));
    (void)fputs("\nTimes are wall times in milliseconds; of proofs the best one, not the median. "
                "Each result "
                "was checked. A row that there was no time for says `" PAIL_REPORT_NO_TIME "`.\n\n",
                out);
    json_array_foreach(json_object_get(report, "problems"), i, part) print_failure(out, part);
    json_array_foreach(json_object_get(report, "devices"), i, part) print_device(out, part);
}
