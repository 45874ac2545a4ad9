/* SPDX-License-Identifier: Apache-2.0 */
/* `pail warmup`: compiles the pipelines of a deployment. */
#include "warmup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

#include "cache/cache_files.h"
#include "commands.h"
#include "error/error.h"
#include "info/info.h"
#include "output/files.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"

/* ---- The report as a table ------------------------------------------------------------------- */

/* Totals of a whole command, over all devices. */
struct warm_summary {
    size_t n_devices;
    struct pail_warm_tally tally;
    uint64_t unkept;
    double wall_ms;
    const char *dir; /* folder of the cache */
    bool imported, exported, verified;
    uint64_t n_imported, n_exported; /* entries */
    struct pail_warm_fresh fresh;    /* with `verified` */
    struct pail_error error;         /* the first failure */
};

enum { VARIANT_CHARS = 160 };

/* "msm/accumulate/xyzz.bn254.g1.x29" is the kernel msm/accumulate/xyzz, and of it the variant
 * bn254.g1.x29; the values of the specialisation constants follow, of which each makes another
 * pipeline. */
static size_t split(char variant[VARIANT_CHARS], const pail_pipeline_info *row)
{
    const size_t kernel = strcspn(row->name, ".");
    const char *const rest = row->name + kernel + (row->name[kernel] == '.');
    size_t used = (size_t)snprintf(variant, VARIANT_CHARS, "%s", rest);
    for (uint32_t i = 0; i < row->n_specs; i++)
        used += (size_t)snprintf(variant + used, VARIANT_CHARS - used, "%s%" PRIu32,
                                 i > 0   ? ","
                                 : *rest ? " "
                                         : "",
                                 row->specs[i]);
    return kernel;
}

/* Rows that were there before are hits, wherever they came from. */
static const char *outcome_of(const struct pail_warm_device *device, const pail_pipeline_info *row)
{
    switch (pail_warm_fate_of(device, row)) {
    case PAIL_WARM_MADE:
        return row->origin == PAIL_PIPELINE_COMPILED ? "built"
               : row->origin == PAIL_PIPELINE_DISK   ? "hit, disk"
                                                     : "hit, memory";
    case PAIL_WARM_SKIPPED:
        return "skipped: not supported";
    case PAIL_WARM_FAILED:
        break;
    }
    return "failed";
}

static void warm_summary_add(struct warm_summary *summary, const struct pail_warm_device *device)
{
    struct pail_warm_tally *const sum = &summary->tally;
    const struct pail_warm_tally *const tally = &device->tally;
    summary->n_devices++;
    summary->unkept += device->unkept;
    summary->wall_ms += device->wall_ms;
    sum->memory += tally->memory;
    sum->disk += tally->disk;
    sum->compiled += tally->compiled;
    sum->skipped += tally->skipped;
    sum->failed += tally->failed;
    sum->no_code += tally->no_code;
    sum->bytes += tally->bytes;
    sum->ms += tally->ms;
}

static void warm_print_device(FILE *out, const struct pail_warm_device *device)
{
    (void)pail_print(out, "%s %s on %s (%s)\n", device->backend, device->version, device->info.name,
                     device->info.driver);
    size_t kernel_width = strlen("kernel"), variant_width = strlen("variant");
    char variant[VARIANT_CHARS];
    for (size_t i = 0; i < device->n; i++) {
        const size_t kernel = split(variant, &device->rows[i]);
        kernel_width = kernel > kernel_width ? kernel : kernel_width;
        variant_width = strlen(variant) > variant_width ? strlen(variant) : variant_width;
    }
    if (device->n > 0)
        (void)pail_print(out, "  %-*s  %-8s  %-*s %10s %9s  %s\n", (int)kernel_width, "kernel",
                         "id", (int)variant_width, "variant", "ms", "bytes", "outcome");
    for (size_t i = 0; i < device->n; i++) {
        const pail_pipeline_info *const row = &device->rows[i];
        const size_t kernel = split(variant, row);
        (void)pail_print(out, "  %-*.*s  %08" PRIx32 "  %-*s %10.1f %9" PRIu64 "  %s",
                         (int)kernel_width, (int)kernel, row->name, row->id, (int)variant_width,
                         variant, row->ms, row->bytes, outcome_of(device, row));
        if (pail_warm_fate_of(device, row) == PAIL_WARM_FAILED)
            (void)pail_print(out, ": %s", pail_status_name((pail_status)row->status));
        (void)fputc('\n', out);
    }
    if (device->tally.no_code > 0)
        (void)pail_print(
            out, "  This driver puts no compiled code into pipeline caches: unless it has a cache "
                 "of its own, every process translates each module anew, hit or not.\n");
}

