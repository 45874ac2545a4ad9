/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "rig.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curves/inputs.h>
#include <platform/clock.h>
#include <platform/process.h>
#include <platform/text.h>

#include "commands.h"
#include "error/error.h"
#include "info/info.h"
#include "options/knobs.h"
#include "options/number.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"

/* ---- Options --------------------------------------------------------------------------------- */

enum {
    MEASURE = PAIL_BENCH | PAIL_AB | PAIL_MEMBUDGET | PAIL_SWEEP,
    NOT_MEM = MEASURE | PAIL_CHECK | PAIL_TUNE,
    NOT_CHECK = MEASURE | PAIL_MEM | PAIL_TUNE
};

static bool store_var(void *options, const char *text)
{
    struct pail_instrument_options *const all = options;
    if (all->n_variants == PAIL_VARIANTS_MAX)
        return false;
    all->vars[all->n_variants++] = text;
    return true;
}

#define OF struct pail_instrument_options
const struct pail_option pail_instrument_rows[PAIL_INSTRUMENT_ROWS] = {
    {PAIL_CUSTOM(store_var, "var", "K=V,...",
                 "a configuration; repeat it to compare several: parameters below, dist, "
                 "base-kind, jobs, scalar-memory; \"default\": none of them"),
     .many = true, .takers = PAIL_BENCH | PAIL_AB},
    {PAIL_TEXT(OF, over, "over", "KNOB=LIST",
               "a parameter below; words: slots=1,2,4,8; ranges: window=8..16, "
               "window=8..16..2, threads=2^12..2^17"),
     .takers = PAIL_SWEEP},
    {PAIL_FLAG(OF, interleave, "interleave", "alternate between them (1 2 3, 3 2 1, ...)"),
     .takers = PAIL_BENCH | PAIL_SWEEP},
    {PAIL_LIST(OF, batches, "batches", "LIST",
               "numbers of batches: 1,2,4 or 1..16; default: 1 to the number of windows"),
     .takers = PAIL_MEMBUDGET},
    {PAIL_LIST(
         OF, budgets, "budgets", "LIST",
         "instead: budgets in bytes of device memory for scratch and streamed points; a budget "
         "that is too small is refused by the backend, and is not a failure"),
     .takers = PAIL_MEMBUDGET},
    {PAIL_NAME(OF, place, "residency", "R", "where the points are; both: device and host"),
     .values = pail_place_names, .takers = PAIL_MEMBUDGET},
    {PAIL_U64(OF, cases, "cases", "N",
              "number of cases (default 100, with --buckets 10; with --time alone: no limit)"),
     .takers = PAIL_CHECK},
    {PAIL_U64(OF, time_s, "time", "SECONDS", "start no case after this time; default: no limit"),
     .takers = PAIL_CHECK},
    {PAIL_U64(OF, first, "first", "N",
              "start with case N instead of 0; a case depends only on seed and number"),
     .takers = PAIL_CHECK},
    {PAIL_U64(OF, max_n, "max-n", "N",
              "points of a case, at most (default 4096; with --buckets 1024)"),
     .max = UINT64_MAX - 1, .takers = PAIL_CHECK},
    {PAIL_FLAG(
         OF, buckets, "buckets",
         "compare all bucket sums before the reduction with those of the accumulator debug and of "
         "the CPU, for each accumulator or the given one; prints the first that differ"),
     .takers = PAIL_CHECK},
    {PAIL_FLAG(OF, automatic, "automatic",
               "accumulator, field, placement, slots and workgroups are the backend's choice: its "
               "fastest kernels, which need not be compiled for each case"),
     .takers = PAIL_CHECK},
    {PAIL_U32(OF, scalar_bits, "scalar-bits", "N", "scalars below 2^N; by default 256"), .max = 256,
     .takers = PAIL_MEM},
    {PAIL_FLAG(OF, order_known, "order-known",
               "points are in the subgroup, so scalars are reduced modulo its order"),
     .takers = PAIL_MEM},
    {PAIL_FLAG(OF, all_batches, "all-batches",
               "totals for every number of window batches instead of buffers"),
     .takers = PAIL_MEM},
    {PAIL_SET(OF, accumulators, "accumulators", "LIST", "candidates"),
     .values = pail_accumulator_names + 1, .takers = PAIL_TUNE},
    {PAIL_U64(OF, budget_ms, "budget-ms", "T",
              "stop after this time, shared by all groups; unmeasured choices keep their defaults"),
     .min = 1, .max = UINT32_MAX - 1, .takers = PAIL_TUNE},
    {PAIL_FLAG(OF, dry_run, "dry-run", "measure and print, store nothing"), .takers = PAIL_TUNE},
    {PAIL_FLAG(OF, show, "show", "print the stored choices"), .takers = PAIL_TUNE},
    {PAIL_FLAG(OF, forget, "forget", "delete the stored choices"), .takers = PAIL_TUNE},
    {PAIL_SET(OF, curve_set, "curve", "LIST", "curves"), .values = pail_curve_names},
    {PAIL_SET(OF, group_set, "group", "LIST", "groups"), .values = pail_group_names},
    {PAIL_LIST(OF, sizes, "sizes", "LIST",
               "numbers of points: 1000, 2^16, 2^10..2^20 or 10..20 (both: powers of two), "
               "10..20..2 (every other one)"),
     .alias = "n", .log2 = true, .takers = NOT_CHECK},
    {PAIL_NAME(OF, base.dist, "dist", "D", "scalars"), .value_name = pail_dist_value,
     .takers = MEASURE},
    {PAIL_NAME(OF, base.base_kind, "base-kind", "K", "points"), .value_name = pail_base_kind_value,
     .takers = MEASURE},
    {PAIL_NAME(OF, base.scalar_memory, "scalar-memory", "WHERE",
               "location of scalars when timing begins (pinned: host memory that the device reads "
               "directly; vector: elements of a vector, as several devices have them in place of "
               "device memory)"),
     .alias = "scalars", .values = pail_memory_names, .takers = MEASURE},
    {PAIL_U64(OF, seed, "seed", "N", "seed of points and scalars"), .takers = MEASURE | PAIL_TUNE},
    {PAIL_U64(OF, seed, "seed", "N", "seed of all cases; default: from the clock"),
     .takers = PAIL_CHECK},
    {PAIL_NAME(OF, validation, "validation", "V",
               "checks of points (with subgroup, scalars are reduced modulo the order)"),
     .values = pail_validation_names, .takers = MEASURE},
    {PAIL_U64(OF, base.jobs, "jobs", "N", "multiplications in one start, over the same points"),
     .min = 1, .max = UINT32_MAX, .takers = MEASURE | PAIL_MEM},
    {PAIL_U64(OF, reps, "reps", "N", "measured repetitions"), .min = 1, .max = 10000,
     .takers = MEASURE},
    {PAIL_U64(OF, reps, "reps", "N", "measured repetitions"), .alias = "repetitions", .min = 1,
     .max = 10000, .takers = PAIL_TUNE},
    {PAIL_U64(OF, warmup, "warmup", "N", "warm-up runs"), .max = 10000,
     .takers = MEASURE | PAIL_TUNE},
    {PAIL_U64(OF, warmup_ms, "warmup-ms", "N", "further warm-up runs for N milliseconds"),
     .max = 600000, .takers = MEASURE | PAIL_TUNE},
    {PAIL_TEXT(OF, session.backend, "backend", "NAME",
               "backend to ask; default: the best one that has the table"),
     .takers = PAIL_MEM},
    {PAIL_TEXT(OF, session.device, "device", "D",
               "use the limits of this device: index, or a part of its name; default: the best "
               "one; none: limits of a large device, without a driver"),
     .takers = PAIL_MEM},
    {PAIL_TEXT(OF, session.cache_dir, "cache-dir", "DIR",
               "folder of the cache, instead of the default (see pail --help)"),
     .file = true, .not_empty = true, .takers = PAIL_TUNE},
    {PAIL_FILE(OF, json, "json", "FILE",
               "also write JSON lines; -: to standard output, instead of the table")},
    /* Proves that a wrong result is noticed. */
    {PAIL_U64(OF, wrong_case, "inject-wrong-row", "N", "falsify the result of a case"),
     .hidden = true, .takers = NOT_MEM},
};
#undef OF

