#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "measure.h"
#include "names.h"
#include "progress.h"
#include "report.h"
#include "tune_candidates.h"
#include "tune_report.h"
#include "tune_search.h"
#include "tune_store.h"

/* A first run that takes so many times that of the best is the last: on a software driver the
 * others would take minutes. */
static const double several_times = 4;
static const uint64_t few_points = 64;

enum { LABEL_CHARS = 66 };

static const char help[] =
    "usage: pail tune [OPTIONS]\n"
    "       pail tune --show | --forget [--curve LIST] [--group LIST] [OPTIONS]\n"
    "\n"
    "Measures on a device which accumulator, field form and window are best, and keeps that in\n"
    "the device's cache. It is taken from then on wherever a configuration leaves the choice "
    "open,\n"
    "until the driver or the kernels change.\n"
    "\n"
    "For each group: all candidates in turn at the middle one of the sizes; one whose first run\n"
    "takes 4 times that of the best has no more of them. Then, for each size, windows around that\n"
    "of the model. What the backend takes by itself stays unless another is faster beyond the\n"
    "noise (pail ab --help). Every result is compared with the closed form; one that is wrong is\n"
    "never chosen, and the exit status is 1.\n"
    "\n"
    "  --curve LIST       bn254, bls12-381, all (default)\n"
    "  --group LIST       g1, g2, all (default)\n" PAIL_HELP_SIZES
    "                     (default 2^12..2^20). Each stands for all up to twice it; for others "
    "the\n"
    "                     window is the model's\n"
    "  --accumulators LIST  xyzz, walker, coop (by default these), debug; all\n"
    "  --field F  --placement P  --slots N  --inversion-group N  --workgroup N\n"
    "                     do not try others\n"
    "  --budget-ms T      stop after that time, which the groups share; what was not measured by\n"
    "                     then stays as it is built in\n"
    "  --dry-run          measure and show, keep nothing\n"
    "  --show             show what is kept\n"
    "  --forget           forget it\n"
    "  --seed N           of points and scalars (default 1)\n" PAIL_HELP_REPS("7, at least 4")
        PAIL_HELP_WHERE
    "  --cache-dir DIR    folder of the cache in place of the default\n" PAIL_HELP_OUTPUT
        PAIL_HELP_END;

static pail_status check(struct pail_instrument_options *options, char *error, size_t error_cap)
{
    if (options->show + options->forget + options->dry_run > 1)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--show, --forget and --dry-run exclude each other");
    if (options->reps < PAIL_PAIRS_MIN)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--reps %d: a verdict needs at least %d", (int)options->reps,
                           PAIL_PAIRS_MIN);
    return pail_tune_order_sizes(&options->sizes, error, error_cap);
}

static void print_title(struct pail_rig *rig, size_t group, uint64_t n, const char *what)
{
    char size[24];
    pail_rig_print(rig, "\n%s %s, n = %s: %s\n",
                   pail_name_of(pail_curve_names, rig->options.groups[group].curve),
                   pail_name_of(pail_group_names, rig->options.groups[group].group),
                   pail_size_text(size, n), what);
}

/* ---- Accumulators --------------------------------------------------------------------------- */
static void conclude(struct pail_rig *rig, struct pail_tune_finding *finding,
                     const struct pail_tune_candidate *candidates, const struct pail_case *cases,
                     size_t n)
{
    struct pail_tune_entry entries[PAIL_TUNE_CANDIDATES_MAX] = {0};
    for (size_t i = 0; i < n; i++) {
        const bool measured = cases[i].outcome == PAIL_MEASURED && cases[i].n > 0;
        entries[i] = (struct pail_tune_entry){.ms = cases[i].wall_ms,
                                              .n = measured ? cases[i].n : 0,
                                              .built_in = candidates[i].built_in};
        if (measured && candidates[i].built_in)
            finding->built_in_ms = pail_summarize(cases[i].wall_ms, cases[i].n).median;
    }
    const size_t best = pail_tune_choose(entries, n);
    for (size_t i = 0; i < n; i++) {
        pail_print_case(rig, &cases[i], LABEL_CHARS, i == best);
        pail_tune_put_candidate(rig, &cases[i], i, PAIL_TUNE_ACCUMULATORS, i == best,
                                candidates[i].built_in);
    }
    if (best == SIZE_MAX)
        return;
    finding->chosen = true;
    finding->built_in = candidates[best].built_in;
    finding->variant = candidates[best].variant;
    finding->ms = pail_summarize(cases[best].wall_ms, cases[best].n).median;
}

