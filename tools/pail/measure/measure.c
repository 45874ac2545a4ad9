/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "measure.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"

/* ---- Measuring ------------------------------------------------------------------------------- */

void pail_case_init(struct pail_case *c, const struct pail_instrument_options *options,
                    const struct pail_variant *variant, size_t group, uint64_t n)
{
    *c = (struct pail_case){
        .setup = {.curve = options->groups[group].curve,
                  .group = options->groups[group].group,
                  .n = n,
                  .jobs = variant->jobs,
                  .dist = variant->dist,
                  .base_kind = variant->base_kind,
                  .seed = options->seed,
                  .validation = options->validation,
                  .knobs = variant->knobs,
                  .scalar_memory = variant->scalar_memory},
    };
    (void)snprintf(c->label, sizeof(c->label), "%s", variant->label);
}

/* All cases of one call. */
struct session {
    struct pail_rig *rig;
    struct pail_case *cases;
    size_t n;
    uint64_t ticks, total; /* runs done, and of all */
    double warm_ms;        /* time of the warm-ups since the last preparation */
    struct pail_progress progress;
    char label[224];
};

static void tick(void *user)
{
    struct session *const session = user;
    pail_progress_tick(&session->progress, (double)session->ticks / (double)session->total);
}

static void announce(struct session *session, const struct pail_case *c)
{
    char size[24];
    (void)snprintf(session->label, sizeof(session->label), "%s %s %s %s",
                   pail_name_of(pail_curve_names, c->setup.curve),
                   pail_name_of(pail_group_names, c->setup.group), pail_size_text(size, c->setup.n),
                   c->label);
    pail_progress_begin(&session->progress, session->label);
}

static void fail(struct session *session, struct pail_case *c)
{
    const pail_status status = c->error.status;
    c->outcome = status == PAIL_ERR_UNSUPPORTED ? PAIL_NOT_OFFERED : PAIL_FAILED;
    const bool refused = status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_DEVICE_MEMORY;
    if (c->outcome == PAIL_NOT_OFFERED || (refused && session->rig->expects_refusals))
        session->rig->unsupported++;
    else
        pail_error_add(&session->rig->error, &(struct pail_error){.status = status});
    session->total -= session->rig->options.warmup + session->rig->options.reps;
    pail_subject_destroy(&c->subject);
}

static void mark_wrong(struct session *session, struct pail_case *c,
                       const struct pail_sample *sample)
{
    c->outcome = PAIL_WRONG;
    pail_differs(&c->error, "the result of job %zu differs from the closed form",
                 sample->wrong_job);
    session->rig->error.differs = true;
    pail_subject_destroy(&c->subject);
}

static void begin_case(struct session *session, size_t index)
{
    struct pail_case *const c = &session->cases[index];
    struct pail_rig *const rig = session->rig;
    announce(session, c);
    pail_status status = PAIL_OK;
    if (rig->fresh_contexts && rig->context_used)
        status = pail_session_renew(&rig->session, rig->options.session.threads, &c->error);
    if (status == PAIL_OK)
        status =
            pail_subject_create(&c->subject, &rig->session, &rig->supply, &c->setup, &c->error);
    rig->context_used = true;
    c->fresh_context = rig->fresh_contexts;
    c->bases_ms = c->subject.bases_ms;
    c->info = c->subject.info;
    if (status != PAIL_OK)
        fail(session, c);
    (void)pail_progress_end(&session->progress);
}

static void put_sample(struct session *session, size_t index, const char *event, uint64_t rep,
                       const struct pail_sample *sample)
{
    struct pail_json row;
    pail_lines_begin(&session->rig->lines, &row, event);
    pail_json_set_case(&row, &session->cases[index], index);
    pail_json_set_number(&row, "rep", rep);
    pail_json_set_real(&row, "wall_ms", sample->wall_ms);
    pail_json_set_real(&row, "device_ms", sample->stats.device_ms);
    pail_json_set(&row, "phases", pail_phases_array(&sample->stats));
    pail_json_set_bool(&row, "cross_ok", sample->equal);
    pail_json_set_stats(&row, &sample->stats);
    pail_lines_write(&session->rig->lines, &row);
}