/* Options of --var besides knobs. */
static const struct pail_option variant_rows[] = {
    {PAIL_NAME(struct pail_variant, dist, "dist", "D", ""), .value_name = pail_dist_value},
    {PAIL_NAME(struct pail_variant, base_kind, "base-kind", "K", ""),
     .value_name = pail_base_kind_value},
    {PAIL_NAME(struct pail_variant, scalar_memory, "scalar-memory", "WHERE", ""),
     .alias = "scalars", .values = pail_memory_names},
    {PAIL_U64(struct pail_variant, jobs, "jobs", "N", ""), .min = 1},
};

enum { VARIANT_ROWS = sizeof(variant_rows) / sizeof(variant_rows[0]) };

static pail_status store_in_variant(struct pail_variant *variant, const char *name, size_t length,
                                    const char *value, const char *command,
                                    struct pail_error *error)
{
    const struct pail_option *row = pail_knob_find(name, length);
    void *const base = row ? (void *)&variant->knobs : variant;
    char place[48];
    for (size_t i = 0; i < VARIANT_ROWS && !row; i++)
        if (pail_option_is(&variant_rows[i], name, length))
            row = &variant_rows[i];
    if (!row)
        return pail_knob_refuse(error, "--var", name, length, variant_rows, VARIANT_ROWS);
    if (pail_option_store(base, row, value))
        return PAIL_OK;
    (void)snprintf(place, sizeof(place), "%s in --var", row->name);
    return pail_option_refuse(error, row, place, value, command);
}

