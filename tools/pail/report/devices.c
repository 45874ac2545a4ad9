/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the devices one after the other, and writes what was found. */
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pail/pail.h>
#include <platform/clock.h>
#include <platform/machine.h>
#include <platform/process.h>
#include <platform/text.h>

#include "measure/rig.h"
#include "options/number.h"
#include "output/files.h"
#include "output/json.h"

enum { PATH_CHARS = 4096, INFO_S = 60 };

struct report {
    const struct pail_report_options *options;
    const uint32_t *interrupt;
    json_t *info;               /* of pail info */
    json_t *devices, *problems; /* arrays of the report */
    size_t counts[3];           /* rows: measured, without time, anything else */
    bool wrong, failed;
    struct pail_error *error;
};

/* ---- Devices --------------------------------------------------------------------------------- */

static void take_info(void *user, json_t *object)
{
    struct report *const report = user;
    report->info = json_incref(object);
}

static void add_problem(struct report *report, const char *sentence, const char *command)
{
    struct pail_json problem;
    char clean[1024];
    report->failed = true;
    pail_json_begin(&problem);
    pail_json_set_text(&problem, "sentence", pail_report_clean(clean, sizeof(clean), sentence));
    pail_json_set_text(&problem, "command", command);
    if (json_array_append_new(report->problems, pail_json_take(&problem)) != 0)
        (void)pail_fail(report->error, PAIL_ERR_HOST_MEMORY, "no memory for the report");
}

/* Another process asks the drivers: one that crashes ends that one. */
static void list_devices(struct report *report)
{
    static const char *const words[] = {"info", NULL};
    struct pail_report_run run = {.options = report->options,
                                  .interrupt = report->interrupt,
                                  .label = "listing devices",
                                  .begin_ms = pail_now_ms(),
                                  .error = report->error};
    struct pail_report_answer answer;
    run.step_end_ms = run.end_ms = run.begin_ms + INFO_S * 1e3;
    pail_report_ask(
        &run, &answer,
        &(const struct pail_report_question){.words = words, .answer = take_info, .user = report});
    if (report->info || report->error->status != PAIL_OK)
        return;
    add_problem(report,
                answer.end == PAIL_REPORT_LATE ? "the devices were not listed within a minute"
                                               : answer.sentence,
                "pail info");
}

/* The name of a device, which pail info has as null where it is no UTF-8. */
static const char *name_of(const json_t *device)
{
    const char *const name = json_string_value(json_object_get(device, "name"));
    return name ? name : "(no name that can be read)";
}

/* True for a device that the options ask for. */
static bool is_wanted(const struct report *report, const json_t *backend, const json_t *device)
{
    const struct pail_report_options *const options = report->options;
    const char *const name = name_of(device);
    const char *const from = json_string_value(json_object_get(backend, "name"));
    const bool plugin = json_is_string(json_object_get(backend, "path"));
    uint64_t index;
    if (!from || (options->backend ? strcmp(options->backend, from) != 0 : !plugin))
        return false;
    if (!options->device)
        return true;
    if (pail_number_parse(&index, options->device))
        return index == (uint64_t)json_integer_value(json_object_get(device, "index"));
    return strstr(name, options->device) != NULL;
}

/* ---- One device ------------------------------------------------------------------------------ */

static void count_rows(struct report *report, const json_t *list)
{
    size_t i;
    const json_t *row;
    json_array_foreach(list, i, row)
    {
        const char *const outcome = json_string_value(json_object_get(row, "outcome"));
        report->counts[strcmp(outcome, "measured") == 0            ? 0
                       : strcmp(outcome, PAIL_REPORT_NO_TIME) == 0 ? 1
                                                                   : 2]++;
    }
}

static bool takes_step(const struct report *report, size_t i)
{
    return (report->options->only >> i & 1) != 0;
}

/* A step's part of what is left goes by its weight: steps that were quick leave more. */
static double end_of_step(const struct report *report, const struct pail_report_run *run,
                          size_t step)
{
    const double now = pail_now_ms(), left = run->end_ms > now ? run->end_ms - now : 0;
    unsigned sum = 0;
    for (size_t i = step; i < PAIL_REPORT_STEPS; i++)
        sum += takes_step(report, i) ? pail_report_steps[i].weight : 0;
    return now + left * pail_report_steps[step].weight / sum;
}