static void warm_print_summary(FILE *out, const struct warm_summary *summary)
{
    const struct pail_warm_tally *const tally = &summary->tally;
    if (summary->imported)
        (void)pail_print(out, "imported %" PRIu64 " entries into %s\n", summary->n_imported,
                         summary->dir);
    if (summary->n_devices > 0)
        (void)pail_print(out,
                         "%" PRIu64 " pipelines: %" PRIu64 " hits in memory, %" PRIu64
                         " hits on disk, %" PRIu64 " built, %" PRIu64 " skipped, %" PRIu64
                         " failed; %" PRIu64 " bytes in %s; %.1f ms of work in %.1f ms\n",
                         tally->memory + tally->disk + tally->compiled + tally->skipped +
                             tally->failed,
                         tally->memory, tally->disk, tally->compiled, tally->skipped, tally->failed,
                         tally->bytes, summary->dir, tally->ms, summary->wall_ms);
    if (summary->exported)
        (void)pail_print(out, "exported %" PRIu64 " entries\n", summary->n_exported);
    if (summary->verified)
        (void)pail_print(
            out, "verified: a fresh process compiled %" PRIu64 " of %" PRIu64 " pipelines\n",
            summary->fresh.compiled, summary->fresh.pipelines);
}

/* ---- The report as JSON lines ---------------------------------------------------------------- */

static void set_hash(struct pail_json *json, const char *key, uint64_t hash)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "0x%016" PRIx64, hash);
    pail_json_set_text(json, key, text);
}

static json_t *specs_array(const pail_pipeline_info *row)
{
    struct pail_json array;
    pail_json_begin_list(&array);
    for (uint32_t i = 0; i < row->n_specs; i++)
        pail_json_add(&array, json_integer((json_int_t)row->specs[i]));
    return pail_json_take(&array);
}

static void warm_put_device(struct pail_lines *lines, const struct pail_warm_device *device)
{
    struct pail_json row;
    pail_lines_begin(lines, &row, "device");
    pail_json_set_text(&row, "backend", device->backend);
    pail_json_set_text(&row, "backend_version", device->version);
    pail_json_set(&row, "device", pail_info_device_object(&device->info));
    pail_json_set_text(&row, "file", device->file);
    pail_lines_write(lines, &row);
}

static void warm_put_pipeline(struct pail_lines *lines, const struct pail_warm_device *device,
                              const pail_pipeline_info *pipeline)
{
    static const char *const fates[] = {"made", "skipped", "failed"};
    const enum pail_warm_fate fate = pail_warm_fate_of(device, pipeline);
    struct pail_json row;
    pail_lines_begin(lines, &row, "pipeline");
    pail_json_set_number(&row, "device", device->info.index);
    pail_json_set_text(&row, "name", pipeline->name);
    pail_json_set(&row, "id", json_sprintf("%08" PRIx32, pipeline->id));
    set_hash(&row, "task", pipeline->task);
    set_hash(&row, "code_hash", pipeline->code_hash);
    pail_json_set(&row, "specs", specs_array(pipeline));
    pail_json_set_text(&row, "outcome", fates[fate]);
    pail_json_set_text(&row, "status", pail_status_name((pail_status)pipeline->status));
    pail_json_set(&row, "origin",
                  fate == PAIL_WARM_MADE ? json_string(pail_warm_origin_name(pipeline->origin))
                                         : json_null());
    pail_json_set_real(&row, "ms", pipeline->ms);
    pail_json_set_number(&row, "bytes", pipeline->bytes);
    pail_json_set_bool(&row, "no_code", (pipeline->flags & PAIL_PIPELINE_NO_CODE) != 0);
    pail_json_set_number(&row, "done", pipeline->done);
    pail_json_set_number(&row, "total", pipeline->total);
    pail_lines_write(lines, &row);
}

static void set_optional(struct pail_json *json, const char *key, bool there, uint64_t number)
{
    pail_json_set(json, key, there ? json_integer((json_int_t)number) : json_null());
}

