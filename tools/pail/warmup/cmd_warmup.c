/* `pail warmup`: builds the pipelines of a deployment before it needs them. */
#include <inttypes.h>
#include <stdio.h>

#include <platform/line.h>

#include "cache/transfer.h"
#include "commands.h"
#include "options/tables.h"
#include "output/progress.h"
#include "process/device.h"
#include "process/log.h"
#include "warm_options.h"
#include "warm_report.h"
#include <formats/report.h>

struct warmup {
    struct pail_warm_options options;
    struct pail_warm_selection selection;
    struct pail_warm_summary summary;
    char dir[PAIL_TRANSFER_PATH_MAX];
    struct pail_lines lines;
    struct pail_log log;
};

/* The first failure is the one that is reported; a check that fails outweighs the others. */
static void fail(struct warmup *warmup, pail_status status, const char *sentence)
{
    const enum pail_exit exit = pail_complain(status, sentence);
    if (warmup->summary.exit == PAIL_EXIT_OK)
        warmup->summary.exit = exit;
}

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
    (void)pail_print(stderr,
                     "pail: %" PRIu64 " of %zu pipelines had to be compiled on %s, among them %s\n",
                     device->tally.compiled, device->n, device->info.name, first->name);
    warmup->summary.exit = PAIL_EXIT_CHECK;
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
    if (device.status != PAIL_OK)
        fail(warmup, device.status, device.sentence);
    else if (device.n == 0)
        fail(warmup, PAIL_ERR_INTERNAL, "the backend has built nothing and does not say why");
    if (warmup->options.expect_hits)
        expect_hits(warmup, &device);
    pail_warm_device_free(&device);
}

/* Each device of the backend that can be used. */
static pail_status run_all(struct warmup *warmup, const pail_registry *registry, char *error,
                           size_t error_cap)
{
    const pail_backend *backend = NULL;
    struct pail_session_params params = warmup->options.session;
    params.needs = pail_warm_needs(&warmup->selection);
    pail_status status = pail_session_choose(&backend, registry, &params, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const pail_host *const host = pail_registry_host(registry);
    uint32_t count = 0;
    status = backend->device_count(host, &count);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "%s: %s", backend->name, backend->error(NULL));
    params.backend = backend->name;
    uint32_t usable = 0;
    for (uint32_t i = 0; i < count; i++) {
        char index[16];
        pail_device_info info;
        (void)snprintf(index, sizeof(index), "%" PRIu32, i);
        status = pail_device_read(&info, backend, host, index, error, error_cap);
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
        return pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                           "the backend %s has no device that can be used", backend->name);
    return PAIL_OK;
}

static pail_status build(struct warmup *warmup, char *error, size_t error_cap)
{
    const pail_host host = pail_log_host_of(&warmup->log);
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &host, .backend = warmup->options.session.backend};
    pail_registry *registry = NULL;
    pail_status status = pail_registry_create(&registry, &params, error, error_cap);
    if (status != PAIL_OK)
        return status;
    warmup->log.warnings = true;
    if (warmup->options.all_devices)
        status = run_all(warmup, registry, error, error_cap);
    else
        run_device(warmup, registry, &warmup->options.session);
    pail_registry_destroy(&registry);
    return status;
}

static pail_status verify(struct warmup *warmup, char *error, size_t error_cap)
{
    struct pail_warm_summary *const summary = &warmup->summary;
    const pail_status status =
        pail_warm_verify(&summary->fresh, &warmup->options, error, error_cap);
    if (status != PAIL_OK)
        return status;
    summary->verified = true;
    if (summary->fresh.exit == PAIL_EXIT_OK)
        return PAIL_OK;
    (void)pail_print(stderr,
                     "pail: --verify: the fresh process ended with status %d; it compiled %" PRIu64
                     " of %" PRIu64 " pipelines\n",
                     summary->fresh.exit, summary->fresh.compiled, summary->fresh.pipelines);
    summary->exit =
        summary->fresh.compiled > 0 ? PAIL_EXIT_CHECK : (enum pail_exit)summary->fresh.exit;
    return PAIL_OK;
}

/* Import, build, export, verify: each as far as it is asked for, and only after the one before. */
static pail_status run(struct warmup *warmup, char *error, size_t error_cap)
{
    const struct pail_warm_options *const options = &warmup->options;
    struct pail_warm_summary *const summary = &warmup->summary;
    pail_status status = PAIL_OK;
    if (options->import_path != NULL) {
        status = pail_transfer_import(&summary->n_imported, options->import_path, warmup->dir,
                                      error, error_cap);
        summary->imported = status == PAIL_OK;
    }
    if (status == PAIL_OK && pail_warm_options_build(options))
        status = build(warmup, error, error_cap);
    if (status == PAIL_OK && summary->exit == PAIL_EXIT_OK && options->export_path != NULL) {
        status = pail_transfer_export(&summary->n_exported, options->export_path, warmup->dir,
                                      error, error_cap);
        summary->exported = status == PAIL_OK;
    }
    if (status == PAIL_OK && summary->exit == PAIL_EXIT_OK && options->verify)
        status = verify(warmup, error, error_cap);
    return status;
}

static enum pail_exit conclude(struct warmup *warmup, pail_status status, char *error,
                               size_t error_cap)
{
    if (status != PAIL_OK)
        fail(warmup, status, error);
    if (warmup->lines.out == NULL)
        pail_warm_print_summary(stdout, &warmup->summary);
    pail_warm_put_summary(&warmup->lines, &warmup->summary);
    status = pail_lines_close(&warmup->lines, error, error_cap);
    if (status != PAIL_OK)
        fail(warmup, status, error);
    return pail_finish_output(warmup->summary.exit);
}

enum pail_exit pail_cmd_warmup(int argc, char **argv)
{
    char error[2048] = "";
    struct warmup warmup = {0};
    struct pail_warm_options *const options = &warmup.options;
    pail_status status = pail_warm_options_read(options, argc, argv, error, sizeof(error));
    if (status == PAIL_OK && options->help) {
        pail_options_help(&pail_warm_table);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    if (status == PAIL_OK && pail_warm_options_build(options))
        status = pail_warm_options_select(&warmup.selection, options, error, sizeof(error));
    if (status == PAIL_OK)
        status = pail_transfer_folder(warmup.dir, options->session.cache_dir, error, sizeof(error));
    if (status == PAIL_OK)
        status = pail_lines_open(&warmup.lines, options->json ? "-" : NULL, error, sizeof(error));
    enum pail_exit result;
    if (status == PAIL_OK) {
        warmup.log.verbose = options->verbose;
        warmup.summary.dir = warmup.dir;
        status = run(&warmup, error, sizeof(error));
        result = conclude(&warmup, status, error, sizeof(error));
    } else {
        result = pail_complain(status, error);
    }
    pail_warm_selection_free(&warmup.selection);
    return result;
}
