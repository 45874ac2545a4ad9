/* SPDX-License-Identifier: Apache-2.0 */
/* `pail mem` and `pail membudget`: memory of multiplications. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"
#include "output/json.h"
#include "process/session.h"

/* ---- pail mem -------------------------------------------------------------------------------- */

enum { ROWS_MAX = 64 };

/* One question and its answer. */
struct account {
    pail_memory_query query;
    pail_msm_config config;
    pail_memory_row rows[ROWS_MAX];
    size_t n_rows;
    pail_stats stats;
};

/* A plugin without a usable device can answer as well. */
static pail_status choose_backend(struct pail_rig *rig, struct pail_error *error)
{
    const char *const wanted = pail_registry_wanted(rig->registry);
    char names[256] = "";
    uint32_t score = 0;
    for (size_t i = 0; i < pail_registry_count(rig->registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(rig->registry, &entry, i) != PAIL_OK || !entry.backend ||
            (wanted && strcmp(wanted, entry.name) != 0))
            continue;
        if (!PAIL_HAS(entry.backend, msm_memory)) {
            const size_t used = strlen(names);
            (void)snprintf(names + used, sizeof(names) - used, "%s%s %s", used > 0 ? ", " : "",
                           entry.name, entry.version);
        } else if (!rig->session.backend || entry.score > score) {
            rig->session.backend = entry.backend;
            score = entry.score;
        }
    }
    if (rig->session.backend)
        return PAIL_OK;
    if (names[0] != '\0')
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "these backends give no account of their memory: %s", names);
    /* Says which backends there are. */
    const pail_status status =
        pail_told(error, pail_registry_find(rig->registry, &rig->session.backend, NULL,
                                            PAIL_SENTENCE(error)));
    return status != PAIL_OK ? status
                             : pail_fail(error, PAIL_ERR_UNSUPPORTED,
                                         "no backend gives an account of its memory");
}

static pail_status estimate_memory(struct account *account, const struct pail_rig *rig,
                                   uint32_t batches, struct pail_error *error)
{
    account->config = rig->options.base.knobs.config;
    if (batches != 0)
        account->config.force_batches = batches;
    account->query.config = &account->config;
    account->n_rows = ROWS_MAX;
    account->rows[0] = (pail_memory_row){.struct_size = sizeof(account->rows[0])};
    account->stats = (pail_stats){.struct_size = sizeof(account->stats)};
    const pail_backend *const backend = rig->session.backend;
    const pail_status status =
        backend->msm_memory(account->rows, &account->n_rows, &account->stats, &account->query);
    if (pail_backend_said(error, backend, NULL, status) != PAIL_OK)
        return status;
    uint64_t sum = 0;
    for (size_t i = 0; i < account->n_rows; i++)
        sum += account->rows[i].bytes;
    if (sum != account->stats.bytes_estimate + account->stats.bytes_bases)
        return pail_fail(error, PAIL_ERR_INTERNAL,
                         "%s: the buffers add up to %" PRIu64 " bytes, the estimate to %" PRIu64
                         " and the bases to %" PRIu64,
                         backend->name, sum, account->stats.bytes_estimate,
                         account->stats.bytes_bases);
    return PAIL_OK;
}

static void put_row(struct pail_rig *rig, const struct account *account, uint32_t batches)
{
    struct pail_json row;
    char knobs[256];
    pail_lines_begin(&rig->lines, &row, "row");
    pail_json_set_text(&row, "curve", pail_name_of(pail_curve_names, account->query.curve));
    pail_json_set_text(&row, "group", pail_name_of(pail_group_names, account->query.group));
    pail_json_set_number(&row, "n", account->query.n);
    pail_json_set_number(&row, "jobs", account->query.n_jobs);
    pail_json_set_text(&row, "knobs",
                       pail_knobs_text(knobs, sizeof(knobs), &rig->options.base.knobs));
    pail_json_set_number(&row, "batches_wanted", batches);
    struct pail_json buffers, buffer;
    pail_json_begin_list(&buffers);
    for (size_t i = 0; i < account->n_rows; i++) {
        pail_json_begin(&buffer);
        pail_json_set_text(&buffer, "name", account->rows[i].name);
        pail_json_set_number(&buffer, "bytes", account->rows[i].bytes);
        pail_json_set_bool(&buffer, "batched", account->rows[i].batched != 0);
        pail_json_add(&buffers, pail_json_take(&buffer));
    }
    pail_json_set(&row, "buffers", pail_json_take(&buffers));
    pail_json_set_number(&row, "bytes_total",
                         account->stats.bytes_estimate + account->stats.bytes_bases);
    pail_json_set_stats(&row, &account->stats);
    pail_lines_write(&rig->lines, &row);
}

