#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "options/names.h"
#include "options/number.h"
#include "options/table.h"
#include <formats/report.h>

enum {
    OPT_CURVE = 256,
    OPT_GROUP,
    OPT_SIZES,
    OPT_REPS,
    OPT_WARMUP,
    OPT_WARMUP_MS,
    OPT_INTERLEAVE,
    OPT_JOBS,
    OPT_DIST,
    OPT_BASE_KIND,
    OPT_SCALARS,
    OPT_SEED,
    OPT_VAR,
    OPT_OVER,
    OPT_BATCH_LIST,
    OPT_BUDGETS,
    OPT_PLACES,
    OPT_CASES,
    OPT_FIRST,
    OPT_AUTOMATIC,
    OPT_BUCKETS,
    OPT_MAX_N,
    OPT_TIME,
    OPT_SCALAR_BITS,
    OPT_ORDER_KNOWN,
    OPT_VALIDATION,
    OPT_ALL_BATCHES,
    OPT_ACCUMULATORS,
    OPT_BUDGET_MS,
    OPT_DRY_RUN,
    OPT_FORGET,
    OPT_SHOW,
    OPT_BACKEND,
    OPT_DEVICE,
    OPT_CACHE_DIR,
    OPT_CPU_THREADS,
    OPT_JSON,
    OPT_VERBOSE,
    OPT_WRONG,
    OPT_KNOB, /* enum pail_knob from here on */
    OPT_END = OPT_KNOB + PAIL_KNOBS
};

enum {
    MEASURE = PAIL_BENCH | PAIL_AB | PAIL_MEMBUDGET | PAIL_SWEEP,
    PLAN = MEASURE | PAIL_MEM | PAIL_CHECK,
    ALL = PLAN | PAIL_TUNE,
    KNOBS = PLAN & ~PAIL_MEMBUDGET /* where batches, budget and residency are knobs as well */
};