/* Nothing was chosen though nothing failed: that has to be said. */
static bool explain(struct pail_rig *rig, const struct pail_tune_finding *finding,
                    const struct pail_case *cases, size_t n)
{
    bool late = false;
    for (size_t i = 0; i < n; i++)
        late = late || cases[i].outcome == PAIL_LEFT_OUT;
    if (finding->chosen || !late)
        return false;
    char sentence[160];
    (void)snprintf(sentence, sizeof(sentence),
                   "--budget-ms %" PRIu64 ": the time was up before anything of %s %s was measured",
                   rig->options.budget_ms, pail_name_of(pail_curve_names, finding->curve),
                   pail_name_of(pail_group_names, finding->group));
    pail_rig_fail(rig, pail_complain(PAIL_ERR_ARGUMENT, sentence));
    return true;
}

struct candidates {
    struct pail_tune_candidate list[PAIL_TUNE_CANDIDATES_MAX];
    struct pail_case small[PAIL_TUNE_CANDIDATES_MAX]; /* each with a few points */
    struct pail_case cases[PAIL_TUNE_CANDIDATES_MAX]; /* those that went well then */
    size_t n, n_cases;
};

/* Each once with a few points: what a driver compiles at the first use is no part of what comes
 * after, and what it does not have or does not do right needs no more points. Takes at most half
 * the time. */
static pail_status prepare(struct pail_rig *rig, struct candidates *all, size_t group, uint64_t n,
                           char *error, size_t error_cap)
{
    const uint64_t reps = rig->options.reps, warmup = rig->options.warmup;
    const double deadline_ms = rig->deadline_ms;
    for (size_t i = 0; i < all->n; i++)
        pail_case_init(&all->small[i], &rig->options, &all->list[i].variant, group,
                       n < few_points ? n : few_points);
    rig->options.reps = 1;
    rig->options.warmup = 0;
    rig->deadline_ms = pail_tune_share(pail_now_ms(), deadline_ms, 2);
    const pail_status status = pail_measure(rig, all->small, all->n, true, NULL, error, error_cap);
    rig->options.reps = reps;
    rig->options.warmup = warmup;
    rig->deadline_ms = deadline_ms;
    return status;
}

/* What was left out before comes with the case that says why. */
static pail_status compare_candidates(struct pail_rig *rig, struct pail_tune_finding *finding,
                                      struct candidates *all, size_t group, char *error,
                                      size_t error_cap)
{
    pail_status status =
        pail_tune_candidates(all->list, &all->n, rig, group, finding->n, error, error_cap);
    if (status == PAIL_OK)
        status = prepare(rig, all, group, finding->n, error, error_cap);
    if (status != PAIL_OK)
        return status;
    struct pail_tune_candidate prepared[PAIL_TUNE_CANDIDATES_MAX];
    print_title(rig, group, finding->n, "accumulators");
    pail_print_case_header(rig, LABEL_CHARS);
    for (size_t i = 0; i < all->n; i++) {
        if (all->small[i].outcome == PAIL_MEASURED) {
            prepared[all->n_cases] = all->list[i];
            pail_case_init(&all->cases[all->n_cases++], &rig->options, &all->list[i].variant, group,
                           finding->n);
            continue;
        }
        pail_print_case(rig, &all->small[i], LABEL_CHARS, false);
        pail_tune_put_candidate(rig, &all->small[i], i, PAIL_TUNE_ACCUMULATORS, false,
                                all->list[i].built_in);
    }
    rig->drop_factor = several_times;
    status = pail_measure(rig, all->cases, all->n_cases, true, NULL, error, error_cap);
    rig->drop_factor = 0;
    if (status == PAIL_OK) {
        conclude(rig, finding, prepared, all->cases, all->n_cases);
        if (!explain(rig, finding, all->small, all->n))
            (void)explain(rig, finding, all->cases, all->n_cases);
    }
    return status;
}