/* "accumulator=walker,slots=8,dist=hot" on top of what the variant says. */
static pail_status read_variant(struct pail_variant *variant, const char *text, const char *command,
                                struct pail_error *error)
{
    (void)snprintf(variant->label, sizeof(variant->label), "%s", text);
    if (strcmp(text, "default") == 0)
        return PAIL_OK;
    for (const char *at = text;; at++) {
        char value[64];
        const size_t name_length = strcspn(at, "=,");
        const char *const begin = at + name_length + (at[name_length] == '=');
        const size_t length = strcspn(begin, ",");
        if (at[name_length] != '=' || length >= sizeof(value))
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "--var \"%s\": \"%.*s\" has no value, expected KNOB=VALUE,...", text,
                             (int)name_length, at);
        memcpy(value, begin, length);
        value[length] = '\0';
        if (store_in_variant(variant, at, name_length, value, command, error) != PAIL_OK)
            return error->status;
        at = begin + length;
        if (*at == '\0')
            return PAIL_OK;
    }
}

static void multiply_groups(struct pail_instrument_options *options)
{
    options->n_groups = 0;
    for (const struct pail_name *curve = pail_curve_names; curve->name != NULL; curve++) {
        if (pail_name_of(pail_curve_names, curve->value) != curve->name)
            continue; /* another spelling of one before */
        for (const struct pail_name *group = pail_group_names; group->name != NULL; group++) {
            if ((options->curve_set >> curve->value & options->group_set >> group->value & 1) ==
                    0 ||
                options->n_groups == PAIL_GROUPS_MAX)
                continue;
            options->groups[options->n_groups].curve = curve->value;
            options->groups[options->n_groups++].group = group->value;
        }
    }
}

/* Completes options that were read: groups, labels, variants. Returns PAIL_OK, or PAIL_ERR_ARGUMENT
 * with a sentence. */
static pail_status instrument_options_settle(struct pail_instrument_options *options,
                                             const char *command, struct pail_error *error)
{
    multiply_groups(options);
    (void)pail_knobs_text(options->base.label, sizeof(options->base.label), &options->base.knobs);
    for (size_t i = 0; i < options->n_variants; i++) {
        options->variants[i] = options->base;
        if (read_variant(&options->variants[i], options->vars[i], command, error) != PAIL_OK)
            return error->status;
    }
    return PAIL_OK;
}

/* ---- The frame ------------------------------------------------------------------------------- */

void pail_rig_print(struct pail_rig *rig, const char *format, ...)
{
    if (!rig->table)
        return;
    va_list arguments;
    va_start(arguments, format);
    pail_table_list(rig->table, &rig->folded, format, arguments);
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
    if (gmtime_r(&now, &parts))
        (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
    pail_json_set_text(&row, "started", text);
    pail_lines_write(&rig->lines, &row);
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
    pail_json_set(&row, "device", device ? pail_info_device_object(device) : json_null());
    pail_lines_write(&rig->lines, &row);
}

static void put_end_row(struct pail_rig *rig)
{
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "end");
    pail_json_set_number(&row, "exit", (uint64_t)pail_exit_of(&rig->error));
    pail_json_set_number(&row, "measured", rig->measured);
    pail_json_set_number(&row, "unsupported", rig->unsupported);
    pail_lines_write(&rig->lines, &row);
}

