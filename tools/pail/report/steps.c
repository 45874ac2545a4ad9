/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a report: what is asked of the measuring commands, and what is kept of it. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "measure/statistics.h"
#include "output/json.h"

enum { PATH_CHARS = 512, NAME_CHARS = 64 };

/* Curve and group of all multiplications but those of the first step. */
#define GROUP "--curve", "bn254", "--group", "g1"

/* ---- Correctness ----------------------------------------------------------------------------- */

/* Cases 0, 1, ... of seed 1: the same everywhere. */
#define CASES "24"
enum { N_CASES = 24 };

struct correctness {
    unsigned done, right, wrong, refused, failed;
    unsigned first_bad;             /* that is wrong or failed */
    char reason[PAIL_REPORT_CHARS]; /* of the first that failed */
};

static void take_case(void *user, json_t *row)
{
    struct correctness *const cases = user;
    const char *const outcome = json_string_value(json_object_get(row, "outcome"));
    if (strcmp(json_string_value(json_object_get(row, "ev")), "case") != 0 || !outcome)
        return;
    const bool wrong = strcmp(outcome, "wrong") == 0, failed = strcmp(outcome, "failed") == 0;
    const char *const reason = json_string_value(json_object_get(row, "reason"));
    if ((wrong || failed) && cases->wrong + cases->failed == 0)
        cases->first_bad = cases->done;
    if (failed && cases->failed == 0)
        (void)pail_line(cases->reason, sizeof(cases->reason), "%s", reason ? reason : "");
    cases->wrong += wrong;
    cases->failed += failed;
    cases->right += strcmp(outcome, "right") == 0;
    cases->refused += strcmp(outcome, "refused") == 0;
    cases->done++;
}

/* The row of the cases that have been checked. */
static void put_cases(struct pail_report_run *run, const struct correctness *cases,
                      const char *asked)
{
    const bool bad = cases->wrong + cases->failed > 0;
    struct pail_json counts;
    char name[NAME_CHARS], reason[PAIL_REPORT_CHARS + 64], command[PAIL_REPORT_CHARS];
    pail_json_begin(&counts);
    pail_json_set_number(&counts, "cases", cases->done);
    pail_json_set_number(&counts, "right", cases->right);
    pail_json_set_number(&counts, "wrong", cases->wrong);
    pail_json_set_number(&counts, "refused", cases->refused);
    pail_json_set_number(&counts, "failed", cases->failed);
    (void)snprintf(name, sizeof(name), "cases 0 to %u", cases->done - 1);
    (void)snprintf(command, sizeof(command),
                   "pail check --seed 1 --first %u --cases 1 --automatic --backend %s --device %s",
                   cases->first_bad, run->backend, run->index);
    if (cases->wrong > 0)
        (void)snprintf(reason, sizeof(reason), "%u of %u results differ from the CPU's",
                       cases->wrong, cases->done);
    else
        (void)snprintf(reason, sizeof(reason), "%u of %u cases failed: %s", cases->failed,
                       cases->done, cases->reason);
    pail_report_put(run, name,
                    cases->wrong > 0    ? "wrong"
                    : cases->failed > 0 ? "failed"
                                        : "measured",
                    bad ? reason : NULL, bad ? command : asked, pail_json_take(&counts));
}

static void check(struct pail_report_run *run)
{
    static const char *const words[] = {"check",   "--seed", "1",           "--first", "0",
                                        "--cases", CASES,    "--automatic", NULL};
    struct correctness cases = {0};
    struct pail_report_answer answer;
    char name[NAME_CHARS];
    pail_report_ask(run, &answer,
                    &(const struct pail_report_question){
                        .words = words, .lines = true, .answer = take_case, .user = &cases});
    if (cases.done > 0 && run->error->status == PAIL_OK)
        put_cases(run, &cases, answer.command);
    if (cases.done < N_CASES) {
        (void)snprintf(name, sizeof(name), "cases %u to %d", cases.done, N_CASES - 1);
        pail_report_put_end(run, name, &answer);
    }
    pail_report_note_end(run, "cases", &answer);
}

