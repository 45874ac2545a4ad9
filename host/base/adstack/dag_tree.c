/* SPDX-License-Identifier: Apache-2.0 */
#include "dag.h"

#include "build.h"
#include "tree.h"

static uint16_t op_of(const pail_node *node, bool wraps)
{
    switch (node->kind) {
    case PAIL_NODE_ADD:
        return wraps ? PAIL_AD_WRAP_ADD : PAIL_AD_ADD;
    case PAIL_NODE_SUB:
        return wraps ? PAIL_AD_WRAP_SUB : PAIL_AD_SUB;
    case PAIL_NODE_MUL:
        return wraps ? PAIL_AD_WRAP_MUL : PAIL_AD_MUL;
    case PAIL_NODE_MAX:
        return PAIL_AD_MAX;
    case PAIL_NODE_MIN:
        return PAIL_AD_MIN;
    case PAIL_NODE_FLOOR_DIV:
        return PAIL_AD_FLOOR_DIV;
    case PAIL_NODE_MOD:
        return PAIL_AD_MOD;
    default:
        return PAIL_AD_SELECT;
    }
}

static pail_status put_const(struct pail_ad_dag *dag, int64_t v, uint32_t *number)
{
    const struct pail_ad_dag_node node = {.op = PAIL_AD_CONST, .imm = v};
    return pail_ad_dag_put(dag, &node, NULL, number);
}

static pail_status put_name(struct pail_ad_dag *dag, uint32_t name, uint32_t *number)
{
    const struct pail_ad_dag_node node = {.op = PAIL_AD_NAME, .axis = name};
    return pail_ad_dag_put(dag, &node, NULL, number);
}

static pail_status put_shape(struct pail_ad_dag *dag, int32_t source, uint32_t axis,
                             uint32_t *number)
{
    const struct pail_ad_dag_node shape = {
        .op = PAIL_AD_SHAPE, .source = (uint32_t)source, .axis = axis};
    return pail_ad_dag_put(dag, &shape, NULL, number);
}

static pail_status put(struct pail_ad_dag *dag, uint16_t op, uint32_t a, uint32_t b, uint32_t c,
                       uint32_t *number)
{
    const struct pail_ad_dag_node node = {.op = op, .a = a, .b = b, .c = c};
    return pail_ad_dag_put(dag, &node, NULL, number);
}

static pail_status put_read(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *node,
                            const uint32_t numbers[], uint32_t *number)
{
    uint32_t args[PAIL_AD_MAX_RANK];
    pail_status status = PAIL_OK;
    for (uint32_t k = 0; k < node->index_count && !status; k++) {
        const int64_t index = tree->indices[node->index_first + k];
        if (node->kind == PAIL_NODE_READ_AT)
            args[k] = numbers[index];
        else if (index >= 0)
            status = put_const(dag, index, &args[k]);
        else
            status = put_name(dag, (uint32_t) - (index + 1), &args[k]);
    }
    if (status)
        return status;
    const struct pail_ad_dag_node read = {
        .op = PAIL_AD_READ,
        .dtype = node->dtype,
        .source = (uint32_t)node->source,
        .n_args = node->index_count,
    };
    return pail_ad_dag_put(dag, &read, args, number);
}

static pail_status put_chain(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *range,
                             const uint32_t numbers[], uint32_t *number);

static pail_status put_node(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *node,
                            bool wraps, const uint32_t numbers[], uint32_t *number)
{
    switch (node->kind) {
    case PAIL_NODE_CONST:
        return put_const(dag, node->imm, number);
    case PAIL_NODE_VARIABLE:
        return put_name(dag, (uint32_t)node->variable, number);
    case PAIL_NODE_FIELD_READ:
    case PAIL_NODE_ARRAY_READ:
    case PAIL_NODE_READ_AT:
        return put_read(dag, tree, node, numbers, number);
    case PAIL_NODE_SHAPE:
        return put_shape(dag, node->source, (uint32_t)node->axis, number);
    case PAIL_NODE_MAX_OVER_RANGE:
    case PAIL_NODE_SUM_OVER_RANGE:
        return put_chain(dag, tree, node, numbers, number);
    default: {
        struct pail_ad_dag_node op = {
            .op = op_of(node, wraps), .a = numbers[node->a], .b = numbers[node->b]};
        if (op.op == PAIL_AD_SELECT)
            op.c = numbers[node->body];
        return pail_ad_dag_put(dag, &op, NULL, number);
    }
    }
}