static pail_status compare_accumulators(struct pail_rig *rig, struct pail_tune_finding *finding,
                                        size_t group, char *error, size_t error_cap)
{
    struct candidates *const all = calloc(1, sizeof(*all));
    if (all == NULL)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for candidates");
    const pail_status status = compare_candidates(rig, finding, all, group, error, error_cap);
    pail_cases_clear(all->small, all->n);
    pail_cases_clear(all->cases, all->n_cases);
    free(all);
    return status;
}

/* ---- Windows -------------------------------------------------------------------------------- */
struct windows {
    struct pail_rig *rig;
    const struct pail_tune_finding *finding;
    size_t group;
    uint64_t n;
    bool wrong; /* the choice itself, with the model's window */
    char *error;
    size_t error_cap;
};

static pail_status measure(void *user, struct pail_tune_round *round, const uint32_t *bits,
                           size_t n)
{
    struct windows *const windows = user;
    struct pail_case *const cases = calloc(n, sizeof(*cases));
    if (cases == NULL)
        return pail_report(windows->error, windows->error_cap, PAIL_ERR_HOST_MEMORY,
                           "no memory for %zu windows", n);
    struct pail_variant variant = windows->finding->variant;
    for (size_t i = 0; i < n; i++) {
        variant.knobs.config.window_bits = bits[i];
        (void)snprintf(variant.label, sizeof(variant.label),
                       bits[i] == 0 ? "window of the model" : "window=%" PRIu32, bits[i]);
        pail_case_init(&cases[i], &windows->rig->options, &variant, windows->group, windows->n);
    }
    const pail_status status =
        pail_measure(windows->rig, cases, n, true, NULL, windows->error, windows->error_cap);
    const struct pail_case *const first = &cases[0];
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const struct pail_case *const c = &cases[i];
        round->measured[i] = c->outcome == PAIL_MEASURED && c->n > 0;
        if (round->measured[i])
            round->median[i] = pail_summarize(c->wall_ms, c->n).median;
        if (round->measured[i] && round->measured[0])
            round->verdict[i] =
                pail_compare(first->wall_ms, c->wall_ms, c->n < first->n ? c->n : first->n).verdict;
        windows->wrong = windows->wrong || (bits[i] == 0 && c->outcome == PAIL_WRONG);
        const bool best = round->verdict[i] == PAIL_FASTER;
        pail_print_case(windows->rig, c, LABEL_CHARS, best);
        pail_tune_put_candidate(windows->rig, c, i, PAIL_TUNE_WINDOW, best, false);
    }
    pail_cases_free(cases, n);
    return status;
}

/* What the model chooses with everything else as it was found; *bits 0: this size cannot be had. */
static pail_status ask_model(const struct windows *windows, uint32_t *bits)
{
    struct pail_rig *const rig = windows->rig;
    struct pail_case c;
    pail_case_init(&c, &rig->options, &windows->finding->variant, windows->group, windows->n);
    pail_stats stats = {0};
    pail_status status = pail_subject_create(&c.subject, &rig->session, &rig->supply, &c.setup,
                                             windows->error, windows->error_cap);
    if (status == PAIL_OK)
        status = pail_subject_estimate(&stats, &c.subject, windows->error, windows->error_cap);
    pail_subject_destroy(&c.subject);
    *bits = stats.window_bits;
    if (status != PAIL_ERR_DEVICE_MEMORY)
        return status;
    rig->unsupported++;
    pail_rig_print(rig, "  not supported: %s\n", windows->error);
    *bits = 0;
    return PAIL_OK;
}

