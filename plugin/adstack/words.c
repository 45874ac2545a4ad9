/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <shared/adstack_layout.h>

#include "encode_priv.h"
#include "record_words.h"

_Static_assert(AD_ADD == (int)PAIL_AD_ADD && AD_SUB == (int)PAIL_AD_SUB &&
                   AD_MUL == (int)PAIL_AD_MUL && AD_MAX == (int)PAIL_AD_MAX &&
                   AD_MIN == (int)PAIL_AD_MIN && AD_FLOOR_DIV == (int)PAIL_AD_FLOOR_DIV &&
                   AD_MOD == (int)PAIL_AD_MOD && AD_SELECT == (int)PAIL_AD_SELECT &&
                   AD_READ == (int)PAIL_AD_READ && AD_LOOP == (int)PAIL_AD_LOOP &&
                   AD_WRAP_ADD == (int)PAIL_AD_WRAP_ADD && AD_WRAP_SUB == (int)PAIL_AD_WRAP_SUB &&
                   AD_WRAP_MUL == (int)PAIL_AD_WRAP_MUL,
               "operations have the numbers of enum pail_ad_op");
#define ERROR_STEP 2u
_Static_assert(AD_ERROR_RANGE == PAIL_AD_RANGE + ERROR_STEP &&
                   AD_ERROR_OVERFLOW == PAIL_AD_OVERFLOW + ERROR_STEP &&
                   AD_ERROR_DIVISION == PAIL_AD_DIVISION + ERROR_STEP &&
                   AD_ERROR_CELLS == PAIL_AD_CELLS + ERROR_STEP,
               "kinds of errors are those of enum pail_ad_error_kind and 2");
_Static_assert(AD_REDUCE_MAX == (int)PAIL_AD_REDUCE_MAX && AD_REDUCE_SUM == (int)PAIL_AD_REDUCE_SUM,
               "reductions have the numbers of enum pail_ad_reduction");
_Static_assert(AD_CELLS_HIGH == PAIL_AD_MAX_CELLS >> 32, "so many cells");
_Static_assert(AD_OPERAND_SLOT == PAIL_AD_SLOT && AD_NONE == PAIL_AD_NONE, "operands are alike");
_Static_assert(AD_DTYPE_I8 == PAIL_DTYPE_I8 && AD_DTYPE_U8 == PAIL_DTYPE_U8, "so are types");

uint32_t pail_ad_device_error(uint32_t error)
{
    return error ? error + ERROR_STEP : 0;
}

bool pail_ad_value_from(struct pail_ad_value *value, const uint32_t words[4])
{
    if (words[2] == AD_GIVEN_BACK)
        return false;
    const uint64_t bits = words[0] | (uint64_t)words[1] << 32;
    *value = (struct pail_ad_value){.error = words[2] ? words[2] - ERROR_STEP : 0};
    memcpy(&value->v, &bits, sizeof(bits));
    return true;
}

uint32_t pail_ad_instr_operands(const struct pail_ad_instr *instr)
{
    switch (instr->op) {
    case PAIL_AD_READ:
        return 0;
    case PAIL_AD_SELECT:
    case PAIL_AD_LOOP:
        return 7;
    default:
        return 3;
    }
}

void pail_ad_names_of(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                      const struct pail_ad_names *names)
{
    uint32_t n_slots = 0, n_sources = 0;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &program->code[spec->code_first + i];
        const uint32_t used = pail_ad_instr_operands(instr), own[] = {instr->a, instr->b, instr->c};
        const bool read = instr->op == PAIL_AD_READ;
        const uint32_t *operands = read ? &program->args[instr->args_first] : own;
        if (read && names->source)
            names->source(names->user, n_sources++, instr->source);
        for (uint32_t k = 0; k < (read ? instr->n_args : 3); k++)
            if ((read || used >> k & 1) && operands[k] & PAIL_AD_SLOT)
                names->slot(names->user, n_slots++, operands[k] & ~PAIL_AD_SLOT);
    }
    if (spec->value & PAIL_AD_SLOT)
        names->slot(names->user, n_slots, spec->value & ~PAIL_AD_SLOT);
}

/* Bytes of contents before and from index (0, 0, ...) on; both 0 where there is no element. */
static void extent(const struct pail_ad_array *array, uint64_t *before, uint64_t *after)
{
    *before = 0;
    *after = pail_ad_dtype_bytes(array->dtype);
    for (uint32_t k = 0; k < array->rank; k++) {
        const int64_t stride = array->stride[k];
        if (array->shape[k] <= 0) {
            *before = *after = 0;
            return;
        }
        const uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
        *(stride < 0 ? before : after) += ((uint64_t)array->shape[k] - 1) * step;
    }
}

