#include "check_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <curves/rng.h>
#include <platform/thread.h>

enum { AT_ONCE_MAX = 8, ACCUMULATORS_MAX = 4 };

static bool one_in(struct pail_rng *rng, uint64_t n)
{
    return pail_rng_below(rng, n) == 0;
}

static uint32_t one_of(struct pail_rng *rng, const uint32_t *values, size_t n)
{
    return values[pail_rng_below(rng, n)];
}
#define ONE_OF(rng, ...)                                                                           \
    one_of(rng, (const uint32_t[]){__VA_ARGS__},                                                   \
           sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* None to three, about a power of two, or anything with every length in bits as likely. */
static uint64_t choose_n(struct pail_rng *rng, uint64_t max_n)
{
    const uint64_t kind = pail_rng_below(rng, 8);
    uint32_t bits = 0;
    while (bits < 63 && max_n >> bits != 0)
        bits++;
    uint64_t n = UINT64_C(1) << pail_rng_below(rng, bits + 1);
    if (kind == 0)
        n = pail_rng_below(rng, 4);
    else if (kind == 1)
        n += pail_rng_below(rng, 3) - 1;
    else
        n += pail_rng_below(rng, n);
    return n <= max_n ? n : pail_rng_below(rng, max_n + 1);
}

/* 0 of a knob that the command line fixes stays; every number is drawn all the same, so that a
 * knob that is fixed leaves the others as they were. */
static void fix(uint32_t *value, uint32_t fixed)
{
    if (fixed != 0)
        *value = fixed;
}

static void choose_knobs(struct pail_knobs *knobs, struct pail_rng *rng,
                         const struct pail_knobs *fixed, bool automatic)
{
    pail_msm_config *const config = &knobs->config;
    pail_knobs_init(knobs);
    config->accumulator =
        ONE_OF(rng, PAIL_ACCUMULATOR_AUTO, PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_WALKER,
               PAIL_ACCUMULATOR_WALKER, PAIL_ACCUMULATOR_COOP, PAIL_ACCUMULATOR_DEBUG);
    config->field = ONE_OF(rng, PAIL_FIELD_AUTO, PAIL_FIELD_AUTO, PAIL_FIELD_LIMB32,
                           PAIL_FIELD_LIMB29, PAIL_FIELD_LIMB51);
    config->prefix_placement = ONE_OF(rng, PAIL_PLACEMENT_AUTO, PAIL_PLACEMENT_PRIVATE,
                                      PAIL_PLACEMENT_WORKGROUP, PAIL_PLACEMENT_DEVICE);
    config->slots = ONE_OF(rng, 0, 0, 1, 2, 4, 8, 16);
    config->inversion_group = ONE_OF(rng, 0, 0, 1, 4, 32);
    config->workgroup = ONE_OF(rng, 0, 0, 32, 64, 128);
    config->threads = ONE_OF(rng, 0, 0, 1, 37, 256, 1000);
    config->window_bits = one_in(rng, 3) ? 2 + (uint32_t)pail_rng_below(rng, 11) : 0;
    knobs->residency = ONE_OF(rng, PAIL_RESIDENCY_AUTO, PAIL_RESIDENCY_DEVICE, PAIL_RESIDENCY_HOST);
    if (one_in(rng, 2)) { /* every other case without what few backends have */
        config->prefix_placement = PAIL_PLACEMENT_AUTO;
        config->slots = config->inversion_group = config->workgroup = 0;
    }
    if (automatic) { /* leaves the choice of kernels open; shares and windows stay as drawn */
        config->accumulator = PAIL_ACCUMULATOR_AUTO;
        config->field = PAIL_FIELD_AUTO;
        config->prefix_placement = PAIL_PLACEMENT_AUTO;
        config->slots = config->inversion_group = config->workgroup = 0;
    }
    knobs->table_factor = fixed->table_factor;
    if (fixed->table_factor > 1) /* a table is for its own windows */
        config->window_bits = 0;
    fix(&config->accumulator, fixed->config.accumulator);
    fix(&config->field, fixed->config.field);
    fix(&config->prefix_placement, fixed->config.prefix_placement);
    fix(&config->slots, fixed->config.slots);
    fix(&config->inversion_group, fixed->config.inversion_group);
    fix(&config->workgroup, fixed->config.workgroup);
    fix(&config->threads, fixed->config.threads);
    fix(&config->window_bits, fixed->config.window_bits);
    fix(&knobs->residency, fixed->residency);
    config->force_batches = fixed->config.force_batches;
    config->memory_budget = fixed->config.memory_budget;
    /* Settings that the accumulator does not have go back to automatic. */
    const bool walks = config->accumulator == PAIL_ACCUMULATOR_WALKER ||
                       config->accumulator == PAIL_ACCUMULATOR_COOP;
    if (!walks && fixed->config.prefix_placement == 0)
        config->prefix_placement = PAIL_PLACEMENT_AUTO;
    if (!walks && fixed->config.slots == 0)
        config->slots = 0;
    if (config->accumulator != PAIL_ACCUMULATOR_COOP && fixed->config.inversion_group == 0)
        config->inversion_group = 0;
    if (config->accumulator == PAIL_ACCUMULATOR_DEBUG && fixed->config.threads == 0)
        config->threads = 0;
}

void pail_check_choose(struct pail_setup *setup, struct pail_check_choice *choice,
                       const struct pail_instrument_options *options, uint64_t index)
{
    struct pail_rng rng;
    pail_rng_init(&rng, options->seed ^ (index + 1) * UINT64_C(0x9e3779b97f4a7c15));
    *setup = (struct pail_setup){0};
    const size_t group = (size_t)pail_rng_below(&rng, options->n_groups);
    setup->curve = options->groups[group].curve;
    setup->group = options->groups[group].group;
    setup->n = choose_n(&rng, options->max_n);
    setup->jobs = one_in(&rng, 4) ? 2 + pail_rng_below(&rng, 3) : 1;
    setup->dist = (enum pail_scalar_dist)pail_rng_below(&rng, PAIL_SCALARS_COUNT);
    setup->base_kind = (enum pail_base_kind)pail_rng_below(&rng, PAIL_BASES_COUNT);
    setup->seed = pail_rng_next(&rng) >> 1; /* JSON has signed numbers */
    choose_knobs(&setup->knobs, &rng, &options->base.knobs, options->automatic);
    setup->offset = one_in(&rng, 4) ? pail_rng_below(&rng, options->max_n + 1) : 0;
    const bool in_subgroup =
        setup->base_kind != PAIL_BASES_OUTSIDE && setup->base_kind != PAIL_BASES_SMALL_ORDER;
    /* The closed form divides by 2^256 modulo r, which points of another order do not allow. */
    setup->montgomery = one_in(&rng, 4) && in_subgroup;
    setup->validation = ONE_OF(&rng, PAIL_VALIDATE_NONE, PAIL_VALIDATE_CURVE,
                               in_subgroup ? PAIL_VALIDATE_SUBGROUP : PAIL_VALIDATE_CURVE);
    setup->same_scalars = setup->jobs > 1 && one_in(&rng, 3);
    const uint64_t lever = pail_rng_below(&rng, 4), value = 1 + pail_rng_below(&rng, 100);
    const pail_msm_config *const fixed = &options->base.knobs.config;
    const bool is_fixed = fixed->force_batches != 0 || fixed->memory_budget != 0;
    *choice = (struct pail_check_choice){.batches_of = lever == 0 && !is_fixed ? value : 0,
                                         .budget_percent = lever == 1 && !is_fixed ? value : 0};
}

uint64_t pail_check_cases_at_once(const struct pail_rig *rig)
{
    const uint32_t threads = rig->options.session.threads;
    const uint32_t half = (threads != 0 ? threads : pail_team_processors()) / 2;
    return half < 1 ? 1 : half < AT_ONCE_MAX ? half : AT_ONCE_MAX;
}

void pail_check_warm(struct pail_rig *rig, uint64_t first, uint64_t cases,
                     const uint32_t *accumulators, size_t n)
{
    uint32_t *const fixed = &rig->options.base.knobs.config.accumulator;
    const uint32_t asked = *fixed;
    struct pail_setup setups[AT_ONCE_MAX * ACCUMULATORS_MAX];
    size_t n_setups = 0;
    for (uint64_t i = 0; i < cases && i < AT_ONCE_MAX; i++) {
        for (size_t k = 0; k < n && k < ACCUMULATORS_MAX; k++) {
            struct pail_check_choice choice;
            *fixed = accumulators[k] != 0 ? accumulators[k] : asked;
            pail_check_choose(&setups[n_setups++], &choice, &rig->options, first + i);
        }
    }
    *fixed = asked;
    pail_rig_warm(rig, setups, n_setups);
}

pail_status pail_check_settle(struct pail_subject *subject, const struct pail_check_choice *choice,
                              struct pail_error *error)
{
    pail_msm_config *const config = &subject->setup.knobs.config;
    pail_stats stats;
    if (choice->batches_of == 0 && choice->budget_percent == 0)
        return PAIL_OK;
    if (pail_subject_estimate(&stats, subject, error) != PAIL_OK)
        return error->status;
    if (choice->batches_of != 0 && stats.windows > 0)
        config->force_batches = 1 + (uint32_t)(choice->batches_of % stats.windows);
    config->memory_budget = stats.bytes_estimate * choice->budget_percent / 100;
    return PAIL_OK;
}

/* Options with a value that the command gets anew, or that do not belong to a case. */
static bool is_replaced(const char *argument, bool *takes_next)
{
    static const char *const names[] = {"--cases", "--first", "--seed", "--time", "--json"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(argument, names[i], length) == 0 &&
            (argument[length] == '\0' || argument[length] == '=')) {
            *takes_next = argument[length] == '\0';
            return true;
        }
    }
    return false;
}

const char *pail_check_again(char *text, size_t cap, const struct pail_instrument_options *options,
                             uint64_t first, uint64_t cases)
{
    int used =
        snprintf(text, cap, "pail check --seed %" PRIu64 " --first %" PRIu64 " --cases %" PRIu64,
                 options->seed, first, cases);
    for (int i = 1; i < options->call->argc && used > 0 && (size_t)used < cap; i++) {
        bool takes_next = false;
        if (is_replaced(options->call->argv[i], &takes_next)) {
            i += takes_next;
            continue;
        }
        used += snprintf(text + used, cap - (size_t)used, " '%s'", options->call->argv[i]);
    }
    return text;
}
