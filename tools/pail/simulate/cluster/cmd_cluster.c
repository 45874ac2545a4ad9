/* SPDX-License-Identifier: Apache-2.0 */
/* `pail simulate cluster`: one multiplication, or many proofs, over cards and nodes. */
#include <inttypes.h>
#include <stdio.h>

#include "cluster.h"
#include "commands.h"
#include "output/json.h"

enum { SETS_MAX = 32, CARDS_MAX = 64, NODES_MAX = 65536 };

enum job { JOB_MSM, JOB_PROOF };

struct options {
    const char *file;
    const char *sets[SETS_MAX];
    size_t n_sets;
    uint32_t job, curve, group, scalars, points, cards, nodes;
    struct pail_list sizes;
    bool facts, check, json;
};

static const struct options defaults = {.job = JOB_MSM,
                                        .curve = PAIL_CURVE_BN254,
                                        .group = PAIL_G1,
                                        .scalars = PAIL_CLUSTER_ROOT,
                                        .points = PAIL_CLUSTER_FIT,
                                        .cards = 8,
                                        .nodes = 64};

static const struct pail_name job_names[] = {{"msm", JOB_MSM}, {"proof", JOB_PROOF}, {NULL, 0}};
static const struct pail_name scalar_names[] = {{"root", PAIL_CLUSTER_ROOT},
                                                {"host", PAIL_CLUSTER_HOST},
                                                {"device", PAIL_CLUSTER_DEVICE},
                                                {"ordinary", PAIL_CLUSTER_MALLOC},
                                                {NULL, 0}};
static const struct pail_name point_names[] = {{"fit", PAIL_CLUSTER_FIT},
                                               {"resident", PAIL_CLUSTER_RESIDENT},
                                               {"streamed", PAIL_CLUSTER_STREAMED},
                                               {NULL, 0}};

static bool store_set(void *given, const char *text)
{
    struct options *const options = given;
    if (options->n_sets == SETS_MAX)
        return false;
    options->sets[options->n_sets++] = text;
    return true;
}

