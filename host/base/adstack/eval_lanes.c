/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of a loop side by side: one instruction for all of them, then the next, over columns. Where
 * anything goes wrong in a lane, the instruction is done again as it is done alone, lane by lane,
 * so there is one place that says what errors are. */
#include <string.h>

#include "eval_run.h"

/* Bounds of the use of columns: with fewer turns the preparations cost more, and more values do not
 * fit near memory. */
enum { FEWEST_TURNS = 8, MOST_VALUES = 512 };

/* Lengths of columns are multiples of it. */
enum { LENGTHS = 32 };

/* A value in all turns that are computed now. */
struct lanes {
    const uint8_t *at; /* int32_t or int64_t: in `own`, or in an array */
    int64_t *own;      /* [length of the table] */
    uint32_t *error;   /* [the same]; means something if `failed` */
    bool narrow;       /* at: int32_t */
    bool failed;       /* there is an error */
};

/* The elements of a READ whose indices are variables or do not change. */
struct row {
    const uint8_t *first; /* NULL: an index is computed, or goes outside */
    int64_t step;
    int64_t row_step; /* of rows, that are no single one */
    bool in_rows;
    bool in_place; /* the elements are a column as they are */
};

enum role { UNCHANGED, FILLED, COMPUTED };

struct pail_ad_table {
    struct lanes *of; /* [n_values + 1]: a column of each value, and one for a result */
    struct row *rows; /* [n_code] */
    uint8_t *roles;   /* [n_values] */
    uint32_t length;  /* of columns */
    bool counts;      /* the variable is looked at */
    bool counts_rows; /* and that of rows */
};

/* The turns that are computed now. */
struct block {
    struct pail_ad_run *run;
    const struct pail_ad_range *range;
    struct pail_ad_table *table;
    uint64_t done; /* turns before */
    uint32_t n;
};

