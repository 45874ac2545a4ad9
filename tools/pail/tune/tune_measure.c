/* SPDX-License-Identifier: Apache-2.0 */
/* The measurements of `pail tune`: candidates at one size, windows at each. Every configuration
 * names its accumulator and field form, so that nothing that is kept has a say in it. */
#include "tune.h"

#include <inttypes.h>
#include <stdlib.h>

#include <platform/clock.h>

#include "commands.h"
#include "measure/rig.h"
#include "options/names.h"
#include "output/progress.h"

/* ---- Candidates ------------------------------------------------------------------------------ */

enum { PAIL_TUNE_CANDIDATES_MAX = 128 };

struct tune_candidate {
    struct pail_variant variant; /* with the accumulator and the field form named */
    bool built_in;               /* the backend's own choice where nothing is said or kept */
};

struct list {
    struct tune_candidate *candidates;
    size_t n;
    const struct pail_backend *backend;
    pail_memory_query query;
    pail_stats built_in;
    bool built_in_known;
};

/* Asks for the backend's plan of a configuration without its context, so that no kept choice has a
 * say in it. */
static pail_status ask_effective_variant(pail_stats *stats, const struct list *list,
                                         const pail_msm_config *config)
{
    size_t room = 0;
    pail_memory_query query = list->query;
    query.config = config;
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    return list->backend->msm_memory(NULL, &room, stats, &query);
}

static bool same(const pail_stats *a, const pail_stats *b)
{
    return a->accumulator == b->accumulator && a->field == b->field &&
           a->prefix_placement == b->prefix_placement && a->slots == b->slots &&
           a->inversion_group == b->inversion_group && a->workgroup == b->workgroup;
}

static void add_candidate(struct list *list, const struct pail_variant *variant)
{
    if (list->n == PAIL_TUNE_CANDIDATES_MAX)
        return;
    struct tune_candidate *const candidate = &list->candidates[list->n++];
    *candidate = (struct tune_candidate){.variant = *variant};
    (void)pail_knobs_text(candidate->variant.label, sizeof(candidate->variant.label),
                          &variant->knobs);
    pail_stats stats;
    candidate->built_in = list->built_in_known &&
                          ask_effective_variant(&stats, list, &variant->knobs.config) == PAIL_OK &&
                          same(&stats, &list->built_in);
}

/* Inversions that several threads share by default can also be each thread's own. */
static void add_groups(struct list *list, struct pail_variant variant, const pail_stats *stats)
{
    pail_msm_config *const config = &variant.knobs.config;
    add_candidate(list, &variant);
    if (config->inversion_group != 0 || stats->inversion_group <= 1)
        return;
    config->inversion_group = 1;
    add_candidate(list, &variant);
}

/* Asks; knobs of inversions that the options set are taken away where an accumulator has none. */
static pail_status ask_without_needless(pail_stats *stats, const struct list *list,
                                        pail_msm_config *config)
{
    const pail_status status = ask_effective_variant(stats, list, config);
    if (status != PAIL_ERR_ARGUMENT)
        return status;
    pail_msm_config plain = *config;
    plain.slots = plain.inversion_group = 0;
    plain.prefix_placement = PAIL_PLACEMENT_AUTO;
    if (ask_effective_variant(stats, list, &plain) != PAIL_OK || stats->slots != 0)
        return status;
    *config = plain;
    return PAIL_OK;
}

static void add_placements(struct list *list, struct pail_variant variant)
{
    pail_msm_config *const config = &variant.knobs.config;
    pail_stats stats;
    if (ask_without_needless(&stats, list, config) != PAIL_OK) {
        add_candidate(list, &variant);
        return;
    }
    /* Without inversions the backend's choice comes with a workgroup for it: as it is. */
    if (config->prefix_placement != PAIL_PLACEMENT_AUTO || stats.slots == 0) {
        add_groups(list, variant, &stats);
        return;
    }
    for (const struct pail_name *name = pail_placement_names; name->name != NULL; name++) {
        config->prefix_placement = name->value;
        if (name->value != PAIL_PLACEMENT_AUTO)
            add_groups(list, variant, &stats);
    }
}

static void built_in_first(struct list *list)
{
    for (size_t i = 1; i < list->n; i++) {
        if (!list->candidates[i].built_in)
            continue;
        const struct tune_candidate first = list->candidates[i];
        for (size_t k = i; k > 0; k--)
            list->candidates[k] = list->candidates[k - 1];
        list->candidates[0] = first;
        return;
    }
}

/* For n points of the group of the options with that number. What the options set is the same in
 * all of them, but for what an accumulator does not have. The built-in one comes first. A
 * combination that the backend refuses is one of them all the same: that it is refused is for a row
 * to say. Returns how many there are. The backend has an account of its memory. */
