/* SPDX-License-Identifier: Apache-2.0 */
/* `pail tune`: measures the choices of a device and keeps them. */
#include "tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>

#include "commands.h"
#include "error/error.h"
#include "measure/measure.h"
#include "measure/rig.h"
#include "options/names.h"

/* ---- Choices that a context keeps ------------------------------------------------------------ */

/* tuning: in: curve and group. *found: whether there is one; without, the rest is zeroed. */
static pail_status tune_store_read(const struct pail_session *session, pail_tuning *tuning,
                                   bool *found, struct pail_error *error)
{
    const pail_status status = session->backend->tuning_get(session->context, tuning);
    *found = status == PAIL_OK;
    return pail_session_said(error, session, status == PAIL_NOT_READY ? PAIL_OK : status);
}

static bool is_empty(const pail_tuning *tuning)
{
    const pail_tuning empty = {
        .struct_size = tuning->struct_size, .curve = tuning->curve, .group = tuning->group};
    return memcmp(tuning, &empty, sizeof(empty)) == 0;
}

/* Writes it (all zero but curve and group: forgets), makes a new context and looks there: what the
 * cache did not take is PAIL_ERR_IO with a sentence. The session's context is another one then, so
 * nothing may have been made with it that still is. */
static pail_status tune_store_write(struct pail_session *session, const pail_tuning *tuning,
                                    uint32_t threads, struct pail_error *error)
{
    pail_status status = session->backend->tuning_set(session->context, tuning);
    if (pail_session_said(error, session, status) != PAIL_OK)
        return status;
    /* Not the new one first: it would share with the old one what is in memory. */
    session->backend->context_destroy(&session->context);
    status = pail_session_renew(session, threads, error);
    if (status != PAIL_OK)
        return status;
    pail_tuning kept = {
        .struct_size = sizeof(kept), .curve = tuning->curve, .group = tuning->group};
    bool found;
    status = tune_store_read(session, &kept, &found, error);
    if (status != PAIL_OK)
        return status;
    if (found ? memcmp(&kept, tuning, sizeof(kept)) != 0 : !is_empty(tuning))
        return pail_fail(error, PAIL_ERR_IO,
                         "%s: the choice for %s %s was not kept; is there a cache folder that can "
                         "be written, and PAIL_DEBUG without nocache?",
                         session->backend->name, pail_name_of(pail_curve_names, tuning->curve),
                         pail_name_of(pail_group_names, tuning->group));
    return PAIL_OK;
}

/* ---- Reports --------------------------------------------------------------------------------- */

enum { PLACES = sizeof(((pail_tuning *)0)->window_bits) };

void pail_tune_put_candidate(struct pail_rig *rig, const struct pail_case *c, size_t index,
                             enum pail_tune_stage stage, bool best, bool built_in)
{
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "candidate");
    pail_json_set_text(&row, "stage", stage == PAIL_TUNE_WINDOW ? "window" : "accumulator");
    pail_json_set_case(&row, c, index);
    pail_json_set_result(&row, c);
    if (stage == PAIL_TUNE_ACCUMULATORS)
        pail_json_set_bool(&row, "built_in", built_in);
    pail_json_set_bool(&row, "best", best);
    pail_lines_write(&rig->lines, &row);
}

/* As the words of the command line. */
static struct pail_knobs knobs_of(const pail_tuning *tuning)
{
    struct pail_knobs knobs;
    pail_knobs_init(&knobs);
    knobs.config.accumulator = tuning->accumulator;
    knobs.config.field = tuning->field;
    knobs.config.workgroup = tuning->workgroup;
    knobs.config.slots = tuning->slots;
    knobs.config.inversion_group = tuning->inversion_group;
    knobs.config.prefix_placement = tuning->prefix_placement;
    return knobs;
}

static void begin_row(struct pail_rig *rig, struct pail_json *row, const pail_tuning *tuning,
                      const char *state)
{
    pail_lines_begin(&rig->lines, row, "tuning");
    pail_json_set_text(row, "curve", pail_name_of(pail_curve_names, tuning->curve));
    pail_json_set_text(row, "group", pail_name_of(pail_group_names, tuning->group));
    pail_json_set_text(row, "state", state);
}

static void set_choice(struct pail_json *row, const pail_tuning *tuning)
{
    const struct pail_knobs knobs = knobs_of(tuning);
    char text[256];
    pail_json_set_text(row, "knobs", pail_knobs_text(text, sizeof(text), &knobs));
    pail_json_set_text(row, "accumulator",
                       pail_name_of(pail_accumulator_names, tuning->accumulator));
    pail_json_set_text(row, "field", pail_name_of(pail_field_names, tuning->field));
    pail_json_set_text(row, "placement",
                       pail_name_of(pail_placement_names, tuning->prefix_placement));
    pail_json_set_number(row, "slots", tuning->slots);
    pail_json_set_number(row, "inversion_group", tuning->inversion_group);
    pail_json_set_number(row, "workgroup", tuning->workgroup);
}

