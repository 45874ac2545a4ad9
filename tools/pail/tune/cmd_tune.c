#include <stdlib.h>

#include "commands.h"
#include "output/progress.h"
#include "tune_measure.h"
#include "tune_store.h"
#include <formats/report.h>

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
    "takes 4 times that of the best, and 0.2 s, has no more of them. Then, for each size, windows\n"
    "around that of the model. What the backend takes by itself stays unless another is faster "
    "beyond the\n"
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
    pail_status status = pail_tune_accumulators(rig, finding, group, error, error_cap);
    if (status == PAIL_OK)
        status = pail_tune_windows(rig, finding, group, error, error_cap);
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
    pail_status status = PAIL_OK;
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
        .needs = PAIL_ABILITY_TUNING | PAIL_ABILITY_ACCOUNT,
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