static size_t tune_candidates(struct tune_candidate list[PAIL_TUNE_CANDIDATES_MAX],
                              const struct pail_rig *rig, size_t group, uint64_t n)
{
    const struct pail_instrument_options *const options = &rig->options;
    struct list all = {
        .candidates = list,
        .backend = rig->session.backend,
        .query = {.struct_size = sizeof(all.query),
                  .curve = options->groups[group].curve,
                  .group = options->groups[group].group,
                  .n = n,
                  .device = &rig->session.device},
    };
    const pail_msm_config nothing = {.struct_size = sizeof(nothing)};
    all.built_in_known = ask_effective_variant(&all.built_in, &all, &nothing) == PAIL_OK;
    struct pail_variant variant = options->base;
    pail_msm_config *const config = &variant.knobs.config;
    for (const struct pail_name *a = pail_accumulator_names; a->name != NULL; a++) {
        if ((options->accumulators >> a->value & 1) == 0)
            continue;
        config->accumulator = a->value;
        for (const struct pail_name *f = pail_field_names; f->name != NULL; f++) {
            const uint32_t wanted = options->base.knobs.config.field;
            /* The form that one backend has for itself is no choice of another. */
            if (wanted != PAIL_FIELD_AUTO
                    ? f->value != wanted
                    : f->value == PAIL_FIELD_AUTO || f->value == PAIL_FIELD_HOST)
                continue;
            config->field = f->value;
            add_placements(&all, variant);
        }
    }
    built_in_first(&all);
    return all.n;
}

/* ---- Measurements ---------------------------------------------------------------------------- */

/* A first run that takes so many times that of the best is the last: on a software driver the
 * others would take minutes. One that is short may have met a hiccup, and the others cost little.
 */
static const double several_times = 4, worth_dropping_ms = 200;
static const uint64_t few_points = 64;

enum { LABEL_CHARS = 66 };

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
                     const struct tune_candidate *candidates, const struct pail_case *cases,
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

struct candidates {
    struct tune_candidate list[PAIL_TUNE_CANDIDATES_MAX];
    struct pail_case small[PAIL_TUNE_CANDIDATES_MAX];         /* each with a few points */
    struct pail_case cases[PAIL_TUNE_CANDIDATES_MAX];         /* candidates that went well then */
    struct tune_candidate prepared[PAIL_TUNE_CANDIDATES_MAX]; /* the candidates of `cases` */
    size_t n, n_cases;
};

/* True for a wrong result or a failure. A combination that the backend refuses, or a size without
 * memory, is neither: it says nothing about others. */
static bool is_bad(const struct pail_case *c)
{
    return c->outcome == PAIL_WRONG ||
           (c->outcome == PAIL_FAILED && c->error.status != PAIL_ERR_ARGUMENT &&
            c->error.status != PAIL_ERR_DEVICE_MEMORY);
}

/* Nothing was chosen though nothing failed: that has to be said. */
static void explain(struct pail_rig *rig, const struct pail_tune_finding *finding,
                    const struct candidates *all)
{
    bool late = false, bad = false;
    for (size_t i = 0; i < all->n + all->n_cases; i++) {
        const struct pail_case *const c = i < all->n ? &all->small[i] : &all->cases[i - all->n];
        late = late || c->outcome == PAIL_LEFT_OUT;
        bad = bad || is_bad(c);
    }
    if (finding->chosen || !late || bad)
        return;
    struct pail_error error = {0};
    (void)pail_fail(&error, PAIL_ERR_ARGUMENT,
                    "--budget-ms %" PRIu64
                    ": the time was up before anything of %s %s was measured",
                    rig->options.budget_ms, pail_name_of(pail_curve_names, finding->curve),
                    pail_name_of(pail_group_names, finding->group));
    pail_error_add(&rig->error, &error);
}

/* Each once with a few points: what a driver compiles at the first use is no part of what comes
 * after, and what it does not have or does not do right needs no more points. Takes at most half
 * the time. */
static pail_status prepare(struct pail_rig *rig, struct candidates *all, size_t group, uint64_t n,
                           struct pail_error *error)
{
    const uint64_t reps = rig->options.reps, warmup = rig->options.warmup,
                   warmup_ms = rig->options.warmup_ms;
    const double deadline_ms = rig->deadline_ms;
    for (size_t i = 0; i < all->n; i++)
        pail_case_init(&all->small[i], &rig->options, &all->list[i].variant, group,
                       n < few_points ? n : few_points);
    rig->options.reps = 1;
    rig->options.warmup = rig->options.warmup_ms = 0;
    rig->deadline_ms = pail_tune_share(pail_now_ms(), deadline_ms, 2);
    const pail_status status = pail_measure(rig, all->small, all->n, true, NULL, error);
    rig->options.reps = reps;
    rig->options.warmup = warmup;
    rig->options.warmup_ms = warmup_ms;
    rig->deadline_ms = deadline_ms;
    return status;
}

