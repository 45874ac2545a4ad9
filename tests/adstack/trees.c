/* SPDX-License-Identifier: Apache-2.0 */
#include "trees.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"
#include <curves/rng.h>

enum { MAX_SOURCES = 5, MAX_RANK = 8, MAX_VARIABLES = 12, MAX_SCOPE = 10, MAX_PARTS = 256 };

static const pail_dtype dtypes[] = {
    PAIL_DTYPE_I8, PAIL_DTYPE_I16, PAIL_DTYPE_I32, PAIL_DTYPE_I64,
    PAIL_DTYPE_U8, PAIL_DTYPE_U16, PAIL_DTYPE_U32, PAIL_DTYPE_U64,
};

static uint32_t bytes_of(uint32_t dtype)
{
    return 1u << ((dtype - PAIL_DTYPE_I8) % 5);
}

static uint32_t below(struct pail_rng *rng, uint64_t bound)
{
    return (uint32_t)pail_rng_below(rng, bound);
}

static bool one_in(struct pail_rng *rng, uint32_t n)
{
    return n != UINT32_MAX && below(rng, n) == 0;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* True if the contents of an array are tame; `reserved` of a binding is no place for that, so the
 * source's number says it. */
static bool is_tame(uint32_t source)
{
    return source % 5 < 3;
}

/* Small numbers are worth something as indices and ends; others test arithmetic. */
static int64_t random_element(struct pail_rng *rng, bool tame)
{
    if (tame)
        return one_in(rng, 12) ? -(int64_t)below(rng, 4) : (int64_t)below(rng, 6);
    switch (below(rng, 6)) {
    case 0:
        return (int64_t)pail_rng_next(rng);
    case 1:
        return -(int64_t)below(rng, 1000);
    case 2:
        return INT64_MAX - below(rng, 3);
    default:
        return below(rng, 100);
    }
}

static void fill(pail_binding *binding, struct pail_rng *rng)
{
    uint8_t *host;
    memcpy(&host, &binding->host, sizeof host); /* ours, and const for everybody else */
    const uint32_t bytes = bytes_of(binding->dtype);
    for (uint64_t at = 0; at + bytes <= binding->size_bytes; at += bytes) {
        const int64_t v = random_element(rng, is_tame(binding->source));
        for (uint32_t i = 0; i < bytes; i++)
            host[at + i] = (uint8_t)((uint64_t)v >> 8 * i);
    }
}

/* C order, axes in another order, with gaps, or along which nothing changes. */
static void choose_strides(struct pail_rng *rng, uint32_t rank, const int64_t shape[],
                           int64_t stride[], uint32_t bytes)
{
    uint32_t order[MAX_RANK];
    for (uint32_t k = 0; k < rank; k++)
        order[k] = k;
    for (uint32_t k = rank; k > 1; k--) {
        const uint32_t other = below(rng, k), last = order[k - 1];
        order[k - 1] = order[other];
        order[other] = last;
    }
    int64_t next = bytes;
    for (uint32_t k = 0; k < rank; k++) {
        if (one_in(rng, 4))
            next += bytes * (int64_t)below(rng, 3);
        stride[order[k]] = one_in(rng, 10) ? 0 : next;
        next = stride[order[k]] ? next * (shape[order[k]] ? shape[order[k]] : 1) : next;
    }
}

static bool make_array(struct pail_rng *rng, pail_binding *binding, uint32_t source)
{
    const uint32_t rank = one_in(rng, 8) ? below(rng, MAX_RANK + 1) : below(rng, 4);
    int64_t *shape = calloc(rank + 1, sizeof *shape), *stride = calloc(rank + 1, sizeof *stride);
    const uint32_t dtype = dtypes[below(rng, 8)], bytes = bytes_of(dtype);
    int64_t last = 0, c_order = bytes;
    bool empty = false;
    *binding = (pail_binding){
        .struct_size = sizeof *binding,
        .source = source,
        .identity = 1000 + source,
        .generation = 1,
        .dtype = dtype,
        .rank = rank,
        .shape = shape,
    };
    if (!shape || !stride)
        goto fail;
    for (uint32_t k = 0; k < rank; k++) {
        shape[k] = one_in(rng, 15) ? 0 : 1 + below(rng, rank > 4 ? 2 : 5);
        if (rank == 1 && one_in(rng, 3))
            shape[k] = 1 + below(rng, 300);
        empty = empty || !shape[k];
        c_order *= shape[k];
    }
    if (one_in(rng, 3)) {
        choose_strides(rng, rank, shape, stride, bytes);
        binding->stride_bytes = stride;
        for (uint32_t k = 0; k < rank; k++)
            last += (shape[k] - 1) * stride[k];
    } else {
        free(stride);
        stride = NULL;
        last = c_order - bytes;
    }
    binding->size_bytes = empty ? 0 : (uint64_t)last + bytes;
    binding->host = malloc(binding->size_bytes + 1);
    if (!binding->host)
        goto fail;
    fill(binding, rng);
    return true;
fail:
    free(shape);
    free(stride);
    binding->shape = NULL;
    binding->stride_bytes = NULL;
    return false;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* A node that may be used again, where its variables mean something. */
struct part {
    int32_t number;
    uint32_t free; /* bit v: the v-th of the tree's variables */
    uint64_t steps;
    bool tame; /* worth something as an index or end: from -4 to 8, or an error */
};

struct maker {
    struct pail_rng *rng;
    const struct trees_kernel *kernel;
    struct trees_options options;
    struct nodes nodes;
    struct part parts[MAX_PARTS];
    uint32_t n_parts;
    int32_t names[MAX_VARIABLES]; /* numbers of variables */
    uint32_t scope[MAX_SCOPE];    /* their names; the innermost last, and it may hide others */
    int64_t turns[MAX_SCOPE];     /* they stay below; -1: below 9, and may be negative */
    uint32_t n_scope;
};

static struct part keep(struct maker *maker, struct part part)
{
    if (maker->n_parts < MAX_PARTS)
        maker->parts[maker->n_parts++] = part;
    return part;
}

static uint32_t in_scope(const struct maker *maker)
{
    uint32_t names = 0;
    for (uint32_t i = 0; i < maker->n_scope; i++)
        names |= 1u << maker->scope[i];
    return names;
}

static bool goes_wrong(struct maker *maker)
{
    return maker->options.errors != UINT32_MAX && one_in(maker->rng, maker->options.errors);
}

static struct part make_const(struct maker *maker, bool tame)
{
    static const int64_t odd[] = {INT64_MIN, INT64_MAX, -1,         1 << 20, INT64_MAX / 2,
                                  INT32_MAX, INT32_MIN, UINT32_MAX, -7,      1000};
    const int64_t v =
        tame || !one_in(maker->rng, 5) ? (int64_t)below(maker->rng, 7) : odd[below(maker->rng, 10)];
    return keep(maker, (struct part){nodes_const(&maker->nodes, v), 0, 1, v >= -4 && v <= 8});
}

/* The innermost of a name counts: others are hidden. */
static bool is_hidden(const struct maker *maker, uint32_t at)
{
    for (uint32_t i = at + 1; i < maker->n_scope; i++)
        if (maker->scope[i] == maker->scope[at])
            return true;
    return false;
}

static struct part make_variable(struct maker *maker)
{
    const uint32_t name = maker->scope[below(maker->rng, maker->n_scope)];
    return keep(maker, (struct part){nodes_variable(&maker->nodes, maker->names[name]), 1u << name,
                                     1, true});
}

static struct part make_shape(struct maker *maker)
{
    const uint32_t n = (uint32_t)maker->kernel->desc.n_sources;
    const uint32_t source = below(maker->rng, n);
    const uint32_t rank = maker->kernel->bindings[source].rank;
    if (!rank)
        return make_const(maker, true);
    return keep(maker, (struct part){nodes_shape(&maker->nodes, (int32_t)source,
                                                 (int32_t)below(maker->rng, rank)),
                                     0, 1, true});
}

static struct part make_any(struct maker *maker, uint32_t depth, uint64_t steps, bool tame);

/* Inside of [0, n), if that is not empty, from anything. */
static struct part make_inside(struct maker *maker, uint32_t depth, uint64_t steps, int32_t source,
                               int32_t axis)
{
    struct part part = make_any(maker, depth, steps, false);
    const int32_t n = nodes_shape(&maker->nodes, source, axis);
    part.number = nodes_op(&maker->nodes, PAIL_NODE_MOD, part.number, n);
    part.steps += 2;
    part.tame = true;
    return part;
}

static struct part make_read(struct maker *maker, uint32_t depth, uint64_t steps, bool tame)
{
    uint32_t source = below(maker->rng, maker->kernel->desc.n_sources);
    for (uint32_t tries = 0; tame && !is_tame(source) && tries < 8; tries++)
        source = below(maker->rng, maker->kernel->desc.n_sources);
    const pail_binding *binding = &maker->kernel->bindings[source];
    const bool computed = binding->rank && one_in(maker->rng, 4);
    int64_t indices[MAX_RANK];
    struct part part = {.steps = 1, .tame = is_tame(source)};
    for (uint32_t k = 0; k < binding->rank; k++) {
        if (computed) {
            const struct part at =
                make_inside(maker, depth ? depth - 1 : 0, steps / 8, (int32_t)source, (int32_t)k);
            indices[k] = at.number;
            part.free |= at.free;
            part.steps += at.steps;
            continue;
        }
        /* A variable that stays inside, if there is one. */
        indices[k] = binding->shape[k] ? below(maker->rng, (uint64_t)binding->shape[k]) : 0;
        for (uint32_t tries = 0; tries < 6 && maker->n_scope; tries++) {
            const uint32_t at = below(maker->rng, maker->n_scope);
            const bool fits = maker->turns[at] >= 0 && maker->turns[at] <= binding->shape[k];
            const bool clamped = maker->kernel->desc.flags & PAIL_KERNEL_CLAMP_RANGES;
            if (is_hidden(maker, at) ||
                !(fits || (clamped && one_in(maker->rng, 2)) || goes_wrong(maker)))
                continue;
            indices[k] = VARIABLE_INDEX(maker->names[maker->scope[at]]);
            part.free |= 1u << maker->scope[at];
            break;
        }
        if (goes_wrong(maker))
            indices[k] = binding->shape[k];
    }
    const pail_node_kind kind = computed                ? PAIL_NODE_READ_AT
                                : one_in(maker->rng, 4) ? PAIL_NODE_FIELD_READ
                                                        : PAIL_NODE_ARRAY_READ;
    part.number = nodes_read(&maker->nodes, kind, (int32_t)source, (pail_dtype)binding->dtype,
                             binding->rank, indices);
    return keep(maker, part);
}

static struct part make_leaf(struct maker *maker, bool tame)
{
    switch (below(maker->rng, 4)) {
    case 0:
        return make_const(maker, tame);
    case 1:
        return make_shape(maker);
    case 2:
        return maker->n_scope ? make_variable(maker) : make_shape(maker);
    default:
        return make_read(maker, 0, 0, tame);
    }
}

/* Something made before, if all its variables are bound here. */
static bool find_part(struct maker *maker, uint64_t steps, bool tame, struct part *part)
{
    const uint32_t names = in_scope(maker);
    for (uint32_t tries = 0; tries < 6 && maker->n_parts; tries++) {
        *part = maker->parts[below(maker->rng, maker->n_parts)];
        if (!(part->free & ~names) && part->steps <= steps && (part->tame || !tame))
            return true;
    }
    return false;
}

static struct part make_op(struct maker *maker, uint32_t depth, uint64_t steps, bool tame)
{
    static const pail_node_kind any[] = {
        PAIL_NODE_ADD, PAIL_NODE_SUB,       PAIL_NODE_MUL, PAIL_NODE_MAX,
        PAIL_NODE_MIN, PAIL_NODE_FLOOR_DIV, PAIL_NODE_MOD, PAIL_NODE_SELECT_POSITIVE};
    static const pail_node_kind kept[] = {PAIL_NODE_SUB, PAIL_NODE_MAX, PAIL_NODE_MIN,
                                          PAIL_NODE_SELECT_POSITIVE};
    const pail_node_kind kind = tame ? kept[below(maker->rng, 4)] : any[below(maker->rng, 8)];
    const struct part a = make_any(maker, depth - 1, steps / 3, tame);
    struct part b = make_any(maker, depth - 1, steps / 3, tame);
    if ((kind == PAIL_NODE_FLOOR_DIV || kind == PAIL_NODE_MOD) && !one_in(maker->rng, 20)) {
        b = make_const(maker, true); /* seldom 0 */
        const int64_t v = maker->nodes.nodes[b.number].imm;
        b.number = nodes_const(&maker->nodes, one_in(maker->rng, 3) ? -v - 1 : v + 1);
    }
    struct part part = {0, a.free | b.free, a.steps + b.steps + 1, tame};
    if (kind == PAIL_NODE_SELECT_POSITIVE) {
        const struct part c = make_any(maker, depth - 1, steps / 3, tame);
        part.number = nodes_select(&maker->nodes, a.number, b.number, c.number);
        part.free |= c.free;
        part.steps += c.steps;
    } else {
        part.number = nodes_op(&maker->nodes, kind, a.number, b.number);
    }
    return keep(maker, part);
}

/* The end of a range; *turns as in struct maker. */
static struct part make_end(struct maker *maker, uint32_t depth, uint64_t steps, int64_t *turns)
{
    *turns = -1;
    if (goes_wrong(maker)) {
        const int64_t v = INT64_C(1) << (49 + below(maker->rng, 14));
        return (struct part){nodes_const(&maker->nodes, v), 0, 1, false};
    }
    if (one_in(maker->rng, 4)) {
        const struct part any = make_any(maker, depth - 1, steps / 2, true);
        const int32_t most = nodes_const(&maker->nodes, 8);
        return (struct part){nodes_op(&maker->nodes, PAIL_NODE_MIN, any.number, most), any.free,
                             any.steps + 2, true};
    }
    const uint32_t source = below(maker->rng, maker->kernel->desc.n_sources);
    const pail_binding *binding = &maker->kernel->bindings[source];
    if (binding->rank && !one_in(maker->rng, 6)) {
        const uint32_t axis = below(maker->rng, binding->rank);
        *turns = binding->shape[axis];
        return (struct part){nodes_shape(&maker->nodes, (int32_t)source, (int32_t)axis), 0, 1,
                             true};
    }
    *turns = below(maker->rng, 5);
    return (struct part){nodes_const(&maker->nodes, *turns), 0, 1, true};
}

static struct part make_range(struct maker *maker, uint32_t depth, uint64_t steps, bool tame)
{
    int64_t turns;
    struct part end = make_end(maker, depth, steps, &turns);
    struct part begin = {nodes_const(&maker->nodes, 0), 0, 1, true};
    if (one_in(maker->rng, 5)) {
        begin = make_any(maker, depth - 1, steps / 4, true);
        turns = -1;
    }
    const uint32_t name = below(maker->rng, MAX_VARIABLES);
    maker->scope[maker->n_scope] = name;
    maker->turns[maker->n_scope++] = turns;
    const uint64_t most = turns >= 0 ? (uint64_t)turns + 1 : 13;
    const struct part body = make_any(maker, depth - 1, steps / most, tame);
    maker->n_scope--;
    const bool sum = !tame && one_in(maker->rng, 3);
    const int32_t number =
        nodes_range(&maker->nodes, sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE,
                    maker->names[name], begin.number, end.number, body.number);
    return keep(maker, (struct part){number, begin.free | end.free | (body.free & ~(1u << name)),
                                     begin.steps + end.steps + most * (body.steps + 1),
                                     body.tame && !sum});
}

static struct part make_any(struct maker *maker, uint32_t depth, uint64_t steps, bool tame)
{
    struct part part;
    if (one_in(maker->rng, 6) && find_part(maker, steps, tame, &part))
        return part;
    if (!depth || steps < 40 || maker->nodes.n > maker->options.max_nodes)
        return make_leaf(maker, tame);
    switch (below(maker->rng, 8)) {
    case 0:
        return make_leaf(maker, tame);
    case 1:
        return make_read(maker, depth, steps, tame);
    case 2:
    case 3:
    case 4:
        return maker->n_scope < MAX_SCOPE ? make_range(maker, depth, steps, tame)
                                          : make_leaf(maker, tame);
    default:
        return make_op(maker, depth, steps, tame);
    }
}

static pail_tree make_tree(struct maker *maker)
{
    maker->nodes = (struct nodes){0};
    maker->n_parts = 0;
    maker->n_scope = 0;
    for (int32_t i = 0; i < MAX_VARIABLES; i++)
        maker->names[i] = one_in(maker->rng, 4) ? INT32_MAX - i : i;
    const struct part root = one_in(maker->rng, 10) ? make_any(maker, 6, TREES_STEPS, false)
                                                    : make_range(maker, 8, TREES_STEPS, false);
    /* The root is last: what was made before may have been taken for it. */
    if ((size_t)root.number + 1 < maker->nodes.n) {
        const int32_t least = nodes_const(&maker->nodes, INT64_MIN);
        (void)nodes_op(&maker->nodes, PAIL_NODE_MAX, root.number, least);
    }
    return nodes_tree(&maker->nodes);
}

static void make_stack(struct maker *maker, pail_stack_desc *stack)
{
    static const uint32_t alignments[] = {0, 4, 8, 16};
    *stack = (pail_stack_desc){
        .struct_size = sizeof *stack,
        .heap = below(maker->rng, 2),
        .element_bytes = 4u << below(maker->rng, 2),
        .copies = 1 + below(maker->rng, 2),
        .header_bytes = 8 * below(maker->rng, 2),
        .alignment = alignments[below(maker->rng, 4)],
    };
    if (one_in(maker->rng, 12))
        stack->static_capacity = 1 + below(maker->rng, 100);
    else
        stack->tree = make_tree(maker);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static bool make_tasks(struct maker *maker, struct trees_kernel *kernel)
{
    const uint32_t n = 1 + below(maker->rng, maker->options.max_tasks);
    pail_task_desc *tasks = calloc(n, sizeof *tasks);
    kernel->desc.tasks = tasks;
    for (uint32_t i = 0; tasks && i < n; i++) {
        const uint32_t n_stacks = 1 + below(maker->rng, maker->options.max_stacks);
        pail_stack_desc *stacks = calloc(n_stacks, sizeof *stacks);
        if (!stacks)
            return false;
        tasks[i] = (pail_task_desc){
            .struct_size = sizeof *tasks,
            .task_index = (int32_t)i,
            .stacks = stacks,
            .n_stacks = n_stacks,
            .flags = one_in(maker->rng, 2) ? PAIL_TASK_ELEMENT_UNITS : 0,
        };
        if ((kernel->seed + i) % 4 < 2)
            tasks[i].flags |= PAIL_TASK_WIDE_METADATA;
        kernel->desc.n_tasks++;
        for (uint32_t k = 0; k < n_stacks; k++)
            make_stack(maker, &stacks[k]);
    }
    return tasks != NULL;
}

struct trees_kernel *trees_make(uint64_t seed, const struct trees_options *options)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    const uint32_t n_sources = 1 + below(&rng, MAX_SOURCES);
    struct trees_kernel *kernel = calloc(1, sizeof *kernel);
    struct maker *maker = calloc(1, sizeof *maker);
    char *name = calloc(1, 32);
    uint8_t *ranks = calloc(n_sources, 1);
    bool good = kernel && maker && name && ranks;
    if (!good) {
        free(kernel);
        free(name);
        free(ranks);
        free(maker);
        return NULL;
    }
    *kernel = (struct trees_kernel){
        .desc = {.struct_size = sizeof kernel->desc, .name = name, .source_rank = ranks},
        .bindings = calloc(n_sources, sizeof kernel->bindings[0]),
        .seed = seed,
    };
    kernel->desc.flags = seed % 3 == 0 ? PAIL_KERNEL_CLAMP_RANGES : 0;
    kernel->desc.flags |= seed % 4 == 1 ? PAIL_KERNEL_WRAP_ARITHMETIC : 0;
    kernel->desc.name_bytes =
        (size_t)snprintf(name, 32, "random_%016llx", (unsigned long long)seed);
    good = kernel->bindings != NULL;
    for (uint32_t i = 0; i < n_sources && good; i++) {
        good = make_array(&rng, &kernel->bindings[i], i);
        kernel->desc.n_sources++;
        ranks[i] = (uint8_t)kernel->bindings[i].rank;
    }
    *maker = (struct maker){.rng = &rng, .kernel = kernel};
    if (options)
        maker->options = *options;
    maker->options.max_tasks = maker->options.max_tasks ? maker->options.max_tasks : 3;
    maker->options.max_stacks = maker->options.max_stacks ? maker->options.max_stacks : 4;
    maker->options.max_nodes = maker->options.max_nodes ? maker->options.max_nodes : 40;
    maker->options.errors = maker->options.errors ? maker->options.errors : 150;
    good = good && make_tasks(maker, kernel);
    free(maker);
    if (!good) {
        trees_free(kernel);
        return NULL;
    }
    return kernel;
}

void trees_rewrite(struct trees_kernel *kernel, uint32_t source, uint64_t seed)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    fill(&kernel->bindings[source], &rng);
}

/* Frees a kernel's memory, which is const for those who use it and was allocated here. */
static void release(const void *memory)
{
    void *ours;
    memcpy(&ours, &memory, sizeof ours);
    free(ours);
}

void trees_free(struct trees_kernel *kernel)
{
    if (!kernel)
        return;
    for (size_t i = 0; i < kernel->desc.n_tasks; i++) {
        const pail_task_desc *task = &kernel->desc.tasks[i];
        for (size_t k = 0; k < task->n_stacks; k++) {
            release(task->stacks[k].tree.nodes);
            release(task->stacks[k].tree.indices);
        }
        release(task->stacks);
    }
    for (size_t i = 0; i < kernel->desc.n_sources; i++) {
        release(kernel->bindings[i].host);
        release(kernel->bindings[i].shape);
        release(kernel->bindings[i].stride_bytes);
    }
    release(kernel->desc.tasks);
    release(kernel->desc.source_rank);
    release(kernel->desc.name);
    free(kernel->bindings);
    free(kernel);
}
