/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_work.h"

#include <platform/clock.h>
#include <platform/memory.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "matrix.h"
#include "memories.h"
#include "modular.h"
#include "ntt.h"
#include "pending.h"
#include "point_ntt.h"
#include "vector.h"
#include <front/front.h>

#define TASK_ELEMENTS 16384u
#define TASK_ROWS     2048u

/* Phases of the statistics have the numbers that phase_of gives, from 1 on. */
enum { PHASES = PAIL_VECTOR_OP_POINTS_CONVERT + 1 };
static_assert(PHASES - 1 <= PAIL_PHASES_MAX && PAIL_VECTOR_OP_POINTS_TRUNCATE == PHASES + 4,
              "every phase has a place, and every kind a phase");

/* An operation as the front lets it through, and its numbers; shift and scale are never 0. */
struct arguments {
    pail_vector_op op;
    pail_u256 root, shift, scale;
};

struct op {
    struct arguments args; /* holds references to its objects */
    bool ready;            /* `ntt` is made, or there is none */
    struct pail_cpu_ntt ntt;
    struct pail_cpu_points points;
    pail_u256 shift, scale; /* as elements of the field */
    /* Elements at the address and at the one of the results; NULL: in vectors. Of points, where
     * they go. */
    unsigned char *place, *to;
    const uint64_t *factor; /* of LOAD and STORE, if there is one */
    uint64_t factors[PAIL_CPU_FACTOR_WORDS];
};

struct vector_work {
    pail_pending base; /* first */
    struct op *ops;
    size_t n_ops;           /* operations that hold references */
    size_t now;             /* index of the operation whose stage is being done */
    uint32_t stage;         /* stage of that operation */
    unsigned char *scratch; /* [max_running] of scratch_bytes, aligned, in the block */
    void *scratch_block;
    size_t scratch_bytes, scratch_block_bytes;
    uint64_t held_bytes; /* of transforms of points, besides */
    struct pail_cpu_use *uses;
    double started, staged, ended; /* seconds */
    double spent[PHASES];          /* by kind; see phase_of */
};

/* True if it is a transform of elements in memory. */
static bool within_memory(const pail_vector_op *o)
{
    return o->kind == PAIL_VECTOR_OP_NTT_AT || o->kind == PAIL_VECTOR_OP_INTT_AT;
}

/* The kind, or that of a similar one, because there are no more places for phases. */
static uint32_t phase_of(const pail_vector_op *o)
{
    if (o->kind >= PAIL_VECTOR_OP_POINTS_TABLE)
        return PAIL_VECTOR_OP_POINTS_NTT;
    return within_memory(o) ? o->kind - PAIL_VECTOR_OP_NTT_AT + PAIL_VECTOR_OP_NTT : o->kind;
}

static bool inverts(const pail_vector_op *o)
{
    return phase_of(o) == PAIL_VECTOR_OP_INTT;
}

static bool transforms(const struct op *op)
{
    return phase_of(&op->args.op) == PAIL_VECTOR_OP_NTT || inverts(&op->args.op);
}

static bool of_points(const struct op *op)
{
    return phase_of(&op->args.op) >= PAIL_VECTOR_OP_POINTS_NTT;
}

static size_t pieces(uint64_t n, uint64_t of)
{
    return (size_t)(n / of + (n % of != 0));
}

/* True if a transform's coefficients are in bit-reversed order: a stage before or after it. */
static bool reorders(const struct op *op)
{
    return transforms(op) && (op->args.op.flags & PAIL_VECTOR_OP_COEFFICIENTS_REVERSED) != 0;
}

static size_t stages(const struct op *op)
{
    if (op->args.op.n == 0)
        return 0;
    if (of_points(op))
        return pail_cpu_points_stages(&op->points);
    return transforms(op) ? pail_cpu_ntt_stages(&op->ntt) + reorders(op) : 1;
}

/* True if the stage moves elements into bit-reversed order. */
static bool moves(const struct op *op, uint32_t stage)
{
    if (!reorders(op))
        return op->args.op.kind == PAIL_VECTOR_OP_BIT_REVERSE;
    return stage == (inverts(&op->args.op) ? pail_cpu_ntt_stages(&op->ntt) : 0);
}