/* The record of a source, made when it is first asked for. */
static uint32_t source_at(struct pail_ad_encoder *c, uint32_t source)
{
    struct pail_ad_encoded *e = c->e;
    if (e->source_at[source])
        return e->source_at[source];
    const struct pail_ad_array *array = &c->work->arrays[source];
    const uint32_t at = pail_ad_put(c, AD_SOURCE_AXES + AD_SOURCE_AXIS * array->rank);
    if (c->status != PAIL_OK)
        return 0;
    e->source_at[source] = at;
    uint32_t *words = &e->words[at];
    uint64_t before, after;
    extent(array, &before, &after);
    pail_ad_put64(&words[AD_SOURCE_ADDRESS], array->address);
    words[AD_SOURCE_DTYPE] = array->dtype;
    words[AD_SOURCE_RANK] = array->rank;
    for (uint32_t k = 0; k < array->rank; k++) {
        pail_ad_put64(&words[AD_SOURCE_AXES + AD_SOURCE_AXIS * k], (uint64_t)array->shape[k]);
        pail_ad_put64(&words[AD_SOURCE_AXES + AD_SOURCE_AXIS * k + 2], (uint64_t)array->stride[k]);
    }
    if (array->address || after == 0)
        return at;
    if (!array->host || before + after > c->shape->max_bytes) {
        words[AD_SOURCE_DTYPE] = 0;
    } else if (PAIL_AD_ROOM(c, e->copied, e->cap_copied, e->n_copied + 1)) {
        e->copied[e->n_copied++] = (struct pail_ad_copied){.source = source,
                                                           .record = at,
                                                           .from = array->host - before,
                                                           .bytes = before + after,
                                                           .before = before};
    }
    return at;
}

uint32_t pail_ad_operation_cost(const struct pail_ad_shape *shape, uint16_t op, uint32_t n_args)
{
    const uint32_t step = shape->pairs ? 3 : 2; /* AD_STEP of adstack/body.glsl */
    if (op == PAIL_AD_READ)
        return step + 2 * n_args;
    return step + (shape->pairs && (op == PAIL_AD_FLOOR_DIV || op == PAIL_AD_MOD) ? 64 : 0);
}

void pail_ad_put_operation(struct pail_ad_encoder *c, uint32_t at, uint32_t number)
{
    const struct pail_ad_slot *slot = &c->program->slots[number];
    const struct pail_ad_encoded *e = c->e;
    uint32_t a = 0, b = 0, n = 0;
    if (slot->op == PAIL_AD_READ) {
        a = source_at(c, slot->source);
        b = pail_ad_put(c, slot->n_args);
        n = slot->n_args;
        for (uint32_t i = 0; i < n && c->status == PAIL_OK; i++)
            e->words[b + i] = e->number[c->program->args[slot->args_first + i]];
    } else {
        a = e->number[slot->a];
        b = e->number[slot->b];
        n = slot->op == PAIL_AD_SELECT ? e->number[slot->c] : a;
    }
    if (c->status != PAIL_OK)
        return;
    uint32_t *words = &e->words[at];
    words[AD_OP_CODE] = slot->op;
    words[AD_OP_DST] = e->number[number];
    words[AD_OP_A] = a;
    words[AD_OP_B] = b;
    words[AD_OP_C] = n;
    words[AD_OP_SITE] = slot->site << 3;
}

/* Loops that are open at an instruction of a walk through code. */
struct open_loops {
    uint32_t number[PAIL_AD_MAX_DEPTH], n;
};

static void close_loops(struct open_loops *open, const struct pail_ad_instr *code, uint32_t i)
{
    while (open->n && code[open->number[open->n - 1]].end <= i)
        open->n--;
}

bool pail_ad_interpretable(const struct pail_ad_program *program, const struct pail_ad_spec *spec)
{
    const struct pail_ad_instr *code = pail_ad_code_of(program, spec);
    struct open_loops open = {.n = 0};
    for (uint32_t i = 0; i < spec->n_code; i++) {
        close_loops(&open, code, i);
        if (code[i].op == PAIL_AD_LOOP) {
            if (open.n == AD_LOOPS_MAX)
                return false;
            open.number[open.n++] = i;
        }
    }
    return spec->n_registers <= AD_REGISTERS_MAX;
}

static uint32_t operand(uint32_t word, uint32_t *n_slots)
{
    return word & PAIL_AD_SLOT ? AD_OPERAND_SLOT | (*n_slots)++ : word;
}

