#include "dag.h"

#include "tree.h"

static uint16_t op_of(const pail_node *node)
{
    switch (node->kind) {
    case PAIL_NODE_ADD:
        return PAIL_AD_ADD;
    case PAIL_NODE_SUB:
        return PAIL_AD_SUB;
    case PAIL_NODE_MUL:
        return PAIL_AD_MUL;
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

static pail_status put_node(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *node,
                            const uint32_t numbers[], uint32_t *number)
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
    case PAIL_NODE_SHAPE: {
        const struct pail_ad_dag_node shape = {
            .op = PAIL_AD_SHAPE, .source = (uint32_t)node->source, .axis = (uint32_t)node->axis};
        return pail_ad_dag_put(dag, &shape, NULL, number);
    }
    case PAIL_NODE_MAX_OVER_RANGE:
    case PAIL_NODE_SUM_OVER_RANGE:
        return pail_ad_dag_chain(dag, tree, node, numbers, number);
    default: {
        struct pail_ad_dag_node op = {
            .op = op_of(node), .a = numbers[node->a], .b = numbers[node->b]};
        if (op.op == PAIL_AD_SELECT)
            op.c = numbers[node->body];
        return pail_ad_dag_put(dag, &op, NULL, number);
    }
    }
}

pail_status pail_ad_dag_tree(struct pail_ad_dag *dag, const pail_tree *tree, uint32_t task,
                             uint32_t stack, uint32_t *root)
{
    const uint32_t n = (uint32_t)tree->n_nodes;
    uint32_t *numbers = pail_calloc(dag->alloc, n, sizeof(numbers[0]));
    uint8_t *used = pail_calloc(dag->alloc, n, 1);
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
    for (uint32_t i = 0; i < n && !status; i++) {
        if (!used[i])
            continue;
        dag->here = (struct pail_ad_site){.task = task, .stack = stack, .node = i};
        dag->here_site = PAIL_AD_NONE;
        status = put_node(dag, tree, &tree->nodes[i], numbers, &numbers[i]);
    }
    *root = numbers[n - 1];
end:
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

static bool has_closed_bounds(const struct pail_ad_dag *dag, const pail_node *range,
                              const uint32_t numbers[])
{
    return is_closed(dag, numbers[range->a]) && is_closed(dag, numbers[range->b]);
}

static pail_status put(struct pail_ad_dag *dag, uint16_t op, uint32_t a, uint32_t b, uint32_t c,
                       uint32_t *number)
{
    const struct pail_ad_dag_node node = {.op = op, .a = a, .b = b, .c = c};
    return pail_ad_dag_put(dag, &node, NULL, number);
}

/* The range directly inside of a range that is of its chain; NULL: there is none. */
static const pail_node *next_of(const struct pail_ad_dag *dag, const pail_tree *tree,
                                const pail_node *range, const uint32_t numbers[])
{
    const pail_node *inner = &tree->nodes[range->body];
    return inner->kind == range->kind && has_closed_bounds(dag, inner, numbers) ? inner : NULL;
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
        status = put(dag, PAIL_AD_SUB, numbers[inside[n]->b], numbers[inside[n]->a], 0, &of_it);
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
    const uint32_t begin = numbers[range->a];
    uint32_t one, limit, turns, rest, beyond;
    *end = numbers[range->b];
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

pail_status pail_ad_dag_chain(struct pail_ad_dag *dag, const pail_tree *tree,
                              const pail_node *range, const uint32_t numbers[], uint32_t *number)
{
    const uint32_t reduction =
        range->kind == PAIL_NODE_SUM_OVER_RANGE ? PAIL_AD_REDUCE_SUM : PAIL_AD_REDUCE_MAX;
    const uint32_t begin = numbers[range->a], body = numbers[range->body];
    const uint32_t name = (uint32_t)range->variable;
    uint32_t end = numbers[range->b];
    pail_status status = pail_ad_dag_range(dag, reduction, begin, end, body, name, number);
    if (status || !next_of(dag, tree, range, numbers) || !has_closed_bounds(dag, range, numbers) ||
        !is_for_us(dag, tree, range, numbers, *number))
        return status;
    status = put_end(dag, tree, range, numbers, &end);
    return status ? status : pail_ad_dag_range(dag, reduction, begin, end, body, name, number);
}