/* ---- PAIL_KERNEL_CLAMP_RANGES --------------------------------------------------------------- */

/* The range that this one is directly in, of its kind, and that alone uses it; NULL: none is. */
struct around {
    uint32_t users;
    const pail_node *range;
};

/* While the bounds of a range are narrowed to the axes that are read in it. */
struct clamp {
    struct pail_ad_dag *dag;
    const pail_tree *tree;
    struct around *around; /* [n_nodes] */
    uint32_t *seen;        /* [n_nodes] the last search that was there */
    uint32_t *todo;        /* [n_nodes] */
    uint32_t search;
    uint64_t steps;
    const pail_node *range;
    const pail_node *inside[PAIL_AD_MAX_DEPTH]; /* ranges of the kind directly inside, so far */
    uint32_t n_inside;
    uint32_t begin, end;
    uint32_t holds; /* above 0 where all indices but the range's own variable are inside; or NONE */
};

static bool is_chained(const pail_tree *tree, const pail_node *range, const pail_node *inner)
{
    return pail_ad_is_range(range) && inner->kind == range->kind &&
           &tree->nodes[range->body] == inner;
}

static pail_status put_and(struct clamp *clamp, uint32_t condition)
{
    if (clamp->holds != PAIL_AD_NONE)
        return put(clamp->dag, PAIL_AD_MIN, clamp->holds, condition, 0, &clamp->holds);
    clamp->holds = condition;
    return PAIL_OK;
}

/* 0 <= variable < shape, of a range further out. Nothing here can be beyond 64 bits. */
static pail_status put_inside(struct clamp *clamp, uint32_t variable, uint32_t shape)
{
    struct pail_ad_dag *dag = clamp->dag;
    uint32_t zero, one, v, above = 0, below = 0;
    pail_status status = put_const(dag, 0, &zero);
    if (!status)
        status = put_const(dag, 1, &one);
    if (!status)
        status = put_name(dag, variable, &v);
    if (!status)
        status = put(dag, PAIL_AD_MAX, v, zero, 0, &above);
    if (!status)
        status = put(dag, PAIL_AD_SUB, shape, above, 0, &above);
    if (!status)
        status = put(dag, PAIL_AD_MIN, v, zero, 0, &below);
    if (!status)
        status = put(dag, PAIL_AD_ADD, below, one, 0, &below);
    if (!status)
        status = put(dag, PAIL_AD_MIN, above, below, 0, &above);
    return status ? status : put_and(clamp, above);
}

static bool is_bound_inside(const struct clamp *clamp, int64_t variable)
{
    for (uint32_t i = 0; i < clamp->n_inside; i++)
        if (clamp->inside[i]->variable == variable)
            return true;
    return false;
}

/* One index of a read. What does not depend on the range is looked at by the outermost of ranges
 * directly in one another, which sees all that they read. */
static pail_status clamp_index(struct clamp *clamp, const pail_node *read, uint32_t axis)
{
    struct pail_ad_dag *dag = clamp->dag;
    const int64_t index = clamp->tree->indices[read->index_first + axis];
    const bool outermost = !clamp->around[clamp->range - clamp->tree->nodes].range;
    const bool own = index < 0 && clamp->range->variable == -(index + 1);
    uint32_t shape, other;
    if ((index < 0 && is_bound_inside(clamp, -(index + 1))) || (!own && !outermost))
        return PAIL_OK;
    pail_status status = put_shape(dag, read->source, axis, &shape);
    if (status)
        return status;
    if (index < 0 && !own)
        return put_inside(clamp, (uint32_t) - (index + 1), shape);
    status = put_const(dag, own ? 0 : index, &other);
    if (status)
        return status;
    if (!own) {
        status = put(dag, PAIL_AD_SUB, shape, other, 0, &shape);
        return status ? status : put_and(clamp, shape);
    }
    status = put(dag, PAIL_AD_MAX, clamp->begin, other, 0, &clamp->begin);
    return status ? status : put(dag, PAIL_AD_MIN, clamp->end, shape, 0, &clamp->end);
}