static void print_head(struct pail_rig *rig, const struct account *account)
{
    const pail_stats *const stats = &account->stats;
    char size[24];
    pail_rig_print(rig,
                   "\n%s %s, n = %s: %" PRIu32 " windows of %" PRIu32 " bits, accumulator %s\n",
                   pail_name_of(pail_curve_names, account->query.curve),
                   pail_name_of(pail_group_names, account->query.group),
                   pail_size_text(size, account->query.n), stats->windows, stats->window_bits,
                   pail_name_of(pail_accumulator_names, stats->accumulator));
}

static void print_buffers(struct pail_rig *rig, const struct account *account)
{
    const pail_stats *const stats = &account->stats;
    char text[24];
    print_head(rig, account);
    pail_rig_print(rig, "batches: %" PRIu32 ", chunks: %" PRIu32 "; *: shrinks with more batches\n",
                   stats->batches, stats->chunks);
    for (size_t i = 0; i < account->n_rows; i++)
        pail_rig_print(rig, "  %-30s %16" PRIu64 " %12s %s\n", account->rows[i].name,
                       account->rows[i].bytes, pail_bytes_text(text, account->rows[i].bytes),
                       account->rows[i].batched != 0 ? "*" : "");
    const uint64_t total = stats->bytes_estimate + stats->bytes_bases;
    pail_rig_print(rig, "  %-30s %16" PRIu64 " %12s\n", "total", total,
                   pail_bytes_text(text, total));
}

static void print_totals(struct pail_rig *rig, const struct account *account, uint32_t batches)
{
    const pail_stats *const stats = &account->stats;
    char scratch[24], bases[24], total[24];
    if (batches == 1) {
        print_head(rig, account);
        pail_rig_print(rig, "%8s %9s %7s %12s %12s %12s\n", "batches", "in effect", "chunks",
                       "scratch", "bases", "total");
    }
    pail_rig_print(rig, "%8" PRIu32 " %9" PRIu32 " %7" PRIu32 " %12s %12s %12s\n", batches,
                   stats->batches, stats->chunks, pail_bytes_text(scratch, stats->bytes_estimate),
                   pail_bytes_text(bases, stats->bytes_bases),
                   pail_bytes_text(total, stats->bytes_estimate + stats->bytes_bases));
}

static pail_status answer(struct pail_rig *rig, struct account *account, struct pail_error *error)
{
    pail_status status = estimate_memory(account, rig, 0, error);
    if (status == PAIL_OK && !rig->options.all_batches) {
        print_buffers(rig, account);
        put_row(rig, account, 0);
    }
    const uint32_t windows = rig->options.all_batches ? account->stats.windows : 0;
    for (uint32_t batches = 1; batches <= windows && status == PAIL_OK; batches++) {
        status = estimate_memory(account, rig, batches, error);
        if (status == PAIL_OK) {
            print_totals(rig, account, batches);
            put_row(rig, account, batches);
        }
    }
    return status;
}