static const struct {
    struct option option;
    unsigned commands;
} rows[] = {
    {{"help", no_argument, NULL, 'h'}, ALL},
    {{"curve", required_argument, NULL, OPT_CURVE}, ALL},
    {{"group", required_argument, NULL, OPT_GROUP}, ALL},
    {{"sizes", required_argument, NULL, OPT_SIZES}, ALL & ~PAIL_CHECK},
    {{"n", required_argument, NULL, OPT_SIZES}, ALL & ~PAIL_CHECK},
    {{"reps", required_argument, NULL, OPT_REPS}, MEASURE | PAIL_TUNE},
    {{"repetitions", required_argument, NULL, OPT_REPS}, PAIL_TUNE},
    {{"warmup", required_argument, NULL, OPT_WARMUP}, MEASURE | PAIL_TUNE},
    {{"warmup-ms", required_argument, NULL, OPT_WARMUP_MS}, MEASURE | PAIL_TUNE},
    {{"interleave", no_argument, NULL, OPT_INTERLEAVE}, PAIL_BENCH | PAIL_SWEEP},
    {{"jobs", required_argument, NULL, OPT_JOBS}, MEASURE | PAIL_MEM},
    {{"dist", required_argument, NULL, OPT_DIST}, MEASURE},
    {{"base-kind", required_argument, NULL, OPT_BASE_KIND}, MEASURE},
    {{"scalars", required_argument, NULL, OPT_SCALARS}, MEASURE},
    {{"seed", required_argument, NULL, OPT_SEED}, ALL & ~PAIL_MEM},
    {{"var", required_argument, NULL, OPT_VAR}, PAIL_BENCH | PAIL_AB},
    {{"over", required_argument, NULL, OPT_OVER}, PAIL_SWEEP},
    {{"batches", required_argument, NULL, OPT_BATCH_LIST}, PAIL_MEMBUDGET},
    {{"budgets", required_argument, NULL, OPT_BUDGETS}, PAIL_MEMBUDGET},
    {{"residency", required_argument, NULL, OPT_PLACES}, PAIL_MEMBUDGET},
    {{"cases", required_argument, NULL, OPT_CASES}, PAIL_CHECK},
    {{"first", required_argument, NULL, OPT_FIRST}, PAIL_CHECK},
    {{"max-n", required_argument, NULL, OPT_MAX_N}, PAIL_CHECK},
    {{"automatic", no_argument, NULL, OPT_AUTOMATIC}, PAIL_CHECK},
    {{"buckets", no_argument, NULL, OPT_BUCKETS}, PAIL_CHECK},
    {{"time", required_argument, NULL, OPT_TIME}, PAIL_CHECK},
    {{"validation", required_argument, NULL, OPT_VALIDATION}, MEASURE},
    {{"order-known", no_argument, NULL, OPT_ORDER_KNOWN}, PAIL_MEM},
    {{"scalar-bits", required_argument, NULL, OPT_SCALAR_BITS}, PAIL_MEM},
    {{"all-batches", no_argument, NULL, OPT_ALL_BATCHES}, PAIL_MEM},
    {{"accumulators", required_argument, NULL, OPT_ACCUMULATORS}, PAIL_TUNE},
    {{"budget-ms", required_argument, NULL, OPT_BUDGET_MS}, PAIL_TUNE},
    {{"dry-run", no_argument, NULL, OPT_DRY_RUN}, PAIL_TUNE},
    {{"forget", no_argument, NULL, OPT_FORGET}, PAIL_TUNE},
    {{"show", no_argument, NULL, OPT_SHOW}, PAIL_TUNE},
    {{"cache-dir", required_argument, NULL, OPT_CACHE_DIR}, PAIL_TUNE},
    {{"backend", required_argument, NULL, OPT_BACKEND}, ALL},
    {{"device", required_argument, NULL, OPT_DEVICE}, ALL},
    {{"cpu-threads", required_argument, NULL, OPT_CPU_THREADS}, ALL & ~PAIL_MEM},
    {{"json", required_argument, NULL, OPT_JSON}, ALL},
    {{"verbose", no_argument, NULL, OPT_VERBOSE}, ALL},
    /* Not in any help: proves that a wrong result is noticed. */
    {{"inject-wrong-row", required_argument, NULL, OPT_WRONG}, ALL & ~PAIL_MEM},
    {{"window", required_argument, NULL, OPT_KNOB + PAIL_KNOB_WINDOW}, PLAN},
    {{"accumulator", required_argument, NULL, OPT_KNOB + PAIL_KNOB_ACCUMULATOR}, PLAN},
    {{"field", required_argument, NULL, OPT_KNOB + PAIL_KNOB_FIELD}, ALL},
    {{"placement", required_argument, NULL, OPT_KNOB + PAIL_KNOB_PLACEMENT}, ALL},
    {{"workgroup", required_argument, NULL, OPT_KNOB + PAIL_KNOB_WORKGROUP}, ALL},
    {{"tpb", required_argument, NULL, OPT_KNOB + PAIL_KNOB_WORKGROUP}, ALL},
    {{"threads", required_argument, NULL, OPT_KNOB + PAIL_KNOB_THREADS}, PLAN},
    {{"slots", required_argument, NULL, OPT_KNOB + PAIL_KNOB_SLOTS}, ALL},
    {{"inversion-group", required_argument, NULL, OPT_KNOB + PAIL_KNOB_INVERSION_GROUP}, ALL},
    {{"batches", required_argument, NULL, OPT_KNOB + PAIL_KNOB_BATCHES}, KNOBS},
    {{"memory-budget", required_argument, NULL, OPT_KNOB + PAIL_KNOB_MEMORY_BUDGET}, KNOBS},
    {{"residency", required_argument, NULL, OPT_KNOB + PAIL_KNOB_RESIDENCY}, KNOBS},
    {{"table-factor", required_argument, NULL, OPT_KNOB + PAIL_KNOB_TABLE_FACTOR}, PLAN},
    {{"public-scalars", no_argument, NULL, OPT_KNOB + PAIL_KNOB_PUBLIC_SCALARS}, MEASURE},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* ---- Values --------------------------------------------------------------------------------- */
static bool read_u32(uint32_t *value, const char *text)
{
    uint64_t wide;
    if (!pail_number_parse(&wide, text) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

/* "accumulator=walker,slots=8,dist=hot" on top of what the variant says. */
static bool read_variant(struct pail_variant *variant, const char *text)
{
    (void)snprintf(variant->label, sizeof(variant->label), "%s", text);
    if (strcmp(text, "default") == 0)
        return true;
    for (;; text++) {
        char value[64];
        const size_t name_length = strcspn(text, "=,");
        if (text[name_length] != '=')
            return false;
        const char *const begin = text + name_length + 1;
        const size_t length = strcspn(begin, ",");
        if (length >= sizeof(value))
            return false;
        memcpy(value, begin, length);
        value[length] = '\0';
        const enum pail_knob knob = pail_knob_find(text, name_length);
        bool good;
        if (knob != PAIL_KNOBS)
            good = pail_knob_set(&variant->knobs, knob, value);
        else if (name_length == 4 && memcmp(text, "dist", 4) == 0)
            good = pail_scalar_dist_find(&variant->dist, value);
        else if (name_length == 9 && memcmp(text, "base-kind", 9) == 0)
            good = pail_base_kind_find(&variant->base_kind, value);
        else if (name_length == 7 && memcmp(text, "scalars", 7) == 0)
            good = pail_name_find(&variant->scalar_memory, pail_memory_names, value);
        else if (name_length == 4 && memcmp(text, "jobs", 4) == 0)
            good = pail_number_parse(&variant->jobs, value) && variant->jobs > 0;
        else
            good = false;
        if (!good)
            return false;
        text = begin + length;
        if (*text == '\0')
            return true;
    }
}

/* What stands on the command line, before it is put together. */
struct raw {
    bool given[OPT_END - OPT_CURVE];
    uint32_t curves, groups; /* bits, 1 << value */
    const char *vars[PAIL_VARIANTS_MAX];
};

static bool store_place(struct pail_instrument_options *options, const char *text)
{
    options->resident = strcmp(text, "host") != 0;
    options->streamed = strcmp(text, "device") != 0;
    return strcmp(text, "both") == 0 || options->resident != options->streamed;
}

static bool store_measure(struct pail_instrument_options *options, int option, const char *text)
{
    switch (option) {
    case OPT_REPS:
        return pail_number_parse(&options->reps, text) && options->reps > 0 &&
               options->reps <= 10000;
    case OPT_WARMUP:
        return pail_number_parse(&options->warmup, text) && options->warmup <= 10000;
    case OPT_WARMUP_MS:
        return pail_number_parse(&options->warmup_ms, text) && options->warmup_ms <= 600000;
    case OPT_AUTOMATIC:
        options->automatic = true;
        return true;
    case OPT_BUCKETS:
        options->buckets = true;
        return true;
    case OPT_INTERLEAVE:
        options->interleave = true;
        return true;
    case OPT_JOBS:
        return pail_number_parse(&options->base.jobs, text) && options->base.jobs > 0 &&
               options->base.jobs <= UINT32_MAX;
    case OPT_DIST:
        return pail_scalar_dist_find(&options->base.dist, text);
    case OPT_BASE_KIND:
        return pail_base_kind_find(&options->base.base_kind, text);
    case OPT_SCALARS:
        return pail_name_find(&options->base.scalar_memory, pail_memory_names, text);
    case OPT_SEED:
        return pail_number_parse(&options->seed, text);
    case OPT_OVER:
        options->over = text;
        return true;
    case OPT_BATCH_LIST:
        return pail_list_parse(&options->batches, text, PAIL_RANGE_EACH);
    case OPT_BUDGETS:
        return pail_list_parse(&options->budgets, text, PAIL_RANGE_EACH);
    case OPT_PLACES:
        return store_place(options, text);
    case OPT_CASES:
        return pail_number_parse(&options->cases, text);
    case OPT_FIRST:
        return pail_number_parse(&options->first, text);
    case OPT_MAX_N:
        return pail_number_parse(&options->max_n, text) && options->max_n < UINT64_MAX;
    case OPT_TIME:
        return pail_number_parse(&options->time_s, text);
    case OPT_SCALAR_BITS:
        return read_u32(&options->scalar_bits, text) && options->scalar_bits <= 256;
    case OPT_VALIDATION:
        return pail_name_find(&options->validation, pail_validation_names, text);
    case OPT_ORDER_KNOWN:
        options->order_known = true;
        return true;
    case OPT_ALL_BATCHES:
        options->all_batches = true;
        return true;
    case OPT_ACCUMULATORS: {
        uint32_t every = 0;
        (void)pail_name_set(&every, pail_accumulator_names, "all");
        if (!pail_name_set(&options->accumulators, pail_accumulator_names, text))
            return false;
        if (options->accumulators == every) /* auto is none of them, but a choice among them */
            options->accumulators &= ~(1U << PAIL_ACCUMULATOR_AUTO);
        return (options->accumulators & 1U << PAIL_ACCUMULATOR_AUTO) == 0;
    }
    case OPT_BUDGET_MS:
        return pail_number_parse(&options->budget_ms, text) && options->budget_ms > 0 &&
               options->budget_ms < UINT32_MAX;
    case OPT_DRY_RUN:
        options->dry_run = true;
        return true;
    case OPT_FORGET:
        options->forget = true;
        return true;
    case OPT_SHOW:
        options->show = true;
        return true;
    case OPT_WRONG:
        return pail_number_parse(&options->wrong_case, text);
    default:
        return pail_knob_set(&options->base.knobs, (enum pail_knob)(option - OPT_KNOB), text);
    }
}

static bool store(struct pail_instrument_options *options, struct raw *raw, int option,
                  const char *text)
{
    switch (option) {
    case OPT_CURVE:
        return pail_name_set(&raw->curves, pail_curve_names, text);
    case OPT_GROUP:
        return pail_name_set(&raw->groups, pail_group_names, text);
    case OPT_SIZES:
        return pail_list_parse(&options->sizes, text, PAIL_RANGE_LOG2);
    case OPT_VAR:
        if (options->n_variants == PAIL_VARIANTS_MAX)
            return false;
        raw->vars[options->n_variants++] = text;
        return true;
    case OPT_BACKEND:
        options->session.backend = text;
        return true;
    case OPT_DEVICE:
        options->session.device = text;
        return true;
    case OPT_CACHE_DIR:
        options->session.cache_dir = text;
        return text[0] != '\0';
    case OPT_CPU_THREADS:
        return read_u32(&options->session.threads, text);
    case OPT_JSON:
        options->json = text;
        return true;
    case OPT_VERBOSE:
        options->verbose = true;
        return true;
    default:
        return store_measure(options, option, text);
    }
}

static void multiply_groups(struct pail_instrument_options *options, const struct raw *raw)
{
    options->n_groups = 0;
    for (const struct pail_name *curve = pail_curve_names; curve->name != NULL; curve++) {
        if (pail_name_of(pail_curve_names, curve->value) != curve->name)
            continue; /* another spelling of one before */
        for (const struct pail_name *group = pail_group_names; group->name != NULL; group++) {
            if ((raw->curves >> curve->value & raw->groups >> group->value & 1) == 0 ||
                options->n_groups == PAIL_GROUPS_MAX)
                continue;
            options->groups[options->n_groups].curve = curve->value;
            options->groups[options->n_groups++].group = group->value;
        }
    }
}

static pail_status read_variants(struct pail_instrument_options *options, const struct raw *raw,
                                 const char *name, char *error, size_t error_cap)
{
    (void)pail_knobs_text(options->base.label, sizeof(options->base.label), &options->base.knobs);
    for (size_t i = 0; i < options->n_variants; i++) {
        options->variants[i] = options->base;
        if (!read_variant(&options->variants[i], raw->vars[i]))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--var cannot be \"%s\": it is KNOB=VALUE,...; see pail %s --help",
                               raw->vars[i], name);
    }
    return PAIL_OK;
}

/* The options of one command in the form that getopt_long takes. */
static void choose_rows(struct option chosen[N_ROWS + 1], enum pail_instrument_bit command)
{
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if ((rows[i].commands & (unsigned)command) != 0)
            chosen[n++] = rows[i].option;
    chosen[n] = (struct option){NULL, 0, NULL, 0};
}

pail_status pail_instrument_options_read(struct pail_instrument_options *options,
                                         const struct pail_instrument_options *defaults,
                                         enum pail_instrument_bit command, const char *name,
                                         int argc, char **argv, char *error, size_t error_cap)
{
    *options = *defaults;
    options->argc = argc;
    options->argv = argv;
    options->base.jobs = 1;
    options->warmup_ms = PAIL_WARMUP_MS;
    options->wrong_case = UINT64_MAX;
    pail_knobs_init(&options->base.knobs);
    struct raw raw = {.curves = 1U << PAIL_CURVE_BN254, .groups = 1U << PAIL_G1};
    if (command == PAIL_CHECK || command == PAIL_TUNE) {
        (void)pail_name_set(&raw.curves, pail_curve_names, "all");
        (void)pail_name_set(&raw.groups, pail_group_names, "all");
    }
    struct option long_options[N_ROWS + 1];
    choose_rows(long_options, command);
    opterr = 0;
    for (;;) {
        int row = 0;
        const int option = getopt_long(argc, argv, ":h", long_options, &row);
        if (option == -1)
            break;
        if (option == 'h') {
            options->help = true;
            return PAIL_OK;
        }
        if (option == ':' || option == '?')
            return pail_report_option(error, error_cap, option, argv, name);
        bool *const given = &raw.given[option - OPT_CURVE];
        if (*given && option != OPT_VAR && long_options[row].has_arg == required_argument)
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "--%s is given twice",
                               long_options[row].name);
        *given = true;
        if (!store(options, &raw, option, optarg))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s cannot be \"%s\"; see pail %s --help", long_options[row].name,
                               optarg, name);
    }
    if (optind < argc)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "\"%s\" is no option; see pail %s --help", argv[optind], name);
    multiply_groups(options, &raw);
    return read_variants(options, &raw, name, error, error_cap);
}