/* A warm-up is checked like every other run. */
static void run_case(struct session *session, size_t index, uint64_t rep, bool measured)
{
    struct pail_case *const c = &session->cases[index];
    const struct pail_instrument_options *const options = &session->rig->options;
    if (c->outcome != PAIL_MEASURED)
        return;
    const bool falsify =
        options->wrong_case == session->rig->cases + index && measured && rep + 1 == options->reps;
    struct pail_sample sample;
    announce(session, c);
    const pail_status status =
        pail_subject_run(&sample, &c->subject, falsify, tick, session, &c->error);
    (void)pail_progress_end(&session->progress);
    session->ticks++;
    if (status != PAIL_OK) {
        fail(session, c);
        return;
    }
    put_sample(session, index, measured ? "rep" : "warmup", rep, &sample);
    if (c->first_ms <= 0)
        c->first_ms = sample.stats.device_ms > 0 ? sample.stats.device_ms
                                                 : sample.wall_ms - sample.stats.pipelines_ms;
    if (!sample.equal) {
        mark_wrong(session, c, &sample);
        return;
    }
    c->stats = sample.stats;
    if (!measured) {
        /* The device's own time counts where pipelines were made: it waited for most of the run. */
        session->warm_ms += sample.stats.pipelines_compiled + sample.stats.pipelines_disk
                                ? sample.stats.device_ms
                                : sample.wall_ms;
        return;
    }
    c->wall_ms[c->n] = sample.wall_ms;
    c->device_ms[c->n] = sample.stats.device_ms;
    for (size_t i = 0; i < PAIL_PHASES_MAX; i++)
        c->phases_ms[i][c->n] = i < sample.stats.n_phases ? sample.stats.phases[i].ms : 0;
    c->n++;
}

static void leave_out(struct session *session, struct pail_case *c, uint64_t runs_done)
{
    c->outcome = PAIL_LEFT_OUT;
    session->total -= session->rig->options.warmup + session->rig->options.reps - runs_done;
    pail_subject_destroy(&c->subject);
}

/* Drops cases after the first run of each: one that cannot become the best is not worth more. */
static void drop_slow(struct session *session, size_t first, size_t n)
{
    double least = 0;
    for (size_t i = first; i < first + n; i++) {
        const struct pail_case *const c = &session->cases[i];
        if (c->outcome == PAIL_MEASURED && c->first_ms > 0 && (least <= 0 || c->first_ms < least))
            least = c->first_ms;
    }
    for (size_t i = first; i < first + n; i++) {
        struct pail_case *const c = &session->cases[i];
        if (c->outcome != PAIL_MEASURED ||
            !pail_is_hopeless(c->first_ms, least, session->rig->drop_factor, session->rig->drop_ms))
            continue;
        (void)pail_line(PAIL_SENTENCE(&c->error),
                        "its first run took %.3f ms, %.1f times that of the best", c->first_ms,
                        c->first_ms / least);
        leave_out(session, c, 1);
    }
}

static bool time_is_up(const struct session *session)
{
    return session->rig->deadline_ms > 0 && pail_now_ms() >= session->rig->deadline_ms;
}

/* Marks cases that have no repetition when the time is up. */
static void leave_out_rest(struct session *session, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++) {
        struct pail_case *const c = &session->cases[i];
        if (c->outcome != PAIL_MEASURED || c->n > 0)
            continue;
        (void)pail_line(PAIL_SENTENCE(&c->error), "the time was up before it was measured");
        leave_out(session, c, 0);
    }
}

/* Runs each of the cases once, in every other round from the last to the first. False: the time is
 * up. */
static bool run_round(struct session *session, size_t first, size_t n, uint64_t round, uint64_t rep,
                      bool measured)
{
    for (size_t i = 0; i < n; i++) {
        run_case(session, first + (round % 2 == 0 ? i : n - 1 - i), rep, measured);
        if (time_is_up(session))
            return false;
    }
    if (round == 0 && session->rig->drop_factor > 0)
        drop_slow(session, first, n);
    return true;
}

/* True while another round of warm-ups is due: there were fewer than wanted, or the device has not
 * worked for long enough since the host prepared the cases. */
static bool is_cold(const struct session *session, size_t first, size_t n, uint64_t rounds)
{
    const struct pail_instrument_options *const options = &session->rig->options;
    bool any = false;
    for (size_t i = first; i < first + n; i++)
        any |= session->cases[i].outcome == PAIL_MEASURED;
    return any && (rounds < options->warmup || session->warm_ms < (double)options->warmup_ms);
}

/* Warm-ups, then repetitions, of cases that have been prepared. */
static void run_cases(struct session *session, size_t first, size_t n)
{
    const struct pail_instrument_options *const options = &session->rig->options;
    uint64_t round = 0;
    bool going = !time_is_up(session);
    session->warm_ms = 0;
    for (; going && is_cold(session, first, n, round); round++) {
        if (round >= options->warmup)
            session->total += n;
        going = run_round(session, first, n, round, round, false);
    }
    for (uint64_t rep = 0; going && rep < options->reps; rep++)
        going = run_round(session, first, n, round + rep, rep, true);
    if (!going)
        leave_out_rest(session, first, n);
}