/* Out: *limits: of a device, or NULL: of a large imaginary one, which has to be asked for. */
static pail_status choose_device(struct pail_rig *rig, const pail_device_info **limits,
                                 struct pail_error *error)
{
    const char *const wanted = rig->options.session.device;
    const pail_host *const host = pail_registry_host(rig->registry);
    pail_device_info *const device = &rig->session.device;
    pail_status status = PAIL_OK;
    struct pail_error reason = {0};
    *limits = NULL;
    if (wanted && strcmp(wanted, "none") == 0)
        return PAIL_OK;
    if (wanted)
        status = pail_device_read(device, rig->session.backend, host, wanted, error);
    else
        status = pail_device_read_best(device, rig->session.backend, host, &reason);
    if (status == PAIL_OK)
        *limits = device;
    else if (!wanted)
        (void)pail_fail(error, status,
                        "no device to take limits from (%s); with --device none they are those "
                        "of a large imaginary one",
                        reason.sentence);
    return status;
}

static pail_status mem(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_status status = choose_backend(rig, error);
    if (status != PAIL_OK)
        return status;
    const pail_device_info *limits;
    status = choose_device(rig, &limits, error);
    if (status != PAIL_OK)
        return status;
    pail_rig_put_device(rig, limits);
    pail_rig_print(rig, "%s %s, limits of %s\n", rig->session.backend->name,
                   rig->session.backend->version,
                   limits ? limits->name : "a large imaginary device");
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++) {
        struct account account = {
            .query = {.struct_size = sizeof(account.query),
                      .curve = options->groups[i / options->sizes.n].curve,
                      .group = options->groups[i / options->sizes.n].group,
                      .n_jobs = (uint32_t)options->base.jobs,
                      .n = options->sizes.values[i % options->sizes.n],
                      .scalar_bits = options->scalar_bits,
                      .order_known = options->order_known,
                      .residency = options->base.knobs.residency,
                      .table_factor = options->base.knobs.table_factor,
                      .bases_flags = pail_knobs_bases_flags(&options->base.knobs),
                      .device = limits},
        };
        status = answer(rig, &account, error);
        if (status == PAIL_ERR_UNSUPPORTED) { /* the next curve may do */
            rig->unsupported++;
            pail_rig_print(rig, "\n%s %s: not supported: %s\n",
                           pail_name_of(pail_curve_names, account.query.curve),
                           pail_name_of(pail_group_names, account.query.group), error->sentence);
            status = pail_told(error, PAIL_OK);
        } else {
            rig->measured++;
        }
    }
    return status;
}

static const struct pail_instrument mem_instrument = {.needs_no_context = true, .run = mem};

const struct pail_command pail_mem_command = {
    .name = "mem",
    .summary = "list every buffer of a multiplication, without running it",
    .usage = "[OPTIONS]",
    .text = "Lists every device buffer of a multiplication, by the code that also allocates them. "
            "Nothing runs.",
    .examples = "mem --sizes 2^20\n"
                "mem --sizes 2^20 --device none --all-batches",
    .parts = {{PAIL_INSTRUMENT_PART(PAIL_MEM)},
              {PAIL_KNOBS_PART(struct pail_instrument_options, base.knobs, PAIL_KNOBS_PLAN)}},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults = &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                        .sizes = {{1 << 20}, 1}},
    .run = pail_instrument_run,
    .more = &mem_instrument,
};

/* ---- pail membudget -------------------------------------------------------------------------- */

static pail_status check(struct pail_instrument_options *options, struct pail_error *error)
{
    if (options->batches.n > 0 && options->budgets.n > 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--batches and --budgets are two different sweeps; give one");
    for (size_t i = 0; i < options->batches.n; i++) {
        if (options->batches.values[i] == 0 || options->batches.values[i] > UINT32_MAX)
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "--batches: %" PRIu64 " is no count of batches",
                             options->batches.values[i]);
    }
    return PAIL_OK;
}

/* Counts the windows of the backend's own choice: more batches than windows are of no use. 0 if it
 * does not do this multiplication at all; the rows will then say so. */