/* The code of a body: names are numbered as pail_ad_names_of does. */
static uint32_t put_code(struct pail_ad_encoder *c, const struct pail_ad_spec *spec)
{
    struct pail_ad_encoded *e = c->e;
    if (e->code_at[spec->body])
        return e->code_at[spec->body];
    const struct pail_ad_instr *code = pail_ad_code_of(c->program, spec);
    /* One more word holds the spec's value, which its record repeats. */
    const uint32_t first = pail_ad_put(c, AD_INSTR_WORDS * spec->n_code + 1);
    uint32_t n_slots = 0, n_sources = 0, value = 0;
    struct open_loops open = {.n = 0};
    for (uint32_t i = 0; i < spec->n_code && c->status == PAIL_OK; i++) {
        const struct pail_ad_instr *in = &code[i];
        const uint32_t used = pail_ad_instr_operands(in);
        uint32_t w[AD_INSTR_WORDS] = {in->op | in->dst << 8}, flags = 0;
        if (in->op == PAIL_AD_READ) {
            const uint32_t args = pail_ad_put(c, in->n_args);
            for (uint32_t k = 0; k < in->n_args && c->status == PAIL_OK; k++)
                e->words[args + k] = operand(c->program->args[in->args_first + k], &n_slots);
            w[0] |= in->n_args << 16;
            w[1] = n_sources++;
            w[2] = args - first;
        } else {
            w[1] = used & 1 ? operand(in->a, &n_slots) : 0;
            w[2] = used & 2 ? operand(in->b, &n_slots) : 0;
            w[3] = used & 4 ? operand(in->c, &n_slots) : 0;
        }
        close_loops(&open, code, i);
        if (in->op == PAIL_AD_LOOP) {
            if (in->joined && open.n)
                e->words[first + AD_INSTR_WORDS * open.number[open.n - 1]] |= AD_LOOP_EMPTY << 24;
            else if (in->joined)
                value = AD_NONE;
            flags = (in->reduction == PAIL_AD_REDUCE_SUM ? AD_LOOP_SUM : 0u) |
                    (in->joined ? AD_LOOP_JOINED : 0u) |
                    (i == spec->shared_loop ? AD_LOOP_SHARED : 0u);
            w[0] |= in->var << 16;
            w[4] = in->end;
            if (open.n < PAIL_AD_MAX_DEPTH)
                open.number[open.n++] = i;
        }
        w[0] |= flags << 24;
        if (c->status == PAIL_OK)
            memcpy(&e->words[first + AD_INSTR_WORDS * i], w, sizeof(w));
    }
    if (c->status != PAIL_OK)
        return 0;
    e->words[first + AD_INSTR_WORDS * spec->n_code] =
        value == AD_NONE ? AD_NONE : operand(spec->value, &n_slots);
    e->code_at[spec->body] = first;
    return first;
}

/* Turns of loops that a cell takes, with one turn of each loop of its own, and that a turn of the
 * shared loop takes. ragged: threads side by side may take different numbers. */
static void costs(const struct pail_ad_encoder *c, const struct pail_ad_spec *spec, uint32_t *cell,
                  uint32_t *turn, bool *ragged)
{
    const struct pail_ad_instr *code = pail_ad_code_of(c->program, spec);
    const uint32_t step = pail_ad_operation_cost(c->shape, PAIL_AD_LOOP, 0);
    *cell = 3 + 2 * spec->n_axes + step;
    *turn = step;
    *ragged = false;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const uint32_t cost = pail_ad_operation_cost(c->shape, code[i].op, code[i].n_args);
        *(i > spec->shared_loop ? turn : cell) += cost;
        *ragged |= code[i].op == PAIL_AD_LOOP && !(code[i].a & code[i].b & PAIL_AD_SLOT);
    }
}

/* Assumed turns of a loop whose bounds nobody knows beforehand, and the product of nested ones from
 * which on loops do not count any more. */
#define UNKNOWN_TURNS 16u
#define UNKNOWN_MOST  4096u

/* The work of a cell, or of as many as a kernel takes together, and of a turn of the shared loop:
 * for the interpreter turns of its loops, for a kernel of the body instructions and words of
 * memory. */
static void units(const struct pail_ad_encoder *c, const struct pail_ad_encoded_spec *which,
                  uint32_t *cell, uint32_t *turn)
{
    const struct pail_ad_spec *spec = &c->program->specs[which->spec];
    const struct pail_ad_instr *code = pail_ad_code_of(c->program, spec);
    const uint32_t step = pail_ad_operation_cost(c->shape, PAIL_AD_LOOP, 0);
    uint32_t ends[PAIL_AD_MAX_DEPTH + 1], depth = 0, often = 1, words = 0;
    *cell = which->kernel ? 1 + spec->n_axes : 3 + 2 * spec->n_axes + step;
    *turn = which->kernel ? 1 : step;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &code[i];
        for (; depth && ends[depth - 1] <= i; depth--)
            often /= UNKNOWN_TURNS;
        const uint32_t cost =
            which->kernel ? 1 : pail_ad_operation_cost(c->shape, instr->op, instr->n_args);
        *(i > spec->shared_loop ? turn : cell) += cost * often;
        if (instr->op == PAIL_AD_READ)
            words += (pail_ad_dtype_bytes(instr->dtype) * which->together + 3) / 4;
        if (instr->op == PAIL_AD_LOOP && i != spec->shared_loop && often < UNKNOWN_MOST) {
            ends[depth++] = instr->end;
            often *= UNKNOWN_TURNS;
        }
    }
    if (which->kernel && which->together > 1)
        *cell = words + (spec->n_code * which->together + 3) / 4;
}

