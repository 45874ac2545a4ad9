/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "eval_run.h"

/* ---- Running --------------------------------------------------------------------------------- */

static void take_many(struct pail_ad_total *total, struct pail_ad_value value, uint64_t n)
{
    total->error = pail_ad_least(total->error, value.error);
    total->max = value.v > total->max ? value.v : total->max;
    pail_ad_add(total, (pail_ad_wide)value.v * (pail_ad_wide)n);
}

/* The variable itself, `turns` times from `begin` on, and all that `times` times. */
static void take_variable(struct pail_ad_total *total, int64_t begin, uint64_t turns,
                          uint64_t times)
{
    const int64_t last = (int64_t)((uint64_t)begin + (turns - 1));
    total->max = last > total->max ? last : total->max;
    const pail_ad_wide all = ((pail_ad_wide)begin + last) * (pail_ad_wide)turns / 2;
    pail_ad_add(total, all * (pail_ad_wide)times);
}

static struct pail_ad_value read_element(const struct pail_ad_run *run,
                                         const struct pail_ad_step *step)
{
    struct pail_ad_value indices[PAIL_AD_MAX_RANK];
    for (uint32_t k = 0; k < step->n_args; k++)
        indices[k] = run->values[run->args[step->args_first + k]];
    return pail_ad_read(step->array, step->dtype, step->site, indices, step->n_args);
}

/* Elements in memory between two looks at the limits: those that are apart may each take as long as
 * a main memory does. */
enum { NEAR_ELEMENTS = 1 << 17, FAR_ELEMENTS = 1 << 13 };

static void take_elements(struct pail_ad_run *run, const struct pail_ad_step *step,
                          const struct pail_ad_range *range, const uint8_t *first, int64_t stride,
                          struct pail_ad_total *total)
{
    const bool near = stride == pail_ad_dtype_bytes(step->dtype);
    const uint64_t most = near ? NEAR_ELEMENTS : FAR_ELEMENTS;
    for (uint64_t done = 0, n;
         done < range->turns && !pail_ad_settled(run, range->reduction, range->turn, total);
         done += n) {
        n = range->turns - done < most ? range->turns - done : most;
        if (!pail_ad_run_goes_on(run, n, near ? 1 : NEAR_ELEMENTS / FAR_ELEMENTS))
            return;
        pail_ad_take_elements(total, range->reduction, step->dtype, first + (int64_t)done * stride,
                              stride, n);
    }
}

/* Reduces one read over all turns of a variable. */
static void take_row(struct pail_ad_run *run, const struct pail_ad_step *step,
                     const struct pail_ad_range *range, struct pail_ad_total *total)
{
    const struct pail_ad_array *array = step->array;
    const int64_t last = (int64_t)((uint64_t)range->begin + (range->turns - 1));
    uint32_t error = 0;
    bool inside = true;
    int64_t offset = 0, stride = 0;
    for (uint32_t k = 0; k < step->n_args; k++) {
        const uint32_t at = run->args[step->args_first + k];
        const bool varies = at == range->var;
        const struct pail_ad_value index =
            varies ? (struct pail_ad_value){.v = range->begin} : run->values[at];
        error = pail_ad_least(error, index.error);
        inside = inside && index.v >= 0 && (varies ? last : index.v) < array->shape[k];
        if (inside)
            offset += index.v * array->stride[k];
        if (inside && varies && range->turns > 1)
            stride += array->stride[k];
    }
    if (!error && !inside)
        error = PAIL_AD_ERROR(step->site, PAIL_AD_RANGE);
    if (error)
        total->error = pail_ad_least(total->error, error);
    else if (stride == 0)
        take_many(total,
                  (struct pail_ad_value){.v = pail_ad_load(array->host + offset, step->dtype)},
                  range->turns);
    else
        take_elements(run, step, range, array->host + offset, stride, total);
}

static void run_range(struct pail_ad_run *run, const struct pail_ad_range *range,
                      struct pail_ad_total *total);

