/* SPDX-License-Identifier: Apache-2.0 */
/* `pail bench`, `pail ab` and `pail sweep`: times of multiplications. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"

/* ---- pail bench ------------------------------------------------------------------------------ */

static void print_header(struct pail_rig *rig, const struct pail_case *c)
{
    pail_rig_print(rig, "\n%s %s, %s scalars (%s), %s points\n",
                   pail_name_of(pail_curve_names, c->setup.curve),
                   pail_name_of(pail_group_names, c->setup.group),
                   pail_scalar_dist_name(c->setup.dist),
                   pail_name_of(pail_memory_names, c->setup.scalar_memory),
                   pail_base_kind_name(c->setup.base_kind));
    pail_rig_print(rig, "%8s  %-24s %-7s %-5s %3s %3s \t%9s %9s %8s %9s %8s %11s\n", "n",
                   "configuration", "accum", "field", "win", "bat", "median", "min", "stdev",
                   "device", "Madd/s", "memory");
}

static void print_case(struct pail_rig *rig, const struct pail_case *c)
{
    char size[24], memory[24];
    pail_rig_print(rig, "%8s  %-24s ", pail_size_text(size, c->setup.n), c->label);
    if (c->outcome != PAIL_MEASURED) {
        static const char *const words[] = {"", "FAILED", "not supported", "error"};
        pail_rig_print(rig, "%s: %s\n", words[c->outcome], c->error.sentence);
        return;
    }
    const struct pail_summary wall = pail_summarize(c->wall_ms, c->n);
    pail_rig_print(
        rig, "%-7s %-5s %3" PRIu32 " %3" PRIu32 " \t%9.3f %9.3f %8.3f %9.3f %8.1f %11s\n",
        pail_name_of(pail_accumulator_names, c->stats.accumulator),
        pail_name_of(pail_field_names, c->stats.field), c->stats.window_bits, c->stats.batches,
        wall.median, wall.min, wall.deviation, pail_summarize(c->device_ms, c->n).median,
        pail_case_adds_per_s(c) / 1e6, pail_bytes_text(memory, pail_case_bytes(c)));
    if (c->stats.n_phases == 0)
        return;
    pail_rig_print(rig, "%10s", "");
    for (uint32_t i = 0; i < c->stats.n_phases && i < PAIL_PHASES_MAX; i++)
        pail_rig_print(rig, "%s%s %.3f", i > 0 ? ", " : "", c->stats.phases[i].name,
                       pail_summarize(c->phases_ms[i], c->n).median);
    pail_rig_print(rig, "\n");
}

/* The case before this one that differs in having no table, if there is one. */
static const struct pail_case *plain_of(const struct pail_case *c, size_t index)
{
    for (const struct pail_case *plain = c; index-- > 0;) {
        plain--;
        struct pail_knobs knobs = c->setup.knobs;
        knobs.table_factor = 0;
        char mine[256], its[256];
        if (plain->setup.n == c->setup.n && plain->setup.curve == c->setup.curve &&
            plain->setup.group == c->setup.group && plain->setup.jobs == c->setup.jobs &&
            plain->setup.dist == c->setup.dist && plain->setup.base_kind == c->setup.base_kind &&
            plain->setup.scalar_memory == c->setup.scalar_memory &&
            strcmp(pail_knobs_text(mine, sizeof(mine), &knobs),
                   pail_knobs_text(its, sizeof(its), &plain->setup.knobs)) == 0)
            return plain;
    }
    return NULL;
}

static void print_table(struct pail_rig *rig, const struct pail_case *c, double break_even)
{
    char memory[24];
    pail_rig_print(rig,
                   "%10stable: %" PRIu32 " copies for windows of %" PRIu32 " bits, %s, %.0f ms", "",
                   c->info.table_factor, c->info.table_bits,
                   pail_bytes_text(memory, c->info.table_bytes), c->info.table_ms);
    if (break_even > 0)
        pail_rig_print(rig, ", pays from %.0f multiplications on", ceil(break_even));
    pail_rig_print(rig, "\n");
}

static void show(struct pail_rig *rig, struct pail_case *c, size_t index)
{
    const struct pail_case *const plain = plain_of(c, index);
    const double break_even = plain ? pail_case_break_even(c, plain) : 0;
    const struct pail_setup *const before = index > 0 ? &(c - 1)->setup : NULL;
    if (!before || before->curve != c->setup.curve || before->group != c->setup.group)
        print_header(rig, c);
    print_case(rig, c);
    if (c->outcome == PAIL_MEASURED && c->info.table_factor > 1)
        print_table(rig, c, break_even);
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "result");
    pail_json_set_case(&row, c, index);
    pail_json_set_result(&row, c);
    if (break_even > 0)
        pail_json_set_number(&row, "break_even", (uint64_t)ceil(break_even));
    pail_lines_write(&rig->lines, &row);
}

