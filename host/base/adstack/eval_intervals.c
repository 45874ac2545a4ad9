/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of the values of a spec's code, over all cells. Where the interval of a sum fits 64
 * bits nothing has to be checked, and where nothing can go wrong a result may be certain before all
 * cells were looked at. */
#include "eval_run.h"

struct finding {
    struct pail_ad_run *run;
    struct pail_ad_interval *of; /* [n_values] */
    uint32_t least;              /* error; UINT32_MAX: none */
};

static const struct pail_ad_interval anything = {INT64_MIN, INT64_MAX};

static pail_ad_wide lesser(pail_ad_wide a, pail_ad_wide b)
{
    return a < b ? a : b;
}

static pail_ad_wide greater(pail_ad_wide a, pail_ad_wide b)
{
    return a > b ? a : b;
}

static bool fits(pail_ad_wide lo, pail_ad_wide hi)
{
    return lo >= INT64_MIN && hi <= INT64_MAX;
}

/* The part of an interval that fits 64 bits: beyond it are only errors. */
static struct pail_ad_interval clamped(pail_ad_wide lo, pail_ad_wide hi)
{
    return (struct pail_ad_interval){
        (int64_t)lesser(greater(lo, INT64_MIN), INT64_MAX),
        (int64_t)lesser(greater(hi, INT64_MIN), INT64_MAX),
    };
}

static struct pail_ad_interval of_type(uint32_t dtype)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
        return (struct pail_ad_interval){INT8_MIN, INT8_MAX};
    case PAIL_DTYPE_I16:
        return (struct pail_ad_interval){INT16_MIN, INT16_MAX};
    case PAIL_DTYPE_I32:
        return (struct pail_ad_interval){INT32_MIN, INT32_MAX};
    case PAIL_DTYPE_U8:
        return (struct pail_ad_interval){0, UINT8_MAX};
    case PAIL_DTYPE_U16:
        return (struct pail_ad_interval){0, UINT16_MAX};
    case PAIL_DTYPE_U32:
        return (struct pail_ad_interval){0, UINT32_MAX};
    default:
        return anything;
    }
}

/* ---- Operations ------------------------------------------------------------------------------ */
static struct pail_ad_interval multiplied(struct pail_ad_interval a, struct pail_ad_interval b,
                                          bool *may_fail)
{
    const pail_ad_wide p[] = {(pail_ad_wide)a.lo * b.lo, (pail_ad_wide)a.lo * b.hi,
                              (pail_ad_wide)a.hi * b.lo, (pail_ad_wide)a.hi * b.hi};
    const pail_ad_wide lo = lesser(lesser(p[0], p[1]), lesser(p[2], p[3]));
    const pail_ad_wide hi = greater(greater(p[0], p[1]), greater(p[2], p[3]));
    *may_fail = !fits(lo, hi);
    return clamped(lo, hi);
}

/* A quotient is no further from 0 than what is divided, but for the rounding. */
static struct pail_ad_interval divided(struct pail_ad_interval a, struct pail_ad_interval b,
                                       bool *may_fail)
{
    const bool zero = b.lo <= 0 && b.hi >= 0, minus_one = b.lo <= -1 && b.hi >= -1;
    *may_fail = zero || (minus_one && a.lo == INT64_MIN);
    if (b.lo > 0)
        return (struct pail_ad_interval){a.lo < 0 ? a.lo : 0, a.hi >= 0 ? a.hi : -1};
    const pail_ad_wide most = greater(-(pail_ad_wide)a.lo, greater(a.hi, 1));
    return clamped(-most, most);
}

static struct pail_ad_interval remainder_of(struct pail_ad_interval a, struct pail_ad_interval b,
                                            bool *may_fail)
{
    *may_fail = b.lo <= 0 && b.hi >= 0;
    if (b.lo > 0 && a.lo >= 0)
        return (struct pail_ad_interval){0, a.hi < b.hi - 1 ? a.hi : b.hi - 1};
    return (struct pail_ad_interval){b.lo < 0 ? b.lo + 1 : 0, b.hi > 0 ? b.hi - 1 : 0};
}