static const struct pail_option rows[] = {
    {PAIL_NAME(struct options, job, "job", "J", "one multiplication, or proofs from one queue"),
     .values = job_names},
    {PAIL_LIST(struct options, sizes, "sizes", "LIST",
               "points, or constraints of a proof; 2^20..2^30..2 and 2^16..2^20..2 by default"),
     .log2 = true},
    {PAIL_U32(struct options, cards, "cards", "N", "most GPUs of a node"), .min = 1,
     .max = CARDS_MAX},
    {PAIL_U32(struct options, nodes, "nodes", "N", "most nodes"), .min = 1, .max = NODES_MAX},
    {PAIL_NAME(struct options, curve, "curve", "C", "the curve of a multiplication"),
     .values = pail_curve_names},
    {PAIL_NAME(struct options, group, "group", "G", "its group"), .values = pail_group_names},
    {PAIL_NAME(struct options, scalars, "scalars", "PLACE",
               "initial location of scalars: pinned memory of rank 0, pinned memory of each node, "
               "the GPUs, ordinary memory of each node"),
     .values = scalar_names},
    {PAIL_NAME(struct options, points, "points", "PLACE",
               "location of points: on the GPUs if they fit, otherwise in host memory; or always "
               "one of these"),
     .values = point_names},
    {PAIL_FILE(
         struct options, file, "file", "FILE",
         "parameters of another cluster: lines of a name and a number, as printed by "
         "--facts; lines size LOG2 MS [PART [PART]] and proof LOG2 MS replace the known sizes"),
     .not_empty = true},
    {PAIL_CUSTOM(store_set, "set", "NAME=NUMBER", "set one of these parameters, after FILE"),
     .many = true},
    {PAIL_FLAG(struct options, facts, "facts",
               "only print the parameters and their sources, as input for --file")},
    {PAIL_FLAG(struct options, check, "check",
               "only print measurements beside the model's values")},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

/* ---- Facts and checks ----------------------------------------------------------------------- */
static void print_sizes(const char *name, const struct pail_cluster_sizes *sizes)
{
    for (uint32_t i = 0; i < sizes->n; i++) {
        (void)printf("%s %g %.6g", name, sizes->at[i].log2, sizes->at[i].ms);
        for (int k = 0; k < PAIL_CLUSTER_MEMORIES && sizes->at[i].exposed[k] >= 0; k++)
            (void)printf(" %g", sizes->at[i].exposed[k]);
        (void)printf("\n");
    }
}

static json_t *sizes_list(const struct pail_cluster_sizes *sizes)
{
    struct pail_json list, size;
    pail_json_begin_list(&list);
    for (uint32_t i = 0; i < sizes->n; i++) {
        pail_json_begin(&size);
        pail_json_set_real(&size, "log2", sizes->at[i].log2);
        pail_json_set_real(&size, "ms", sizes->at[i].ms);
        for (int k = 0; k < PAIL_CLUSTER_MEMORIES && sizes->at[i].exposed[k] >= 0; k++)
            pail_json_set_real(&size, k == PAIL_CLUSTER_PINNED ? "exposed" : "exposed_ordinary",
                               sizes->at[i].exposed[k]);
        pail_json_add(&list, pail_json_take(&size));
    }
    return pail_json_take(&list);
}

static json_t *facts_object(const struct pail_cluster_facts *facts)
{
    struct pail_json json;
    double value;
    const char *name, *source;
    pail_json_begin(&json);
    for (uint32_t i = 0; (name = pail_cluster_fact(facts, i, &value, &source)) != NULL; i++)
        pail_json_set_real(&json, name, value);
    pail_json_set(&json, "sizes", sizes_list(&facts->sizes));
    pail_json_set(&json, "proofs", sizes_list(&facts->proofs));
    return pail_json_take(&json);
}

static void print_facts(const struct pail_cluster_facts *facts)
{
    double value;
    const char *name, *source;
    (void)printf("# What stands behind # is where the default is from.\n");
    for (uint32_t i = 0; (name = pail_cluster_fact(facts, i, &value, &source)) != NULL; i++)
        (void)printf("%-13s %-9.6g # %s\n", name, value, source);
    (void)printf("# 2^LOG2 points, ms on one H200, the part of copying scalars that adds to it, "
                 "from pinned and from ordinary memory:\n");
    print_sizes("size", &facts->sizes);
    (void)printf("# 2^LOG2 constraints, ms on one H100 over card_scale:\n");
    print_sizes("proof", &facts->proofs);
}

static void print_checks(void)
{
    struct pail_cluster_check check;
    (void)printf("%-40s %10s %9s\n", "BN254 G1", "predicted", "measured");
    for (uint32_t i = 0; pail_cluster_check(&check, i); i++)
        (void)printf("%-40s %10.4g %9.4g %-5s %+5.1f %%\n", check.what, check.predicted,
                     check.measured, check.unit, 100 * (check.predicted / check.measured - 1));
}

static json_t *checks_list(void)
{
    struct pail_json list, row;
    struct pail_cluster_check check;
    pail_json_begin_list(&list);
    for (uint32_t i = 0; pail_cluster_check(&check, i); i++) {
        pail_json_begin(&row);
        pail_json_set_text(&row, "what", check.what);
        pail_json_set_text(&row, "unit", check.unit);
        pail_json_set_real(&row, "predicted", check.predicted);
        pail_json_set_real(&row, "measured", check.measured);
        pail_json_add(&list, pail_json_take(&row));
    }
    return pail_json_take(&list);
}

/* ---- The table ------------------------------------------------------------------------------ */
/* The report: a table, or JSON in `rows` and `ends`. */
struct report {
    const struct options *options;
    const struct pail_cluster_facts *facts;
    struct pail_cluster_shape shapes[PAIL_CLUSTER_SHAPES];
    uint32_t n;
    struct pail_json rows, ends;
};

static void size_text(char text[24], uint64_t n)
{
    int log2 = 0;
    while (log2 < 63 && (UINT64_C(1) << log2) < n)
        log2++;
    if (UINT64_C(1) << log2 == n)
        (void)snprintf(text, 24, "2^%d", log2);
    else
        (void)snprintf(text, 24, "%" PRIu64, n);
}

static void begin_row(struct pail_json *row, uint64_t n, const struct pail_cluster_shape *shape)
{
    pail_json_begin(row);
    pail_json_set_number(row, "n", n);
    pail_json_set_number(row, "nodes", shape->nodes);
    pail_json_set_number(row, "cards", shape->cards);
}

static void report_end(struct report *report, uint64_t n, const struct pail_cluster_end *end,
                       const char *cause)
{
    char size[24];
    struct pail_json row;
    const struct pail_cluster_shape *const last = &report->shapes[end->last];
    if (report->options->json) {
        begin_row(&row, n, last);
        pail_json_set_bool(&row, "stops", end->found);
        if (end->found) {
            pail_json_set_real(&row, "next_gain", end->gain);
            pail_json_set_text(&row, "cause", cause);
        }
        pail_json_add(&report->ends, pail_json_take(&row));
        return;
    }
    size_text(size, n);
    if (end->found)
        (void)printf("%s stops at %" PRIu32 " x %" PRIu32
                     ": the next step gives %.2f times; %s\n\n",
                     size, last->nodes, last->cards, end->gain, cause);
    else
        (void)printf("%s does not stop up to %" PRIu32 " x %" PRIu32 "\n\n", size, last->nodes,
                     last->cards);
}

static void report_time(struct report *report, uint64_t n, const struct pail_cluster_shape *shape,
                        const struct pail_cluster_time *time, double times)
{
    char size[24];
    struct pail_json row;
    const double efficiency = 100 * times / ((double)shape->nodes * shape->cards);
    if (report->options->json) {
        begin_row(&row, n, shape);
        pail_json_set_text(&row, "points", time->streamed ? "streamed" : "resident");
        for (enum pail_cluster_part part = 0; part < PAIL_CLUSTER_PARTS; part++) {
            char name[32];
            (void)snprintf(name, sizeof(name), "%s_ms", pail_cluster_part_name(part));
            pail_json_set_real(&row, name, time->part_ms[part]);
        }
        pail_json_set_real(&row, "wall_ms", time->wall_ms);
        pail_json_set_real(&row, "register_ms", time->register_ms);
        pail_json_set_real(&row, "speedup", times);
        pail_json_set_real(&row, "efficiency_percent", efficiency);
        pail_json_set_text(&row, "bound", pail_cluster_part_name(time->bound));
        pail_json_add(&report->rows, pail_json_take(&row));
        return;
    }
    size_text(size, n);
    (void)printf("%-10s %5" PRIu32 " %3" PRIu32 " %-8s", size, shape->nodes, shape->cards,
                 time->streamed ? "streamed" : "resident");
    for (enum pail_cluster_part part = 0; part < PAIL_CLUSTER_PARTS; part++)
        (void)printf(" %9.3f", time->part_ms[part]);
    (void)printf(" %9.3f %7.2f %6.1f  %-9s %9.1f\n", time->wall_ms, times, efficiency,
                 pail_cluster_part_name(time->bound), time->register_ms);
}

static void multiplications(struct report *report, uint64_t n)
{
    struct pail_cluster_time times[PAIL_CLUSTER_SHAPES];
    struct pail_cluster_end end;
    const struct pail_cluster_job job = {
        .n = n, .scalars = report->options->scalars, .points = report->options->points};
    for (uint32_t i = 0; i < report->n; i++) {
        pail_cluster_multiply(&times[i], report->facts, &job, &report->shapes[i]);
        report_time(report, n, &report->shapes[i], &times[i], times[0].wall_ms / times[i].wall_ms);
    }
    pail_cluster_growth(&end, times, report->shapes, report->n);
    report_end(report, n, &end, pail_cluster_part_name(end.cause));
}

static void report_rate(struct report *report, uint64_t n, const struct pail_cluster_shape *shape,
                        const struct pail_cluster_rate *rate, double times)
{
    char size[24];
    struct pail_json row;
    const double efficiency = 100 * times / ((double)shape->nodes * shape->cards);
    if (report->options->json) {
        begin_row(&row, n, shape);
        pail_json_set_real(&row, "proofs_per_hour", rate->per_hour);
        pail_json_set_real(&row, "speedup", times);
        pail_json_set_real(&row, "efficiency_percent", efficiency);
        pail_json_set_text(&row, "bound", pail_cluster_proof_bound_name(rate->bound));
        pail_json_add(&report->rows, pail_json_take(&row));
        return;
    }
    size_text(size, n);
    (void)printf("%-10s %5" PRIu32 " %3" PRIu32 " %13.0f %7.2f %6.1f  %s\n", size, shape->nodes,
                 shape->cards, rate->per_hour, times, efficiency,
                 pail_cluster_proof_bound_name(rate->bound));
}

static void proofs(struct report *report, uint64_t n)
{
    struct pail_cluster_rate rates[PAIL_CLUSTER_SHAPES];
    struct pail_cluster_end end;
    for (uint32_t i = 0; i < report->n; i++) {
        pail_cluster_prove(&rates[i], report->facts, n, &report->shapes[i]);
        report_rate(report, n, &report->shapes[i], &rates[i],
                    rates[i].per_hour / rates[0].per_hour);
    }
    pail_cluster_proof_growth(&end, rates, report->shapes, report->n);
    report_end(report, n, &end,
               pail_cluster_proof_bound_name(rates[end.last + (end.found ? 1 : 0)].bound));
}

/* ---- The command ---------------------------------------------------------------------------- */
static pail_status look(const struct options *options, const struct pail_list *sizes,
                        struct pail_error *error)
{
    const uint64_t most = UINT64_C(1) << PAIL_CLUSTER_LOG2_MAX;
    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->values[i] == 0 || sizes->values[i] > most)
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "--sizes: %" PRIu64 " is no size from 1 to 2^%d", sizes->values[i],
                             PAIL_CLUSTER_LOG2_MAX);
    if (options->facts && options->check)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--facts and --check exclude each other");
    return PAIL_OK;
}