static json_t *kept_windows(const pail_tuning *tuning)
{
    struct pail_json windows, window;
    pail_json_begin_list(&windows);
    for (uint32_t i = 0; i < PLACES; i++) {
        if (tuning->window_bits[i] == 0)
            continue;
        pail_json_begin(&window);
        pail_json_set_number(&window, "log2", i);
        pail_json_set_number(&window, "window", tuning->window_bits[i]);
        pail_json_add(&windows, pail_json_take(&window));
    }
    return pail_json_take(&windows);
}

static json_t *found_windows(const struct pail_rig *rig, const struct pail_tune_finding *finding)
{
    struct pail_json windows, window;
    pail_json_begin_list(&windows);
    for (size_t i = 0; i < rig->options.sizes.n; i++) {
        const struct pail_tune_window *const found = &finding->windows[i];
        pail_json_begin(&window);
        pail_json_set_number(&window, "log2", pail_tune_place(rig->options.sizes.values[i]));
        pail_json_set_number(&window, "n", rig->options.sizes.values[i]);
        pail_json_set_bool(&window, "measured", found->measured);
        pail_json_set_number(&window, "window", found->bits);
        if (found->measured) {
            pail_json_set_number(&window, "model", found->model);
            pail_json_set_real(&window, "model_ms", found->model_ms);
            pail_json_set_real(&window, "ms", found->ms);
        }
        pail_json_add(&windows, pail_json_take(&window));
    }
    return pail_json_take(&windows);
}

static void print_windows(struct pail_rig *rig, const pail_tuning *tuning)
{
    bool any = false;
    for (uint32_t i = 0; i < PLACES; i++) {
        if (tuning->window_bits[i] == 0)
            continue;
        pail_rig_print(rig, "%s 2^%" PRIu32 ": %u", any ? "," : "; windows", i,
                       (unsigned)tuning->window_bits[i]);
        any = true;
    }
    pail_rig_print(rig, any ? "\n" : "; windows of the model\n");
}

static void print_choice(struct pail_rig *rig, const pail_tuning *tuning, const char *state)
{
    const struct pail_knobs knobs = knobs_of(tuning);
    char text[256];
    pail_rig_print(rig, "%s %s: %s %s", pail_name_of(pail_curve_names, tuning->curve),
                   pail_name_of(pail_group_names, tuning->group), state,
                   pail_knobs_text(text, sizeof(text), &knobs));
    print_windows(rig, tuning);
}

/* The last row of a group: what was found. state: "stored", "measured" or "none". */
static void tune_put_finding(struct pail_rig *rig, const struct pail_tune_finding *finding,
                             const pail_tuning *tuning, const char *state)
{
    struct pail_json row;
    begin_row(rig, &row, tuning, state);
    pail_json_set_number(&row, "n", finding->n);
    if (finding->chosen) {
        set_choice(&row, tuning);
        pail_json_set_bool(&row, "built_in", finding->built_in);
        pail_json_set_real(&row, "ms", finding->ms);
        if (finding->built_in_ms > 0)
            pail_json_set_real(&row, "built_in_ms", finding->built_in_ms);
        pail_json_set(&row, "windows", found_windows(rig, finding));
        print_choice(rig, tuning, state);
    } else {
        pail_rig_print(rig, "%s %s: no choice\n", pail_name_of(pail_curve_names, tuning->curve),
                       pail_name_of(pail_group_names, tuning->group));
    }
    pail_lines_write(&rig->lines, &row);
}

static void put_first_uses(struct pail_rig *rig, struct pail_json *row, const pail_tuning *tuning)
{
    struct pail_json sizes, size;
    const char *before = "";
    pail_json_begin_list(&sizes);
    pail_rig_print(rig, "%s %s: by first uses:", pail_name_of(pail_curve_names, tuning->curve),
                   pail_name_of(pail_group_names, tuning->group));
    for (uint32_t i = 0; i < sizeof(tuning->accumulators); i++) {
        const char *name = pail_name_of(pail_accumulator_names, tuning->accumulators[i]);
        if (tuning->accumulators[i] == 0)
            continue;
        pail_json_begin(&size);
        pail_json_set_number(&size, "log2", i);
        pail_json_set_text(&size, "accumulator", name);
        pail_json_add(&sizes, pail_json_take(&size));
        pail_rig_print(rig, "%s 2^%" PRIu32 ": %s", before, i, name);
        before = ",";
    }
    pail_rig_print(rig, "; %.1f ms of comparing\n", tuning->compared_us / 1000.0);
    pail_json_set(row, "accumulators", pail_json_take(&sizes));
    pail_json_set_real(row, "compared_ms", tuning->compared_us / 1000.0);
}

/* The row of a group of which nothing was measured now. state: "stored", "first-uses", "none" or
 * "forgotten". */