/* Of a transform itself. */
static uint32_t transform_stage(const struct op *op, uint32_t stage)
{
    return stage - (reorders(op) && !inverts(&op->args.op));
}

static size_t tasks(const struct op *op, uint32_t stage)
{
    if (of_points(op))
        return pail_cpu_points_tasks(&op->points, stage);
    if (transforms(op) && !moves(op, stage))
        return pail_cpu_ntt_tasks(&op->ntt, transform_stage(op, stage));
    return pieces(op->args.op.n,
                  op->args.op.kind == PAIL_VECTOR_OP_SPMV ? TASK_ROWS : TASK_ELEMENTS);
}

/* ---- The work -------------------------------------------------------------------------------- */
static uint64_t *at(const pail_vector *vector, uint64_t offset)
{
    return vector ? pail_cpu_vector_at(vector, offset) : NULL;
}

/* The operand a and the results, in vectors or in memory, which is aligned to elements. */
static const uint64_t *operand_of(const struct op *op)
{
    return within_memory(&op->args.op) ? (const uint64_t *)(const void *)op->place
                                       : at(op->args.op.a, op->args.op.a_offset);
}

static uint64_t *result_of(const struct op *op)
{
    return within_memory(&op->args.op) ? (uint64_t *)(void *)op->to
                                       : at(op->args.op.r, op->args.op.r_offset);
}

static void run_rows(const pail_vector_op *op, size_t task, struct pail_cpu_throttle *throttle)
{
    const size_t first = task * TASK_ROWS;
    const uint64_t left = op->n - first;
    const pail_matrix *const m = op->matrix;
    m->scalars->rows(at(op->r, op->r_offset + first), m->row_starts + first, m->columns, m->values,
                     m->which, at(op->a, op->a_offset), left < TASK_ROWS ? (size_t)left : TASK_ROWS,
                     throttle);
}

static void run_powers(const struct op *op, uint64_t first, size_t n)
{
    const pail_vector_op *const o = &op->args.op;
    const struct pail_curve_ops *const ops = o->r->ops;
    const pail_u256 e = {{first}};
    pail_u256 start;
    pail_cpu_power(&start, ops, &op->args.shift, &e);
    ops->scalar_mul(&start, &start, &op->scale);
    o->r->scalars->powers(at(o->r, o->r_offset + first), at(o->a, o->a_offset + first), &start,
                          &op->shift, n);
}

static void run_elements(const struct op *op, size_t task)
{
    const pail_vector_op *const o = &op->args.op;
    const uint64_t first = (uint64_t)task * TASK_ELEMENTS, left = o->n - first;
    const size_t n = left < TASK_ELEMENTS ? (size_t)left : TASK_ELEMENTS;
    uint64_t *const r = at(o->r, o->r_offset + first);
    const uint64_t *const a = at(o->a, o->a_offset + first);
    if (o->kind == PAIL_VECTOR_OP_LOAD)
        pail_cpu_elements_load(o->r, r, op->place + first * PAIL_SCALAR_BYTES, op->factor, n);
    else if (o->kind == PAIL_VECTOR_OP_STORE)
        pail_cpu_elements_store(o->a->scalars, op->place + first * PAIL_SCALAR_BYTES, a, op->factor,
                                n);
    else if (o->kind == PAIL_VECTOR_OP_COPY)
        memmove(r, a, n * PAIL_SCALAR_BYTES);
    else if (o->kind == PAIL_VECTOR_OP_POWERS)
        run_powers(op, first, n);
    else
        o->r->scalars->each(o->kind, r, a, at(o->b, o->b_offset + first),
                            at(o->c, o->c_offset + first), n);
}

/* The lowest `bits` bits of x, the other way round. */
static uint64_t reversed(uint64_t x, uint32_t bits)
{
    uint64_t r = 0;
    for (uint32_t i = 0; i < bits; i++, x >>= 1)
        r = r << 1 | (x & 1);
    return r;
}

/* The number behind a among those of so many bits in bit-reversed order; 0 behind the last. */
static uint64_t next_reversed(uint64_t a, uint32_t bits)
{
    uint64_t bit = bits ? UINT64_C(1) << (bits - 1) : 0;
    for (; a & bit; bit >>= 1)
        a ^= bit;
    return a | bit;
}