static void warm_put_summary(struct pail_lines *lines, const struct warm_summary *summary)
{
    const struct pail_warm_tally *const tally = &summary->tally;
    struct pail_json row;
    pail_lines_begin(lines, &row, "summary");
    pail_json_set_number(&row, "exit", (uint64_t)pail_exit_of(&summary->error));
    pail_json_set_text(&row, "dir", summary->dir);
    pail_json_set_number(&row, "devices", summary->n_devices);
    pail_json_set_number(&row, "memory", tally->memory);
    pail_json_set_number(&row, "disk", tally->disk);
    pail_json_set_number(&row, "compiled", tally->compiled);
    pail_json_set_number(&row, "skipped", tally->skipped);
    pail_json_set_number(&row, "failed", tally->failed);
    pail_json_set_number(&row, "unkept", summary->unkept);
    pail_json_set_number(&row, "no_code", tally->no_code);
    pail_json_set_number(&row, "bytes", tally->bytes);
    pail_json_set_real(&row, "ms", tally->ms);
    pail_json_set_real(&row, "wall_ms", summary->wall_ms);
    set_optional(&row, "imported", summary->imported, summary->n_imported);
    set_optional(&row, "exported", summary->exported, summary->n_exported);
    set_optional(&row, "fresh_pipelines", summary->verified, summary->fresh.pipelines);
    set_optional(&row, "fresh_compiled", summary->verified, summary->fresh.compiled);
    pail_lines_write(lines, &row);
}

/* ---- The command ----------------------------------------------------------------------------- */

struct warmup {
    struct pail_warm_options options;
    struct pail_warm_selection selection;
    struct warm_summary summary;
    char dir[PAIL_TRANSFER_PATH_MAX];
    struct pail_lines lines;
    struct pail_log log;
};

static void opened(void *user, const struct pail_warm_device *device)
{
    struct warmup *const warmup = user;
    warm_put_device(&warmup->lines, device);
}

static void made(void *user, const struct pail_warm_device *device, const pail_pipeline_info *row)
{
    struct warmup *const warmup = user;
    warm_put_pipeline(&warmup->lines, device, row);
}

static void expect_hits(struct warmup *warmup, const struct pail_warm_device *device)
{
    const pail_pipeline_info *first = NULL;
    for (size_t i = 0; i < device->n && !first; i++)
        if (pail_warm_fate_of(device, &device->rows[i]) == PAIL_WARM_MADE &&
            device->rows[i].origin == PAIL_PIPELINE_COMPILED)
            first = &device->rows[i];
    if (!first)
        return;
    struct pail_error error = {0};
    pail_differs(&error, "%" PRIu64 " of %zu pipelines had to be compiled on %s, among them %s",
                 device->tally.compiled, device->n, device->info.name, first->name);
    pail_error_add(&warmup->summary.error, &error);
}

static void run_device(struct warmup *warmup, const pail_registry *registry,
                       const struct pail_session_params *params)
{
    const struct pail_warm_listener listener = {.opened = opened, .made = made, .user = warmup};
    struct pail_warm_device device;
    pail_warm_run(&device, registry, params, &warmup->selection, warmup->dir, &listener);
    if (device.opened) {
        warm_summary_add(&warmup->summary, &device);
        if (!warmup->lines.out)
            warm_print_device(stdout, &device);
    }
    if (device.error.status == PAIL_OK && device.n == 0)
        (void)pail_fail(&device.error, PAIL_ERR_INTERNAL,
                        "the backend has built nothing and does not say why");
    pail_error_add(&warmup->summary.error, &device.error);
    if (warmup->options.expect_hits)
        expect_hits(warmup, &device);
    pail_warm_device_free(&device);
}

/* Each device of the backend that can be used. */
static pail_status run_all(struct warmup *warmup, const pail_registry *registry,
                           struct pail_error *error)
{
    const pail_backend *backend = NULL;
    struct pail_session_params params = warmup->options.session;
    params.needs = pail_warm_needs(&warmup->selection);
    pail_status status = pail_session_choose(&backend, registry, &params, error);
    if (status != PAIL_OK)
        return status;
    const pail_host *const host = pail_registry_host(registry);
    uint32_t count = 0;
    status = backend->device_count(host, &count);
    if (pail_backend_said(error, backend, NULL, status) != PAIL_OK)
        return status;
    params.backend = backend->name;
    uint32_t usable = 0;
    for (uint32_t i = 0; i < count; i++) {
        char index[16];
        pail_device_info info;
        (void)snprintf(index, sizeof(index), "%" PRIu32, i);
        status = pail_device_read(&info, backend, host, index, error);
        if (status != PAIL_OK)
            return status;
        if (info.usable == 0) {
            (void)pail_print(stderr, "pail: %s is left out: %s\n", info.name, info.reason);
            continue;
        }
        usable++;
        params.device = index;
        run_device(warmup, registry, &params);
    }
    if (usable == 0)
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "the backend %s has no device that can be used", backend->name);
    return PAIL_OK;
}