/* ---- Multiplications ------------------------------------------------------------------------- */

static const char *const multiplication_keys[] = {"curve",
                                                  "group",
                                                  "n",
                                                  "config",
                                                  "residency",
                                                  "accumulator",
                                                  "field",
                                                  "placement",
                                                  "slots",
                                                  "inversion_group",
                                                  "workgroup",
                                                  "window_bits",
                                                  "windows",
                                                  "batches",
                                                  "chunks",
                                                  "submissions",
                                                  "longest_submission_ms",
                                                  "reps",
                                                  "wall_ms",
                                                  "wall_ms_min",
                                                  "wall_ms_max",
                                                  "device_ms",
                                                  "phases",
                                                  "adds_per_s",
                                                  "bytes_total",
                                                  "cross_ok",
                                                  NULL};

/* Milliseconds that a multiplication of n points takes at most, by the last one; 0: unknown. */
static double estimate(const struct pail_report_run *run, uint64_t n)
{
    const double ratio = run->msm_n > 0 ? (double)n / (double)run->msm_n : 0;
    return run->msm_ms * (ratio > 1 ? ratio : 1);
}

/* The words that say how often: as many runs of that time as half of what is left has room for,
 * with one for warming up. */
struct often {
    char reps[8], warmup_ms[8];
};

static void choose_often(struct often *often, const struct pail_report_run *run, double ms,
                         unsigned cases, int least)
{
    const double room = 0.5 * (run->step_end_ms - pail_now_ms());
    const double runs = ms > 0 ? room / (ms * cases) - 1 : 5;
    const int reps = runs > 5 ? 5 : runs > least ? (int)runs : least;
    (void)snprintf(often->reps, sizeof(often->reps), "%d", reps);
    (void)snprintf(often->warmup_ms, sizeof(often->warmup_ms), "%d", reps == 5 ? 150 : 0);
}

enum { REPS_MAX = 5, CASES_MAX = 5 };

/* Repetitions of a case that has no result yet. */
struct begun {
    double ms[REPS_MAX];
    size_t n;
    json_t *last; /* the row of the last one; NULL: there is none */
    bool wrong;
};

struct rows {
    struct pail_report_run *run;
    const char *const *names; /* of the cases, by their numbers */
    const struct pail_report_answer *answer;
    unsigned n, seen; /* cases, at most CASES_MAX, and bits of those that have a row */
    bool usual;       /* the times are those of the backend's own choice */
    bool whole;       /* repetitions alone are no row: they do not tell the memory */
    struct begun begun[CASES_MAX];
};

static void put_multiplication(struct rows *rows, unsigned i, const char *outcome,
                               const char *reason, json_t *measured)
{
    struct pail_report_run *const run = rows->run;
    const double ms = json_number_value(json_object_get(measured, "wall_ms"));
    const uint64_t n = (uint64_t)json_integer_value(json_object_get(measured, "n"));
    rows->seen |= 1U << i;
    if (rows->usual && ms > 0 && n >= run->msm_n) {
        run->msm_ms = ms;
        run->msm_n = n;
    }
    pail_report_put(run, rows->names[i], outcome, reason, rows->answer->command, measured);
}

static void note_repetition(struct begun *begun, json_t *row)
{
    if (begun->n < REPS_MAX)
        begun->ms[begun->n++] = json_number_value(json_object_get(row, "wall_ms"));
    begun->wrong = begun->wrong || !json_is_true(json_object_get(row, "cross_ok"));
    json_decref(begun->last);
    begun->last = json_incref(row);
}

static void take_multiplication(void *user, json_t *row)
{
    struct rows *const rows = user;
    const char *const event = json_string_value(json_object_get(row, "ev"));
    const char *const outcome = json_string_value(json_object_get(row, "outcome"));
    const char *const reason = json_string_value(json_object_get(row, "reason"));
    const json_int_t i = json_integer_value(json_object_get(row, "case"));
    if (i < 0 || (unsigned)i >= rows->n || (rows->seen >> i & 1) != 0)
        return;
    if (strcmp(event, "rep") == 0 && !rows->whole)
        note_repetition(&rows->begun[i], row);
    else if ((strcmp(event, "result") == 0 || strcmp(event, "row") == 0) && outcome)
        put_multiplication(rows, (unsigned)i, outcome, reason,
                           pail_report_pick(row, multiplication_keys));
}