/* Pairs of a task are those whose first element is in it, so that a may be r. */
static void run_reversal(const struct op *op, size_t task)
{
    const pail_vector_op *const o = &op->args.op;
    const bool after = inverts(o);
    const uint64_t first = (uint64_t)task * TASK_ELEMENTS, left = o->n - first;
    const uint64_t end = first + (left < TASK_ELEMENTS ? left : TASK_ELEMENTS);
    const uint64_t mask = (UINT64_C(1) << o->log_n) - 1;
    uint64_t *const r = result_of(op);
    const uint64_t *const a = after ? r : operand_of(op);
    uint64_t pair[2 * PAIL_CPU_SCALAR_WORDS], y = reversed(first & mask, o->log_n);
    for (uint64_t i = first; i < end; i++, y = next_reversed(y, o->log_n)) {
        const size_t x = (size_t)i * PAIL_CPU_SCALAR_WORDS;
        const size_t other = (size_t)((i & ~mask) + y) * PAIL_CPU_SCALAR_WORDS;
        if (other < x)
            continue;
        memcpy(pair, a + x, PAIL_SCALAR_BYTES);
        memcpy(pair + PAIL_CPU_SCALAR_WORDS, a + other, PAIL_SCALAR_BYTES);
        memcpy(r + other, pair, PAIL_SCALAR_BYTES);
        memcpy(r + x, pair + PAIL_CPU_SCALAR_WORDS, PAIL_SCALAR_BYTES);
    }
}

static void run_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    struct vector_work *const v = (struct vector_work *)work;
    const struct op *const op = &v->ops[v->now];
    const pail_vector_op *const o = &op->args.op;
    struct pail_cpu_throttle *const throttle = &v->base.context->throttle;
    if (of_points(op)) { /* they load the processor, and hardly the bus */
        pail_cpu_points_run(&op->points, v->stage, task, v->scratch + slot * v->scratch_bytes);
        pail_wipe_stack();
        return;
    }
    const bool heavy = transforms(op) || o->kind == PAIL_VECTOR_OP_SPMV;
    if (heavy)
        atomic_fetch_add(&throttle->ours, 1);
    const bool in_place = reorders(op) && !inverts(o);
    if (moves(op, v->stage))
        run_reversal(op, task);
    else if (transforms(op))
        pail_cpu_ntt_run(&op->ntt, transform_stage(op, v->stage), task, result_of(op),
                         in_place ? result_of(op) : operand_of(op),
                         v->scratch + slot * v->scratch_bytes, throttle);
    else if (heavy)
        run_rows(o, task, throttle);
    else
        run_elements(op, task);
    if (heavy)
        atomic_fetch_sub(&throttle->ours, 1);
    pail_wipe_stack();
}

/* Goes to the first stage from here on that has tasks; 0: there is none. */
static size_t enter(struct vector_work *v)
{
    for (; v->now < v->n_ops; v->now++, v->stage = 0)
        if (v->stage < stages(&v->ops[v->now]))
            return tasks(&v->ops[v->now], v->stage);
    return 0;
}

static size_t next_stage(struct pail_cpu_work *work)
{
    struct vector_work *const v = (struct vector_work *)work;
    const double now = pail_now_s();
    v->spent[phase_of(&v->ops[v->now].args.op)] += now - v->staged;
    v->staged = now;
    v->stage++;
    return enter(v);
}

static void note_end(struct pail_cpu_work *work)
{
    struct vector_work *const v = (struct vector_work *)work;
    v->ended = pail_now_s();
}

/* Zeroes every output: after a failure it is of no use. */
static void zero_written(struct pail_cpu_work *work)
{
    const struct vector_work *const v = (const struct vector_work *)work;
    for (size_t i = 0; i < v->n_ops; i++) {
        const pail_vector_op *const o = &v->ops[i].args.op;
        if (o->n == 0)
            continue;
        const bool at_place = o->kind == PAIL_VECTOR_OP_STORE || of_points(&v->ops[i]);
        void *const written = at_place ? (void *)v->ops[i].place : (void *)result_of(&v->ops[i]);
        memset(written, 0,
               of_points(&v->ops[i]) ? (size_t)pail_cpu_points_written(o)
                                     : (size_t)o->n * PAIL_SCALAR_BYTES);
    }
}