static pail_status bench(struct pail_rig *rig, struct pail_error *error)
{
    struct pail_instrument_options *const options = &rig->options;
    if (options->n_variants == 0)
        options->variants[options->n_variants++] = options->base;
    const size_t n = options->n_groups * options->sizes.n * options->n_variants;
    struct pail_case *const cases = calloc(n, sizeof(*cases));
    if (!cases)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu cases", n);
    size_t i = 0;
    for (size_t group = 0; group < options->n_groups; group++) {
        for (size_t size = 0; size < options->sizes.n; size++) {
            for (size_t v = 0; v < options->n_variants; v++)
                pail_case_init(&cases[i++], options, &options->variants[v], group,
                               options->sizes.values[size]);
        }
    }
    const pail_status status = pail_measure(rig, cases, n, options->interleave, show, error);
    pail_cases_free(cases, n);
    return status;
}

static const struct pail_instrument bench_instrument = {.run = bench};

const struct pail_command pail_bench_command = {
    .name = "bench",
    .summary = "time multiplications over sizes and configurations",
    .usage = "[OPTIONS]",
    .text = "Times multiplications, from before the call until the result is on the host. Points "
            "are resident; scalars are in host memory, unless --scalars is given. Every run, "
            "including warm-up, is compared with the closed form of its generated points. A case "
            "with a wrong result shows no time, and the exit status is 1.",
    .examples = "bench --sizes 10..20\n"
                "bench --var default --var accumulator=xyzz --interleave",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_BENCH, PAIL_KNOBS_ALL)},
    .tail = "columns: median, minimum and standard deviation of the time in milliseconds; device: "
            "sum of the phases by the device's clock; the phases are below, as medians; Madd/s: "
            "million point additions per second of accumulate and combine, or of the whole without "
            "such a clock."
            "\n" PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                .seed = 1, .reps = 5,
                                                .sizes = {{1 << 10, 1 << 12, 1 << 14, 1 << 16}, 4}},
    .run = pail_instrument_run,
    .more = &bench_instrument,
};

/* ---- pail ab --------------------------------------------------------------------------------- */

static pail_status ab_check(struct pail_instrument_options *options, struct pail_error *error)
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

static void ab_conclude(struct pail_rig *rig, const struct pail_case *pair)
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
    pail_lines_write(&rig->lines, &row);
}

static pail_status ab(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++) {
        struct pail_case *const pair = calloc(2, sizeof(*pair));
        if (!pair)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for two cases");
        for (size_t v = 0; v < 2; v++)
            pail_case_init(&pair[v], options, &options->variants[v], i / options->sizes.n,
                           options->sizes.values[i % options->sizes.n]);
        status = pail_measure(rig, pair, 2, true, NULL, error);
        if (status == PAIL_OK)
            ab_conclude(rig, pair);
        pail_cases_free(pair, 2);
    }
    return status;
}

static const struct pail_instrument ab_instrument = {.check = ab_check, .run = ab};

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
    .examples = "ab --var default --var window=13 --sizes 2^18",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_AB, PAIL_KNOBS_ALL)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                .seed = 1, .reps = 10, .sizes = {{1 << 16}, 1}},
    .run = pail_instrument_run,
    .more = &ab_instrument,
};

/* ---- pail sweep ------------------------------------------------------------------------------ */

enum { LABEL_CHARS = 28 };

/* The values of --over as variants. */
struct values {
    struct pail_variant variants[PAIL_LIST_MAX];
    size_t n;
};

static pail_status append(struct values *values, const struct pail_variant *base,
                          const struct pail_option *knob, const char *text,
                          struct pail_error *error)
{
    char place[48];
    if (values->n == PAIL_LIST_MAX)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--over: more than %d values", PAIL_LIST_MAX);
    struct pail_variant *const variant = &values->variants[values->n++];
    *variant = *base;
    (void)snprintf(variant->label, sizeof(variant->label), "%s=%s", knob->name, text);
    if (pail_option_store(&variant->knobs, knob, text))
        return PAIL_OK;
    (void)snprintf(place, sizeof(place), "%s in --over", knob->name);
    return pail_option_refuse(error, knob, place, text, "sweep");
}

