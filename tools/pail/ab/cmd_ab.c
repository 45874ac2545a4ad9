#include <stdlib.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"

static pail_status check(struct pail_instrument_options *options, struct pail_error *error)
{
    if (options->n_variants != 2)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--var is given %zu times; pail ab compares exactly two",
                         options->n_variants);
    if (options->reps < PAIL_PAIRS_MIN)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--reps %d: a verdict needs at least %d",
                         (int)options->reps, PAIL_PAIRS_MIN);
    return PAIL_OK;
}

static void print_side(struct pail_rig *rig, const char *name, const struct pail_case *c)
{
    pail_rig_print(rig, "  %s  %-32s ", name, c->label);
    if (c->outcome != PAIL_MEASURED) {
        static const char *const words[] = {"", "FAILED", "not supported", "error"};
        pail_rig_print(rig, "%s: %s\n", words[c->outcome], c->error.sentence);
        return;
    }
    const struct pail_summary wall = pail_summarize(c->wall_ms, c->n);
    pail_rig_print(rig, "median %9.3f ms, min %9.3f, stdev %8.3f\n", wall.median, wall.min,
                   wall.deviation);
}

static void set_side(struct pail_json *row, const char *key, const struct pail_case *c,
                     size_t index)
{
    struct pail_json side;
    pail_json_begin(&side);
    pail_json_set_case(&side, c, index);
    pail_json_set_result(&side, c);
    pail_json_set(row, key, pail_json_take(&side));
}

/* The cost of scalars from the host: a ratio above 1, unless copies are hidden behind the work. */
static void put_ratio(struct pail_rig *rig, struct pail_json *row, const struct pail_case *pair)
{
    const bool swapped = pair[1].setup.scalar_memory != PAIL_MEMORY_DEVICE;
    const struct pail_case *const device = &pair[swapped ? 0 : 1], *const other =
                                                                       &pair[!swapped ? 0 : 1];
    if (device->setup.scalar_memory != PAIL_MEMORY_DEVICE ||
        other->setup.scalar_memory == PAIL_MEMORY_DEVICE)
        return;
    const double least = pail_summarize(device->wall_ms, device->n).median;
    const double ratio = least > 0 ? pail_summarize(other->wall_ms, other->n).median / least : 0;
    pail_json_set_real(row, "host_over_device", ratio);
    pail_rig_print(rig, "  scalars from the host take %.3f times as long as on the device\n",
                   ratio);
}

static void conclude(struct pail_rig *rig, const struct pail_case *pair)
{
    const struct pail_case *const a = &pair[0], *const b = &pair[1];
    char size[24];
    pail_rig_print(rig, "\n%s %s, n = %s\n", pail_name_of(pail_curve_names, a->setup.curve),
                   pail_name_of(pail_group_names, a->setup.group),
                   pail_size_text(size, a->setup.n));
    print_side(rig, "A", a);
    print_side(rig, "B", b);
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "ab");
    set_side(&row, "a", a, 0);
    set_side(&row, "b", b, 1);
    if (a->outcome != PAIL_MEASURED || b->outcome != PAIL_MEASURED) {
        pail_json_set(&row, "verdict", json_null());
        pail_rig_print(rig, "  no verdict\n");
        /* A case that the backend does not offer leaves nothing to compare. */
        if (a->outcome == PAIL_NOT_OFFERED || b->outcome == PAIL_NOT_OFFERED)
            pail_error_add(&rig->error, &(struct pail_error){.status = PAIL_ERR_UNSUPPORTED});
    } else {
        const struct pail_comparison comparison = pail_compare(a->wall_ms, b->wall_ms, a->n);
        const double median = pail_summarize(a->wall_ms, a->n).median;
        const double percent = median > 0 ? 100 * comparison.difference / median : 0;
        const char *const verdict = pail_verdict_name(comparison.verdict);
        pail_json_set_real(&row, "difference_ms", comparison.difference);
        pail_json_set_real(&row, "difference_percent", percent);
        pail_json_set_real(&row, "standard_error_ms", comparison.error);
        pail_json_set_real(&row, "noise_ms", comparison.noise);
        pail_json_set_text(&row, "verdict", verdict);
        put_ratio(rig, &row, pair);
        pail_rig_print(rig, "  B - A: %+.3f ms (%+.2f %%), noise %.3f ms: %s%s\n",
                       comparison.difference, percent, comparison.noise,
                       comparison.verdict == PAIL_WITHIN_NOISE ? "" : "B is ", verdict);
    }
    pail_lines_put(&rig->lines, &row);
}

static pail_status ab(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++) {
        struct pail_case *const pair = calloc(2, sizeof(*pair));
        if (pair == NULL)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for two cases");
        for (size_t v = 0; v < 2; v++)
            pail_case_init(&pair[v], options, &options->variants[v], i / options->sizes.n,
                           options->sizes.values[i % options->sizes.n]);
        status = pail_measure(rig, pair, 2, true, NULL, error);
        if (status == PAIL_OK)
            conclude(rig, pair);
        pail_cases_free(pair, 2);
    }
    return status;
}

static const struct pail_instrument instrument = {.check = check, .run = ab};

const struct pail_command pail_ab_command = {
    .name = "ab",
    .summary = "compare two configurations, with a statistical verdict",
    .usage = "--var K=V,... --var K=V,... [OPTIONS]",
    .text = "Compares two configurations, A and B, in alternation: A B, B A, A B, ...; \"default\" "
            "is the one without changes. B is called faster or slower only when the median of the "
            "differences of the pairs is more than 4 times its "
            "standard error away from 0; that error is estimated as sqrt(pi/2) s / "
            "sqrt(pairs), with s the standard deviation of the differences. Otherwise the "
            "difference is within the noise. If a result differs from the closed form there is no "
            "verdict, and the exit status is 1. Confirm an important difference with a second "
            "run.\n--var is given exactly twice, "
            "and a verdict needs at least 4 repetitions.",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_AB, PAIL_KNOBS_ALL)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                .seed = 1, .reps = 10, .sizes = {{1 << 16}, 1}},
    .run = pail_instrument_run,
    .more = &instrument,
};