static pail_status build(struct warmup *warmup, struct pail_error *error)
{
    const pail_host host = pail_log_host_of(&warmup->log);
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &host, .backend = warmup->options.session.backend};
    pail_registry *registry = NULL;
    pail_status status =
        pail_told(error, pail_registry_create(&registry, &params, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    warmup->log.warnings = true;
    if (warmup->options.all_devices)
        status = run_all(warmup, registry, error);
    else
        run_device(warmup, registry, &warmup->options.session);
    pail_registry_destroy(&registry);
    return status;
}

static pail_status verify(struct warmup *warmup, struct pail_error *error)
{
    struct warm_summary *const summary = &warmup->summary;
    const struct pail_warm_fresh *const fresh = &summary->fresh;
    if (pail_warm_verify(&summary->fresh, &warmup->options, error) != PAIL_OK)
        return error->status;
    summary->verified = true;
    if (fresh->exit == PAIL_EXIT_OK)
        return PAIL_OK;
    error->differs = fresh->compiled > 0 || fresh->exit == PAIL_EXIT_CHECK;
    return pail_fail(error, pail_exit_status(fresh->exit),
                     "--verify: the fresh process ended with status %d; it compiled %" PRIu64
                     " of %" PRIu64 " pipelines",
                     fresh->exit, fresh->compiled, fresh->pipelines);
}

static bool is_good(const struct warm_summary *summary)
{
    return pail_exit_of(&summary->error) == PAIL_EXIT_OK;
}

/* Import, build, export, verify: each as far as it is asked for, and only after the one before. */
static pail_status run(struct warmup *warmup, struct pail_error *error)
{
    const struct pail_warm_options *const options = &warmup->options;
    struct warm_summary *const summary = &warmup->summary;
    pail_status status = PAIL_OK;
    if (options->import_path) {
        status =
            pail_transfer_import(&summary->n_imported, options->import_path, warmup->dir, error);
        summary->imported = status == PAIL_OK;
    }
    if (status == PAIL_OK && pail_warm_options_build(options))
        status = build(warmup, error);
    if (status == PAIL_OK && is_good(summary) && options->export_path) {
        status =
            pail_transfer_export(&summary->n_exported, options->export_path, warmup->dir, error);
        summary->exported = status == PAIL_OK;
    }
    if (status == PAIL_OK && is_good(summary) && options->verify)
        status = verify(warmup, error);
    return status;
}

static void run_command(struct pail_error *error, void *given, const struct pail_call *call)
{
    (void)call;
    struct warmup warmup = {.options = *(const struct pail_warm_options *)given};
    const struct pail_warm_options *const options = &warmup.options;
    struct pail_error *const all = &warmup.summary.error;
    pail_status status = pail_warm_options_check(&warmup.options, error);
    if (status == PAIL_OK && pail_warm_options_build(options))
        status = pail_warm_options_select(&warmup.selection, options, error);
    if (status == PAIL_OK)
        status = pail_transfer_folder(warmup.dir, options->session.cache_dir, error);
    if (status == PAIL_OK)
        status = pail_lines_open(&warmup.lines, options->json ? "-" : NULL, error);
    if (status == PAIL_OK) {
        warmup.summary.dir = warmup.dir;
        (void)run(&warmup, error);
        pail_error_add(all, error);
        if (!warmup.lines.out)
            warm_print_summary(stdout, &warmup.summary);
        warm_put_summary(&warmup.lines, &warmup.summary);
        (void)pail_lines_close(&warmup.lines, error);
        pail_error_add(all, error);
        *error = *all;
    }
    pail_warm_selection_free(&warmup.selection);
}

const struct pail_command pail_warmup_command = {
    .name = "warmup",
    .summary = "build the pipelines of a deployment in advance",
    .usage = "SELECTION [OPTIONS]\n--export FILE | --import FILE",
    .text = "Builds the pipelines that multiplications need, and stores them in the cache, so that "
            "nothing is compiled in production. A second run builds nothing.",
    .examples = "warmup --all\n"
                "warmup --curve bn254 --sizes 2^16..2^20 --verify\n"
                "warmup --all --export pipelines.pail",
    .parts = {{PAIL_PART(pail_warm_rows)}},
    .once = true,
    .size = sizeof(struct pail_warm_options),
    .run = run_command,
};