/* Looks at the reads that a node cannot do without: not in arms, not in bodies of ranges. */
static pail_status clamp_reads(struct clamp *clamp, int32_t root)
{
    pail_status status = PAIL_OK;
    uint32_t n = 0;
    clamp->search++;
    clamp->seen[root] = clamp->search;
    clamp->todo[n++] = (uint32_t)root;
    while (n && !status) {
        const pail_node *node = &clamp->tree->nodes[clamp->todo[--n]];
        if (++clamp->steps > PAIL_AD_MAX_STEPS)
            return pail_fail(clamp->dag->err, PAIL_ERR_DATA,
                             "task %u, stack %u: node %u: ranges are around the same parts too "
                             "often",
                             clamp->dag->here.task, clamp->dag->here.stack, clamp->dag->here.node);
        for (uint32_t k = 0; pail_ad_is_plain_read(node) && k < node->index_count && !status; k++)
            status = clamp_index(clamp, node, k);
        const uint32_t n_operands = pail_ad_is_range(node) ? 2
                                    : node->kind == PAIL_NODE_SELECT_POSITIVE
                                        ? 1
                                        : pail_ad_operands(node);
        for (uint32_t k = 0; k < n_operands; k++) {
            const int64_t operand = pail_ad_operand(clamp->tree, node, k);
            if (clamp->seen[operand] != clamp->search)
                clamp->todo[n++] = (uint32_t)operand;
            clamp->seen[operand] = clamp->search;
        }
    }
    return status;
}

/* Bounds within which nothing is read outside: *begin and *end, in: as in the tree. */
static pail_status clamp_range(struct clamp *clamp, const pail_node *range, uint32_t *begin,
                               uint32_t *end)
{
    const pail_node *inner = &clamp->tree->nodes[range->body];
    pail_status status = PAIL_OK;
    clamp->range = range;
    clamp->n_inside = 0;
    clamp->begin = *begin;
    clamp->end = *end;
    clamp->holds = PAIL_AD_NONE;
    for (; inner->kind == range->kind && !status; inner = &clamp->tree->nodes[inner->body]) {
        status = clamp_reads(clamp, inner->a);
        if (!status)
            status = clamp_reads(clamp, inner->b);
        clamp->inside[clamp->n_inside++] = inner;
    }
    if (!status)
        status = clamp_reads(clamp, (int32_t)(inner - clamp->tree->nodes));
    if (!status && clamp->holds != PAIL_AD_NONE) { /* otherwise empty, or the error of the end */
        uint32_t none;
        status = put(clamp->dag, PAIL_AD_MIN, clamp->end, clamp->begin, 0, &none);
        if (!status)
            status = put(clamp->dag, PAIL_AD_SELECT, clamp->holds, clamp->end, none, &clamp->end);
    }
    *begin = clamp->begin;
    *end = clamp->end;
    return status;
}

static pail_status clamp_begin(struct clamp *clamp, const uint8_t used[])
{
    const uint32_t n = (uint32_t)clamp->tree->n_nodes;
    clamp->around = pail_calloc(clamp->dag->alloc, n, sizeof(clamp->around[0]));
    clamp->seen = pail_calloc(clamp->dag->alloc, n, sizeof(clamp->seen[0]));
    clamp->todo = pail_calloc(clamp->dag->alloc, n, sizeof(clamp->todo[0]));
    if (!clamp->around || !clamp->seen || !clamp->todo)
        return pail_fail(clamp->dag->err, PAIL_ERR_HOST_MEMORY, "no host memory to read %u nodes",
                         n);
    for (uint32_t i = 0; i < n; i++) {
        const pail_node *node = &clamp->tree->nodes[i];
        for (uint32_t k = 0; used[i] && k < pail_ad_operands(node); k++) {
            const int64_t operand = pail_ad_operand(clamp->tree, node, k);
            struct around *around = &clamp->around[operand];
            const bool chained = is_chained(clamp->tree, node, &clamp->tree->nodes[operand]);
            around->range = around->users++ == 0 && k == 2 && chained ? node : NULL;
        }
    }
    return PAIL_OK;
}

