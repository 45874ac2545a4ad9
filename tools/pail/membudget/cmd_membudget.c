#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"

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
        rig, "%4" PRIu32 " %4" PRIu32 " %11s %11s %11s %11s %11s %11s %10.3f %10.3f  %s\n",
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
        pail_rig_print(rig, "%-32s %4s %4s %11s %11s %11s %11s %11s %11s %10s %10s  %s\n", "",
                       "bat", "chk", "estimate", "requested", "allocated", "bases", "peak",
                       "streamed", "wall ms", "device", "check");
    }
    print_row(rig, c, index, good);
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "row");
    pail_json_set_case(&row, c, index);
    pail_json_set_text(&row, "residency",
                       pail_name_of(pail_residency_names, c->setup.knobs.residency));
    pail_json_set_number(&row, "batches_wanted", c->setup.knobs.config.force_batches);
    pail_json_set_number(&row, "budget", budget);
    pail_json_set_bool(&row, "within_budget", good);
    pail_json_set_result(&row, c);
    pail_lines_put(&rig->lines, &row);
}

static void init_row(struct pail_case *c, const struct pail_rig *rig, size_t group, uint64_t n,
                     bool resident, const struct pail_list *list, size_t i)
{
    struct pail_variant variant = rig->options.base;
    variant.knobs.residency = resident ? PAIL_RESIDENCY_DEVICE : PAIL_RESIDENCY_HOST;
    const char *const place = resident ? "resident" : "streamed";
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
    const size_t n_cases = list.n * ((options->place == PAIL_RESIDENCY_AUTO ? 2U : 1U));
    struct pail_case *const cases = calloc(n_cases, sizeof(*cases));
    if (cases == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu rows", n_cases);
    for (size_t i = 0; i < n_cases; i++)
        init_row(&cases[i], rig, group, n, options->place != PAIL_RESIDENCY_HOST && i < list.n,
                 &list, i % list.n);
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

static const struct pail_instrument instrument = {
    .prefers = PAIL_ABILITY_ACCOUNT, /* a backend without an account has no batches */
    .check = check,
    .run = membudget,
};

const struct pail_command pail_membudget_command = {
    .name = "membudget",
    .summary = "memory against time: every count of window batches",
    .usage = "[OPTIONS]",
    .text = "Memory against time at one size: multiplies with every number of window batches, with "
            "points resident on the device and streamed from the host. Each row uses a new "
            "context, so that no memory is left from the row before, and is compared with the "
            "closed form. If a row is wrong, or exceeds its budget, the exit status is 1.",
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
    .more = &instrument,
};