/* Compares the candidates; one that was left out before comes with the case that says why. */
static pail_status compare_candidates(struct pail_rig *rig, struct pail_tune_finding *finding,
                                      struct candidates *all, size_t group,
                                      struct pail_error *error)
{
    all->n = tune_candidates(all->list, rig, group, finding->n);
    pail_status status = prepare(rig, all, group, finding->n, error);
    if (status != PAIL_OK)
        return status;
    print_title(rig, group, finding->n, "accumulators");
    pail_print_case_header(rig, LABEL_CHARS);
    for (size_t i = 0; i < all->n; i++) {
        if (all->small[i].outcome == PAIL_MEASURED) {
            all->prepared[all->n_cases] = all->list[i];
            pail_case_init(&all->cases[all->n_cases++], &rig->options, &all->list[i].variant, group,
                           finding->n);
            continue;
        }
        pail_print_case(rig, &all->small[i], LABEL_CHARS, false);
        pail_tune_put_candidate(rig, &all->small[i], i, PAIL_TUNE_ACCUMULATORS, false,
                                all->list[i].built_in);
    }
    rig->drop_factor = several_times;
    rig->drop_ms = worth_dropping_ms;
    status = pail_measure(rig, all->cases, all->n_cases, true, NULL, error);
    rig->drop_factor = 0;
    if (status == PAIL_OK) {
        conclude(rig, finding, all->prepared, all->cases, all->n_cases);
        explain(rig, finding, all);
    }
    return status;
}

pail_status pail_tune_accumulators(struct pail_rig *rig, struct pail_tune_finding *finding,
                                   size_t group, struct pail_error *error)
{
    struct candidates *const all = calloc(1, sizeof(*all));
    if (!all)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for candidates");
    const pail_status status = compare_candidates(rig, finding, all, group, error);
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
    bool bad; /* the choice itself, with the model's window */
    struct pail_error *error;
};

static pail_status measure(void *user, struct pail_tune_round *round, const uint32_t *bits,
                           size_t n)
{
    struct windows *const windows = user;
    struct pail_case *const cases = calloc(n, sizeof(*cases));
    if (!cases)
        return pail_fail(windows->error, PAIL_ERR_HOST_MEMORY, "no memory for %zu windows", n);
    struct pail_variant variant = windows->finding->variant;
    for (size_t i = 0; i < n; i++) {
        variant.knobs.config.window_bits = bits[i];
        (void)snprintf(variant.label, sizeof(variant.label),
                       bits[i] == 0 ? "window of the model" : "window=%" PRIu32, bits[i]);
        pail_case_init(&cases[i], &windows->rig->options, &variant, windows->group, windows->n);
    }
    const pail_status status = pail_measure(windows->rig, cases, n, true, NULL, windows->error);
    const struct pail_case *const first = &cases[0];
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const struct pail_case *const c = &cases[i];
        round->measured[i] = c->outcome == PAIL_MEASURED && c->n > 0;
        if (round->measured[i])
            round->median[i] = pail_summarize(c->wall_ms, c->n).median;
        if (round->measured[i] && round->measured[0])
            round->verdict[i] =
                pail_compare(first->wall_ms, c->wall_ms, c->n < first->n ? c->n : first->n).verdict;
        windows->bad = windows->bad || (bits[i] == 0 && is_bad(c));
        const bool best = round->verdict[i] == PAIL_FASTER;
        pail_print_case(windows->rig, c, LABEL_CHARS, best);
        pail_tune_put_candidate(windows->rig, c, i, PAIL_TUNE_WINDOW, best, false);
    }
    pail_cases_free(cases, n);
    return status;
}

/* Asks for the model's window with everything else as found; *bits 0: no case of this size runs. */
static pail_status ask_model(const struct windows *windows, uint32_t *bits)
{
    struct pail_rig *const rig = windows->rig;
    struct pail_case c;
    pail_case_init(&c, &rig->options, &windows->finding->variant, windows->group, windows->n);
    pail_stats stats = {0};
    pail_status status =
        pail_subject_create(&c.subject, &rig->session, &rig->supply, &c.setup, windows->error);
    if (status == PAIL_OK)
        status = pail_subject_estimate(&stats, &c.subject, windows->error);
    pail_subject_destroy(&c.subject);
    *bits = stats.window_bits;
    if (status != PAIL_ERR_DEVICE_MEMORY)
        return status;
    rig->unsupported++;
    pail_rig_print(rig, "  not supported: %s\n", windows->error->sentence);
    *bits = 0;
    return pail_told(windows->error, PAIL_OK);
}

pail_status pail_tune_windows(struct pail_rig *rig, struct pail_tune_finding *finding, size_t group,
                              struct pail_error *error)
{
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < rig->options.sizes.n && status == PAIL_OK && finding->chosen; i++) {
        if (rig->deadline_ms > 0 && pail_now_ms() >= rig->deadline_ms)
            break;
        struct windows windows = {.rig = rig,
                                  .finding = finding,
                                  .group = group,
                                  .n = rig->options.sizes.values[i],
                                  .error = error};
        print_title(rig, group, windows.n, "windows");
        uint32_t model;
        status = ask_model(&windows, &model);
        if (status == PAIL_OK && model > 0) {
            pail_print_case_header(rig, LABEL_CHARS);
            status = pail_tune_climb(&finding->windows[i], model, measure, &windows);
        }
        finding->chosen = !windows.bad;
    }
    return status;
}
