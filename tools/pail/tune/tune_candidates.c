#include "tune_candidates.h"

#include "options/names.h"

struct list {
    struct pail_tune_candidate *candidates;
    size_t n;
    const struct pail_backend *backend;
    pail_memory_query query;
    pail_stats built_in;
    bool built_in_known;
};

/* Asks for the backend's plan of a configuration without its context, so that no kept choice has a
 * say in it. */
static pail_status ask(pail_stats *stats, const struct list *list, const pail_msm_config *config)
{
    size_t room = 0;
    pail_memory_query query = list->query;
    query.config = config;
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    return list->backend->msm_memory(NULL, &room, stats, &query);
}

static bool same(const pail_stats *a, const pail_stats *b)
{
    return a->accumulator == b->accumulator && a->field == b->field &&
           a->prefix_placement == b->prefix_placement && a->slots == b->slots &&
           a->inversion_group == b->inversion_group && a->workgroup == b->workgroup;
}

static void add(struct list *list, const struct pail_variant *variant)
{
    if (list->n == PAIL_TUNE_CANDIDATES_MAX)
        return;
    struct pail_tune_candidate *const candidate = &list->candidates[list->n++];
    *candidate = (struct pail_tune_candidate){.variant = *variant};
    (void)pail_knobs_text(candidate->variant.label, sizeof(candidate->variant.label),
                          &variant->knobs);
    pail_stats stats;
    candidate->built_in = list->built_in_known &&
                          ask(&stats, list, &variant->knobs.config) == PAIL_OK &&
                          same(&stats, &list->built_in);
}

/* Inversions that several threads share by default can also be each thread's own. */
static void add_groups(struct list *list, struct pail_variant variant, const pail_stats *stats)
{
    pail_msm_config *const config = &variant.knobs.config;
    add(list, &variant);
    if (config->inversion_group != 0 || stats->inversion_group <= 1)
        return;
    config->inversion_group = 1;
    add(list, &variant);
}

/* Asks; knobs of inversions that the options set are taken away where an accumulator has none. */
static pail_status ask_without_needless(pail_stats *stats, const struct list *list,
                                        pail_msm_config *config)
{
    const pail_status status = ask(stats, list, config);
    if (status != PAIL_ERR_ARGUMENT)
        return status;
    pail_msm_config plain = *config;
    plain.slots = plain.inversion_group = 0;
    plain.prefix_placement = PAIL_PLACEMENT_AUTO;
    if (ask(stats, list, &plain) != PAIL_OK || stats->slots != 0)
        return status;
    *config = plain;
    return PAIL_OK;
}

static void add_placements(struct list *list, struct pail_variant variant)
{
    pail_msm_config *const config = &variant.knobs.config;
    pail_stats stats;
    if (ask_without_needless(&stats, list, config) != PAIL_OK) {
        add(list, &variant);
        return;
    }
    /* Without inversions the backend's choice comes with a workgroup for it: as it is. */
    if (config->prefix_placement != PAIL_PLACEMENT_AUTO || stats.slots == 0) {
        add_groups(list, variant, &stats);
        return;
    }
    for (const struct pail_name *name = pail_placement_names; name->name != NULL; name++) {
        config->prefix_placement = name->value;
        if (name->value != PAIL_PLACEMENT_AUTO)
            add_groups(list, variant, &stats);
    }
}

static void built_in_first(struct list *list)
{
    for (size_t i = 1; i < list->n; i++) {
        if (!list->candidates[i].built_in)
            continue;
        const struct pail_tune_candidate first = list->candidates[i];
        for (size_t k = i; k > 0; k--)
            list->candidates[k] = list->candidates[k - 1];
        list->candidates[0] = first;
        return;
    }
}

size_t pail_tune_candidates(struct pail_tune_candidate list[PAIL_TUNE_CANDIDATES_MAX],
                            const struct pail_rig *rig, size_t group, uint64_t n)
{
    const struct pail_instrument_options *const options = &rig->options;
    struct list all = {
        .candidates = list,
        .backend = rig->session.backend,
        .query = {.struct_size = sizeof(all.query),
                  .curve = options->groups[group].curve,
                  .group = options->groups[group].group,
                  .n = n,
                  .device = &rig->session.device},
    };
    const pail_msm_config nothing = {.struct_size = sizeof(nothing)};
    all.built_in_known = ask(&all.built_in, &all, &nothing) == PAIL_OK;
    struct pail_variant variant = options->base;
    pail_msm_config *const config = &variant.knobs.config;
    for (const struct pail_name *a = pail_accumulator_names; a->name != NULL; a++) {
        if ((options->accumulators >> a->value & 1) == 0)
            continue;
        config->accumulator = a->value;
        for (const struct pail_name *f = pail_field_names; f->name != NULL; f++) {
            const uint32_t wanted = options->base.knobs.config.field;
            /* The form that one backend has for itself is no choice of another. */
            if (wanted != PAIL_FIELD_AUTO
                    ? f->value != wanted
                    : f->value == PAIL_FIELD_AUTO || f->value == PAIL_FIELD_HOST)
                continue;
            config->field = f->value;
            add_placements(&all, variant);
        }
    }
    built_in_first(&all);
    return all.n;
}