static pail_status count_windows(uint32_t *windows, struct pail_rig *rig, size_t group, uint64_t n,
                                 struct pail_error *error)
{
    struct pail_case probe;
    pail_stats stats = {.struct_size = sizeof(stats)};
    pail_case_init(&probe, &rig->options, &rig->options.base, group, n);
    pail_status status =
        pail_subject_create(&probe.subject, &rig->session, &rig->supply, &probe.setup, error);
    if (status == PAIL_OK)
        status = pail_subject_estimate(&stats, &probe.subject, error);
    pail_subject_destroy(&probe.subject);
    *windows = stats.windows;
    return pail_told(error, status == PAIL_ERR_UNSUPPORTED ? PAIL_OK : status);
}

/* True for a case that was not measured for the same reason as the row before. */
static bool likewise(const struct pail_case *c, size_t index)
{
    return index > 0 && c->outcome == PAIL_NOT_OFFERED && (c - 1)->outcome == PAIL_NOT_OFFERED &&
           strcmp(c->error.sentence, (c - 1)->error.sentence) == 0;
}

static void print_row(struct pail_rig *rig, const struct pail_case *c, size_t index, bool good)
{
    char text[5][24];
    if (likewise(c, index)) /* one sentence is enough; the JSON lines have them all */
        return;
    pail_rig_print(rig, "%-32s ", c->label);
    if (c->outcome != PAIL_MEASURED) {
        static const char *const words[] = {"", "FAILED", "not supported", "refused"};
        pail_rig_print(rig, "%s: %s\n", words[c->outcome], c->error.sentence);
        return;
    }
    const pail_stats *const stats = &c->stats;
    pail_rig_print(
        rig, "%4" PRIu32 " %4" PRIu32 " %11s %11s \t%11s %11s %11s %11s %10.3f %10.3f  %s\n",
        stats->batches, stats->chunks, pail_bytes_text(text[0], stats->bytes_estimate),
        pail_bytes_text(text[1], stats->bytes_requested),
        pail_bytes_text(text[2], stats->bytes_allocated),
        pail_bytes_text(text[3], stats->bytes_bases), pail_bytes_text(text[4], pail_case_bytes(c)),
        pail_bytes_text((char[24]){0}, stats->bytes_streamed),
        pail_summarize(c->wall_ms, c->n).median, pail_summarize(c->device_ms, c->n).median,
        good ? "ok" : "FAILED: over budget");
}

static void show(struct pail_rig *rig, struct pail_case *c, size_t index)
{
    const uint64_t budget = c->setup.knobs.config.memory_budget;
    const bool good =
        c->outcome != PAIL_MEASURED || budget == 0 || c->stats.bytes_allocated <= budget;
    if (!good)
        rig->error.differs = true;
    if (index == 0) {
        char size[24];
        pail_rig_print(rig, "\n%s %s, n = %s\n", pail_name_of(pail_curve_names, c->setup.curve),
                       pail_name_of(pail_group_names, c->setup.group),
                       pail_size_text(size, c->setup.n));
        pail_rig_print(rig, "%-32s %4s %4s %11s %11s \t%11s %11s %11s %11s %10s %10s  %s\n", "",
                       "bat", "chk", "estimate", "requested", "allocated", "bases", "peak",
                       "streamed", "wall ms", "device", "check");
    }
    print_row(rig, c, index, good);
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "row");
    pail_json_set_case(&row, c, index);
    pail_json_set_text(&row, "residency",
                       pail_name_of(pail_residency_names, c->setup.knobs.residency));
    pail_json_set_bool(&row, "compact", c->setup.knobs.compact != 0);
    pail_json_set_number(&row, "batches_wanted", c->setup.knobs.config.force_batches);
    pail_json_set_number(&row, "budget", budget);
    pail_json_set_bool(&row, "within_budget", good);
    pail_json_set_result(&row, c);
    pail_lines_write(&rig->lines, &row);
}

