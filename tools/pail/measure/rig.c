#define _POSIX_C_SOURCE 200809L

#include "rig.h"

#include <platform/process.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <platform/text.h>

#include "commands.h"
#include "info/info.h"
#include "process/log.h"

void pail_rig_print(struct pail_rig *rig, const char *format, ...)
{
    if (rig->table == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    (void)pail_print_list(rig->table, format, arguments);
    va_end(arguments);
    (void)fflush(rig->table);
}

/* Written before anything of a backend is touched: whoever finds only this row knows where it
 * ended. */
static void put_init_row(struct pail_rig *rig, const char *name)
{
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "init");
    pail_json_set_text(&row, "command", name);
    struct pail_json args;
    pail_json_begin_list(&args); /* without those that are no UTF-8 */
    for (int i = 1; i < rig->options.call->argc; i++)
        (void)json_array_append_new(args.object, json_string(rig->options.call->argv[i]));
    pail_json_set(&row, "args", pail_json_take(&args));
    pail_json_set_text(&row, "version", pail_version());
    pail_json_set(&row, "abi", json_sprintf("%u.%u", PAIL_ABI_MAJOR, PAIL_ABI_MINOR));
    char text[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL)
        (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    pail_json_set_text(&row, "started", text);
    pail_lines_put(&rig->lines, &row);
}

void pail_rig_put_device(struct pail_rig *rig, const pail_device_info *device)
{
    const struct pail_session *const session = &rig->session;
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "device");
    pail_json_set_text(&row, "backend", session->backend->name);
    pail_json_set_text(&row, "backend_version", session->backend->version);
    if (session->fallback[0] != '\0')
        pail_json_set_text(&row, "fallback", session->fallback);
    pail_json_set(&row, "device", device != NULL ? pail_info_device_object(device) : json_null());
    pail_lines_put(&rig->lines, &row);
}

static void put_end_row(struct pail_rig *rig)
{
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "end");
    pail_json_set_number(&row, "exit", (uint64_t)pail_exit_of(&rig->error));
    pail_json_set_number(&row, "measured", rig->measured);
    pail_json_set_number(&row, "unsupported", rig->unsupported);
    pail_lines_put(&rig->lines, &row);
}

pail_status pail_refuse_debug_time(struct pail_error *error)
{
    const char *const words = pail_env("PAIL_DEBUG");
    for (const char *at = words; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (length == 4 && memcmp(at, "time", 4) == 0)
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "PAIL_DEBUG=%s: with the word time, kernels are timed one by one, "
                             "which makes the whole slower; take it away",
                             words);
        at += length + (at[length] == ',');
    }
    return PAIL_OK;
}

/* Abilities that the options ask for: a backend that has them is preferred, unless one is named. */
static uint32_t preferred_by(const struct pail_variant *variant)
{
    return (pail_knobs_of_kernels(&variant->knobs) ? PAIL_ABILITY_PIPELINES : 0U) |
           (variant->scalar_memory != 0 ? PAIL_ABILITY_MEMORY : 0U);
}

static void settle_session(struct pail_session_params *session,
                           const struct pail_instrument *instrument,
                           const struct pail_instrument_options *options)
{
    session->needs |= instrument->needs;
    session->prefers |= instrument->prefers | preferred_by(&options->base);
    for (size_t i = 0; i < options->n_variants; i++)
        session->prefers |= preferred_by(&options->variants[i]);
}

static pail_status run_rig(struct pail_rig *rig, const struct pail_instrument *instrument,
                           struct pail_error *error)
{
    put_init_row(rig, rig->options.call->command->name);
    rig->host = pail_log_host(rig->options.verbose);
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &rig->host, .backend = rig->options.session.backend};
    pail_status status =
        pail_told(error, pail_registry_create(&rig->registry, &params, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    rig->session.registry = rig->registry;
    settle_session(&rig->options.session, instrument, &rig->options);
    if (!instrument->needs_no_context) {
        status = pail_session_open(&rig->session, rig->registry, &rig->options.session, error);
        if (status != PAIL_OK)
            return status;
        if (rig->session.fallback[0] != '\0')
            (void)pail_print(stderr, "pail: the CPU backend is used: %s\n", rig->session.fallback);
        pail_rig_put_device(rig, &rig->session.device);
        pail_rig_print(rig, "%s %s on %s (%s)\n", rig->session.backend->name,
                       rig->session.backend->version, rig->session.device.name,
                       rig->session.device.driver);
    }
    return instrument->run(rig, error);
}

void pail_instrument_run(struct pail_error *error, void *given, const struct pail_call *call)
{
    static struct pail_rig rig; /* large, and a process has one */
    const struct pail_instrument *const instrument = call->command->more;
    struct pail_instrument_options *const options = given;
    options->call = call;
    pail_status status = pail_instrument_options_settle(options, call->command->name, error);
    if (status == PAIL_OK && instrument->check != NULL)
        status = instrument->check(options, error);
    if (status == PAIL_OK)
        status = pail_refuse_debug_time(error);
    if (status == PAIL_OK)
        status = pail_lines_open(&rig.lines, options->json, error);
    if (status != PAIL_OK)
        return;
    rig.options = *options;
    rig.table = rig.lines.out == stdout ? NULL : stdout;
    rig.supply.threads = options->session.threads;
    status = pail_told(error, run_rig(&rig, instrument, error));
    if (status == PAIL_OK && rig.measured == 0 && rig.unsupported > 0)
        error->status = PAIL_ERR_UNSUPPORTED; /* its row has said why */
    pail_error_add(&rig.error, error);
    put_end_row(&rig);
    (void)pail_lines_close(&rig.lines, error);
    pail_error_add(&rig.error, error);
    pail_supply_free(&rig.supply);
    pail_session_close(&rig.session);
    pail_registry_destroy(&rig.registry);
    *error = rig.error;
}