pail_status pail_refuse_debug_time(struct pail_error *error)
{
    const char *const words = pail_env("PAIL_DEBUG");
    for (const char *at = words; at && *at != '\0';) {
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
           (variant->scalar_memory == PAIL_MEMORY_VECTOR ? PAIL_ABILITY_VECTORS
            : variant->scalar_memory != 0                ? PAIL_ABILITY_MEMORY
                                                         : 0U);
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
    rig->host = pail_log_host();
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
        pail_session_notice(&rig->session);
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
    pail_status status = instrument_options_settle(options, call->command->name, error);
    if (status == PAIL_OK && instrument->check)
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

/* ---- Pipelines of the cases ------------------------------------------------------------------ */

/* Items of a call where time is limited: a call does not end before all are built. */
enum { LIMITED_ITEMS = 8 };

struct warming {
    struct pail_rig *rig;
    struct pail_progress progress;
    char label[sizeof(((pail_device_info *)0)->name) + 64];
    uint64_t built, disk;
};

static void announce(struct warming *warming, uint32_t done, uint32_t total)
{
    const int used = snprintf(warming->label, sizeof(warming->label), "building pipelines on %s",
                              warming->rig->session.device.name);
    if (total > 0)
        (void)snprintf(warming->label + used, sizeof(warming->label) - (size_t)used,
                       "  %" PRIu32 " of %" PRIu32, done, total);
}

static void done(void *user, const pail_pipeline_info *info)
{
    struct warming *const warming = user;
    warming->built += info->status == PAIL_OK && info->origin == PAIL_PIPELINE_COMPILED;
    warming->disk += info->status == PAIL_OK && info->origin == PAIL_PIPELINE_DISK;
    announce(warming, info->done, info->total);
    pail_progress_tick(&warming->progress, info->total > 0 ? (double)info->done / info->total : -1);
}

static pail_warm_item item_of(const struct pail_setup *setup)
{
    return (pail_warm_item){
        .struct_size = sizeof(pail_warm_item),
        .curve = setup->curve,
        .group = setup->group,
        .n = setup->n,
        .config = &setup->knobs.config,
        .validation = setup->validation,
        .residency = setup->knobs.residency,
        .table_factor = setup->knobs.table_factor,
        .bases_flags = pail_knobs_bases_flags(&setup->knobs),
    };
}

static void conclude(struct warming *warming)
{
    struct pail_rig *const rig = warming->rig;
    const double ms = pail_progress_end(&warming->progress);
    if (warming->built + warming->disk == 0)
        return;
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "pipelines");
    pail_json_set_number(&row, "compiled", warming->built);
    pail_json_set_number(&row, "disk", warming->disk);
    pail_json_set_real(&row, "wall_ms", ms);
    pail_lines_write(&rig->lines, &row);
    if (warming->built > 0)
        pail_rig_print(rig, "%" PRIu64 " pipelines built in %.1f s\n", warming->built, ms / 1e3);
}

void pail_rig_warm(struct pail_rig *rig, const struct pail_setup *setups, size_t n)
{
    const struct pail_session *const session = &rig->session;
    const pail_backend *const backend = session->backend;
    if (session->built_in || !PAIL_HAS(backend, warm) || backend->abi_minor < 1 || n == 0)
        return;
    pail_warm_item *const items = calloc(n, sizeof(*items));
    if (!items)
        return;
    for (size_t i = 0; i < n; i++)
        items[i] = item_of(&setups[i]);
    struct warming warming = {.rig = rig};
    const size_t most = rig->deadline_ms > 0 ? LIMITED_ITEMS : n;
    announce(&warming, 0, 0);
    pail_progress_begin(&warming.progress, warming.label);
    for (size_t i = 0; i < n; i += most) {
        if (rig->deadline_ms > 0 && pail_now_ms() >= rig->deadline_ms)
            break;
        /* A failure is that of the case which needs the pipeline, and is told there. */
        (void)backend->warm(session->context, items + i, n - i < most ? n - i : most, done,
                            &warming);
    }
    conclude(&warming);
    free(items);
}