static void clamp_end(struct clamp *clamp)
{
    pail_free(clamp->dag->alloc, clamp->around);
    pail_free(clamp->dag->alloc, clamp->seen);
    pail_free(clamp->dag->alloc, clamp->todo);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Bounds of a range, which are numbered behind the nodes. */
static uint32_t *bounds_of(const pail_tree *tree, const pail_node *range, uint32_t numbers[])
{
    return &numbers[tree->n_nodes + 2 * (size_t)(range - tree->nodes)];
}

static uint32_t begin_of(const pail_tree *tree, const pail_node *range, const uint32_t numbers[])
{
    return numbers[tree->n_nodes + 2 * (size_t)(range - tree->nodes)];
}

static uint32_t end_of(const pail_tree *tree, const pail_node *range, const uint32_t numbers[])
{
    return numbers[tree->n_nodes + 2 * (size_t)(range - tree->nodes) + 1];
}

static pail_status put_bounds(struct clamp *clamp, const pail_node *range, uint32_t numbers[])
{
    uint32_t *bounds = bounds_of(clamp->tree, range, numbers);
    bounds[0] = numbers[range->a];
    bounds[1] = numbers[range->b];
    return clamp->around ? clamp_range(clamp, range, &bounds[0], &bounds[1]) : PAIL_OK;
}

pail_status pail_ad_dag_tree(struct pail_ad_dag *dag, const pail_tree *tree, uint32_t flags,
                             uint32_t task, uint32_t stack, uint32_t *root)
{
    const uint32_t n = (uint32_t)tree->n_nodes;
    uint32_t *numbers = pail_calloc(dag->alloc, 3 * (size_t)n, sizeof(numbers[0]));
    uint8_t *used = pail_calloc(dag->alloc, n, 1);
    struct clamp clamp = {.dag = dag, .tree = tree};
    pail_status status = PAIL_OK;
    if (!numbers || !used) {
        status = pail_fail(dag->err, PAIL_ERR_HOST_MEMORY,
                           "task %u, stack %u: no host memory to read %u nodes", task, stack, n);
        goto end;
    }
    used[n - 1] = 1;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = 0; used[i] && k < pail_ad_operands(&tree->nodes[i]); k++)
            used[pail_ad_operand(tree, &tree->nodes[i], k)] = 1;
    if (flags & PAIL_KERNEL_CLAMP_RANGES)
        status = clamp_begin(&clamp, used);
    for (uint32_t i = 0; i < n && !status; i++) {
        if (!used[i])
            continue;
        dag->here = (struct pail_ad_site){.task = task, .stack = stack, .node = i};
        dag->here_site = PAIL_AD_NONE;
        if (pail_ad_is_range(&tree->nodes[i]))
            status = put_bounds(&clamp, &tree->nodes[i], numbers);
        if (!status)
            status = put_node(dag, tree, &tree->nodes[i], flags & PAIL_KERNEL_WRAP_ARITHMETIC,
                              numbers, &numbers[i]);
    }
    *root = numbers[n - 1];
end:
    clamp_end(&clamp);
    pail_free(dag->alloc, numbers);
    pail_free(dag->alloc, used);
    return status;
}

/* Chains: ranges of one kind directly inside one another, whose bounds have no variables. All of
 * their turns together are limited, whatever the innermost body is, and wherever the chain is.
 * Where it becomes the axes of a reduction, that counts its cells. Where it does not, or that is
 * not certain yet, the end of the outermost range is chosen here: beyond the limit by itself if the
 * chain is. */

static bool is_closed(const struct pail_ad_dag *dag, uint32_t number)
{
    return !(dag->nodes[number].free | dag->nodes[number].names);
}

static bool has_closed_bounds(const struct pail_ad_dag *dag, const pail_tree *tree,
                              const pail_node *range, const uint32_t numbers[])
{
    return is_closed(dag, begin_of(tree, range, numbers)) &&
           is_closed(dag, end_of(tree, range, numbers));
}

/* The range directly inside of a range that is of its chain; NULL: there is none. */
static const pail_node *next_of(const struct pail_ad_dag *dag, const pail_tree *tree,
                                const pail_node *range, const uint32_t numbers[])
{
    const pail_node *inner = &tree->nodes[range->body];
    return inner->kind == range->kind && has_closed_bounds(dag, tree, inner, numbers) ? inner
                                                                                      : NULL;
}

/* True if a reduction's axes may not count all of the chain: its next range has no variable of this
 * one; it has one of a range around it, and becomes loops if none of these is of the chain as well;
 * or it has more ranges than there are axes. */
