#include "selection.h"

#include <stdlib.h>
#include <string.h>

#include "options/names.h"

const char *const pail_warm_key_names[PAIL_WARM_KEYS] = {"curve", "group", "sizes", "accumulators"};

static bool add_names(uint32_t *set, const struct pail_name *names, const char *text)
{
    uint32_t more;
    if (!pail_name_set(&more, names, text))
        return false;
    *set |= more;
    return true;
}

static bool add_sizes(struct pail_list *sizes, const char *text)
{
    struct pail_list more = {.n = 1};
    const bool any = strcmp(text, "any") == 0;
    if (!any && !pail_list_parse(&more, text, PAIL_RANGE_LOG2))
        return false;
    if (sizes->n + more.n > PAIL_LIST_MAX)
        return false;
    for (size_t i = 0; i < more.n; i++)
        if (more.values[i] == 0 && !any)
            return false;
    memcpy(sizes->values + sizes->n, more.values, more.n * sizeof(more.values[0]));
    sizes->n += more.n;
    return true;
}

bool pail_warm_shape_add(struct pail_warm_shape *shape, enum pail_warm_key key, const char *text)
{
    switch (key) {
    case PAIL_WARM_CURVE:
        if (strcmp(text, "none") != 0)
            return !shape->no_curve && add_names(&shape->curves, pail_curve_names, text);
        if (shape->curves != 0)
            return false;
        shape->no_curve = true;
        return true;
    case PAIL_WARM_GROUP:
        return add_names(&shape->groups, pail_group_names, text);
    case PAIL_WARM_SIZES:
        return add_sizes(&shape->sizes, text);
    case PAIL_WARM_ACCUMULATORS:
        return add_names(&shape->accumulators, pail_accumulator_names, text);
    case PAIL_WARM_KEYS:
        break;
    }
    return false;
}

bool pail_warm_shape_is_empty(const struct pail_warm_shape *shape)
{
    return shape->no_curve && !shape->adstack;
}

static pail_status append(struct pail_warm_selection *selection, pail_warm_item item)
{
    if (selection->n == selection->capacity) {
        const size_t capacity = selection->capacity != 0 ? 2 * selection->capacity : 64;
        pail_warm_item *const items = realloc(selection->items, capacity * sizeof(*items));
        if (items == NULL)
            return PAIL_ERR_HOST_MEMORY;
        selection->items = items;
        selection->capacity = capacity;
    }
    item.struct_size = sizeof(item);
    selection->items[selection->n++] = item;
    return PAIL_OK;
}

/* The names of a set, which are all of them when none was given. Names of equal value, like
 * bls12-381 and bls12_381, count once. */
static size_t values_of(uint32_t values[32], uint32_t set, const struct pail_name *names)
{
    if (set == 0)
        (void)pail_name_set(&set, names, "all");
    size_t n = 0;
    for (uint32_t value = 0; value < 32; value++)
        if ((set >> value & 1) != 0)
            values[n++] = value;
    return n;
}

static pail_status append_group(struct pail_warm_selection *selection, pail_warm_item item,
                                const struct pail_warm_shape *shape)
{
    const uint32_t automatic = 1U << PAIL_ACCUMULATOR_AUTO;
    uint32_t accumulators[32];
    const size_t n_accumulators =
        values_of(accumulators, shape->accumulators != 0 ? shape->accumulators : automatic,
                  pail_accumulator_names);
    const struct pail_list any = {.n = 1};
    const struct pail_list *const sizes = shape->sizes.n > 0 ? &shape->sizes : &any;
    for (size_t i = 0; i < sizes->n; i++) {
        item.n = sizes->values[i];
        for (size_t k = 0; k < n_accumulators; k++) {
            item.accumulator = accumulators[k];
            if (append(selection, item) != PAIL_OK)
                return PAIL_ERR_HOST_MEMORY;
        }
    }
    return PAIL_OK;
}

pail_status pail_warm_selection_add(struct pail_warm_selection *selection,
                                    const struct pail_warm_shape *shape)
{
    uint32_t curves[32], groups[32];
    const size_t n_curves =
        shape->no_curve ? 0 : values_of(curves, shape->curves, pail_curve_names);
    const size_t n_groups = values_of(groups, shape->groups, pail_group_names);
    for (size_t c = 0; c < n_curves; c++) {
        for (size_t g = 0; g < n_groups; g++) {
            const pail_warm_item item = {.curve = curves[c], .group = groups[g]};
            if (append_group(selection, item, shape) != PAIL_OK)
                return PAIL_ERR_HOST_MEMORY;
        }
    }
    return shape->adstack ? append(selection, (pail_warm_item){.adstack = 1}) : PAIL_OK;
}

void pail_warm_selection_free(struct pail_warm_selection *selection)
{
    free(selection->items);
    *selection = (struct pail_warm_selection){0};
}