static json_t *run_steps(struct report *report, struct pail_report_run *run)
{
    struct pail_json steps, object;
    pail_json_begin_list(&steps);
    for (size_t i = 0; i < PAIL_REPORT_STEPS && run->error->status == PAIL_OK; i++) {
        const struct pail_report_step *const step = &pail_report_steps[i];
        if (!takes_step(report, i))
            continue;
        const double begin_ms = pail_now_ms();
        run->rows = json_array();
        run->label = step->title;
        run->step_end_ms = end_of_step(report, run, i);
        step->run(run);
        count_rows(report, run->rows);
        pail_json_begin(&object);
        pail_json_set_text(&object, "name", step->name);
        pail_json_set_text(&object, "title", step->title);
        pail_json_set_real(&object, "wall_s", (pail_now_ms() - begin_ms) / 1e3);
        pail_json_set(&object, "rows", run->rows);
        pail_json_add(&steps, pail_json_take(&object));
    }
    return pail_json_take(&steps);
}

static json_t *failure_object(const char *sentence, const char *command)
{
    struct pail_json failure;
    if (sentence[0] == '\0')
        return json_null();
    pail_json_begin(&failure);
    pail_json_set_text(&failure, "sentence", sentence);
    pail_json_set_text(&failure, "command", command);
    return pail_json_take(&failure);
}

/* The facts of pail info, without what tells this one device from others of its kind. */
static json_t *facts_of(json_t *device)
{
    static const char *const keys[] = {"name",
                                       "driver",
                                       "type",
                                       "vendor_id",
                                       "device_id",
                                       "driver_version",
                                       "vulkan",
                                       "features",
                                       "heap_bytes",
                                       "max_binding_bytes",
                                       "max_allocation_bytes",
                                       "subgroup_size",
                                       "max_workgroup_invocations",
                                       "max_workgroup_bytes",
                                       "max_storage_buffers",
                                       "max_push_bytes",
                                       "storage_alignment",
                                       "max_workgroups",
                                       "compute_units",
                                       NULL};
    json_t *const facts = pail_report_pick(device, keys);
    if (facts && json_is_null(json_object_get(facts, "driver")))
        (void)json_object_set_new(facts, "driver", json_string(""));
    if (facts)
        (void)json_object_set_new(facts, "name", json_string(name_of(device)));
    return facts;
}

static json_t *pipelines_object(const struct pail_report_run *run)
{
    struct pail_json object;
    pail_json_begin(&object);
    pail_json_set_number(&object, "compiled", run->compiled);
    pail_json_set_number(&object, "disk", run->disk);
    pail_json_set_real(&object, "ms", run->pipelines_ms);
    return pail_json_take(&object);
}

static void measure_device(struct report *report, json_t *backend, json_t *device)
{
    struct pail_json object;
    struct pail_report_run run = {.options = report->options,
                                  .interrupt = report->interrupt,
                                  .backend = json_string_value(json_object_get(backend, "name")),
                                  .begin_ms = pail_now_ms(),
                                  .error = report->error};
    const bool usable = json_is_true(json_object_get(device, "usable"));
    json_t *steps = NULL;
    run.end_ms = run.begin_ms + (double)report->options->max_s * 1e3;
    (void)snprintf(run.index, sizeof(run.index), "%" JSON_INTEGER_FORMAT,
                   json_integer_value(json_object_get(device, "index")));
    (void)pail_print(stdout, "%s of %s\n", name_of(device), run.backend);
    (void)fflush(stdout);
    if (usable) {
        steps = run_steps(report, &run);
        pail_report_remove_folder(&run);
    } else {
        char sentence[sizeof(run.failure)];
        const char *const reason = json_string_value(json_object_get(device, "reason"));
        (void)pail_line(sentence, sizeof(sentence), "cannot be used: %s", reason ? reason : "");
        (void)pail_report_clean(run.failure, sizeof(run.failure), sentence);
        (void)snprintf(run.repeats, sizeof(run.repeats), "pail info");
        run.failed = true;
    }
    report->wrong = report->wrong || run.wrong;
    report->failed = report->failed || run.failed;
    pail_json_begin(&object);
    pail_json_set_text(&object, "backend", run.backend);
    pail_json_set(&object, "backend_version", json_incref(json_object_get(backend, "version")));
    pail_json_set(&object, "device", facts_of(device));
    pail_json_set(&object, "failed", failure_object(run.failure, run.repeats));
    pail_json_set_real(&object, "wall_s", (pail_now_ms() - run.begin_ms) / 1e3);
    pail_json_set(&object, "pipelines", pipelines_object(&run));
    pail_json_set(&object, "steps", steps ? steps : json_array());
    if (json_array_append_new(report->devices, pail_json_take(&object)) != 0 &&
        report->error->status == PAIL_OK)
        (void)pail_fail(report->error, PAIL_ERR_HOST_MEMORY, "no memory for the report");
}