static void init_row(struct pail_case *c, const struct pail_rig *rig, size_t group, uint64_t n,
                     enum pail_place at, const struct pail_list *list, size_t i)
{
    struct pail_variant variant = rig->options.base;
    variant.knobs.residency = at == PAIL_PLACE_HOST ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
    variant.knobs.compact = at == PAIL_PLACE_COMPACT;
    const char *const place = at == PAIL_PLACE_HOST      ? "streamed"
                              : at == PAIL_PLACE_COMPACT ? "compact"
                                                         : "resident";
    if (rig->options.budgets.n > 0) {
        char text[24];
        variant.knobs.config.memory_budget = list->values[i];
        (void)snprintf(variant.label, sizeof(variant.label), "%s, budget %s", place,
                       pail_bytes_text(text, list->values[i]));
    } else {
        variant.knobs.config.force_batches = (uint32_t)list->values[i];
        (void)snprintf(variant.label, sizeof(variant.label), "%s, %" PRIu64 " batch%s", place,
                       list->values[i], list->values[i] == 1 ? "" : "es");
    }
    pail_case_init(c, &rig->options, &variant, group, n);
}

/* Out: the places of a sweep, in order; returns how many. Second groups are not compact: where
 * nothing is asked for, it is not tried. */
static size_t places_of(enum pail_place places[PAIL_PLACE_COMPACT],
                        const struct pail_instrument_options *options, size_t group)
{
    size_t n = 0;
    if (options->place != PAIL_PLACE_ALL && options->place != PAIL_PLACE_BOTH) {
        places[n++] = (enum pail_place)options->place;
        return n;
    }
    places[n++] = PAIL_PLACE_DEVICE;
    places[n++] = PAIL_PLACE_HOST;
    if (options->place == PAIL_PLACE_ALL && options->groups[group].group == PAIL_G1)
        places[n++] = PAIL_PLACE_COMPACT;
    return n;
}

static pail_status sweep_one(struct pail_rig *rig, size_t group, uint64_t n,
                             struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    struct pail_list list = options->budgets.n > 0 ? options->budgets : options->batches;
    if (list.n == 0) {
        uint32_t windows;
        const pail_status status = count_windows(&windows, rig, group, n, error);
        if (status != PAIL_OK)
            return status;
        do
            list.values[list.n] = list.n + 1;
        while (++list.n < windows && list.n < PAIL_LIST_MAX);
    }
    enum pail_place places[PAIL_PLACE_COMPACT];
    const size_t n_places = places_of(places, options, group);
    const size_t n_cases = list.n * n_places;
    struct pail_case *const cases = calloc(n_cases, sizeof(*cases));
    if (!cases)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu rows", n_cases);
    for (size_t i = 0; i < n_cases; i++)
        init_row(&cases[i], rig, group, n, places[i / list.n], &list, i % list.n);
    const pail_status status = pail_measure(rig, cases, n_cases, false, show, error);
    pail_cases_free(cases, n_cases);
    return status;
}

static pail_status membudget(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    rig->fresh_contexts = true;
    rig->expects_refusals = options->budgets.n > 0;
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++)
        status = sweep_one(rig, i / options->sizes.n, options->sizes.values[i % options->sizes.n],
                           error);
    return status;
}

static const struct pail_instrument membudget_instrument = {
    .prefers = PAIL_ABILITY_ACCOUNT, /* a backend without an account has no batches */
    .check = check,
    .run = membudget,
};

const struct pail_command pail_membudget_command = {
    .name = "membudget",
    .summary = "memory against time: every count of window batches",
    .usage = "[OPTIONS]",
    .text = "Memory against time at one size: multiplies with every number of window batches, with "
            "points resident on the device, streamed from the host, and resident as x and a sign "
            "(compact, of G1). Each row uses a new context, so that no memory is left from the row "
            "before, and is compared with the closed form. If a row is wrong, or exceeds its "
            "budget, the exit status is 1.",
    .examples = "membudget --sizes 2^20",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_MEMBUDGET, PAIL_KNOBS_MEMORY)},
    .tail = "columns: batches: window batches in use; chunks: pieces of the points; scratch on "
            "the device as estimated, requested and allocated; bases: resident points; peak: "
            "allocated and bases; streamed: bytes of points sent during the work; wall and "
            "device: median milliseconds."
            "\n" PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                .seed = 1, .reps = 3, .sizes = {{1 << 16}, 1}},
    .run = pail_instrument_run,
    .more = &membudget_instrument,
};
