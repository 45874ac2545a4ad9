/* SPDX-License-Identifier: Apache-2.0 */
#include "culprit.h"

#include <string.h>

#include "eval_spec.h"
#include "kernel.h"
#include "watch.h"

#define MOST_INSTRUCTIONS (1u << 18) /* a millisecond or two */
#define MOST_CELLS        (1u << 16) /* of reductions that indices depend on: a few milliseconds */

struct hunt {
    const struct pail_ad_program *program;
    const struct pail_ad_array *arrays;
    const struct pail_alloc *alloc;
    struct pail_ad_values values; /* a copy */
    struct pail_ad_watch watch;   /* the limit of cells */
    uint8_t *dear;                /* [n_slots] depends on a reduction that is unknown */
    uint8_t *reached;             /* [n_slots] the error may come from there */
    struct pail_ad_value *registers;
    const struct pail_ad_spec *spec;
    uint32_t root, error, left;
    bool lost;    /* something cannot be computed here */
    bool starved; /* a value was missing, or beyond a limit */
    bool seen;    /* an index outside, in this cell */
    struct pail_ad_culprit culprit;
};

/* ---- Values ---------------------------------------------------------------------------------- */
static bool on_host(const struct hunt *h, uint32_t slot)
{
    const struct pail_ad_slot *s = &h->program->slots[slot];
    for (uint32_t i = 0; i < s->n_deps; i++) {
        const struct pail_ad_dep *dep = &h->program->deps[h->program->dep_lists[s->deps_first + i]];
        if (dep->kind == PAIL_AD_DEP_CONTENTS && !h->arrays[dep->source].host)
            return false;
    }
    return true;
}

static void look_for_dear(void *user, uint32_t operand)
{
    struct hunt *h = user;
    h->lost = h->lost || h->dear[operand];
}

static void find_dear(struct hunt *h)
{
    for (uint32_t i = 0; i < h->program->n_slots; i++) {
        if (h->values.known[i])
            continue;
        h->lost = h->program->slots[i].op == PAIL_AD_SPEC;
        pail_ad_each_operand(h->program, i, look_for_dear, h);
        h->dear[i] = h->lost;
    }
}

static struct pail_ad_value slot_value(struct hunt *h, uint32_t slot)
{
    struct pail_error ignored;
    if (!h->values.known[slot] && (h->dear[slot] || !on_host(h, slot) ||
                                   pail_ad_eval(h->program, h->arrays, &h->values, &slot, 1,
                                                h->alloc, &ignored) != PAIL_OK)) {
        h->lost = h->starved = true;
        return (struct pail_ad_value){0};
    }
    return h->values.value[slot];
}

static struct pail_ad_value operand(struct hunt *h, uint32_t number)
{
    if (number == PAIL_AD_NONE)
        return (struct pail_ad_value){0};
    return number & PAIL_AD_SLOT ? slot_value(h, number & ~PAIL_AD_SLOT) : h->registers[number];
}

/* Value of an element that the host cannot read: it matters only where an index or a loop depends
 * on it. */
static const struct pail_ad_value unreadable = {.reserved = 1};

static struct pail_ad_value operate(struct hunt *h, const struct pail_ad_instr *instr)
{
    const struct pail_ad_value a = operand(h, instr->a), b = operand(h, instr->b);
    const struct pail_ad_value c = operand(h, instr->c);
    if (instr->op == PAIL_AD_SELECT ? a.reserved
                                    : !a.error && !b.error && (a.reserved || b.reserved))
        return unreadable;
    return pail_ad_operate(instr->op, instr->site, a, b, c);
}