static pail_status allocate(struct pail_case *c, size_t reps, struct pail_error *error)
{
    c->memory = calloc(reps * (2 + PAIL_PHASES_MAX), sizeof(*c->memory));
    if (!c->memory)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu repetitions", reps);
    c->wall_ms = c->memory;
    c->device_ms = c->memory + reps;
    for (size_t i = 0; i < PAIL_PHASES_MAX; i++)
        c->phases_ms[i] = c->memory + reps * (2 + i);
    return PAIL_OK;
}

/* Contexts that are fresh have no pipelines of the one before. */
static pail_status warm(struct pail_rig *rig, const struct pail_case *cases, size_t n,
                        struct pail_error *error)
{
    if (rig->fresh_contexts)
        return PAIL_OK;
    struct pail_setup *const setups = calloc(n + 1, sizeof(*setups));
    if (!setups)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu cases", n);
    for (size_t i = 0; i < n; i++)
        setups[i] = cases[i].setup;
    pail_rig_warm(rig, setups, n);
    free(setups);
    return PAIL_OK;
}

pail_status pail_measure(struct pail_rig *rig, struct pail_case *cases, size_t n, bool interleave,
                         void (*done)(struct pail_rig *rig, struct pail_case *c, size_t index),
                         struct pail_error *error)
{
    const uint64_t runs = rig->options.warmup + rig->options.reps;
    struct session session = {.rig = rig, .cases = cases, .n = n, .total = n * runs + 1};
    for (size_t i = 0; i < n; i++)
        if (allocate(&cases[i], (size_t)rig->options.reps, error) != PAIL_OK)
            return error->status;
    if (warm(rig, cases, n, error) != PAIL_OK)
        return error->status;
    for (size_t i = 0; i < n && interleave && !time_is_up(&session); i++)
        begin_case(&session, i);
    if (interleave)
        run_cases(&session, 0, n);
    for (size_t i = 0; i < n; i++) {
        if (!interleave) {
            begin_case(&session, i);
            run_cases(&session, i, 1);
        }
        pail_subject_destroy(&cases[i].subject);
        rig->measured += cases[i].outcome == PAIL_MEASURED;
        if (done)
            done(rig, &cases[i], i);
    }
    rig->cases += n;
    return PAIL_OK;
}

void pail_cases_clear(struct pail_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pail_subject_destroy(&cases[i].subject);
        free(cases[i].memory);
    }
}

void pail_cases_free(struct pail_case *cases, size_t n)
{
    if (cases)
        pail_cases_clear(cases, n);
    free(cases);
}

/* ---- Reports --------------------------------------------------------------------------------- */

double pail_case_adds_per_s(const struct pail_case *c)
{
    double ms = 0;
    for (uint32_t i = 0; i < c->stats.n_phases && i < PAIL_PHASES_MAX; i++)
        if (strcmp(c->stats.phases[i].name, "accumulate") == 0 ||
            strcmp(c->stats.phases[i].name, "combine") == 0)
            ms += pail_summarize(c->phases_ms[i], c->n).median;
    if (ms <= 0)
        ms = pail_summarize(c->wall_ms, c->n).median;
    return ms > 0 ? (double)c->stats.adds / ms * 1e3 : 0;
}

double pail_case_break_even(const struct pail_case *c, const struct pail_case *plain)
{
    if (c->outcome != PAIL_MEASURED || plain->outcome != PAIL_MEASURED ||
        c->info.table_factor <= 1 || plain->info.table_factor > 1)
        return 0;
    const double saved =
        pail_summarize(plain->wall_ms, plain->n).median - pail_summarize(c->wall_ms, c->n).median;
    return saved > 0 ? c->info.table_ms * (double)c->setup.jobs / saved : 0;
}

uint64_t pail_case_bytes(const struct pail_case *c)
{
    /* A context keeps what an earlier case made it allocate. */
    return (c->fresh_context ? c->stats.bytes_allocated : c->stats.bytes_requested) +
           c->stats.bytes_bases;
}

void pail_json_set_case(struct pail_json *row, const struct pail_case *c, size_t index)
{
    const struct pail_setup *const setup = &c->setup;
    char knobs[256];
    pail_json_set_number(row, "case", index);
    pail_json_set_text(row, "config", c->label);
    pail_json_set_text(row, "knobs", pail_knobs_text(knobs, sizeof(knobs), &setup->knobs));
    pail_json_set_text(row, "curve", pail_name_of(pail_curve_names, setup->curve));
    pail_json_set_text(row, "group", pail_name_of(pail_group_names, setup->group));
    pail_json_set_number(row, "n", setup->n);
    pail_json_set_number(row, "jobs", setup->jobs);
    pail_json_set_text(row, "dist", pail_scalar_dist_name(setup->dist));
    pail_json_set_text(row, "base_kind", pail_base_kind_name(setup->base_kind));
    pail_json_set_text(row, "scalars", pail_name_of(pail_memory_names, setup->scalar_memory));
    pail_json_set_number(row, "seed", setup->seed);
    pail_json_set_text(row, "validation", pail_name_of(pail_validation_names, setup->validation));
}