static void zero_task(struct pail_cpu_work *work, size_t task, size_t slot)
{
    (void)task;
    (void)slot;
    zero_written(work);
}

/* ---- Preparation ----------------------------------------------------------------------------- */
static void destroy(pail_pending *pending)
{
    struct vector_work *const v = (struct vector_work *)pending;
    const struct pail_alloc *const memory = &pending->context->memory;
    for (size_t i = 0; i < v->n_ops; i++) {
        const pail_vector_op *const o = &v->ops[i].args.op;
        const pail_vector *const vectors[] = {o->r, o->a, o->b, o->c};
        for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
            if (vectors[k])
                pail_cpu_vector_release(vectors[k]);
        if (o->matrix)
            pail_cpu_matrix_release(o->matrix);
        pail_cpu_ntt_free(&v->ops[i].ntt, memory);
        pail_cpu_points_free(&v->ops[i].points, memory);
    }
    pail_cpu_free_wiped(memory, v->scratch_block, 1, v->scratch_block_bytes);
    pail_cpu_free(memory, v->ops);
    pail_cpu_free(memory, v->uses);
    pail_cpu_free(memory, v->base.work.slots);
    pail_cpu_free(memory, v);
}

static void use(struct vector_work *v, const void *object, bool writes)
{
    if (!object)
        return;
    for (size_t i = 0; i < v->base.work.n_uses; i++) {
        if (v->uses[i].object == object) {
            v->uses[i].writes |= writes;
            return;
        }
    }
    v->uses[v->base.work.n_uses++] = (struct pail_cpu_use){object, writes};
}

static pail_status no_memory(const char *what, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for the %s of vector_start", what);
}

static void read_arguments(struct arguments *args, const pail_vector_op *op)
{
    *args = (struct arguments){.op = *op};
    pail_u256_from_bytes(&args->root, op->root);
    pail_u256_from_bytes(&args->shift, op->shift);
    pail_u256_from_bytes(&args->scale, op->scale);
    args->shift.l[0] += pail_cpu_equals(&args->shift, 0);
    args->scale.l[0] += pail_cpu_equals(&args->scale, 0);
}

/* The place of an operation's elements or points in memory, which the front has found. */
static pail_status prepare_place(struct vector_work *v, unsigned char **place, uint64_t address,
                                 uint64_t bytes, uint32_t align, const char *name, bool writes,
                                 struct pail_error *err)
{
    pail_memory *memory;
    const pail_status status =
        pail_cpu_memory_at(v->base.context, &memory, place, address, bytes, align, name, err);
    if (status == PAIL_OK)
        use(v, memory, writes);
    return status;
}

/* Place and factor of LOAD and STORE. */
static pail_status prepare_copy(struct vector_work *v, struct op *op, struct pail_error *err)
{
    const pail_vector_op *const o = &op->args.op;
    const bool load = o->kind == PAIL_VECTOR_OP_LOAD;
    if (o->n == 0)
        return PAIL_OK;
    const pail_status status = prepare_place(v, &op->place, o->address, o->n * PAIL_SCALAR_BYTES,
                                             PAIL_SCALAR_BYTES, "ops[].address", !load, err);
    if (status != PAIL_OK)
        return status;
    if (o->encoding == PAIL_ENCODING_MONTGOMERY)
        return PAIL_OK;
    op->factor = op->factors;
    if (load)
        pail_cpu_vector_factor_in(op->factors, o->r->scalars, o->r->ops);
    else
        pail_cpu_vector_factor_out(op->factors, o->a->scalars);
    return PAIL_OK;
}