/* args: operands of code, or slots with the bit. */
static struct pail_ad_value read_at(struct hunt *h, uint32_t source, uint32_t dtype, uint32_t site,
                                    const uint32_t args[], uint32_t n_args, uint32_t bit)
{
    const struct pail_ad_array *array = &h->arrays[source];
    struct pail_ad_culprit outside = {.axis = PAIL_AD_NONE};
    uint32_t error = 0;
    int64_t offset = 0;
    bool unknown = false;
    for (uint32_t k = 0; k < n_args; k++) {
        const struct pail_ad_value index = operand(h, args[k] | bit);
        error = pail_ad_least(error, index.error);
        unknown = unknown || index.reserved;
        if (outside.axis == PAIL_AD_NONE && (index.v < 0 || index.v >= array->shape[k]))
            outside = (struct pail_ad_culprit){source, k, index.v, index.v};
        if (outside.axis == PAIL_AD_NONE)
            offset += index.v * array->stride[k];
    }
    h->lost = h->lost || (unknown && site == PAIL_AD_ERROR_SITE(h->error));
    if (error || h->lost)
        return pail_ad_failed(error);
    if (unknown)
        return unreadable;
    if (outside.axis != PAIL_AD_NONE) {
        error = PAIL_AD_ERROR(site, PAIL_AD_RANGE);
        h->seen = h->seen || error == h->error;
        if (error == h->error)
            h->culprit = outside;
        return pail_ad_failed(error);
    }
    return array->host ? (struct pail_ad_value){.v = pail_ad_load(array->host + offset, dtype)}
                       : unreadable;
}

/* ---- Cells ----------------------------------------------------------------------------------- */
/* An instruction, or a turn. */
static bool spend(struct hunt *h)
{
    h->starved = h->starved || h->left == 0;
    h->lost = h->lost || h->left == 0;
    h->left -= !h->lost;
    return !h->lost;
}

static void run(struct hunt *h, uint32_t first, uint32_t end);

static void run_loop(struct hunt *h, const struct pail_ad_instr *loop, uint32_t number)
{
    const struct pail_ad_value a = operand(h, loop->a), b = operand(h, loop->b);
    struct pail_ad_total total = {.error = pail_ad_least(a.error, b.error)};
    bool unknown = false;
    h->lost = h->lost || a.reserved || b.reserved;
    for (int64_t v = a.v; !total.error && v < b.v && spend(h); v++) {
        h->registers[loop->var] = (struct pail_ad_value){.v = v};
        run(h, number + 1, loop->end);
        const struct pail_ad_value turn = operand(h, loop->c);
        unknown = unknown || turn.reserved;
        total.max = turn.v > total.max ? turn.v : total.max;
        pail_ad_add(&total, turn.v);
        total.error = pail_ad_least(total.error, turn.error);
    }
    h->registers[loop->dst] =
        unknown && !total.error ? unreadable : pail_ad_finish(&total, loop->reduction, loop->site);
}

static void run(struct hunt *h, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end && !h->lost; i++) {
        const struct pail_ad_instr *instr = &h->program->code[h->spec->code_first + i];
        if (!spend(h))
            return;
        if (instr->op == PAIL_AD_LOOP) {
            run_loop(h, instr, i);
            i = instr->end - 1;
        } else if (instr->op == PAIL_AD_READ) {
            h->registers[instr->dst] =
                read_at(h, instr->source, instr->dtype, instr->site,
                        h->program->args + instr->args_first, instr->n_args, 0);
        } else {
            h->registers[instr->dst] = operate(h, instr);
        }
    }
}

/* The bounds of an axis; false: they are unknown, or there is nothing between. */
static bool bounds_of(struct hunt *h, uint32_t axis, int64_t *begin, int64_t *end)
{
    const struct pail_ad_axis *a = &h->program->axes[h->spec->axes_first + axis];
    const struct pail_ad_value x = slot_value(h, a->begin), y = slot_value(h, a->end);
    *begin = x.v;
    *end = y.v;
    return !h->lost && !x.error && !y.error && x.v < y.v;
}

/* The next cell, the innermost axis first; false: that was the last. */
static bool step(struct hunt *h)
{
    int64_t begin, end;
    for (uint32_t k = h->spec->n_axes; k-- > 0;) {
        if (!bounds_of(h, k, &begin, &end))
            return false;
        if (++h->registers[k].v < end)
            return true;
        h->registers[k].v = begin;
    }
    return false;
}