void pail_ad_run_loop(struct pail_ad_run *run, uint32_t at, struct pail_ad_total *around)
{
    const struct pail_ad_step *step = &run->steps[at];
    const struct pail_ad_value a = run->values[step->a], b = run->values[step->b];
    struct pail_ad_total own = {0};
    struct pail_ad_total *total = step->joined ? around : &own;
    const uint64_t turns = a.v < b.v ? pail_ad_turns(a.v, b.v) : 0;
    if (a.error | b.error)
        total->error = pail_ad_least(total->error, pail_ad_least(a.error, b.error));
    else if (turns > PAIL_AD_MAX_CELLS)
        total->error = pail_ad_least(total->error, PAIL_AD_ERROR(step->site, PAIL_AD_CELLS));
    else if (turns)
        run_range(run,
                  &(struct pail_ad_range){
                      .var = step->var,
                      .begin = a.v,
                      .turns = turns,
                      .first = at + 1,
                      .end = step->end,
                      .value = step->c,
                      .over_joined = step->over_joined,
                      .reduction = step->reduction,
                      .turn = step->turn,
                  },
                  total);
    if (!step->joined)
        run->values[step->dst] = pail_ad_finish(&own, step->reduction, step->site);
}

static void run_steps(struct pail_ad_run *run, uint32_t at, uint32_t end,
                      struct pail_ad_total *around)
{
    while (at < end && !run->status) {
        const struct pail_ad_step *step = &run->steps[at];
        if (step->op == PAIL_AD_LOOP) {
            pail_ad_run_loop(run, at, around);
            at = step->end;
            continue;
        }
        struct pail_ad_value *values = run->values;
        if (step->op == PAIL_AD_READ)
            values[step->dst] = read_element(run, step);
        else
            values[step->dst] =
                pail_ad_step_value(step, values[step->a], values[step->b], values[step->c],
                                   values[step->op == PAIL_AD_GREATER ? step->d : step->c]);
        at++;
    }
}

/* Runs the turns one after the other. */
static void run_turns(struct pail_ad_run *run, const struct pail_ad_range *range,
                      struct pail_ad_total *total)
{
    const uint64_t each = (uint64_t)range->end - range->first + 1;
    for (uint64_t i = 0;
         i < range->turns && !pail_ad_settled(run, range->reduction, range->turn, total); i++) {
        if (run->status || !pail_ad_run_goes_on(run, 1, each))
            return;
        run->values[range->var] =
            (struct pail_ad_value){.v = (int64_t)((uint64_t)range->begin + i)};
        run_steps(run, range->first, range->end, total);
        if (!range->over_joined)
            pail_ad_take(total, run->values[range->value]);
    }
}

/* Ranges inside one another are no deeper than PAIL_AD_MAX_DEPTH, and so are these calls. */
static void run_range(struct pail_ad_run *run, const struct pail_ad_range *range,
                      struct pail_ad_total *total)
{
    const struct pail_ad_step *only = &run->steps[range->first];
    if (range->first == range->end && range->value == range->var)
        take_variable(total, range->begin, range->turns, 1);
    else if (range->first == range->end)
        take_many(total, run->values[range->value], range->turns);
    else if (range->end - range->first == 1 && only->op == PAIL_AD_READ &&
             range->value == only->dst)
        take_row(run, only, range, total);
    else if (!pail_ad_run_lanes(run, range, total))
        run_turns(run, range, total);
}

/* Does all rows of the two innermost axes side by side, if they are short; false: they have to be
 * done one after the other. */
static bool run_rows(struct pail_ad_run *run, const int64_t begin[], const uint64_t turns[],
                     const struct pail_ad_range *row, struct pail_ad_total *total)
{
    if (row->var == 0 || row->turns > PAIL_AD_LANES)
        return false;
    struct pail_ad_range rows = *row;
    rows.row = (uint32_t)row->turns;
    rows.outer = row->var - 1;
    rows.outer_begin = begin[rows.outer];
    rows.turns *= turns[rows.outer];
    return pail_ad_run_lanes(run, &rows, total);
}