static pail_status prepare_transform(struct vector_work *v, struct op *op, struct pail_error *err)
{
    pail_context *const context = v->base.context;
    const pail_vector_op *const o = &op->args.op;
    const bool within = within_memory(o);
    const uint32_t curve = within ? o->curve : o->r->scalars->curve;
    const struct pail_cpu_scalars *scalars;
    if (o->n == 0)
        return PAIL_OK;
    pail_status status = pail_cpu_scalars_for(&scalars, &context->choice, curve, err);
    if (within && status == PAIL_OK)
        status = prepare_place(v, &op->place, o->address, o->n * PAIL_SCALAR_BYTES,
                               PAIL_SCALAR_BYTES, "ops[].address", false, err);
    if (within && status == PAIL_OK)
        status = prepare_place(v, &op->to, o->to_address, o->n * PAIL_SCALAR_BYTES,
                               PAIL_SCALAR_BYTES, "ops[].to_address", true, err);
    if (status != PAIL_OK)
        return status;
    if (!pail_cpu_ntt_make(&op->ntt, &context->memory, scalars, pail_curve_ops(curve, PAIL_G1),
                           o->log_n, o->n >> o->log_n, inverts(o),
                           (o->flags & PAIL_VECTOR_OP_BIT_REVERSED) == 0, &op->args.root,
                           &op->args.shift))
        return no_memory("twiddles", err);
    op->ntt.any = within;
    const size_t scratch = pail_cpu_ntt_scratch(&op->ntt);
    v->scratch_bytes = scratch > v->scratch_bytes ? scratch : v->scratch_bytes;
    return PAIL_OK;
}

/* Places of points, and what their transforms take: the front has found the memory. */
static pail_status prepare_points(struct vector_work *v, struct op *op, struct pail_error *err)
{
    pail_context *const context = v->base.context;
    const pail_vector_op *const o = &op->args.op;
    enum pail_cpu_arithmetic way;
    unsigned char *from;
    if (o->n == 0)
        return PAIL_OK;
    pail_status status = prepare_place(v, &from, o->address, pail_cpu_points_read(o), 1,
                                       "ops[].address", false, err);
    if (status == PAIL_OK)
        status = prepare_place(v, &op->place, o->to_address, pail_cpu_points_written(o), 1,
                               "ops[].to_address", true, err);
    if (status == PAIL_OK)
        status = pail_cpu_arithmetic_of(&way, &context->choice, o->curve, PAIL_CPU_TEST_MORE, err);
    if (status != PAIL_OK)
        return status;
    status = pail_cpu_points_make(&op->points, o, from, op->place,
                                  pail_cpu_adder_find(way, o->curve, PAIL_G1),
                                  pail_cpu_pool_threads(context->pool), &context->memory,
                                  context->memory_budget, &v->held_bytes, err);
    if (status == PAIL_OK && o->a)
        pail_cpu_point_sums_scalars(&op->points.sums, o->a->scalars, at(o->a, o->a_offset));
    const size_t scratch = status == PAIL_OK ? pail_cpu_points_scratch(&op->points) : 0;
    v->scratch_bytes = scratch > v->scratch_bytes ? scratch : v->scratch_bytes;
    return status;
}

static pail_status prepare_op(struct vector_work *v, const pail_vector_op *from,
                              struct pail_error *err)
{
    struct op *const op = &v->ops[v->n_ops];
    read_arguments(&op->args, from);
    const pail_vector_op *const o = &op->args.op;
    const pail_vector *const vectors[] = {o->r, o->a, o->b, o->c};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        if (vectors[k])
            pail_cpu_vector_retain(vectors[k]);
        use(v, vectors[k], k == 0);
    }
    if (o->matrix)
        pail_cpu_matrix_retain(o->matrix);
    v->n_ops++;
    if (o->kind == PAIL_VECTOR_OP_LOAD || o->kind == PAIL_VECTOR_OP_STORE)
        return prepare_copy(v, op, err);
    if (transforms(op))
        return prepare_transform(v, op, err);
    if (of_points(op))
        return prepare_points(v, op, err);
    const struct pail_curve_ops *const ops = o->r->ops;
    pail_cpu_to_element(&op->shift, ops, &op->args.shift);
    pail_cpu_to_element(&op->scale, ops, &op->args.scale);
    return PAIL_OK;
}