static pail_status read_values(struct values *values, const struct pail_variant *base,
                               const char *over, struct pail_error *error)
{
    const size_t length = strcspn(over, "=");
    const struct pail_option *const knob = pail_knob_find(over, length);
    pail_status status = PAIL_OK;
    struct pail_list list;
    char word[32];
    values->n = 0;
    if (!knob)
        return pail_knob_refuse(error, "--over", over, length, NULL, 0);
    if (over[length] != '=')
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--over \"%s\" has no values, expected KNOB=LIST such as slots=4,8", over);
    const char *text = over + length + 1;
    if (!knob->values && !pail_list_parse(&list, text, PAIL_RANGE_EACH))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--over: \"%s\" is no list of numbers for %s, such as 4,8 or 4..8", text,
                         knob->name);
    for (size_t i = 0; !knob->values && i < list.n && status == PAIL_OK; i++) {
        (void)snprintf(word, sizeof(word), "%llu", (unsigned long long)list.values[i]);
        status = append(values, base, knob, word, error);
    }
    for (bool more = knob->values != NULL; more && status == PAIL_OK; text++) {
        const size_t word_length = strcspn(text, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)word_length, text);
        status = append(values, base, knob, word, error);
        text += word_length;
        more = *text != '\0';
    }
    return status;
}

static pail_status sweep_check(struct pail_instrument_options *options, struct pail_error *error)
{
    struct values *const values = malloc(sizeof(*values));
    if (!values)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a sweep");
    pail_status status = PAIL_OK;
    if (!options->over)
        status = pail_fail(error, PAIL_ERR_ARGUMENT, "--over is missing; see pail sweep --help");
    else
        status = read_values(values, &options->base, options->over, error);
    for (size_t i = 0; status == PAIL_OK && i < values->n; i++)
        if (pail_knobs_of_kernels(&values->variants[i].knobs))
            options->session.prefers = PAIL_ABILITY_PIPELINES;
    free(values);
    return status;
}

static void sweep_conclude(struct pail_rig *rig, const struct pail_case *cases, size_t n)
{
    size_t best = SIZE_MAX;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        if (cases[i].outcome != PAIL_MEASURED)
            continue;
        const double median = pail_summarize(cases[i].wall_ms, cases[i].n).median;
        if (best == SIZE_MAX || median < least) {
            best = i;
            least = median;
        }
    }
    char size[24];
    pail_rig_print(rig, "\n%s %s, n = %s\n", pail_name_of(pail_curve_names, cases[0].setup.curve),
                   pail_name_of(pail_group_names, cases[0].setup.group),
                   pail_size_text(size, cases[0].setup.n));
    pail_print_case_header(rig, LABEL_CHARS);
    for (size_t i = 0; i < n; i++) {
        pail_print_case(rig, &cases[i], LABEL_CHARS, i == best);
        struct pail_json row;
        pail_lines_begin(&rig->lines, &row, "row");
        pail_json_set_case(&row, &cases[i], i);
        pail_json_set_result(&row, &cases[i]);
        pail_json_set_bool(&row, "best", i == best);
        pail_lines_write(&rig->lines, &row);
    }
}

static pail_status sweep(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    struct values *const values = malloc(sizeof(*values));
    pail_status status = values ? read_values(values, &options->base, options->over, error)
                                : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a sweep");
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++) {
        struct pail_case *const cases = calloc(values->n, sizeof(*cases));
        if (!cases) {
            status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu cases", values->n);
            break;
        }
        for (size_t v = 0; v < values->n; v++)
            pail_case_init(&cases[v], options, &values->variants[v], i / options->sizes.n,
                           options->sizes.values[i % options->sizes.n]);
        status = pail_measure(rig, cases, values->n, options->interleave, NULL, error);
        if (status == PAIL_OK)
            sweep_conclude(rig, cases, values->n);
        pail_cases_free(cases, values->n);
    }
    free(values);
    return status;
}

static const struct pail_instrument sweep_instrument = {.check = sweep_check, .run = sweep};

const struct pail_command pail_sweep_command = {
    .name = "sweep",
    .summary = "time one parameter over a range of values",
    .usage = "--over KNOB=LIST [OPTIONS]",
    .text = "Measures one parameter over a range of values at each size, and marks the best (*). "
            "Every result is compared with the closed form; if one is wrong, it is not a "
            "candidate, and the exit status is 1.",
    .examples = "sweep --over window=8..16 --sizes 2^18",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_SWEEP, PAIL_KNOBS_ALL)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                .seed = 1, .reps = 5, .sizes = {{1 << 16}, 1}},
    .run = pail_instrument_run,
    .more = &sweep_instrument,
};
