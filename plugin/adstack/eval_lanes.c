/* Turns of a loop side by side: one instruction for all of them, then the next, in loops that
 * compilers make vectors of. Where anything goes wrong in a lane, the instruction is done again as
 * it is done alone, lane by lane, so there is one place that says what errors are. */
#include <string.h>

#include "adstack/eval_run.h"

/* With fewer turns the preparations cost more, and with more values they are in no near memory. */
enum { FEWEST_TURNS = 8, MOST_VALUES = 512 };

/* The turns that are computed now. */
struct block {
    struct pail_ad_run *run;
    const struct pail_ad_range *range;
    int64_t begin;
    uint32_t n;
};

static struct pail_ad_value lane_of(const struct pail_ad_lanes *lanes, uint32_t i)
{
    if (lanes->failed && lanes->error[i])
        return pail_ad_failed(lanes->error[i]);
    return (struct pail_ad_value){.v = lanes->v[i]};
}

static void set_lane(struct pail_ad_lanes *lanes, uint32_t i, struct pail_ad_value value)
{
    lanes->v[i] = value.v;
    lanes->error[i] = value.error;
    lanes->failed = lanes->failed || value.error;
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Each returns whether no lane went wrong. */
static bool add(int64_t to[], const int64_t a[], const int64_t b[], uint32_t n)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i], sum = x + y;
        wrong |= (x ^ sum) & (y ^ sum);
        to[i] = (int64_t)sum;
    }
    return !(wrong >> 63);
}

static bool subtract(int64_t to[], const int64_t a[], const int64_t b[], uint32_t n)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t difference = (uint64_t)a[i] - (uint64_t)b[i];
        const uint64_t kept = a[i] > b[i] ? difference : 0;
        wrong |= kept; /* a difference upwards that does not fit has the highest bit */
        to[i] = (int64_t)kept;
    }
    return !(wrong >> 63);
}

static bool multiply(int64_t to[], const int64_t a[], const int64_t b[], uint32_t n)
{
    bool wrong = false;
    for (uint32_t i = 0; i < n; i++)
        wrong |= __builtin_mul_overflow(a[i], b[i], &to[i]);
    return !wrong;
}

static bool divide(uint32_t op, int64_t to[], const int64_t a[], const int64_t b[], uint32_t n)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++)
        wrong |= pail_ad_arith(op, a[i], b[i], &to[i]);
    return !wrong;
}

static bool operate(uint32_t op, int64_t to[], const int64_t a[], const int64_t b[],
                    const int64_t c[], uint32_t n)
{
    switch (op) {
    case PAIL_AD_ADD:
        return add(to, a, b, n);
    case PAIL_AD_SUB:
        return subtract(to, a, b, n);
    case PAIL_AD_MUL:
        return multiply(to, a, b, n);
    case PAIL_AD_MAX:
        for (uint32_t i = 0; i < n; i++)
            to[i] = a[i] > b[i] ? a[i] : b[i];
        return true;
    case PAIL_AD_MIN:
        for (uint32_t i = 0; i < n; i++)
            to[i] = a[i] < b[i] ? a[i] : b[i];
        return true;
    case PAIL_AD_SELECT:
        for (uint32_t i = 0; i < n; i++)
            to[i] = a[i] > 0 ? b[i] : c[i];
        return true;
    default:
        return divide(op, to, a, b, n);
    }
}

static void run_operation(const struct block *block, const struct pail_ad_step *step)
{
    const struct pail_ad_lanes *a = &block->run->lanes[step->a], *b = &block->run->lanes[step->b];
    const struct pail_ad_lanes *c = step->op == PAIL_AD_SELECT ? &block->run->lanes[step->c] : b;
    /* The result may be in the place of an operand, which is needed again if a lane is wrong. */
    struct pail_ad_lanes *to = &block->run->lanes[step->dst];
    int64_t v[PAIL_AD_LANES];
    if (!(a->failed || b->failed || c->failed) &&
        operate(step->op, v, a->v, b->v, c->v, block->n)) {
        memcpy(to->v, v, block->n * sizeof v[0]);
        to->failed = false;
        return;
    }
    struct pail_ad_lanes result = {.failed = false};
    for (uint32_t i = 0; i < block->n; i++)
        set_lane(
            &result, i,
            pail_ad_operate(step->op, step->site, lane_of(a, i), lane_of(b, i), lane_of(c, i)));
    *to = result;
}

/* ---- Reads ----------------------------------------------------------------------------------- */

#define GATHER(type)                                                                               \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        type v;                                                                                    \
        memcpy(&v, host + offset[i], sizeof v);                                                    \
        to[i] = (int64_t)v;                                                                        \
    }                                                                                              \
    return

static void gather(int64_t to[], const uint8_t *host, const int64_t offset[], uint32_t dtype,
                   uint32_t n)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
        GATHER(int8_t);
    case PAIL_DTYPE_I16:
        GATHER(int16_t);
    case PAIL_DTYPE_I32:
        GATHER(int32_t);
    case PAIL_DTYPE_U8:
        GATHER(uint8_t);
    case PAIL_DTYPE_U16:
        GATHER(uint16_t);
    case PAIL_DTYPE_U32:
        GATHER(uint32_t);
    default:
        GATHER(int64_t);
    }
}

/* Adds what an axis contributes; false: an index is outside of it. */
static bool add_axis(int64_t offset[], const int64_t index[], int64_t length, int64_t stride,
                     uint32_t n)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        wrong |= (uint64_t)index[i] >= (uint64_t)length;
        /* Modulo 2^64: it means something if no index is wrong. */
        offset[i] = (int64_t)((uint64_t)offset[i] + (uint64_t)index[i] * (uint64_t)stride);
    }
    return !wrong;
}

