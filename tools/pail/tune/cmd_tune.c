#include <stdlib.h>

#include <platform/clock.h>

#include "commands.h"
#include "tune_measure.h"
#include "tune_store.h"

static pail_status check(struct pail_instrument_options *options, struct pail_error *error)
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
        status = pail_tune_store_write(&rig->session, &tuning, options->session.threads, error);
        if (status == PAIL_OK)
            state = "stored";
    }
    pail_rig_print(rig, "\n");
    pail_tune_put_finding(rig, finding, &tuning, state);
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
        options->forget
            ? pail_tune_store_write(&rig->session, &tuning, options->session.threads, error)
            : pail_tune_store_read(&rig->session, &tuning, &found, error);
    if (status == PAIL_OK)
        pail_tune_put_kept(rig, &tuning, options->forget ? "forgotten" : found ? "stored" : "none");
    return status;
}

static pail_status tune(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_status status = PAIL_OK;
    struct pail_tune_finding *const finding = malloc(sizeof(*finding));
    if (finding == NULL)
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
    .needs = PAIL_ABILITY_TUNING | PAIL_ABILITY_ACCOUNT, .check = check, .run = tune};

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