static json_t *median_phases(const struct pail_case *c)
{
    struct pail_json phases, phase;
    pail_json_begin_list(&phases);
    for (uint32_t i = 0; i < c->stats.n_phases && i < PAIL_PHASES_MAX; i++) {
        pail_json_begin(&phase);
        pail_json_set_text(&phase, "name", c->stats.phases[i].name);
        pail_json_set_real(&phase, "ms", pail_summarize(c->phases_ms[i], c->n).median);
        pail_json_add(&phases, pail_json_take(&phase));
    }
    return pail_json_take(&phases);
}

void pail_json_set_result(struct pail_json *row, const struct pail_case *c)
{
    static const char *const outcomes[] = {"measured", "wrong", "unsupported", "failed",
                                           "left out"};
    pail_json_set_text(row, "outcome", outcomes[c->outcome]);
    if (c->outcome == PAIL_MEASURED || c->outcome == PAIL_WRONG)
        pail_json_set_bool(row, "cross_ok", c->outcome == PAIL_MEASURED);
    if (c->outcome != PAIL_MEASURED) {
        pail_json_set_text(row, "reason", c->error.sentence);
        return;
    }
    const struct pail_summary wall = pail_summarize(c->wall_ms, c->n);
    pail_json_set_number(row, "reps", c->n);
    pail_json_set_real(row, "wall_ms", wall.median);
    pail_json_set_real(row, "wall_ms_min", wall.min);
    pail_json_set_real(row, "wall_ms_max", wall.max);
    pail_json_set_real(row, "wall_ms_mean", wall.mean);
    pail_json_set_real(row, "wall_ms_stdev", wall.deviation);
    pail_json_set_real(row, "device_ms", pail_summarize(c->device_ms, c->n).median);
    pail_json_set(row, "phases", median_phases(c));
    pail_json_set_real(row, "bases_ms", c->bases_ms);
    if (c->info.n_points > 0) {
        pail_json_set_text(row, "bases_residency",
                           pail_name_of(pail_residency_names, c->info.residency));
        pail_json_set_number(row, "bases_kept", c->info.n_kept);
        pail_json_set_number(row, "bases_device_bytes", c->info.device_bytes);
        pail_json_set_number(row, "bases_host_bytes", c->info.host_bytes);
    }
    if (c->info.table_factor > 1) {
        pail_json_set_number(row, "table_factor", c->info.table_factor);
        pail_json_set_number(row, "table_bits", c->info.table_bits);
        pail_json_set_number(row, "table_bytes", c->info.table_bytes);
        pail_json_set_real(row, "table_build_ms", c->info.table_ms);
    }
    pail_json_set_real(row, "adds_per_s", pail_case_adds_per_s(c));
    pail_json_set_real(
        row, "points_per_s",
        wall.median > 0 ? (double)c->setup.n * (double)c->setup.jobs / wall.median * 1e3 : 0);
    pail_json_set_number(row, "bytes_total", pail_case_bytes(c));
    pail_json_set_stats(row, &c->stats);
}

void pail_print_case_header(struct pail_rig *rig, int width)
{
    pail_rig_print(rig, "  %-*s \t%10s %10s %9s %10s %12s\n", width, "", "median ms", "min",
                   "stdev", "device", "memory");
}

void pail_print_case(struct pail_rig *rig, const struct pail_case *c, int width, bool best)
{
    pail_rig_print(rig, "%s %-*s ", best ? "*" : " ", width, c->label);
    if (c->outcome != PAIL_MEASURED) {
        static const char *const words[] = {"", "FAILED", "not supported", "error", "left out"};
        pail_rig_print(rig, "%s: %s\n", words[c->outcome], c->error.sentence);
        return;
    }
    const struct pail_summary wall = pail_summarize(c->wall_ms, c->n);
    char memory[24];
    pail_rig_print(rig, "\t%10.3f %10.3f %9.3f %10.3f %12s\n", wall.median, wall.min,
                   wall.deviation, pail_summarize(c->device_ms, c->n).median,
                   pail_bytes_text(memory, pail_case_bytes(c)));
}

const char *pail_bytes_text(char text[24], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(text, 24, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
    return text;
}

const char *pail_size_text(char text[24], uint64_t n)
{
    unsigned log2 = 0;
    while (log2 < 63 && UINT64_C(1) << log2 < n)
        log2++;
    if (n >= 16 && UINT64_C(1) << log2 == n)
        (void)snprintf(text, 24, "2^%u", log2);
    else
        (void)snprintf(text, 24, "%" PRIu64, n);
    return text;
}