static pail_status read_facts(struct pail_cluster_facts *facts, const struct options *options,
                              struct pail_error *error)
{
    pail_cluster_facts_default(facts, (pail_curve)options->curve, (pail_group)options->group);
    if (options->file)
        (void)pail_cluster_facts_read(facts, options->file, error);
    for (size_t i = 0; i < options->n_sets && error->status == PAIL_OK; i++)
        (void)pail_cluster_facts_set(facts, options->sets[i], "--set", error);
    return error->status;
}

/* The object of --json: all, or what --facts or --check ask for. */
static void print_object(struct report *report, struct pail_error *error)
{
    const struct options *const options = report->options;
    const bool all = !options->facts && !options->check;
    struct pail_json json;
    pail_json_begin(&json);
    if (all || options->facts)
        pail_json_set(&json, "facts", facts_object(report->facts));
    if (all) {
        pail_json_set(&json, "rows", pail_json_take(&report->rows));
        pail_json_set(&json, "ends", pail_json_take(&report->ends));
    }
    if (all || options->check)
        pail_json_set(&json, "checks", checks_list());
    (void)pail_json_print(stdout, &json, error);
}

static void print_table(struct report *report)
{
    const bool msm = report->options->job == JOB_MSM;
    const struct pail_list *const sizes = &report->options->sizes;
    if (report->options->json) {
        pail_json_begin_list(&report->rows);
        pail_json_begin_list(&report->ends);
    } else
        (void)printf(msm ? "n          nodes   c points        card     fixed      pcie   network "
                           "reduction   wall ms   times      %%  bound      register\n"
                         : "n          nodes   c   proofs an h   times      %%  bound\n");
    for (size_t i = 0; i < sizes->n; i++)
        (msm ? multiplications : proofs)(report, sizes->values[i]);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    (void)call;
    struct options *const options = given;
    struct pail_cluster_facts facts;
    struct report report = {.options = options, .facts = &facts};
    struct pail_list *const sizes = &options->sizes;
    if (sizes->n == 0)
        (void)pail_list_parse(sizes, options->job == JOB_MSM ? "2^20..2^30..2" : "2^16..2^20..2",
                              PAIL_RANGE_LOG2);
    if (look(options, sizes, error) != PAIL_OK || read_facts(&facts, options, error) != PAIL_OK)
        return;
    report.n = pail_cluster_shapes(report.shapes, options->cards, options->nodes);
    if (!options->facts && !options->check)
        print_table(&report);
    else if (options->facts && !options->json)
        print_facts(&facts);
    else if (options->check && !options->json)
        print_checks();
    if (options->json)
        print_object(&report, error);
}

const struct pail_command pail_simulate_cluster_command = {
    .name = "simulate cluster",
    .summary = "model a multiplication, or proofs, on GPUs of a cluster",
    .usage = "[--sizes LIST] [--cards N] [--nodes N] [OPTIONS]",
    .text = "Models the time of one multiplication on one GPU, on several GPUs of a node, and on "
            "several nodes, and its parts: work of the GPU, fixed costs, copies that are not "
            "overlapped, network, reduction. Runs nothing. Below the rows of a size it prints from "
            "where on doubling the GPUs gives less than a factor of 1.5, and why.",
    .examples = "simulate cluster --sizes 20..28 --cards 8 --nodes 16",
    .parts = {{PAIL_PART(rows)}},
    .once = true,
    .size = sizeof(struct options),
    .defaults = &defaults,
    .run = run,
};
