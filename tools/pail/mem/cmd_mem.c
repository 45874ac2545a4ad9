#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"
#include "output/stats_json.h"
#include "process/device.h"

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
        if (pail_registry_get(rig->registry, &entry, i) != PAIL_OK || entry.backend == NULL ||
            (wanted != NULL && strcmp(wanted, entry.name) != 0))
            continue;
        if (!PAIL_HAS(entry.backend, msm_memory)) {
            const size_t used = strlen(names);
            (void)snprintf(names + used, sizeof(names) - used, "%s%s %s", used > 0 ? ", " : "",
                           entry.name, entry.version);
        } else if (rig->session.backend == NULL || entry.score > score) {
            rig->session.backend = entry.backend;
            score = entry.score;
        }
    }
    if (rig->session.backend != NULL)
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

static pail_status ask(struct account *account, const struct pail_rig *rig, uint32_t batches,
                       struct pail_error *error)
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
    pail_lines_put(&rig->lines, &row);
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
    pail_status status = ask(account, rig, 0, error);
    if (status == PAIL_OK && !rig->options.all_batches) {
        print_buffers(rig, account);
        put_row(rig, account, 0);
    }
    const uint32_t windows = rig->options.all_batches ? account->stats.windows : 0;
    for (uint32_t batches = 1; batches <= windows && status == PAIL_OK; batches++) {
        status = ask(account, rig, batches, error);
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
    if (wanted != NULL && strcmp(wanted, "none") == 0)
        return PAIL_OK;
    if (wanted != NULL)
        status = pail_device_read(device, rig->session.backend, host, wanted, error);
    else
        status = pail_device_read_best(device, rig->session.backend, host, &reason);
    if (status == PAIL_OK)
        *limits = device;
    else if (wanted == NULL)
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
                   limits != NULL ? limits->name : "a large imaginary device");
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

static const struct pail_instrument instrument = {.needs_no_context = true, .run = mem};

const struct pail_command pail_mem_command = {
    .name = "mem",
    .summary = "list every buffer of a multiplication, without running it",
    .usage = "[OPTIONS]",
    .text = "Lists every device buffer of a multiplication, by the code that also allocates them. "
            "Nothing runs.",
    .parts = {{PAIL_INSTRUMENT_PART(PAIL_MEM)},
              {PAIL_KNOBS_PART(struct pail_instrument_options, base.knobs, PAIL_KNOBS_PLAN)}},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults = &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                        .sizes = {{1 << 20}, 1}},
    .run = pail_instrument_run,
    .more = &instrument,
};