static struct pail_ad_interval either(struct pail_ad_interval a, struct pail_ad_interval b)
{
    return (struct pail_ad_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static struct pail_ad_interval selected(struct pail_ad_interval a, struct pail_ad_interval b,
                                        struct pail_ad_interval c)
{
    return a.lo > 0 ? b : a.hi <= 0 ? c : either(b, c);
}

/* An operation modulo 2^64. If no result can be beyond 64 bits it is the checked one from here on,
 * of which SUB alone is known to be joined with comparisons. */
static struct pail_ad_interval wrapped(struct pail_ad_step *step, struct pail_ad_interval a,
                                       struct pail_ad_interval b)
{
    struct pail_ad_interval product;
    pail_ad_wide lo, hi;
    bool beyond = false;
    if (step->op == PAIL_AD_WRAP_MUL) {
        product = multiplied(a, b, &beyond);
        step->op = beyond ? PAIL_AD_WRAP_MUL : PAIL_AD_MUL;
        return beyond ? anything : product;
    }
    const bool adds = step->op == PAIL_AD_WRAP_ADD;
    lo = adds ? (pail_ad_wide)a.lo + b.lo : (pail_ad_wide)a.lo - b.hi;
    hi = adds ? (pail_ad_wide)a.hi + b.hi : (pail_ad_wide)a.hi - b.lo;
    if (!fits(lo, hi))
        return adds ? anything : (struct pail_ad_interval){0, INT64_MAX};
    step->op = adds ? PAIL_AD_ADD : PAIL_AD_SUB;
    return adds ? clamped(lo, hi) : clamped(greater(lo, 0), greater(hi, 0));
}

static struct pail_ad_interval operated(struct pail_ad_step *step,
                                        const struct pail_ad_interval of[], bool *may_fail)
{
    const struct pail_ad_interval a = of[step->a], b = of[step->b];
    pail_ad_wide lo, hi;
    *may_fail = false;
    switch (step->op) {
    case PAIL_AD_ADD:
        lo = (pail_ad_wide)a.lo + b.lo;
        hi = (pail_ad_wide)a.hi + b.hi;
        break;
    case PAIL_AD_SUB:
        lo = greater((pail_ad_wide)a.lo - b.hi, 0);
        hi = greater((pail_ad_wide)a.hi - b.lo, 0);
        break;
    case PAIL_AD_MUL:
        return multiplied(a, b, may_fail);
    case PAIL_AD_MAX:
        lo = greater(a.lo, b.lo);
        hi = greater(a.hi, b.hi);
        break;
    case PAIL_AD_MIN:
        lo = lesser(a.lo, b.lo);
        hi = lesser(a.hi, b.hi);
        break;
    case PAIL_AD_SELECT:
        return selected(a, b, of[step->c]);
    case PAIL_AD_FLOOR_DIV:
        return divided(a, b, may_fail);
    case PAIL_AD_WRAP_ADD:
    case PAIL_AD_WRAP_SUB:
    case PAIL_AD_WRAP_MUL:
        return wrapped(step, a, b);
    default:
        return remainder_of(a, b, may_fail);
    }
    *may_fail = !fits(lo, hi);
    return clamped(lo, hi);
}

static void note_reach(const struct pail_ad_run *run, const struct pail_ad_step *step,
                       const struct pail_ad_interval of[])
{
    int64_t lo[PAIL_AD_MAX_RANK], hi[PAIL_AD_MAX_RANK];
    for (uint32_t k = 0; k < step->n_args; k++) {
        lo[k] = of[run->args[step->args_first + k]].lo;
        hi[k] = of[run->args[step->args_first + k]].hi;
    }
    pail_ad_reach_elements(&run->reach[step->array - run->arrays], step->array, lo, hi);
}

static bool may_be_outside(const struct pail_ad_run *run, const struct pail_ad_step *step,
                           const struct pail_ad_interval of[])
{
    bool outside = false;
    for (uint32_t k = 0; k < step->n_args; k++) {
        const struct pail_ad_interval index = of[run->args[step->args_first + k]];
        outside = outside || index.lo < 0 || index.hi >= step->array->shape[k];
    }
    return outside;
}

/* ---- Loops ----------------------------------------------------------------------------------- */
static void may_fail(struct finding *f, const struct pail_ad_step *step, uint32_t kind)
{
    const uint32_t error = PAIL_AD_ERROR(step->site, kind);
    f->least = error < f->least ? error : f->least;
}

/* The least kind of error that an operation or a READ may have. */
static uint32_t kind_of(const struct pail_ad_step *step, const struct pail_ad_interval of[])
{
    if (step->op == PAIL_AD_READ)
        return PAIL_AD_RANGE;
    if (step->op == PAIL_AD_MOD)
        return PAIL_AD_DIVISION;
    if (step->op != PAIL_AD_FLOOR_DIV)
        return PAIL_AD_OVERFLOW;
    const struct pail_ad_interval b = of[step->b];
    return of[step->a].lo == INT64_MIN && b.lo <= -1 && b.hi >= -1 ? PAIL_AD_OVERFLOW
                                                                   : PAIL_AD_DIVISION;
}

static void enter(struct finding *f, struct pail_ad_step *loop)
{
    const struct pail_ad_interval a = f->of[loop->a], b = f->of[loop->b];
    /* The variable has no value where there are no turns. */
    f->of[loop->var] = (struct pail_ad_interval){a.lo, b.hi > a.lo ? b.hi - 1 : a.lo};
    loop->may_fail = b.hi > a.lo && pail_ad_turns(a.lo, b.hi) > PAIL_AD_MAX_CELLS;
}

static void leave(struct finding *f, struct pail_ad_step *loop)
{
    const struct pail_ad_interval a = f->of[loop->a], b = f->of[loop->b];
    const struct pail_ad_interval turn = loop->turn = f->of[loop->c];
    uint64_t turns = b.hi > a.lo ? pail_ad_turns(a.lo, b.hi) : 0;
    if (turns > PAIL_AD_MAX_CELLS)
        turns = PAIL_AD_MAX_CELLS;
    const bool sum = loop->reduction == PAIL_AD_REDUCE_SUM;
    const pail_ad_wide most = sum ? (pail_ad_wide)turns : 1;
    const pail_ad_wide hi = greater(turn.hi * most, 0);
    const pail_ad_wide lo = sum ? lesser(turn.lo * most, 0) : 0;
    f->of[loop->dst] = clamped(lo, hi);
    const bool beyond = !loop->joined && !fits(lo, hi);
    loop->may_fail = loop->may_fail || beyond;
    if (loop->may_fail)
        may_fail(f, loop, beyond ? PAIL_AD_OVERFLOW : PAIL_AD_CELLS);
}

static void find(struct finding *f)
{
    struct pail_ad_run *run = f->run;
    uint32_t loops[PAIL_AD_MAX_DEPTH], n_loops = 0;
    for (uint32_t i = 0; i <= run->spec->n_code; i++) {
        while (n_loops && run->steps[loops[n_loops - 1]].end <= i)
            leave(f, &run->steps[loops[--n_loops]]);
        if (i == run->spec->n_code)
            break;
        struct pail_ad_step *step = &run->steps[i];
        if (step->op == PAIL_AD_LOOP) {
            enter(f, step);
            loops[n_loops++] = i;
            continue;
        }
        const uint32_t kind = kind_of(step, f->of); /* dst may be an operand, too */
        if (step->op == PAIL_AD_READ) {
            step->may_fail = may_be_outside(run, step, f->of);
            if (run->reach)
                note_reach(run, step, f->of);
            f->of[step->dst] = of_type(step->dtype);
        } else {
            bool wrong;
            f->of[step->dst] = operated(step, f->of, &wrong);
            step->may_fail = wrong;
        }
        if (step->may_fail)
            may_fail(f, step, kind);
    }
    run->cell = f->of[run->value];
}

void pail_ad_find_intervals(struct pail_ad_run *run, const int64_t begin[], const uint64_t turns[])
{
    struct finding f = {.run = run, .of = run->intervals, .least = UINT32_MAX};
    for (uint32_t k = 0; k < run->spec->n_axes; k++)
        f.of[k] =
            (struct pail_ad_interval){begin[k], (int64_t)((uint64_t)begin[k] + (turns[k] - 1))};
    /* Values of slots; an error among them is an error of each value that uses it. */
    for (uint32_t at = run->spec->n_registers; at < run->n_values; at++) {
        const struct pail_ad_value *value = &run->values[at];
        f.of[at] = (struct pail_ad_interval){value->v, value->v};
        if (value->error && value->error < f.least)
            f.least = value->error;
    }
    find(&f);
    run->least_error = f.least == UINT32_MAX ? 0 : f.least;
}