/* Cell by cell, until one has the error and says which index it was. */
static bool hunt_in_cells(struct hunt *h)
{
    int64_t end;
    for (uint32_t k = 0; k < h->spec->n_axes; k++) {
        h->registers[k] = (struct pail_ad_value){0};
        if (!bounds_of(h, k, &h->registers[k].v, &end))
            return false;
    }
    do {
        h->seen = false;
        run(h, 0, h->spec->n_code);
        const struct pail_ad_value cell = operand(h, h->spec->value);
        if (!h->lost && h->seen && cell.error == h->error)
            return true;
        h->lost = h->lost || (h->seen && cell.reserved); /* it may have been this one */
    } while (!h->lost && step(h));
    return false;
}

/* ---- Ranges ---------------------------------------------------------------------------------- */
/* The range of an operand of an instruction: variables have one; a constant has its value twice. */
static bool range_of(struct hunt *h, uint32_t number, uint32_t instr, int64_t *first, int64_t *last)
{
    if (number & PAIL_AD_SLOT) {
        const struct pail_ad_value value = slot_value(h, number & ~PAIL_AD_SLOT);
        *first = *last = value.v;
        return !h->lost && !value.error;
    }
    if (number < h->spec->n_axes) {
        const bool known = bounds_of(h, number, first, last);
        *last -= known;
        return known;
    }
    for (uint32_t i = 0; i < instr; i++) {
        const struct pail_ad_instr *loop = &h->program->code[h->spec->code_first + i];
        if (loop->op != PAIL_AD_LOOP || loop->var != number || loop->end <= instr ||
            !(loop->a & loop->b & PAIL_AD_SLOT) || loop->a == PAIL_AD_NONE)
            continue;
        const struct pail_ad_value a = slot_value(h, loop->a & ~PAIL_AD_SLOT);
        const struct pail_ad_value b = slot_value(h, loop->b & ~PAIL_AD_SLOT);
        *first = a.v;
        *last = b.v - (a.v < b.v);
        return !h->lost && !a.error && !b.error && a.v < b.v;
    }
    return false;
}

/* Finds the axis without a look at any cell. */
static bool find_range(struct hunt *h, uint32_t number)
{
    const struct pail_ad_instr *instr = &h->program->code[h->spec->code_first + number];
    for (uint32_t k = 0; k < instr->n_args; k++) {
        int64_t first, last;
        h->lost = false;
        if (!range_of(h, h->program->args[instr->args_first + k], number, &first, &last) ||
            (first >= 0 && last < h->arrays[instr->source].shape[k]))
            continue;
        h->culprit = (struct pail_ad_culprit){instr->source, k, first, last};
        return true;
    }
    return false;
}

/* ---- Where the error comes from -------------------------------------------------------------- */
static void reach_operand(void *user, uint32_t operand)
{
    uint8_t *reached = user;
    reached[operand] = 1;
}

/* Goes down from the root, past what has another value, and of a SELECT to the arm that is taken:
 * other trees may know more of what this one does not depend on. */
static void reach(struct hunt *h)
{
    const struct pail_ad_program *p = h->program;
    memset(h->reached, 0, p->n_slots);
    h->reached[h->root] = 1;
    for (uint32_t i = h->root + 1; i-- > 0;) {
        const struct pail_ad_slot *s = &p->slots[i];
        h->reached[i] =
            h->reached[i] && (!h->values.known[i] || h->values.value[i].error == h->error);
        if (!h->reached[i])
            continue;
        h->lost = false;
        const struct pail_ad_value a =
            s->op == PAIL_AD_SELECT ? slot_value(h, s->a) : (struct pail_ad_value){0};
        if (s->op == PAIL_AD_SELECT && !h->lost)
            h->reached[s->a] = h->reached[a.error ? s->a : a.v > 0 ? s->b : s->c] = 1;
        else
            pail_ad_each_operand(p, i, reach_operand, h->reached);
    }
}