/* A case that the time ended has the repetitions that it had by then. */
static void put_begun(struct rows *rows, unsigned i)
{
    const struct begun *const begun = &rows->begun[i];
    const struct pail_summary ms = pail_summarize(begun->ms, begun->n);
    json_t *const measured = pail_report_pick(begun->last, multiplication_keys);
    if (begun->wrong) {
        json_decref(measured);
        put_multiplication(rows, i, "wrong", "the result differs from the closed form", NULL);
        return;
    }
    if (measured) {
        (void)json_object_set_new(measured, "wall_ms", json_real(ms.median));
        (void)json_object_set_new(measured, "wall_ms_min", json_real(ms.min));
        (void)json_object_set_new(measured, "wall_ms_max", json_real(ms.max));
        (void)json_object_set_new(measured, "reps", json_integer((json_int_t)begun->n));
    }
    put_multiplication(rows, i, "measured", NULL, measured);
}

static void ask_rows(struct pail_report_run *run, struct rows *rows, const char *const *words)
{
    struct pail_report_answer answer;
    rows->run = run;
    rows->answer = &answer;
    pail_report_ask(
        run, &answer,
        &(const struct pail_report_question){
            .words = words, .lines = true, .answer = take_multiplication, .user = rows});
    for (unsigned i = 0; i < rows->n; i++) {
        const bool has_row = (rows->seen >> i & 1) != 0;
        if (!has_row && rows->begun[i].last && answer.end == PAIL_REPORT_LATE)
            put_begun(rows, i);
        else if (!has_row)
            pail_report_put_end(run, rows->names[i], &answer);
        json_decref(rows->begun[i].last);
    }
    pail_report_note_end(run, rows->names[rows->n - 1], &answer);
}

/* One configuration at one size. variant: as of --var. */
static void bench(struct pail_report_run *run, const char *name, uint32_t log_n,
                  const char *variant)
{
    const double ms = estimate(run, UINT64_C(1) << log_n);
    struct rows rows = {.names = &name, .n = 1, .usual = strcmp(variant, "default") == 0};
    struct often often;
    char size[8];
    choose_often(&often, run, ms, 1, 1);
    (void)snprintf(size, sizeof(size), "2^%" PRIu32, log_n);
    const char *const words[] = {"bench",  "--sizes",  size,          GROUP,
                                 "--reps", often.reps, "--warmup-ms", often.warmup_ms,
                                 "--var",  variant,    NULL};
    if (pail_report_lacks(run, ms))
        pail_report_put(run, name, PAIL_REPORT_NO_TIME, NULL, NULL, NULL);
    else
        ask_rows(run, &rows, words);
}

static void accumulators(struct pail_report_run *run)
{
    /* Both in one process: a software driver makes the pipelines anew in each. */
    static const char *const words[] = {"bench",  "--sizes", "2^12,2^16",   GROUP,
                                        "--reps", "3",       "--warmup-ms", "150",
                                        "--var",  "default", NULL};
    static const char *const names[] = {"2^12, default", "2^16, default"};
    struct rows rows = {.names = names, .n = 2, .usual = true};
    ask_rows(run, &rows, words);
    bench(run, "2^16, walker", 16, "accumulator=walker");
    bench(run, "2^16, coop", 16, "accumulator=coop");
    bench(run, "2^16, xyzz", 16, "accumulator=xyzz");
}

static void placements(struct pail_report_run *run)
{
    bench(run, "2^16, walker, private", 16, "accumulator=walker,placement=private");
    bench(run, "2^16, walker, workgroup", 16, "accumulator=walker,placement=workgroup");
    bench(run, "2^16, walker, device", 16, "accumulator=walker,placement=device");
}

static void large(struct pail_report_run *run)
{
    bench(run, "2^18, default", 18, "default");
}

static void largest(struct pail_report_run *run)
{
    bench(run, "2^20, default", 20, "default");
}