/* True unless the backend is another one than the one asked for; what could not be opened has no
 * name. */
static bool may_be_meant(const struct report *report, const json_t *backend)
{
    const char *const name = json_string_value(json_object_get(backend, "name"));
    return !report->options->backend || !name || strcmp(name, report->options->backend) == 0;
}

static void note_problems(struct report *report, const json_t *backend)
{
    const bool plugin = json_is_string(json_object_get(backend, "path"));
    const bool usable = json_is_true(json_object_get(backend, "usable"));
    const char *const reason = json_string_value(json_object_get(backend, "reason"));
    const char *const of_devices = json_string_value(json_object_get(backend, "devices_reason"));
    if (of_devices)
        add_problem(report, of_devices, "pail info");
    else if (plugin && !usable && reason &&
             json_array_size(json_object_get(backend, "devices")) == 0)
        add_problem(report, reason, "pail info");
}

static void measure_all(struct report *report)
{
    size_t b, d;
    json_t *backend, *device;
    json_array_foreach(json_object_get(report->info, "backends"), b, backend)
    {
        if (may_be_meant(report, backend))
            note_problems(report, backend);
        json_array_foreach(json_object_get(backend, "devices"), d, device)
        {
            if (is_wanted(report, backend, device) && report->error->status == PAIL_OK)
                measure_device(report, backend, device);
        }
    }
}

/* ---- The report ------------------------------------------------------------------------------ */

static json_t *environment(void)
{
    static const char *const names[] = {"PAIL_DEBUG", "PAIL_LIMITS"};
    struct pail_json object;
    char clean[256];
    pail_json_begin(&object);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *const value = pail_env(names[i]);
        if (value && value[0] != '\0')
            pail_json_set_text(&object, names[i], pail_report_clean(clean, sizeof(clean), value));
    }
    return pail_json_take(&object);
}

static json_t *host(void)
{
    struct pail_json object;
    char name[PAIL_REPORT_SYSTEM_CHARS];
    pail_json_begin(&object);
    pail_json_set_text(&object, "system", pail_report_system(name));
    pail_json_set_text(&object, "processor", pail_report_processor(name));
    pail_json_set_number(&object, "processors", pail_machine_processors());
    pail_json_set_number(&object, "memory_bytes", pail_machine_memory());
    return pail_json_take(&object);
}

static json_t *names_of_steps(const struct report *report)
{
    struct pail_json list;
    pail_json_begin_list(&list);
    for (size_t i = 0; i < PAIL_REPORT_STEPS; i++)
        if (takes_step(report, i))
            pail_json_add(&list, json_string(pail_report_steps[i].name));
    return pail_json_take(&list);
}

static json_t *whole(struct report *report)
{
    struct pail_json object;
    char text[1024] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts))
        (void)strftime(text, sizeof(text), "%Y-%m-%d", &parts);
    pail_json_begin(&object);
    pail_json_set_number(&object, "pail_report", 1);
    pail_json_set_text(&object, "version", pail_version());
    pail_json_set(&object, "abi", json_sprintf("%u.%u", PAIL_ABI_MAJOR, PAIL_ABI_MINOR));
    pail_json_set_text(&object, "date", text);
    pail_json_set_number(&object, "max_s", report->options->max_s);
    pail_json_set_text(
        &object, "note",
        pail_report_clean(text, sizeof(text), report->options->note ? report->options->note : ""));
    pail_json_set(&object, "host", host());
    pail_json_set(&object, "environment", environment());
    pail_json_set(&object, "steps", names_of_steps(report));
    pail_json_set(&object, "problems", json_incref(report->problems));
    pail_json_set(&object, "devices", json_incref(report->devices));
    return pail_json_take(&object);
}

