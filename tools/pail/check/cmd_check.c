/* SPDX-License-Identifier: Apache-2.0 */
/* `pail check`: results of multiplications against the closed form. */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curves/rng.h>
#include <platform/clock.h>
#include <platform/text.h>
#include <platform/thread.h>

#include "commands.h"
#include "measure/measure.h"
#include "measure/runner.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"

/* ---- A case ---------------------------------------------------------------------------------- */

enum { AT_ONCE_MAX = 8, ACCUMULATORS_MAX = 4 };

static bool one_in(struct pail_rng *rng, uint64_t n)
{
    return pail_rng_below(rng, n) == 0;
}

static uint32_t one_of(struct pail_rng *rng, const uint32_t *values, size_t n)
{
    return values[pail_rng_below(rng, n)];
}
#define ONE_OF(rng, ...)                                                                           \
    one_of(rng, (const uint32_t[]){__VA_ARGS__},                                                   \
           sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* None to three, about a power of two, or anything with every length in bits as likely. */
static uint64_t choose_n(struct pail_rng *rng, uint64_t max_n)
{
    const uint64_t kind = pail_rng_below(rng, 8);
    uint32_t bits = 0;
    while (bits < 63 && max_n >> bits != 0)
        bits++;
    uint64_t n = UINT64_C(1) << pail_rng_below(rng, bits + 1);
    if (kind == 0)
        n = pail_rng_below(rng, 4);
    else if (kind == 1)
        n += pail_rng_below(rng, 3) - 1;
    else
        n += pail_rng_below(rng, n);
    return n <= max_n ? n : pail_rng_below(rng, max_n + 1);
}

/* 0 of a knob that the command line fixes stays; every number is drawn all the same, so that a
 * knob that is fixed leaves the others as they were. */
static void fix(uint32_t *value, uint32_t fixed)
{
    if (fixed != 0)
        *value = fixed;
}

static void choose_knobs(struct pail_knobs *knobs, struct pail_rng *rng,
                         const struct pail_knobs *fixed, bool automatic)
{
    pail_msm_config *const config = &knobs->config;
    pail_knobs_init(knobs);
    config->accumulator =
        ONE_OF(rng, PAIL_ACCUMULATOR_AUTO, PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_WALKER,
               PAIL_ACCUMULATOR_WALKER, PAIL_ACCUMULATOR_COOP, PAIL_ACCUMULATOR_DEBUG);
    config->field = ONE_OF(rng, PAIL_FIELD_AUTO, PAIL_FIELD_AUTO, PAIL_FIELD_LIMB32,
                           PAIL_FIELD_LIMB29, PAIL_FIELD_LIMB51);
    config->prefix_placement = ONE_OF(rng, PAIL_PLACEMENT_AUTO, PAIL_PLACEMENT_PRIVATE,
                                      PAIL_PLACEMENT_WORKGROUP, PAIL_PLACEMENT_DEVICE);
    config->slots = ONE_OF(rng, 0, 0, 1, 2, 4, 8, 16);
    config->inversion_group = ONE_OF(rng, 0, 0, 1, 4, 32);
    config->workgroup = ONE_OF(rng, 0, 0, 32, 64, 128);
    config->threads = ONE_OF(rng, 0, 0, 1, 37, 256, 1000);
    config->window_bits = one_in(rng, 3) ? 2 + (uint32_t)pail_rng_below(rng, 11) : 0;
    knobs->residency = ONE_OF(rng, PAIL_RESIDENCY_AUTO, PAIL_RESIDENCY_DEVICE, PAIL_RESIDENCY_HOST);
    if (one_in(rng, 2)) { /* every other case without what few backends have */
        config->prefix_placement = PAIL_PLACEMENT_AUTO;
        config->slots = config->inversion_group = config->workgroup = 0;
    }
    if (automatic) { /* leaves the choice of kernels open; shares and windows stay as drawn */
        config->accumulator = PAIL_ACCUMULATOR_AUTO;
        config->field = PAIL_FIELD_AUTO;
        config->prefix_placement = PAIL_PLACEMENT_AUTO;
        config->slots = config->inversion_group = config->workgroup = 0;
    }
    knobs->table_factor = fixed->table_factor;
    knobs->compact = fixed->compact;
    if (fixed->table_factor > 1) /* a table is for its own windows */
        config->window_bits = 0;
    fix(&config->accumulator, fixed->config.accumulator);
    fix(&config->field, fixed->config.field);
    fix(&config->prefix_placement, fixed->config.prefix_placement);
    fix(&config->slots, fixed->config.slots);
    fix(&config->inversion_group, fixed->config.inversion_group);
    fix(&config->workgroup, fixed->config.workgroup);
    fix(&config->threads, fixed->config.threads);
    fix(&config->window_bits, fixed->config.window_bits);
    fix(&knobs->residency, fixed->residency);
    config->force_batches = fixed->config.force_batches;
    config->memory_budget = fixed->config.memory_budget;
    /* Settings that the accumulator does not have go back to automatic. */
    const bool walks = config->accumulator == PAIL_ACCUMULATOR_WALKER ||
                       config->accumulator == PAIL_ACCUMULATOR_COOP;
    if (!walks && fixed->config.prefix_placement == 0)
        config->prefix_placement = PAIL_PLACEMENT_AUTO;
    if (!walks && fixed->config.slots == 0)
        config->slots = 0;
    if (config->accumulator != PAIL_ACCUMULATOR_COOP && fixed->config.inversion_group == 0)
        config->inversion_group = 0;
    if (config->accumulator == PAIL_ACCUMULATOR_DEBUG && fixed->config.threads == 0)
        config->threads = 0;
}

void pail_check_choose(struct pail_setup *setup, struct pail_check_choice *choice,
                       const struct pail_instrument_options *options, uint64_t index)
{
    struct pail_rng rng;
    pail_rng_init(&rng, options->seed ^ (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
    *setup = (struct pail_setup){0};
    const size_t group = (size_t)pail_rng_below(&rng, options->n_groups);
    setup->curve = options->groups[group].curve;
    setup->group = options->groups[group].group;
    setup->n = choose_n(&rng, options->max_n);
    setup->jobs = one_in(&rng, 4) ? 2 + pail_rng_below(&rng, 3) : 1;
    setup->dist = (enum pail_scalar_dist)pail_rng_below(&rng, PAIL_SCALARS_COUNT);
    setup->base_kind = (enum pail_base_kind)pail_rng_below(&rng, PAIL_BASES_COUNT);
    setup->seed = pail_rng_next(&rng) >> 1; /* JSON has signed numbers */
    choose_knobs(&setup->knobs, &rng, &options->base.knobs, options->automatic);
    setup->offset = one_in(&rng, 4) ? pail_rng_below(&rng, options->max_n + 1) : 0;
    const bool in_subgroup =
        setup->base_kind != PAIL_BASES_OUTSIDE && setup->base_kind != PAIL_BASES_SMALL_ORDER;
    /* The closed form divides by 2^256 modulo r, which points of another order do not allow. */
    setup->montgomery = one_in(&rng, 4) && in_subgroup;
    setup->validation = ONE_OF(&rng, PAIL_VALIDATE_NONE, PAIL_VALIDATE_CURVE,
                               in_subgroup ? PAIL_VALIDATE_SUBGROUP : PAIL_VALIDATE_CURVE);
    setup->same_scalars = setup->jobs > 1 && one_in(&rng, 3);
    const uint64_t lever = pail_rng_below(&rng, 4), value = 1 + pail_rng_below(&rng, 100);
    const pail_msm_config *const fixed = &options->base.knobs.config;
    const bool is_fixed = fixed->force_batches != 0 || fixed->memory_budget != 0;
    *choice = (struct pail_check_choice){.batches_of = lever == 0 && !is_fixed ? value : 0,
                                         .budget_percent = lever == 1 && !is_fixed ? value : 0};
}

uint64_t pail_check_cases_at_once(const struct pail_rig *rig)
{
    const uint32_t threads = rig->options.session.threads;
    const uint32_t half = (threads != 0 ? threads : pail_team_processors()) / 2;
    return half < 1 ? 1 : half < AT_ONCE_MAX ? half : AT_ONCE_MAX;
}

void pail_check_warm(struct pail_rig *rig, uint64_t first, uint64_t cases,
                     const uint32_t *accumulators, size_t n)
{
    uint32_t *const fixed = &rig->options.base.knobs.config.accumulator;
    const uint32_t asked = *fixed;
    struct pail_setup setups[AT_ONCE_MAX * ACCUMULATORS_MAX];
    size_t n_setups = 0;
    for (uint64_t i = 0; i < cases && i < AT_ONCE_MAX; i++) {
        for (size_t k = 0; k < n && k < ACCUMULATORS_MAX; k++) {
            struct pail_check_choice choice;
            *fixed = accumulators[k] != 0 ? accumulators[k] : asked;
            pail_check_choose(&setups[n_setups++], &choice, &rig->options, first + i);
        }
    }
    *fixed = asked;
    pail_rig_warm(rig, setups, n_setups);
}

pail_status pail_check_settle(struct pail_subject *subject, const struct pail_check_choice *choice,
                              struct pail_error *error)
{
    pail_msm_config *const config = &subject->setup.knobs.config;
    pail_stats stats;
    if (choice->batches_of == 0 && choice->budget_percent == 0)
        return PAIL_OK;
    if (pail_subject_estimate(&stats, subject, error) != PAIL_OK)
        return error->status;
    if (choice->batches_of != 0 && stats.windows > 0)
        config->force_batches = 1 + (uint32_t)(choice->batches_of % stats.windows);
    config->memory_budget = stats.bytes_estimate * choice->budget_percent / 100;
    return PAIL_OK;
}

/* Options with a value that the command gets anew, or that do not belong to a case. */
static bool is_replaced(const char *argument, bool *takes_next)
{
    static const char *const names[] = {"--cases", "--first", "--seed", "--time", "--json"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(argument, names[i], length) == 0 &&
            (argument[length] == '\0' || argument[length] == '=')) {
            *takes_next = argument[length] == '\0';
            return true;
        }
    }
    return false;
}

const char *pail_check_again(char *text, size_t cap, const struct pail_instrument_options *options,
                             uint64_t first, uint64_t cases)
{
    int used =
        snprintf(text, cap, "pail check --seed %" PRIu64 " --first %" PRIu64 " --cases %" PRIu64,
                 options->seed, first, cases);
    for (int i = 1; i < options->call->argc && used > 0 && (size_t)used < cap; i++) {
        bool takes_next = false;
        if (is_replaced(options->call->argv[i], &takes_next)) {
            i += takes_next;
            continue;
        }
        used += snprintf(text + used, cap - (size_t)used, " '%s'", options->call->argv[i]);
    }
    return text;
}

/* ---- The command ----------------------------------------------------------------------------- */

enum { REASONS_MAX = 16, RUNS = 2, COMPLAINTS_MAX = 10 };

struct checker {
    struct pail_rig *rig;
    struct pail_session cpu; /* not opened where the backend is the CPU's */
    size_t right, wrong, refused;
    /* Why cases were not run, each sentence once. */
    struct {
        char sentence[160];
        size_t n;
    } reasons[REASONS_MAX];
    struct pail_progress progress;
    double part; /* of the work that is done, or negative */
};

static void tick(void *user)
{
    struct checker *const checker = user;
    pail_progress_tick(&checker->progress, checker->part);
}

/* The sentence with each of its numbers as "#", so that one reason is one, whatever the case. */
static void without_numbers(char *text, size_t cap, const char *sentence)
{
    size_t used = 0;
    for (const char *at = sentence; *at != '\0' && used + 1 < cap; at++) {
        const bool digit = *at >= '0' && *at <= '9';
        if (!digit)
            text[used++] = *at;
        else if (used == 0 || text[used - 1] != '#')
            text[used++] = '#';
    }
    text[used] = '\0';
}

static void note_refusal(struct checker *checker, const char *sentence)
{
    checker->refused++;
    size_t i = 0;
    char text[sizeof(checker->reasons[0].sentence)];
    without_numbers(text, sizeof(text), sentence);
    while (i + 1 < REASONS_MAX && checker->reasons[i].n > 0 &&
           strcmp(checker->reasons[i].sentence, text) != 0)
        i++;
    if (checker->reasons[i].n > 0 && strcmp(checker->reasons[i].sentence, text) != 0)
        (void)snprintf(text, sizeof(text), "other reasons");
    memcpy(checker->reasons[i].sentence, text, sizeof(text));
    checker->reasons[i].n++;
}

/* Runs the case on the CPU backend and compares. Out: *equal. */
static pail_status compare_with_cpu(bool *equal, struct checker *checker,
                                    const struct pail_subject *subject, struct pail_error *error)
{
    struct pail_setup plain = subject->setup;
    struct pail_subject other;
    struct pail_sample sample;
    pail_knobs_init(&plain.knobs);
    pail_status status =
        pail_subject_create(&other, &checker->cpu, &checker->rig->supply, &plain, error);
    if (status == PAIL_OK)
        status = pail_subject_run(&sample, &other, false, tick, checker, error);
    for (uint64_t i = 0; i < plain.jobs && status == PAIL_OK; i++)
        *equal = *equal && pail_result_equal(&other.results[i], &subject->results[i]);
    pail_subject_destroy(&other);
    return status;
}

/* The verdict on one case. */
struct verdict {
    struct pail_error error; /* of the status PAIL_OK: it ran */
    bool closed_form, cpu;   /* equal to it */
    pail_stats stats;
};

static void run_case(struct verdict *verdict, struct checker *checker, struct pail_setup *setup,
                     const struct pail_check_choice *choice, bool falsify)
{
    struct pail_rig *const rig = checker->rig;
    struct pail_subject subject;
    *verdict = (struct verdict){.closed_form = true, .cpu = true};
    struct pail_error *const error = &verdict->error;
    if (pail_subject_create(&subject, &rig->session, &rig->supply, setup, error) == PAIL_OK) {
        (void)pail_check_settle(&subject, choice, error);
        setup->knobs = subject.setup.knobs;
    }
    for (int run = 0; run < RUNS && error->status == PAIL_OK; run++) {
        struct pail_sample sample;
        (void)pail_subject_run(&sample, &subject, falsify && run + 1 == RUNS, tick, checker, error);
        verdict->closed_form = verdict->closed_form && sample.equal;
        verdict->stats = sample.stats;
        if (error->status == PAIL_OK && !rig->session.built_in)
            (void)compare_with_cpu(&verdict->cpu, checker, &subject, error);
    }
    pail_subject_destroy(&subject);
}

/* A combination of knobs that is not on offer, and a budget that is too small, are no failures;
 * any other status is. */
static bool is_refusal(const struct pail_setup *setup, const struct verdict *verdict)
{
    const pail_status status = verdict->error.status;
    return status == PAIL_ERR_UNSUPPORTED || status == PAIL_ERR_ARGUMENT ||
           (status == PAIL_ERR_DEVICE_MEMORY && setup->knobs.config.memory_budget != 0);
}

static void put_case(struct checker *checker, uint64_t index, const struct pail_setup *setup,
                     const struct verdict *verdict)
{
    struct pail_case c = {.setup = *setup};
    struct pail_json row;
    (void)pail_knobs_text(c.label, sizeof(c.label), &setup->knobs);
    pail_lines_begin(&checker->rig->lines, &row, "case");
    pail_json_set_case(&row, &c, (size_t)index);
    pail_json_set_number(&row, "offset", setup->offset);
    pail_json_set_bool(&row, "montgomery", setup->montgomery);
    pail_json_set_bool(&row, "same_scalars", setup->same_scalars);
    const bool right = verdict->closed_form && verdict->cpu;
    pail_json_set_text(&row, "outcome",
                       is_refusal(setup, verdict)         ? "refused"
                       : verdict->error.status != PAIL_OK ? "failed"
                       : right                            ? "right"
                                                          : "wrong");
    if (verdict->error.status == PAIL_OK) {
        pail_json_set_bool(&row, "closed_form_ok", verdict->closed_form);
        if (!checker->rig->session.built_in)
            pail_json_set_bool(&row, "cpu_ok", verdict->cpu);
        pail_json_set_bool(&row, "cross_ok", right);
        pail_json_set_stats(&row, &verdict->stats);
    } else {
        pail_json_set_text(&row, "reason", verdict->error.sentence);
    }
    pail_lines_write(&checker->rig->lines, &row);
}

static void complain(struct checker *checker, uint64_t index, const struct pail_setup *setup,
                     const struct verdict *verdict)
{
    char knobs[256], again[1024];
    (void)pail_print(stderr,
                     "pail: case %" PRIu64 ": %s %s, n = %" PRIu64 ", jobs %" PRIu64
                     ", %s scalars, %s points, %s: ",
                     index, pail_name_of(pail_curve_names, setup->curve),
                     pail_name_of(pail_group_names, setup->group), setup->n, setup->jobs,
                     pail_scalar_dist_name(setup->dist), pail_base_kind_name(setup->base_kind),
                     pail_knobs_text(knobs, sizeof(knobs), &setup->knobs));
    if (verdict->error.status != PAIL_OK)
        (void)pail_print(stderr, "%s\n", verdict->error.sentence);
    else
        (void)pail_print(stderr, "the result differs from %s\n",
                         verdict->closed_form ? "the CPU backend"
                         : verdict->cpu       ? "the closed form"
                                              : "the closed form and the CPU backend");
    (void)pail_print(stderr, "    again: %s\n",
                     pail_check_again(again, sizeof(again), &checker->rig->options, index, 1));
    if (index > checker->rig->options.first)
        (void)pail_print(stderr, "    and if that is right, with those before it: %s\n",
                         pail_check_again(again, sizeof(again), &checker->rig->options,
                                          checker->rig->options.first,
                                          index - checker->rig->options.first + 1));
}

static void judge(struct checker *checker, uint64_t index, const struct pail_setup *setup,
                  const struct verdict *verdict)
{
    put_case(checker, index, setup, verdict);
    if (is_refusal(setup, verdict)) {
        note_refusal(checker, verdict->error.sentence);
        return;
    }
    if (verdict->error.status == PAIL_OK && verdict->closed_form && verdict->cpu) {
        checker->right++;
        return;
    }
    checker->wrong++;
    struct pail_error failure = {.status = verdict->error.status,
                                 .differs = verdict->error.status == PAIL_OK};
    pail_error_add(&checker->rig->error, &failure);
    if (checker->wrong <= COMPLAINTS_MAX)
        complain(checker, index, setup, verdict);
    if (checker->wrong == COMPLAINTS_MAX)
        (void)pail_print(stderr,
                         "pail: further wrong cases are counted, and are in the JSON lines\n");
}

static void conclude(struct checker *checker)
{
    struct pail_rig *const rig = checker->rig;
    pail_rig_print(rig, "seed %" PRIu64 ": %zu cases right, %zu wrong, %zu not on offer\n",
                   rig->options.seed, checker->right, checker->wrong, checker->refused);
    for (size_t i = 0; i < REASONS_MAX && checker->reasons[i].n > 0; i++)
        pail_rig_print(rig, "%8zu times: %s\n", checker->reasons[i].n,
                       checker->reasons[i].sentence);
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "result");
    pail_json_set_number(&row, "seed", rig->options.seed);
    pail_json_set_number(&row, "right", checker->right);
    pail_json_set_number(&row, "wrong", checker->wrong);
    pail_json_set_number(&row, "refused", checker->refused);
    pail_lines_write(&rig->lines, &row);
    rig->measured = checker->right + checker->wrong;
    rig->unsupported = checker->refused;
}

/* Part of the cases or of the time, whichever is further. */
static double part_done(const struct pail_instrument_options *options, uint64_t done,
                        double elapsed_ms)
{
    const double cases = options->cases != UINT64_MAX ? (double)done / (double)options->cases : -1;
    const double time = options->time_s != 0 ? elapsed_ms / 1e3 / (double)options->time_s : -1;
    return cases > time ? cases : time;
}

static pail_status check(struct pail_rig *rig, struct pail_error *error)
{
    struct pail_instrument_options *const options = &rig->options;
    struct checker checker = {.rig = rig};
    if (options->buckets)
        return pail_check_buckets(rig, error);
    if (!rig->session.built_in) {
        if (pail_session_open_cpu(&checker.cpu, rig->registry, options->session.threads, error) !=
            PAIL_OK)
            return error->status;
    }
    pail_rig_print(rig, "seed %" PRIu64 ", against the closed form%s\n", options->seed,
                   rig->session.built_in ? "" : " and the CPU backend");
    const double begin_ms = pail_now_ms();
    const uint64_t at_once = pail_check_cases_at_once(rig);
    char label[48];
    for (uint64_t i = 0; i < options->cases; i++) {
        const double elapsed_ms = pail_now_ms() - begin_ms;
        if (options->time_s != 0 && elapsed_ms >= 1e3 * (double)options->time_s)
            break;
        struct pail_setup setup;
        struct pail_check_choice choice;
        struct verdict verdict;
        const uint64_t index = options->first + i;
        if (i % at_once == 0)
            pail_check_warm(rig, index, options->cases - i < at_once ? options->cases - i : at_once,
                            &(const uint32_t){0}, 1);
        (void)snprintf(label, sizeof(label), "case %" PRIu64, index);
        checker.part = part_done(options, i, elapsed_ms);
        pail_progress_begin(&checker.progress, label);
        pail_check_choose(&setup, &choice, options, index);
        run_case(&verdict, &checker, &setup, &choice, options->wrong_case == index);
        (void)pail_progress_end(&checker.progress);
        judge(&checker, index, &setup, &verdict);
        if (verdict.error.status == PAIL_ERR_DEVICE_LOST)
            break;
    }
    conclude(&checker);
    pail_session_close(&checker.cpu);
    return PAIL_OK;
}

static pail_status settle(struct pail_instrument_options *options, struct pail_error *error)
{
    (void)error;
    if (options->buckets)
        options->session.needs = PAIL_ABILITY_BUCKETS;
    if (options->cases == 0)
        options->cases = options->time_s != 0 ? UINT64_MAX : options->buckets ? 10 : 100;
    if (options->max_n == UINT64_MAX)
        options->max_n = options->buckets ? 1024 : 4096;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (options->seed == 0)
        options->seed = 1 + ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
    return PAIL_OK;
}

static const struct pail_instrument instrument = {
    .prefers = PAIL_ABILITY_PIPELINES, /* most of the random ways are knobs of kernels */
    .check = settle,
    .run = check,
};

const struct pail_command pail_check_command = {
    .name = "check",
    .summary = "test multiplications with random inputs and configurations",
    .usage = "[OPTIONS]",
    .text =
        "Tests multiplications with random curve, group, size, scalars, points, accumulator, "
        "field, window, batches, budget, placement, residency and jobs. Each case runs twice, in "
        "one context for all cases, and is compared with the closed form of its points and with "
        "the CPU backend. A combination that the backend refuses is counted, and is not a failure. "
        "Options given on the command line are fixed for all cases. The first line has the seed. "
        "For a wrong case, the command that repeats it is printed, and the exit status is 1.",
    .examples = "check --time 60\n"
                "check --buckets --accumulator walker --cases 5",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_CHECK, PAIL_KNOBS_PLAN)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults = &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_ALL_GROUPS,
                                                        .max_n = UINT64_MAX},
    .run = pail_instrument_run,
    .more = &instrument,
};