static pail_status search_windows(struct pail_rig *rig, struct pail_tune_finding *finding,
                                  size_t group, char *error, size_t error_cap)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < rig->options.sizes.n && status == PAIL_OK && finding->chosen; i++) {
        if (rig->deadline_ms > 0 && pail_now_ms() >= rig->deadline_ms)
            break;
        struct windows windows = {.rig = rig,
                                  .finding = finding,
                                  .group = group,
                                  .n = rig->options.sizes.values[i],
                                  .error = error,
                                  .error_cap = error_cap};
        print_title(rig, group, windows.n, "windows");
        uint32_t model;
        status = ask_model(&windows, &model);
        if (status == PAIL_OK && model > 0) {
            pail_print_case_header(rig, LABEL_CHARS);
            status = pail_tune_climb(&finding->windows[i], model, measure, &windows);
        }
        finding->chosen = !windows.wrong;
    }
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------ */
static pail_tuning tuning_of(const struct pail_rig *rig, const struct pail_tune_finding *finding)
{
    pail_tuning tuning = {
        .struct_size = sizeof(tuning), .curve = finding->curve, .group = finding->group};
    if (!finding->chosen)
        return tuning;
    const pail_msm_config *const config = &finding->variant.knobs.config;
    tuning.accumulator = config->accumulator;
    tuning.field = config->field;
    tuning.workgroup = config->workgroup;
    tuning.slots = config->slots;
    tuning.inversion_group = config->inversion_group;
    tuning.prefix_placement = config->prefix_placement;
    for (size_t i = 0; i < rig->options.sizes.n; i++)
        tuning.window_bits[pail_tune_place(rig->options.sizes.values[i])] =
            (uint8_t)finding->windows[i].bits;
    return tuning;
}

static pail_status tune_group(struct pail_rig *rig, struct pail_tune_finding *finding, size_t group,
                              char *error, size_t error_cap)
{
    const struct pail_instrument_options *const options = &rig->options;
    *finding = (struct pail_tune_finding){.curve = options->groups[group].curve,
                                          .group = options->groups[group].group,
                                          .n = options->sizes.values[options->sizes.n / 2]};
    pail_status status = compare_accumulators(rig, finding, group, error, error_cap);
    if (status == PAIL_OK)
        status = search_windows(rig, finding, group, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const pail_tuning tuning = tuning_of(rig, finding);
    const char *state = finding->chosen ? "measured" : "none";
    if (finding->chosen && !options->dry_run) {
        status = pail_tune_store_write(&rig->session, &tuning, options->session.threads, error,
                                       error_cap);
        if (status == PAIL_OK)
            state = "stored";
    }
    pail_rig_print(rig, "\n");
    pail_tune_put_finding(rig, finding, &tuning, state);
    return status;
}

static pail_status show_group(struct pail_rig *rig, size_t group, char *error, size_t error_cap)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_tuning tuning = {.struct_size = sizeof(tuning),
                          .curve = options->groups[group].curve,
                          .group = options->groups[group].group};
    bool found = false;
    const pail_status status =
        options->forget ? pail_tune_store_write(&rig->session, &tuning, options->session.threads,
                                                error, error_cap)
                        : pail_tune_store_read(&rig->session, &tuning, &found, error, error_cap);
    if (status == PAIL_OK)
        pail_tune_put_kept(rig, &tuning, options->forget ? "forgotten" : found ? "stored" : "none");
    return status;
}

static pail_status tune(struct pail_rig *rig, char *error, size_t error_cap)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_status status = pail_tune_store_check(&rig->session, error, error_cap);
    struct pail_tune_finding *const finding = malloc(sizeof(*finding));
    if (finding == NULL)
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a finding");
    /* A window or a knob of a candidate that the backend does not take is no failure. */
    rig->expects_refusals = true;
    const double end_ms = options->budget_ms > 0 ? pail_now_ms() + (double)options->budget_ms : 0;
    for (size_t i = 0; i < options->n_groups && status == PAIL_OK; i++) {
        if (options->show || options->forget) {
            status = show_group(rig, i, error, error_cap);
            continue;
        }
        rig->deadline_ms = pail_tune_share(pail_now_ms(), end_ms, options->n_groups - i);
        status = tune_group(rig, finding, i, error, error_cap);
    }
    free(finding);
    return status;
}

enum pail_exit pail_cmd_tune(int argc, char **argv)
{
    static const struct pail_instrument instrument = {
        .name = "tune",
        .help = help,
        .bit = PAIL_TUNE,
        .defaults = {.sizes = {{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18,
                                1 << 19, 1 << 20},
                               9},
                     .reps = 7,
                     .warmup = 1,
                     .seed = 1,
                     .accumulators = 1U << PAIL_ACCUMULATOR_XYZZ | 1U << PAIL_ACCUMULATOR_WALKER |
                                     1U << PAIL_ACCUMULATOR_COOP},
        .check = check,
        .run = tune,
    };
    return pail_instrument_main(&instrument, argc, argv);
}
