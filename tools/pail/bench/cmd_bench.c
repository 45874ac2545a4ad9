#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"

static void print_header(struct pail_rig *rig, const struct pail_case *c)
{
    pail_rig_print(rig, "\n%s %s, %s scalars (%s), %s points\n",
                   pail_name_of(pail_curve_names, c->setup.curve),
                   pail_name_of(pail_group_names, c->setup.group),
                   pail_scalar_dist_name(c->setup.dist),
                   pail_name_of(pail_memory_names, c->setup.scalar_memory),
                   pail_base_kind_name(c->setup.base_kind));
    pail_rig_print(rig, "%8s  %-24s %-7s %-5s %3s %3s %9s %9s %8s %9s %8s %11s\n", "n",
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
    pail_rig_print(rig, "%-7s %-5s %3" PRIu32 " %3" PRIu32 " %9.3f %9.3f %8.3f %9.3f %8.1f %11s\n",
                   pail_name_of(pail_accumulator_names, c->stats.accumulator),
                   pail_name_of(pail_field_names, c->stats.field), c->stats.window_bits,
                   c->stats.batches, wall.median, wall.min, wall.deviation,
                   pail_summarize(c->device_ms, c->n).median, pail_case_adds_per_s(c) / 1e6,
                   pail_bytes_text(memory, pail_case_bytes(c)));
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
    const double break_even = plain != NULL ? pail_case_break_even(c, plain) : 0;
    const struct pail_setup *const before = index > 0 ? &(c - 1)->setup : NULL;
    if (before == NULL || before->curve != c->setup.curve || before->group != c->setup.group)
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
    pail_lines_put(&rig->lines, &row);
}

static pail_status bench(struct pail_rig *rig, struct pail_error *error)
{
    struct pail_instrument_options *const options = &rig->options;
    if (options->n_variants == 0)
        options->variants[options->n_variants++] = options->base;
    const size_t n = options->n_groups * options->sizes.n * options->n_variants;
    struct pail_case *const cases = calloc(n, sizeof(*cases));
    if (cases == NULL)
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

static const struct pail_instrument instrument = {.run = bench};

const struct pail_command pail_bench_command = {
    .name = "bench",
    .summary = "time multiplications over sizes and configurations",
    .usage = "[OPTIONS]",
    .text = "Times multiplications, from before the call until the result is on the host. Points "
            "are resident; scalars are in host memory, unless --scalars is given. Every run, "
            "including warm-up, is compared with the closed form of its generated points. A case "
            "with a wrong result shows no time, and the exit status is 1.",
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
    .more = &instrument,
};
