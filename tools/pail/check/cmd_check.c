#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "check_buckets.h"
#include "check_case.h"
#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"
#include "output/progress.h"
#include "output/result.h"
#include "output/stats_json.h"

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
                       verdict->error.status != PAIL_OK ? "refused"
                       : right                          ? "right"
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
    pail_lines_put(&checker->rig->lines, &row);
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
    /* A combination of knobs that is not on offer, and a budget that is too small, are no failures;
     * anything else is. */
    if (verdict->error.status == PAIL_ERR_UNSUPPORTED ||
        verdict->error.status == PAIL_ERR_ARGUMENT ||
        (verdict->error.status == PAIL_ERR_DEVICE_MEMORY &&
         setup->knobs.config.memory_budget != 0)) {
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
    pail_lines_put(&rig->lines, &row);
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
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_CHECK, PAIL_KNOBS_PLAN)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults = &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_ALL_GROUPS,
                                                        .max_n = UINT64_MAX},
    .run = pail_instrument_run,
    .more = &instrument,
};
