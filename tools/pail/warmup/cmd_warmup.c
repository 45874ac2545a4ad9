/* `pail warmup`: builds the pipelines of a deployment before it needs them. */
#include <inttypes.h>
#include <stdio.h>

#include <platform/text.h>

#include "cache/transfer.h"
#include "commands.h"
#include "output/progress.h"
#include "process/device.h"
#include "process/log.h"
#include "warm_options.h"
#include "warm_report.h"

struct warmup {
    struct pail_warm_options options;
    struct pail_warm_selection selection;
    struct pail_warm_summary summary;
    char dir[PAIL_TRANSFER_PATH_MAX];
    struct pail_lines lines;
    struct pail_log log;
};

static void opened(void *user, const struct pail_warm_device *device)
{
    struct warmup *const warmup = user;
    pail_warm_put_device(&warmup->lines, device);
}

static void made(void *user, const struct pail_warm_device *device, const pail_pipeline_info *row)
{
    struct warmup *const warmup = user;
    pail_warm_put_pipeline(&warmup->lines, device, row);
}

static void expect_hits(struct warmup *warmup, const struct pail_warm_device *device)
{
    const pail_pipeline_info *first = NULL;
    for (size_t i = 0; i < device->n && first == NULL; i++)
        if (pail_warm_fate_of(device, &device->rows[i]) == PAIL_WARM_MADE &&
            device->rows[i].origin == PAIL_PIPELINE_COMPILED)
            first = &device->rows[i];
    if (first == NULL)
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
        pail_warm_summary_add(&warmup->summary, &device);
        if (warmup->lines.out == NULL)
            pail_warm_print_device(stdout, &device);
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
    struct pail_warm_summary *const summary = &warmup->summary;
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

static bool is_good(const struct pail_warm_summary *summary)
{
    return pail_exit_of(&summary->error) == PAIL_EXIT_OK;
}

/* Import, build, export, verify: each as far as it is asked for, and only after the one before. */
static pail_status run(struct warmup *warmup, struct pail_error *error)
{
    const struct pail_warm_options *const options = &warmup->options;
    struct pail_warm_summary *const summary = &warmup->summary;
    pail_status status = PAIL_OK;
    if (options->import_path != NULL) {
        status =
            pail_transfer_import(&summary->n_imported, options->import_path, warmup->dir, error);
        summary->imported = status == PAIL_OK;
    }
    if (status == PAIL_OK && pail_warm_options_build(options))
        status = build(warmup, error);
    if (status == PAIL_OK && is_good(summary) && options->export_path != NULL) {
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
        warmup.log.verbose = options->verbose;
        warmup.summary.dir = warmup.dir;
        (void)run(&warmup, error);
        pail_error_add(all, error);
        if (warmup.lines.out == NULL)
            pail_warm_print_summary(stdout, &warmup.summary);
        pail_warm_put_summary(&warmup.lines, &warmup.summary);
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
    .parts = {{PAIL_PART(pail_warm_rows)}},
    .once = true,
    .size = sizeof(struct pail_warm_options),
    .run = run_command,
};