static void tune_put_kept(struct pail_rig *rig, const pail_tuning *tuning, const char *state)
{
    struct pail_json row;
    begin_row(rig, &row, tuning, state);
    if (strcmp(state, "stored") == 0) {
        set_choice(&row, tuning);
        pail_json_set(&row, "windows", kept_windows(tuning));
        print_choice(rig, tuning, state);
    } else if (tuning->source == PAIL_TUNING_FIRST_USES) {
        put_first_uses(rig, &row, tuning);
    } else {
        pail_rig_print(rig, "%s %s: %s\n", pail_name_of(pail_curve_names, tuning->curve),
                       pail_name_of(pail_group_names, tuning->group), state);
    }
    pail_lines_write(&rig->lines, &row);
}

/* ---- The command ----------------------------------------------------------------------------- */

static pail_status check_options(struct pail_instrument_options *options, struct pail_error *error)
{
    if (options->show + options->forget + options->dry_run > 1)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--show, --forget and --dry-run exclude each other");
    if (options->reps < PAIL_PAIRS_MIN)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--reps %d: a verdict needs at least %d",
                         (int)options->reps, PAIL_PAIRS_MIN);
    return pail_tune_order_sizes(&options->sizes, error);
}

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
                              struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    *finding = (struct pail_tune_finding){.curve = options->groups[group].curve,
                                          .group = options->groups[group].group,
                                          .n = options->sizes.values[options->sizes.n / 2]};
    pail_status status = pail_tune_accumulators(rig, finding, group, error);
    if (status == PAIL_OK)
        status = pail_tune_windows(rig, finding, group, error);
    if (status != PAIL_OK)
        return status;
    const pail_tuning tuning = tuning_of(rig, finding);
    const char *state = finding->chosen ? "measured" : "none";
    if (finding->chosen && !options->dry_run) {
        status = tune_store_write(&rig->session, &tuning, options->session.threads, error);
        if (status == PAIL_OK)
            state = "stored";
    }
    pail_rig_print(rig, "\n");
    tune_put_finding(rig, finding, &tuning, state);
    return status;
}

static pail_status show_group(struct pail_rig *rig, size_t group, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_tuning tuning = {.struct_size = sizeof(tuning),
                          .curve = options->groups[group].curve,
                          .group = options->groups[group].group};
    bool found = false;
    const pail_status status =
        options->forget ? tune_store_write(&rig->session, &tuning, options->session.threads, error)
                        : tune_store_read(&rig->session, &tuning, &found, error);
    if (status == PAIL_OK)
        tune_put_kept(rig, &tuning,
                      options->forget                           ? "forgotten"
                      : tuning.source == PAIL_TUNING_FIRST_USES ? "first-uses"
                      : found                                   ? "stored"
                                                                : "none");
    return status;
}

static pail_status tune(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_status status = PAIL_OK;
    struct pail_tune_finding *const finding = malloc(sizeof(*finding));
    if (!finding)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a finding");
    /* A window or a knob of a candidate that the backend does not take is no failure. */
    rig->expects_refusals = true;
    const double end_ms = options->budget_ms > 0 ? pail_now_ms() + (double)options->budget_ms : 0;
    for (size_t i = 0; i < options->n_groups && status == PAIL_OK; i++) {
        if (options->show || options->forget) {
            status = show_group(rig, i, error);
            continue;
        }
        rig->deadline_ms = pail_tune_share(pail_now_ms(), end_ms, options->n_groups - i);
        status = tune_group(rig, finding, i, error);
    }
    free(finding);
    return status;
}

static const struct pail_instrument instrument = {
    .needs = PAIL_ABILITY_TUNING | PAIL_ABILITY_ACCOUNT, .check = check_options, .run = tune};

const struct pail_command pail_tune_command = {
    .name = "tune",
    .summary = "find the fastest configuration of a device, and keep it as default",
    .usage = "[OPTIONS]\n--show | --forget [--curve LIST] [--group LIST] [OPTIONS]",
    .text = "Measures which accumulator, field form and window are fastest on a device, and stores "
            "them in its cache. They are the defaults from then on, until the driver or the "
            "kernels change.\nFor each group it alternates between all candidates at the middle "
            "size, and drops those whose first run takes 4 times that of the fastest, and more "
            "than 0.2 s. Then it tries windows around that of the model for each size. A size "
            "stands for all sizes up to twice as large; others use the model. The default is kept "
            "unless another candidate is faster beyond the noise (pail ab --help), which needs at "
            "least 4 repetitions. Parameters given on the command line are fixed. Every result is "
            "compared with the closed form; a wrong one is never chosen, and the exit status is 1.",
    .examples = "tune --curve bn254 --group g1\n"
                "tune --show",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_TUNE, 0)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){
            PAIL_INSTRUMENT_DEFAULTS, PAIL_ALL_GROUPS, .seed = 1, .reps = 7,
            .sizes = {{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19,
                       1 << 20},
                      9},
            .accumulators = 1U << PAIL_ACCUMULATOR_XYZZ | 1U << PAIL_ACCUMULATOR_WALKER |
                            1U << PAIL_ACCUMULATOR_COOP},
    .run = pail_instrument_run,
    .more = &instrument,
};