struct tables {
    struct pail_ad_encoder *c;
    uint32_t slots, sources; /* offsets */
};

static void put_slot(void *user, uint32_t number, uint32_t slot)
{
    const struct tables *t = user;
    if (t->c->status == PAIL_OK)
        t->c->e->words[t->slots + number] = t->c->e->number[slot];
}

static void put_source(void *user, uint32_t number, uint32_t source)
{
    const struct tables *t = user;
    const uint32_t at = source_at(t->c, source);
    if (t->c->status == PAIL_OK)
        t->c->e->words[t->sources + number] = at;
}

static void count_slot(void *user, uint32_t number, uint32_t slot)
{
    (void)slot;
    ((struct tables *)user)->slots = number + 1;
}

static void count_source(void *user, uint32_t number, uint32_t source)
{
    (void)source;
    ((struct tables *)user)->sources = number + 1;
}

/* Threads of a driver that counts turns share their counter among at most this many; when they take
 * turns at different times, all turns count. */
#define COUNTED_TOGETHER 16u

uint32_t pail_ad_put_spec(struct pail_ad_encoder *c, const struct pail_ad_encoded_spec *which,
                          uint32_t report)
{
    const struct pail_ad_program *program = c->program;
    const struct pail_ad_spec *spec = &program->specs[which->spec];
    struct pail_ad_encoded *e = c->e;
    struct tables sizes = {.c = c};
    const struct pail_ad_names count = {&sizes, count_slot, count_source};
    pail_ad_names_of(program, spec, &count);
    struct tables tables = {.c = c};
    tables.slots = pail_ad_put(c, sizes.slots);
    tables.sources = pail_ad_put(c, sizes.sources);
    const struct pail_ad_names put = {&tables, put_slot, put_source};
    pail_ad_names_of(program, spec, &put);
    const uint32_t sites = pail_ad_put(c, spec->n_code);
    const uint32_t code = put_code(c, spec);
    const uint32_t at = pail_ad_put(c, AD_SPEC_AXES + AD_AXIS_WORDS * spec->n_axes);
    if (c->status != PAIL_OK)
        return 0;
    for (uint32_t i = 0; i < spec->n_code; i++)
        e->words[sites + i] = program->code[spec->code_first + i].site << 3;

    uint32_t cell, turn, cell_units, turn_units;
    bool ragged;
    costs(c, spec, &cell, &turn, &ragged);
    units(c, which, &cell_units, &turn_units);
    const bool hint = spec->turns != PAIL_AD_NONE && e->number[spec->turns] != PAIL_AD_NONE;
    uint32_t *words = &e->words[at];
    words[AD_SPEC_REDUCTION] = spec->reduction;
    words[AD_SPEC_SLOT] = e->number[spec->slot];
    words[AD_SPEC_N_AXES] = spec->n_axes;
    words[AD_SPEC_CODE] = code;
    words[AD_SPEC_N_CODE] = spec->n_code;
    words[AD_SPEC_VALUE] = e->words[code + AD_INSTR_WORDS * spec->n_code];
    words[AD_SPEC_TURNS] = hint ? e->number[spec->turns] : AD_NONE;
    words[AD_SPEC_SITE] = spec->site << 3;
    words[AD_SPEC_SLOTS] = tables.slots;
    words[AD_SPEC_SOURCES] = tables.sources;
    words[AD_SPEC_SITES] = sites;
    words[AD_SPEC_COST] = cell * which->together;
    words[AD_SPEC_TOGETHER] = which->together;
    words[AD_SPEC_TURN_COST] = turn;
    words[AD_SPEC_UNITS] = cell_units;
    words[AD_SPEC_TURN_UNITS] = turn_units;
    words[AD_SPEC_STEPS] = c->shape->max_steps / (ragged ? COUNTED_TOGETHER : 1);
    words[AD_SPEC_REPORT] = report;
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        const struct pail_ad_axis *axis = &program->axes[spec->axes_first + k];
        uint32_t *to = &words[AD_SPEC_AXES + AD_AXIS_WORDS * k];
        to[AD_AXIS_BEGIN_SLOT] = e->number[axis->begin];
        to[AD_AXIS_END_SLOT] = e->number[axis->end];
    }
    return at;
}