/* begin and turns of the axes: [n_axes]. */
static void run_cells(struct pail_ad_run *run, const int64_t begin[], const uint64_t turns[],
                      struct pail_ad_total *total)
{
    const uint32_t last = run->spec->n_axes - 1;
    uint64_t at[PAIL_AD_MAX_AXES] = {0};
    for (uint32_t k = 0; k < last; k++)
        run->values[k] = (struct pail_ad_value){.v = begin[k]};
    const struct pail_ad_range range = {
        .var = last,
        .begin = begin[last],
        .turns = turns[last],
        .first = 0,
        .end = run->n_steps,
        .value = run->value,
        .over_joined = run->over_joined,
        .reduction = run->spec->reduction,
        .turn = run->cell,
    };
    while (!run->status && !pail_ad_settled(run, range.reduction, range.turn, total)) {
        uint32_t k = last;
        if (last && !at[last - 1] && run_rows(run, begin, turns, &range, total))
            k--;
        else
            run_range(run, &range, total);
        while (k > 0 && ++at[k - 1] == turns[k - 1]) {
            at[--k] = 0;
            run->values[k].v = begin[k];
        }
        if (k == 0)
            return;
        run->values[k - 1].v = (int64_t)((uint64_t)begin[k - 1] + at[k - 1]);
    }
}

void *pail_ad_run_memory(struct pail_ad_run *run, int piece, size_t bytes)
{
    struct pail_ad_scratch *scratch = run->scratch;
    if (scratch->bytes[piece] >= bytes)
        return scratch->memory[piece];
    pail_free(run->alloc, scratch->memory[piece]);
    scratch->memory[piece] = pail_calloc(run->alloc, 1, bytes);
    scratch->bytes[piece] = scratch->memory[piece] ? bytes : 0;
    if (!scratch->memory[piece])
        run->status = pail_fail(run->err, PAIL_ERR_HOST_MEMORY,
                                "no host memory for %zu bytes to run %u operations", bytes,
                                run->spec->n_code);
    return scratch->memory[piece];
}

void pail_ad_scratch_free(struct pail_ad_scratch *scratch, const struct pail_alloc *alloc)
{
    for (int piece = 0; piece < 2; piece++)
        pail_free(alloc, scratch->memory[piece]);
    *scratch = (struct pail_ad_scratch){0};
}

/* Takes memory for the places of a run and decodes its code into them. */
static void begin_run(struct pail_ad_run *run, const struct pail_ad_program *program,
                      const struct pail_ad_array arrays[], const struct pail_ad_value slots[],
                      const struct pail_ad_spec *spec, struct pail_ad_scratch *scratch,
                      const struct pail_alloc *alloc, struct pail_error *err)
{
    size_t n_args;
    const size_t n_values = pail_ad_count_places(program, spec, &n_args);
    const size_t n_steps = (size_t)spec->n_code + 1;
    *run = (struct pail_ad_run){
        .program = program,
        .arrays = arrays,
        .slots = slots,
        .spec = spec,
        .scratch = scratch,
        .n_values = spec->n_registers,
        .n_steps = spec->n_code,
        .columns = pail_ad_columns(),
        .alloc = alloc,
        .err = err,
    };
    run->values =
        pail_ad_run_memory(run, 0,
                           n_values * (sizeof(run->values[0]) + sizeof(run->intervals[0])) +
                               n_steps * sizeof(run->steps[0]) + n_args * sizeof(run->args[0]));
    if (!run->values)
        return;
    run->intervals = (struct pail_ad_interval *)(void *)(run->values + n_values);
    run->steps = (struct pail_ad_step *)(void *)(run->intervals + n_values);
    run->args = (uint32_t *)(void *)(run->steps + n_steps);
    memset(run->values, 0, n_values * (sizeof(run->values[0]) + sizeof(run->intervals[0])));
    pail_ad_decode(run);
}

/* false: there are no cells, or nobody knows. */
static bool range_of_axes(const struct pail_ad_program *program, const struct pail_ad_value slots[],
                          const struct pail_ad_spec *spec, int64_t begin[], uint64_t turns[])
{
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &program->axes[spec->axes_first + k];
        const struct pail_ad_value from = slots[axis->begin], to = slots[axis->end];
        if (from.error || to.error || from.v >= to.v)
            return false;
        begin[k] = from.v;
        turns[k] = pail_ad_turns(from.v, to.v);
    }
    return true;
}