static bool read_all(const struct block *block, const struct pail_ad_step *step, int64_t to[])
{
    const struct pail_ad_run *run = block->run;
    int64_t offset[PAIL_AD_LANES] = {0};
    for (uint32_t k = 0; k < step->n_args; k++) {
        const struct pail_ad_lanes *index = &run->lanes[run->args[step->args_first + k]];
        if (index->failed ||
            !add_axis(offset, index->v, step->array->shape[k], step->array->stride[k], block->n))
            return false;
    }
    gather(to, step->array->host, offset, step->dtype, block->n);
    return true;
}

static void run_read(const struct block *block, const struct pail_ad_step *step)
{
    const struct pail_ad_run *run = block->run;
    struct pail_ad_lanes *to = &run->lanes[step->dst];
    int64_t v[PAIL_AD_LANES];
    if (read_all(block, step, v)) {
        memcpy(to->v, v, block->n * sizeof v[0]);
        to->failed = false;
        return;
    }
    struct pail_ad_lanes result = {.failed = false};
    for (uint32_t i = 0; i < block->n; i++) {
        struct pail_ad_value indices[PAIL_AD_MAX_RANK];
        for (uint32_t k = 0; k < step->n_args; k++)
            indices[k] = lane_of(&run->lanes[run->args[step->args_first + k]], i);
        set_lane(&result, i,
                 pail_ad_read(step->array, step->dtype, step->site, indices, step->n_args));
    }
    *to = result;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

/* A value that is the same in all turns, or comes to be computed in each. */
static bool spread(struct pail_ad_run *run, uint32_t at, uint32_t n)
{
    struct pail_ad_lanes *lanes = &run->lanes[at];
    if (run->values[at].error)
        return false;
    for (uint32_t i = 0; i < n; i++)
        lanes->v[i] = run->values[at].v;
    lanes->failed = false;
    return true;
}

static bool has_lanes(struct pail_ad_run *run)
{
    if (!run->lanes && !run->status) {
        run->lanes = pail_calloc(run->alloc, run->max_values, sizeof(run->lanes[0]));
        if (!run->lanes)
            run->status = pail_fail(run->err, PAIL_ERR_HOST_MEMORY,
                                    "no host memory for %zu values side by side", run->max_values);
    }
    return run->lanes != NULL;
}

/* false: there is a loop, or something is wrong for all turns. Registers that turns write are
 * spread as well, and hold nothing wrong: they are cleared first. */
static bool prepare(struct pail_ad_run *run, const struct pail_ad_range *range, uint32_t n)
{
    for (uint32_t at = range->first; at < range->end; at++) {
        if (run->steps[at].op == PAIL_AD_LOOP)
            return false;
        run->values[run->steps[at].dst] = (struct pail_ad_value){0};
    }
    if (!has_lanes(run))
        return false;
    run->values[range->var] = (struct pail_ad_value){0};
    for (uint32_t at = range->first; at < range->end; at++) {
        const struct pail_ad_step *step = &run->steps[at];
        for (uint32_t k = 0; k < step->n_args; k++)
            if (!spread(run, run->args[step->args_first + k], n))
                return false;
        if (step->op == PAIL_AD_READ)
            continue;
        if (!spread(run, step->a, n) || !spread(run, step->b, n) ||
            (step->op == PAIL_AD_SELECT && !spread(run, step->c, n)))
            return false;
    }
    return spread(run, range->value, n);
}

static void take_lanes(struct pail_ad_total *total, const struct pail_ad_lanes *lanes,
                       uint32_t reduction, uint32_t n)
{
    if (lanes->failed) {
        for (uint32_t i = 0; i < n; i++)
            pail_ad_take(total, lane_of(lanes, i));
        return;
    }
    if (reduction == PAIL_AD_REDUCE_SUM) {
        pail_ad_wide sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += lanes->v[i];
        pail_ad_add(total, sum);
        return;
    }
    int64_t max = total->max;
    for (uint32_t i = 0; i < n; i++)
        max = lanes->v[i] > max ? lanes->v[i] : max;
    total->max = max;
}

bool pail_ad_run_lanes(struct pail_ad_run *run, const struct pail_ad_range *range,
                       struct pail_ad_total *total)
{
    if (range->turns < FEWEST_TURNS || run->max_values > MOST_VALUES)
        return false;
    const uint64_t most = range->turns < PAIL_AD_LANES ? range->turns : PAIL_AD_LANES;
    if (!prepare(run, range, (uint32_t)most))
        return false;
    for (uint64_t done = 0; done < range->turns;) {
        const uint64_t left = range->turns - done;
        const struct block block = {
            .run = run,
            .range = range,
            .begin = (int64_t)((uint64_t)range->begin + done),
            .n = (uint32_t)(left < PAIL_AD_LANES ? left : PAIL_AD_LANES),
        };
        struct pail_ad_lanes *var = &run->lanes[range->var];
        for (uint32_t i = 0; i < block.n; i++)
            var->v[i] = (int64_t)((uint64_t)block.begin + i);
        var->failed = false;
        for (uint32_t at = range->first; at < range->end; at++) {
            if (run->steps[at].op == PAIL_AD_READ)
                run_read(&block, &run->steps[at]);
            else
                run_operation(&block, &run->steps[at]);
        }
        take_lanes(total, &run->lanes[range->value], range->reduction, block.n);
        done += block.n;
    }
    return true;
}
