#include "options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "options/number.h"

enum {
    MEASURE = PAIL_BENCH | PAIL_AB | PAIL_MEMBUDGET | PAIL_SWEEP,
    NOT_MEM = MEASURE | PAIL_CHECK | PAIL_TUNE,
    NOT_CHECK = MEASURE | PAIL_MEM | PAIL_TUNE
};

static bool store_var(void *options, const char *text)
{
    struct pail_instrument_options *const all = options;
    if (all->n_variants == PAIL_VARIANTS_MAX)
        return false;
    all->vars[all->n_variants++] = text;
    return true;
}

#define OF struct pail_instrument_options
const struct pail_option pail_instrument_rows[PAIL_INSTRUMENT_ROWS] = {
    {PAIL_CUSTOM(store_var, "var", "K=V,...",
                 "a configuration; repeat it to compare several: parameters below, dist, "
                 "base-kind, jobs, scalar-memory; \"default\": none of them"),
     .many = true, .takers = PAIL_BENCH | PAIL_AB},
    {PAIL_TEXT(OF, over, "over", "KNOB=LIST",
               "a parameter below; words: slots=1,2,4,8; ranges: window=8..16, "
               "window=8..16..2, threads=2^12..2^17"),
     .takers = PAIL_SWEEP},
    {PAIL_FLAG(OF, interleave, "interleave", "alternate between them (1 2 3, 3 2 1, ...)"),
     .takers = PAIL_BENCH | PAIL_SWEEP},
    {PAIL_LIST(OF, batches, "batches", "LIST",
               "numbers of batches: 1,2,4 or 1..16; default: 1 to the number of windows"),
     .takers = PAIL_MEMBUDGET},
    {PAIL_LIST(
         OF, budgets, "budgets", "LIST",
         "instead: budgets in bytes of device memory for scratch and streamed points; a budget "
         "that is too small is refused by the backend, and is not a failure"),
     .takers = PAIL_MEMBUDGET},
    {PAIL_NAME(OF, place, "residency", "R", "where the points are"), .values = pail_place_names,
     .takers = PAIL_MEMBUDGET},
    {PAIL_U64(OF, cases, "cases", "N",
              "number of cases (default 100, with --buckets 10; with --time alone: no limit)"),
     .takers = PAIL_CHECK},
    {PAIL_U64(OF, time_s, "time", "SECONDS", "start no case after this time; default: no limit"),
     .takers = PAIL_CHECK},
    {PAIL_U64(OF, first, "first", "N",
              "start with case N instead of 0; a case depends only on seed and number"),
     .takers = PAIL_CHECK},
    {PAIL_U64(OF, max_n, "max-n", "N",
              "points of a case, at most (default 4096; with --buckets 1024)"),
     .max = UINT64_MAX - 1, .takers = PAIL_CHECK},
    {PAIL_FLAG(
         OF, buckets, "buckets",
         "compare all bucket sums before the reduction with those of the accumulator debug and of "
         "the CPU, for each accumulator or the given one; prints the first that differ"),
     .takers = PAIL_CHECK},
    {PAIL_FLAG(OF, automatic, "automatic",
               "accumulator, field, placement, slots and workgroups are the backend's choice: its "
               "fastest kernels, which need not be compiled for each case"),
     .takers = PAIL_CHECK},
    {PAIL_U32(OF, scalar_bits, "scalar-bits", "N", "scalars below 2^N; by default 256"), .max = 256,
     .takers = PAIL_MEM},
    {PAIL_FLAG(OF, order_known, "order-known",
               "points are in the subgroup, so scalars are reduced modulo its order"),
     .takers = PAIL_MEM},
    {PAIL_FLAG(OF, all_batches, "all-batches",
               "totals for every number of window batches instead of buffers"),
     .takers = PAIL_MEM},
    {PAIL_SET(OF, accumulators, "accumulators", "LIST", "candidates"),
     .values = pail_accumulator_names + 1, .takers = PAIL_TUNE},
    {PAIL_U64(OF, budget_ms, "budget-ms", "T",
              "stop after this time, shared by all groups; unmeasured choices keep their defaults"),
     .min = 1, .max = UINT32_MAX - 1, .takers = PAIL_TUNE},
    {PAIL_FLAG(OF, dry_run, "dry-run", "measure and print, store nothing"), .takers = PAIL_TUNE},
    {PAIL_FLAG(OF, show, "show", "print the stored choices"), .takers = PAIL_TUNE},
    {PAIL_FLAG(OF, forget, "forget", "delete the stored choices"), .takers = PAIL_TUNE},
    {PAIL_SET(OF, curve_set, "curve", "LIST", "curves"), .values = pail_curve_names},
    {PAIL_SET(OF, group_set, "group", "LIST", "groups"), .values = pail_group_names},
    {PAIL_LIST(OF, sizes, "sizes", "LIST",
               "numbers of points: 1000, 2^16, 2^10..2^20 or 10..20 (both: powers of two), "
               "10..20..2 (every other one)"),
     .alias = "n", .log2 = true, .takers = NOT_CHECK},
    {PAIL_NAME(OF, base.dist, "dist", "D", "scalars"), .value_name = pail_dist_value,
     .takers = MEASURE},
    {PAIL_NAME(OF, base.base_kind, "base-kind", "K", "points"), .value_name = pail_base_kind_value,
     .takers = MEASURE},
    {PAIL_NAME(OF, base.scalar_memory, "scalar-memory", "WHERE",
               "location of scalars when timing begins (pinned: host memory that the device reads "
               "directly)"),
     .alias = "scalars", .values = pail_memory_names, .takers = MEASURE},
    {PAIL_U64(OF, seed, "seed", "N", "seed of points and scalars"), .takers = MEASURE | PAIL_TUNE},
    {PAIL_U64(OF, seed, "seed", "N", "seed of all cases; default: from the clock"),
     .takers = PAIL_CHECK},
    {PAIL_NAME(OF, validation, "validation", "V",
               "checks of points (with subgroup, scalars are reduced modulo the order)"),
     .values = pail_validation_names, .takers = MEASURE},
    {PAIL_U64(OF, base.jobs, "jobs", "N", "multiplications in one start, over the same points"),
     .min = 1, .max = UINT32_MAX, .takers = MEASURE | PAIL_MEM},
    {PAIL_U64(OF, reps, "reps", "N", "measured repetitions"), .min = 1, .max = 10000,
     .takers = MEASURE},
    {PAIL_U64(OF, reps, "reps", "N", "measured repetitions"), .alias = "repetitions", .min = 1,
     .max = 10000, .takers = PAIL_TUNE},
    {PAIL_U64(OF, warmup, "warmup", "N", "warm-up runs"), .max = 10000,
     .takers = MEASURE | PAIL_TUNE},
    {PAIL_U64(OF, warmup_ms, "warmup-ms", "N", "further warm-up runs for N milliseconds"),
     .max = 600000, .takers = MEASURE | PAIL_TUNE},
    {PAIL_TEXT(OF, session.backend, "backend", "NAME",
               "backend to ask; default: the best one that has the table"),
     .takers = PAIL_MEM},
    {PAIL_TEXT(OF, session.device, "device", "D",
               "use the limits of this device: index, or a part of its name; default: the best "
               "one; none: limits of a large device, without a driver"),
     .takers = PAIL_MEM},
    {PAIL_TEXT(OF, session.cache_dir, "cache-dir", "DIR",
               "folder of the cache, instead of the default (see pail --help)"),
     .file = true, .not_empty = true, .takers = PAIL_TUNE},
    {PAIL_FILE(OF, json, "json", "FILE",
               "also write JSON lines; -: to standard output, instead of the table")},
    {PAIL_FLAG(OF, verbose, "verbose", PAIL_HELP_VERBOSE)},
    /* Proves that a wrong result is noticed. */
    {PAIL_U64(OF, wrong_case, "inject-wrong-row", "N", "falsify the result of a case"),
     .hidden = true, .takers = NOT_MEM},
};
#undef OF