/* ---- Memory against time --------------------------------------------------------------------- */

#define BATCHES "1,2,3,5,8"
enum { N_BATCHES = 5 };

static void batches_of(struct pail_report_run *run, uint32_t log_n, const char *const *names)
{
    const double ms = estimate(run, UINT64_C(1) << log_n);
    struct rows rows = {.names = names, .n = N_BATCHES, .whole = true};
    struct often often;
    char size[8];
    choose_often(&often, run, ms, N_BATCHES, 1);
    (void)snprintf(size, sizeof(size), "2^%" PRIu32, log_n);
    const char *const words[] = {"membudget",   "--sizes",       size,     GROUP,    "--batches",
                                 BATCHES,       "--residency",   "device", "--reps", often.reps,
                                 "--warmup-ms", often.warmup_ms, NULL};
    if (!pail_report_lacks(run, ms)) {
        ask_rows(run, &rows, words);
        return;
    }
    for (unsigned i = 0; i < N_BATCHES; i++)
        pail_report_put(run, names[i], PAIL_REPORT_NO_TIME, NULL, NULL, NULL);
}

static void memory(struct pail_report_run *run)
{
    static const char *const small[N_BATCHES] = {"2^16, 1 batch", "2^16, 2 batches",
                                                 "2^16, 3 batches", "2^16, 5 batches",
                                                 "2^16, 8 batches"};
    static const char *const big[N_BATCHES] = {"2^20, 1 batch", "2^20, 2 batches",
                                               "2^20, 3 batches", "2^20, 5 batches",
                                               "2^20, 8 batches"};
    batches_of(run, 16, small);
    batches_of(run, 20, big);
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

struct taken {
    struct pail_report_run *run;
    const char *name;
    const struct pail_report_answer *answer;
    bool seen;
    double ms;
};

static void take_proof(void *user, json_t *object)
{
    static const char *const keys[] = {"pipelines_ms", "verify_ms", "stages_ms", "b2", NULL};
    struct taken *const taken = user;
    json_t *const measured = pail_report_pick(object, keys);
    const json_t *const key = json_object_get(object, "key");
    taken->seen = true;
    taken->ms = json_number_value(json_object_get(object, "prove_ms"));
    if (measured) {
        static const char *const from[] = {"prove_ms", "prove_ms", "prove_ms_max", "repeats"};
        static const char *const to[] = {"wall_ms", "wall_ms_min", "wall_ms_max", "reps"};
        for (size_t i = 0; i < 4; i++)
            (void)json_object_set(measured, to[i], json_object_get(object, from[i]));
        (void)json_object_set(measured, "curve", json_object_get(key, "curve"));
        (void)json_object_set(measured, "domain", json_object_get(key, "domain"));
        (void)json_object_set(measured, "variables", json_object_get(key, "variables"));
        (void)json_object_set(measured, "bytes_device", json_object_get(key, "device_bytes"));
    }
    pail_report_put(taken->run, taken->name, "measured", NULL, taken->answer->command, measured);
}

/* Returns the time of the fastest one, or 0. */
static double prove(struct pail_report_run *run, const char *name, uint32_t constraints, double ms)
{
    char key[PATH_CHARS], witness[PATH_CHARS], proof[PATH_CHARS], publics[PATH_CHARS],
        again[PAIL_REPORT_CHARS];
    struct pail_report_answer answer;
    struct taken taken = {.run = run, .name = name, .answer = &answer};
    struct often often;
    if (pail_report_lacks(run, ms)) {
        pail_report_put(run, name, PAIL_REPORT_NO_TIME, NULL, NULL, NULL);
        return 0;
    }
    pail_report_ask_for_key(run, &answer, key, witness, constraints);
    if (answer.end != PAIL_REPORT_DONE) {
        pail_report_put_end(run, name, &answer);
        return 0;
    }
    (void)snprintf(proof, sizeof(proof), "%s/proof.json", run->folder);
    (void)snprintf(publics, sizeof(publics), "%s/public.json", run->folder);
    memcpy(again, answer.command, sizeof(again));
    choose_often(&often, run, ms, 1, 2); /* the first one makes pipelines */
    const char *const words[] = {"prove", key,        witness,    proof,
                                 publics, "--repeat", often.reps, NULL};
    pail_report_ask(run, &answer,
                    &(const struct pail_report_question){
                        .words = words, .repeats = again, .answer = take_proof, .user = &taken});
    if (!taken.seen)
        pail_report_put_end(run, name, &answer);
    pail_report_note_end(run, name, &answer);
    return taken.ms;
}

/* A proof is a multiplication in G2, which takes about as long as three in G1, four of those, and
 * seven transforms. */
static void proofs(struct pail_report_run *run)
{
    const double small_ms = prove(run, "1000 constraints", 1000, 8 * estimate(run, 1 << 10));
    const double by_small = 64 * small_ms, by_msm = 8 * estimate(run, 1 << 16);
    const bool known = small_ms > 0 && (by_msm <= 0 || by_small < by_msm);
    (void)prove(run, "65000 constraints", 65000, known ? by_small : by_msm);
}

/* ---- Transforms ------------------------------------------------------------------------------ */

static void take_transforms(void *user, json_t *object)
{
    static const char *const keys[] = {"curve",       "n",         "direction",
                                       "order",       "wall_ms",   "wall_ms_min",
                                       "wall_ms_max", "device_ms", NULL};
    struct taken *const taken = user;
    json_t *const row = json_array_get(json_object_get(object, "results"), 0);
    const bool right = json_is_true(json_object_get(row, "checked"));
    if (!row)
        return;
    taken->seen = true;
    taken->ms = json_number_value(json_object_get(row, "wall_ms"));
    pail_report_put(taken->run, taken->name, right ? "measured" : "wrong",
                    right ? NULL : taken->answer->sentence, taken->answer->command,
                    pail_report_pick(row, keys));
}

static double transform(struct pail_report_run *run, const char *name, const char *size, double ms)
{
    struct pail_report_answer answer;
    struct taken taken = {.run = run, .name = name, .answer = &answer};
    struct often often;
    choose_often(&often, run, ms, 1, 1);
    const char *const words[] = {"ntt",      "--curve",     "bn254",         "--sizes",
                                 size,       "--direction", "forward",       "--repeat",
                                 often.reps, "--warmup-ms", often.warmup_ms, NULL};
    if (pail_report_lacks(run, ms)) {
        pail_report_put(run, name, PAIL_REPORT_NO_TIME, NULL, NULL, NULL);
        return 0;
    }
    pail_report_ask(run, &answer,
                    &(const struct pail_report_question){
                        .words = words, .answer = take_transforms, .user = &taken});
    if (!taken.seen)
        pail_report_put_end(run, name, &answer);
    pail_report_note_end(run, name, &answer);
    return taken.ms;
}

static void transforms(struct pail_report_run *run)
{
    const double small = transform(run, "2^12", "2^12", 0);
    const double middle = transform(run, "2^16", "2^16", 20 * small);
    (void)transform(run, "2^20", "2^20", 20 * middle);
}

/* ---- Sizing ---------------------------------------------------------------------------------- */

/* A launch whose stacks follow from maxima over an array of 2^20 elements and one that is nested.
 */
static const char sizing_case[] =
    "{\"kernel\": \"report\", \"sources\": [\n"
    "  {\"name\": \"counts\", \"dtype\": \"i32\", \"shape\": [1048576],\n"
    "   \"data\": {\"random\": [0, 999], \"seed\": 1, \"set\": [[[777777], 1000]]}},\n"
    "  {\"name\": \"pairs\", \"dtype\": \"u16\", \"shape\": [1024, 256],\n"
    "   \"data\": {\"random\": [0, 99], \"seed\": 2, \"set\": [[[1000, 200], 100]]}}],\n"
    " \"tasks\": [{\"threads\": 1024, \"stacks\": [\n"
    "  {\"heap\": \"float\", \"expect\": 1000,\n"
    "   \"tree\": [\"max_over\", \"i\", 0, [\"shape\", \"counts\", 0], [\"read\", \"counts\", "
    "\"i\"]]},\n"
    "  {\"heap\": \"int\", \"expect\": 101,\n"
    "   \"tree\": [\"max_over\", \"i\", 0, [\"shape\", \"pairs\", 0],\n"
    "            [\"max_over\", \"j\", 0, [\"shape\", \"pairs\", 1],\n"
    "             [\"add\", [\"read\", \"pairs\", \"i\", \"j\"], 1]]]}]}]}\n";

static const char *const ways[] = {"host", "device", "auto", "cached"};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* A way's times by the names of other rows. */
static void put_way(struct taken *taken, const char *name, const json_t *way)
{
    static const char *const keys[] = {"device_ms", "first_ms", "cells", "host_cells", NULL};
    const char *const sentence = json_string_value(json_object_get(way, "sentence"));
    if (json_integer_value(json_object_get(way, "status")) != 0) {
        pail_report_put(taken->run, name, "failed", sentence, taken->answer->command, NULL);
        return;
    }
    json_t *const measured = pail_report_pick(way, keys);
    if (measured) {
        (void)json_object_set(measured, "wall_ms", json_object_get(way, "median_ms"));
        (void)json_object_set(measured, "wall_ms_min", json_object_get(way, "min_ms"));
        (void)json_object_set(measured, "wall_ms_max", json_object_get(way, "max_ms"));
    }
    pail_report_put(taken->run, name, "measured", NULL, taken->answer->command, measured);
}

static void take_sizing(void *user, json_t *object)
{
    struct taken *const taken = user;
    const json_t *const all = json_object_get(object, "ways");
    const char *const difference = json_string_value(json_object_get(object, "difference"));
    taken->seen = true;
    for (size_t i = 0; i < WAYS; i++) {
        const json_t *const way = json_object_get(all, ways[i]);
        if (difference)
            pail_report_put(taken->run, ways[i], "wrong", difference, taken->answer->command, NULL);
        else if (!way)
            pail_report_put(taken->run, ways[i], "unsupported", "the backend has no such way",
                            taken->answer->command, NULL);
        else
            put_way(taken, ways[i], way);
    }
}

static void sizing(struct pail_report_run *run)
{
    char path[PATH_CHARS], again[128];
    struct pail_report_answer answer = {.end = PAIL_REPORT_FAILED};
    struct taken taken = {.run = run, .answer = &answer};
    struct pail_error error = {0};
    /* Its own limit of time would be a failure. */
    const char *const words[] = {"adstack", "eval", path, "--max-ms", "0", NULL};
    (void)snprintf(again, sizeof(again), "pail report --only sizing --backend %s --device %s",
                   run->backend, run->index);
    if (pail_report_make_file(run, path, "sizing.json", sizing_case, &error) == PAIL_OK) {
        pail_report_ask(
            run, &answer,
            &(const struct pail_report_question){
                .words = words, .repeats = again, .answer = take_sizing, .user = &taken});
    } else {
        (void)snprintf(answer.command, sizeof(answer.command), "%s", again);
        pail_report_take_error(run, &answer, &error);
    }
    for (size_t i = 0; i < WAYS && !taken.seen; i++)
        pail_report_put_end(run, ways[i], &answer);
    pail_report_note_end(run, ways[WAYS - 1], &answer);
}

/* ---- The steps ------------------------------------------------------------------------------- */

const struct pail_report_step pail_report_steps[PAIL_REPORT_STEPS] = {
    {"correctness", "correctness, against the CPU", 20, check},
    {"accumulators", "MSM of 2^16, BN254 G1, with each accumulator", 25, accumulators},
    {"proof", "Groth16 proof, BN254", 15, proofs},
    {"transforms", "number-theoretic transforms, BN254", 8, transforms},
    {"sizing", "sizes of history stacks", 4, sizing},
    {"placements", "placements of prefix products", 10, placements},
    {"msm-2^18", "MSM of 2^18, BN254 G1", 8, large},
    {"memory", "memory against time, by batches of windows", 12, memory},
    {"msm-2^20", "MSM of 2^20, BN254 G1", 8, largest},
};