/* Finds the intervals of a run, of which there are some. */
static pail_status look_ahead(struct pail_ad_run *run, const struct pail_ad_program *program,
                              const struct pail_ad_array arrays[],
                              const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                              struct pail_ad_reach reach[], const struct pail_alloc *alloc,
                              struct pail_error *err)
{
    int64_t begin[PAIL_AD_MAX_AXES];
    uint64_t turns[PAIL_AD_MAX_AXES];
    struct pail_ad_scratch scratch = {0};
    run->status = PAIL_OK;
    run->least_error = 0;
    if (!range_of_axes(program, slots, spec, begin, turns))
        return PAIL_OK;
    begin_run(run, program, arrays, slots, spec, &scratch, alloc, err);
    run->reach = reach;
    if (run->status == PAIL_OK)
        pail_ad_find_intervals(run, begin, turns);
    pail_ad_scratch_free(&scratch, alloc);
    return run->status;
}

pail_status pail_ad_least_error(const struct pail_ad_program *program,
                                const struct pail_ad_array arrays[],
                                const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                                uint32_t *least, const struct pail_alloc *alloc,
                                struct pail_error *err)
{
    struct pail_ad_run run;
    const pail_status status = look_ahead(&run, program, arrays, slots, spec, NULL, alloc, err);
    *least = status == PAIL_OK ? run.least_error : 0;
    return status;
}

/* ---- What is read ---------------------------------------------------------------------------- */
void pail_ad_reach_join(struct pail_ad_reach *reach, uint64_t first, uint64_t end)
{
    reach->first = reach->end && reach->first < first ? reach->first : first;
    reach->end = reach->end > end ? reach->end : end;
}

void pail_ad_reach_elements(struct pail_ad_reach *reach, const struct pail_ad_array *array,
                            const int64_t lo[], const int64_t hi[])
{
    uint64_t first = 0, last = 0;
    for (uint32_t k = 0; k < array->rank; k++) {
        const int64_t least = lo && lo[k] > 0 ? lo[k] : 0;
        const int64_t most = hi && hi[k] < array->shape[k] ? hi[k] : array->shape[k] - 1;
        if (least > most)
            return;
        /* Strides of axes with one element alone may be anything, and index 0 is read then. */
        first += (uint64_t)least * (uint64_t)array->stride[k];
        last += (uint64_t)most * (uint64_t)array->stride[k];
    }
    pail_ad_reach_join(reach, first, last + pail_ad_dtype_bytes(array->dtype));
}

pail_status pail_ad_spec_reach(const struct pail_ad_program *program,
                               const struct pail_ad_array arrays[],
                               const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                               struct pail_ad_reach reach[], const struct pail_alloc *alloc,
                               struct pail_error *err)
{
    struct pail_ad_run run;
    return look_ahead(&run, program, arrays, slots, spec, reach, alloc, err);
}

pail_status pail_ad_eval_cells(const struct pail_ad_program *program,
                               const struct pail_ad_array arrays[],
                               const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                               uint64_t cells, struct pail_ad_watch *watch,
                               struct pail_ad_scratch *scratch, struct pail_ad_value *value,
                               const struct pail_alloc *alloc, struct pail_error *err)
{
    struct pail_ad_total total = {0};
    int64_t begin[PAIL_AD_MAX_AXES];
    uint64_t turns[PAIL_AD_MAX_AXES];
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &program->axes[spec->axes_first + k];
        begin[k] = slots[axis->begin].v;
        turns[k] = pail_ad_turns(begin[k], slots[axis->end].v);
    }
    if (!spec->n_code && spec->value & PAIL_AD_SLOT) {
        take_many(&total, slots[spec->value & ~PAIL_AD_SLOT], cells);
        *value = pail_ad_finish(&total, spec->reduction, spec->site);
        return PAIL_OK;
    }
    if (!spec->n_code) {
        take_variable(&total, begin[spec->value], turns[spec->value], cells / turns[spec->value]);
        *value = pail_ad_finish(&total, spec->reduction, spec->site);
        return PAIL_OK;
    }
    if (!pail_ad_watch_allows(watch, cells) || !pail_ad_watch_look(watch))
        return pail_ad_watch_fail(watch, program, spec->site, cells, err);
    struct pail_ad_run run;
    begin_run(&run, program, arrays, slots, spec, scratch, alloc, err);
    run.watch = watch;
    if (run.status == PAIL_OK) {
        pail_ad_find_intervals(&run, begin, turns);
        pail_ad_join_comparisons(&run);
        run_cells(&run, begin, turns, &total);
        *value = pail_ad_finish(&total, spec->reduction, spec->site);
    }
    return run.status;
}