/* Options of --var besides knobs. */
static const struct pail_option variant_rows[] = {
    {PAIL_NAME(struct pail_variant, dist, "dist", "D", ""), .value_name = pail_dist_value},
    {PAIL_NAME(struct pail_variant, base_kind, "base-kind", "K", ""),
     .value_name = pail_base_kind_value},
    {PAIL_NAME(struct pail_variant, scalar_memory, "scalar-memory", "WHERE", ""),
     .alias = "scalars", .values = pail_memory_names},
    {PAIL_U64(struct pail_variant, jobs, "jobs", "N", ""), .min = 1},
};

static bool store_in_variant(struct pail_variant *variant, const char *name, size_t length,
                             const char *value)
{
    const struct pail_option *const knob = pail_knob_find(name, length);
    if (knob != NULL)
        return pail_option_store(&variant->knobs, knob, value);
    for (size_t i = 0; i < sizeof(variant_rows) / sizeof(variant_rows[0]); i++)
        if (pail_option_is(&variant_rows[i], name, length))
            return pail_option_store(variant, &variant_rows[i], value);
    return false;
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
        if (!store_in_variant(variant, text, name_length, value))
            return false;
        text = begin + length;
        if (*text == '\0')
            return true;
    }
}

static void multiply_groups(struct pail_instrument_options *options)
{
    options->n_groups = 0;
    for (const struct pail_name *curve = pail_curve_names; curve->name != NULL; curve++) {
        if (pail_name_of(pail_curve_names, curve->value) != curve->name)
            continue; /* another spelling of one before */
        for (const struct pail_name *group = pail_group_names; group->name != NULL; group++) {
            if ((options->curve_set >> curve->value & options->group_set >> group->value & 1) ==
                    0 ||
                options->n_groups == PAIL_GROUPS_MAX)
                continue;
            options->groups[options->n_groups].curve = curve->value;
            options->groups[options->n_groups++].group = group->value;
        }
    }
}

pail_status pail_instrument_options_settle(struct pail_instrument_options *options,
                                           const char *command, struct pail_error *error)
{
    multiply_groups(options);
    (void)pail_knobs_text(options->base.label, sizeof(options->base.label), &options->base.knobs);
    for (size_t i = 0; i < options->n_variants; i++) {
        options->variants[i] = options->base;
        if (!read_variant(&options->variants[i], options->vars[i]))
            return pail_fail(
                error, PAIL_ERR_ARGUMENT,
                "invalid value \"%s\" of --var, expected KNOB=VALUE,...; see pail %s --help",
                options->vars[i], command);
    }
    return PAIL_OK;
}
