/* Pipelines that a deployment needs, as items of the boundary's `warm`. */
#ifndef PAIL_TOOL_WARMUP_SELECTION_H
#define PAIL_TOOL_WARMUP_SELECTION_H

#include <stdbool.h>

#include <pail/backend.h>

#include "options/lists.h"

/* The words that describe a shape, on the command line and in a manifest. */
enum pail_warm_key {
    PAIL_WARM_CURVE,
    PAIL_WARM_GROUP,
    PAIL_WARM_SIZES,
    PAIL_WARM_ACCUMULATORS,
    PAIL_WARM_KEYS
};

/* Multiplications that are alike. All zero is the default: every curve, every group, any size, the
 * backend's choice of accumulator. */
struct pail_warm_shape {
    uint32_t curves, groups, accumulators; /* bits, 1 << value */
    bool no_curve;                         /* curve "none": no multiplications at all */
    bool adstack;                          /* also the pipelines of adstack sizing */
    struct pail_list sizes;                /* 0 among them: whatever the size */
};

struct pail_warm_selection {
    bool all; /* every pipeline that a device can have; no items then */
    pail_warm_item *items;
    size_t n, capacity;
};

/* "curve", "group", "sizes", "accumulators" */
extern const char *const pail_warm_key_names[PAIL_WARM_KEYS];

/* Adds the values in `text` to those of the key: names separated by commas or "all" (for the curve
 * also "none"), or sizes as the instruments take them, or "any". False, and the shape is as before,
 * if it is something else or there are more than PAIL_LIST_MAX sizes. */
bool pail_warm_shape_add(struct pail_warm_shape *shape, enum pail_warm_key key, const char *text);

/* True for a shape without pipelines: curve "none", and no adstack. */
bool pail_warm_shape_is_empty(const struct pail_warm_shape *shape);

/* Appends the items of the shape: one for each curve, group, size and accumulator. Returns PAIL_OK
 * or PAIL_ERR_HOST_MEMORY. */
pail_status pail_warm_selection_add(struct pail_warm_selection *selection,
                                    const struct pail_warm_shape *shape);

void pail_warm_selection_free(struct pail_warm_selection *selection);

#endif /* PAIL_TOOL_WARMUP_SELECTION_H */