static bool is_read(uint32_t op, uint32_t site, uint32_t error)
{
    return op == PAIL_AD_READ && site == PAIL_AD_ERROR_SITE(error);
}

static bool look_at_slots(struct hunt *h)
{
    const struct pail_ad_program *p = h->program;
    for (uint32_t i = 0; i < p->n_slots; i++) {
        const struct pail_ad_slot *s = &p->slots[i];
        h->lost = h->seen = false;
        if (h->reached[i] && is_read(s->op, s->site, h->error))
            (void)read_at(h, s->source, s->dtype, s->site, p->args + s->args_first, s->n_args,
                          PAIL_AD_SLOT);
        if (h->seen && !h->lost)
            return true;
    }
    return false;
}

static bool look_at_specs(struct hunt *h)
{
    const struct pail_ad_program *p = h->program;
    bool found = false;
    for (uint32_t i = 0; i < p->n_specs && !found; i++) {
        h->spec = &p->specs[i];
        uint32_t at = 0;
        if (!h->reached[h->spec->slot])
            continue;
        while (at < h->spec->n_code && !is_read(p->code[h->spec->code_first + at].op,
                                                p->code[h->spec->code_first + at].site, h->error))
            at++;
        if (at == h->spec->n_code)
            continue;
        h->registers = pail_calloc(h->alloc, h->spec->n_registers + 1, sizeof(*h->registers));
        if (!h->registers)
            return false;
        h->lost = false;
        found = hunt_in_cells(h) || find_range(h, at);
        pail_free(h->alloc, h->registers);
    }
    return found;
}

/* Looks everywhere. values: what is known; NULL: nothing is, and reductions are computed. */
static bool look(struct hunt *h, const struct pail_ad_values *values)
{
    const uint32_t n = h->program->n_slots;
    h->left = MOST_INSTRUCTIONS;
    h->starved = false;
    memset(h->values.known, 0, n);
    memset(h->dear, 0, n);
    if (values) {
        memcpy(h->values.value, values->value, n * sizeof(*values->value));
        memcpy(h->values.known, values->known, n);
        find_dear(h);
    }
    reach(h);
    return look_at_slots(h) || look_at_specs(h);
}

/* A value from the cache comes without those that it was computed from. So the arrays alone are
 * asked first, and known values only where the arrays do not say it. */
static bool find(struct hunt *h, const struct pail_ad_values *values)
{
    const bool found = look(h, NULL);
    const struct pail_ad_culprit culprit = h->culprit;
    if (!h->starved || (found && culprit.first == culprit.last))
        return found;
    if (!values)
        return false;
    if (look(h, values))
        return true;
    h->culprit = culprit;
    return found;
}

bool pail_ad_find_culprit(const struct pail_ad_program *program,
                          const struct pail_ad_array arrays[], const struct pail_ad_values *values,
                          uint32_t root, uint32_t error, const struct pail_alloc *alloc,
                          struct pail_ad_culprit *culprit)
{
    struct hunt h = {
        .program = program,
        .arrays = arrays,
        .alloc = alloc,
        .root = root,
        .error = error,
    };
    const size_t n = program->n_slots + (size_t)1;
    pail_ad_watch_begin(&h.watch, MOST_CELLS, 0, NULL);
    h.values.watch = &h.watch;
    h.values.value = pail_calloc(alloc, n, sizeof(*h.values.value));
    h.values.known = pail_calloc(alloc, n, 1);
    h.dear = pail_calloc(alloc, n, 1);
    h.reached = pail_calloc(alloc, n, 1);
    const bool found = h.values.value && h.values.known && h.dear && h.reached && find(&h, values);
    *culprit = h.culprit;
    pail_free(alloc, h.values.value);
    pail_free(alloc, h.values.known);
    pail_free(alloc, h.dear);
    pail_free(alloc, h.reached);
    return found;
}