static pail_status prepare_threads(struct vector_work *v, struct pail_error *err)
{
    pail_context *const context = v->base.context;
    const struct pail_alloc *const memory = &context->memory;
    size_t most = 1;
    for (size_t i = 0; i < v->n_ops; i++) {
        for (uint32_t k = 0; k < stages(&v->ops[i]); k++) {
            const size_t n = tasks(&v->ops[i], k);
            most = n > most ? n : most;
        }
    }
    struct pail_cpu_work *const work = &v->base.work;
    const size_t threads = pail_cpu_pool_threads(context->pool);
    work->max_running = threads < most ? threads : most;
    work->slots = pail_cpu_alloc(memory, work->max_running, sizeof *work->slots);
    v->scratch_block_bytes = work->max_running * v->scratch_bytes + PAIL_CPU_ALIGNMENT;
    const uint64_t all = v->held_bytes + v->scratch_block_bytes;
    if (context->memory_budget != 0 && all > context->memory_budget)
        return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                         "the memory budget is %" PRIu64 " bytes; these operations need %" PRIu64,
                         context->memory_budget, all);
    v->scratch_block = pail_cpu_alloc(memory, 1, v->scratch_block_bytes);
    if (!work->slots || !v->scratch_block)
        return no_memory("threads", err);
    v->scratch = pail_cpu_aligned(v->scratch_block);
    return PAIL_OK;
}

pail_status pail_cpu_vector_start(pail_context *context, pail_pending **out,
                                  const pail_vector_op *ops, size_t n_ops, struct pail_error *err)
{
    const double started = pail_now_s();
    const struct pail_alloc *const memory = &context->memory;
    struct vector_work *const v = pail_cpu_alloc(memory, 1, sizeof *v);
    if (!v)
        return no_memory("handle", err);
    *v = (struct vector_work){
        .base = {.work = {.run = run_task,
                          .more = next_stage,
                          .done = note_end,
                          .dropped = zero_written},
                 .context = context,
                 .destroy = destroy},
        .ops = pail_cpu_alloc(memory, n_ops, sizeof *v->ops),
        .uses = pail_cpu_alloc(memory, n_ops, 4 * sizeof *v->uses),
        .started = started,
    };
    pail_status status = PAIL_OK;
    if (v->ops && v->uses)
        memset(v->ops, 0, n_ops * sizeof *v->ops);
    else
        status = no_memory("operations", err);
    for (size_t i = 0; i < n_ops && status == PAIL_OK; i++)
        status = prepare_op(v, &ops[i], err);
    if (status == PAIL_OK)
        status = prepare_threads(v, err);
    if (status != PAIL_OK) {
        destroy(&v->base);
        return status;
    }
    v->base.work.uses = v->uses;
    v->base.work.n_tasks = enter(v);
    v->staged = v->ended = pail_now_s();
    if (v->base.work.n_tasks > 0)
        pail_cpu_pool_submit(context->pool, &v->base.work);
    else /* zero elements */
        v->base.work.finished = true;
    *out = &v->base;
    return PAIL_OK;
}

/* ---- The end --------------------------------------------------------------------------------- */
static void deliver_stats(pail_stats *stats, const struct vector_work *v)
{
    const double ms = 1e3 * (v->ended - v->started);
    const uint64_t bytes = v->held_bytes + v->scratch_block_bytes;
    *stats = (pail_stats){.wall_ms = ms,
                          .device_ms = ms,
                          .bytes_estimate = bytes,
                          .bytes_requested = bytes,
                          .bytes_allocated = bytes,
                          .bytes_wiped = bytes};
    for (uint32_t kind = 1; kind < PHASES; kind++) {
        if (v->spent[kind] > 0) {
            pail_phase *const phase = &stats->phases[stats->n_phases++];
            snprintf(phase->name, sizeof phase->name, "%s", pail_front_op_name(kind));
            phase->ms = 1e3 * v->spent[kind];
        }
    }
}

/* Zeroes the outputs in their turn in the pool, as any work that writes them. */
void pail_cpu_vector_refuse(pail_pending *pending)
{
    struct pail_cpu_work *const work = &pending->work;
    struct pail_cpu_pool *const pool = pending->context->pool;
    pail_cpu_pool_wait(pool, work, UINT64_MAX);
    work->run = zero_task;
    work->more = NULL;
    work->done = NULL;
    work->n_tasks = 1;
    pail_cpu_pool_submit(pool, work);
    pail_cpu_pool_wait(pool, work, UINT64_MAX);
    destroy(pending);
}

pail_status pail_cpu_vector_finish(pail_pending *pending, pail_stats *stats, struct pail_error *err)
{
    (void)err;
    pail_cpu_pool_wait(pending->context->pool, &pending->work, UINT64_MAX);
    deliver_stats(stats, (struct vector_work *)pending);
    destroy(pending);
    return PAIL_OK;
}