static int64_t value_of(const struct lanes *lanes, uint32_t i)
{
    int32_t narrow;
    int64_t wide;
    if (lanes->narrow) {
        memcpy(&narrow, lanes->at + i * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, lanes->at + i * sizeof wide, sizeof wide);
    return wide;
}

static struct pail_ad_value lane_of(const struct lanes *lanes, uint32_t i)
{
    if (lanes->failed && lanes->error[i])
        return pail_ad_failed(lanes->error[i]);
    return (struct pail_ad_value){.v = value_of(lanes, i)};
}

static void set_lane(struct lanes *lanes, uint32_t i, struct pail_ad_value value)
{
    lanes->own[i] = value.v;
    lanes->error[i] = value.error;
    lanes->failed = lanes->failed || value.error;
}

static void make_own(struct lanes *lanes, bool narrow)
{
    lanes->at = (const uint8_t *)lanes->own;
    lanes->narrow = narrow;
    lanes->failed = false;
}

/* ---- Steps ----------------------------------------------------------------------------------- */
/* A result is written beside all values, since its place may be that of an operand. */
static struct lanes *result_of(const struct block *block)
{
    return &block->table->of[block->run->n_values];
}

static void deliver(const struct block *block, uint32_t place)
{
    struct lanes *result = result_of(block), *to = &block->table->of[place];
    const struct lanes old = *to;
    *to = *result;
    *result = old;
}

/* Makes a column one of int64_t, aligned, and that nobody else has. */
static void widen(const struct block *block, struct lanes *lanes)
{
    struct lanes *spare = result_of(block);
    int64_t *own = spare->own;
    if (!lanes->narrow && lanes->at == (const uint8_t *)lanes->own)
        return;
    block->run->columns->widen(own, lanes->narrow, lanes->at, block->n);
    spare->own = lanes->own;
    lanes->own = own;
    lanes->at = (const uint8_t *)own;
    lanes->narrow = false;
}

enum { OPERANDS = 4 };

struct operands {
    struct lanes *of[OPERANDS];
    const uint8_t *at[OPERANDS];
    bool narrow;
};

/* Takes an operation's operands as columns of one width; false: there are errors among them. */
static bool take_operands(const struct block *block, const struct pail_ad_step *step,
                          struct operands *operands)
{
    struct lanes *of = block->table->of, *a = &of[step->a], *b = &of[step->b];
    struct lanes *c = pail_ad_has_third(step->op) ? &of[step->c] : b;
    struct lanes *d = step->op == PAIL_AD_GREATER ? &of[step->d] : c;
    *operands = (struct operands){.of = {a, b, c, d}};
    if (a->failed || b->failed || c->failed || d->failed)
        return false;
    operands->narrow =
        a->narrow && b->narrow && c->narrow && d->narrow && !pail_ad_is_division(step->op);
    for (int k = 0; k < OPERANDS; k++)
        if (pail_ad_is_division(step->op) || (operands->of[k]->narrow && !operands->narrow))
            widen(block, operands->of[k]);
    for (int k = 0; k < OPERANDS; k++)
        operands->at[k] = operands->of[k]->at;
    return true;
}

static bool operate(const struct block *block, const struct pail_ad_step *step,
                    struct operands *operands)
{
    const struct pail_ad_columns *columns = block->run->columns;
    if (!take_operands(block, step, operands))
        return false;
    struct lanes *result = result_of(block);
    make_own(result, pail_ad_gives_narrow(step->op, operands->narrow));
    if (pail_ad_is_division(step->op))
        return columns->divide(step->op, result->own, operands->of[0]->own, operands->of[1]->own,
                               block->n);
    return columns->keep(step->op, operands->narrow, result->own, operands->at, block->n);
}

static void run_operation(const struct block *block, const struct pail_ad_step *step)
{
    struct operands operands;
    if (!operate(block, step, &operands)) {
        struct lanes *result = result_of(block);
        make_own(result, false);
        for (uint32_t i = 0; i < block->n; i++)
            set_lane(result, i,
                     pail_ad_step_value(step, lane_of(operands.of[0], i),
                                        lane_of(operands.of[1], i), lane_of(operands.of[2], i),
                                        lane_of(operands.of[3], i)));
    }
    deliver(block, step->dst);
}

/* Offsets are checked once, so indices are not to be those of an array that somebody else may write
 * to against the rules. */
static bool gather(const struct block *block, const struct pail_ad_step *step)
{
    const struct pail_ad_run *run = block->run;
    int64_t offset[PAIL_AD_LANES];
    memset(offset, 0, block->n * sizeof offset[0]);
    for (uint32_t k = 0; k < step->n_args; k++) {
        struct lanes *index = &block->table->of[run->args[step->args_first + k]];
        if (index->failed)
            return false;
        widen(block, index);
        if (!run->columns->add_axis(offset, index->own, step->array->shape[k],
                                    step->array->stride[k], block->n))
            return false;
    }
    struct lanes *result = result_of(block);
    make_own(result, pail_ad_is_narrow(step->dtype));
    run->columns->gather(result->own, step->dtype, step->array->host, offset, block->n);
    return true;
}

static void run_read(const struct block *block, const struct pail_ad_step *step)
{
    const struct pail_ad_run *run = block->run;
    const struct row *row = &block->table->rows[step - run->steps];
    struct lanes *result = result_of(block);
    if (row->first && row->in_rows) {
        const uint32_t length = block->range->row;
        make_own(result, pail_ad_is_narrow(step->dtype));
        run->columns->load_rows(result->own, step->dtype,
                                row->first + (int64_t)(block->done / length) * row->row_step,
                                row->step, row->row_step, length, block->n / length);
    } else if (row->first) {
        const uint8_t *first = row->first + (int64_t)block->done * row->step;
        make_own(result, pail_ad_is_narrow(step->dtype));
        if (row->in_place)
            result->at = first;
        else
            run->columns->load(result->own, step->dtype, first, row->step, block->n);
    } else if (!gather(block, step)) {
        make_own(result, false);
        for (uint32_t i = 0; i < block->n; i++) {
            struct pail_ad_value indices[PAIL_AD_MAX_RANK];
            for (uint32_t k = 0; k < step->n_args; k++)
                indices[k] = lane_of(&block->table->of[run->args[step->args_first + k]], i);
            set_lane(result, i,
                     pail_ad_read(step->array, step->dtype, step->site, indices, step->n_args));
        }
    }
    deliver(block, step->dst);
}

/* ---- Loops ----------------------------------------------------------------------------------- */
/* The rows of a loop that reduces a READ, in all turns that are computed now. */
struct ragged {
    int64_t offset[PAIL_AD_LANES], turns[PAIL_AD_LANES]; /* of the first element in bytes; length */
    int64_t step;
    uint64_t all; /* turns */
};

/* Finds the rows; false: something may be wrong with one, or it is long. */
static bool find_ragged(const struct block *block, const struct pail_ad_step *loop,
                        struct ragged *ragged)
{
    const struct pail_ad_run *run = block->run;
    const struct pail_ad_step *read = loop + 1;
    struct lanes *begin = &block->table->of[loop->a], *end = &block->table->of[loop->b];
    int64_t length = INT64_MAX;
    bool right = !begin->failed && !end->failed;
    ragged->step = 0;
    ragged->all = 0;
    if (!right)
        return false;
    widen(block, begin);
    widen(block, end);
    for (uint32_t k = 0; k < read->n_args; k++)
        if (run->args[read->args_first + k] == loop->var) {
            length = read->array->shape[k] < length ? read->array->shape[k] : length;
            ragged->step += read->array->shape[k] > 1 ? read->array->stride[k] : 0;
        }
    for (uint32_t i = 0; i < block->n; i++) {
        const int64_t from = begin->own[i], to = end->own[i];
        const uint64_t turns = to > from ? pail_ad_turns(from, to) : 0;
        right = right && (!turns || (from >= 0 && to <= length && turns <= PAIL_AD_LONG_ROW));
        ragged->turns[i] = (int64_t)turns;
        ragged->all += turns;
        ragged->offset[i] = turns ? (int64_t)((uint64_t)from * (uint64_t)ragged->step) : 0;
    }
    for (uint32_t k = 0; k < read->n_args && right; k++) {
        struct lanes *index = &block->table->of[run->args[read->args_first + k]];
        if (run->args[read->args_first + k] == loop->var)
            continue;
        if (index->failed)
            return false;
        widen(block, index);
        right = run->columns->add_axis(ragged->offset, index->own, read->array->shape[k],
                                       read->array->stride[k], block->n);
    }
    return right;
}

/* Does the loop of one turn as it is done alone. */
static void run_one_loop(const struct block *block, uint32_t at, uint32_t lane,
                         struct pail_ad_total *total)
{
    struct pail_ad_run *run = block->run;
    const struct pail_ad_step *loop = &run->steps[at], *read = loop + 1;
    const uint32_t places[] = {loop->a, loop->b};
    for (int k = 0; k < 2; k++)
        if (block->table->roles[places[k]] == COMPUTED)
            run->values[places[k]] = lane_of(&block->table->of[places[k]], lane);
    for (uint32_t k = 0; k < read->n_args; k++) {
        const uint32_t place = run->args[read->args_first + k];
        if (place != loop->var && block->table->roles[place] == COMPUTED)
            run->values[place] = lane_of(&block->table->of[place], lane);
    }
    pail_ad_run_loop(run, at, total);
}

static void run_loop(struct pail_ad_total *total, const struct block *block, uint32_t at)
{
    struct pail_ad_run *run = block->run;
    const struct pail_ad_step *loop = &run->steps[at];
    struct lanes *result = result_of(block);
    struct ragged ragged;
    bool easy = find_ragged(block, loop, &ragged);
    make_own(result, false);
    easy = easy && run->columns->reduce_rows(
                       loop->reduction == PAIL_AD_REDUCE_SUM, (loop + 1)->dtype, result->own,
                       (loop + 1)->array->host, ragged.step, ragged.offset, ragged.turns, block->n);
    if (easy && !pail_ad_run_goes_on(run, ragged.all, 1))
        return;
    for (uint32_t i = 0; !easy && i < block->n && !run->status; i++) {
        run_one_loop(block, at, i, total);
        if (!loop->joined)
            set_lane(result, i, run->values[loop->dst]);
    }
    if (loop->joined && easy)
        pail_ad_take_elements(total, loop->reduction, PAIL_DTYPE_I64, result->at, sizeof(int64_t),
                              block->n);
    else if (!loop->joined)
        deliver(block, loop->dst);
}

/* ---- Preparing ------------------------------------------------------------------------------- */
/* A table for so many turns at once; false: there is no memory for it. */
static bool make_table(struct pail_ad_run *run, uint32_t turns)
{
    const size_t length = (turns + LENGTHS - 1) / LENGTHS * LENGTHS;
    const size_t n = run->n_values, n_code = run->spec->n_code, lanes = (n + 1) * length;
    const size_t head = (sizeof(struct pail_ad_table) + 15) / 16 * 16;
    if (run->table && run->table->length >= turns)
        return true;
    unsigned char *memory =
        pail_ad_run_memory(run, 1,
                           head + lanes * (sizeof(int64_t) + sizeof(uint32_t)) +
                               (n + 1) * sizeof(struct lanes) + n_code * sizeof(struct row) + n);
    run->table = (struct pail_ad_table *)(void *)memory;
    if (!memory)
        return false;
    struct pail_ad_table *table = run->table;
    table->length = (uint32_t)length;
    int64_t *v = (int64_t *)(void *)(memory + head);
    table->of = (struct lanes *)(void *)(v + lanes);
    table->rows = (struct row *)(void *)(table->of + n + 1);
    uint32_t *error = (uint32_t *)(void *)(table->rows + n_code);
    table->roles = (uint8_t *)(error + lanes);
    for (size_t i = 0; i <= n; i++)
        table->of[i] = (struct lanes){.own = v + i * length, .error = error + i * length};
    return true;
}

/* An operand as a column; false: it is wrong in all turns. */
static bool fill(struct pail_ad_run *run, const struct pail_ad_range *range, uint32_t place,
                 uint32_t n)
{
    struct pail_ad_table *table = run->table;
    struct lanes *lanes = &table->of[place];
    table->counts = table->counts || place == range->var;
    table->counts_rows = table->counts_rows || (range->row && place == range->outer);
    if (table->roles[place] != UNCHANGED)
        return true;
    if (run->values[place].error)
        return false;
    const int64_t v = run->values[place].v;
    const int32_t narrow = (int32_t)v;
    make_own(lanes, narrow == v);
    /* Whole words, and as many as a column of either width may have. */
    const uint64_t twice = (uint64_t)(uint32_t)narrow * ((UINT64_C(1) << 32) + 1);
    const int64_t word = lanes->narrow ? (int64_t)twice : v;
    const uint32_t n_words = lanes->narrow ? (n + 1) / 2 : n;
    for (uint32_t i = 0; i < n_words; i++)
        lanes->own[i] = word;
    table->roles[place] = FILLED;
    return true;
}

/* An index at the end of a range, where it is largest. */
static int64_t last_of(const struct pail_ad_range *range, bool outer)
{
    const uint64_t turns = outer        ? range->turns / range->row
                           : range->row ? range->row
                                        : range->turns;
    return (int64_t)((uint64_t)(outer ? range->outer_begin : range->begin) + (turns - 1));
}

/* The elements of a READ, if they are in rows that are inside of the array. */
static struct row find_row(const struct pail_ad_run *run, const struct pail_ad_range *range,
                           const struct pail_ad_step *step)
{
    struct row row = {.first = step->array->host};
    for (uint32_t k = 0; k < step->n_args; k++) {
        const uint32_t place = run->args[step->args_first + k];
        const bool outer = range->row && place == range->outer,
                   varies = outer || place == range->var;
        const struct pail_ad_value index =
            varies ? (struct pail_ad_value){.v = outer ? range->outer_begin : range->begin}
                   : run->values[place];
        const int64_t last = varies ? last_of(range, outer) : index.v;
        if ((!varies && run->table->roles[place] == COMPUTED) || index.error || index.v < 0 ||
            last >= step->array->shape[k])
            return (struct row){.first = NULL};
        row.first += index.v * step->array->stride[k];
        if (last > index.v)
            *(outer ? &row.row_step : &row.step) += step->array->stride[k];
    }
    row.in_rows = range->row && row.row_step != row.step * (int64_t)range->row;
    row.in_place = !row.in_rows && pail_ad_is_column(step->dtype) &&
                   row.step == pail_ad_dtype_bytes(step->dtype);
    return row;
}

static bool prepare_read(struct pail_ad_run *run, const struct pail_ad_range *range,
                         const struct pail_ad_step *step, uint32_t n)
{
    struct row *row = &run->table->rows[step - run->steps];
    *row = find_row(run, range, step);
    for (uint32_t k = 0; k < step->n_args && !row->first; k++)
        if (!fill(run, range, run->args[step->args_first + k], n))
            return false;
    return true;
}

/* The READ that a LOOP does nothing but reduce; NULL: there is none. */
static const struct pail_ad_step *reduced_read(const struct pail_ad_run *run, uint32_t at)
{
    const struct pail_ad_step *loop = &run->steps[at], *read = loop + 1;
    return loop->end == at + 2 && read->op == PAIL_AD_READ && loop->c == read->dst ? read : NULL;
}

static bool prepare_loop(struct pail_ad_run *run, const struct pail_ad_range *range, uint32_t at,
                         uint32_t n)
{
    const struct pail_ad_step *loop = &run->steps[at], *read = loop + 1;
    for (uint32_t k = 0; k < read->n_args; k++) {
        const uint32_t place = run->args[read->args_first + k];
        if (place != loop->var && !fill(run, range, place, n))
            return false;
    }
    return fill(run, range, loop->a, n) && fill(run, range, loop->b, n);
}

static bool prepare_step(struct pail_ad_run *run, const struct pail_ad_range *range, uint32_t at,
                         uint32_t n)
{
    const struct pail_ad_step *step = &run->steps[at];
    if (step->op == PAIL_AD_READ)
        return prepare_read(run, range, step, n);
    if (step->op == PAIL_AD_LOOP)
        return prepare_loop(run, range, at, n);
    return fill(run, range, step->a, n) && fill(run, range, step->b, n) &&
           (!pail_ad_has_third(step->op) || fill(run, range, step->c, n)) &&
           (step->op != PAIL_AD_GREATER || fill(run, range, step->d, n));
}

/* The step behind one, and behind what is in it. */
static uint32_t next_of(const struct pail_ad_run *run, uint32_t at)
{
    return run->steps[at].op == PAIL_AD_LOOP ? run->steps[at].end : at + 1;
}

/* false: there is a loop of more than a read, or something is wrong for all turns. */
static bool prepare(struct pail_ad_run *run, const struct pail_ad_range *range, uint32_t n)
{
    for (uint32_t at = range->first; at < range->end; at = next_of(run, at))
        if (run->steps[at].op == PAIL_AD_LOOP && !reduced_read(run, at))
            return false;
    if (run->status || !make_table(run, n))
        return false;
    struct pail_ad_table *table = run->table;
    memset(table->roles, UNCHANGED, run->n_values);
    table->counts = table->counts_rows = false;
    for (uint32_t at = range->first; at < range->end; at++)
        table->roles[run->steps[at].dst] = COMPUTED;
    table->roles[range->var] = COMPUTED;
    if (range->row)
        table->roles[range->outer] = COMPUTED;
    for (uint32_t at = range->first; at < range->end; at = next_of(run, at))
        if (!prepare_step(run, range, at, n))
            return false;
    return range->over_joined || fill(run, range, range->value, n);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */
static void take_lanes(struct pail_ad_total *total, const struct block *block,
                       const struct pail_ad_range *range)
{
    const struct lanes *lanes = &block->table->of[range->value];
    const uint32_t dtype = lanes->narrow ? PAIL_DTYPE_I32 : PAIL_DTYPE_I64;
    if (lanes->failed)
        for (uint32_t i = 0; i < block->n; i++)
            pail_ad_take(total, lane_of(lanes, i));
    else
        pail_ad_take_elements(total, range->reduction, dtype, lanes->at, pail_ad_dtype_bytes(dtype),
                              block->n);
}

/* Adds the results of an operation to the total without keeping them; false: they have to be
 * kept. */
static bool take_results(struct pail_ad_total *total, const struct block *block,
                         const struct pail_ad_range *range, const struct pail_ad_step *step)
{
    const struct pail_ad_columns *columns = block->run->columns;
    struct operands operands;
    int64_t all;
    if (step->op == PAIL_AD_READ || pail_ad_is_division(step->op) || step->dst != range->value ||
        !take_operands(block, step, &operands))
        return false;
    const bool sum = range->reduction == PAIL_AD_REDUCE_SUM;
    if (!(sum ? columns->sum : columns->largest)(step->op, operands.narrow, &all, operands.at,
                                                 block->n))
        return false;
    if (sum)
        pail_ad_add(total, all);
    else
        total->max = all > total->max ? all : total->max;
    return true;
}

/* Fills the columns of the variables that are looked at. */
static void count(const struct block *block)
{
    const struct pail_ad_range *range = block->range;
    const struct pail_ad_columns *columns = block->run->columns;
    struct pail_ad_table *table = block->table;
    struct lanes *var = &table->of[range->var], *outer = &table->of[range->outer];
    if (table->counts)
        make_own(var, false);
    if (table->counts && !range->row)
        columns->count(var->own, (int64_t)((uint64_t)range->begin + block->done), block->n);
    for (uint32_t i = 0; table->counts && range->row && i < block->n; i += range->row)
        columns->count(var->own + i, range->begin, range->row);
    if (!table->counts_rows)
        return;
    make_own(outer, false);
    for (uint32_t i = 0; i < block->n; i++)
        outer->own[i] = (int64_t)((uint64_t)range->outer_begin + (block->done + i) / range->row);
}

static void run_block(struct pail_ad_total *total, const struct block *block,
                      const struct pail_ad_range *range)
{
    const struct pail_ad_run *run = block->run;
    count(block);
    for (uint32_t at = range->first; at < range->end; at = next_of(run, at)) {
        const struct pail_ad_step *step = &run->steps[at];
        if (at == range->end - 1 && take_results(total, block, range, step))
            return;
        if (step->op == PAIL_AD_READ)
            run_read(block, step);
        else if (step->op == PAIL_AD_LOOP)
            run_loop(total, block, at);
        else
            run_operation(block, step);
        if (run->status)
            return;
    }
    if (!range->over_joined)
        take_lanes(total, block, range);
}

bool pail_ad_run_lanes(struct pail_ad_run *run, const struct pail_ad_range *range,
                       struct pail_ad_total *total)
{
    if (range->turns < FEWEST_TURNS || run->n_values > MOST_VALUES)
        return false;
    const uint64_t fit = range->row ? PAIL_AD_LANES - PAIL_AD_LANES % range->row : PAIL_AD_LANES;
    const uint64_t most = range->turns < fit ? range->turns : fit;
    if (!prepare(run, range, (uint32_t)most))
        return false;
    struct block block = {.run = run, .range = range, .table = run->table};
    while (block.done < range->turns &&
           !pail_ad_settled(run, range->reduction, range->turn, total)) {
        const uint64_t left = range->turns - block.done;
        block.n = (uint32_t)(left < most ? left : most);
        if (!pail_ad_run_goes_on(run, block.n, range->end - range->first + 1))
            break;
        run_block(total, &block, range);
        block.done += block.n;
    }
    return true;
}
