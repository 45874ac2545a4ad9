/* A spec's code while its cells are computed. */
#ifndef PAIL_ADSTACK_EVAL_RUN_H
#define PAIL_ADSTACK_EVAL_RUN_H

#include "adstack/eval_spec.h"

/* An instruction whose operands are all places in one array of values: registers first, then what
 * slots it uses. */
struct pail_ad_step {
    uint16_t op, dtype;
    uint32_t dst, a, b, c;
    uint32_t args_first, n_args; /* in run.args */
    uint32_t site;
    uint32_t var, end;
    uint32_t reduction;
    bool joined;
    bool over_joined; /* what its turns give is taken by the loop that ends them */
    const struct pail_ad_array *array;
};

struct pail_ad_run {
    const struct pail_ad_program *program;
    const struct pail_ad_array *arrays;
    const struct pail_ad_value *slots;
    const struct pail_ad_spec *spec;
    struct pail_ad_step *steps;
    uint32_t *args, n_args;
    struct pail_ad_value *values;
    uint32_t n_values;
    uint32_t value; /* place of what a cell is */
    bool over_joined;
    struct pail_ad_lanes *lanes; /* of values, for turns side by side; NULL as long as none were */
    size_t max_values;           /* n_values is at most this */
    const struct pail_alloc *alloc;
    struct pail_error *err;
    pail_status status; /* a lack of memory on the way */
};

/* Turns of a loop, or cells along the innermost axis. */
struct pail_ad_range {
    uint32_t var;
    int64_t begin;
    uint64_t turns;
    uint32_t first, end; /* steps of a turn */
    uint32_t value;
    bool over_joined;
    uint32_t reduction;
};

/* An element at indices: [rank of the array]. */
static inline struct pail_ad_value pail_ad_read(const struct pail_ad_array *array, uint32_t dtype,
                                                uint32_t site, const struct pail_ad_value indices[],
                                                uint32_t n)
{
    uint32_t error = 0;
    bool inside = true;
    int64_t offset = 0;
    for (uint32_t k = 0; k < n; k++) {
        error = pail_ad_least(error, indices[k].error);
        inside = inside && indices[k].v >= 0 && indices[k].v < array->shape[k];
        if (inside)
            offset += indices[k].v * array->stride[k];
    }
    if (error)
        return pail_ad_failed(error);
    if (!inside)
        return pail_ad_failed(PAIL_AD_ERROR(site, PAIL_AD_RANGE));
    return (struct pail_ad_value){.v = pail_ad_load(array->host + offset, dtype)};
}

/* How many turns are computed side by side. */
enum { PAIL_AD_LANES = 128 };

struct pail_ad_lanes {
    int64_t v[PAIL_AD_LANES];
    uint32_t error[PAIL_AD_LANES]; /* means something if `failed` */
    bool failed;                   /* there is an error */
};

/* Does all turns side by side, if that is possible: enough turns, no loops in them, and nothing
 * wrong that does not change. */
bool pail_ad_run_lanes(struct pail_ad_run *run, const struct pail_ad_range *range,
                       struct pail_ad_total *total);

#endif /* PAIL_ADSTACK_EVAL_RUN_H */