/* Writers of what stands behind the heads. */
static void write_page(FILE *out, const void *what)
{
    pail_report_print_page(out, what);
}

static void write_json(FILE *out, const void *what)
{
    const char *const text = what;
    (void)fputs(text + sizeof(PAIL_REPORT_JSON_HEAD) - 1, out);
    (void)fputc('\n', out);
}

static pail_status write_files(struct report *report, struct pail_whole_file files[2],
                               struct pail_error *error)
{
    json_t *const object = whole(report);
    char *const text =
        object ? json_dumps(object, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7))
               : NULL;
    pail_status status = PAIL_OK;
    if (!text)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the report");
    if (status == PAIL_OK)
        status = pail_whole_file_write(&files[0], write_page, object, error);
    if (status == PAIL_OK)
        status = pail_whole_file_write(&files[1], write_json, text, error);
    free(text);
    json_decref(object);
    return status;
}

static void conclude(struct report *report, const char *const paths[2])
{
    const size_t n = json_array_size(report->devices), problems = json_array_size(report->problems);
    (void)pail_print(stdout,
                     "%zu device%s: %zu rows measured, %zu " PAIL_REPORT_NO_TIME
                     ", %zu of another outcome\nwritten: %s, %s\n",
                     n, n == 1 ? "" : "s", report->counts[0], report->counts[1], report->counts[2],
                     paths[0], paths[1]);
    if (n == 0 && problems == 0)
        (void)pail_fail(report->error, PAIL_ERR_UNSUPPORTED,
                        "no device was found that is asked for; pail info lists all, and "
                        "--backend cpu measures the CPU backend");
    else if (report->wrong)
        pail_differs(report->error, "a result is wrong; %s has the command that repeats it",
                     paths[0]);
    else if (report->failed)
        (void)pail_fail(report->error, n == 0 ? PAIL_ERR_UNSUPPORTED : PAIL_ERR_DEVICE_LOST,
                        "not all could be measured; %s says why", paths[0]);
}

static void run_report(struct report *report, struct pail_whole_file files[2],
                       const char *const paths[2])
{
    report->interrupt = pail_interrupt_watch();
    list_devices(report);
    measure_all(report);
    if (report->error->status == PAIL_OK && write_files(report, files, report->error) == PAIL_OK)
        conclude(report, paths);
}

void pail_report_write(const struct pail_report_options *options, struct pail_error *error)
{
    static const struct pail_magic heads[2] = {
        {.bytes = PAIL_REPORT_PAGE_HEAD, .n = sizeof(PAIL_REPORT_PAGE_HEAD) - 1},
        {.bytes = PAIL_REPORT_JSON_HEAD, .n = sizeof(PAIL_REPORT_JSON_HEAD) - 1}};
    static const char *const ends[2] = {".md", ".json"};
    char paths[2][PATH_CHARS];
    struct pail_whole_file files[2] = {PAIL_WHOLE_FILE_NONE, PAIL_WHOLE_FILE_NONE};
    struct report report = {.options = options, .error = error};
    pail_status status = pail_refuse_debug_time(error);
    for (size_t i = 0; i < 2 && status == PAIL_OK; i++) {
        const int n = snprintf(paths[i], PATH_CHARS, "%s%s", options->out, ends[i]);
        if (n < 0 || n >= PATH_CHARS)
            status = pail_fail(error, PAIL_ERR_ARGUMENT, "--out: the name is too long");
        else
            status = pail_whole_file_begin(&files[i], "--out", paths[i], heads[i], error);
    }
    report.devices = json_array();
    report.problems = json_array();
    if (status == PAIL_OK && (!report.devices || !report.problems))
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the report");
    if (status == PAIL_OK)
        run_report(&report, files, (const char *const[]){paths[0], paths[1]});
    for (size_t i = 0; i < 2; i++)
        pail_whole_file_end(&files[i]);
    json_decref(report.info);
    json_decref(report.devices);
    json_decref(report.problems);
    if (error->status == PAIL_ERR_STOPPED)
        pail_interrupt_leave();
}