static bool is_for_us(const struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *range,
                      const uint32_t numbers[], uint32_t plain)
{
    uint32_t n = 0;
    if (is_closed(dag, numbers[range->body]) || !is_closed(dag, plain))
        return true;
    for (; range && n <= PAIL_AD_MAX_AXES; range = next_of(dag, tree, range, numbers))
        n++;
    return n > PAIL_AD_MAX_AXES;
}

/* All turns of the ranges inside of a range, from the innermost on: what is wrong inside of an
 * empty one hurts nobody. */
static pail_status put_turns_inside(struct pail_ad_dag *dag, const pail_tree *tree,
                                    const pail_node *range, const uint32_t numbers[],
                                    uint32_t *turns)
{
    const pail_node *inside[PAIL_AD_MAX_DEPTH];
    uint32_t n = 0, none;
    while (n < PAIL_AD_MAX_DEPTH && (range = next_of(dag, tree, range, numbers)) != NULL)
        inside[n++] = range;
    pail_status status = put_const(dag, 0, &none);
    if (!status)
        status = put_const(dag, 1, turns);
    while (n-- > 0 && !status) {
        uint32_t of_it;
        status = put(dag, PAIL_AD_SUB, end_of(tree, inside[n], numbers),
                     begin_of(tree, inside[n], numbers), 0, &of_it);
        if (!status)
            status = put(dag, PAIL_AD_MUL, of_it, *turns, 0, turns);
        if (!status)
            status = put(dag, PAIL_AD_SELECT, of_it, *turns, none, turns);
    }
    return status;
}

/* The end of a range that begins a chain: as it is, or beyond the limit where all turns are. */
static pail_status put_end(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *range,
                           const uint32_t numbers[], uint32_t *end)
{
    const uint32_t begin = begin_of(tree, range, numbers);
    uint32_t one, limit, turns, rest, beyond;
    *end = end_of(tree, range, numbers);
    pail_status status = put_const(dag, 1, &one);
    if (!status)
        status = put_const(dag, (int64_t)PAIL_AD_MAX_CELLS, &limit);
    if (!status)
        status = put(dag, PAIL_AD_SUB, *end, begin, 0, &turns);
    if (!status)
        status = put_turns_inside(dag, tree, range, numbers, &rest);
    /* turns * rest > limit, without a product that may be beyond 64 bits */
    if (!status)
        status = put(dag, PAIL_AD_MAX, rest, one, 0, &rest);
    if (!status)
        status = put(dag, PAIL_AD_FLOOR_DIV, limit, rest, 0, &rest);
    if (!status)
        status = put(dag, PAIL_AD_SUB, turns, rest, 0, &rest);
    if (!status)
        status = put_const(dag, (int64_t)PAIL_AD_MAX_CELLS + 1, &beyond);
    if (!status)
        status = put(dag, PAIL_AD_ADD, begin, beyond, 0, &beyond);
    if (!status)
        status = put(dag, PAIL_AD_SELECT, rest, beyond, *end, &rest);
    /* An error further inside must not count where there are no turns. */
    return status ? status : put(dag, PAIL_AD_SELECT, turns, rest, *end, end);
}

/* A range, whose end is beyond the limit of turns where those of the chain that it begins are, all
 * together. */
static pail_status put_chain(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *range,
                             const uint32_t numbers[], uint32_t *number)
{
    const uint32_t reduction =
        range->kind == PAIL_NODE_SUM_OVER_RANGE ? PAIL_AD_REDUCE_SUM : PAIL_AD_REDUCE_MAX;
    const uint32_t begin = begin_of(tree, range, numbers), body = numbers[range->body];
    const uint32_t name = (uint32_t)range->variable;
    uint32_t end = end_of(tree, range, numbers);
    pail_status status = pail_ad_dag_range(dag, reduction, begin, end, body, name, number);
    if (status || !next_of(dag, tree, range, numbers) ||
        !has_closed_bounds(dag, tree, range, numbers) ||
        !is_for_us(dag, tree, range, numbers, *number))
        return status;
    status = put_end(dag, tree, range, numbers, &end);
    return status ? status : pail_ad_dag_range(dag, reduction, begin, end, body, name, number);
}
