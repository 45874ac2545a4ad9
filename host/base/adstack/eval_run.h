/* SPDX-License-Identifier: Apache-2.0 */
/* A spec's code while its cells are computed. */
#ifndef PAIL_ADSTACK_EVAL_RUN_H
#define PAIL_ADSTACK_EVAL_RUN_H

#include "columns.h"
#include "watch.h"

/* Bounds of a value that is no error. */
struct pail_ad_interval {
    int64_t lo, hi;
};

/* An instruction whose operands are all places in one array of values: registers first, then what
 * slots it uses. */
struct pail_ad_step {
    uint16_t op, dtype;
    uint32_t dst, a, b, c;
    uint32_t d, difference_site; /* GREATER: the last operand, and the site of the SUB */
    uint32_t args_first, n_args; /* index in run.args */
    uint32_t site;
    uint32_t var, end;
    uint32_t reduction;
    bool joined;
    bool over_joined;             /* the loop that ends its turns takes their values */
    bool may_fail;                /* with operands that are no errors */
    struct pail_ad_interval turn; /* LOOP: what a turn gives */
    const struct pail_ad_array *array;
};

struct pail_ad_run {
    const struct pail_ad_program *program;
    const struct pail_ad_array *arrays;
    const struct pail_ad_value *slots;
    const struct pail_ad_spec *spec;
    const struct pail_ad_columns *columns;
    struct pail_ad_step *steps;
    uint32_t n_steps;
    uint32_t *args, n_args;
    struct pail_ad_value *values;
    struct pail_ad_interval *intervals; /* of the values */
    uint32_t n_values;
    uint32_t value; /* place of what a cell is */
    bool over_joined;
    struct pail_ad_interval cell; /* bounds of a cell */
    uint32_t least_error;         /* no error is less; 0: there can be none at all */
    struct pail_ad_reach *reach;  /* [n_sources] of what is read; NULL: nobody asks */
    struct pail_ad_watch *watch;  /* NULL: no limits */
    struct pail_ad_table *table;  /* table of columns; NULL as long as none were needed */
    struct pail_ad_scratch *scratch;
    const struct pail_alloc *alloc;
    struct pail_error *err;
    pail_status status; /* status that ends the run early */
};

/* Turns of a loop, or cells along the innermost axis, or along the two innermost ones: then the
 * variable starts again after each row, and `outer` is the variable of rows. */
struct pail_ad_range {
    uint32_t var;
    int64_t begin;
    uint64_t turns;
    uint32_t first, end; /* steps of a turn */
    uint32_t value;
    bool over_joined;
    uint32_t reduction;
    struct pail_ad_interval turn;
    uint32_t row; /* 0: there is no outer variable */
    uint32_t outer;
    int64_t outer_begin;
};

/* Computes one operation of steps, which is no READ and no LOOP. */
static inline struct pail_ad_value
pail_ad_step_value(const struct pail_ad_step *step, struct pail_ad_value a, struct pail_ad_value b,
                   struct pail_ad_value c, struct pail_ad_value d)
{
    if (step->op != PAIL_AD_GREATER)
        return pail_ad_operate(step->op, step->site, a, b, c);
    const struct pail_ad_value difference =
        pail_ad_operate(PAIL_AD_SUB, step->difference_site, a, b, c);
    return pail_ad_operate(PAIL_AD_SELECT, step->site, difference, c, d);
}

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

/* Upper bounds of the places of a run's values and of its args. */
size_t pail_ad_count_places(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                            size_t *n_args);

/* Makes steps of the spec's code. In: run->values and run->args have room for all. */
void pail_ad_decode(struct pail_ad_run *run);

/* Joins each SUB with the SELECT that it is the condition of, in code without loops. Intervals are
 * found before. */
void pail_ad_join_comparisons(struct pail_ad_run *run);

/* Finds what values are between and what can go wrong: fills steps' may_fail and turn, run->cell
 * and least_error. turns: [n_axes], > 0. */
void pail_ad_find_intervals(struct pail_ad_run *run, const int64_t begin[], const uint64_t turns[]);

/* True if nothing that comes can change the total in the end: it has the least possible error; or
 * no error is possible, and the largest is as large as a turn can make it, or the sum is beyond 64
 * bits and cannot come back. */
static inline bool pail_ad_settled(const struct pail_ad_run *run, uint32_t reduction,
                                   struct pail_ad_interval turn, const struct pail_ad_total *total)
{
    if (run->least_error)
        return total->error && total->error <= run->least_error;
    if (reduction == PAIL_AD_REDUCE_MAX)
        return total->max >= turn.hi;
    return (turn.lo >= 0 && (total->high > 0 || (!total->high && total->low > INT64_MAX))) ||
           (turn.hi <= 0 &&
            (total->high < -1 || (total->high == -1 && (pail_ad_wide)total->low < INT64_MIN)));
}

/* Counts turns of so many operations; false: the evaluation has to end, and run->status says so. */
static inline bool pail_ad_run_goes_on(struct pail_ad_run *run, uint64_t turns, uint64_t each)
{
    if (pail_ad_watch_spend(run->watch, turns, each))
        return true;
    if (!run->status)
        run->status = pail_ad_watch_fail(run->watch, run->program, run->spec->site, 0, run->err);
    return false;
}

/* Reduces turns in the order of a LOOP step, which the values of its operands are known for.
 * around: total of the loop that this one is joined with. */
void pail_ad_run_loop(struct pail_ad_run *run, uint32_t at, struct pail_ad_total *around);

/* Does all turns side by side, if that is possible: enough turns, no loops in them but those that
 * reduce a read, and nothing wrong that does not change. */
bool pail_ad_run_lanes(struct pail_ad_run *run, const struct pail_ad_range *range,
                       struct pail_ad_total *total);

/* One of the two pieces of scratch memory, with at least so many bytes; it is not zero. NULL: there
 * is no memory, and run->status and run->err say so. */
void *pail_ad_run_memory(struct pail_ad_run *run, int piece, size_t bytes);

#endif /* PAIL_ADSTACK_EVAL_RUN_H */
